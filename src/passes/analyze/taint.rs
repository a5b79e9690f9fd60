//! Dependence of values on others, through data and through decisions; errs on the side of
//! "depends".
//! In: a function of either stage, and the values where it begins. Out: lane masks by value, a
//! [domain](crate::ir::dataflow). Changes nothing. Its users,
//! [`dependence`](super::dependence) and [`leave`](crate::passes::drivers::leave), choose the
//! dependence.

use std::sync::Arc;

use crate::ir::dataflow::{self, Domain};
use crate::ir::{Array, Def, Exit, Func, Node, NodeData, Op, Resource, Target, Value, ValueData, ValueList};

/// A construct around the current place.
pub(crate) struct Open {
    node: Node,
    /// Set if a decision inside depends on a tainted value, so that which exit is taken, and with
    /// it every result, may differ.
    doubtful: bool,
    /// Number of the outermost construct that an exit inside jumps to, or its own number if none
    /// jumps further.
    target: usize,
}

/// The lanes known to be tainted so far, by value.
pub(crate) struct Taint<'a> {
    pub f: &'a Func,
    /// By helper: whether its result is tainted whatever its arguments are.
    pub helpers: Vec<bool>,
    /// Values that differ between invocations taint.
    pub invocations: bool,
    /// A loop whose iterations are looked at one by one: what it continues with goes to `next`.
    pub cut: Option<Node>,
    /// By parameter of that loop: the lanes that are tainted in its next iteration.
    pub next: Vec<u8>,
    /// By value.
    pub lanes: Vec<u8>,
    /// Loops, the cut one excluded, that may run longer or shorter.
    pub doubtful_loops: Vec<Node>,
    /// Number of them before the outermost loop around the place.
    pub before: usize,
    /// The constructs around the place.
    pub open: Vec<Open>,
}

impl<'a> Taint<'a> {
    /// Nothing is tainted.
    pub fn new(f: &'a Func) -> Self {
        Self {
            f,
            helpers: Vec::new(),
            invocations: false,
            cut: None,
            next: Vec::new(),
            lanes: vec![0; f.values.len()],
            doubtful_loops: Vec::new(),
            before: 0,
            open: Vec::new(),
        }
    }

    /// Taints lanes; returns whether any was new.
    fn add(&mut self, value: Value, lanes: u8) -> bool {
        let all = &mut self.lanes[value.0 as usize];
        let more = lanes & !*all != 0;
        *all |= lanes;
        more
    }
    fn add_list(&mut self, list: ValueList, lanes: u8) -> bool {
        let f = self.f;
        f.get(list).iter().fold(false, |more, &value| self.add(value, lanes) | more)
    }
    fn get(&self, value: Value) -> u8 {
        self.lanes[value.0 as usize]
    }
    fn any(&self, value: Value) -> u8 {
        if self.get(value) != 0 { 15 } else { 0 }
    }
    fn copy(&mut self, from: ValueList, to: ValueList) -> bool {
        let f = self.f;
        let pairs = f.get(from).iter().zip(f.get(to));
        pairs.fold(false, |more, (&from, &to)| self.add(to, self.get(from)) | more)
    }

    /// Finds everything that depends on what is tainted.
    pub fn spread(&mut self) {
        self.doubtful_loops.clear();
        dataflow::run(self.f, self);
    }

    /// Makes constructs doubtful that a doubtful one may leave; the first of them is the one jumped
    /// to. Returns whether a parameter of a loop was found.
    fn doubt(&mut self, target: usize) -> bool {
        let open = &mut self.open[target..];
        open.iter_mut().for_each(|outer| outer.doubtful = true);
        let Some(first) = open.first().map(|first| first.node) else { return false };
        if self.cut == Some(first) {
            self.next.fill(15);
            return false;
        }
        self.f.nodes[first].is_loop() && self.add_list(self.f.nodes[first].params(), 15)
    }
}

