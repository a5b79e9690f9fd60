//! What `cargo xtask install` lays out is found by CMake and by pkg-config, also after the prefix was moved.

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
    std::fs::rename(before, &prefix).expect("the prefix can be moved");
    prefix
}

#[track_caller]
fn works(program: &Path) {
    let text = run(&mut Command::new(program));
    assert_eq!(text, format!("transpica {}: a module\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn cmake_finds_both_libraries() {
    let prefix = prefix("cmake");
    let build = prefix.join("../build");
    run(Command::new("cmake")
        .arg("-S")
        .arg(here().join("tests/native/consumer"))
        .arg("-B")
        .arg(&build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    works(&build.join("with_static"));
    works(&build.join("with_shared"));
    let needed = run(Command::new("readelf").arg("-d").arg(build.join("with_shared")));
    assert!(needed.contains("[libtranspica.so.0.1]"), "{needed}");
}

#[test]
fn cmake_is_told_which_versions_are_compatible() {
    let prefix = prefix("versions");
    let version = prefix.join("lib/cmake/transpica/transpica-config-version.cmake");
    for (wanted, fits) in [("0.1", true), ("0.1.0", true), ("0.1.1", false), ("0.2", false), ("1", false)] {
        let script = prefix.join("../ask.cmake");
        let text = format!(
            "set(PACKAGE_FIND_VERSION {wanted})\ninclude({})\nmessage(\"fits: ${{PACKAGE_VERSION_COMPATIBLE}}\")\n",
            version.display()
        );
        std::fs::write(&script, text).expect("a script");
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
    let build = |name: &str, flags: Vec<String>| {
        let program = prefix.join("..").join(name);
        run(Command::new("cc")
            .arg(here().join("tests/native/consumer/main.c"))
            .args(flags)
            .arg("-o")
            .arg(&program));
        program
    };
    let shared = build("shared", flags(&["--cflags", "--libs"]));
    let text = run(Command::new(&shared).env("LD_LIBRARY_PATH", prefix.join("lib")));
    assert!(text.ends_with("a module\n"), "{text}");
    // The linker takes the shared library if both are there.
    std::fs::remove_file(prefix.join("lib/libtranspica.so")).expect("it is there");
    works(&build("static", flags(&["--static", "--cflags", "--libs"])));
}
