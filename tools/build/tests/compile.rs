//! Bindings of every sample compile without a warning: as C11 and C++17, with citro3d's signatures
//! and without them, and as Rust without the standard library. A program in each language sets
//! what it names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use transpica::Shbin;
use transpica_asm::vertex::VertexFormat;
use transpica_asm::{SourceText, assemble};
use transpica_build::bindings::Bindings;

#[path = "../../../tests/needs/mod.rs"]
#[allow(dead_code, reason = "`cargo xtask` installs what it lists")]
pub mod needs;

const SHADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
/// Names of every kind that C, C++ or Rust could mistake, or that two things would have.
const NAMES: &str = ".fvec int, INT, class[2], class_at, light_count, light[3], lightCount, attributes, in_pos\n\
    .ivec loop, fn[2]\n.bool self, true[3]\n.in pos v0\n.in for v1\n.in struct v3\n.in _1 v4\n\
    .fvec a__b, a_, a\n.out outpos position\n.proc main\n\tmov r0, pos\n\tadd r0.x, struct.y, r0\n\tdp3 r1, for, r0\n\tadd r1, _1.x, r1\n\tmov outpos, r1\n\tend\n.end\n";

/// Runs a program that must succeed without a message; returns its output.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.is_empty(), "{command:?}: {}\n{messages}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An empty folder.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bind").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// Writes header, module and file of bindings.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> Bindings {
    write_bindings(folder, name, bytes, &[])
}

/// Writes the same with declared formats.
pub fn write_bindings(folder: &Path, name: &str, bytes: &[u8], formats: &[Vec<VertexFormat>]) -> Bindings {
    let bindings = Bindings::new(&Shbin::parse(bytes).expect("valid"), name, formats).expect("bindings");
    let file = format!("{name}.shbin");
    fs::write(folder.join(&file), bytes).expect("written");
    let header = bindings.c(bytes);
    let words =
        header.split_once("words[] = {").and_then(|(_, rest)| rest.split_once('}')).expect("the file").0;
    let word = |word: &str| u32::from_str_radix(word.trim().strip_prefix("0x")?.strip_suffix('u')?, 16).ok();
    let words: Vec<u8> = words.split(',').filter_map(word).flat_map(u32::to_le_bytes).collect();
    assert_eq!(words[..bytes.len()], *bytes, "{name}");
    fs::write(folder.join(format!("{name}.h")), header).expect("written");
    fs::write(folder.join(format!("{name}.rs")), bindings.rust(&file)).expect("written");
    bindings
}

pub fn compiler(program: &str, standard: &str, is_plain: bool) -> Command {
    let mut command = Command::new(program);
    command.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wcast-qual", "-Werror"]);
    if is_plain {
        command.arg("-DTRANSPICA_PLAIN");
    }
    command.arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"));
    command
}

/// Compiles bindings in all languages, together.
pub fn compile(folder: &Path, names: &[String]) {
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
        "a_b",
        "a",
        "a_2",
    ] {
        assert!(uniforms.contains(&name), "{name}: {uniforms:?}");
    }
    let attributes: Vec<_> =
        program.attributes.iter().map(|a| (a.name.as_str(), a.register, a.components)).collect();
    assert_eq!(attributes, [("in_pos", 0, 4), ("in_for", 1, 3), ("in_struct", 3, 2), ("in_1", 4, 1)]);
}

