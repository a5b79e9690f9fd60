//! Tasks of the project: `cargo xtask test` installs what the tests need and runs all of them.

mod packages;

use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask test

  test   installs a software Vulkan driver and spirv-tools where they are missing (Debian, Ubuntu),
         then checks formatting, lints, features, and runs every test";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test(),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Cargo with its arguments; true if it succeeded.
fn cargo(arguments: &[&str]) -> bool {
    println!("$ cargo {}", arguments.join(" "));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Command::new(cargo).args(arguments).status().is_ok_and(|status| status.success())
}

fn test() -> ExitCode {
    if let Err(text) = packages::install_missing() {
        eprintln!("{text}");
        return ExitCode::FAILURE;
    }
    // Every feature must stand alone: who takes one gets nothing of the others.
    let features = ["", "spirv", "wgsl", "glsl", "hlsl", "msl", "asm", "serde"];
    let alone = |feature: &&str| {
        cargo(&["check", "--quiet", "--package", "transpica", "--no-default-features", "--features", feature])
    };
    let passed = cargo(&["fmt", "--all", "--check"])
        && features.iter().all(alone)
        && cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ])
        && cargo(&["test", "--workspace", "--all-features"]);
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
