//! Graphs for Graphviz to draw.
//! In: [`Cfg`], the program if instructions shall be shown. Out: a `digraph`. Changes nothing.

use std::fmt::{self, Display, Formatter};

use super::text::{ActionText, TestText};
use super::{Block, Cfg, Terminator};
use crate::isa::Program;

/// A graph in the DOT language.
///
/// ```
/// use transpica::cfg::{dot::Dot, Cfg};
/// let text = Dot { cfg: &Cfg::default(), program: None }.to_string();
/// assert!(text.starts_with("digraph"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dot<'a> {
    /// The graph.
    pub cfg: &'a Cfg,
    /// The program it was made from.
    pub program: Option<&'a Program<'a>>,
}

impl Dot<'_> {
    fn block(&self, f: &mut Formatter<'_>, block: Block) -> fmt::Result {
        let data = &self.cfg.blocks[block];
        write!(f, "    {block} [label=\"{block}")?;
        if let Some(pc) = data.pc {
            write!(f, " at {pc}")?;
        }
        f.write_str("\\l")?;
        for action in self.cfg.actions_of(block) {
            write!(f, "{}\\l", ActionText(action, self.program))?;
        }
        match &data.terminator {
            Terminator::Branch { test, .. } => write!(f, "{}?\\l", TestText(*test))?,
            Terminator::Dispatch { region, .. } => write!(f, "dispatch{region}?\\l")?,
            Terminator::End => f.write_str("end\\l")?,
            Terminator::Goto(_) => {}
        }
        writeln!(f, "\"];")?;
        match &data.terminator {
            Terminator::Goto(target) => writeln!(f, "    {block} -> {target};"),
            Terminator::Branch { then, otherwise, .. } => {
                writeln!(f, "    {block} -> {then} [label=\"yes\"];")?;
                writeln!(f, "    {block} -> {otherwise} [label=\"no\"];")
            }
            Terminator::Dispatch { targets, .. } => targets
                .iter()
                .enumerate()
                .try_for_each(|(value, target)| writeln!(f, "    {block} -> {target} [label=\"{value}\"];")),
            Terminator::End => Ok(()),
        }
    }
}

impl Display for Dot<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "digraph program {{")?;
        writeln!(f, "    node [shape=box, fontname=monospace];")?;
        self.cfg.blocks.keys().try_for_each(|block| self.block(f, block))?;
        writeln!(f, "}}")
    }
}
