//! `transpica optimize`: the same program in fewer words, shown equal to it before it is written.
//! In: a file, known values. Out: a file with the same tables, or a set of files for the values of
//! some bools, with a table that says which to load.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use transpica::settings::Control;
use transpica::{Limits, Shbin, Stage};
use transpica_build::bindings::Variants;
use transpica_compile::equal::Opened;
use transpica_compile::optimize::{Known, Optimized, Reason, optimize};
use transpica_compile::paths::{self, Path as Way};

use crate::arguments::Arguments;
use crate::files;
use crate::input::Input;
use crate::json::Schema;
use crate::report::{Common, Failure};
use crate::settings::{ForRuns, Settings};
use crate::streams::{Output, Streams};

/// Make a program shorter, with a proof
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica optimize lights.shbin -o small.shbin
  transpica optimize uber.v.pica --bools hasFog=false,hasLight=true -o lit.shbin
  transpica optimize uber.v.pica --variants hasFog,hasLight -o uber.shbin --bind-c variants.h

Tables, symbols and registers of the file stay, and so does every bit of every output. What is written is compared with the file as `equal` compares; a program that cannot be made shorter stays as it is.

--variants writes NAME.0.shbin to NAME.N.shbin: bit n of the number is the value of the n-th bool.")]
pub struct Optimize {
    /// A .shbin file or .pica source
    pub file: PathBuf,
    /// Output file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Constants of the file that have no name never change: compute with them
    #[arg(long)]
    pub fold: bool,
    /// Write a program for each combination of these bools: names or b0 to b15, at most six
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub variants: Vec<String>,
    /// Write a C header with the table of variants
    #[arg(long, value_name = "FILE", requires = "variants")]
    pub bind_c: Option<PathBuf>,
    /// Write a Rust module with the table of variants
    #[arg(long, value_name = "FILE", requires = "variants")]
    pub bind_rust: Option<PathBuf>,
    /// Print words and executed instructions as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub settings: Settings<ForRuns>,
}

/// Most bools of a set of variants.
const VARIANTS: usize = 6;

impl Arguments for Optimize {
    fn check(&self) -> Result<(), String> {
        if self.variants.len() > VARIANTS {
            return Err(format!("--variants takes at most {VARIANTS} bools, which give 64 files"));
        }
        Ok(())
    }
    fn streams(&self) -> Streams<'_> {
        let inputs = self.settings.files().chain([&self.file]);
        let streams = Streams::of_files(inputs, Some(&self.output)).with_extensions(["shbin", "bin"]);
        let mut streams = streams.with_binary("use -o FILE; transpica dis prints a file as text");
        streams = streams.and("--bind-c", self.bind_c.as_ref()).and("--bind-rust", self.bind_rust.as_ref());
        streams.outputs.extend([Output::text("the report", None)]);
        streams
    }
}

/// A program that was made shorter.
struct Made {
    path: PathBuf,
    control: Control,
    optimized: Optimized,
    /// How it is shown equal.
    proof: &'static str,
    /// Executed instructions before and after.
    ways: Vec<[Way; 2]>,
}

/// Runs the command.
pub fn run(arguments: &Optimize, common: &Common) -> Result<(), Failure> {
    let input = Input::open(&arguments.file)?.remarked(common);
    let file = input.parse()?;
    let opened = Opened::new(&file, 0, &Limits::default()).map_err(|error| input.fail(&error))?;
    let options = arguments.settings.resolve_for(&opened.symbols)?.options;
    let bools = bools(&arguments.variants, &opened)?;
    let fail = |error: transpica::Error| input.fail(&error);
    let mut all = Vec::new();
    for number in 0..1u32 << bools.len() {
        let mut control = options.control;
        for (place, &bool) in bools.iter().enumerate() {
            control.bools.baked |= 1 << bool;
            control.bools.values &= !(1 << bool);
            control.bools.values |= u16::from(number >> place & 1 != 0) << bool;
        }
        let path = if bools.is_empty() {
            arguments.output.clone()
        } else {
            let ending = arguments.output.extension().unwrap_or_default().to_string_lossy().into_owned();
            arguments.output.with_extension(format!("{number}.{ending}"))
        };
        let known = Known { control, constants: arguments.fold };
        let optimized = optimize(&file, &known).map_err(fail)?;
        if let Some(Reason::Differs(_)) = optimized.kept {
            let message = format!("{}: what was made is not equal", arguments.file.display());
            return Err(Failure::new(message).hint("this is a fault of transpica: please report the file"));
        }
        all.push(made(&opened, path, control, optimized).map_err(fail)?);
    }
    let text = if arguments.json { Schema::OPTIMIZE.text(document(&all)) } else { table(&all, &opened) };
    let names: Vec<String> = all.iter().map(|made| files::name(&made.path)).collect();
    let stem = files::name(&arguments.file);
    let stem = stem.split('.').next().unwrap_or_default();
    let variants = Variants { name: stem, bools: &arguments.variants, files: &names };
    let tables = [(&arguments.bind_c, variants.c()), (&arguments.bind_rust, variants.rust())];
    let mut written: Vec<(Option<&Path>, &[u8])> =
        all.iter().map(|made| (Some(made.path.as_path()), &made.optimized.bytes[..])).collect();
    for (path, text) in &tables {
        written.extend(path.as_deref().map(|path| (Some(path), text.as_bytes())));
    }
    written.push((None, text.as_bytes()));
    files::write_all(&written)
}

