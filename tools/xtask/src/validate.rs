//! `cargo xtask validate`: Tint, Chromium's reader of WGSL, reads every text that the tests write.
//! It comes with the npm package of Dawn, into the target folder, and needs no GPU.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::{cargo, packages, target};

/// The package, with the version that the script was written for.
const PACKAGE: &str = "webgpu@0.6.2";
const SCRIPT: &str = include_str!("tint.mjs");
/// Texts that people read, kept in the repository.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/wgsl");

pub fn run() -> ExitCode {
    // The test that reads the texts with naga leaves them in the target folder.
    if !cargo(&["test", "--workspace", "--all-features", "--test", "wgsl_corpus"]) {
        return ExitCode::FAILURE;
    }
    let target = match target().and_then(|target| install(&target.join("tint")).map(|()| target)) {
        Ok(target) => target,
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::from(3);
        }
    };
    println!("$ node tint.mjs");
    let read = Command::new("timeout")
        .args(["600", "node", "tint.mjs"])
        .arg(target.join("tmp/wgsl"))
        .arg(CASES)
        .current_dir(target.join("tint"))
        .status();
    if read.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Puts Tint and the script that calls it into a folder.
fn install(folder: &Path) -> Result<(), String> {
    packages::install_missing(packages::FOR_TINT)?;
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(io)?;
    fs::write(folder.join("tint.mjs"), SCRIPT).map_err(io)?;
    if folder.join("node_modules/webgpu").exists() {
        return Ok(());
    }
    println!("$ npm install {PACKAGE}");
    let install = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix", ".", PACKAGE])
        .current_dir(folder)
        .status();
    if install.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    let _ = fs::remove_dir_all(folder.join("node_modules"));
    Err(format!("npm cannot install {PACKAGE} in {}: Tint was not asked", folder.display()))
}
