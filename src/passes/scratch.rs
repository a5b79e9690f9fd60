//! Tables that the passes use and keep between programs, so that a short program costs no allocation.
//! Knows nothing of what the passes write into them; each pass begins by filling what it needs.

use super::demand::Demand;
use super::flow::Flow;
use super::simplify::Frame;
use crate::ir::{Func, Item, Value, Walk};

/// Reusable memory of the passes. Its content never matters, only its capacity.
#[derive(Debug, Default)]
pub struct Scratch {
    /// What takes the place of each value.
    pub(super) map: Vec<Value>,
    /// Items of the regions being rebuilt.
    pub(super) items: Vec<Item>,
    /// Open regions and constructs of `simplify`.
    pub(super) frames: Vec<Frame>,
    /// Hash table of `cse`: value numbers + 1.
    pub(super) table: Vec<u32>,
    /// Filled places of the table, oldest first.
    pub(super) filled: Vec<u32>,
    /// Length of `filled` where each open region began.
    pub(super) scopes: Vec<usize>,
    /// The walk of `cse`.
    pub(super) walk: Walk,
    /// Which of its lanes each value keeps.
    pub(super) layouts: Vec<u8>,
    /// Control flow of the function.
    pub(super) flow: Flow,
    /// Used lanes of the function.
    pub(super) demand: Demand,
}

impl Scratch {
    /// Finds what is needed in a function.
    pub(super) fn analyse(&mut self, f: &Func) {
        if f.nodes.is_empty() {
            self.flow.clear();
        } else {
            self.flow.compute(f);
        }
        self.demand.compute(f, &self.flow);
    }
}

/// Fills a map so that every value stands for itself.
pub(super) fn identity(map: &mut Vec<Value>, values: usize) {
    map.clear();
    map.extend((0..values as u32).map(Value));
}
