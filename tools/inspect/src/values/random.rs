//! Random choices from a seed. Equal seeds give equal programs on every machine, so a seed
//! identifies a program.
//! In: a seed and the name of its purpose. Out: numbers. Knows nothing about programs.

/// A seeded source of choices.
pub struct Random(fastrand::Rng);

impl Random {
    /// Creates choices for one purpose; different purposes get unrelated choices from the same
    /// seed.
    pub fn new(seed: u64, purpose: &str) -> Self {
        // FNV-1a of the purpose separates the streams.
        let hash = purpose.bytes().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
        });
        Self(fastrand::Rng::with_seed(seed ^ hash))
    }
    /// A number in `0..end`; 0 if the range is empty.
    #[inline]
    pub fn below(&mut self, end: u32) -> u32 {
        if end == 0 { 0 } else { self.0.u32(..end) }
    }
    /// A number in `first..=last`.
    pub fn between(&mut self, first: u32, last: u32) -> u32 {
        first + self.below(last.saturating_sub(first) + 1)
    }
    /// True with a probability of `percent`.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
    /// All 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.0.u32(..)
    }
    /// A number in `0.0..1.0`.
    #[inline]
    pub fn unit(&mut self) -> f32 {
        self.0.f32()
    }
    /// An element of a nonempty list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize]
    }
    /// A number below one of several ends, chosen by weight.
    pub fn below_some(&mut self, ends: &[(u32, u32)]) -> u32 {
        let end = self.weighted(ends);
        self.below(end)
    }
    /// An element of a nonempty list, chosen by weight.
    pub fn weighted<T: Copy>(&mut self, list: &[(u32, T)]) -> T {
        let total = list.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(total);
        for &(weight, item) in list {
            if left < weight {
                return item;
            }
            left -= weight;
        }
        unreachable!("the number drawn is below the sum of the weights")
    }
}
