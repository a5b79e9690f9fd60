//! Dead-code elimination: values, parameters, results, constructs.
//! In and out: a function. [`Demand`] says what is demanded.
//!
//! ```text
//! %2 = mulp %0 %0 ; yield %1                                             =>      yield %1
//! if %c { %3 = neg %1 yield %3 } else { yield %1 } -> %4   yield %1      =>      yield %1
//! loop (%2 = %0, %3 = %0) { .. continue %2, %5 } -> %6, %7   yield %6    =>      loop (%2 = %0) { .. continue %2 } -> %6
//! ```
//!
//! A loop stays even if none of its results is demanded, since it might never end.

use super::edit::sweep_with;
use crate::ir::{Def, Func, Lane, Op, Value};
use crate::passes::analyze::demand::Demand;
use crate::passes::analyze::flow::ValueFlow;

/// Removes what the analyses of the function found unneeded. They still hold for what is left.
pub fn run(f: &mut Func, flow: &ValueFlow, demand: &Demand) -> bool {
    let mut changed = false;
    let is_dead = |value: Value| demand.mask(value) == 0;
    for (data, &mask) in f.values.values_mut().iter_mut().zip(demand.masks()) {
        let Def::Op(op) = &mut data.def else { continue };
        if mask == 0 {
            data.def = Def::Dead;
            changed = true;
        } else if let Op::Shuffle(lanes) = op {
            // A shuffle keeps its width here; `shrink` narrows it.
            drop_dead_lanes(lanes, mask, data.ty.lanes, is_dead);
        }
    }
    if !f.nodes.is_empty() {
        changed |= flow.order.iter().any(|&node| !demand.node(node));
        changed |= flow.drop_slots(f, is_dead);
    }
    if changed {
        sweep_with(f, |node| demand.node(node));
    }
    changed
}

/// Lets dead lanes repeat a demanded one, so that no shuffle names a dead value.
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
