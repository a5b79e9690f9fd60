//! Runs whole programs, one vertex after the other, without allocation between them.
//! In: a [`Program`], uniforms, inputs. Out: output registers, or where and why the run stopped.
//! Knows no arithmetic and no rule of control flow: it asks [`Registers`] and [`control::step`].

use super::Uniforms;
use super::emission::Emission;
use super::operation::{Exact, F24, Fast, Flushed, Operation, Plain, flush_subnormal};
use super::registers::Registers;
use super::trace::TraceRecord;
use crate::error::{At, Error, Kind, Result};
use crate::machine::precision::Precision;
use crate::program::isa::control::{Effect, Outcome, State, Test};
use crate::program::isa::sizes::INTS;
use crate::program::isa::{Flow, Inst, Pc, Program, Stage, control};

/// Settings of a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The precision of its arithmetic.
    pub precision: Precision,
    /// Counts undefined opcodes as NOP instead of stopping the run.
    pub permissive: bool,
    /// Limit of the instructions of one vertex.
    pub budget: u64,
    /// Flushes numbers below 2^-126 to zero, as inputs, uniforms and results. No number of a
    /// console is that small. A driver of the host may compute like this, and the machine then
    /// predicts its results. Float24 has no such numbers.
    pub flush_subnormals: bool,
    /// The value of registers r and o at the start.
    pub uninitialized: [f32; 4],
    /// Limit of the jumps and calls of one vertex to the same or a lower address. The next one ends
    /// the run like END (see [`Flow::goes_back`]).
    pub loop_guard: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            precision: Precision::Exact,
            permissive: false,
            budget: 1 << 24,
            flush_subnormals: false,
            uninitialized: Registers::DEFAULT,
            loop_guard: None,
        }
    }
}

/// The way in which the machine executes a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    /// Continues at the next word for any rings.
    Straight,
    /// Is a control-flow instruction, or a scope may end here: `control::step` decides.
    Control,
    /// EMIT or SETEMIT of a geometry program; a scope may end here.
    Emission,
    /// Ends the run.
    End,
    /// Stops the run.
    Undefined(u8),
}

/// A decoded code word.
#[derive(Clone, Copy, Debug)]
struct Word {
    route: Route,
    operation: Operation,
}

/// The reference machine of vertex programs: a program, decoded to run for many vertices.
///
/// Each run has sixteen inputs v0..v15 of four floats and returns the sixteen outputs o0..o15.
/// Uniforms stay until they are replaced. Inputs without a value are (0, 0, 0, 1) by convention.
///
/// ```
/// use transpica::isa::{Pc, Uniforms};
/// use transpica::{Machine, Options, Program, Stage};
///
/// // add o0, c0, v0; end. Fields: guide::instructions
/// let code = [0x0002_0000, 0x8800_0000];
/// let program = Program::from_raw(&code[..], &[0x0006_C36F][..], Pc(0), Stage::Vertex)?;
/// // The machine computes as modules of these options, and ends after 1,000 instructions.
/// let mut machine = Machine::new(&program, Options::default().settings(1000))?;
/// let mut uniforms = Uniforms::default();
/// uniforms.floats[0] = [10.0, 20.0, 30.0, 40.0];
/// machine.set_uniforms(&uniforms);
/// let mut inputs = [[0.0, 0.0, 0.0, 1.0]; 16];
/// inputs[0] = [1.0, 2.0, 3.0, 4.0];
/// let outputs = machine.run(&inputs)?;
/// assert_eq!(outputs[0], [11.0, 22.0, 33.0, 44.0]);
/// assert_eq!(machine.steps(), 2);
/// # Ok::<(), transpica::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine {
    words: Vec<Word>,
    /// The same instructions, for `control::step` and the trace.
    insts: Vec<Inst>,
    entry: Pc,
    settings: Settings,
    registers: Registers,
    /// The registers that the program writes, as [`Registers::reset`] takes them.
    written: u32,
    steps: u64,
}

