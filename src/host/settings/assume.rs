//! Promises of the host about the numbers that it feeds, and checks that they are kept.
//! In: promises of the options, registers that a program reads. Out: what is known of a register,
//! and [`Reliance`], which checks register files. Knows no IR.
//!
//! A check takes the integer maximum of magnitudes: as bits, infinity is above all finite numbers
//! and NaN above infinity, so that one comparison answers every promise.

use std::fmt;

use super::options::{Assume, Options};
use super::vertex_input::{AttributeFormat, AttributeKind, Promise, VertexInput};
use crate::host::interface::{Constants, Usage};
use crate::machine::precision::bits::{INFINITY, MAGNITUDE, SIGNIFICAND_BITS};
use crate::program::isa::limits::FLOATS;

/// Exponent that all finite numbers are below: 2^128.
const ALL_FINITE: u8 = 128;
/// Bias of the exponent of an f32.
const BIAS: u32 = 127;

impl Promise {
    /// Every finite number and no other.
    pub const FINITE: Self = Self::Below(ALL_FINITE);

    /// Largest bits of a magnitude that keeps the promise.
    fn largest(self) -> u32 {
        match self {
            Self::Nothing => MAGNITUDE,
            Self::NotNan => INFINITY,
            Self::Below(exponent) => ((u32::from(exponent.min(ALL_FINITE)) + BIAS) << SIGNIFICAND_BITS) - 1,
        }
    }

    /// Returns whether all these numbers keep the promise.
    ///
    /// ```
    /// use transpica::settings::Promise;
    /// assert!(Promise::Below(4).holds(&[-15.9, 0.0]) && !Promise::Below(4).holds(&[16.0]));
    /// assert!(Promise::NotNan.holds(&[f32::INFINITY]) && !Promise::NotNan.holds(&[f32::NAN]));
    /// ```
    pub fn holds(self, numbers: &[f32]) -> bool {
        let largest = self.largest().cast_signed();
        // Without a branch, so that the compiler checks several numbers at once: the difference of
        // a larger number is negative.
        let signs = numbers.iter().fold(0, |signs, number| {
            signs | largest.wrapping_sub((number.to_bits() & MAGNITUDE).cast_signed())
        });
        signs >= 0
    }

    /// The stronger of two promises.
    fn and(self, other: Self) -> Self {
        if self.largest() < other.largest() { self } else { other }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("any number"),
            Self::NotNan => f.write_str("not NaN"),
            Self::Below(exponent) => write!(f, "below 2^{}", exponent.min(&ALL_FINITE)),
        }
    }
}

impl VertexInput {
    /// Returns what is known of the numbers of attributes: promises, and what follows from the
    /// formats. Integers that the shader converts are finite.
    pub(crate) fn numbers(&self) -> [Promise; 16] {
        let of_format = |format: &AttributeFormat| match format.kind {
            AttributeKind::Float => Promise::Nothing,
            AttributeKind::Int => Promise::Below(32),
            // The largest one rounds up to 2^32.
            AttributeKind::Uint => Promise::Below(33),
        };
        std::array::from_fn(|register| self.promises[register].and(of_format(&self.formats[register])))
    }
}

/// Promises that a module relies on. While they are kept, it computes what the same module without
/// promises computes.
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
    #[cfg_attr(
        feature = "serde",
        serde(rename = "c", serialize_with = "crate::support::stable::spelled::registers")
    )]
    pub uniforms: u128,
    /// Mask of the attributes whose promise is needed, bit n = vn.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "v", serialize_with = "crate::support::stable::spelled::registers")
    )]
    pub attributes: u16,
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
    /// Of a program that reads these registers, some of which are folded.
    pub(crate) fn new(usage: &Usage, folded: &Constants, options: &Options) -> Self {
        let (promises, attribute_promises) = (options.assume, options.input.promises);
        let is_folded = (0..).zip(&folded.floats).filter(|(_, constant)| constant.is_some());
        let folded: u128 = is_folded.fold(0, |mask, (register, _): (u32, _)| mask | 1 << register);
        let uniforms = match promises.uniforms {
            Promise::Nothing => 0,
            Promise::NotNan | Promise::Below(_) => {
                (usage.floats | usage.relative & Usage::EVERYTHING.floats) & !folded
            }
        };
        let promised = (0..16).filter(|&register: &usize| attribute_promises[register] != Promise::Nothing);
        let attributes = usage.inputs & promised.fold(0, |mask, register| mask | 1 << register);
        let results = promises.results != Promise::Nothing;
        Self { uniforms, attributes, results, promises, attribute_promises }
    }

    /// Returns whether the module relies on no promise.
    pub fn is_nothing(&self) -> bool {
        self.uniforms == 0 && self.attributes == 0 && !self.results
    }

    /// Returns whether a register file keeps the promises about uniforms. It takes less than 100 ns
    /// where every register does.
    pub fn holds(&self, uniforms: &[[f32; 4]; FLOATS]) -> bool {
        // Registers that the program does not read may hold anything.
        self.uniforms == 0
            || self.promises.uniforms.holds(uniforms.as_flattened())
            || self.broken(uniforms) == 0
    }

    /// Returns the mask of the uniforms that break the promise, bit n = cn. See
    /// [`update`](Self::update).
    pub fn broken(&self, uniforms: &[[f32; 4]; FLOATS]) -> u128 {
        (0..).zip(uniforms).fold(0, |broken, (register, value)| self.update(broken, register, *value))
    }

    /// Returns the mask of the uniforms that break the promise after a write of one register, from
    /// the mask before it. Whether the module may be used needs no look at the others.
    ///
    /// ```
    /// use transpica::settings::{Assume, Promise, Reliance};
    /// let promises = Assume { uniforms: Promise::NotNan, ..Assume::default() };
    /// let relies_on = Reliance { uniforms: 0b11, promises, ..Reliance::default() };
    /// let broken = relies_on.update(0, 1, [f32::NAN, 0.0, 0.0, 0.0]);
    /// assert_eq!(broken, 0b10);
    /// assert_eq!(relies_on.update(broken, 1, [1.0; 4]), 0);
    /// ```
    #[must_use]
    pub fn update(&self, broken: u128, register: u8, value: [f32; 4]) -> u128 {
        let bit = 1u128.checked_shl(register.into()).unwrap_or(0) & self.uniforms;
        if self.promises.uniforms.holds(&value) { broken & !bit } else { broken | bit }
    }

    /// Returns whether attributes of a vertex keep the promises about attributes.
    pub fn holds_for_vertex(&self, attributes: &[[f32; 4]; 16]) -> bool {
        (0..16usize).all(|register| {
            self.attributes >> register & 1 == 0
                || self.attribute_promises[register].holds(&attributes[register])
        })
    }
}
