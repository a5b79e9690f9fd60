//! Facts about results of operations, lane by lane, and about values at one place.
//! In: an operation, facts, the decisions in force. Out: a fact. Knows no constructs.

use super::{Fact, Known};
use crate::ir::func::Func;
use crate::ir::op::resource::{Array, Resource};
use crate::ir::op::signature::{Binary, Shape, Unary};
use crate::ir::op::{Def, Op, scalar};
use crate::ir::types::{Lane, ScalarKind, Type, Value};
use crate::machine::precision::arith;
use crate::machine::precision::bits::{ONE, SIGN};
use crate::program::isa::limits::FLOATS;
use crate::support::entity::Handle;

/// Number of definitions that one question looks at.
const FUEL: u32 = 16;

/// A lane of a fact.
#[derive(Clone, Copy)]
struct One {
    constant: Option<u32>,
    fixed: bool,
    zero: bool,
}

impl Fact {
    #[inline]
    fn lane(&self, index: u8) -> One {
        let bit = |mask: u8| mask >> index & 1 != 0;
        One { constant: self.get(index), fixed: bit(self.fixed), zero: bit(self.zero) }
    }

    /// The lanes that make a choice constant where they are chosen.
    pub(super) fn choosable(&self) -> u8 {
        self.constant | self.chosen
    }

    #[inline]
    fn set(&mut self, index: u8, one: One) {
        if let Some(bits) = one.constant {
            self.constant |= 1 << index;
            self.bits[usize::from(index & 3)] = bits;
        }
        self.fixed |= u8::from(one.fixed) << index;
        self.zero |= u8::from(one.zero) << index;
    }
}

