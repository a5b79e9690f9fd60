//! `draw` and `cfg --format svg`: each mesh, each output, machines against each other, sheets,
//! limits, and the pictures of the pages.

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use crate::needs;
use crate::support::{folder, root, transpica};

const BACKGROUND: [u8; 4] = [232, 232, 232, 255];

/// A decoded PNG file.
struct Decoded {
    width: usize,
    height: usize,
    /// Pixels of the first frame.
    pixels: Vec<[u8; 4]>,
    /// Pixels of the other frames of an animation.
    more: Vec<Vec<[u8; 4]>>,
}

impl Decoded {
    fn covered(&self) -> usize {
        self.pixels.iter().filter(|&&pixel| pixel != BACKGROUND).count()
    }

    /// Number of colors.
    fn colors(&self) -> usize {
        self.pixels.iter().collect::<BTreeSet<_>>().len()
    }

    /// Number of pixels that differ by more than `by` in a component.
    fn differing(&self, other: &Self, by: u8) -> usize {
        assert_eq!((self.width, self.height), (other.width, other.height));
        let differs = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > by);
        self.pixels.iter().zip(&other.pixels).filter(differs).count()
    }
}

/// Decodes a file.
fn decoded(path: &Path) -> Decoded {
    let bytes = fs::read(path).expect("a picture");
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().expect("a PNG file");
    let info = reader.info();
    let (width, height) = (info.width as usize, info.height as usize);
    let frames = info.animation_control().map_or(1, |control| control.num_frames);
    let mut frames = (0..frames).map(|_| {
        let mut bytes = vec![0; width * height * 4];
        reader.next_frame(&mut bytes).expect("a frame");
        bytes.as_chunks::<4>().0.to_vec()
    });
    let pixels = frames.next().expect("a frame");
    Decoded { width, height, pixels, more: frames.collect() }
}

/// Draws a file of `shaders` with these arguments.
fn draw(test: &str, file: &str, arguments: &[&str]) -> Decoded {
    let path = folder(test).join("drawn.png");
    let output = path.to_str().expect("a name");
    let file = format!("shaders/{file}");
    transpica(&[&["draw", &file, "-o", output], arguments].concat()).succeeded();
    decoded(&path)
}

/// Returns what a command that must fail reports.
fn failure(arguments: &[&str]) -> String {
    let ran = transpica(arguments);
    assert_ne!(ran.status, 0, "{arguments:?}");
    ran.report()
}

#[test]
fn every_mesh_and_every_output_shows_something() {
    let mut seen = BTreeSet::new();
    let small = ["--size", "200x120"];
    assert_eq!(draw("meshes", "lights.shbin", &[]).pixels.len(), 400 * 240);
    for mesh in ["quad", "cube", "sphere", "lathe", "hills"] {
        let picture = draw("meshes", "lights.shbin", &[&small[..], &["--mesh", mesh]].concat());
        assert_eq!((picture.width, picture.height), (200, 120));
        let (covered, colors) = (picture.covered(), picture.colors());
        // Planes under a far light have one color each.
        let least = match mesh {
            "quad" => 2,
            "cube" => 4,
            _round => 20,
        };
        assert!(
            (1_000..22_500).contains(&covered) && colors >= least,
            "{mesh}: {covered} pixels, {colors} colors"
        );
        assert!(seen.insert(picture.pixels), "{mesh} looks like another mesh");
    }
    let outputs =
        ["color", "texcoord0", "texcoord1", "texcoord2", "normalquat", "view", "position", "o0", "o1", "o7"];
    let shapes = outputs.map(|by| {
        let picture = draw("outputs", "uber.shbin", &[&small[..], &["--by", by]].concat());
        assert!(picture.covered() > 1_000, "{by}");
        picture.pixels.iter().map(|&pixel| pixel != BACKGROUND).collect::<Vec<bool>>()
    });
    for (by, shape) in outputs.iter().zip(&shapes) {
        // The choice changes colors only. A few pixels may have the color of the background.
        let differing = shape.iter().zip(&shapes[0]).filter(|(a, b)| a != b).count();
        assert!(differing < 20, "{by}: {differing} pixels");
    }
    let wire = draw("wire", "lights.shbin", &["--mesh", "cube", "--wireframe"]);
    let filled = draw("wire", "lights.shbin", &["--mesh", "cube"]);
    let (lines, all) = (wire.covered(), filled.covered());
    // Smooth lines are up to three pixels wide.
    assert!((all / 20..all * 2 / 3).contains(&lines), "{lines} of {all}");
}

