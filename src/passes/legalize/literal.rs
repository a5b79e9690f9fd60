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

use crate::ir::{Binary, Func, Lane, Op, Unary, Value, scalar};
use crate::precision::Precision;

const SIGN: u32 = 0x8000_0000;
const MAGNITUDE: u32 = 0x7FFF_FFFF;
const INFINITY: u32 = 0x7F80_0000;
const MIN_NORMAL: u32 = 0x0080_0000;
/// How many definitions one question may look at.
const FUEL: u32 = 32;

/// Float constants that take the place of uniforms.
pub(super) type Constants = [Option<[u32; 4]>; 96];

/// The bits of a lane that is known; [`Facts`] say faster which lanes that can be.
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
    fn negated(self) -> Self {
        Self(self.0 & 1 | self.0 << 1 & 4 | self.0 >> 1 & 2)
    }
    fn magnitude(self) -> Self {
        Self(self.0 & 3 | self.0 >> 1 & 2)
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

/// What is known of one value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    /// The lanes that are literal, bit 0 is x.
    pub literal: u8,
    /// The special values that each lane may have.
    pub may: [May; 4],
}

impl Fact {
    const NONE: Self = Self { literal: 0, may: [May::ALL; 4] };

    fn map(self, change: impl Fn(May) -> May) -> Self {
        Self { literal: self.literal, may: self.may.map(change) }
    }
}

/// What is known of each value of a function, gathered in an order in which definitions come before uses.
#[derive(Debug)]
pub(super) struct Facts {
    facts: Vec<Fact>,
}

impl Facts {
    /// About a function of this many values: nothing is known yet.
    pub fn new(values: usize) -> Self {
        Self { facts: vec![Fact::NONE; values] }
    }

    /// What is known of a value.
    #[inline]
    pub fn of(&self, value: Value) -> Fact {
        self.facts.get(value.0 as usize).copied().unwrap_or(Fact::NONE)
    }

    /// Looks at values that are new since the last time.
    #[inline]
    pub fn catch_up(&mut self, func: &Func) {
        while self.facts.len() < func.values.len() {
            let fact = self.find(func, Value(self.facts.len() as u32));
            self.facts.push(fact);
        }
    }

    /// Looks at a value whose operation is new.
    #[inline]
    pub fn learn(&mut self, func: &Func, value: Value) {
        self.catch_up(func);
        self.facts[value.0 as usize] = self.find(func, value);
    }

    /// The bits of a lane that is known.
    #[inline]
    pub fn literal(&self, func: &Func, lane: Lane) -> Option<u32> {
        if self.of(lane.value()).literal >> lane.index() & 1 == 0 { None } else { literal(func, lane) }
    }

    /// Whether the product of two lanes may be inf · 0.
    pub fn may_be_inf_times_zero(&self, func: &Func, a: Lane, b: Lane) -> bool {
        let [x, y] = [a, b].map(|lane| self.of(lane.value()).may[usize::from(lane.index())]);
        let possible = (x.has(May::ZERO) && y.infinite()) || (y.has(May::ZERO) && x.infinite());
        possible && root(func, a) != root(func, b)
    }

    fn find(&self, func: &Func, value: Value) -> Fact {
        match func.op(value) {
            Some(Op::Const(bits)) => Fact { literal: 15, may: bits.map(May::of_bits) },
            Some(Op::Shuffle(lanes)) => {
                let mut fact = Fact { literal: 0, may: [May::ALL; 4] };
                for (index, lane) in lanes.into_iter().enumerate() {
                    let from = self.of(lane.value());
                    fact.literal |= (from.literal >> lane.index() & 1) << index;
                    fact.may[index] = from.may[usize::from(lane.index())];
                }
                fact
            }
            Some(Op::Unary(Unary::Neg, a)) => self.of(a).map(May::negated),
            Some(Op::Unary(Unary::Abs, a)) => self.of(a).map(May::magnitude),
            Some(Op::Unary(Unary::Floor, a)) => self.of(a).map(|may| may.or(May::ZERO)),
            Some(Op::Binary(op, a, b)) if is_comparison(op) => {
                Fact { literal: self.of(a).literal & self.of(b).literal, may: [May::ALL; 4] }
            }
            Some(Op::Select { cond, a, b }) => self.select(func, value, cond, [a, b]),
            Some(
                Op::Unary(..)
                | Op::Binary(..)
                | Op::Input(_)
                | Op::Uniform(_)
                | Op::UniformAt { .. }
                | Op::IntUniform { .. }
                | Op::BoolUniform(_)
                | Op::HostField(_)
                | Op::Specialized(_)
                | Op::Member { .. }
                | Op::MemberAt { .. }
                | Op::DrawField(_)
                | Op::Load { .. }
                | Op::Submit { .. }
                | Op::Call { .. },
            )
            | None => Fact::NONE,
        }
    }

    /// A select; a minimum or maximum where the condition compares the arms.
    fn select(&self, func: &Func, value: Value, cond: Value, arms: [Value; 2]) -> Fact {
        let compared = match func.op(cond) {
            Some(Op::Binary(op, x, y)) if [x, y] == arms => Some(op),
            Some(_) | None => None,
        };
        let facts = arms.map(|arm| self.of(arm));
        let choice = self.of(cond).literal;
        let mut fact = Fact::NONE;
        for lane in 0..func.ty(value).lanes {
            let index = usize::from(lane);
            let [a, b] = facts.map(|fact| fact.may[index]);
            let either = a.or(b);
            let bounds = || arms.map(|arm| self.literal(func, Lane::new(arm, lane)));
            fact.may[index] = match compared {
                Some(Binary::Less) => {
                    let infinities = b.and(May::POSITIVE).or(either.and(May::NEGATIVE));
                    bounded(either, infinities, bounds(), SIGN)
                }
                Some(Binary::Greater) => {
                    let infinities = b.and(May::NEGATIVE).or(either.and(May::POSITIVE));
                    bounded(either, infinities, bounds(), 0)
                }
                Some(_) | None => either,
            };
            if choice >> lane & 1 != 0 && literal(func, Lane::new(value, lane)).is_some() {
                fact.literal |= 1 << lane;
            }
        }
        fact
    }
}

/// The result of a minimum (`sign` set) or maximum: these infinities, and 0 if an operand may be 0 and none is a normal
/// literal on the side of the bound.
fn bounded(either: May, infinities: May, operands: [Option<u32>; 2], sign: u32) -> May {
    let bounds = |bits: u32| bits & SIGN == sign && (MIN_NORMAL..=INFINITY).contains(&(bits & MAGNITUDE));
    let away_from_zero = operands.into_iter().flatten().any(bounds);
    if away_from_zero { infinities } else { infinities.or(either.and(May::ZERO)) }
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
            | Op::HostField(_)
            | Op::Specialized(_)
            | Op::Member { .. }
            | Op::MemberAt { .. }
            | Op::DrawField(_)
            | Op::Load { .. }
            | Op::Submit { .. }
            | Op::Call { .. } => None,
        }
    }
}

/// Whether an operation is one of the float comparisons that minimum, maximum and "set if" become.
fn is_comparison(op: Binary) -> bool {
    matches!(op, Binary::Equal | Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual)
}
