//! `cargo xtask test`: all tests, with a part of their cases (the daily tier) or all; then the GPU
//! tests on a second driver if requested. It only tests: `check` has formatting and lints.

use std::process::Command;

use crate::{Failure, bare, needs, program, python, second_driver, size, speed, tally, target, wait};

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
pub fn run(flags: &[&str]) -> Result<(), Failure> {
    Ok(run_tests(Options::parse(flags).ok_or(Failure::Usage)?)?)
}

/// Packages whose code takes most of the time of tests, optimized a little: `limits`, `keys` and
/// `disassembler` then take less than half the time, which repays the longer build. Programs of
/// tests themselves build faster without.
const OPTIMIZED: [&str; 4] = ["transpica", "transpica-proof", "transpica-containers", "transpica-gpu"];
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

fn run_tests(options: Options) -> Result<(), String> {
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
    wait(&mut tests, "cargo test")?;
    tally::print(&counts)?;
    if options.all {
        speed::run()?;
        size::run()?;
    }
    if options.second_driver {
        let counts = tally::begin("tally-second.tsv")?;
        second_driver::test(&counts, all)?;
        tally::print(&counts)?;
    }
    Ok(())
}
