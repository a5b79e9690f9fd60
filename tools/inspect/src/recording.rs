//! Recorded runs: every step of a vertex or an invocation, to be shown in any order.
//! In: a program, values, the number of a vertex. Out: the registers, flags and stacks in front of
//! each step. The reference machine runs; what it changes is kept for each step, and everything
//! every [`MARKS`] steps.

use std::cell::Cell;

use transpica::interp::{GeometryMachine, Settings, TraceRecord};
use transpica::isa::control::State as ControlState;
use transpica::isa::{Dest, Effect, Inst, Pc, Test, control};
use transpica::{Error, Machine, Program, Stage};

use crate::access::{Components, written};
use crate::state::{State, floats};

/// Most steps of a recording.
pub const MOST_STEPS: u64 = 100_000;

/// Steps between complete states.
const MARKS: usize = 128;

/// The state of the program in front of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// v0..v15
    pub inputs: [[f32; 4]; 16],
    /// r0..r15
    pub temps: [[f32; 4]; 16],
    /// o0..o15
    pub outputs: [[f32; 4]; 16],
    /// o0..o15 of the bank that an EMIT swaps in.
    other: [[f32; 4]; 16],
    /// a0.x and a0.y
    pub address: [i32; 2],
    /// aL
    pub counter: i32,
    /// cmp.x and cmp.y
    pub flags: [bool; 2],
    /// Address and stacks.
    pub control: ControlState,
    /// Iterations left of the loop in each ring position.
    pub left: [i32; 4],
}

/// Changes of a step.
#[derive(Clone, Copy, Debug)]
struct Step {
    pc: Pc,
    /// The complete destination register afterwards.
    result: [f32; 4],
    address: [i32; 2],
    counter: i32,
    flags: [bool; 2],
}

/// A recorded run.
#[derive(Clone, Debug)]
pub struct Recording {
    program: Program<'static>,
    ints: [[u8; 4]; 4],
    bools: u16,
    steps: Vec<Step>,
    /// The state in front of every [`MARKS`]th step.
    marks: Vec<Snapshot>,
    end: Snapshot,
    /// The error that ended the run.
    pub error: Option<Error>,
}

/// A run to record.
pub struct Run<'a> {
    /// The program.
    pub program: &'a Program<'static>,
    /// Uniforms and inputs.
    pub state: &'a State,
    /// Options of the machine; of its budget at most [`MOST_STEPS`] counts.
    pub settings: Settings,
    /// Mask of the outputs that EMIT sends.
    pub outputs: u16,
}

impl Run<'_> {
    /// Records a vertex, or an invocation after all before it. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// An error of an earlier invocation. One of the recorded run is part of the recording.
    pub fn record(&self, number: usize) -> Result<Option<Recording>, Error> {
        let Some(vertex) = self.state.vertices.get(number) else { return Ok(None) };
        let inputs = floats(vertex);
        let most = Settings { budget: self.settings.budget.min(MOST_STEPS), ..self.settings };
        let mut steps = Vec::new();
        let mut trace = |record: &TraceRecord| {
            let &TraceRecord { pc, result, address, counter, flags, .. } = record;
            steps.push(Step { pc, result, address, counter, flags });
        };
        let mut start = self.start(inputs);
        let (mut bools, error) = (
            self.state.uniforms.bools,
            match self.program.stage() {
                Stage::Vertex => {
                    let mut machine = Machine::new(self.program, most)?;
                    machine.set_uniforms(&self.state.uniforms);
                    machine.run_traced(&inputs, &mut trace).err()
                }
                Stage::Geometry => {
                    let mut machine = self.machine_before(number)?;
                    carry(&machine, &mut start);
                    machine.set_budget(most.budget);
                    machine.run_traced(&inputs, &mut trace).err()
                }
            },
        );
        if self.program.stage() == Stage::Geometry && number > 0 {
            bools |= 1 << 15;
        }
        let ints = self.state.uniforms.ints;
        let program = self.program.clone();
        let mut recording =
            Recording { program, ints, bools, steps, marks: Vec::new(), end: start.clone(), error };
        recording.mark(start);
        Ok(Some(recording))
    }

    /// Returns a machine that has run all invocations before one.
    fn machine_before(&self, number: usize) -> Result<GeometryMachine, Error> {
        let mut machine = GeometryMachine::new(self.program, self.outputs, self.settings)?;
        machine.set_uniforms(&self.state.uniforms);
        for earlier in 0..number {
            let inputs = self.state.begin(earlier, &mut machine);
            machine.run(&inputs)?;
        }
        self.state.begin(number, &mut machine);
        Ok(machine)
    }

    fn start(&self, inputs: [[f32; 4]; 16]) -> Snapshot {
        let initial = [self.settings.uninitialized; 16];
        Snapshot {
            inputs,
            temps: initial,
            outputs: initial,
            other: initial,
            address: [0; 2],
            counter: 0,
            flags: [false; 2],
            control: ControlState::new(self.program.entry()),
            left: [0; 4],
        }
    }
}

