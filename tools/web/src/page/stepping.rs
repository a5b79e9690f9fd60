//! Recorded runs, step by step.
//! In: a program, a state, the number of a vertex. Out: [`Stepper`], states of the machine as the
//! page shows them, origins of outputs, all values of a register.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use transpica::interp::Uniforms;
use transpica::isa::control::Test;
use transpica::isa::sizes::{FLOATS, INTS};
use transpica::isa::{ConditionOp, Flow, Inst, Mask, Pc};
use transpica_asm::dis::Listing;
use transpica_inspect::access::{ADDRESS, COUNTER, Components, FLAGS, reads, written};
use transpica_inspect::ancestry::{ancestry, origin};
use transpica_inspect::json::decimal;
use transpica_inspect::recording::{Recording, Run, Snapshot};
use transpica_inspect::results::components;
use transpica_inspect::state::State;

use super::engine::Open;
use super::problem::Problem;
use super::settings::Settings;

/// Most values of a register that are listed.
const MOST_VALUES: usize = 2000;

/// A recorded run with the names of its program.
pub struct Stepper {
    recording: Recording,
    /// Number of vertices or invocations of the state.
    count: usize,
    listing: Listing,
    names: BTreeMap<String, String>,
    uniforms: Uniforms,
}

/// Answer about a recorded run.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded<'a> {
    /// Number of vertices or invocations that can be recorded.
    count: usize,
    steps: usize,
    /// Steps of the EMITs.
    emits: Vec<usize>,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Problem>,
    outputs: Map<String, Value>,
    symbols: &'a BTreeMap<String, String>,
}

/// The state in front of a step.
#[derive(Clone, Debug, Serialize)]
pub struct StepState<'a> {
    number: usize,
    pc: i32,
    text: String,
    v: [[Value; 4]; 16],
    r: [[Value; 4]; 16],
    o: [[Value; 4]; 16],
    a0: [i32; 2],
    #[serde(rename = "aL")]
    counter: i32,
    cmp: [bool; 2],
    stacks: Value,
    changed: Vec<String>,
    /// Registers that the instruction of the step reads, and those that it writes.
    reads: Vec<String>,
    writes: Vec<String>,
    /// Values of the uniforms that it reads.
    uniforms: Map<String, Value>,
    names: &'a BTreeMap<String, String>,
}

impl Stepper {
    /// Records a vertex or an invocation.
    ///
    /// # Errors
    /// No such vertex, or an invocation before it that fails.
    pub fn new(open: &Open<'_>, state: &State, settings: &Settings, vertex: usize) -> Result<Self, Problem> {
        let outputs = open.environment.executable().output_mask();
        // Budget of one invocation before the recorded one.
        let machine = settings.machine(1 << 20);
        let run = Run { program: &open.program, state, settings: machine, outputs };
        let missing = || Problem::error(format!("vertex {vertex} does not exist"));
        let recording = run.record(vertex)?.ok_or_else(missing)?;
        let listing = open.listing()?;
        let (count, uniforms) = (state.vertices.len(), state.uniforms.clone());
        Ok(Self { recording, count, names: names(open, &listing), listing, uniforms })
    }

