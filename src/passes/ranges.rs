//! Classes of numbers that a lane may belong to: signs, zeros, infinities, NaN.
//! In: a function of either stage, a lane, and what else is known to be constant. Out: [`Classes`].
//! Changes nothing.
//!
//! `simplify` decides comparisons with it, `legalize` leaves out guards. The rows of the table
//! ([`unary`], [`choice`], [`product`], [`sum`]) combine classes; [`Ranges`] asks definitions on
//! demand, because few lanes are ever asked for. Parameters and results may be anything. What wants
//! to know more of them needs a sweep over the function that joins classes by [`Classes::or`], and
//! the same rows.
//!
//! [`ir::known`](crate::ir::known) answers another question, so it has tables of its own: which
//! bits a driver could find for a lane, also where it copies code or knows a decision. It assumes
//! that a parameter keeps its constant until a sweep disproves that. What is said here holds on
//! every path and assumes nothing. Both fold constants by [`ir::scalar`](crate::ir::scalar).
//!
//! A lane that may be subnormal may be zero, too: some drivers flush. So a finite class without
//! zeros means normal numbers.

#[cfg(test)]
mod tests;

use crate::ir::{Binary, Func, Lane, Op, Shape, Unary, Value};
use crate::precision::Precision;
use crate::precision::bits::{INFINITY, MAGNITUDE, MIN_NORMAL, NAN, ONE, SIGN};

/// Number of definitions that one question may look at.
const FUEL: u32 = 32;

/// A set of classes of numbers; those but NaN are in the order of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classes(u8);

impl Classes {
    pub const NONE: Self = Self(0);
    pub const NEGATIVE_INFINITY: Self = Self(1);
    /// Finite.
    pub const NEGATIVE: Self = Self(1 << 1);
    pub const NEGATIVE_ZERO: Self = Self(1 << 2);
    pub const POSITIVE_ZERO: Self = Self(1 << 3);
    /// Finite.
    pub const POSITIVE: Self = Self(1 << 4);
    pub const POSITIVE_INFINITY: Self = Self(1 << 5);
    pub const NAN: Self = Self(1 << 6);
    pub const ALL: Self = Self((1 << 7) - 1);
    pub const ZERO: Self = Self::NEGATIVE_ZERO.or(Self::POSITIVE_ZERO);
    pub const FINITE: Self = Self::NEGATIVE.or(Self::POSITIVE);
    pub const INFINITE: Self = Self::NEGATIVE_INFINITY.or(Self::POSITIVE_INFINITY);
    const BELOW_ZERO: Self = Self::NEGATIVE_INFINITY.or(Self::NEGATIVE).or(Self::NEGATIVE_ZERO);

    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether any of the other's classes is among these.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Each of these classes alone.
    pub fn each(self) -> impl Iterator<Item = Self> {
        (0..7).map(|bit| Self(1 << bit)).filter(move |&class| self.has(class))
    }

    /// The bits of a number of one class.
    pub fn sample(self) -> u32 {
        match self {
            Self::NEGATIVE_INFINITY => INFINITY | SIGN,
            Self::NEGATIVE => ONE | SIGN,
            Self::NEGATIVE_ZERO => SIGN,
            Self::POSITIVE_ZERO => 0,
            Self::POSITIVE => ONE,
            Self::POSITIVE_INFINITY => INFINITY,
            _nan => NAN,
        }
    }

    /// Of a constant.
    pub fn of_bits(bits: u32) -> Self {
        let positive = match bits & MAGNITUDE {
            0 => Self::POSITIVE_ZERO,
            1..MIN_NORMAL => Self::POSITIVE_ZERO.or(Self::POSITIVE),
            MIN_NORMAL..INFINITY => Self::POSITIVE,
            INFINITY => Self::POSITIVE_INFINITY,
            _ => Self::NAN,
        };
        if bits & SIGN == 0 { positive } else { positive.negated() }
    }

    fn map(self, row: impl Fn(Self) -> Self) -> Self {
        self.each().fold(Self::NONE, |all, class| all.or(row(class)))
    }

    fn pairs(self, other: Self, row: impl Fn(Self, Self) -> Self) -> Self {
        self.map(|a| other.map(|b| row(a, b)))
    }

    fn negated(self) -> Self {
        // The numbers in reverse order; NaN stays.
        Self(self.0.reverse_bits() >> 2 | self.0 & Self::NAN.0)
    }

