//! Hides constants that could become zeros of a product or sum where a driver copies code, see
//! [`crate::ir::known`].
//! In: a function of the `Pica` stage and facts about it. Out: the same function, with numbers in
//! place of the constants that a driver cannot know. Knows no precision.
//!
//! ```text
//! %0 = input v0 ; %1 = const 0                            =>      %0 = input v0 ; %2 = hidden 0 of %0
//! loop (%3 = %1) { .. %4 = mulp %3 %0 .. continue %5 }    =>      loop (%3 = %2) { .. %4 = mulp %3 %0 .. continue %5 }
//! ```
//!
//! The hidden zero is x · (x + 1) & 1 of the bits of an input or another number that is known when
//! the program runs: even, so 0, which follows from no single bit of its parts. Other constants
//! have their bits set over it. A function computes it once, at its begin, and only if something is
//! to be hidden: constants on the way into loop parameters and results, arms of choices that
//! specialization constants decide, operands of powers.

use crate::ir::known::{FloatConstants, Known};
use crate::ir::{
    Binary, Def, Func, Item, Lane, Node, NodeData, Op, Region, Resource, ScalarKind, Shape, Type, Unary,
    Value, ValueList,
};
use crate::passes::analyze::flow::ValueFlow;
use crate::passes::legalize::emit::{Emit, splat};
use crate::support::entity::Handle;

/// Hides what a function has to hide. Where it reads nothing when it runs, every driver can compute
/// all of it and nothing is.
pub(crate) fn run(f: &mut Func, known: &Known<'_>, constants: &FloatConstants) {
    if known.risks().iter().all(|risk| risk.possible == 0) {
        return;
    }
    let Some(seed) = seed(f, constants) else { return };
    let mut flow = ValueFlow::default();
    flow.compute(f);
    let masks = marks(f, known, &flow);
    let mut targets = vec![ValueList::EMPTY; f.regions.len()];
    for &node in &flow.order {
        flow.results_from(node).for_each(|region| targets[region.index()] = f.nodes[node].results());
        if let NodeData::Loop { params, .. } = f.nodes[node] {
            flow.continues_from(node).for_each(|region| targets[region.index()] = params);
        }
    }
    let mut hide =
        Hide { emit: Emit::new(f), known, masks, seed, zero: None, begin: Vec::new(), cache: Vec::new() };
    for region in hide.emit.func.regions.keys() {
        hide.region(region, targets[region.index()]);
    }
    let Hide { begin, emit, .. } = hide;
    if let Some(body) = emit.func.body {
        emit.func.regions[body].items.splice(0..0, begin);
    }
}

/// Something that is known when the program runs only: the first of the kind that comes first here.
fn seed(f: &Func, constants: &FloatConstants) -> Option<(Type, Op)> {
    let is_open = |register| constants.get(usize::from(register)).is_some_and(Option::is_none);
    let rank = |resource| match resource {
        Resource::Input(_) => Some(0),
        Resource::Draw(_) => Some(1),
        Resource::Uniform(register) => is_open(register).then_some(2),
        Resource::IntUniform { .. } => Some(3),
        Resource::BoolUniform(_)
        | Resource::Member { .. }
        | Resource::Index { .. }
        | Resource::Host(_)
        | Resource::Specialized(_) => None,
    };
    // Inputs first: they differ between invocations.
    let ranked = f.reads().filter_map(|(ty, resource)| Some((rank(resource)?, ty, resource)));
    ranked.min_by_key(|&(rank, ..)| rank).map(|(_, ty, resource)| (ty, Op::Read(resource)))
}

/// The lanes of each value that no copy of the code may know: those at risk and what they are
/// computed from.
fn marks(f: &Func, known: &Known<'_>, flow: &ValueFlow) -> Vec<u8> {
    let mut masks = vec![0; f.values.len()];
    let mut work: Vec<(Value, u8)> =
        known.risks().iter().map(|risk| (risk.operand, risk.possible)).filter(|work| work.1 != 0).collect();
    while let Some((value, lanes)) = work.pop() {
        let (ty, fact) = (f.ty(value), known.get(value));
        let mask = &mut masks[value.index()];
        let new = lanes & fact.fixed & !fact.constant & !*mask & ((1 << ty.lanes) - 1);
        // Other kinds are no operands of products.
        if new == 0 || ty.kind != ScalarKind::F32 {
            continue;
        }
        *mask |= new;
        match f.values[value].def {
            Def::Op(Op::Shuffle(sources)) => {
                let lanes = (0..ty.lanes).zip(sources).filter(|(index, _)| new >> index & 1 != 0);
                work.extend(lanes.map(|(_, lane)| (lane.value(), 1 << lane.index())));
            }
            Def::Op(Op::Unary(_, a)) => work.push((a, new)),
            Def::Op(Op::Binary(op, a, b)) => {
                let lanes = if op.shape() == Shape::Dot { 15 } else { new };
                work.extend([(a, lanes), (b, lanes)]);
            }
            Def::Op(Op::Select { a, b, .. }) => work.extend([(a, new), (b, new)]),
            Def::Op(Op::Const(_) | Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } | Op::Call { .. })
            | Def::Dead => {}
            Def::Param | Def::Result => flow.for_each_source(f, value, |source| work.push((source, new))),
        }
    }
    masks
}

/// The hidden zero as each kind.
#[derive(Clone, Copy)]
struct Zero {
    bits: Value,
    float: Value,
}

struct Hide<'a> {
    emit: Emit<'a>,
    known: &'a Known<'a>,
    masks: Vec<u8>,
    seed: (Type, Op),
    zero: Option<Zero>,
    /// Items for the begin of the function.
    begin: Vec<Item>,
    /// Constants hidden so far, and the lanes of them that are.
    cache: Vec<(Type, [u32; 4], u8, Value)>,
}

