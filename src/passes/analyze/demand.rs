//! Demanded lanes of each value, and demanded constructs.
//! In: a function. Out: a mask for each value, 0 where it is dead, and a flag for each construct.
//! Changes nothing.
//!
//! Needed are the outputs, what decides a needed construct, and what a needed lane is computed
//! from. A construct is needed if a result of it is, or if it must stay
//! (`NodeFlow::pinned`) and the construct around it is needed. Values are looked at from the last
//! to the first, and again if their masks grow after that. Masks grow at most four times each, so
//! the work is linear.

use super::flow::ValueFlow;
use crate::ir::{Def, Exit, Func, Node, Op, Shape, Type, Value};
use crate::support::entity::Handle;

/// The masks and flags of one function.
#[derive(Debug, Default)]
pub struct Demand {
    masks: Vec<u8>,
    nodes: Vec<bool>,
    /// Number of values that the sweep has not reached yet; the others with new lanes are work.
    ahead: usize,
    work: Vec<Value>,
    node_work: Vec<Option<Node>>,
}

/// All lanes of a type.
pub(crate) fn all_lanes(ty: Type) -> u8 {
    (1 << ty.lanes) - 1
}

impl Demand {
    /// Computes the masks; `flow` is read only where the function has constructs.
    pub fn compute(&mut self, f: &Func, flow: &ValueFlow) {
        self.masks.clear();
        self.masks.resize(f.values.len(), 0);
        self.nodes.clear();
        self.nodes.resize(f.nodes.len(), false);
        self.work.clear();
        self.ahead = f.values.len();
        // The outputs of the function are all demanded; everything else follows from them.
        if let Some(body) = f.body
            && let Exit::Yield(list) = f.regions[body].exit
        {
            f.get(list).iter().for_each(|&value| self.need(value, all_lanes(f.ty(value))));
        }
        if !f.nodes.is_empty() {
            self.need_node(f, flow, None);
        }
        // Users before operands, so that most values are looked at once, with all their lanes.
        while let Some(ahead) = self.ahead.checked_sub(1) {
            self.ahead = ahead;
            if self.masks[ahead] != 0 {
                self.propagate(f, flow, Value(ahead as u32));
            }
            while let Some(value) = self.work.pop() {
                self.propagate(f, flow, value);
            }
        }
    }

    /// The lanes of a value that are needed, bit 0 is x.
    pub(crate) fn mask(&self, value: Value) -> u8 {
        self.masks[value.index()]
    }

    /// The masks of all values.
    pub(crate) fn masks(&self) -> &[u8] {
        &self.masks
    }

    /// Returns whether a construct is needed.
    pub(crate) fn node(&self, node: Node) -> bool {
        self.nodes[node.index()]
    }

    #[inline]
    fn need(&mut self, value: Value, mask: u8) {
        let known = &mut self.masks[value.index()];
        if mask & !*known != 0 {
            *known |= mask;
            if value.index() >= self.ahead {
                self.work.push(value);
            }
        }
    }

    #[inline]
    fn propagate(&mut self, f: &Func, flow: &ValueFlow, value: Value) {
        let mask = self.masks[value.index()];
        let data = f.values[value];
        match data.def {
            Def::Op(op) => self.operands(f, op, data.ty, mask),
            Def::Param | Def::Result => {
                if let Some((node, _)) = flow.origin(value) {
                    flow.for_each_source(f, value, |source| self.need(source, mask));
                    self.need_node(f, flow, Some(node));
                }
            }
            Def::Dead => {}
        }
    }

    fn operands(&mut self, f: &Func, op: Op, ty: Type, mask: u8) {
        match op {
            Op::Const(_) | Op::Read(_) => {}
            Op::ReadAt(_, index) => self.need(index, 1),
            Op::Shuffle(lanes) => {
                for (index, lane) in lanes.into_iter().enumerate().take(usize::from(ty.lanes)) {
                    if mask >> index & 1 != 0 {
                        self.need(lane.value(), 1 << lane.index());
                    }
                }
            }
            Op::Unary(_, a) => self.need(a, mask),
            Op::Binary(op, a, b) => {
                let mask = match op.shape() {
                    Shape::Each => mask,
                    // A dot product reads all lanes for its one.
                    Shape::Dot => all_lanes(f.ty(a)),
                };
                self.need(a, mask);
                self.need(b, mask);
            }
            Op::Select { cond, a, b } => [cond, a, b].into_iter().for_each(|value| self.need(value, mask)),
            Op::Call { args, .. } | Op::Submit { args } => {
                f.get(args).iter().for_each(|&value| self.need(value, all_lanes(f.ty(value))));
            }
        }
    }

    /// Needs a construct, the pinned ones directly inside, and so on inwards; pinned ones of the
    /// body where there is no construct.
    fn need_node(&mut self, f: &Func, flow: &ValueFlow, node: Option<Node>) {
        let mut work = std::mem::take(&mut self.node_work);
        work.push(node);
        while let Some(node) = work.pop() {
            if let Some(node) = node {
                // Its decider and what is inside are demanded already.
                if std::mem::replace(&mut self.nodes[node.index()], true) {
                    continue;
                }
                f.nodes[node].decider().into_iter().for_each(|decider| self.need(decider, 1));
            }
            work.extend(flow.children(node).filter(|&child| flow.node(child).pinned).map(Some));
        }
        self.node_work = work;
    }
}
