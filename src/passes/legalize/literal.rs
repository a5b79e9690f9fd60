//! What is known of a lane before the program runs: its literal value, or which special values it cannot have.
//! In: a function and a lane. Out: bits, or a set of possible specials. Changes nothing.
//!
//! Proofs, for each operation whose operands are known:
//! * `a < b ? a : b`: where `a` is chosen it is below `b`, so not +inf; so +inf only if `b` may be. -inf if either may be.
//!   0 if either may be, but not with a negative literal: what is below it is not 0, and what is chosen otherwise is either
//!   that literal or not above it, or NaN. `a > b ? a : b`: mirrored.
//! * Other selects: what either arm may be. Shuffles: lane by lane. Negation swaps the infinities, the absolute value has
//!   only +inf. Rounding down may make a 0, never an infinity.
//! * A literal subnormal counts as possibly 0, since some drivers flush it.
//! * inf · 0 cannot happen if neither operand may be 0 while the other may be infinite, nor if both operands are the same
//!   lane up to sign: x · x is 0 · 0 or inf · inf.

use crate::ir::{Binary, Func, Kind, Lane, Op, Unary, Value, scalar};
use crate::precision::Precision;

const SIGN: u32 = 0x8000_0000;
const MAGNITUDE: u32 = 0x7FFF_FFFF;
const INFINITY: u32 = 0x7F80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
/// How many definitions one question may look at.
const FUEL: u32 = 32;

/// Float constants that take the place of uniforms.
pub(super) type Constants = [Option<[u32; 4]>; 96];

/// Whether a value can have literal lanes at all; a quick no for most operands.
pub(super) fn may_be_literal(func: &Func, value: Value) -> bool {
    match func.op(value) {
        Some(
            Op::Const(_)
            | Op::Shuffle(_)
            | Op::Select { .. }
            | Op::Unary(Unary::Neg | Unary::Abs | Unary::Floor, _),
        ) => true,
        Some(
            Op::Input(_)
            | Op::Uniform(_)
            | Op::UniformAt { .. }
            | Op::IntUniform { .. }
            | Op::BoolUniform(_)
            | Op::Member { .. }
            | Op::MemberAt { .. }
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Call { .. },
        )
        | None => false,
    }
}

/// The bits of a lane that is known.
pub(super) fn literal(func: &Func, lane: Lane) -> Option<u32> {
    Search { func, fuel: FUEL }.literal(lane)
}

/// Which special values a lane may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct May(u8);

impl May {
    const ZERO: Self = Self(1);
    const POSITIVE: Self = Self(2);
    const NEGATIVE: Self = Self(4);
    const ALL: Self = Self(7);
    const NONE: Self = Self(0);
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    /// Whether any of the other's values is among these.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    /// Of a literal.
    pub fn of_bits(bits: u32) -> Self {
        match bits & MAGNITUDE {
            0..MIN_NORMAL => Self::ZERO,
            INFINITY if bits & SIGN == 0 => Self::POSITIVE,
            INFINITY => Self::NEGATIVE,
            _ => Self::NONE,
        }
    }
    fn infinite(self) -> bool {
        self.has(Self(Self::POSITIVE.0 | Self::NEGATIVE.0))
    }
}

/// Whether the product of two lanes may be inf · 0.
pub(super) fn may_be_inf_times_zero(func: &Func, a: Lane, b: Lane) -> bool {
    if root(func, a) == root(func, b) {
        return false;
    }
    let (a, b) = (may(func, a), may(func, b));
    (a.has(May::ZERO) && b.infinite()) || (b.has(May::ZERO) && a.infinite())
}

/// The special values that a lane may have.
pub(super) fn may(func: &Func, lane: Lane) -> May {
    Search { func, fuel: FUEL }.may(lane)
}

/// The lane that a lane copies, up to sign.
fn root(func: &Func, mut lane: Lane) -> Lane {
    for _ in 0..FUEL {
        let op = func.op(lane.value());
        if let Some(Op::Shuffle(lanes)) = op {
            lane = lanes[usize::from(lane.index())];
        } else if let Some(Op::Unary(Unary::Neg | Unary::Abs, a)) = op {
            lane = Lane::new(a, lane.index());
        } else {
            return lane;
        }
    }
    lane
}

struct Search<'a> {
    func: &'a Func,
    fuel: u32,
}

