//! `transpica run`: one program on the interpreter or on the GPU. Geometry programs: see
//! `geometry`.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};
use transpica::Translator;
use transpica::stages::host::dvle::FileEnvironment;
use transpica::stages::host::{Job, Options, Profile};
use transpica::stages::interp::{Machine, Settings, Uniforms};
use transpica::stages::isa::{Program, Stage};
use transpica_gpu::compare::{Case, CompareError};
use transpica_gpu::geometry::EmitCase;
use transpica_gpu::{Gpu, Registers, Route, compare, run_compute, unfinished};

use super::{Input, geometry, open};
use crate::args::{Common, Machine as On, Run};
use crate::files;
use crate::json::{self, Schema};
use crate::report::Failure;
use crate::state::{self, State};
use crate::trace::Log;
use transpica::stages::isa::limits::FLOATS;
use transpica::stages::precision::bits;

pub fn run(arguments: Run, common: &Common) -> Result<(), Failure> {
    let Run { file, selection, state, seed, vertices, on, route, adapter, trace, budget, json, output } =
        arguments;
    let input = Input::read(&file)?;
    let container = input.parse()?;
    let dvle = input.chosen(&container, &selection, common);
    let program = input.program(&container, dvle)?;
    let name = input.name();
    let environment = FileEnvironment::new(&container, dvle, &name).map_err(|error| input.fail(&error))?;
    let executable = container.executable(dvle).map_err(|error| input.fail(&error))?;
    let state = if let Some(path) = state {
        read_state(&path, &environment, program.stage())?
    } else {
        let delivered = geometry::delivered(&container, executable, seed, vertices);
        generated(seed, vertices, &environment, delivered)
    };
    let settings = Settings { precision: selection.precision.into(), budget, ..Settings::default() };
    let mut log = trace.then(|| Log::new(output.as_ref()));
    let trace = log.as_mut();
    let mapped = executable.output_mask();
    let start = Instant::now();
    let text = match (program.stage(), on) {
        (Stage::Geometry, On::Cpu) => geometry::run(&program, mapped, &state, settings, trace, json),
        (Stage::Geometry, On::Gpu) => {
            let gpu = open(adapter.as_deref(), common)?;
            // Run the interpreter first: a program that exceeds its budget must not reach the GPU.
            geometry::run(&program, mapped, &state, settings, None, json)
                .map_err(|error| input.fail(&error))?;
            let given = geometry::invocations(&state);
            let case = EmitCase {
                program: &program,
                environment: &environment,
                outputs: mapped,
                uniforms: &state.uniforms,
                given: &given,
                options: selection.options(),
                budget,
            };
            Ok(geometry::on_gpu(&gpu, &case, route.into(), json).map_err(|error| failure(error, &input))?)
        }
        (Stage::Vertex, On::Cpu) => {
            interpret(&program, &state, settings, trace).map(|outputs| show(&outputs, mapped, json))
        }
        (Stage::Vertex, On::Gpu) => {
            let options = foldable(selection.options(), &environment, &state);
            let gpu = open(adapter.as_deref(), common)?;
            interpret(&program, &state, settings, None).map_err(|error| input.fail(&error))?;
            let (environment, uniforms, inputs) = (&environment, &state.uniforms, &[]);
            let case = Case { program: &program, environment, uniforms, inputs, options, budget };
            let outputs = on_gpu(&gpu, case, &state, route.into()).map_err(|error| failure(error, &input))?;
            Ok(show(&outputs, mapped, json))
        }
    };
    let text = text.map_err(|error| input.fail(&error));
    let (count, elapsed) = (state.vertices.len(), start.elapsed());
    let path = file.display();
    common.detail(format_args!("{path}: DVLE {dvle}, {count} vertices or invocations in {elapsed:?}"));
    conclude(log, text, output.as_deref())
}

/// Writes the result behind the trace, if there is one. A trace is kept even if the run failed.
fn conclude(log: Option<Log>, text: Result<String, Failure>, output: Option<&Path>) -> Result<(), Failure> {
    match (log, text) {
        (None, text) => files::write(output, text?.as_bytes()),
        (Some(log), Ok(text)) => log.finish(&text),
        (Some(log), Err(failure)) => log.abandon().and(Err(failure)),
    }
}

