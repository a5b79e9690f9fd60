//! Lane maps that open constructs keep, and where control leaves a construct: two stacks of the SSA
//! builder (see `scope`).
//! In: lane maps and leaves. Out: the same again. Knows neither constructs nor values.

use super::lanes::Group;
use crate::ir::{Lane, Region};

/// An exit of a region, with the lane map there.
#[derive(Clone, Copy)]
pub(super) struct Leave {
    pub region: Region,
    /// The kept lane map.
    pub map: usize,
    pub kind: LeaveKind,
    /// The previous leave of the same construct.
    pub before: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaveKind {
    Yield,
    Break,
    Continue,
}

/// Kept lane maps, by their starts, and leaves, by number.
pub(super) struct Leaves {
    maps: Vec<Lane>,
    all: Vec<Leave>,
    /// Number of lanes copied: nesting makes it grow with the square of the program.
    pub copied: usize,
}

impl Leaves {
    pub fn new(slots: usize) -> Self {
        Self { maps: Vec::with_capacity(2 * slots), all: Vec::new(), copied: 0 }
    }

    /// Keeps a lane map above all others.
    pub fn keep(&mut self, state: &[Lane]) -> usize {
        let map = self.maps.len();
        self.copied += state.len();
        self.maps.extend_from_slice(state);
        map
    }

    /// Copies a kept lane map back.
    pub fn restore(&mut self, map: usize, state: &mut [Lane]) {
        self.copied += state.len();
        state.copy_from_slice(&self.maps[map..map + state.len()]);
    }

    /// Drops a lane map and all above it.
    pub fn drop_from(&mut self, map: usize) {
        self.maps.truncate(map);
    }

    /// The lanes of a group in a kept lane map.
    pub fn group(&self, map: usize, group: Group) -> &[Lane] {
        &self.maps[map + group.start..][..group.len]
    }

    /// Adds a leave. Returns its number.
    pub fn add(&mut self, leave: Leave) -> usize {
        self.all.push(leave);
        self.all.len() - 1
    }

    pub fn get(&self, number: usize) -> Leave {
        self.all[number]
    }

    /// Iterates over the leaves that end their construct, from one on backwards.
    pub fn exits(&self, last: usize) -> impl Iterator<Item = &Leave> {
        let leaves = std::iter::successors(self.all.get(last), |leave| self.all.get(leave.before?));
        leaves.filter(|leave| leave.kind != LeaveKind::Continue)
    }
}
