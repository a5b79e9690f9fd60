//! Parameters that are dead if an invocation leaves a loop at its head (see
//! [`leave`](crate::passes::drivers::leave)).
//! In: a loop of the intermediate form. Out: the values of branches that may be undefined. Knows no
//! words.
//!
//! A driver that proves a loop counter uniform reads uniforms at this index once for all
//! invocations (drivers.md#varying-counter). If leaving invocations passed their counter on
//! unchanged while others increment theirs, it would be no longer uniform.

use crate::ir::{Exit, Func, Item, NodeData, Op, Region, Value, ValueList};

/// The exit of a loop at its head.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    /// Parameter that requests the exit.
    flag: Value,
    /// Index of the parameter in the list.
    place: usize,
    /// Values of the exit.
    given: ValueList,
}

impl Leaving {
    /// Returns the exit of a loop at its head, if its body begins with `if %flag { break .. }`.
    pub(super) fn find(func: &Func, body: Region, params: ValueList) -> Option<Self> {
        let Some(&Item::Node(head)) = func.regions[body].items.first() else { return None };
        let NodeData::If { cond: flag, then, .. } = func.nodes[head] else { return None };
        let then = &func.regions[then];
        let Exit::Break(given) = then.exit else { return None };
        let place = func.get(params).iter().position(|&param| param == flag)?;
        then.items.is_empty().then_some(Self { flag, place, given })
    }

    /// Returns whether a branch to the head with these values leaves the loop there and `param` is
    /// dead.
    pub(super) fn drops(&self, func: &Func, param: Value, values: ValueList) -> bool {
        // Only a flag that is constant at this branch proves that the next test of the head leaves.
        let leaves = matches!(func.op(func.get(values)[self.place]), Some(Op::Const([1, ..])));
        leaves && param != self.flag && !func.get(self.given).contains(&param)
    }
}
