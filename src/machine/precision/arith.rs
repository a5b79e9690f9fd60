//! The scalar operations, one function each, generic over the precision.
//! In and out: f32 values. `Exact` and `F24` follow PICA200 rules, `Fast` is plain IEEE.
//! Functions without a precision are the same in all three: comparisons and selections neither
//! flush nor round.
//! Facts: hardware tests as listed by 3dbrew and GBATEK. Our choices, where hardware is unknown:
//! the order of dot product sums, two roundings in RSQ, truncation in f24, LITP of NaN.

use super::bits::{INFINITY, MAGNITUDE, NAN, SIGN};
use super::float24::{from_f32_bits, to_f32_bits};
use super::{Precision, float24, portable};

/// 127.99609375 = 0x7FFF / 0x100, the limit of LITP's y component.
pub const LITP_LIMIT: f32 = 32767.0 / 256.0;

/// Flushes a source of float24 arithmetic: magnitudes below 2^-62 count as +0.
#[inline]
fn flush(x: f32) -> f32 {
    if x.to_bits() & MAGNITUDE < float24::SMALLEST { 0.0 } else { x }
}

/// Rounds a result of float24 arithmetic: truncated, flushed, overflowed, NaN made canonical.
#[inline]
pub fn truncate(x: f32) -> f32 {
    let magnitude = x.to_bits() & MAGNITUDE;
    let bits = if magnitude > INFINITY {
        NAN
    } else if magnitude >= float24::OVERFLOW {
        x.to_bits() & SIGN | INFINITY
    } else if magnitude < float24::SMALLEST {
        0
    } else {
        x.to_bits() & 0xFFFF_FF80
    };
    f32::from_bits(bits)
}

/// Applies a one-operand operation, with the flush and truncation of float24.
#[inline]
fn unary(precision: Precision, a: f32, op: impl Fn(f32) -> f32) -> f32 {
    match precision {
        Precision::Exact | Precision::Fast => op(a),
        Precision::F24 => truncate(op(flush(a))),
    }
}

/// The product with inf · 0 = +0; a NaN operand still gives NaN. Without short-circuit operators,
/// so that four lanes compile to vector compares and selects.
#[inline]
fn product(a: f32, b: f32) -> f32 {
    let p = a * b;
    if p.is_nan() & !a.is_nan() & !b.is_nan() { 0.0 } else { p }
}

/// `a · b`; exact and f24: inf · 0 = 0 and NaN · 0 = NaN.
#[inline]
pub fn mul(precision: Precision, a: f32, b: f32) -> f32 {
    match precision {
        Precision::Exact => product(a, b),
        Precision::Fast => a * b,
        Precision::F24 => truncate(product(flush(a), flush(b))),
    }
}

/// `a + b`.
#[inline]
pub fn add(precision: Precision, a: f32, b: f32) -> f32 {
    match precision {
        Precision::Exact | Precision::Fast => a + b,
        Precision::F24 => truncate(flush(a) + flush(b)),
    }
}

/// `a · b + c`, the product rounded before the sum.
#[inline]
pub fn mad(precision: Precision, a: f32, b: f32, c: f32) -> f32 {
    add(precision, mul(precision, a, b), c)
}

/// The sum of the products, from left to right without an initial zero.
#[inline]
pub fn dot<const N: usize>(precision: Precision, a: [f32; N], b: [f32; N]) -> f32 {
    let mut sum = mul(precision, a[0], b[0]);
    for lane in 1..N {
        sum = add(precision, sum, mul(precision, a[lane], b[lane]));
    }
    sum
}

/// z of a position, moved into the volume -w ≤ z ≤ 0 if it lies outside by less than a part of w:
/// 0 if 0 < z < near · w, -w if -w - far · w < z < -w. Without a quotient, so that every driver
/// decides as the CPU does. For w ≤ 0 and NaN no z satisfies either, so z stays.
#[inline]
pub fn snap_depth(precision: Precision, z: f32, w: f32, [near, far]: [f32; 2]) -> f32 {
    // Exact where the comparison is close: z and -w differ by less than a factor of 2.
    let beyond = add(precision, z, w);
    if z > 0.0 && z < mul(precision, near, w) {
        0.0
    } else if beyond < 0.0 && beyond > mul(precision, -far, w) {
        -w
    } else {
        z
    }
}

/// `1 / a`; exact and f24: ±0 gives +inf.
#[inline]
pub fn rcp(precision: Precision, a: f32) -> f32 {
    match precision {
        Precision::Fast => 1.0 / a,
        Precision::Exact | Precision::F24 => {
            unary(precision, a, |a| if a == 0.0 { f32::INFINITY } else { 1.0 / a })
        }
    }
}

/// `1 / sqrt(a)` in two roundings; exact and f24: ±0 gives +inf.
#[inline]
pub fn rsq(precision: Precision, a: f32) -> f32 {
    match precision {
        Precision::Fast => 1.0 / a.sqrt(),
        Precision::Exact | Precision::F24 => {
            unary(precision, a, |a| if a == 0.0 { f32::INFINITY } else { 1.0 / a.sqrt() })
        }
    }
}