#[test]
fn absent_outputs_are_errors_that_list_the_others() {
    for (arguments, said) in [
        (&["shaders/textured.shbin", "--by", "view"][..], "--by takes position, color, texcoord0"),
        (&["shaders/wireframe.shbin", "--by", "view"], "or a register o0 to o15"),
        (&["shaders/textured.shbin", "--mesh", "teapot"], "quad, cube, sphere, lathe"),
        (&["shaders/textured.shbin", "--size", "5000x10"], "at most 4096"),
        (&["shaders/textured.shbin", "--frames", "300", "--size", "4096x4096"], "smaller --size"),
        (&["shaders", "--frames", "3"], "--frames needs a single file"),
        (&["shaders/textured.shbin", "--dvle", "4"], "transpica info"),
    ] {
        let failed = failure(&[&["draw", "-o", "never.png"], arguments].concat());
        assert!(failed.contains(said), "{arguments:?}: {failed}");
    }
    assert!(!root().join("never.png").exists());
}

#[test]
fn cpu_and_gpu_draw_the_same_but_for_pixels_at_edges() {
    needs!("vulkan");
    // Corners are rounded to a grid before coverage is decided, and the order of operations in
    // front of that is a driver's choice: pixels at edges, also those between the tiles of
    // coordinates, may go either way. Colors within triangles differ by interpolation, by at most
    // two steps of 255. Lines have hardly more than edges.
    for (file, arguments, one_in) in [
        ("lights.shbin", &[][..], 200),
        ("lights.shbin", &["--mesh", "cube", "--wireframe"], 15),
        ("textured.shbin", &["--by", "texcoord0", "--mesh", "quad"], 200),
        ("quaternion.shbin", &["--mesh", "sphere"], 200),
        ("uber.shbin", &["--by", "o1"], 200),
        ("wireframe.shbin", &[], 15),
        ("subdivision.shbin", &["--mesh", "sphere"], 200),
        ("fireworks.shbin", &[], 200),
        ("banks.shbin", &["--by", "o1"], 200),
        // No output of this program.
        ("subdivision.shbin", &["--by", "o5"], 200),
    ] {
        let [cpu, gpu, _] = parts(&draw("machines", file, &[arguments, &["--difference"]].concat()));
        assert!(cpu.covered() > 500, "{file}: {} pixels", cpu.covered());
        let differing = cpu.differing(&gpu, 2);
        let covered = cpu.covered();
        assert!(differing * one_in <= covered, "{file} {arguments:?}: {differing} of {covered}");
    }
}

/// Returns the three pictures that `--difference` shows.
fn parts(whole: &Decoded) -> [Decoded; 3] {
    let (width, height) = ((whole.width - 8) / 3, whole.height - 24);
    [0, 1, 2].map(|number| {
        let rows = whole.pixels.chunks_exact(whole.width).take(height);
        let left = number * (width + 4);
        let pixels = rows.flat_map(|row| row[left..left + width].to_vec()).collect();
        Decoded { width, height, pixels, more: Vec::new() }
    })
}

#[test]
fn edges_are_smooth_on_both_machines() {
    needs!("vulkan");
    let sharp = &parts(&draw("sharp", "textured.shbin", &["--by", "o2", "--difference"]))[0];
    let [cpu, gpu] = ["cpu", "gpu"].map(|on| draw("smooth", "textured.shbin", &["--by", "o2", "--on", on]));
    // Sixteen samples and four: most pixels at edges differ a little, and hardly one by half.
    let counts = [8, 64, 128].map(|by| cpu.differing(&gpu, by));
    assert!(counts[0] > 50 && counts[1] * 3 < counts[0] && counts[2] < 10, "{counts:?}");
    for picture in [&cpu, &gpu] {
        let differing = picture.differing(sharp, 24);
        assert!((100..4_000).contains(&differing), "{differing} of {}", sharp.covered());
    }
}

