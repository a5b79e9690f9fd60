//! Times the stages of a translation one by one, and the complete translation.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use transpica::Translator;
use transpica::stages::backend::spirv::{Source, SpirvWriter};
use transpica::stages::backend::text;
use transpica::stages::backend::text::{GlslVersion, Language};
use transpica::stages::cfg::explore::{self, Explored};
use transpica::stages::cfg::reduce::{Reduced, reduce};
use transpica::stages::container::Shbin;
use transpica::stages::error::Error;
use transpica::stages::host::dvle::{self, Executable};
use transpica::stages::host::{Arithmetic, Interface, Job, Options, Profile, Surroundings, varying};
use transpica::stages::isa::{Pc, Stage};
use transpica::stages::lower::{self, Context, Outputs};
use transpica::stages::passes;
use transpica::stages::precision::Precision;
use transpica::stages::structure::{self, Structured};

/// Nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Minimum.
    pub min: u64,
    /// Median.
    pub median: u64,
}

impl Timing {
    pub fn of(mut samples: Vec<u64>) -> Self {
        samples.sort_unstable();
        Self { min: samples[0], median: samples[samples.len() / 2] }
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
    /// Time of each stage.
    pub stages: Vec<(&'static str, Timing)>,
    /// Time from container bytes to SPIR-V words.
    pub to_spirv: Timing,
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
    let sources = [transpica::stages::asm::Source { name: &file, text }];
    let assemble = || transpica::stages::asm::assemble(&sources).map_err(|report| report.to_string());
    let words = assemble()?.model.code.len();
    let mut samples = Vec::new();
    for _ in 0..repeat.max(1) {
        let mut clock = Clock(Instant::now());
        black_box(assemble()?);
        samples.push(clock.lap());
    }
    Ok(AssemblerTiming { lines: text.lines().count(), words, timing: Timing::of(samples), file })
}

const STAGES: [&str; 8] = ["parse", "decode", "explore", "structure", "SSA", "passes", "SPIR-V", "WGSL"];

/// Times the translation of a file's vertex programs.
pub fn measure(
    path: &Path,
    bytes: &[u8],
    only: Option<usize>,
    repeat: usize,
    fast: bool,
) -> Result<Vec<Measurement>, String> {
    let at = |error: Error| format!("{}: {error}", path.display());
    let file = Shbin::parse(bytes).map_err(at)?;
    let precision = if fast { Precision::Fast } else { Precision::Exact };
    let options =
        Options { arithmetic: Arithmetic { precision, ..Arithmetic::default() }, ..Options::default() };
    let mut all = Vec::new();
    for dvle in 0..file.executables.len() {
        if only.is_some_and(|only| only != dvle) {
            continue;
        }
        if dvle::program(&file, dvle, &options.limits).map_err(at)?.stage() == Stage::Vertex {
            let mut measured = one(bytes, dvle, options, repeat.max(1)).map_err(at)?;
            measured.file = path.display().to_string();
            all.push(measured);
        }
    }
    Ok(all)
}

/// Clock that returns the time since its last reading.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> u64 {
        let now = Instant::now();
        let lap = now.duration_since(self.0);
        self.0 = now;
        u64::try_from(lap.as_nanos()).unwrap_or(u64::MAX)
    }
}

