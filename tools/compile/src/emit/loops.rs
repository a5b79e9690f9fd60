//! Shapes of loops that the machine has an instruction for.
//! In: a loop of a function. Out: what counts it, and which of its parameters only count.
//!
//! ```text
//! loop (.., %a = %iy, %left = %ix) { ..; if %left > 0 {} else { break .. } continue .., %a + %iz, %left - 1 }
//! ```

use crate::ir::{Binary, Exit, Func, Item, Node, NodeData, Op, Region, Resource, Unary, Value};

/// Shape of a loop.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The int uniform that counts it, or none: it jumps back.
    pub int: Option<u8>,
    /// The parameter that aL holds.
    pub counter: Option<Value>,
    /// Parameters that the machine keeps itself.
    pub kept: Vec<bool>,
    /// The `if` at its end, that leaves it.
    pub tail: Node,
    /// Other places that leave it.
    pub exits: usize,
    /// Results that are aL after the loop.
    pub after: Vec<bool>,
}

/// The arm of an `if` that leaves a loop, and whether it is the first, if the other one ends as
/// usual.
pub(super) fn leaving(f: &Func, node: Node) -> Option<(Region, bool)> {
    let NodeData::If { then, otherwise, .. } = f.nodes[node] else { return None };
    // Both parts run before the test, in every round; a loop in one might not end.
    if has_loop(f, vec![then, otherwise]) {
        return None;
    }
    match (f.regions[then].exit, f.regions[otherwise].exit) {
        (Exit::Break(_), Exit::Yield(_)) => Some((then, true)),
        (Exit::Yield(_), Exit::Break(_)) => Some((otherwise, false)),
        _other => None,
    }
}

fn has_loop(f: &Func, mut regions: Vec<Region>) -> bool {
    while let Some(region) = regions.pop() {
        for item in &f.regions[region].items {
            let Item::Node(node) = *item else { continue };
            if f.nodes[node].is_loop() {
                return true;
            }
            regions.extend(f.nodes[node].regions());
        }
    }
    false
}

/// The shape of a loop, if it has one.
pub(super) fn shape(f: &Func, node: Node) -> Option<Shape> {
    let NodeData::Loop { params, inits, body, results } = f.nodes[node] else { return None };
    let Exit::Continue(next) = f.regions[body].exit else { return None };
    let nodes = f.regions[body].items.iter().filter_map(|item| match *item {
        Item::Node(node) => Some(node),
        Item::Let(_) => None,
    });
    let nodes: Vec<Node> = nodes.collect();
    let leaves: Vec<Node> = nodes.iter().copied().filter(|&node| leaving(f, node).is_some()).collect();
    // What stands behind it would run once more.
    let &tail = leaves.last().filter(|&tail| nodes.last() == Some(tail))?;
    let exits = leaves.len() - 1;
    let (params, inits, next) = (f.get(params), f.get(inits), f.get(next));
    let mut shape =
        Shape { int: None, counter: None, kept: vec![false; params.len()], tail, exits, after: Vec::new() };
    let counted = (0..params.len()).find_map(|n| Some((n, count(f, params[n], inits[n], next[n], tail)?)));
    let Some((left, int)) = counted else { return (exits == 0).then_some(shape) };
    shape.int = Some(int);
    shape.kept[left] = true;
    for n in 0..params.len() {
        if reads(f, inits[n], int, 1) && steps(f, next[n], params[n], int) {
            shape.counter = Some(params[n]);
            shape.kept[n] = true;
        }
    }
    let lists: Vec<&[Value]> =
        leaves.iter().filter_map(|&node| Some(f.get(f.regions[leaving(f, node)?.0].exit.list()))).collect();
    let is_after = |n: usize| {
        shape.counter.is_some_and(|counter| lists.iter().all(|list| steps(f, list[n], counter, int)))
    };
    shape.after = (0..results.len as usize).map(is_after).collect();
    Some(shape)
}

fn reads(f: &Func, value: Value, int: u8, part: u8) -> bool {
    matches!(f.op(value), Some(Op::Read(Resource::IntUniform { index, component })) if (index, component) == (int, part))
}

/// Returns whether a value is the counter and the step of an int uniform.
fn steps(f: &Func, value: Value, counter: Value, int: u8) -> bool {
    let Some(Op::Binary(Binary::IAdd, a, b)) = f.op(value) else { return false };
    a == counter && reads(f, b, int, 2) || b == counter && reads(f, a, int, 2)
}

/// The int uniform whose count a parameter is.
fn count(f: &Func, param: Value, init: Value, next: Value, tail: Node) -> Option<u8> {
    let Some(Op::Read(Resource::IntUniform { index, component: 0 })) = f.op(init) else { return None };
    let Some(Op::Binary(Binary::ISub, a, one)) = f.op(next) else { return None };
    if a != param || !is(f, one, 1) {
        return None;
    }
    let NodeData::If { cond, .. } = f.nodes[tail] else { return None };
    let (_, mut leaves) = leaving(f, tail)?;
    let mut cond = cond;
    while let Some(Op::Unary(Unary::Not, a)) = f.op(cond) {
        (cond, leaves) = (a, !leaves);
    }
    let Some(Op::Binary(Binary::IGreater, a, zero)) = f.op(cond) else { return None };
    (!leaves && a == param && is(f, zero, 0)).then_some(index)
}

fn is(f: &Func, value: Value, number: u32) -> bool {
    matches!(f.op(value), Some(Op::Const([bits, ..])) if bits == number)
}
