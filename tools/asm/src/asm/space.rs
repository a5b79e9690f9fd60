//! Allocation of uniform registers: named uniforms grow upwards, constants downwards.
//! In: counts. Out: first registers. Knows no names.
//! Facts: probes. The constants of each source begin at the top again and may overlap those of
//! another source. All sources share the named uniforms, which stay below every constant of every
//! earlier source.

use super::register::{BOOL, FLOAT, INT};
use transpica::isa::sizes::{BOOLS, FLOATS, INTS};
use transpica::isa::uniforms::HAS_RUN;

/// The registers of one kind.
#[derive(Clone, Copy, Debug)]
struct RegisterPool {
    /// First register above the named uniforms.
    next: u32,
    /// Lowest register of this source's constants.
    top: u32,
    /// One past the last register.
    end: u32,
    /// Lowest register of any constant.
    lowest: u32,
}

impl RegisterPool {
    fn new(first: u32, end: u32) -> Self {
        Self { next: first, top: end, end, lowest: end }
    }
    fn uniform(&mut self, count: u32) -> Option<u32> {
        let first = self.next;
        self.next = first.checked_add(count).filter(|&next| next <= self.lowest)?;
        Some(first)
    }
    fn constant(&mut self, count: u32) -> Option<u32> {
        self.top = self.top.checked_sub(count).filter(|&top| top >= self.next)?;
        // Never reset: picasso keeps uniforms of later sources below the constants of all earlier
        // ones.
        self.lowest = self.lowest.min(self.top);
        Some(self.top)
    }
}

/// The kinds of uniforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UniformKind {
    Float,
    Int,
    Bool,
}

impl UniformKind {
    /// All kinds.
    pub(super) const ALL: [Self; 3] = [Self::Float, Self::Int, Self::Bool];
    /// The directive that declares uniforms of this kind.
    pub(crate) fn directive(self) -> &'static str {
        ["fvec", "ivec", "bool"][self as usize]
    }
    /// picasso's number of register 0.
    pub(super) fn base(self) -> u32 {
        [FLOAT, INT, BOOL][self as usize]
    }
}

/// The uniform registers that sources share, or those of one geometry program; by kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space([RegisterPool; 3]);

impl Space {
    /// All registers.
    pub(crate) fn shared() -> Self {
        Self::new(0, BOOLS as u32)
    }
    /// The registers of a geometry program: vertices may arrive below `first`, and hardware sets
    /// the last bool.
    pub(crate) fn geometry(first: u32) -> Self {
        Self::new(first, u32::from(HAS_RUN))
    }
    fn new(first: u32, bools: u32) -> Self {
        Self([
            RegisterPool::new(FLOAT + first, FLOAT + FLOATS as u32),
            RegisterPool::new(INT, INT + INTS as u32),
            RegisterPool::new(BOOL, BOOL + bools),
        ])
    }
    /// Begins another source.
    pub(crate) fn next_file(&mut self) {
        self.0.iter_mut().for_each(|bank| bank.top = bank.end);
    }
    /// The register of the next named uniform of this kind.
    pub(crate) fn next_uniform(&self, kind: UniformKind) -> u32 {
        self.0[kind as usize].next
    }
    /// First of `count` registers for a named uniform.
    pub(crate) fn uniform(&mut self, kind: UniformKind, count: u32) -> Option<u32> {
        self.0[kind as usize].uniform(count)
    }
    /// First of `count` registers for a constant.
    pub(crate) fn constant(&mut self, kind: UniformKind, count: u32) -> Option<u32> {
        self.0[kind as usize].constant(count)
    }
}

impl Default for Space {
    fn default() -> Self {
        Self::shared()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_files_overlap_and_uniforms_stay_below_all_of_them() {
        let mut space = Space::shared();
        assert_eq!(space.constant(UniformKind::Int, 3), Some(INT + 1));
        space.next_file();
        assert_eq!(space.constant(UniformKind::Int, 1), Some(INT + 3));
        assert_eq!(space.uniform(UniformKind::Int, 1), Some(INT));
        assert_eq!(space.uniform(UniformKind::Int, 1), None);
    }
}
