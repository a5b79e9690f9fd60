//! CMake and pkg-config find the files of `cargo xtask install`, even after the prefix was moved.
//! They build the program from the README.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{built, folder, here, run};

/// A prefix with the libraries of this build.
fn prefix(name: &str) -> PathBuf {
    let folder = folder(name);
    let (before, prefix) = (folder.join("before"), folder.join("prefix"));
    run(Command::new(env!("CARGO"))
        .args(["xtask", "install", "--built"])
        .arg(built())
        .arg("--prefix")
        .arg(&before)
        .current_dir(here()));
    fs::rename(before, &prefix).expect("the prefix can be moved");
    prefix
}

/// A project of two files beside a prefix.
fn project(prefix: &Path) -> PathBuf {
    let project = prefix.join("../project");
    fs::create_dir(&project).expect("a folder");
    let readme = fs::read_to_string(here().join("README.md")).expect("a text");
    let program = readme.split("```c\n").nth(1).and_then(|rest| rest.split("```").next());
    fs::write(project.join("main.c"), program.expect("the first program")).expect("a file");
    let list = "CMakeLists.txt";
    fs::copy(here().join("tests/native").join(list), project.join(list)).expect("a file");
    project
}

#[track_caller]
fn works(program: &mut Command) {
    let text = run(program);
    assert!(text.ends_with(" words, the first is 0x7230203\n"), "{text}");
}

#[test]
fn cmake_finds_both_libraries() {
    let prefix = prefix("cmake");
    let build = prefix.join("../build");
    run(Command::new("cmake")
        .arg("-S")
        .arg(project(&prefix))
        .arg("-B")
        .arg(&build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    works(&mut Command::new(build.join("with_static")));
    works(&mut Command::new(build.join("with_shared")));
    let needed = run(Command::new("readelf").arg("-d").arg(build.join("with_shared")));
    assert!(needed.contains("[libtranspica.so.0.1]"), "{needed}");
}

#[test]
fn cmake_checks_which_versions_are_compatible() {
    let prefix = prefix("versions");
    let version = prefix.join("lib/cmake/transpica/transpica-config-version.cmake");
    for (wanted, fits) in [("0.1", true), ("0.1.0", true), ("0.1.1", false), ("0.2", false), ("1", false)] {
        let script = prefix.join("../ask.cmake");
        let text = format!(
            "set(PACKAGE_FIND_VERSION {wanted})\ninclude({})\nmessage(\"fits: ${{PACKAGE_VERSION_COMPATIBLE}}\")\n",
            version.display()
        );
        fs::write(&script, text).expect("a script");
        let answer = run(Command::new("cmake").arg("-P").arg(&script));
        assert_eq!(answer.trim(), format!("fits: {}", if fits { "TRUE" } else { "FALSE" }), "{wanted}");
    }
}

#[test]
fn pkg_config_finds_both_libraries() {
    let prefix = prefix("pkg-config");
    let flags = |arguments: &[&str]| -> Vec<String> {
        let text = run(Command::new("pkg-config")
            .args(arguments)
            .arg("transpica")
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
        text.split_whitespace().map(str::to_owned).collect()
    };
    let source = project(&prefix).join("main.c");
    let build = |name: &str, flags: Vec<String>| {
        let program = prefix.join("..").join(name);
        run(Command::new("cc").arg(&source).args(flags).arg("-o").arg(&program));
        Command::new(program)
    };
    let mut shared = build("shared", flags(&["--cflags", "--libs"]));
    works(shared.env("LD_LIBRARY_PATH", prefix.join("lib")));
    // The linker prefers the shared library if both exist.
    fs::remove_file(prefix.join("lib/libtranspica.so")).expect("it is there");
    works(&mut build("static", flags(&["--static", "--cflags", "--libs"])));
}
