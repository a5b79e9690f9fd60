//! Reciprocals and reciprocal square roots with the same bits on every driver.
//! In: a lane. Out: the operations that compute RN(1/x), or RN(1/RN(√x)), where RN rounds to
//! nearest. Knows nothing about what is legal.
//!
//! A driver's quotient may be 2.5 units in the last place off and its InverseSqrt 2, by the
//! precision that Vulkan, WGSL and GLSL require (drivers.md#rounded-reciprocals). Integers correct
//! it: the remainder of the seed is exact modulo 2^32, and small. A float product of the remainder
//! and the seed gives how many units are missing, or one less, however sums and products are
//! rounded; the next remainder decides that one. No tie exists.
//!
//! ```text
//! m = significand of x, 2^23 to 2^24    q = significand of the seed, less 8: below 2^47 / m
//! r = q · m - 2^47, negative            modulo 2^32, in which 2^47 is 0
//! d = trunc(-r / m + 1/2 - 2^-12)       q + d is the result or one too small
//! (q + d) · m + m / 2                   negative, modulo 2^32, if it is one too small
//! ```

use super::helpers::Body;
use crate::ir::{Binary, Unary, Value};
use crate::machine::precision::bits::{
    EXPONENT, INFINITY, MAGNITUDE, MIN_NORMAL, NAN, ONE, SIGNIFICAND, SIGNIFICAND_BITS,
};

/// Exponent field of a number in its place.
const fn field(exponent: u32) -> u32 {
    exponent << SIGNIFICAND_BITS
}

/// More than any error of the quotient of a remainder.
const NEARLY_NONE: f32 = 1.0 / 4096.0;

/// Added to exponent fields, so that those of subnormal numbers, from -22 on, are positive.
const BIAS: u32 = 150;

