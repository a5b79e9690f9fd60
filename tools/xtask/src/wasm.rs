//! `cargo xtask wasm`: interpreter and batches in WebAssembly, under Node.js. Each sample's results
//! are compared bit for bit before they are timed.

use std::path::Path;
use std::process::Command;

use crate::needs::{self, ROOT};
use crate::{program, run_line, target};

/// The target: a system interface brings clock and files.
const TARGET: &str = "wasm32-wasip1";
/// The program of the benchmark that is built for it.
const PROGRAM: &str = "transpica-bench-wasm";

/// Runs the task; without paths for every sample.
pub fn run(paths: &[&str]) -> Result<(), String> {
    needs::install(&["web"])?;
    run_line(Command::new("rustup").args(["target", "add", TARGET]))?;
    let build = ["build", "--release", "--package", "transpica-bench", "--bin", PROGRAM, "--target", TARGET];
    // Every engine of today has these vectors; without the flag the code is for one lane.
    run_line(Command::new(program()).args(build).env("RUSTFLAGS", "-C target-feature=+simd128"))?;
    let built = target()?.join(TARGET).join("release").join(format!("{PROGRAM}.wasm"));
    let script = Path::new(ROOT).join("tools/xtask/src/wasi.mjs");
    let mut node = Command::new("node");
    node.arg("--no-warnings").arg(script).arg(built).current_dir(ROOT);
    match paths {
        [] => run_line(node.args(samples()?)),
        paths => run_line(node.args(paths)),
    }
}

/// Lists the sample programs, relative to the root.
fn samples() -> Result<Vec<String>, String> {
    let folder = Path::new(ROOT).join("shaders");
    let entries = folder.read_dir().map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut paths: Vec<String> =
        names.filter(|name| name.ends_with(".shbin")).map(|name| format!("shaders/{name}")).collect();
    paths.sort();
    Ok(paths)
}
