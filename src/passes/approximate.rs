//! Which outputs depend on EX2 or LG2, the two operations whose last bits differ between drivers.
//! In: a module of either stage. Out: a lane mask for each output. Changes nothing. Dependence goes through data and
//! through decisions, and errs on the side of "depends".

#[cfg(test)]
mod tests;

use crate::ir::{Def, Exit, Func, Module, Node, NodeData, Op, Step, Unary, Value, ValueList, Walk};

/// For each output of the main function, the lanes (bit 0 is the first) that depend on EX2 or LG2, through data or through
/// a decision.
pub fn run(module: &Module) -> Vec<u8> {
    let f = &module.main;
    let mut helpers = Vec::with_capacity(module.helpers.len());
    for helper in &module.helpers {
        // It calls only helpers before it.
        helpers.push(computes_approximately(helper, &helpers));
    }
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

/// Whether a helper computes a power or a logarithm, itself or through one before it.
fn computes_approximately(helper: &Func, before: &[bool]) -> bool {
    helper.values.values().iter().any(|value| match value.def {
        Def::Op(Op::Unary(op, _)) => matches!(op, Unary::Exp2 | Unary::Log2),
        Def::Op(Op::Call { helper, .. }) => before[usize::from(helper)],
        Def::Op(_) | Def::Param | Def::Result | Def::Dead => false,
    })
}

/// A construct around the current place.
struct Open {
    node: Node,
    /// Whether a decision inside depends on an approximate value, so that which exit is taken, and with it every result,
    /// may differ.
    doubtful: bool,
    /// Number of the outermost construct that an exit inside jumps to; its own number if none jumps further.
    target: usize,
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
        let mut open: Vec<Open> = Vec::new();
        while let Some(step) = walk.next(f) {
            match step {
                Step::Let(value) => self.value(value),
                Step::Begin(_) => {}
                Step::Enter(node) => {
                    let doubtful = f.nodes[node].decider().is_some_and(|value| self.of(value) != 0);
                    open.push(Open { node, doubtful, target: open.len() });
                    if let NodeData::Loop { params, inits, .. } = &f.nodes[node] {
                        self.copy(*inits, *params);
                    }
                }
                Step::End(region) => self.leave(f.regions[region].exit, &mut open),
                Step::Leave(node) => {
                    let Some(Open { doubtful: true, target, .. }) = open.pop() else { continue };
                    self.add_list(f.nodes[node].results(), 15);
                    // The decision may also end or repeat what is around it.
                    self.doubt(&mut open[target..]);
                }
            }
        }
    }

    /// Makes constructs doubtful that a doubtful one may leave; the first of them is the one jumped to.
    fn doubt(&mut self, open: &mut [Open]) {
        open.iter_mut().for_each(|outer| outer.doubtful = true);
        if let Some(NodeData::Loop { params, .. }) = open.first().map(|outer| &self.f.nodes[outer.node]) {
            self.add_list(*params, 15);
        }
    }

    fn leave(&mut self, exit: Exit, open: &mut [Open]) {
        let f = self.f;
        let innermost = |open: &[Open], takes: fn(&NodeData) -> bool| {
            open.iter().rposition(|outer| takes(&f.nodes[outer.node]))
        };
        let (target, list) = match exit {
            Exit::Yield(list) => (open.len().checked_sub(1), list),
            Exit::Break(list) => (innermost(open, NodeData::is_breakable), list),
            Exit::Continue(list) => (innermost(open, NodeData::is_loop), list),
            Exit::Unreachable => (None, ValueList::EMPTY),
        };
        let Some(target) = target else { return };
        open[target..].iter_mut().for_each(|inner| inner.target = inner.target.min(target));
        match (exit, &f.nodes[open[target].node]) {
            (Exit::Continue(_), NodeData::Loop { params, .. }) => self.copy(list, *params),
            (_, data) => self.copy(list, data.results()),
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
