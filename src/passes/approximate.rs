//! Which outputs depend on EX2 or LG2, the two operations whose last bits differ between drivers.
//! In: a module of either stage. Out: a lane mask for each output. Changes nothing. Dependence goes through data and
//! through decisions, and errs on the side of "depends".

use crate::ir::{Def, Exit, Func, Module, Node, NodeData, Op, Step, Unary, Value, ValueList, Walk};

/// For each output of the main function, the lanes (bit 0 is the first) that depend on EX2 or LG2, through data or through
/// a decision.
pub fn run(module: &Module) -> Vec<u8> {
    let f = &module.main;
    let helpers = module.helpers.iter().map(computes_approximately).collect();
    let mut taint = Taint { f, helpers, lanes: vec![0; f.values.len()], changed: true };
    while taint.changed {
        taint.changed = false;
        taint.sweep();
    }
    let yielded = f.body.map(|body| f.regions[body].exit);
    match yielded {
        Some(Exit::Yield(list)) => f.get(list).iter().map(|&value| taint.lanes[value.0 as usize]).collect(),
        Some(Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable) | None => Vec::new(),
    }
}

/// Whether a helper computes a power or a logarithm itself.
fn computes_approximately(helper: &Func) -> bool {
    let approximate = |def: Def| matches!(def, Def::Op(Op::Unary(Unary::Exp2 | Unary::Log2, _)));
    helper.values.values().iter().any(|value| approximate(value.def))
}

/// The lanes known to be approximate so far, by value.
struct Taint<'a> {
    f: &'a Func,
    /// By helper: whether it computes approximately.
    helpers: Vec<bool>,
    lanes: Vec<u8>,
    changed: bool,
}

impl Taint<'_> {
    fn add(&mut self, value: Value, lanes: u8) {
        let all = &mut self.lanes[value.0 as usize];
        self.changed |= lanes & !*all != 0;
        *all |= lanes;
    }
    fn add_list(&mut self, list: ValueList, lanes: u8) {
        for &value in &self.f.pool[list.range()] {
            self.add(value, lanes);
        }
    }
    fn of(&self, value: Value) -> u8 {
        self.lanes[value.0 as usize]
    }
    fn any(&self, value: Value) -> u8 {
        if self.of(value) != 0 { 15 } else { 0 }
    }
    fn copy(&mut self, from: ValueList, to: ValueList) {
        for (&from, &to) in self.f.pool[from.range()].iter().zip(&self.f.pool[to.range()]) {
            self.add(to, self.of(from));
        }
    }

    /// One pass over the function in program order.
    fn sweep(&mut self) {
        let f = self.f;
        let mut walk = Walk::new(f);
        // The constructs around the current place; true once a decision inside depends on an approximate value, so that
        // which exit is taken, and with it every result, may differ.
        let mut open: Vec<(Node, bool)> = Vec::new();
        while let Some(step) = walk.next(f) {
            match step {
                Step::Let(value) => self.value(value),
                Step::Begin(_) => {}
                Step::Enter(node) => {
                    let doubtful = f.nodes[node].decider().is_some_and(|value| self.of(value) != 0);
                    open.push((node, doubtful));
                    if let NodeData::Loop { params, inits, .. } = &f.nodes[node] {
                        self.copy(*inits, *params);
                    }
                }
                Step::End(region) => self.leave(f.regions[region].exit, &open),
                Step::Leave(node) => {
                    let Some((_, doubtful)) = open.pop() else { continue };
                    if doubtful {
                        self.add_list(f.nodes[node].results(), 15);
                        // The decision may also end or repeat what is around it.
                        self.doubt_targets(node, &mut open);
                    }
                }
            }
        }
    }

    /// A doubtful construct whose arms jump makes the constructs jumped to doubtful.
    fn doubt_targets(&mut self, node: Node, open: &mut [(Node, bool)]) {
        let data = &self.f.nodes[node];
        let mut index = 0;
        let mut jumps = false;
        while let Some(region) = data.child(index) {
            jumps |= !matches!(self.f.regions[region].exit, Exit::Yield(_));
            index += 1;
        }
        if !jumps {
            return;
        }
        for (outer, doubtful) in open.iter_mut().rev() {
            *doubtful = true;
            if let NodeData::Loop { params, .. } = &self.f.nodes[*outer] {
                self.add_list(*params, 15);
                self.add_list(self.f.nodes[*outer].results(), 15);
                break;
            }
        }
    }

    fn leave(&mut self, exit: Exit, open: &[(Node, bool)]) {
        let f = self.f;
        match exit {
            Exit::Yield(list) => {
                if let Some((node, _)) = open.last() {
                    self.copy(list, f.nodes[*node].results());
                }
            }
            Exit::Break(list) => {
                if let Some((node, _)) = open.iter().rev().find(|(node, _)| f.nodes[*node].is_breakable()) {
                    self.copy(list, f.nodes[*node].results());
                }
            }
            Exit::Continue(list) => {
                let target = open.iter().rev().find(|(node, _)| f.nodes[*node].is_loop());
                if let Some(NodeData::Loop { params, .. }) = target.map(|(node, _)| &f.nodes[*node]) {
                    self.copy(list, *params);
                }
            }
            Exit::Unreachable => {}
        }
    }

    fn value(&mut self, value: Value) {
        let Def::Op(op) = self.f.values[value].def else { return };
        let lanes = match op {
            Op::Unary(Unary::Exp2P | Unary::Log2P | Unary::Exp2 | Unary::Log2, _) => 15,
            Op::Unary(_, a) => self.of(a),
            Op::Binary(_, a, b) => {
                let both = self.of(a) | self.of(b);
                if self.f.ty(a).lanes == self.f.ty(value).lanes { both } else { self.any(a) | self.any(b) }
            }
            Op::Select { cond, a, b } => self.of(cond) | self.of(a) | self.of(b),
            Op::Shuffle(from) => (0..4).fold(0, |lanes, to| {
                let from = from[to];
                lanes | (self.of(from.value()) >> from.index() & 1) << to
            }),
            Op::UniformAt { offset, .. } => self.any(offset),
            Op::MemberAt { index, .. } => self.any(index),
            Op::Call { helper, .. } if self.helpers[usize::from(helper)] => 15,
            Op::Call { args, .. } => self.f.get(args).iter().fold(0, |lanes, &arg| lanes | self.any(arg)),
            Op::Const(_)
            | Op::Input(_)
            | Op::Uniform(_)
            | Op::IntUniform { .. }
            | Op::BoolUniform(_)
            | Op::HostField(_)
            | Op::Specialized(_)
            | Op::Member { .. } => 0,
        };
        self.add(value, lanes);
    }
}