impl Search<'_> {
    /// The definition of a lane, while there is fuel.
    fn op(&mut self, lane: Lane) -> Option<Op> {
        self.fuel = self.fuel.checked_sub(1)?;
        self.func.op(lane.value())
    }

    fn literal(&mut self, lane: Lane) -> Option<u32> {
        let index = lane.index();
        let at = |value| Lane::new(value, index);
        match self.op(lane)? {
            Op::Const(bits) => Some(bits[usize::from(index)]),
            Op::Shuffle(lanes) => self.literal(lanes[usize::from(index)]),
            Op::Unary(Unary::Neg, a) => Some(self.literal(at(a))? ^ SIGN),
            Op::Unary(Unary::Abs, a) => Some(self.literal(at(a))? & MAGNITUDE),
            Op::Unary(Unary::Floor, a) => Some(f32::from_bits(self.literal(at(a))?).floor().to_bits()),
            Op::Binary(op, a, b) if is_comparison(op) => {
                let (a, b) = (self.literal(at(a))?, self.literal(at(b))?);
                Some(scalar::binary(op, Precision::Exact, a, b))
            }
            Op::Select { cond, a, b } => {
                let chosen = if self.literal(at(cond))? != 0 { a } else { b };
                self.literal(at(chosen))
            }
            Op::Unary(..)
            | Op::Binary(..)
            | Op::Input(_)
            | Op::Uniform(_)
            | Op::UniformAt { .. }
            | Op::IntUniform { .. }
            | Op::BoolUniform(_)
            | Op::Member { .. }
            | Op::MemberAt { .. }
            | Op::Call { .. } => None,
        }
    }

    fn may(&mut self, lane: Lane) -> May {
        let index = lane.index();
        let at = |value| Lane::new(value, index);
        match self.op(lane) {
            Some(Op::Const(bits)) => May::of_bits(bits[usize::from(index)]),
            Some(Op::Shuffle(lanes)) => self.may(lanes[usize::from(index)]),
            Some(Op::Unary(Unary::Neg, a)) => {
                let May(bits) = self.may(at(a));
                May(bits & 1 | bits << 1 & 4 | bits >> 1 & 2)
            }
            Some(Op::Unary(Unary::Abs, a)) => {
                let May(bits) = self.may(at(a));
                May(bits & 3 | bits >> 1 & 2)
            }
            Some(Op::Unary(Unary::Floor, a)) => self.may(at(a)).or(May::ZERO),
            Some(Op::Select { cond, a, b }) => self.selected(at(cond), [a, b], index),
            Some(
                Op::Unary(..)
                | Op::Binary(..)
                | Op::Input(_)
                | Op::Uniform(_)
                | Op::UniformAt { .. }
                | Op::IntUniform { .. }
                | Op::BoolUniform(_)
                | Op::Member { .. }
                | Op::MemberAt { .. }
                | Op::Call { .. },
            )
            | None => May::ALL,
        }
    }

    /// One lane of a select; a minimum or maximum where the condition compares the arms.
    fn selected(&mut self, cond: Lane, arms: [Value; 2], index: u8) -> May {
        let compared = match self.op(cond) {
            Some(Op::Binary(op, x, y)) if [x, y] == arms => Some(op),
            Some(_) | None => None,
        };
        let [a, b] = arms.map(|value| self.may(Lane::new(value, index)));
        let either = a.or(b);
        if compared == Some(Binary::Less) {
            let infinities = b.and(May::POSITIVE).or(either.and(May::NEGATIVE));
            self.bounded(either, infinities, arms, index, SIGN)
        } else if compared == Some(Binary::Greater) {
            let infinities = b.and(May::NEGATIVE).or(either.and(May::POSITIVE));
            self.bounded(either, infinities, arms, index, 0)
        } else {
            either
        }
    }

    /// The result of a minimum (`sign` set) or maximum: these infinities, and 0 if an operand may be 0 and none is a normal
    /// literal on the side of the bound.
    fn bounded(&mut self, either: May, infinities: May, operands: [Value; 2], index: u8, sign: u32) -> May {
        let bounds = |bits: u32| bits & SIGN == sign && (MIN_NORMAL..=INFINITY).contains(&(bits & MAGNITUDE));
        let away_from_zero =
            operands.iter().any(|&value| self.literal(Lane::new(value, index)).is_some_and(bounds));
        if away_from_zero { infinities } else { infinities.or(either.and(May::ZERO)) }
    }
}

/// Whether an operation is one of the float comparisons that minimum, maximum and "set if" become.
fn is_comparison(op: Binary) -> bool {
    let signature = op.signature();
    signature.operand == Kind::F32 && signature.result == Kind::Bool
}
