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

/// Installs the solvers in an environment of their own if they are missing. Returns its Python.
///
/// # Errors
/// The environment cannot be made, or PyPI has not the packages.
pub fn solvers(target: &Path) -> Result<PathBuf, String> {
    let folder = target.join("solvers");
    let python = folder.join("bin/python3");
    if !succeeds(Command::new(&python).args(["-c", "import bitwuzla, cvc5, z3"])) {
        println!("installs {} into {}", SOLVERS.join(", "), folder.display());
        let is_made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        if !is_made || !succeeds(Command::new(&python).args(pip).args(SOLVERS)) {
            return Err(format!("{}: the solvers cannot be installed", folder.display()));
        }
    }
    Ok(python)
}