impl Body<'_, '_, '_> {
    fn with(&mut self, op: Binary, a: Value, bits: u32) -> Value {
        let b = self.bits(bits);
        self.emit.binary(op, a, b)
    }

    /// `1 / x`, with the driver's quotient if it or `x` is subnormal.
    pub(super) fn rcp(&mut self, x: Value) -> Value {
        let one = self.float(1.0);
        let quotient = self.emit.binary(Binary::Div, one, x);
        let x_bits = self.emit.unary(Unary::ToBits, x);
        let seed = self.emit.unary(Unary::ToBits, quotient);
        let seed = self.with(Binary::USub, seed, 8);
        let m = self.significand(x_bits);
        // Both exponents together are that of 2^-47, and the signs are lost.
        let exponent = self.with(Binary::BitAnd, x_bits, EXPONENT);
        let q = self.emit.binary(Binary::UAdd, seed, exponent);
        let q = self.low(q);
        let missing = self.missing(q, m);
        let exact = self.emit.binary(Binary::UAdd, seed, missing);
        let exact = self.emit.unary(Unary::FromBits, exact);
        // From 2^-126 to 2^126.
        let doubled = self.with(Binary::ShiftLeft, x_bits, 1);
        let above = self.with(Binary::USub, doubled, 2 * MIN_NORMAL);
        let limit = self.bits(2 * field(252));
        let is_normal = self.emit.binary(Binary::ULess, above, limit);
        let other = self.or_infinity(x, quotient);
        self.emit.select(is_normal, exact, other)
    }

    /// `1 / x` of any number: of what the result has, one more bit is enough to round it, since the
    /// reciprocal of what is no power of two has no last bit.
    pub(super) fn rcp_any(&mut self, x: Value) -> Value {
        let bits = self.emit.unary(Unary::ToBits, x);
        let magnitude = self.with(Binary::BitAnd, bits, MAGNITUDE);
        let normal = self.normalized(magnitude);
        let exponent = self.with(Binary::ShiftRight, normal, SIGNIFICAND_BITS);
        let low = self.with(Binary::BitAnd, normal, SIGNIFICAND);
        let scaled = self.with(Binary::BitOr, low, ONE);
        let scaled = self.emit.unary(Unary::FromBits, scaled);
        let m = self.with(Binary::BitOr, low, MIN_NORMAL);
        let one = self.float(1.0);
        let quotient = self.emit.binary(Binary::Div, one, scaled);
        let seed = self.emit.unary(Unary::ToBits, quotient);
        let seed = self.with(Binary::USub, seed, field(125) + 5);
        // 2^48 / m without its fraction.
        let q = self.emit.binary(Binary::UAdd, seed, seed);
        let rest = self.emit.binary(Binary::UMul, q, m);
        let factor = self.factor(seed);
        let missing = self.quotient_of(rest, factor, -NEARLY_NONE);
        let product = self.emit.binary(Binary::UMul, missing, m);
        let rest = self.emit.binary(Binary::UAdd, rest, product);
        let rest = self.emit.binary(Binary::UAdd, rest, m);
        let rest = self.with(Binary::USub, rest, 1);
        let is_less = self.with(Binary::ShiftRight, rest, 31);
        let q = self.emit.binary(Binary::UAdd, q, missing);
        let q = self.emit.binary(Binary::UAdd, q, is_less);
        // Results below 2^-126 have fewer bits.
        let last = self.bits(BIAS + 252);
        let is_subnormal = self.emit.binary(Binary::ULess, last, exponent);
        let top = self.emit.select(is_subnormal, exponent, last);
        let places = self.emit.binary(Binary::USub, top, last);
        let unit = self.bits(1);
        let half = self.emit.binary(Binary::ShiftLeft, unit, places);
        let q = self.emit.binary(Binary::UAdd, q, half);
        let places = self.emit.binary(Binary::UAdd, places, unit);
        let q = self.emit.binary(Binary::ShiftRight, q, places);
        let exponent = self.emit.binary(Binary::USub, top, exponent);
        let exponent = self.with(Binary::ShiftLeft, exponent, SIGNIFICAND_BITS);
        let result = self.emit.binary(Binary::UAdd, q, exponent);
        let (infinity, none) = (self.bits(INFINITY), self.bits(0));
        let emit = &mut self.emit;
        let is_finite = emit.binary(Binary::ULess, result, infinity);
        let result = emit.select(is_finite, result, infinity);
        let is_nan = emit.binary(Binary::ULess, infinity, magnitude);
        let other = emit.select(is_nan, magnitude, none);
        let is_number = emit.binary(Binary::ULess, magnitude, infinity);
        let result = emit.select(is_number, result, other);
        let result = self.with_sign_of(bits, result);
        self.or_infinity(x, result)
    }

    /// A result, +∞ where `x` is zero. By floats: a driver that flushes subnormal operands finds 0.
    fn or_infinity(&mut self, x: Value, result: Value) -> Value {
        let (zero, infinity) = (self.float(0.0), self.float(f32::INFINITY));
        let is_zero = self.emit.binary(Binary::Equal, x, zero);
        self.emit.select(is_zero, infinity, result)
    }

    /// `1 / sqrt(x)`.
    pub(super) fn rsq(&mut self, x: Value) -> Value {
        let bits = self.emit.unary(Unary::ToBits, x);
        let normal = self.normalized(bits);
        // The number over a power of four, from 1 to 4.
        let low = self.low(normal);
        let scaled_bits = self.with(Binary::BitXor, low, field(1));
        let scaled_bits = self.with(Binary::UAdd, scaled_bits, ONE);
        let scaled = self.emit.unary(Unary::FromBits, scaled_bits);
        let seed = self.emit.unary(Unary::InverseSqrt, scaled);
        let root = self.root(scaled, seed);
        let seed = self.emit.unary(Unary::ToBits, seed);
        // With the exponent field of the result for the power 1, which is even: `low` drops it.
        let seed = self.with(Binary::UAdd, seed, field(BIAS / 2) - 8);
        let q = self.low(seed);
        let missing = self.missing(q, root);
        let q = self.emit.binary(Binary::UAdd, seed, missing);
        // The root of the power of four.
        let power = self.emit.binary(Binary::USub, normal, scaled_bits);
        let power = self.with(Binary::ShiftRight, power, 1);
        let result = self.emit.binary(Binary::USub, q, power);
        let result = self.emit.unary(Unary::FromBits, result);
        let (infinite, zero) = (self.bits(INFINITY), self.float(0.0));
        let (nan, infinity) = (self.float(f32::from_bits(NAN)), self.float(f32::INFINITY));
        let emit = &mut self.emit;
        let is_positive = emit.binary(Binary::ULess, bits, infinite);
        let result = emit.select(is_positive, result, nan);
        let is_infinite = emit.binary(Binary::UEqual, bits, infinite);
        let result = emit.select(is_infinite, zero, result);
        // By floats: a driver that flushes subnormal operands finds 0.
        let is_zero = emit.binary(Binary::Equal, x, zero);
        emit.select(is_zero, infinity, result)
    }

    /// The significand of a root, an integer from 2^23 to 2^24: of a number from 1 to 4, of which
    /// the reciprocal root is known with an error.
    fn root(&mut self, number: Value, seed: Value) -> Value {
        let root = self.emit.binary(Binary::Mul, number, seed);
        let root = self.emit.unary(Unary::ToBits, root);
        let s = self.with(Binary::USub, root, field(126) + 6);
        let s = self.low(s);
        // The number times 2^46, modulo 2^32.
        let factor = self.float(f32::from_bits(field(150)));
        let n = self.emit.binary(Binary::Mul, number, factor);
        let n = self.emit.unary(Unary::ToInt, n);
        let n = self.emit.unary(Unary::IntToUint, n);
        let n = self.with(Binary::ShiftLeft, n, SIGNIFICAND_BITS);
        let rest = self.rest(n, s);
        let half = self.emit.unary(Unary::ToBits, seed);
        let half = self.with(Binary::USub, half, field(24));
        let half = self.emit.unary(Unary::FromBits, half);
        let missing = self.quotient_of(rest, half, 0.5 - NEARLY_NONE);
        let s = self.emit.binary(Binary::UAdd, s, missing);
        let s = self.low(s);
        let rest = self.rest(n, s);
        let [rest, least] = [rest, s].map(|bits| self.emit.unary(Unary::UintToInt, bits));
        let is_less = self.emit.binary(Binary::ILess, least, rest);
        let s = self.one_more(s, is_less);
        self.low(s)
    }

    /// `n - s²`.
    fn rest(&mut self, n: Value, s: Value) -> Value {
        let square = self.emit.binary(Binary::UMul, s, s);
        self.emit.binary(Binary::USub, n, square)
    }

    /// The units that an integer `q` lacks to 2^47 / m, rounded to nearest, where q is less.
    fn missing(&mut self, q: Value, m: Value) -> Value {
        let rest = self.emit.binary(Binary::UMul, q, m);
        let factor = self.factor(q);
        let missing = self.quotient_of(rest, factor, 0.5 - NEARLY_NONE);
        let q = self.emit.binary(Binary::UAdd, q, missing);
        let q = self.low(q);
        let rest = self.emit.binary(Binary::UMul, q, m);
        let half = self.with(Binary::ShiftRight, m, 1);
        let rest = self.emit.binary(Binary::UAdd, rest, half);
        let none = self.bits(0);
        let [rest, none] = [rest, none].map(|bits| self.emit.unary(Unary::UintToInt, bits));
        let is_less = self.emit.binary(Binary::ILess, rest, none);
        self.one_more(missing, is_less)
    }

    /// An integer, and one more where a decision holds.
    fn one_more(&mut self, a: Value, condition: Value) -> Value {
        let (one, none) = (self.bits(1), self.bits(0));
        let more = self.emit.select(condition, one, none);
        self.emit.binary(Binary::UAdd, a, more)
    }

    /// -1 / m, about, of an integer near 2^47 / m.
    fn factor(&mut self, q: Value) -> Value {
        let factor = self.with(Binary::UAdd, q, field(102 + 256));
        self.emit.unary(Unary::FromBits, factor)
    }

    /// A signed integer times a number, which is positive, after a sum, without its fraction.
    fn quotient_of(&mut self, rest: Value, factor: Value, added: f32) -> Value {
        let added = self.float(added);
        let emit = &mut self.emit;
        let rest = emit.unary(Unary::UintToInt, rest);
        let rest = emit.unary(Unary::ToFloat, rest);
        let quotient = emit.binary(Binary::Mul, rest, factor);
        let quotient = emit.binary(Binary::Add, quotient, added);
        let quotient = emit.unary(Unary::ToInt, quotient);
        emit.unary(Unary::IntToUint, quotient)
    }

    /// The same integer, below 2^24, as compilers see: chips have a faster product for those.
    fn low(&mut self, a: Value) -> Value {
        self.with(Binary::BitAnd, a, field(2) - 1)
    }

    /// The significand of a number with its hidden bit.
    fn significand(&mut self, bits: Value) -> Value {
        let low = self.with(Binary::BitAnd, bits, SIGNIFICAND);
        self.with(Binary::BitOr, low, MIN_NORMAL)
    }

    /// Bits with the same significand and the exponent field that a normal number would have, with
    /// the [`BIAS`].
    fn normalized(&mut self, bits: Value) -> Value {
        let normal = self.with(Binary::UAdd, bits, field(BIAS));
        // float24 has no such numbers here.
        if self.f24() {
            return normal;
        }
        let least = self.bits(MIN_NORMAL);
        let is_small = self.emit.binary(Binary::ULess, bits, least);
        // Exact below 2^24.
        let units = self.emit.unary(Unary::UintToInt, bits);
        let units = self.emit.unary(Unary::ToFloat, units);
        let units = self.emit.unary(Unary::ToBits, units);
        let units = self.with(Binary::UAdd, units, field(BIAS - 149));
        self.emit.select(is_small, units, normal)
    }
}
