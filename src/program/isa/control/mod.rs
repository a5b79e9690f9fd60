//! The control-flow model: the program counter and three small ring buffers, one step at a time.
//! In: an instruction, a state, and the outcomes of tests. Out: the next state and the effects on
//! loop data.
//! Knows no arithmetic. The interpreter calls [`step`] with the actual outcomes, the explorer with
//! both.
//! Facts: hardware tests of stack depths, order of checks, ring overflow and the fourth
//! simultaneous return.

use std::hash::{Hash, Hasher};

use super::inst::{Condition, Flow, Inst};
use super::reg::Pc;
use super::sizes::{CALL_DEPTH, IF_DEPTH, LOOP_DEPTH};

/// A small stack that loses its oldest entry when it overflows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ring<T, const N: usize> {
    entries: [T; N],
    len: u8,
}

/// Hashes the entries alone: freed positions have always the same value.
impl<T: Copy + Default + Hash, const N: usize> Hash for Ring<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries().hash(state);
    }
}

impl<T: Copy + Default, const N: usize> Default for Ring<T, N> {
    fn default() -> Self {
        Self { entries: [T::default(); N], len: 0 }
    }
}

impl<T: Copy + Default, const N: usize> Ring<T, N> {
    /// Pushes an entry; returns true if the oldest was lost and all others moved down.
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
    /// Removes the newest entry. Freed positions are reset, so equal stacks compare equal.
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
    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }
    /// Returns whether there is no entry.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Number of entries that it holds before the oldest is lost.
    pub const fn capacity(&self) -> usize {
        N
    }
    /// Removes the `count` oldest entries.
    pub fn drop_oldest(&mut self, count: usize) {
        let len = self.len();
        self.entries.copy_within(count..len, 0);
        self.entries[len - count..len].fill(T::default());
        self.len -= count as u8;
    }
}

/// An active CALL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallEntry {
    /// First word after the callee.
    pub end: Pc,
    /// Return address.
    pub ret: Pc,
}

/// An active then-part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IfEntry {
    /// First word after the then-part.
    pub end: Pc,
    /// First word after the else-part.
    pub join: Pc,
}

/// An active LOOP. Its counter and the saved aL are data, which the interpreter or `lift` holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoopEntry {
    /// First word of the body.
    pub start: Pc,
    /// First word after the body.
    pub end: Pc,
    /// The int uniform i0..i3 with count, start and step of aL.
    pub int: u8,
}

/// The control state: all that determines the next address, besides the outcomes of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// Address of the next word.
    pub pc: Pc,
    /// Calls, oldest first.
    pub calls: Ring<CallEntry, CALL_DEPTH>,
    /// Then-parts, oldest first.
    pub ifs: Ring<IfEntry, IF_DEPTH>,
    /// Loops, oldest first.
    pub loops: Ring<LoopEntry, LOOP_DEPTH>,
    /// Number of loops older than those in [`loops`](Self::loops). Their entries are irrelevant,
    /// but not their number: leaving a loop restores aL only while another remains. Always 0 while
    /// interpreting; the explorer raises it. `hidden_loops + loops.len()` is at most 4.
    pub hidden_loops: u8,
}

impl State {
    /// The initial state of a program.
    pub fn new(pc: Pc) -> Self {
        Self { pc, ..Self::default() }
    }
    /// Returns whether the newest entry of a ring ends at this address, so that reaching it has an
    /// effect.
    #[inline]
    pub fn ends_at(&self, next: Pc) -> bool {
        self.calls.top().is_some_and(|entry| entry.end == next)
            || self.ifs.top().is_some_and(|entry| entry.end == next)
            || self.loops.top().is_some_and(|entry| entry.end == next)
    }
    /// Ring position (0..=3) of the newest loop, oldest first.
    pub fn loop_slot(&self) -> Option<u8> {
        (self.loops.len() as u8).checked_sub(1).map(|top| self.hidden_loops + top)
    }
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// The flags `cmp`.
    Cmp(Condition),
    /// Bool uniform `id` equals `expected`.
    Bool {
        /// b0..b15
        id: u8,
        /// The value that makes the test true.
        expected: bool,
    },
    /// The loop at this ring position has iterations left (`left > 0`).
    LoopRepeats {
        /// Ring position of the loop.
        slot: u8,
    },
    /// The loop guard permits another backward jump (`jumps > 0`). Tested by the guard (see
    /// [`Flow::goes_back`]), never by [`step`].
    JumpsLeft,
}

