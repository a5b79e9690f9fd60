//! Times every stage of a translation for files and folders, and glslang on our GLSL 450 of the
//! same program.
//! In: `.shbin` files, and `.pica` files, which are only assembled. Out: minimum and median
//! nanoseconds of each stage. With `--gpu` the costs after a translation: see `gpu`.
//! Ratios hold within one run; absolute times depend on the machine. For a single file the last
//! line is the median of bytes → SPIR-V in µs.

mod against;
mod batch;
mod cold;
mod draws;
mod evict;
mod glslang;
mod gpu;
mod raw;
mod stages;
mod work;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use serde_json::{Value, json};

use stages::{AssemblerTiming, Measurement};
use transpica::settings::Arithmetic;
use transpica::{Options, Precision};

/// Times every stage of a translation.
#[derive(Parser)]
#[command(after_help = "Example:
  cargo run --release -p transpica-bench -- shaders --json
  cargo run --release -p transpica-bench -- --raw
  cargo run --release -p transpica-bench -- --raw --against old/transpica-bench
  cargo run --release -p transpica-bench -- --cold
  cargo run --release -p transpica-bench -- --batch shaders
  cargo run --release -p transpica-bench -- --draws shaders/textured.shbin
  cargo run --release -p transpica-bench -- --gpu shaders

`cargo xtask count --speed` counts instructions and cache lines of translations and draws.")]
struct Arguments {
    /// Files and folders
    #[arg(required_unless_present_any = ["raw", "cold"])]
    paths: Vec<PathBuf>,
    /// Time programs of several sizes from code words, as emulators pass them, and their keys
    #[arg(long, conflicts_with_all = ["paths", "dvle", "no_glslang"])]
    raw: bool,
    /// Time the first programs of fresh processes, with a warm-up and without
    #[arg(long, conflicts_with = "raw")]
    cold: bool,
    /// Time the interpreter and batches on vertex programs instead
    #[arg(long, conflicts_with = "raw")]
    batch: bool,
    /// Time draws of 1 to 256 vertices in the interpreter and in batches instead, with 0 to 32 MB
    /// of other memory and other code between two draws, and several programs in turn
    #[arg(long, conflicts_with_all = ["raw", "cold"])]
    draws: bool,
    /// Only this executable of each file
    #[arg(long, value_name = "N")]
    dvle: Option<usize>,
    /// Repetitions of each stage
    #[arg(long, default_value_t = 300, value_name = "N")]
    repeat: usize,
    /// Another build of this program: both run in turn, and the ratios of their times are printed
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["json", "batch", "gpu"])]
    against: Option<PathBuf>,
    /// Plain IEEE instead of exact arithmetic
    #[arg(long)]
    fast: bool,
    /// Omit glslang (it needs g++ and Debian's glslang-dev)
    #[arg(long)]
    no_glslang: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Only translate the program, a file or a size, or with `--draws` draw so many vertices, for
    /// tools that count instructions
    #[arg(long, value_name = "ROUNDS", hide = true)]
    work: Option<usize>,
    #[command(flatten)]
    gpu: gpu::Settings,
}

