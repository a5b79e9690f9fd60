//! The bodies of the helper functions that legal arithmetic calls.
//! In: a helper and a number of lanes. Out: its function. Knows neither constants nor uniforms.
//! Callers never pass a constant that counts as zero to a product or a sum, because drivers inline
//! these bodies and fold `x * 0` wrongly.
//!
//! The guarded product is `(b == 0 ? 0 : a) * (a == 0 ? 0 : b)`: a zero replaces what it meets, so
//! that 0 is multiplied by 0 or by a finite number. Compilers for AMD chips find the chip's own
//! product in it (drivers.md#own-product), which costs no more than the plain one; on others it is
//! short. Two results differ from the definition:
//!
//! * The sign of a zero, which no instruction can observe.
//! * NaN · 0 gives 0. Where an operand may be NaN while the other is 0, NaN is added back: to a
//!   product by the lane, to a dot product once, because its sum is NaN where any term is. What is
//!   added is 0 or NaN, and it is added first, since some chips multiply and add in one step. A
//!   vector is tested once for all dot products that it is part of (`pica_has_nan`).
//!
//! float24 flushes small numbers to 0 on the way in, so there the product compares magnitudes with
//! the smallest that is not flushed, and nothing else has to be done for its operands.
//!
//! Facts: hardware tests (inf · 0 = 0, NaN · 0 = NaN, 1/±0 = +inf); base-2 logarithms and powers at
//! the edges of their range differ between drivers, hence the explicit cases.

use std::borrow::Cow;
use std::sync::Arc;

use super::built::{Helpers, Kept};
use super::emit::Emit;
use crate::ir::{Binary, Func, Lane, Op, ScalarKind, Type, Unary, Value};
use crate::machine::precision::bits::{INFINITY, NAN, ONE, SIGN, SIGNIFICAND, SIGNIFICAND_BITS};
use crate::machine::precision::{Precision, float24, portable};

/// The bits of an f32 that float24 keeps.
const F24_KEPT: u32 = 0xFFFF_FF80;
/// Smallest magnitude that float24 arithmetic keeps.
const F24_MIN: f32 = f32::from_bits(float24::SMALLEST);
/// Smallest magnitude that is infinite in float24.
const F24_OVERFLOW: f32 = f32::from_bits(float24::OVERFLOW);
/// 2^23: no f32 from here on has a fraction.
const WHOLE: f32 = 8_388_608.0;
/// 2^78 and 2^-78: float24 subnormals are multiples of 2^-78.
const F24_UNITS: (f32, f32) = (f32::from_bits(0x6680_0000), f32::from_bits(0x1880_0000));

