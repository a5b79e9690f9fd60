//! `transpica-bench --batch` as a program for WebAssembly, where nothing else of the benchmark
//! runs.
//! In: `.shbin` files. Out: nanoseconds of a vertex in the interpreter and in batches.

#[allow(dead_code, reason = "no JSON here")]
mod batch;

use std::path::Path;
use std::process::ExitCode;

use transpica::Options;

/// Rounds of each program; the shortest time counts.
const ROUNDS: usize = 50;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("error: {text}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut all = Vec::new();
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
        all.extend(batch::measure(Path::new(&path), &bytes, None, ROUNDS, Options::default())?);
    }
    batch::print(&all);
    Ok(())
}