    fn magnitude(self) -> Self {
        let negative = Self(self.0 & Self::BELOW_ZERO.0);
        Self(self.0 & !Self::BELOW_ZERO.0).or(negative.negated())
    }

    /// As float24 arithmetic reads numbers: small ones may become 0.
    fn read(self, precision: Precision) -> Self {
        if precision == Precision::F24 && self.has(Self::FINITE) { self.or(Self::ZERO) } else { self }
    }

    /// As float24 arithmetic rounds results: from 2^64 on they are infinite.
    fn rounded(self, precision: Precision) -> Self {
        let row = |class| match class {
            Self::NEGATIVE => class.or(Self::ZERO).or(Self::NEGATIVE_INFINITY),
            Self::POSITIVE => class.or(Self::ZERO).or(Self::POSITIVE_INFINITY),
            same => same,
        };
        if precision == Precision::F24 { self.map(row) } else { self }
    }

    /// NaN as the result of 0 · ∞, in `fast` only.
    fn not_a_number(precision: Precision) -> Self {
        match precision {
            Precision::Exact | Precision::F24 => Self::ZERO,
            Precision::Fast => Self::NAN,
        }
    }
}

/// Row of a one-operand operation.
fn unary(op: Unary, precision: Precision, a: Classes) -> Classes {
    type C = Classes;
    // The reciprocal of -0 is +inf, unless the plain division computes it.
    let of_zero = match precision {
        Precision::Exact | Precision::F24 => C::POSITIVE_INFINITY,
        Precision::Fast => C::INFINITE,
    };
    let arithmetic = |row: &dyn Fn(C) -> C| {
        // NaN stays NaN in every function of one operand.
        let each = |class| if class == C::NAN { C::NAN } else { row(class) };
        a.read(precision).map(each).rounded(precision)
    };
    match op {
        Unary::Neg => a.negated(),
        Unary::Abs => a.magnitude(),
        Unary::Floor => a.map(|class| if class == C::POSITIVE { class.or(C::POSITIVE_ZERO) } else { class }),
        // That of a large number is subnormal, that of a subnormal number is infinite.
        Unary::RcpP => arithmetic(&|class| match class {
            C::NEGATIVE => C::NEGATIVE_INFINITY.or(C::NEGATIVE).or(C::ZERO),
            C::POSITIVE => C::POSITIVE_INFINITY.or(C::POSITIVE).or(C::ZERO),
            C::NEGATIVE_ZERO | C::POSITIVE_ZERO => of_zero,
            _infinite => C::ZERO,
        }),
        Unary::RsqP => arithmetic(&|class| match class {
            C::NEGATIVE_INFINITY | C::NEGATIVE => C::NAN,
            C::NEGATIVE_ZERO | C::POSITIVE_ZERO => of_zero,
            C::POSITIVE => C::POSITIVE,
            _infinite => C::ZERO,
        }),
        Unary::Exp2P | Unary::Exp2Portable => arithmetic(&|class| match class {
            C::NEGATIVE_INFINITY => C::ZERO,
            C::NEGATIVE => C::ZERO.or(C::POSITIVE),
            C::NEGATIVE_ZERO | C::POSITIVE_ZERO => C::POSITIVE,
            C::POSITIVE => C::POSITIVE.or(C::POSITIVE_INFINITY),
            _infinite => C::POSITIVE_INFINITY,
        }),
        Unary::Log2P | Unary::Log2Portable => arithmetic(&|class| match class {
            C::NEGATIVE_INFINITY | C::NEGATIVE => C::NAN,
            C::NEGATIVE_ZERO | C::POSITIVE_ZERO => C::NEGATIVE_INFINITY,
            C::POSITIVE => C::FINITE.or(C::ZERO),
            _infinite => C::POSITIVE_INFINITY,
        }),
        // Of what drivers compute, and of other kinds than floats, nothing is said.
        Unary::AddressP
        | Unary::Sqrt
        | Unary::Exp2
        | Unary::Log2
        | Unary::Not
        | Unary::ToInt
        | Unary::ToBits
        | Unary::FromBits
        | Unary::UintToInt
        | Unary::IntToUint => C::ALL,
    }
}

