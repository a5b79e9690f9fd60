//! EMIT and SETEMIT of the reference machine: vertex slots, two banks of outputs, triangles.
//! In: single instructions, output registers. Out: an [`Invocation`]. Knows no program.
//! Facts: hardware tests (two banks of outputs, azahar-emu/azahar#2338). Not measured: slot 3
//! behaves like the others here, but no triangle has it.

use super::registers::Registers;
use crate::error::{At, Result};
use crate::limits::{self, check};
use crate::program::isa::sizes::VERTEX_SLOTS;
use crate::program::isa::{Inst, Pc};

/// Vertex slots; the first three make a triangle.
const SLOTS: usize = VERTEX_SLOTS;

/// The setting of SETEMIT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) slot: u8,
    pub(super) prim: bool,
    pub(super) invert: bool,
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
    /// The vertices in the slots at the beginning, then the vertex of each EMIT.
    pub(super) vertices: Vec<[[f32; 4]; 16]>,
    pub(super) emits: Vec<Setting>,
    /// Indices in `vertices`, and the winding flag.
    pub(super) triangles: Vec<([usize; 3], bool)>,
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
    pub(super) mask: u16,
    pub(super) setting: Setting,
    /// The inactive bank of outputs.
    pub(super) other: [[f32; 4]; 16],
    /// The vertex in each slot, an index in the vertices of the invocation.
    pub(super) slots: [usize; SLOTS],
    pub(super) invocation: Invocation,
    /// Limit of the EMITs of one invocation.
    pub(super) most: u32,
    pub(super) uninitialized: [f32; 4],
}

impl Emission {
    pub(super) fn new(mask: u16, uninitialized: [f32; 4]) -> Self {
        let vertices = vec![[uninitialized; 16]; SLOTS];
        Self {
            mask,
            setting: Setting::default(),
            other: [uninitialized; 16],
            slots: [0, 1, 2, 3],
            invocation: Invocation { vertices, ..Invocation::default() },
            most: limits::EMITS,
            uninitialized,
        }
    }

    /// Begins an invocation: slots keep their vertices.
    pub(super) fn begin(&mut self) {
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
            _other_instructions => Ok(()),
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
