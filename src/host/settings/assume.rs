//! Promises of the host about the numbers that it feeds, and checks that they are kept.
//! In: promises of the options, registers that a program reads. Out: what is known of a register,
//! and [`Reliance`], what a module needs. Knows no IR.

use std::fmt;

use super::options::Assume;
use super::vertex_input::{AttributeFormat, AttributeKind, Promise};
use super::watch::{Magnitudes, Watch};
use crate::machine::precision::bits::{INFINITY, MAGNITUDE, SIGNIFICAND_BITS};
use crate::program::isa::sizes::FLOATS;
#[cfg(feature = "serde")]
use crate::support::stable::spelled;

/// Exponent that all finite numbers are below: 2^128.
const ALL_FINITE: u8 = 128;
/// Bias of the exponent of an f32.
const BIAS: u32 = 127;

impl Promise {
    /// Every finite number and no other.
    pub const FINITE: Self = Self::Below(ALL_FINITE);

    /// Bits of the least magnitude but 0 and of the largest one that keep the promise.
    pub(super) fn bounds(self) -> (u32, u32) {
        let below = |exponent: u8| ((u32::from(exponent.min(ALL_FINITE)) + BIAS) << SIGNIFICAND_BITS) - 1;
        match self {
            Self::Nothing => (0, MAGNITUDE),
            Self::NotNan => (0, INFINITY),
            Self::Below(exponent) => (0, below(exponent)),
            Self::Between(least, exponent) => {
                let bits = match i32::from(least) + BIAS as i32 {
                    biased @ 1.. => biased.cast_unsigned() << SIGNIFICAND_BITS,
                    // A subnormal number: 2^-127 has the highest bit.
                    biased => 1 << (SIGNIFICAND_BITS as i32 - 1 + biased),
                };
                (bits, below(exponent))
            }
        }
    }

    /// Returns whether all these numbers keep the promise.
    ///
    /// ```
    /// use transpica::settings::Promise;
    /// assert!(Promise::Below(4).holds(&[-15.9, 0.0]) && !Promise::Below(4).holds(&[16.0]));
    /// assert!(Promise::NotNan.holds(&[f32::INFINITY]) && !Promise::NotNan.holds(&[f32::NAN]));
    /// assert!(Promise::Between(-1, 4).holds(&[0.0, 0.5]) && !Promise::Between(0, 4).holds(&[0.5]));
    /// ```
    pub fn holds(self, numbers: &[f32]) -> bool {
        Magnitudes::from_numbers(numbers).keep(self)
    }

    /// Returns the promise without its lower end.
    pub(crate) const fn without_least(self) -> Self {
        if let Self::Between(_, exponent) = self { Self::Below(exponent) } else { self }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("any number"),
            Self::NotNan => f.write_str("not NaN"),
            Self::Below(exponent) => write!(f, "below 2^{}", exponent.min(&ALL_FINITE)),
            Self::Between(least, exponent) => {
                write!(f, "0 or from 2^{least} to below 2^{}", exponent.min(&ALL_FINITE))
            }
        }
    }
}

impl AttributeFormat {
    /// Returns what is known of the numbers of such attributes: integers that the shader converts
    /// are finite.
    pub(crate) fn numbers(self) -> Promise {
        match self.kind {
            AttributeKind::Float => Promise::Nothing,
            AttributeKind::Int => Promise::Between(0, 32),
            // The largest one rounds up to 2^32.
            AttributeKind::Uint => Promise::Between(0, 33),
        }
    }
}

/// Promises that a module relies on. While they are kept, it computes what the same module without
/// promises computes. A register is listed only if a guard or a test was left out because of
/// what follows from the promise about it. Without all other promises the words are the same.
///
/// ```
/// use transpica::{Options, Shbin};
/// use transpica::settings::{Assume, Promise};
/// let bytes = std::fs::read("shaders/lights.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let assume = Assume { uniforms: Promise::NotNan, ..Assume::default() };
/// let module = file.program(0)?.translate(&Options { assume, ..Options::default() })?;
/// let mut uniforms = [[0.0; 4]; 96];
/// assert!(module.relies_on.holds(&uniforms));
/// let register = module.relies_on.uniforms.trailing_zeros() as usize;
/// uniforms[register][0] = f32::NAN; // now the module without promises is needed
/// assert!(!module.relies_on.holds(&uniforms));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A promise about results is one about the program. A traced run of the interpreter shows whether
/// a vertex keeps it: no instruction writes a number that breaks it.
///
/// ```
/// use transpica::interp::TraceRecord;
/// use transpica::{Machine, Options, Shbin};
/// use transpica::settings::Promise;
/// let bytes = std::fs::read("shaders/lights.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let mut machine = Machine::new(file.program(0)?.program(), Options::default().settings(1000))?;
/// let mut holds = true;
/// let mut trace = |record: &TraceRecord| holds &= Promise::NotNan.holds(&record.result);
/// machine.run_traced(&[[1.0; 4]; 16], &mut trace)?;
/// assert!(holds);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Reliance {
    /// Mask of the float uniforms whose promise is needed, bit n = cn.
    #[cfg_attr(feature = "serde", serde(rename = "c", serialize_with = "spelled::registers"))]
    pub uniforms: u128,
    /// Mask of the attributes whose promise is needed, bit n = vn.
    #[cfg_attr(feature = "serde", serde(rename = "v", serialize_with = "spelled::registers"))]
    pub attributes: u16,
    /// Mask of those float uniforms for which the lower end of [`Promise::Between`] is needed, too.
    /// Else smaller numbers do not break the promise.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub least_uniforms: u128,
    /// Mask of those attributes for which the lower end is needed, too.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub least_attributes: u16,
    /// Set if the promise about results is needed.
    pub results: bool,
    /// The promises about uniforms and results.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub promises: Assume,
    /// The promises about attributes.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub attribute_promises: [Promise; 16],
}

impl Reliance {
    /// Returns whether the module relies on no promise.
    pub fn is_nothing(&self) -> bool {
        self.uniforms == 0 && self.attributes == 0 && !self.results
    }

    /// Returns whether a register file keeps the promises about uniforms. It takes less than 200 ns
    /// where every register does.
    pub fn holds(&self, uniforms: &[[f32; 4]; FLOATS]) -> bool {
        // Registers that the program does not read may hold anything.
        self.uniforms == 0
            || self.promises.uniforms.holds(uniforms.as_flattened())
            || self.broken(&Watch::new(self.promises.uniforms, uniforms)) == 0
    }

    /// Returns the mask of the uniforms that break what the module relies on, bit n = cn.
    pub fn broken(&self, uniforms: &Watch) -> u128 {
        uniforms.too_large() & self.uniforms | uniforms.broken() & self.least_uniforms
    }

    /// Returns whether a draw may use the module, by its uniforms and the attributes v0 to v15.
    /// Promises about results are the host's own affair.
    pub fn allows(&self, uniforms: &Watch, attributes: &[Magnitudes; 16]) -> bool {
        let is_kept = |((register, found), promise): ((u32, &Magnitudes), Promise)| {
            let is_in = |mask: u16| mask >> register & 1 != 0;
            (!is_in(self.attributes) || found.keep(promise.without_least()))
                && (!is_in(self.least_attributes) || found.keep(promise))
        };
        self.broken(uniforms) == 0 && (0..).zip(attributes).zip(self.attribute_promises).all(is_kept)
    }
}
