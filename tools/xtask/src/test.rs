//! `cargo xtask test`: all tests, with a part of their cases or all; then the GPU tests on a second
//! driver if requested; or the quick part of them.

use std::fs;
use std::process::{Command, ExitCode};

use crate::{bare, cargo, needs, program, python, second_driver, tally, target};

/// Folder of the library's tests.
const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests");

/// Settings of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Every case instead of the daily tier's.
    all: bool,
    /// Then the GPU tests on the second driver.
    second_driver: bool,
    /// A missing requirement is an error.
    no_install: bool,
}

impl Options {
    /// Reads the flags; `None` if one of them is not known.
    pub fn parse(flags: &[&str]) -> Option<Self> {
        let mut options = Self::default();
        for &flag in flags {
            match flag {
                "--all" => options.all = true,
                "--second-driver" => options.second_driver = true,
                "--no-install" => options.no_install = true,
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Runs the task.
pub fn run(flags: &[&str]) -> Option<ExitCode> {
    let options = Options::parse(flags)?;
    Some(match all(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    })
}

/// Packages whose code takes most of the time of tests, optimized a little: `limits`, `keys` and
/// `disassembler` then take less than half the time, which repays the longer build. Programs of
/// tests themselves build faster without.
const OPTIMIZED: [&str; 5] =
    ["transpica", "transpica-prove", "transpica-generate", "transpica-containers", "transpica-gpu"];
/// Settings of a build that happens once rather than after each change.
const ONCE: [(&str, &str); 2] = [("CARGO_INCREMENTAL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "0")];

/// Returns a command that runs tests of the workspace. Every task that does uses it, so that they
/// share a build.
pub fn of_workspace() -> Command {
    let mut command = Command::new(program());
    for package in OPTIMIZED {
        command.args(["--config", &format!("profile.dev.package.{package}.opt-level=1")]);
    }
    command.args(["test", "--workspace", "--all-features", "--no-fail-fast"]).envs(ONCE);
    command
}

/// Variable that selects all cases.
pub const ALL: &str = "TRANSPICA_ALL";

/// Tests of the library that need little time to build and run.
const QUICK: [&str; 15] = [
    "carried_state",
    "control_flow",
    "dependencies",
    "determinism",
    "examples",
    "forms",
    "instruction_page",
    "jobs",
    "layers",
    "operation_page",
    "passes",
    "prose",
    "recorded",
    "registers",
    "surface",
];

/// Runs the tests that answer within minutes, and reports what they leave out.
pub fn quick() -> ExitCode {
    match quick_tests() {
        Ok(others) => {
            println!(
                "\nLeft out, and run by `cargo xtask test`: examples of the documentation, \
                 the tools and their comparisons on the GPU, and of the library's tests {}.",
                others.join(", ")
            );
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the quick tests; returns the names of the library's other tests.
fn quick_tests() -> Result<Vec<String>, String> {
    needs::install(&needs::of_tests()?, true)?;
    let mut line =
        vec!["test", "--package", "transpica", "--package", "transpica-tests", "--all-features", "--lib"];
    line.extend(QUICK.iter().flat_map(|test| ["--test", test]));
    if !cargo(&line) {
        return Err("see above".into());
    }
    let entries = fs::read_dir(TESTS).map_err(|error| format!("{TESTS}: {error}"))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names = names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned()));
    let mut others: Vec<String> = names.filter(|name| !QUICK.contains(&name.as_str())).collect();
    others.sort();
    Ok(others)
}

fn all(options: Options) -> Result<(), String> {
    // Whatever is missing is known before anything is compiled.
    let needs = needs::of_tests()?;
    needs::install(&needs, !options.no_install)?;
    let target = target()?;
    python::install_missing(&target, !options.no_install)?;
    let path = bare::path(&needs, &target)?;
    if path.is_none() {
        println!("No Debian here: programs that no list of requirements names are not noticed.");
    }
    let counts = tally::begin("tally.tsv")?;
    println!("$ {}cargo test --workspace --all-features", if options.all { "TRANSPICA_ALL=1 " } else { "" });
    let all = options.all.then_some((ALL, "1"));
    let mut tests = of_workspace();
    tests.env(tally::FILE, &counts).envs(all);
    tests.envs(path.map(|path| ("PATH", path)));
    match tests.status() {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("cargo test: {status}")),
        Err(error) => return Err(format!("cargo: {error}")),
    }
    tally::print(&counts)?;
    if options.second_driver {
        let counts = tally::begin("tally-second.tsv")?;
        second_driver::test(&counts, all)?;
        tally::print(&counts)?;
    }
    Ok(())
}