/// `2^a`, by the polynomial of [`portable`].
#[inline]
pub fn exp2(precision: Precision, a: f32) -> f32 {
    unary(precision, a, portable::exp2)
}

/// Base-2 logarithm, by the polynomial of [`portable`]; 0 gives -inf, negative values NaN.
#[inline]
pub fn log2(precision: Precision, a: f32) -> f32 {
    unary(precision, a, portable::log2)
}

/// `a > b ? a : b`; a NaN in `a` gives `b`, a NaN in `b` gives NaN.
#[inline]
pub fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// `a < b ? a : b`; a NaN in `a` gives `b`, a NaN in `b` gives NaN.
#[inline]
pub fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// `a >= b ? 1 : 0`; a NaN gives 0.
#[inline]
pub fn sge(a: f32, b: f32) -> f32 {
    if a >= b { 1.0 } else { 0.0 }
}

/// `a < b ? 1 : 0`; a NaN gives 0.
#[inline]
pub fn slt(a: f32, b: f32) -> f32 {
    if a < b { 1.0 } else { 0.0 }
}

/// x and w of LITP: negative values and NaN give 0.
#[inline]
pub fn litp_positive(a: f32) -> f32 {
    max(a, 0.0)
}

/// y of LITP: clamped to ±[`LITP_LIMIT`], NaN gives the positive limit.
#[inline]
pub fn litp_power(a: f32) -> f32 {
    max(min(a, LITP_LIMIT), -LITP_LIMIT)
}

/// A uniform, input or constant at this precision. float24 truncates but keeps subnormal values,
/// which only arithmetic flushes; the others leave the value unchanged.
#[inline]
pub fn load(precision: Precision, a: f32) -> f32 {
    match precision {
        Precision::Exact | Precision::Fast => a,
        Precision::F24 => {
            // The common case without the conversion to float24 and back.
            let normal = float24::SMALLEST..float24::OVERFLOW;
            if normal.contains(&(a.to_bits() & MAGNITUDE)) {
                truncate(a)
            } else {
                f32::from_bits(to_f32_bits(from_f32_bits(a.to_bits())))
            }
        }
    }
}

/// The address that MOVA stores: truncated toward zero, clamped to ±1000, NaN gives 0. Beyond ±128
/// all addresses count as 0.
#[inline]
pub fn address(a: f32) -> i32 {
    a.clamp(-1000.0, 1000.0) as i32
}

/// The offset that MOVA's result stands for: an address outside a signed byte counts as 0.
#[inline]
pub fn offset(a: f32) -> i32 {
    signed_byte(address(a))
}

/// An offset as relative reads take it: 0 outside a signed byte.
#[inline]
fn signed_byte(offset: i32) -> i32 {
    if (-128..=127).contains(&offset) { offset } else { 0 }
}

/// Index of the register c0..c127 that a relative read accesses. An offset outside the signed byte
/// range counts as 0, and the sum wraps at 128. Registers 96..127 do not exist and read as ones.
#[inline]
pub fn uniform_index(base: u8, offset: i32) -> u8 {
    ((i32::from(base) + signed_byte(offset)) & 0x7F) as u8
}

#[cfg(test)]
mod tests {
    use super::Precision::{Exact, F24, Fast};
    use super::*;

    const NAN: f32 = f32::NAN;
    const INF: f32 = f32::INFINITY;
    const SUBNORMAL: f32 = f32::from_bits(0x207F_FF00); // largest float24 subnormal

    /// Checks for equal bits; all NaNs are equal.
    #[track_caller]
    fn same(a: f32, b: f32) {
        assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{a:?} is not {b:?}");
    }

    #[test]
    fn products_of_infinity_and_zero_are_zero_and_nan_propagates() {
        for precision in [Exact, F24] {
            for (a, b) in [(INF, 0.0), (0.0, INF), (-INF, 0.0), (INF, -0.0)] {
                same(mul(precision, a, b), 0.0);
            }
            same(mul(precision, NAN, 0.0), NAN);
            same(mul(precision, 0.0, NAN), NAN);
            same(mul(precision, INF, -INF), -INF);
        }
        same(mul(Fast, INF, 0.0), NAN);
    }

    #[test]
    fn exact_keeps_the_sign_of_a_zero_product_and_f24_does_not() {
        same(mul(Exact, -1.0, 0.0), -0.0);
        same(mul(F24, -1.0, 0.0), 0.0);
    }

    #[test]
    fn reciprocals_of_both_zeros_are_positive_infinity() {
        for precision in [Exact, F24] {
            for zero in [0.0, -0.0] {
                same(rcp(precision, zero), INF);
                same(rsq(precision, zero), INF);
            }
        }
        same(rcp(Fast, -0.0), -INF);
        same(rcp(Exact, -INF), -0.0);
        same(rcp(F24, -INF), 0.0);
        same(rsq(Exact, rcp(Exact, -INF)), INF);
        same(rsq(Exact, -2.0), NAN);
    }

