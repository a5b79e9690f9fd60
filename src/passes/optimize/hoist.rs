//! Evaluates reads of uniforms in front of the constructs that they stand in.
//! In and out: a function. Knows no operations but reads of members.
//!
//! ```text
//! A ; if %c { %1 = member 0[4] ; B(%1) }      =>      A ; %1 = member 0[4] ; if %c { B(%1) }
//! ```
//!
//! llvmpipe loads a uniform once for all invocations that run side by side only where all of them
//! do, and once for each of them inside every construct.

use crate::ir::{Def, Func, Item, NodeData, Op, Region, Resource, Step, ValueData};
use crate::passes::scratch::Tables;
use crate::support::entity::Handle;

/// Moves reads of float and int members out of all constructs. Those of bools stay: in
/// front they raise the inverse throughput of `lights` from 290 to 389 (RADV, navi10). A construct
/// with a switch stays as it is, since it may read many members of which few iterations need one.
pub fn run(f: &mut Func, tables: &mut Tables) -> bool {
    let Some(body) = f.body else { return false };
    if f.nodes.is_empty() {
        return false;
    }
    let Tables { work: found, walk, .. } = tables;
    found.clear();
    let mut items = Vec::with_capacity(f.regions[body].items.len());
    let mut is_moved = vec![false; f.values.len()];
    let (mut depth, mut has_switch) = (0usize, false);
    walk.start(f);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Enter(node) => {
                depth += 1;
                has_switch |= matches!(f.nodes[node], NodeData::Switch { .. });
            }
            Step::Leave(node) => {
                depth -= 1;
                if depth == 0 {
                    if !std::mem::take(&mut has_switch) {
                        found.iter().for_each(|value| is_moved[value.index()] = true);
                        items.extend(found.iter().copied().map(Item::Let));
                    }
                    found.clear();
                    items.push(Item::Node(node));
                }
            }
            // Evaluations are passed below.
            Step::Let(_) | Step::Begin(_) | Step::End(_) => {}
        }
        if depth == 0 {
            walk.lets(f, |value| items.push(Item::Let(value)));
        } else {
            walk.lets(f, |value| found.extend(is_number(&f.values[value]).then_some(value)));
        }
    }
    if items.len() == f.regions[body].items.len() {
        return false;
    }
    f.regions[body].items = items;
    for (region, data) in (0..).map(Region).zip(f.regions.values_mut()) {
        if region != body {
            data.items.retain(|item| !matches!(*item, Item::Let(value) if is_moved[value.index()]));
        }
    }
    true
}

/// Returns whether a value is a read of a float or int member.
fn is_number(value: &ValueData) -> bool {
    value.ty.lanes > 1 && matches!(value.def, Def::Op(Op::Read(Resource::Member { .. })))
}
