//! `cargo xtask web`: the engine as WebAssembly, the JavaScript around it, and the page's bundle,
//! as a folder that any static host serves. Knows nothing of what the page does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, browser, needs, notices, program, run_line, target};

/// The target of the engine: no system interface, the page brings everything.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// The crate of the engine, and that of the second one, which the page loads when it is wanted.
const PACKAGES: [&str; 2] = ["transpica-web", "transpica-web-native"];
/// Folder of the page and of the program that writes the JavaScript around the engine.
const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web");

/// Runs the task.
pub fn run(options: &[&str]) -> Result<(), Failure> {
    let (out, pictures) = match options {
        [] => (None, None),
        ["--out", folder] => (Some(PathBuf::from(folder)), None),
        ["--screenshots", folder] => (None, Some(Path::new(folder))),
        _ => return Err(Failure::Usage),
    };
    let folder = build(out)?;
    if let Some(pictures) = pictures {
        browser::picture(&folder, pictures)?;
    }
    println!("the page is in {}; for example: python3 -m http.server -d {0}", folder.display());
    Ok(())
}

/// Builds everything; returns the folder of the page.
pub fn build(out: Option<PathBuf>) -> Result<PathBuf, String> {
    needs::install(&["web"])?;
    let target = target()?;
    // Not `web`: that is cargo's own folder for the profile of this name.
    let out = out.unwrap_or_else(|| target.join("page"));
    let glue = target.join("web-glue");
    for package in PACKAGES {
        bind(&compile(package)?, &glue, &[])?;
    }
    install_modules()?;
    notices::write(&glue, notices::PAGE, TARGET)?;
    let compiler = page().join("node_modules/.bin/tsc");
    run_line(Command::new(compiler).arg("--noEmit").current_dir(page()))?;
    run_line(in_page("node").arg("build.mjs").arg(glue).arg(&out))?;
    Ok(out)
}

/// Compiles an engine; returns the module.
pub fn compile(package: &str) -> Result<PathBuf, String> {
    run_line(Command::new("rustup").args(["target", "add", TARGET]))?;
    let engine = ["build", "--profile", "web", "--package", package, "--target", TARGET];
    // Every browser of today has these vectors; without the flag batches run lane by lane.
    run_line(Command::new(program()).args(engine).env("RUSTFLAGS", "-C target-feature=+simd128"))?;
    Ok(target()?.join(TARGET).join("web").join(format!("{}.wasm", package.replace('-', "_"))))
}

/// Writes the JavaScript around a module.
pub fn bind(module: &Path, glue: &Path, options: &[&str]) -> Result<(), String> {
    let manifest = Path::new(WEB).join("bind/Cargo.toml");
    let mut bind = Command::new(program());
    bind.args(["run", "--quiet", "--release", "--locked", "--manifest-path"]).arg(manifest);
    bind.arg("--target-dir").arg(target()?.join("web-bind")).arg("--").arg(module).arg(glue).args(options);
    run_line(&mut bind)
}

/// Folder of the page's sources.
pub fn page() -> PathBuf {
    Path::new(WEB).join("page")
}

/// A program that runs in the folder of the page.
pub fn in_page(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(page());
    command
}

/// Installs the packages of the lock file, unless they are those that were installed last.
fn install_modules() -> Result<(), String> {
    let lock = page().join("package-lock.json");
    let installed = page().join("node_modules/.installed-lock");
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let wanted = read(&lock)?;
    if read(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    run_line(in_page("npm").args(["ci", "--ignore-scripts"]))?;
    fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))
}
