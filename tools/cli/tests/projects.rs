//! Build systems that call `asm`: the projects of `tools/build/example`, in a folder with spaces.
//! Each builds, runs, and builds again when its shader changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs;
use crate::support::{folder, root};

const SHADER: &str = "shaders/lit.v.pica";

/// A copy of the project.
fn project(name: &str) -> PathBuf {
    let folder = folder(&format!("project of {name}"));
    fs::create_dir_all(folder.join("shaders")).expect("a folder");
    for file in ["main.c", "Makefile", "CMakeLists.txt", SHADER] {
        fs::copy(root().join("tools/build/example").join(file), folder.join(file)).expect("a file");
    }
    folder
}

/// Runs a program in the project, which must succeed.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let ran = Command::new(program).args(arguments).current_dir(folder).output().expect(program);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{program}: {text}\n{}", String::from_utf8_lossy(&ran.stderr));
    text
}

/// Builds, runs, changes the shader so that registers move, builds and runs again.
fn check(folder: &Path, build: &dyn Fn()) {
    let start = || run(folder, "./out/lit", &[]);
    build();
    assert_eq!(start(), "projection c0, light c4, is_lit b0\n28 bytes of a vertex\n");
    let source = fs::read_to_string(folder.join(SHADER)).expect("the shader");
    fs::write(folder.join(SHADER), format!(".fvec first\n{source}")).expect("written");
    build();
    assert_eq!(start(), "projection c1, light c5, is_lit b0\n28 bytes of a vertex\n");
}

#[test]
fn make_follows_the_shader() {
    needs!("make", "cc");
    let folder = project("make");
    let tool = format!("TRANSPICA={}", env!("CARGO_BIN_EXE_transpica"));
    check(&folder, &|| {
        run(&folder, "make", &[&tool]);
    });
    run(&folder, "make", &["--question", &tool]);
}

#[test]
fn cmake_follows_the_shader() {
    needs!("cmake", "make", "cc");
    let folder = project("cmake");
    let tool = format!("-DTRANSPICA={}", env!("CARGO_BIN_EXE_transpica"));
    run(&folder, "cmake", &["-B", "out", &tool]);
    check(&folder, &|| {
        run(&folder, "cmake", &["--build", "out"]);
    });
}
