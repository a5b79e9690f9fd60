//! Notices of the packages in what is shipped: their names, licenses and license texts.
//! In: arguments of `cargo tree` that select what is built, a target; for the page, npm's lock
//! file. Out: `NOTICES`, where identical texts stand once, and the notices of Rust's own library. A
//! package without a text, or with a license that is not in the list, is an error that names it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::needs::ROOT;
use crate::{install, program, symbols, web};

/// Selections of the C interface, the command, the page and the extension.
pub const LIBRARY: &[&str] = &["--package", "transpica-capi"];
pub const COMMAND: &[&str] = &["--package", "transpica-cli"];
pub const PAGE: &[&str] = &["--package", "transpica-web", "--features", "native,compiler"];
pub const EXTENSION: &[&str] = &["--package", "transpica-web", "--features", "extension"];

/// Licenses that ask for their text, and nothing more, of a program that contains the package.
const ALLOWED: &str = "0BSD, Apache-2.0, Apache-2.0 WITH LLVM-exception, BSD-2-Clause, BSD-3-Clause, \
                       BSL-1.0, ISC, MIT, MIT-0, OFL-1.1, Unicode-3.0, Unlicense, Zlib";
/// Crates whose archive has no text, under Apache-2.0, whose text is the same for all.
const APACHE: &str = "objc2-core-foundation, objc2-core-graphics, objc2-metal, objc2-quartz-core, \
                      profiling, rspirv, spirv";
/// Crates whose archive has no text, under MIT, whose text names the manifest's authors.
const MIT: &str = "block2, objc2, objc2-encode, objc2-foundation";

/// Notices of Rust's own library, in every installation by rustup.
const RUST: &str = "share/doc/rust/COPYRIGHT-library.html";
/// Notices of the C library in static programs for Linux.
const MUSL: &str = include_str!("musl.txt");

/// A package in what is shipped.
#[derive(Debug)]
struct Package {
    name: String,
    version: String,
    /// Expression of SPDX, or of the older form with `/`.
    license: String,
    authors: String,
    folder: PathBuf,
}

/// Writes `NOTICES` and `NOTICES-RUST.html` into a folder.
///
/// # Errors
/// A package that must not be shipped like this.
pub fn write(folder: &Path, selection: &[&str], triple: &str) -> Result<(), String> {
    let mut packages = crates(selection, triple)?;
    if selection == PAGE {
        packages.extend(npm()?);
    }
    let mut text = render(&packages)?;
    if triple.ends_with("-musl") {
        text += MUSL;
    }
    install::write(&folder.join("NOTICES"), &text)?;
    let rust = Path::new(&symbols::rustc(&["--print", "sysroot"])?).join(RUST);
    install::copy(&rust, &folder.join("NOTICES-RUST.html"))
}

/// Returns the crates of a build by name: the library, and those that are not of this workspace.
fn crates(selection: &[&str], triple: &str) -> Result<Vec<Package>, String> {
    let tree = ["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}", "--target", triple];
    let listed = cargo(&[&tree, selection].concat())?;
    let metadata = cargo(&["metadata", "--format-version", "1", "--filter-platform", triple])?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| format!("metadata: {error}"))?;
    let known = metadata["packages"].as_array().ok_or("metadata without packages")?;
    // Names and versions; a mark of repetition or of a macro may follow.
    let names = |line: &str| line.splitn(3, ' ').take(2).map(str::to_owned).collect::<Vec<_>>();
    let lines: BTreeSet<Vec<String>> = listed.lines().filter(|line| !line.is_empty()).map(names).collect();
    let mut packages = Vec::new();
    for line in lines {
        let line = line.join(" ");
        let is_it =
            |value: &&Value| line == format!("{} v{}", string(value, "name"), string(value, "version"));
        let found = known.iter().find(is_it).ok_or_else(|| format!("{line}: cargo knows no folder of it"))?;
        // Other packages of the workspace have the texts of the root.
        if !found["source"].is_null() || string(found, "name") == "transpica" {
            let manifest = Path::new(string(found, "manifest_path"));
            packages.push(Package::new(string(found, "name"), found, manifest.with_file_name("")));
        }
    }
    Ok(packages)
}

