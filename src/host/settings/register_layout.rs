//! Layouts of the complete register file in a uniform block: offsets of the banks, presets of
//! existing hosts.
//! In: choices of the host. Out: plain data. `interface/layout.rs` builds the members.
//! Facts: sizes and offsets of the presets follow the block declarations of those hosts (std140).

use crate::error::{At, Error, Kind, Result};
use crate::program::isa::sizes::{FLOATS, INDICES, INTS};
use crate::support::fields::VECTOR;

/// Format of the int registers in a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IntPacking {
    /// Four words of 32 bits each; the four registers take 64 bytes.
    #[default]
    Words,
    /// Four bytes, x lowest; the four registers take 16 bytes.
    Bytes,
}

/// Byte offsets of the register banks in the uniform block.
///
/// ```
/// use transpica::host::RegisterLayout;
/// assert_eq!((RegisterLayout::AZAHAR.size(), RegisterLayout::PANDA3DS.size()), (1616, 1556));
/// assert_eq!(RegisterLayout::PANDA3DS.binding_size(), 1568);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct RegisterLayout {
    /// Offset of c0; 96 registers of 16 bytes. A multiple of 16.
    pub floats: u32,
    /// Offset of i0. A multiple of 16.
    pub ints: u32,
    /// Format of the int registers.
    pub packing: IntPacking,
    /// Offset of the word whose bit n is bn. A multiple of 4. At 0, a driver may compile a program
    /// for each value of the word (drivers.md#first-word).
    pub bools: u32,
}

/// Maximum size of a block: every Vulkan and WebGPU device can bind 16 KiB.
const MOST: u32 = 16 << 10;

impl RegisterLayout {
    /// Floats at 0, ints at 1536, bools at 1600; 1616 bytes.
    pub const REGISTERS: Self = Self { floats: 0, ints: 1536, packing: IntPacking::Words, bools: 1600 };

    /// As [`REGISTERS`](Self::REGISTERS), with room for padding: floats at 0, ints at 2048, bools
    /// at 2112.
    pub(crate) const PADDED: Self = Self { floats: 0, ints: 2048, packing: IntPacking::Words, bools: 2112 };

    /// Returns the number of float registers in the block.
    pub(crate) fn float_count(&self, is_padded: bool) -> usize {
        if is_padded { INDICES } else { FLOATS }
    }

    /// Returns the offset and size of floats, ints and bools.
    fn banks(&self, is_padded: bool) -> [(u32, u32); 3] {
        let ints = match self.packing {
            IntPacking::Words => VECTOR * INTS as u32,
            IntPacking::Bytes => 4 * INTS as u32,
        };
        [(self.floats, VECTOR * self.float_count(is_padded) as u32), (self.ints, ints), (self.bools, 4)]
    }

    /// Returns the end of the last bank.
    fn end(&self, is_padded: bool) -> u32 {
        let ends = self.banks(is_padded).map(|(first, size)| first.saturating_add(size));
        ends.into_iter().max().unwrap_or(0)
    }

    /// Returns the size of the block, with or without padding.
    pub(crate) fn block_size(&self, is_padded: bool) -> u32 {
        self.end(is_padded).checked_next_multiple_of(VECTOR).unwrap_or(u32::MAX)
    }

    /// Returns the size up to the end of the last bank: the least that a host must upload.
    pub fn size(&self) -> u32 {
        self.end(false)
    }

    /// Returns the least size that a WGSL host must bind: [`size`](Self::size), rounded up to the
    /// alignment of the block.
    pub fn binding_size(&self) -> u32 {
        self.block_size(false)
    }

    /// Checks that the banks are aligned, do not overlap, and lie in a block that every device can
    /// bind.
    ///
    /// # Errors
    /// [`Kind::MisplacedBank`], [`Kind::OverlappingBanks`].
    pub fn check(&self) -> Result<()> {
        self.check_block(false)
    }

    /// As [`check`](Self::check), with or without padding of the floats.
    pub(crate) fn check_block(&self, is_padded: bool) -> Result<()> {
        let names = ["floats", "ints", "bools"];
        let banks = self.banks(is_padded);
        for ((name, (first, size)), align) in names.into_iter().zip(banks).zip([VECTOR, VECTOR, 4]) {
            if first % align != 0 || first > MOST - size {
                let kind = Kind::MisplacedBank { bank: name, byte: first, align, most: MOST };
                return Err(Error::new(kind, At::Whole));
            }
        }
        for a in 0..3 {
            for b in a + 1..3 {
                let ((first, size), (other, length)) = (banks[a], banks[b]);
                if first < other + length && other < first + size {
                    return Err(Error::new(Kind::OverlappingBanks([names[a], names[b]]), At::Whole));
                }
            }
        }
        Ok(())
    }
}
