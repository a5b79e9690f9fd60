//! Parameters that an invocation does not need any more when it leaves a loop at its head (see `passes::leave`).
//! In: a loop of the intermediate form. Out: which values of which branches may be undefined. Knows no words.
//!
//! A driver that knows of a loop counter that every invocation has the same one reads uniforms by it in one go. A counter that
//! those that leave hand on as it was, while others count on, would not be the same for all any more.

use crate::ir::{Exit, Func, Item, NodeData, Op, Region, Value, ValueList};

/// How a loop is left at its head.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    /// The parameter that says so.
    flag: Value,
    /// Its place in the list.
    place: usize,
    /// What is given then.
    given: ValueList,
}

impl Leaving {
    /// How a loop is left at its head, if its body begins with `if %flag { break .. }`.
    pub(super) fn of(func: &Func, body: Region, params: ValueList) -> Option<Self> {
        let Some(&Item::Node(head)) = func.regions[body].items.first() else { return None };
        let NodeData::If { cond: flag, then, .. } = func.nodes[head] else { return None };
        let then = &func.regions[then];
        let Exit::Break(given) = then.exit else { return None };
        let place = func.get(params).iter().position(|&param| param == flag)?;
        then.items.is_empty().then_some(Self { flag, place, given })
    }

    /// Whether a branch to the head that gives these values leaves there without `param`.
    pub(super) fn drops(&self, func: &Func, param: Value, values: ValueList) -> bool {
        let leaves = matches!(func.op(func.get(values)[self.place]), Some(Op::Const([1, ..])));
        leaves && param != self.flag && !func.get(self.given).contains(&param)
    }
}