    /// Returns the answer about it.
    pub fn recorded(&self) -> Recorded<'_> {
        let Self { recording, names, .. } = self;
        let outputs = recording.state_before(recording.len()).outputs;
        let outputs = outputs.iter().enumerate();
        let is_emit = |&number: &usize| recording.written(number).1;
        Recorded {
            count: self.count,
            emits: (0..recording.len()).filter(is_emit).collect(),
            steps: recording.len(),
            complete: recording.error.is_none(),
            error: recording.error.as_ref().map(Problem::from),
            outputs: outputs
                .map(|(n, register)| (format!("o{n}"), components(register.map(f32::to_bits))))
                .collect(),
            symbols: names,
        }
    }

    /// Returns the state in front of a step; after the end for numbers beyond it.
    pub fn step(&self, number: usize) -> StepState<'_> {
        let Self { recording, listing, names, .. } = self;
        let number = number.min(recording.len());
        let state = recording.state_before(number);
        let pc = recording.pc(number);
        let rows = |registers: &[[f32; 4]; 16]| registers.map(|register| register.map(decimal));
        StepState {
            number,
            pc: pc.map_or(-1, |pc| pc.0.into()),
            text: pc.and_then(|pc| listing.line(pc)).unwrap_or_default(),
            v: rows(&state.inputs),
            r: rows(&state.temps),
            o: rows(&state.outputs),
            a0: state.address,
            counter: state.counter,
            cmp: state.flags,
            stacks: stacks(&state),
            changed: number.checked_sub(1).map(|before| self.changed(before, &state)).unwrap_or_default(),
            reads: self.reads(number),
            writes: recording.inst(number).map(|inst| places(written(&inst))).unwrap_or_default(),
            uniforms: self.uniforms_of(number),
            names,
        }
    }

    /// Returns the components that a step wrote.
    fn changed(&self, number: usize, after: &Snapshot) -> Vec<String> {
        let (written, is_emit) = self.recording.written(number);
        let outputs = if is_emit { u64::MAX } else { written.outputs };
        let counter = self.recording.index_before(number).1 != after.counter;
        let rest = written.rest | if counter { COUNTER } else { 0 };
        places(Components { outputs, rest, ..written })
    }

    /// Returns what the instruction of a step reads.
    fn reads(&self, number: usize) -> Vec<String> {
        let Some(inst) = self.recording.inst(number) else { return Vec::new() };
        let found = reads(&inst, Components::ALL);
        let mut all = places(found.components);
        for read in found.sources {
            if let (bank, Some(register)) = origin(&self.recording, number, read) {
                all.push(format!("{bank}{register}.{}", read.mask));
            }
        }
        if let Inst::Flow(flow) = inst {
            all.extend(tested(flow));
        }
        all
    }

    /// Returns the values of the uniforms that the instruction of a step reads.
    fn uniforms_of(&self, number: usize) -> Map<String, Value> {
        let value = |place: String| {
            let name = place.split('.').next()?.to_owned();
            let register: u8 = name.get(1..)?.parse().ok()?;
            let value = match name.as_bytes().first()? {
                b'c' => json!(self.uniforms.floats.get(usize::from(register))?.map(decimal)),
                b'i' => json!(self.uniforms.ints.get(usize::from(register))?),
                b'b' => json!([self.uniforms.bool(register)]),
                _register => return None,
            };
            Some((name, value))
        };
        self.reads(number).into_iter().filter_map(value).collect()
    }

    /// Returns the steps that wrote a register, with its values after them.
    ///
    /// # Errors
    /// A text that is not a register r0 to r15 or o0 to o15.
    pub fn timeline(&self, register: &str) -> Result<Value, Problem> {
        let wanted = components_of(register).ok_or_else(|| {
            Problem::error(format!("`{register}` is not a register r0 to r15 or o0 to o15"))
        })?;
        let Self { recording, listing, .. } = self;
        let is_there = |&number: &usize| !recording.written(number).0.common(wanted).is_empty();
        let mut steps = (0..recording.len()).filter(is_there);
        let values: Vec<_> = steps
            .by_ref()
            .take(MOST_VALUES)
            .map(|number| {
                let value = recording.result(number).unwrap_or_default().map(decimal);
                let pc = recording.pc(number);
                let text = pc.and_then(|pc| listing.line(pc));
                json!({ "step": number, "pc": pc.map(|pc| pc.0), "text": text, "value": value })
            })
            .collect();
        Ok(json!({ "values": values, "more": steps.count() }))
    }

    /// Returns the first step, from one on, that wrote a number that is not finite, or the last one
    /// before it; -1 if nothing did.
    pub fn find_special(&self, from: usize, is_forward: bool) -> i32 {
        let Self { recording, .. } = self;
        let is_special = |&number: &usize| {
            let (written, _) = recording.written(number);
            let registers = written.temps | written.outputs;
            let mask = (0..16).fold(0, |all, register| all | registers >> (4 * register) & 15);
            let result = recording.result(number).unwrap_or_default();
            (0..4).any(|lane| mask >> lane & 1 != 0 && !result[lane].is_finite())
        };
        let mut steps = (0..recording.len()).filter(|&number| (number >= from) == is_forward);
        let found = if is_forward { steps.find(is_special) } else { steps.rfind(is_special) };
        found.and_then(|number| i32::try_from(number).ok()).unwrap_or(-1)
    }

    /// Returns the next step at an address after one, or the last before it; -1 if there is none.
    pub fn find(&self, pc: u16, from: usize, is_forward: bool) -> i32 {
        let found = self.recording.find(Pc(pc), from, is_forward);
        found.and_then(|number| i32::try_from(number).ok()).unwrap_or(-1)
    }

    /// Returns the origin of components of an output at the end of the run.
    ///
    /// # Errors
    /// A text that is not an output, or no components.
    pub fn ancestry(&self, output: &str, components: &str) -> Result<Value, Problem> {
        let register = output.strip_prefix('o').and_then(|number| number.parse::<u8>().ok());
        let register = register.filter(|&register| register < 16);
        let register = register.ok_or_else(|| Problem::error("an output must be one of o0 to o15"))?;
        let mask = components.chars().try_fold(0, |mask, letter| {
            let place = ['x', 'y', 'z', 'w'].iter().position(|&known| known == letter)?;
            Some(mask | 1 << place)
        });
        let mask = mask.filter(|&mask| mask != 0);
        let mask = mask.ok_or_else(|| Problem::error("components must be some of x, y, z and w"))?;
        let found = ancestry(&self.recording, register, Mask(mask));
        let pcs: Vec<u16> = found.pcs.iter().map(|pc| pc.0).collect();
        let named = |input: &String| {
            let (register, component) = input.split_once('.').unwrap_or((input, ""));
            // As texts spell them: a dot is in front of components alone.
            let name = self.names.get(register).map_or(register, String::as_str).replace('.', "$");
            if component.is_empty() { name } else { format!("{name}.{component}") }
        };
        let inputs: Vec<String> = found.inputs.iter().map(named).collect();
        Ok(json!({ "steps": found.steps, "pcs": pcs, "inputs": inputs }))
    }
}