/// Takes over what earlier invocations left.
fn carry(machine: &GeometryMachine, start: &mut Snapshot) {
    let state = machine.carried_state();
    let [own, other] = state.banks;
    (start.temps, start.outputs, start.other) = (state.temps, own, other);
    (start.address, start.counter, start.flags) = (state.address, state.counter, state.flags);
}

impl Recording {
    /// Keeps complete states, and the last one.
    fn mark(&mut self, start: Snapshot) {
        let mut state = start;
        for number in 0..self.steps.len() {
            if number % MARKS == 0 {
                self.marks.push(state.clone());
            }
            self.advance(&mut state, number);
        }
        self.end = state;
    }

    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether not even one instruction ran.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the address of a step, or `None` after the last one.
    pub fn pc(&self, number: usize) -> Option<Pc> {
        self.steps.get(number).map(|step| step.pc)
    }

    /// Returns the instruction of a step.
    pub fn inst(&self, number: usize) -> Option<Inst> {
        self.program.inst(self.pc(number)?)
    }

    /// Returns the state in front of a step, or after all.
    pub fn state_before(&self, number: usize) -> Snapshot {
        if number >= self.steps.len() {
            return self.end.clone();
        }
        let Some(mut state) = self.marks.get(number / MARKS).cloned() else { return self.end.clone() };
        for earlier in number / MARKS * MARKS..number {
            self.advance(&mut state, earlier);
        }
        state
    }

    /// Returns the address registers and aL in front of a step.
    pub fn index_before(&self, number: usize) -> ([i32; 2], i32) {
        let before = number.checked_sub(1).and_then(|before| self.steps.get(before));
        match (before, self.marks.first()) {
            (Some(step), _) => (step.address, step.counter),
            (None, Some(start)) => (start.address, start.counter),
            (None, None) => ([0; 2], 0),
        }
    }

    /// Returns the next step at an address after one, or the last one before it.
    pub fn find(&self, pc: Pc, from: usize, is_forward: bool) -> Option<usize> {
        let is_there = |&number: &usize| self.pc(number) == Some(pc);
        if is_forward {
            (from.saturating_add(1)..self.steps.len()).find(is_there)
        } else {
            (0..from.min(self.steps.len())).rev().find(is_there)
        }
    }

    /// Returns whether an instruction swaps the banks of outputs: EMIT of a geometry program.
    pub fn swaps(&self, inst: &Inst) -> bool {
        *inst == Inst::Emit && self.program.stage() == Stage::Geometry
    }

    /// Returns the components that a step wrote, and whether it was an EMIT, which swaps outputs.
    pub fn written(&self, number: usize) -> (Components, bool) {
        let inst = self.inst(number);
        (inst.as_ref().map(written).unwrap_or_default(), inst.is_some_and(|inst| self.swaps(&inst)))
    }

    /// Returns the complete destination register of a step; for an instruction without one it says
    /// nothing.
    pub fn result(&self, number: usize) -> Option<[f32; 4]> {
        self.steps.get(number).map(|step| step.result)
    }

    /// Executes a step on a state.
    fn advance(&self, state: &mut Snapshot, number: usize) {
        let (Some(step), Some(inst)) = (self.steps.get(number), self.inst(number)) else { return };
        match inst {
            Inst::Data { dest: Dest::Temp(register), .. } => {
                state.temps[usize::from(register & 15)] = step.result;
            }
            Inst::Data { dest: Dest::Output(register), .. } => {
                state.outputs[usize::from(register & 15)] = step.result;
            }
            Inst::Emit if self.swaps(&inst) => std::mem::swap(&mut state.outputs, &mut state.other),
            _other => {}
        }
        (state.address, state.flags) = (step.address, step.flags);
        let (flags, bools, ints) = (state.flags, self.bools, self.ints);
        let left = Cell::new(state.left);
        let mut control = state.control;
        control.pc = step.pc;
        let mut decide = |test: Test| match test {
            Test::Cmp(condition) => condition.test(flags[0], flags[1]),
            Test::Bool { id, expected } => (bools >> (id & 15) & 1 != 0) == expected,
            Test::LoopRepeats { slot } => left.get()[usize::from(slot & 3)] > 0,
            Test::JumpsLeft => true,
        };
        control::step(&inst, &mut control, &mut decide, &mut |effect| {
            let mut now = left.get();
            match effect {
                Effect::ShiftLoops => now.copy_within(1.., 0),
                Effect::EnterLoop { slot, int } => {
                    now[usize::from(slot & 3)] = ints[usize::from(int & 3)][0].into();
                }
                Effect::RepeatLoop { slot } => {
                    let place = &mut now[usize::from(slot & 3)];
                    *place = place.wrapping_sub(1);
                }
                Effect::StepLoop { .. } | Effect::RestoreCounter { .. } | Effect::CountJump => {}
            }
            left.set(now);
        });
        (state.control, state.left, state.counter) = (control, left.get(), step.counter);
    }
}
