//! Structured control flow: a graph becomes a tree with innermost `break` and `continue` only.
//! In: [`Cfg`]. Out: [`tree::Tree`]. Knows nothing about opcodes.
//!
//! Three steps: `ramsey` places the blocks and labels the merge points, `exits` builds the tree and
//! lowers the labels, `flatten` unnests the ifs of the second step.
//!
//! Blocks are placed along the dominator tree (Ramsey, *Beyond Relooper*, ICFP 2022). Exits are
//! then lowered until only `break` of the innermost breakable and `continue` of the innermost loop
//! are left: SPIR-V and WGSL have no others, and naga loses a loop exit out of a switch
//! (drivers.md#naga-switch-exits).
//!
//! Files: `tree.rs` the tree; `ramsey.rs`, `exits.rs`, `flatten.rs` the steps; `blocks.rs` the
//! second tier; `text.rs`.

pub mod blocks;
mod exits;
mod flatten;
mod ramsey;
pub mod text;
pub mod tree;

use crate::flow::cfg::{Block, Cfg, Terminator};
use crate::limits::Limits;
use ramsey::Places;
use tree::{Stmt, Tree};

/// Result of structuring a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structured {
    /// The tree.
    Tree(Tree),
    /// Nested deeper than the limit, or not structurable: the program must run block by block
    /// ([`blocks::dispatcher`]).
    TooDeep {
        /// Depth of the tree, or `None` where no tree was built, because the graph is irreducible
        /// or far too entangled.
        depth: Option<u32>,
    },
}

/// Depths up to which ifs nest instead of being left by `break`. The second is tried where the
/// first nests too deep.
const DEEPEST: [u32; 2] = [16, 0];

/// Structures a graph that [`reduce`](crate::flow::cfg::reduce::reduce) made reducible.
///
/// ```
/// use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
/// use transpica::stages::cfg::reduce::reduce;
/// use transpica::isa::Pc;
/// use transpica::{Program, Stage};
/// use transpica::stages::structure::{Structured, structure};
/// let limits = transpica::Limits::default();
/// let loop_for_ever = [0xB400_0000, 0xB400_0001];
/// let program = Program::new(&loop_for_ever[..], &[][..], Pc(0), Stage::Vertex, &limits)?;
/// let Explored::Graph(mut cfg) = explore(&program, &ExploreOptions::default(), &limits)? else { unreachable!("two words") };
/// reduce(&mut cfg, &limits);
/// assert!(matches!(structure(&cfg, &limits), Structured::Tree(_)));
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn structure(cfg: &Cfg, limits: &Limits) -> Structured {
    let (Some(entry), Some(exit)) = (cfg.entry, cfg.exit) else { return Structured::Tree(Tree::default()) };
    // Most programs are straight code, which needs no analysis.
    if cfg.blocks[entry].terminator == Terminator::Goto(exit) {
        return Structured::Tree(straight(entry));
    }
    let Some(places) = Places::new(cfg) else { return Structured::TooDeep { depth: None } };
    let mut least = None;
    let mut steps = limits.steps;
    // The first try makes fewer breakables, the second nests less.
    for deepest in DEEPEST {
        let Some(mut tree) = ramsey::tree(cfg, &places, deepest, &mut steps) else { continue };
        flatten::flatten(&mut tree, cfg.regions);
        let depth = tree.depth();
        if depth <= limits.depth {
            return Structured::Tree(tree);
        }
        least = Some(depth.min(least.unwrap_or(depth)));
    }
    Structured::TooDeep { depth: least }
}

/// Builds the tree of a program without branches.
fn straight(block: Block) -> Tree {
    let mut tree = Tree::default();
    let root = tree.open(0);
    tree.push(root, Stmt::Block(block));
    tree.with_root(root, 0)
}
