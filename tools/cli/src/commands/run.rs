//! `transpica run`: one program on the interpreter or on the GPU.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use transpica::Stage;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::Uniforms;
use transpica_inspect::inputs::{Origin, Seed, start_values};
use transpica_inspect::promises::Promised;
use transpica_inspect::results::{self, View, run_to_text};
use transpica_inspect::state::{State, parse};
use transpica_inspect::{saved, symbols::Symbols};

use crate::arguments::{Arguments, Machine, Results, RouteName, vertices};
use crate::files;
use crate::gpu;
use crate::input::{Input, Selection};
use crate::jobs::GpuRun;
use crate::report::{Common, Failure};
use crate::settings::{ForRuns, Settings};
use crate::streams::Streams;
use crate::trace::Log;

/// Run a program and print its output registers
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica run lights.shbin --seed 7
  transpica run lights.shbin --state state.json --json
  transpica run textured.shbin --trace

--help lists all options by purpose, and shows a state file.")]
#[command(after_long_help = "Examples:
  transpica run lights.shbin --seed 7
  transpica run lights.shbin --save-state state.json
  transpica run lights.shbin --state state.json --json
  transpica run lights.shbin --on gpu --route wgsl
  transpica run textured.shbin --trace

State file:
  { \"uniforms\": { \"c\": {\"0\": [1, 0, 0, 0]}, \"i\": {\"0\": [3, 0, 1, 0]}, \"b\": {\"2\": true} },
    \"vertices\": [ { \"v0\": [0.5, 1, 0, 1], \"v1\": [\"0x3f800000\", \"1/255\", \"-inf\", \"nan\"] } ] }

Names from the file may replace registers:
  { \"uniforms\": { \"texScale\": [1, 1, 0, 0], \"lit\": true },
    \"vertices\": [ { \"inpos\": [0.5, 1, 0, 1] } ] }

For a geometry program, each element is an invocation, and its state carries over to the next; c are the uniforms that receive vertices:
  { \"v0\": [0, 0, 0, 1], \"c\": {\"10\": [1, 2, 3, 4]} }

--json prints bits, and the same values as numbers.

Promises (--assume): generated inputs keep them. A state file that breaks one is an error (status 1) on CPU and GPU; the message names the first uniform, vertex or result that does.")]
pub struct Run {
    /// A .shbin file or .pica source; - reads standard input
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened.
    pub file: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    /// State file with uniforms and vertices; not with --vertices, --seed or --stress
    /// [default: generated from --seed]
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Write the run's uniforms and vertices to this file, for --state
    #[arg(long, value_name = "FILE")]
    pub save_state: Option<PathBuf>,
    /// Seed of generated inputs
    #[arg(long, default_value_t = 0, value_name = "S", conflicts_with = "state")]
    pub seed: u64,
    /// Generate values that find faults: infinities, NaN, huge and tiny numbers, any index
    /// [default: values like a game's, by names and numbers of registers]
    #[arg(long, conflicts_with = "state", hide_short_help = true)]
    pub stress: bool,
    /// Number of generated vertices, or invocations of a geometry program
    #[arg(long, default_value_t = 4, value_name = "N", conflicts_with = "state", value_parser = vertices())]
    pub vertices: usize,
    /// Run the program on CPU or GPU
    #[arg(long, value_enum, default_value_t = Machine::Cpu)]
    pub on: Machine,
    /// Form in which the program reaches the GPU [default: our SPIR-V unchanged, or WGSL if the
    /// driver does not accept SPIR-V]
    #[arg(long, value_enum, hide_short_help = true)]
    pub route: Option<RouteName>,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Print every executed instruction before the outputs, even if the run fails (interpreter
    /// only)
    #[arg(long, conflicts_with = "json")]
    pub trace: bool,
    /// Maximum number of instructions per vertex or invocation
    #[arg(long, default_value_t = 1 << 24, value_name = "N", hide_short_help = true)]
    pub budget: u64,
    /// List all sixteen output registers of a vertex, even those that are not written or mapped
    #[arg(long, hide_short_help = true)]
    pub all: bool,
    #[command(flatten)]
    pub results: Results,
    #[command(flatten)]
    pub settings: Settings<ForRuns>,
}

impl Arguments for Run {
    fn streams(&self) -> Streams<'_> {
        let inputs = self.settings.files().chain([&self.file]).chain(&self.state);
        let streams = self.results.streams(inputs).and("--save-state", self.save_state.as_ref());
        streams.on_gpu(self.on == Machine::Gpu)
    }
    fn check(&self) -> Result<(), String> {
        if self.trace && self.on == Machine::Gpu {
            return Err("--trace needs the interpreter; drop --on gpu".into());
        }
        Ok(())
    }
}

/// Hint for a state that breaks a promise.
const BREACH: &str =
    "a module that relies on this promise may compute anything there; change the state or --assume";

/// Runs the command.
pub fn run(arguments: &Run, common: &Common) -> Result<(), Failure> {
    let input = Input::open(&arguments.file)?.remarked(common);
    let container = input.parse()?;
    let dvle = input.chosen(&container, &arguments.selection, common);
    let symbols = input.symbols(&container, dvle)?;
    let options = arguments.settings.resolve_for(&symbols)?.options;
    let program = input.program(&container, dvle, &options.limits)?;
    let name = input.name();
    let environment = FileEnvironment::new(&container, dvle, &name).map_err(|error| input.fail(&error))?;
    let &Run { budget, vertices, ref results, .. } = arguments;
    let promised =
        Promised { program: &program, environment: &environment, symbols: &symbols, options, budget };
    let (path, mut state, origin) = match &arguments.state {
        Some(path) => {
            let state = read_state(path, start_values(&environment), program.stage(), &symbols)?;
            (path, state, Origin::File { file: path.display().to_string() })
        }
        None => {
            let seed = Seed { seed: arguments.seed, count: vertices, stress: arguments.stress };
            let state = promised.of_seed(&container, seed).map_err(|error| input.fail(&error))?;
            let count = state.vertices.len();
            if count < vertices {
                common.warn(format_args!("{count} of {vertices} vertices keep the promise about results"));
            }
            (&arguments.file, state, Origin::Seed(seed))
        }
    };
    if let Some(breach) = promised.breach(&state).map_err(|error| input.fail(&error))? {
        return Err(Failure::new(format!("{}: {breach}", path.display())).hint(BREACH));
    }
    if state.vertices.is_empty() {
        common.warn(format_args!("{}: no vertices, so nothing ran", path.display()));
    }
    let saved = arguments.save_state.as_deref();
    let saved = saved.map(|path| (path, saved::to_text(&state, &start_values(&environment), &symbols)));
    options.control.apply(&mut state.uniforms);
    let settings = options.settings(budget);
    let listing = arguments.trace.then(|| input.listing(&container, dvle)).transpose()?;
    let mut log = listing.as_ref().map(|listing| Log::new(results.output.as_ref(), listing));
    let mask = environment.executable().output_mask();
    let listed = if arguments.all { u16::MAX } else { results::listed(&program, mask) };
    let view = View { mask, listed, json: results.is_json(), symbols: &symbols, origin: Some(&origin) };
    let start = Instant::now();
    // Also before a run on the GPU: a program that exceeds its budget must not reach it.
    let text = match &mut log {
        Some(log) => run_to_text(&program, view, &state, settings, Some(&mut |record| log.record(record))),
        None => run_to_text(&program, view, &state, settings, None),
    };
    let mut text = text.map_err(|error| input.fail(&error));
    if arguments.on == Machine::Gpu && text.is_ok() {
        let (program, environment, state, route) = (&program, &environment, &state, arguments.route);
        let wanted = GpuRun { program, environment, state, options, budget, route };
        text = gpu::run(&wanted, view, arguments.adapter.as_deref(), &input, common);
    }
    let (count, elapsed) = (state.vertices.len(), start.elapsed());
    let path = input.path.display();
    common.detail(format_args!("{path}: DVLE {dvle}, {count} vertices or invocations in {elapsed:?}"));
    conclude(log, text, results.output.as_deref(), saved)
}

/// Writes the result after the trace, if there is one, and the state. A trace is kept even if the
/// run failed.
fn conclude(
    log: Option<Log>,
    text: Result<String, Failure>,
    output: Option<&Path>,
    saved: Option<(&Path, String)>,
) -> Result<(), Failure> {
    match (log, text, saved) {
        (None, text, None) => files::write(output, text?.as_bytes()),
        (None, text, Some((path, state))) => {
            files::write_all(&[(Some(path), state.as_bytes()), (output, text?.as_bytes())])
        }
        (Some(log), Ok(text), saved) => {
            log.finish(&text)?;
            saved.map_or(Ok(()), |(path, state)| files::write(Some(path), state.as_bytes()))
        }
        (Some(log), Err(failure), _) => log.close().and(Err(failure)),
    }
}

/// Reads a state file on top of uniforms.
pub fn read_state(
    path: &Path,
    uniforms: Uniforms,
    stage: Stage,
    symbols: &Symbols,
) -> Result<State, Failure> {
    let text = String::from_utf8_lossy(&files::read(path)?).into_owned();
    parse(&text, uniforms, stage, symbols)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}