/// An effect of a step on the loop data: `left[slot]`, `saved[slot]` (ring positions 0..=3) and aL,
/// in order of occurrence. All are 32-bit integers; `i` is the int uniform, whose components are
/// unsigned bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// The oldest loop was lost: `left[k] = left[k + 1]`, `saved[k] = saved[k + 1]` for k = 0, 1,
    /// 2.
    ShiftLoops,
    /// `left[slot] = i.x; saved[slot] = aL; aL = i.y`
    EnterLoop {
        /// Ring position of the new loop.
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
        /// Ring position of the loop.
        slot: u8,
    },
    /// `aL = saved[slot]`, when a loop is left while another remains.
    RestoreCounter {
        /// Ring position of the loop that was left.
        slot: u8,
    },
    /// `jumps -= 1`; emitted by the caller's loop guard, never by [`step`].
    CountJump,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Execution continues at `State::pc`.
    Continue,
    /// The program has ended.
    End,
}

/// The kinds of scopes, one for each ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScopeKind {
    /// An active CALL.
    Call,
    /// An active then-part.
    If,
    /// An active LOOP.
    Loop,
}

/// A scope that a control-flow instruction opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Its kind.
    pub kind: ScopeKind,
    /// First word inside.
    pub start: Pc,
    /// First word after it; reaching that in order ends the scope.
    pub end: Pc,
    /// Address of the next word after it ends; for a LOOP, without a repetition.
    pub exit: Pc,
}

impl Flow {
    /// The condition of the instruction itself; nothing for an unconditional one. A LOOP tests
    /// whether it repeats at its end, not here.
    #[inline]
    pub fn test(&self) -> Option<Test> {
        match *self {
            Self::Nop | Self::End | Self::Break | Self::Call { .. } | Self::Loop { .. } => None,
            Self::BreakC(condition)
            | Self::CallC { condition, .. }
            | Self::IfC { condition, .. }
            | Self::JmpC { condition, .. } => Some(Test::Cmp(condition)),
            Self::CallU { bool: id, .. } | Self::IfU { bool: id, .. } => {
                Some(Test::Bool { id, expected: true })
            }
            Self::JmpU { bool: id, expected, .. } => Some(Test::Bool { id, expected }),
        }
    }

    /// Returns the outcome of [`test`](Self::test) (true without one) with which the instruction at
    /// `pc` jumps or calls to the same or a lower address, or `None` if it never does. The loop
    /// guard counts these. All other instructions only increase the program counter and return
    /// addresses, apart from loops, which are finite. A LOOP that ends before it begins counts,
    /// since BREAK goes to its end.
    pub fn goes_back(&self, pc: Pc) -> Option<bool> {
        match *self {
            Self::Nop | Self::End | Self::Break | Self::BreakC(_) => None,
            Self::Loop { last, .. } => (last.next() <= pc).then_some(true),
            Self::Call { target, .. }
            | Self::CallC { target, .. }
            | Self::CallU { target, .. }
            | Self::JmpC { target, .. }
            | Self::JmpU { target, .. } => (target <= pc).then_some(true),
            // A failed condition jumps to the second part.
            Self::IfU { target, .. } | Self::IfC { target, .. } => (target <= pc).then_some(false),
        }
    }

