//! `smoke.c` as C11 and as C++17: builds without a warning, all its checks pass, valgrind finds
//! nothing, and the modules are those of the Rust interface.

use std::fs;
use std::path::Path;

use crate::support::{built, compiler, folder, here, run, run_watched, system_libraries};
use transpica::stages::container::Shbin;
use transpica::stages::host::Job;
use transpica::stages::host::dvle::{self, FileEnvironment};
use transpica::{Options, Profile, Translator};

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
}

#[test]
fn smoke_test_passes_in_c() {
    holds("cc", "c11", "c");
}

#[test]
fn smoke_test_passes_in_cpp() {
    holds("c++", "c++17", "c++");
}