impl Machine {
    /// Decodes a program. Uniforms are zero until [`set_uniforms`](Self::set_uniforms).
    ///
    /// # Errors
    /// [`Kind::Stage`] for a geometry program.
    pub fn new(program: &Program<'_>, settings: Settings) -> Result<Self> {
        if program.stage() == Stage::Geometry {
            let kind = Kind::Stage { what: "the interpreter", stage: "geometry" };
            return Err(Error::new(kind, At::Whole));
        }
        Ok(Self::prepare(program, settings))
    }

    /// Decodes a program of either stage.
    pub(super) fn prepare(program: &Program<'_>, settings: Settings) -> Self {
        let insts = (0..=u16::MAX).map_while(|pc| program.inst(Pc(pc))).collect();
        Self::of_instructions(insts, program.entry(), program.stage(), settings)
    }

    /// A machine for decoded instructions.
    #[doc(hidden)]
    pub fn of_instructions(insts: Vec<Inst>, entry: Pc, stage: Stage, settings: Settings) -> Self {
        let mut ends = vec![false; insts.len()];
        for last in control::scope_ends(&insts) {
            if let Some(is_end) = ends.get_mut(last.index()) {
                *is_end = true;
            }
        }
        let word = |(inst, ends)| Word {
            route: route(inst, ends, settings.permissive, stage),
            operation: Operation::new(inst),
        };
        let words: Vec<Word> = insts.iter().zip(ends).map(word).collect();
        // Range: o0..r15 are the first 32 registers of the file.
        let written = words.iter().filter_map(|word| word.operation.written());
        let written = written.fold(0, |written, place| written | 1 << (place / 4 % 32));
        let mut registers = Registers::new(settings.precision, &Uniforms::default());
        registers.set_uninitialized(settings.uninitialized);
        // Geometry programs begin but once: here.
        registers.begin(&Registers::DEFAULT_INPUTS);
        registers.set_loop_guard(settings.loop_guard.unwrap_or(0));
        Self { words, insts, entry, settings, registers, written, steps: 0 }
    }

    /// Replaces the uniforms.
    pub fn set_uniforms(&mut self, uniforms: &Uniforms) {
        self.registers.set_uniforms(uniforms);
        if self.settings.flush_subnormals {
            self.registers.flush_subnormals();
        }
    }

    /// Replaces float uniforms from c`first` on; those beyond c95 are ignored.
    #[doc(hidden)]
    pub fn write_floats(&mut self, first: usize, values: &[[f32; 4]]) {
        (first..).zip(values).for_each(|(register, &value)| self.set_float(register, value));
    }

    /// Replaces the int and bool uniforms.
    #[doc(hidden)]
    pub fn set_ints_and_bools(&mut self, ints: [[u8; 4]; INTS], bools: u16) {
        self.registers.set_ints_and_bools(ints, bools);
    }

    /// Sets the limit of the instructions of one run.
    pub fn set_budget(&mut self, steps: u64) {
        self.settings.budget = steps;
    }

    /// Runs the program for one vertex and returns o0..o15. Nothing carries over from the vertex
    /// before.
    ///
    /// # Errors
    /// [`Kind::BadOpcode`] at an undefined opcode unless permissive, [`Kind::StepBudget`] when the
    /// budget is used up.
    pub fn run(&mut self, inputs: &[[f32; 4]; 16]) -> Result<&[[f32; 4]; 16]> {
        self.run_with(|to| *to = *inputs)
    }

    /// Runs the program like [`run`](Self::run) with inputs that are set in place. Those that
    /// `load` leaves alone have any values.
    ///
    /// # Errors
    /// See [`run`](Self::run).
    #[doc(hidden)]
    pub fn run_with(&mut self, load: impl FnOnce(&mut [[f32; 4]; 16])) -> Result<&[[f32; 4]; 16]> {
        self.begin(load);
        self.execute::<false>(State::new(self.entry), &mut None, &mut |_| ())?;
        Ok(self.registers.outputs())
    }