/// Registers of bools that are named, or given by number.
fn bools(names: &[String], opened: &Opened) -> Result<Vec<u8>, Failure> {
    let mut all = Vec::new();
    for name in names {
        let number =
            name.strip_prefix('b').and_then(|number| number.parse().ok()).filter(|&bool: &u8| bool < 16);
        let found = match number {
            Some(number) => number,
            None => {
                let found = opened.symbols.registers('b', name).map_err(Failure::usage)?;
                // Range: b0 to b15.
                found.first().map_or(0, |&register| register as u8)
            }
        };
        if all.contains(&found) {
            return Err(Failure::usage(format!("--variants names {name} twice")));
        }
        all.push(found);
    }
    Ok(all)
}

/// Counts the instructions of a program before and after.
fn made(opened: &Opened, path: PathBuf, control: Control, optimized: Optimized) -> transpica::Result<Made> {
    let after = Opened::new(&Shbin::parse(&optimized.bytes)?, 0, &Limits::default())?;
    let proof = match (&optimized.kept, optimized.is_proven) {
        (Some(_), _) => "unchanged",
        (None, true) => "proven equal",
        (None, false) => "equal on samples",
    };
    let free = paths::tested(&opened.program) & !control.bools.baked;
    let bools = paths::combinations(free);
    let mut ways = Vec::new();
    if opened.program.stage() == Stage::Vertex {
        let counted = [opened, &after].map(|opened| paths::executed(opened, &control, &bools));
        let [before, after] = counted;
        ways = before?.into_iter().zip(after?).map(|(before, after)| [before, after]).collect();
    }
    Ok(Made { path, control, optimized, proof, ways })
}

/// Words and executed instructions as text.
fn table(all: &[Made], opened: &Opened) -> String {
    let mut text = String::new();
    for made in all {
        let Optimized { before, after, kept, .. } = &made.optimized;
        let name = made.path.display();
        match kept {
            Some(reason) => _ = writeln!(text, "{name}: {before} words, unchanged: {reason}"),
            None => _ = writeln!(text, "{name}: {before} words, now {after}, {}", made.proof),
        }
        for [before, after] in &made.ways {
            let tested = paths::tested(&opened.program) & !made.control.bools.baked;
            let set: Vec<String> = (0..16usize)
                .filter(|bit| (before.bools & tested) >> bit & 1 != 0)
                .map(|bit| opened.symbols.name('b', bit).unwrap_or(format!("b{bit}")))
                .collect();
            let with = if set.is_empty() { String::new() } else { format!(" with {}", set.join(", ")) };
            let (old, new) = (before.instructions, after.instructions);
            let _ = writeln!(text, "  executes {old:.1} instructions{with}, now {new:.1}");
        }
    }
    text
}

/// The same as JSON.
fn document(all: &[Made]) -> Value {
    let programs = all.iter().map(|made| {
        let ways = made.ways.iter().map(|[before, after]| {
            json!({ "bools": before.bools, "before": before.instructions, "after": after.instructions })
        });
        json!({
            "file": made.path.display().to_string(),
            "bools": { "known": made.control.bools.baked, "values": made.control.bools.values },
            "before": made.optimized.before, "after": made.optimized.after,
            "proof": made.proof, "kept": made.optimized.kept.as_ref().map(ToString::to_string),
            "instructions": ways.collect::<Vec<_>>(),
        })
    });
    json!({ "programs": programs.collect::<Vec<_>>() })
}
