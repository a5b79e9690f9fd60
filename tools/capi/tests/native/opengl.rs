//! `examples/gl`, a host of OpenGL 3.3 in C, over recordings: every way of drawing has the pixels
//! of the CPU, and damaged recordings are errors. Without EGL and Mesa's driver the host fails and
//! says how to install them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use transpica::geometry::Topology;
use transpica::host::dvle;
use transpica::host::registers::number::VERTEX_UNIT;
use transpica::isa::Uniforms;
use transpica::{RegisterState, Shbin};
use transpica_draw::batch::Number;
use transpica_draw::recording::{RecordedAttribute, RecordedDraw, RecordedIndices, Recording};
use transpica_proof::scenes::{self, Scene};

use crate::support::{built, compiler, folder, here, run, system_libraries};

const FILES: [&str; 3] = ["replay.c", "context.c", "recording.c"];

/// The example, compiled once.
fn replay() -> &'static Path {
    static REPLAY: OnceLock<PathBuf> = OnceLock::new();
    REPLAY.get_or_init(|| {
        let program = folder("gl").join("replay");
        run(compiler("cc", "c11")
            .arg("-Wconversion")
            .args(FILES.map(|file| here().join("examples/gl").join(file)))
            .arg(built().join("libtranspica_capi.a"))
            .args(system_libraries())
            .args(["-lEGL", "-o"])
            .arg(&program));
        program
    })
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The command list that binds a vertex program with these uniforms.
fn bind(file: &Shbin<'_>, uniforms: &Uniforms) -> Vec<u32> {
    let state = RegisterState::from_dvle(file, 0, None).expect("a vertex program");
    let mut list = Vec::new();
    let mut write = |register: u16, value: u32| list.extend([value, u32::from(register) | 0xF << 16]);
    (0x40..0x70).for_each(|register| write(register, state.read(register)));
    (0x00..0x10).for_each(|offset| write(VERTEX_UNIT + offset, state.read(VERTEX_UNIT + offset)));
    write(VERTEX_UNIT + 0x10, 1 << 31);
    for vector in uniforms.floats {
        vector.into_iter().rev().for_each(|component| write(VERTEX_UNIT + 0x11, component.to_bits()));
    }
    write(VERTEX_UNIT + 0x1B, 0);
    file.package.code.iter().for_each(|word| write(VERTEX_UNIT + 0x1C, word));
    write(VERTEX_UNIT + 0x25, 0);
    file.package.descriptors.iter().for_each(|descriptor| write(VERTEX_UNIT + 0x26, descriptor.bits));
    list
}

