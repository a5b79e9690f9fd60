//! Constants that a driver could find, looked for in legal modules.
//! In: a module after `legalize`. Out: the first breach of one of two rules, in words:
//!
//! * no operand of a product or sum is a constant zero, unless the other one is a constant, too;
//! * no constant float goes into a loop parameter, a result or an arm of a selection that a driver
//!   may know while it compiles: by a loop parameter or a specialization constant, or where another
//!   construct has the same value as its condition.
//!
//! NaN is left out: no product and no sum makes a zero of it.

use transpica::stages::entity::Handle;
use transpica::stages::ir::{
    Binary, Def, Func, Lane, Module, NodeData, Op, Resource, ScalarKind, Shape, Step, Value, ValueList, Walk,
};

/// Returns the first breach.
///
/// Helpers must keep the first rule alone: drivers find no constant among their arguments. A
/// function that reads no number when it runs may break both, since every driver computes it
/// altogether.
///
/// ```
/// use transpica_proof::{ir::parse, risk::first_risk};
///
/// let module = parse(
///     "func main { %0: f32x4 = input v0 %1: f32 = const 0 %2: f32 = shuffle %0.x %3: bool = less %1 %2
///        loop (%4: f32 = %1) { %5: f32 = add %4 %2 if %3 { break %5 } continue %5 } -> %6: f32 yield %6 }",
/// )?;
/// assert_eq!(first_risk(&module).as_deref(), Some("function main: %4 takes the constant %1"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn first_risk(module: &Module) -> Option<String> {
    let helpers = module.helpers.iter().map(|f| Search::new(f, None));
    let main = Some(&module.main).filter(|f| reads(f)).map(|f| Search::new(f, Some(copies(f))));
    helpers.chain(main).find_map(|search| {
        let name = &search.f.name;
        Some(format!("function {name}: {}", search.run()?))
    })
}

fn reads(f: &Func) -> bool {
    f.values.values().iter().any(|data| match data.def {
        Def::Op(Op::Read(Resource::Input(_) | Resource::Draw(_))) => true,
        Def::Op(Op::Read(Resource::Member { .. })) => data.ty.lanes > 1,
        Def::Op(_) | Def::Param | Def::Result | Def::Dead => false,
    })
}

fn copies(f: &Func) -> bool {
    let is_specialized = |def| matches!(def, Def::Op(Op::Read(Resource::Specialized(_))));
    f.nodes.values().iter().any(NodeData::is_loop)
        || f.values.values().iter().any(|data| is_specialized(data.def))
}

struct Search<'a> {
    f: &'a Func,
    /// Set if a driver may copy code; none of a helper, of which the second rule does not hold.
    copies: Option<bool>,
    /// The conditions of constructs.
    deciders: Vec<Value>,
    /// By value: the lanes that are computed of constants alone.
    fixed: Vec<u8>,
}

impl<'a> Search<'a> {
    fn new(f: &'a Func, copies: Option<bool>) -> Self {
        let deciders = f.nodes.values().iter().filter_map(NodeData::decider).collect();
        Self { f, copies, deciders, fixed: vec![0; f.values.len()] }
    }

    /// Returns whether a driver may know a choice by this condition, which is also that of so many
    /// constructs.
    fn may_know(&self, decider: Option<Value>, constructs: usize) -> bool {
        let Some(copies) = self.copies else { return false };
        let Some(decider) = decider else { return copies };
        let is_copied = match self.f.values[decider].def {
            Def::Param | Def::Op(Op::Read(Resource::Specialized(_))) => copies,
            Def::Result | Def::Op(_) | Def::Dead => false,
        };
        is_copied || self.deciders.iter().filter(|&&other| other == decider).count() >= constructs
    }

    fn run(mut self) -> Option<String> {
        let f = self.f;
        let mut walk = Walk::new(f);
        while let Some(step) = walk.next(f) {
            let risk = match step {
                Step::Let(value) => self.operation(value),
                Step::Enter(node) => match f.nodes[node] {
                    NodeData::Loop { params, inits, .. } => self.takes(None, params, inits),
                    NodeData::If { .. } | NodeData::Switch { .. } | NodeData::Block { .. } => None,
                },
                Step::End(region) => {
                    let exit = f.regions[region].exit;
                    walk.target(exit).and_then(|to| {
                        let data = &f.nodes[to.node];
                        self.takes(data.decider(), data.takers(exit), exit.list())
                    })
                }
                Step::Begin(_) | Step::Leave(_) => None,
            };
            if risk.is_some() {
                return risk;
            }
        }
        None
    }

