//! `transpica run`: one program on the interpreter or on the GPU.

use std::path::{Path, PathBuf};
use std::time::Instant;

use transpica::Stage;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::Uniforms;
use transpica_asm::dis::Listing;
use transpica_inspect::inputs::{Origin, Seed, start_values};
use transpica_inspect::promises::Promised;
use transpica_inspect::results::{self, View, run_to_text};
use transpica_inspect::state::{self, State};
use transpica_inspect::{saved, symbols::Symbols};

use super::{GpuRun, Input, on_gpu};
use crate::args::{Common, Machine as On, Run};
use crate::files;
use crate::report::Failure;
use crate::trace::Log;

pub fn run(arguments: Run, common: &Common) -> Result<(), Failure> {
    let input = Input::open(&arguments.file)?.remarked(common);
    let container = input.parse()?;
    let dvle = input.chosen(&container, &arguments.selection, common);
    let symbols = input.symbols(&container, dvle)?;
    let options = arguments.settings.resolve_for(&symbols)?.options;
    let program = input.program(&container, dvle, &options.limits)?;
    let name = input.name();
    let environment = FileEnvironment::new(&container, dvle, &name).map_err(|error| input.fail(&error))?;
    let Run { budget, vertices, .. } = arguments;
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
        let hint =
            "a module that relies on this promise may compute anything there; change the state or --assume";
        return Err(Failure::new(format!("{}: {breach}", path.display())).hint(hint));
    }
    if state.vertices.is_empty() {
        common.warn(format_args!("{origin}: no vertices, so nothing ran"));
    }
    let saved = arguments
        .save_state
        .map(|path| (path, saved::to_text(&state, &start_values(&environment), &symbols)));
    options.control.apply(&mut state.uniforms);
    let settings = options.settings(budget);
    let listing = arguments.trace.then(|| Listing::new(&container, Some(dvle))).transpose();
    let listing = listing.map_err(|error| input.fail(&error))?;
    let mut log = listing.as_ref().map(|listing| Log::new(arguments.output.as_ref(), listing));
    let mask = environment.executable().output_mask();
    let listed = if arguments.all { u16::MAX } else { results::listed(&program, mask) };
    let view = View { mask, listed, json: arguments.json, symbols: &symbols, origin: Some(&origin) };
    let start = Instant::now();
    // Also before a run on the GPU: a program that exceeds its budget must not reach it.
    let text = match &mut log {
        Some(log) => run_to_text(&program, view, &state, settings, Some(&mut |record| log.record(record))),
        None => run_to_text(&program, view, &state, settings, None),
    };
    let mut text = text.map_err(|error| input.fail(&error));
    if arguments.on == On::Gpu && text.is_ok() {
        let (program, environment, state, route) = (&program, &environment, &state, arguments.route);
        let wanted = GpuRun { program, environment, state, options, budget, route };
        text = on_gpu::run(&wanted, view, arguments.adapter.as_deref(), &input, common);
    }
    let (count, elapsed) = (state.vertices.len(), start.elapsed());
    let path = input.path.display();
    common.detail(format_args!("{path}: DVLE {dvle}, {count} vertices or invocations in {elapsed:?}"));
    conclude(log, text, arguments.output.as_deref(), saved)
}

/// Writes the result after the trace, if there is one, and the state. A trace is kept even if the
/// run failed.
fn conclude(
    log: Option<Log>,
    text: Result<String, Failure>,
    output: Option<&Path>,
    saved: Option<(PathBuf, String)>,
) -> Result<(), Failure> {
    match (log, text, saved) {
        (None, text, None) => files::write(output, text?.as_bytes()),
        (None, text, Some((path, state))) => {
            files::write_all(&[(Some(&path), state.as_bytes()), (output, text?.as_bytes())])
        }
        (Some(log), Ok(text), saved) => {
            log.finish(&text)?;
            saved.map_or(Ok(()), |(path, state)| files::write(Some(&path), state.as_bytes()))
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
    state::parse(&text, uniforms, stage, symbols)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}
