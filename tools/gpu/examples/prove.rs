//! Compares random programs on the GPU with the interpreter, as many as asked for, on every route, and prints what differed.
//!
//! `cargo run --release -p transpica-gpu --example prove -- [PROGRAMS [FIRST_SEED [ADAPTER]]]`

#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::Instant;

use transpica::precision::Precision;
use transpica_generate::{Generated, Kind, generate};
use transpica_gpu::{Gpu, Route};
use transpica_prove::shrink;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| match arguments.get(index) {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("{text} is no number")),
        None => default,
    };
    let (programs, first) = (number(0, 1000), number(1, 1 << 33));
    let gpu = match Gpu::open(arguments.get(2).map(String::as_str)) {
        Ok(gpu) => gpu,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let start = Instant::now();
    let mut failed = 0;
    for route in [Route::Passthrough, Route::SpirvNaga, Route::NagaIr, Route::Wgsl] {
        failed += run(&gpu, route, first..first + programs);
    }
    println!("{} s, {failed} programs differ", start.elapsed().as_secs());
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Compares programs on one route; how many differ. The smallest program of each difference is printed.
fn run(gpu: &Gpu, route: Route, seeds: std::ops::Range<u64>) -> usize {
    let (mut programs, mut vertices, mut failed) = (0, 0, 0);
    for seed in seeds {
        let generated = generate(Kind::ALL[(seed % 3) as usize], seed);
        programs += 1;
        match differs(gpu, route, &generated) {
            Ok(count) => vertices += count,
            Err(what) => {
                failed += 1;
                println!("{:?} seed {seed} {}: {what}", generated.kind, route.name());
                let small = shrink::shrink(&generated, |program| differs(gpu, route, program).is_err());
                match shrink::text(&small) {
                    Ok(text) => println!("{text}"),
                    Err(error) => println!("{error}"),
                }
            }
        }
    }
    println!("{}: {programs} programs, {vertices} vertices on {}: {failed} differ", route.name(), gpu.name());
    failed
}

/// Compares one program: how many vertices, or what differs.
fn differs(gpu: &Gpu, route: Route, generated: &Generated) -> Result<usize, String> {
    let verdict = random::one(gpu, generated, Precision::Exact, route).map_err(|error| error.to_string())?;
    match verdict.first {
        None => Ok(verdict.vertices),
        Some(first) => Err(format!("{} values differ; {first}", verdict.differing)),
    }
}
