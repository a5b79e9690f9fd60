//! The float24 format of PICA200 registers: 1 sign, 7 exponent (bias 63), 16 mantissa bits.

use super::bits::{INFINITY, MAGNITUDE, MIN_NORMAL};

/// Smallest magnitude that float24 arithmetic keeps, 2^-62, as bits of an f32: operands and results
/// below it count as 0.
pub const SMALLEST: u32 = 0x2080_0000;
/// Smallest magnitude that is infinite in float24, 2^64, as bits of an f32.
pub const OVERFLOW: u32 = 0x5F80_0000;

/// Widens float24 bits (the low 24 of `bits`) to f32 bits. Lossless: subnormals become normal f32
/// values.
///
/// ```
/// use transpica::stages::precision::float24::to_f32_bits;
/// assert_eq!(to_f32_bits(0x3F0000), 1.0f32.to_bits());
/// assert_eq!(to_f32_bits(0x000001), 0x1880_0000); // 2^-78
/// assert_eq!(to_f32_bits(0x7F8000), 0x7FC0_0000); // NaN
/// ```
pub const fn to_f32_bits(bits: u32) -> u32 {
    let sign = (bits >> 23 & 1) << 31;
    let exponent = bits >> 16 & 0x7F;
    let mantissa = bits & 0xFFFF;
    match exponent {
        0x7F => sign | INFINITY | mantissa << 7,
        0 if mantissa == 0 => sign,
        0 => {
            let high = 31 - mantissa.leading_zeros();
            sign | (high + 127 - 78) << 23 | (mantissa << (16 - high) & 0xFFFF) << 7
        }
        _ => sign | (exponent + 64) << 23 | mantissa << 7,
    }
}

/// Narrows f32 bits to float24 by truncation, which hardware is assumed to do. Overflow gives
/// infinity, values below 2^-62 the truncated subnormal, NaN the canonical NaN 0x7F8000.
///
/// ```
/// use transpica::stages::precision::float24::from_f32_bits;
/// assert_eq!(from_f32_bits(1.0f32.to_bits()), 0x3F0000);
/// assert_eq!(from_f32_bits(1e30f32.to_bits()), 0x7F0000);
/// assert_eq!(from_f32_bits(0x1880_0000), 0x000001);
/// ```
pub const fn from_f32_bits(bits: u32) -> u32 {
    let sign = (bits >> 31) << 23;
    let magnitude = bits & MAGNITUDE;
    if magnitude > INFINITY {
        return 0x7F_8000;
    }
    if magnitude >= OVERFLOW {
        return sign | 0x7F_0000;
    }
    let exponent = (magnitude >> 23) as i32 - 127 + 63;
    if exponent >= 1 {
        return sign | (exponent as u32) << 16 | (magnitude >> 7 & 0xFFFF);
    }
    // Subnormal: value = M * 2^-78; 1.m * 2^(e-127) with e-127 < -62.
    let shift = 1 - exponent;
    if magnitude < MIN_NORMAL || shift > 16 {
        return sign;
    }
    sign | (0x1_0000 | (magnitude >> 7 & 0xFFFF)) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_values_widen() {
        for (half, single) in [
            (0x3F_0000, 0x3F80_0000),
            (0xBF_0000, 0xBF80_0000),
            (0x3E_0000, 0x3F00_0000),
            (0x3D_0000, 0x3E80_0000),
            (0x40_8000, 0x4040_0000),
            (0x7E_FFFF, 0x5F7F_FF80),
            (0x01_0000, 0x2080_0000),
            (0x00_FFFF, 0x207F_FF00),
            (0x00_0001, 0x1880_0000),
            (0x7F_0000, 0x7F80_0000),
            (0xFF_0000, 0xFF80_0000),
            (0, 0),
            (0x80_0000, 0x8000_0000),
        ] {
            assert_eq!(to_f32_bits(half), single, "{half:#x}");
        }
    }

    #[test]
    fn every_value_survives_the_round_trip() {
        for bits in 0..1u32 << 24 {
            let nan = bits & 0x7F_0000 == 0x7F_0000 && bits & 0xFFFF != 0;
            let expected = if nan { 0x7F_8000 } else { bits };
            assert_eq!(from_f32_bits(to_f32_bits(bits)), expected, "{bits:#x}");
        }
    }
}
