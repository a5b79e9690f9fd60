//! `prove`: compares random programs, or all small ones; asks SMT solvers; enumerates functions.
//! In: arguments. Out: a summary, smallest programs that differ, and the lists of `smt/proven`.

mod random;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use transpica_proof::control;
use transpica_proof::smt::{ask, enumerate};

/// Compares every form of random programs with the reference interpreter.
#[derive(Parser)]
#[command(after_help = "Example:
  cargo run --release -p transpica-proof -- --minutes 10")]
struct Arguments {
    #[command(flatten)]
    random: random::Arguments,
    /// Compares all programs of that many slots instead, of which at most MOST have control flow
    #[arg(long, num_args = 2, value_names = ["SLOTS", "MOST"])]
    control: Option<Vec<u8>>,
    /// Asks SMT solvers every question instead and writes their answers to `proven`
    #[arg(long, requires = "python")]
    smt: bool,
    /// Asks only questions without an answer there
    #[arg(long, requires = "smt")]
    new: bool,
    /// Compares functions of one number with their definitions for all 2^32 instead
    #[arg(long)]
    enumerate: bool,
    /// Writes the scripts of all questions into a folder instead, each begins with its name
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
    /// Python with the packages bitwuzla, cvc5 and z3-solver
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
    /// Limit for each solver and question
    #[arg(long, default_value_t = 20, value_name = "N")]
    seconds: u32,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, String> {
    let Arguments { random, control, smt, new, enumerate, write, python, seconds } = arguments;
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    match (python.as_deref(), control.as_deref(), write) {
        (_, Some(&[slots, most]), ..) => {
            control::run(slots, usize::from(most), workers).map(|count| count.to_string())
        }
        (_, _, Some(folder)) => ask::write_scripts(folder, &ask::questions()),
        _rest if *enumerate => {
            enumerate::run(1, |line| println!("{line}")).map(|()| "no number differs".to_owned())
        }
        (Some(python), ..) if *smt => ask::run(python, *new, *seconds),
        _rest => random::run(random, workers),
    }
}
