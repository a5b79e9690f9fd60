//! `cargo xtask check`: formatting, lints, documentation, workflows; with `--alone` each feature
//! and each package by itself instead. Runs no test.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::{self, ROOT};
use crate::{cargo, install, program, run_line, target};

/// Packages whose documentation hosts read, each after those that it links to.
const DOCUMENTED: [&str; 3] = ["transpica", "transpica-asm", "transpica-draw"];

/// GitHub's schemas, as the linter names them, with their files.
const SCHEMAS: [(&str, &[&str]); 3] = [
    ("vendor.github-workflows", &["workflows/ci.yml", "workflows/release.yml"]),
    ("vendor.github-issue-forms", &["ISSUE_TEMPLATE/wrong.yml", "ISSUE_TEMPLATE/crash.yml"]),
    ("vendor.github-issue-config", &["ISSUE_TEMPLATE/config.yml"]),
];

/// Runs the task.
pub fn run() -> Result<(), String> {
    if !check_workspace() {
        return Err("a check of the code failed, see above".into());
    }
    documentation()?;
    workflows()
}

/// Lints the workflows and forms of GitHub.
///
/// # Errors
/// A finding. Where PyPI cannot be reached, a line says what was left out.
fn workflows() -> Result<(), String> {
    if let Err(text) = needs::install(&["lint"]) {
        println!("left out: no linter saw the workflows: {text}");
        return Ok(());
    }
    let linters = needs::python_programs()?;
    let folder = Path::new(ROOT).join(".github");
    for (schema, files) in SCHEMAS {
        let mut linter = Command::new(linters.join("check-jsonschema"));
        run_line(linter.args(["--builtin-schema", schema]).args(files).current_dir(&folder))?;
    }
    let offline = ["--offline", "--quiet", "--no-progress", "--strict-collection", "."];
    run_line(Command::new(linters.join("zizmor")).args(offline).current_dir(&folder))
}

fn check_workspace() -> bool {
    let fuzz = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/Cargo.toml");
    cargo(&["fmt", "--all", "--check"])
        && cargo(&["fmt", "--check", "--manifest-path", fuzz])
        && cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ])
}

/// Checks each feature and each package without help from the others.
pub fn alone() -> Result<(), String> {
    let features = ["", "spirv", "wgsl", "glsl", "naga", "hlsl", "msl", "serde"];
    let library = |feature: &&str| {
        cargo(&["check", "--quiet", "--package", "transpica", "--no-default-features", "--features", feature])
    };
    // The command line without a GPU.
    let command =
        ["clippy", "--quiet", "--package", "transpica-cli", "--no-default-features", "--", "-D", "warnings"];
    // The other engines of the page without the first.
    let engine = |feature: &&str| {
        let web = ["check", "--quiet", "--package", "transpica-web", "--no-default-features"];
        cargo(&[&web[..], &["--features", feature]].concat())
    };
    let is_right = features.iter().all(library)
        && cargo(&command)
        // The C interface without any text.
        && cargo(&["check", "--quiet", "--package", "transpica-capi"])
        && ["native", "compiler"].iter().all(engine)
        && packages_alone();
    is_right.then_some(()).ok_or_else(|| "a feature or a package needs another, see above".into())
}

/// Checks each published package with its own features alone. Its tests would bring those that they
/// ask for, so they are left out.
fn packages_alone() -> bool {
    let text = fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).unwrap_or_default();
    let members =
        text.split("members = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    let mut folders = members.split('"').skip(1).step_by(2).peekable();
    if folders.peek().is_none() {
        eprintln!("{ROOT}/Cargo.toml lists no members");
        return false;
    }
    folders.all(|folder| {
        let manifest = format!("{ROOT}/{folder}/Cargo.toml");
        let is_ours = fs::read_to_string(&manifest).is_ok_and(|text| text.contains("publish = false"));
        is_ours || cargo(&["check", "--quiet", "--manifest-path", &manifest])
    })
}

/// Builds the documentation of the library; a link that does not resolve is an error.
fn documentation() -> Result<(), String> {
    let pages = target()?.join("doc");
    // Otherwise pages of items that are gone would stay. cargo makes the folder anew.
    let _ = fs::remove_dir_all(&pages);
    // One after the other: rustdoc links to the pages of another crate if they exist by then.
    for package in DOCUMENTED {
        let line = ["doc", "--quiet", "--no-deps", "--all-features", "--package", package];
        println!("$ RUSTDOCFLAGS='-D warnings' cargo {}", line.join(" "));
        let status = Command::new(program()).args(line).env("RUSTDOCFLAGS", "-D warnings").status();
        if !status.is_ok_and(|status| status.success()) {
            return Err("the documentation cannot be built, see above".into());
        }
    }
    for package in DOCUMENTED {
        let pages = pages.join(package.replace('-', "_"));
        match dead_link(&pages) {
            Ok(None) => {}
            Ok(Some(link)) => return Err(format!("a link to an item without a page: {link}")),
            Err(error) => return Err(format!("{}: {error}", pages.display())),
        }
    }
    Ok(())
}

/// Returns the first link of the rendered pages to an item without a page. rustdoc accepts links to
/// hidden items and then writes their path as the address.
///
/// # Errors
/// A file that cannot be read, or a folder without a first page.
fn dead_link(folder: &Path) -> io::Result<Option<String>> {
    fs::metadata(folder.join("index.html"))?;
    let is_page = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "html");
    for path in install::files(folder)?.iter().filter(is_page) {
        let text = fs::read_to_string(path)?;
        let mut addresses = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let is_dead = |address: &&str| address.contains("::") || address.ends_with(".md");
        if let Some(address) = addresses.find(is_dead) {
            return Ok(Some(format!("{}: {address}", path.display())));
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
    fn every_workflow_and_form_has_a_schema() {
        let listed: Vec<&str> = SCHEMAS.iter().flat_map(|(_, files)| *files).copied().collect();
        for folder in ["workflows", "ISSUE_TEMPLATE"] {
            for entry in fs::read_dir(Path::new(ROOT).join(".github").join(folder)).expect("a folder") {
                let file = format!("{folder}/{}", entry.expect("an entry").file_name().to_string_lossy());
                assert!(listed.contains(&&*file), "{file}");
            }
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
        for address in ["transpica::isa", "README.md"] {
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