fn one(bytes: &[u8], dvle: usize, options: Options, repeat: usize) -> Result<Measurement, Error> {
    let profile = Profile::default();
    let mut translator = Translator::new(options, profile);
    let mut writer = SpirvWriter::new();
    let mut scratch = passes::Scratch::default();
    let mut samples: [Vec<u64>; STAGES.len()] = Default::default();
    for _ in 0..repeat {
        for (samples, time) in
            samples.iter_mut().zip(time_stages(bytes, dvle, &options, &profile, &mut writer, &mut scratch)?)
        {
            samples.push(time);
        }
    }
    let (mut to_spirv, mut to_wgsl) = (Vec::new(), Vec::new());
    for _ in 0..repeat {
        let mut clock = Clock(Instant::now());
        let file = Shbin::parse(bytes)?;
        let program = dvle::program(&file, dvle, &options.limits)?;
        let translated =
            translator.translate(&program, &Executable::new(&file, dvle, "bench")?, Job::Vertex)?;
        black_box(translator.spirv(&translated)?);
        to_spirv.push(clock.lap());
    }
    for _ in 0..repeat.min(100) {
        let mut clock = Clock(Instant::now());
        let file = Shbin::parse(bytes)?;
        let program = dvle::program(&file, dvle, &options.limits)?;
        let translated =
            translator.translate(&program, &Executable::new(&file, dvle, "bench")?, Job::Vertex)?;
        black_box(translated.text(Language::Wgsl)?);
        to_wgsl.push(clock.lap());
    }
    let file = Shbin::parse(bytes)?;
    let program = dvle::program(&file, dvle, &options.limits)?;
    let translated = translator.translate(&program, &Executable::new(&file, dvle, "bench")?, Job::Vertex)?;
    Ok(Measurement {
        file: String::new(),
        dvle,
        instructions: reached(&program, &options)?,
        stages: STAGES.into_iter().zip(samples.map(Timing::of)).collect(),
        to_spirv: Timing::of(to_spirv),
        to_wgsl: Timing::of(to_wgsl),
        words: translator.spirv(&translated)?.len(),
        values: translated.module.main.values.len(),
        tier: translated.tier.to_string(),
        glsl: translated.text(Language::Glsl(GlslVersion::default()))?,
    })
}

/// Counts the data instructions of the program's graph, each once.
fn reached(program: &transpica::stages::isa::Program<'_>, options: &Options) -> Result<usize, Error> {
    let Explored::Graph(cfg) = explore::explore(program, &explore::Options::default(), &options.limits)?
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

/// Times each stage, in the order of [`STAGES`].
fn time_stages(
    bytes: &[u8],
    dvle: usize,
    options: &Options,
    profile: &Profile,
    writer: &mut SpirvWriter,
    scratch: &mut passes::Scratch,
) -> Result<[u64; STAGES.len()], Error> {
    let mut clock = Clock(Instant::now());
    let file = Shbin::parse(bytes)?;
    let parse = clock.lap();
    let program = dvle::program(&file, dvle, &options.limits)?;
    for pc in 0..program.code().len() {
        black_box(program.inst(Pc(pc as u16)));
    }
    let decode = clock.lap();
    let around = Executable::new(&file, dvle, "bench")?;
    let outputs = varying::outputs(&around.output_map(), options, &Profile::default().locations);
    let folded = around.folded(options);
    let context = Context {
        program: &program,
        constants: &folded.floats,
        outputs: Outputs::Semantics(&outputs),
        geometry: None,
        options,
    };
    clock.lap();
    let explored = explore::explore(&program, &explore::Options::default(), &options.limits)?;
    let explore = clock.lap();
    let (mut module, structure, ssa) = match explored {
        Explored::Graph(mut cfg) => {
            let reduced = reduce(&mut cfg, &options.limits);
            let tree = match structure::structure(&cfg, &options.limits) {
                Structured::Tree(tree) if reduced == Reduced::Reducible => tree,
                Structured::Tree(_) | Structured::TooDeep { .. } => structure::blocks::dispatcher(&cfg),
            };
            let structure = clock.lap();
            let module = lower::structured(context, &cfg, &tree)?;
            (module, structure, clock.lap())
        }
        Explored::TooManyNodes { .. } => (lower::dispatched(context)?, 0, clock.lap()),
    };
    passes::optimize(&mut module, &options.arithmetic, scratch);
    let offsets = passes::offsets::run(&module.main, &options.arithmetic, &folded.floats);
    let usage = passes::usage::run(&module.main, &offsets);
    let interface = Interface { outputs: outputs.clone(), ..around.interface(&usage, options)? };
    let uniforms =
        passes::legalize::Uniforms { block: &interface.block, constants: &folded.floats, offsets: &offsets };
    passes::legalize::run(&mut module, options, &uniforms);
    passes::tidy(&mut module, scratch);
    passes::leave::run(&mut module.main, &module.helpers, scratch);
    let passes = clock.lap();
    let source = Source { module: &module, interface: &interface, limits: &options.limits, profile };
    black_box(writer.write(&source)?);
    let spirv = clock.lap();
    black_box(text::wgsl(&source)?);
    Ok([parse, decode, explore, structure, ssa, passes, spirv, clock.lap()])
}
