//! Installs what tests and tasks need outside cargo: rows of `tests/needs.tsv`.
//! In: names of tasks. Out: installed packages of Debian, and of PyPI in a virtual environment of
//! the target folder; or the lines that install them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

pub use table::{Need, REQUIRED, daily, program, python};

use crate::{run_line, target};

#[path = "../../../tests/needs/mod.rs"]
#[allow(dead_code, reason = "tests alone ask whether something is here")]
mod table;

/// Root of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Requirements of these tasks.
pub fn of<'a>(tasks: &'a [&str]) -> impl Iterator<Item = Need> + 'a {
    table::table().filter(|need| tasks.contains(&need.task))
}

/// Installs what is missing for these tasks, packages of Debian as root or through sudo without a
/// password.
///
/// # Errors
/// The lines that install it, if that is not allowed, or what does not succeed.
pub fn install(tasks: &[&str]) -> Result<(), String> {
    let missing: Vec<Need> = of(tasks).filter(|need| !need.is_here()).collect();
    let packages = packages(&missing, false);
    if !packages.is_empty() {
        let Some(prefix) = privilege() else { return Err(by_hand(&missing)) };
        println!("installing {}", reasons(&missing));
        let apt = |arguments: &[&str]| {
            let words = [prefix, &["apt-get"], arguments].concat();
            run_line(Command::new(words[0]).args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive"))
        };
        // An outdated package list may still be sufficient.
        let _ = apt(&["update", "-qq"]);
        let install = ["install", "-y", "-qq", "--no-install-recommends"];
        apt(&[&install[..], &packages].concat())?;
    }
    missing.iter().filter(|need| need.is_of_pypi()).try_for_each(install_python)?;
    missing.iter().find(|need| !need.is_here()).map_or(Ok(()), |Need { name, packages, .. }| {
        Err(format!("{packages}: installed, but {name} is not found"))
    })
}

/// Installs nothing.
///
/// # Errors
/// The lines that install what is missing.
pub fn check(needs: impl Iterator<Item = Need>) -> Result<(), String> {
    let missing: Vec<Need> = needs.filter(|need| !need.is_here()).collect();
    if missing.is_empty() { Ok(()) } else { Err(by_hand(&missing)) }
}

/// Returns the packages of requirements once, sorted.
fn packages(needs: &[Need], of_pypi: bool) -> Vec<&str> {
    let needs = needs.iter().filter(|need| need.is_of_pypi() == of_pypi);
    needs.flat_map(|need| need.packages.split(' ')).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the packages with the purposes that they are missing for.
fn reasons(missing: &[Need]) -> String {
    let reasons = missing.iter().map(|need| format!("{} ({})", need.packages, need.purpose));
    reasons.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("; ")
}

/// Returns the lines that install what is missing.
fn by_hand(missing: &[Need]) -> String {
    let mut text = format!("missing: {}\ninstall with:", reasons(missing));
    for (of_pypi, start) in
        [(false, "sudo apt-get install -y --no-install-recommends"), (true, "pip install")]
    {
        let packages = packages(missing, of_pypi);
        if !packages.is_empty() {
            text += &format!("\n{start} {}", packages.join(" "));
        }
    }
    text
}

/// Installs packages of PyPI into the environment of the target folder.
fn install_python(need: &Need) -> Result<(), String> {
    let folder = target()?.join("python");
    println!("installing {} ({}) into {}", need.packages, need.purpose, folder.display());
    let python = folder.join("bin/python3");
    if !python.exists() {
        run_line(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run_line(Command::new(python).args(pip).args(need.packages.split(' ')))
}

/// Returns the command in front of `apt-get`; `None` if it must not be called.
fn privilege() -> Option<&'static [&'static str]> {
    let output = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).output().ok();
    program("apt-get")?;
    if output("id", &["-u"])?.stdout.trim_ascii() == b"0" {
        return Some(&[]);
    }
    let sudo = output("sudo", &["-n", "true"])?;
    sudo.status.success().then_some(&["sudo", "-n", "--"])
}

/// Returns the folder of the programs of PyPI's packages.
pub fn python_programs() -> Result<PathBuf, String> {
    Ok(target()?.join("python/bin"))
}

/// Returns the programs that tasks may run.
pub fn programs(tasks: &[&str]) -> impl Iterator<Item = &'static str> {
    of(tasks).map(|need| need.name).filter(|name| program(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_has_requirements_and_the_table_is_read() {
        for task in ["tests", "web", "browser", "fuzz", "lint", "solve", "dxc"] {
            assert!(of(&[task]).count() > 0, "{task}");
        }
        assert!(programs(&["tests"]).any(|name| name == "sh"));
    }

    #[test]
    fn what_is_missing_is_refused_with_its_line_and_its_purpose() {
        let need = |name, packages, purpose| Need { task: "", name, packages, purpose };
        let needs = [
            need("no-such-program", "nothing-1", "computes"),
            need("no/such.h", "nothing-2 nothing-3", "declares"),
            need("sh", "dash", "runs"),
            need("python:no_such_module", "nothing==1", "counts"),
        ];
        let text = "missing: nothing-1 (computes); nothing-2 nothing-3 (declares); nothing==1 (counts)\n\
                    install with:\n\
                    sudo apt-get install -y --no-install-recommends nothing-1 nothing-2 nothing-3\n\
                    pip install nothing==1";
        assert_eq!(check(needs.into_iter()), Err(text.into()));
        assert_eq!(check([].into_iter()), Ok(()));
    }
}
