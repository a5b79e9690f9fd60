//! Parameters that are dead where an invocation leaves a loop at its head (see `passes::leave`).
//! In: a loop of the intermediate form. Out: which values of which branches may be undefined. Knows
//! no words.
//!
//! A driver that finds a loop counter to be equal in all invocations reads uniforms by it once for
//! all of them. A counter that leaving invocations pass on unchanged, while others count on, would
//! not be equal any more.

use crate::ir::{Exit, Func, Item, NodeData, Op, Region, Value, ValueList};

/// The exit of a loop at its head.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    /// The parameter that says so.
    flag: Value,
    /// Its place in the list.
    place: usize,
    /// Values that the exit gives.
    given: ValueList,
}

impl Leaving {
    /// The exit of a loop at its head, if its body begins with `if %flag { break .. }`.
    pub(super) fn of(func: &Func, body: Region, params: ValueList) -> Option<Self> {
        let Some(&Item::Node(head)) = func.regions[body].items.first() else { return None };
        let NodeData::If { cond: flag, then, .. } = func.nodes[head] else { return None };
        let then = &func.regions[then];
        let Exit::Break(given) = then.exit else { return None };
        let place = func.get(params).iter().position(|&param| param == flag)?;
        then.items.is_empty().then_some(Self { flag, place, given })
    }

    /// Returns whether a branch to the head with these values leaves there without `param`.
    pub(super) fn drops(&self, func: &Func, param: Value, values: ValueList) -> bool {
        let leaves = matches!(func.op(func.get(values)[self.place]), Some(Op::Const([1, ..])));
        leaves && param != self.flag && !func.get(self.given).contains(&param)
    }
}
