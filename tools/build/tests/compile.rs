//! Bindings of every sample compile without a warning: as C11 and C++17, with citro3d's signatures
//! and without them, and as Rust without the standard library. A program in each language sets
//! what it names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use transpica::Shbin;
use transpica_asm::{SourceText, assemble};
use transpica_build::bindings::Bindings;

#[path = "../../../tests/needs/mod.rs"]
#[allow(dead_code, reason = "`cargo xtask` installs what it lists")]
mod needs;

const SHADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
/// Names of every kind that C, C++ or Rust could mistake, or that two things would have.
const NAMES: &str = ".fvec int, INT, class[2], class_at, light_count, light[3], lightCount, attributes, in_pos\n\
    .ivec loop, fn[2]\n.bool self, true[3]\n.in pos v0\n.in for v1\n.in struct v3\n\
    .out outpos position\n.proc main\n\tmov r0, pos\n\tadd r0.x, struct.y, r0\n\tdp3 r1, for, r0\n\tmov outpos, r1\n\tend\n.end\n";

/// Runs a program that must succeed without a message; returns its output.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.is_empty(), "{command:?}: {}\n{messages}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bind").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// Writes header, module and file of bindings.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> Bindings {
    let bindings = Bindings::new(&Shbin::parse(bytes).expect("valid"), name).expect("bindings");
    let file = format!("{name}.shbin");
    fs::write(folder.join(&file), bytes).expect("written");
    fs::write(folder.join(format!("{name}.h")), bindings.c()).expect("written");
    fs::write(folder.join(format!("{name}.rs")), bindings.rust(&file)).expect("written");
    bindings
}

fn compiler(program: &str, standard: &str, is_plain: bool) -> Command {
    let mut command = Command::new(program);
    command.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]);
    if is_plain {
        command.arg("-DTRANSPICA_PLAIN");
    }
    command.arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"));
    command
}

/// Compiles bindings in all languages, together.
fn compile(folder: &Path, names: &[String]) {
    let includes: String = names.iter().map(|name| format!("#include \"{name}.h\"\n")).collect();
    for (program, standard, source) in [("cc", "-std=c11", "all.c"), ("c++", "-std=c++17", "all.cpp")] {
        let path = folder.join(source);
        fs::write(&path, &includes).expect("written");
        for is_plain in [false, true] {
            let mut command = compiler(program, standard, is_plain);
            run(command.args(["-c", "-o"]).arg(folder.join("all.o")).arg(&path));
        }
    }
    let modules: String = names.iter().map(|name| format!("pub mod {name};\n")).collect();
    let root = folder.join("all.rs");
    fs::write(&root, format!("#![no_std]\n#![deny(warnings)]\n{modules}")).expect("written");
    run(Command::new("rustc")
        .args(["--edition", "2024", "--crate-type", "lib", "--out-dir"])
        .arg(folder)
        .arg(&root));
}

#[test]
fn bindings_of_every_sample_compile() {
    if !needs::has(&["cc", "c++"]) {
        return;
    }
    let folder = folder("samples");
    let entries = fs::read_dir(SHADERS).expect("the samples").map(|entry| entry.expect("an entry").path());
    let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "shbin")).collect();
    let names = files.iter().map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy();
        write(&folder, &name, &fs::read(path).expect("a sample")).name
    });
    let names: Vec<_> = names.collect();
    assert!(names.len() > 20, "{names:?}");
    compile(&folder, &names);
}

#[test]
fn names_that_are_keywords_or_collide_compile() {
    if !needs::has(&["cc", "c++"]) {
        return;
    }
    let folder = folder("names");
    let assembled = assemble(&[SourceText { name: "names.v.pica", text: NAMES }]);
    let assembled = assembled.unwrap_or_else(|report| panic!("{report}"));
    let bindings = write(&folder, "names", &assembled.bytes);
    compile(&folder, &["names".into()]);
    let program = &bindings.programs[0];
    let uniforms: Vec<_> = program.uniforms.iter().map(|uniform| uniform.name.as_str()).collect();
    for name in [
        "int",
        "int_2",
        "class",
        "light_count",
        "light_2",
        "light_count_2",
        "attributes_2",
        "in_pos_2",
        "loop",
        "self",
        "true",
    ] {
        assert!(uniforms.contains(&name), "{name}: {uniforms:?}");
    }
    let attributes: Vec<_> =
        program.attributes.iter().map(|a| (a.name.as_str(), a.register, a.components)).collect();
    assert_eq!(attributes, [("in_pos", 0, 4), ("in_for", 1, 3), ("in_struct", 3, 2)]);
}

