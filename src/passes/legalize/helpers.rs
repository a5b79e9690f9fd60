//! The helper functions that legal arithmetic calls, built when first asked for, callees before
//! callers.
//! In: a helper and a number of lanes. Out: its index in the module. Knows neither constants nor
//! uniforms. Its callers never pass a constant that counts as zero to a product or a sum, because
//! drivers inline these bodies and fold `x * 0` wrongly.
//!
//! Why the guard of the exact product is right on bits. `pica_mul` gives 0 where `a * b` is NaN and
//! `|a + b| > MAX`, else `a * b`. Without a NaN operand the product is NaN for inf · 0 alone, and
//! then the sum is ±inf. With one the sum is NaN, which is above nothing. NaN is asked by bits,
//! since drivers may fold `p == p`. On a software driver this took two thirds of the time over the
//! bare product that the four comparisons of `(a == 0 && |b| > MAX) || (b == 0 && |a| > MAX)` took;
//! a branch around the guard gained nothing there.
//!
//! Facts: hardware tests (inf · 0 = 0, NaN · 0 = NaN, 1/±0 = +inf); base-2 logarithms and powers at
//! the edges of their range differ between drivers, hence the explicit cases.

use std::borrow::Cow;

use super::emit::Emit;
use crate::ir::{Binary, Func, Lane, ScalarKind, Type, Unary, Value};
use crate::precision::bits::{INFINITY, MAGNITUDE, NAN, ONE, SIGN, SIGNIFICAND, SIGNIFICAND_BITS};
use crate::precision::{Precision, portable};

/// The bits of an f32 that float24 keeps.
const F24_KEPT: u32 = 0xFFFF_FF80;
/// 2^-62, the smallest magnitude that float24 arithmetic does not flush.
const F24_MIN: f32 = f32::from_bits(0x2080_0000);
/// 2^64, the first magnitude that float24 cannot hold.
const F24_OVERFLOW: f32 = f32::from_bits(0x5F80_0000);
/// 2^78 and 2^-78: float24 subnormals are multiples of 2^-78.
const F24_UNITS: (f32, f32) = (f32::from_bits(0x6680_0000), f32::from_bits(0x1880_0000));
/// No helper.
const NONE: u16 = u16::MAX;

macro_rules! helpers {
    ($($(#[$attr:meta])* $name:ident $text:literal |$body:ident, $a:ident $(, $b:ident)?| $result:expr),* $(,)?) => {
        /// A helper function; there is one for each number of lanes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Helper { $($(#[$attr])* $name),* }
        /// Names for one to four lanes; none ends in a digit, which naga would change.
        const NAMES: &[[&str; 4]] = &[
            $([$text, concat!($text, "_vec2f"), concat!($text, "_vec3f"), concat!($text, "_vec4f")]),*
        ];

        impl Helper {
            /// Adds the parameters of the helper and the operations of its body; returns its
            /// result.
            fn build(self, body: &mut Body<'_, '_, '_>) -> Value {
                let ty = Type::new(ScalarKind::F32, body.lanes);
                match self {
                    $(Self::$name => {
                        let $body = body;
                        let $a = $body.emit.param(ty);
                        $(let $b = $body.emit.param(ty);)?
                        $result
                    })*
                }
            }
        }
    };
}

helpers! {
    /// Product, inf · 0 = 0.
    Mul "pica_mul" |body, a, b| body.mul(a, b),
    /// Dot product of such products.
    Dot "pica_dot" |body, a, b| body.dot(a, b),
    /// Dot product of operands for which inf · 0 cannot happen.
    DotPlain "pica_dot_plain" |body, a, b| body.dot_plain(a, b),
    /// float24: sum.
    Add "pica_add" |body, a, b| body.add(a, b),
    /// Product with +0.
    MulZero "pica_mul_zero" |body, a| body.mul_zero(a),
    /// Sum with +0.
    AddZero "pica_add_zero" |body, a| body.add_zero(a),
    /// Reciprocal.
    Rcp "pica_rcp" |body, a| body.source_and_result(a, Body::rcp),
    /// Reciprocal square root.
    Rsq "pica_rsq" |body, a| body.source_and_result(a, Body::rsq),
    /// Power of two.
    Exp2 "pica_exp_two" |body, a| body.source_and_result(a, Body::exp2),
    /// Base-2 logarithm.
    Log2 "pica_log_two" |body, a| body.source_and_result(a, Body::log2),
    /// Power of two, alike on every device.
    Exp2Portable "pica_exp_two_portable" |body, a| body.source_and_result(a, Body::exp2_portable),
    /// Base-2 logarithm, alike on every device.
    Log2Portable "pica_log_two_portable" |body, a| body.source_and_result(a, Body::log2_portable),
    /// Conversion to an address.
    Address "pica_address" |body, a| body.address(a),
    /// float24: small sources count as 0.
    Flush "pica_flush" |body, a| body.flush(a),
    /// float24: rounding of a result.
    Truncate "pica_truncate" |body, a| body.truncate(a),
    /// float24: an input or uniform as the registers hold it.
    ToFloat "pica_to_float" |body, a| body.float24_register(a),
}

/// Guards of 0 · ∞ and tests for NaN that a call of the helper function with a name is.
pub(super) fn guards_of(name: &str) -> (u32, u32) {
    let is_product = name.starts_with("pica_mul") || name.starts_with("pica_dot");
    let is_plain = name.contains("_plain") || name.contains("_zero");
    // A test whose result is an argument counts where it is made.
    let tests = u32::from(name.contains("_nan") && !name.contains("_or_nan"));
    (u32::from(is_product && !is_plain), tests + u32::from(name.contains("_either_nan")))
}

/// The helpers of one module.
pub(super) struct Helpers<'a> {
    /// The module's list.
    pub funcs: &'a mut Vec<Func>,
    /// Precision of the bodies.
    pub precision: Precision,
    known: [[u16; 4]; NAMES.len()],
}

impl<'a> Helpers<'a> {
    /// None built yet.
    pub fn new(funcs: &'a mut Vec<Func>, precision: Precision) -> Self {
        Self { funcs, precision, known: [[NONE; 4]; NAMES.len()] }
    }

    /// Adds a finished function.
    pub fn push(&mut self, func: Func) -> u16 {
        self.funcs.push(func);
        (self.funcs.len() - 1) as u16
    }

    /// The index of a helper, built now if it is new.
    pub fn get(&mut self, helper: Helper, lanes: u8) -> u16 {
        let slot = (helper as usize, usize::from(lanes) - 1);
        if self.known[slot.0][slot.1] == NONE {
            self.known[slot.0][slot.1] = self.build(helper, lanes);
        }
        self.known[slot.0][slot.1]
    }

    fn build(&mut self, helper: Helper, lanes: u8) -> u16 {
        let mut func =
            Func { name: Cow::Borrowed(NAMES[helper as usize][usize::from(lanes) - 1]), ..Func::default() };
        let mut body = Body { emit: Emit::helper(&mut func), helpers: self, lanes };
        let result = helper.build(&mut body);
        body.emit.finish(result);
        self.push(func)
    }
}

/// One helper under construction.
struct Body<'a, 'h, 'm> {
    emit: Emit<'a>,
    helpers: &'h mut Helpers<'m>,
    lanes: u8,
}