impl Domain for Taint<'_> {
    fn define(&mut self, _f: &Func, value: Value) {
        let Def::Op(op) = self.f.values[value].def else { return };
        // Each invocation has inputs of its own.
        if self.invocations && differs_between_invocations(op) {
            self.add(value, 15);
            return;
        }
        let lanes = match op {
            Op::Unary(_, a) => self.get(a),
            Op::Binary(_, a, b) => {
                let both = self.get(a) | self.get(b);
                if self.f.ty(a).lanes == self.f.ty(value).lanes { both } else { self.any(a) | self.any(b) }
            }
            Op::Select { cond, a, b } => self.get(cond) | self.get(a) | self.get(b),
            Op::Shuffle(from) => (0..4).fold(0, |lanes, to| {
                let from = from[to];
                lanes | (self.get(from.value()) >> from.index() & 1) << to
            }),
            Op::ReadAt(_, index) => self.any(index),
            Op::Call { helper, .. } if self.helpers[usize::from(helper)] => 15,
            Op::Call { args, .. } => self.f.get(args).iter().fold(0, |lanes, &arg| lanes | self.any(arg)),
            // A number of triangles follows from decisions only.
            Op::Submit { args } => self.f.get(args).first().map_or(0, |&count| self.any(count)),
            Op::Const(_) | Op::Read(_) => 0,
        };
        self.add(value, lanes);
    }

    fn enter(&mut self, f: &Func, node: Node, _round: u32) {
        let doubtful = f.nodes[node].decider().is_some_and(|value| self.get(value) != 0);
        self.open.push(Open { node, doubtful, target: self.open.len() });
        if let NodeData::Loop { params, inits, .. } = f.nodes[node]
            && self.cut != Some(node)
        {
            self.copy(inits, params);
        }
    }

    fn exit(&mut self, f: &Func, exit: Exit, target: Target, _round: u32) -> bool {
        // Doubt about any of them is doubt about whether this exit is taken.
        for inner in &mut self.open[target.depth..] {
            inner.target = inner.target.min(target.depth);
        }
        let (list, repeats) = (exit.list(), matches!(exit, Exit::Continue(_)));
        if repeats && self.cut == Some(target.node) {
            for (next, &value) in self.next.iter_mut().zip(f.get(list)) {
                *next |= self.lanes[value.0 as usize];
            }
            return false;
        }
        self.copy(list, f.nodes[target.node].takers(exit)) && repeats
    }

    fn leave(&mut self, f: &Func, node: Node, again: bool) -> bool {
        let inner = self.open.pop();
        let Some(Open { doubtful: true, target, .. }) = inner.filter(|_| !again) else { return false };
        if f.nodes[node].is_loop() && self.cut != Some(node) {
            self.doubtful_loops.push(node);
        }
        self.add_list(f.nodes[node].results(), 15);
        // The decision may also end or repeat what is around it.
        self.doubt(target)
    }

    fn mark(&mut self) {
        self.before = self.doubtful_loops.len();
    }

    fn reset(&mut self) {
        self.doubtful_loops.truncate(self.before);
    }
}

/// Returns of each helper whether it has such an operation, itself or through one that it calls.
pub(crate) fn helpers_with(helpers: &[Arc<Func>], is_such: impl Fn(Op) -> bool) -> Vec<bool> {
    let mut found: Vec<bool> = Vec::with_capacity(helpers.len());
    for helper in helpers {
        let has = |value: &ValueData| match value.def {
            // It calls only helpers before it.
            Def::Op(Op::Call { helper, .. }) => found[usize::from(helper)],
            Def::Op(op) => is_such(op),
            Def::Param | Def::Result | Def::Dead => false,
        };
        found.push(helper.values.values().iter().any(has));
    }
    found
}

/// Returns whether an operation reads what each invocation has of its own.
pub(crate) fn differs_between_invocations(op: Op) -> bool {
    matches!(op, Op::Read(Resource::Input(_) | Resource::Draw(_)) | Op::ReadAt(Array::Buffer(_), _))
}
