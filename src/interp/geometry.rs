//! Runs geometry programs, whose state carries over from one invocation to the next.
//! In: a geometry [`Program`], which outputs it passes on, uniforms, inputs. Out: an [`Invocation`]: what it emitted.
//! Knows neither how vertices come in (that is the pipeline's) nor what the primitive assembler makes of triangles.
//! Facts: hardware tests (two banks of outputs, azahar-emu/azahar#2338; registers that persist, citra PR 3787); 3dbrew (b15).
//! What nobody has measured: slot 3 is one like the others here, but no triangle has it.

#[cfg(test)]
#[path = "tests/state.rs"]
pub(crate) mod state;

use super::Uniforms;
use super::machine::{Machine, Settings};
use super::registers::Registers;
use super::trace::{Off, Trace};
use crate::error::{At, Error, Kind, Result};
use crate::isa::limits::{FLOATS, VERTEX_SLOTS};
use crate::isa::{Inst, Pc, Program, Stage};
use crate::limits::check;

/// Vertex slots; the first three make a triangle.
const SLOTS: usize = VERTEX_SLOTS;
/// The bool uniform that is true after every invocation.
const RAN: u8 = 15;

/// What SETEMIT sets.
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
    /// Whether a triangle was submitted.
    pub prim: bool,
    /// Whether its winding was to be reversed.
    pub invert: bool,
    /// o0..o15 at that time; registers that are not passed on are at their default.
    pub outputs: &'a [[f32; 4]; 16],
}

/// A triangle as it was submitted: slots 0, 1, 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle<'a> {
    /// o0..o15 of the three vertices.
    pub vertices: [&'a [[f32; 4]; 16]; 3],
    /// Whether its winding is to be reversed, which only the "geometry" topology heeds.
    pub invert: bool,
}

/// What an invocation emitted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Invocation {
    /// The slots as the invocation found them, then what each EMIT put into one.
    vertices: Vec<[[f32; 4]; 16]>,
    emits: Vec<Setting>,
    /// Places in `vertices`.
    triangles: Vec<([usize; 3], bool)>,
}

impl Invocation {
    /// Every EMIT, in order.
    pub fn emits(&self) -> impl ExactSizeIterator<Item = Emit<'_>> {
        let outputs = self.vertices.get(SLOTS..).unwrap_or_default();
        let emit = |(&Setting { slot, prim, invert }, outputs)| Emit { slot, prim, invert, outputs };
        self.emits.iter().zip(outputs).map(emit)
    }
    /// Every triangle, in order.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = Triangle<'_>> {
        self.triangles
            .iter()
            .map(|&(places, invert)| Triangle { vertices: places.map(|place| &self.vertices[place]), invert })
    }
}

/// What EMIT and SETEMIT work on.
#[derive(Clone, Debug)]
pub(super) struct Emission {
    /// Which outputs are passed on.
    mask: u16,
    setting: Setting,
    /// The bank of outputs that is not written at the moment.
    other: [[f32; 4]; 16],
    /// What each slot holds, as places in the vertices of the invocation.
    slots: [usize; SLOTS],
    invocation: Invocation,
    /// EMITs that one invocation may execute.
    most: u32,
    unwritten: [f32; 4],
}

impl Emission {
    fn new(mask: u16, unwritten: [f32; 4]) -> Self {
        let vertices = vec![[unwritten; 16]; SLOTS];
        Self {
            mask,
            setting: Setting::default(),
            other: [unwritten; 16],
            slots: [0, 1, 2, 3],
            invocation: Invocation { vertices, ..Invocation::default() },
            most: GeometryMachine::MOST_EMITS,
            unwritten,
        }
    }

    /// Starts an invocation: slots keep what they hold.
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

