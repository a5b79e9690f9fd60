//! The outputs that depend on EX2 or LG2, whose last bits differ between drivers.
//! In: a module of either stage. Out: a lane mask for each output. Changes nothing. Dependence goes
//! through data and through decisions, and errs on the side of "depends".

use super::taint::{self, Taint};
use crate::ir::{Array, Buffer, Def, Exit, Module, Op, Unary, ValueData};

/// For each output of the main function (of a geometry program: of each vector that it submits, as
/// many as a triangle has), the lanes (bit 0 is the first) that depend on EX2 or LG2, through data
/// or through a decision. What a vertex program gave a geometry program counts as not depending on
/// them.
pub fn run(module: &Module) -> Vec<u8> {
    let f = &module.main;
    let is_power = |op| matches!(op, Op::Unary(Unary::Exp2 | Unary::Log2, _));
    let helpers = taint::helpers_with(&module.helpers, is_power);
    let mut taint = Taint { helpers, powers: true, ..Taint::new(f) };
    taint.spread();
    let mut yielded = yielded(&taint);
    if yielded.iter().any(|&lanes| lanes != 0) && f.values.values().iter().any(is_state) {
        // The next draw finds what a draw leaves.
        taint.state = true;
        taint.spread();
        yielded = self::yielded(&taint);
    }
    submitted(&taint).unwrap_or(yielded)
}

fn is_state(data: &ValueData) -> bool {
    matches!(data.def, Def::Op(Op::ReadAt(Array::Buffer(Buffer::State), _)))
}

/// Taint of the outputs of the main function.
fn yielded(taint: &Taint<'_>) -> Vec<u8> {
    let f = taint.f;
    match f.body.map(|body| f.regions[body].exit) {
        Some(Exit::Yield(list)) => f.get(list).iter().map(|&value| taint.lanes[value.0 as usize]).collect(),
        Some(Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable) | None => Vec::new(),
    }
}

/// Taint of the outputs of vertices, or `None` if no vertex is submitted.
fn submitted(taint: &Taint<'_>) -> Option<Vec<u8>> {
    let mut all: Option<Vec<u8>> = None;
    for data in taint.f.values.values() {
        let Def::Op(Op::Submit { args }) = data.def else { continue };
        let Some((_, vertices)) = taint.f.get(args).split_first() else { continue };
        let outputs = all.get_or_insert_with(|| vec![0; vertices.len()]);
        for (lanes, &value) in outputs.iter_mut().zip(vertices) {
            *lanes |= taint.lanes[value.0 as usize];
        }
    }
    all
}
