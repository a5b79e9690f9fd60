//! `cargo xtask test`: everything that must hold, then the GPU tests on a second driver if asked for.

use std::process::ExitCode;

use crate::{cargo, packages, second_driver};

pub fn run(second_driver: bool) -> ExitCode {
    if let Err(text) = packages::install_missing(packages::FOR_TESTS) {
        eprintln!("{text}");
        return ExitCode::FAILURE;
    }
    if !(lints() && cargo(&["test", "--workspace", "--all-features"])) {
        return ExitCode::FAILURE;
    }
    if second_driver && let Err(text) = second_driver::test() {
        eprintln!("{text}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Formatting, features and clippy.
fn lints() -> bool {
    // Every feature must stand alone: who takes one gets nothing of the others.
    let features = ["", "spirv", "wgsl", "glsl", "hlsl", "msl", "asm", "serde"];
    let alone = |feature: &&str| {
        cargo(&["check", "--quiet", "--package", "transpica", "--no-default-features", "--features", feature])
    };
    let clippy =
        ["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--", "-D", "warnings"];
    cargo(&["fmt", "--all", "--check"]) && features.iter().all(alone) && cargo(&clippy)
}
