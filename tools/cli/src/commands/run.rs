//! `transpica run`: one program on the interpreter or on the GPU. Geometry programs: see
//! `geometry`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value, json};
use transpica::dis::Listing;
use transpica::stages::host::dvle::FileEnvironment;
use transpica::stages::interp::{Machine, Settings, Uniforms};
use transpica::stages::isa::{Mask, Program, Stage};

use super::geometry::View;
use super::{GpuRun, Input, geometry, on_gpu};
use crate::args::{Common, Machine as On, Run};
use crate::files;
use crate::json::{self, Schema};
use crate::report::Failure;
use crate::saved;
use crate::state::{self, Registers, State};
use crate::symbols::Symbols;
use crate::trace::Log;
use transpica::stages::isa::limits::FLOATS;
use transpica::stages::precision::bits;

pub fn run(arguments: Run, common: &Common) -> Result<(), Failure> {
    let Run {
        file,
        save_state,
        stress,
        selection,
        state,
        seed,
        vertices,
        on,
        route,
        adapter,
        trace,
        budget,
        json,
        output,
        settings,
    } = arguments;
    let options = settings.resolve()?.options;
    let input = Input::read(&file)?;
    let container = input.parse()?;
    let dvle = input.chosen(&container, &selection, common);
    let program = input.program(&container, dvle, &options.limits)?;
    let name = input.name();
    let environment = FileEnvironment::new(&container, dvle, &name).map_err(|error| input.fail(&error))?;
    let executable = container.executable(dvle).map_err(|error| input.fail(&error))?;
    let symbols = Symbols::new(executable);
    let mut state = match state {
        Some(path) => read_state(&path, start_values(&environment), program.stage(), &symbols)?,
        None if stress => {
            let delivered = geometry::delivered(&container, executable, seed, vertices);
            generated(seed, vertices, &environment, delivered)
        }
        None => {
            let values = |number| transpica_generate::unit_values(seed ^ number);
            let delivered = geometry::deliver(&container, executable, vertices, values);
            plausible(seed, vertices, &environment, &symbols, delivered)
        }
    };
    let saved = save_state.map(|path| (path, saved::to_text(&state, &start_values(&environment), &symbols)));
    options.control.apply(&mut state.uniforms);
    let settings = options.settings(budget);
    let listing = trace.then(|| Listing::new(&container, Some(dvle))).transpose();
    let listing = listing.map_err(|error| input.fail(&error))?;
    let mut log = listing.as_ref().map(|listing| Log::new(output.as_ref(), listing));
    let trace = log.as_mut();
    let mapped = executable.output_mask();
    let view = View { mask: mapped, json, symbols: &symbols };
    let start = Instant::now();
    // Also before a run on the GPU: a program that exceeds its budget must not reach it.
    let text = match program.stage() {
        Stage::Geometry => geometry::run(&program, view, &state, settings, trace),
        Stage::Vertex => interpret(&program, &state, settings, trace).map(|outputs| show(&outputs, view)),
    };
    let mut text = text.map_err(|error| input.fail(&error));
    if on == On::Gpu && text.is_ok() {
        let (environment, adapter) = (&environment, adapter.as_deref());
        let (program, state) = (&program, &state);
        let wanted = GpuRun { program, environment, view, state, options, budget, adapter, route };
        text = on_gpu::run(wanted, &input, common);
    }
    let (count, elapsed) = (state.vertices.len(), start.elapsed());
    let path = file.display();
    common.detail(format_args!("{path}: DVLE {dvle}, {count} vertices or invocations in {elapsed:?}"));
    conclude(log, text, output.as_deref(), saved)
}

/// Writes the result behind the trace, if there is one, and the state. A trace is kept even if the
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
            files::write_both((&path, state.as_bytes()), (output, text?.as_bytes()))
        }
        (Some(log), Ok(text), saved) => {
            log.finish(&text)?;
            saved.map_or(Ok(()), |(path, state)| files::write(Some(&path), state.as_bytes()))
        }
        (Some(log), Err(failure), _) => log.abandon().and(Err(failure)),
    }
}