/// Returns the packages in the page's scripts and fonts: all of the lock file but those for
/// development.
fn npm() -> Result<Vec<Package>, String> {
    let page = web::page();
    let text = fs::read_to_string(page.join("package-lock.json")).map_err(|error| error.to_string());
    let lock: Result<Value, String> =
        text.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
    let lock = lock.map_err(|error| format!("{}/package-lock.json: {error}", page.display()))?;
    let packages = lock["packages"].as_object().into_iter().flatten();
    let shipped = packages.filter(|(path, value)| !path.is_empty() && value["dev"] != true);
    let name = |path: &str| path.rsplit("node_modules/").next().unwrap_or_default().to_owned();
    Ok(shipped.map(|(path, value)| Package::new(&name(path), value, page.join(path))).collect())
}

/// Returns the list of packages with the numbers of their texts, and the texts.
fn render(packages: &[Package]) -> Result<String, String> {
    let mut list =
        "The packages in this build of transpica, with the numbers of their texts below.\n\n".to_owned();
    let mut texts: Vec<String> = Vec::new();
    for package in packages {
        let Package { name, version, license, .. } = package;
        if !is_allowed(license) {
            return Err(format!("{name} {version}: its license `{license}` is not one that may be shipped"));
        }
        let mut numbers = Vec::new();
        for text in package.texts()? {
            let is_same = |other: &String| other.split_whitespace().eq(text.split_whitespace());
            let at = texts.iter().position(is_same).unwrap_or(texts.len());
            if at == texts.len() {
                texts.push(text);
            }
            numbers.push((at + 1).to_string());
        }
        list += &format!("{name} {version}, {license} [{}]\n", numbers.join(", "));
    }
    for (at, text) in texts.iter().enumerate() {
        list += &format!("\n---- [{}] ----\n\n{}\n", at + 1, text.trim_matches(['\n', '\r']));
    }
    Ok(list)
}

impl Package {
    /// Reads the description by cargo, or by npm's lock file.
    fn new(name: &str, value: &Value, folder: PathBuf) -> Self {
        let authors = value["authors"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut authors = authors.collect::<Vec<_>>().join(", ");
        let [version, license, repository] =
            ["version", "license", "repository"].map(|key| string(value, key).to_owned());
        if authors.is_empty() && !repository.is_empty() {
            authors = format!("The authors of {repository}");
        }
        Self { name: name.to_owned(), version, license, authors, folder }
    }

    /// Returns the license texts of the package's archive.
    fn texts(&self) -> Result<Vec<String>, String> {
        let Self { name, version, authors, folder, .. } = self;
        let io = |error: std::io::Error| format!("{name} {version}: {}: {error}", folder.display());
        let entries = fs::read_dir(folder).map_err(io)?.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file() && is_notice(path)).collect();
        files.sort();
        if !files.is_empty() {
            let read =
                |path: &PathBuf| Ok(String::from_utf8_lossy(&fs::read(path).map_err(io)?).into_owned());
            return files.iter().map(read).collect();
        }
        if lists(APACHE, name) {
            return Ok(vec![include_str!("../../../LICENSE-APACHE").to_owned()]);
        }
        if lists(MIT, name) && !authors.is_empty() {
            let (_, terms) = include_str!("../../../LICENSE-MIT").split_once("\n\nP").expect("three parts");
            return Ok(vec![format!("MIT License\n\nCopyright (c) {authors}\n\nP{terms}")]);
        }
        Err(format!("{name} {version}: its archive has no license text"))
    }
}

