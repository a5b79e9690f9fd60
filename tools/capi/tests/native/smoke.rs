//! `smoke.c` as C11 and as C++17: builds without a warning, all its checks pass, valgrind finds
//! nothing, and the modules are those of the Rust interface.

use std::fs;
use std::path::Path;

use crate::support::{built, compiler, folder, here, run, run_watched, system_libraries};
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::isa::Pc;
use transpica::settings::{KnownHost, Renderer, preset};
use transpica::{Job, Options, Profile, Program, RegisterState, Shbin, Stage, Translator};

fn words(path: &Path) -> Vec<u32> {
    let bytes = fs::read(path).expect("the program wrote it");
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("whole words"))).collect()
}

#[track_caller]
fn holds(program: &str, standard: &str, language: &str) {
    let folder = folder(standard);
    let file = here().join("../../shaders/textured.shbin");
    let smoke = folder.join("smoke");
    run(compiler(program, standard)
        .args(["-x", language])
        .arg(here().join("tests/native/smoke.c"))
        .args(["-x", "none"])
        .arg(built().join("libtranspica_capi.a"))
        .args(system_libraries())
        .arg("-o")
        .arg(&smoke));
    let text = run_watched(&smoke, &[&file, &folder, &here().join("../../shaders/points.shbin")]);
    assert!(text.ends_with("all holds\n"), "{text}");
    let modules = ["raw", "textured", "hooks", "geometry", "geometry_draw", "geometry_stage"];
    for (module, environment) in
        modules.map(|module| (module, "vulkan1.1")).into_iter().chain([("options", "vulkan1.2")])
    {
        let path = folder.join(module).with_extension("spv");
        run(std::process::Command::new("spirv-val").args(["--target-env", environment]).arg(path));
    }

    let bytes = fs::read(&file).expect("a sample");
    let parsed = Shbin::parse(&bytes).expect("valid");
    let options = Options::default();
    let program = dvle::program(&parsed, 0, &options.limits).expect("valid");
    let executable = FileEnvironment::new(&parsed, 0, "textured.shbin").expect("there");
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &executable, Job::Vertex).expect("translates");
    let expected = translator.spirv(&translated).expect("a module");
    assert_eq!(words(&folder.join("textured.spv")), expected);
    presets(&folder);
}

#[test]
fn smoke_test_passes_in_c() {
    needs!("cc", "spirv-val", "valgrind");
    holds("cc", "c11", "c");
}

#[test]
fn smoke_test_passes_in_cpp() {
    needs!("c++", "spirv-val", "valgrind");
    holds("c++", "c++17", "c++");
}

#[test]
fn the_wrapper_works_with_and_without_exceptions() {
    needs!("c++", "spirv-val", "valgrind");
    for (name, flags) in [("throwing", &[][..]), ("plain", &["-fno-exceptions", "-DTRANSPICA_NO_EXCEPTIONS"])]
    {
        let program = folder(name).join("wrapper");
        run(compiler("c++", "c++17")
            .args(flags)
            .arg(here().join("tests/native/wrapper.cpp"))
            .arg(built().join("libtranspica_capi.a"))
            .args(system_libraries())
            .arg("-o")
            .arg(&program));
        assert!(run_watched(&program, &[]).ends_with("all holds\n"));
    }
}

/// Compares modules under the presets with those of the Rust interface.
fn presets(folder: &Path) {
    // As in smoke.c.
    let (code, descriptors) = ([0x4C00_0000, 0x2022_8080, 0x8800_0000], [0x36F]);
    let program = Program::from_raw(&code[..], &descriptors[..], Pc(0), Stage::Vertex).expect("a program");
    let mut state = RegisterState::default();
    for (register, value) in [(0x2BD, 3), (0x04F, 2), (0x050, 0x0302_0100), (0x051, 0x0B0A_0908)] {
        state.write(register, value);
    }
    for (name, host, renderer) in [
        ("azahar-vulkan", KnownHost::Azahar, Renderer::Vulkan),
        ("azahar-opengles", KnownHost::Azahar, Renderer::OpenGlEs),
        ("panda3ds-opengl", KnownHost::Panda3ds, Renderer::OpenGl),
        ("tanuki3ds-opengl", KnownHost::Tanuki3ds, Renderer::OpenGl),
    ] {
        let preset = preset(host, renderer).expect("there is one");
        let mut translator = Translator::new(preset.options, preset.profile);
        let translated = translator.translate(&program, &state.vertex(), Job::Vertex).expect("translates");
        let expected = translator.spirv(&translated).expect("a module");
        assert_eq!(words(&folder.join(name).with_extension("spv")), expected, "{name}");
    }
}
