//! Comparisons whose result is known before the program runs, because of what their operands can be.
//! In: a function, a comparison and its lanes. Out: true, false or not known. Changes nothing.
//!
//! Why: drivers find such comparisons too, make 0 of `slt(x, 0)` where `x` came out of an SGE, and then fold `NaN * 0` to 0,
//! NoContraction or not. What is literal before `legalize` gets the form there that no driver folds. So this has to
//! know at least as much as drivers do: they keep the sign of every value, whether it may be 0, and whether it may be NaN.
//!
//! A lane is a set of the four [classes](Signs); operations combine them pair by pair. Where `flushes`, operands and results
//! may become 0 on the way: float24 arithmetic, see [`crate::precision::arith`].

use crate::ir::{Binary, Func, Lane, Op, Unary, scalar};
use crate::precision::Precision;
use crate::precision::bits::{ONE, SIGN};

/// How many definitions one question may look at.
const FUEL: u32 = 24;

/// Which classes of numbers a lane may belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Signs(u8);

impl Signs {
    const NONE: Self = Self(0);
    const NEGATIVE: Self = Self(1);
    const ZERO: Self = Self(2);
    const POSITIVE: Self = Self(4);
    const NAN: Self = Self(8);
    const NUMBER: Self = Self(7);
    const ALL: Self = Self(15);
    const CLASSES: [Self; 4] = [Self::NEGATIVE, Self::ZERO, Self::POSITIVE, Self::NAN];

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    fn of_bits(bits: u32) -> Self {
        let x = f32::from_bits(bits);
        if x.is_nan() {
            Self::NAN
        } else if x == 0.0 {
            Self::ZERO
        } else if x < 0.0 {
            Self::NEGATIVE
        } else {
            Self::POSITIVE
        }
    }
    /// With 0, if there is a number that could become one.
    fn or_zero(self) -> Self {
        if self.has(Self::NUMBER) { self.or(Self::ZERO) } else { self }
    }
    /// What `each` makes of the classes.
    fn map(self, each: impl Fn(Self) -> Self) -> Self {
        let here = Self::CLASSES.into_iter().filter(|&class| self.has(class));
        here.fold(Self::NONE, |all, class| all.or(each(class)))
    }
    /// What `each` makes of all pairs of classes.
    fn pairs(self, other: Self, each: impl Fn(Self, Self) -> Self) -> Self {
        self.map(|a| other.map(|b| each(a, b)))
    }
    fn negated(self) -> Self {
        self.map(|class| match class {
            Self::NEGATIVE => Self::POSITIVE,
            Self::POSITIVE => Self::NEGATIVE,
            same => same,
        })
    }
}

/// Whether an operation compares numbers, giving a truth value or 1 and 0.
pub(super) fn compares(op: Binary) -> bool {
    matches!(
        op,
        Binary::Equal
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::SgeP
            | Binary::SltP
    )
}

/// The bits of one lane of a comparison's result, if they are known.
pub(super) fn compared(f: &Func, precision: Precision, op: Binary, a: Lane, b: Lane) -> Option<u32> {
    let mut search = Search { f, precision, fuel: FUEL };
    let (a, b) = (search.source(a), search.source(b));
    let holds = if a == b {
        let equal = scalar::binary(op, precision, 0, 0);
        // Only a NaN is not equal to itself, and then nothing holds.
        return (equal == 0 || !search.signs(a).has(Signs::NAN)).then_some(equal);
    } else if let (Some(a), Some(b)) = (search.two(a), search.two(b)) {
        let all = [(0, 0), (0, 1), (1, 0), (1, 1)];
        all.map(|(i, j): (usize, usize)| scalar::binary(op, precision, a[i], b[j]))
    } else {
        let a = search.signs(a);
        let b = if a == Signs::ALL && !search.is_nan(b) { Signs::ALL } else { search.signs(b) };
        return known(op, precision, a, b);
    };
    holds[1..].iter().all(|&bits| bits == holds[0]).then_some(holds[0])
}

