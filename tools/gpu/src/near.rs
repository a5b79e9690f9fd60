//! Numbers of the interpreter with error bounds: how far a driver's result may be from each, and the operations on them.
//! In: operands with bounds. Out: the result of one operation with its bound. Knows no register and no driver.
//! Facts: the precision that Vulkan demands of Exp2 and Log2. However a driver evaluates a polynomial of f32 numbers
//! (reassociated, factored out, multiplied out, fused), each term meets no more roundings than there are operations, so the
//! error is at most that many units of roundoff of the sum of the magnitudes of all terms; and it is zero where every term is a
//! multiple of one power of two and their sum has at most 24 bits above it.

use transpica::isa::CompareOp;
use transpica::precision::{Precision, arith};

/// How far a driver's EX2 and LG2 may be off.
const EXP2_ULP: (f64, f64) = (3.0, 2.0);
const LOG2_ULP: f64 = 3.0;
/// LG2 of numbers between 1/2 and 2.
const LOG2_NEAR_ONE: f64 = 1.0 / (1 << 21) as f64;

/// Bits of a significand.
const BITS: i32 = 24;
/// Exponent of the smallest normal number; multiples of it need no subnormal.
const LEAST_EXPONENT: i32 = -126;
/// Every number is a multiple of this: zero is of every power of two.
const UNIT_OF_ZERO: i32 = 1 << 20;
/// A number that was rounded stands for one of which no multiple is known.
const NO_UNIT: i32 = -(1 << 20);
/// The product of small first-order errors is small: one percent is more than enough for it.
const HIGHER_ORDERS: f64 = 1.01;

/// Which operations a driver may evaluate otherwise than they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// None.
    Fixed,
    /// Sums of dot products, each for itself.
    DotProducts,
    /// All products and sums, across instructions.
    Any,
}

/// Who computes EX2 and LG2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exponentials {
    /// The module itself, in the same steps on every driver.
    Portable,
    /// The driver, but NaN and infinite results are IEEE's.
    Approximate,
    /// The driver alone, which may give anything for NaN, and as a logarithm of a number that is not positive.
    Undefined,
}

/// A value with its bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// The interpreter's.
    pub(crate) value: f64,
    /// The same with one rounding at most, and not too large where the interpreter's overflowed.
    real: f64,
    /// How far it moves because what it was computed from may be off; infinite where nothing is known.
    bound: f64,
    /// The sum of the magnitudes of its terms. Zero for infinities and NaN that are no overflow.
    scale: f64,
    /// Roundings that a term of it meets at most.
    roundings: f64,
    /// All terms are multiples of two to this.
    unit: i32,
    /// Whether EX2 or LG2 have a part in the bound.
    by_exponential: bool,
}

/// The exponent of the lowest bit of a number.
fn unit(value: f64) -> i32 {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
    match (exponent, fraction) {
        (0, 0) | (0x7FF, _) => UNIT_OF_ZERO,
        // Every f32 is zero or a normal f64.
        (_, 0) => exponent - 1023,
        (_, _) => exponent - 1023 - 52 + fraction.trailing_zeros() as i32,
    }
}

impl Near {
    /// A number that every driver has.
    pub(crate) fn exact(value: f64) -> Self {
        Self::leaf(value, 0.0)
    }

    /// A number that a driver may have otherwise by no more than `bound`, and cannot take apart.
    fn leaf(value: f64, bound: f64) -> Self {
        debug_assert!(!bound.is_nan(), "a bound of {value} that is no number");
        let scale = if value.is_finite() { value.abs() } else { 0.0 };
        let unit = if bound == 0.0 { unit(value) } else { NO_UNIT };
        Self { value, real: value, bound, scale, roundings: 0.0, unit, by_exponential: false }
    }

    /// A number of which nothing is known.
    pub(crate) fn open(value: f64) -> Self {
        Self::leaf(value, f64::INFINITY)
    }

