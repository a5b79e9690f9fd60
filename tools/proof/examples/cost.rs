//! Cost of translated programs on the GPU: SPIR-V instructions per PICA200 instruction and time per
//! vertex, exact compared with fast. Ratios hold within one run; absolute times depend on the
//! machine and its load.
//!
//! `cargo run --release -p transpica-proof --example cost -- FOLDER [ADAPTER]`

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use transpica::host::dvle::{self, FileEnvironment};
use transpica::settings::Arithmetic;
use transpica::stages::cfg::{
    Action,
    explore::{self, Explored, explore},
};
use transpica::{Job, Options, Precision, Profile, Program, Shbin, Stage, Translator};
use transpica_asm as asm;
use transpica_gpu::compare::uniform_bytes;
use transpica_gpu::{Gpu, Registers, Shader, Timed};
use transpica_proof::{chain, generate};

/// Vertices of one dispatch: few enough for their registers to stay in the processor's caches.
const VERTICES: usize = 1024;
/// Submissions, of which the shortest counts.
const ROUNDS: u32 = 40;
/// Dispatches per submission.
const REPEATS: u32 = 20;
/// A program that only ends.
const NOTHING: &str = ".out - position o0\n.proc main\n\tend\n.end\n";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first() else {
        eprintln!("usage: cost FOLDER [ADAPTER]");
        return ExitCode::from(2);
    };
    match table(Path::new(folder), arguments.get(1).map(String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn table(folder: &Path, adapter: Option<&str>) -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::open(adapter)?;
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("shbin")));
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.push((name, std::fs::read(path)?));
    }
    // The empty program measures the cost of loading, storing and starting.
    let end = asm::assemble(&[asm::SourceText { name: "nothing", text: NOTHING }])?;
    files.insert(0, ("(nothing)".into(), end.bytes));
    println!("on {}; net: less what a program costs that does nothing", gpu.name());
    println!(
        "| program | PICA | SPIR-V exact | fast | per PICA exact | fast | ns/vertex exact | fast | net exact/fast |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut nothing = None;
    for (name, bytes) in &files {
        let file = Shbin::parse(bytes)?;
        for index in 0..file.executables.len() {
            let program = dvle::program(&file, index, &Options::default().limits)?;
            if program.stage() == Stage::Vertex {
                let environment = FileEnvironment::new(&file, index, name)?;
                let row = Row::measure(&gpu, &program, &environment)?;
                row.print(&format!("{name} {index}"), *nothing.get_or_insert(row.times));
            }
        }
    }
    Ok(())
}

/// Figures of one program, exact and fast.
struct Row {
    /// Reachable PICA200 instructions.
    reached: usize,
    /// Instructions in the functions of its modules.
    spirv: [usize; 2],
    /// Nanoseconds per vertex.
    times: [f64; 2],
}

impl Row {
    fn measure(
        gpu: &Gpu,
        program: &Program<'_>,
        environment: &FileEnvironment<'_>,
    ) -> Result<Self, Box<dyn Error>> {
        let mut uniforms = generate::uniforms(0);
        environment.constants().apply(&mut uniforms);
        let vertices: Vec<Registers> = generate::inputs(0, VERTICES).iter().map(chain::bits).collect();
        let (mut spirv, mut timed) = ([0; 2], Vec::new());
        for (precision, spirv) in [Precision::Exact, Precision::Fast].into_iter().zip(&mut spirv) {
            let options = Options {
                arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                ..Options::default()
            };
            let mut translator = Translator::new(options, Profile::default());
            let translated = translator.translate(program, environment, Job::Compute)?;
            let words = translator.spirv(&translated)?;
            *spirv = instructions(&words);
            let bytes = uniform_bytes(&translated, &uniforms);
            timed.push(Timed::new(gpu, Shader::Passthrough(words), &bytes, &vertices)?);
        }
        let mut times = [f64::MAX; 2];
        // Alternate the two, so that other load on the machine affects both.
        for _ in 0..ROUNDS {
            for (timed, time) in timed.iter().zip(&mut times) {
                *time = time.min(timed.run(REPEATS)?.as_nanos() as f64 / VERTICES as f64);
            }
        }
        Ok(Self { reached: reached(program)?, spirv, times })
    }

    fn print(&self, name: &str, nothing: [f64; 2]) {
        let Self { reached, spirv, times: [exact, fast] } = self;
        let ratio =
            |over: f64, under: f64| if under == 0.0 { "".into() } else { format!("{:.2}", over / under) };
        let each = spirv.map(|spirv| ratio(spirv as f64, *reached as f64));
        println!(
            "| {name} | {reached} | {} | {} | {} | {} | {exact:.1} | {fast:.1} | {} |",
            spirv[0],
            spirv[1],
            each[0],
            each[1],
            ratio(exact - nothing[0], fast - nothing[1]),
        );
    }
}

/// Counts the instructions that the program can reach, each address once.
fn reached(program: &Program<'_>) -> Result<usize, Box<dyn Error>> {
    let options = Options::default();
    let Explored::Graph(graph) = explore(program, &explore::ExploreOptions::default(), &options.limits)?
    else {
        return Err("too many control states".into());
    };
    let ran = |action: &Action| if let Action::Run(pc) = action { Some(pc.0) } else { None };
    Ok(graph.actions.iter().filter_map(ran).collect::<BTreeSet<_>>().len())
}

/// Counts the instructions in the functions of a SPIR-V module, including labels and local
/// variables.
fn instructions(words: &[u32]) -> usize {
    /// OpFunction (SPIR-V 3.52.9).
    const FUNCTION: u32 = 54;
    let (mut at, mut count, mut inside) = (5, 0, false);
    while let Some(&first) = words.get(at) {
        inside |= first & 0xFFFF == FUNCTION;
        count += usize::from(inside);
        at += (first >> 16).max(1) as usize;
    }
    count
}