    /// Runs the program like [`run`](Self::run) and reports every executed instruction.
    ///
    /// # Errors
    /// See [`run`](Self::run).
    pub fn run_traced(
        &mut self,
        inputs: &[[f32; 4]; 16],
        trace: &mut dyn FnMut(&TraceRecord),
    ) -> Result<&[[f32; 4]; 16]> {
        self.begin(|to| *to = *inputs);
        self.execute::<true>(State::new(self.entry), &mut None, trace)?;
        Ok(self.registers.outputs())
    }

    /// Resets everything but the uniforms to its default, then loads the inputs.
    pub(super) fn begin(&mut self, load: impl FnOnce(&mut [[f32; 4]; 16])) {
        self.registers.reset(self.written);
        self.registers.resume_with(load);
        if self.settings.flush_subnormals {
            self.registers.flush_subnormals();
        }
    }

    /// Runs a geometry program: loads only the inputs and keeps all other state.
    pub(super) fn resume<const TRACED: bool>(
        &mut self,
        inputs: &[[f32; 4]; 16],
        emission: &mut Emission,
        trace: &mut dyn FnMut(&TraceRecord),
    ) -> Result<()> {
        self.registers.resume(inputs);
        if self.settings.flush_subnormals {
            self.registers.flush_subnormals();
        }
        self.execute::<TRACED>(State::new(self.entry), &mut Some(emission), trace)
    }

    /// Sets one float uniform, c0..c95.
    pub(super) fn set_float(&mut self, register: usize, value: [f32; 4]) {
        let value = if self.settings.flush_subnormals { value.map(flush_subnormal) } else { value };
        self.registers.set_float(register, value);
    }

    /// Sets one bool uniform.
    pub(super) fn set_bool(&mut self, id: u8, value: bool) {
        self.registers.set_bool(id, value);
    }

    /// Runs from a control state to the end, in the precision of the settings.
    fn execute<const TRACED: bool>(
        &mut self,
        from: State,
        emission: &mut Option<&mut Emission>,
        trace: &mut dyn FnMut(&TraceRecord),
    ) -> Result<()> {
        let mut left = self.settings.budget;
        let result = match (self.settings.precision, self.settings.flush_subnormals) {
            // Two modes have a loop of their own, which contains the operations.
            (Precision::Exact, false) if !TRACED => {
                self.follow::<TRACED>(from, &mut left, emission, trace, Registers::run::<Plain>)
            }
            (Precision::Fast, false) if !TRACED => {
                self.follow::<TRACED>(from, &mut left, emission, trace, Registers::run::<Fast>)
            }
            mode => {
                let run: fn(&mut Registers, &Operation) = match mode {
                    (Precision::Exact, false) => Registers::run::<Plain>,
                    (Precision::Fast, false) => Registers::run::<Fast>,
                    (Precision::Exact, true) => Registers::run::<Flushed<Exact>>,
                    (Precision::Fast, true) => Registers::run::<Flushed<Fast>>,
                    (Precision::F24, _) => Registers::run::<F24>,
                };
                self.follow::<TRACED>(from, &mut left, emission, trace, run)
            }
        };
        self.steps = self.settings.budget - left;
        result
    }

    /// Returns the registers after the last run.
    pub fn registers(&self) -> &Registers {
        &self.registers
    }

    /// Returns the registers, mutable.
    pub(super) fn registers_mut(&mut self) -> &mut Registers {
        &mut self.registers
    }

    /// Returns whether the loop guard of its settings ended the last run.
    pub fn is_stopped(&self) -> bool {
        self.registers.is_stopped()
    }

