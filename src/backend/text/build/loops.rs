//! Loops as `for` and `while`, by what their regions are.
//! In: a loop of the IR and the carriers of what it repeats and leaves. Out: its parts, which
//! `region` builds in another order. Knows no lines and no text.
//!
//! A LOOP of the program tests after its body how many iterations are left. The loop
//! then stores its results in every iteration, and the parameters of a next iteration even after
//! the last one, so nothing may read those variables afterwards.
//!
//! ```text
//! left_i0 = n;                             for (var left_i0 = n; left_i0 >= 0; left_i0 -= 1) {
//! loop {                                       r7 += c[aL];
//!     r7 += c[aL];                  =>         aL += step;
//!     if left_i0 <= 0 { break; }           }
//!     aL += step;
//!     left_i0 -= 1;
//! }
//! ```
//!
//! Another loop is a `while` if its first construct is a test that leaves it: what the arm of the
//! test stores is stored after the loop then.
//!
//! Facts: components of int uniforms are bytes, so the first iteration always runs.

use super::carry::Carrier;
use crate::ir::{Counter, Exit, Func, Item, Node, NodeData, Op, Region, RegionData, Unary, Value};

/// A loop whose last construct is the test of its counter.
pub struct Counted<'a> {
    pub counter: Counter,
    /// Index of the counter among the parameters.
    pub index: usize,
    pub body: &'a RegionData,
    /// Index of the test in the body.
    pub test: usize,
    /// The last iteration alone runs these items, which yield the results.
    pub arm: &'a RegionData,
    pub left: &'a [Value],
}

impl<'a> Counted<'a> {
    /// Finds the parts, or returns `None` if an iteration could tell that it stores what only the
    /// last one leaves.
    pub fn find(ir: &'a Func, node: Node, [params, results]: [&[Carrier]; 2]) -> Option<Self> {
        let NodeData::Loop { params: list, body, .. } = *ir.nodes.get(node)? else { return None };
        let counter = Counter::find(ir, node).filter(|counter| counter.is_byte(ir))?;
        let body = ir.regions.get(body)?;
        let test = body.items.iter().rposition(is_node)?;
        let &NodeData::If { then, otherwise, results: none, .. } = ir.nodes.get(counter.test)? else {
            return None;
        };
        let (arm, left) = leaving(ir, otherwise)?;
        let Exit::Continue(next) = body.exit else { return None };
        let index = ir.get(list).iter().position(|&param| param == counter.param)?;
        let is_kept = |(&carrier, &value): (&Carrier, &Value)| {
            let param = params.iter().position(|&param| param == carrier);
            param.is_none_or(|param| param != index && is_same(ir, value, ir.get(next)[param]))
        };
        let is_simple = body.items[test] == Item::Node(counter.test)
            && ir.regions.get(then)?.items.is_empty()
            && ir.get(none).is_empty();
        let is_counted = is_simple && results.iter().zip(left).all(is_kept);
        is_counted.then_some(Self { counter, index, body, test, arm, left })
    }
}

/// A loop whose first construct is a test that leaves it.
pub struct Tested<'a> {
    pub body: &'a RegionData,
    /// Index of the test in the body.
    pub test: usize,
    /// The loop is left where this is `leaves`.
    pub condition: Value,
    pub leaves: bool,
    /// The results: values from outside, parameters, and lanes of those.
    pub left: &'a [Value],
    /// The results that are evaluated inside.
    pub again: Vec<Value>,
    /// The region that follows the test, or `None` if the rest of the body does.
    pub rest: Option<Region>,
}

impl<'a> Tested<'a> {
    /// Finds the parts, or returns `None` if other exits would meet the stores after the loop.
    pub fn find(ir: &'a Func, node: Node, [params, results]: [&[Carrier]; 2]) -> Option<Self> {
        let NodeData::Loop { params: list, body: region, .. } = *ir.nodes.get(node)? else { return None };
        let body = ir.regions.get(region)?;
        let test = body.items.iter().position(is_node)?;
        // The condition of a `while` has no place for anything else.
        if !body.items[..test].iter().all(|item| is_pure(ir, item)) {
            return None;
        }
        let Leaving { condition, leaves, arm, left, other, has_results } =
            Leaving::find(ir, body.items[test])?;
        // An iteration goes on in the other arm or after the test, not in both.
        let is_last = body.exit == Exit::Unreachable && test + 1 == body.items.len();
        let data = ir.regions.get(other)?;
        let is_empty = data.items.is_empty() && matches!(data.exit, Exit::Yield(_)) && !has_results;
        if !is_last && !is_empty {
            return None;
        }
        // Results from inside are evaluated once more after the loop, where the rest is out of
        // scope.
        let inside = || body.items[..test].iter().chain(&arm.items);
        let is_inside = |value: Value| inside().any(|&item| item == Item::Let(value));
        let again: Vec<_> = left.iter().copied().filter(|&value| is_inside(value)).collect();
        if !again.iter().all(|&value| copied(ir, value).is_some_and(|of| of.is_none_or(|of| !is_inside(of))))
        {
            return None;
        }
        let stays = |(carrier, value): (&Carrier, &Value)| {
            params.iter().zip(ir.get(list)).any(|(param, known)| param == carrier && known == value)
        };
        // Another exit of the loop would meet the stores after it.
        let breaks = exits(ir, region).iter().filter(|(exit, _)| matches!(exit, Exit::Break(_))).count();
        if breaks > 1 && !results.iter().zip(left).all(stays) {
            return None;
        }
        // What both exits of the test store goes before it.
        let next = match (data.exit, body.exit) {
            (Exit::Continue(values), _) if is_last => ir.get(values),
            (_, Exit::Continue(values)) if !body.items[test + 1..].iter().any(is_node) => ir.get(values),
            _other_exits => &[],
        };
        let is_common =
            |stored: (&Carrier, &Value)| !stays(stored) && params.iter().zip(next).any(|next| next == stored);
        if !data.items.iter().any(is_node) && results.iter().zip(left).any(is_common) {
            return None;
        }
        let rest = is_last.then_some(other);
        Some(Self { body, test, condition, leaves, left, again, rest })
    }

