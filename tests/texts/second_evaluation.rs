//! The position once more, with the uniforms of a second block: every language, and what it reads.

use std::fs;
use std::path::Path;

use expect_test::expect_file;
use transpica::container::ShaderType;
use transpica::host::{Hook, Hooked};
use transpica::settings::{Arithmetic, Binding, Bindings, BlockNames, GlslProfile, Outputs};
use transpica::stages::backend::naga::validate;
use transpica::stages::backend::text::Language;
use transpica::stages::ir::{Array, Op, Resource};
use transpica::{GlslVersion, Job, Options, Precision, Profile, Shbin, Translation, Translator};
use transpica_proof::glslang::{self, Stage};
use transpica_proof::spirv_tools;

use crate::samples::samples;

/// A program of a file with a second evaluation at location 15.
fn again(bytes: &[u8], index: usize, options: Options, profile: &Profile) -> Translation {
    let file = Shbin::parse(bytes).expect("valid");
    let program = file.program(index).expect("a program");
    let hooked = Hooked { environment: program.environment(), hooks: [Hook::Again(15)] };
    let mut translator = Translator::new(options, profile.clone());
    translator.translate(program.program(), &hooked, Job::Vertex).expect("translates")
}

#[test]
fn every_sample_evaluates_its_position_again_in_every_language() {
    needs!("spirv-val", "glslangValidator");
    let mut count = 0;
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("valid");
        for (index, executable) in file.executables.iter().enumerate() {
            if executable.header.shader_type() != Some(ShaderType::Vertex) {
                continue;
            }
            let name = format!("{} {index}", sample.name);
            let precision = [Precision::Exact, Precision::F24][count % 2];
            let options = Options {
                arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                outputs: Outputs { all: true, ..Outputs::default() },
                ..Options::default()
            };
            let spirv_version = [(1, 0), (1, 3), (1, 5)][count % 3];
            let profile = Profile { spirv_version, debug_info: count % 4 == 0, ..Profile::default() };
            let translated = again(&sample.bytes, index, options, &profile);
            let words = translated.spirv().expect("SPIR-V");
            spirv_tools::validate_for(&words, spirv_version)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let module = translated.naga().unwrap_or_else(|error| panic!("{name}: {error}"));
            validate(&module).unwrap_or_else(|error| panic!("{name}: {error}"));
            translated.hlsl().unwrap_or_else(|error| panic!("{name}: {error}"));
            translated.msl().unwrap_or_else(|error| panic!("{name}: {error}"));
            for version in [GlslVersion::Core330, GlslVersion::Vulkan450, GlslVersion::Es300] {
                let text = translated.text(Language::Glsl(version)).expect("GLSL");
                let read = match version {
                    GlslVersion::Vulkan450 => glslang::spirv(&text, Stage::Vertex).map(|_| ()),
                    _opengl => glslang::read(&text, Stage::Vertex),
                };
                read.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
                assert_eq!(text.contains("UniformsAgain"), translated.interface.reads_again(), "{text}");
            }
            count += 1;
        }
    }
    assert!(count > 30, "{count} programs");
}

/// Golden texts; `UPDATE_EXPECT=1 cargo test -p transpica --test texts second` rewrites them.
/// Relative reads in named arrays, bools, a position that takes little of the program.
#[test]
fn a_second_evaluation_is_the_part_that_the_position_needs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, language, place) in [
        ("skinning", Language::Wgsl, "wgsl/skinning.again.wgsl"),
        ("textured", Language::Glsl(GlslVersion::Vulkan450), "glsl/textured.again.450.glsl"),
    ] {
        let bytes = fs::read(root.join(format!("shaders/{name}.shbin"))).expect("a sample");
        let translated = again(&bytes, 0, Options::default(), &Profile::default());
        let text = translated.text(language).expect("text");
        let golden = root.join("tests/cases").join(place);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&golden, &text).expect("writable");
        }
        expect_file![golden].assert_eq(&text);
    }
}

