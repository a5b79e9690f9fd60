//! Answers to questions about NaN, and the short lists of lanes that they consist of.
//! Knows no operation.

use crate::ir::{Lane, Value};

/// Number of lanes that one question may look at.
pub(super) const MOST: usize = 12;

/// A lane that no value has.
const NO_LANE: u32 = (1 << 30) - 1;

/// A few lanes, in the order in which they were found.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    /// Behind the last there is none, so that a search needs no length: it looks at all of them at
    /// once.
    pub(super) all: [Lane; MOST],
    len: usize,
}

impl Lanes {
    pub fn none() -> Self {
        Self { all: [Lane::new(Value(NO_LANE), 3); MOST], len: 0 }
    }

    pub fn as_slice(&self) -> &[Lane] {
        &self.all[..self.len]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn contains(&self, lane: Lane) -> bool {
        self.all.iter().fold(false, |found, &other| found | (other == lane))
    }

    /// Keeps some lanes.
    pub fn retain(&mut self, mut keep: impl FnMut(Lane) -> bool) {
        let mut kept = 0;
        for at in 0..self.len {
            if keep(self.all[at]) {
                self.all[kept] = self.all[at];
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    /// Keeps the first lanes.
    pub fn truncate(&mut self, len: usize) {
        self.all[len..self.len].fill(Lane::new(Value(NO_LANE), 3));
        self.len = len;
    }

    /// Adds a lane if it is new; whether there was room.
    pub fn add(&mut self, lane: Lane) -> bool {
        if self.contains(lane) {
            return true;
        }
        let Some(slot) = self.all.get_mut(self.len) else { return false };
        *slot = lane;
        self.len += 1;
        true
    }
}

/// Numbers of answers that are kept; the rows of a matrix ask the same of one vector.
pub(super) const KEPT: usize = 32;
pub(super) const IMPLIED: usize = 256;

/// The last answers to questions about NaN.
pub(super) struct Answers {
    /// Of [`Pass::makers_of_nan`](super::Pass::makers_of_nan).
    pub(super) makers: [Lanes; KEPT],
    /// Of [`Pass::is_nan_only_with`](super::Pass::is_nan_only_with): both lanes, and whether it is.
    pub(super) implied: [(Lane, Lane, bool); IMPLIED],
}

impl Answers {
    pub fn none() -> Self {
        let none = Lane::new(Value(0), 0);
        // Equal lanes are no question.
        Self { makers: [Lanes::none(); KEPT], implied: [(none, none, true); IMPLIED] }
    }
}
