//! `cargo xtask test`: all tests, with a part of their cases (the daily tier) or all; then the GPU
//! tests on a second driver if requested. It only tests: `check` has formatting and lints.

use std::process::Command;

use crate::needs::daily;
use crate::{Failure, bare, needs, program, run_line, second_driver, speed, tally, target, wait};

/// Runs the task.
pub fn run(flags: &[&str]) -> Result<(), Failure> {
    const KNOWN: [&str; 3] = ["--all", "--second-driver", "--no-install"];
    if flags.iter().any(|flag| !KNOWN.contains(flag)) {
        return Err(Failure::Usage);
    }
    Ok(run_tests(KNOWN.map(|flag| flags.contains(&flag)))?)
}

/// Returns a command that tests the workspace. Every task that does uses it, and so does a plain
/// `cargo test --workspace`, so that they share a build.
pub fn of_workspace() -> Command {
    let mut command = Command::new(program());
    command.args(["test", "--workspace", "--no-fail-fast"]).env(needs::REQUIRED, "1");
    command
}

fn run_tests([takes_all, on_second_driver, no_install]: [bool; 3]) -> Result<(), String> {
    // Whatever is missing is known before anything is compiled.
    let needs = ["tests"];
    if no_install {
        needs::check(needs::of(&needs))?
    } else {
        needs::install(&needs)?
    };
    // Tests have no network.
    run_line(Command::new(program()).args(["fetch", "--quiet", "--locked"]))?;
    let counts = tally::begin("tally.tsv")?;
    println!("$ {}cargo test --workspace", if takes_all { "TRANSPICA_ALL=1 " } else { "" });
    let all = takes_all.then_some((daily::ALL, "1"));
    let mut tests = of_workspace();
    bare::narrow(&mut tests, &target()?)?;
    tests.env(daily::COUNTS, &counts).env("CARGO_NET_OFFLINE", "true").envs(all);
    wait(&mut tests, "cargo test")?;
    tally::print(&counts)?;
    if takes_all {
        speed::run()?;
    }
    if on_second_driver {
        let counts = tally::begin("tally-second.tsv")?;
        second_driver::test(&counts, all)?;
        tally::print(&counts)?;
    }
    Ok(())
}
