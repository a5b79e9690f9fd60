//! Facts about lanes while a function is legalized, and the promises of the host that they need.
//! In: a function that grows, and lanes. Out: their bits if they are constant, and whether they may
//! be numbers of some classes. Changes nothing. [`Constants`] has the constants, [`Ranges`] the
//! classes.
//!
//! Only the answer "it cannot be" lets a guard be left out. So an answer "it may be" needs no
//! promise: with fewer promises it is the same.

use std::cell::Cell;

use super::constants::Constants;
use crate::ir::{Func, Lane, Value};
use crate::passes::analyze::ranges::{Classes, Promises, Quotient, Ranges};

/// Facts about the values of a function.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub constants: Constants<'a>,
    pub ranges: Ranges<'a>,
    /// Promises that answers so far need.
    relies_on: Cell<Promises>,
    /// Number of values that were looked at.
    learned: usize,
}

impl<'a> Facts<'a> {
    /// With what is known so far.
    pub fn new(constants: Constants<'a>, ranges: Ranges<'a>, values: usize) -> Self {
        Self { constants, ranges, relies_on: Cell::default(), learned: values }
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

    /// The classes of numbers that a lane may hold. Who decides by them asks
    /// [`may_be`](Self::may_be) or [`may_both`](Self::may_both), so that promises are noted.
    #[inline]
    pub fn classes(&self, func: &Func, lane: Lane) -> Classes {
        // Most lanes: no registers need to be saved for them.
        match (self.constants.lane(lane), self.ranges.seen(lane)) {
            (None, Some(range)) => range.classes,
            (constant, _) => self.find_classes(func, lane, constant),
        }
    }

    #[inline(never)]
    fn find_classes(&self, func: &Func, lane: Lane, constant: Option<u32>) -> Classes {
        constant.map_or_else(|| self.ranges.get(func, lane).classes, Classes::of_bits)
    }

    /// Returns whether a lane may hold a number of some classes.
    #[inline]
    pub fn may_be(&self, func: &Func, lane: Lane, classes: Classes) -> bool {
        let may = self.classes(func, lane).has(classes);
        if !may && self.ranges.is_promised() {
            self.rely(self.needs(func, lane));
        }
        may
    }

    /// Returns whether each of two lanes may hold a number of the classes after it, of those that
    /// were found before it.
    #[inline]
    pub fn may_both(&self, func: &Func, lanes: [(Lane, Classes, Classes); 2]) -> bool {
        let may = lanes.iter().all(|(_, found, asked)| found.has(*asked));
        if !may && self.ranges.is_promised() {
            self.rely_on_one(func, lanes);
        }
        may
    }

    /// One lane that cannot be what is asked is enough, best one that needs no promise.
    #[inline(never)]
    fn rely_on_one(&self, func: &Func, lanes: [(Lane, Classes, Classes); 2]) {
        let cannot = lanes.into_iter().filter(|(_, found, asked)| !found.has(*asked));
        let needs = cannot.map(|(lane, ..)| self.needs(func, lane));
        self.rely(needs.min_by_key(|needs| *needs != Promises::NONE).unwrap_or_default());
    }

    fn needs(&self, func: &Func, lane: Lane) -> Promises {
        self.constants.lane(lane).map_or_else(|| self.ranges.needs(func, lane), |_| Promises::NONE)
    }

    fn rely(&self, promises: Promises) {
        self.relies_on.set(self.relies_on.get().or(promises));
    }

    /// Returns the quotient that a product is, see [`Quotient`].
    pub fn quotient_of(&self, value: Value) -> Option<Quotient> {
        let found = self.ranges.quotient_of(value)?;
        self.rely(found.needs);
        Some(found)
    }

    /// Returns the promises that the answers need.
    pub fn relies_on(&self) -> Promises {
        self.relies_on.get()
    }

    /// Returns whether nothing is known of any lane of a value.
    #[inline]
    pub fn may_be_anything(&self, value: Value) -> bool {
        self.constants.get(value).lanes == 0 && self.ranges.may_be_anything(value)
    }
}