    /// Returns the number of instructions of the last run.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Executes instructions until the program ends; `run` executes an operation. Any pc at or
    /// beyond the end of the code is an END.
    fn follow<const TRACED: bool>(
        &mut self,
        mut state: State,
        left: &mut u64,
        emission: &mut Option<&mut Emission>,
        trace: &mut dyn FnMut(&TraceRecord),
        run: impl Fn(&mut Registers, &Operation),
    ) -> Result<()> {
        // The address stays in a register of the host except where the control model needs it.
        let mut pc = state.pc;
        while let Some(word) = self.words.get(pc.index()) {
            let Some(rest) = left.checked_sub(1) else {
                return Err(Error::new(Kind::StepBudget(self.settings.budget), At::Pc(pc.0)));
            };
            // What the trace prints of the state before.
            let before = TRACED.then(|| (self.registers.operands(&word.operation), self.registers.counter()));
            run(&mut self.registers, &word.operation);
            let (next, outcome) = match word.route {
                Route::Straight => (pc.next(), Outcome::Continue),
                route @ (Route::Control | Route::Emission) => {
                    state.pc = pc;
                    let outcome = self.control(route, &mut state, emission)?;
                    (state.pc, outcome)
                }
                Route::End => (pc, Outcome::End),
                Route::Undefined(opcode) => return Err(Error::new(Kind::BadOpcode(opcode), At::Pc(pc.0))),
            };
            if let Some((operands, counter_before)) = before {
                let after = &self.registers;
                let inst = self.insts[pc.index()];
                trace(&TraceRecord {
                    step: self.settings.budget - *left,
                    pc,
                    inst,
                    operands,
                    result: result(&inst, after),
                    address: after.address(),
                    counter_before,
                    counter: after.counter(),
                    flags: after.flags(),
                    next: (outcome == Outcome::Continue).then_some(next),
                });
            }
            *left = rest;
            if outcome == Outcome::End {
                break;
            }
            pc = next;
        }
        Ok(())
    }

    /// Executes the control part of the instruction at the address of a state, or EMIT or SETEMIT.
    #[inline(always)]
    fn control(
        &mut self,
        route: Route,
        state: &mut State,
        emission: &mut Option<&mut Emission>,
    ) -> Result<Outcome> {
        let inst = &self.insts[state.pc.index()];
        if let (Route::Emission, Some(emission)) = (route, emission.as_deref_mut()) {
            emission.execute(inst, state.pc, &mut self.registers)?;
        }
        Ok(guarded(inst, state, self.settings.loop_guard.is_some(), &mut self.registers))
    }
}

/// The destination register of an instruction; zeros where it has none.
fn result(inst: &Inst, registers: &Registers) -> [f32; 4] {
    if let Inst::Data { dest, .. } = inst { registers.dest(*dest) } else { [0.0; 4] }
}

/// Executes the control part of an instruction, unless the loop guard ends the run.
#[inline(always)]
fn guarded(inst: &Inst, state: &mut State, is_guarded: bool, registers: &mut Registers) -> Outcome {
    if !is_guarded || may_jump(inst, state.pc, registers) {
        step_control_flow(inst, state, registers)
    } else {
        Outcome::End
    }
}

/// Returns whether the loop guard lets an instruction jump; counts its back jumps.
#[inline(never)] // Each loop would have a copy, and guards are rare.
fn may_jump(inst: &Inst, pc: Pc, registers: &mut Registers) -> bool {
    let Inst::Flow(flow) = inst else { return true };
    let holds = flow.test().is_none_or(|test| registers.test(test));
    if flow.goes_back(pc) != Some(holds) {
        return true;
    }
    let may = registers.test(Test::JumpsLeft);
    registers.apply(Effect::CountJump);
    if !may {
        registers.stop();
    }
    may
}

/// Executes the control part of an instruction. Both closures need the registers, but never at the
/// same time, so a cell lends them.
#[inline(never)] // Each loop would have a copy.
fn step_control_flow(inst: &Inst, state: &mut State, registers: &mut Registers) -> Outcome {
    let registers = std::cell::RefCell::new(registers);
    control::step(inst, state, &mut |test| registers.borrow().test(test), &mut |effect| {
        registers.borrow_mut().apply(effect)
    })
}

/// Classifies an instruction. `ends` is true if a scope may end with it.
fn route(inst: &Inst, ends: bool, permissive: bool, stage: Stage) -> Route {
    let straight = if ends { Route::Control } else { Route::Straight };
    match inst {
        Inst::Unassigned(opcode) if !permissive => Route::Undefined(*opcode),
        Inst::Emit | Inst::SetEmit { .. } if stage == Stage::Geometry => Route::Emission,
        Inst::Flow(Flow::End) => Route::End,
        Inst::Flow(flow) if *flow != Flow::Nop => Route::Control,
        _in_order => straight,
    }
}
