//! Evaluates equal operations once, where the first evaluation is visible to the second.
//! In and out: a function. Every operation is pure, those that read inputs and uniforms too.
//!
//! ```text
//! %2 = uniform c4 ; if %c { %3 = uniform c4 ; B(%3) }      =>      %2 = uniform c4 ; if %c { B(%2) }
//! ```
//!
//! [`optimize`](super::optimize) has `simplify` do the same on its way; this is for after `legalize`, which makes equal
//! operations of different ones.

use super::edit::sweep;
use super::scratch::{Scratch, identity};
use crate::entity::Handle;
use crate::ir::{Def, Exit, Func, NodeData, Step, Value, ValueList};

/// Merges equal operations.
pub fn run(f: &mut Func, scratch: &mut Scratch) -> bool {
    let Scratch { map, visible, walk, .. } = scratch;
    identity(map, f.values.len());
    visible.start(f.values.len());
    let mut changed = false;
    walk.start(f);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Begin(_) => visible.begin(),
            Step::Let(value) => {
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
                if let Exit::Yield(list) | Exit::Break(list) | Exit::Continue(list) = f.regions[region].exit {
                    map_list(f, map, list);
                }
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

#[cfg(test)]
mod tests {
    use crate::passes::testing::check;

    fn cse(before: &str, after: &str) {
        check(super::run, before, after);
    }

    #[test]
    fn equal_operations_are_evaluated_once() {
        cse(
            "%0: f32x4 = input v0 %1: f32x4 = input v0 %2: f32x4 = mulp %0 %1 %3: f32x4 = mulp %1 %0 %4: f32x4 = addp %2 %3 yield %4",
            "%0: f32x4 = input v0 %2: f32x4 = mulp %0 %0 %4: f32x4 = addp %2 %2 yield %4",
        );
    }

    #[test]
    fn operands_of_an_ordered_operation_are_not_exchanged() {
        let text = "%0: f32x4 = input v0 %1: f32x4 = input v1 %2: f32x4 = minp %0 %1 %3: f32x4 = minp %1 %0 yield %2 %3";
        cse(text, text);
    }

    #[test]
    fn literals_of_different_types_differ() {
        let text = "%0: i32 = const 0 %1: f32 = const 0 %2: f32x2 = const 0 0 %3: bool = const false yield %0 %1 %2 %3";
        cse(text, text);
    }

    #[test]
    fn an_arm_sees_what_is_before_it_but_not_the_other_arm() {
        cse(
            "%0: bool = uniform b0 %1: f32x4 = uniform c1
             if %0 { %2: f32x4 = uniform c1 %3: f32x4 = uniform c2 %4: f32x4 = addp %2 %3 yield %4 }
             else { %5: f32x4 = uniform c2 yield %5 } -> %6: f32x4
             %7: f32x4 = uniform c2
             yield %6 %7",
            "%0: bool = uniform b0 %1: f32x4 = uniform c1
             if %0 { %3: f32x4 = uniform c2 %4: f32x4 = addp %1 %3 yield %4 }
             else { %5: f32x4 = uniform c2 yield %5 } -> %6: f32x4
             %7: f32x4 = uniform c2
             yield %6 %7",
        );
    }

    #[test]
    fn exits_and_conditions_follow() {
        cse(
            "%0: bool = uniform b0 %1: bool = uniform b0 %2: i32 = const 3 %3: i32 = const 3
             loop (%4: i32 = %3) { if %1 { break %1 %4 } continue %3 } -> %5: bool, %6: i32
             yield %5 %6",
            "%0: bool = uniform b0 %2: i32 = const 3
             loop (%4: i32 = %2) { if %0 { break %0 %4 } continue %2 } -> %5: bool, %6: i32
             yield %5 %6",
        );
    }

    #[test]
    fn calls_with_equal_arguments_are_equal() {
        let half = "func half(%0: f32, %1: f32) { %2: f32 = mulp %0 %1 yield %2 }";
        cse(
            &format!(
                "{half} func main {{ %0: f32 = const 2 %3: f32 = const 3 %1: f32 = call 0(%0, %3) %2: f32 = call 0(%0, %3) %4: f32 = call 0(%3, %0) yield %1 %2 %4 }}"
            ),
            &format!(
                "{half} func main {{ %0: f32 = const 2 %3: f32 = const 3 %1: f32 = call 0(%0, %3) %4: f32 = call 0(%3, %0) yield %1 %1 %4 }}"
            ),
        );
    }
}
