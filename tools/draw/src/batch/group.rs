//! Groups of lanes that run the same instructions.
//! In: control states. Out: the group that runs next. Knows no register.
//!
//! All lanes begin in one group. A condition that holds in some of its lanes splits it. Groups
//! whose control states are equal become one again.

use std::cmp::Ordering;

use super::lanes::LANES;
use crate::entity::bits;
use transpica::interp::LoopData;
use transpica::isa::Pc;
use transpica::isa::control::State;

/// Groups that the scheduler compares. If there are more, each runs to its end.
pub(super) const FEW: usize = 8;

/// Lanes with the same control state.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Bit n is lane n.
    pub(super) lanes: u64,
    pub(super) state: State,
    pub(super) loops: LoopData,
    pub(super) steps: Count,
    pub(super) jumps: Count,
}

/// Uses of something that each lane has a limited amount of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    /// Uses since they were last added to the numbers of the lanes.
    recent: u64,
    /// Uses that each lane of the group still has.
    pub(super) left: u64,
}

impl Count {
    /// Counts uses.
    #[inline(always)]
    pub(super) fn take(&mut self, uses: u64) {
        self.recent += uses;
        self.left -= uses;
    }

    /// Adds the uses to the numbers of the lanes.
    fn flush(&mut self, lanes: u64, used: &mut [u64; LANES]) {
        add(lanes, self.recent, used);
        self.recent = 0;
    }

    /// Counts for other lanes too, whose uses were counted separately.
    fn merge(&mut self, other: Self, lanes: u64, used: &mut [u64; LANES]) {
        // The numbers of lanes are right again when the next uses are added.
        add(lanes, other.recent.wrapping_sub(self.recent), used);
        self.left = self.left.min(other.left);
    }

    /// Finds the lanes that have none left, and how many the others have.
    fn exhausted(&mut self, lanes: u64, limit: u64, used: &[u64; LANES]) -> u64 {
        let (mut exhausted, mut most) = (0, 0);
        for lane in bits(lanes) {
            let used = used[lane as usize % LANES];
            if used >= limit {
                exhausted |= 1 << lane;
            } else {
                most = most.max(used);
            }
        }
        self.left = limit - most;
        exhausted
    }
}

/// Adds uses to the numbers of some lanes.
fn add(lanes: u64, uses: u64, used: &mut [u64; LANES]) {
    if uses == 0 {
        return;
    }
    for lane in bits(lanes) {
        let used = &mut used[lane as usize % LANES];
        *used = used.wrapping_add(uses);
    }
}

/// Uses of each lane.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub(super) steps: [u64; LANES],
    pub(super) jumps: [u64; LANES],
}

impl Group {
    /// The lanes of a run at the entry point.
    pub(super) fn new(lanes: u64, entry: Pc, steps: u64, jumps: u64) -> Self {
        let count = |left| Count { recent: 0, left };
        let (state, loops) = (State::new(entry), LoopData::default());
        Self { lanes, state, loops, steps: count(steps), jumps: count(jumps) }
    }

    /// Adds what the group used to the numbers of its lanes.
    pub(super) fn flush(&mut self, used: &mut Used) {
        self.steps.flush(self.lanes, &mut used.steps);
        self.jumps.flush(self.lanes, &mut used.jumps);
    }

    /// Removes the lanes that have used up their budget of steps, and returns them.
    pub(super) fn without_steps(&mut self, budget: u64, used: &mut Used) -> u64 {
        // What the others used must not count for these.
        self.flush(used);
        let lanes = self.steps.exhausted(self.lanes, budget, &used.steps);
        self.lanes &= !lanes;
        lanes
    }

    /// Removes the lanes that may not jump back again, and returns them.
    pub(super) fn without_jumps(&mut self, limit: u64, used: &mut Used) -> u64 {
        self.flush(used);
        let lanes = self.jumps.exhausted(self.lanes, limit, &used.jumps);
        self.lanes &= !lanes;
        lanes
    }

    /// Returns whether both groups continue alike.
    fn continues_like(&self, other: &Self) -> bool {
        self.state == other.state && self.loops.continues_like(&other.loops, self.state.loops.len())
    }

    /// Adds the lanes of a group that continues alike.
    fn merge(&mut self, mut other: Self, used: &mut Used) {
        if self.lanes.count_ones() < other.lanes.count_ones() {
            std::mem::swap(self, &mut other);
        }
        self.steps.merge(other.steps, other.lanes, &mut used.steps);
        self.jumps.merge(other.jumps, other.lanes, &mut used.jumps);
        self.lanes |= other.lanes;
    }

    /// Returns whether the group should run before another, so that both may meet: the one that is
    /// after in the code, seen from the outermost procedure that both are in.
    fn is_behind(&self, other: &Self) -> bool {
        let place = |state: &State, depth: usize| {
            let calls = state.calls.entries();
            calls.get(depth).map(|call| call.ret).or((depth == calls.len()).then_some(state.pc))
        };
        for depth in 0..=self.state.calls.len() {
            let (Some(own), Some(others)) = (place(&self.state, depth), place(&other.state, depth)) else {
                // Up to here both are alike, and this one is still in a procedure.
                return true;
            };
            match own.cmp(&others) {
                Ordering::Less => return true,
                Ordering::Greater => return false,
                Ordering::Equal => {}
            }
        }
        false
    }
}

/// The groups that wait.
#[derive(Clone, Debug)]
pub(super) struct Groups(pub(super) Vec<Group>);

impl Groups {
    /// None, with memory for all that there can be.
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(LANES))
    }

    /// Removes the group that should run first.
    pub(super) fn next(&mut self) -> Option<Group> {
        let last = self.0.len().checked_sub(1)?;
        let behind =
            |first: usize, index: usize| if self.0[index].is_behind(&self.0[first]) { index } else { first };
        let first = if self.0.len() <= FEW { (0..last).fold(last, behind) } else { last };
        Some(self.0.swap_remove(first))
    }

    /// Number of words from `group` to the first one where another group waits, at least one.
    pub(super) fn distance(&self, group: &Group) -> usize {
        if self.0.len() > FEW {
            return usize::MAX;
        }
        let distances =
            self.0.iter().map(|other| other.state.pc.index().wrapping_sub(group.state.pc.index()));
        distances.filter(|&distance| distance != 0).min().unwrap_or(usize::MAX)
    }

    /// Merges groups with one that has moved; returns the one that runs next.
    pub(super) fn reschedule(&mut self, mut group: Group, used: &mut Used) -> Group {
        if self.0.len() > FEW {
            return group;
        }
        let mut index = 0;
        while index < self.0.len() {
            if self.0[index].continues_like(&group) {
                group.merge(self.0.swap_remove(index), used);
            } else {
                index += 1;
            }
        }
        for other in &mut self.0 {
            if other.is_behind(&group) {
                std::mem::swap(other, &mut group);
            }
        }
        group
    }
}