/// Uniforms that a program starts with: its setup constants.
fn start_values(environment: &FileEnvironment<'_>) -> Uniforms {
    let mut uniforms = Uniforms::default();
    environment.constants().apply(&mut uniforms);
    uniforms
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

/// Generated uniforms and inputs, with the constants of an executable.
pub fn generated(
    seed: u64,
    vertices: usize,
    environment: &FileEnvironment<'_>,
    delivered: Vec<state::Delivered>,
) -> State {
    let mut uniforms = transpica_generate::uniforms(seed);
    environment.constants().apply(&mut uniforms);
    let vertices = to_bits(&transpica_generate::inputs(seed, vertices));
    State { uniforms, floats_set: [false; FLOATS], vertices, delivered }
}

/// Uniforms and inputs as a game has them, with the constants of an executable.
fn plausible(
    seed: u64,
    vertices: usize,
    environment: &FileEnvironment<'_>,
    symbols: &Symbols,
    delivered: Vec<state::Delivered>,
) -> State {
    let mut uniforms = transpica_generate::plausible_uniforms(seed, symbols.all());
    environment.constants().apply(&mut uniforms);
    let vertices = to_bits(&transpica_generate::plausible_inputs(seed, vertices, symbols.all()));
    State { uniforms, floats_set: [false; FLOATS], vertices, delivered }
}

fn to_bits(vertices: &[[[f32; 4]; 16]]) -> Vec<Registers> {
    vertices.iter().map(|registers| registers.map(|register| register.map(f32::to_bits))).collect()
}

/// Returns the output registers of all vertices.
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
    json!(register.map(|bits| json::word(canonical(bits))))
}

/// The outputs with a semantic as JSON, by its name: their components in its order.
pub fn semantics(registers: &Registers, symbols: &Symbols) -> Value {
    let value = |&(name, register, mask): &(&str, usize, Mask)| {
        let bits = mask.iter().map(|component| registers[register][component.index()]);
        let bits: Vec<Value> = bits.map(|bits| json::word(canonical(bits))).collect();
        (name.to_owned(), Value::from(bits))
    };
    Value::Object(symbols.outputs().iter().map(value).collect())
}

/// A complete result as JSON.
pub fn document(stage: &str, vertices: Vec<Value>) -> String {
    Schema::Run.text(json!({ "stage": stage, "vertices": vertices }))
}

/// A register as text, with its semantics.
pub fn to_line(n: usize, register: [f32; 4], symbols: &Symbols) -> String {
    let [x, y, z, w] = register;
    let line =
        format!("  {:<4} {x:>15?} {y:>15?} {z:>15?} {w:>15?}  {}", format!("o{n}"), symbols.semantics(n));
    line.trim_end().to_owned()
}

/// The outputs of all vertices as JSON or as text.
pub fn show(outputs: &[Registers], view: View<'_>) -> String {
    let View { mask, json, symbols } = view;
    if json { to_json(outputs, symbols) } else { to_table(outputs, mask, symbols) }
}

fn to_json(outputs: &[Registers], symbols: &Symbols) -> String {
    let vertex = |registers: &Registers| {
        let all = registers.iter().enumerate().map(|(n, register)| (format!("o{n}"), components(*register)));
        json!({ "outputs": all.collect::<Map<String, Value>>(), "semantics": semantics(registers, symbols) })
    };
    document("vertex", outputs.iter().map(vertex).collect())
}

/// Formats the mapped registers of each vertex, and others that differ from (0, 0, 0, 1).
fn to_table(outputs: &[Registers], mapped: u16, symbols: &Symbols) -> String {
    let mut text = String::new();
    for (vertex, registers) in outputs.iter().enumerate() {
        let _ = writeln!(text, "vertex {vertex}");
        for (n, register) in registers.iter().enumerate() {
            let register = register.map(f32::from_bits);
            if mapped >> n & 1 != 0 || register != [0.0, 0.0, 0.0, 1.0] {
                let _ = writeln!(text, "{}", to_line(n, register, symbols));
            }
        }
    }
    text
}
