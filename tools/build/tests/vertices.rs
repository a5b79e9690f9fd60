//! Vertices of declared formats: what C and Rust lay out is what the GPU reads.

use std::process::Command;

use transpica::Shbin;
use transpica_asm::{Assembled, SourceText, assemble};
use transpica_build::bindings::Bindings;
use transpica_build::shader;

use crate::compile::{compile, compiler, folder, needs, run, write_bindings};

/// Assembles a vertex program with attributes of these formats.
fn assembled(formats: &[&str]) -> Assembled {
    let attributes = formats.iter().enumerate();
    let attributes: String = attributes.map(|(v, format)| format!(".in a{v} v{v} ; {format}\n")).collect();
    let text = format!("{attributes}.out - position o0\n.proc main\n dp3 o0, a0, a0\n end\n.end\n");
    assemble(&[SourceText { name: "a.v.pica", text: &text }]).unwrap_or_else(|report| panic!("{report}"))
}

const FLOAT3: &str = "@format float 3";
const SHORT1: &str = "@format short 1";
const BYTE1: &str = "@format byte 1";
const UBYTE3: &str = "@format ubyte 3";

#[test]
fn vertices_end_where_the_gpu_counts() {
    for (formats, size, padding, permutation) in [
        (&[FLOAT3][..], 12, 0, "0x0"),
        (&[FLOAT3, "@format ubyte 4"], 16, 0, "0x10"),
        // A padding attribute begins at a multiple of four.
        (&[FLOAT3, UBYTE3], 20, 5, "0xC10"),
        (&[FLOAT3, BYTE1], 20, 7, "0xC10"),
        (&[FLOAT3, "@format short 2"], 16, 0, "0x10"),
        (&[FLOAT3, SHORT1], 20, 6, "0xC10"),
        // Before floats, nothing has to be added.
        (&[UBYTE3, FLOAT3], 16, 0, "0x10"),
        (&[SHORT1, BYTE1], 8, 5, "0xC10"),
        (&[BYTE1, SHORT1], 4, 0, "0x10"),
        (&[SHORT1, SHORT1, SHORT1], 6, 0, "0x210"),
        (&[UBYTE3], 3, 0, "0x0"),
        // Without a declaration: floats that the program reads, at least one.
        (&["", "@format byte 2", ""], 20, 0, "0x210"),
    ] {
        let file = assembled(formats);
        let bindings =
            Bindings::new(&Shbin::parse(&file.bytes).expect("valid"), "a", &file.formats).expect("bindings");
        let header = bindings.c(&file.bytes);
        let count = formats.len() + usize::from(padding > 0);
        let member = format!("uint8_t padding[{padding}];");
        assert_eq!(header.contains(&member), padding > 0, "{formats:?}\n{header}");
        for text in [
            format!("sizeof(a_vertex) == {size},"),
            format!("#define A_ATTRIBUTES {count}\n"),
            format!("#define A_PERMUTATION {permutation}ull"),
        ] {
            assert!(header.contains(&text), "{formats:?}: {text}\n{header}");
        }
    }
}

#[test]
fn a_buffer_has_at_most_twelve_attributes() {
    let mut floats = vec!["@format float 1"; 11];
    for (last, expected) in [("@format float 1", Some(12)), (BYTE1, None)] {
        floats.push(last);
        let file = assembled(&floats);
        let bindings =
            Bindings::new(&Shbin::parse(&file.bytes).expect("valid"), "a", &file.formats).expect("bindings");
        let [header, module] = [bindings.c(&file.bytes), bindings.rust("a.shbin")];
        let count = expected.map(|count| format!("#define A_ATTRIBUTES {count}\n"));
        assert_eq!(
            count.as_ref().is_some_and(|count| header.contains(count)),
            expected.is_some(),
            "{header}"
        );
        assert_eq!(header.contains("a_vertex"), expected.is_some(), "{header}");
        assert_eq!(header.contains("No structure of a vertex"), expected.is_none(), "{header}");
        assert_eq!(module.contains("struct Vertex"), expected.is_some(), "{module}");
        floats.pop();
    }
    floats.extend(["@format float 1"; 2]);
    let file = assembled(&floats);
    let bindings =
        Bindings::new(&Shbin::parse(&file.bytes).expect("valid"), "a", &file.formats).expect("bindings");
    assert!(bindings.c(&file.bytes).contains("No structure of a vertex"));
}

