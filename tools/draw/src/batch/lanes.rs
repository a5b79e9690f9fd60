//! Loops over the lanes of a batch.
//! In: values of all lanes. Out: values of all lanes, or of the blocks with active ones. Knows no
//! register and no instruction.
//!
//! The loops are plain: the compiler makes vector code of them. Those that call an operation are
//! inlined into its function. So is everything else where [`wide`](super::wide) compiles that
//! function for several kinds of vectors; elsewhere calls keep the code small.

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

/// Runs a loop over all lanes, or over those of some blocks.
macro_rules! each_lane {
    ($blocks:expr, |$lane:ident| $body:expr) => {
        if $blocks == ALL {
            for $lane in 0..LANES {
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
    mask: [u32; LANES],
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

    /// Replaces the values of active lanes.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn blend(&self, to: &mut [f32; LANES], from: &[f32; LANES]) {
        let choose =
            |mask: u32, from: f32, to: f32| f32::from_bits(from.to_bits() & mask | to.to_bits() & !mask);
        each_lane!(self.blocks, |lane| to[lane] = choose(self.mask[lane], from[lane], to[lane]));
    }

    /// Replaces the address registers of active lanes.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn blend_addresses(&self, to: &mut [i32; LANES], from: impl Fn(usize) -> i32) {
        for lane in 0..LANES {
            // Range: the mask is all ones or zero.
            let mask = self.mask[lane] as i32;
            to[lane] = from(lane) & mask | to[lane] & !mask;
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

/// One component of an operand.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// Values whose sign changes if the number is the sign bit.
    Lanes(&'a [f32; LANES], u32),
    /// The same value in all lanes.
    Equal(f32),
}

impl Value<'_> {
    /// The value of a lane.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    pub(super) fn lane(self, lane: usize) -> f32 {
        match self {
            Self::Lanes(lanes, sign) => flip(lanes[lane % LANES], sign),
            Self::Equal(value) => value,
        }
    }
}

/// An operand: four components of the same kind.
#[derive(Clone, Copy)]
pub(super) enum Operand<'a> {
    Lanes([&'a [f32; LANES]; 4], u32),
    Equal([f32; 4]),
}

/// Applies a function of one operand.
#[inline(always)]
pub(super) fn apply_unary(blocks: u8, out: &mut [f32; LANES], a: Value<'_>, op: impl Fn(f32) -> f32) {
    match a {
        Value::Lanes(a, sign) => each_lane!(blocks, |lane| out[lane] = op(flip(a[lane], sign))),
        Value::Equal(a) => *out = [op(a); LANES],
    }
}

/// Applies a function of two operands.
#[inline(always)]
pub(super) fn apply_binary(
    blocks: u8,
    out: &mut [f32; LANES],
    a: Value<'_>,
    b: Value<'_>,
    op: impl Fn(f32, f32) -> f32,
) {
    match (a, b) {
        (Value::Lanes(a, s), Value::Lanes(b, t)) => {
            each_lane!(blocks, |lane| out[lane] = op(flip(a[lane], s), flip(b[lane], t)));
        }
        (Value::Lanes(a, s), Value::Equal(b)) => {
            each_lane!(blocks, |lane| out[lane] = op(flip(a[lane], s), b));
        }
        (Value::Equal(a), Value::Lanes(b, t)) => {
            each_lane!(blocks, |lane| out[lane] = op(a, flip(b[lane], t)));
        }
        // No instruction has these operands.
        (Value::Equal(a), Value::Equal(b)) => *out = [op(a, b); LANES],
    }
}

/// Values of all lanes, and the bits that change their signs.
type Signed<'a> = (&'a [f32; LANES], u32);

/// A component as lanes; `spare` takes a value that is equal in all.
#[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
pub(super) fn spread<'a>(value: Value<'a>, spare: &'a mut Lanes) -> Signed<'a> {
    match value {
        Value::Lanes(lanes, sign) => (lanes, sign),
        Value::Equal(value) => {
            spare.0 = [value; LANES];
            (&spare.0, 0)
        }
    }
}

/// Applies a function of three operands.
#[inline(always)]
pub(super) fn apply_ternary(
    blocks: u8,
    out: &mut [f32; LANES],
    [a, b, c]: [Value<'_>; 3],
    op: impl Fn(f32, f32, f32) -> f32,
) {
    match (a, b, c) {
        (Value::Lanes(a, s), Value::Lanes(b, t), Value::Lanes(c, u)) => {
            each_lane!(blocks, |lane| out[lane] = op(flip(a[lane], s), flip(b[lane], t), flip(c[lane], u)));
        }
        (Value::Lanes(a, s), Value::Equal(b), Value::Lanes(c, u)) => {
            each_lane!(blocks, |lane| out[lane] = op(flip(a[lane], s), b, flip(c[lane], u)));
        }
        (Value::Lanes(a, s), Value::Lanes(b, t), Value::Equal(c)) => {
            each_lane!(blocks, |lane| out[lane] = op(flip(a[lane], s), flip(b[lane], t), c));
        }
        // No instruction has these operands.
        (Value::Equal(_), _, _) | (Value::Lanes(..), Value::Equal(_), Value::Equal(_)) => {
            each_lane!(blocks, |lane| out[lane] = op(a.lane(lane), b.lane(lane), c.lane(lane)));
        }
    }
}

/// Applies a function of all components of two operands.
#[inline(always)]
pub(super) fn dot(
    blocks: u8,
    out: &mut [f32; LANES],
    a: &Operand<'_>,
    b: &Operand<'_>,
    op: impl Fn([f32; 4], [f32; 4]) -> f32,
) {
    /// One lane of four components.
    #[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
    fn lane(lanes: &[&[f32; LANES]; 4], lane: usize, sign: u32) -> [f32; 4] {
        [
            flip(lanes[0][lane], sign),
            flip(lanes[1][lane], sign),
            flip(lanes[2][lane], sign),
            flip(lanes[3][lane], sign),
        ]
    }
    match (a, b) {
        (Operand::Lanes(a, s), Operand::Lanes(b, t)) => {
            each_lane!(blocks, |number| out[number] = op(lane(a, number, *s), lane(b, number, *t)));
        }
        (Operand::Lanes(a, s), Operand::Equal(b)) => {
            each_lane!(blocks, |number| out[number] = op(lane(a, number, *s), *b));
        }
        (Operand::Equal(a), Operand::Lanes(b, t)) => {
            each_lane!(blocks, |number| out[number] = op(*a, lane(b, number, *t)));
        }
        // No instruction has these operands.
        (Operand::Equal(a), Operand::Equal(b)) => *out = [op(*a, *b); LANES],
    }
}

/// Compares two operands; bit n of the result is lane n.
#[inline(always)]
pub(super) fn compare(
    blocks: u8,
    (a, s): Signed<'_>,
    (b, t): Signed<'_>,
    op: impl Fn(f32, f32) -> bool,
) -> u64 {
    let mut holds = [0u8; LANES];
    each_lane!(blocks, |lane| holds[lane] = u8::from(op(flip(a[lane], s), flip(b[lane], t))));
    pack(&holds)
}

/// Collects bytes of 0 and 1 as bits.
#[cfg_attr(all(feature = "simd", target_arch = "x86_64"), inline(always))]
fn pack(bytes: &[u8; LANES]) -> u64 {
    // The product moves bit 0 of byte n to bit 56 + n.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut set = [0u8; LANES / BLOCK];
    for (set, bytes) in set.iter_mut().zip(bytes.as_chunks::<BLOCK>().0) {
        // Range: the byte that is left.
        *set = (u64::from_le_bytes(*bytes).wrapping_mul(GATHER) >> 56) as u8;
    }
    u64::from_le_bytes(set)
}
