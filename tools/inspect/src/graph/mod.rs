//! Drawn graphs: where nodes and edges go, and the SVG file.
//!
//! The layout is our own because every graph of a program must come out in time. `layout-rs` 0.1.3
//! draws those of the samples, but takes 17 s for a chain of 2,000 nodes and did not end within 20
//! s for 200 nodes with 100 random edges, and it cannot be stopped.

use crate::cfg::{Cfg, dot::Dot};
use transpica::isa::print::InstructionText;

pub mod layout;
pub mod svg;

/// Draws a control-flow graph with the texts of a program.
pub fn draw_cfg(cfg: &Cfg, program: &dyn InstructionText, paint: svg::Paint) -> String {
    let graph = Dot { cfg, program: Some(program) };
    let pcs = graph.places().into_iter().map(|pcs| pcs.into_iter().map(|pc| pc.0).collect());
    let nodes = graph.nodes().into_iter().zip(pcs).map(|(text, pcs)| svg::Node { text, pcs });
    svg::draw(&nodes.collect::<Vec<_>>(), &graph.edges(), paint)
}
