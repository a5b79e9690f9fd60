//! Requirements of tests and tasks outside Cargo: the table `tests/needs.tsv`, and how a test asks
//! for a row of it.
//! In: names of the table. Out: whether they are here; a line on standard error about a test that
//! is left out. Test programs of several packages and `cargo xtask` include this file. `daily`:
//! the part of the cases that a test takes.

pub mod daily;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::Write as _;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Variable with which `cargo xtask test`, which installs everything, makes what is missing an
/// error.
pub const REQUIRED: &str = "TRANSPICA_REQUIRED";

/// One requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// Those who need it: `tests`, or a task.
    pub task: &'static str,
    /// A program, `python:` and modules, `vulkan`, `radv`, `opengl`, a library with `.so`, or a
    /// header.
    pub name: &'static str,
    /// Packages with spaces between them: Debian's, or PyPI's with `==` and a version.
    pub packages: &'static str,
    /// Purpose, in a few words.
    pub purpose: &'static str,
}

/// Reads the table.
///
/// # Panics
/// At a line that is not a requirement.
pub fn table() -> impl Iterator<Item = Need> {
    let lines = include_str!("../needs.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
        [task, name, packages, purpose] => Need { task, name, packages, purpose },
        _ => panic!("not a requirement: {line:?}"),
    })
}

impl Need {
    /// Returns whether this machine has it.
    pub fn is_here(&self) -> bool {
        match self.name {
            // Other systems bring an interface of their own, which wgpu takes.
            "vulkan" => !cfg!(target_os = "linux") || has_library("libvulkan.so.1") && has_driver(),
            "radv" => has_library("libvulkan.so.1") && is_registered("radeon_icd"),
            // Newer versions of Mesa have one library for all drivers.
            "opengl" => {
                ["libEGL.so.1", "libEGL_mesa.so.0"].into_iter().all(has_library)
                    && ["swrast_dri.so", "libgallium"].into_iter().any(has_library)
            }
            name if name.starts_with("python:") => {
                let import = format!("import {}", &name["python:".len()..]);
                let python = Command::new(python()).args(["-c", &import]).output();
                python.is_ok_and(|output| output.status.success())
            }
            name if name.contains(".so") => has_library(name),
            name if name.contains('/') => has_header(name),
            name => program(name).is_some(),
        }
    }

    /// Returns whether its packages are of PyPI.
    pub fn is_of_pypi(&self) -> bool {
        self.packages.contains("==")
    }
}

/// Returns whether a test has what it asks for. Otherwise the caller returns, and a line says so.
///
/// # Panics
/// For a name that the table lacks, and for what is missing although [`REQUIRED`] is set.
#[track_caller]
pub fn has(names: &[&str]) -> bool {
    let known = |name: &&str| table().find(|need| need.name == *name);
    let needs = names.iter().map(|name| known(name).unwrap_or_else(|| panic!("needs.tsv lacks {name}")));
    let Some(need) = needs.into_iter().find(|need| !need.is_here()) else { return true };
    let install = if need.is_of_pypi() { "pip install" } else { "apt-get install -y" };
    let text = format!("needs {} ({install} {})", need.name, need.packages);
    assert!(env::var_os(REQUIRED).is_none(), "{text}");
    leave_out(&text);
    false
}

/// Says on standard error, which the test runner captures from macros only, that the test leaves
/// something out; `cargo xtask test` says so at its end, too.
#[track_caller]
pub fn leave_out(reason: &str) {
    let thread = std::thread::current();
    // With one core, tests run on the main thread.
    let test = match thread.name() {
        None | Some("main") => Location::caller().to_string(),
        Some(name) => name.to_owned(),
    };
    let line = format!("left out: {test} {reason}\n");
    // A test may ask many times.
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        let _ = std::io::stderr().write_all(line.as_bytes());
        daily::append(&line);
    }
}

/// Ends a test, with a line, if something that it names is not here.
#[macro_export]
macro_rules! needs {
    ($($name:literal),+) => {
        if !$crate::needs::has(&[$($name),+]) {
            return;
        }
    };
}

/// Returns the path of a program.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Returns the Python of the target folder, which has packages of PyPI, or the system's.
pub fn python() -> PathBuf {
    let own = env::current_exe().unwrap_or_default();
    let own = own.ancestors().map(|folder| folder.join("python/bin/python3")).find(|path| path.exists());
    own.unwrap_or_else(|| "python3".into())
}

/// Variables of the Vulkan loader that name drivers: the name since version 1.3.207, and the
/// former one.
pub const NAMED_DRIVERS: [&str; 2] = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];

/// Returns the files by which packages register Vulkan drivers.
pub fn registered_drivers() -> impl Iterator<Item = PathBuf> {
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let entries = folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    entries.map(|entry| entry.path())
}

/// Returns whether the environment names a Vulkan driver, or one is registered.
fn has_driver() -> bool {
    NAMED_DRIVERS.iter().any(|name| env::var_os(name).is_some()) || is_registered("")
}

/// Returns whether a driver is registered with this beginning of its name.
fn is_registered(start: &str) -> bool {
    let mut names = registered_drivers().filter_map(|path| path.file_name()?.to_str().map(str::to_owned));
    names.any(|name| name.starts_with(start) && name.ends_with(".json"))
}

/// Returns whether compilers find a header.
fn has_header(name: &str) -> bool {
    let named = ["CPATH", "CPLUS_INCLUDE_PATH"].into_iter().filter_map(env::var_os);
    let named: Vec<PathBuf> = named.flat_map(|paths| env::split_paths(&paths).collect::<Vec<_>>()).collect();
    let usual = ["/usr/include", "/usr/local/include"].map(PathBuf::from);
    named.into_iter().chain(usual).any(|folder| folder.join(name).exists())
}

/// Returns whether the loader's cache has a library, or Mesa's folder of drivers.
fn has_library(name: &str) -> bool {
    let ldconfig = |path: &&str| Command::new(path).arg("-p").output().ok();
    let cache = ["/sbin/ldconfig", "ldconfig"].iter().find_map(ldconfig);
    let is_listed = cache.is_some_and(|output| String::from_utf8_lossy(&output.stdout).contains(name));
    let folders = ["x86_64-linux-gnu/dri", "aarch64-linux-gnu/dri", "dri", ""];
    let folders = folders.map(|folder| Path::new("/usr/lib").join(folder));
    let others = ["/usr/lib64", "/usr/lib64/dri", "/usr/local/lib"].map(PathBuf::from);
    is_listed || folders.into_iter().chain(others).any(|folder| folder.join(name).exists())
}
