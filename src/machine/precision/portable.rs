//! Powers of two and base-2 logarithms with the same bits on every device.
//! In: an f32. Out: an f32. Uses only sums, products and bit shifts, which every device rounds
//! alike; division and a device's own EX2 and LG2 differ.
//! `passes::legalize` builds the same steps for shaders and reads the coefficients here.
//!
//! Numbers below 2^-126 count as zero and are never results, since devices differ in whether they
//! keep them. [`exp2`] is within [`EXP2_ULP`] units in the last place of the true value, [`log2`]
//! within [`LOG2_ULP`]; tests try all significands. Coefficients: minimax polynomials (Remez),
//! rounded to f32.

use super::bits::{ONE, SIGNIFICAND, SIGNIFICAND_BITS};

/// Maximum error of [`exp2`] in units in the last place.
pub const EXP2_ULP: f64 = 1.9;
/// Maximum error of [`log2`] in units in the last place.
pub const LOG2_ULP: f64 = 2.0;

/// 2^f = 1 + f·(`EXP2[0]` + f·(`EXP2[1]` + …)) for 0 ≤ f ≤ 1; gives 2 for f = 1.
pub(crate) const EXP2: [f32; 6] =
    [0.693_147_06, 0.240_229_31, 0.055_485_282, 0.009_675_452, 0.001_246_784_7, 0.000_216_129_15];
/// log2(1 + r) = r·(`LOG2[0]` + r·(`LOG2[1]` + …)) for √½ ≤ 1 + r ≤ √2.
#[allow(clippy::approx_constant, reason = "a coefficient, which may be changed")]
pub(crate) const LOG2: [f32; 10] = [
    1.442_695,
    -0.721_347_33,
    0.480_897_9,
    -0.360_696_43,
    0.288_585_28,
    -0.239_636_59,
    0.204_296_02,
    -0.190_612_64,
    0.187_826_71,
    -0.112_974_904,
];
/// The largest number below -126: from here down powers are 0.
pub(crate) const EXP2_ZERO: f32 = f32::from_bits(0xC2FC_0001);
/// The smallest exponent whose power overflows f32.
pub(crate) const EXP2_OVERFLOW: f32 = 128.0;
/// 2^23 plus the bias of the exponent. Added to an integer from -126 to 127 it gives a float whose
/// low bits are the exponent field of that power.
pub(crate) const EXPONENT_BIAS: f32 = 8_388_735.0;
/// The bits of 2^23: with an exponent field in its low bits, the float 2^23 + field.
pub(crate) const EXPONENT_BITS: u32 = 0x4B00_0000;
/// √2
pub(crate) const ROOT: f32 = std::f32::consts::SQRT_2;

/// 2^`a`: 0 below -126, +inf from 128 on, NaN for NaN.
///
/// ```
/// use transpica::stages::precision::portable::exp2;
/// assert_eq!([exp2(0.0), exp2(3.0), exp2(-126.0)], [1.0, 8.0, f32::MIN_POSITIVE]);
/// assert_eq!([exp2(-126.5), exp2(128.0)], [0.0, f32::INFINITY]);
/// ```
pub fn exp2(a: f32) -> f32 {
    let whole = a.floor();
    let scale = f32::from_bits((whole + EXPONENT_BIAS).to_bits() << SIGNIFICAND_BITS);
    let power = (horner(&EXP2, a - whole) + 1.0) * scale;
    // Selections, so that many are computed side by side; NaN is outside.
    let other = if a >= EXP2_OVERFLOW { f32::INFINITY } else { a };
    let other = if a <= EXP2_ZERO { 0.0 } else { other };
    if (a > EXP2_ZERO) & (a < EXP2_OVERFLOW) { power } else { other }
}

/// Base-2 logarithm: -inf for magnitudes below 2^-126, NaN for other negative numbers and NaN.
///
/// ```
/// use transpica::stages::precision::portable::log2;
/// assert_eq!([log2(1.0), log2(8.0), log2(0.0)], [0.0, 3.0, f32::NEG_INFINITY]);
/// assert!(log2(-1.0).is_nan());
/// ```
pub fn log2(a: f32) -> f32 {
    let bits = a.to_bits();
    let exponent = f32::from_bits(bits >> SIGNIFICAND_BITS | EXPONENT_BITS) - EXPONENT_BIAS;
    let significand = f32::from_bits(bits & SIGNIFICAND | ONE);
    let is_large = significand > ROOT;
    let significand = if is_large { significand * 0.5 } else { significand };
    let exponent = if is_large { exponent + 1.0 } else { exponent };
    let logarithm = exponent + horner(&LOG2, significand - 1.0);
    let other = if a > 0.0 { a } else { f32::NAN };
    let result = if (a > 0.0) & (a <= f32::MAX) { logarithm } else { other };
    if a.abs() < f32::MIN_POSITIVE { f32::NEG_INFINITY } else { result }
}