    /// Returns the values of a loop's parameters and of the items before the test that its
    /// condition needs.
    pub fn needed(&self, ir: &Func, params: &[Value]) -> Vec<Value> {
        let items = &self.body.items[..self.test];
        let (mut needed, mut work) = (Vec::new(), vec![self.condition]);
        while let Some(value) = work.pop() {
            let is_item = items.contains(&Item::Let(value));
            if (is_item || params.contains(&value)) && !needed.contains(&value) {
                needed.push(value);
                ir.op(value).into_iter().for_each(|op| op.for_each(&ir.pool, |operand| work.push(operand)));
            }
        }
        needed
    }
}

/// An `if` of which one arm leaves the loop around it.
struct Leaving<'a> {
    /// The arm leaves where this is `leaves`.
    condition: Value,
    leaves: bool,
    arm: &'a RegionData,
    left: &'a [Value],
    other: Region,
    has_results: bool,
}

impl<'a> Leaving<'a> {
    fn find(ir: &'a Func, item: Item) -> Option<Self> {
        let Item::Node(branch) = item else { return None };
        let &NodeData::If { cond, then, otherwise, results } = ir.nodes.get(branch)? else { return None };
        let (condition, leaves) = match ir.op(cond) {
            Some(Op::Unary(Unary::Not, inner)) => (inner, false),
            _other => (cond, true),
        };
        let ((arm, left), leaves, other) = match leaving(ir, then) {
            Some(found) => (found, leaves, otherwise),
            None => (leaving(ir, otherwise)?, !leaves, then),
        };
        Some(Self { condition, leaves, arm, left, other, has_results: !ir.get(results).is_empty() })
    }
}

/// Returns a region that leaves a loop without constructs, and its values.
fn leaving(ir: &Func, region: Region) -> Option<(&RegionData, &[Value])> {
    let data = ir.regions.get(region)?;
    let Exit::Break(values) = data.exit else { return None };
    data.items.iter().all(|item| is_pure(ir, item)).then(|| (data, ir.get(values)))
}

/// Returns what a value is a copy of: one other value, or `None` inside if it is a constant. Other
/// operations copy nothing.
fn copied(ir: &Func, value: Value) -> Option<Option<Value>> {
    match ir.op(value)? {
        Op::Const(_) => Some(None),
        Op::Shuffle(lanes) => {
            let [first, others @ ..] = &lanes[..usize::from(ir.ty(value).lanes)] else { return None };
            others.iter().all(|lane| lane.value() == first.value()).then(|| Some(first.value()))
        }
        _other => None,
    }
}

/// Returns whether two values are equal: the same, or one operation on the same operands.
fn is_same(ir: &Func, a: Value, b: Value) -> bool {
    a == b || ir.op(a).is_some_and(|op| ir.op(b) == Some(op) && !matches!(op, Op::Submit { .. }))
}

/// Returns the exits of a region and of the arms of each `If` in it, each with whether leaving the
/// arm is falling off the end of the region.
pub fn exits(ir: &Func, body: Region) -> Vec<(Exit, bool)> {
    let (mut work, mut exits) = (vec![(body, true)], Vec::new());
    while let Some((region, at_end)) = work.pop() {
        let Some(data) = ir.regions.get(region) else { continue };
        exits.push((data.exit, at_end));
        for (index, item) in data.items.iter().enumerate() {
            let is_last = at_end && data.exit == Exit::Unreachable && index + 1 == data.items.len();
            // In other constructs a `Break` leaves the construct itself.
            if let Item::Node(node) = *item
                && let Some(&NodeData::If { then, otherwise, .. }) = ir.nodes.get(node)
            {
                work.extend([(then, is_last), (otherwise, is_last)]);
            }
        }
    }
    exits
}

const fn is_node(item: &Item) -> bool {
    matches!(item, Item::Node(_))
}

/// Returns whether an item only evaluates a value.
fn is_pure(ir: &Func, item: &Item) -> bool {
    matches!(*item, Item::Let(value) if !matches!(ir.op(value), Some(Op::Submit { .. })))
}
