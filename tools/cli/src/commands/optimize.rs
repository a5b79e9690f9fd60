//! `transpica optimize`: the same program in fewer words or with fewer executed instructions, shown
//! equal to it before it is written.
//! In: a file, known values. Out: a file with the same tables, or a set of files for the values of
//! some bools, with a table that says which to load.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use transpica::settings::Control;
use transpica::{Limits, Shbin};
use transpica_build::bindings::Variants;
use transpica_compile::equal::Opened;
use transpica_compile::optimize::{Goal, Known, Objective, Optimized, Reason, optimize};
use transpica_compile::paths::{self, Path as Way};

use super::equal::part;
use crate::arguments::Arguments;
use crate::files;
use crate::input::Input;
use crate::json::Schema;
use crate::report::{Common, Failure};
use crate::settings::{ForKnownValues, Settings};
use crate::streams::{Output, Streams};

/// Make a program shorter or faster, with a proof
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica optimize lights.shbin -o small.shbin
  transpica optimize lights.shbin -o fast.shbin --for speed
  transpica optimize uber.v.pica --bools hasFog=false,hasLight=true -o lit.shbin
  transpica optimize uber.v.pica --variants hasFog,hasLight -o uber.shbin --bind-c variants.h

Tables, symbols and registers of the file stay, and so does every bit of every output, but for --reorder. Tables and bytes between them keep their order, as with `asm --like`; a file in which nothing becomes better is written byte for byte. What is written is compared with the file as `equal` compares; a program stays as it is if it cannot be made better, if nothing shows the new one equal, and if it is a geometry program that reads what an earlier invocation left, unless that is in r0 to r15 and the new one is proven equal.

No new program executes more instructions than the old one on any of the counted ways through it. --for speed writes programs that execute fewer on some way, in up to 512 words, or 4,096 in files of geometry programs alone. For size, lines that repeat become procedures only if the program does not become shorter without them.

--reorder lets sums and products be in another order where that is shorter: DP3, DP4 or DPH for a sum of products. The distance of the results is measured on values as games have them, as by `equal --up-to-rounding`, and printed; no distance is proven.

A file may hold several programs: all get one section of code, in which some may keep what they had. Values and --variants that name uniforms are for the programs that have these names.

--variants writes NAME.0.shbin to NAME.N.shbin: bit n of the number is the value of the n-th bool. --bind-c has the names of the files, --bind-rust includes them by their paths from the module.")]
pub struct Optimize {
    /// A .shbin file, .pica source, or shader as `compile` takes it
    pub file: PathBuf,
    /// Output file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Costs that become less
    #[arg(long = "for", value_enum, value_name = "COSTS", default_value_t = Costs::Size)]
    pub costs: Costs,
    /// Let sums be in another order, by which results may change by this part of the largest
    /// component of their vector [default: keep all bits; without a number 1e-5]
    #[arg(long, value_name = "PART", num_args = 0..=1, require_equals = true, default_missing_value = "1e-5")]
    #[arg(value_parser = part)]
    pub reorder: Option<f32>,
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
    pub settings: Settings<ForKnownValues>,
}

/// `--for`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Costs {
    /// Words of code
    Size,
    /// Executed instructions; words may become more
    Speed,
}

/// Most bools of a set of variants.
const VARIANTS: usize = 6;

