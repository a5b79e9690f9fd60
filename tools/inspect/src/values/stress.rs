//! Inputs and uniforms to run programs with.
//! In: a seed. Out: values. Loop counts are small, so that programs with nested loops still end
//! soon.

use transpica::interp::{Registers, Uniforms};

use super::Random;

/// Magnitudes at which some rule of the arithmetic changes; all occur with both signs.
const SPECIAL: &[u32] = &[
    0x0000_0000, // 0
    0x0000_0001, // smallest f32
    0x007F_FFFF, // largest subnormal f32
    0x0080_0000, // smallest normal f32
    0x1800_0000, // 2^-79: float24 has nothing below 2^-78
    0x1880_0000, // 2^-78, smallest float24
    0x207F_FF00, // largest subnormal float24
    0x207F_FFFF, // largest f32 that f24 arithmetic flushes
    0x2080_0000, // 2^-62, smallest normal float24
    0x2080_0001,
    0x3EAA_AAAB, // a third
    0x3F00_0000, // 0.5
    0x3F7F_FFFF, // largest below 1
    0x3F80_0000, // 1
    0x3F80_0001, // smallest above 1
    0x3F80_0080, // the next float24 above 1
    0x3FC0_0000, // 1.5
    0x4000_0000, // 2
    0x4040_0000, // 3
    0x42BE_0000, // 95, the last uniform
    0x42C0_0000, // 96
    0x42FE_0000, // 127
    0x42FF_FE00, // the limit of LITP
    0x4300_0000, // 128
    0x4301_0000, // 129
    0x447A_0000, // 1000
    0x4B80_0000, // 2^24
    0x4F00_0000, // 2^31
    0x5F7F_FF80, // largest float24
    0x5F7F_FFFF, // largest f32 that float24 holds when truncated
    0x5F80_0000, // 2^64, infinity in float24
    0x7F7F_FFFF, // largest f32
    0x7F80_0000, // infinity
    0x7F80_0001, // signalling NaN
    0x7FC0_0000, // NaN
];

fn special(random: &mut Random) -> f32 {
    let sign = random.below(2) << 31;
    f32::from_bits(random.pick(SPECIAL) | sign)
}

/// A typical value of real programs: mostly moderate, one in twelve special.
fn ordinary(random: &mut Random) -> f32 {
    match random.below(12) {
        0..5 => random.unit() * 4.0 - 2.0,
        5..7 => random.below(17) as f32 - 8.0,
        // Suitable as an address, with a fractional part.
        7..9 => random.below(100) as f32 - 4.0 + random.unit(),
        9 => random.pick(&[0.0, 1.0]),
        10 => (random.unit() - 0.5) * 2.0f32.powi(random.below(40) as i32 - 20),
        _ => special(random),
    }
}

fn registers(random: &mut Random, value: fn(&mut Random) -> f32) -> [[f32; 4]; 16] {
    let mut inputs = Registers::DEFAULT_INPUTS;
    for component in inputs.iter_mut().flatten() {
        *component = value(random);
    }
    inputs
}

fn uniform_values(random: &mut Random, value: fn(&mut Random) -> f32) -> Uniforms {
    let mut uniforms = Uniforms::default();
    for component in uniforms.floats.iter_mut().flatten() {
        *component = value(random);
    }
    for int in &mut uniforms.ints {
        let count = random.weighted(&[(4, 0), (4, 1), (3, 2), (2, 3), (1, 7)]);
        let start = random.below_some(&[(6, 8), (2, 96), (1, 256)]);
        let step = random.below_some(&[(6, 4), (1, 256)]);
        // Ranges: below 256 each.
        *int = [count as u8, start as u8, step as u8, random.below(256) as u8];
    }
    uniforms.bools = random.bits() as u16;
    uniforms
}

/// Returns inputs of some vertices: all sixteen registers, moderate values with special ones among
/// them.
///
/// ```
/// assert_eq!(transpica_inspect::values::inputs(7, 3).len(), 3);
/// ```
pub fn inputs(seed: u64, vertices: usize) -> Vec<[[f32; 4]; 16]> {
    let mut random = Random::new(seed, "inputs");
    (0..vertices).map(|_| registers(&mut random, ordinary)).collect()
}

/// Returns inputs of some vertices with special values only: zeros, infinities, NaN, subnormals,
/// limits of f32 and float24.
pub fn special_inputs(seed: u64, vertices: usize) -> Vec<[[f32; 4]; 16]> {
    let mut random = Random::new(seed, "special inputs");
    (0..vertices).map(|_| registers(&mut random, special)).collect()
}

/// Returns uniforms with values as in [`inputs`], random bools, and ints that repeat loops
/// at most eight times.
pub fn uniforms(seed: u64) -> Uniforms {
    uniform_values(&mut Random::new(seed, "uniforms"), ordinary)
}

/// Returns uniforms like [`uniforms`], with values as in [`special_inputs`].
pub fn special_uniforms(seed: u64) -> Uniforms {
    uniform_values(&mut Random::new(seed, "special uniforms"), special)
}
