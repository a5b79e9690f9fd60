//! Components written before each block, on some path and on every path.
//! In: a graph and the components that each block writes. Out: [`Written`] before each block. Knows no instruction.

use crate::cfg::{Block, Cfg, Terminator};
use crate::entity::Handle;

/// Components of sixteen registers, four bits for each.
pub(super) type Components = u64;

/// Components written at a place: on some path, and on every path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub some: Components,
    pub every: Components,
}

impl Written {
    /// With these components written, too.
    pub fn and(self, bits: Components) -> Self {
        Self { some: self.some | bits, every: self.every | bits }
    }
}

/// Solves for the components written before each block; nothing for blocks that cannot be reached. Paths end at `stop`.
pub(super) fn solve(cfg: &Cfg, own: &[Components], stop: Option<Block>) -> Vec<Option<Written>> {
    let mut before = vec![None; cfg.blocks.len()];
    if let Some(entry) = cfg.entry {
        before[entry.index()] = Some(Written { some: 0, every: 0 });
    }
    // One set only grows and the other only shrinks, so this ends.
    let mut again = true;
    while std::mem::take(&mut again) {
        for (block, data) in cfg.blocks.iter() {
            let Some(written) = before[block.index()].map(|before: Written| before.and(own[block.index()]))
            else {
                continue;
            };
            if matches!(data.terminator, Terminator::End) || stop == Some(block) {
                continue;
            }
            for target in data.terminator.targets() {
                let old = before[target.index()];
                let met = old.map_or(written, |old| Written {
                    some: old.some | written.some,
                    every: old.every & written.every,
                });
                again |= old != Some(met) && target.index() <= block.index();
                before[target.index()] = Some(met);
            }
        }
    }
    before
}
