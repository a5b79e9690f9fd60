//! The reference machine of geometry programs, with state that invocations carry over.
//! In: a geometry [`Program`], the outputs that it forwards, uniforms, inputs. Out: an
//! [`Invocation`] with its EMITs. Knows neither how vertices come in (that is the pipeline's part)
//! nor the primitive assembler. Facts: hardware tests (two banks of outputs,
//! azahar-emu/azahar#2338; registers that persist, citra PR 3787); 3dbrew (b15). Not measured: slot
//! 3 behaves like the others here, but no triangle has it.

mod carried;

pub use carried::CarriedState;

use super::Uniforms;
use super::machine::{Machine, Settings};
use super::registers::Registers;
use super::trace::TraceRecord;
use crate::error::{At, Error, Kind, Result};
use crate::limits::{self, check};
use crate::program::isa::limits::{FLOATS, VERTEX_SLOTS};
use crate::program::isa::uniforms::HAS_RUN;
use crate::program::isa::{Inst, Pc, Program, Stage};

/// Vertex slots; the first three make a triangle.
const SLOTS: usize = VERTEX_SLOTS;

/// The setting of SETEMIT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Setting {
    slot: u8,
    prim: bool,
    invert: bool,
}

/// One EMIT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Emit<'a> {
    /// The vertex slot, 0 to 3.
    pub slot: u8,
    /// True if a triangle was submitted.
    pub prim: bool,
    /// True if its winding was to be reversed.
    pub invert: bool,
    /// o0..o15 at that time; registers that are not forwarded are at their default.
    pub outputs: &'a [[f32; 4]; 16],
}

/// A submitted triangle: slots 0, 1, 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle<'a> {
    /// o0..o15 of the three vertices.
    pub vertices: [&'a [[f32; 4]; 16]; 3],
    /// True if its winding is to be reversed, which only the "geometry" topology respects.
    pub invert: bool,
}

/// The EMITs of an invocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Invocation {
    /// The vertices in the slots at the beginning, then that of each EMIT.
    vertices: Vec<[[f32; 4]; 16]>,
    emits: Vec<Setting>,
    /// Indices in `vertices`, and the winding flag.
    triangles: Vec<([usize; 3], bool)>,
}

impl Invocation {
    /// Returns every EMIT, in order.
    pub fn emits(&self) -> impl ExactSizeIterator<Item = Emit<'_>> {
        let outputs = self.vertices.get(SLOTS..).unwrap_or_default();
        let emit = |(&Setting { slot, prim, invert }, outputs)| Emit { slot, prim, invert, outputs };
        self.emits.iter().zip(outputs).map(emit)
    }
    /// Returns every triangle, in order.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = Triangle<'_>> {
        self.triangles
            .iter()
            .map(|&(places, invert)| Triangle { vertices: places.map(|place| &self.vertices[place]), invert })
    }
}

/// The state of EMIT and SETEMIT.
#[derive(Clone, Debug)]
pub(super) struct Emission {
    /// Mask of the forwarded outputs.
    mask: u16,
    setting: Setting,
    /// The inactive bank of outputs.
    other: [[f32; 4]; 16],
    /// The vertex in each slot, an index in the vertices of the invocation.
    slots: [usize; SLOTS],
    invocation: Invocation,
    /// Limit of the EMITs of one invocation.
    most: u32,
    uninitialized: [f32; 4],
}

impl Emission {
    fn new(mask: u16, uninitialized: [f32; 4]) -> Self {
        let vertices = vec![[uninitialized; 16]; SLOTS];
        Self {
            mask,
            setting: Setting::default(),
            other: [uninitialized; 16],
            slots: [0, 1, 2, 3],
            invocation: Invocation { vertices, ..Invocation::default() },
            most: GeometryMachine::MOST_EMITS,
            uninitialized,
        }
    }

    /// Begins an invocation: slots keep their vertices.
    fn begin(&mut self) {
        let Invocation { vertices, emits, triangles } = &mut self.invocation;
        let held = self.slots.map(|place| vertices[place]);
        vertices.clear();
        vertices.extend(held);
        self.slots = [0, 1, 2, 3];
        emits.clear();
        triangles.clear();
    }

    /// Executes EMIT or SETEMIT.
    pub(super) fn execute(&mut self, inst: &Inst, pc: Pc, registers: &mut Registers) -> Result<()> {
        match *inst {
            Inst::SetEmit { vertex, prim, invert } => {
                self.setting = Setting { slot: vertex & 3, prim, invert };
                Ok(())
            }
            Inst::Emit => self.emit(pc, registers),
            Inst::Data { .. }
            | Inst::Mova { .. }
            | Inst::Cmp { .. }
            | Inst::Flow(_)
            | Inst::Unassigned(_) => Ok(()),
        }
    }

    /// Copies the outputs to a slot, submits a triangle if the setting says so, and swaps the
    /// banks.
    fn emit(&mut self, pc: Pc, registers: &mut Registers) -> Result<()> {
        let Invocation { vertices, emits, triangles } = &mut self.invocation;
        check("emitted vertices of an invocation", emits.len() + 1, self.most, At::Pc(pc.0))?;
        let outputs = registers.outputs_mut();
        let mut snapshot = [self.uninitialized; 16];
        for register in (0..16).filter(|register| self.mask >> register & 1 != 0) {
            snapshot[register] = outputs[register];
        }
        std::mem::swap(outputs, &mut self.other);
        self.slots[usize::from(self.setting.slot)] = vertices.len();
        vertices.push(snapshot);
        emits.push(self.setting);
        if self.setting.prim {
            let [a, b, c, _] = self.slots;
            triangles.push(([a, b, c], self.setting.invert));
        }
        Ok(())
    }
}

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
        self.machine.begin(&Registers::DEFAULT_INPUTS);
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

    /// Returns the registers after the last run; outputs are those of the active bank.
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
