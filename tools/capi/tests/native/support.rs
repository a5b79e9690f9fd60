//! Requirements of the tests with programs in C and C++: compilers, the libraries of this build, a
//! folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The crate's folder.
pub fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// Every sample file, sorted.
pub fn samples() -> Vec<PathBuf> {
    let folder = fs::read_dir(here().join("../../shaders")).expect("the samples");
    let paths = folder.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "shbin")).collect();
    files.sort();
    files
}

/// Folder of this build's libraries: the test's own.
pub fn built() -> PathBuf {
    let program = std::env::current_exe().expect("a path");
    program.parent().expect("a folder").to_path_buf()
}

/// Libraries that a program needs besides the static one.
pub fn system_libraries() -> &'static [String] {
    static LIBRARIES: OnceLock<Vec<String>> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        // Our library needs no more than Rust's runtime, as an empty library does.
        let text = run(Command::new("rustc")
            .args(["--crate-type", "staticlib", "--print", "native-static-libs", "--out-dir"])
            .arg(folder("native"))
            .arg(here().join("tests/native/empty.rs")));
        let line = text.lines().find_map(|line| line.split_once("native-static-libs: ")).expect("a list").1;
        line.split_whitespace().map(str::to_owned).collect()
    })
}

/// Runs a program that must succeed; returns its output, errors included.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

/// A compiler with every warning enabled, and each of them an error.
pub fn compiler(program: &str, standard: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(format!("-std={standard}"));
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"]);
    command.arg("-I").arg(here().join("include"));
    command
}

/// The emulator host of `examples`, compiled once.
pub fn host() -> &'static Path {
    static HOST: OnceLock<PathBuf> = OnceLock::new();
    HOST.get_or_init(|| {
        let program = folder("examples").join("host");
        run(compiler("c++", "c++17")
            .arg("-pthread")
            .args(["host.cpp", "geometry.cpp", "compute.cpp"].map(|file| here().join("examples").join(file)))
            .arg(built().join("libtranspica_capi.a"))
            .args(system_libraries())
            .arg("-lvulkan")
            .arg("-o")
            .arg(&program));
        program
    })
}

/// Runs a program directly and under valgrind, which must find no leak and no wrong access; returns
/// its standard output.
#[track_caller]
pub fn run_watched(program: &Path, arguments: &[&Path]) -> String {
    let text = run(Command::new(program).args(arguments));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all"]);
    let known = here().join("tests/native/naga.supp");
    valgrind.arg("--errors-for-leak-kinds=all").arg(format!("--suppressions={}", known.display()));
    run(valgrind.arg(program).args(arguments));
    text
}
