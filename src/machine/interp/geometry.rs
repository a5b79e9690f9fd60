//! The reference machine of geometry programs, with state that invocations carry over.
//! In: a geometry [`Program`], the outputs that it forwards, uniforms, inputs. Out: an
//! [`Invocation`] with its EMITs. Knows neither how vertices come in (that is the pipeline's part)
//! nor the primitive assembler. Facts: hardware tests (registers that
//! persist, citra PR 3787); 3dbrew (b15).

mod carried;

pub use carried::CarriedState;

use super::Uniforms;
use super::emission::{Emission, Invocation};
use super::machine::{Machine, Settings};
use super::registers::Registers;
use super::trace::TraceRecord;
use crate::error::{At, Error, Kind, Result};
use crate::limits;
use crate::program::isa::sizes::FLOATS;
use crate::program::isa::uniforms::HAS_RUN;
use crate::program::isa::{Program, Stage};

/// A geometry program, decoded to run. Registers r, a0, aL and cmp, both banks of outputs, the
/// vertex slots, the setting of SETEMIT, b15 and [delivered](Self::deliver) uniforms carry over
/// from one invocation to the next; inputs do not.
///
/// ```
/// use transpica::interp::{GeometryMachine, Registers, Settings};
/// use transpica::isa::Pc;
/// use transpica::{Program, Stage};
/// // mov o0, v0; setemit 0, prim; emit; end
/// let code = [0x4C00_0000, 0xAC80_0000, 0xA800_0000, 0x8800_0000];
/// let program = Program::from_raw(&code[..], &[0x36F][..], Pc(0), Stage::Geometry)?;
/// let mut machine = GeometryMachine::new(&program, 1, Settings::default())?; // o0 is passed on
/// let mut inputs = Registers::DEFAULT_INPUTS;
/// inputs[0] = [1.0, 2.0, 3.0, 4.0];
/// let invocation = machine.run(&inputs)?;
/// let emit = invocation.emits().next().expect("one EMIT");
/// assert_eq!((emit.slot, emit.prim, emit.outputs[0]), (0, true, inputs[0]));
/// assert_eq!(invocation.triangles().len(), 1);
/// # Ok::<(), transpica::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GeometryMachine {
    machine: Machine,
    emission: Emission,
}

impl GeometryMachine {
    /// Default limit of the EMITs of one invocation. Hardware has no limit.
    pub const MOST_EMITS: u32 = limits::EMITS;

    /// Decodes a program that forwards the output registers in the mask `outputs`. Uniforms are
    /// zero until [`set_uniforms`](Self::set_uniforms).
    ///
    /// # Errors
    /// [`Kind::Stage`] for a vertex program.
    pub fn new(program: &Program<'_>, outputs: u16, settings: Settings) -> Result<Self> {
        if program.stage() == Stage::Vertex {
            let kind = Kind::Stage { what: "the geometry machine", stage: "vertex" };
            return Err(Error::new(kind, At::Whole));
        }
        let machine = Machine::prepare(program, settings);
        Ok(Self { machine, emission: Emission::new(outputs, settings.uninitialized) })
    }

    /// Sets the limit of the EMITs of one invocation; its memory grows by some 256 bytes with each.
    pub fn set_most_emits(&mut self, most: u32) {
        self.emission.most = most;
    }

    /// Sets the limit of the instructions of one invocation.
    pub fn set_budget(&mut self, steps: u64) {
        self.machine.set_budget(steps);
    }

    /// Replaces all uniforms, also delivered ones and b15.
    pub fn set_uniforms(&mut self, uniforms: &Uniforms) {
        self.machine.set_uniforms(uniforms);
    }

    /// Sets float uniforms from c`first` on, as the primitive engine does with the vertices of a
    /// primitive. Values beyond c95 are dropped.
    pub fn deliver(&mut self, first: u8, values: &[[f32; 4]]) {
        for (register, &value) in (usize::from(first)..FLOATS).zip(values) {
            self.machine.set_float(register, value);
        }
    }

    /// Resets the state of earlier invocations, but no uniform.
    pub fn reset(&mut self) {
        self.machine.begin(|inputs| *inputs = Registers::DEFAULT_INPUTS);
        let Emission { mask, most, uninitialized, .. } = self.emission;
        self.emission = Emission { most, ..Emission::new(mask, uninitialized) };
    }

    /// Runs the program once. b15 is true afterwards.
    ///
    /// # Errors
    /// [`Kind::BadOpcode`] at an undefined opcode unless permissive, [`Kind::StepBudget`] when the
    /// budget is used up, [`Kind::Limit`] at an EMIT beyond the limit. The state is that of the
    /// last instruction.
    pub fn run(&mut self, inputs: &[[f32; 4]; 16]) -> Result<&Invocation> {
        self.invoke::<false>(inputs, &mut |_| ())
    }

    /// Runs the program like [`run`](Self::run) and reports every executed instruction.
    ///
    /// # Errors
    /// See [`run`](Self::run).
    pub fn run_traced(
        &mut self,
        inputs: &[[f32; 4]; 16],
        trace: &mut dyn FnMut(&TraceRecord),
    ) -> Result<&Invocation> {
        self.invoke::<true>(inputs, trace)
    }

    /// Runs the program once.
    fn invoke<const TRACED: bool>(
        &mut self,
        inputs: &[[f32; 4]; 16],
        trace: &mut dyn FnMut(&TraceRecord),
    ) -> Result<&Invocation> {
        self.emission.begin();
        self.machine.resume::<TRACED>(inputs, &mut self.emission, trace)?;
        self.machine.set_bool(HAS_RUN, true);
        Ok(&self.emission.invocation)
    }

    /// Returns the EMITs of the last run, also of one that an error stopped.
    pub fn invocation(&self) -> &Invocation {
        &self.emission.invocation
    }

    /// Returns the registers after the last run, with the outputs of the active bank.
    pub fn registers(&self) -> &Registers {
        self.machine.registers()
    }

    /// Returns the number of instructions of the last run.
    pub fn steps(&self) -> u64 {
        self.machine.steps()
    }

    /// Returns whether [`Settings::loop_guard`] ended the last invocation.
    pub fn is_stopped(&self) -> bool {
        self.machine.is_stopped()
    }
}
