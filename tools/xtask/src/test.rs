//! `cargo xtask test`: all tests and lints, then the GPU tests on a second driver if requested;
//! or the quick part of them.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::{cargo, packages, program, python, second_driver, tally, target};

/// Folder of the library's tests.
const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests");

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
/// without. Every task that builds tests of the whole workspace sets it, so that they share a
/// build.
pub const OPT_LEVEL: (&str, &str) = ("CARGO_PROFILE_DEV_OPT_LEVEL", "1");

/// Tests of the library that need little time to build and run.
const QUICK: [&str; 15] = [
    "carried_state",
    "control_flow",
    "dependencies",
    "determinism",
    "examples",
    "forms",
    "instruction_page",
    "jobs",
    "layers",
    "operation_page",
    "passes",
    "prose",
    "recorded",
    "registers",
    "surface",
];

/// Runs the tests that answer within minutes, and reports what they leave out.
pub fn quick() -> ExitCode {
    match quick_tests() {
        Ok(others) => {
            println!(
                "\nLeft out, and run by `cargo xtask test`: clippy, single features, documentation and its examples, \
                 the tools and their comparisons on the GPU, and of the library's tests {}.",
                others.join(", ")
            );
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the quick tests; returns the names of the library's other tests.
fn quick_tests() -> Result<Vec<String>, String> {
    packages::install_missing(&["spirv-tools"])?;
    let mut line =
        vec!["test", "--package", "transpica", "--package", "transpica-tests", "--all-features", "--lib"];
    line.extend(QUICK.iter().flat_map(|test| ["--test", test]));
    if !cargo(&["fmt", "--all", "--check"]) || !cargo(&line) {
        return Err("see above".into());
    }
    let entries = fs::read_dir(TESTS).map_err(|error| format!("{TESTS}: {error}"))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names = names.filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned()));
    let mut others: Vec<String> = names.filter(|name| !QUICK.contains(&name.as_str())).collect();
    others.sort();
    Ok(others)
}

fn all(second_driver: bool) -> Result<(), String> {
    packages::install_missing(packages::FOR_TESTS)?;
    python::install_missing(&target()?)?;
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
    let features = ["", "spirv", "spirv-asm", "wgsl", "glsl", "naga", "hlsl", "msl", "asm", "serde", "simd"];
    let alone = |feature: &&str| {
        cargo(&["check", "--quiet", "--package", "transpica", "--no-default-features", "--features", feature])
    };
    // And the command line without a GPU.
    let command =
        ["clippy", "--quiet", "--package", "transpica-cli", "--no-default-features", "--", "-D", "warnings"];
    let clippy =
        ["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--", "-D", "warnings"];
    let fuzz = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/Cargo.toml");
    cargo(&["fmt", "--all", "--check"])
        && cargo(&["fmt", "--check", "--manifest-path", fuzz])
        && features.iter().all(alone)
        && cargo(&command)
        // The C interface without any text.
        && cargo(&["check", "--quiet", "--package", "transpica-capi"])
        && cargo(&clippy)
        && documentation()
}

/// Builds the documentation of the library; a link that does not resolve is an error.
fn documentation() -> bool {
    match documentation_pages() {
        Ok(()) => true,
        Err(text) => {
            eprintln!("{text}");
            false
        }
    }
}

fn documentation_pages() -> Result<(), String> {
    let pages = target()?.join("doc/transpica");
    // Otherwise pages of items that are gone would stay. cargo makes the folder anew.
    let _ = fs::remove_dir_all(&pages);
    let line = ["doc", "--quiet", "--package", "transpica", "--no-deps", "--all-features"];
    println!("$ RUSTDOCFLAGS='-D warnings' cargo {}", line.join(" "));
    let status = Command::new(program()).args(line).env("RUSTDOCFLAGS", "-D warnings").status();
    if !status.is_ok_and(|status| status.success()) {
        return Err("the documentation cannot be built, see above".into());
    }
    match dead_link(&pages) {
        Ok(None) => Ok(()),
        Ok(Some(link)) => Err(format!("a link to an item without a page: {link}")),
        Err(error) => Err(format!("{}: {error}", pages.display())),
    }
}

/// Returns the first link of the rendered pages to an item without a page. rustdoc accepts links to
/// hidden items and then writes their path as the address.
///
/// # Errors
/// A file that cannot be read, or a folder without a first page.
fn dead_link(folder: &Path) -> io::Result<Option<String>> {
    fs::metadata(folder.join("index.html"))?;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let text = fs::read_to_string(&path)?;
                let mut addresses = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
                let is_dead = |address: &&str| address.contains("::") || address.ends_with(".md");
                if let Some(address) = addresses.find(is_dead) {
                    return Ok(Some(format!("{}: {address}", path.display())));
                }
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of pages, removed at the end.
    struct Pages(std::path::PathBuf);

    impl Pages {
        fn new(name: &str, pages: &[(&str, &str)]) -> Self {
            let folder = std::env::temp_dir().join(format!("transpica-{}-{name}", std::process::id()));
            fs::create_dir_all(folder.join("inner")).expect("a folder");
            pages.iter().for_each(|(path, text)| fs::write(folder.join(path), text).expect("a page"));
            Self(folder)
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn links_to_pages_are_alive() {
        let index =
            ("index.html", r#"<a href="inner/struct.A.html">A</a> <a href="https://docs.rs">docs</a>"#);
        let pages =
            Pages::new("alive", &[index, ("inner/struct.A.html", r#"<a href="../index.html">up</a>"#)]);
        assert_eq!(dead_link(&pages.0).expect("readable"), None);
    }

    #[test]
    fn a_path_or_a_source_file_as_address_is_found_in_every_folder() {
        for address in ["transpica::stages::isa", "README.md"] {
            let page = format!(r#"<a href="{address}">isa</a>"#);
            let pages = Pages::new("dead", &[("index.html", ""), ("inner/page.html", &page)]);
            let found = dead_link(&pages.0).expect("readable");
            assert!(found.is_some_and(|found| found.ends_with(&format!("page.html: {address}"))));
        }
    }

    #[test]
    fn pages_that_are_not_there_are_an_error() {
        let pages = Pages::new("empty", &[]);
        assert!(dead_link(&pages.0).is_err());
    }
}
