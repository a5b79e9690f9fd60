//! Legal forms of products, sums, dot products and the other arithmetic.
//! In: a PICA200 operation on values. Out: the plain operation that takes its place, after the
//! operations that it needs are emitted.
//!
//! A lane of a product or sum is one of three kinds: both operands constant (computed here), one a
//! constant that counts as zero (bit operations: drivers fold `x * 0` and `x + 0` wrongly), or any
//! other. Only operands with a constant lane are looked at lane by lane.

use super::Pass;
use super::emit::splat;
use super::helpers::Helper;
use crate::ir::op::scalar;
use crate::ir::{Binary, Lane, Op, Type, Unary, Value};
use crate::machine::precision::Precision;
use crate::machine::precision::bits::SIGN;
use crate::passes::analyze::ranges::Classes;

/// The two operations that lanes are sorted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pair {
    Product,
    Sum,
}

/// Kind of one lane of a product or sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Nothing special.
    Plain,
    /// One operand is a constant zero; the other operand, and whether the zero's sign matters and
    /// is negative. It does in `fast`, where 1/-0 is -inf.
    Zero(Lane, bool),
    /// Known.
    Constant(u32),
}

/// Lanes on their way into one vector operation, and where its lanes go.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub a: [Lane; 4],
    pub b: [Lane; 4],
    to: [u8; 4],
    pub len: u8,
}

impl Group {
    /// Without lanes.
    pub fn new() -> Self {
        let none = Lane::new(Value(0), 0);
        Self { a: [none; 4], b: [none; 4], to: [0; 4], len: 0 }
    }
    /// Adds a lane.
    pub fn push(&mut self, a: Lane, b: Lane, to: u8) {
        let at = usize::from(self.len);
        (self.a[at], self.b[at], self.to[at]) = (a, b, to);
        self.len += 1;
    }
}

