//! `cargo xtask test`: all tests and lints, then the GPU tests on a second driver if requested.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::{cargo, packages, program, second_driver, tally};

pub fn run(second_driver: bool) -> ExitCode {
    match all(second_driver) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn all(second_driver: bool) -> Result<(), String> {
    packages::install_missing(packages::FOR_TESTS)?;
    if !lints() {
        return Err("the code is not as it should be, see above".into());
    }
    let counts = tally::begin("tally.tsv")?;
    tests(&counts)?;
    tally::print(&counts)?;
    if second_driver {
        let counts = tally::begin("tally-second.tsv")?;
        second_driver::test(&counts)?;
        tally::print(&counts)?;
    }
    Ok(())
}

/// Runs every test of the workspace.
fn tests(counts: &Path) -> Result<(), String> {
    let arguments = ["test", "--workspace", "--all-features"];
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new(program()).args(arguments).env(tally::FILE, counts).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo test: {status}")),
        Err(error) => Err(format!("cargo: {error}")),
    }
}

/// Checks formatting, features and clippy.
fn lints() -> bool {
    // Every feature must compile alone, without help from the others.
    let features = ["", "spirv", "wgsl", "glsl", "hlsl", "msl", "asm", "serde"];
    let alone = |feature: &&str| {
        cargo(&["check", "--quiet", "--package", "transpica", "--no-default-features", "--features", feature])
    };
    let clippy =
        ["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--", "-D", "warnings"];
    let fuzz = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/Cargo.toml");
    cargo(&["fmt", "--all", "--check"])
        && cargo(&["fmt", "--check", "--manifest-path", fuzz])
        && features.iter().all(alone)
        // The C interface without any text.
        && cargo(&["check", "--quiet", "--package", "transpica-capi"])
        && cargo(&clippy)
}
