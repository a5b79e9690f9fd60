//! `cargo xtask web`: the engine as WebAssembly, the JavaScript around it, and the page's bundle,
//! as a folder that any static host serves. Knows nothing of what the page does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, browser, needs, notices, program, run_line, target};

/// The target of the engine: no system interface, the page brings everything.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// The engines of the page: features of `transpica-web`.
const ENGINES: [&str; 3] = ["page", "native", "compiler"];
/// Folder of the page's sources.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/page");

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
    for engine in ENGINES {
        compile(engine, &glue, &[])?;
    }
    install_modules()?;
    notices::write(&glue, notices::PAGE, TARGET)?;
    let compiler = page().join("node_modules/.bin/tsc");
    run_line(Command::new(compiler).arg("--noEmit").current_dir(page()))?;
    run_line(in_page("node").arg("build.mjs").arg(glue).arg(&out))?;
    Ok(out)
}

/// Compiles an engine, a feature of `transpica-web`, and writes the JavaScript around it.
pub fn compile(engine: &str, glue: &Path, options: &[&str]) -> Result<(), String> {
    run_line(Command::new("rustup").args(["target", "add", TARGET]))?;
    let mut compiler = Command::new(program());
    // A `cdylib` alone: with an `rlib` in the same build, Cargo does not optimize at link time.
    compiler.args(["rustc", "--profile", "web", "--target", TARGET, "--package", "transpica-web", "--lib"]);
    compiler.args(["--no-default-features", "--features", engine, "--crate-type", "cdylib"]);
    // Every browser of today has these vectors; without the flag batches run lane by lane.
    run_line(compiler.env("RUSTFLAGS", "-C target-feature=+simd128"))?;
    let module = target()?.join(TARGET).join("web/transpica_web.wasm");
    let mut writer = Command::new(program());
    writer.args(["run", "--quiet", "--release", "--package", "xtask", "--bin", "glue", "--features", "glue"]);
    run_line(writer.arg("--").arg(module).arg(glue).arg(engine).args(options))
}

/// Folder of the page's sources.
pub fn page() -> PathBuf {
    PathBuf::from(PAGE)
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
