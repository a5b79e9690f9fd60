//! `transpica run`: one program on the interpreter or on the GPU.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use transpica::Translator;
use transpica::host::dvle::Executable;
use transpica::host::{EntryPoint, Options, Profile};
use transpica::interp::{Machine, Record, Settings, Trace, Uniforms};
use transpica::isa::Program;
use transpica_gpu::{Gpu, Registers, Route, compare, run_compute};

use super::Input;
use crate::args::{Command, Common, Machine as On};
use crate::files;
use crate::report::Failure;
use crate::state::{self, State};

pub fn run(command: Command, common: &Common) -> Result<(), Failure> {
    let Command::Run {
        file,
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
    } = command
    else {
        unreachable!("dispatched by command")
    };
    let input = Input::read(&file)?;
    let container = input.parse()?;
    let program = input.program(&container, selection.dvle)?;
    let name = input.name();
    let around = Executable::new(&container, selection.dvle, &name).map_err(|error| input.fail(&error))?;
    let state = match state {
        Some(path) => {
            let mut uniforms = Uniforms::default();
            around.constants().apply(&mut uniforms);
            let text = String::from_utf8_lossy(&files::read(&path)?).into_owned();
            state::parse(&text, uniforms)
                .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?
        }
        None => generated(seed, vertices, &around),
    };
    let settings = Settings { precision: selection.precision.into(), budget, ..Settings::default() };
    let mut log = String::new();
    let outputs = match on {
        On::Cpu => interpret(&program, &state, settings, trace.then_some(&mut log))
            .map_err(|error| input.fail(&error))?,
        On::Gpu => {
            let options = selection.options(EntryPoint::Compute);
            let gpu = Gpu::open(adapter.as_deref()).map_err(|error| Failure::gpu(&error))?;
            if common.verbose {
                eprintln!("on {}", gpu.name());
            }
            on_gpu(&gpu, &program, &around, options, &state, route.into(), &input)?
        }
    };
    let text = if json { to_json(&outputs) } else { log + &to_table(&outputs) };
    files::write(output.as_deref(), text.as_bytes())
}

fn generated(seed: u64, vertices: usize, around: &Executable<'_>) -> State {
    let mut uniforms = transpica_generate::uniforms(seed);
    around.constants().apply(&mut uniforms);
    let vertices = transpica_generate::inputs(seed, vertices)
        .iter()
        .map(|registers| registers.map(|register| register.map(f32::to_bits)))
        .collect();
    State { uniforms, floats_set: [false; 96], vertices }
}

/// Collects the trace as text.
struct Log<'a>(&'a mut String);

impl Trace for Log<'_> {
    fn record(&mut self, record: &Record) {
        let _ = writeln!(self.0, "{record}");
    }
}

fn interpret(
    program: &Program<'_>,
    state: &State,
    settings: Settings,
    mut log: Option<&mut String>,
) -> Result<Vec<Registers>, transpica::error::Error> {
    let mut machine = Machine::new(program, settings)?;
    machine.set_uniforms(&state.uniforms);
    let mut all = Vec::with_capacity(state.vertices.len());
    for vertex in &state.vertices {
        let inputs = vertex.map(|register| register.map(f32::from_bits));
        let outputs = match log.as_deref_mut() {
            Some(log) => machine.run_traced(&inputs, &mut Log(log))?,
            None => machine.run(&inputs)?,
        };
        all.push(outputs.map(|register| register.map(f32::to_bits)));
    }
    Ok(all)
}

fn on_gpu(
    gpu: &Gpu,
    program: &Program<'_>,
    around: &Executable<'_>,
    options: Options,
    state: &State,
    route: Route,
    input: &Input,
) -> Result<Vec<Registers>, Failure> {
    // A state file may change what the file itself sets; then the constants cannot be literals.
    let constants = around.constants();
    let overridden = constants.floats.iter().zip(state.floats_set).any(|(value, set)| value.is_some() && set);
    let options = Options { fold_constants: options.fold_constants && !overridden, ..options };
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(program, around).map_err(|error| input.fail(&error))?;
    let shader = compare::shader(&mut translator, &translated, route).map_err(|error| input.fail(&error))?;
    let uniforms = compare::uniform_bytes(&translated, &state.uniforms);
    run_compute(gpu, shader, &uniforms, &state.vertices).map_err(|error| Failure::gpu(&error))
}

/// NaN always as the canonical one.
fn canonical(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { 0x7fc0_0000 } else { bits }
}

fn to_json(outputs: &[Registers]) -> String {
    let vertex = |registers: &Registers| {
        let all: Map<String, Value> = registers
            .iter()
            .enumerate()
            .map(|(n, register)| {
                (format!("o{n}"), json!(register.map(|bits| format!("{:#010x}", canonical(bits)))))
            })
            .collect();
        json!({ "outputs": all })
    };
    let all: Vec<Value> = outputs.iter().map(vertex).collect();
    let text = serde_json::to_string_pretty(&json!({ "stage": "vertex", "vertices": all }));
    text.unwrap_or_default() + "\n"
}

fn to_table(outputs: &[Registers]) -> String {
    let mut text = String::new();
    for (vertex, registers) in outputs.iter().enumerate() {
        let _ = writeln!(text, "vertex {vertex}");
        for (n, register) in registers.iter().enumerate() {
            let [x, y, z, w] = register.map(f32::from_bits);
            if [x, y, z] == [0.0; 3] && w == 1.0 {
                continue;
            }
            let _ = writeln!(text, "  {:<4} {x:>15?} {y:>15?} {z:>15?} {w:>15?}", format!("o{n}"));
        }
    }
    text
}