/// A strip and a fan of `textured`, from all number formats, with indices at an odd byte; then one
/// color for all vertices, with a depth map and a w buffer.
fn formats() -> Recording {
    let file = Shbin::parse(include_bytes!("../../../../shaders/textured.shbin")).expect("a sample");
    let mut uniforms = Uniforms::default();
    let executable = file.executable(0).expect("an executable");
    dvle::constants(executable).apply(&mut uniforms);
    let diagonal =
        |scale: [f32; 4]| [0, 1, 2, 3].map(|row| [0, 1, 2, 3].map(|n| if n == row { scale[n] } else { 0.0 }));
    for symbol in executable.symbols.iter() {
        let range = symbol.range().expect("a range");
        let rows = match &*executable.name(symbol.name).to_text() {
            "projection" => diagonal([0.01, 0.01, 0.005, 1.0]),
            "modelView" => diagonal([1.0; 4]),
            _scale => diagonal([0.25; 4]).map(|_| [0.25; 4]),
        };
        let first = usize::from(range.first);
        let count = usize::from(range.count);
        uniforms.floats[first..first + count].copy_from_slice(&rows[..count]);
    }
    // Positions of signed bytes, texture coordinates of halves, colors of bytes; six vertices.
    let mut vertices = Vec::new();
    for (x, y, color) in
        [(-90, -80, 255), (-70, 85, 90), (-10, -60, 30), (15, 80, 200), (60, -90, 140), (95, 70, 60)]
    {
        vertices.extend([x, y, -40 - x / 4].map(|n: i32| n as u8));
        vertices.push(0);
        vertices.extend([x as i16 / 8, y as i16 / 8].map(i16::to_le_bytes).as_flattened());
        vertices.extend([color, 255 - color, 128, 255]);
    }
    let floats = bytes((0..12).map(|n| (n as f32 * 3.0 - 10.0).to_bits()));
    let attribute = |register, number, components, offset| RecordedAttribute {
        register,
        number,
        components,
        buffer: 0,
        offset,
        stride: 12,
    };
    let all =
        [attribute(0, Number::S8, 3, 0), attribute(1, Number::S16, 2, 4), attribute(2, Number::U8, 4, 8)];
    let strip = RecordedDraw {
        commands: bind(&file, &uniforms),
        topology: Topology::Strip,
        count: 6,
        indices: None,
        attributes: all.to_vec(),
    };
    let mut fan = RecordedDraw {
        commands: Vec::new(),
        topology: Topology::Fan,
        count: 5,
        indices: Some(RecordedIndices { buffer: 1, offset: 1, size: 2 }),
        attributes: all.to_vec(),
    };
    fan.attributes[1] = RecordedAttribute { number: Number::F32, buffer: 2, offset: 0, stride: 8, ..all[1] };
    fan.attributes[2].stride = 0;
    let indices = [0u16, 3, 5, 4, 2].map(u16::to_le_bytes);
    let indices = [&[9], indices.as_flattened()].concat();
    // Scale -1.5 and offset 0.125 as numbers of 24 bits, and bit 0 of register 0x06D is 0.
    let mut mapped = fan.clone();
    mapped.commands = vec![0x00BF_8000, 0xF_004D, 0x003C_0000, 0xF_004E];
    let frames = vec![vec![strip.clone(), fan.clone()], vec![mapped, strip]];
    Recording { buffers: vec![vertices, indices, floats], frames }
}

/// An attribute in a buffer of all v registers of each vertex.
fn vector(register: u8) -> RecordedAttribute {
    RecordedAttribute {
        register,
        number: Number::F32,
        components: 4,
        buffer: 0,
        offset: 16 * u32::from(register),
        stride: 256,
    }
}

/// A geometry sample in two frames; the second has the state of the first.
fn geometry(scene: &Scene) -> Recording {
    let numbers = scene.vertices.iter().flatten().flatten();
    let buffers = vec![bytes(numbers.map(|n| n.to_bits())), bytes(scene.indices.iter().flatten().copied())];
    let mut draw = RecordedDraw {
        commands: scene.commands().expect("a sample"),
        topology: scene.setup().expect("a sample").topology,
        count: scene.indices.as_ref().map_or(scene.vertices.len(), Vec::len) as u32,
        indices: scene.indices.as_ref().map(|_| RecordedIndices { buffer: 1, offset: 0, size: 4 }),
        attributes: (0..16).map(vector).collect(),
    };
    let first = draw.clone();
    draw.commands.clear();
    Recording { buffers, frames: vec![vec![first], vec![draw]] }
}

/// Draws of samples whose uniforms are small numbers, three vertices each.
fn samples() -> Recording {
    let folder = here().join("../../shaders");
    let mut draws = Vec::new();
    for name in ["textured", "lights", "skinning", "fog", "toon", "water", "terrain", "particles"] {
        let file = fs::read(folder.join(name).with_extension("shbin")).expect("a sample");
        let file = Shbin::parse(&file).expect("a file");
        let mut uniforms = Uniforms::default();
        for (register, vector) in uniforms.floats.iter_mut().enumerate() {
            vector[register % 4] = 0.5;
        }
        dvle::constants(file.executable(0).expect("an executable")).apply(&mut uniforms);
        draws.push(RecordedDraw {
            commands: bind(&file, &uniforms),
            topology: Topology::List,
            count: 3,
            indices: None,
            attributes: (0..16).map(vector).collect(),
        });
    }
    let numbers = (0..3 * 64u16).map(|n| (f32::from(n % 7) / 4.0 - 0.5).to_bits());
    Recording { buffers: vec![bytes(numbers)], frames: vec![draws] }
}