impl Pass<'_> {
    pub(super) fn call(&mut self, helper: Helper, lanes: u8, args: &[Value]) -> Op {
        let index = self.helpers.get(helper, lanes);
        self.emit.call(index, args)
    }

    /// The lanes as one value; a value that has just these lanes is used as it is.
    pub(super) fn gather(&mut self, lanes: &[Lane]) -> Value {
        let value = lanes[0].value();
        let same = |(at, lane): (usize, &Lane)| *lane == Lane::new(value, at as u8);
        let ty = self.emit.func.ty(value);
        if usize::from(ty.lanes) == lanes.len() && lanes.iter().enumerate().all(same) {
            return value;
        }
        let mut all = [lanes[0]; 4];
        all[..lanes.len()].copy_from_slice(lanes);
        let mut op = Op::Shuffle(all);
        // Lanes of one constant are a constant, so that later questions see it.
        if let Some(Op::Const(bits)) = self.emit.func.op(value)
            && lanes.iter().all(|lane| lane.value() == value)
        {
            let mut known = [0; 4];
            for (slot, lane) in known.iter_mut().zip(lanes) {
                *slot = bits[usize::from(lane.index())];
            }
            op = Op::Const(known);
        }
        self.emit.op(ty.with_lanes(lanes.len() as u8), op)
    }

    fn part(&self, pair: Pair, a: Lane, b: Lane) -> Part {
        let zero = |known: u32, other| {
            if self.facts.constants.is_zero(known) {
                Part::Zero(other, self.precision.rules().reorders && known & SIGN != 0)
            } else {
                Part::Plain
            }
        };
        match (self.facts.constants.lane(a), self.facts.constants.lane(b)) {
            (None, None) => Part::Plain,
            (Some(known), None) => zero(known, b),
            (None, Some(known)) => zero(known, a),
            (Some(a), Some(b)) => {
                let op = match pair {
                    Pair::Product => Binary::MulP,
                    Pair::Sum => Binary::AddP,
                };
                scalar::fold_binary(op, self.precision, a, b).map_or(Part::Plain, Part::Constant)
            }
        }
    }

    /// The kinds of all lanes, or nothing where all are plain.
    fn parts(&self, pair: Pair, a: Value, b: Value) -> Option<[Part; 4]> {
        // No lane is constant, so all are plain.
        if self.facts.constants.get(a).lanes | self.facts.constants.get(b).lanes == 0 {
            return None;
        }
        let mut parts = [Part::Plain; 4];
        for (index, part) in (0..self.emit.func.ty(a).lanes).zip(&mut parts) {
            *part = self.part(pair, Lane::new(a, index), Lane::new(b, index));
        }
        parts.iter().any(|part| *part != Part::Plain).then_some(parts)
    }

    /// Lane-wise product.
    pub(super) fn mul(&mut self, a: Value, b: Value) -> Op {
        match self.parts(Pair::Product, a, b) {
            None => self.plain(Pair::Product, a, b),
            Some(parts) => self.split(Pair::Product, a, b, &parts),
        }
    }

    /// Lane-wise sum.
    pub(super) fn add(&mut self, a: Value, b: Value) -> Op {
        match self.parts(Pair::Sum, a, b) {
            None => self.sum(a, b),
            Some(parts) => self.split(Pair::Sum, a, b, &parts),
        }
    }

    fn plain(&mut self, pair: Pair, a: Value, b: Value) -> Op {
        match pair {
            Pair::Product => self.product(a, b),
            Pair::Sum => self.plain_sum(a, b),
        }
    }

    /// Sum of operands without constant zeros.
    pub(super) fn plain_sum(&mut self, a: Value, b: Value) -> Op {
        if self.precision.rules().rounds {
            let lanes = self.emit.func.ty(a).lanes;
            self.call(Helper::Add, lanes, &[a, b])
        } else {
            Op::Binary(Binary::Add, a, b)
        }
    }

    /// A product or sum of which some lanes are constant or have a constant zero operand.
    fn split(&mut self, pair: Pair, a: Value, b: Value, parts: &[Part; 4]) -> Op {
        let ty = self.emit.func.ty(a);
        let mut result = [Lane::new(a, 0); 4];
        let (mut plain, mut zeros, mut known) = (Group::new(), [Group::new(); 2], Group::new());
        let mut constants = [0; 4];
        for (index, part) in (0..ty.lanes).zip(parts) {
            match *part {
                Part::Plain => plain.push(Lane::new(a, index), Lane::new(b, index), index),
                Part::Zero(other, negative) if self.is_copy(pair, negative) => {
                    result[usize::from(index)] = other;
                }
                Part::Zero(other, negative) => zeros[usize::from(negative)].push(other, other, index),
                Part::Constant(bits) => {
                    constants[usize::from(known.len)] = bits;
                    known.push(result[0], result[0], index);
                }
            }
        }
        // Nothing is left to compute when the program runs.
        if known.len == ty.lanes {
            return Op::Const(constants);
        }
        let mut whole = None;
        for (group, negative) in [(plain, None), (zeros[0], Some(false)), (zeros[1], Some(true))] {
            if group.len > 0 {
                let len = usize::from(group.len);
                let first = self.gather(&group.a[..len]);
                let op = match negative {
                    None => {
                        let second = self.gather(&group.b[..len]);
                        self.plain(pair, first, second)
                    }
                    Some(negative) => self.with_zero(pair, first, negative),
                };
                whole = self.place(&mut result, ty, &group, op);
            }
        }
        if known.len > 0 {
            self.place(&mut result, ty, &known, Op::Const(constants));
        }
        whole.unwrap_or_else(|| {
            let first = result[0];
            result[usize::from(ty.lanes)..].fill(first);
            Op::Shuffle(result)
        })
    }

    /// Emits the operation of a group and notes where its lanes go; an operation that gives all
    /// lanes is given back instead.
    pub(super) fn place(&mut self, result: &mut [Lane; 4], ty: Type, group: &Group, op: Op) -> Option<Op> {
        if group.len == ty.lanes {
            return Some(op);
        }
        let value = self.emit.op(ty.with_lanes(group.len), op);
        for (from, to) in (0..group.len).zip(group.to) {
            result[usize::from(to)] = Lane::new(value, from);
        }
        None
    }

    /// Returns whether a sum with zero is the other operand, except for a sign of zero that does
    /// not matter. float24 would still flush and truncate it.
    fn is_copy(&self, pair: Pair, negative: bool) -> bool {
        pair == Pair::Sum
            && match self.precision {
                Precision::Exact => true,
                Precision::Fast => negative,
                Precision::F24 => false,
            }
    }

    /// `a · 0` or `a + 0` in each lane.
    fn with_zero(&mut self, pair: Pair, a: Value, negative: bool) -> Op {
        let lanes = self.emit.func.ty(a).lanes;
        match pair {
            Pair::Product if self.precision == Precision::Exact && !self.may_be_nan(a) => {
                let zero = self.emit.zero_of_sign(a);
                Op::Shuffle([0, 1, 2, 3].map(|lane| Lane::new(zero, if lane < lanes { lane } else { 0 })))
            }
            Pair::Product => {
                // x · -0 is -x · 0.
                let a = if negative { self.emit.unary(Unary::Neg, a) } else { a };
                self.call(Helper::MulZero, lanes, &[a])
            }
            Pair::Sum if self.precision.rules().reorders => self.call(Helper::AddZero, lanes, &[a]),
            // Small sources and small results both become +0.
            Pair::Sum => self.call(Helper::Truncate, lanes, &[a]),
        }
    }

    /// Dot product.
    pub(super) fn dot(&mut self, a: Value, b: Value) -> Op {
        let ty = self.emit.func.ty(a);
        if ty.lanes == 1 {
            return self.mul(a, b);
        }
        let Some(parts) = self.parts(Pair::Product, a, b) else {
            return self.plain_dot(a, b);
        };
        let products = match self.split(Pair::Product, a, b, &parts) {
            Op::Shuffle(lanes) => lanes,
            op => {
                let value = self.emit.op(ty, op);
                std::array::from_fn(|index| Lane::new(value, index as u8))
            }
        };
        // Left to right, as the helpers sum.
        let mut sum = products[0];
        let mut op = Op::Shuffle([sum; 4]);
        for (index, &lane) in products[..usize::from(ty.lanes)].iter().enumerate().skip(1) {
            op = self.add_lanes(sum, lane);
            if index + 1 < usize::from(ty.lanes) {
                sum = Lane::new(self.emit.op(Type::F32, op), 0);
            }
        }
        op
    }

    /// Sum of two lanes.
    fn add_lanes(&mut self, a: Lane, b: Lane) -> Op {
        self.facts.catch_up(self.emit.func);
        match self.part(Pair::Sum, a, b) {
            Part::Constant(bits) => splat(Type::F32, bits),
            Part::Zero(other, negative) if self.is_copy(Pair::Sum, negative) => Op::Shuffle([other; 4]),
            Part::Zero(other, negative) => {
                let other = self.emit.lane(other);
                self.with_zero(Pair::Sum, other, negative)
            }
            Part::Plain => {
                let (a, b) = (self.emit.lane(a), self.emit.lane(b));
                self.plain(Pair::Sum, a, b)
            }
        }
    }

    /// `a < b ? a : b` or `a > b ? a : b`: the driver's own operation where that has no NaN, or
    /// NaN in the first operand alone. `fast` takes it anyway.
    pub(super) fn choose(
        &mut self,
        [plain, ordered]: [Binary; 2],
        compare: Binary,
        a: Value,
        b: Value,
    ) -> Op {
        let nan = [a, b].map(|operand| self.precision.rules().guards && self.may_be_nan(operand));
        if nan == [false; 2] {
            return Op::Binary(plain, a, b);
        }
        if !nan[1] {
            return Op::Binary(ordered, a, b);
        }
        let cond = self.emit.binary(compare, a, b);
        Op::Select { cond, a, b }
    }

    /// 1 where the comparison holds, else 0.
    pub(super) fn set(&mut self, compare: Binary, a: Value, b: Value) -> Op {
        let lanes = self.emit.func.ty(a).lanes;
        let cond = self.emit.binary(compare, a, b);
        let (one, zero) = (self.emit.float(lanes, 1.0), self.emit.float(lanes, 0.0));
        Op::Select { cond, a: one, b: zero }
    }

    /// Reciprocals, powers and logarithms.
    pub(super) fn unary(&mut self, op: Unary, a: Value) -> Option<Op> {
        let ty = self.emit.func.ty(a);
        let (lanes, constants) = self.fold(op, a);
        if lanes == (1 << ty.lanes) - 1 {
            return Some(Op::Const(constants));
        }
        // A driver would fold these lanes, so the others are computed apart from them.
        if lanes != 0 && op.is_pica() {
            return Some(self.partly_constant(op, a, lanes, constants));
        }
        let helper = match (op, self.precision) {
            // `fast` takes the plain operations with all their edges.
            (Unary::RcpP, Precision::Fast) => return Some(self.reciprocal(a)),
            (Unary::RsqP, Precision::Fast) => return Some(self.reciprocal_root(a)),
            (Unary::Exp2P, Precision::Fast) => return Some(Op::Unary(Unary::Exp2, a)),
            (Unary::Log2P, Precision::Fast) => return Some(Op::Unary(Unary::Log2, a)),
            (Unary::RcpP, Precision::Exact) if !self.may_give(a, Classes::ZERO, Classes::INFINITE) => {
                return Some(self.reciprocal(a));
            }
            (Unary::RsqP, Precision::Exact) if !self.may_give(a, Classes::ZERO, Classes::INFINITE) => {
                return Some(self.reciprocal_root(a));
            }
            (Unary::Log2P, Precision::Exact)
                if !self.may_give(a, Classes::BELOW_ZERO.or(Classes::ZERO), Classes::NOT_FINITE) =>
            {
                // SwiftShader's logarithm of NaN is a number.
                if self.may_give(a, Classes::POSITIVE_INFINITY.or(Classes::NAN), Classes::NOT_FINITE) {
                    Helper::Log2Positive
                } else {
                    return Some(Op::Unary(Unary::Log2, a));
                }
            }
            (Unary::RcpP, Precision::Exact | Precision::F24) => Helper::Rcp,
            (Unary::RsqP, Precision::Exact | Precision::F24) => Helper::Rsq,
            (Unary::Exp2P, Precision::Exact | Precision::F24) => Helper::Exp2,
            (Unary::Log2P, Precision::Exact | Precision::F24) => Helper::Log2,
            (Unary::Exp2Portable, _) => Helper::Exp2Portable,
            (Unary::Log2Portable, _) => Helper::Log2Portable,
            (Unary::AddressP, _) => Helper::Address,
            _driver_s => return None,
        };
        Some(self.call(helper, ty.lanes, &[a]))
    }

    /// Returns whether operands of some classes may be met, whose results are of other classes. The
    /// host may have excluded those.
    fn may_give(&mut self, a: Value, operands: Classes, results: Classes) -> bool {
        self.may_be(a, operands) && self.facts.results_may_be(results)
    }

    /// 1 by a number.
    fn reciprocal(&mut self, a: Value) -> Op {
        let lanes = self.emit.func.ty(a).lanes;
        let one = self.emit.float(lanes, 1.0);
        Op::Binary(Binary::Div, one, a)
    }

    fn reciprocal_root(&mut self, a: Value) -> Op {
        let root = self.emit.unary(Unary::Sqrt, a);
        self.reciprocal(root)
    }

    /// The lanes of the result that are known, because every machine computes the same for a
    /// constant, and their bits.
    fn fold(&self, op: Unary, a: Value) -> (u8, [u32; 4]) {
        let (mut lanes, mut result) = (0, [0; 4]);
        let arithmetic = op.is_pica() || matches!(op, Unary::Neg | Unary::Abs | Unary::Floor);
        let func = &*self.emit.func;
        if !arithmetic || self.facts.constants.get(a).lanes == 0 {
            return (lanes, result);
        }
        for (index, slot) in (0..func.ty(a).lanes).zip(&mut result) {
            let known = self.facts.constants.lane(Lane::new(a, index));
            if let Some(bits) = known.and_then(|known| scalar::fold_unary(op, self.precision, known)) {
                *slot = bits;
                lanes |= 1 << index;
            }
        }
        (lanes, result)
    }

    /// An operation of which some lanes are known: a driver would know them too, so they are
    /// constants.
    fn partly_constant(&mut self, op: Unary, a: Value, lanes: u8, constants: [u32; 4]) -> Op {
        let ty = op.result(self.emit.func.ty(a));
        let mut group = Group::new();
        for index in (0..ty.lanes).filter(|index| lanes >> index & 1 == 0) {
            group.push(Lane::new(a, index), Lane::new(a, index), index);
        }
        let known = self.emit.op(ty, Op::Const(constants));
        let mut result = [0, 1, 2, 3].map(|index| Lane::new(known, if index < ty.lanes { index } else { 0 }));
        let rest = self.gather(&group.a[..usize::from(group.len)]);
        self.facts.catch_up(self.emit.func);
        let rest = self.unary(op, rest).unwrap_or(Op::Unary(op, rest));
        self.place(&mut result, ty, &group, rest);
        let [first, ..] = result;
        result[usize::from(ty.lanes)..].fill(first);
        Op::Shuffle(result)
    }

    /// The same value: a float in the form that float24 registers hold it.
    pub(super) fn float24_register(&mut self, op: Op) -> Op {
        if !self.precision.rules().rounds || matches!(op, Op::Const(_)) {
            return op;
        }
        let value = self.emit.op(Type::F32X4, op);
        self.call(Helper::ToFloat, 4, &[value])
    }
}
