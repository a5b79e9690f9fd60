//! Times the stages of a translation one by one, and the complete translation.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{EntryPoint, Environment, Interface, dvle, varying};
use transpica::stages::backend::spirv::{BackendInput, SpirvWriter};
use transpica::stages::backend::text::Language;
use transpica::stages::cfg::explore::{self, Explored};
use transpica::stages::cfg::reduce::{Reduced, reduce};
use transpica::stages::lift::{self, Context, OutputSelection};
use transpica::stages::passes;
use transpica::stages::passes::analyze::ranges::Promises;
use transpica::stages::structure::{self, Structured};
use transpica::{
    At, Error, GlslVersion, Job, Kind, Options, Profile, Program, Shbin, Translation, Translator,
};

use crate::batch::for_each;

/// Nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    /// Minimum.
    pub min: u64,
    /// Median.
    pub median: u64,
}

impl Timing {
    /// Times some work, once at least.
    pub fn of<E>(repeat: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let mut samples = Vec::new();
        for _ in 0..repeat.max(1) {
            let mut clock = Stopwatch(Instant::now());
            work()?;
            samples.push(clock.lap());
        }
        Ok(Self::from_samples(samples))
    }

    fn from_samples(mut samples: Vec<u64>) -> Self {
        samples.sort_unstable();
        Self { min: samples[0], median: samples[samples.len() / 2] }
    }

    /// Prints it below its program.
    pub fn print(self, name: &str) {
        println!("  {name:<16} {:>9} min {:>9} median ns", self.min, self.median);
    }
}

