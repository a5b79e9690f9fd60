//! Edits that several passes share.
//! In and out: a function. Knows no operations.

use crate::ir::{Def, Func, Item, Node};

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
