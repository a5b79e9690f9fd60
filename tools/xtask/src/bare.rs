//! A search path with nothing but what a bare system has and what the tests require, so that a test
//! whose program is in no list fails on every machine.
//! In: the requirements. Out: a folder of links in the target folder. Facts: Debian's essential
//! packages are on every system; a C compiler and git come with Rust's instructions and the clone.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::needs::{self, Need};

/// Packages that a clone and Rust need, besides the essential ones.
const GIVEN: [&str; 4] = ["gcc", "binutils", "git", "ca-certificates"];

/// Makes the folder anew and returns the search path; `None` on a system that is not Debian's.
///
/// # Errors
/// A folder that cannot be written.
pub fn path(needs: &[Need], target: &Path) -> Result<Option<OsString>, String> {
    let Some(mut names) = essential() else { return Ok(None) };
    names.extend(needs::programs(needs).into_iter().map(str::to_owned));
    let folder = target.join("bare");
    let io = |error: io::Error| format!("{}: {error}", folder.display());
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(io)?;
    for name in names {
        if let Some(path) = needs::program(&name) {
            link(&path, &folder.join(name)).map_err(io)?;
        }
    }
    // Rust's own programs.
    let rust = env::var_os("CARGO").and_then(|cargo| Some(Path::new(&cargo).parent()?.to_path_buf()));
    let rustup = needs::program("cargo").and_then(|cargo| Some(cargo.parent()?.to_path_buf()));
    let folders = [Some(folder.clone()), rust, rustup].into_iter().flatten();
    env::join_paths(folders).map(Some).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Makes a program available under another path. A script may look for files beside itself, so that
/// another script runs it.
#[cfg(unix)]
fn link(program: &Path, path: &Path) -> io::Result<()> {
    use std::fs::{File, Permissions};
    use std::io::Read as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let mut start = [0; 2];
    let is_script = File::open(program)?.read(&mut start)? == 2 && start == *b"#!";
    if !is_script {
        return symlink(program, path);
    }
    fs::write(path, format!("#!/bin/sh\nexec {} \"$@\"\n", program.display()))?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// Links nothing: Debian is a Unix, so no other system has its packages.
#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Lists the programs of the packages that every system has.
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