/// Returns whether a file is a license or notice by its name.
fn is_notice(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    ["license", "licence", "unlicense", "copying", "notice", "copyright"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Returns whether one license of each group can be chosen. Groups within a choice are all asked
/// for, which refuses some expressions that SPDX would allow.
fn is_allowed(expression: &str) -> bool {
    expression.replace('/', " OR ").split(" AND ").all(|group| {
        let mut choices = group.split(" OR ").map(|license| license.trim_matches(['(', ')', ' ']));
        choices.any(|license| lists(ALLOWED, license))
    })
}

fn lists(list: &str, name: &str) -> bool {
    list.split(", ").any(|listed| listed == name)
}

fn string<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Returns what cargo prints.
fn cargo(arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(program());
    command.arg(arguments[0]).arg("--locked").args(&arguments[1..]).current_dir(ROOT);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(format!("{command:?}: {}", output.status)) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn host() -> String {
        symbols::host().expect("a machine")
    }

    fn package(name: &str, license: &str) -> Package {
        let folder = Path::new(ROOT).join("shaders");
        let [name, license] = [name, license].map(str::to_owned);
        Package { name, version: "1.0.0".into(), license, authors: "A. Uthor".into(), folder }
    }

    /// Names and versions in the tree that cargo draws.
    fn drawn(selection: &[&str], triple: &str) -> BTreeSet<String> {
        let tree = ["tree", "--edges", "normal", "--charset", "ascii", "--no-dedupe", "--target", triple];
        let text = cargo(&[&tree, selection].concat()).expect("a tree");
        let words = text.lines().map(|line| line.trim_start_matches(['|', '`', '-', ' ']));
        let names = words.filter(|line| !line.is_empty() && !line.starts_with("transpica"));
        names.map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn every_package_of_a_build_is_named() {
        let with_naga = [LIBRARY, &["--all-features"]].concat();
        for (selection, triple, least) in [
            (COMMAND, &*host(), 100),
            (&with_naga, &host(), 30),
            (PAGE, web::TARGET, 40),
            (EXTENSION, web::TARGET, 20),
        ] {
            let text = render(&crates(selection, triple).expect("packages")).expect("notices");
            let named: BTreeSet<String> = text
                .lines()
                .filter_map(|line| line.split_once(", "))
                .map(|(name, _)| name.replacen(' ', " v", 1))
                .collect();
            let drawn = drawn(selection, triple);
            assert!(drawn.len() >= least, "{selection:?}: {drawn:?}");
            let missing: Vec<_> = drawn.difference(&named).collect();
            assert!(missing.is_empty(), "{selection:?}: without a notice: {missing:?}");
        }
    }

    #[test]
    fn every_package_of_the_page_is_named() {
        let packages = npm().expect("a lock file");
        let named: BTreeSet<&str> = packages.iter().map(|package| &*package.name).collect();
        let mut folders = vec![web::page().join("src")];
        let mut imported = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
            {
                if entry.is_dir() {
                    folders.push(entry);
                    continue;
                }
                let text = fs::read_to_string(entry).expect("a text");
                let from = text.split("from \"@").chain(text.split("import(\"@")).skip(1);
                imported.extend(from.filter_map(|rest| Some(format!("@{}", rest.split_once('"')?.0))));
            }
        }
        imported.retain(|name| name.starts_with("@codemirror/") || name.starts_with("@lezer/"));
        assert!(imported.len() >= 8, "{imported:?}");
        let missing: Vec<_> = imported.iter().filter(|name| !named.contains(&***name)).collect();
        assert!(missing.is_empty(), "without a notice: {missing:?}");
        assert!(named.contains("@fontsource/ibm-plex-mono"), "{named:?}");
        assert!(!named.contains("esbuild"), "{named:?}");
        for package in &packages {
            assert!(is_allowed(&package.license), "{package:?}");
        }
    }

    #[test]
    fn licenses_are_chosen_in_each_group() {
        for allowed in ["MIT", "GPL-3.0 OR MIT", "Unlicense/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in ["", "MPL-2.0", "MIT AND GPL-3.0", "MIT OR (ISC AND GPL-3.0)", "Apache-2.0 WITH X"] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }

    #[test]
    fn a_package_that_must_not_be_shipped_is_named() {
        let refused = render(&[package("copyleft", "GPL-3.0")]);
        assert_eq!(
            refused,
            Err("copyleft 1.0.0: its license `GPL-3.0` is not one that may be shipped".into())
        );
        let silent = render(&[package("silent", "MIT")]);
        assert_eq!(silent, Err("silent 1.0.0: its archive has no license text".into()));
    }

    #[test]
    fn equal_texts_stand_once_and_authors_replace_ours() {
        let text = render(&[package("spirv", "Apache-2.0"), package("rspirv", "Apache-2.0")]);
        let text = text.expect("notices");
        assert!(text.contains("\nspirv 1.0.0, Apache-2.0 [1]\nrspirv 1.0.0, Apache-2.0 [1]\n"), "{text}");
        assert!(!text.contains("[2]"), "{text}");
        let text = render(&[package("objc2", "MIT")]).expect("notices");
        assert!(text.contains("Copyright (c) A. Uthor\n\nPermission is hereby granted"), "{text}");
    }
}
