//! Leaves a loop at its head only, where invocations may leave it in different iterations.
//! In and out: a function of either stage. Knows no operations but those whose value differs
//! between invocations.
//!
//! ```text
//! loop (%2 = %0) { A ; if %c { break %3 } ; B ; continue %3 } -> %5
//!     =>
//! loop (%2 = %0, %6 = false) { if %6 { break %2 } ; A ; if %c { continue %3, true } ; B ; continue %3, false } -> %5
//! ```
//!
//! Drivers that run invocations side by side go on loading and computing for those that have left,
//! until the last one has. Two of them keep for those only what they write under a mask: phis that
//! they cannot remove (drivers.md#computed-after-loop, drivers.md#loaded-after-loop). Parameters
//! are right on both, so a loop that is left at its head is. Only loops pay that are left by a
//! decision that differs between invocations. Drivers of GPUs need none of that, so
//! [`Profile::leave_loops_at_head`](crate::Profile::leave_loops_at_head) decides.

use std::sync::Arc;

use crate::ir::{Def, Exit, Func, Item, Node, NodeData, Op, Region, RegionData, Type, Value, ValueList};
use crate::passes::analyze::flow::ValueFlow;
use crate::passes::analyze::taint::{Taint, differs_between_invocations, helpers_with};
use crate::passes::scratch::Scratch;

/// Rewrites the loops whose values could be those of a later iteration.
pub fn run(f: &mut Func, helpers: &[Arc<Func>], scratch: &mut Scratch) -> bool {
    let gives = |data: &NodeData| data.is_loop() && data.results().len > 0;
    if !f.nodes.values().iter().any(gives) {
        return false;
    }
    let helpers = helpers_with(helpers, differs_between_invocations);
    let mut taint = Taint { helpers, invocations: true, ..Taint::new(f) };
    taint.spread();
    let doubtful = taint.doubtful_loops;
    if doubtful.is_empty() {
        return false;
    }
    let flow = &mut scratch.flow;
    flow.compute(f);
    let risky = |node: &Node| doubtful.contains(node) && has_computed_results(f, flow, *node);
    let loops: Vec<Node> = flow.order.iter().copied().filter(risky).collect();
    if loops.is_empty() {
        return false;
    }
    let mut constants = Constants::default();
    for node in loops {
        rewrite(f, flow, node, &mut constants);
    }
    constants.define(f);
    true
}

/// Returns whether an exit of a loop gives anything but one parameter or one value from before the
/// loop, and whether it can iterate.
fn has_computed_results(f: &Func, flow: &ValueFlow, node: Node) -> bool {
    let is_safe = |&result: &Value| {
        let mut only = None;
        let mut same = true;
        flow.for_each_source(f, result, |source| same &= *only.get_or_insert(source) == source);
        same && only.is_none_or(|value| is_own_param(f, flow, node, value) || is_before(flow, node, value))
    };
    flow.continues_from(node).next().is_some() && !f.get(f.nodes[node].results()).iter().all(is_safe)
}

fn is_own_param(f: &Func, flow: &ValueFlow, node: Node, value: Value) -> bool {
    f.values[value].def == Def::Param && flow.origin(value).is_some_and(|(origin, _)| origin == node)
}

fn is_before(flow: &ValueFlow, node: Node, value: Value) -> bool {
    flow.position(value) < flow.node(node).position
}

/// Makes every `break` of a loop a `continue` that says so, and breaks at the head.
fn rewrite(f: &mut Func, flow: &ValueFlow, node: Node, constants: &mut Constants) {
    let NodeData::Loop { params, inits, body, results } = f.nodes[node] else { return };
    let carriers = carriers(f, flow, node, params);
    let leaving = f.value(Type::BOOL, Def::Param);
    let (go, leave) = (constants.get(f, Type::BOOL, 0), constants.get(f, Type::BOOL, 1));
    let (mut all, mut first) = (f.get(params).to_vec(), f.get(inits).to_vec());
    all.push(leaving);
    first.push(go);
    let mut given = Vec::with_capacity(carriers.len());
    for (index, carrier) in carriers.into_iter().enumerate() {
        given.push(carrier.unwrap_or_else(|| {
            let ty = f.ty(f.get(results)[index]);
            let param = f.value(ty, Def::Param);
            f.values[param].hint = f.values[f.get(results)[index]].hint;
            all.push(param);
            // It never leaves the loop.
            first.push(constants.get(f, ty, 0));
            all.len() - 1
        }));
    }
    for region in flow.continues_from(node) {
        let mut list = f.get(f.regions[region].exit.list()).to_vec();
        list.push(go);
        list.extend_from_slice(&all[list.len()..]);
        f.regions[region].exit = Exit::Continue(f.list(list));
    }
    for region in flow.results_from(node) {
        let mut list = all.clone();
        // The flag makes the head break; the other new parameters carry the results.
        list[params.len as usize] = leave;
        for (&place, &value) in given.iter().zip(f.get(f.regions[region].exit.list())) {
            list[place] = value;
        }
        f.regions[region].exit = Exit::Continue(f.list(list));
    }
    let out = f.list(given.iter().map(|&place| all[place]));
    let then = f.regions.push(RegionData { items: Vec::new(), exit: Exit::Break(out) });
    let otherwise = f.regions.push(RegionData { items: Vec::new(), exit: Exit::Yield(ValueList::EMPTY) });
    let head = f.nodes.push(NodeData::If { cond: leaving, then, otherwise, results: ValueList::EMPTY });
    f.regions[body].items.insert(0, Item::Node(head));
    let (params, inits) = (f.list(all), f.list(first));
    f.nodes[node] = NodeData::Loop { params, inits, body, results };
}

/// For each result of a loop the parameter that carries it to the head, if there is one that takes
/// the same value anyway. (Another one, a loop counter say, would not be the same for all
/// invocations any more.)
fn carriers(f: &Func, flow: &ValueFlow, node: Node, params: ValueList) -> Vec<Option<usize>> {
    // One exit of each sort is enough for a guess.
    let given =
        |region: Option<Region>| region.map_or(&[][..], |region| f.get(f.regions[region].exit.list()));
    let (leaving, staying) = (given(flow.results_from(node).next()), given(flow.continues_from(node).next()));
    let params = f.get(params);
    let mut taken = vec![false; params.len()];
    let carrier = |&value: &Value| {
        let suits = |&place: &usize| !taken[place] && (params[place] == value || staying[place] == value);
        let place = (0..params.len()).find(suits)?;
        taken[place] = true;
        Some(place)
    };
    leaving.iter().map(carrier).collect()
}

/// Constants that are defined where the function begins.
#[derive(Default)]
struct Constants {
    values: Vec<(Type, u32, Value)>,
}

impl Constants {
    /// The constant with these bits in every lane.
    fn get(&mut self, f: &mut Func, ty: Type, bits: u32) -> Value {
        if let Some(&(.., value)) = self.values.iter().find(|known| (known.0, known.1) == (ty, bits)) {
            return value;
        }
        let value = f.value(ty, Def::Op(Op::splat(ty, bits)));
        self.values.push((ty, bits, value));
        value
    }

    fn define(self, f: &mut Func) {
        let Some(body) = f.body else { return };
        f.regions[body].items.splice(0..0, self.values.into_iter().map(|(.., value)| Item::Let(value)));
    }
}