    fn operation(&mut self, value: Value) -> Option<String> {
        let f = self.f;
        let op = f.op(value)?;
        let fixed = |value: Value| self.fixed[value.index()];
        let all = |value: Value| fixed(value) == (1 << f.ty(value).lanes) - 1;
        self.fixed[value.index()] = match op {
            Op::Const(_) => (1 << f.ty(value).lanes) - 1,
            Op::Shuffle(lanes) => (0..f.ty(value).lanes)
                .zip(lanes)
                .fold(0, |mask, (to, lane)| mask | (fixed(lane.value()) >> lane.index() & 1) << to),
            Op::Unary(_, a) => fixed(a),
            Op::Binary(op, a, b) if op.shape() == Shape::Dot => u8::from(all(a) && all(b)),
            Op::Binary(_, a, b) => fixed(a) & fixed(b),
            Op::Select { cond, a, b } => fixed(cond) & fixed(a) & fixed(b),
            // What is read by an index is known when the program runs only.
            Op::Call { args, .. } => {
                let args = f.get(args);
                let floats = args.iter().all(|&arg| f.ty(arg).kind == ScalarKind::F32);
                if floats && args.iter().all(|&arg| all(arg)) { 15 } else { 0 }
            }
            Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } => 0,
        };
        use Binary::{Add, Dot, Mul};
        match op {
            Op::Binary(Add | Mul | Dot, a, b) => self.zero(value, a, b),
            Op::Call { args, .. } => match f.get(args) {
                &[a, b, ..] if [a, b].iter().all(|&arg| f.ty(arg).kind == ScalarKind::F32) => {
                    self.zero(value, a, b)
                }
                _other_arguments => None,
            },
            Op::Select { cond, a, b } if self.may_know(Some(cond), 1) => {
                [a, b].iter().find_map(|&from| self.take(value, from))
            }
            _other => None,
        }
    }

    /// A constant zero among the operands of a product or sum.
    fn zero(&self, user: Value, a: Value, b: Value) -> Option<String> {
        let lanes = 0..self.f.ty(a).lanes;
        lanes.flat_map(|lane| [(a, b, lane), (b, a, lane)]).find_map(|(operand, other, lane)| {
            let is_open = self.fixed[other.index()] >> lane & 1 == 0;
            let zero = self.constant(Lane::new(operand, lane)) == Some(0.0);
            (is_open && zero).then(|| format!("{user}: {operand} has a lane that is a constant zero"))
        })
    }

    fn takes(&self, decider: Option<Value>, takers: ValueList, values: ValueList) -> Option<String> {
        if !self.may_know(decider, 2) {
            return None;
        }
        let mut pairs = self.f.get(takers).iter().zip(self.f.get(values));
        pairs.find_map(|(&taker, &value)| self.take(taker, value))
    }

    /// A constant where a driver may find it.
    fn take(&self, taker: Value, value: Value) -> Option<String> {
        if self.f.ty(value).kind != ScalarKind::F32 {
            return None;
        }
        let is_nan = |lane| self.constant(lane).is_some_and(f32::is_nan);
        let found = (0..self.f.ty(value).lanes)
            .any(|lane| self.fixed[value.index()] >> lane & 1 != 0 && !is_nan(Lane::new(value, lane)));
        found.then(|| format!("{taker} takes the constant {value}"))
    }

    /// The number of a constant lane, seen through shuffles.
    fn constant(&self, mut lane: Lane) -> Option<f32> {
        // Each step goes to an earlier value.
        while let Some(Op::Shuffle(lanes)) = self.f.op(lane.value()) {
            lane = lanes[usize::from(lane.index())];
        }
        match self.f.op(lane.value()) {
            Some(Op::Const(bits)) => Some(f32::from_bits(bits[usize::from(lane.index())])),
            Some(_) | None => None,
        }
    }
}
