//! Compares a given number of random programs on the GPU with the interpreter. Each program that
//! differs is shrunk and printed; the run then continues.
//!
//! `cargo run --release -p transpica-proof --example gpu -- --help`

#[path = "../tests/gpu/random.rs"]
mod random;
#[path = "../tests/gpu/valid.rs"]
mod valid;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Parser;
use transpica::Precision;
use transpica_gpu::compare::Verdict;
use transpica_gpu::{Gpu, Route};
use transpica_proof::generate::{Kind, generate};

/// Compares random programs on the GPU with the interpreter.
#[derive(Parser)]
struct Arguments {
    /// Number of programs on each route
    #[arg(long, default_value_t = 1000, value_name = "N")]
    programs: u64,
    /// Kinds of programs [default: all]
    #[arg(long, value_name = "clean|wild|numeric", value_parser = kind)]
    kind: Vec<Kind>,
    /// Only programs whose vertices leave a loop in different iterations; others are skipped
    #[arg(long)]
    left_early: bool,
    /// First seed; an interrupted run continues with the last one printed
    #[arg(long, default_value_t = 1 << 33, value_name = "S")]
    seed: u64,
    /// Routes [default: all]
    #[arg(long, value_name = "spirv|spirv-naga|wgsl", value_parser = route)]
    route: Vec<Route>,
    /// Precision of the translation
    #[arg(long, default_value = "exact", value_name = "exact|f24|fast", value_parser = precision)]
    precision: Precision,
    /// Part of the adapter's name [default: the first]
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Threads, each with its own device
    #[arg(long, default_value_t = 1, value_name = "N")]
    threads: usize,
}

fn route(name: &str) -> Result<Route, String> {
    Route::ALL.into_iter().find(|route| route.name() == name).ok_or_else(|| format!("no route {name}"))
}

fn kind(name: &str) -> Result<Kind, String> {
    let is_it = |kind: &Kind| format!("{kind:?}").eq_ignore_ascii_case(name);
    Kind::ALL.into_iter().find(is_it).ok_or_else(|| format!("no kind {name}"))
}

fn precision(name: &str) -> Result<Precision, String> {
    match name {
        "exact" => Ok(Precision::Exact),
        "f24" => Ok(Precision::F24),
        "fast" => Ok(Precision::Fast),
        _ => Err(format!("no precision {name}")),
    }
}

/// Interval between printed figures.
const REPORT: Duration = Duration::from_secs(60);

/// Figures of one kind of program on one route.
#[derive(Default)]
struct Figures {
    programs: u64,
    differing: u64,
    /// Programs without a single comparable value.
    silent: u64,
    total: Verdict,
}

struct Run<'a> {
    arguments: &'a Arguments,
    route: Route,
    /// Number of seeds taken so far.
    next: AtomicU64,
    compared: AtomicU64,
    figures: Mutex<BTreeMap<Kind, Figures>>,
    last: Mutex<Instant>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let routes = if arguments.route.is_empty() { Route::ALL.to_vec() } else { arguments.route.clone() };
    let mut failed = 0;
    for route in routes {
        let (next, compared) = (AtomicU64::new(0), AtomicU64::new(0));
        let (figures, start) = (Mutex::default(), Instant::now());
        let run = Run { arguments: &arguments, route, next, compared, figures, last: Mutex::new(start) };
        let names: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..arguments.threads.max(1)).map(|_| scope.spawn(|| run.work())).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for name in names {
            match name {
                Ok(name) => {
                    println!("{name}, {} threads, {} s:", arguments.threads, start.elapsed().as_secs())
                }
                Err(error) => {
                    eprintln!("{error}");
                    return ExitCode::FAILURE;
                }
            }
        }
        failed += run.report();
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Run<'_> {
    /// Compares programs until the seeds run out and returns the name of the device.
    fn work(&self) -> Result<String, String> {
        let gpu = Gpu::open(self.arguments.adapter.as_deref()).map_err(|error| error.to_string())?;
        let kinds = if self.arguments.kind.is_empty() { &Kind::ALL } else { &self.arguments.kind[..] };
        loop {
            let seed = self.arguments.seed.wrapping_add(self.next.fetch_add(1, Ordering::Relaxed));
            let kind = kinds[(seed % kinds.len() as u64) as usize];
            let generated = generate(kind, seed);
            if self.arguments.left_early && !random::is_left_early(&generated) {
                continue;
            }
            if self.compared.fetch_add(1, Ordering::Relaxed) >= self.arguments.programs {
                return Ok(gpu.name().to_string());
            }
            let result = random::prove(&gpu, &generated, self.arguments.precision, self.route);
            self.count(kind, result);
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.elapsed() > REPORT {
                *last = Instant::now();
                drop(last);
                println!("at seed {seed}:");
                self.report();
            }
        }
    }

    fn count(&self, kind: Kind, result: Result<Verdict, String>) {
        let mut all = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
        let figures = all.entry(kind).or_default();
        figures.programs += 1;
        match result {
            Ok(verdict) => {
                figures.silent += u64::from(verdict.values == 0);
                figures.total.add(&verdict);
            }
            Err(report) => {
                figures.differing += 1;
                println!("DIFFERS {report}");
            }
        }
    }

    /// Prints the figures and returns the number of programs that differ.
    fn report(&self) -> u64 {
        let all = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
        for (kind, Figures { programs, differing, silent, total }) in &*all {
            println!(
                "{} {:?} {kind:?}: {programs} programs ({silent} without a value), {} vertices, {} values compared, \
                 {differing} programs differ",
                self.route.name(),
                self.arguments.precision,
                total.vertices,
                total.values
            );
        }
        all.values().map(|figures| figures.differing).sum()
    }
}