#[test]
fn setters_in_c_name_the_registers_of_the_file() {
    if !needs::has(&["cc", "c++"]) {
        return;
    }
    let folder = folder("c");
    for name in ["lights", "points", "skinning", "library"] {
        write(&folder, name, &fs::read(format!("{SHADERS}/{name}.shbin")).expect("a sample"));
    }
    let source = "#include \"lights.h\"\n#include \"points.h\"\n#include \"skinning.h\"\n#include \"library.h\"\nint main(void) {\n    \
        C3D_AttrInfo info;\n    C3D_Mtx matrix = {{3.0f}};\n    const uint8_t loop[4] = {1, 0, 1, 0};\n    \
        lights_attributes(&info);\n    lights_projection(&matrix);\n    lights_light_dir(1, &matrix);\n    \
        lights_light_dir(2, &matrix);\n    lights_light_color_at(7, 1, 2, 3, 4);\n    lights_light_color_at(8, 1, 2, 3, 4);\n    \
        lights_normal_matrix_mtx(&matrix);\n    skinning_palette_mtx(19, &matrix);\n    skinning_palette_mtx(20, &matrix);\n    \
        shaderProgram_s program;\n    DVLB_s *file = points_load(&program);\n    \
        printf(\"%d %d %d\\n\", program.vertex == file->DVLE, program.geometry == file->DVLE + 1, program.stride);\n    \
        file = library_vertex2_load(&program);\n    printf(\"%d %d\\n\", program.vertex == file->DVLE + 2, program.geometry == NULL);\n    \
        lights_ambient(0.5f, 0, 0, 1);\n    lights_light_loop(loop);\n    lights_use_specular(true);\n    \
        points_geometry_point_size(1, 2, 3, 4);\n    \
        printf(\"%d %d %d\\n\", LIGHTS_LIGHT_DIR_COUNT, POINTS_GEOMETRY_PROGRAM, POINTS_GEOMETRY_STRIDE);\n    return 0;\n}\n";
    let [path, program] = ["main.c", "main"].map(|name| folder.join(name));
    fs::write(&path, source).expect("written");
    run(compiler("cc", "-std=c11", false).arg("-o").arg(&program).arg(&path));
    let expected = "loader 0: v0, format 3, 3\nloader 1: v1, format 3, 3\nmatrix 0 0 3\nmatrix 0 15 3\n\
        float 0 26 1 2 3 4\nrows 0 8 3\nrows 0 61 3\n\
        file DVLB, 516 bytes\n1 1 2\nfile DVLB, 5372 bytes\n1 1\nfloat 0 27 0.5 0 0 1\nint 0 0x60 1 0 1 0\nbool 0 0x68 1\nfloat 1 0 1 2 3 4\n8 1 2\n";
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
        let vertex = points::vertex::Vertex { inpos: [1.0; 4], ..Default::default() };\n    \
        assert_eq!((vertex.incol, points::vertex::ATTRIBUTES.len(), points::vertex::PERMUTATION), ([0.0; 4], 2, 0x10));\n}\n";
    let [path, program] = ["main.rs", "main"].map(|name| folder.join(name));
    fs::write(&path, source).expect("written");
    run(Command::new("rustc").args(["--edition", "2024", "-o"]).arg(&program).arg(&path));
    run(&mut Command::new(&program));
}

/// Assembles sources into one file.
fn assembled(sources: &[(&str, &str)]) -> Vec<u8> {
    let sources: Vec<_> = sources.iter().map(|&(name, text)| SourceText { name, text }).collect();
    assemble(&sources).unwrap_or_else(|report| panic!("{report}")).bytes
}

#[test]
fn attributes_have_the_components_that_instructions_read() {
    for (instructions, expected) in [
        ("mov r0, k", 1),
        ("mov r0, p", 4),
        ("mov r0.y, p.xzwx", 3),
        ("mov r0.xw, p.xwzy", 2),
        ("rcp r0, p.y", 2),
        ("dp3 r0.x, k, p", 3),
        ("dp4 r0.x, k, p", 4),
        ("dph r0.x, p, k", 3),
        ("mova a0.x, p.z", 3),
        ("mova a0.y, p.xwzz", 4),
        ("cmp p.xx, lt, lt, r1.xx", 1),
        ("cmp p.yx, lt, lt, r1.xx", 2),
        ("cmp p.xy, lt, lt, r1.xx", 2),
        ("cmp k.xx, lt, lt, p.zx", 3),
        ("cmp k.xx, lt, lt, p.xw", 4),
        ("mov r0.x, p.x\n mov r0.y, p.y\n mov r0.z, p.x", 2),
        ("end\n mov r0, p", 1),
        // The rasterizer takes two components of this output.
        ("mov o1, p", 2),
        ("mov o1, p.xwzy", 4),
        ("mov o1.zw, p", 1),
        ("dp3 o1, k, p", 3),
    ] {
        let text = format!(
            ".fvec k\n.in p v2\n.out - position o0\n.out - texcoord0 o1.xy\n.proc main\n {instructions}\n mov o0, k\n end\n.end\n"
        );
        let bytes = assembled(&[("a.v.pica", &text)]);
        let bindings = Bindings::new(&Shbin::parse(&bytes).expect("valid"), "a", &[]).expect("bindings");
        let attributes: Vec<_> = bindings.programs[0].attributes.iter().map(|it| it.components).collect();
        assert_eq!(attributes, [expected], "{instructions}");
    }
}

/// A geometry program takes all components of its vertices.
#[test]
fn outputs_for_geometry_programs_are_read_whole() {
    let vertex = ".in p v0\n.out - position o0\n.out - texcoord0 o1.xy\n.entry vmain\n.proc vmain\n mov o1, p\n end\n.end\n";
    let geometry = ".gsh point c0\n.out - position o0\n.entry gmain\n.proc gmain\n end\n.end\n";
    for (sources, expected) in [(vec![("a.v", vertex)], 2), (vec![("a.v", vertex), ("a.g", geometry)], 4)] {
        let bytes = assembled(&sources);
        let bindings = Bindings::new(&Shbin::parse(&bytes).expect("valid"), "a", &[]).expect("bindings");
        assert_eq!(bindings.programs[0].attributes[0].components, expected);
    }
}

