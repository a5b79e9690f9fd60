//! Recorded runs, step by step.
//! In: a program, its values, the number of a vertex. Out: [`Stepper`], states of the machine as
//! the page shows them, origins of outputs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use transpica::isa::{Mask, Pc};
use transpica_asm::dis::Listing;
use transpica_inspect::access::{ADDRESS, FLAGS};
use transpica_inspect::ancestry::ancestry;
use transpica_inspect::json::decimal;
use transpica_inspect::recording::{Recording, Run, Snapshot};
use transpica_inspect::results::components;

use crate::engine::Open;
use crate::problem::Problem;
use crate::settings::Settings;
use crate::values::Values;

/// A recorded run with the names of its program.
pub struct Stepper {
    recording: Recording,
    listing: Listing,
    names: BTreeMap<String, String>,
}

/// Answer about a recorded run.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded<'a> {
    steps: usize,
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
    names: &'a BTreeMap<String, String>,
}

impl Stepper {
    /// Records a vertex or an invocation.
    ///
    /// # Errors
    /// No such vertex, or an invocation before it that fails.
    pub fn new(
        open: &Open<'_>,
        values: &Values,
        settings: &Settings,
        vertex: usize,
    ) -> Result<Self, Problem> {
        let mut state = values.state.clone();
        settings.values.options.control.apply(&mut state.uniforms);
        let outputs = open.environment.executable().output_mask();
        // Budget of one invocation before the recorded one.
        let machine = settings.values.options.settings(1 << 20);
        let run = Run { program: &open.program, state: &state, settings: machine, outputs };
        let missing = || Problem::error(format!("there is no vertex {vertex}"));
        let recording = run.record(vertex)?.ok_or_else(missing)?;
        let listing = Listing::new(open.file, Some(open.index))?;
        Ok(Self { recording, listing, names: names(open) })
    }

    /// Returns the answer about it.
    pub fn recorded(&self) -> Recorded<'_> {
        let Self { recording, names, .. } = self;
        let outputs = recording.state_before(recording.len()).outputs;
        let outputs = outputs.iter().enumerate();
        Recorded {
            steps: recording.len(),
            complete: recording.error.is_none(),
            error: recording.error.as_ref().map(Problem::from),
            outputs: outputs
                .map(|(n, register)| (format!("o{n}"), components(register.map(f32::to_bits))))
                .collect(),
            symbols: names,
        }
    }

    /// Returns the state in front of a step; behind the end for numbers beyond it.
    pub fn step(&self, number: usize) -> StepState<'_> {
        let Self { recording, listing, names } = self;
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
            names,
        }
    }

    /// Returns the components that a step wrote.
    fn changed(&self, number: usize, after: &Snapshot) -> Vec<String> {
        let (written, is_emit) = self.recording.written(number);
        let mut all = Vec::new();
        let mut add = |bank: char, set: u64| {
            for register in 0..16 {
                // Range: four bits.
                let mask = Mask((set >> (4 * register) & 15) as u8);
                if !mask.is_empty() {
                    all.push(format!("{bank}{register}.{mask}"));
                }
            }
        };
        add('r', written.temps);
        add('o', if is_emit { u64::MAX } else { written.outputs });
        let rest = [(ADDRESS, "a0.x"), (ADDRESS << 1, "a0.y"), (FLAGS, "cmp.x"), (FLAGS << 1, "cmp.y")];
        all.extend(
            rest.iter().filter(|(bit, _)| written.rest & bit != 0).map(|(_, name)| (*name).to_owned()),
        );
        if self.recording.index_before(number).1 != after.counter {
            all.push("aL".into());
        }
        all
    }

    /// Returns the next step at an address behind one, or the last before it; -1 if there is none.
    pub fn find(&self, pc: u16, from: usize, is_forward: bool) -> i32 {
        let found = self.recording.find(Pc(pc), from, is_forward);
        found.and_then(|number| i32::try_from(number).ok()).unwrap_or(-1)
    }

    /// Returns the origin of components of an output at the end of the run.
    ///
    /// # Errors
    /// A text that is no output, or no components.
    pub fn ancestry(&self, output: &str, components: &str) -> Result<Value, Problem> {
        let register = output.strip_prefix('o').and_then(|number| number.parse::<u8>().ok());
        let register = register.filter(|&register| register < 16);
        let register = register.ok_or_else(|| Problem::error("an output is o0 to o15"))?;
        let mask = components.chars().try_fold(0, |mask, letter| {
            let place = ['x', 'y', 'z', 'w'].iter().position(|&known| known == letter)?;
            Some(mask | 1 << place)
        });
        let mask = mask.filter(|&mask| mask != 0);
        let mask = mask.ok_or_else(|| Problem::error("components are some of x, y, z and w"))?;
        let found = ancestry(&self.recording, register, Mask(mask));
        let pcs: Vec<u16> = found.pcs.iter().map(|pc| pc.0).collect();
        Ok(json!({ "steps": found.steps, "pcs": pcs, "inputs": found.inputs }))
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
fn names(open: &Open<'_>) -> BTreeMap<String, String> {
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
    for (_, register, _) in open.symbols.outputs() {
        names.insert(format!("o{register}"), open.symbols.semantics(*register));
    }
    names
}
