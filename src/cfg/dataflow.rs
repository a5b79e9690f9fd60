//! The forward data-flow solver.
//! In: a [`Cfg`] and an [`Analysis`]. Out: the fact at the start of each block. Knows no
//! instruction.

use super::{Block, BlockData, Cfg};
use crate::entity::Handle;

/// A forward analysis: facts flow along edges and meet where paths do.
///
/// Facts form a lattice of finite height: a meet never gives more than either side. Otherwise the
/// solver would not end.
pub trait Analysis {
    /// Knowledge at one place.
    type Fact: Copy + PartialEq;

    /// The fact at the entry.
    fn init(&self) -> Self::Fact;

    /// The fact behind the actions of a block.
    fn transfer(&self, block: Block, before: Self::Fact) -> Self::Fact;

    /// The fact on the edge to target number `target` of a terminator; nothing if the edge is never
    /// taken.
    fn edge(
        &self,
        _block: Block,
        _data: &BlockData,
        _target: usize,
        after: Self::Fact,
    ) -> Option<Self::Fact> {
        Some(after)
    }

    /// The fact where two paths meet.
    fn meet(&self, a: Self::Fact, b: Self::Fact) -> Self::Fact;
}

/// Solves for the fact at the start of each block; nothing for unreachable blocks.
pub fn solve<A: Analysis>(cfg: &Cfg, analysis: &A) -> Vec<Option<A::Fact>> {
    let mut facts = vec![None; cfg.blocks.len()];
    let Some(entry) = cfg.entry else { return facts };
    facts[entry.index()] = Some(analysis.init());
    let mut changed = vec![false; facts.len()];
    changed[entry.index()] = true;
    let mut again = true;
    // Blocks are in reverse postorder: without back edges the first round is the last.
    while std::mem::take(&mut again) {
        for (block, data) in cfg.blocks.iter() {
            if !std::mem::take(&mut changed[block.index()]) {
                continue;
            }
            let Some(before) = facts[block.index()] else { continue };
            let after = analysis.transfer(block, before);
            for (number, target) in data.terminator.targets().enumerate() {
                let Some(new) = analysis.edge(block, data, number, after) else { continue };
                let old = &mut facts[target.index()];
                let met = Some(old.map_or(new, |old| analysis.meet(old, new)));
                if *old != met {
                    *old = met;
                    changed[target.index()] = true;
                    again |= target <= block;
                }
            }
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::explore::{ExploreOptions, Explored, explore};
    use crate::cfg::testing::program;
    use crate::limits::Limits;

    /// The blocks that every path to a block has passed; edges with answer `closed` are never
    /// taken.
    struct Passed {
        closed: Option<usize>,
    }

    impl Analysis for Passed {
        type Fact = u64;
        fn init(&self) -> u64 {
            0
        }
        fn transfer(&self, block: Block, before: u64) -> u64 {
            before | 1 << block.0
        }
        fn edge(&self, _block: Block, data: &BlockData, target: usize, after: u64) -> Option<u64> {
            let is_branch = data.terminator.targets().count() > 1;
            (!is_branch || self.closed != Some(target)).then_some(after)
        }
        fn meet(&self, a: u64, b: u64) -> u64 {
            a & b
        }
    }

    fn passed(text: &str, closed: Option<usize>) -> Vec<Option<u64>> {
        let limits = Limits::default();
        let explored = explore(&program(text), &ExploreOptions::default(), &limits).expect("is defined");
        let Explored::Graph(cfg) = explored else { panic!("too many nodes") };
        solve(&cfg, &Passed { closed })
    }

    #[test]
    fn facts_of_both_paths_meet_after_an_if() {
        assert_eq!(passed("if x 2 1; a; a; end", None), [Some(0), Some(1), Some(1), Some(1)]);
    }

    #[test]
    fn facts_of_a_loop_reach_a_fixed_point() {
        // The head is reached from before the loop and from its end.
        let facts = passed("a; loop i0 3; a; a; end", None);
        assert_eq!(facts, [Some(0), Some(1), Some(0b11), Some(0b11)]);
    }

    #[test]
    fn a_block_with_only_closed_edges_has_no_fact() {
        assert_eq!(passed("if x 2 1; a; a; end", Some(0)), [Some(0), None, Some(1), Some(0b101)]);
        assert_eq!(solve(&Cfg::default(), &Passed { closed: None }), []);
    }
}
