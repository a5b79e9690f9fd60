//! The part of a control state that can still have an effect.
//! In: instructions, a control state. Out: the state without the rest, so that groups
//! that arrived by different paths compare equal. Knows no lanes.
//!
//! A BREAK inside a then-part leaves the entry of that part on its ring, and aL of lanes that leave
//! a loop in different iterations differs. Neither matters where control cannot go back to. That is
//! decided by one number for each address, the lowest one that control may go to from there: a
//! graph would find more, but take longer than all of the decoding.

use transpica::interp::LoopData;
use transpica::isa::control::State;
use transpica::isa::{Inst, Pc};

/// The addresses that may still be executed, from each one on.
#[derive(Clone, Debug, Default)]
pub(super) struct Ahead {
    /// The lowest address, except for what ring entries lead to. Empty if nothing goes back.
    lowest: Vec<Pc>,
    /// The address after all words that read aL.
    counter_end: Pc,
}

impl Ahead {
    /// Looks through a program whose words from `counter_end` on do not read aL.
    pub(super) fn new(insts: &[Inst], counter_end: Pc) -> Self {
        let mut lowest = Vec::new();
        let words = || (0..=u16::MAX).map(Pc).zip(insts);
        if words().any(|(pc, inst)| lowest_target(inst, pc) < pc) {
            lowest.extend(words().map(|(pc, inst)| lowest_target(inst, pc)));
            let mut least = Pc(u16::MAX);
            for lowest in lowest.iter_mut().rev() {
                least = least.min(*lowest);
                *lowest = least;
            }
            // Where control goes back to, words may lead back further.
            for pc in 0..lowest.len() {
                let back = lowest[pc];
                lowest[pc] = lowest.get(back.index()).copied().unwrap_or(back).min(back);
            }
        }
        Self { lowest, counter_end }
    }

    /// The lowest address that control may go to from an address.
    fn lowest(&self, from: Pc) -> Pc {
        self.lowest.get(from.index()).copied().unwrap_or(from)
    }

    /// Removes the entries of then-parts that cannot end, and aL if it is not read any more.
    #[inline]
    pub(super) fn forget(&self, state: &mut State, loops: &mut LoopData) {
        let may_have_ended = state.ifs.top().is_some_and(|entry| entry.end <= state.pc);
        if may_have_ended || loops.counter != 0 && self.counter_end <= state.pc {
            self.forget_dead(state, loops);
        }
    }

    fn forget_dead(&self, state: &mut State, loops: &mut LoopData) {
        let mut lowest = self.lowest(state.pc);
        for call in state.calls.entries() {
            lowest = lowest.min(self.lowest(call.ret));
        }
        for entry in state.loops.entries() {
            lowest = lowest.min(self.lowest(entry.start)).min(self.lowest(entry.end));
        }
        // A scope ends after a word that is executed. Below an entry that stays none is compared.
        let mut dead = state.ifs.len();
        for entry in state.ifs.entries().iter().rev() {
            if entry.end <= lowest {
                break;
            }
            lowest = lowest.min(self.lowest(entry.join));
            dead -= 1;
        }
        state.ifs.drop_oldest(dead);
        if self.counter_end <= lowest {
            loops.counter = 0;
        }
    }
}

/// The lowest address that an instruction leads to, now or when the scope that it opens ends; its
/// own if all others are higher.
fn lowest_target(inst: &Inst, pc: Pc) -> Pc {
    let Inst::Flow(flow) = inst else { return pc };
    let scope = flow.scope(pc).map_or(pc, |scope| scope.start.min(scope.end).min(scope.exit));
    pc.min(scope).min(flow.target_if_true(pc)).min(flow.target_if_false(pc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use transpica::isa::Flow;
    use transpica::isa::control::{CallEntry, IfEntry};

    const NOP: Inst = Inst::Flow(Flow::Nop);

    /// The number of then-parts and aL that stay at an address, with entries that end at `ends`.
    fn left(insts: &[Inst], pc: u16, ends: &[u16], ret: Option<u16>) -> (usize, i32) {
        let ahead = Ahead::new(insts, Pc(2));
        let mut state = State::new(Pc(pc));
        for &end in ends {
            state.ifs.push(IfEntry { end: Pc(end), join: Pc(end) });
        }
        if let Some(ret) = ret {
            state.calls.push(CallEntry { end: Pc(9), ret: Pc(ret) });
        }
        let mut loops = LoopData::default();
        loops.counter = 7;
        ahead.forget(&mut state, &mut loops);
        (state.ifs.len(), loops.counter)
    }

    #[test]
    fn what_lies_behind_is_forgotten() {
        assert_eq!(left(&[NOP; 8], 4, &[3, 4], None), (0, 0));
        assert_eq!(left(&[NOP; 8], 1, &[1], None), (0, 7), "aL is still read");
    }

    #[test]
    fn a_then_part_that_may_end_stays_but_not_those_below_one_that_cannot() {
        assert_eq!(left(&[NOP; 8], 4, &[3, 6], None), (1, 0));
        assert_eq!(left(&[NOP; 8], 4, &[6, 3], None), (0, 0));
    }

    #[test]
    fn what_control_goes_back_to_stays() {
        let mut insts = [NOP; 8];
        insts[6] = Inst::Flow(Flow::JmpU { bool: 0, expected: true, target: Pc(3) });
        assert_eq!(left(&insts, 5, &[3], None), (0, 0), "ends before");
        assert_eq!(left(&insts, 5, &[4], None), (1, 0));
        assert_eq!(left(&insts, 7, &[4], None), (0, 0), "after the jump");
        // From the target of a jump another one leads back further.
        insts[4] = Inst::Flow(Flow::JmpU { bool: 0, expected: true, target: Pc(1) });
        assert_eq!(left(&insts, 5, &[2], None), (1, 7));
        assert_eq!(left(&[NOP; 8], 5, &[2], Some(1)), (1, 7), "a procedure returns");
    }
}
