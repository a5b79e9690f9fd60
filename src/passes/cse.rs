//! Evaluates equal operations once, where the first evaluation is visible to the second.
//! In and out: a function. Every operation is pure, those that read inputs and uniforms too.
//!
//! ```text
//! %2 = uniform c4 ; if %c { %3 = uniform c4 ; B(%3) }      =>      %2 = uniform c4 ; if %c { B(%2) }
//! ```
//!
//! [`optimize`](super::optimize) has `simplify` do the same on its way; this is for after
//! `legalize`, which makes equal operations of different ones.

use super::edit::sweep;
use super::scratch::{Tables, identity};
use crate::entity::Handle;
use crate::ir::{Def, Func, NodeData, Step, Value, ValueList};

/// Merges equal operations.
pub fn run(f: &mut Func, tables: &mut Tables) -> bool {
    let Tables { map, visible, walk, .. } = tables;
    identity(map, f.values.len());
    visible.start(f.values.len());
    let mut changed = false;
    walk.start(f);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Begin(_) => visible.begin(),
            Step::Let(value) => {
                // Until something is merged, every operand stands for itself.
                if changed && let Def::Op(op) = f.values[value].def {
                    let op = op.map(&mut f.pool, |value| map[value.index()]);
                    f.values[value].def = Def::Op(op);
                }
                if let Some(same) = visible.find_or_add(f, value) {
                    map[value.index()] = same;
                    f.values[value].def = Def::Dead;
                    changed = true;
                }
            }
            Step::Enter(node) => {
                if let Some(decider) = f.nodes[node].decider_mut() {
                    *decider = map[decider.index()];
                }
                if let NodeData::Loop { inits, .. } = f.nodes[node] {
                    map_list(f, map, inits);
                }
            }
            Step::End(region) => {
                map_list(f, map, f.regions[region].exit.list());
                visible.end();
            }
            Step::Leave(_) => {}
        }
    }
    if changed {
        sweep(f);
    }
    changed
}

fn map_list(f: &mut Func, map: &[Value], list: ValueList) {
    f.pool[list.range()].iter_mut().for_each(|value| *value = map[value.index()]);
}