    /// Returns the scope that the instruction at `pc` opens where its test holds, if it opens one.
    pub fn scope(&self, pc: Pc) -> Option<Scope> {
        let next = pc.next();
        match *self {
            Self::Call { target, length }
            | Self::CallC { target, length, .. }
            | Self::CallU { target, length, .. } => {
                Some(Scope { kind: ScopeKind::Call, start: target, end: target.plus(length), exit: next })
            }
            Self::IfU { target, length, .. } | Self::IfC { target, length, .. } => {
                Some(Scope { kind: ScopeKind::If, start: next, end: target, exit: target.plus(length) })
            }
            Self::Loop { last, .. } => {
                Some(Scope { kind: ScopeKind::Loop, start: next, end: last.next(), exit: last.next() })
            }
            Self::Nop | Self::End | Self::Break | Self::BreakC(_) | Self::JmpC { .. } | Self::JmpU { .. } => {
                None
            }
        }
    }

    /// Returns where the instruction at `pc` goes if its test holds, before any scope ends there.
    pub fn target_if_true(&self, pc: Pc) -> Pc {
        if let Self::JmpC { target, .. } | Self::JmpU { target, .. } = *self {
            return target;
        }
        self.scope(pc).map_or(pc.next(), |scope| scope.start)
    }

    /// Returns where the instruction at `pc` goes if its test fails, before any scope ends there.
    pub fn target_if_false(&self, pc: Pc) -> Pc {
        self.scope(pc).filter(|scope| scope.kind == ScopeKind::If).map_or(pc.next(), |scope| scope.end)
    }
}

/// The addresses of the words with which a scope may end. All other data instructions go on at the
/// next word and need not ask [`step`].
pub fn scope_ends(insts: &[Inst]) -> impl Iterator<Item = Pc> {
    let scopes = (0..).map(Pc).zip(insts).filter_map(|(pc, inst)| match inst {
        Inst::Flow(flow) => flow.scope(pc),
        _data => None,
    });
    scopes.filter_map(|scope| scope.end.0.checked_sub(1).map(Pc))
}

/// Executes the control part of the instruction at `state.pc`: updates the program counter and the
/// rings.
///
/// `decide` answers each [`Test`]: at most the instruction's own condition, then whether a loop
/// repeats. `effect` receives the effects on loop data. A `LoopRepeats` test comes after the
/// effects that were emitted before it. The caller executes data instructions and must treat any pc
/// at or beyond the end of the code as END.
#[inline]
pub fn step(
    inst: &Inst,
    state: &mut State,
    decide: &mut impl FnMut(Test) -> bool,
    effect: &mut impl FnMut(Effect),
) -> Outcome {
    let Inst::Flow(flow) = inst else {
        step_data(state, decide, effect);
        return Outcome::Continue;
    };
    step_flow(flow, state, decide, effect)
}

/// [`step`] for all but control-flow instructions: goes to the next word and ends the scopes that
/// end there.
#[inline]
pub fn step_data(state: &mut State, decide: &mut impl FnMut(Test) -> bool, effect: &mut impl FnMut(Effect)) {
    let next = state.pc.next();
    state.pc = next;
    if state.ends_at(next) {
        end_scopes(state, next, false, decide, effect);
    }
}

