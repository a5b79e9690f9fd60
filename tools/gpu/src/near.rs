//! Numbers of the interpreter with error bounds, and the operations on them.
//! In: operands with bounds. Out: the result of one operation with its bound. Knows no register,
//! and of a driver only what [`Arithmetic`] says.
//! Facts: the precision that Vulkan requires of Exp2 and Log2.
//! A driver may evaluate a polynomial of f32 numbers in any order (reassociated, factored,
//! expanded, fused). Each term then goes through at most as many roundings as there are operations.
//! Therefore the error is at most that many units of roundoff of the sum of the magnitudes of all
//! terms. It is zero if every term is a multiple of one power of two and the sum spans at most 24
//! bits above it.

use crate::precision::arith;
use transpica::Precision;
use transpica::isa::CompareOp;

use crate::driver::Subnormals;

/// Error of a driver's EX2 in ulp: a constant, and a factor of the operand's magnitude.
const EXP2_ULP: (f64, f64) = (3.0, 2.0);
const LOG2_ULP: f64 = 3.0;
/// Absolute error of a driver's LG2 for numbers between 1/2 and 2.
const LOG2_NEAR_ONE: f64 = 1.0 / (1 << 21) as f64;

/// Bits of a significand.
const BITS: i32 = 24;
/// Exponent of the smallest normal number; its multiples need no subnormal.
const LEAST_EXPONENT: i32 = -126;
/// Unit of zero, which is a multiple of every power of two.
const UNIT_OF_ZERO: i32 = 1 << 20;
/// Unit of a rounded number, whose exact value has no known unit.
const NO_UNIT: i32 = -(1 << 20);
/// Allowance for products of first-order errors; one percent is more than enough.
const HIGHER_ORDERS: f64 = 1.01;

/// Operations that a driver may evaluate in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// None.
    Fixed,
    /// The sums within each dot product.
    DotProducts,
    /// All products and sums, across instructions.
    Any,
}

/// Implementation of EX2 and LG2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exponentials {
    /// The module, by the same steps on every driver.
    Portable,
    /// The driver, with IEEE results for NaN and infinities.
    Approximate,
    /// The driver, with undefined results for NaN and for logarithms of numbers that are not
    /// positive.
    Undefined,
}

/// A value with its error bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// The interpreter's value.
    pub(crate) value: f64,
    /// The same value with one rounding at most; finite where the interpreter's overflowed.
    real: f64,
    /// Error inherited from the operands; infinite for an unknown value.
    bound: f64,
    /// The sum of the magnitudes of its terms. Zero for infinities and NaN without an overflow.
    scale: f64,
    /// Largest number of roundings that one term goes through.
    roundings: f64,
    /// Exponent of a power of two that all terms are multiples of.
    unit: i32,
    /// Binary logarithm of a number above all products of some of its factors.
    reach: f64,
    /// True if EX2 or LG2 contribute to the bound.
    by_exponential: bool,
}

/// Exponent of the lowest set bit of a number.
fn unit(value: f64) -> i32 {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
    match (exponent, fraction) {
        (0, 0) | (0x7FF, _) => UNIT_OF_ZERO,
        // Every nonzero f32, even a subnormal, is a normal f64.
        (_, 0) => exponent - 1023,
        (_, _) => exponent - 1023 - 52 + fraction.trailing_zeros() as i32,
    }
}

impl Near {
    /// A number that is the same on every driver.
    pub(crate) fn exact(value: f64) -> Self {
        Self::leaf(value, 0.0)
    }

    /// A number with an error of at most `bound` that later reassociation treats as one term.
    fn leaf(value: f64, bound: f64) -> Self {
        debug_assert!(!bound.is_nan(), "a bound of {value} that is not a number");
        let scale = if value.is_finite() { value.abs() } else { 0.0 };
        let unit = if bound == 0.0 { unit(value) } else { NO_UNIT };
        let reach = scale.max(1.0).log2();
        Self { value, real: value, bound, scale, roundings: 0.0, unit, reach, by_exponential: false }
    }

    /// An unknown number.
    pub(crate) fn open(value: f64) -> Self {
        Self::leaf(value, f64::INFINITY)
    }

    /// Returns the same bound around the operand's value, which may be negated.
    #[must_use]
    pub(crate) fn as_operand(self, value: f64) -> Self {
        let is_negated = value.is_sign_negative() != self.value.is_sign_negative();
        Self { value, real: if is_negated { -self.real } else { self.real }, ..self }
    }