    /// The same bound around the value as an operand has it, which may be negated.
    #[must_use]
    pub(crate) fn as_operand(self, value: f64) -> Self {
        let is_negated = value.is_sign_negative() != self.value.is_sign_negative();
        Self { value, real: if is_negated { -self.real } else { self.real }, ..self }
    }

    /// Notes where a bound comes from.
    #[must_use]
    pub(crate) fn because(self, by_exponential: bool) -> Self {
        Self { by_exponential, ..self }
    }

    /// Whether EX2 or LG2 have a part in the bound.
    pub(crate) fn is_by_exponential(&self) -> bool {
        self.by_exponential && !self.is_exact()
    }

    /// How far a driver's result may be off.
    pub(crate) fn error(&self) -> f64 {
        // The only rounding of what is the same before it is the interpreter's, too.
        if self.bound == 0.0 && (self.roundings <= 1.0 || self.fits()) {
            return 0.0;
        }
        self.bound + HIGHER_ORDERS * f64::from(f32::EPSILON) * self.roundings * self.scale
    }

    /// Whether all terms fit into one significand together: then no order rounds.
    fn fits(&self) -> bool {
        self.scale == 0.0
            || self.unit >= LEAST_EXPONENT && self.unit <= 128 && self.scale <= 2f64.powi(self.unit + BITS)
    }

    /// Whether every driver has it.
    pub(crate) fn is_exact(&self) -> bool {
        self.error() == 0.0
    }

    /// Whether nothing is known of it.
    pub(crate) fn is_open(&self) -> bool {
        self.bound.is_infinite()
    }

    /// Both ends.
    fn ends(&self) -> [f64; 2] {
        let error = self.error();
        [self.value - error, self.value + error]
    }

    /// Whether a function of f32 numbers gives the same at both ends.
    pub(crate) fn agrees<T: PartialEq>(&self, function: impl Fn(f64) -> T) -> bool {
        let [low, high] = self.ends();
        self.is_exact() || !self.is_open() && function(low) == function(high)
    }

    /// An infinity or NaN that is no overflow, so that no order gives anything else.
    fn is_special(&self) -> bool {
        !self.value.is_finite() && self.scale == 0.0 && self.bound == 0.0
    }

    /// An infinity that comes of finite numbers: every order has it, but what is computed from it may be finite in some.
    fn is_overflow(&self) -> bool {
        self.value.is_infinite() && self.scale != 0.0
    }

    /// As an operation takes it that has no part in another order.
    fn whole(self) -> Self {
        match self.is_overflow() && !self.is_open() {
            true => Self::exact(self.value).because(self.by_exponential),
            false => self,
        }
    }

    fn is_exact_zero(&self) -> bool {
        self.value == 0.0 && self.scale == 0.0 && self.bound == 0.0
    }

    /// Whether its sign is known, and that it is not zero.
    fn has_sign(&self) -> bool {
        self.is_exact() || self.value.abs() > self.error()
    }
}

/// Whether a comparison falls the same way wherever its operands are within their bounds.
pub(crate) fn certain(op: CompareOp, a: Near, b: Near) -> bool {
    if matches!(op, CompareOp::True6 | CompareOp::True7) || a.is_exact() && b.is_exact() {
        return true;
    }
    let error = a.error() + b.error();
    // A NaN with a finite bound is one on every driver.
    error.is_finite() && (a.value.is_nan() || b.value.is_nan() || (a.value - b.value).abs() > error)
}

/// `a` where the comparison holds, else `b`.
pub(crate) fn selected(op: CompareOp, a: Near, b: Near) -> Near {
    let holds = op.test(a.value as f32, b.value as f32);
    let [taken, other] = if holds { [a, b] } else { [b, a] };
    if certain(op, a, b) {
        return taken;
    }
    // MAX and MIN move no farther than the farther of their operands.
    Near {
        bound: taken.error().max(other.error()),
        scale: taken.scale.max(other.scale),
        roundings: taken.roundings.max(other.roundings),
        unit: taken.unit.min(other.unit),
        by_exponential: a.is_by_exponential() || b.is_by_exponential(),
        ..taken
    }
}