/// Returns the components of a register by its name.
fn components_of(register: &str) -> Option<Components> {
    let number: u8 = register.get(1..)?.parse().ok().filter(|&number| number < 16)?;
    match register.as_bytes().first()? {
        b'r' => Some(Components { temps: 15 << (4 * number), ..Components::default() }),
        b'o' => Some(Components::of_output(number, Mask(15))),
        _bank => None,
    }
}

/// Returns the names of components: `r3.xz`, `cmp.x`, `a0.y`.
fn places(set: Components) -> Vec<String> {
    let mut all = Vec::new();
    for (bank, bits) in [('r', set.temps), ('o', set.outputs)] {
        for register in 0..16 {
            // Range: four bits.
            let mask = Mask((bits >> (4 * register) & 15) as u8);
            if !mask.is_empty() {
                all.push(format!("{bank}{register}.{mask}"));
            }
        }
    }
    let (x, y) = (1, 2);
    let rest = [
        (ADDRESS * x, "a0.x"),
        (ADDRESS * y, "a0.y"),
        (COUNTER, "aL"),
        (FLAGS * x, "cmp.x"),
        (FLAGS * y, "cmp.y"),
    ];
    all.extend(rest.iter().filter(|(bit, _)| set.rest & bit != 0).map(|(_, name)| (*name).to_owned()));
    all
}

/// Returns the uniform or the flags that decide a control-flow instruction.
fn tested(flow: Flow) -> Option<String> {
    if let Flow::Loop { int, .. } = flow {
        return Some(format!("i{int}"));
    }
    match flow.test()? {
        Test::Bool { id, .. } => Some(format!("b{id}")),
        Test::Cmp(condition) => Some(match condition.op {
            ConditionOp::X => "cmp.x".into(),
            ConditionOp::Y => "cmp.y".into(),
            ConditionOp::Or | ConditionOp::And => "cmp.xy".into(),
        }),
        Test::LoopRepeats { .. } | Test::JumpsLeft => None,
    }
}

/// Returns the open scopes, oldest first.
fn stacks(state: &Snapshot) -> Value {
    let control = &state.control;
    let calls = control.calls.entries().iter();
    let calls = calls.map(|call| format!("to {:#05x}, back at {:#05x}", call.end.0, call.ret.0));
    let ifs = control.ifs.entries().iter();
    let ifs = ifs.map(|one| format!("to {:#05x}, then {:#05x}", one.end.0, one.join.0));
    let loops = control.loops.entries().iter().zip(state.left);
    let loops = loops
        .map(|(one, left)| format!("{:#05x} to {:#05x}, i{}, {left} left", one.start.0, one.end.0, one.int));
    json!({ "call": calls.collect::<Vec<_>>(), "if": ifs.collect::<Vec<_>>(), "loop": loops.collect::<Vec<_>>() })
}

/// Returns the names that the file has for registers.
fn names(open: &Open<'_>, listing: &Listing) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for symbol in open.symbols.as_slice() {
        for place in 0..symbol.count {
            let name = match symbol.count {
                1 => symbol.name.clone(),
                _ => format!("{}[{place}]", symbol.name),
            };
            names.entry(format!("{}{}", symbol.bank, symbol.first + place)).or_insert(name);
        }
    }
    for register in
        (0..FLOATS).map(|number| format!("c{number}")).chain((0..INTS).map(|number| format!("i{number}")))
    {
        if let Some(name) = listing.name(Pc(0), &register) {
            names.entry(register).or_insert(name);
        }
    }
    for (_, register, _) in open.symbols.outputs() {
        names.insert(format!("o{register}"), open.symbols.semantics(*register));
    }
    names
}
