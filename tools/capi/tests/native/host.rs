//! `examples/host.cpp` over every sample: its output equals the Rust interface's for register
//! states from the files.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use transpica::container::ShaderType;
use transpica::host::{dvle, pack};
use transpica::isa::Uniforms;
use transpica::settings::{KnownHost, Renderer, preset};
use transpica::{Job, RegisterState, Shbin, Stage, Translator};

use crate::support::{folder, host, run, run_watched, samples};

/// Words and uniforms by key, from the Rust interface.
fn expected(files: &[PathBuf]) -> BTreeMap<String, (Vec<u32>, Vec<u8>)> {
    let preset = preset(KnownHost::Azahar, Renderer::Vulkan).expect("it has Vulkan");
    let mut translator = Translator::new(preset.options, preset.profile);
    let mut pipelines = BTreeMap::new();
    // Float registers that a program does not set keep the values of the previous one.
    let mut floats = Uniforms::default();
    for path in files {
        let bytes = fs::read(path).expect("a sample");
        let file = Shbin::parse(&bytes).expect("valid");
        for (index, executable) in file.executables.iter().enumerate() {
            if executable.header.shader_type() != Some(ShaderType::Vertex) {
                continue;
            }
            let state = RegisterState::from_dvle(&file, index, None).expect("a vertex program");
            let view = state.vertex();
            let program = view.program().expect("code");
            let translated = translator.translate(&program, &view, Job::Vertex).expect("translates");
            let words = translator.spirv(&translated).expect("a module");
            dvle::constants(executable).apply(&mut floats);
            let uniforms = Uniforms { floats: floats.floats, ..state.uniforms(Stage::Vertex) };
            let uniforms = pack(&translated.interface.block, &uniforms);
            pipelines
                .entry(translator.key(&program, &view, Job::Vertex, b"").expect("a key").to_string())
                .or_insert_with(|| (words, uniforms));
        }
    }
    pipelines
}

#[test]
fn results_of_the_c_host_equal_those_of_the_rust_interface() {
    needs!("c++", "spirv-val", "valgrind", "vulkan", "vulkan/vulkan.h");
    let folder = folder("host");
    let (program, out) = (host(), folder.join("out"));
    fs::create_dir(&out).expect("a folder");
    let files = samples();
    let text = run(Command::new(program).arg(&out).args(&files));
    let expected = expected(&files);
    assert!(expected.len() > 25, "{} pipelines", expected.len());
    assert!(text.contains(&format!(", {} pipelines\n", expected.len())), "{text}");
    for (key, (words, uniforms)) in &expected {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let module = out.join(key).with_extension("spv");
        assert!(fs::read(&module).unwrap_or_else(|error| panic!("{key}: {error}")) == bytes, "{key} differs");
        run(Command::new("spirv-val").args(["--target-env", "vulkan1.1"]).arg(module));
        let written = fs::read(out.join(key).with_extension("uniforms")).expect("the host wrote it");
        assert!(&written == uniforms, "the uniforms of {key} differ");
        assert!(text.contains(key.as_str()), "{text}");
    }
    assert_eq!(fs::read_dir(&out).expect("a folder").count(), 2 * expected.len());
    run_watched(program, &[&out, &files[0]]);
}
