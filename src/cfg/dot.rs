//! Graphs for Graphviz to draw.
//! In: [`Cfg`], and texts of the program's instructions if those are to be printed. Out: a
//! `digraph`. Changes nothing.

use std::fmt::{self, Display, Formatter};

use petgraph::dot;
use petgraph::graph::{DiGraph, NodeIndex};

use super::text::{CfgText, TestText};
use super::{Block, Cfg, Terminator};
use crate::entity::Handle;
use crate::isa::print::InstructionText;

/// A graph in the DOT language.
///
/// ```
/// use transpica::stages::cfg::{dot::Dot, Cfg};
/// let text = Dot { cfg: &Cfg::default(), program: None }.to_string();
/// assert!(text.starts_with("digraph"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dot<'a> {
    /// The graph.
    pub cfg: &'a Cfg,
    /// Texts of its instructions.
    pub program: Option<&'a dyn InstructionText>,
}

/// A block as the text of its node.
struct Label<'a>(&'a Dot<'a>, Block);

impl Display for Label<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(Dot { cfg, program }, block) = *self;
        CfgText { cfg, program: *program }.actions(f, block, "", "")?;
        match &cfg.blocks[block].terminator {
            Terminator::Branch { test, .. } => writeln!(f, "{}?", TestText(*test, *program)),
            Terminator::Dispatch { region, .. } => writeln!(f, "dispatch{region}?"),
            Terminator::End => writeln!(f, "end"),
            Terminator::Goto(_) => Ok(()),
        }
    }
}

/// The label of the edge to target number `target`.
fn edge(terminator: &Terminator, target: usize) -> String {
    match terminator {
        Terminator::Goto(_) | Terminator::End => String::new(),
        Terminator::Branch { .. } => ["yes", "no"][target.min(1)].to_string(),
        Terminator::Dispatch { .. } => target.to_string(),
    }
}

impl Display for Dot<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut graph = DiGraph::<Label<'_>, String>::new();
        let nodes: Vec<NodeIndex> =
            self.cfg.blocks.keys().map(|block| graph.add_node(Label(self, block))).collect();
        for (block, data) in self.cfg.blocks.iter() {
            for (number, target) in data.terminator.targets().enumerate() {
                let label = edge(&data.terminator, number);
                graph.add_edge(nodes[block.index()], nodes[target.index()], label);
            }
        }
        // petgraph writes no defaults for all nodes, so the braces are written here.
        writeln!(f, "digraph program {{")?;
        writeln!(f, "    node [shape=box, fontname=monospace];")?;
        write!(f, "{}", dot::Dot::with_config(&graph, &[dot::Config::GraphContentOnly]))?;
        writeln!(f, "}}")
    }
}
