//! `transpica run`: one program on the interpreter or on the GPU. Geometry programs: see
//! `geometry`.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};
use transpica::stages::host::dvle::FileEnvironment;
use transpica::stages::interp::{Machine, Settings, Uniforms};
use transpica::stages::isa::{Program, Stage};

use super::{GpuRun, Input, geometry, on_gpu};
use crate::args::{Common, Machine as On, Run};
use crate::files;
use crate::report::Failure;
use crate::state::{self, Registers, State};
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
        let mut uniforms = Uniforms::default();
        environment.constants().apply(&mut uniforms);
        read_state(&path, uniforms, program.stage())?
    } else {
        let delivered = geometry::delivered(&container, executable, seed, vertices);
        generated(seed, vertices, &environment, delivered)
    };
    let settings = Settings { precision: selection.precision.into(), budget, ..Settings::default() };
    let mut log = trace.then(|| Log::new(output.as_ref()));
    let trace = log.as_mut();
    let mapped = executable.output_mask();
    let start = Instant::now();
    // Also before a run on the GPU: a program that exceeds its budget must not reach it.
    let text = match program.stage() {
        Stage::Geometry => geometry::run(&program, mapped, &state, settings, trace, json),
        Stage::Vertex => {
            interpret(&program, &state, settings, trace).map(|outputs| show(&outputs, mapped, json))
        }
    };
    let mut text = text.map_err(|error| input.fail(&error));
    if on == On::Gpu && text.is_ok() {
        let (options, environment, adapter, route) =
            (selection.options(), &environment, adapter.as_deref(), route);
        let (program, state) = (&program, &state);
        let wanted = GpuRun { program, environment, mapped, state, options, budget, adapter, route, json };
        text = on_gpu::run(wanted, &input, common);
    }
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

/// Reads a state file on top of uniforms.
pub fn read_state(path: &Path, uniforms: Uniforms, stage: Stage) -> Result<State, Failure> {
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

pub fn interpret(
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

/// Replaces any NaN by the canonical one.
fn canonical(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { bits::NAN } else { bits }
}

/// The components of a register as JSON.
pub fn components(register: [u32; 4]) -> Value {
    json!(register.map(|bits| format!("{:#010x}", canonical(bits))))
}

/// A complete result as JSON.
pub fn document(stage: &str, vertices: Vec<Value>) -> String {
    let text = serde_json::to_string_pretty(&json!({ "stage": stage, "vertices": vertices }));
    text.unwrap_or_default() + "\n"
}

/// A register as text.
pub fn to_line(n: usize, register: [f32; 4]) -> String {
    let [x, y, z, w] = register;
    format!("  {:<4} {x:>15?} {y:>15?} {z:>15?} {w:>15?}", format!("o{n}"))
}

/// The outputs of all vertices as JSON or as text.
pub fn show(outputs: &[Registers], mapped: u16, json: bool) -> String {
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
