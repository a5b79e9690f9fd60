//! Sets of a few lanes, and the causes of NaN that were found so far.
//! In: lanes. Out: the same in the order in which they were added. Knows no operation.

use crate::ir::{Lane, Value};
use crate::support::entity::Handle;

/// Number of lanes that a set has room for: two vectors of a dot product, and another one.
const MOST: usize = 12;

/// A lane that no value has.
const NO_LANE: u32 = (1 << 30) - 1;

/// A few lanes, in the order in which they were added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// After the last there is none, so that a search needs no length: it looks at all of them at
    /// once.
    all: [Lane; MOST],
    len: usize,
    /// The [bits](bit) of all: most lanes that are looked for are not there, and this says so.
    seen: u64,
}

/// One of 64 bits for a lane; few lanes share one.
fn bit(lane: Lane) -> u64 {
    1 << (slot(lane) % 64)
}

/// The place of a lane in a table.
fn slot(lane: Lane) -> usize {
    lane.value().index() * 4 + usize::from(lane.index())
}

impl Lanes {
    pub fn none() -> Self {
        Self { all: [Lane::new(Value(NO_LANE), 3); MOST], len: 0, seen: 0 }
    }

    pub fn as_slice(&self) -> &[Lane] {
        &self.all[..self.len]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_full(&self) -> bool {
        self.len == MOST
    }

    pub fn contains(&self, lane: Lane) -> bool {
        self.seen & bit(lane) != 0 && self.all.iter().fold(false, |found, &other| found | (other == lane))
    }

    pub fn contains_all(&self, others: &Self) -> bool {
        others.seen & !self.seen == 0 && others.as_slice().iter().all(|&lane| self.contains(lane))
    }

    /// Adds a lane if it is new. Returns whether there was room.
    pub fn add(&mut self, lane: Lane) -> bool {
        if self.contains(lane) {
            return true;
        }
        let Some(slot) = self.all.get_mut(self.len) else { return false };
        *slot = lane;
        self.len += 1;
        self.seen |= bit(lane);
        true
    }

    /// Adds lanes that are new. Returns whether there was room.
    pub fn add_all(&mut self, lanes: &Self) -> bool {
        if self.len == 0 {
            *self = *lanes;
            return true;
        }
        lanes.as_slice().iter().all(|&lane| self.add(lane))
    }
}

/// The lanes that make a lane NaN (see `causes`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Causes {
    /// The lane is NaN if and only if one of these is.
    pub exactly: Lanes,
    /// The lane is NaN if one of these is: itself, then the nearest ones first.
    pub makers: Lanes,
}

impl Causes {
    pub fn none() -> Self {
        Self { exactly: Lanes::none(), makers: Lanes::none() }
    }
}

/// Number of the causes of a lane that is never NaN.
pub(super) const NEVER: usize = 0;

/// The causes found so far. Its memory is reused for the next module.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// By lane: 1 + the number of its causes, or 0 if it was not searched.
    numbers: Vec<u32>,
    all: Vec<Causes>,
}

impl Memory {
    /// Forgets all but the causes of a lane that is never NaN.
    pub fn start(&mut self) {
        self.numbers.clear();
        self.all.clear();
        self.all.push(Causes::none());
    }

    /// Returns the causes with a number.
    pub fn get(&self, number: usize) -> &Causes {
        &self.all[number]
    }

    /// Returns the number of the causes of a lane, or `None` if it was not searched.
    pub fn number(&self, lane: Lane) -> Option<usize> {
        (*self.numbers.get(slot(lane))? as usize).checked_sub(1)
    }

    /// Adds causes. Returns their number.
    pub fn add(&mut self, causes: Causes) -> usize {
        self.all.push(causes);
        self.all.len() - 1
    }

    /// Notes the number of the causes of a lane, in a function with this many values.
    pub fn remember(&mut self, lane: Lane, number: usize, values: usize) {
        if self.numbers.len() <= slot(lane) {
            self.numbers.resize(values * 4, 0);
        }
        self.numbers[slot(lane)] = number as u32 + 1;
    }
}
