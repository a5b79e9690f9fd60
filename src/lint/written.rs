//! Components written before each block, on some path and on every path.
//! In: a graph and the components that each block writes. Out: [`Written`] before each block. Knows no instruction.

use crate::cfg::dataflow::{self, Analysis};
use crate::cfg::{Block, BlockData, Cfg};
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

/// The analysis of components written along the paths of a graph.
struct Writes<'a> {
    /// Components that each block writes.
    own: &'a [Components],
    /// The block where paths end, besides the exit.
    stop: Option<Block>,
}

impl Analysis for Writes<'_> {
    type Fact = Written;

    fn init(&self) -> Written {
        Written { some: 0, every: 0 }
    }

    fn transfer(&self, block: Block, before: Written) -> Written {
        before.and(self.own[block.index()])
    }

    fn edge(&self, block: Block, _data: &BlockData, _target: usize, after: Written) -> Option<Written> {
        (self.stop != Some(block)).then_some(after)
    }

    fn meet(&self, a: Written, b: Written) -> Written {
        Written { some: a.some | b.some, every: a.every & b.every }
    }
}

/// Solves for the components written before each block; nothing for blocks that cannot be reached. Paths end at `stop`.
pub(super) fn solve(cfg: &Cfg, own: &[Components], stop: Option<Block>) -> Vec<Option<Written>> {
    dataflow::solve(cfg, &Writes { own, stop })
}
