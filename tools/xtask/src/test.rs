//! `cargo xtask test`: all tests, with a part of their cases (the daily tier) or all; then the GPU
//! tests on a second driver if requested. It only tests: `check` has formatting and lints.

use std::process::Command;

use crate::{Failure, bare, needs, program, run_line, second_driver, speed, tally, target, wait};

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

/// Returns a command that tests the workspace. Every task that does uses it, and so does a plain
/// `cargo test --workspace`, so that they share a build.
pub fn of_workspace() -> Command {
    let mut command = Command::new(program());
    command.args(["test", "--workspace", "--no-fail-fast"]).env(needs::REQUIRED, "1");
    command
}

/// Variable that selects all cases.
pub const ALL: &str = "TRANSPICA_ALL";

fn run_tests(options: Options) -> Result<(), String> {
    // Whatever is missing is known before anything is compiled.
    let needs = ["tests"];
    if options.no_install {
        needs::check(needs::of(&needs))?
    } else {
        needs::install(&needs)?
    };
    // Tests have no network.
    run_line(Command::new(program()).args(["fetch", "--quiet", "--locked"]))?;
    let counts = tally::begin("tally.tsv")?;
    println!("$ {}cargo test --workspace", if options.all { "TRANSPICA_ALL=1 " } else { "" });
    let all = options.all.then_some((ALL, "1"));
    let mut tests = of_workspace();
    bare::narrow(&mut tests, &target()?)?;
    tests.env(tally::FILE, &counts).env("CARGO_NET_OFFLINE", "true").envs(all);
    wait(&mut tests, "cargo test")?;
    tally::print(&counts)?;
    if options.all {
        speed::run()?;
    }
    if options.second_driver {
        let counts = tally::begin("tally-second.tsv")?;
        second_driver::test(&counts, all)?;
        tally::print(&counts)?;
    }
    Ok(())
}
