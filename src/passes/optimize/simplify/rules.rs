//! The rules for one operation whose operands are as simple as they get.
//! In: an operation on values. Out: a simpler one, a value that equals it, or nothing. Changes
//! nothing but adds constants.
//!
//! A rule keeps every bit of every result (any NaN is as good as another). So `x + 0` is not `x`
//! (−0 + 0 = +0) and `x · 0` is not 0 (NaN, signs), but `x + −0` and `x · 1` are `x`, unless
//! float24 arithmetic would truncate it on the way. Constants' operations become constants where
//! [`scalar`] folds them and the result is finite. Comparisons that a driver would decide are
//! decided here, see `comparisons`.

use super::{Simplify, comparisons};
use crate::ir::op::scalar;
use crate::ir::{Array, Binary, Def, Lane, Op, Resource, ScalarKind, Shape, Type, Unary, Value};
use crate::machine::precision::arith;
use crate::machine::precision::bits::ONE;
use crate::program::isa::sizes::FLOATS;
use crate::support::entity::Handle;

const MINUS_ONE: u32 = (-1f32).to_bits();
const MINUS_ZERO: u32 = (-0f32).to_bits();

/// Outcome of a rule.
pub(super) enum Fold {
    /// No change.
    Keep,
    /// Replaced by this operation, to which a rule may apply.
    Op(Op),
    /// The same operation on other operands, to which no rule applies.
    Mapped(Op),
    /// Equal to this value.
    Value(Value),
}

impl Fold {
    /// This, or the operation on other operands if they changed.
    #[inline]
    fn or_if(self, changed: bool, mapped: Op) -> Self {
        match self {
            Self::Keep if changed => Self::Mapped(mapped),
            Self::Keep | Self::Op(_) | Self::Mapped(_) | Self::Value(_) => self,
        }
    }
}

