//! The control-flow graph: control states (program counter and rings), merged to basic blocks.
//! In: [`Program`](crate::program::isa::Program). Out: [`Cfg`]. Knows no arithmetic.
//!
//! The exploration follows control *states*, not addresses. Overlapping ranges, code that callers
//! share and jumps out of scopes become ordinary nodes. Ring entries that can never fire are
//! dropped before states are compared, which keeps well-formed programs at about one node an
//! instruction. An irreducible region gets one dispatch block.
//!
//! Files: `scan.rs` words that may be reached; `explore.rs` control states, with the guard's counts
//! and tests among them; `live.rs` ring entries that can fire; `facts.rs` known bools and flags;
//! `simplify.rs`, `reduce.rs` smaller and reducible graphs; `reach.rs` words that a key covers;
//! `graph.rs` dominators and loops; `dataflow.rs` the forward solver of `facts.rs`, of geometry
//! programs and of the lint; `dot.rs`, `text.rs` graphs as text. `graph.rs`, `live.rs` and `dot.rs`
//! are the only files that name petgraph.

pub mod dataflow;
pub mod dot;
pub mod explore;
mod facts;
pub mod graph;
mod live;
pub mod reach;
pub mod reduce;
mod scan;
pub mod simplify;
pub mod text;

use std::ops::Range;
use std::slice::from_ref;

use crate::define_handle;
use crate::program::isa::Pc;
use crate::program::isa::control::{Effect, Test};
use crate::program::isa::sizes::INTS;
use crate::support::entity::Arena;

define_handle! {
    /// A basic block of a [`Cfg`].
    Block, "block";
}

/// Assumptions of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExploreOptions {
    /// The bool uniforms whose value is known, b0 in bit 0.
    pub known_bools: u16,
    /// Their values; bits of unknown ones are ignored.
    pub bools: u16,
    /// The int uniforms whose value is known. A loop with x = 0 loses its back edge.
    pub ints: [Option<[u8; 3]>; INTS],
    /// Counts undefined opcodes as NOP instead of reporting an error.
    pub permissive: bool,
    /// Counts back jumps and ends the program when there are too many.
    pub guarded: bool,
}

impl ExploreOptions {
    /// Answers a test of a uniform that is known.
    fn answer(&self, test: Test) -> Option<bool> {
        match test {
            Test::Bool { id, expected } => {
                let id = id & 15;
                (self.known_bools >> id & 1 != 0).then_some((self.bools >> id & 1 != 0) == expected)
            }
            Test::Cmp(_) | Test::LoopRepeats { .. } | Test::JumpsLeft => None,
        }
    }
}

/// One action of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Executes the data instruction (Data, Mova, Cmp, Emit, SetEmit) at this address.
    Run(Pc),
    /// Changes the loop state.
    Loop(Effect),
    /// Sets the dispatch variable of an irreducible region to an index of a target of its dispatch
    /// block.
    SetDispatch {
        /// The region.
        region: u32,
        /// Index of the target.
        value: u32,
    },
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Continues in one block.
    Goto(Block),
    /// Continues in `then` if the test holds, else in `otherwise`.
    Branch {
        /// The test.
        test: Test,
        /// Taken if it holds.
        then: Block,
        /// Taken if it fails.
        otherwise: Block,
    },
    /// Continues in the target that the dispatch variable of the region selects.
    Dispatch {
        /// The region.
        region: u32,
        /// The targets by value of the variable.
        targets: Vec<Block>,
    },
    /// Ends the program; only the exit block has it.
    End,
}

impl Terminator {
    /// A branch, or a goto if both arms are one block.
    pub(crate) fn branch(test: Test, then: Block, otherwise: Block) -> Self {
        if then == otherwise { Self::Goto(then) } else { Self::Branch { test, then, otherwise } }
    }
    /// The successors. A branch has them in the order then, otherwise.
    #[inline]
    pub fn targets(&self) -> impl DoubleEndedIterator<Item = Block> + '_ {
        let (first, rest) = match self {
            Self::Goto(target) => (from_ref(target), &[][..]),
            Self::Branch { then, otherwise, .. } => (from_ref(then), from_ref(otherwise)),
            Self::Dispatch { targets, .. } => (&targets[..], &[][..]),
            Self::End => (&[][..], &[][..]),
        };
        first.iter().chain(rest).copied()
    }
    /// Replaces the targets. A branch whose arms become one block becomes a goto.
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
    /// Its actions, a range of [`Cfg::actions`].
    pub actions: Range<u32>,
    /// Its end.
    pub terminator: Terminator,
    /// The address at which it starts, or `None` for helper blocks.
    pub pc: Option<Pc>,
    /// The address of the control-flow instruction at its end, if there is one. A test of flags or
    /// of a bool uniform is that instruction's.
    pub end: Option<Pc>,
}

impl BlockData {
    /// A block without an address.
    pub(crate) fn helper(actions: Range<u32>, terminator: Terminator) -> Self {
        Self { actions, terminator, pc: None, end: None }
    }
}

impl Cfg {
    /// Returns the actions of a block.
    #[inline]
    pub fn actions_of(&self, block: Block) -> &[Action] {
        let range = &self.blocks[block].actions;
        &self.actions[range.start as usize..range.end as usize]
    }
}

/// A control-flow graph. Blocks are numbered in reverse postorder: an edge to a higher number is a
/// forward edge. The entry is the first block, the exit the last; no edge leads to the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cfg {
    /// The blocks. All are reachable from the entry, except perhaps the exit.
    pub blocks: Arena<Block, BlockData>,
    /// The actions of all blocks.
    pub actions: Vec<Action>,
    /// The entry block.
    pub entry: Option<Block>,
    /// The only block that ends the program.
    pub exit: Option<Block>,
    /// Number of dispatch variables.
    pub regions: u32,
}
