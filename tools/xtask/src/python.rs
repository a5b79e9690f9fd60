//! Packages of PyPI for tests, in a virtual environment of the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::succeeds;

/// Packages for the test that spreads shards, with the versions that it was written for.
const PACKAGES: [&str; 2] = ["dask==2026.8.0", "distributed==2026.8.0"];

/// Installs the packages if they are missing.
///
/// # Errors
/// The line that installs them, if that is not allowed or does not succeed.
pub fn install_missing(target: &Path, is_allowed: bool) -> Result<(), String> {
    let folder = target.join("python");
    let python = folder.join("bin/python3");
    if python.exists() && succeeds(Command::new(&python).args(["-c", "import dask.distributed"])) {
        return Ok(());
    }
    let line =
        format!("python3 -m venv {0} && {0}/bin/pip install {1}", folder.display(), PACKAGES.join(" "));
    if is_allowed {
        println!("$ {line}");
    }
    let is_made = is_allowed && succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    if is_made && succeeds(Command::new(&python).args(pip).args(PACKAGES)) {
        return Ok(());
    }
    Err(format!("missing: Dask (spreads shards of a folder)\ninstall with: {line}"))
}

/// Solvers of `prove --smt`, with the versions that its answers are from.
const SOLVERS: [&str; 3] = ["bitwuzla==0.10.0", "cvc5==1.4.2", "z3-solver==5.4.1.0"];

/// Installs the solvers if they are missing. Returns the Python that has them.
///
/// # Errors
/// The environment cannot be made, or PyPI has not the packages.
pub fn solvers(target: &Path) -> Result<PathBuf, String> {
    Ok(environment(&target.join("solvers"), "bitwuzla, cvc5, z3", &SOLVERS)?.join("python3"))
}

/// Linters of `check`: GitHub's schemas of workflows and of forms, and what a workflow must not do.
const LINTERS: [&str; 2] = ["check-jsonschema==0.39.0", "zizmor==1.32.0"];

/// Installs the linters if they are missing. Returns the folder of their programs.
///
/// # Errors
/// The environment cannot be made, or PyPI has not the packages.
pub fn linters(target: &Path) -> Result<PathBuf, String> {
    environment(&target.join("linters"), "check_jsonschema", &LINTERS)
}

/// Installs packages in an environment of their own if their modules are missing. Returns the
/// folder of its programs.
fn environment(folder: &Path, modules: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let (programs, list) = (folder.join("bin"), packages.join(", "));
    let python = programs.join("python3");
    if !succeeds(Command::new(&python).args(["-c", &format!("import {modules}")])) {
        println!("installs {list} into {}", folder.display());
        let is_made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(folder));
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        if !is_made || !succeeds(Command::new(&python).args(pip).args(packages)) {
            return Err(format!("{}: {list} cannot be installed", folder.display()));
        }
    }
    Ok(programs)
}
