//! The example crate builds and runs, in a folder with spaces, and builds again when its shader
//! changes. Mistakes are errors of cargo with their place, and nothing is written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use transpica_build::{Severity, shader};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/example");
const SHADER: &str = "shaders/lit.v.pica";

/// An empty folder whose name has spaces.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("build of {name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// Builds and runs the example; its crates come from the workspace.
fn run(folder: &Path) -> Output {
    Command::new(env!("CARGO"))
        .args(["run", "--offline"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("example"))
        .output()
        .expect("cargo runs")
}

#[test]
fn the_example_builds_runs_and_follows_its_shader() {
    let folder = folder("an example");
    for part in ["src", "shaders"] {
        fs::create_dir_all(folder.join(part)).expect("a folder");
    }
    for file in ["build.rs", "src/main.rs", SHADER] {
        fs::copy(Path::new(EXAMPLE).join(file), folder.join(file)).expect("a file of the example");
    }
    let manifest = fs::read_to_string(Path::new(EXAMPLE).join("Cargo.toml")).expect("a manifest");
    let manifest = manifest.replace("\"..\"", &format!("{:?}", env!("CARGO_MANIFEST_DIR")));
    fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("the versions of the workspace");

    let first = run(&folder);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let text = String::from_utf8_lossy(&first.stdout);
    assert!(text.contains("projection c0, light c4, is_lit b0"), "{text}");
    assert!(text.contains("28 of a vertex"), "{text}");

    let source = fs::read_to_string(folder.join(SHADER)).expect("the shader");
    let mistaken = source.replace("dp3 r0.xyz, light, r1", "dp3 r0.xyz, lights, r1");
    fs::write(folder.join(SHADER), mistaken).expect("written");
    let second = run(&folder);
    let text = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success(), "{text}");
    let line = source.lines().position(|line| line.contains("dp3 r0.xyz")).expect("the line") + 1;
    assert!(text.contains(&format!("{SHADER}:{line}:")) && text.contains("did you mean `light`?"), "{text}");
}

/// Writes sources and returns their paths.
fn sources(folder: &Path, texts: &[(&str, &str)]) -> Vec<PathBuf> {
    let write = |(name, text): &(&str, &str)| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("written");
        path
    };
    texts.iter().map(write).collect()
}

const GOOD: &str = ".fvec scale\n.out outpos position\n.proc main\n\tmul outpos, scale, v0\n\tend\n.end\n";
/// The w of the position is never written.
const DOUBTFUL: &str =
    ".fvec scale\n.out outpos position\n.proc main\n\tmul outpos.xyz, scale, v0\n\tend\n.end\n";

#[test]
fn findings_are_warnings_until_they_are_denied() {
    let folder = folder("findings");
    let paths = sources(&folder, &[("doubtful.v.pica", DOUBTFUL)]);
    let build = shader(&paths[0]);
    let bound = build.bind_in(&folder).expect("a warning only");
    let [message] = &bound.messages[..] else { panic!("{:?}", bound.messages) };
    assert_eq!((message.severity, message.line), (Severity::Warning, 4));
    assert!(message.to_string().ends_with("[output-not-written]"), "{message}");
    assert!(bound.shbin.is_file() && bound.module.is_file());
    for rule in ["output-not-written", "all"] {
        fs::remove_file(&bound.shbin).expect("was written");
        let failure = build.clone().deny(rule).bind_in(&folder).expect_err(rule);
        assert_eq!(failure.messages[0].severity, Severity::Error);
        assert!(!bound.shbin.exists(), "nothing is written");
        build.bind_in(&folder).expect("a warning only");
    }
    let failure = build.deny("output-unwritten").bind_in(&folder).expect_err("no such rule");
    assert!(failure.summary.contains("use all or mova-pair"), "{failure}");
}

#[test]
fn a_second_shader_of_one_name_is_an_error_before_anything_is_written() {
    let folder = folder("names");
    let paths = sources(&folder, &[("a/same.v.pica", GOOD), ("b/same.v.pica", DOUBTFUL)]);
    let first = shader(&paths[0]).bind_in(&folder).expect("the first");
    let before = fs::read(&first.shbin).expect("written");
    let failure = shader(&paths[1]).bind_in(&folder).expect_err("the name is taken");
    assert!(failure.summary.contains("two shaders are named same"), "{failure}");
    assert_eq!(fs::read(&first.shbin).expect("still there"), before);
    shader(&paths[1]).name("other").bind_in(&folder).expect("a name of its own");
    shader(&paths[0]).bind_in(&folder).expect("the same again");
}

#[test]
fn sources_are_executables_of_one_file() {
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let folder = folder("pairs");
    let build = shader(shaders.join("points.v.pica")).geometry(shaders.join("points.g.pica"));
    let bound = build.bind_in(&folder).expect("a pair");
    assert_eq!(
        fs::read(&bound.shbin).expect("written"),
        fs::read(shaders.join("points.shbin")).expect("a sample")
    );
    let module = fs::read_to_string(&bound.module).expect("written");
    assert!(module.contains("pub mod geometry") && module.contains("pub const STRIDE"), "{module}");
    let missing = shader(folder.join("missing.v.pica")).bind_in(&folder).expect_err("no source");
    assert!(missing.summary.contains("cannot be read"), "{missing}");
}

const WGSL: &str = "struct Scene { projection: mat4x4f, view: mat4x4f }
@group(0) @binding(0) var<uniform> scene: Scene;
@vertex fn main(@location(0) place: vec3f) -> @builtin(position) vec4f {
    let clip = scene.projection * scene.view;
    return clip * vec4f(place, 1.0);
}
";

#[test]
fn shaders_in_wgsl_have_bindings_and_code_of_the_host() {
    let folder = folder("wgsl");
    let paths = sources(&folder, &[("hero.wgsl", WGSL), ("wrong.wgsl", &WGSL.replace("vec3f)", "vec3h)"))]);
    let bound = shader(&paths[0]).bind_in(&folder).expect("in the subset");
    assert!(bound.shbin.ends_with("hero.shbin") && bound.messages.is_empty(), "{:?}", bound.messages);
    let main = "#![allow(dead_code)]\nmod hero;\nfn main() {\n    let one = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], \
                [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];\n    let mut two = one;\n    two[0][0] = 2.0;\n    let \
                registers = hero::host::update(&hero::host::Uniforms { projection: two, view: one });\n    \
                println!(\"{} {:?}\", hero::CLIP, registers.c[usize::from(hero::CLIP)]);\n}\n";
    fs::write(folder.join("main.rs"), main).expect("written");
    let program = folder.join("main");
    run_rustc(&folder, &program);
    let output = Command::new(&program).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0 [2.0, 0.0, 0.0, 0.0]\n");
    let failure = shader(&paths[1]).bind_in(&folder).expect_err("no such type");
    let [message] = &failure.messages[..] else { panic!("{:?}", failure.messages) };
    assert_eq!((message.line, message.file.ends_with("wrong.wgsl")), (3, true), "{message}");
}

/// Compiles `main.rs` of a folder.
fn run_rustc(folder: &Path, program: &Path) {
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-o"]).arg(program).arg(folder.join("main.rs"));
    let output = rustc.output().expect("rustc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
