//! Data dependence of an invocation of a geometry program on earlier ones.
//! In: the main function of a kernel whose invocations run in a loop, see [`lift`](crate::lift).
//! Out: [`Dependence`].
//!
//! The parameters of the loop that begin as words of the state carry it. Let all of them be
//! unknown. The lanes that are then unknown after one invocation are unknown to the next one, and
//! so on. If everything is known after k invocations, running the k preceding ones from any state
//! reproduces the state of an invocation.

use super::flow::ValueFlow;
use super::taint::Taint;
use crate::geometry::Dependence;
use crate::ir::{Array, Buffer, Func, Item, Module, Node, NodeData, Op, Value, ValueList};

/// Invocations that are worth running twice.
const MOST: u32 = 8;

/// Finds how far back an invocation depends on others.
pub fn run(module: &Module) -> Dependence {
    let f = &module.main;
    let Some((node, params)) = invocations(f) else { return Dependence::None };
    let carried = carried_lanes(f, node, params);
    let mut unknown = carried.clone();
    for depth in 0..=MOST {
        if unknown.iter().all(|&lanes| lanes == 0) {
            return if depth == 0 { Dependence::None } else { Dependence::Depth(depth) };
        }
        let mut taint = Taint { cut: Some(node), next: vec![0; unknown.len()], ..Taint::new(f) };
        for (&param, &lanes) in f.get(params).iter().zip(&unknown) {
            taint.lanes[param.0 as usize] = lanes;
        }
        taint.spread();
        if !taint.doubtful_loops.is_empty() {
            // From an unknown state it might never end.
            return Dependence::Unbounded;
        }
        // What does not begin as state is the same in every thread that runs the invocation.
        let next: Vec<u8> = taint.next.iter().zip(&carried).map(|(lanes, carried)| lanes & carried).collect();
        if next == unknown {
            return Dependence::Unbounded;
        }
        unknown = next;
    }
    Dependence::Unbounded
}

/// By parameter of the loop over invocations: the lanes that begin as words of the state.
fn carried_lanes(f: &Func, node: Node, params: ValueList) -> Vec<u8> {
    let mut taint = Taint { cut: Some(node), next: vec![0; f.get(params).len()], ..Taint::new(f) };
    for (value, data) in f.values.iter() {
        if let crate::ir::Def::Op(Op::ReadAt(Array::Buffer(Buffer::State), _)) = data.def {
            taint.lanes[value.0 as usize] = 1;
        }
    }
    taint.spread();
    let NodeData::Loop { inits, .. } = f.nodes[node] else { return Vec::new() };
    let mut flow = ValueFlow::default();
    flow.compute(f);
    let lanes = |(index, &init): (usize, &Value)| {
        // What every iteration hands on as it found it is what it was before the draw, and every
        // thread knows that.
        let own = f.get(params)[index];
        let is_same = |region| f.get(f.regions[region].exit.list()).get(index) == Some(&own);
        if flow.continues_from(node).all(is_same) { 0 } else { taint.lanes[init.0 as usize] }
    };
    f.get(inits).iter().enumerate().map(lanes).collect()
}

/// The loop over invocations: the first construct of the function.
fn invocations(f: &Func) -> Option<(Node, ValueList)> {
    let body = &f.regions[f.body?];
    let node = body.items.iter().find_map(|item| match *item {
        Item::Node(node) => Some(node),
        Item::Let(_) => None,
    })?;
    match f.nodes[node] {
        NodeData::Loop { params, .. } => Some((node, params)),
        NodeData::If { .. } | NodeData::Block { .. } | NodeData::Switch { .. } => None,
    }
}
