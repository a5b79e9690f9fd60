//! Which uniform registers are taken: named uniforms grow upwards, constants downwards.
//! In: numbers of registers wanted. Out: first registers. Knows no names.
//! Facts: probes. The constants of each file start at the top again and may overlap those of another file; named uniforms
//! are shared by all files and stay below every constant of every file before.

use super::operand::{BOOL, FLOAT, INT};
use crate::isa::limits::{BOOLS, FLOATS, INTS};

/// The registers of one kind.
#[derive(Clone, Copy, Debug)]
struct Bank {
    /// First register not taken by a named uniform.
    next: u32,
    /// Lowest register taken by a constant of this file.
    top: u32,
    /// One past the last register.
    end: u32,
    /// Lowest register ever taken by a constant.
    lowest: u32,
}

impl Bank {
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
        self.lowest = self.lowest.min(self.top);
        Some(self.top)
    }
}

/// The kinds of uniforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Int,
    Bool,
}

/// The uniform registers that files share, or those of one geometry program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    float: Bank,
    int: Bank,
    bool: Bank,
}

impl Space {
    /// All registers.
    pub(crate) fn shared() -> Self {
        Self::new(0, BOOLS as u32)
    }
    /// Those of a geometry program: vertices may arrive below `first`, and hardware sets b15.
    pub(crate) fn geometry(first: u32) -> Self {
        Self::new(first, BOOLS as u32 - 1)
    }
    fn new(first: u32, bools: u32) -> Self {
        Self {
            float: Bank::new(FLOAT + first, FLOAT + FLOATS as u32),
            int: Bank::new(INT, INT + INTS as u32),
            bool: Bank::new(BOOL, BOOL + bools),
        }
    }
    /// Begins another file.
    pub(crate) fn next_file(&mut self) {
        for bank in [&mut self.float, &mut self.int, &mut self.bool] {
            bank.top = bank.end;
        }
    }
    fn bank(&mut self, kind: Kind) -> &mut Bank {
        match kind {
            Kind::Float => &mut self.float,
            Kind::Int => &mut self.int,
            Kind::Bool => &mut self.bool,
        }
    }
    /// The register that the next named uniform of this kind gets.
    pub(crate) fn next_uniform(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Float => self.float.next,
            Kind::Int => self.int.next,
            Kind::Bool => self.bool.next,
        }
    }
    /// First of `count` registers for a named uniform.
    pub(crate) fn uniform(&mut self, kind: Kind, count: u32) -> Option<u32> {
        self.bank(kind).uniform(count)
    }
    /// First of `count` registers for a constant.
    pub(crate) fn constant(&mut self, kind: Kind, count: u32) -> Option<u32> {
        self.bank(kind).constant(count)
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
        assert_eq!(space.constant(Kind::Int, 3), Some(INT + 1));
        space.next_file();
        assert_eq!(space.constant(Kind::Int, 1), Some(INT + 3));
        assert_eq!(space.uniform(Kind::Int, 1), Some(INT));
        assert_eq!(space.uniform(Kind::Int, 1), None);
    }
}