/// Row of `a < b ? a : b` (`is_less`) and `a > b ? a : b`: a minimum or maximum, the second operand
/// where one is NaN.
fn choice(is_less: bool, a: Classes, b: Classes) -> Classes {
    a.pairs(b, |a, b| {
        let both = a.or(b);
        // Neither zero is less than the other.
        let is_unordered = both.has(Classes::NAN) || both == Classes::ZERO;
        let first = if is_less { a.0 < b.0 } else { a.0 > b.0 };
        if first && !is_unordered { a } else { b }
    })
}

/// Row of a product of two lanes, or of one with itself.
fn product(precision: Precision, a: Classes, b: Classes, is_square: bool) -> Classes {
    type C = Classes;
    let row = |a: C, b: C| {
        if a.or(b).has(C::NAN) {
            return C::NAN;
        }
        let infinite = a.or(b).has(C::INFINITE);
        let positive = match (infinite, a.or(b).has(C::ZERO)) {
            (true, true) => C::not_a_number(precision),
            (false, true) => C::ZERO,
            (true, false) => C::POSITIVE_INFINITY,
            // It may overflow and underflow.
            (false, false) => C::ZERO.or(C::POSITIVE).or(C::POSITIVE_INFINITY),
        };
        if C::BELOW_ZERO.has(a) == C::BELOW_ZERO.has(b) { positive } else { positive.negated() }
    };
    let (a, b) = (a.read(precision), b.read(precision));
    // Zero times infinity needs two lanes, and a square has one sign.
    let product = if is_square { a.map(|class| row(class, class)) } else { a.pairs(b, row) };
    product.rounded(precision)
}

/// Row of a sum.
fn sum(precision: Precision, a: Classes, b: Classes) -> Classes {
    type C = Classes;
    let row = |a: C, b: C| match (a.or(b).has(C::INFINITE), a == b) {
        // Both are single classes, so that `a == b` compares them.
        _nan if a.or(b).has(C::NAN) => C::NAN,
        (true, true) => a,
        (true, false) if a.has(C::INFINITE) && b.has(C::INFINITE) => C::NAN,
        (true, false) => {
            if a.has(C::INFINITE) {
                a
            } else {
                b
            }
        }
        (false, _) if a.has(C::ZERO) && b.has(C::ZERO) => C::ZERO,
        (false, _) if a.has(C::ZERO) => b,
        (false, _) if b.has(C::ZERO) => a,
        (false, true) if a == C::POSITIVE => a.or(C::POSITIVE_INFINITY),
        (false, true) => a.or(C::NEGATIVE_INFINITY),
        (false, false) => C::FINITE.or(C::ZERO),
    };
    a.read(precision).pairs(b.read(precision), row).rounded(precision)
}

/// Questions about lanes of a function, each with fuel of its own.
pub(super) struct Ranges<'a, L> {
    f: &'a Func,
    precision: Precision,
    /// The bits of lanes that are constant for another reason than their definition.
    literal: L,
    fuel: u32,
}

impl<'a, L: Fn(Lane) -> Option<u32>> Ranges<'a, L> {
    /// Nothing is asked yet.
    pub fn new(f: &'a Func, precision: Precision, literal: L) -> Self {
        Self { f, precision, literal, fuel: FUEL }
    }

    /// The definition of a lane, while there is fuel.
    fn op(&mut self, lane: Lane) -> Option<Op> {
        self.fuel = self.fuel.checked_sub(1)?;
        self.f.op(lane.value())
    }

    /// The lane that a lane copies.
    pub fn source(&mut self, lane: Lane) -> Lane {
        self.fuel = FUEL;
        self.copied(lane)
    }

    fn copied(&mut self, mut lane: Lane) -> Lane {
        while let Some(Op::Shuffle(lanes)) = self.op(lane) {
            lane = lanes[usize::from(lane.index())];
        }
        lane
    }

    /// The lane that a lane copies, up to sign.
    fn root(&mut self, mut lane: Lane) -> Lane {
        self.fuel = FUEL;
        loop {
            lane = match self.op(lane) {
                Some(Op::Shuffle(lanes)) => lanes[usize::from(lane.index())],
                Some(Op::Unary(Unary::Neg | Unary::Abs, a)) => Lane::new(a, lane.index()),
                Some(_) | None => return lane,
            };
        }
    }