/// Replays a recording; returns the colors of each frame.
fn colors(name: &str, recording: &Recording) -> Vec<usize> {
    let folder = folder("gl_frames").join(name);
    fs::create_dir(&folder).expect("a folder");
    let path = folder.with_extension("pclist");
    fs::write(&path, recording.to_bytes()).expect("written");
    let text = run(Command::new(replay()).args([&path, &folder]));
    assert!(text.trim_end().ends_with(": 0 pixels differ"), "{name}: {text}");
    let pictures = (0..recording.frames.len()).map(|frame| {
        let picture = fs::read(folder.join(format!("{frame}.ppm"))).expect("a picture");
        let pixels: std::collections::BTreeSet<&[u8]> =
            picture["P6 400 240 255\n".len()..].chunks(3).collect();
        pixels.len()
    });
    pictures.collect()
}

#[test]
fn ways_of_the_c_host_have_equal_pixels() {
    needs!("EGL/egl.h", "GL/glcorearb.h", "cc", "opengl");
    let shown = colors("formats", &formats());
    assert!(shown.len() == 2 && shown.iter().all(|&colors| colors > 100), "{shown:?}");
    // The stride of the others is not in their registers.
    for scene in scenes::list().iter().filter(|scene| scene.stride.is_none()) {
        let shown = colors(scene.name, &geometry(scene));
        assert!(shown.iter().any(|&colors| colors > 1), "{}: {shown:?}", scene.name);
    }
}