#[test]
fn one_color_is_lit_and_a_note_says_so() {
    let path = folder("lit").join("drawn.png");
    let output = path.to_str().expect("a name");
    for (file, is_lit) in [("shaders/extremes.shbin", true), ("shaders/textured.shbin", false)] {
        let ran = transpica(&["draw", file, "-o", output]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(ran.err.contains("one color everywhere; light added"), is_lit, "{file}: {}", ran.err);
        assert!(decoded(&path).colors() > 100, "{file}");
    }
}

#[test]
fn a_state_file_beside_a_program_gives_uniforms_attributes_and_the_mesh() {
    let folder = folder("beside");
    for (number, mesh) in ["quad", "sphere"].into_iter().enumerate() {
        fs::copy(root().join("shaders/textured.shbin"), folder.join("own.shbin")).expect("a copy");
        let text = format!(r#"{{"mesh": "{mesh}", "attributes": {{"v1": [0.5, 0, 0, 1]}}}}"#);
        // The name with a number has precedence.
        let name = ["own.state.json", "own.0.state.json"][number];
        fs::write(folder.join(name), text).expect("written");
        let draw = |more: &[&str]| {
            let path = folder.join("drawn.png");
            let (file, output) = (folder.join("own.shbin"), path.to_str().expect("a name"));
            let file = file.to_str().expect("a name");
            transpica(&[&["draw", file, "-o", output, "--size", "100x60"], more].concat()).succeeded();
            decoded(&path).pixels
        };
        assert!(draw(&[]) == draw(&["--mesh", mesh]) && draw(&[]) != draw(&["--mesh", "cube"]), "{mesh}");
        fs::write(folder.join("empty.json"), "{}").expect("written");
        assert!(draw(&[]) != draw(&["--state", folder.join("empty.json").to_str().expect("a name")]));
    }
}

#[test]
fn a_difference_shows_three_pictures() {
    needs!("vulkan");
    let picture = draw("difference", "textured.shbin", &["--difference", "--size", "100x80"]);
    assert_eq!((picture.width, picture.height), (308, 104));
    let [cpu, gpu, differing] = parts(&picture).map(|part| part.pixels);
    for ((cpu, gpu), differing) in cpu.iter().zip(&gpu).zip(&differing) {
        assert_eq!(cpu != gpu, *differing == [255; 4]);
    }
}

#[test]
fn the_number_of_differing_pixels_is_noted_and_may_be_denied() {
    needs!("vulkan");
    let path = folder("denied").join("drawn.png");
    let output = path.to_str().expect("a name");
    // Edges alone: some pixels differ on any driver.
    let draw = |more: &[&str]| {
        let base = ["draw", "shaders/lights.shbin", "--mesh", "sphere", "--wireframe", "--difference"];
        transpica(&[&base[..], &["--size", "200x160", "-o", output], more].concat())
    };
    let ran = draw(&[]);
    assert_eq!((ran.status, ran.out.len()), (0, 0), "{}", ran.err);
    let count = ran
        .err
        .strip_prefix("note: lights.shbin: ")
        .and_then(|rest| rest.split_once(" of 32000 pixels differ"));
    let count: usize =
        count.and_then(|(count, _)| count.parse().ok()).unwrap_or_else(|| panic!("{}", ran.err));
    for (most, status) in [(count, 0), (count.saturating_sub(1), i32::from(count > 0)), (32_000, 0)] {
        fs::remove_file(&path).expect("written");
        let ran = draw(&[&format!("--deny={most}")]);
        assert_eq!((ran.status, path.exists()), (status, true), "{most}: {}", ran.err);
    }
    assert_eq!(draw(&["--deny"]).status, i32::from(count > 0));
    assert_eq!(transpica(&["draw", "shaders/lights.shbin", "--deny", "-o", output]).status, 2);
}

#[test]
fn frames_turn_the_mesh() {
    let picture = draw("frames", "lights.shbin", &["--frames", "3", "--size", "80x60", "--mesh", "cube"]);
    let frames: BTreeSet<_> = picture.more.iter().chain([&picture.pixels]).collect();
    assert_eq!(frames.len(), 3, "frames that differ");
    // All frames are framed alike, so that the mesh does not jump.
    let one = draw("frames", "lights.shbin", &["--size", "80x60", "--mesh", "cube"]);
    assert_eq!(one.more.len(), 0);
    assert!(one.pixels != picture.pixels);
}

#[test]
fn a_state_file_replaces_what_is_guessed() {
    let state = folder("state").join("state.json");
    // The last row of the projection, so that nothing is in front of the viewer.
    fs::write(&state, r#"{"uniforms": {"c": {"3": [0, 0, 0, -1]}}}"#).expect("written");
    let state = state.to_str().expect("a name");
    let path = folder("state_drawn").join("drawn.png");
    let output = path.to_str().expect("a name");
    transpica(&["draw", "shaders/textured.shbin", "--state", state, "-o", output]).succeeded();
    assert_eq!(decoded(&path).covered(), 0);
}

#[test]
fn obj_files_are_drawn_and_their_errors_have_lines() {
    let folder = folder("obj");
    let [good, bad] = ["good.obj", "bad.obj"].map(|name| folder.join(name));
    fs::write(&good, "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        .expect("written");
    fs::write(&bad, "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 7\n").expect("written");
    let picture = draw("obj_drawn", "lights.shbin", &["--mesh", good.to_str().expect("a name")]);
    assert!(picture.covered() > 2_000, "{}", picture.covered());
    let bad = bad.to_str().expect("a name");
    let failed = failure(&["draw", "shaders/lights.shbin", "-o", "never.png", "--mesh", bad]);
    assert!(failed.contains("bad.obj: line 5: "), "{failed}");
}

#[test]
fn a_sheet_crosses_out_what_fails() {
    let folder = folder("sheet");
    for name in ["textured", "points", "library"] {
        let file = format!("{name}.shbin");
        fs::copy(root().join("shaders").join(&file), folder.join(&file)).expect("a copy");
    }
    let path = folder.join("sheet.png");
    let arguments = ["draw", folder.to_str().expect("a name"), "-o", path.to_str().expect("a name")];
    transpica(&arguments).succeeded();
    let whole = decoded(&path);
    let crosses =
        |picture: &Decoded| picture.pixels.iter().filter(|&&pixel| pixel == [208, 48, 48, 255]).count();
    assert_eq!(crosses(&whole), 0);
    fs::write(folder.join("broken.shbin"), b"DVLB no more").expect("written");
    let failed = failure(&arguments);
    assert!(failed.contains("broken.shbin") && failed.contains("1 of 9 cells"), "{failed}");
    assert!(crosses(&decoded(&path)) > 300);
}

#[test]
fn the_sheet_of_all_samples_is_the_picture_of_the_page() {
    let path = folder("page").join("sheet.png");
    transpica(&["draw", "shaders", "-o", path.to_str().expect("a name")]).succeeded();
    let (drawn, stored) = (decoded(&path), root().join("shaders/sheet.png"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::copy(&path, &stored).expect("written");
    }
    let stored = decoded(&stored);
    // Sines differ in their last bit between systems, which moves a few pixels at edges.
    let differing = drawn.differing(&stored, 2);
    assert!(
        differing * 1_000 <= drawn.pixels.len(),
        "{differing} pixels differ; UPDATE_EXPECT=1 stores the new picture"
    );
    // Every cell shows something: its middle part has several colors.
    let (cell, step) = ([192, 128], [198, 166]);
    let [columns, rows] = [(drawn.width - 6) / step[0], (drawn.height - 6) / step[1]];
    let mut blank = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let [left, top] = [6 + column * step[0], 6 + row * step[1]];
        let rows = drawn.pixels.chunks_exact(drawn.width).skip(top).take(cell[1]);
        let pixels: Vec<_> = rows.flat_map(|row| &row[left..left + cell[0]]).collect();
        let is_used = pixels.iter().any(|&&pixel| pixel != [255; 4]);
        if is_used && pixels.iter().filter(|&&&pixel| pixel != BACKGROUND).count() < 60 {
            blank.push((row, column));
        }
    }
    assert_eq!(blank, [], "cells without a picture");
}

#[test]
fn graphs_are_svg_files() {
    let mut count = 0;
    for entry in fs::read_dir(root().join("shaders")).expect("the samples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "shbin") {
            continue;
        }
        let path = path.to_str().expect("a name");
        let [svg, dot] =
            ["svg", "dot"].map(|format| transpica(&["cfg", path, "-q", "--format", format]).succeeded());
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{path}");
        assert_eq!(svg.matches("<polyline").count(), dot.matches(" -> ").count(), "{path}");
        // Beside the page itself.
        assert_eq!(svg.matches("<rect").count() - 1, dot.matches("block").count(), "{path}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{path}");
        count += 1;
    }
    assert!(count >= 32, "{count}");
    let wrong = failure(&["cfg", "shaders/fog.shbin", "--stage", "ir", "--format", "svg"]);
    assert!(wrong.contains("written as dot or svg"), "{wrong}");
}
