//! Sets of promises of a host, one about each register and one about results.

use super::Range;
use crate::host::{Options, Promise, Reliance};
use crate::program::isa::limits::{FLOATS, INPUTS};

/// Promises that something depends on. Bits 0..=95 are those about c0 to c95, then come those about
/// v0 to v15, and the one about results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promises(u128);

impl Promises {
    pub const NONE: Self = Self(0);
    pub(crate) const RESULTS: Self = Self(1 << (FLOATS + INPUTS));

    /// Returns the promises that options make.
    pub fn given(options: &Options) -> Self {
        let Options { assume, input, .. } = options;
        let about = |promise: Promise, these: Self| match promise {
            Promise::Nothing => Self::NONE,
            Promise::NotNan | Promise::Below(_) | Promise::Between(..) => these,
        };
        let attributes =
            (0..INPUTS).map(|register| about(input.promises[register], Self::attribute(register)));
        let others = about(assume.uniforms, Self::uniforms(!0)).or(about(assume.results, Self::RESULTS));
        attributes.fold(others, Self::or)
    }

    /// Returns the promises about float uniforms, bit n = cn. Other bits are ignored.
    pub const fn uniforms(mask: u128) -> Self {
        Self(mask & ((1 << FLOATS) - 1))
    }

    /// Returns the promise about v`register`.
    pub const fn attribute(register: usize) -> Self {
        Self(1 << (FLOATS + register % INPUTS))
    }

    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns those that are not among others.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns each of these promises alone.
    pub fn each(self) -> impl Iterator<Item = Self> {
        (0..u128::BITS).map(|bit| Self(1 << bit)).filter(move |one| one.and(self) != Self::NONE)
    }

    /// What a range depends on: if it has every number, on nothing.
    pub(crate) fn of(self, range: Range) -> Self {
        if range == Range::ALL { Self::NONE } else { self }
    }

    /// Returns what a module relies on that was translated with these options.
    pub(crate) fn reliance(self, options: &Options) -> Reliance {
        let attributes = (self.0 >> FLOATS) as u16;
        Reliance {
            uniforms: Self::uniforms(self.0).0,
            attributes,
            results: self.and(Self::RESULTS) != Self::NONE,
            promises: options.assume,
            attribute_promises: options.input.promises,
        }
    }
}
