//! Deliberate errors, to show that the comparisons notice them. Only the `mutants` feature has any; without it
//! [`is_on`] is false wherever it is asked and costs nothing.
//! Knows no other module. Each variant is asked at one place, where the comment there says what is right.

/// An error that the translation can be told to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// DPH multiplies the fourth components too.
    DphAsDp4,
    /// Leaving an inner LOOP keeps its aL.
    CounterKept,
    /// LOOP runs once more.
    LoopOnceMore,
    /// The second part of an IF does nothing.
    ElseSkipped,
    /// MIN gives the first operand where one is NaN.
    MinOfNan,
    /// inf · 0 is NaN.
    PlainProduct,
    /// Relative reads do not wrap at 128.
    IndexUnwrapped,
    /// MOVA rounds down.
    AddressFloor,
    /// SLT holds for equal operands.
    SltOfEqual,
    /// CMP exchanges its two comparisons.
    CompareSwapped,
    /// A condition on both flags asks for either.
    EitherFlag,
    /// A shuffle of a shuffle takes the first lane.
    ShuffleFirst,
}

impl Mutant {
    /// Every one.
    pub const ALL: [Self; 12] = [
        Self::DphAsDp4,
        Self::CounterKept,
        Self::LoopOnceMore,
        Self::ElseSkipped,
        Self::MinOfNan,
        Self::PlainProduct,
        Self::IndexUnwrapped,
        Self::AddressFloor,
        Self::SltOfEqual,
        Self::CompareSwapped,
        Self::EitherFlag,
        Self::ShuffleFirst,
    ];
}

#[cfg(feature = "mutants")]
mod switch {
    use std::cell::Cell;

    use super::Mutant;

    thread_local! {
        static CURRENT: Cell<Option<Mutant>> = const { Cell::new(None) };
    }

    /// Makes the translations of this thread err in one way, or no more.
    pub fn set(mutant: Option<Mutant>) {
        CURRENT.set(mutant);
    }

    /// Whether the error is to be made.
    pub(crate) fn is_on(mutant: Mutant) -> bool {
        CURRENT.get() == Some(mutant)
    }
}

#[cfg(feature = "mutants")]
pub(crate) use switch::is_on;
#[cfg(feature = "mutants")]
pub use switch::set;

/// Whether the error is to be made: never.
#[cfg(not(feature = "mutants"))]
#[inline(always)]
pub(crate) const fn is_on(_: Mutant) -> bool {
    false
}
