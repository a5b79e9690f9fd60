//! Gives every control state a number.
//! In: states. Out: their numbers, in the order in which they were first seen. The hash decides only where to look, so the
//! numbers do not depend on it.

use crate::isa::control::State;

/// The states seen so far and their numbers.
pub(super) struct States {
    /// Places of the open-addressed table: a number plus one, or 0. A power of two, at most half full.
    table: Vec<u32>,
    states: Vec<State>,
}

impl States {
    pub(super) fn new() -> Self {
        Self { table: vec![0; 64], states: Vec::with_capacity(16) }
    }

    /// The number of a state, and whether it is new.
    pub(super) fn number(&mut self, state: &State) -> (usize, bool) {
        if self.states.len() * 2 >= self.table.len() {
            self.grow();
        }
        let place = self.place(state);
        match self.table[place] {
            0 => {
                self.states.push(*state);
                // Range: bounded by the node limit.
                self.table[place] = self.states.len() as u32;
                (self.states.len() - 1, true)
            }
            number => (number as usize - 1, false),
        }
    }

    /// The state with this number.
    pub(super) fn get(&self, number: usize) -> &State {
        &self.states[number]
    }

    /// Where the state stands in the table, or the free place where it belongs.
    fn place(&self, state: &State) -> usize {
        let mask = self.table.len() - 1;
        let mut place = hash(state) & mask;
        loop {
            match self.table[place] {
                0 => return place,
                number if self.states[number as usize - 1] == *state => return place,
                _ => place = (place + 1) & mask,
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 4];
        for number in 0..self.states.len() {
            let place = self.place(&self.states[number]);
            self.table[place] = number as u32 + 1;
        }
    }
}

/// Mixes what distinguishes states; empty places of the rings need not be looked at.
fn hash(state: &State) -> usize {
    let mut hash = 0;
    mix(&mut hash, state.pc.0, u16::from(state.hidden_loops));
    for entry in state.calls.entries() {
        mix(&mut hash, entry.end.0, entry.ret.0);
    }
    for entry in state.ifs.entries() {
        mix(&mut hash, entry.end.0, entry.join.0);
    }
    for entry in state.loops.entries() {
        mix(&mut hash, entry.end.0, entry.start.0);
    }
    // The high half is mixed best.
    (hash >> 32) as usize
}

#[inline]
fn mix(hash: &mut u64, a: u16, b: u16) {
    let word = u64::from(a) << 16 | u64::from(b);
    *hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95);
}
