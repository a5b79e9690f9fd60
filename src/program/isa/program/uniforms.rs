//! The uniform registers, as a host sets them before a draw.
//! In: values. Out: values. The interpreter reads them and the host packs them. Knows neither
//! programs nor precisions.

use super::Stage;
use crate::program::isa::sizes::{FLOATS, INTS};

/// The bool uniform that is true if a geometry program ran before: hardware sets b15 after every
/// invocation (3dbrew).
pub const HAS_RUN: u8 = 15;

/// Returns the mask of bool uniforms that a host can make constants: all but those that hardware
/// sets.
pub fn constant_bools(stage: Stage) -> u16 {
    match stage {
        Stage::Vertex => u16::MAX,
        Stage::Geometry => !(1 << HAS_RUN),
    }
}

/// All uniform registers; zero and false by default.
///
/// ```
/// let mut uniforms = transpica::isa::Uniforms::default();
/// uniforms.ints[0] = [3, 0, 1, 0];
/// uniforms.set_bool(2, true);
/// assert!(uniforms.bool(2) && !uniforms.bool(3));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Uniforms {
    /// c0..c95
    pub floats: [[f32; 4]; FLOATS],
    /// i0..i3: iterations minus 1, start of aL, step of aL; hardware ignores the fourth.
    pub ints: [[u8; 4]; INTS],
    /// b0..b15, bit n is bn.
    pub bools: u16,
}

impl Uniforms {
    /// The value of b0..b15.
    #[inline]
    pub fn bool(&self, id: u8) -> bool {
        self.bools >> (id & 15) & 1 != 0
    }
    /// Sets one of b0..b15.
    pub fn set_bool(&mut self, id: u8, value: bool) {
        let bit = 1 << (id & 15);
        self.bools = if value { self.bools | bit } else { self.bools & !bit };
    }
}

impl Default for Uniforms {
    fn default() -> Self {
        Self { floats: [[0.0; 4]; FLOATS], ints: [[0; 4]; INTS], bools: 0 }
    }
}
