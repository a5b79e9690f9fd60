//! Facts about lanes while a function is legalized.
//! In: a function that grows, and a lane. Out: its bits if it is constant, the classes of numbers
//! that it may hold, and whether a product may be ∞ · 0. Changes nothing. [`Constants`] has the
//! constants, [`Ranges`] the classes.

use std::cell::Cell;

use super::constants::Constants;
use crate::ir::{Func, Lane, Value};
use crate::passes::analyze::ranges::{Classes, Ranges};

/// Facts about the values of a function.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub constants: Constants<'a>,
    /// With the promises of the host.
    pub ranges: Ranges<'a>,
    /// Without promises of the host, if there are any.
    unpromised: Option<Ranges<'a>>,
    /// Set if a promise made a difference.
    relies: Cell<bool>,
    /// Number of values that were looked at.
    learned: usize,
}

impl<'a> Facts<'a> {
    /// With what is known so far.
    pub fn new(
        constants: Constants<'a>,
        ranges: Ranges<'a>,
        unpromised: Option<Ranges<'a>>,
        values: usize,
    ) -> Self {
        let relies = Cell::new(false);
        Self { constants, ranges, unpromised, relies, learned: values }
    }

    /// Looks at values that are new since the last time.
    #[inline]
    pub fn catch_up(&mut self, func: &Func) {
        for value in self.learned..func.values.len() {
            self.constants.learn(func, Value(value as u32));
        }
        // Each value is looked at once: facts about operands do not change later.
        self.learned = func.values.len();
    }

    /// Looks at a value whose operation is new.
    #[inline]
    pub fn learn(&mut self, func: &Func, value: Value) {
        self.catch_up(func);
        self.constants.learn(func, value);
    }

    /// The classes of numbers that a lane may hold.
    #[inline]
    pub fn classes(&self, func: &Func, lane: Lane) -> Classes {
        // Most lanes: no registers need to be saved for them.
        match (self.constants.lane(lane), self.ranges.seen(lane), &self.unpromised) {
            (None, Some(range), None) => range.classes,
            _other => self.find_classes(func, lane),
        }
    }

    #[inline(never)]
    fn find_classes(&self, func: &Func, lane: Lane) -> Classes {
        if let Some(bits) = self.constants.lane(lane) {
            return Classes::of_bits(bits);
        }
        let classes = self.ranges.get(func, lane).classes;
        if let Some(unpromised) = &self.unpromised
            && unpromised.get(func, lane).classes != classes
        {
            self.relies.set(true);
        }
        classes
    }

    /// The classes of numbers that arithmetic may have as results, by the promise of the host.
    pub fn results(&self) -> Classes {
        let classes = self.ranges.results().classes;
        if classes != Classes::ALL {
            self.relies.set(true);
        }
        classes
    }

    /// Returns the operand and the reciprocal root of a product that divides, and is 0 where the
    /// reciprocal is infinite.
    pub fn quotient_of(&self, value: Value) -> Option<(Value, Lane)> {
        let found = self.ranges.quotient_of(value)?;
        if self.unpromised.as_ref().is_some_and(|unpromised| unpromised.quotient_of(value).is_none()) {
            self.relies.set(true);
        }
        Some(found)
    }

    /// Returns whether a promise of the host made a difference to an answer.
    pub fn relies_on_promises(&self) -> bool {
        self.relies.get()
    }

    /// Returns whether nothing is known of any lane of a value.
    #[inline]
    pub fn may_be_anything(&self, value: Value) -> bool {
        self.constants.get(value).lanes == 0 && self.ranges.may_be_anything(value)
    }
}