/// The operations that compute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    /// The numbers that they compute with.
    pub(crate) precision: Precision,
    /// What may be evaluated otherwise.
    pub(crate) order: Order,
    /// Who computes EX2 and LG2.
    pub(crate) exponentials: Exponentials,
}

impl Arithmetic {
    /// Smallest normal number, distance of neighbours relative to the larger, and first number that is too large.
    fn numbers(&self) -> [f64; 3] {
        match self.precision {
            Precision::Exact | Precision::Fast => {
                [f64::from(f32::MIN_POSITIVE), f64::from(f32::EPSILON), f64::from(f32::MAX)]
            }
            Precision::F24 => [2f64.powi(-62), 2f64.powi(-16), 2f64.powi(64)],
        }
    }

    /// The bound of a result, which is rounded and perhaps flushed.
    fn rounded(&self, value: f64, bound: f64) -> f64 {
        let [smallest, relative, limit] = self.numbers();
        let magnitude = value.abs() + bound;
        if bound == 0.0 {
            0.0
        } else if magnitude < limit {
            bound + relative * magnitude + smallest
        } else {
            f64::INFINITY
        }
    }

    /// An operand of arithmetic, which may flush it.
    fn flushed(&self, near: Near) -> Near {
        let [smallest, ..] = self.numbers();
        let may_flush = !near.is_exact() && near.value.abs() - near.error() < smallest;
        Near { bound: near.bound + if may_flush { smallest } else { 0.0 }, ..near }
    }

    /// The result of a product or sum, of whose terms it has the bounds.
    fn settled(&self, near: Near) -> Near {
        let Near { value, real, .. } = near;
        match self.order {
            Order::Fixed | Order::DotProducts => Near {
                by_exponential: near.by_exponential,
                ..Near::leaf(value, self.rounded(value, near.bound))
            },
            Order::Any => {
                let [_, relative, limit] = self.numbers();
                let error = near.error();
                // The sums of the terms of either sign, which no order exceeds.
                let larger = (near.scale + real.abs()) / 2.0 + error;
                let smaller = (near.scale - real.abs()) / 2.0 + error;
                let is_too_large = value.is_infinite()
                    && value.is_sign_negative() == real.is_sign_negative()
                    && real.abs() - error > limit * (1.0 + relative);
                let is_certain = value.is_finite() && larger < limit || is_too_large && smaller < limit;
                if is_certain { near } else { Near { bound: f64::INFINITY, ..near } }
            }
        }
    }

    /// `a + b`
    pub(crate) fn sum(&self, a: Near, b: Near) -> Near {
        let value = f64::from(arith::add(self.precision, a.value as f32, b.value as f32));
        let by_exponential = a.is_by_exponential() || b.is_by_exponential();
        let (a, b) = (self.flushed(a), self.flushed(b));
        // One infinity less another: in some order they may be finite.
        let is_undone =
            value.is_nan() && !a.value.is_nan() && !b.value.is_nan() && (a.is_overflow() || b.is_overflow());
        if a.is_open() || b.is_open() || is_undone {
            return Near::open(value).because(by_exponential);
        }
        if a.is_special() || b.is_special() {
            return Near::exact(value);
        }
        let near = Near {
            value,
            real: a.real + b.real,
            bound: a.bound + b.bound,
            scale: a.scale + b.scale,
            roundings: a.roundings + b.roundings + 1.0,
            unit: a.unit.min(b.unit),
            by_exponential,
        };
        self.settled(near)
    }

