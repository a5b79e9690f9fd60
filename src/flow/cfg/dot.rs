//! Graphs for Graphviz to draw.
//! In: [`Cfg`], and texts of the program's instructions if those are to be printed. Out: a
//! `digraph`. Changes nothing.

use std::fmt::{self, Display, Formatter};

use petgraph::dot;
use petgraph::graph::{DiGraph, NodeIndex};

use super::text::{CfgText, TestText};
use super::{Block, Cfg, Terminator};
use crate::program::isa::Pc;
use crate::program::isa::print::InstructionText;
use crate::support::entity::Handle;

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

impl Dot<'_> {
    /// Returns the texts of all nodes, in the order of the blocks. Each line ends with a line feed.
    pub fn nodes(&self) -> Vec<String> {
        self.cfg.blocks.keys().map(|block| Label(self, block).to_string()).collect()
    }

    /// Returns the addresses of the instructions of all nodes, each ascending.
    pub fn places(&self) -> Vec<Vec<Pc>> {
        self.cfg.blocks.keys().map(|block| self.cfg.places(block)).collect()
    }

    /// Returns all edges: indices of both nodes, and a label, which may be empty.
    pub fn edges(&self) -> Vec<([usize; 2], String)> {
        let edges = self.cfg.blocks.iter().flat_map(|(block, data)| {
            let targets = data.terminator.targets().enumerate();
            targets.map(move |(number, target)| {
                ([block.index(), target.index()], edge(&data.terminator, number))
            })
        });
        edges.collect()
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
        for ([from, to], label) in self.edges() {
            graph.add_edge(nodes[from], nodes[to], label);
        }
        // petgraph writes no defaults for all nodes, so the braces are written here.
        writeln!(f, "digraph program {{")?;
        writeln!(f, "    node [shape=box, fontname=monospace];")?;
        write!(f, "{}", dot::Dot::with_config(&graph, &[dot::Config::GraphContentOnly]))?;
        writeln!(f, "}}")
    }
}