    /// Returns whether the product of two lanes may be ∞ · 0. That of a lane with itself, up to
    /// sign, is not.
    pub fn may_be_infinity_times_zero(&mut self, a: Lane, b: Lane) -> bool {
        let (x, y) = (self.of(a), self.of(b));
        let possible = |x: Classes, y: Classes| x.has(Classes::ZERO) && y.has(Classes::INFINITE);
        (possible(x, y) || possible(y, x)) && self.root(a) != self.root(b)
    }

    /// The classes that a lane may belong to.
    pub fn of(&mut self, lane: Lane) -> Classes {
        self.fuel = FUEL;
        self.find(lane)
    }

    /// The classes that a lane may belong to; the recursion ends with the fuel.
    fn find(&mut self, lane: Lane) -> Classes {
        if let Some(bits) = (self.literal)(lane) {
            return Classes::of_bits(bits);
        }
        let index = lane.index();
        let at = |value: Value| Lane::new(value, index);
        match self.op(lane) {
            Some(Op::Const(bits)) => Classes::of_bits(bits[usize::from(index)]),
            Some(Op::Shuffle(lanes)) => self.find(lanes[usize::from(index)]),
            Some(Op::Select { cond, a, b }) => self.select(cond, at(a), at(b)),
            Some(Op::Unary(op, a)) => {
                let a = self.find(at(a));
                unary(op, self.precision, a)
            }
            Some(Op::Binary(op, a, b)) if op.shape() == Shape::Dot => self.dot(op, a, b),
            Some(Op::Binary(op, a, b)) => self.binary(op, at(a), at(b)),
            Some(Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } | Op::Call { .. }) | None => Classes::ALL,
        }
    }

    // `legalize` makes a comparison and a choice of MIN and MAX.
    fn select(&mut self, cond: Value, a: Lane, b: Lane) -> Classes {
        let compared = match self.f.op(cond) {
            Some(Op::Binary(op, x, y)) if (x, y) == (a.value(), b.value()) => Some(op),
            Some(_) | None => None,
        };
        let a = self.find(a);
        match compared {
            Some(op @ (Binary::Less | Binary::Greater)) => choice(op == Binary::Less, a, self.find(b)),
            Some(_) | None if a == Classes::ALL => a,
            Some(_) | None => a.or(self.find(b)),
        }
    }

    fn dot(&mut self, op: Binary, a: Value, b: Value) -> Classes {
        if op != Binary::DotP {
            return Classes::ALL;
        }
        let first = self.product(Lane::new(a, 0), Lane::new(b, 0));
        (1..self.f.ty(a).lanes).fold(first, |total, lane| {
            // No further term makes it less.
            if total == Classes::ALL {
                return total;
            }
            let product = self.product(Lane::new(a, lane), Lane::new(b, lane));
            sum(self.precision, total, product)
        })
    }

    fn product(&mut self, a: Lane, b: Lane) -> Classes {
        let is_square = self.copied(a) == self.copied(b);
        let a = self.find(a);
        let b = if is_square { a } else { self.find(b) };
        product(self.precision, a, b, is_square)
    }

    fn binary(&mut self, op: Binary, a: Lane, b: Lane) -> Classes {
        match op {
            Binary::SgeP | Binary::SltP => Classes::POSITIVE_ZERO.or(Classes::POSITIVE),
            Binary::MulP => self.product(a, b),
            Binary::AddP => match self.find(a) {
                Classes::ALL => Classes::ALL,
                a => sum(self.precision, a, self.find(b)),
            },
            Binary::MinP | Binary::MaxP => {
                let a = self.find(a);
                choice(op == Binary::MinP, a, self.find(b))
            }
            Binary::Min | Binary::Max => {
                let (a, b) = (self.find(a), self.find(b));
                choice(op == Binary::Min, a, b).or(choice(op == Binary::Min, b, a))
            }
            // Of what drivers compute, and of other kinds than floats, nothing is said.
            Binary::DotP
            | Binary::Add
            | Binary::Mul
            | Binary::Div
            | Binary::Dot
            | Binary::Equal
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::And
            | Binary::Or
            | Binary::IAdd
            | Binary::ISub
            | Binary::IMul
            | Binary::IAnd
            | Binary::IEqual
            | Binary::ILess
            | Binary::IGreater
            | Binary::BitAnd
            | Binary::BitOr
            | Binary::BitXor
            | Binary::ShiftRight
            | Binary::ShiftLeft
            | Binary::UEqual
            | Binary::ULess => Classes::ALL,
        }
    }
}
