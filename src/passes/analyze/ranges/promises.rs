//! Sets of promises of a host: one about each register and one about results, each with two ends.

use super::Range;
use crate::host::settings::{Options, Promise, Reliance};
use crate::program::isa::sizes::{FLOATS, INPUTS};

/// Promises that something depends on. In both masks bits 0..=95 are c0 to c95, then come v0 to v15
/// and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// Promises without their lower end.
    registers: u128,
    /// The lower ends of [`Promise::Between`].
    least: u128,
}

impl Promises {
    pub const NONE: Self = Self { registers: 0, least: 0 };
    pub(crate) const RESULTS: Self = Self::both(1 << (FLOATS + INPUTS));

    const fn both(mask: u128) -> Self {
        Self { registers: mask, least: mask }
    }

    /// Returns the promises that options make.
    pub fn given(options: &Options) -> Self {
        let Options { assume, input, .. } = options;
        let about = |promise: Promise, these: Self| match promise {
            Promise::Nothing => Self::NONE,
            Promise::NotNan | Promise::Below(_) => these.without_least(),
            Promise::Between(..) => these,
        };
        let attributes =
            (0..INPUTS).map(|register| about(input.promises[register], Self::attribute(register)));
        let others = about(assume.uniforms, Self::uniforms(!0)).or(about(assume.results, Self::RESULTS));
        attributes.fold(others, Self::or)
    }

    /// Returns the promises about float uniforms, bit n = cn. Other bits are ignored.
    pub const fn uniforms(mask: u128) -> Self {
        Self::both(mask & ((1 << FLOATS) - 1))
    }

    /// Returns the promise about v`register`.
    pub const fn attribute(register: usize) -> Self {
        Self::both(1 << (FLOATS + register % INPUTS))
    }

    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self { registers: self.registers | other.registers, least: self.least | other.least }
    }

    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { registers: self.registers & other.registers, least: self.least & other.least }
    }

    /// Returns the promises that are not among others.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self { registers: self.registers & !other.registers, least: self.least & !other.least }
    }

    /// Returns the same promises without their lower ends.
    #[must_use]
    pub const fn without_least(self) -> Self {
        Self { least: 0, ..self }
    }

    /// Returns each end of each of these promises alone.
    pub fn each(self) -> impl Iterator<Item = Self> {
        let all = (0..u128::BITS).map(|bit| 1 << bit);
        let ends = all.flat_map(|one| [Self { registers: one, least: 0 }, Self { registers: 0, least: one }]);
        ends.filter(move |one| one.and(self) == *one)
    }

    /// Returns whether all of these promises are among others.
    pub(crate) fn are_in(self, others: Self) -> bool {
        self.and(others) == self
    }

    /// Returns what a module relies on that was translated with these options.
    pub(crate) fn reliance(self, options: &Options) -> Reliance {
        let attributes = |mask: u128| (mask >> FLOATS) as u16;
        Reliance {
            uniforms: Self::uniforms(self.registers).registers,
            least_uniforms: Self::uniforms(self.least).registers,
            attributes: attributes(self.registers),
            least_attributes: attributes(self.least),
            results: self.and(Self::RESULTS) != Self::NONE,
            promises: options.assume,
            attribute_promises: options.input.promises,
        }
    }
}

/// The promises that a range depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Promises that all but its least magnitude depends on.
    pub range: Promises,
    /// Promises that its least magnitude depends on as well. Few answers ask for it.
    pub least: Promises,
}

impl Needs {
    pub fn or(self, other: Self) -> Self {
        Self { range: self.range.or(other.range), least: self.least.or(other.least) }
    }

    /// The needs of a range: one of all numbers depends on nothing.
    pub fn limited_to(self, range: Range) -> Self {
        if range == Range::ALL {
            return Self::default();
        }
        if range.has_least() { self } else { Self { least: Promises::NONE, ..self } }
    }

    /// The needs of an answer that takes the least magnitude into account.
    pub fn with_least(self) -> Self {
        Self { range: self.range.or(self.least), ..self }
    }
}
