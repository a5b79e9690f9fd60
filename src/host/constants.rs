//! Uniform values that binding an executable sets.
//! In: the table of constants of an executable. Out: values by register. Knows no program.
//! Facts: libctru loads the constants in file order when an executable is bound.

use crate::machine::precision::float24;
use crate::program::container::{ConstantValue, Dvle};
use crate::program::isa::Uniforms;
use crate::program::isa::sizes::{BOOLS, FLOATS, INTS};

/// Uniform values that binding an executable sets. Floats are bit patterns of f32.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// c0..c95 as x, y, z, w.
    pub floats: [Option<[u32; 4]>; FLOATS],
    /// i0..i3 as x, y, z, w.
    pub ints: [Option<[u8; 4]>; INTS],
    /// b0..b15
    pub bools: [Option<bool>; BOOLS],
}

impl Constants {
    /// No constants.
    pub const NONE: Self = Self { floats: [None; FLOATS], ints: [None; INTS], bools: [None; BOOLS] };

    /// Returns the mask of the float registers that have a value, bit n = cn.
    pub(crate) fn float_mask(&self) -> u128 {
        let set = (0..).zip(&self.floats).filter(|(_, constant)| constant.is_some());
        set.fold(0, |mask, (register, _): (u32, _)| mask | 1 << register)
    }
    /// Appends the float and int constants. Bools are never folded.
    #[doc(hidden)]
    pub fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self { floats, ints, bools: _ } = self;
        for (register, constant) in (0..96u8).zip(floats) {
            if let Some(value) = constant {
                out.push(register);
                value.iter().for_each(|bits| out.extend_from_slice(&bits.to_le_bytes()));
            }
        }
        out.push(0xFF);
        for (register, constant) in (0..4u8).zip(ints) {
            if let Some(value) = constant {
                out.push(register);
                out.extend_from_slice(value);
            }
        }
        out.push(0xFF);
    }
    /// Writes these constants to `uniforms`, as binding the executable does.
    pub fn apply(&self, uniforms: &mut Uniforms) {
        for (register, constant) in uniforms.floats.iter_mut().zip(self.floats) {
            *register = constant.map_or(*register, |bits| bits.map(f32::from_bits));
        }
        for (register, constant) in uniforms.ints.iter_mut().zip(self.ints) {
            *register = constant.unwrap_or(*register);
        }
        for (id, constant) in (0..).zip(self.bools) {
            if let Some(value) = constant {
                uniforms.set_bool(id, value);
            }
        }
    }
}

impl Default for Constants {
    fn default() -> Self {
        Self::NONE
    }
}

/// Returns the uniform values that an executable sets. The last of several for one register counts.
pub fn constants(executable: &Dvle<'_>) -> Constants {
    let mut constants = Constants::default();
    for constant in executable.constants.iter() {
        match constant.value() {
            Some(ConstantValue::Bool { register, value }) => {
                constants.bools[usize::from(register)] = Some(value);
            }
            Some(ConstantValue::Int { register, value }) => {
                constants.ints[usize::from(register)] = Some(value);
            }
            Some(ConstantValue::Float { register, value }) => {
                constants.floats[usize::from(register)] = Some(value.map(float24::to_f32_bits));
            }
            None => {}
        }
    }
    constants
}
