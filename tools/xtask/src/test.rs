//! `cargo xtask test`: all tests and lints, then the GPU tests on a second driver if requested;
//! or the quick part of them.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::{cargo, packages, program, second_driver, tally, target};

pub fn run(second_driver: bool) -> ExitCode {
    match all(second_driver) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

/// Optimizes the workspace a little for a complete run: `limits`, `keys` and `disassembler` then
/// take less than half the time, which repays the longer build. A single `cargo test` builds faster
/// without.
pub const OPT_LEVEL: (&str, &str) = ("CARGO_PROFILE_DEV_OPT_LEVEL", "1");

/// Tests of the library that need no driver, no tool and little time.
const QUICK: [&str; 8] =
    ["layers", "prose", "recorded", "forms", "passes", "determinism", "registers", "instruction_page"];

/// Runs the tests that answer within minutes, and reports what they leave out.
pub fn quick() -> ExitCode {
    let mut line = vec!["test", "--package", "transpica", "--all-features", "--lib"];
    line.extend(QUICK.iter().flat_map(|test| ["--test", test]));
    if !cargo(&["fmt", "--all", "--check"]) || !cargo(&line) {
        return ExitCode::FAILURE;
    }
    println!(
        "Left out: GPU comparisons, tests of the tools, the other tests of the library, clippy, single features. \
         `cargo xtask test` runs them."
    );
    ExitCode::SUCCESS
}

fn all(second_driver: bool) -> Result<(), String> {
    packages::install_missing(packages::FOR_TESTS)?;
    if !lints() {
        return Err("a check of the code failed, see above".into());
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
    let status = Command::new(program()).args(arguments).envs([OPT_LEVEL]).env(tally::FILE, counts).status();
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
        && documentation()
}

/// Builds the documentation of the library; a link that does not resolve is an error.
fn documentation() -> bool {
    let line = ["doc", "--quiet", "--package", "transpica", "--no-deps", "--all-features"];
    println!("$ RUSTDOCFLAGS='-D warnings' cargo {}", line.join(" "));
    let status = Command::new(program()).args(line).env("RUSTDOCFLAGS", "-D warnings").status();
    let dead = target().ok().and_then(|target| dead_link(&target.join("doc/transpica")));
    if let Some(link) = &dead {
        eprintln!("a link to an item without a page: {link}");
    }
    status.is_ok_and(|status| status.success()) && dead.is_none()
}

/// Returns the first link of the rendered pages to an item without a page. rustdoc accepts links to
/// hidden items and then writes their path as the address.
fn dead_link(folder: &Path) -> Option<String> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).ok()?.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let text = fs::read_to_string(&path).ok()?;
                let mut addresses = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
                if let Some(address) =
                    addresses.find(|address| address.contains("::") || address.ends_with(".md"))
                {
                    return Some(format!("{}: {address}", path.display()));
                }
            }
        }
    }
    None
}
