//! Runs of programs, on the reference machine and on other executors.
//! In: a shader, values. Out: an [`Outcome`]. The machine runs first in any case: it finds programs
//! that do not end, and counts what ran. Knows no expectation.

use std::fmt;

use transpica::host::dvle::FileEnvironment;
use transpica::interp::{GeometryMachine, Settings, TraceRecord};
use transpica::isa::Inst;
use transpica::isa::control::Test;
use transpica::isa::uniforms::HAS_RUN;
use transpica::{Error, Kind, Machine, Options, Shbin, Stage};
use transpica_inspect::executor::{Case, Executor};
use transpica_inspect::state::{DEFAULT_REGISTERS, Registers, State, bits, floats};

use crate::coverage::Coverage;
use crate::shader::{Executable, Shader};

/// Limit of the instructions of a vertex or an invocation, unless a case has its own.
pub const BUDGET: u64 = 1 << 20;

/// Values for a program.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The executable.
    pub index: usize,
    /// Uniforms and vertices, or invocations.
    pub state: State,
    /// Limit of the instructions of each.
    pub budget: u64,
}

/// A vertex that came out.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// o0..o15 as f32 bits.
    pub outputs: Registers,
    /// The vertex or invocation that made it, or `None` in an empty vertex slot.
    pub number: Option<usize>,
    /// Instructions before it was complete.
    pub steps: usize,
}

/// A triangle of a geometry program.
#[derive(Clone, Debug)]
pub struct Triangle {
    /// Its vertices.
    pub vertices: [Vertex; 3],
    /// Its winding is reversed.
    pub inverted: bool,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One for each vertex of a vertex program.
    pub vertices: Vec<Vertex>,
    /// Triangles of all invocations of a geometry program.
    pub triangles: Vec<Triangle>,
    /// Instructions that each vertex or invocation took.
    pub steps: Vec<u64>,
    /// Code that ran.
    pub coverage: Coverage,
}

/// Runs a trial on another executor, if that takes its program.
pub(crate) fn others<E>(
    executor: &E,
    shader: &Shader,
    trial: &Trial,
) -> Result<Option<Vec<Registers>>, String>
where
    E: Executor<Error: fmt::Display>,
{
    let program = &executable(shader, trial)?.program;
    if !executor.takes(program) {
        return Ok(None);
    }
    let named = |error: &dyn fmt::Display| format!("on {}: {error}", executor.name());
    let file = Shbin::parse(&shader.bytes).map_err(|error| named(&error))?;
    let environment = &FileEnvironment::new(&file, trial.index, "").map_err(|error| named(&error))?;
    let mut options = Options::default();
    options.block.fold_constants &= trial.state.keeps_constants(&environment.constants());
    let inputs = &trial.state.vertices.iter().map(floats).collect::<Vec<_>>()[..];
    let uniforms = &trial.state.uniforms;
    let case = Case { program, environment, uniforms, inputs, options, budget: trial.budget };
    executor.outputs(&case).map(Some).map_err(|error| named(&error))
}

pub(crate) fn executable<'s>(shader: &'s Shader, trial: &Trial) -> Result<&'s Executable, String> {
    let (index, count) = (trial.index, shader.executables.len());
    shader.executables.get(index).ok_or_else(|| format!("DVLE {index} is not one of the {count} programs"))
}

/// Runs a trial on the reference machine. `watch` receives each instruction with the number of its
/// vertex or invocation.
///
/// # Errors
/// The error that stopped the program, with the number of the vertex or invocation.
pub fn run(
    shader: &Shader,
    trial: &Trial,
    watch: &mut dyn FnMut(usize, &TraceRecord),
) -> Result<Outcome, String> {
    let Executable { program, outputs, .. } = executable(shader, trial)?;
    let settings = Settings { budget: trial.budget, ..Settings::default() };
    let mut outcome = Outcome { coverage: Coverage::new(program.code().len()), ..Outcome::default() };
    let named = |what: &str, number: usize, error: Error| match &error.kind {
        Kind::StepBudget(_) => {
            format!("{what} {number} does not end within the budget of {} instructions", trial.budget)
        }
        _other => format!("{what} {number}: {error}"),
    };
    let whole = |error: Error| error.to_string();
    match program.stage() {
        Stage::Vertex => {
            let mut machine = Machine::new(program, settings).map_err(whole)?;
            machine.set_uniforms(&trial.state.uniforms);
            let bools = trial.state.uniforms.bools;
            for (number, inputs) in trial.state.vertices.iter().enumerate() {
                let coverage = &mut outcome.coverage;
                let mut record = |record: &TraceRecord| {
                    coverage.record(record, side(record, bools));
                    watch(number, record);
                };
                let outputs = machine.run_traced(&floats(inputs), &mut record);
                let outputs = bits(outputs.map_err(|error| named("vertex", number, error))?);
                let steps = machine.steps() as usize; // Range: at most the trace that was seen.
                outcome.vertices.push(Vertex { outputs, number: Some(number), steps });
                outcome.steps.push(machine.steps());
            }
        }
        Stage::Geometry => {
            let mut machine = GeometryMachine::new(program, *outputs, settings).map_err(whole)?;
            invocations(&mut machine, trial, &mut outcome, watch)
                .map_err(|(number, error)| named("invocation", number, error))?;
        }
    }
    Ok(outcome)
}

/// Runs all invocations of a geometry program.
fn invocations(
    machine: &mut GeometryMachine,
    trial: &Trial,
    outcome: &mut Outcome,
    watch: &mut dyn FnMut(usize, &TraceRecord),
) -> Result<(), (usize, Error)> {
    machine.set_uniforms(&trial.state.uniforms);
    let mut bools = trial.state.uniforms.bools;
    let mut slots: [Vertex; 4] =
        std::array::from_fn(|_| Vertex { outputs: DEFAULT_REGISTERS, number: None, steps: 0 });
    for number in 0..trial.state.vertices.len() {
        let inputs = trial.state.begin(number, machine);
        let (mut emits, mut step) = (Vec::new(), 0);
        let coverage = &mut outcome.coverage;
        let mut record = |record: &TraceRecord| {
            coverage.record(record, side(record, bools));
            if record.inst == Inst::Emit {
                emits.push(step);
            }
            step += 1;
            watch(number, record);
        };
        let invocation = machine.run_traced(&inputs, &mut record).map_err(|error| (number, error))?;
        for (emit, &steps) in invocation.emits().zip(&emits) {
            let outputs = bits(emit.outputs);
            slots[usize::from(emit.slot & 3)] = Vertex { outputs, number: Some(number), steps };
            if emit.prim {
                let [a, b, c, _] = slots.clone();
                outcome.triangles.push(Triangle { vertices: [a, b, c], inverted: emit.invert });
            }
        }
        outcome.steps.push(machine.steps());
        bools |= 1 << HAS_RUN;
    }
    Ok(())
}

/// Returns whether the condition of a branch held.
fn side(record: &TraceRecord, bools: u16) -> Option<bool> {
    let Inst::Flow(flow) = record.inst else { return None };
    let [x, y] = record.flags;
    match flow.test()? {
        Test::Cmp(condition) => Some(condition.test(x, y)),
        Test::Bool { id, expected } => Some((bools >> (id & 15) & 1 != 0) == expected),
        Test::LoopRepeats { .. } | Test::JumpsLeft => None,
    }
}