macro_rules! helpers {
    ($(
        $(#[$attr:meta])*
        $name:ident $text:literal $noun:literal |$body:ident, $a:ident $(, $b:ident)? $(; $decision:ident)?| $result:expr
    ),* $(,)?) => {
        /// A helper function; there is one for each number of lanes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Helper { $($(#[$attr])* $name),* }
        /// Names for one to four lanes; none ends in a digit, which naga would change.
        pub(super) const NAMES: &[[&str; 4]] = &[
            $([$text, concat!($text, "_vec2f"), concat!($text, "_vec3f"), concat!($text, "_vec4f")]),*
        ];
        /// Nouns of their results, in the order of the names.
        const NOUNS: &[&str] = &[$($noun),*];

        impl Helper {
            /// In the order of their names.
            const ALL: &[Self] = &[$(Self::$name),*];

            /// Adds the parameters of the helper and the operations of its body; returns its
            /// result.
            fn build(self, body: &mut Body<'_, '_, '_>) -> Value {
                let ty = Type::new(ScalarKind::F32, body.lanes);
                match self {
                    $(Self::$name => {
                        let $body = body;
                        let $a = $body.emit.param(ty);
                        $(let $b = $body.emit.param(ty);)?
                        $(let $decision = $body.emit.param(Type::BOOL);)?
                        $result
                    })*
                }
            }
        }
    };
}

helpers! {
    /// Product, inf · 0 = NaN · 0 = 0.
    Mul "pica_mul" "product" |body, a, b| body.mul(a, b, None),
    /// The same, NaN where the first operand is.
    MulFirst "pica_mul_first_nan" "product" |body, a, b| {
        let is_nan = body.emit.unary(Unary::IsNan, a);
        body.mul(a, b, Some(is_nan))
    },
    /// The same, NaN where an operand is.
    MulEither "pica_mul_either_nan" "product" |body, a, b| {
        let [a_is, b_is] = [a, b].map(|operand| body.emit.unary(Unary::IsNan, operand));
        let is_nan = body.emit.binary(Binary::Or, a_is, b_is);
        body.mul(a, b, Some(is_nan))
    },
    /// Returns which lanes are NaN.
    IsNan "pica_is_nan" "is_nan" |body, a| body.emit.unary(Unary::IsNan, a),
    /// Returns whether any lane is NaN.
    HasNan "pica_has_nan" "has_nan" |body, a| body.has_nan(a),
    /// Dot product of products with inf · 0 = NaN · 0 = 0.
    Dot "pica_dot" "dot" |body, a, b| body.dot(a, b, None),
    /// The same, NaN where it has to be.
    DotNan "pica_dot_or_nan" "dot" |body, a, b; is_nan| body.dot(a, b, Some(is_nan)),
    /// Dot product with products that cannot be inf · 0 in the last lane alone, as in that of a
    /// point with a row of a matrix.
    DotPoint "pica_dot_point" "dot" |body, a, b| body.dot_point(a, b, None),
    /// The same, NaN where it has to be.
    DotPointNan "pica_dot_point_or_nan" "dot" |body, a, b; is_nan| body.dot_point(a, b, Some(is_nan)),
    /// Dot product of operands for which inf · 0 cannot happen.
    DotPlain "pica_dot_plain" "dot" |body, a, b| body.dot_plain(a, b),
    /// float24: sum.
    Add "pica_add" "sum" |body, a, b| body.add(a, b),
    /// Product with +0.
    MulZero "pica_mul_zero" "product" |body, a| body.mul_zero(a),
    /// Reciprocal; by the driver where it or the operand is subnormal.
    Rcp "pica_rcp" "result" |body, a| body.source_and_result(a, Body::rcp),
    /// Reciprocal of any number.
    RcpAny "pica_rcp_any" "result" |body, a| body.source_and_result(a, Body::rcp_any),
    /// Reciprocal square root.
    Rsq "pica_rsq" "result" |body, a| body.source_and_result(a, Body::rsq),
    /// Power of two.
    Exp2 "pica_exp_two" "result" |body, a| body.source_and_result(a, Body::exp2),
    /// Base-2 logarithm.
    Log2 "pica_log_two" "result" |body, a| body.source_and_result(a, Body::log2),
    /// The driver's reciprocal.
    DriverRcp "pica_driver_rcp" "result" |body, a| body.source_and_result(a, Body::driver_rcp),
    /// The driver's reciprocal square root.
    DriverRsq "pica_driver_rsq" "result" |body, a| body.source_and_result(a, Body::driver_rsq),
    /// The driver's power of two.
    DriverExp2 "pica_driver_exp_two" "result" |body, a| body.source_and_result(a, Body::driver_exp2),
    /// The driver's base-2 logarithm.
    DriverLog2 "pica_driver_log_two" "result" |body, a| body.source_and_result(a, Body::driver_log2),
    /// Largest integer not above.
    Floor "pica_floor" "result" |body, a| body.floor(a),
    /// Conversion to an address.
    Address "pica_address" "address" |body, a| body.address(a),
    /// float24: small sources count as 0.
    Flush "pica_flush" "result" |body, a| body.flush(a),
    /// float24: rounding of a result.
    Truncate "pica_truncate" "result" |body, a| body.truncate(a),
    /// float24: an input or uniform as the registers hold it.
    ToFloat "pica_to_float" "result" |body, a| body.float24_register(a),
}

impl Helper {
    /// Builds a helper function whose callees are in the list.
    pub(super) fn function(self, lanes: u8, helpers: &mut Helpers<'_>) -> Kept {
        let name = Cow::Borrowed(NAMES[self as usize][usize::from(lanes) - 1]);
        let mut func = Func { name, noun: NOUNS[self as usize], ..Func::default() };
        let mut body = Body { emit: Emit::helper(&mut func), helpers, lanes, calls: Vec::new() };
        let result = self.build(&mut body);
        let Body { emit, calls, .. } = body;
        emit.finish(result);
        Kept { func: Arc::new(func), calls }
    }
}

/// Guards of 0 · ∞ and tests for NaN that a call of the helper function with a name is.
pub(super) fn guards_of(name: &str) -> (u32, u32) {
    use Helper::{Dot, DotNan, DotPoint, DotPointNan, HasNan, IsNan, Mul, MulEither, MulFirst};
    let row = NAMES.iter().position(|names| names.contains(&name));
    match row.and_then(|row| Helper::ALL.get(row)) {
        // A test whose result is an argument counts where it is made.
        Some(Mul | Dot | DotNan | DotPoint | DotPointNan) => (1, 0),
        Some(MulFirst) => (1, 1),
        Some(MulEither) => (1, 2),
        Some(IsNan | HasNan) => (0, 1),
        Some(_) | None => (0, 0),
    }
}

/// One helper under construction.
pub(super) struct Body<'a, 'h, 'm> {
    pub(super) emit: Emit<'a>,
    helpers: &'h mut Helpers<'m>,
    lanes: u8,
    /// Helpers that it calls: see [`Kept::calls`].
    calls: Vec<(Helper, u8, u16)>,
}