    #[test]
    fn f24_flushes_sources_and_results_of_arithmetic() {
        same(mul(F24, SUBNORMAL, 2.0), 0.0);
        same(mul(F24, f32::from_bits(float24::SMALLEST), 0.5), 0.0);
        same(add(F24, SUBNORMAL, -0.0), 0.0);
        same(rcp(F24, -SUBNORMAL), INF);
        same(log2(F24, SUBNORMAL), -INF);
        let halved = (0..63).fold(1.0, |x, _| mul(F24, x, 0.5));
        same(halved, 0.0);
        same((0..62).fold(1.0, |x, _| mul(F24, x, 0.5)), f32::from_bits(float24::SMALLEST));
    }

    #[test]
    fn f24_truncates_each_product_and_each_sum() {
        let one_third = f32::from_bits(0x3EAA_AA80); // 0.333… with 16 mantissa bits
        same(rcp(F24, 3.0), one_third);
        same(rcp(F24, -3.0), -one_third);
        // 1 + 2^-17 needs 17 mantissa bits.
        same(add(F24, 1.0, 2.0f32.powi(-17)), 1.0);
        // The product is cut before the sum: (1 + 2^-16)^2 = 1 + 2^-15 + 2^-32.
        let x = 1.0 + 2.0f32.powi(-16);
        same(mad(F24, x, x, -1.0), 2.0f32.powi(-15));
        same(dot(F24, [x, x], [x, 1.0]), 2.0 + 2.0f32.powi(-15));
    }

    #[test]
    fn f24_overflows_at_two_to_the_64() {
        let largest = f32::from_bits(0x5F7F_FF80);
        same(mul(F24, largest, 1.0), largest);
        same(mul(F24, -largest, 2.0), -INF);
        same(exp2(F24, 64.0), INF);
        same(exp2(F24, -63.0), 0.0);
    }

    #[test]
    fn loading_narrows_in_f24_only() {
        let third = 1.0f32 / 3.0;
        same(load(Exact, third), third);
        same(load(Fast, third), third);
        same(load(F24, third), f32::from_bits(0x3EAA_AA80));
        same(load(F24, SUBNORMAL), SUBNORMAL);
        same(load(F24, -0.0), -0.0);
        for exponent in -80..70 {
            for factor in [1.0, -1.1, 1.999_999] {
                let x = factor * 2.0f32.powi(exponent);
                same(load(F24, x), f32::from_bits(to_f32_bits(from_f32_bits(x.to_bits()))));
            }
        }
        same(load(F24, -1e30), -INF);
        same(load(F24, f32::from_bits(0xFF80_0001)), NAN);
    }

    #[test]
    fn the_product_of_a_mad_is_rounded_before_the_sum() {
        let x = 1.0 + f32::EPSILON;
        same(mad(Exact, x, x, -(1.0 + 2.0 * f32::EPSILON)), 0.0);
    }

    #[test]
    fn dot_products_sum_from_the_left_without_an_initial_zero() {
        same(dot(Exact, [-0.0; 4], [1.0; 4]), -0.0);
        same(dot(Exact, [1e8, 1.0, -1e8], [1.0; 3]), 0.0);
    }

    #[test]
    fn selections_take_the_second_operand_for_nan() {
        same(max(NAN, 0.0), 0.0);
        same(max(0.0, NAN), NAN);
        same(min(NAN, 0.0), 0.0);
        same(min(0.0, NAN), NAN);
        same(max(0.0, -INF), 0.0);
        same(max(0.0, -0.0), -0.0);
    }

    #[test]
    fn litp_maps_nan_to_zero_and_to_the_limit() {
        same(litp_positive(NAN), 0.0);
        same(litp_positive(-0.0), 0.0);
        same(litp_power(NAN), LITP_LIMIT);
        same(litp_power(-256.0), -LITP_LIMIT);
    }

    #[test]
    fn addresses_truncate_and_never_trap() {
        for (value, expected) in
            [(0.9, 0), (-0.9, 0), (13.7, 13), (-13.7, -13), (NAN, 0), (INF, 1000), (-1e30, -1000)]
        {
            assert_eq!(address(value), expected, "{value}");
        }
    }

    #[test]
    fn an_offset_is_the_address_or_zero() {
        for (value, expected) in
            [(127.9, 127), (128.0, 0), (-128.9, -128), (-129.0, 0), (NAN, 0), (INF, 0), (-0.9, 0)]
        {
            assert_eq!(offset(value), expected, "{value}");
            assert_eq!(uniform_index(40, offset(value)), uniform_index(40, address(value)), "{value}");
        }
    }

    #[test]
    fn offsets_outside_a_signed_byte_count_as_zero_and_sums_wrap_at_128() {
        for (offset, register) in [
            (0, 40),
            (13, 53),
            (50, 90),
            (60, 100),
            (74, 114),
            (87, 127),
            (88, 0),
            (128, 40),
            (-40, 0),
            (-42, 126),
            (-70, 98),
            (-73, 95),
            (-127, 41),
            (-128, 40),
            (-129, 40),
            (i32::MAX, 40),
        ] {
            assert_eq!(uniform_index(40, offset), register, "{offset}");
        }
    }
}
