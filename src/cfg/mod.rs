//! The control-flow graph of a program: nodes are control states (pc and stacks), merged to basic blocks.
//! In: [`Program`](crate::isa::Program). Out: [`Cfg`]. Knows no arithmetic.

pub(crate) mod dataflow;
pub mod dot;
pub mod explore;
mod facts;
pub mod graph;
mod live;
pub mod reach;
pub mod reduce;
mod scan;
mod simplify;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod text;

use std::ops::Range;

use crate::define_handle;
use crate::entity::Arena;
use crate::isa::Pc;
use crate::isa::control::{Effect, Test};

define_handle!(
    /// A basic block of a [`Cfg`].
    Block,
    "block"
);

/// One thing a block does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Executes the data instruction (Data, Mova, Cmp, Emit, SetEmit) at this address.
    Run(Pc),
    /// Changes the loop data.
    Loop(Effect),
    /// Sets the dispatch variable of an irreducible region to an index into the targets of its dispatch block.
    SetDispatch {
        /// Which region.
        region: u32,
        /// Index of the target.
        value: u32,
    },
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Goes on in one block.
    Goto(Block),
    /// Goes on in `then` if the test holds, else in `otherwise`.
    Branch {
        /// What decides.
        test: Test,
        /// Taken if it holds.
        then: Block,
        /// Taken if not.
        otherwise: Block,
    },
    /// Goes on in the target that the dispatch variable of the region names.
    Dispatch {
        /// Which region.
        region: u32,
        /// The targets by value.
        targets: Vec<Block>,
    },
    /// The end of the program; only the exit block has it.
    End,
}

impl Terminator {
    /// A branch, or a goto if both arms are one block.
    pub(crate) fn branch(test: Test, then: Block, otherwise: Block) -> Self {
        if then == otherwise { Self::Goto(then) } else { Self::Branch { test, then, otherwise } }
    }
    /// The blocks to which it may lead, those of a branch in the order then, otherwise.
    #[inline]
    pub fn targets(&self) -> impl DoubleEndedIterator<Item = Block> + '_ {
        let (few, many) = match self {
            Self::Goto(target) => ([Some(*target), None], &[][..]),
            Self::Branch { then, otherwise, .. } => ([Some(*then), Some(*otherwise)], &[][..]),
            Self::Dispatch { targets, .. } => ([None; 2], &targets[..]),
            Self::End => ([None; 2], &[][..]),
        };
        few.into_iter().flatten().chain(many.iter().copied())
    }
    /// The same with other targets. A branch whose arms become one is no branch any more.
    pub(crate) fn map(&self, target: impl Fn(Block) -> Block) -> Self {
        match self {
            Self::Goto(to) => Self::Goto(target(*to)),
            Self::Branch { test, then, otherwise } => Self::branch(*test, target(*then), target(*otherwise)),
            Self::Dispatch { region, targets } => {
                Self::Dispatch { region: *region, targets: targets.iter().map(|&to| target(to)).collect() }
            }
            Self::End => Self::End,
        }
    }
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockData {
    /// What it does: a range of [`Cfg::actions`].
    pub actions: Range<u32>,
    /// How it ends.
    pub terminator: Terminator,
    /// The address at which it starts; none for helper blocks.
    pub pc: Option<Pc>,
    /// The address of the instruction that steers at its end; none where none does. A test of flags or of a bool uniform is
    /// that instruction's.
    pub end: Option<Pc>,
}

impl BlockData {
    /// A block that belongs to no address.
    pub(crate) fn helper(actions: Range<u32>, terminator: Terminator) -> Self {
        Self { actions, terminator, pc: None, end: None }
    }
}

impl Cfg {
    /// What a block does.
    #[inline]
    pub fn actions_of(&self, block: Block) -> &[Action] {
        let range = &self.blocks[block].actions;
        &self.actions[range.start as usize..range.end as usize]
    }
}

/// A control-flow graph. Blocks are numbered in reverse postorder: an edge that leads to a higher number is a forward edge.
/// The entry is the first, the exit the last; no edge leads to the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cfg {
    /// The blocks. All are reachable from the entry, except perhaps the exit.
    pub blocks: Arena<Block, BlockData>,
    /// The actions of all blocks.
    pub actions: Vec<Action>,
    /// Where the program starts.
    pub entry: Option<Block>,
    /// The one block that ends the program.
    pub exit: Option<Block>,
    /// Number of dispatch variables.
    pub regions: u32,
}
