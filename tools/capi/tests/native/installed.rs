//! CMake and pkg-config find the files of `cargo xtask install`, even after the prefix was moved,
//! CMake adds an unpacked archive of `cargo xtask dist` as a folder, and pkg-config finds it. They
//! build the program from the README. The folder of `cargo xtask vendor-capi` has every crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{built, folder, here, run};

/// A prefix with the libraries of this build.
fn prefix(name: &str) -> PathBuf {
    prefix_with(name, &[])
}

/// A prefix with what these arguments choose of this build.
fn prefix_with(name: &str, arguments: &[&str]) -> PathBuf {
    let folder = folder(name);
    let (before, prefix) = (folder.join("before"), folder.join("prefix"));
    run(Command::new(env!("CARGO"))
        .args(["xtask", "install"])
        .args(arguments)
        .arg("--built")
        .arg(built())
        .arg("--prefix")
        .arg(&before)
        .current_dir(here()));
    fs::rename(before, &prefix).expect("the prefix can be moved");
    assert!(prefix.join("include/transpica.hpp").exists());
    prefix
}

/// A project of two files next to a prefix.
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
    needs!("cc", "cmake", "make", "readelf");
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
    needs!("cc", "cmake", "make");
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
    needs!("cc", "pkg-config");
    builds_with_pkg_config(&prefix("pkg-config"));
}

#[test]
fn a_static_installation_has_no_shared_library() {
    needs!("cc", "pkg-config", "readelf");
    let prefix = prefix_with("static", &["--static"]);
    let files =
        fs::read_dir(prefix.join("lib")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = files.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["cmake", "libtranspica.a", "pkgconfig"]);
    let flags = run(Command::new("pkg-config")
        .args(["--static", "--cflags", "--libs", "transpica"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
    let (source, program) = (project(&prefix).join("main.c"), prefix.join("../program"));
    run(Command::new("cc").arg(source).args(flags.split_whitespace()).arg("-o").arg(&program));
    works(&mut Command::new(&program));
    let needed = run(Command::new("readelf").arg("-d").arg(&program));
    assert!(!needed.contains("transpica"), "{needed}");
}

#[test]
fn pkg_config_finds_an_unpacked_archive() {
    needs!("cc", "pkg-config", "tar");
    let folder = folder("dist-pkg-config");
    let packed = archive(&folder.join("out"));
    builds_with_pkg_config(&unpacked(&packed, &folder.join("prefix")));
}

/// Builds the program with the flags of pkg-config, with the shared library and without it.
#[track_caller]
fn builds_with_pkg_config(prefix: &Path) {
    let flags = |arguments: &[&str]| -> Vec<String> {
        let text = run(Command::new("pkg-config")
            .args(arguments)
            .arg("transpica")
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
        text.split_whitespace().map(str::to_owned).collect()
    };
    let source = project(prefix).join("main.c");
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

/// Writes the archive of this build's libraries.
fn archive(out: &Path) -> PathBuf {
    run(Command::new(env!("CARGO"))
        .args(["xtask", "dist", "--built"])
        .arg(built())
        .arg("--out")
        .arg(out)
        .current_dir(here()));
    let mut entries = fs::read_dir(out).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.find(|path| path.extension().is_some_and(|end| end == "gz")).expect("an archive")
}

/// Unpacks an archive to a prefix.
fn unpacked(packed: &Path, prefix: &Path) -> PathBuf {
    fs::create_dir(prefix).expect("a folder");
    run(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(packed).arg("-C").arg(prefix));
    prefix.to_path_buf()
}

#[test]
fn cmake_adds_an_unpacked_archive() {
    needs!("cc", "cmake", "make", "nm", "sha256sum", "tar");
    let folder = folder("dist");
    let out = folder.join("out");
    let packed = archive(&out);
    let again = archive(&folder.join("again"));
    assert_eq!(
        fs::read(&packed).expect("bytes"),
        fs::read(again).expect("bytes"),
        "the bytes depend on the time"
    );
    run(Command::new("sha256sum").arg("--check").arg(packed.with_extension("gz.sha256")).current_dir(&out));
    let prefix = unpacked(&packed, &folder.join("prefix"));
    let notices = fs::read_to_string(prefix.join("NOTICES")).expect("notices");
    assert!(notices.contains("\npetgraph ") && notices.contains("\nspirv "), "{notices}");
    let project = project(&prefix);
    let list = fs::read_to_string(project.join("CMakeLists.txt")).expect("a list");
    let list = list.replace("find_package(transpica 0.1 REQUIRED)", "add_subdirectory(../prefix transpica)");
    fs::write(project.join("CMakeLists.txt"), list).expect("a list");
    let build = folder.join("build");
    run(Command::new("cmake").arg("-S").arg(&project).arg("-B").arg(&build));
    run(Command::new("cmake").arg("--build").arg(&build));
    works(&mut Command::new(build.join("with_static")));
    works(&mut Command::new(build.join("with_shared")));
    let symbols =
        run(Command::new("nm").args(["-g", "--defined-only"]).arg(prefix.join("lib/libtranspica.a")));
    let names: Vec<&str> = symbols.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    assert!(names.contains(&"transpica_translate"), "{symbols}");
    let others: Vec<_> = names.iter().filter(|name| !name.starts_with("transpica_")).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// A build of the folder takes minutes; that cargo resolves it without network, from these crates
/// alone, is what a build needs of it.
#[test]
fn vendored_sources_have_every_crate() {
    let vendored = folder("vendor").join("transpica");
    run(Command::new(env!("CARGO")).args(["xtask", "vendor-capi"]).arg(&vendored).current_dir(here()));
    let metadata = run(Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--all-features", "--format-version", "1"])
        .current_dir(&vendored));
    let json = metadata.lines().find(|line| line.starts_with('{')).expect("a line of JSON");
    let resolved: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let packages = resolved["packages"].as_array().expect("a list");
    let root = fs::canonicalize(&vendored).expect("it is there");
    for package in packages {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        assert!(manifest.starts_with(&root) && manifest.exists(), "{} is elsewhere", manifest.display());
    }
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    for name in
        ["transpica", "transpica-capi", "transpica-draw", "transpica-settings", "spirv", "naga", "serde_json"]
    {
        assert!(names.contains(&name), "{name} is missing: {names:?}");
    }
    // The lock file names what any platform needs, and nothing for tests.
    let lock = fs::read_to_string(vendored.join("Cargo.lock")).expect("a text");
    let locked = lock.matches("[[package]]").count();
    assert_eq!(locked, packages.len(), "the lock file names other crates");
    let crates = fs::read_dir(vendored.join("vendor")).expect("a folder").count();
    assert_eq!(crates + 4, locked, "crates beside the four packages");
    assert!(!names.contains(&"wgpu") && !names.contains(&"cbindgen"), "{names:?}");
}
