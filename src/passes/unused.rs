//! Removes operations without uses.
//! In and out: a function. Knows no operations.
//!
//! ```text
//! %2 = neg %1 ; %3 = abs %2 ; yield %1      =>      yield %1
//! ```
//!
//! Parameters, results and constructs stay, so counting uses suffices. That is quicker than `dce`,
//! and enough after passes that take operands away from operations only.

use super::edit::sweep;
use super::scratch::Tables;
use crate::entity::Handle;
use crate::ir::{Def, Func, NodeData, Value};

/// Removes operations that are no operand of anything, and those that were operands of nothing but
/// them.
pub fn run(f: &mut Func, tables: &mut Tables) -> bool {
    let Tables { uses, work, .. } = tables;
    uses.clear();
    uses.resize(f.values.len(), 0);
    let mut count = |value: Value| uses[value.index()] += 1;
    for region in f.regions.values() {
        f.get(region.exit.list()).iter().copied().for_each(&mut count);
    }
    for node in f.nodes.values() {
        if let NodeData::Loop { inits, .. } = node {
            f.get(*inits).iter().copied().for_each(&mut count);
        }
        node.decider().into_iter().for_each(&mut count);
    }
    for data in f.values.values() {
        if let Def::Op(op) = data.def {
            op.for_each(&f.pool, &mut count);
        }
    }
    work.clear();
    work.extend(f.values.keys().filter(|value| uses[value.index()] == 0 && f.op(*value).is_some()));
    if work.is_empty() {
        return false;
    }
    while let Some(value) = work.pop() {
        // A parameter or result stays in its list.
        let Some(op) = f.op(value) else { continue };
        f.values[value].def = Def::Dead;
        op.for_each(&f.pool, |operand| {
            uses[operand.index()] -= 1;
            if uses[operand.index()] == 0 {
                work.push(operand);
            }
        });
    }
    sweep(f);
    true
}