impl Arguments for Optimize {
    fn check(&self) -> Result<(), String> {
        if self.variants.len() > VARIANTS {
            return Err(format!("--variants takes at most {VARIANTS} bools, which give 64 files"));
        }
        if !self.variants.is_empty() && self.output.extension().is_none() {
            return Err(
                "--variants numbers the files before their extension: give -o one, as in NAME.shbin".into()
            );
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

/// A file that was optimized.
struct Made {
    path: PathBuf,
    /// Known bools and ints of the first program.
    control: Control,
    optimized: Optimized,
    /// How it is shown equal.
    proof: &'static str,
    /// Executed instructions of each program before and after.
    ways: Vec<Vec<[Way; 2]>>,
}

/// Runs the command.
pub fn run(arguments: &Optimize, common: &Common) -> Result<(), Failure> {
    let input = Input::open(&arguments.file)?.remarked(common);
    let file = input.parse()?;
    let fail = |error: transpica::Error| input.fail(&error);
    let open = |index| Opened::new(&file, index, &Limits::default());
    let opened = (0..file.executables.len().max(1)).map(open);
    let opened: Vec<Opened> = opened.collect::<Result<_, _>>().map_err(fail)?;
    let names = opened.iter().map(|opened| |bank, name: &str| opened.symbols.registers(bank, name));
    let resolved = arguments.settings.resolve_for_each(&names.collect::<Vec<_>>())?;
    let controls: Vec<Control> = resolved.into_iter().map(|resolved| resolved.options.control).collect();
    let bools = bools(&arguments.variants, &opened)?;
    for (control, bools) in controls.iter().zip(&bools) {
        let is_known = |bool: &Option<u8>| bool.is_some_and(|bool| control.bools.baked >> bool & 1 != 0);
        if let Some(place) = bools.iter().position(is_known) {
            let name = &arguments.variants[place];
            let message = format!("--variants {name}: its value is known, so it makes no variants");
            return Err(Failure::usage(message));
        }
    }
    let objective = match arguments.costs {
        Costs::Size => Objective::Size,
        Costs::Speed => Objective::Speed,
    };
    let goal = Goal { objective, rounding: arguments.reorder };
    let mut all = Vec::new();
    for number in 0..1u32 << arguments.variants.len() {
        let of_program = |(control, bools): (&Control, &Vec<Option<u8>>)| {
            let mut control = *control;
            for (place, &bool) in bools.iter().enumerate() {
                let Some(bool) = bool else { continue };
                control.bools.baked |= 1 << bool;
                control.bools.values &= !(1 << bool);
                control.bools.values |= u16::from(number >> place & 1 != 0) << bool;
            }
            Known { control, constants: arguments.fold }
        };
        let known: Vec<Known> = controls.iter().zip(&bools).map(of_program).collect();
        let path = if arguments.variants.is_empty() {
            arguments.output.clone()
        } else {
            let ending = arguments.output.extension().unwrap_or_default().to_string_lossy().into_owned();
            arguments.output.with_extension(format!("{number}.{ending}"))
        };
        let optimized = optimize(&input.bytes, &known, goal).map_err(fail)?;
        if let Some(Reason::Differs(_)) = optimized.kept {
            let message = format!("{}: what was made is not equal", arguments.file.display());
            return Err(Failure::new(message).hint("this is a fault of transpica: please report the file"));
        }
        all.push(made(&opened, path, &known, optimized).map_err(fail)?);
    }
    for (place, made) in all.iter().enumerate() {
        let is_new = |one: &Made| one.optimized.kept.is_none();
        let is_same = |first: &&Made| is_new(made) && first.optimized.bytes == made.optimized.bytes;
        if let Some(first) = all[..place].iter().find(is_same) {
            let [name, first] = [&made.path, &first.path].map(|path| path.display());
            common.warn(format_args!("{name} is the same file as {first}: their bools change nothing"));
        }
    }
    write(arguments, common, &all, &opened)
}

/// Writes the programs, their tables and the report.
fn write(arguments: &Optimize, common: &Common, all: &[Made], opened: &[Opened]) -> Result<(), Failure> {
    let text =
        if arguments.json { Schema::OPTIMIZE.text(document(all)) } else { table(all, opened, arguments) };
    let names: Vec<String> = all.iter().map(|made| files::name(&made.path)).collect();
    let module = arguments.bind_rust.as_deref().unwrap_or(&arguments.output);
    let included: Vec<String> = all.iter().map(|made| relative(&made.path, module)).collect();
    let stem = files::name(&arguments.file);
    let stem = stem.split('.').next().unwrap_or_default();
    let variants = |files| Variants { name: stem, bools: &arguments.variants, files };
    let (c, rust) = (variants(&names).c(), variants(&included).rust());
    let tables = [(&arguments.bind_c, c), (&arguments.bind_rust, rust)];
    let mut written: Vec<(Option<&Path>, &[u8])> =
        all.iter().map(|made| (Some(made.path.as_path()), &made.optimized.bytes[..])).collect();
    for (path, text) in &tables {
        written.extend(path.as_deref().map(|path| (Some(path), text.as_bytes())));
    }
    if arguments.json || !common.quiet {
        written.push((None, text.as_bytes()));
    }
    files::write_all(&written)
}

/// The path of a file from the folder of another one, as source texts write paths. A file on
/// another drive has its whole path.
fn relative(path: &Path, other: &Path) -> String {
    let absolute = |path: &Path| {
        let mut plain = PathBuf::new();
        for part in std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).components() {
            if part == Component::ParentDir {
                plain.pop()
            } else {
                plain.push(part);
                true
            };
        }
        plain
    };
    let (path, other) = (absolute(path), absolute(other));
    let folder = other.parent().unwrap_or(&other);
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return path.display().to_string();
    }
    let up = folder.components().skip(common).map(|_| "..".into());
    let down = path.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<String>>().join("/")
}

/// Registers of bools that are named, or given by number, in each program that has them.
fn bools(names: &[String], opened: &[Opened]) -> Result<Vec<Vec<Option<u8>>>, Failure> {
    let mut all: Vec<Vec<Option<u8>>> = vec![Vec::new(); opened.len()];
    for name in names {
        let number =
            name.strip_prefix('b').and_then(|number| number.parse().ok()).filter(|&bool: &u8| bool < 16);
        let mut fault = None;
        for (opened, found) in opened.iter().zip(&mut all) {
            let register =
                number.map_or_else(|| named(opened, name).map_err(|text| fault = Some(text)).ok(), Some);
            if register.is_some() && found.contains(&register) {
                return Err(Failure::usage(format!("--variants names {name} twice")));
            }
            found.push(register);
        }
        if let Some(fault) = fault.filter(|_| all.iter().all(|found| found.last() == Some(&None))) {
            return Err(Failure::usage(format!("--variants {name}: there is no such bool: {fault}")));
        }
    }
    Ok(all)
}

/// The register of a bool with this name.
fn named(opened: &Opened, name: &str) -> Result<u8, String> {
    let found = opened.symbols.registers('b', name)?;
    // Range: b0 to b15.
    Ok(found.first().map_or(0, |&register| register as u8))
}

/// Counts the instructions of all programs before and after.
fn made(opened: &[Opened], path: PathBuf, known: &[Known], optimized: Optimized) -> transpica::Result<Made> {
    let after = Shbin::parse(&optimized.bytes)?;
    let proof = match (&optimized.kept, optimized.is_proven) {
        (Some(_), _) => "unchanged",
        (None, true) => "proven equal",
        (None, false) if optimized.distance.ulp > 0 => "equal up to rounding",
        (None, false) => "equal on samples",
    };
    let mut ways = Vec::new();
    for (index, (opened, known)) in opened.iter().zip(known).enumerate() {
        let after = Opened::new(&after, index, &Limits::default())?;
        let bools = paths::combinations(paths::tested(&opened.program) & !known.control.bools.baked);
        let counted = [opened, &after].map(|opened| paths::executed(opened, &known.control, &bools));
        let [before, after] = counted;
        ways.push(before?.into_iter().zip(after?).map(|(before, after)| [before, after]).collect());
    }
    let control = known.first().map_or_else(Control::default, |known| known.control);
    Ok(Made { path, control, optimized, proof, ways })
}

/// Words and executed instructions as text.
fn table(all: &[Made], opened: &[Opened], arguments: &Optimize) -> String {
    let mut text = String::new();
    for made in all {
        let Optimized { before, after, kept, programs, distance, .. } = &made.optimized;
        let name = made.path.display();
        match kept {
            Some(reason) => _ = writeln!(text, "{name}: {before} words, unchanged: {reason}"),
            None => _ = writeln!(text, "{name}: {before} words, now {after}, {}", made.proof),
        }
        if arguments.reorder.is_some() && kept.is_none() && distance.ulp > 0 {
            let relative = distance.relative;
            _ = writeln!(text, "  at most {} ulp, {relative:.1e} of the largest component", distance.ulp);
        }
        if let Some(reason) = &made.optimized.refused {
            _ = writeln!(text, "  sums keep their order: {reason}");
        }
        for (index, (opened, ways)) in opened.iter().zip(&made.ways).enumerate() {
            let program = if made.ways.len() > 1 { format!("DVLE {index} ") } else { String::new() };
            if let (None, Some(Some(reason))) = (kept, programs.get(index)) {
                _ = writeln!(text, "  {program}keeps its code: {reason}");
            }
            // A program that stays takes the ways that it took.
            let is_changed = kept.is_none() && programs.get(index).is_none_or(Option::is_none);
            for [before, after] in ways.iter().filter(|_| is_changed) {
                let tested = paths::tested(&opened.program) & before.bools;
                let set: Vec<String> = (0..16usize)
                    .filter(|bit| tested >> bit & 1 != 0)
                    .map(|bit| opened.symbols.name('b', bit).unwrap_or(format!("b{bit}")))
                    .collect();
                let with = if set.is_empty() { String::new() } else { format!(" with {}", set.join(", ")) };
                let (old, new) = (before.instructions, after.instructions);
                let _ = writeln!(text, "  {program}executes {old:.1} instructions{with}, now {new:.1}");
            }
        }
    }
    text
}

/// The same as JSON.
fn document(all: &[Made]) -> Value {
    let programs = all.iter().map(|made| {
        let rows =
            made.ways.iter().enumerate().flat_map(|(dvle, ways)| ways.iter().map(move |way| (dvle, way)));
        let rows = rows.map(|(dvle, [before, after])| {
            json!({
                "dvle": dvle, "bools": before.bools,
                "before": before.instructions, "after": after.instructions,
            })
        });
        let stays = made.optimized.programs.iter().map(|reason| reason.as_ref().map(ToString::to_string));
        json!({
            "file": made.path.display().to_string(),
            "bools": { "known": made.control.bools.baked, "values": made.control.bools.values },
            "before": made.optimized.before, "after": made.optimized.after,
            "proof": made.proof, "ulp": made.optimized.distance.ulp,
            "relative": transpica_inspect::json::decimal(made.optimized.distance.relative),
            "kept": made.optimized.kept.as_ref().map(ToString::to_string),
            "stays": stays.collect::<Vec<_>>(), "instructions": rows.collect::<Vec<_>>(),
        })
    });
    json!({ "programs": programs.collect::<Vec<_>>() })
}