fn main() -> ExitCode {
    let is_worker = std::env::args_os().nth(1).is_some_and(|argument| argument == gpu::WORKER);
    let mut arguments = std::env::args().skip(1);
    let result = match (arguments.next().as_deref(), arguments.next().as_deref()) {
        (Some(cold::WORKER), kind) => cold::work(kind == Some("warm")),
        _other if is_worker => gpu::worker::run(),
        _other => run(&Arguments::parse()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("error: {text}");
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    /// Returns the options of all programs.
    fn options(&self) -> Options {
        let precision = if self.fast { Precision::Fast } else { Precision::Exact };
        Options { arithmetic: Arithmetic { precision, ..Arithmetic::default() }, ..Options::default() }
    }
}

/// Reads a file.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Prints JSON.
fn print_json(value: &Value) -> Result<(), String> {
    println!("{}", serde_json::to_string_pretty(value).map_err(|error| error.to_string())?);
    Ok(())
}

/// Returns whether a file name has this extension, in either case.
fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// Finds the named files, and in folders those with one of these extensions.
fn find(paths: &[PathBuf], endings: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
            let path = entry.map_err(|error| error.to_string())?.into_path();
            let is_wanted = paths.contains(&path) || endings.iter().any(|ending| has_ending(&path, ending));
            if path.is_file() && is_wanted {
                files.push(path);
            }
        }
    }
    Ok(files)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    if let Some(other) = &arguments.against {
        return against::run(other);
    }
    if let (Some(rounds), [program], false) = (arguments.work, &arguments.paths[..], arguments.draws) {
        println!("{} words", work::run(program, rounds, arguments.cold)?);
        return Ok(());
    }
    if arguments.cold {
        return cold::run();
    }
    if arguments.raw {
        return sizes(arguments);
    }
    if arguments.gpu.gpu {
        let files = find(&arguments.paths, &["shbin"])?;
        return gpu::run(&arguments.gpu, &files, arguments.dvle, !arguments.no_glslang, arguments.json);
    }
    if arguments.draws {
        return draw(arguments);
    }
    if arguments.batch {
        return batches(arguments);
    }
    translations(arguments)
}

/// Times draws of each program, and of several in turn.
fn draw(arguments: &Arguments) -> Result<(), String> {
    let mut all = Vec::new();
    for path in find(&arguments.paths, &["shbin"])? {
        batch::for_each(&path, &read(&path)?, arguments.dvle, |dvle, program, environment| {
            all.push((
                format!("{}#{dvle}", path.display()),
                draws::Ready::new(program, environment, arguments.options())?,
            ));
            Ok(())
        })?;
    }
    let text = |error: transpica::Error| error.to_string();
    for (name, ready) in &mut all {
        let who = if arguments.batch { draws::Who::Batch } else { draws::Who::Machine };
        match arguments.work {
            Some(size) => ready.work(who, size),
            None => draws::print(name, ready, arguments.repeat),
        }
        .map_err(text)?;
    }
    let mut all: Vec<_> = all.into_iter().map(|(_, ready)| ready).collect();
    if all.len() > 1 { draws::print_menu(&mut all).map_err(text) } else { Ok(()) }
}

/// Times the stages of translations, and glslang. For a single program the last line is
/// the time from bytes to SPIR-V.
fn translations(arguments: &Arguments) -> Result<(), String> {
    let compiler = if arguments.no_glslang { None } else { Some(glslang::Glslang::build()?) };
    let files = find(&arguments.paths, &["shbin", "pica"])?;
    let mut all = Vec::new();
    let mut sources = Vec::new();
    for path in &files {
        let bytes = read(path)?;
        if has_ending(path, "pica") {
            let text = String::from_utf8_lossy(&bytes);
            match stages::assemble(path, &text, arguments.repeat) {
                Ok(measured) => sources.push(measured),
                Err(error) if files.len() == 1 => return Err(error),
                // The source is one of several that form a program, and cannot be assembled alone.
                Err(_) => {}
            }
            continue;
        }
        for measured in stages::measure(path, &bytes, arguments.dvle, arguments.repeat, arguments.options())?
        {
            let repeat = arguments.repeat.min(100);
            let reference = compiler.as_ref().map(|compiler| compiler.measure(&measured.glsl, repeat));
            all.push((measured, reference.transpose()?));
        }
    }
    if arguments.json {
        let rows = all.iter().map(|(measured, reference)| to_json(measured, *reference));
        return print_json(&rows.chain(sources.iter().map(source_to_json)).collect());
    }
    for (measured, reference) in &all {
        print(measured, *reference);
    }
    for AssemblerTiming { file, lines, words, timing } in &sources {
        println!("{file}: {lines} lines, {words} words");
        timing.print("assemble");
    }
    if let [(measured, _)] = &all[..] {
        println!("{:.1}", measured.to_spirv.median as f64 / 1000.0);
    }
    Ok(())
}