    /// `a - a`
    pub(crate) fn difference(&self, a: Near) -> Near {
        let near = self.sum(a, a.as_operand(-a.value));
        match self.order {
            // Without NoContraction drivers have zero for it, and do not ask whether a is NaN or infinite.
            Order::Any if near.value.is_nan() => Near::open(near.value).because(a.is_by_exponential()),
            Order::Fixed | Order::DotProducts | Order::Any => near,
        }
    }

    /// `a · b`
    pub(crate) fn product(&self, a: Near, b: Near) -> Near {
        let value = f64::from(arith::mul(self.precision, a.value as f32, b.value as f32));
        let by_exponential = a.is_by_exponential() || b.is_by_exponential();
        let (a, b) = (self.flushed(a), self.flushed(b));
        if a.is_open() || b.is_open() {
            return Near::open(value).because(by_exponential);
        }
        if a.is_exact_zero() || b.is_exact_zero() || a.value.is_nan() || b.value.is_nan() {
            // Plain IEEE has NaN for an infinity times zero, but the infinity may be none in some order.
            let is_open = value.is_nan() && (a.is_overflow() || b.is_overflow());
            return if is_open { Near::open(value).because(by_exponential) } else { Near::exact(value) };
        }
        if a.is_special() || b.is_special() {
            let is_certain = a.has_sign() && b.has_sign();
            return if is_certain { Near::exact(value) } else { Near::open(value).because(by_exponential) };
        }
        let unit = a.unit.saturating_add(b.unit).max(NO_UNIT);
        let [smallest, ..] = self.numbers();
        // A part of the product that is smaller than all normal numbers may be lost.
        let underflow = if self.order == Order::Any && unit < LEAST_EXPONENT { smallest } else { 0.0 };
        let near = Near {
            value,
            real: a.real * b.real,
            bound: a.bound * b.scale + b.bound * a.scale + a.bound * b.bound + underflow,
            scale: a.scale * b.scale,
            roundings: a.roundings + b.roundings + 1.0,
            unit,
            by_exponential,
        };
        self.settled(near)
    }

    /// The sum of the products, from left to right on the interpreter.
    pub(crate) fn dot(&self, a: &[Near], b: &[Near]) -> Near {
        if self.order == Order::DotProducts {
            return self.taken_together(|inner| inner.dot(a, b));
        }
        let mut products = a.iter().zip(b).map(|(a, b)| self.product(*a, *b));
        let first = products.next().unwrap_or(Near::exact(0.0));
        products.fold(first, |sum, product| self.sum(sum, product))
    }

    /// As [`dot`](Self::dot), with one more term.
    pub(crate) fn dot_plus(&self, a: &[Near], b: &[Near], term: Near) -> Near {
        match self.order {
            Order::DotProducts => self.taken_together(|inner| inner.dot_plus(a, b, term)),
            Order::Fixed | Order::Any => self.sum(self.dot(a, b), term),
        }
    }

    /// What another order within one instruction may give, which no other instruction takes apart.
    fn taken_together(&self, operation: impl Fn(Self) -> Near) -> Near {
        let near = operation(Self { order: Order::Any, ..*self });
        Near::leaf(near.value, near.whole().error()).because(near.by_exponential)
    }

    /// A result of RCP or RSQ, which may become a factor of what it is multiplied with.
    fn quotient(&self, value: f64, bound: f64, is_rounded: bool, roundings: f64) -> Near {
        let leaf = Near::leaf(value, bound);
        match self.order {
            Order::Any if is_rounded && leaf.scale != 0.0 => Near { roundings, unit: NO_UNIT, ..leaf },
            Order::Fixed | Order::DotProducts | Order::Any => leaf,
        }
    }

    /// `1 / a`
    pub(crate) fn reciprocal(&self, a: Near) -> Near {
        let result = f64::from(arith::rcp(self.precision, a.value as f32));
        let near = self.flushed(a.whole());
        let (value, error) = (near.value, near.error());
        let least = value.abs() - error;
        let bound = if error == 0.0 {
            0.0
        } else if least > 0.0 {
            self.rounded(1.0 / value, error / (value.abs() * least))
        } else {
            f64::INFINITY
        };
        self.quotient(result, bound, result * value != 1.0, 1.0).because(a.is_by_exponential())
    }

