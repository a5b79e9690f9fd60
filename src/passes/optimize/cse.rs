//! Evaluates equal operations once, where the first evaluation is visible to the second, and
//! removes operations without uses.
//! In and out: a function. Every operation is pure, those that read inputs and uniforms too.
//!
//! ```text
//! %2 = uniform c4 ; if %c { %3 = uniform c4 ; B(%3) }      =>      %2 = uniform c4 ; if %c { B(%2) }
//! %2 = neg %1 ; %3 = abs %2 ; yield %1                     =>      yield %1
//! ```
//!
//! Parameters, results and constructs stay, so one walk that counts uses suffices. That is quicker
//! than `dce`, and enough after passes that take operands away from operations only.
//!
//! [`optimize`](super::run) has `simplify` do the same on its way; this is for after
//! `legalize`, which makes equal operations of different ones.

use super::edit::sweep;
use crate::ir::{Def, Func, NodeData, Step, Value, ValueList};
use crate::passes::scratch::{Tables, identity};
use crate::support::entity::Handle;

/// Merges equal operations, then removes those that are not an operand of anything, and those that
/// were operands of nothing but them.
pub fn run(f: &mut Func, tables: &mut Tables) -> bool {
    let merged = merge(f, tables);
    let removed = remove_unused(f, tables);
    if merged || removed {
        sweep(f);
    }
    merged || removed
}

/// Merges equal operations and counts the uses of all values.
fn merge(f: &mut Func, tables: &mut Tables) -> bool {
    let Tables { map, visible, walk, uses, .. } = tables;
    identity(map, f.values.len());
    visible.start(f.values.len());
    uses.clear();
    // Only what is evaluated can be unused; evaluations come before uses.
    uses.resize(f.values.len(), 1);
    let mut changed = false;
    walk.start(f);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Begin(_) => visible.begin(),
            Step::Let(value) => {
                let Def::Op(op) = &mut f.values[value].def else { continue };
                op.replace_each(&mut f.pool, |operand| {
                    let operand = map[operand.index()];
                    uses[operand.index()] += 1;
                    operand
                });
                if let Some(same) = visible.find_or_add(f, value) {
                    map[value.index()] = same;
                    f.merge(value, same);
                    remove(f, value, |operand| uses[operand.index()] -= 1);
                    changed = true;
                } else {
                    uses[value.index()] = 0;
                }
            }
            Step::Enter(node) => {
                if let Some(decider) = f.nodes[node].decider_mut() {
                    *decider = map[decider.index()];
                    uses[decider.index()] += 1;
                }
                if let NodeData::Loop { inits, .. } = f.nodes[node] {
                    map_list(f, map, uses, inits);
                }
            }
            Step::End(region) => {
                map_list(f, map, uses, f.regions[region].exit.list());
                visible.end();
            }
            Step::Leave(_) => {}
        }
    }
    changed
}

fn map_list(f: &mut Func, map: &[Value], uses: &mut [u32], list: ValueList) {
    for value in &mut f.pool[list.range()] {
        *value = map[value.index()];
        uses[value.index()] += 1;
    }
}

/// Makes operations without uses dead, and those whose uses are then gone.
fn remove_unused(f: &mut Func, tables: &mut Tables) -> bool {
    let Tables { uses, work, .. } = tables;
    work.clear();
    work.extend(f.values.keys().filter(|value| uses[value.index()] == 0));
    let changed = !work.is_empty();
    while let Some(value) = work.pop() {
        remove(f, value, |operand| {
            uses[operand.index()] -= 1;
            if uses[operand.index()] == 0 {
                work.push(operand);
            }
        });
    }
    changed
}

/// Makes an operation dead, and visits its operands.
fn remove(f: &mut Func, value: Value, visit: impl FnMut(Value)) {
    if let Def::Op(op) = std::mem::replace(&mut f.values[value].def, Def::Dead) {
        op.for_each(&f.pool, visit);
    }
}