/// Also prints the time of linking, exact and with promises, beside that of plain arithmetic.
/// Mesa keeps programs on the disk, which an environment variable prevents.
#[test]
fn promises_change_no_pixel_of_the_c_host() {
    needs!("EGL/egl.h", "GL/glcorearb.h", "cc", "opengl");
    const EXACT: [&str; 3] = [
        r#"arithmetic={"precision": "Exact"}"#,
        "assume=uniforms=2^24,attributes=2^24",
        "assume=uniforms=2^24,attributes=2^24,results=finite",
    ];
    const FAST: &str = r#"arithmetic={"precision": "Fast"}"#;
    let folder = folder("gl_promises");
    for (name, recording) in [("formats", formats()), ("samples", samples())] {
        let path = folder.join(name).with_extension("pclist");
        fs::write(&path, recording.to_bytes()).expect("written");
        for setting in EXACT.into_iter().chain([FAST]) {
            let mut host = Command::new(replay());
            host.args([&path, &folder]).arg(setting).env("MESA_SHADER_CACHE_DISABLE", "true");
            let output = host.output().expect("it runs");
            let [text, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
            assert!(text.contains(" programs, linked in "), "{name} {setting}: {text}{errors}");
            let is_equal = text.trim_end().ends_with(": 0 pixels differ");
            assert!(setting == FAST || is_equal, "{name} {setting}: {text}{errors}");
            println!("{name} {setting}: {text}");
        }
    }
}

#[test]
fn the_second_program_of_the_readme_prints_a_stage() {
    needs!("cc", "glslangValidator");
    let folder = folder("second");
    let readme = fs::read_to_string(here().join("README.md")).expect("a text");
    let [program, promises] = [2, 3].map(|number| {
        let program = readme.split("```c\n").nth(number).and_then(|rest| rest.split("```").next());
        let [source, path] = [format!("{number}.c"), number.to_string()].map(|name| folder.join(name));
        fs::write(&source, program.expect("a program")).expect("written");
        run(compiler("cc", "c11")
            .arg("-Wconversion")
            .arg(&source)
            .arg(built().join("libtranspica_capi.a"))
            .args(system_libraries())
            .arg("-o")
            .arg(&path));
        run(&mut Command::new(path))
    });
    assert_eq!(promises, "quick\nplain\n", "the third program");
    let (text, stage) = (program, folder.join("stage.vert"));
    assert!(text.contains("void pica_main() {\n    position = v0;\n    pica_color = v1;\n"), "{text}");
    fs::write(&stage, text).expect("written");
    run(Command::new("glslangValidator").arg(&stage));
}

#[test]
fn the_writer_of_the_guide_writes_a_recording() {
    needs!("cc");
    let folder = folder("writer");
    let page = fs::read_to_string(here().join("../draw/src/guide/recording.md")).expect("a text");
    let writer = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the writer");
    let main = "
int main(int count, char **arguments) {
    const uint32_t commands[2] = {1, 0xF02B0};
    const float corners[6] = {0.5f, 0, 1, 0, 0, 1};
    const uint8_t indices[3] = {2, 1, 0};
    const Attribute attribute = {3 | 3 << 8 | 2 << 16, 0, 0, 8};
    Recorder recorder;
    if (count != 2 || !recorder_open(&recorder, arguments[1])) {
        return 1;
    }
    recorder_commands(&recorder, commands, 2);
    recorder_buffer(&recorder, corners, sizeof corners);
    const uint32_t buffer = recorder_buffer(&recorder, indices, sizeof indices);
    recorder_draw(&recorder, 0, 3, buffer, 0, 1, &attribute, 1);
    recorder_frame(&recorder);
    return !recorder_close(&recorder);
}
";
    let [source, program, file] = ["writer.c", "writer", "one.pclist"].map(|name| folder.join(name));
    fs::write(&source, format!("{writer}{main}")).expect("written");
    run(compiler("cc", "c11").arg(&source).arg("-o").arg(&program));
    run(Command::new(&program).arg(&file));
    let attribute = RecordedAttribute {
        register: 3,
        number: Number::F32,
        components: 2,
        buffer: 0,
        offset: 0,
        stride: 8,
    };
    let draw = RecordedDraw {
        commands: vec![1, 0xF_02B0],
        topology: Topology::List,
        count: 3,
        indices: Some(RecordedIndices { buffer: 1, offset: 0, size: 1 }),
        attributes: vec![attribute],
    };
    let corners = bytes([0.5f32, 0.0, 1.0, 0.0, 0.0, 1.0].map(f32::to_bits));
    let expected = Recording { buffers: vec![corners, vec![2, 1, 0]], frames: vec![vec![draw]] };
    assert_eq!(Recording::parse(&fs::read(&file).expect("written")).expect("a recording"), expected);
}

#[test]
fn damaged_recordings_are_errors_of_the_c_host() {
    needs!("EGL/egl.h", "GL/glcorearb.h", "cc", "opengl");
    let folder = folder("gl_damaged");
    let path = folder.join("damaged.pclist");
    let good = formats().to_bytes();
    let status = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        let output = Command::new(replay()).arg(&path).output().expect("it runs");
        let code = output.status.code().expect("no signal");
        (code, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(status(&good).0, 0);
    let first_draw = good.windows(4).position(|letters| letters == b"DRAW").expect("a draw");
    let changed = |at: usize, value: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        status(&bytes)
    };
    for (at, value, problem) in [
        (0, 0, "does not begin with PCLIST"),
        (first_draw, 0, "no chunk has these four letters"),
        (first_draw + 4, u32::MAX, "a chunk is cut off"),
        (first_draw + 8, 7, "no topology has this number"),
        (first_draw + 12, 7, "beyond its buffer"),
        (first_draw + 12, u32::MAX, "too many vertices"),
        (first_draw + 16, 9, "indices of a draw are beyond"),
        (first_draw + 28, 0x0103_0000 | 99, "an attribute has a register"),
        (first_draw + 32, 99, "a buffer that is not there"),
        (first_draw + 36, u32::MAX, "beyond its buffer"),
        (first_draw + 40, u32::MAX, "beyond its buffer"),
    ] {
        let (code, text) = changed(at, value);
        assert!(code == 2 && text.contains(problem), "{at:#x} = {value:#x}: {code}, {text}");
        let place = format!("offset {first_draw:#x}: ");
        assert!(at == 0 || text.starts_with(&place), "{at:#x} = {value:#x}: {text}");
    }
    for end in (8..good.len()).step_by(good.len() / 24) {
        let (code, text) = status(&good[..end]);
        assert!(code == 0 || code == 2 && text.contains("cut off"), "{end}: {code}, {text}");
    }
}