/// x·(c0 + x·(c1 + x·(…)))
fn horner(coefficients: &[f32], x: f32) -> f32 {
    // The first sum adds 0 to the last coefficient, which is exact.
    coefficients.iter().rev().fold(0.0, |sum, coefficient| x * (coefficient + sum))
}

#[cfg(test)]
mod tests {
    use transpica_proof::daily;

    use super::*;

    /// Distance from the true value, in units in the last place.
    fn ulps(found: f32, exact: f64) -> f64 {
        let exponent = exact.abs().log2().floor().max(-126.0);
        (f64::from(found) - exact).abs() / (exponent - 23.0).exp2()
    }

    /// Every stride-th significand, and the ends.
    fn significands() -> impl Iterator<Item = u32> {
        let all = u64::from(SIGNIFICAND) + 1;
        let stride = all / daily::cases("significands of powers", all / 97, all);
        (0..=SIGNIFICAND).step_by(stride as usize).chain(SIGNIFICAND - 200..=SIGNIFICAND).chain(0..200)
    }

    #[test]
    fn powers_are_within_their_bound() {
        let mut worst: f64 = 0.0;
        for bits in significands() {
            // All f32 fractions between 0 and 1 in steps of 2^-23, and arguments far from 0.
            let fraction = f32::from_bits(bits | ONE) - 1.0;
            for a in [fraction, fraction - 1.0, fraction + 7.0, fraction - 100.0, fraction + 126.0] {
                worst = worst.max(ulps(exp2(a), f64::from(a).exp2()));
            }
        }
        assert!(worst <= EXP2_ULP && worst > 0.5, "{worst}");
    }

    /// The fraction of a small negative number is rounded, which steps of 2^-23 do not show: the
    /// largest error of all arguments, and above the bound of 1.5 that was given before.
    #[test]
    fn powers_of_small_negative_numbers_are_within_their_bound() {
        let a = f32::from_bits(0xBCA9_CE10);
        let worst = ulps(exp2(a), f64::from(a).exp2());
        assert!(worst <= EXP2_ULP && worst > 1.8, "{worst}");
    }

    #[test]
    fn logarithms_are_within_their_bound() {
        let mut worst: f64 = 0.0;
        for bits in significands() {
            for exponent in [1, 100, 125, 126, 127, 128, 129, 200, 254] {
                let a = f32::from_bits(bits | exponent << SIGNIFICAND_BITS);
                if a != 1.0 {
                    worst = worst.max(ulps(log2(a), f64::from(a).log2()));
                }
            }
        }
        assert!(worst <= LOG2_ULP && worst > 0.5, "{worst}");
    }

    #[test]
    fn integer_powers_and_their_logarithms_are_exact() {
        for n in -126i16..128 {
            let power = f32::from_bits(((n + 127) as u32) << SIGNIFICAND_BITS);
            assert_eq!(exp2(f32::from(n)).to_bits(), power.to_bits(), "{n}");
            assert_eq!(log2(power).to_bits(), f32::from(n).to_bits(), "{n}");
        }
    }

    #[test]
    fn subnormal_numbers_count_as_zero() {
        let tiny = f32::from_bits(1);
        // Devices that flush see -0 and 0 here; both must give the same result.
        for a in [tiny, -tiny, 0.0, -0.0] {
            assert_eq!(exp2(a), 1.0);
            assert_eq!(log2(a), f32::NEG_INFINITY);
        }
        assert_eq!(exp2(-126.000_01), 0.0);
        assert!(exp2(f32::NAN).is_nan() && log2(f32::NAN).is_nan());
        assert_eq!((exp2(f32::INFINITY), exp2(f32::NEG_INFINITY)), (f32::INFINITY, 0.0));
        assert_eq!(log2(f32::INFINITY), f32::INFINITY);
    }
}