/// The stride of a geometry program is the number of outputs of the vertex program before it.
#[test]
fn a_geometry_program_goes_with_the_vertex_program_before_it() {
    let program = |name: &str, outputs: usize| {
        let outputs = [".out - position o0", ".out - color o1", ".out - view o2"][..outputs].join("\n");
        format!("{outputs}\n.entry {name}\n.proc {name}\n mov o0, v0\n end\n.end\n")
    };
    let vertex = |outputs: usize| program(&format!("v{outputs}_main"), outputs);
    let [geometry, other] = ["g", "other_g"].map(|name| format!(".gsh point c0\n{}", program(name, 1)));
    let [one, two, three] = [1, 2, 3].map(vertex);
    for (sources, expected) in [
        ([("a.v", &*one), ("b.v", &*three), ("c.g", &*geometry), ("d.v", &*two)], vec![(2, 3)]),
        ([("a.v", &*two), ("b.g", &*geometry), ("c.v", &*three), ("d.g", &*other)], vec![(1, 2), (3, 3)]),
    ] {
        let bytes = assembled(&sources);
        let bindings = Bindings::new(&Shbin::parse(&bytes).expect("valid"), "a", &[]).expect("bindings");
        let strides = bindings.programs.iter().enumerate();
        let strides: Vec<_> =
            strides.filter_map(|(index, program)| Some((index, program.geometry?.stride))).collect();
        assert_eq!(strides, expected);
        let names: Vec<_> = bindings.programs.iter().map(|program| program.name.as_str()).collect();
        let geometries = expected.len();
        assert_eq!(names.contains(&"geometry"), geometries == 1, "{names:?}");
        assert_eq!(names.contains(&"geometry1"), geometries == 2, "{names:?}");
        assert_eq!(names.contains(&"vertex2"), geometries == 1, "{names:?}");
    }
}

#[test]
fn geometry_modes_have_their_own_strides() {
    let vertex = ".out - position o0\n.out - color o1\n.entry vmain\n.proc vmain\n mov o0, v0\n mov o1, v0\n end\n.end\n";
    for (mode, expected) in
        [("point c0", ("point", 2)), ("variable c4 3", ("variable", 0)), ("fixed c12 c0 4", ("fixed", 2))]
    {
        let geometry =
            format!(".gsh {mode}\n.out - position o0\n.entry gmain\n.proc gmain\n mov o0, v0\n end\n.end\n");
        let bytes = assembled(&[("a.v", vertex), ("a.g", &geometry)]);
        let bindings = Bindings::new(&Shbin::parse(&bytes).expect("valid"), "a", &[]).expect("bindings");
        let geometry = bindings.programs[1].geometry.expect("a geometry program");
        assert_eq!((geometry.mode, geometry.stride), expected);
    }
}

#[test]
fn attributes_are_in_the_order_of_registers_and_files_have_identifiers() {
    let text = ".in far v9\n.in near v2\n.in also v2\n.in middle v5\n.out - position o0\n.proc main\n mov o0, near\n end\n.end\n";
    let bytes = assembled(&[("a.v.pica", text)]);
    let file = Shbin::parse(&bytes).expect("valid");
    let bindings = Bindings::new(&file, "a", &[]).expect("bindings");
    let registers: Vec<_> = bindings.programs[0].attributes.iter().map(|it| it.register).collect();
    assert_eq!(registers, [2, 5, 9]);
    let header = bindings.c(&bytes);
    assert!(header.contains("#define A_PERMUTATION 0x210ull"), "{header}");
    for (name, expected) in [
        ("a-b.c", "a_b_c"),
        ("modelView", "model_view"),
        ("MVP", "mvp"),
        ("light2Dir", "light2_dir"),
        ("3d", "_3d"),
        ("", "unnamed"),
        ("é", "unnamed"),
    ] {
        assert_eq!(Bindings::new(&file, name, &[]).expect("bindings").name, expected, "{name}");
    }
}

#[test]
fn rules_of_make_escape_what_make_reads() {
    for (name, escaped) in [
        ("a$b", "a$$b"),
        ("$(X)", "$$(X)"),
        ("a b", "a\\ b"),
        ("a\tb", "a\\\tb"),
        ("a#b", "a\\#b"),
        ("a\\b", "a\\b"),
        ("a\\ b", "a\\\\\\ b"),
    ] {
        let text = transpica_build::dependencies(&[name], &[name]);
        assert_eq!(text, format!("{escaped}: \\\n {escaped}\n\n{escaped}:\n"));
    }
}

#[test]
fn strides_in_point_mode_are_of_whole_invocations() {
    // Vertices of an invocation times outputs of the vertex program.
    for (name, stride) in [("points", 2), ("wireframe", 6), ("shadow", 6), ("silhouette", 12)] {
        let bytes = fs::read(format!("{SHADERS}/{name}.shbin")).expect("a sample");
        let bindings = Bindings::new(&Shbin::parse(&bytes).expect("well formed"), name, &[]).expect("fine");
        let found = bindings.programs.iter().find_map(|program| program.geometry);
        assert_eq!(found.map(|geometry| geometry.stride), Some(stride), "{name}");
    }
}
