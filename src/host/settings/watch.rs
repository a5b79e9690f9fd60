//! Checks of promises where numbers come in: at writes of uniforms and uploads of vertices.
//! In: numbers. Out: whether a draw may use a module that relies on promises. Knows no program.
//!
//! A promise asks for the largest magnitude and the least one but 0. As bits, infinity is above all
//! finite numbers and NaN above infinity, so that integer maxima and minima answer every promise.

use super::vertex_input::Promise;
use crate::machine::precision::bits::MAGNITUDE;
use crate::program::isa::sizes::FLOATS;

/// The largest and the least magnitude of some numbers, 0 apart.
///
/// A host finds them once for each attribute when vertices are uploaded, and asks them at each
/// draw. [`or`](Self::or) joins the magnitudes of parts.
///
/// ```
/// use transpica::settings::{Magnitudes, Promise};
/// let found = Magnitudes::from_numbers(&[-15.9, 0.0, 0.25]);
/// assert!(found.keep(Promise::Below(4)) && found.keep(Promise::Between(-2, 4)));
/// assert!(!found.keep(Promise::Below(3)) && !found.keep(Promise::Between(-1, 4)));
/// assert_eq!(Magnitudes::from_bits(found.to_bits()), found);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Magnitudes {
    /// Bits of the largest.
    largest: i32,
    /// Bits of the least, less one.
    before_least: i32,
}

impl Magnitudes {
    /// The magnitudes of an empty set or of zeros; every promise holds.
    pub const NONE: Self = Self { largest: 0, before_least: i32::MAX };

    /// Returns the magnitudes of numbers. Compilers check several at once.
    pub fn from_numbers(numbers: &[f32]) -> Self {
        numbers.iter().fold(Self::NONE, |all, number| all.or(Self::of_bits(number.to_bits())))
    }

    /// Returns the magnitudes of an attribute in little-endian vertex data: of `components` floats
    /// at `offset + n * stride` for every vertex n, as vertex fetch reads them. With a stride of 0
    /// all vertices have the first one. What lies beyond the bytes counts as 0.
    ///
    /// ```
    /// use transpica::settings::Magnitudes;
    /// let bytes: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].into_iter().flat_map(f32::to_le_bytes).collect();
    /// assert_eq!(Magnitudes::from_records(&bytes, 8, 4, 1), Magnitudes::from_numbers(&[2.0, 4.0]));
    /// assert_eq!(Magnitudes::from_records(&bytes, 8, 0, 2).to_bits(), [4.0f32.to_bits(), 1.0f32.to_bits()]);
    /// assert_eq!(Magnitudes::from_records(&bytes, 4, 8, 1), Magnitudes::from_numbers(&[3.0, 4.0]));
    /// assert_eq!(Magnitudes::from_records(&bytes, 0, 4, 1), Magnitudes::from_numbers(&[2.0]));
    /// ```
    pub fn from_records(bytes: &[u8], stride: usize, offset: usize, components: usize) -> Self {
        let bytes = bytes.get(offset..).unwrap_or_default();
        // Attributes without gaps are one record, of which compilers check several numbers at once.
        let is_dense = stride != 0 && stride.is_multiple_of(4) && stride / 4 <= components;
        let (stride, components) = match stride {
            0 => (usize::MAX, components),
            _ if is_dense => (usize::MAX, usize::MAX),
            stride => (stride, components),
        };
        let mut all = Self::NONE;
        for start in (0..bytes.len()).step_by(stride) {
            let (numbers, _rest) = bytes.get(start..).unwrap_or_default().as_chunks::<4>();
            for number in numbers.iter().take(components) {
                all = all.or(Self::of_bits(u32::from_le_bytes(*number)));
            }
        }
        all
    }

    #[inline]
    fn of_bits(bits: u32) -> Self {
        let magnitude = (bits & MAGNITUDE).cast_signed();
        // Zero wraps around to the maximum.
        Self { largest: magnitude, before_least: magnitude.wrapping_sub(1) & i32::MAX }
    }

    /// Returns the magnitudes of both sets.
    #[must_use]
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self {
            largest: self.largest.max(other.largest),
            before_least: self.before_least.min(other.before_least),
        }
    }

    /// Returns the bits of the largest magnitude and of the least one but 0, which is 0 if there is
    /// none.
    pub fn to_bits(self) -> [u32; 2] {
        [self.largest, self.before_least.wrapping_add(1) & i32::MAX].map(i32::cast_unsigned)
    }

    /// Returns the magnitudes with these bits, see [`to_bits`](Self::to_bits).
    pub fn from_bits([largest, least]: [u32; 2]) -> Self {
        let least = Self::of_bits(least);
        Self { largest: Self::of_bits(largest).largest, ..least }
    }

    /// Returns whether all these numbers keep a promise.
    pub fn keep(self, promise: Promise) -> bool {
        let (least, largest) = promise.bounds();
        self.largest <= largest.cast_signed() && self.before_least >= least.cast_signed() - 1
    }
}

/// Watch over the float uniforms of a register file: which of them break a promise.
///
/// One watch serves all programs. It sees every write, and at a draw
/// [`Reliance::allows`](crate::settings::Reliance::allows) asks it which of two modules to take.
///
/// ```
/// use transpica::settings::{Magnitudes, Promise, Reliance, Assume, Watch};
/// let promises = Assume { uniforms: Promise::FINITE, ..Assume::default() };
/// let relies_on = Reliance { uniforms: 0b11, promises, ..Reliance::default() };
/// let mut watch = Watch::new(promises.uniforms, &[[0.0; 4]; 96]);
/// let attributes = [Magnitudes::NONE; 16];
/// assert!(relies_on.allows(&watch, &attributes));
/// watch.write(1, [f32::NAN, 0.0, 0.0, 0.0]);
/// assert!(!relies_on.allows(&watch, &attributes));
/// watch.write(1, [1.0; 4]);
/// watch.write(2, [f32::INFINITY; 4]); // the program does not read it
/// assert!(relies_on.allows(&watch, &attributes));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    promise: Promise,
    /// Mask of the registers that break the promise, bit n = cn.
    broken: u128,
    /// Mask of those that break more than its lower end.
    too_large: u128,
}

impl Watch {
    /// Begins with these uniforms.
    pub fn new(promise: Promise, uniforms: &[[f32; 4]; FLOATS]) -> Self {
        let mut watch = Self::resume(promise, 0);
        (0..).zip(uniforms).for_each(|(register, value)| watch.write(register, *value));
        watch
    }

    /// Continues with the registers that broke the promise before, see [`broken`](Self::broken).
    /// Until they are written again, they count as too large.
    pub fn resume(promise: Promise, broken: u128) -> Self {
        Self { promise, broken, too_large: broken }
    }

    /// Returns the mask of the registers that break the promise, bit n = cn.
    pub fn broken(&self) -> u128 {
        self.broken
    }

    /// Returns the mask of those that break more than the lower end of [`Promise::Between`].
    pub fn too_large(&self) -> u128 {
        self.too_large
    }

    /// Sees a write of c`register`.
    pub fn write(&mut self, register: u8, value: [f32; 4]) {
        let bit = 1u128.checked_shl(register.into()).unwrap_or(0);
        let found = Magnitudes::from_numbers(&value);
        let set = |mask: u128, promise| if found.keep(promise) { mask & !bit } else { mask | bit };
        self.broken = set(self.broken, self.promise);
        self.too_large = set(self.too_large, self.promise.without_least());
    }
}
