//! What is known of a lane before the program runs: its literal value, which [`Known`] finds, or which special values it
//! cannot have.
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

use crate::ir::known::Known;
use crate::ir::{Binary, Func, Lane, Op, Unary, Value};
use crate::precision::bits::{INFINITY, MAGNITUDE, MIN_NORMAL, SIGN};

/// How many definitions one question may look at.
const FUEL: u32 = 32;

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

/// The special values that each lane of a value may have.
type Mays = [May; 4];

/// What is known of each value of a function.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    known: Known<'a>,
    may: Vec<Mays>,
    /// The decisions in force at the place that is looked at.
    pub context: u32,
}

impl<'a> Facts<'a> {
    /// With what is known of literals so far.
    pub fn new(known: Known<'a>, values: usize) -> Self {
        Self { known, may: vec![[May::ALL; 4]; values], context: 0 }
    }

    /// The literals.
    pub fn known(&self) -> &Known<'a> {
        &self.known
    }

    /// The special values that a lane may have.
    #[inline]
    pub fn may(&self, lane: Lane) -> May {
        let mays = self.may.get(lane.value().0 as usize);
        mays.map_or(May::ALL, |mays| mays[usize::from(lane.index())])
    }

    /// The lanes of a value that are literal here, bit 0 is x.
    #[inline]
    pub fn literals(&self, func: &Func, value: Value) -> u8 {
        self.known.here(func, value, self.context).literal
    }

    /// Looks at values that are new since the last time.
    #[inline]
    pub fn catch_up(&mut self, func: &Func) {
        while self.may.len() < func.values.len() {
            let value = Value(self.may.len() as u32);
            self.may.push([May::ALL; 4]);
            self.learn(func, value);
        }
    }

    /// Looks at a value whose operation is new.
    #[inline]
    pub fn learn(&mut self, func: &Func, value: Value) {
        self.catch_up(func);
        self.known.learn(func, value, self.context);
        self.may[value.0 as usize] = self.find(func, value);
    }

    /// The bits of a lane that is literal here.
    #[inline]
    pub fn literal(&self, func: &Func, lane: Lane) -> Option<u32> {
        self.known.literal_in(func, lane, self.context)
    }

    /// Whether the product of two lanes may be inf · 0.
    pub fn may_be_inf_times_zero(&self, func: &Func, a: Lane, b: Lane) -> bool {
        let [x, y] = [a, b].map(|lane| self.may(lane));
        let possible = (x.has(May::ZERO) && y.infinite()) || (y.has(May::ZERO) && x.infinite());
        possible && root(func, a) != root(func, b)
    }

    fn find(&self, func: &Func, value: Value) -> Mays {
        let of = |value| std::array::from_fn(|lane| self.may(Lane::new(value, lane as u8)));
        match func.op(value) {
            Some(Op::Const(bits)) => bits.map(May::of_bits),
            Some(Op::Shuffle(lanes)) => lanes.map(|lane| self.may(lane)),
            Some(Op::Unary(Unary::Neg, a)) => of(a).map(May::negated),
            Some(Op::Unary(Unary::Abs, a)) => of(a).map(May::magnitude),
            Some(Op::Unary(Unary::Floor, a)) => of(a).map(|may: May| may.or(May::ZERO)),
            Some(Op::Select { cond, a, b }) => self.select(func, value, cond, [a, b]),
            Some(
                Op::Unary(..)
                | Op::Binary(..)
                | Op::Read(_)
                | Op::ReadAt(..)
                | Op::Submit { .. }
                | Op::Call { .. },
            )
            | None => [May::ALL; 4],
        }
    }

    /// A select; a minimum or maximum where the condition compares the arms.
    fn select(&self, func: &Func, value: Value, cond: Value, arms: [Value; 2]) -> Mays {
        let compared = match func.op(cond) {
            Some(Op::Binary(op, x, y)) if [x, y] == arms => Some(op),
            Some(_) | None => None,
        };
        let mut mays = [May::ALL; 4];
        for (lane, may) in (0..func.ty(value).lanes).zip(&mut mays) {
            let [a, b] = arms.map(|arm| self.may(Lane::new(arm, lane)));
            let either = a.or(b);
            let bounds = || arms.map(|arm| self.literal(func, Lane::new(arm, lane)));
            *may = match compared {
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
        }
        mays
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
