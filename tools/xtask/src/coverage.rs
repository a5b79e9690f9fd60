//! `cargo xtask coverage`: line coverage of the library by its tests, file by file.
//! Counts the tests of packages that need no GPU, without documentation examples. The compiler
//! counts, `cargo-llvm-cov` collects and leaves out files that are named for tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::ROOT;
use crate::{cargo, succeeds, symbols, target};

/// The collector, with the version whose options are used here.
const COLLECTOR: [&str; 3] = ["cargo-llvm-cov", "--version", "0.9.1"];
/// The toolchain component that reads the counts.
const COMPONENT: &str = "llvm-tools";
/// Packages whose tests exercise the library without a GPU; of their own files nothing is shown.
const TESTS: [&str; 8] = [
    "llvm-cov",
    "test",
    "--package",
    "transpica",
    "--all-features",
    "--no-fail-fast",
    "--ignore-filename-regex",
    "/tools/",
];
/// Required percentage of the library's lines.
const LEAST: &str = "95";

/// Runs the tests and prints the table, with the uncovered lines if requested.
pub fn run(uncovered: bool) -> Result<(), String> {
    let collector = install(&target()?.join("tools"))?;
    let missing = if uncovered { &["--show-missing-lines"][..] } else { &[] };
    let arguments = [&TESTS[..], &["--fail-under-lines", LEAST], missing].concat();
    println!("$ cargo {}", arguments.join(" "));
    if succeeds(Command::new(collector).args(arguments).current_dir(ROOT)) {
        return Ok(());
    }
    Err(format!("a test failed, or less than {LEAST} % of the lines ran"))
}

/// Installs missing tools and returns the collector's path.
fn install(folder: &Path) -> Result<PathBuf, String> {
    if !has_component() {
        let arguments = ["component", "add", COMPONENT];
        println!("$ rustup {}", arguments.join(" "));
        if !succeeds(Command::new("rustup").args(arguments)) {
            return Err(format!("this needs {COMPONENT}; install with: rustup component add {COMPONENT}"));
        }
    }
    let program = folder.join("bin").join(COLLECTOR[0]);
    let root = folder.to_str().ok_or("the target folder's name is not Unicode")?;
    let install = [&["install", "--locked", "--root", root], &COLLECTOR[..]].concat();
    if program.exists() || cargo(&install) {
        return Ok(program);
    }
    Err(format!("this needs {}; install with: cargo {}", COLLECTOR[0], install.join(" ")))
}

/// Returns whether the active toolchain can read the counts.
fn has_component() -> bool {
    let folder = symbols::rustc(&["--print", "target-libdir"]);
    folder.is_ok_and(|folder| Path::new(&folder).with_file_name("bin").join("llvm-cov").exists())
}
