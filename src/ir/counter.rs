//! Loops that count a parameter down to 0, as LOOP instructions do.
//! In: a function and a loop. Out: [`Counter`]. Changes nothing.
//!
//! ```text
//! loop (%2: i32 = %0) { .. ; if %2 > 0 { } else { break } ; .. ; continue %2 - 1 }
//! ```
//!
//! The form itself says that a loop counts: a note of it at the loop would have to be kept right by
//! each pass that changes parameters, exits or conditions.

use super::func::{Exit, Func, Item, Node, NodeData, Region};
use super::op::Op;
use super::op::resource::Resource;
use super::op::signature::{Binary, Unary};
use super::types::{Lane, Value};

/// Copies and operations on the way to a number that are looked through.
const FUEL: usize = 8;

/// Counter of a loop: a parameter that is one less in each iteration. The loop is continued at one
/// place, after a test that the counter is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The parameter.
    pub param: Value,
    /// Its value in the first iteration.
    pub init: Value,
    /// The `If` of the test, an item of the body; where it fails, what follows it does not run.
    pub test: Node,
}

impl Counter {
    /// Finds the counter of a loop.
    pub fn find(f: &Func, node: Node) -> Option<Self> {
        let NodeData::Loop { params, inits, body, .. } = *f.nodes.get(node)? else { return None };
        let data = f.regions.get(body)?;
        let Exit::Continue(next) = data.exit else { return None };
        data.items.iter().find_map(|&item| {
            let Item::Node(test) = item else { return None };
            let param = tested(f, test)?;
            let index = f.get(params).iter().position(|&value| value == param)?;
            let (&init, &next) = (f.get(inits).get(index)?, f.get(next).get(index)?);
            let counts = counts_down(f, next, param) && !continues_inside(f, body);
            counts.then_some(Self { param, init, test })
        })
    }

    /// Returns whether it begins as a component of an int uniform, or as a constant like one: 0 to
    /// 255.
    pub fn is_byte(&self, f: &Func) -> bool {
        let mut lane = Lane::new(self.init, 0);
        for _ in 0..FUEL {
            match f.op(lane.value()) {
                Some(Op::Const(bits)) => return bits[usize::from(lane.index())] <= 255,
                Some(Op::Read(Resource::IntUniform { .. } | Resource::Specialized(_))) => return true,
                // Integers of the uniform block are components of int uniforms.
                Some(Op::Read(Resource::Member { .. })) => return true,
                Some(Op::Shuffle(lanes)) => lane = lanes[usize::from(lane.index())],
                // Eight bits of a word.
                Some(Op::Unary(Unary::UintToInt, word)) => {
                    return matches!(f.op(word), Some(Op::Binary(Binary::BitAnd | Binary::ShiftRight, ..)));
                }
                _other => return false,
            }
        }
        false
    }
}

/// The value that must be above 0 where the items after an `If` run.
fn tested(f: &Func, test: Node) -> Option<Value> {
    let NodeData::If { cond, otherwise, .. } = *f.nodes.get(test)? else { return None };
    let Some(Op::Binary(Binary::IGreater, counter, zero)) = f.op(cond) else { return None };
    let leaves = !matches!(f.regions.get(otherwise)?.exit, Exit::Yield(_));
    (leaves && f.op(zero) == Some(Op::Const([0; 4]))).then_some(counter)
}

fn counts_down(f: &Func, next: Value, param: Value) -> bool {
    let Some(Op::Binary(Binary::ISub, a, one)) = f.op(next) else { return false };
    a == param && f.op(one) == Some(Op::Const([1, 0, 0, 0]))
}

/// Returns whether a region inside the body of a loop continues it.
fn continues_inside(f: &Func, body: Region) -> bool {
    let mut work = vec![body];
    while let Some(region) = work.pop() {
        let Some(data) = f.regions.get(region) else { return true };
        if region != body && matches!(data.exit, Exit::Continue(_)) {
            return true;
        }
        let nodes = data.items.iter().filter_map(|item| match item {
            Item::Node(node) => f.nodes.get(*node),
            Item::Let(_) => None,
        });
        // A `Continue` in a loop is for that loop.
        nodes.filter(|node| !node.is_loop()).for_each(|node| work.extend(node.regions()));
    }
    false
}
