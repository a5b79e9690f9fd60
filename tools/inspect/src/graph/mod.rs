//! Drawn graphs: where nodes and edges go, and the SVG file.
//!
//! The layout is our own because every graph of a program must come out in time. `layout-rs` 0.1.3
//! draws those of the samples, but takes 17 s for a chain of 2,000 nodes and did not end within 20
//! s for 200 nodes with 100 random edges, and it cannot be stopped.

use std::collections::BTreeSet;

use crate::cfg::{Cfg, dot::Dot};
use transpica::Program;
use transpica::container::Dvle;
use transpica::isa::print::InstructionText;
use transpica::isa::{Flow, Inst, Pc};

pub mod layout;
pub mod svg;

/// Returns the name of the innermost procedure around an instruction, or `None` for main.
/// Procedures are what CALL, CALLC and CALLU run.
fn procedure(calls: &BTreeSet<(u8, u16)>, executable: &Dvle<'_>, pc: u16) -> Option<String> {
    let runs = |&&(length, first): &&(u8, u16)| pc >= first && pc - first < length.into();
    let &(_, first) = calls.iter().find(runs)?;
    let label = executable.label_at(first.into());
    Some(label.map_or_else(|| format!("{first:#x}"), |label| label.to_text().to_string()))
}

/// Draws a control-flow graph with the texts of a program.
pub fn draw_cfg(
    cfg: &Cfg,
    program: &Program<'_>,
    executable: &Dvle<'_>,
    texts: &dyn InstructionText,
    paint: svg::Paint,
) -> String {
    // Shortest first, so that the innermost is found first.
    let call = |pc| match program.inst(Pc(pc))? {
        Inst::Flow(
            Flow::Call { target, length }
            | Flow::CallC { target, length, .. }
            | Flow::CallU { target, length, .. },
        ) => Some((length, target.0)),
        _other => None,
    };
    // Range: at most 4,096 code words.
    let calls: BTreeSet<(u8, u16)> = (0..program.code().len() as u16).filter_map(call).collect();
    let graph = Dot { cfg, program: Some(texts) };
    let places = graph.places().into_iter().map(|pcs| pcs.into_iter().map(|pc| pc.0).collect::<Vec<_>>());
    let nodes = graph.nodes().into_iter().zip(places).zip(cfg.blocks.values());
    let nodes = nodes.map(|((text, pcs), block)| {
        let procedure = block.pc.and_then(|pc| procedure(&calls, executable, pc.0));
        svg::Node { text, pcs, procedure }
    });
    svg::draw(&nodes.collect::<Vec<_>>(), &graph.edges(), paint)
}