/// [`step`] for a control-flow instruction.
pub fn step_flow(
    flow: &Flow,
    state: &mut State,
    decide: &mut impl FnMut(Test) -> bool,
    effect: &mut impl FnMut(Effect),
) -> Outcome {
    let next = state.pc.next();
    state.pc = next;
    let holds = flow.test().is_none_or(&mut *decide);
    let mut broke = false;
    match *flow {
        Flow::Nop => {}
        Flow::End => return Outcome::End,
        Flow::Break | Flow::BreakC(_) => broke = holds,
        Flow::Call { target, length }
        | Flow::CallC { target, length, .. }
        | Flow::CallU { target, length, .. } => {
            if holds {
                state.calls.push(CallEntry { end: target.plus(length), ret: next });
                state.pc = target;
            }
        }
        Flow::IfU { target, length, .. } | Flow::IfC { target, length, .. } => {
            if holds {
                state.ifs.push(IfEntry { end: target, join: target.plus(length) });
            } else {
                state.pc = target;
            }
        }
        Flow::Loop { int, last } => {
            enter_loop(state, LoopEntry { start: next, end: last.next(), int }, effect)
        }
        Flow::JmpC { target, .. } | Flow::JmpU { target, .. } => {
            if holds {
                state.pc = target;
            }
        }
    }
    // Entries that this instruction pushed are tested as well (citra PR 6844).
    end_scopes(state, next, broke, decide, effect);
    Outcome::Continue
}

/// Pushes a loop. A full ring loses its oldest entry (hardware tests, 3dbrew revision 20746).
/// Hidden loops are older than all others and are lost first.
fn enter_loop(state: &mut State, entry: LoopEntry, effect: &mut impl FnMut(Effect)) {
    if usize::from(state.hidden_loops) + state.loops.len() >= LOOP_DEPTH {
        if let Some(fewer) = state.hidden_loops.checked_sub(1) {
            state.hidden_loops = fewer;
        } else {
            state.loops.drop_oldest(1);
        }
        effect(Effect::ShiftLoops);
    }
    state.loops.push(entry);
    // Range: at most LOOP_DEPTH loops.
    let slot = state.hidden_loops + state.loops.len() as u8 - 1;
    effect(Effect::EnterLoop { slot, int: entry.int });
}

/// Ends the scopes that end at `next`, the word after the current one; a jump target is never
/// tested. Later rules override earlier ones: a loop end wins over the end of a then-part, that
/// over a return, and that over the jump target (hardware tests, 3dbrew revision 20746).
fn end_scopes(
    state: &mut State,
    next: Pc,
    broke: bool,
    decide: &mut impl FnMut(Test) -> bool,
    effect: &mut impl FnMut(Effect),
) {
    return_from_calls(state, next);
    // At most one then-part ends at a word; an outer one that ends there stays on the ring.
    if let Some(entry) = state.ifs.top()
        && entry.end == next
    {
        state.ifs.pop();
        state.pc = entry.join;
    }
    // BREAK outside every loop hangs hardware; here it has no effect.
    if let Some(entry) = state.loops.top()
        && (broke || entry.end == next)
    {
        end_iteration(state, entry, broke, decide, effect);
    }
}

/// Returns from the calls that end at `next`. Several may end at once, each if the return address
/// before equals its end. The fourth return in one step loses its address (hardware tests, 3dbrew
/// revision 20746).
fn return_from_calls(state: &mut State, next: Pc) {
    let mut here = next;
    for count in 1..=CALL_DEPTH {
        let Some(entry) = state.calls.top() else { break };
        if entry.end != here {
            break;
        }
        state.calls.pop();
        if count < CALL_DEPTH {
            here = entry.ret;
            state.pc = here;
        }
    }
}

/// Ends one iteration of the innermost loop. aL steps even on BREAK, and returns to the outer
/// loop's value if another loop remains (citra PR 6844).
fn end_iteration(
    state: &mut State,
    entry: LoopEntry,
    broke: bool,
    decide: &mut impl FnMut(Test) -> bool,
    effect: &mut impl FnMut(Effect),
) {
    let Some(slot) = state.loop_slot() else { return };
    effect(Effect::StepLoop { int: entry.int });
    if !broke && decide(Test::LoopRepeats { slot }) {
        effect(Effect::RepeatLoop { slot });
        state.pc = entry.start;
    } else {
        state.loops.pop();
        state.pc = entry.end;
        if usize::from(state.hidden_loops) + state.loops.len() > 0 {
            effect(Effect::RestoreCounter { slot });
        }
    }
}

#[cfg(test)]
mod tests;
