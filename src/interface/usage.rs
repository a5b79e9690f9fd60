//! Registers that a program uses.
//! In and out: plain data.

use crate::host::constants::Constants;
use crate::program::isa::Mask;
use crate::program::isa::sizes::{FLOATS, INTS, OUTPUTS};
#[cfg(feature = "serde")]
use crate::support::stable::spelled;

/// Registers that a program uses. Bit n of a mask is register n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Usage {
    /// v registers read.
    #[cfg_attr(feature = "serde", serde(rename = "v", serialize_with = "spelled::registers"))]
    pub inputs: u16,
    /// c registers read without an address register.
    #[cfg_attr(feature = "serde", serde(rename = "c", serialize_with = "spelled::registers"))]
    pub floats: u128,
    /// i registers read.
    #[cfg_attr(feature = "serde", serde(rename = "i", serialize_with = "spelled::registers"))]
    pub ints: u8,
    /// b registers read.
    #[cfg_attr(feature = "serde", serde(rename = "b", serialize_with = "spelled::registers"))]
    pub bools: u16,
    /// Indices c0..c127 that relative reads may have. Those beyond c95 read as ones.
    #[cfg_attr(feature = "serde", serde(serialize_with = "spelled::registers"))]
    pub relative: u128,
    /// Indices that one relative read may have together with the next index: both registers lie in
    /// one array.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub joined: u128,
    /// c registers that are bases of relative reads.
    #[cfg_attr(feature = "serde", serde(rename = "bases", serialize_with = "spelled::registers"))]
    pub relative_bases: u128,
    /// o registers written.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub outputs: u16,
    /// Components written of each o register.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub output_masks: [Mask; OUTPUTS],
}

impl Usage {
    /// Returns the usage of a program that has these constants in its code. Relative reads take no
    /// constants.
    pub fn without(&self, folded: &Constants) -> Self {
        Self { floats: self.floats & !folded.float_mask(), ..*self }
    }
    /// Returns the registers that one or the other reads. Outputs are not part of it.
    #[must_use]
    pub(crate) fn joined_with(&self, other: &Self) -> Self {
        Self {
            inputs: self.inputs | other.inputs,
            floats: self.floats | other.floats,
            ints: self.ints | other.ints,
            bools: self.bools | other.bools,
            relative: self.relative | other.relative,
            joined: self.joined | other.joined,
            relative_bases: self.relative_bases | other.relative_bases,
            ..*self
        }
    }
    /// Every register.
    pub const EVERYTHING: Self = Self {
        inputs: u16::MAX,
        floats: (1 << FLOATS) - 1,
        ints: (1 << INTS) - 1,
        bools: u16::MAX,
        relative: 0,
        joined: 0,
        relative_bases: 0,
        outputs: u16::MAX,
        output_masks: [Mask::XYZW; OUTPUTS],
    };
}
