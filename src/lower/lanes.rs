//! The lane map: one slot for each scalar that a program can change, grouped by register.
//! Slots of one register are adjacent, so that they can be merged as one vector.

use crate::ir::{HintRegister, Kind};
use crate::isa::Dest;

/// Index of a scalar in the lane map.
pub(super) type Slot = usize;

/// First slot of the temporaries r0..r15.
const TEMPS: Slot = 0;
/// First slot of the outputs o0..o15.
const OUTPUTS: Slot = 64;
/// a0.x; a0.y follows.
pub(super) const ADDRESS: Slot = 128;
/// aL
pub(super) const COUNTER: Slot = 130;
/// cmp.x; cmp.y follows.
pub(super) const FLAGS: Slot = 131;
/// Iterations left of the loops in slots 0..=3.
pub(super) const LEFT: Slot = 133;
/// aL saved by the loops in slots 0..=3.
pub(super) const SAVED: Slot = 137;
/// First helper variable.
pub(super) const VARS: Slot = 141;

/// First slot of a register.
pub(super) fn register(dest: Dest) -> Slot {
    match dest {
        Dest::Temp(n) => TEMPS + 4 * usize::from(n),
        Dest::Output(n) => OUTPUTS + 4 * usize::from(n),
    }
}

/// Adjacent slots of one kind that may be merged as one vector.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub start: Slot,
    pub len: usize,
    pub kind: Kind,
    pub hint: HintRegister,
}

/// The groups of a lane map of `slots` slots, ascending.
pub(super) fn groups(slots: usize) -> impl Iterator<Item = Group> {
    let registers = (0..32).map(|n: u8| Group {
        start: 4 * usize::from(n),
        len: 4,
        kind: Kind::F32,
        hint: if n < 16 { HintRegister::Temp(n) } else { HintRegister::Output(n - 16) },
    });
    let single = |start, kind, hint| Group { start, len: 1, kind, hint };
    registers
        .chain((0..2).map(move |n| single(ADDRESS + n, Kind::I32, HintRegister::Address)))
        .chain([single(COUNTER, Kind::I32, HintRegister::Counter)])
        .chain((0..2).map(move |n| single(FLAGS + n, Kind::Bool, HintRegister::Flags)))
        .chain((0..4).map(move |n| single(LEFT + n, Kind::I32, HintRegister::LoopLeft(n as u8))))
        .chain((0..4).map(move |n| single(SAVED + n, Kind::I32, HintRegister::Counter)))
        .chain((VARS..slots).map(move |slot| single(slot, Kind::I32, HintRegister::None)))
}

/// A set of slots.
#[derive(Clone, Default)]
pub(super) struct SlotSet {
    bits: Vec<u64>,
}

impl SlotSet {
    pub(super) fn insert(&mut self, slot: Slot) {
        let word = slot / 64;
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (slot % 64);
    }
    /// Inserts `base + k` for each bit k of `mask`.
    pub(super) fn insert_mask(&mut self, base: Slot, mask: u8) {
        for bit in 0..8 {
            if mask >> bit & 1 != 0 {
                self.insert(base + bit);
            }
        }
    }
    /// The bits of a group of at most four slots.
    pub(super) fn mask(&self, group: Group) -> u8 {
        (0..group.len).fold(0, |mask, lane| mask | u8::from(self.has(group.start + lane)) << lane)
    }
    fn has(&self, slot: Slot) -> bool {
        self.bits.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0)
    }
}
