//! Simplifies a graph: skips empty blocks, merges chains, numbers blocks in reverse postorder.
//! In: a graph as explored. Out: the same program with the invariants of [`Cfg`]. Knows nothing
//! about actions.
//!
//! ```text
//! a: run 0; goto b    b: goto c    c: run 1; goto d    =>    a: run 0; run 1; goto d
//! ```

use std::iter::successors;

use super::{Block, BlockData, Cfg, Terminator};
use crate::support::entity::{Arena, Handle};

/// "No block" in tables.
const NONE: u32 = u32::MAX;

struct Simplify<'a> {
    raw: &'a Cfg,
    /// The final target of a jump to each block.
    forward: Vec<u32>,
    /// Number of edges to each block.
    edges: Vec<u32>,
}

/// Simplifies a graph.
pub fn run(raw: &Cfg) -> Cfg {
    let (Some(entry), Some(exit)) = (raw.entry, raw.exit) else { return raw.clone() };
    let mut simplify = Simplify { raw, forward: forward(raw, exit), edges: vec![0; raw.blocks.len()] };
    let entry = simplify.target(entry);
    simplify.count_edges(entry);
    // Nothing may lead to the entry: a loop at the start of the program gets a block before it.
    let extra = simplify.edges[entry.index()] > 1 || entry == exit;
    let order = simplify.order(entry, exit);
    simplify.build(&order, extra.then_some(entry), exit)
}

/// Resolves chains of empty blocks. A cycle of empty blocks leads to one of its members.
fn forward(raw: &Cfg, exit: Block) -> Vec<u32> {
    let mut forward = vec![NONE; raw.blocks.len()];
    let mut path = Vec::with_capacity(16);
    for start in raw.blocks.keys() {
        let mut at = start;
        let end = loop {
            if forward[at.index()] != NONE {
                break forward[at.index()];
            }
            let data = &raw.blocks[at];
            let Terminator::Goto(next) = data.terminator else { break at.0 };
            if !data.actions.is_empty() || at == exit {
                break at.0;
            }
            // Until the cycle is closed a block leads to itself, which ends the search there.
            forward[at.index()] = at.0;
            path.push(at);
            at = next;
        };
        forward[at.index()] = end;
        for block in path.drain(..) {
            forward[block.index()] = end;
        }
    }
    forward
}

impl Simplify<'_> {
    fn target(&self, block: Block) -> Block {
        Block(self.forward[block.index()])
    }

    /// The only successor of a block.
    fn only(&self, block: Block) -> Option<Block> {
        match &self.raw.blocks[block].terminator {
            Terminator::Goto(next) => Some(self.target(*next)),
            Terminator::Branch { then, otherwise, .. } => {
                Some(self.target(*then)).filter(|&then| then == self.target(*otherwise))
            }
            Terminator::Dispatch { .. } | Terminator::End => None,
        }
    }

    /// The successors of a block.
    fn targets(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        // Two arms that meet in one block are one edge, or chains would end there.
        let count = if self.only(block).is_some() { 1 } else { usize::MAX };
        self.raw.blocks[block].terminator.targets().take(count).map(|target| self.target(target))
    }

    /// Counts the edges between reachable blocks.
    fn count_edges(&mut self, entry: Block) {
        let mut edges = std::mem::take(&mut self.edges);
        let mut work = Vec::with_capacity(16);
        work.push(entry);
        // The first edge to a block makes it reachable.
        edges[entry.index()] = 1;
        while let Some(block) = work.pop() {
            for target in self.targets(block) {
                edges[target.index()] += 1;
                if edges[target.index()] == 1 {
                    work.push(target);
                }
            }
        }
        self.edges = edges;
    }

    /// The blocks of a chain.
    fn chain(&self, first: Block, exit: Block) -> impl Iterator<Item = Block> {
        let is_inside = move |next: &Block| self.edges[next.index()] == 1 && *next != exit;
        successors(Some(first), move |&block| self.only(block).filter(is_inside))
    }

    /// The first blocks of all chains in reverse postorder, without the exit. Then-parts come
    /// before what follows them.
    fn order(&self, entry: Block, exit: Block) -> Vec<Block> {
        let mut seen = vec![false; self.edges.len()];
        seen[exit.index()] = true;
        let mut order = Vec::with_capacity(self.edges.len());
        // A block is met twice: before and after its successors.
        let mut work = Vec::with_capacity(16);
        work.push((entry, false));
        while let Some((block, done)) = work.pop() {
            if done {
                order.push(block);
                continue;
            }
            if std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            work.push((block, true));
            let last = self.chain(block, exit).last().unwrap_or(block);
            // The newest is taken first and so ends up last in the order.
            for target in self.targets(last) {
                if !seen[target.index()] {
                    work.push((target, false));
                }
            }
        }
        order.reverse();
        order
    }

    fn build(&self, order: &[Block], extra: Option<Block>, exit: Block) -> Cfg {
        let mut number = vec![NONE; self.edges.len()];
        let first = usize::from(extra.is_some());
        for (index, block) in order.iter().enumerate() {
            number[block.index()] = (first + index) as u32; // Range: there are fewer than before.
        }
        let exit_number = Block((first + order.len()) as u32);
        number[exit.index()] = exit_number.0;
        let renumber = |block: Block| Block(number[self.forward[block.index()] as usize]);
        let mut cfg = Cfg {
            blocks: Arena::new(),
            actions: Vec::with_capacity(self.raw.actions.len()),
            entry: Some(Block(0)),
            exit: Some(exit_number),
            regions: self.raw.regions,
        };
        cfg.blocks.reserve(order.len() + 2);
        if let Some(entry) = extra {
            cfg.blocks.push(BlockData::helper(0..0, Terminator::Goto(renumber(entry))));
        }
        for &block in order {
            let start = cfg.actions.len() as u32;
            let mut last = block;
            for part in self.chain(block, exit) {
                cfg.actions.extend_from_slice(self.raw.actions_of(part));
                last = part;
            }
            cfg.blocks.push(BlockData {
                actions: start..cfg.actions.len() as u32,
                terminator: self.raw.blocks[last].terminator.map(renumber),
                pc: self.raw.blocks[block].pc,
                end: self.raw.blocks[last].end,
            });
        }
        cfg.blocks.push(BlockData::helper(0..0, Terminator::End));
        cfg
    }
}
