//! The number of operands that read each lane, through shuffles and negations.
//! In: a function. Out: counts; lanes that leave a construct or decide one count, too.

use crate::ir::walk::{Step, Walk};
use crate::ir::{Func, Lane, NodeData, Op, ScalarKind, Unary, Value, ValueList};

use super::select::{Root, root};

/// Counts of reads, by lane.
pub(super) struct Uses {
    counts: Vec<u32>,
    /// Reads by a counter, inside another loop.
    early: Vec<bool>,
    /// The parameters of the loop that is open.
    params: Vec<ValueList>,
}

impl Uses {
    pub fn new(f: &Func) -> Self {
        let (counts, early) = (vec![0; 4 * f.values.len()], vec![false; f.values.len()]);
        let mut uses = Self { counts, early, params: Vec::new() };
        let mut walk = Walk::new(f);
        while let Some(step) = walk.next(f) {
            match step {
                Step::Let(value) => uses.operation(f, value),
                Step::Leave(node) if f.nodes[node].is_loop() => {
                    uses.params.pop();
                }
                Step::Enter(node) => {
                    let node = &f.nodes[node];
                    node.decider().into_iter().for_each(|value| uses.all(f, value));
                    // The values that a loop begins with.
                    if let NodeData::Loop { inits, params, .. } = node {
                        f.get(*inits).iter().for_each(|&value| uses.all(f, value));
                        uses.params.push(*params);
                    }
                }
                Step::End(region) => {
                    let list = f.regions[region].exit.list();
                    f.get(list).iter().for_each(|&value| uses.all(f, value));
                }
                Step::Begin(_) | Step::Leave(_) => {}
            }
        }
        uses
    }

    fn operation(&mut self, f: &Func, value: Value) {
        match f.op(value) {
            // Their readers read through them.
            None | Some(Op::Shuffle(_) | Op::Unary(Unary::Neg, _)) => {}
            // The number of vertices before it only keeps the order.
            Some(Op::Submit { args }) => {
                f.get(args).iter().skip(1).for_each(|&value| self.all(f, value));
            }
            Some(op) => op.for_each(&f.pool, |operand| self.all(f, operand)),
        }
    }

    /// Counts a read of all lanes of a value.
    fn all(&mut self, f: &Func, value: Value) {
        for lane in 0..f.ty(value).lanes {
            let lane = Lane::new(value, lane);
            let lane = match root(f, lane).0 {
                Root::Value(lane) => lane,
                Root::Relative { address, component, read, .. } => {
                    self.counts[slot(Lane::new(read, component))] += 1;
                    let outer = self.params.split_last().map_or(&[][..], |(_, outer)| outer);
                    let is_outer = outer.iter().any(|list| f.get(*list).contains(&address.value()));
                    self.early[read.0 as usize] |= is_outer;
                    address
                }
                _other => continue,
            };
            self.counts[slot(lane)] += 1;
            // Conditions and addresses are computed where they are needed, perhaps twice.
            if f.ty(lane.value()).kind != ScalarKind::F32
                && let Some(op) = f.op(lane.value())
            {
                op.for_each(&f.pool, |operand| self.again(f, operand));
            }
        }
    }

    fn again(&mut self, f: &Func, value: Value) {
        for lane in 0..f.ty(value).lanes {
            if let Root::Value(lane) = root(f, Lane::new(value, lane)).0 {
                self.counts[slot(lane)] += 1;
            }
        }
    }

    /// Returns whether a relative read is made where it stands, as its counter is gone later.
    pub fn is_early(&self, read: Value) -> bool {
        self.early[read.0 as usize]
    }

    /// The number of reads of a lane.
    pub fn of(&self, lane: Lane) -> u32 {
        self.counts[slot(lane)]
    }
}

fn slot(lane: Lane) -> usize {
    4 * lane.value().0 as usize + usize::from(lane.index())
}