/// Results of one program.
pub struct Measurement {
    /// File name.
    pub file: String,
    /// Index of the executable.
    pub dvle: usize,
    /// Reachable data instructions, each counted once.
    pub instructions: usize,
    /// Time of each stage from container bytes to SPIR-V words.
    pub stages: Vec<(&'static str, Timing)>,
    /// Time of all stages together: the sums of each round.
    pub sum: Timing,
    /// Time from container bytes to SPIR-V words as hosts spend it, in rounds that alternate with
    /// rounds of the stages.
    pub to_spirv: Timing,
    /// Time of the WGSL printer alone.
    pub wgsl: Timing,
    /// Time from container bytes to WGSL text.
    pub to_wgsl: Timing,
    /// Words of the module.
    pub words: usize,
    /// IR values after the passes.
    pub values: usize,
    /// Control-flow tier.
    pub tier: String,
    /// The program as GLSL.
    pub glsl: String,
}

/// Results of one source.
pub struct AssemblerTiming {
    /// File name.
    pub file: String,
    /// Lines of text.
    pub lines: usize,
    /// AssemblerTiming code words.
    pub words: usize,
    /// Time from text to container bytes.
    pub timing: Timing,
}

/// Times the assembler on one source.
pub fn assemble(path: &Path, text: &str, repeat: usize) -> Result<AssemblerTiming, String> {
    let file = path.display().to_string();
    let sources = [transpica_asm::SourceText { name: &file, text }];
    let assemble = || transpica_asm::assemble(&sources).map_err(|report| report.to_string());
    let words = assemble()?.model.code.len();
    let timing = Timing::of(repeat, || assemble().map(|assembled| drop(black_box(assembled))))?;
    Ok(AssemblerTiming { lines: text.lines().count(), words, timing, file })
}

const STAGES: [&str; 8] =
    ["parse", "decode", "environment", "explore", "structure", "SSA", "passes", "SPIR-V"];

/// Times the translation of a file's vertex programs.
pub fn measure(
    path: &Path,
    bytes: &[u8],
    only: Option<usize>,
    repeat: usize,
    options: Options,
) -> Result<Vec<Measurement>, String> {
    let mut all = Vec::new();
    for_each(path, bytes, only, |dvle, program, _| {
        let mut measured = measure_program(bytes, dvle, program, options, repeat.max(1))?;
        measured.file = path.display().to_string();
        all.push(measured);
        Ok(())
    })?;
    Ok(all)
}

/// Stopwatch that returns the time since its last reading.
struct Stopwatch(Instant);

impl Stopwatch {
    fn lap(&mut self) -> u64 {
        let now = Instant::now();
        let lap = now.duration_since(self.0);
        self.0 = now;
        u64::try_from(lap.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Times a program.
fn measure_program(
    bytes: &[u8],
    dvle: usize,
    program: &Program<'_>,
    options: Options,
    repeat: usize,
) -> Result<Measurement, Error> {
    let profile = Profile::default();
    let mut stages = StageRunner {
        options: &options,
        profile: &profile,
        writer: SpirvWriter::new(),
        scratch: passes::Scratch::default(),
    };
    let mut translator = Translator::new(options, profile.clone());
    let translated = translate(&mut translator, bytes, dvle)?;
    let words = translator.spirv(&translated)?;
    let mut samples: [Vec<u64>; STAGES.len()] = Default::default();
    let (mut sum, mut to_spirv) = (Vec::new(), Vec::new());
    // Stages and the complete translation alternate, so that both find the same in the caches.
    for _ in 0..repeat {
        let (times, same) = stages.run(bytes, dvle)?;
        if same != words {
            let text = "the timed stages differ from a translation's";
            return Err(Error::new(Kind::Other(text.into()), At::Whole));
        }
        sum.push(times.iter().sum());
        samples.iter_mut().zip(times).for_each(|(samples, time)| samples.push(time));
        let mut clock = Stopwatch(Instant::now());
        let translated = translate(&mut translator, bytes, dvle)?;
        black_box(translator.spirv(&translated)?);
        to_spirv.push(clock.lap());
    }
    let (mut wgsl, mut to_wgsl) = (Vec::new(), Vec::new());
    for _ in 0..repeat.min(100) {
        let mut clock = Stopwatch(Instant::now());
        let translated = translate(&mut translator, bytes, dvle)?;
        let before = clock.lap();
        black_box(translated.text(Language::Wgsl)?);
        wgsl.push(clock.lap());
        to_wgsl.push(before + wgsl.last().copied().unwrap_or_default());
    }
    Ok(Measurement {
        file: String::new(),
        dvle,
        instructions: reached(program, &options)?,
        stages: STAGES.into_iter().zip(samples.map(Timing::from_samples)).collect(),
        sum: Timing::from_samples(sum),
        to_spirv: Timing::from_samples(to_spirv),
        wgsl: Timing::from_samples(wgsl),
        to_wgsl: Timing::from_samples(to_wgsl),
        words: words.len(),
        values: translated.module.main.values.len(),
        tier: translated.tier.to_string(),
        glsl: translated.text(Language::Glsl(GlslVersion::default()))?,
    })
}

/// Translates a program from the bytes of its file.
fn translate(translator: &mut Translator, bytes: &[u8], dvle: usize) -> Result<Translation, Error> {
    let file = Shbin::parse(bytes)?;
    let program = dvle::program(&file, dvle, &translator.options().limits)?;
    let environment = FileEnvironment::new(&file, dvle, "bench")?;
    translator.translate(&program, &environment, Job::Vertex)
}

/// Counts the data instructions of the program's graph, each once.
fn reached(program: &Program<'_>, options: &Options) -> Result<usize, Error> {
    let Explored::Graph(cfg) =
        explore::explore(program, &explore::ExploreOptions::default(), &options.limits)?
    else {
        return Ok(program.code().len());
    };
    let mut seen = std::collections::BTreeSet::new();
    seen.extend(cfg.actions.iter().filter_map(|action| match action {
        transpica::stages::cfg::Action::Run(pc) => Some(pc.0),
        transpica::stages::cfg::Action::Loop(_) | transpica::stages::cfg::Action::SetDispatch { .. } => None,
    }));
    Ok(seen.len())
}

/// A translation in separate stages, with the memory that a translator keeps.
struct StageRunner<'a> {
    options: &'a Options,
    profile: &'a Profile,
    writer: SpirvWriter,
    scratch: passes::Scratch,
}

impl StageRunner<'_> {
    /// Times each stage, in the order of [`STAGES`], and returns the words.
    fn run(&mut self, bytes: &[u8], dvle: usize) -> Result<([u64; STAGES.len()], Vec<u32>), Error> {
        let mut clock = Stopwatch(Instant::now());
        let file = Shbin::parse(bytes)?;
        let parse = clock.lap();
        let program = dvle::program(&file, dvle, &self.options.limits)?;
        let decode = clock.lap();
        let around = FileEnvironment::new(&file, dvle, "bench")?;
        let folded = around.folded(self.options);
        let control = self.options.control.with_ints(&folded.ints);
        let options = &Options { control, ..*self.options };
        let outputs = varying::outputs(&around.output_map(), options, self.profile);
        let context = Context {
            program: &program,
            constants: &folded.floats,
            outputs: OutputSelection::Semantics(&outputs),
            geometry: None,
            options,
            hooks: &[],
        };
        let environment = clock.lap();
        let explored = explore::explore(&program, &options.control.exploration(), &options.limits)?;
        let explore = clock.lap();
        let (mut module, structure, ssa) = match explored {
            Explored::Graph(mut cfg) => {
                let reduced = reduce(&mut cfg, &options.limits);
                let tree = match structure::structure(&cfg, &options.limits) {
                    Structured::Tree(tree) if reduced == Reduced::Reducible => tree,
                    Structured::Tree(_) | Structured::TooDeep { .. } => structure::blocks::dispatcher(&cfg),
                };
                let structure = clock.lap();
                let module = lift::structured(context, &cfg, &tree)?;
                (module, structure, clock.lap())
            }
            Explored::TooManyNodes { .. } => (lift::dispatched(context)?, 0, clock.lap()),
        };
        passes::optimize::run(&mut module, &options.arithmetic, &mut self.scratch);
        let offsets = passes::analyze::offsets::run(&module.main, &options.arithmetic, &folded.floats);
        let usage = passes::analyze::usage::run(&module.main, &offsets);
        let known = around.interface(&usage.without(&folded), options)?;
        let interface = Interface::new(known, outputs.clone(), EntryPoint::Vertex, *options, folded.clone());
        let uniforms = passes::legalize::Uniforms {
            block: &interface.block,
            constants: &folded.floats,
            offsets: &offsets,
        };
        let given = passes::legalize::Given::promises(Promises::given(options));
        passes::legalize::run(&mut module, options, given, &uniforms, &mut self.scratch.built);
        passes::optimize::tidy(&mut module, &mut self.scratch);
        passes::drivers::leave::run(&mut module.main, &module.helpers, &mut self.scratch);
        let passes = clock.lap();
        let (limits, profile) = (&options.limits, self.profile);
        let source =
            BackendInput { module: &module, interface: &interface, limits, profile, debug_source: None };
        let words = self.writer.write(&source)?;
        let spirv = clock.lap();
        Ok(([parse, decode, environment, explore, structure, ssa, passes, spirv], words))
    }
}
