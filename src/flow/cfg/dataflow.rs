//! The forward data-flow solver.
//! In: a [`Cfg`] and an [`Analysis`]. Out: the fact at the start of each block. Knows no
//! instruction.

use super::{Block, BlockData, Cfg};
use crate::support::entity::Handle;

/// A forward analysis: facts flow along edges and meet where paths do.
///
/// Facts form a lattice of finite height: a meet never gives more than either side. Otherwise the
/// solver would not end.
pub trait Analysis {
    /// Knowledge at one place.
    type Fact: Copy + PartialEq;

    /// The fact at the entry.
    fn init(&self) -> Self::Fact;

    /// The fact after the actions of a block.
    fn transfer(&self, block: Block, before: Self::Fact) -> Self::Fact;

    /// The fact on the edge to target number `target` of a terminator, or `None` if the edge is
    /// never taken.
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

/// Solves for the fact at the start of each block, or `None` for unreachable blocks.
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