impl Body<'_, '_, '_> {
    fn f24(&self) -> bool {
        self.helpers.precision == Precision::F24
    }
    fn call(&mut self, helper: Helper, lanes: u8, args: &[Value]) -> Value {
        let index = self.helpers.get(helper, lanes);
        let op = self.emit.call(index, args);
        self.emit.op(Type::new(ScalarKind::F32, lanes), op)
    }
    fn float(&mut self, number: f32) -> Value {
        self.emit.float(self.lanes, number)
    }
    fn bits(&mut self, bits: u32) -> Value {
        self.emit.splat(Type::new(ScalarKind::U32, self.lanes), bits)
    }
    /// The sign bit of `a` over other bits.
    fn with_sign_of(&mut self, bits: Value, magnitude: Value) -> Value {
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

    fn mul(&mut self, a: Value, b: Value) -> Value {
        if !self.f24() {
            return self.guarded_product(a, b);
        }
        // float24: sources first, then the guard, so that a flushed source counts as 0.
        let a = self.call(Helper::Flush, self.lanes, &[a]);
        let b = self.call(Helper::Flush, self.lanes, &[b]);
        let product = self.guarded_product(a, b);
        self.call(Helper::Truncate, self.lanes, &[product])
    }

    fn guarded_product(&mut self, a: Value, b: Value) -> Value {
        let zero = self.float(0.0);
        let max = self.float(f32::MAX);
        let (magnitude, infinity) = (self.bits(MAGNITUDE), self.bits(INFINITY));
        let emit = &mut self.emit;
        // See the module's text for why these two tests are enough.
        let product = emit.binary(Binary::Mul, a, b);
        let bits = emit.unary(Unary::ToBits, product);
        let bits = emit.binary(Binary::BitAnd, bits, magnitude);
        let is_nan = emit.binary(Binary::ULess, infinity, bits);
        let sum = emit.binary(Binary::Add, a, b);
        let sum = emit.unary(Unary::Abs, sum);
        let infinite = emit.binary(Binary::Greater, sum, max);
        let guard = emit.binary(Binary::And, is_nan, infinite);
        emit.select(guard, zero, product)
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        let a = self.call(Helper::Flush, self.lanes, &[a]);
        let b = self.call(Helper::Flush, self.lanes, &[b]);
        let sum = self.emit.binary(Binary::Add, a, b);
        self.call(Helper::Truncate, self.lanes, &[sum])
    }

    fn dot(&mut self, a: Value, b: Value) -> Value {
        let products = self.call(Helper::Mul, self.lanes, &[a, b]);
        self.sum(products)
    }

    fn dot_plain(&mut self, a: Value, b: Value) -> Value {
        let products = self.emit.binary(Binary::Mul, a, b);
        self.sum(products)
    }

    /// The lanes summed left to right, no initial 0.
    fn sum(&mut self, products: Value) -> Value {
        let mut sum = self.emit.lane(Lane::new(products, 0));
        for index in 1..self.lanes {
            let lane = self.emit.lane(Lane::new(products, index));
            // Every partial sum is truncated.
            sum = if self.f24() {
                self.call(Helper::Add, 1, &[sum, lane])
            } else {
                self.emit.binary(Binary::Add, sum, lane)
            };
        }
        sum
    }

    /// Finite values give a zero of their sign (float24: +0), infinities +0 (fast: NaN), NaN stays.
    fn mul_zero(&mut self, a: Value) -> Value {
        let zero = self.float(0.0);
        let max = self.float(f32::MAX);
        let magnitude = self.emit.unary(Unary::Abs, a);
        let finite = self.emit.binary(Binary::LessEqual, magnitude, max);
        match self.helpers.precision {
            Precision::F24 => {
                // NaN fails both comparisons, and only NaN does.
                let infinite = self.emit.binary(Binary::Greater, magnitude, max);
                let number = self.emit.binary(Binary::Or, finite, infinite);
                let nan = self.emit.splat(Type::new(ScalarKind::F32, self.lanes), NAN);
                self.emit.select(number, zero, nan)
            }
            Precision::Fast => {
                let signed = self.zero_of_sign(a);
                let nan = self.emit.splat(Type::new(ScalarKind::F32, self.lanes), NAN);
                self.emit.select(finite, signed, nan)
            }
            Precision::Exact => {
                let signed = self.zero_of_sign(a);
                let infinite = self.emit.binary(Binary::Greater, magnitude, max);
                let other = self.emit.select(infinite, zero, a);
                self.emit.select(finite, signed, other)
            }
        }
    }

    fn zero_of_sign(&mut self, a: Value) -> Value {
        let sign = self.bits(SIGN);
        let bits = self.emit.unary(Unary::ToBits, a);
        let bits = self.emit.binary(Binary::BitAnd, bits, sign);
        self.emit.unary(Unary::FromBits, bits)
    }

    /// Only −0 changes; asked by bits, since a comparison with 0 invites a driver to fold the
    /// choice.
    fn add_zero(&mut self, a: Value) -> Value {
        let negative_zero = self.bits(SIGN);
        let bits = self.emit.unary(Unary::ToBits, a);
        let cond = self.emit.binary(Binary::UEqual, bits, negative_zero);
        let zero = self.float(0.0);
        self.emit.select(cond, zero, a)
    }

    /// `a == 0 ? +inf : quotient`.
    fn unless_zero(&mut self, a: Value, quotient: Value) -> Value {
        let zero = self.float(0.0);
        let infinity = self.float(f32::INFINITY);
        // Both zeros give +inf on hardware; IEEE gives -inf for 1/-0.
        let cond = self.emit.binary(Binary::Equal, a, zero);
        self.emit.select(cond, infinity, quotient)
    }

    fn rcp(&mut self, a: Value) -> Value {
        let one = self.float(1.0);
        let quotient = self.emit.binary(Binary::Div, one, a);
        self.unless_zero(a, quotient)
    }

    fn rsq(&mut self, a: Value) -> Value {
        let one = self.float(1.0);
        let root = self.emit.unary(Unary::Sqrt, a);
        let quotient = self.emit.binary(Binary::Div, one, root);
        self.unless_zero(a, quotient)
    }

    /// `Exp2` within -150..128; +0 below, +inf above, NaN stays.
    fn exp2(&mut self, a: Value) -> Value {
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
    fn log2(&mut self, a: Value) -> Value {
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
    fn exp2_portable(&mut self, a: Value) -> Value {
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
    fn log2_portable(&mut self, a: Value) -> Value {
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
        let emit = &mut self.emit;
        let logarithm = emit.binary(Binary::Add, exponent, rest);
        let (positive, inside) = positive_and_finite(emit, a, zero, max);
        let other = emit.select(positive, a, nan);
        let result = emit.select(inside, logarithm, other);
        let magnitude = emit.unary(Unary::Abs, a);
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

    /// Clamped before the conversion, so that it never meets NaN or a number out of range. NaN
    /// becomes -1000, which counts as 0 like every address outside the signed byte range.
    fn address(&mut self, a: Value) -> Value {
        let (low, high) = (self.float(-1000.0), self.float(1000.0));
        let emit = &mut self.emit;
        let above = emit.binary(Binary::Greater, a, low);
        let a = emit.select(above, a, low);
        let below = emit.binary(Binary::Less, a, high);
        let a = emit.select(below, a, high);
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
        let emit = &mut self.emit;
        let magnitude = emit.unary(Unary::Abs, a);
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