/// What a comparison gives for all pairs of these classes; two numbers of one sign may compare either way.
fn known(op: Binary, precision: Precision, a: Signs, b: Signs) -> Option<u32> {
    let bits = |class| match class {
        Signs::NEGATIVE => (-1f32).to_bits(),
        Signs::ZERO => 0,
        Signs::POSITIVE => ONE,
        _nan => f32::NAN.to_bits(),
    };
    let mut result = None;
    for x in Signs::CLASSES.into_iter().filter(|&class| a.has(class)) {
        for y in Signs::CLASSES.into_iter().filter(|&class| b.has(class)) {
            let of_pair = scalar::binary(op, precision, bits(x), bits(y));
            if x == y && x != Signs::ZERO && x != Signs::NAN || *result.get_or_insert(of_pair) != of_pair {
                return None;
            }
        }
    }
    result
}

struct Search<'a> {
    f: &'a Func,
    precision: Precision,
    fuel: u32,
}

impl Search<'_> {
    /// The definition of a lane, while there is fuel.
    fn op(&mut self, lane: Lane) -> Option<Op> {
        self.fuel = self.fuel.checked_sub(1)?;
        self.f.op(lane.value())
    }

    /// The lane that a lane copies.
    fn source(&mut self, lane: Lane) -> Lane {
        match self.op(lane) {
            Some(Op::Shuffle(lanes)) => lanes[usize::from(lane.index())],
            Some(_) | None => lane,
        }
    }

    fn is_nan(&mut self, lane: Lane) -> bool {
        matches!(self.op(lane), Some(Op::Const(bits)) if f32::from_bits(bits[usize::from(lane.index())]).is_nan())
    }

    /// The two values, maybe the same, that a lane may have: literals, and what SGE and SLT give.
    fn two(&mut self, lane: Lane) -> Option<[u32; 2]> {
        let index = lane.index();
        match self.op(lane)? {
            Op::Const(bits) => Some([bits[usize::from(index)]; 2]),
            Op::Binary(Binary::SgeP | Binary::SltP, ..) => Some([0, ONE]),
            Op::Unary(Unary::Neg, a) => Some(self.two(Lane::new(a, index))?.map(|bits| bits ^ SIGN)),
            _other_operations => None,
        }
    }

    fn signs(&mut self, lane: Lane) -> Signs {
        let index = lane.index();
        let Some(op) = self.op(lane) else { return Signs::ALL };
        match op {
            Op::Const(bits) => Signs::of_bits(bits[usize::from(index)]),
            Op::Shuffle(lanes) => self.signs(lanes[usize::from(index)]),
            Op::Select { a, b, .. } => {
                let a = self.signs(Lane::new(a, index));
                if a == Signs::ALL { a } else { a.or(self.signs(Lane::new(b, index))) }
            }
            Op::Unary(op, a) => self.unary(op, Lane::new(a, index)),
            Op::Binary(Binary::DotP, a, b) => {
                let first = self.product(Lane::new(a, 0), Lane::new(b, 0));
                (1..self.f.ty(a).lanes).fold(first, |sum, lane| {
                    if sum == Signs::ALL {
                        return sum;
                    }
                    let product = self.product(Lane::new(a, lane), Lane::new(b, lane));
                    self.sum(sum, product)
                })
            }
            Op::Binary(op, a, b) => self.binary(op, Lane::new(a, index), Lane::new(b, index)),
            Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } | Op::Call { .. } => Signs::ALL,
        }
    }

    /// With 0 where arithmetic flushes.
    fn flushed(&self, signs: Signs) -> Signs {
        if self.precision == Precision::F24 { signs.or_zero() } else { signs }
    }

    fn unary(&mut self, op: Unary, a: Lane) -> Signs {
        let a = self.signs(a);
        match op {
            Unary::Neg => return a.negated(),
            Unary::Abs => {
                return a.map(|class| if class == Signs::NEGATIVE { Signs::POSITIVE } else { class });
            }
            Unary::Floor => {
                return a.map(|class| if class == Signs::POSITIVE { class.or(Signs::ZERO) } else { class });
            }
            _arithmetic => {}
        }
        // The reciprocal of a -0 that nothing makes positive is -inf.
        let of_zero = match self.precision {
            Precision::Exact | Precision::F24 => Signs::POSITIVE,
            Precision::Fast => Signs::POSITIVE.or(Signs::NEGATIVE),
        };
        let result = self.flushed(a).map(|class| match (op, class) {
            (
                Unary::RcpP
                | Unary::RsqP
                | Unary::Exp2P
                | Unary::Log2P
                | Unary::Exp2Portable
                | Unary::Log2Portable,
                Signs::NAN,
            ) => Signs::NAN,
            (Unary::RcpP | Unary::RsqP, Signs::ZERO) => of_zero,
            (Unary::RcpP, other) => other.or(Signs::ZERO),
            (Unary::RsqP, Signs::POSITIVE) | (Unary::Exp2P | Unary::Exp2Portable, _) => {
                Signs::POSITIVE.or(Signs::ZERO)
            }
            (Unary::RsqP | Unary::Log2P, Signs::NEGATIVE) => Signs::NAN,
            (Unary::Log2P | Unary::Log2Portable, Signs::ZERO) => Signs::NEGATIVE,
            (Unary::Log2P | Unary::Log2Portable, _positive) => Signs::NUMBER,
            _other_operations => Signs::ALL,
        });
        self.flushed(result)
    }

    fn binary(&mut self, op: Binary, a: Lane, b: Lane) -> Signs {
        let choice: fn(Signs, Signs) -> Signs = match op {
            Binary::SgeP | Binary::SltP => return Signs::ZERO.or(Signs::POSITIVE),
            Binary::MulP => return self.product(a, b),
            Binary::AddP => {
                let a = self.signs(a);
                if a == Signs::ALL {
                    return a;
                }
                let b = self.signs(b);
                return self.sum(a, b);
            }
            // The classes but NaN are in the order of the numbers; NaN on any side gives the second operand.
            Binary::MinP => |a, b| if a.0 < b.0 && b != Signs::NAN { a } else { b },
            Binary::MaxP => |a, b| if a.0 > b.0 && a != Signs::NAN { a } else { b },
            _other_operations => return Signs::ALL,
        };
        let (a, b) = (self.signs(a), self.signs(b));
        a.pairs(b, choice)
    }

    fn product(&mut self, a: Lane, b: Lane) -> Signs {
        let square = self.source(a) == self.source(b);
        let a = self.signs(a);
        let b = if square { a } else { self.signs(b) };
        let not_a_number = match self.precision {
            Precision::Exact | Precision::F24 => Signs::NONE,
            Precision::Fast => Signs::NAN,
        };
        let product = |a: Signs, b: Signs| match (a, b) {
            (Signs::NAN, _) | (_, Signs::NAN) => Signs::NAN,
            (Signs::ZERO, Signs::ZERO) => Signs::ZERO,
            (Signs::ZERO, _) | (_, Signs::ZERO) => Signs::ZERO.or(not_a_number),
            (a, b) if a == b => Signs::POSITIVE.or(Signs::ZERO),
            _opposite => Signs::NEGATIVE.or(Signs::ZERO),
        };
        let (a, b) = (self.flushed(a), self.flushed(b));
        if square { a.map(|class| product(class, class)) } else { a.pairs(b, product) }
    }

    fn sum(&self, a: Signs, b: Signs) -> Signs {
        let sum = self.flushed(a).pairs(self.flushed(b), |a, b| match (a, b) {
            (Signs::NAN, _) | (_, Signs::NAN) => Signs::NAN,
            (Signs::ZERO, other) | (other, Signs::ZERO) => other,
            (a, b) if a == b => a,
            _opposite => Signs::ALL,
        });
        self.flushed(sum)
    }
}
