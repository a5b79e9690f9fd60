//! Compares random programs, without end or for some minutes, and stores the smallest program of
//! each disagreement.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use transpica::settings::FloatControls;
use transpica::{Precision, Profile};
use transpica_inspect::executor::Case;
use transpica_proof::chain::{self, Count, Disagreement};
use transpica_proof::executors::compare_by_the_letter;
use transpica_proof::generate::{Generated, Kind, generate};
use transpica_proof::shrink;
use transpica_proof::unnamed::BARE;

/// Options of a run.
#[derive(Args)]
pub struct Arguments {
    /// Duration [default: unlimited]
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Number of programs [default: unlimited]
    #[arg(long, value_name = "N")]
    programs: Option<u64>,
    /// First seed
    #[arg(long, default_value_t = 1 << 32, value_name = "S")]
    seed: u64,
    /// Folder for programs that disagree
    #[arg(long, default_value = "target/prove", value_name = "FOLDER")]
    out: PathBuf,
}

/// A kind of program in a precision.
type Stage = (Kind, Precision);

/// Stages, compared in turns.
const STAGES: [Stage; 6] = [
    (Kind::Clean, Precision::Exact),
    (Kind::Wild, Precision::Exact),
    (Kind::Numeric, Precision::Exact),
    (Kind::Clean, Precision::F24),
    (Kind::Numeric, Precision::F24),
    (Kind::Clean, Precision::Fast),
];

/// Drivers that take licenses, for each vertex.
const DRIVERS: u64 = 2;

/// Interval between printed figures.
const REPORT: Duration = Duration::from_secs(10);

struct Run<'a> {
    arguments: &'a Arguments,
    next: AtomicU64,
    stop: AtomicBool,
    counts: Mutex<[(Count, u64); STAGES.len()]>,
    start: Instant,
}

/// Compares programs in `workers` threads until a limit is reached.
///
/// # Errors
/// The number of programs that disagreed.
pub fn run(arguments: &Arguments, workers: usize) -> Result<String, String> {
    let run = Run {
        arguments,
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        counts: Mutex::default(),
        start: Instant::now(),
    };
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| run.work());
        }
        let mut last = Instant::now();
        while !run.stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
            let limit = arguments.minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes.max(0.0)));
            if limit.is_some_and(|limit| run.start.elapsed() >= limit) {
                run.stop.store(true, Ordering::Relaxed);
            }
            if last.elapsed() >= REPORT {
                last = Instant::now();
                run.report();
            }
        }
    });
    match run.report() {
        0 => Ok("no program differs".to_owned()),
        differing => Err(format!("{differing} programs differ")),
    }
}

/// Compares all forms of a program; where its bits are defined, also its module on drivers that
/// take every license.
fn compare(generated: &Generated, precision: Precision) -> Result<Count, Disagreement> {
    let count = chain::compare(generated, precision)?;
    if precision == Precision::Fast {
        return Ok(count);
    }
    let (program, uniforms) = (&generated.program(), &generated.uniforms());
    let inputs = &generated.inputs(chain::VERTICES)[..];
    let options = chain::options(precision);
    let case = Case { program, environment: &*BARE, uniforms, inputs, options, budget: chain::BUDGET };
    let profile = Profile { float_controls: FloatControls::ALL, ..Profile::default() };
    compare_by_the_letter(&case, &profile, DRIVERS)?;
    Ok(Count { forms: count.forms + 1, ..count })
}

impl Run<'_> {
    fn work(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if self.arguments.programs.is_some_and(|programs| number >= programs) {
                self.stop.store(true, Ordering::Relaxed);
                return;
            }
            let index = (number % STAGES.len() as u64) as usize;
            let (kind, precision) = STAGES[index];
            let generated = generate(kind, self.arguments.seed.wrapping_add(number));
            let result = compare(&generated, precision);
            if let Err(disagreement) = &result {
                self.store(&generated, STAGES[index], disagreement);
            }
            let mut counts = self.counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match result {
                Ok(count) => counts[index].0.add(count),
                Err(_) => {
                    counts[index].0.programs += 1;
                    counts[index].1 += 1;
                }
            }
        }
    }

    /// Shrinks a program that disagrees and writes it.
    fn store(&self, generated: &Generated, (kind, precision): Stage, disagreement: &Disagreement) {
        eprintln!("{kind:?} seed {} {precision:?}: {disagreement}", generated.seed);
        let fails = |program: &Generated| {
            compare(program, precision).is_err_and(|found| found.form == disagreement.form)
        };
        let small = shrink::shrink(generated, fails);
        let name = format!("{kind:?}-{}-{precision:?}", generated.seed).to_lowercase();
        match write(&self.arguments.out, &name, &small, disagreement) {
            Ok(()) => eprintln!("  kept as {}/{name}.pica and .json", self.arguments.out.display()),
            Err(text) => eprintln!("  cannot keep it: {text}"),
        }
    }

    /// Prints the figures and returns the number of programs that disagreed.
    fn report(&self) -> u64 {
        let counts = self.counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (mut all, mut differing) = (Count::default(), 0);
        for ((count, differ), (kind, precision)) in counts.iter().zip(STAGES) {
            println!(
                "{:<15} {:>9} programs {:>9} vertices ({} unfinished) {:>9} forms {differ} differ",
                format!("{kind:?} {precision:?}"),
                count.programs,
                count.vertices,
                count.unfinished,
                count.forms
            );
            all.add(*count);
            differing += differ;
        }
        let rate = all.programs as f64 / self.start.elapsed().as_secs_f64();
        println!(
            "{} programs, {} vertices, {} forms, {differing} differ; {rate:.0} programs/s",
            all.programs, all.vertices, all.forms
        );
        differing
    }
}

fn write(folder: &Path, name: &str, program: &Generated, disagreement: &Disagreement) -> Result<(), String> {
    let text = shrink::text(program).map_err(|error| error.to_string())?;
    let why: String = disagreement.to_string().lines().map(|line| format!("; {line}\n")).collect();
    let state = format!("{:#}\n", shrink::state(program, chain::VERTICES));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(folder.join(format!("{name}.pica")), why + &text))
        .and_then(|()| std::fs::write(folder.join(format!("{name}.json")), state))
        .map_err(|error| error.to_string())
}
