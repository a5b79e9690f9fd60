//! Makes every loop single-entry.
//! In: [`Cfg`]. Out: the same program, in which the target of every back edge dominates its source.
//! Knows nothing about actions.
//!
//! A cycle with several entries gets a dispatch block, which becomes its only entry. Every edge to
//! one of the old entries sets the dispatch variable of the cycle and goes there:
//!
//! ```text
//! a -> b, a -> c, b -> c, c -> b    =>    each of a, b, c: dispatch0 = which of b, c ; goto d
//!                                         d: goto [b, c][dispatch0]
//! ```
//!
//! The remaining cycles inside a cycle with one entry are treated likewise. (Splitting nodes
//! instead can double the program with each cycle.)

use super::graph::{cycles, is_reducible};
use super::{Action, Block, BlockData, Cfg, Terminator, simplify};
use crate::limits::Limits;
use crate::support::entity::Handle;

/// Result of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduced {
    /// The graph is reducible, now or before.
    Reducible,
    /// Cycles are nested deeper than the limit, so that no structured program has them either, or
    /// so entangled that the steps ran out. The graph is unchanged.
    TooDeep,
}

/// Cost of searching cycles, in steps for each block.
const STEPS_FOR_EACH_BLOCK: u32 = 32;

/// Makes a graph reducible.
///
/// ```
/// use transpica::stages::cfg::{Cfg, reduce::{Reduced, reduce}};
/// assert_eq!(reduce(&mut Cfg::default(), &Default::default()), Reduced::Reducible);
/// ```
pub fn reduce(cfg: &mut Cfg, limits: &Limits) -> Reduced {
    if is_reducible(cfg) {
        return Reduced::Reducible;
    }
    // The graph stays as it is if the budget runs out.
    let mut reduce = Reduce::new(cfg.clone());
    let mut work = vec![(reduce.cfg.blocks.keys().collect::<Vec<_>>(), 0)];
    let mut steps = limits.steps / STEPS_FOR_EACH_BLOCK;
    while let Some((blocks, depth)) = work.pop() {
        // Range: fewer blocks than the node limit allows, and a few for each edge.
        steps = steps.saturating_sub(blocks.len() as u32);
        if steps == 0 {
            return Reduced::TooDeep;
        }
        let found = cycles(&blocks, |block| reduce.cfg.blocks[block].terminator.targets());
        if depth > limits.depth && !found.is_empty() {
            return Reduced::TooDeep;
        }
        for cycle in found {
            let entries = reduce.entries(&cycle);
            match entries[..] {
                // Without its entry only inner cycles remain.
                [entry] => {
                    work.push((cycle.into_iter().filter(|&block| block != entry).collect(), depth + 1));
                }
                _ => {
                    reduce.dispatch(entries);
                    work.push((cycle, depth + 1));
                }
            }
        }
    }
    *cfg = simplify::run(&reduce.cfg);
    Reduced::Reducible
}

struct Reduce {
    cfg: Cfg,
    /// The predecessors of each block, kept up to date.
    from: Vec<Vec<Block>>,
}

impl Reduce {
    fn new(cfg: Cfg) -> Self {
        let mut from = vec![Vec::new(); cfg.blocks.len()];
        for (block, data) in cfg.blocks.iter() {
            for target in data.terminator.targets() {
                from[target.index()].push(block);
            }
        }
        Self { cfg, from }
    }

    /// The entries of a cycle: blocks to which an edge leads from outside.
    fn entries(&self, cycle: &[Block]) -> Vec<Block> {
        let outside = |from: &Block| cycle.binary_search(from).is_err();
        cycle.iter().copied().filter(|block| self.from[block.index()].iter().any(outside)).collect()
    }

    /// Adds a dispatch block and redirects every edge to one of the entries over it.
    fn dispatch(&mut self, entries: Vec<Block>) {
        let region = self.cfg.regions;
        self.cfg.regions += 1;
        let block = self.push(BlockData::helper(0..0, Terminator::End), Vec::new());
        for (value, &entry) in (0..).zip(&entries) {
            for from in std::mem::replace(&mut self.from[entry.index()], vec![block]) {
                let start = self.cfg.actions.len() as u32; // Range: a few for each edge.
                self.cfg.actions.push(Action::SetDispatch { region, value });
                let helper =
                    self.push(BlockData::helper(start..start + 1, Terminator::Goto(block)), vec![from]);
                self.from[block.index()].push(helper);
                let data = &mut self.cfg.blocks[from];
                data.terminator = data.terminator.map(|target| if target == entry { helper } else { target });
            }
        }
        self.cfg.blocks[block].terminator = Terminator::Dispatch { region, targets: entries };
    }

    fn push(&mut self, data: BlockData, from: Vec<Block>) -> Block {
        self.from.push(from);
        self.cfg.blocks.push(data)
    }
}
