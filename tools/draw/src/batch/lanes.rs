//! Lanes of a batch, and sets of them.
//! In: values of all lanes. Out: values of all lanes, or of the blocks with active ones. Knows no
//! register and no instruction.
//!
//! Loops over lanes are plain: the compiler makes vector code of them. They are inlined where
//! [`wide`](super::wide) compiles the function around them for several kinds of vectors; elsewhere
//! calls keep the code small.

#![expect(clippy::needless_range_loop, reason = "one lane of several arrays")]

use std::ops::{Deref, DerefMut};

use crate::entity::bits;
use transpica::isa::Mask;

/// Vertices that a batch runs side by side.
pub const LANES: usize = 64;
/// Lanes of a block. A group of lanes computes all lanes of the blocks that it has lanes in.
pub(super) const BLOCK: usize = 8;
/// The set of all blocks.
pub(super) const ALL: u8 = u8::MAX;

/// One component of a register in all lanes.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

/// Floats of a cache line.
const LINE: usize = 16;

/// [`Lanes`] on the heap that begin with a cache line.
///
/// Allocators are several times slower where they must align than where a little room is left, and
/// a program has a hundred of these.
#[derive(Debug)]
pub(super) struct Row {
    values: Box<[f32; LANES + LINE]>,
    /// Position of the first lane, below [`LINE`].
    first: u8,
}

impl Row {
    /// Zeros.
    pub(super) fn new() -> Self {
        let values = Box::new([0.0; LANES + LINE]);
        // Range: below LINE. An unknown alignment gives any position, which costs time only.
        let first = (values.as_ptr().align_offset(4 * LINE) % LINE) as u8;
        Self { values, first }
    }
}

impl Clone for Row {
    fn clone(&self) -> Self {
        let mut row = Self::new();
        *row = **self;
        row
    }
}

impl Deref for Row {
    type Target = [f32; LANES];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.values[usize::from(self.first) % LINE..].as_chunks().0[0]
    }
}

impl DerefMut for Row {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.values[usize::from(self.first) % LINE..].as_chunks_mut().0[0]
    }
}

impl Lanes {
    pub(super) const ZERO: Self = Self([0.0; LANES]);
}

/// Runs a loop over all of so many lanes, or over those of some blocks.
macro_rules! each_lane {
    ($blocks:expr, $count:expr, |$lane:ident| $body:expr) => {
        if $blocks == ALL {
            for $lane in 0..$count {
                $body;
            }
        } else {
            for number in bits(u64::from($blocks)) {
                let first = number as usize % BLOCK * BLOCK;
                for $lane in first..first + BLOCK {
                    $body;
                }
            }
        }
    };
}
pub(super) use each_lane;

/// A set of lanes, in the forms that loops need.
#[derive(Clone, Debug)]
pub(super) struct Active {
    /// Bit n is lane n.
    pub(super) lanes: u64,
    /// The blocks with active lanes.
    pub(super) blocks: u8,
    /// True if no other lane of the run holds a value.
    pub(super) is_whole: bool,
    /// All ones for each active lane.
    pub(super) mask: [u32; LANES],
}

impl Active {
    /// No lanes.
    pub(super) const NONE: Self = Self { lanes: 0, blocks: 0, is_whole: false, mask: [0; LANES] };

    /// All ones for each active lane of a block.
    #[inline(always)]
    pub(super) fn mask_of(&self, block: usize) -> &[u32; BLOCK] {
        &self.mask.as_chunks().0[block % BLOCK]
    }

    /// Returns whether these lanes of `run` are active already.
    #[inline]
    pub(super) fn is(&self, lanes: u64, run: u64) -> bool {
        self.lanes == lanes && self.is_whole == (lanes == run)
    }

    /// Activates `lanes` of `run`, the lanes of the run.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn set(&mut self, lanes: u64, run: u64) {
        self.is_whole = lanes == run;
        let changed = (self.lanes ^ lanes).to_le_bytes();
        self.lanes = lanes;
        self.blocks = 0;
        for (block, bits) in lanes.to_le_bytes().into_iter().enumerate() {
            self.blocks |= u8::from(bits != 0) << block;
            if changed[block] == 0 {
                continue;
            }
            for lane in 0..BLOCK {
                self.mask[block * BLOCK + lane] = (u32::from(bits) >> lane & 1).wrapping_neg();
            }
        }
    }

    /// The value that all active lanes agree on, if they do.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn common(&self, values: &[i32; LANES]) -> Option<i32> {
        let first = values[self.lanes.trailing_zeros() as usize % LANES];
        let mut differences = 0;
        for lane in 0..LANES {
            differences |= (values[lane] ^ first) & self.mask[lane] as i32;
        }
        (differences == 0).then_some(first)
    }
}

/// The components of a mask.
#[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
pub(super) fn components(mask: Mask) -> impl Iterator<Item = usize> {
    // Range: 0..3.
    bits(u64::from(mask.0 & 15)).map(|component| component as usize % 4)
}

/// Changes the sign where `sign` has the sign bit.
#[inline(always)]
pub(super) fn flip(value: f32, sign: u32) -> f32 {
    f32::from_bits(value.to_bits() ^ sign)
}

/// Replaces the values of the lanes in a mask.
#[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
pub(super) fn blend<const N: usize>(blocks: u8, to: &mut [f32; N], from: &[f32; N], mask: &[u32; N]) {
    let choose = |mask: u32, from: f32, to: f32| f32::from_bits(from.to_bits() & mask | to.to_bits() & !mask);
    each_lane!(blocks, N, |lane| to[lane] = choose(mask[lane], from[lane], to[lane]));
}

/// Collects bytes of 0 and 1 as bits. Not inlined, so that other operations of small runs need no
/// registers for its constants.
#[inline(never)]
pub(super) fn pack<const N: usize>(bytes: &[u8; N]) -> u64 {
    // The product moves bit 0 of byte n to bit 56 + n.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let bits = |bytes: &[u8; BLOCK]| u64::from_le_bytes(*bytes).wrapping_mul(GATHER) >> 56;
    bytes.as_chunks().0.iter().rev().fold(0, |set, bytes| set << BLOCK | bits(bytes))
}