impl Body<'_, '_, '_> {
    pub(super) fn f24(&self) -> bool {
        self.helpers.precision.rules().rounds
    }
    pub(super) fn call(&mut self, helper: Helper, lanes: u8, args: &[Value]) -> Value {
        let index = self.helpers.get(helper, lanes);
        self.calls.push((helper, lanes, index));
        let op = self.emit.call(index, args);
        self.emit.op(Type::new(ScalarKind::F32, lanes), op)
    }
    pub(super) fn float(&mut self, number: f32) -> Value {
        self.emit.float(self.lanes, number)
    }
    pub(super) fn bits(&mut self, bits: u32) -> Value {
        self.emit.splat(Type::new(ScalarKind::U32, self.lanes), bits)
    }
    /// The sign bit of `a` over other bits.
    pub(super) fn with_sign_of(&mut self, bits: Value, magnitude: Value) -> Value {
        let sign = self.bits(SIGN);
        let sign = self.emit.binary(Binary::BitAnd, bits, sign);
        let both = self.emit.binary(Binary::BitOr, sign, magnitude);
        self.emit.unary(Unary::FromBits, both)
    }

    /// float24 flushes what goes in and truncates what comes out; else just the operation.
    fn source_and_result(&mut self, a: Value, op: impl Fn(&mut Self, Value) -> Value) -> Value {
        if !self.f24() {
            return op(self, a);
        }
        let a = self.call(Helper::Flush, self.lanes, &[a]);
        let result = op(self, a);
        self.call(Helper::Truncate, self.lanes, &[result])
    }

    /// The guarded product; NaN in lanes where `is_nan` holds.
    fn mul(&mut self, a: Value, b: Value, is_nan: Option<Value>) -> Value {
        let nan = is_nan.map(|is_nan| self.nan_or_zero(self.lanes, is_nan));
        let mut product = self.guarded_product(a, b);
        if let Some(nan) = nan {
            product = self.emit.binary(Binary::Add, nan, product);
        }
        self.product_result(product)
    }

    /// Each operand, or 0 where the other counts as 0, multiplied.
    fn guarded_product(&mut self, a: Value, b: Value) -> Value {
        let zero = self.float(0.0);
        let [a_is_zero, b_is_zero] = if self.f24() {
            let min = self.float(F24_MIN);
            [a, b].map(|operand| {
                let magnitude = self.emit.unary(Unary::Abs, operand);
                self.emit.binary(Binary::Less, magnitude, min)
            })
        } else {
            [a, b].map(|operand| self.emit.binary(Binary::Equal, operand, zero))
        };
        let a = self.emit.select(b_is_zero, zero, a);
        let b = self.emit.select(a_is_zero, zero, b);
        self.emit.binary(Binary::Mul, a, b)
    }

    /// A product as float24 rounds it.
    fn product_result(&mut self, product: Value) -> Value {
        if self.f24() { self.call(Helper::Truncate, self.lanes, &[product]) } else { product }
    }

    /// NaN where a decision holds, else 0.
    fn nan_or_zero(&mut self, lanes: u8, is_nan: Value) -> Value {
        let ty = Type::new(ScalarKind::F32, lanes);
        let nan = self.emit.splat(ty, NAN);
        let zero = self.emit.float(lanes, 0.0);
        self.emit.select(is_nan, nan, zero)
    }

    /// In pairs: a compiler may ask for two numbers at once.
    fn has_nan(&mut self, a: Value) -> Value {
        let lanes = self.emit.unary(Unary::IsNan, a);
        let mut found = [lanes; 4];
        for (index, lane) in (0..self.lanes).zip(&mut found) {
            *lane = self.emit.lane(Lane::new(lanes, index));
        }
        let mut either = |a, b| self.emit.binary(Binary::Or, a, b);
        match found {
            [x, ..] if self.lanes == 1 => x,
            [x, y, ..] if self.lanes == 2 => either(x, y),
            [x, y, z, _] if self.lanes == 3 => {
                let first = either(x, y);
                either(first, z)
            }
            [x, y, z, w] => {
                let [first, second] = [either(x, y), either(z, w)];
                either(first, second)
            }
        }
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        let a = self.call(Helper::Flush, self.lanes, &[a]);
        let b = self.call(Helper::Flush, self.lanes, &[b]);
        let sum = self.emit.binary(Binary::Add, a, b);
        self.call(Helper::Truncate, self.lanes, &[sum])
    }

    fn dot(&mut self, a: Value, b: Value, is_nan: Option<Value>) -> Value {
        let products = self.call(Helper::Mul, self.lanes, &[a, b]);
        self.sum(is_nan, products, None)
    }

    fn dot_plain(&mut self, a: Value, b: Value) -> Value {
        let products = self.emit.binary(Binary::Mul, a, b);
        self.sum(None, products, None)
    }

    fn dot_point(&mut self, a: Value, b: Value, is_nan: Option<Value>) -> Value {
        let first = self.lanes - 1;
        let [x, y] = [a, b].map(|operand| {
            let lanes = [0, 1, 2, 3].map(|index| Lane::new(operand, index));
            self.emit.op(Type::new(ScalarKind::F32, first), Op::shuffle(lanes, first))
        });
        let products = self.call(Helper::Mul, first, &[x, y]);
        let [x, y] = [a, b].map(|operand| self.emit.lane(Lane::new(operand, first)));
        let last = self.emit.binary(Binary::Mul, x, y);
        self.sum(is_nan, products, Some(last))
    }

    /// The lanes of a vector and another term summed left to right, no initial 0; NaN where a
    /// decision says so.
    fn sum(&mut self, is_nan: Option<Value>, products: Value, last: Option<Value>) -> Value {
        let lanes = self.emit.func.ty(products).lanes;
        let mut sum = self.emit.lane(Lane::new(products, 0));
        if let Some(is_nan) = is_nan {
            let nan = self.nan_or_zero(1, is_nan);
            sum = self.emit.binary(Binary::Add, nan, sum);
        }
        for index in 1..lanes {
            let lane = self.emit.lane(Lane::new(products, index));
            sum = self.sum_of_two(sum, lane);
        }
        last.map_or(sum, |last| self.sum_of_two(sum, last))
    }

    fn sum_of_two(&mut self, a: Value, b: Value) -> Value {
        // Every partial sum is truncated.
        if self.f24() { self.call(Helper::Add, 1, &[a, b]) } else { self.emit.binary(Binary::Add, a, b) }
    }

    /// NaN stays, other numbers give a zero. In `fast` infinity gives NaN.
    fn mul_zero(&mut self, a: Value) -> Value {
        let nan = self.emit.splat(Type::new(ScalarKind::F32, self.lanes), NAN);
        if self.helpers.precision == Precision::Exact {
            let zero = self.emit.zero_of_sign(a);
            let is_nan = self.emit.unary(Unary::IsNan, a);
            return self.emit.select(is_nan, nan, zero);
        }
        let max = self.float(f32::MAX);
        let magnitude = self.emit.unary(Unary::Abs, a);
        let finite = self.emit.binary(Binary::LessEqual, magnitude, max);
        if self.f24() {
            // NaN fails both comparisons, and only NaN does.
            let zero = self.float(0.0);
            let infinite = self.emit.binary(Binary::Greater, magnitude, max);
            let number = self.emit.binary(Binary::Or, finite, infinite);
            return self.emit.select(number, zero, nan);
        }
        let zero = self.emit.zero_of_sign(a);
        self.emit.select(finite, zero, nan)
    }

    fn driver_rcp(&mut self, a: Value) -> Value {
        self.quotient(a, a)
    }

    /// Not `1 / abs(root)`, which may be -inf for -0 (drivers.md#negative-root).
    fn driver_rsq(&mut self, a: Value) -> Value {
        let root = self.emit.unary(Unary::Sqrt, a);
        self.quotient(a, root)
    }

    /// `a == 0 ? +inf : 1 / divisor`. Both zeros give +inf on hardware; IEEE gives -inf for 1/-0.
    fn quotient(&mut self, a: Value, divisor: Value) -> Value {
        let (zero, one, infinity) = (self.float(0.0), self.float(1.0), self.float(f32::INFINITY));
        let quotient = self.emit.binary(Binary::Div, one, divisor);
        let cond = self.emit.binary(Binary::Equal, a, zero);
        self.emit.select(cond, infinity, quotient)
    }

    /// `Exp2` within -150..128; +0 below, +inf above, NaN stays.
    fn driver_exp2(&mut self, a: Value) -> Value {
        let zero = self.float(0.0);
        let infinity = self.float(f32::INFINITY);
        // 2^-150 rounds to 0 and 2^128 overflows; drivers differ beyond.
        let range = [self.float(-150.0), self.float(128.0)];
        let power = self.emit.unary(Unary::Exp2, a);
        self.power_within(a, power, range, [zero, infinity])
    }

    /// A power of two inside the range (without its ends), `outside` where `a` is not above or not
    /// below it; NaN stays.
    fn power_within(&mut self, a: Value, power: Value, range: [Value; 2], outside: [Value; 2]) -> Value {
        let ([low, high], [zero, infinity]) = (range, outside);
        let emit = &mut self.emit;
        let above = emit.binary(Binary::GreaterEqual, a, high);
        let below = emit.binary(Binary::LessEqual, a, low);
        // Not `not below`: NaN must be outside, too.
        let inside_low = emit.binary(Binary::Greater, a, low);
        let inside_high = emit.binary(Binary::Less, a, high);
        let inside = emit.binary(Binary::And, inside_low, inside_high);
        let other = emit.select(above, infinity, a);
        let other = emit.select(below, zero, other);
        emit.select(inside, power, other)
    }

    /// `Log2` of positive finite values; ±0 gives -inf, +inf stays, the rest is NaN.
    fn driver_log2(&mut self, a: Value) -> Value {
        let zero = self.float(0.0);
        let max = self.float(f32::MAX);
        let negative_infinity = self.float(f32::NEG_INFINITY);
        let nan = self.emit.splat(Type::new(ScalarKind::F32, self.lanes), NAN);
        let emit = &mut self.emit;
        let logarithm = emit.unary(Unary::Log2, a);
        let (positive, inside) = positive_and_finite(emit, a, zero, max);
        let is_zero = emit.binary(Binary::Equal, a, zero);
        let other = emit.select(positive, a, nan);
        let other = emit.select(is_zero, negative_infinity, other);
        emit.select(inside, logarithm, other)
    }

    /// The steps of [`portable::exp2`].
    fn exp2(&mut self, a: Value) -> Value {
        let one = self.float(1.0);
        let (zero, infinity) = (self.float(0.0), self.float(f32::INFINITY));
        let range = [self.float(portable::EXP2_ZERO), self.float(portable::EXP2_OVERFLOW)];
        let (bias, shift) = (self.float(portable::EXPONENT_BIAS), self.bits(SIGNIFICAND_BITS));
        let whole = self.emit.unary(Unary::Floor, a);
        let fraction = self.difference(a, whole);
        let power = self.horner(&portable::EXP2, fraction);
        let emit = &mut self.emit;
        let power = emit.binary(Binary::Add, power, one);
        let scale = emit.binary(Binary::Add, whole, bias);
        let scale = emit.unary(Unary::ToBits, scale);
        let scale = emit.binary(Binary::ShiftLeft, scale, shift);
        let scale = emit.unary(Unary::FromBits, scale);
        let power = emit.binary(Binary::Mul, power, scale);
        self.power_within(a, power, range, [zero, infinity])
    }

    /// The steps of [`portable::log2`].
    fn log2(&mut self, a: Value) -> Value {
        let (zero, max, tiny) = (self.float(0.0), self.float(f32::MAX), self.float(f32::MIN_POSITIVE));
        let (one, half, root) = (self.float(1.0), self.float(0.5), self.float(portable::ROOT));
        let (infinity, nan) = (self.float(f32::NEG_INFINITY), self.float(f32::from_bits(NAN)));
        let bias = self.float(portable::EXPONENT_BIAS);
        let (shift, field) = (self.bits(SIGNIFICAND_BITS), self.bits(portable::EXPONENT_BITS));
        let (kept, unit) = (self.bits(SIGNIFICAND), self.bits(ONE));
        let emit = &mut self.emit;
        let bits = emit.unary(Unary::ToBits, a);
        let exponent = emit.binary(Binary::ShiftRight, bits, shift);
        let exponent = emit.binary(Binary::BitOr, exponent, field);
        let exponent = emit.unary(Unary::FromBits, exponent);
        let significand = emit.binary(Binary::BitAnd, bits, kept);
        let significand = emit.binary(Binary::BitOr, significand, unit);
        let significand = emit.unary(Unary::FromBits, significand);
        // The polynomial is made for significands from √½ to √2.
        let is_large = emit.binary(Binary::Greater, significand, root);
        let halved = emit.binary(Binary::Mul, significand, half);
        let significand = emit.select(is_large, halved, significand);
        let exponent = self.difference(exponent, bias);
        let next = self.emit.binary(Binary::Add, exponent, one);
        let exponent = self.emit.select(is_large, next, exponent);
        let rest = self.difference(significand, one);
        let rest = self.horner(&portable::LOG2, rest);
        let magnitude = self.emit.unary(Unary::Abs, a);
        let emit = &mut self.emit;
        let logarithm = emit.binary(Binary::Add, exponent, rest);
        let (positive, inside) = positive_and_finite(emit, a, zero, max);
        let other = emit.select(positive, a, nan);
        let result = emit.select(inside, logarithm, other);
        let is_tiny = emit.binary(Binary::Less, magnitude, tiny);
        emit.select(is_tiny, infinity, result)
    }

    fn difference(&mut self, a: Value, b: Value) -> Value {
        // There is no subtraction: a - b is a + (-b) on bits.
        let b = self.emit.unary(Unary::Neg, b);
        self.emit.binary(Binary::Add, a, b)
    }

    /// x·(c0 + x·(c1 + x·(…)))
    fn horner(&mut self, coefficients: &[f32], x: Value) -> Value {
        let mut sum = None;
        for &coefficient in coefficients.iter().rev() {
            let coefficient = self.float(coefficient);
            // The first step has nothing to add: a sum with 0 could be folded.
            let factor = match sum {
                None => coefficient,
                Some(sum) => self.emit.binary(Binary::Add, coefficient, sum),
            };
            sum = Some(self.emit.binary(Binary::Mul, x, factor));
        }
        sum.unwrap_or(x)
    }

    /// Truncation, and one less where that is above. Numbers from 2^23 on have no fraction; they,
    /// infinities and NaN stay. A driver that flushes subnormal numbers finds none below 0.
    fn floor(&mut self, a: Value) -> Value {
        let (whole, minus_one) = (self.float(WHOLE), self.float(-1.0));
        let magnitude = self.emit.unary(Unary::Abs, a);
        let emit = &mut self.emit;
        let has_fraction = emit.binary(Binary::Less, magnitude, whole);
        let truncated = emit.unary(Unary::ToInt, a);
        let truncated = emit.unary(Unary::ToFloat, truncated);
        let is_above = emit.binary(Binary::Greater, truncated, a);
        let less = emit.binary(Binary::Add, truncated, minus_one);
        let floor = emit.select(is_above, less, truncated);
        emit.select(has_fraction, floor, a)
    }

    /// The conversion never meets NaN or a number out of range: both become 0 before, as the
    /// hardware has it for every address outside a signed byte.
    fn address(&mut self, a: Value) -> Value {
        let (low, high, zero) = (self.float(-129.0), self.float(128.0), self.float(0.0));
        let emit = &mut self.emit;
        // NaN fails the comparisons.
        let above = emit.binary(Binary::Greater, a, low);
        let below = emit.binary(Binary::Less, a, high);
        let inside = emit.binary(Binary::And, above, below);
        let a = emit.select(inside, a, zero);
        // Towards zero.
        emit.unary(Unary::ToInt, a)
    }

    fn flush(&mut self, a: Value) -> Value {
        // NaN fails the comparison and stays.
        let min = self.float(F24_MIN);
        let zero = self.float(0.0);
        let magnitude = self.emit.unary(Unary::Abs, a);
        let small = self.emit.binary(Binary::Less, magnitude, min);
        self.emit.select(small, zero, a)
    }

    fn truncate(&mut self, a: Value) -> Value {
        let bits = self.emit.unary(Unary::ToBits, a);
        let zero = self.float(0.0);
        self.float24(a, bits, zero)
    }

    /// `a` as float24 arithmetic rounds it, with another result for magnitudes below 2^-62.
    fn float24(&mut self, a: Value, bits: Value, small: Value) -> Value {
        let kept = self.bits(F24_KEPT);
        let kept = self.emit.binary(Binary::BitAnd, bits, kept);
        let kept = self.emit.unary(Unary::FromBits, kept);
        let infinity = self.bits(INFINITY);
        let infinity = self.with_sign_of(bits, infinity);
        let nan = self.emit.splat(Type::new(ScalarKind::F32, self.lanes), NAN);
        let (min, overflow) = (self.float(F24_MIN), self.float(F24_OVERFLOW));
        let magnitude = self.emit.unary(Unary::Abs, a);
        let emit = &mut self.emit;
        let is_small = emit.binary(Binary::Less, magnitude, min);
        let is_large = emit.binary(Binary::GreaterEqual, magnitude, overflow);
        let fits = emit.binary(Binary::Less, magnitude, overflow);
        // NaN is neither large nor fits.
        let result = emit.select(is_large, infinity, nan);
        let result = emit.select(fits, kept, result);
        emit.select(is_small, small, result)
    }

    /// Magnitudes below 2^-62 become the multiple of 2^-78 below them: both factors are powers of
    /// two, so the products are exact.
    fn float24_register(&mut self, a: Value) -> Value {
        let (up, down) = (self.float(F24_UNITS.0), self.float(F24_UNITS.1));
        let bits = self.emit.unary(Unary::ToBits, a);
        let magnitude = self.emit.unary(Unary::Abs, a);
        let units = self.emit.binary(Binary::Mul, magnitude, up);
        let units = self.emit.unary(Unary::Floor, units);
        let small = self.emit.binary(Binary::Mul, units, down);
        let small = self.emit.unary(Unary::ToBits, small);
        let small = self.with_sign_of(bits, small);
        self.float24(a, bits, small)
    }
}

/// `a > 0`, and the same with `a <= MAX`.
fn positive_and_finite(emit: &mut Emit<'_>, a: Value, zero: Value, max: Value) -> (Value, Value) {
    let positive = emit.binary(Binary::Greater, a, zero);
    let not_infinite = emit.binary(Binary::LessEqual, a, max);
    (positive, emit.binary(Binary::And, positive, not_infinite))
}
