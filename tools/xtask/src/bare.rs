//! The view that tests have: a search path with nothing except for what a bare system has, what
//! `tests/needs.tsv` lists, and Rust as rustup installs it by itself. A test that uses another
//! program, target or component fails on every machine.
//! In: the requirements. Out: a folder of links in the target folder. Facts: Debian's essential
//! packages are on every system; a C compiler and git come with Rust's instructions and the clone;
//! rustup lists the files of each component.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{needs, symbols};

/// Packages that a clone and Rust need, besides the essential ones.
const GIVEN: [&str; 4] = ["gcc", "binutils", "git", "ca-certificates"];
/// Components of every installation by rustup, for one target.
const COMPONENTS: [&str; 3] = ["cargo", "rustc", "rust-std"];

/// Makes the folder anew and gives a command this view; on a system that is not Debian's, or with a
/// Rust that is not rustup's, a part of it.
///
/// # Errors
/// A folder that cannot be written.
pub fn narrow(command: &mut Command, target: &Path) -> Result<(), String> {
    if cfg!(not(unix)) {
        println!("No Unix here: tests see everything that this machine has.");
        return Ok(());
    }
    let folder = target.join("bare");
    let _ = fs::remove_dir_all(&folder);
    let [programs, rust] = ["bin", "rust"].map(|name| folder.join(name));
    let io = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&programs).map_err(io)?;
    let sysroot = PathBuf::from(symbols::rustc(&["--print", "sysroot"])?);
    let mut path = vec![needs::python_programs()?, programs.clone()];
    if link_rust(&sysroot, &symbols::host()?, &rust).map_err(io)? {
        for name in ["rustc", "rustdoc"] {
            let program = sysroot.join("bin").join(name);
            let line = format!("exec {} --sysroot {} \"$@\"", program.display(), rust.display());
            script(&programs.join(name), &line).map_err(io)?;
            command.env(name.to_uppercase(), programs.join(name));
        }
        link(&sysroot.join("bin/cargo"), &programs.join("cargo")).map_err(io)?;
    } else {
        println!("This Rust is not rustup's: tests that need another target of it are not noticed.");
        path.push(sysroot.join("bin"));
    }
    if let Some(mut names) = essential() {
        names.extend(needs::programs(&["tests"]).map(str::to_owned));
        for name in names {
            needs::program(&name).map_or(Ok(()), |path| link(&path, &programs.join(name))).map_err(io)?;
        }
        path.extend(hidden(&programs).map_err(io)?);
    } else {
        println!("No Debian here: programs that tests/needs.tsv does not list are not noticed.");
        path.extend(env::var_os("PATH").iter().flat_map(env::split_paths));
    }
    command.env("PATH", env::join_paths(path).map_err(|error| format!("{}: {error}", folder.display()))?);
    Ok(())
}

/// Links the files of a Rust with one target; returns whether rustup's lists name them.
fn link_rust(sysroot: &Path, host: &str, to: &Path) -> io::Result<bool> {
    for component in COMPONENTS {
        let list = sysroot.join(format!("lib/rustlib/manifest-{component}-{host}"));
        let Ok(list) = fs::read_to_string(list) else { return Ok(false) };
        for file in list.lines().filter_map(|line| line.strip_prefix("file:")) {
            let path = to.join(file);
            fs::create_dir_all(path.parent().unwrap_or(to))?;
            symlink(&sysroot.join(file), &path)?;
        }
    }
    Ok(true)
}

/// Puts a program that fails in front of each of Cargo's own folder, where Cargo looks for
/// subcommands in any case; returns that folder.
fn hidden(programs: &Path) -> io::Result<Option<PathBuf>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let Some(folder) = home.map(|home| home.join("bin")) else { return Ok(None) };
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let path = programs.join(entry.file_name());
        if !path.exists() {
            let name = entry.file_name();
            script(&path, &format!("echo '{}: tests do not have this' >&2; exit 127", name.display()))?;
        }
    }
    Ok(Some(folder))
}

/// Makes a program available under another path. A script may look for files beside itself, so that
/// another script runs it.
fn link(program: &Path, path: &Path) -> io::Result<()> {
    use std::io::Read as _;
    let mut start = [0; 2];
    let is_script = fs::File::open(program)?.read(&mut start)? == 2 && start == *b"#!";
    if is_script {
        script(path, &format!("exec {} \"$@\"", program.display()))
    } else {
        symlink(program, path)
    }
}

#[cfg(unix)]
fn script(path: &Path, line: &str) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    // Debian's `sh` drops variables such as CARGO_BIN_EXE_transpica-bench; bash is essential, too.
    fs::write(path, format!("#!/bin/bash\n{line}\n"))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(unix)]
fn symlink(to: &Path, at: &Path) -> io::Result<()> {
    let _ = fs::remove_file(at);
    std::os::unix::fs::symlink(to, at)
}

/// Writes nothing: Debian is a Unix, so no other system has its packages.
#[cfg(not(unix))]
fn script(_: &Path, _: &str) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Lists the programs of the packages that every system has; `None` on a system that is not
/// Debian's.
fn essential() -> Option<BTreeSet<String>> {
    let text = output("dpkg-query", &["--show", "--showformat", "${Essential} ${Package}\n"])?;
    let essential = text.lines().filter_map(|line| line.strip_prefix("yes "));
    let packages: Vec<&str> = essential.chain(GIVEN).collect();
    let mut names = BTreeSet::new();
    for package in packages {
        let files = output("dpkg-query", &["--listfiles", package]).unwrap_or_default();
        let programs = files.lines().filter_map(|file| file.rsplit_once("/bin/"));
        names.extend(programs.map(|(_, name)| name.to_owned()));
    }
    Some(names)
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_rust_has_the_files_of_its_components_and_no_other_target() {
        let folder = env::temp_dir().join(format!("transpica-{}-rust", std::process::id()));
        let [from, to] = ["from", "to"].map(|name| folder.join(name));
        fs::create_dir_all(from.join("lib/rustlib/other/lib")).expect("a folder");
        assert!(!link_rust(&from, "host", &to).expect("read"), "without lists");
        for component in COMPONENTS {
            let list = format!("file:bin/{component}\nfile:lib/rustlib/host/{component}\ndir:share\n");
            fs::write(from.join(format!("lib/rustlib/manifest-{component}-host")), list).expect("a list");
        }
        assert!(link_rust(&from, "host", &to).expect("linked"));
        let has = |path: &str| to.join(path).is_symlink();
        assert!(has("bin/rustc") && has("lib/rustlib/host/rust-std"));
        assert!(!to.join("lib/rustlib/other").exists() && !to.join("share").exists());
        fs::remove_dir_all(&folder).expect("removed");
    }
}
