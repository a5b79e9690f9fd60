//! Requirements of tests and tasks outside cargo: programs, libraries, headers, drivers, each
//! with its Debian package and its purpose.
//! In: the lists `needs.tsv`, one beside each package of tests that has requirements, or the table
//! of a task. Out: installed packages, or the line that installs them.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Root of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Name of the lists.
const LIST: &str = "needs.tsv";

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The Debian package.
    package: String,
    kind: Kind,
    /// The program, library, header or driver.
    name: String,
    /// Purpose, in a few words.
    purpose: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A program on the search path.
    Program,
    /// A shared library that the loader finds.
    Library,
    /// A header that compilers find.
    Header,
    /// A registered Vulkan driver with this beginning of its name, or `any`.
    Vulkan,
    /// A driver of OpenGL.
    OpenGl,
    /// Modules of Python, with commas.
    Python,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "program" => Self::Program,
            "library" => Self::Library,
            "header" => Self::Header,
            "vulkan" => Self::Vulkan,
            "opengl" => Self::OpenGl,
            "python" => Self::Python,
            _ => return None,
        })
    }
}

/// Reads a list: lines of package, kind, name and purpose, with tabs between them.
///
/// # Errors
/// The first line that is none.
pub fn parse(text: &str) -> Result<Vec<Need>, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let need = |line: &str| {
        let [package, kind, name, purpose] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        let [package, name, purpose] = [package, name, purpose].map(str::to_owned);
        Some(Need { package, kind: Kind::parse(kind)?, name, purpose })
    };
    lines.map(|line| need(line).ok_or_else(|| format!("not a requirement: {line:?}"))).collect()
}

/// Reads the lists of all packages of tests.
///
/// # Errors
/// A folder or a list that cannot be read.
pub fn of_tests() -> Result<Vec<Need>, String> {
    let root = Path::new(ROOT);
    let mut folders = vec![root.join("tests")];
    let tools = fs::read_dir(root.join("tools")).map_err(|error| format!("{ROOT}/tools: {error}"))?;
    for tool in tools.flatten() {
        folders.extend([tool.path(), tool.path().join("tests")]);
    }
    folders.sort();
    let mut needs = Vec::new();
    for list in folders.iter().map(|folder| folder.join(LIST)).filter(|list| list.exists()) {
        let text = fs::read_to_string(&list).map_err(|error| error.to_string());
        let found = text.and_then(|text| parse(&text));
        needs.extend(found.map_err(|error| format!("{}: {error}", list.display()))?);
    }
    Ok(needs)
}

/// Installs what is missing, as root or through sudo without a password.
///
/// # Errors
/// The line that installs it, if that is not allowed or does not succeed.
pub fn install(needs: &[Need], is_allowed: bool) -> Result<(), String> {
    let missing: Vec<&Need> = needs.iter().filter(|need| !is_there(need)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: BTreeSet<&str> = missing.iter().map(|need| need.package.as_str()).collect();
    let list: Vec<&str> = packages.iter().copied().collect();
    let line = format!("apt-get install -y --no-install-recommends {}", list.join(" "));
    let reasons: Vec<String> = packages.iter().map(|package| reason(package, &missing)).collect();
    let by_hand = format!("missing: {}\ninstall with: sudo {line}", reasons.join("; "));
    let Some(prefix) = privilege().filter(|_| is_allowed) else { return Err(by_hand) };
    println!("installing {}", reasons.join("; "));
    let apt = |arguments: &[&str]| {
        let words = [prefix, &["apt-get"], arguments].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive");
        command.status().is_ok_and(|status| status.success())
    };
    // An outdated package list may still be sufficient.
    apt(&["update", "-qq"]);
    let install = [&["install", "-y", "-qq", "--no-install-recommends"], &list[..]].concat();
    if !apt(&install) {
        return Err(by_hand);
    }
    match missing.into_iter().find(|need| !is_there(need)) {
        None => Ok(()),
        Some(Need { package, name, .. }) => Err(format!("{package} was installed, but {name} is not found")),
    }
}

/// Returns a package with the purposes that it is missing for.
fn reason(package: &str, missing: &[&Need]) -> String {
    let of_it = missing.iter().filter(|need| need.package == package);
    let purposes: BTreeSet<&str> = of_it.map(|need| need.purpose.as_str()).collect();
    format!("{package} ({})", purposes.into_iter().collect::<Vec<_>>().join(", "))
}

/// Returns the command in front of `apt-get`; `None` if it must not be called.
fn privilege() -> Option<&'static [&'static str]> {
    let succeeds = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    program("apt-get")?;
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if root {
        return Some(&[]);
    }
    succeeds(Command::new("sudo").args(["-n", "true"])).then_some(&["sudo", "-n", "--"])
}

