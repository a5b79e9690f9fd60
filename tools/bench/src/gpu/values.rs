//! Inputs and uniforms of the draws that are timed: ordinary numbers, since CPUs are slow at
//! subnormal ones.

use transpica::interp::Uniforms;

/// Values between 0.25 and 1.25 that follow no pattern.
struct Values(u32);

impl Values {
    fn next(&mut self) -> f32 {
        // The golden ratio as a fraction of 2^32 spreads its multiples evenly.
        self.0 = self.0.wrapping_add(0x9E37_79B9);
        0.25 + (self.0 >> 8) as f32 / (1 << 24) as f32
    }
}

/// Returns uniforms with these bools, and ints for loops of this number of rounds.
pub fn uniforms(bools: u16, rounds: u8) -> Uniforms {
    let mut values = Values(0);
    let mut uniforms = Uniforms::default();
    for component in uniforms.floats.iter_mut().flatten() {
        *component = values.next();
    }
    uniforms.ints = [[rounds.saturating_sub(1), 0, 1, 0]; 4];
    uniforms.bools = bools;
    uniforms
}

/// Returns v0..v15 of some vertices. The corners of a triangle are equal: otherwise most of the
/// time goes into clipping.
pub fn vertices(count: usize) -> Vec<[[f32; 4]; 16]> {
    let mut values = Values(1);
    let mut corner = || std::array::from_fn(|_| std::array::from_fn(|_| values.next()));
    (0..count / 3).flat_map(|_| [corner(); 3]).collect()
}
