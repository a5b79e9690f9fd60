//! Products, sums and dot products, of whose operands some lanes may be constant.
//! In: operands. Out: the operation that takes the place of the PICA200 one, after those that it
//! needs are emitted. Knows no ranges: what no constant decides is for `products`.
//!
//! A lane is one of three kinds: both operands constant (computed here), one a constant that counts
//! as zero (bit operations: drivers fold `x * 0` and `x + 0` wrongly), or open.
//!
//! ```text
//! mulp %0, (2, 0, 3, 0)    =>    %1 = mul %0.xz, (2, 3) ; %2 = zeros with the signs of %0.yw ; %1.x %2.x %1.y %2.y
//! ```

use super::helpers::Helper;
use super::pass::{Group, Pass};
use crate::ir::op::scalar;
use crate::ir::{Binary, Lane, Op, Type, Unary, Value};
use crate::machine::precision::Precision;
use crate::machine::precision::bits::SIGN;

/// The two operations whose lanes are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pair {
    Product,
    Sum,
}

/// Kind of one lane of a product or sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// No constant decides it.
    Open,
    /// One operand is a constant zero; the other operand, and whether the zero's sign matters and
    /// is negative. It does in `fast`, where 1/-0 is -inf.
    Zero(Lane, bool),
    /// Both operands are constant.
    Constant(u32),
}

impl Pass<'_> {
    fn part(&self, pair: Pair, a: Lane, b: Lane) -> Part {
        let zero = |known: u32, other| {
            if self.facts.constants.is_zero(known) {
                Part::Zero(other, self.precision.rules().reorders && known & SIGN != 0)
            } else {
                Part::Open
            }
        };
        match (self.facts.constants.lane(a), self.facts.constants.lane(b)) {
            (None, None) => Part::Open,
            (Some(known), None) => zero(known, b),
            (None, Some(known)) => zero(known, a),
            (Some(a), Some(b)) => {
                let op = match pair {
                    Pair::Product => Binary::MulP,
                    Pair::Sum => Binary::AddP,
                };
                scalar::fold_binary(op, self.precision, a, b).map_or(Part::Open, Part::Constant)
            }
        }
    }

    /// The kinds of all lanes, or `None` if all are open.
    fn parts(&self, pair: Pair, a: Value, b: Value) -> Option<[Part; 4]> {
        // Most operands have no constant lane.
        if self.facts.constants.get(a).lanes | self.facts.constants.get(b).lanes == 0 {
            return None;
        }
        let mut parts = [Part::Open; 4];
        for (index, part) in (0..self.emit.func.ty(a).lanes).zip(&mut parts) {
            *part = self.part(pair, Lane::new(a, index), Lane::new(b, index));
        }
        parts.iter().any(|part| *part != Part::Open).then_some(parts)
    }

    /// Lane-wise product.
    pub(super) fn mul(&mut self, a: Value, b: Value) -> Op {
        match self.parts(Pair::Product, a, b) {
            None => self.guarded_mul(a, b),
            Some(parts) => self.mul_or_add_by_lane(Pair::Product, a, b, &parts),
        }
    }

    /// Lane-wise sum.
    pub(super) fn add(&mut self, a: Value, b: Value) -> Op {
        match self.parts(Pair::Sum, a, b) {
            None => self.add_with_tests(a, b),
            Some(parts) => self.mul_or_add_by_lane(Pair::Sum, a, b, &parts),
        }
    }

    /// A product or sum of open lanes.
    fn open(&mut self, pair: Pair, a: Value, b: Value) -> Op {
        match pair {
            Pair::Product => self.guarded_mul(a, b),
            Pair::Sum => self.plain_add(a, b),
        }
    }

    /// A product or sum of which some lanes are not open.
    fn mul_or_add_by_lane(&mut self, pair: Pair, a: Value, b: Value, parts: &[Part; 4]) -> Op {
        let ty = self.emit.func.ty(a);
        let mut result = [Lane::new(a, 0); 4];
        let (mut open, mut zeros, mut known) = (Group::new(), [Group::new(); 2], Group::new());
        let mut constants = [0; 4];
        for (index, part) in (0..ty.lanes).zip(parts) {
            match *part {
                Part::Open => open.push(Lane::new(a, index), Lane::new(b, index), index),
                Part::Zero(other, _) if self.is_copy(pair) => {
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
        for (group, negative) in [(open, None), (zeros[0], Some(false)), (zeros[1], Some(true))] {
            if group.len > 0 {
                let len = usize::from(group.len);
                let first = self.gather(&group.a[..len]);
                let op = match negative {
                    None => {
                        let second = self.gather(&group.b[..len]);
                        self.open(pair, first, second)
                    }
                    Some(negative) => self.with_zero(pair, first, negative),
                };
                whole = self.place(&mut result, ty, &group, op);
            }
        }
        if known.len > 0 {
            self.place(&mut result, ty, &known, Op::Const(constants));
        }
        whole.unwrap_or_else(|| Op::shuffle(result, ty.lanes))
    }

    /// Returns whether a sum with zero is the other operand, except for a sign of zero, which only
    /// quotients of `fast` could tell; those programs have none by zero. float24 would still flush
    /// and truncate it.
    fn is_copy(&self, pair: Pair) -> bool {
        pair == Pair::Sum && !self.precision.rules().rounds
    }

    /// `a · 0` or `a + 0` in each lane.
    fn with_zero(&mut self, pair: Pair, a: Value, negative: bool) -> Op {
        let lanes = self.emit.func.ty(a).lanes;
        match pair {
            Pair::Product if self.precision == Precision::Exact && !self.may_be_nan(a) => {
                let zero = self.emit.zero_of_sign(a);
                Op::shuffle([0, 1, 2, 3].map(|lane| Lane::new(zero, lane)), lanes)
            }
            Pair::Product => {
                // x · -0 is -x · 0.
                let a = if negative { self.emit.unary(Unary::Neg, a) } else { a };
                self.call(Helper::MulZero, lanes, &[a])
            }
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
            return self.guarded_dot(a, b);
        };
        let products = match self.mul_or_add_by_lane(Pair::Product, a, b, &parts) {
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
            op = self.add_term(sum, lane);
            if index + 1 < usize::from(ty.lanes) {
                sum = Lane::new(self.emit.op(Type::F32, op), 0);
            }
        }
        op
    }

    /// Sum of a lane and a term of a dot product.
    fn add_term(&mut self, a: Lane, b: Lane) -> Op {
        self.facts.catch_up(self.emit.func);
        match self.part(Pair::Sum, a, b) {
            Part::Constant(bits) => Op::splat(Type::F32, bits),
            Part::Zero(other, _) if self.is_copy(Pair::Sum) => Op::Shuffle([other; 4]),
            Part::Zero(other, negative) => {
                let other = self.emit.lane(other);
                self.with_zero(Pair::Sum, other, negative)
            }
            Part::Open => {
                let (a, b) = (self.emit.lane(a), self.emit.lane(b));
                self.plain_add(a, b)
            }
        }
    }
}