#[test]
fn each_evaluation_reads_its_own_block() {
    let bytes = include_bytes!("../../shaders/skinning.shbin");
    let translated = again(bytes, 0, Options::default(), &Profile::default());
    let members = translated.interface.block.members.len() as u16;
    let module = &translated.module;
    let functions = module.helpers.iter().map(|helper| &**helper).chain([&module.main]);
    let ops: Vec<Op> = functions.flat_map(|f| f.values.keys().filter_map(|value| f.op(value))).collect();
    let read = |op: &Op| match *op {
        Op::Read(Resource::Member { member, .. }) | Op::ReadAt(Array::Member(member), _) => Some(member),
        _other => None,
    };
    let count = |first: u16| ops.iter().filter_map(read).filter(|member| member / members == first).count();
    assert!(count(0) > 0 && count(0) == count(1) && count(2) == 0, "all of it moves the position");
    assert_eq!(translated.spirv(), again(bytes, 0, Options::default(), &Profile::default()).spirv());
}

#[test]
fn a_position_without_uniforms_reads_no_second_block() {
    let source = transpica_asm::SourceText {
        name: "a.pica",
        text: ".in pos v0\n.out o position\n.proc main\nmov o, pos\nend\n.end\n",
    };
    let assembled = transpica_asm::assemble(&[source]).unwrap_or_else(|report| panic!("{report}"));
    let translated = again(&assembled.bytes, 0, Options::default(), &Profile::default());
    assert!(!translated.interface.reads_again());
    let text = translated.text(Language::Glsl(GlslVersion::Vulkan450)).expect("GLSL");
    assert!(
        !text.contains("niform") && text.contains("layout(location = 15) out vec4 position_again;"),
        "{text}"
    );
}

#[test]
fn hosts_choose_binding_and_names_of_the_second_block() {
    needs!("glslangValidator");
    let bytes = include_bytes!("../../shaders/textured.shbin");
    let file = Shbin::parse(bytes).expect("valid");
    let program = file.program(0).expect("a program");
    let names = |block: &'static str, instance: Option<&'static str>| GlslProfile {
        again: BlockNames { block: block.into(), instance: instance.map(Into::into) },
        ..GlslProfile::default()
    };
    let place = Binding { set: 3, binding: 9 };
    let profile = |glsl| Profile {
        bindings: Bindings { again: place, ..Bindings::default() },
        glsl,
        ..Profile::default()
    };
    let text = |glsl| {
        let translated = again(bytes, 0, Options::default(), &profile(glsl));
        let block = program.reflect(&translated).again_block.expect("it is read");
        assert_eq!((block.set, block.binding, block.size), (3, 9, translated.interface.block.size));
        translated.text(Language::Glsl(GlslVersion::Vulkan450)).expect("GLSL")
    };
    let named = text(names("Before", Some("before")));
    assert!(named.contains("layout(set = 3, binding = 9, std140) uniform Before {"), "{named}");
    assert!(named.contains("before.projection[0]"), "{named}");
    // Members without an instance are global names, and differ from those of the first block.
    let global = text(GlslProfile {
        uniforms: BlockNames { block: "Now".into(), instance: None },
        ..names("Before", None)
    });
    for text in [&named, &global] {
        glslang::spirv(text, Stage::Vertex).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    let wgsl = again(bytes, 0, Options::default(), &profile(GlslProfile::default())).wgsl().expect("WGSL");
    assert!(wgsl.contains("@group(3) @binding(9) var<uniform> uniforms_again: UniformsAgain;"), "{wgsl}");
    // A name twice.
    let translated = again(bytes, 0, Options::default(), &profile(names("Uniforms", Some("before"))));
    let error = translated.text(Language::Glsl(GlslVersion::Vulkan450)).expect_err("twice");
    assert!(error.to_string().contains("Uniforms"), "{error}");
    // Without the hook there is no such block.
    let plain = program.translate(&Options::default()).expect("translates");
    assert_eq!(program.reflect(&plain).again_block, None);
}
