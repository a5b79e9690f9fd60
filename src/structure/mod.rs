//! Structured control flow: a graph becomes a tree with innermost `break` and `continue` only.
//! In: [`Cfg`]. Out: [`tree::Tree`]. Knows nothing about opcodes.
//!
//! Three steps: `ramsey` orders the blocks and labels what several paths lead to, `exits` makes the tree and lowers the
//! labels, `flatten` unnests what the second step nested.

pub mod blocks;
mod exits;
mod flatten;
mod ramsey;
#[cfg(test)]
mod tests;
pub mod text;
pub mod tree;

use crate::cfg::{Block, Cfg, Terminator};
use crate::limits::Limits;
use ramsey::Places;
use tree::{Stmt, Tree};

/// What came of structuring a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structured {
    /// The tree.
    Tree(Tree),
    /// Nested deeper than the limit, or not to be nested at all: the program must be run block by block
    /// ([`blocks::dispatcher`]).
    TooDeep {
        /// How deep the tree would be; nothing where none was made, because the graph is not reducible or far too
        /// entangled.
        depth: Option<u32>,
    },
}

/// How deep ifs nest instead of being left by `break`; the second is tried where the first nests too deep.
const DEEPEST: [u32; 2] = [16, 0];

/// Structures a graph that [`reduce`](crate::cfg::reduce::reduce) made reducible.
///
/// ```
/// use transpica::stages::cfg::explore::{Explored, Options, explore};
/// use transpica::stages::cfg::reduce::reduce;
/// use transpica::stages::isa::Pc;
/// use transpica::{Program, Stage};
/// use transpica::stages::structure::{Structured, structure};
/// let limits = transpica::stages::limits::Limits::default();
/// let loop_for_ever = [0xB400_0000, 0xB400_0001];
/// let program = Program::new(&loop_for_ever[..], &[][..], Pc(0), Stage::Vertex, &limits)?;
/// let Explored::Graph(mut cfg) = explore(&program, &Options::default(), &limits)? else { unreachable!("two words") };
/// reduce(&mut cfg, &limits);
/// assert!(matches!(structure(&cfg, &limits), Structured::Tree(_)));
/// # Ok::<(), transpica::Error>(())
/// ```
pub fn structure(cfg: &Cfg, limits: &Limits) -> Structured {
    let (Some(entry), Some(exit)) = (cfg.entry, cfg.exit) else { return Structured::Tree(Tree::default()) };
    if cfg.blocks[entry].terminator == Terminator::Goto(exit) {
        return Structured::Tree(straight(entry));
    }
    let Some(places) = Places::new(cfg) else { return Structured::TooDeep { depth: None } };
    let mut least = None;
    let mut steps = limits.steps;
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

/// The tree of a program without branches.
fn straight(block: Block) -> Tree {
    let mut tree = Tree::default();
    let root = tree.open(0);
    tree.push(root, Stmt::Block(block));
    tree.with_root(root, 0)
}
