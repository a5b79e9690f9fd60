//! Definite and possible assignment of register components, before each block.
//! In: a graph and the components that each block writes. Out: [`Assignment`] before each block.
//! Knows no instruction.

use crate::cfg::dataflow::{self, Analysis};
use crate::cfg::{Block, BlockData, Cfg};
use crate::entity::Handle;
use transpica::isa::Mask;

/// Components of sixteen registers, four bits for each.
pub(super) type Components = u64;

/// The registers with components in a set, and those components.
pub(super) fn registers(set: Components) -> impl Iterator<Item = (u8, Mask)> {
    // Range: the mask.
    let masks = (0..16).map(move |register| (register, Mask((set >> (4 * register)) as u8 & 15)));
    masks.filter(|(_, mask)| !mask.is_empty())
}

/// Components written before a place: on some path, and on every path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    pub some: Components,
    pub every: Components,
}

impl Assignment {
    /// Adds written components.
    pub fn with(self, bits: Components) -> Self {
        Self { some: self.some | bits, every: self.every | bits }
    }
}

/// The analysis of written components.
struct Writes<'a> {
    /// Components that each block writes.
    own: &'a [Components],
    /// The block at which paths end, besides the exit.
    stop: Option<Block>,
}

impl Analysis for Writes<'_> {
    type Fact = Assignment;

    fn init(&self) -> Assignment {
        Assignment { some: 0, every: 0 }
    }

    fn transfer(&self, block: Block, before: Assignment) -> Assignment {
        before.with(self.own[block.index()])
    }

    fn edge(&self, block: Block, _data: &BlockData, _target: usize, after: Assignment) -> Option<Assignment> {
        (self.stop != Some(block)).then_some(after)
    }

    fn meet(&self, a: Assignment, b: Assignment) -> Assignment {
        Assignment { some: a.some | b.some, every: a.every & b.every }
    }
}

/// Solves for the components written before each block, with `None` for unreachable blocks. Paths
/// end at `stop`.
pub(super) fn solve(cfg: &Cfg, own: &[Components], stop: Option<Block>) -> Vec<Option<Assignment>> {
    dataflow::solve(cfg, &Writes { own, stop })
}
