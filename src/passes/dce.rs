//! Removes what nothing needs: values, parameters, results, constructs; and helpers that nothing calls.
//! In and out: a function. What is needed, [`Demand`] says.
//!
//! ```text
//! %2 = mulp %0 %0 ; yield %1                                             =>      yield %1
//! if %c { %3 = neg %1 yield %3 } else { yield %1 } -> %4   yield %1      =>      yield %1
//! loop (%2 = %0, %3 = %0) { .. continue %2, %5 } -> %6, %7   yield %6    =>      loop (%2 = %0) { .. continue %2 } -> %6
//! ```
//!
//! A loop stays even if nothing needs its results, since it might never end.

use super::demand::Demand;
use super::edit::sweep;
use super::flow::Flow;
use super::scratch::Scratch;
use crate::entity::Handle;
use crate::ir::{Def, Exit, Func, Item, Lane, Module, NodeData, Op, Value};

/// Removes what nothing needs.
pub fn run(f: &mut Func, scratch: &mut Scratch) -> bool {
    scratch.analyse(f);
    remove(f, &scratch.demand, &scratch.flow)
}

/// Removes operations that are no operand of anything, and those that were operands of nothing but them. Quicker than
/// [`run`], and enough after a pass that takes operands away from operations only.
pub(super) fn unused(f: &mut Func, scratch: &mut Scratch) -> bool {
    let Scratch { uses, work, .. } = scratch;
    uses.clear();
    uses.resize(f.values.len(), 0);
    let mut count = |value: Value| uses[value.index()] += 1;
    for region in f.regions.values() {
        if let Exit::Yield(list) | Exit::Break(list) | Exit::Continue(list) = region.exit {
            f.get(list).iter().copied().for_each(&mut count);
        }
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

/// Removes what an analysis found unneeded.
pub(super) fn remove(f: &mut Func, demand: &Demand, flow: &Flow) -> bool {
    let mut changed = false;
    let is_dead = |value: Value| demand.mask(value) == 0;
    for (index, data) in f.values.values_mut().iter_mut().enumerate() {
        let Def::Op(op) = &mut data.def else { continue };
        let mask = demand.mask(Value::from_index(index));
        if mask == 0 {
            data.def = Def::Dead;
            changed = true;
        } else if let Op::Shuffle(lanes) = op {
            drop_dead_lanes(lanes, mask, data.ty.lanes, is_dead);
        }
    }
    if !f.nodes.is_empty() {
        changed |= flow.order.iter().any(|&node| !demand.node(node));
        changed |= flow.drop_slots(f, is_dead);
    }
    if changed {
        let values = &f.values;
        for region in f.regions.values_mut() {
            region.items.retain(|item| match *item {
                Item::Let(value) => values[value].def != Def::Dead,
                Item::Node(node) => demand.node(node),
            });
        }
    }
    changed
}

/// Lets lanes that nothing needs repeat a needed one, so that no shuffle names a dead value.
fn drop_dead_lanes(lanes: &mut [Lane; 4], mask: u8, count: u8, is_dead: impl Fn(Value) -> bool) {
    let needed = lanes[mask.trailing_zeros() as usize % 4];
    for lane in &mut *lanes {
        if is_dead(lane.value()) {
            *lane = needed;
        }
    }
    let [first, ..] = *lanes;
    lanes[usize::from(count)..].fill(first);
}

/// Removes the helpers that nothing calls, directly or through others.
pub fn helpers(module: &mut Module) -> bool {
    let mut used = vec![false; module.helpers.len()];
    mark_called(&module.main, &mut used);
    // A helper calls only those before it.
    for index in (0..module.helpers.len()).rev() {
        if used[index] {
            mark_called(&module.helpers[index], &mut used);
        }
    }
    if used.iter().all(|&used| used) {
        return false;
    }
    let mut next = 0;
    let numbers: Vec<u16> = used
        .iter()
        .map(|&used| {
            let number = next;
            next += u16::from(used);
            number
        })
        .collect();
    let mut keep = used.into_iter();
    module.helpers.retain(|_| keep.next().unwrap_or(true));
    for f in module.helpers.iter_mut().chain([&mut module.main]) {
        for data in f.values.values_mut() {
            if let Def::Op(Op::Call { helper, .. }) = &mut data.def {
                *helper = numbers[usize::from(*helper)];
            }
        }
    }
    true
}

fn mark_called(f: &Func, used: &mut [bool]) {
    for data in f.values.values() {
        if let Def::Op(Op::Call { helper, .. }) = data.def {
            used[usize::from(helper)] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text;
    use crate::passes::testing::check;

    fn dce(before: &str, after: &str) {
        check(super::run, before, after);
    }

    #[test]
    fn a_value_without_uses_goes() {
        dce(
            "%0: f32x4 = input v0 %1: f32x4 = mulp %0 %0 %2: f32x4 = neg %1 yield %0",
            "%0: f32x4 = input v0 yield %0",
        );
    }

    #[test]
    fn a_construct_without_used_results_goes() {
        dce(
            "%0: f32x4 = input v0 %1: bool = uniform b0
             block { if %1 { break %0 } %2: f32x4 = neg %0 yield %2 } -> %3: f32x4
             yield %0",
            "%0: f32x4 = input v0 yield %0",
        );
    }

    #[test]
    fn a_construct_that_is_left_to_the_outside_stays() {
        let text = "%0: bool = uniform b0 loop { if %0 { break } continue } yield %0";
        dce(text, text);
    }

    #[test]
    fn parameters_that_only_feed_themselves_go() {
        dce(
            "%0: i32 = const 1 %1: bool = uniform b0
             loop (%2: i32 = %0, %3: i32 = %0) {
               %4: i32 = iadd %2 %3
               %5: i32 = iadd %3 %0
               if %1 { break %5 %4 }
               continue %4 %5
             } -> %6: i32 %7: i32
             yield %6",
            "%0: i32 = const 1 %1: bool = uniform b0
             loop (%3: i32 = %0) {
               %5: i32 = iadd %3 %0
               if %1 { break %5 }
               continue %5
             } -> %6: i32
             yield %6",
        );
    }

    #[test]
    fn a_result_used_by_the_next_iteration_only_is_used() {
        let text = "%0: i32 = const 1 %1: bool = uniform b0
             loop (%2: i32 = %0) {
               if %1 { yield %2 } else { %3: i32 = iadd %2 %0 yield %3 } -> %4: i32
               %5: bool = iequal %2 %0
               if %5 { break }
               continue %4
             }
             yield %1";
        dce(text, text);
    }

    #[test]
    fn lanes_that_nothing_needs_keep_nothing_alive() {
        dce(
            "%0: f32x4 = input v0 %1: f32x4 = neg %0 %2: f32x2 = shuffle %1.x %0.y %3: f32 = shuffle %2.y yield %3",
            "%0: f32x4 = input v0 %2: f32x2 = shuffle %0.y %0.y %3: f32 = shuffle %2.y yield %3",
        );
    }

    #[test]
    fn what_nothing_uses_goes_but_stays_in_its_list() {
        check(
            super::unused,
            "%0: f32x4 = input v0 %1: bool = uniform b0
             if %1 { %2: f32x4 = neg %0 yield %2 } else { yield %0 } -> %3: f32x4
             loop (%4: f32x4 = %0) { %5: f32x4 = abs %4 if %1 { break } continue %0 }
             %6: f32x4 = neg %3 yield %0",
            "%0: f32x4 = input v0 %1: bool = uniform b0
             if %1 { %2: f32x4 = neg %0 yield %2 } else { yield %0 } -> %3: f32x4
             loop (%4: f32x4 = %0) { if %1 { break } continue %0 }
             yield %0",
        );
    }

    #[test]
    fn helpers_that_nothing_calls_go() {
        let helper = |name, op| format!("func {name}(%0: f32) {{ %1: f32 = {op} yield %1 }}\n");
        let before = helper("a", "neg %0")
            + &helper("b", "abs %0")
            + &helper("c", "call 0(%0)")
            + &helper("d", "call 2(%0)");
        let after = helper("a", "neg %0") + &helper("c", "call 0(%0)");
        let main = |call| format!("func main {{ %0: f32 = const 1 %1: f32 = call {call}(%0) yield %1 }}");
        let mut module = text::parse(&(before + &main(2))).unwrap();
        assert!(super::helpers(&mut module));
        assert_eq!(text::print(&module), text::print(&text::parse(&(after + &main(1))).unwrap()));
        assert!(!super::helpers(&mut module));
    }
}