    /// Sets the cause of the bound.
    #[must_use]
    pub(crate) fn because(self, by_exponential: bool) -> Self {
        Self { by_exponential, ..self }
    }

    /// Returns whether EX2 or LG2 contribute to the bound.
    pub(crate) fn is_by_exponential(&self) -> bool {
        self.by_exponential && !self.is_exact()
    }

    /// Returns the largest error of a driver's result.
    pub(crate) fn error(&self) -> f64 {
        // A single rounding of exact operands is the interpreter's rounding, too.
        if self.bound == 0.0 && (self.roundings <= 1.0 || self.fits()) {
            return 0.0;
        }
        self.bound + HIGHER_ORDERS * f64::from(f32::EPSILON) * self.roundings * self.scale
    }

    /// Returns whether the sum of all terms fits into one significand: then no order rounds.
    fn fits(&self) -> bool {
        self.scale == 0.0
            || self.unit >= LEAST_EXPONENT && self.unit <= 128 && self.scale <= 2f64.powi(self.unit + BITS)
    }

    /// Returns whether the number is the same on every driver.
    pub(crate) fn is_exact(&self) -> bool {
        self.error() == 0.0
    }

    /// Returns whether the number is unknown.
    pub(crate) fn is_open(&self) -> bool {
        self.bound.is_infinite()
    }

    /// Returns the lower and the upper end of its interval.
    fn ends(&self) -> [f64; 2] {
        let error = self.error();
        [self.value - error, self.value + error]
    }

    /// Returns whether a monotonic function has the same result at both ends.
    pub(crate) fn agrees<T: PartialEq>(&self, function: impl Fn(f64) -> T) -> bool {
        let [low, high] = self.ends();
        self.is_exact() || !self.is_open() && function(low) == function(high)
    }

    /// Returns whether it is an infinity or NaN without an overflow, so that every order has it.
    fn is_special(&self) -> bool {
        !self.value.is_finite() && self.scale == 0.0 && self.bound == 0.0
    }

    /// Returns whether it is an infinity computed from finite numbers. Every order has it, but
    /// values computed from it may be finite in some.
    fn is_overflow(&self) -> bool {
        self.value.is_infinite() && self.scale != 0.0
    }

    /// Returns the operand for an operation that takes no part in reassociation.
    fn without_reordering(self) -> Self {
        if self.is_overflow() && !self.is_open() {
            Self::exact(self.value).because(self.by_exponential)
        } else {
            self
        }
    }

    fn is_exact_zero(&self) -> bool {
        self.value == 0.0 && self.scale == 0.0 && self.bound == 0.0
    }

    /// Returns whether its sign is certain and it is not zero.
    fn has_sign(&self) -> bool {
        self.is_exact() || self.value.abs() > self.error()
    }
}

/// Returns whether a comparison has the same result for all operands within their bounds.
pub(crate) fn certain(op: CompareOp, a: Near, b: Near) -> bool {
    if matches!(op, CompareOp::True6 | CompareOp::True7) || a.is_exact() && b.is_exact() {
        return true;
    }
    let error = a.error() + b.error();
    // A NaN with a finite bound is NaN on every driver.
    error.is_finite() && (a.value.is_nan() || b.value.is_nan() || (a.value - b.value).abs() > error)
}

/// Returns `a` if the comparison holds, else `b`.
fn selected(op: CompareOp, a: Near, b: Near) -> Near {
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
        reach: taken.reach.max(other.reach),
        by_exponential: a.is_by_exponential() || b.is_by_exponential(),
        ..taken
    }
}

/// Arithmetic operations of a driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    /// The number format.
    pub(crate) precision: Precision,
    /// Operations that may be reordered.
    pub(crate) order: Order,
    /// Implementation of EX2 and LG2.
    pub(crate) exponentials: Exponentials,
    /// Treatment of numbers below 2^-126.
    pub(crate) subnormals: Subnormals,
    /// Largest distance of RCP and RSQ from the rounded result, in units in the last place.
    pub(crate) reciprocal_ulp: f64,
    /// True if promises leave products without a guard, so that a driver may reorder those too.
    pub(crate) is_promised: bool,
}

impl Arithmetic {
    /// The smallest normal number, the relative distance of neighbors, and the first number that
    /// overflows.
    fn numbers(&self) -> [f64; 3] {
        match self.precision {
            Precision::Exact | Precision::Fast => {
                [f64::from(f32::MIN_POSITIVE), f64::from(f32::EPSILON), f64::from(f32::MAX)]
            }
            Precision::F24 => [2f64.powi(-62), 2f64.powi(-16), 2f64.powi(64)],
        }
    }