#[test]
fn setters_in_c_name_the_registers_of_the_file() {
    if !needs::has(&["cc", "c++"]) {
        return;
    }
    let folder = folder("c");
    for name in ["lights", "points"] {
        write(&folder, name, &fs::read(format!("{SHADERS}/{name}.shbin")).expect("a sample"));
    }
    let source = "#include \"lights.h\"\n#include \"points.h\"\nint main(void) {\n    \
        C3D_AttrInfo info;\n    C3D_Mtx matrix = {{3.0f}};\n    const uint8_t loop[4] = {1, 0, 1, 0};\n    \
        lights_attributes(&info);\n    lights_projection(&matrix);\n    lights_light_dir(1, &matrix);\n    \
        lights_light_dir(2, &matrix);\n    lights_light_color_at(7, 1, 2, 3, 4);\n    lights_light_color_at(8, 1, 2, 3, 4);\n    \
        lights_ambient(0.5f, 0, 0, 1);\n    lights_light_loop(loop);\n    lights_use_specular(true);\n    \
        points_geometry_point_size(1, 2, 3, 4);\n    \
        printf(\"%d %d %d\\n\", LIGHTS_LIGHT_DIR_COUNT, POINTS_GEOMETRY_PROGRAM, POINTS_GEOMETRY_STRIDE);\n    return 0;\n}\n";
    let [path, program] = ["main.c", "main"].map(|name| folder.join(name));
    fs::write(&path, source).expect("written");
    run(compiler("cc", "-std=c11", false).arg("-o").arg(&program).arg(&path));
    let expected = "loader 0: v0, format 3, 3\nloader 1: v1, format 3, 3\nmatrix 0 0 3\nmatrix 0 15 3\n\
        float 0 26 1 2 3 4\nfloat 0 27 0.5 0 0 1\nint 0 0x60 1 0 1 0\nbool 0 0x68 1\nfloat 1 0 1 2 3 4\n8 1 2\n";
    assert_eq!(run(&mut Command::new(&program)), expected);
}

#[test]
fn setters_in_rust_name_the_registers_of_the_file() {
    let folder = folder("rust");
    for name in ["lights", "points"] {
        write(&folder, name, &fs::read(format!("{SHADERS}/{name}.shbin")).expect("a sample"));
    }
    let source = "#![allow(dead_code)]\nmod lights;\nmod points;\nfn main() {\n    \
        let mut floats = [[0.0f32; 4]; 96];\n    let set = |register: u8, value| floats[usize::from(register)] = value;\n    \
        lights::set_light_dir(set, &[[2.0; 4]; 8]);\n    \
        assert!(floats[10][0] == 0.0 && floats[11..19].iter().all(|value| *value == [2.0; 4]) && floats[19][0] == 0.0);\n    \
        let mut bools = 0u16;\n    lights::set_use_specular(|register, on| bools |= u16::from(on) << register, true);\n    \
        assert_eq!(bools, 1);\n    \
        lights::set_light_loop(|register, value| assert_eq!((register, value), (0, [7, 0, 1, 0])), [7, 0, 1, 0]);\n    \
        assert_eq!(points::geometry::STRIDE, 2);\n    assert!(points::SHBIN.as_ptr().addr() % 4 == 0 && points::SHBIN.starts_with(b\"DVLB\"));\n    \
        let vertex = points::vertex::Vertex { in_inpos: [1.0; 4], ..Default::default() };\n    \
        assert_eq!((vertex.in_incol, points::vertex::ATTRIBUTES.len(), points::vertex::PERMUTATION), ([0.0; 4], 2, 0x10));\n}\n";
    let [path, program] = ["main.rs", "main"].map(|name| folder.join(name));
    fs::write(&path, source).expect("written");
    run(Command::new("rustc").args(["--edition", "2024", "-o"]).arg(&program).arg(&path));
    run(&mut Command::new(&program));
}