fn is_there(need: &Need) -> bool {
    let name = need.name.as_str();
    match need.kind {
        Kind::Program => program(name).is_some(),
        Kind::Library => has_library(name),
        Kind::Header => has_header(name),
        // A driver that the environment names stands for all.
        Kind::Vulkan if name == "any" => is_driver_named() || is_registered(""),
        Kind::Vulkan => is_registered(name),
        // Newer versions of Mesa have one library for all drivers.
        Kind::OpenGl => has_driver(name) || has_library("libgallium"),
        Kind::Python => {
            let import = format!("import {name}");
            let python = Command::new("python3").args(["-c", &import]).output();
            python.is_ok_and(|output| output.status.success())
        }
    }
}

/// Returns the path of a program.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Returns whether the environment names a Vulkan driver.
fn is_driver_named() -> bool {
    ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|name| env::var_os(name).is_some())
}

/// Returns whether a Vulkan driver is registered in a file whose name begins like this.
fn is_registered(start: &str) -> bool {
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.any(|name| name.starts_with(start) && name.ends_with(".json"))
}

/// Returns whether Mesa's drivers of OpenGL have one of this name.
fn has_driver(name: &str) -> bool {
    let folders = ["/usr/lib/x86_64-linux-gnu/dri", "/usr/lib/aarch64-linux-gnu/dri", "/usr/lib64/dri"];
    let folders = folders.into_iter().chain(["/usr/lib/dri", "/usr/local/lib/dri"]);
    folders.into_iter().any(|folder| Path::new(folder).join(name).exists())
}

/// Returns whether compilers find a header.
fn has_header(name: &str) -> bool {
    let named = ["CPATH", "CPLUS_INCLUDE_PATH"].into_iter().filter_map(env::var_os);
    let mut folders: Vec<PathBuf> =
        named.flat_map(|paths| env::split_paths(&paths).collect::<Vec<_>>()).collect();
    folders.extend(["/usr/include", "/usr/local/include"].map(PathBuf::from));
    folders.iter().any(|folder| folder.join(name).exists())
}

/// Returns whether the loader's cache has a library.
fn has_library(name: &str) -> bool {
    let ldconfig = |path: &&str| Command::new(path).arg("-p").output().ok();
    let cache = ["/sbin/ldconfig", "ldconfig"].iter().find_map(ldconfig);
    let listed = cache.is_some_and(|output| String::from_utf8_lossy(&output.stdout).contains(name));
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib"];
    listed || folders.iter().any(|folder| Path::new(folder).join(name).exists())
}

/// Programs of the lists.
pub fn programs(needs: &[Need]) -> BTreeSet<&str> {
    needs.iter().filter(|need| need.kind == Kind::Program).map(|need| need.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_tests_are_read() {
        let needs = of_tests().expect("lists");
        assert!(programs(&needs).contains("spirv-val"), "{needs:?}");
        assert!(needs.iter().any(|need| need.name == "vulkan/vulkan.h"), "{needs:?}");
    }

    #[test]
    fn a_line_without_a_purpose_or_of_no_kind_is_an_error() {
        for text in ["gcc\tprogram\tcc", "gcc\tcompiler\tcc\tcompiles", ""] {
            assert_eq!(parse(&format!("# head\n{text}\n")), Err(format!("not a requirement: {text:?}")));
        }
    }

    #[test]
    fn what_is_missing_is_refused_with_its_line_and_its_purpose() {
        let text = "nothing-1\tprogram\tno-such-program\tcomputes\n\
                    nothing-2\theader\tno/such.h\tdeclares\n\
                    nothing-2\tlibrary\tlibnosuch.so.1\tlinks\n\
                    dash\tprogram\tsh\truns\n";
        assert_eq!(
            install(&parse(text).expect("a list"), false),
            Err("missing: nothing-1 (computes); nothing-2 (declares, links)\n\
                 install with: sudo apt-get install -y --no-install-recommends nothing-1 nothing-2"
                .into())
        );
        assert_eq!(install(&[], false), Ok(()));
    }
}
