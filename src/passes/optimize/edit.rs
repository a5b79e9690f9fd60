//! Edits that several passes share.
//! In and out: a function. Knows no operations.

use crate::ir::{Def, Func, Item, Node, Op, Value};
use crate::support::entity::Handle;

/// Removes the items that evaluate dead values, from all regions.
pub(crate) fn sweep(f: &mut Func) {
    sweep_with(f, |_| true);
}

/// Removes the items that evaluate dead values and the constructs that are not kept.
pub(crate) fn sweep_with(f: &mut Func, is_kept: impl Fn(Node) -> bool) {
    let values = &f.values;
    for region in f.regions.values_mut() {
        region.items.retain(|item| match *item {
            Item::Let(value) => values[value].def != Def::Dead,
            Item::Node(node) => is_kept(node),
        });
    }
}

/// Replaces every operand by what the map says of it; lists too.
pub(crate) fn replace_all(f: &mut Func, map: &[Value]) {
    // Every list lies in the pool, so the arguments of calls and submissions are mapped there with
    // all others.
    f.pool.iter_mut().for_each(|value| *value = map[value.index()]);
    for data in f.values.values_mut() {
        if let Def::Op(op) = &mut data.def
            && !matches!(op, Op::Call { .. } | Op::Submit { .. })
        {
            *op = op.map(&mut [], |value| map[value.index()]);
        }
    }
    for node in f.nodes.values_mut() {
        if let Some(decider) = node.decider_mut() {
            *decider = map[decider.index()];
        }
    }
}