    /// MIN or MAX: `a` if the comparison holds, else `b`. In `fast` a driver takes either operand
    /// where one is NaN or both are zero.
    pub(crate) fn selected(&self, op: CompareOp, a: Near, b: Near) -> Near {
        let near = selected(op, a, b);
        let by_exponential = a.is_by_exponential() || b.is_by_exponential();
        match self.precision {
            Precision::Fast if a.value.is_nan() != b.value.is_nan() => {
                Near::open(near.value).because(by_exponential)
            }
            // The reciprocals of the two zeros differ; with a bound they are open.
            Precision::Fast if a.value == 0.0 && b.value == 0.0 => {
                Near { bound: near.bound.max(f64::from(f32::from_bits(1))), ..near }
            }
            Precision::Exact | Precision::Fast | Precision::F24 => near,
        }
    }

    /// Adds rounding and flushing of the result to a bound.
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

    /// Adds flushing of an operand to its bound.
    fn flushed(&self, near: Near) -> Near {
        let [smallest, ..] = self.numbers();
        let may_flush = !near.is_exact() && near.value.abs() - near.error() < smallest;
        Near { bound: near.bound + if may_flush { smallest } else { 0.0 }, ..near }
    }

    /// Finishes the bound of a product or sum whose terms are already bounded.
    fn with_flush(&self, near: Near) -> Near {
        let Near { value, real, .. } = near;
        match self.order {
            Order::Fixed | Order::DotProducts => Near {
                by_exponential: near.by_exponential,
                ..Near::leaf(value, self.rounded(value, near.bound))
            },
            Order::Any => {
                let [_, relative, limit] = self.numbers();
                let error = near.error();
                // The sums of the positive and of the negative terms, which no order exceeds.
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
        // The difference of two infinities may be one of finite numbers in another order.
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
            reach: a.reach.max(b.reach) + 1.0,
            by_exponential,
        };
        self.with_flush(near)
    }

    /// `a - a`
    pub(crate) fn difference(&self, a: Near) -> Near {
        let near = self.sum(a, a.as_operand(-a.value));
        match self.order {
            // Without NoContraction drivers fold it to zero, even for NaN and infinities.
            Order::Any if near.value.is_nan() => Near::open(near.value).because(a.is_by_exponential()),
            Order::Fixed | Order::DotProducts | Order::Any => near,
        }
    }

    /// `a · b`
    pub(crate) fn product(&self, a: Near, b: Near) -> Near {
        let value = f64::from(arith::mul(self.precision, a.value as f32, b.value as f32));
        let by_exponential = a.is_by_exponential() || b.is_by_exponential();
        let (a, b) = (self.flushed(a), self.flushed(b));
        let reach = a.reach + b.reach;
        let [_, _, limit] = self.numbers();
        // Some of the factors may overflow before another one makes their product small, or zero.
        let overflows = self.is_promised && self.order == Order::Any && reach >= limit.log2().floor();
        if a.is_open() || b.is_open() || overflows {
            return Near::open(value).because(by_exponential);
        }
        if a.is_exact_zero() || b.is_exact_zero() || a.value.is_nan() || b.value.is_nan() {
            // Plain IEEE returns NaN for an infinity times zero, but in another order the factor
            // may be finite.
            let is_open = value.is_nan() && (a.is_overflow() || b.is_overflow());
            let exact = Near { reach, ..Near::exact(value) };
            return if is_open { Near::open(value).because(by_exponential) } else { exact };
        }
        if a.is_special() || b.is_special() {
            let is_certain = a.has_sign() && b.has_sign();
            return if is_certain { Near::exact(value) } else { Near::open(value).because(by_exponential) };
        }
        let unit = a.unit.saturating_add(b.unit).max(NO_UNIT);
        let [smallest, ..] = self.numbers();
        // Partial products below all normal numbers may be flushed.
        let underflow = if self.order == Order::Any && unit < LEAST_EXPONENT { smallest } else { 0.0 };
        let near = Near {
            value,
            real: a.real * b.real,
            bound: a.bound * b.scale + b.bound * a.scale + a.bound * b.bound + underflow,
            scale: a.scale * b.scale,
            roundings: a.roundings + b.roundings + 1.0,
            unit,
            reach,
            by_exponential,
        };
        self.with_flush(near)
    }

    /// Sum of the products, from left to right on the interpreter.
    pub(crate) fn dot(&self, a: &[Near], b: &[Near]) -> Near {
        if self.order == Order::DotProducts {
            return self.as_one_term(|inner| inner.dot(a, b));
        }
        let mut products = a.iter().zip(b).map(|(a, b)| self.product(*a, *b));
        let first = products.next().unwrap_or(Near::exact(0.0));
        products.fold(first, |sum, product| self.sum(sum, product))
    }

    /// Sum of the products as in [`dot`](Self::dot), and one more term.
    pub(crate) fn dot_plus(&self, a: &[Near], b: &[Near], term: Near) -> Near {
        match self.order {
            Order::DotProducts => self.as_one_term(|inner| inner.dot_plus(a, b, term)),
            Order::Fixed | Order::Any => self.sum(self.dot(a, b), term),
        }
    }

    /// Bounds an operation whose inner order is free, and makes its result one term for later
    /// operations.
    fn as_one_term(&self, operation: impl Fn(Self) -> Near) -> Near {
        let near = operation(Self { order: Order::Any, ..*self });
        Near::leaf(near.value, near.without_reordering().error()).because(near.by_exponential)
    }

    /// A result of RCP or RSQ, which a driver may merge into a later multiplication.
    fn quotient(&self, value: f64, bound: f64, is_rounded: bool, roundings: f64) -> Near {
        let inexact =
            if value.is_finite() { self.reciprocal_ulp * self.numbers()[1] * value.abs() } else { 0.0 };
        let leaf = Near::leaf(value, bound + inexact);
        match self.order {
            Order::Any if is_rounded && leaf.scale != 0.0 => Near { roundings, unit: NO_UNIT, ..leaf },
            Order::Fixed | Order::DotProducts | Order::Any => leaf,
        }
    }

    /// `1 / a`
    pub(crate) fn reciprocal(&self, a: Near) -> Near {
        let result = f64::from(arith::rcp(self.precision, a.value as f32));
        let near = self.flushed(a.without_reordering());
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
        let near = self.flushed(a.without_reordering());
        let [low, high] = near.ends();
        let bound = if near.is_exact() || high < 0.0 {
            // The root of a negative number is NaN.
            0.0
        } else if low > 0.0 {
            let (value, farthest) = (near.value.sqrt().recip(), low.sqrt().recip());
            // Root and reciprocal round once each.
            self.rounded(value, self.rounded(value, farthest - value))
        } else {
            f64::INFINITY
        };
        self.quotient(result, bound, result * result * near.value != 1.0, 2.0).because(a.is_by_exponential())
    }

    /// Returns whether EX2 or LG2 of a number is the same on every driver.
    fn is_portable(&self, a: Near) -> bool {
        // The portable implementation is itself subject to reassociation where the order is free.
        self.exponentials == Exponentials::Portable && self.order != Order::Any && a.is_exact()
    }

    /// `2^a`, with the interpreter's result.
    pub(crate) fn power(&self, a: Near, result: f64) -> Near {
        let near = self.flushed(a.without_reordering());
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
        // Overflow is certain only beyond the driver's error.
        let bound =
            if low.exp2() > 1.01 * limit { 0.0 } else { self.rounded(value, farthest - value + driver) };
        Near::leaf(result, bound).because(true)
    }

    /// Binary logarithm of `a`, with the interpreter's result.
    pub(crate) fn logarithm(&self, a: Near, result: f64) -> Near {
        let near = self.flushed(a.without_reordering());
        if self.is_portable(a) {
            return Near::exact(result);
        }
        let [low, high] = near.ends();
        let [smallest, ..] = self.numbers();
        let is_small = near.is_exact() && near.value.abs() < smallest;
        // float24 modules flush small operands themselves.
        let is_zero = near.value == 0.0 || is_small && self.precision == Precision::F24;
        let is_special = near.is_exact() && (is_zero || !near.value.is_finite());
        // A driver that may flush takes a small negative operand for a zero.
        let may_be_zero = is_small && self.subnormals == Subnormals::Open;
        if is_special || high < 0.0 && !may_be_zero {
            let is_undefined = near.value != f64::INFINITY && self.exponentials == Exponentials::Undefined;
            let leaf = if is_undefined { Near::open(result) } else { Near::exact(result) };
            return leaf.because(true);
        }
        // Drivers may flush smaller operands, or take their exponent for -127.
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

    /// The largest integer not above `a`.
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
