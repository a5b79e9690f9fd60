//! Files that are written and files that are not: outputs over inputs, outputs over each other, and
//! targets by file extension.

use std::fs;
use std::path::{Path, PathBuf};

use crate::needs;
use crate::support::{folder, on_terminal, root, transpica};

const SAMPLE: &str = "shaders/textured.shbin";

fn text(path: &Path) -> &str {
    path.to_str().expect("a name")
}

/// A folder with a copy of the sample, and the copy.
fn copied(test: &str) -> (PathBuf, PathBuf) {
    let folder = folder(test);
    let file = folder.join("input.shbin");
    fs::copy(root().join(SAMPLE), &file).expect("a copy");
    (folder, file)
}

#[test]
fn no_command_overwrites_its_input_under_any_name() {
    let (folder, file) = copied("over_input");
    let [link, hard, dotted] = ["link", "hard", "./inner/../input.shbin"].map(|name| folder.join(name));
    fs::create_dir(folder.join("inner")).expect("a folder");
    std::os::unix::fs::symlink("input.shbin", &link).expect("a link");
    fs::hard_link(&file, &hard).expect("a link");
    let state = folder.join("state.json");
    fs::write(&state, "{}").expect("written");
    let bytes = fs::read(&file).expect("the sample");
    let input = text(&file);
    for output in [&file, &link, &hard, &dotted] {
        let output = text(output);
        for arguments in [
            &["translate", input, "-o", output][..],
            &["translate", input, "--reflect", output, "-o", "-"],
            &["translate", "--code", input, "-o", output],
            &["translate", "--code", SAMPLE, "--descriptors", input, "-o", output],
            &["info", input, "-o", output],
            &["dis", input, "-o", output],
            &["cfg", input, "-o", output],
            &["run", input, "-o", output],
            &["run", input, "--trace", "-o", output],
            &["compare", input, "-o", output],
            &["survey", SAMPLE, input, "-o", output],
            &["survey", text(&folder), "-o", output],
            &["doctor", input, "-o", output],
            &["scan", input, "-o", output],
            &["scan", text(&folder), "-o", output],
        ] {
            let ran = transpica(arguments);
            assert_eq!((ran.status, ran.out.len()), (2, 0), "{arguments:?}: {}", ran.err);
            assert!(ran.report().contains("does not overwrite inputs"), "{arguments:?}: {}", ran.err);
            assert_eq!(fs::read(&file).expect("kept"), bytes, "{arguments:?}");
        }
    }
    let ran = transpica(&["run", input, "--state", text(&state), "--json", "-o", text(&state)]);
    assert_eq!(ran.status, 2, "{}", ran.err);
    assert_eq!(fs::read_to_string(&state).expect("kept"), "{}");
    // A file in an input folder that is not a shader may be overwritten.
    let ran = transpica(&["survey", text(&folder), "--json", "-o", text(&state)]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_ne!(fs::read_to_string(&state).expect("written"), "{}");
}

#[test]
fn two_outputs_never_share_a_file_or_a_stream() {
    let (folder, file) = copied("two_outputs");
    let input = text(&file);
    let [out, dotted, link] = ["out", "./out", "link"].map(|name| folder.join(name));
    std::os::unix::fs::symlink("out", &link).expect("a link");
    for (first, second) in
        [(text(&out), text(&out)), (text(&out), text(&dotted)), (text(&link), text(&out)), ("-", "-")]
    {
        let ran = transpica(&["translate", input, "-o", first, "--reflect", second]);
        assert_eq!((ran.status, ran.out.len()), (2, 0), "{first} {second}: {}", ran.err);
        assert!(ran.report().contains("-o and --reflect both go to"), "{}", ran.err);
        assert!(!out.exists(), "{first} {second}");
    }
    let ran = transpica(&["translate", input, "--reflect", "-"]);
    assert_eq!((ran.status, ran.out.len()), (2, 0), "{}", ran.err);
    assert!(ran.report().contains("both go to standard output"), "{}", ran.err);
    let ran = transpica(&["translate", input, "-o", "/dev/null", "--reflect", "/dev/null"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = transpica(&["translate", input, "-o", text(&out), "--reflect", "-"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(out.exists() && ran.out.starts_with(b"{"));
}

#[test]
fn the_ending_of_the_output_names_the_target() {
    let (folder, file) = copied("endings");
    let input = text(&file);
    for (name, target) in [
        ("a.wgsl", "wgsl"),
        ("a.WGSL", "wgsl"),
        ("a.spv", "spirv"),
        ("a.Spv", "spirv"),
        ("a.spvasm", "spirv-asm"),
        ("a.glsl", "glsl"),
        ("a.vert", "glsl"),
        ("a.hlsl", "hlsl"),
        ("a.metal", "msl"),
        ("a.msl", "msl"),
        ("a", "wgsl"),
    ] {
        let output = folder.join(name);
        let ran = transpica(&["translate", input, "-o", text(&output)]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
        let expected = transpica(&["translate", input, "--to", target]).out;
        assert!(!expected.is_empty() && fs::read(&output).expect("written") == expected, "{name}");
        let ran = transpica(&["translate", input, "--to", target, "-o", text(&output)]);
        assert_eq!(ran.status, 0, "{name}: {}", ran.err);
    }
    let (json, reflect) = (folder.join("b.json"), folder.join("c.json"));
    let ran = transpica(&["translate", input, "-o", text(&json)]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = transpica(&["translate", input, "-o", "/dev/null", "--reflect", text(&reflect)]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(fs::read(json).expect("written"), fs::read(reflect).expect("written"));
}

#[test]
fn an_ending_and_a_target_that_disagree_are_wrong_usage() {
    let (folder, file) = copied("disagree");
    for (name, target) in [
        ("x.glsl", "wgsl"),
        ("x.spv", "spirv-asm"),
        ("x.wgsl", "spirv"),
        ("x.json", "msl"),
        ("X.METAL", "hlsl"),
    ] {
        let output = folder.join(name);
        let ran = transpica(&["translate", text(&file), "--to", target, "-o", text(&output)]);
        assert_eq!((ran.status, ran.out.len()), (2, 0), "{name}: {}", ran.err);
        assert!(ran.report().contains("looks like") && ran.report().contains("--to"), "{}", ran.err);
        assert!(!output.exists());
    }
}

#[test]
fn an_unknown_ending_is_wrong_usage_that_lists_the_known_ones() {
    let folder = folder("unknown_endings");
    for (arguments, names, known) in [
        (&["translate", SAMPLE][..], &["x.frag", "x.txt", "x.jpg"][..], ".wgsl, .spv, .spvasm, .glsl, .vert"),
        (&["translate", SAMPLE, "--to", "spirv"], &["x.bin"], ".spv"),
        (&["cfg", SAMPLE], &["x.png", "x.json"], ".dot, .gv, .svg, .txt"),
        (&["info", SAMPLE], &["x.svg"], ".txt, .json"),
        (&["run", SAMPLE], &["x.log"], ".txt, .json"),
        (&["compare", SAMPLE], &["x.csv"], ".txt, .json"),
        (&["survey", SAMPLE], &["x.csv"], ".txt, .json"),
        (&["scan", SAMPLE], &["x.csv"], ".txt, .json"),
        (&["doctor", SAMPLE], &["x.html"], ".md, .txt, .json"),
        (&["dis", SAMPLE], &["x.shbin"], ".pica"),
        (&["asm", "shaders/fog.v.pica"], &["x.spv"], ".shbin"),
        (&["draw", SAMPLE], &["x.jpg"], ".png"),
        (&["manifest", SAMPLE], &["x.txt"], ".json"),
    ] {
        for name in names {
            let output = folder.join(name);
            let ran = transpica(&[arguments, &["-o", text(&output)]].concat());
            assert_eq!((ran.status, ran.out.len()), (2, 0), "{arguments:?} {name}: {}", ran.err);
            assert!(
                ran.report().contains("this command does not write"),
                "{arguments:?} {name}: {}",
                ran.err
            );
            assert!(ran.report().contains(known), "{arguments:?} {name}: {}", ran.err);
            assert!(!output.exists(), "{arguments:?} {name}");
        }
    }
}

#[test]
fn an_ending_chooses_the_format() {
    let folder = folder("formats");
    for (command, name, start) in [
        (&["cfg", SAMPLE][..], "x.svg", "<svg"),
        (&["cfg", SAMPLE], "x.dot", "digraph"),
        (&["cfg", SAMPLE], "x.txt", "block0"),
        (&["info", SAMPLE], "x.json", "{"),
        (&["info", SAMPLE], "x.txt", "shaders/"),
        (&["run", SAMPLE], "x.json", "{"),
        (&["survey", SAMPLE], "x.json", "{"),
        (&["scan", SAMPLE], "x.json", "{"),
    ] {
        let output = folder.join(name);
        transpica(&[command, &["-o", text(&output)]].concat()).succeeded();
        let written = fs::read_to_string(output).expect("written");
        assert!(written.starts_with(start), "{command:?} {name}: {written:.60}");
    }
    for (command, name) in
        [(&["cfg", SAMPLE, "--format", "dot"][..], "y.svg"), (&["info", SAMPLE, "--json"], "y.txt")]
    {
        let ran = transpica(&[command, &["-o", text(&folder.join(name))]].concat());
        assert!(ran.status == 2 && ran.report().contains("looks like"), "{command:?}: {}", ran.err);
    }
}

#[test]
fn an_ending_of_another_stage_names_the_right_one() {
    let folder = folder("stages");
    for (arguments, name, right) in [
        (&["--entry", "compute"][..], "a.vert", "a.comp"),
        (&["--entry", "compute"], "b.geom", "b.comp"),
        (&["--entry", "quaternions"], "c.vert", "c.geom"),
        (&[], "d.comp", "d.vert"),
    ] {
        let [wrong, right] = [name, right].map(|name| folder.join(name));
        let base = ["translate", "shaders/quaternion.shbin", "-o"];
        let ran = transpica(&[&base[..], &[text(&wrong)], arguments].concat());
        assert_eq!((ran.status, wrong.exists()), (2, false), "{arguments:?} {name}: {}", ran.err);
        assert!(ran.report().contains(&format!("name it {}", right.display())), "{}", ran.err);
        transpica(&[&base[..], &[text(&right)], arguments].concat()).succeeded();
    }
    let wrong = folder.join("g.vert");
    let ran = transpica(&["translate", "shaders/points.shbin", "--dvle", "1", "-o", text(&wrong)]);
    assert!(ran.status == 2 && ran.report().contains("g.comp"), "{}", ran.err);
}

#[test]
fn targets_have_the_names_of_their_endings() {
    for (alias, target) in
        [("spv", "spirv"), ("spvasm", "spirv-asm"), ("metal", "msl"), ("json", "reflection")]
    {
        let [alias, named] = [alias, target].map(|to| transpica(&["translate", SAMPLE, "--to", to]));
        assert_eq!(alias.status, 0, "{}", alias.err);
        assert!(alias.out == named.out, "{target}");
    }
}

#[test]
fn options_of_another_target_or_stage_are_wrong_usage() {
    let geometry = ["shaders/points.shbin", "--dvle", "1"];
    for arguments in [
        &["translate", SAMPLE, "--glsl-version", "330"][..],
        &["translate", SAMPLE, "--to", "wgsl", "--glsl-version", "450"],
        &["translate", SAMPLE, "--glsl-version", "450", "-o", "x.spv"],
        &["translate", SAMPLE, "--stride", "2"],
        &["translate", SAMPLE, "--vertex", "0"],
        &["translate", "--code", SAMPLE, "--stride", "2"],
        &["translate", SAMPLE, "--entry", "compute", "--depth", "raw"],
        &["translate", SAMPLE, "--entry", "compute", "--raw-colors"],
        &["translate", SAMPLE, "--raw-depth", "--depth", "0..w"],
        &["translate", geometry[0], geometry[1], geometry[2], "--depth", "-w..w"],
        &["translate", geometry[0], geometry[1], geometry[2], "--flip-y", "always"],
        &["cfg", SAMPLE, "--clip", "varying"],
        &["cfg", geometry[0], geometry[1], geometry[2], "--stage", "ir", "--clip", "varying"],
        &["run", SAMPLE, "--depth", "raw"],
    ] {
        let ran = transpica(arguments);
        assert_eq!((ran.status, ran.out.len()), (2, 0), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.is_empty(), "{arguments:?}");
    }
    assert!(!root().join("x.spv").exists());
}

#[test]
fn binary_does_not_go_to_a_terminal() {
    needs!("script");
    for (line, instead) in [
        ("translate shaders/textured.shbin --to spirv", "--to spirv-asm"),
        ("translate shaders/textured.shbin --to spirv -o -", "use -o FILE"),
        ("translate shaders/textured.shbin --to spirv -o /dev/stdout", "use -o FILE"),
        ("asm shaders/fog.v.pica -o -", "transpica dis"),
        ("asm shaders/fog.v.pica -o /dev/tty", "use -o FILE"),
    ] {
        let ran = on_terminal(&format!("\"$TRANSPICA\" {line}"), &[]);
        assert_eq!(ran.status, 2, "{line}: {:?}", ran.out);
        let text = ran.text();
        assert!(
            text.contains("refusing to write binary to a terminal") && text.contains(instead),
            "{line}: {text}"
        );
    }
    let ran = on_terminal("\"$TRANSPICA\" translate shaders/textured.shbin --to spirv | wc -c", &[]);
    let bytes: u32 = ran.text().trim().parse().expect("a number");
    assert!(ran.status == 0 && bytes > 1000 && bytes.is_multiple_of(4), "{bytes}");
    let ran = on_terminal("\"$TRANSPICA\" translate shaders/textured.shbin", &[]);
    assert_eq!(ran.text().replace("\r\n", "\n"), transpica(&["translate", SAMPLE]).succeeded());
}

#[test]
fn endings_are_read_in_either_case() {
    let (folder, file) = copied("upper_case");
    fs::rename(file, folder.join("INPUT.SHBIN")).expect("renamed");
    fs::copy(root().join("shaders/fog.shbin"), folder.join("fog.ShBin")).expect("a copy");
    fs::write(folder.join("notes.txt"), "").expect("written");
    let ran = transpica(&["survey", text(&folder), "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let found: serde_json::Value = serde_json::from_slice(&ran.out).expect("JSON");
    assert_eq!(found["programs"].as_array().map(Vec::len), Some(2), "{found}");
}
