//! Operand descriptors: destination mask, swizzles and negations.
//! In and out: the 32-bit value of the table and its parts. Knows no instruction.
//! Facts: 3dbrew "GPU/Shader Instruction Set"; bit 31 is ignored, and assemblers differ in it.

use crate::program::isa::reg::{Mask, Swizzle};

/// Swizzle and negation of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selector {
    /// The swizzle.
    pub swizzle: Swizzle,
    /// All components are negated.
    pub negate: bool,
}

/// An operand descriptor.
///
/// ```
/// use transpica::isa::opdesc::Descriptor;
/// let descriptor = Descriptor::unpack(0x7246_C36F);
/// assert_eq!(descriptor.mask.to_string(), "xyzw");
/// assert_eq!(descriptor.sources[2].swizzle.to_string(), "wzyx");
/// assert!(descriptor.sources[2].negate);
/// assert_eq!(descriptor.pack(), 0x7246_C36F);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// The components that are written.
    pub mask: Mask,
    /// Selectors of the first, second and third source.
    pub sources: [Selector; 3],
}

/// Bits of the destination mask.
pub const MASK_BITS: u32 = 0xF;

/// Bits that describe source `index` (0..=2).
pub const fn source_bits(index: usize) -> u32 {
    0x1FF << (4 + 9 * index)
}

/// The bit that negates source `index` (0..=2).
pub const fn negation_bit(index: usize) -> u32 {
    1 << (4 + 9 * index)
}

/// The bits that select the source components of these result components, for source `index`
/// (0..=2).
pub const fn swizzle_bits(index: usize, components: Mask) -> u32 {
    // Selectors have the order of a descriptor's mask, w lowest, above the negation.
    let selected = components.to_descriptor();
    let (mut bits, mut component) = (0, 0);
    while component < 4 {
        bits |= (selected >> component & 1) * (3 << (2 * component));
        component += 1;
    }
    bits << (5 + 9 * index)
}

impl Descriptor {
    /// Decodes the stored value.
    #[inline]
    pub fn unpack(bits: u32) -> Self {
        Self { mask: Mask::from_descriptor(bits), sources: [0, 1, 2].map(|index| selector(bits, index)) }
    }
    /// The stored value, bit 31 clear.
    pub fn pack(self) -> u32 {
        let mask = self.mask.to_descriptor() & MASK_BITS;
        self.sources.iter().enumerate().fold(mask, |bits, (index, source)| bits | source.pack(index))
    }
}

impl Selector {
    /// The bits that describe source `index` (0..=2).
    pub(crate) fn pack(self, index: usize) -> u32 {
        (u32::from(self.swizzle.0) << 1 | u32::from(self.negate)) << (4 + 9 * index)
    }
}

/// The part of a descriptor that describes source `index` (0..=2).
#[inline]
pub(crate) fn selector(bits: u32, index: usize) -> Selector {
    let bits = bits >> (4 + 9 * index);
    // Range: the swizzle is the eight bits above the negation.
    Selector { swizzle: Swizzle((bits >> 1 & 0xFF) as u8), negate: bits & 1 != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_but_the_top_one_survives() {
        for bit in 0..31 {
            for background in [0, 0x7FFF_FFFF, 0x5555_5555] {
                let bits = background ^ 1 << bit;
                assert_eq!(Descriptor::unpack(bits).pack(), bits, "{bits:#x}");
            }
        }
        assert_eq!(Descriptor::unpack(0x8000_0000).pack(), 0);
    }

    #[test]
    fn mask_bit_three_is_x() {
        assert_eq!(Descriptor::unpack(0b1000).mask.to_string(), "x");
        assert_eq!(Descriptor::unpack(0b0001).mask.to_string(), "w");
    }

    #[test]
    fn top_bits_of_a_selector_choose_x() {
        let swizzle = |byte: u32| Descriptor::unpack(byte << 5).sources[0].swizzle.to_string();
        let expected =
            [(0x1B, "xyzw"), (0, "xxxx"), (0x55, "yyyy"), (0xAA, "zzzz"), (0xFF, "wwww"), (0xE4, "wzyx")];
        for (byte, text) in expected {
            assert_eq!(swizzle(byte), text);
        }
    }
}