impl Hide<'_> {
    /// Hides constants in one region; its exit gives values to those of `target`.
    fn region(&mut self, region: Region, target: ValueList) {
        let items = std::mem::take(&mut self.emit.func.regions[region].items);
        self.emit.items = Vec::with_capacity(items.len());
        let mut context = self.known.inside(region);
        for item in items {
            match item {
                Item::Let(value) => self.operands(value, context),
                Item::Node(node) => {
                    self.inits(node, context);
                    context = self.known.behind(node);
                }
            }
            self.emit.items.push(item);
        }
        // The exit comes last, with the decisions that hold at the end.
        let list = self.emit.func.regions[region].exit.list();
        self.list(list, target, context);
        self.emit.func.regions[region].items = std::mem::take(&mut self.emit.items);
    }

    fn inits(&mut self, node: Node, context: u32) {
        if let NodeData::Loop { params, inits, .. } = self.emit.func.nodes[node] {
            self.list(inits, params, context);
        }
    }

    fn list(&mut self, list: ValueList, target: ValueList, context: u32) {
        for (from, to) in list.range().zip(target.range()) {
            let [value, to] = [from, to].map(|index| self.emit.func.pool[index]);
            self.emit.func.pool[from] = self.hidden(value, self.masks[to.index()], context);
        }
    }

    fn operands(&mut self, value: Value, context: u32) {
        let mask = self.masks.get(value.index()).copied().unwrap_or(0);
        let Some(op) = self.emit.func.op(value).filter(|_| mask != 0) else { return };
        let op = match op {
            Op::Select { cond, a, b } => {
                let [a, b] = [a, b].map(|arm| self.hidden(arm, mask, context));
                Op::Select { cond, a, b }
            }
            Op::Unary(op, a) => Op::Unary(op, self.hidden(a, mask, context)),
            _no_choice => return,
        };
        self.emit.func.values[value].def = Def::Op(op);
    }

    /// The value, with those of the lanes hidden that are constant here.
    fn hidden(&mut self, value: Value, lanes: u8, context: u32) -> Value {
        let fact = self.known.here(self.emit.func, value, context);
        let lanes = lanes & fact.constant;
        if lanes == 0 {
            return value;
        }
        let ty = self.emit.func.ty(value);
        let mut bits = [0; 4];
        for lane in (0..usize::from(ty.lanes)).filter(|lane| fact.constant >> lane & 1 != 0) {
            bits[lane] = fact.bits[lane];
        }
        if fact.constant == (1 << ty.lanes) - 1 {
            return self.constant(ty, bits, lanes);
        }
        let hidden = self.constant(ty, bits, lanes);
        self.mixed(ty, hidden, value, lanes)
    }

    /// These lanes of one value, the others of another.
    fn mixed(&mut self, ty: Type, first: Value, second: Value, lanes: u8) -> Value {
        let from = |index: u8| {
            let index = if index < ty.lanes { index } else { 0 };
            Lane::new(if lanes >> index & 1 != 0 { first } else { second }, index)
        };
        self.emit.op(ty, Op::Shuffle([0, 1, 2, 3].map(from)))
    }

    /// A constant with these lanes hidden, at the begin of the function.
    fn constant(&mut self, ty: Type, bits: [u32; 4], lanes: u8) -> Value {
        // The same constant is hidden once.
        if let Some(known) = self.cache.iter().find(|known| (known.0, known.1, known.2) == (ty, bits, lanes))
        {
            return known.3;
        }
        let zero = self.zero();
        let inside = std::mem::replace(&mut self.emit.items, std::mem::take(&mut self.begin));
        let is_zero = (0..usize::from(ty.lanes)).all(|lane| lanes >> lane & 1 == 0 || bits[lane] == 0);
        let mut value = if is_zero { zero.float } else { zero.bits };
        if ty.lanes > 1 {
            let all = self.emit.func.ty(value).with_lanes(ty.lanes);
            value = self.emit.op(all, Op::Shuffle([Lane::new(value, 0); 4]));
        }
        // The bits of the constant over a zero that no driver can find.
        if !is_zero {
            let constant = self.emit.op(ty.with_kind(ScalarKind::U32), Op::Const(bits));
            value = self.emit.binary(Binary::BitOr, value, constant);
            value = self.emit.unary(Unary::FromBits, value);
        }
        if lanes != (1 << ty.lanes) - 1 {
            let constant = self.emit.op(ty, Op::Const(bits));
            value = self.mixed(ty, value, constant, lanes);
        }
        self.begin = std::mem::replace(&mut self.emit.items, inside);
        self.cache.push((ty, bits, lanes, value));
        value
    }

    fn zero(&mut self) -> Zero {
        if let Some(zero) = self.zero {
            return zero;
        }
        let inside = std::mem::replace(&mut self.emit.items, std::mem::take(&mut self.begin));
        let emit = &mut self.emit;
        let mut x = emit.op(self.seed.0, self.seed.1);
        if self.seed.0.kind == ScalarKind::F32 {
            x = emit.lane(Lane::new(x, 0));
            x = emit.unary(Unary::ToBits, x);
            x = emit.unary(Unary::UintToInt, x);
        }
        let one = emit.op(Type::I32, splat(Type::I32, 1));
        let next = emit.binary(Binary::IAdd, x, one);
        // Of two neighbors one is even.
        let product = emit.binary(Binary::IMul, x, next);
        let int = emit.binary(Binary::IAnd, product, one);
        let bits = emit.unary(Unary::IntToUint, int);
        let float = emit.unary(Unary::FromBits, bits);
        self.begin = std::mem::replace(&mut self.emit.items, inside);
        *self.zero.insert(Zero { bits, float })
    }
}
