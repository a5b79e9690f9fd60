//! Parts of an f32, and constants given by their bits.
//! Facts: IEEE 754 binary32.

/// The sign bit.
pub const SIGN: u32 = 0x8000_0000;
/// All bits but the sign.
pub const MAGNITUDE: u32 = !SIGN;
/// The bits of the exponent.
pub const EXPONENT: u32 = INFINITY;
/// Number of bits of the significand, without the hidden one.
pub const SIGNIFICAND_BITS: u32 = f32::MANTISSA_DIGITS - 1;
/// The bits of the significand.
pub const SIGNIFICAND: u32 = (1 << SIGNIFICAND_BITS) - 1;
/// 1.
pub const ONE: u32 = 1f32.to_bits();
/// Positive infinity.
pub const INFINITY: u32 = f32::INFINITY.to_bits();
/// The canonical NaN of translated programs.
pub const NAN: u32 = 0x7FC0_0000;
/// The smallest positive normal number.
pub const MIN_NORMAL: u32 = f32::MIN_POSITIVE.to_bits();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_exponent_and_mantissa_are_those_of_an_f32() {
        assert_eq!((SIGN ^ EXPONENT ^ SIGNIFICAND, EXPONENT & SIGNIFICAND), (u32::MAX, 0));
        assert_eq!((-0f32).to_bits(), SIGN);
        assert_eq!(MIN_NORMAL, SIGNIFICAND + 1);
        assert!(f32::from_bits(NAN).is_nan());
    }
}