    /// Copies the outputs into a slot, submits a triangle if asked to, and goes to the other bank of outputs.
    fn emit(&mut self, pc: Pc, registers: &mut Registers) -> Result<()> {
        let Invocation { vertices, emits, triangles } = &mut self.invocation;
        check("emitted vertices of an invocation", emits.len() + 1, self.most, At::Pc(pc.0))?;
        let outputs = registers.outputs_mut();
        let mut snapshot = [self.unwritten; 16];
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

/// A geometry program made ready to run. Registers r, a0, aL and cmp, both banks of outputs, the vertex slots, what SETEMIT
/// set, b15 and what was [delivered](Self::deliver) carry over from one invocation to the next; inputs do not.
///
/// ```
/// use transpica::stages::interp::{GeometryMachine, Registers, Settings};
/// use transpica::stages::isa::Pc;
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
    /// EMITs that one invocation may execute, unless [set](Self::set_most_emits) otherwise. Hardware has no limit.
    pub const MOST_EMITS: u32 = 1 << 16;

    /// Decodes a program; bit n of `outputs` tells that on is passed on. Uniforms are zero until
    /// [`set_uniforms`](Self::set_uniforms).
    ///
    /// # Errors
    /// [`Kind::Stage`] for a vertex program.
    pub fn new(program: &Program<'_>, outputs: u16, settings: Settings) -> Result<Self> {
        if program.stage() == Stage::Vertex {
            let kind = Kind::Stage { what: "the geometry machine", stage: "vertex" };
            return Err(Error::new(kind, At::Whole));
        }
        let machine = Machine::prepare(program, settings);
        Ok(Self { machine, emission: Emission::new(outputs, settings.unwritten) })
    }

    /// Changes how many EMITs one invocation may execute; its memory grows by 256 bytes and a little with each.
    pub fn set_most_emits(&mut self, most: u32) {
        self.emission.most = most;
    }

    /// Changes how many instructions one invocation may execute.
    pub fn set_budget(&mut self, steps: u64) {
        self.machine.set_budget(steps);
    }

    /// Replaces all uniforms, those that were delivered and b15 too.
    pub fn set_uniforms(&mut self, uniforms: &Uniforms) {
        self.machine.set_uniforms(uniforms);
    }

    /// Sets float uniforms from c`first` on, as the primitive engine does with the vertices of a primitive. What would go
    /// beyond c95 is dropped.
    pub fn deliver(&mut self, first: u8, values: &[[f32; 4]]) {
        for (register, &value) in (usize::from(first)..FLOATS).zip(values) {
            self.machine.set_float(register, value);
        }
    }

    /// Forgets what earlier invocations left, but no uniform.
    pub fn reset(&mut self) {
        self.machine.begin(&Registers::DEFAULT_INPUTS);
        let Emission { mask, most, unwritten, .. } = self.emission;
        self.emission = Emission { most, ..Emission::new(mask, unwritten) };
    }

    /// Runs the program once. b15 is true afterwards.
    ///
    /// # Errors
    /// [`Kind::BadOpcode`] at an undefined opcode unless lenient, [`Kind::StepBudget`] when the budget is used up,
    /// [`Kind::Limit`] at an EMIT that is one too many. State is then as the last instruction left it.
    pub fn run(&mut self, inputs: &[[f32; 4]; 16]) -> Result<&Invocation> {
        self.run_traced(inputs, &mut Off)
    }

    /// As [`run`](Self::run), and reports every executed instruction.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_traced(&mut self, inputs: &[[f32; 4]; 16], trace: &mut impl Trace) -> Result<&Invocation> {
        self.emission.begin();
        self.machine.resume(inputs, &mut self.emission, trace)?;
        self.machine.set_bool(RAN, true);
        Ok(&self.emission.invocation)
    }

    /// What the last run emitted, also up to the instruction that stopped it.
    pub fn invocation(&self) -> &Invocation {
        &self.emission.invocation
    }

    /// The registers as the last run left them; outputs are the bank that would be written next.
    pub fn registers(&self) -> &Registers {
        self.machine.registers()
    }

    /// Instructions that the last run executed.
    pub fn steps(&self) -> u64 {
        self.machine.steps()
    }

    /// Returns whether [`Settings::loop_guard`] ended the last invocation.
    pub fn is_stopped(&self) -> bool {
        self.machine.is_stopped()
    }
}
