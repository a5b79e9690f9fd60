//! Facts about lanes while a function is legalized.
//! In: a function that grows, and a lane. Out: its bits if it is constant at the current place, the
//! classes of numbers that it may hold, and whether a product may be ∞ · 0. Changes nothing.
//! [`Known`] has the constants, [`Ranges`] the classes.

use crate::ir::known::Known;
use crate::ir::{Func, Lane, Value};
use crate::passes::ranges::{Classes, Ranges};
use crate::precision::Precision;

/// Facts about the values of a function.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    known: Known<'a>,
    /// Number of values that were looked at.
    learned: usize,
    /// The decisions in force at the place that is looked at.
    pub context: u32,
}

impl<'a> Facts<'a> {
    /// With what is known of constants so far.
    pub fn new(known: Known<'a>, values: usize) -> Self {
        Self { known, learned: values, context: 0 }
    }

    /// The constants.
    pub fn known(&self) -> &Known<'a> {
        &self.known
    }

    /// The lanes of a value that are constant here, bit 0 is x.
    #[inline]
    pub fn literals(&self, func: &Func, value: Value) -> u8 {
        self.known.here(func, value, self.context).literal
    }

    /// Looks at values that are new since the last time.
    #[inline]
    pub fn catch_up(&mut self, func: &Func) {
        for value in self.learned..func.values.len() {
            self.known.learn(func, Value(value as u32), self.context);
        }
        // Each value is looked at once: facts about operands do not change later.
        self.learned = func.values.len();
    }

    /// Looks at a value whose operation is new.
    #[inline]
    pub fn learn(&mut self, func: &Func, value: Value) {
        self.catch_up(func);
        self.known.learn(func, value, self.context);
    }

    /// The bits of a lane that is constant here.
    #[inline]
    pub fn literal(&self, func: &Func, lane: Lane) -> Option<u32> {
        self.known.literal_in(func, lane, self.context)
    }

    /// The classes of numbers that a lane may hold here.
    pub fn classes(&self, func: &Func, precision: Precision, lane: Lane) -> Classes {
        Ranges::new(func, precision, |lane| self.literal(func, lane)).of(lane)
    }

    /// Returns whether the product of two lanes may be ∞ · 0.
    pub fn may_be_infinity_times_zero(&self, func: &Func, precision: Precision, [a, b]: [Lane; 2]) -> bool {
        Ranges::new(func, precision, |lane| self.literal(func, lane)).may_be_infinity_times_zero(a, b)
    }
}
