//! Registers of one unit.
//! In: [`RegisterState`]. Out: its program, and where attributes go and outputs come from.

use super::output_map::OutputMap;
use super::{RegisterState, number};
use crate::error::Result;
use crate::program::isa::{Program, Stage, Uniforms};

/// Registers of one unit as the environment of its program.
///
/// Attributes are named `v0`…, uniforms after their first register (`c8`); no constant is folded.
/// Therefore the [key](crate::translate::key()) depends only on code and output map: programs that
/// agree in both are equal for every host.
#[derive(Clone, Copy, Debug)]
pub struct RegisterView<'a> {
    pub(super) state: &'a RegisterState,
    pub(super) stage: Stage,
}

impl<'a> RegisterView<'a> {
    /// Returns the unit's stage.
    pub fn stage(&self) -> Stage {
        self.stage
    }
    /// Returns its program.
    ///
    /// # Errors
    /// An entry point outside the words written.
    pub fn program(&self) -> Result<Program<'a>> {
        self.state.program(self.stage)
    }
    /// Returns its uniforms.
    pub fn uniforms(&self) -> Uniforms {
        self.state.uniforms(self.stage)
    }
    /// Returns the number of incoming attributes, 1 to 16.
    pub fn input_count(&self) -> u8 {
        self.state.unit(self.stage).input_count()
    }
    /// Returns the incoming attribute that feeds each of v0..v15. The last of several for one
    /// register counts. On hardware, registers without an attribute keep their old value.
    pub fn input_map(&self) -> [Option<u8>; 16] {
        let mut map = [None; 16];
        for (attribute, register) in (0..).zip(self.permutation()) {
            map[usize::from(register)] = Some(attribute);
        }
        map
    }
    /// Returns the register of each incoming attribute.
    pub(crate) fn permutation(&self) -> impl Iterator<Item = u8> {
        let permutation = self.state.unit(self.stage).permutation();
        // Range: four bits.
        (0..self.input_count()).map(move |attribute| (permutation >> (4 * attribute) & 15) as u8)
    }
    /// Returns the mask of forwarded output registers, bit n = on.
    pub fn output_mask(&self) -> u16 {
        self.state.unit(self.stage).output_mask()
    }
    /// Returns whether vertex outputs arrive in the float uniforms of this geometry unit instead of
    /// its v registers.
    pub fn inputs_are_uniforms(&self) -> bool {
        self.state.unit(self.stage).read(number::unit::INPUT) >> 8 & 1 != 0
    }
    /// Returns the words of the output map with their registers: the k-th word belongs to the k-th
    /// forwarded register.
    pub(crate) fn map_words(&self) -> impl Iterator<Item = (u8, [u8; 4])> {
        let mask = self.output_mask();
        let registers = (0..16).filter(move |register| mask >> register & 1 != 0);
        let count = if self.is_last() { self.state.slots() } else { 0 };
        let words = (number::OUTMAP..).map(|number| self.state.read(number).to_le_bytes());
        registers.zip(words).take(count)
    }
    /// Returns the register component of each semantic. Outputs of a vertex program before a
    /// geometry program do not feed the rasterizer.
    pub fn output_map(&self) -> OutputMap {
        OutputMap::from_words(self.map_words())
    }
    /// Returns whether this unit's outputs go to the rasterizer, not to a geometry program.
    pub(crate) fn is_last(&self) -> bool {
        match self.stage {
            Stage::Vertex => !self.state.has_geometry(),
            Stage::Geometry => self.state.has_geometry(),
        }
    }
}
