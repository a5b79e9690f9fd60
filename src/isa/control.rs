//! The control-flow model: program counter and three small rings, one step at a time.
//! In: an instruction, a state, answers to questions. Out: the next state and what happens to the loop data.
//! Knows no arithmetic. The interpreter calls [`step`] with real answers, the control-flow explorer with both.
//! Facts: hardware tests of stack depths, order of checks, ring overflow and the fourth simultaneous return.

use super::inst::{Condition, Inst};
use super::reg::Pc;

/// A small stack that loses its oldest entry when it overflows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ring<T, const N: usize> {
    entries: [T; N],
    len: u8,
}

impl<T: Copy + Default, const N: usize> Default for Ring<T, N> {
    fn default() -> Self {
        Self { entries: [T::default(); N], len: 0 }
    }
}

impl<T: Copy + Default, const N: usize> Ring<T, N> {
    /// Pushes; true when the oldest entry was lost (all others moved one position down).
    #[inline]
    pub fn push(&mut self, entry: T) -> bool {
        let full = usize::from(self.len) == N;
        if full {
            self.entries.copy_within(1.., 0);
            self.len -= 1;
        }
        self.entries[usize::from(self.len)] = entry;
        self.len += 1;
        full
    }
    /// Removes the newest entry. Freed places are reset, so equal stacks compare equal.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let index = usize::from(self.len.checked_sub(1)?);
        self.len -= 1;
        Some(std::mem::take(&mut self.entries[index]))
    }
    /// The newest entry.
    #[inline]
    pub fn top(&self) -> Option<T> {
        Some(self.entries[usize::from(self.len.checked_sub(1)?)])
    }
    /// The entries, oldest first.
    pub fn entries(&self) -> &[T] {
        &self.entries[..usize::from(self.len)]
    }
    /// How many entries there are.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }
    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Removes the `count` oldest entries.
    pub fn drop_oldest(&mut self, count: usize) {
        let len = self.len();
        self.entries.copy_within(count..len, 0);
        self.entries[len - count..len].fill(T::default());
        self.len -= count as u8;
    }
}

/// A running CALL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallEntry {
    /// First word after the callee.
    pub end: Pc,
    /// Where it returns to.
    pub ret: Pc,
}

/// A running then-part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IfEntry {
    /// First word after the then-part.
    pub end: Pc,
    /// First word after the else-part.
    pub join: Pc,
}

/// A running LOOP. Its counter and the aL it saved are data, kept by whoever runs or lowers the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoopEntry {
    /// First word of the body.
    pub start: Pc,
    /// First word after the body.
    pub end: Pc,
    /// The int uniform i0..i3 that gives count, start and step of aL.
    pub int: u8,
}

/// Everything that decides where execution goes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The next word.
    pub pc: Pc,
    /// Calls, oldest first.
    pub calls: Ring<CallEntry, 4>,
    /// Then-parts, oldest first.
    pub ifs: Ring<IfEntry, 8>,
    /// Loops, oldest first.
    pub loops: Ring<LoopEntry, 4>,
    /// Loops below the oldest one in [`loops`](Self::loops) whose entries no longer matter but whose number does (leaving
    /// a loop restores aL only while another remains). Always 0 while interpreting; the explorer raises it.
    /// `hidden_loops + loops.len()` is at most 4.
    pub hidden_loops: u8,
}

impl State {
    /// The state in which a program starts.
    pub fn at(pc: Pc) -> Self {
        Self { pc, ..Self::default() }
    }
    /// The slot (0..=3) of the newest loop: its position in the hardware ring, oldest first.
    pub fn loop_slot(&self) -> Option<u8> {
        (self.loops.len() as u8).checked_sub(1).map(|top| self.hidden_loops + top)
    }
}

/// What a decision depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// The flags `cmp`.
    Cmp(Condition),
    /// Bool uniform `id` equals `expected`.
    Bool {
        /// b0..b15
        id: u8,
        /// The value wanted.
        expected: bool,
    },
    /// The loop in this slot has iterations left (`left > 0`).
    LoopRepeats {
        /// Slot of the loop.
        slot: u8,
    },
}

/// What a step does to the loop data: `left[slot]`, `saved[slot]` (slots 0..=3) and aL. Reported in the order in which
/// it happens. All are 32-bit integers; `i` is the int uniform, whose components are unsigned bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// The oldest loop was lost: `left[k] = left[k + 1]`, `saved[k] = saved[k + 1]` for k = 0, 1, 2.
    ShiftLoops,
    /// `left[slot] = i.x; saved[slot] = aL; aL = i.y`
    EnterLoop {
        /// Slot of the new loop.
        slot: u8,
        /// The int uniform.
        int: u8,
    },
    /// `aL += i.z`
    StepLoop {
        /// The int uniform.
        int: u8,
    },
    /// `left[slot] -= 1`
    RepeatLoop {
        /// Slot of the loop.
        slot: u8,
    },
    /// `aL = saved[slot]`; happens when a loop is left while another remains.
    RestoreCounter {
        /// Slot of the loop that was left.
        slot: u8,
    },
}

/// Whether the program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At `State::pc`.
    Continue,
    /// END.
    End,
}

/// Executes the control part of the instruction at `state.pc`: moves the program counter, updates the rings.
///
/// `decide` answers each [`Test`] (at most two a step: the instruction's own condition, then whether a loop repeats);
/// `effect` receives what happens to the loop data. A `LoopRepeats` question is asked after the effects reported before it.
/// The caller executes data instructions itself and must treat any pc at or beyond the end of the code as END.
pub fn step(
    inst: &Inst,
    state: &mut State,
    decide: &mut impl FnMut(Test) -> bool,
    effect: &mut impl FnMut(Effect),
) -> Outcome {
    let _ = (inst, state, decide, effect);
    todo!()
}