#[test]
fn c_adds_attributes_and_buffers_of_declared_formats() {
    if !needs::has(&["cc", "c++"]) {
        return;
    }
    let folder = folder("formats in C");
    let file = assembled(&[FLOAT3, "@format short 2", "@format byte 4", UBYTE3]);
    write_bindings(&folder, "hero", &file.bytes, &file.formats);
    compile(&folder, &["hero".into()]);
    let source = "#include \"hero.h\"\nint main(void) {\n    C3D_AttrInfo info;\n    C3D_BufInfo buffer;\n    \
        const hero_vertex vertices[2] = {{{1, 2, 3}, {-32768, 32767}, {-128, 0, 1, 127}, {0, 1, 255}, {0}}};\n    \
        hero_attributes(&info);\n    hero_buffer(&buffer, vertices);\n    const uint8_t *bytes = (const uint8_t *)vertices;\n    \
        printf(\"%d %d %d %d\\n\", bytes[13], bytes[15], bytes[16], bytes[22]);\n    return 0;\n}\n";
    let [path, program] = ["main.c", "main"].map(|name| folder.join(name));
    std::fs::write(&path, source).expect("written");
    run(compiler("cc", "-std=c11", false).arg("-o").arg(&program).arg(&path));
    let expected = "loader 0: v0, format 3, 3\nloader 1: v1, format 2, 2\nloader 2: v2, format 0, 4\n\
        loader 3: v3, format 1, 3\nbuffer of vertices, stride 28, 5, 0xc3210\n128 127 128 255\n";
    assert_eq!(run(&mut Command::new(&program)), expected);
}

#[test]
fn rust_has_vertices_of_declared_formats() {
    let folder = folder("formats in Rust");
    let text = ".in pos v0 ; @format float 3\n.in uv v1 ; @format short 2\n.in nrm v2 ; @format byte 3\n.in one v4 ; @format ubyte 1\n\
        .out - position o0\n.proc main\n dp3 r0, nrm, nrm\n mul r0, uv.y, r0\n mul r0, one.x, r0\n dp3 o0, pos, pos\n end\n.end\n";
    std::fs::write(folder.join("mesh.v.pica"), text).expect("written");
    let bound = shader(folder.join("mesh.v.pica")).deny("all").bind_in(&folder).expect("no finding");
    assert!(bound.messages.is_empty(), "{:?}", bound.messages);
    let odd = assembled(&[UBYTE3]);
    write_bindings(&folder, "odd", &odd.bytes, &odd.formats);
    let source = "#![allow(dead_code)]\nmod mesh;\nmod odd;\nuse mesh::{ATTRIBUTES, Vertex};\nfn main() {\n    \
        let vertex = Vertex { in_pos: [1.0; 3], in_uv: [-1, 2], in_nrm: [0, -128, 127], in_one: [255] };\n    \
        assert_eq!((vertex.in_uv[0], size_of::<Vertex>()), (-1i16, 20));\n    \
        let found = ATTRIBUTES.map(|it| (it.register, it.format, it.components, it.offset, it.webgpu));\n    \
        assert_eq!(found, [(0, 3, 3, 0, Some(\"float32x3\")), (1, 2, 2, 12, Some(\"sint16x2\")), (2, 0, 3, 16, Some(\"sint8x4\")), (4, 1, 1, 19, Some(\"uint8\"))]);\n    \
        assert_eq!((mesh::PERMUTATION, mesh::PLACES), (0x3210, 4));\n    \
        assert_eq!(odd::ATTRIBUTES[0].webgpu, None, \"no stride of three bytes\");\n}\n";
    let [path, program] = ["main.rs", "main"].map(|name| folder.join(name));
    std::fs::write(&path, source).expect("written");
    run(Command::new("rustc").args(["--edition", "2024", "-o"]).arg(&program).arg(&path));
    run(&mut Command::new(&program));
}
