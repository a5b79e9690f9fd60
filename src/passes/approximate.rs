//! Which outputs depend on EX2 or LG2, the two operations whose last bits differ between drivers.
//! In: a module of either stage. Out: a lane mask for each output. Changes nothing. Dependence goes through data and
//! through decisions, and errs on the side of "depends".

#[cfg(test)]
mod tests;

use super::taint::Taint;
use crate::ir::{Def, Exit, Func, Module, Op, Unary};

/// For each output of the main function, the lanes (bit 0 is the first) that depend on EX2 or LG2, through data or through
/// a decision.
pub fn run(module: &Module) -> Vec<u8> {
    let f = &module.main;
    let mut helpers = Vec::with_capacity(module.helpers.len());
    for helper in &module.helpers {
        // It calls only helpers before it.
        helpers.push(computes_approximately(helper, &helpers));
    }
    let mut taint = Taint { helpers, powers: true, ..Taint::new(f) };
    taint.spread();
    let yielded = f.body.map(|body| f.regions[body].exit);
    match yielded {
        Some(Exit::Yield(list)) => f.get(list).iter().map(|&value| taint.lanes[value.0 as usize]).collect(),
        Some(Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable) | None => Vec::new(),
    }
}

/// Whether a helper computes a power or a logarithm, itself or through one before it.
fn computes_approximately(helper: &Func, before: &[bool]) -> bool {
    helper.values.values().iter().any(|value| match value.def {
        Def::Op(Op::Unary(op, _)) => matches!(op, Unary::Exp2 | Unary::Log2),
        Def::Op(Op::Call { helper, .. }) => before[usize::from(helper)],
        Def::Op(_) | Def::Param | Def::Result | Def::Dead => false,
    })
}
