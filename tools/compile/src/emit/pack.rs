//! Equal operations of different values in one instruction.
//! In and out: [`Code`] in which each variable of straight code is assigned once.
//!
//! ```text
//! mul %4, c1.x, %2
//! mul %5, c1.x, %3      =>      mul (%4, %5), c1.xx, (%2, %3)
//! ```
//! If no register can hold both lanes of an operand, `place.rs` takes it apart again.

use transpica::isa::Index;

use super::code::{Code, Inst, Lanes, Source, Step, Var};

/// Distance of instructions that are joined, in steps.
const FARTHEST: usize = 48;

/// The instructions that are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    /// Those whose operands shared registers in the source.
    Near,
    /// All.
    Any,
}

/// Joins instructions.
pub(super) fn run(code: &mut Code, packing: Packing) {
    if packing == Packing::None {
        return;
    }
    for first in 0..code.steps.len() {
        let mut at = first + 1;
        while at < code.steps.len() && at <= first + FARTHEST && is_straight(&code.steps[at]) {
            if may_join(code, first, at, packing)
                && let Step::Data(more) = std::mem::replace(&mut code.steps[at], Step::Nothing)
                && let Step::Data(inst) = &mut code.steps[first]
            {
                inst.targets.extend(more.targets);
                inst.sources.iter_mut().zip(more.sources).for_each(|(lanes, more)| lanes.extend(more));
            }
            at += 1;
        }
    }
    code.steps.retain(|step| *step != Step::Nothing);
}

fn is_straight(step: &Step) -> bool {
    matches!(step, Step::Data(_) | Step::Address { .. } | Step::Compare { .. } | Step::Nothing)
}

/// Returns whether a step can become part of an earlier one.
fn may_join(code: &Code, first: usize, at: usize, packing: Packing) -> bool {
    let (Step::Data(one), Step::Data(other)) = (&code.steps[first], &code.steps[at]) else { return false };
    if one.op != other.op || one.lanes() != Lanes::Each || one.targets.len() + other.targets.len() > 4 {
        return false;
    }
    let is_output = |inst: &Inst| inst.targets.iter().any(|target| target.as_var().is_none());
    if is_output(one) || is_output(other) {
        return false;
    }
    let fits = |(one, other): (&Vec<Source>, &Vec<Source>)| {
        one[0].class() == other[0].class()
            && (packing == Packing::Any || register(code, one) == register(code, other))
    };
    if !one.sources.iter().zip(&other.sources).all(fits) {
        return false;
    }
    let is_relative =
        other.sources.iter().flatten().any(|lane| {
            matches!(lane.home, super::code::Home::Uniform { index: Index::A0x | Index::A0y, .. })
        });
    let reads: Vec<Var> = other.sources.iter().flatten().filter_map(|lane| lane.as_var()).collect();
    code.steps[first..at].iter().all(|step| {
        let mut free = !(is_relative && matches!(step, Step::Address { .. }));
        step.for_each_target(|target| free &= target.as_var().is_none_or(|var| !reads.contains(&var)));
        free
    })
}

/// The register that the variables of an operand had in the source.
fn register(code: &Code, lanes: &[Source]) -> Option<u8> {
    let var = lanes[0].as_var()?;
    code.hints[var.0 as usize].map(|(register, _)| register)
}
