//! Loop data of a running program.
//! In: effects of [`control::step`](crate::program::isa::control::step), int uniforms. Out: aL, and
//! whether a loop repeats. Knows no program. The interpreter has one, a batch one for each group of
//! lanes.

use crate::program::isa::control::Effect;
use crate::program::isa::sizes::{INTS, LOOP_DEPTH};

/// aL and the data of the loops in the ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopData {
    /// aL
    pub counter: i32,
    /// Iterations left of the loop in each slot.
    left: [i32; LOOP_DEPTH],
    /// aL at the beginning of the loop in each slot.
    saved: [i32; LOOP_DEPTH],
}

impl LoopData {
    /// Applies an effect; the guard's [`Effect::CountJump`] is up to the caller. Sums wrap, so an
    /// endless loop cannot overflow them.
    #[inline]
    pub fn apply(&mut self, effect: Effect, ints: &[[u8; 4]; INTS]) {
        let place = |slot: u8| usize::from(slot & 3);
        match effect {
            Effect::ShiftLoops => {
                self.left.copy_within(1.., 0);
                self.saved.copy_within(1.., 0);
            }
            Effect::EnterLoop { slot, int } => {
                let [count, start, _, _] = ints[place(int)];
                self.left[place(slot)] = i32::from(count);
                self.saved[place(slot)] = self.counter;
                self.counter = i32::from(start);
            }
            Effect::StepLoop { int } => {
                self.counter = self.counter.wrapping_add(i32::from(ints[place(int)][2]));
            }
            Effect::RepeatLoop { slot } => {
                self.left[place(slot)] = self.left[place(slot)].wrapping_sub(1);
            }
            Effect::RestoreCounter { slot } => self.counter = self.saved[place(slot)],
            Effect::CountJump => {}
        }
    }

    /// Returns whether the loop in a slot has iterations left.
    #[inline]
    pub fn repeats(&self, slot: u8) -> bool {
        self.left[usize::from(slot & 3)] > 0
    }

    /// Returns whether two programs with this number of loops continue alike: data of loops that
    /// have ended are never read again.
    pub fn continues_like(&self, other: &Self, loops: usize) -> bool {
        let alike = |a: &[i32; LOOP_DEPTH], b: &[i32; LOOP_DEPTH]| a[..loops] == b[..loops];
        self.counter == other.counter && alike(&self.left, &other.left) && alike(&self.saved, &other.saved)
    }
}