impl Simplify<'_> {
    /// Looks operands up and applies the first rule that fits.
    #[inline]
    pub(super) fn fold(&mut self, op: Op, ty: Type) -> Fold {
        match op {
            Op::Const(_) | Op::Read(_) => Fold::Keep,
            Op::Shuffle(lanes) => self.shuffle(lanes, ty),
            Op::Unary(op, a) => {
                let x = self.now(a);
                self.unary(op, x, ty).or_if(x != a, Op::Unary(op, x))
            }
            Op::Binary(op, a, b) => {
                let (x, y) = (self.now(a), self.now(b));
                self.binary(op, x, y, ty).or_if((x, y) != (a, b), Op::Binary(op, x, y))
            }
            Op::Select { cond, a, b } => {
                let (c, x, y) = (self.now(cond), self.now(a), self.now(b));
                let mapped = Op::Select { cond: c, a: x, b: y };
                self.select(c, x, y, ty).or_if((c, x, y) != (cond, a, b), mapped)
            }
            Op::ReadAt(array, index) => {
                let now = self.now(index);
                self.read_at(array, now).or_if(now != index, Op::ReadAt(array, now))
            }
            Op::Call { args, .. } | Op::Submit { args } => {
                self.map_list(args);
                Fold::Keep
            }
        }
    }

    /// Replacement of an operand.
    #[inline]
    fn now(&self, value: Value) -> Value {
        self.map[value.index()]
    }

    /// A read whose index is a constant.
    fn read_at(&self, array: Array, index: Value) -> Fold {
        let Some([index, ..]) = self.constant(index) else { return Fold::Keep };
        match array {
            // rule: read_constant_index
            Array::Uniform(base) => Fold::Op(match arith::uniform_index(base, index.cast_signed()) {
                register if usize::from(register) < FLOATS => Op::Read(Resource::Uniform(register)),
                _ => Op::Const([ONE; 4]),
            }),
            // rule: read_constant_index
            Array::Member(member) => match u16::try_from(index) {
                Ok(element) => Fold::Op(Op::Read(Resource::Member { member, element })),
                Err(_) => Fold::Keep,
            },
            Array::Buffer(_) => Fold::Keep,
        }
    }

    #[inline]
    pub(super) fn constant(&self, value: Value) -> Option<[u32; 4]> {
        if let Def::Op(Op::Const(bits)) = self.f.values[value].def { Some(bits) } else { None }
    }

    /// The bits that all lanes of a constant have.
    fn splat(&self, value: Value) -> Option<u32> {
        let bits = self.constant(value)?;
        let lanes = usize::from(self.f.ty(value).lanes);
        bits[1..lanes].iter().all(|&other| other == bits[0]).then_some(bits[0])
    }

    fn shuffle(&self, mut lanes: [Lane; 4], ty: Type) -> Fold {
        let mut changed = false;
        let mut bits = [0; 4];
        let mut constants = 0;
        let mut identity = true;
        let count = usize::from(ty.lanes);
        for (index, lane) in lanes.iter_mut().enumerate().take(count) {
            let old = *lane;
            *lane = Lane::new(self.now(old.value()), old.index());
            match &self.f.values[lane.value()].def {
                Def::Op(Op::Shuffle(inner)) => {
                    // The lane that the inner shuffle has at this place.
                    *lane = inner[usize::from(lane.index())];
                }
                Def::Op(Op::Const(constant)) => {
                    bits[index] = constant[usize::from(lane.index())];
                    constants += 1;
                }
                Def::Op(_) | Def::Param | Def::Result | Def::Dead => {}
            }
            changed |= *lane != old;
            identity &= usize::from(lane.index()) == index;
        }
        // A shuffle of constants only is a constant.
        if constants == count {
            // rule: shuffle_of_constants
            return Fold::Op(Op::Const(bits));
        }
        let [first, ..] = lanes;
        if identity
            && lanes[..count].iter().all(|lane| lane.value() == first.value())
            && self.f.ty(first.value()) == ty
        {
            // rule: shuffle_identity
            return Fold::Value(first.value());
        }
        if !changed {
            return Fold::Keep;
        }
        // rule: shuffle_of_shuffle
        Fold::Op(Op::shuffle(lanes, ty.lanes))
    }

    fn unary(&self, op: Unary, a: Value, ty: Type) -> Fold {
        match self.f.op(a) {
            Some(Op::Const(bits)) => {
                self.fold_lanes(ty, |lane| scalar::fold_unary(op, self.precision, bits[lane]))
            }
            Some(Op::Unary(inner, x)) => match (op, inner) {
                // rule: inverse_pair
                (Unary::Not, Unary::Not)
                | (Unary::Neg, Unary::Neg)
                | (Unary::ToBits, Unary::FromBits)
                | (Unary::FromBits, Unary::ToBits) => Fold::Value(x),
                // rule: idempotent
                (Unary::Abs, Unary::Abs) | (Unary::Floor, Unary::Floor) => Fold::Value(a),
                // rule: abs_of_neg
                (Unary::Abs, Unary::Neg) => Fold::Op(Op::Unary(Unary::Abs, x)),
                _all_other_pairs => Fold::Keep,
            },
            Some(_) | None => Fold::Keep,
        }
    }

    /// The constant whose lanes `lane` computes, if it can and all are fit to be constants.
    fn fold_lanes(&self, ty: Type, lane: impl Fn(usize) -> Option<u32>) -> Fold {
        let mut bits = [0; 4];
        for (index, slot) in bits.iter_mut().enumerate().take(usize::from(ty.lanes)) {
            match lane(index) {
                // WGSL has no constant for infinities and NaN.
                Some(folded) if ty.kind != ScalarKind::F32 || f32::from_bits(folded).is_finite() => {
                    *slot = folded
                }
                Some(_) | None => return Fold::Keep,
            }
        }
        // rule: fold
        Fold::Op(Op::Const(bits))
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value, ty: Type) -> Fold {
        let (known_a, known_b) = (self.constant(a), self.constant(b));
        if let (Some(x), Some(y)) = (known_a, known_b) {
            let lanes = self.f.ty(a).lanes;
            let folded = self.fold_lanes(ty, |lane| match op.shape() {
                Shape::Dot => scalar::fold_dot(op, self.precision, x, y, lanes),
                Shape::Each => scalar::fold_binary(op, self.precision, x[lane], y[lane]),
            });
            if let Fold::Op(_) = folded {
                return folded;
            }
        }
        if comparisons::compares(op)
            && let Some(fold) = self.comparison(op, a, b, ty)
        {
            return fold;
        }
        // After the comparisons, which know more of `x == x`.
        if a == b {
            return self.binary_of_one(op, a, ty);
        }
        let (constant, constant_value, other, right) = match (known_a, known_b) {
            (_, Some(_)) => (self.splat(b), b, a, true),
            (Some(_), None) => (self.splat(a), a, b, false),
            (None, None) => return Fold::Keep,
        };
        match constant {
            Some(bits) => {
                self.binary_with_constant(op, Constant { bits, value: constant_value, right }, other, ty)
            }
            None => Fold::Keep,
        }
    }

    /// A comparison of which some lanes are known becomes constants and a comparison of the other
    /// lanes.
    fn comparison(&mut self, op: Binary, a: Value, b: Value, ty: Type) -> Option<Fold> {
        let (mut bits, mut rest, mut len) = ([0; 4], [0; 4], 0);
        for (index, slot) in (0..ty.lanes).zip(&mut bits) {
            match comparisons::compared(self.f, self.ranges, op, Lane::new(a, index), Lane::new(b, index)) {
                Some(known) => *slot = known,
                None => {
                    rest[len] = index;
                    len += 1;
                }
            }
        }
        match &rest[..len] {
            // rule: decided
            [] => Some(Fold::Op(Op::Const(bits))),
            all if all.len() == usize::from(ty.lanes) => self.of_set(op, a, b, ty),
            &[first, ref more @ ..] => {
                let mut picked = [first; 4];
                picked[1..len].copy_from_slice(more);
                // The open lanes are compared in a vector of their own.
                let few = self.f.ty(a).with_lanes(len as u8);
                let [x, y] = [a, b].map(|value| Op::Shuffle(picked.map(|index| Lane::new(value, index))));
                let (x, y) = (self.new_value(few, x), self.new_value(few, y));
                let compared = self.new_value(ty.with_lanes(len as u8), Op::Binary(op, x, y));
                let constant = self.new_value(ty, Op::Const(bits));
                let mut lanes = [0, 1, 2, 3].map(|index| Lane::new(constant, index));
                for (at, &index) in (0..).zip(&rest[..len]) {
                    lanes[usize::from(index)] = Lane::new(compared, at);
                }
                // rule: decided_lanes
                Some(Fold::Op(Op::shuffle(lanes, ty.lanes)))
            }
        }
    }

    /// Rule for the result of SGE or SLT, compared with a constant: the condition itself, or its
    /// opposite.
    fn of_set(&mut self, op: Binary, a: Value, b: Value, ty: Type) -> Option<Fold> {
        let (set, constant, right) = match (self.splat(a), self.splat(b)) {
            (_, Some(bits)) => (a, bits, true),
            (Some(bits), None) => (b, bits, false),
            (None, None) => return None,
        };
        let Some(Op::Binary(inner @ (Binary::SgeP | Binary::SltP), x, y)) = self.f.op(set) else {
            return None;
        };
        let [clear, holds] = [0, ONE].map(|bits| {
            let (a, b) = if right { (bits, constant) } else { (constant, bits) };
            scalar::binary(op, self.precision, a, b) != 0
        });
        let condition = if inner == Binary::SgeP { Binary::GreaterEqual } else { Binary::Less };
        match (clear, holds, ty.kind) {
            // rule: set_is_condition
            (false, true, ScalarKind::Bool) => Some(Fold::Op(Op::Binary(condition, x, y))),
            // rule: set_is_set
            (false, true, _float) => Some(Fold::Value(set)),
            // rule: set_is_no_condition
            (true, false, ScalarKind::Bool) => {
                let condition = self.new_value(ty, Op::Binary(condition, x, y));
                Some(Fold::Op(Op::Unary(Unary::Not, condition)))
            }
            _both_or_a_new_number => None,
        }
    }

    /// Both operands are the same value.
    fn binary_of_one(&self, op: Binary, a: Value, ty: Type) -> Fold {
        let all = |bits| Fold::Op(Op::splat(ty, bits));
        match op {
            // rule: choice_of_one
            Binary::MinP
            | Binary::MaxP
            | Binary::Min
            | Binary::Max
            | Binary::And
            | Binary::Or
            | Binary::IAnd
            | Binary::BitAnd
            | Binary::BitOr => Fold::Value(a),
            // rule: nothing_of_one
            Binary::ISub | Binary::BitXor | Binary::ILess | Binary::IGreater | Binary::ULess => all(0),
            // rule: one_is_equal
            Binary::IEqual | Binary::UEqual => all(1),
            // A NaN differs from itself, and the others compute something new.
            _other => Fold::Keep,
        }
    }

    /// One operand is a constant with the same bits in all lanes.
    fn binary_with_constant(&mut self, op: Binary, constant: Constant, other: Value, ty: Type) -> Fold {
        // x · 1 and x + -0 are not x in float24: the result is truncated.
        let truncates = op.is_pica() && self.precision.rules().rounds;
        match (op, constant.bits) {
            // rule: neutral_float
            (Binary::MulP | Binary::Mul, ONE) | (Binary::AddP | Binary::Add, MINUS_ZERO) if !truncates => {
                Fold::Value(other)
            }
            // rule: times_minus_one
            (Binary::MulP | Binary::Mul, MINUS_ONE) if !truncates => Fold::Op(Op::Unary(Unary::Neg, other)),
            // rule: neutral
            (Binary::And, 1)
            | (Binary::IMul, 1)
            | (Binary::Or | Binary::IAdd | Binary::BitOr | Binary::BitXor, 0)
            | (Binary::IAnd | Binary::BitAnd, u32::MAX) => Fold::Value(other),
            // rule: absorbing
            (Binary::And | Binary::IAnd | Binary::BitAnd, 0)
            | (Binary::Or, 1)
            | (Binary::IMul, 0)
            | (Binary::BitOr, u32::MAX) => Fold::Value(constant.value),
            // rule: neutral_right
            (Binary::ISub | Binary::ShiftRight | Binary::ShiftLeft, 0) if constant.right => {
                Fold::Value(other)
            }
            (Binary::IEqual, bits) => self.selected(other, bits),
            (Binary::IAdd, bits) => self.sum(bits.cast_signed(), other, ty),
            (Binary::ISub, bits) if constant.right => self.sum(bits.cast_signed().wrapping_neg(), other, ty),
            _all_other_pairs => Fold::Keep,
        }
    }

    /// `select %c constant constant == constant` is the condition, its negation, or known.
    fn selected(&self, a: Value, bits: u32) -> Fold {
        let Some(Op::Select { cond, a, b }) = self.f.op(a) else { return Fold::Keep };
        match (self.splat(a).map(|a| a == bits), self.splat(b).map(|b| b == bits)) {
            // rule: selected
            (Some(true), Some(false)) => Fold::Value(cond),
            // rule: selected_not
            (Some(false), Some(true)) => Fold::Op(Op::Unary(Unary::Not, cond)),
            (Some(_), Some(_)) | (None, _) | (_, None) => Fold::Keep,
        }
    }

    /// `a + constant`, where `a` itself may be such a sum.
    fn sum(&mut self, constant: i32, a: Value, ty: Type) -> Fold {
        let inner = match self.f.op(a) {
            Some(Op::Binary(Binary::IAdd, x, y)) => match (self.splat(x), self.splat(y)) {
                (_, Some(bits)) => Some((x, bits.cast_signed())),
                (Some(bits), None) => Some((y, bits.cast_signed())),
                (None, None) => None,
            },
            Some(Op::Binary(Binary::ISub, x, y)) => {
                self.splat(y).map(|bits| (x, bits.cast_signed().wrapping_neg()))
            }
            Some(_) | None => None,
        };
        let Some((x, first)) = inner else { return Fold::Keep };
        // Wrapping sums are associative, so both constants are one.
        let sum = first.wrapping_add(constant).cast_unsigned();
        if sum == 0 {
            // rule: sums_cancel
            return Fold::Value(x);
        }
        let sum = self.new_value(ty, Op::splat(ty, sum));
        // rule: sum_of_sums
        Fold::Op(Op::Binary(Binary::IAdd, x, sum))
    }

    fn select(&self, cond: Value, a: Value, b: Value, ty: Type) -> Fold {
        // rule: select_same
        if a == b {
            return Fold::Value(a);
        }
        match self.f.op(cond) {
            // Each lane takes its arm.
            Some(Op::Const(bits)) => {
                let from = |lane| Lane::new(if bits[usize::from(lane)] != 0 { a } else { b }, lane);
                // rule: select_constant
                return Fold::Op(Op::shuffle([0, 1, 2, 3].map(from), ty.lanes));
            }
            // One operation less than negating first.
            // rule: select_not
            Some(Op::Unary(Unary::Not, inner)) => return Fold::Op(Op::Select { cond: inner, a: b, b: a }),
            Some(_) | None => {}
        }
        match (ty.kind == ScalarKind::Bool).then(|| (self.splat(a), self.splat(b))) {
            // rule: select_true_false
            Some((Some(1), Some(0))) => Fold::Value(cond),
            // rule: select_false_true
            Some((Some(0), Some(1))) => Fold::Op(Op::Unary(Unary::Not, cond)),
            Some(_) | None => Fold::Keep,
        }
    }
}

/// A constant operand.
struct Constant {
    /// The bits of every lane.
    bits: u32,
    value: Value,
    /// Set if it is the second operand.
    right: bool,
}