impl Known<'_> {
    fn constant(&self, kind: ScalarKind, bits: [u32; 4], lanes: u8) -> Fact {
        let all = (1u8 << lanes) - 1;
        let zero = match kind {
            ScalarKind::F32 => (0..lanes)
                .fold(0, |mask, lane| mask | u8::from(self.is_zero(bits[usize::from(lane)])) << lane),
            ScalarKind::I32 | ScalarKind::U32 | ScalarKind::Bool => 0,
        };
        Fact { constant: all, fixed: all, zero, bits, seen: true, ..Fact::NONE }
    }

    /// A constant lane.
    fn constant_lane(&self, kind: ScalarKind, bits: u32) -> One {
        One { constant: Some(bits), fixed: true, zero: kind == ScalarKind::F32 && self.is_zero(bits) }
    }

    /// Facts about a value at a place.
    #[inline]
    pub fn here(&self, f: &Func, value: Value, context: u32) -> Fact {
        let fact = self.get(value);
        // Outside of arms nothing more is known.
        if context == 0 || fact.chosen & !fact.constant == 0 {
            fact
        } else {
            self.decided(f, value, fact, context)
        }
    }

    fn decided(&self, f: &Func, value: Value, mut fact: Fact, context: u32) -> Fact {
        let ty = f.ty(value);
        let open = fact.chosen & !fact.constant;
        for lane in (0..ty.lanes).filter(|lane| open >> lane & 1 != 0) {
            if let Some(bits) = self.search(f, Lane::new(value, lane), context) {
                let one = self.constant_lane(ty.kind, bits);
                fact.zero &= !(1 << lane);
                fact.set(lane, one);
            }
        }
        fact
    }

    /// The bits of a lane in a place, if it is constant there.
    #[inline]
    pub fn literal_in(&self, f: &Func, lane: Lane, context: u32) -> Option<u32> {
        let fact = self.facts.get(lane.value().index())?;
        if context == 0 || fact.chosen & !fact.constant & 1 << lane.index() == 0 {
            fact.get(lane.index())
        } else {
            self.search(f, lane, context)
        }
    }

    /// Follows the choices that are decided in a place.
    fn search(&self, f: &Func, mut lane: Lane, context: u32) -> Option<u32> {
        let (mut cleared, mut flipped) = (0, 0);
        let facts = &self.facts[..];
        for _ in 0..FUEL {
            let at = |value| Lane::new(value, lane.index());
            if f.ty(lane.value()).kind == ScalarKind::Bool
                && let Some(holds) = self.decisions.decide(f, facts, context, lane)
            {
                return Some(u32::from(holds));
            }
            lane = match f.values[lane.value()].def {
                Def::Op(Op::Shuffle(lanes)) => lanes[usize::from(lane.index())],
                Def::Op(Op::Unary(Unary::Neg, a)) => {
                    // An absolute value on the way here has hidden the sign already.
                    flipped ^= SIGN & !cleared;
                    at(a)
                }
                Def::Op(Op::Unary(Unary::Abs, a)) => {
                    cleared = SIGN;
                    at(a)
                }
                Def::Op(Op::Select { cond, a, b }) => {
                    at(if self.truth(f, at(cond), context)? { a } else { b })
                }
                Def::Op(Op::Binary(op, a, b)) if op.choice().is_some() => {
                    let is_minimum = op.choice() == Some(Binary::Less);
                    let (low, high) = if is_minimum { (a, b) } else { (b, a) };
                    let operands = [at(low), at(high)];
                    let first = self.decisions.compared(f, facts, context, Binary::Less, operands)?;
                    at(if first { a } else { b })
                }
                Def::Op(Op::Binary(op @ (Binary::SgeP | Binary::SltP), a, b)) => {
                    let holds = self.decisions.compared(f, facts, context, op, [at(a), at(b)])?;
                    return Some((if holds { ONE } else { 0 }) & !cleared ^ flipped);
                }
                Def::Result => {
                    let [cond, a, b] =
                        *self.choices.get((self.get(lane.value()).choice as usize).checked_sub(1)?)?;
                    at(if self.truth(f, Lane::new(cond, 0), context)? { a } else { b })
                }
                Def::Op(_) | Def::Param | Def::Dead => return None,
            };
            if let Some(bits) = self.get(lane.value()).get(lane.index()) {
                return Some(bits & !cleared ^ flipped);
            }
        }
        None
    }

    fn truth(&self, f: &Func, lane: Lane, context: u32) -> Option<bool> {
        let known = self.get(lane.value()).get(lane.index()).map(|bits| bits != 0);
        known.or_else(|| self.decisions.decide(f, &self.facts, context, lane))
    }

    /// Facts about the result of an operation.
    pub(super) fn transfer(&self, f: &Func, value: Value, context: u32) -> Fact {
        let Some(op) = f.op(value) else { return self.get(value) };
        self.open(f, value, op).unwrap_or_else(|| self.combine(f, value, op, context))
    }

    /// Facts about the result of an operation on operands of which something is known.
    pub(super) fn combine(&self, f: &Func, value: Value, op: Op, context: u32) -> Fact {
        let ty = f.ty(value);
        let of = |value| self.here(f, value, context);
        let mut fact = Fact::OPEN;
        match op {
            Op::Const(bits) => fact = self.constant(ty.kind, bits, ty.lanes),
            Op::Shuffle(lanes) => fact = self.shuffle(f, ty, lanes, context),
            Op::Unary(op, a) => {
                let a = of(a);
                if matches!(op, Unary::Neg | Unary::Abs) {
                    fact.chosen = a.chosen;
                }
                for lane in (0..ty.lanes).filter(|lane| a.fixed >> lane & 1 != 0) {
                    fact.set(lane, self.unary(op, a.lane(lane), ty.kind));
                }
            }
            Op::Binary(op, a, b) if op.shape() == Shape::Dot => {
                fact = self.dot(op, of(a), of(b), f.ty(a).lanes);
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (of(a), of(b));
                if op.choice().is_some() {
                    fact.chosen = a.choosable() | b.choosable();
                } else if matches!(op, Binary::SgeP | Binary::SltP) {
                    fact.chosen = 15;
                }
                for lane in (0..ty.lanes).filter(|lane| (a.fixed | b.fixed) >> lane & 1 != 0) {
                    fact.set(lane, self.binary(op, a.lane(lane), b.lane(lane), ty.kind));
                }
            }
            Op::Select { cond, a, b } => {
                let (cond, a, b) = (of(cond), of(a), of(b));
                fact.chosen = a.choosable() | b.choosable();
                for lane in (0..ty.lanes).filter(|lane| (a.fixed | b.fixed) >> lane & 1 != 0) {
                    fact.set(lane, select(cond.lane(lane), a.lane(lane), b.lane(lane)));
                }
            }
            Op::Read(Resource::Uniform(register)) => {
                if let Some(bits) = self.register(register) {
                    fact = self.constant(ty.kind, bits, ty.lanes);
                }
            }
            Op::Read(Resource::Specialized(_)) => fact.fixed = 1,
            Op::ReadAt(Array::Uniform(base), offset) => fact = self.uniform_at(base, of(offset).lane(0)),
            Op::Call { args, .. } => {
                // Numbers come of numbers; what is read by an index is known when the program runs
                // only.
                if f.get(args).iter().all(|&arg| f.ty(arg).kind == ScalarKind::F32) {
                    fact = self.call(f, f.get(args), ty.lanes, context);
                }
            }
            Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } => {}
        }
        if ty.kind == ScalarKind::Bool {
            fact.chosen = 15;
        }
        fact
    }

    /// Facts about the result of an operation that has operands, if nothing is known of any of them
    /// anywhere, as of most.
    pub(super) fn open(&self, f: &Func, value: Value, op: Op) -> Option<Fact> {
        let mut known = matches!(op, Op::Const(_) | Op::Read(_));
        op.for_each(&f.pool, |operand| {
            let fact = &self.facts[operand.index()];
            known |= fact.fixed | fact.chosen != 0;
        });
        if known {
            return None;
        }
        let is_truth =
            f.ty(value).kind == ScalarKind::Bool || matches!(op, Op::Binary(Binary::SgeP | Binary::SltP, ..));
        Some(Fact { chosen: if is_truth { 15 } else { 0 }, ..Fact::OPEN })
    }

    /// Collects lanes; one that a choice made is searched for in the context.
    fn shuffle(&self, f: &Func, ty: Type, lanes: [Lane; 4], context: u32) -> Fact {
        let mut fact = Fact::OPEN;
        for (index, lane) in (0..ty.lanes).zip(lanes) {
            let from = self.get(lane.value());
            let mut one = from.lane(lane.index());
            fact.chosen |= (from.chosen >> lane.index() & 1) << index;
            if one.constant.is_none()
                && context != 0
                && from.chosen >> lane.index() & 1 != 0
                && let Some(bits) = self.search(f, lane, context)
            {
                one = self.constant_lane(ty.kind, bits);
            }
            fact.set(index, one);
        }
        fact
    }

    /// A call: lane by lane, unless one comes of many. What is constant altogether is no zero, or
    /// else it would be computed.
    fn call(&self, f: &Func, args: &[Value], lanes: u8, context: u32) -> Fact {
        let all = (1 << lanes) - 1;
        let mut fact = Fact { seen: true, fixed: all, constant: all, ..Fact::NONE };
        for &arg in args {
            let from = (1 << f.ty(arg).lanes) - 1;
            let given = self.here(f, arg, context);
            let each = |mask: u8| if f.ty(arg).lanes == lanes { mask } else { u8::from(mask == from) * all };
            fact.fixed &= each(given.fixed);
            fact.constant &= each(given.constant);
        }
        fact.zero = fact.fixed & !fact.constant;
        fact.constant = 0;
        fact
    }

    fn register(&self, register: u8) -> Option<[u32; 4]> {
        *self.constants?.get(usize::from(register))?
    }

    /// A relative read by an offset that is constant. All others read the block, even where a
    /// driver knows the offset.
    fn uniform_at(&self, base: u8, offset: One) -> Fact {
        let bits = offset.constant.and_then(|offset| {
            let index = arith::uniform_index(base, offset.cast_signed());
            if usize::from(index) < FLOATS { self.register(index) } else { Some([ONE; 4]) }
        });
        bits.map_or(Fact::OPEN, |bits| self.constant(ScalarKind::F32, bits, 4))
    }

    fn unary(&self, op: Unary, a: One, kind: ScalarKind) -> One {
        if let Some(bits) = a.constant {
            return match scalar::fold_unary(op, self.precision, bits) {
                Some(bits) => self.constant_lane(kind, bits),
                None => One { constant: None, fixed: true, zero: false },
            };
        }
        let zero = match op {
            Unary::Neg | Unary::Abs => a.zero,
            _other => kind == ScalarKind::F32,
        };
        One { constant: None, fixed: a.fixed, zero: zero && a.fixed }
    }

    fn binary(&self, op: Binary, a: One, b: One, kind: ScalarKind) -> One {
        if let (Some(x), Some(y)) = (a.constant, b.constant)
            && let Some(bits) = scalar::fold_binary(op, self.precision, x, y)
        {
            return self.constant_lane(kind, bits);
        }
        // What one operand decides alone.
        let alone = match op {
            Binary::And | Binary::IAnd | Binary::BitAnd | Binary::IMul => Some(0),
            Binary::Or => Some(1),
            Binary::BitOr => Some(u32::MAX),
            _other => None,
        };
        if let Some(alone) = alone {
            // False and anything is false, whatever else is known.
            if [a.constant, b.constant].contains(&Some(alone)) {
                return self.constant_lane(kind, alone);
            }
            let could = |one: One| one.fixed && one.constant.is_none();
            return One { constant: None, fixed: could(a) || could(b), zero: false };
        }
        // A driver that knows both computes it, and that may be 0.
        let fixed = a.fixed && b.fixed;
        One { constant: None, fixed, zero: fixed && kind == ScalarKind::F32 }
    }

    fn dot(&self, op: Binary, a: Fact, b: Fact, lanes: u8) -> Fact {
        let all = (1 << lanes) - 1;
        let mut fact = Fact::OPEN;
        if a.constant & b.constant & all == all
            && let Some(bits) = scalar::fold_dot(op, self.precision, a.bits, b.bits, lanes)
        {
            fact.set(0, self.constant_lane(ScalarKind::F32, bits));
        } else if a.fixed & b.fixed & all == all {
            (fact.fixed, fact.zero) = (1, 1);
        }
        fact
    }
}

/// A choice between two lanes.
fn select(cond: One, a: One, b: One) -> One {
    match (cond.constant, a.constant, b.constant) {
        (Some(0), ..) => b,
        (Some(_), ..) => a,
        (None, Some(x), Some(y)) if x == y => a,
        // A choice that is made when the program runs gives one of two constants.
        (None, Some(_), Some(_)) if !cond.fixed => One { constant: None, fixed: false, zero: false },
        (None, ..) if cond.fixed => One { constant: None, fixed: a.fixed || b.fixed, zero: a.zero || b.zero },
        (None, ..) => {
            let fixed = a.fixed && b.fixed;
            One { constant: None, fixed, zero: fixed && a.zero && b.zero }
        }
    }
}
