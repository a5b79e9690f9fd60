//! Environment of the program of one unit, from its registers.
//! In: [`RegisterState`]. Out: [`Environment`] without symbols, names or constants.

use super::RegisterState;
use super::number;
use super::unit::offset;
use crate::error::{At, Result, Warning};
use crate::host::interface::{Attribute, Constants, Interface, UniformBlock, Usage};
use crate::host::varying::OutputMap;
use crate::host::{Environment, Options, map_warnings};
use crate::program::isa::{Program, Stage, Uniforms};

/// Registers of one unit as the environment of its program.
///
/// Attributes are named `v0`…, uniforms after their first register (`c8`); no constant is folded.
/// Therefore the [key](crate::translate::key()) depends only on code and output map: programs that
/// agree in both are equal for every host.
#[derive(Clone, Copy, Debug)]
pub struct RegisterView<'a> {
    state: &'a RegisterState,
    stage: Stage,
}

impl<'a> RegisterView<'a> {
    pub(super) fn new(state: &'a RegisterState, stage: Stage) -> Self {
        Self { state, stage }
    }
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
    fn permutation(&self) -> impl Iterator<Item = u8> {
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
        self.state.unit(self.stage).read(offset::INPUT) >> 8 & 1 != 0
    }
    /// Returns the words of the output map with their registers: the k-th word belongs to the k-th
    /// forwarded register.
    fn map_words(&self) -> impl Iterator<Item = (u8, [u8; 4])> {
        let mask = self.output_mask();
        let registers = (0..16).filter(move |register| mask >> register & 1 != 0);
        let count = if self.is_last() { self.state.slots() } else { 0 };
        let words = (number::OUTMAP..).map(|number| self.state.read(number).to_le_bytes());
        registers.zip(words).take(count)
    }
    /// Returns whether this unit's outputs go to the rasterizer, not to a geometry program.
    fn is_last(&self) -> bool {
        match self.stage {
            Stage::Vertex => !self.state.has_geometry(),
            Stage::Geometry => self.state.has_geometry(),
        }
    }
}

impl Environment for RegisterView<'_> {
    fn folded(&self, _: &Options) -> Constants {
        Constants::default()
    }
    /// Outputs of a vertex program before a geometry program do not feed the rasterizer.
    fn output_map(&self) -> OutputMap {
        OutputMap::from_words(self.map_words())
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
        let registers = (0..16).filter(|register| usage.inputs >> register & 1 != 0);
        let mut warnings = Vec::new();
        if self.stage == Stage::Vertex && !self.is_last() {
            let text = "a geometry program takes the outputs of this vertex program: none of them reach the rasterizer";
            warnings.push(Warning { text: text.into(), at: At::Whole });
        }
        map_warnings::words(self.map_words(), &mut warnings);
        if self.stage == Stage::Vertex {
            map_warnings::attributes(self.permutation(), usage.inputs, &mut warnings);
        }
        let attribute = |register| {
            let format = options.input.formats[usize::from(register)];
            Attribute { register, name: format!("v{register}"), format }
        };
        Ok(Interface {
            attributes: registers.map(attribute).collect(),
            block: UniformBlock::without_symbols(usage, &options.block),
            warnings,
            ..Interface::default()
        })
    }
    fn fingerprint(&self, _: &Options, out: &mut Vec<u8>) {
        self.output_map().fingerprint(out);
    }
}
