//! The scalar operations, one function each, generic over the precision.
//! In and out: f32 values. `Exact` and `F24` follow PICA200 rules, `Fast` is plain IEEE.

use super::Precision;

/// 127.99609375 = 0x7FFF / 0x100, the limit of LITP's y component.
pub const LITP_LIMIT: f32 = 127.996_093_75;

/// Smallest magnitude that float24 arithmetic does not flush.
const F24_MIN_BITS: u32 = 0x2080_0000; // 2^-62
/// First magnitude that float24 cannot hold.
const F24_OVERFLOW_BITS: u32 = 0x5F80_0000; // 2^64

/// A source of float24 arithmetic: magnitudes below 2^-62 count as +0.
#[inline]
fn flush(x: f32) -> f32 {
    if x.to_bits() & 0x7FFF_FFFF < F24_MIN_BITS { 0.0 } else { x }
}

/// A result of float24 arithmetic: truncated, flushed, overflowed, NaN made canonical.
#[inline]
pub fn truncate(x: f32) -> f32 {
    let magnitude = x.to_bits() & 0x7FFF_FFFF;
    let bits = if magnitude > 0x7F80_0000 {
        0x7FC0_0000
    } else if magnitude >= F24_OVERFLOW_BITS {
        x.to_bits() & 0x8000_0000 | 0x7F80_0000
    } else if magnitude < F24_MIN_BITS {
        0
    } else {
        x.to_bits() & 0xFFFF_FF80
    };
    f32::from_bits(bits)
}

/// One-operand operation with the flush and the truncation that float24 adds.
#[inline]
fn unary(precision: Precision, a: f32, op: impl Fn(f32) -> f32) -> f32 {
    match precision {
        Precision::Exact | Precision::Fast => op(a),
        Precision::F24 => truncate(op(flush(a))),
    }
}

/// Product of two non-NaN operands where inf · 0 = +0.
#[inline]
fn product(a: f32, b: f32) -> f32 {
    let p = a * b;
    if p.is_nan() && !a.is_nan() && !b.is_nan() { 0.0 } else { p }
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

/// `2^a`.
#[inline]
pub fn exp2(precision: Precision, a: f32) -> f32 {
    unary(precision, a, f32::exp2)
}

/// Base-2 logarithm; 0 gives -inf, negative values NaN.
#[inline]
pub fn log2(precision: Precision, a: f32) -> f32 {
    unary(precision, a, f32::log2)
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

/// The address that MOVA stores: truncation toward zero, clamped to ±1000 (beyond ±128 all addresses count as 0), NaN
/// gives 0.
#[inline]
pub fn address(a: f32) -> i32 {
    a.clamp(-1000.0, 1000.0) as i32
}

/// Which of the registers c0..c127 a relative read reaches: an offset outside the signed byte range counts as 0, and the
/// sum wraps at 128. Registers 96..127 do not exist and read as ones.
#[inline]
pub fn uniform_index(base: u8, offset: i32) -> u8 {
    let offset = if (-128..=127).contains(&offset) { offset } else { 0 };
    ((i32::from(base) + offset) & 0x7F) as u8
}