fn read_state(path: &Path, environment: &FileEnvironment<'_>, stage: Stage) -> Result<State, Failure> {
    let mut uniforms = Uniforms::default();
    environment.constants().apply(&mut uniforms);
    let text = String::from_utf8_lossy(&files::read(path)?).into_owned();
    state::parse(&text, uniforms, stage).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Generated uniforms and inputs, with the constants of an executable.
pub fn generated(
    seed: u64,
    vertices: usize,
    environment: &FileEnvironment<'_>,
    delivered: Vec<state::Delivered>,
) -> State {
    let mut uniforms = transpica_generate::uniforms(seed);
    environment.constants().apply(&mut uniforms);
    let vertices = transpica_generate::inputs(seed, vertices)
        .iter()
        .map(|registers| registers.map(|register| register.map(f32::to_bits)))
        .collect();
    State { uniforms, floats_set: [false; FLOATS], vertices, delivered }
}

fn interpret(
    program: &Program<'_>,
    state: &State,
    settings: Settings,
    mut log: Option<&mut Log<'_>>,
) -> Result<Vec<Registers>, transpica::stages::error::Error> {
    let mut machine = Machine::new(program, settings)?;
    machine.set_uniforms(&state.uniforms);
    let mut all = Vec::with_capacity(state.vertices.len());
    for vertex in &state.vertices {
        let inputs = vertex.map(|register| register.map(f32::from_bits));
        let outputs = match log.as_deref_mut() {
            Some(log) => machine.run_traced(&inputs, log)?,
            None => machine.run(&inputs)?,
        };
        all.push(outputs.map(|register| register.map(f32::to_bits)));
    }
    Ok(all)
}

/// Converts an error about a program of a file.
fn failure(error: CompareError, input: &Input) -> Failure {
    match error {
        CompareError::Program(error) => input.fail(&error),
        CompareError::Gpu(error) => Failure::gpu(&error),
    }
}

/// Disables constant folding if the state changes a constant of the file.
fn foldable(mut options: Options, environment: &FileEnvironment<'_>, state: &State) -> Options {
    let constants = environment.constants();
    let is_changed = constants.floats.iter().zip(state.floats_set).any(|(value, set)| value.is_some() && set);
    options.block.fold_constants &= !is_changed;
    options
}

/// Returns a program's outputs on a GPU, after checking that every vertex runs to its end there.
fn on_gpu(gpu: &Gpu, case: Case<'_>, state: &State, route: Route) -> Result<Vec<Registers>, CompareError> {
    let Case { program, environment, options, .. } = case;
    unfinished::check(gpu, &case, route, &state.vertices)?;
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(program, environment, Job::Compute)?;
    let shader = compare::shader(&mut translator, &translated, route)?;
    let uniforms = compare::uniform_bytes(&translated, &state.uniforms);
    Ok(run_compute(gpu, shader, &uniforms, &state.vertices)?)
}

/// Replaces any NaN by the canonical one.
fn canonical(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { bits::NAN } else { bits }
}

/// The components of a register as JSON.
pub fn components(register: [u32; 4]) -> Value {
    json!(register.map(|bits| json::word(canonical(bits))))
}

/// A complete result as JSON.
pub fn document(stage: &str, vertices: Vec<Value>) -> String {
    Schema::Run.text(json!({ "stage": stage, "vertices": vertices }))
}

/// A register as text.
pub fn to_line(n: usize, register: [f32; 4]) -> String {
    let [x, y, z, w] = register;
    format!("  {:<4} {x:>15?} {y:>15?} {z:>15?} {w:>15?}", format!("o{n}"))
}

fn show(outputs: &[Registers], mapped: u16, json: bool) -> String {
    if json { to_json(outputs) } else { to_table(outputs, mapped) }
}

fn to_json(outputs: &[Registers]) -> String {
    let vertex = |registers: &Registers| {
        let all = registers.iter().enumerate().map(|(n, register)| (format!("o{n}"), components(*register)));
        json!({ "outputs": all.collect::<Map<String, Value>>() })
    };
    document("vertex", outputs.iter().map(vertex).collect())
}

/// Formats the mapped registers of each vertex, and others that differ from (0, 0, 0, 1).
fn to_table(outputs: &[Registers], mapped: u16) -> String {
    let mut text = String::new();
    for (vertex, registers) in outputs.iter().enumerate() {
        let _ = writeln!(text, "vertex {vertex}");
        for (n, register) in registers.iter().enumerate() {
            let register = register.map(f32::from_bits);
            if mapped >> n & 1 != 0 || register != [0.0, 0.0, 0.0, 1.0] {
                let _ = writeln!(text, "{}", to_line(n, register));
            }
        }
    }
    text
}