/// Times the interpreter and batches. For a single program the last line is their ratio with vertex
/// fetch and outputs.
fn batches(arguments: &Arguments) -> Result<(), String> {
    let mut all = Vec::new();
    for path in find(&arguments.paths, &["shbin"])? {
        let bytes = read(&path)?;
        all.extend(batch::measure(&path, &bytes, arguments.dvle, arguments.repeat, arguments.options())?);
    }
    if arguments.json {
        return print_json(&all.iter().map(batch::to_json).collect());
    }
    batch::print(&all);
    if let [measured] = &all[..] {
        println!("{:.1}", measured.ratio());
    }
    Ok(())
}

/// Times the translation from code words to SPIR-V words for programs of several sizes.
fn sizes(arguments: &Arguments) -> Result<(), String> {
    // Small programs take less time, so they need more rounds for a steady minimum.
    let rounds = |size: usize| arguments.repeat * (500 / size).max(1);
    let all = raw::SIZES.map(|size| raw::measure(size, rounds(size), arguments.options()));
    let all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
    if arguments.json {
        let rows = all.iter().map(|raw| {
            json!({
                "instructions": raw.instructions, "spirv_words": raw.words,
                "words_to_spirv": raw.to_spirv, "key": raw.key, "draw_key": raw.draw_key,
            })
        });
        return print_json(&rows.collect());
    }
    println!(
        "instructions  words → SPIR-V, ns: min   median  for each  key, ns: min  median  of a draw: min  median  SPIR-V words"
    );
    for raw in &all {
        let each = raw.to_spirv.min / raw.instructions as u64;
        println!(
            "{:>12} {:>24} {:>8} {each:>9} {:>12} {:>7} {:>15} {:>7} {:>13}",
            raw.instructions,
            raw.to_spirv.min,
            raw.to_spirv.median,
            raw.key.min,
            raw.key.median,
            raw.draw_key.min,
            raw.draw_key.median,
            raw.words
        );
    }
    Ok(())
}

fn print(measured: &Measurement, reference: Option<glslang::Reference>) {
    println!("{} dvle {}: {} data instructions", measured.file, measured.dvle, measured.instructions);
    measured.stages.iter().for_each(|(name, timing)| timing.print(name));
    measured.sum.print("sum");
    measured.to_spirv.print("bytes → SPIR-V");
    measured.wgsl.print("WGSL alone");
    measured.to_wgsl.print("bytes → WGSL");
    println!("  {} SPIR-V words, {} IR values, {}", measured.words, measured.values, measured.tier);
    if let Some(reference) = reference {
        println!(
            "  glslang, same program from our GLSL: {} min {} median ns, {} words",
            reference.min, reference.median, reference.words
        );
        let ratio = reference.median as f64 / measured.to_spirv.median as f64;
        println!(
            "  glslang takes {ratio:.0} times as long and {:.2} times the words",
            reference.words as f64 / measured.words as f64
        );
    }
}

fn to_json(measured: &Measurement, reference: Option<glslang::Reference>) -> Value {
    let stages: serde_json::Map<String, Value> =
        measured.stages.iter().map(|(name, timing)| ((*name).to_string(), json!(timing))).collect();
    json!({
        "file": measured.file, "dvle": measured.dvle, "instructions": measured.instructions, "stages": stages,
        "sum_of_stages": measured.sum, "wgsl": measured.wgsl,
        "bytes_to_spirv": measured.to_spirv, "bytes_to_wgsl": measured.to_wgsl,
        "spirv_words": measured.words, "ir_values": measured.values, "tier": measured.tier,
        "glslang": reference.map(|r| json!({
            "min": r.min, "median": r.median, "words": r.words,
            "ratio": r.median as f64 / measured.to_spirv.median as f64,
        })),
    })
}

fn source_to_json(source: &AssemblerTiming) -> Value {
    let AssemblerTiming { file, lines, words, timing } = source;
    json!({ "file": file, "lines": lines, "words": words, "stages": { "assemble": timing } })
}