    /// `1 / sqrt(a)`
    pub(crate) fn root(&self, a: Near) -> Near {
        let result = f64::from(arith::rsq(self.precision, a.value as f32));
        let near = self.flushed(a.whole());
        let [low, high] = near.ends();
        let bound = if near.is_exact() || high < 0.0 {
            // Of a negative number it is NaN.
            0.0
        } else if low > 0.0 {
            let (value, farthest) = (near.value.sqrt().recip(), low.sqrt().recip());
            // It is rounded twice.
            self.rounded(value, self.rounded(value, farthest - value))
        } else {
            f64::INFINITY
        };
        self.quotient(result, bound, result * result * near.value != 1.0, 2.0).because(a.is_by_exponential())
    }

    /// Whether EX2 or LG2 of a number is the same on every driver.
    fn is_portable(&self, a: Near) -> bool {
        // The steps of the portable ones are open to the driver, too, where all others are.
        self.exponentials == Exponentials::Portable && self.order != Order::Any && a.is_exact()
    }

    /// `2^a`, which the interpreter computed.
    pub(crate) fn power(&self, a: Near, result: f64) -> Near {
        let near = self.flushed(a.whole());
        if self.is_portable(a) {
            return Near::exact(result);
        }
        if !near.value.is_finite() {
            let is_undefined = near.value.is_nan() && self.exponentials == Exponentials::Undefined;
            let is_certain = near.is_exact() && !is_undefined;
            let leaf = if is_certain { Near::exact(result) } else { Near::open(result) };
            return leaf.because(true);
        }
        let [_, _, limit] = self.numbers();
        let [low, high] = near.ends();
        let (value, farthest) = (near.value.exp2(), high.exp2());
        let driver = f64::from(f32::EPSILON) * farthest * (EXP2_ULP.0 + EXP2_ULP.1 * near.value.abs());
        // Overflow is certain only beyond what a driver may be off.
        let bound =
            if low.exp2() > 1.01 * limit { 0.0 } else { self.rounded(value, farthest - value + driver) };
        Near::leaf(result, bound).because(true)
    }

    /// The logarithm of a to base 2, which the interpreter computed.
    pub(crate) fn logarithm(&self, a: Near, result: f64) -> Near {
        let near = self.flushed(a.whole());
        if self.is_portable(a) {
            return Near::exact(result);
        }
        let [low, high] = near.ends();
        let [smallest, ..] = self.numbers();
        let is_special = near.is_exact() && (near.value == 0.0 || !near.value.is_finite());
        if is_special || high < 0.0 {
            let is_undefined = near.value != f64::INFINITY && self.exponentials == Exponentials::Undefined;
            let leaf = if is_undefined { Near::open(result) } else { Near::exact(result) };
            return leaf.because(true);
        }
        // Drivers may flush what is smaller.
        let bound = if low >= smallest {
            let value = near.value.log2();
            let ulp = f64::from(f32::EPSILON) * value.abs().max((near.value / low).log2());
            let driver =
                (LOG2_ULP * ulp).max(if (0.49..2.01).contains(&near.value) { LOG2_NEAR_ONE } else { 0.0 });
            self.rounded(value, (near.value / low).log2() + driver)
        } else {
            f64::INFINITY
        };
        Near::leaf(result, bound).because(true)
    }

    /// The whole number below.
    pub(crate) fn floor(&self, a: Near) -> Near {
        let value = a.value.floor();
        if a.agrees(f64::floor) {
            return Near::exact(value);
        }
        let [low, high] = a.ends().map(f64::floor);
        let bound = if a.is_open() { f64::INFINITY } else { (value - low).max(high - value) };
        Near::leaf(value, bound).because(a.is_by_exponential())
    }
}
