//! The lane map: one slot for each scalar that a program can change, grouped by register.
//! Slots of one register are adjacent, so that they can be merged as one vector.

use crate::ir::{HintRegister, ScalarKind};
use crate::program::isa::sizes::LOOP_DEPTH;
use crate::program::isa::{Dest, sizes};

/// Index of a scalar in the lane map.
pub(super) type Slot = usize;

/// First slot of the temporaries r0..r15.
const TEMPS: Slot = 0;
/// First slot of the outputs o0..o15.
const OUTPUTS: Slot = TEMPS + 4 * sizes::TEMPS;
/// a0.x; a0.y follows.
pub(super) const ADDRESS: Slot = OUTPUTS + 4 * sizes::OUTPUTS;
/// aL
pub(super) const COUNTER: Slot = ADDRESS + 2;
/// cmp.x; cmp.y follows.
pub(super) const FLAGS: Slot = COUNTER + 1;
/// Iterations left of the loops in slots 0..=3.
pub(super) const LEFT: Slot = FLAGS + 2;
/// aL saved by the loops in slots 0..=3.
pub(super) const SAVED: Slot = LEFT + LOOP_DEPTH;
/// Back jumps that the loop guard still allows.
pub(super) const JUMPS: Slot = SAVED + LOOP_DEPTH;
/// First helper variable.
pub(super) const VARS: Slot = JUMPS + 1;

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
    pub kind: ScalarKind,
    pub hint: HintRegister,
}

/// Slots of geometry programs, relative to a first one that is a multiple of 64 after the helper
/// variables.
pub(super) mod geometry {
    use super::Slot;

    /// o0..o15 of the inactive bank.
    pub const OTHER: Slot = 0;
    /// The setting of SETEMIT: vertex slot, triangle flag, winding flag.
    pub const SETTING: [Slot; 3] = [64, 65, 66];
    /// Number of triangles.
    pub const COUNT: Slot = 67;
    /// Index of the invocation.
    pub const INVOCATION: Slot = 68;
    /// The outputs in the vertex slots, four lanes each.
    pub const VERTICES: Slot = 72;
}

/// The group of a slot; slots of geometry programs begin with `geometry`.
pub(super) fn group(slot: Slot, geometry: Slot) -> Group {
    let single = |kind, hint| Group { start: slot, len: 1, kind, hint };
    if let Some(own) = slot.checked_sub(geometry) {
        return match own {
            0..64 => register_group(slot, HintRegister::Output(own as u8 / 4)),
            65 | 66 => single(ScalarKind::Bool, HintRegister::None),
            geometry::COUNT => single(ScalarKind::I32, HintRegister::Count),
            geometry::INVOCATION => single(ScalarKind::I32, HintRegister::Invocation),
            64..geometry::VERTICES => single(ScalarKind::I32, HintRegister::None),
            _vertex => register_group(slot, HintRegister::None),
        };
    }
    match slot {
        TEMPS..OUTPUTS => register_group(slot, HintRegister::Temp(slot as u8 / 4)),
        OUTPUTS..ADDRESS => register_group(slot, HintRegister::Output((slot - OUTPUTS) as u8 / 4)),
        ADDRESS..COUNTER => single(ScalarKind::I32, HintRegister::Address),
        COUNTER => single(ScalarKind::I32, HintRegister::Counter),
        FLAGS..LEFT => single(ScalarKind::Bool, HintRegister::Flags),
        LEFT..SAVED => single(ScalarKind::I32, HintRegister::LoopLeft((slot - LEFT) as u8)),
        SAVED..JUMPS => single(ScalarKind::I32, HintRegister::Counter),
        _variable => single(ScalarKind::I32, HintRegister::None),
    }
}

fn register_group(slot: Slot, hint: HintRegister) -> Group {
    Group { start: slot & !3, len: 4, kind: ScalarKind::F32, hint }
}

/// A set of slots.
#[derive(Clone, Default)]
pub(super) struct SlotSet {
    bits: Vec<u64>,
}

impl SlotSet {
    pub(super) fn insert(&mut self, slot: Slot) {
        self.insert_mask(slot, 1);
    }
    /// Inserts `base + k` for each bit k of `mask`; all lie in one word, as every group does.
    pub(super) fn insert_mask(&mut self, base: Slot, mask: u8) {
        let (word, shift) = (base / 64, base % 64);
        debug_assert!(shift <= u64::from(mask).leading_zeros() as usize, "slots cross a word");
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= u64::from(mask) << shift;
    }
    /// Inserts the slots of another set.
    pub(super) fn insert_all(&mut self, other: &Self) {
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, others)| *bits |= others);
    }
    pub(super) fn has(&self, slot: Slot) -> bool {
        self.bits.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0)
    }
    /// The slots in the set, ascending.
    pub(super) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let slots = 0..64 * self.bits.len();
        slots.filter(|&slot| self.has(slot))
    }
    /// Removes all slots.
    pub(super) fn clear(&mut self) {
        self.bits.fill(0);
    }
    /// The groups with slots in the set, ascending, and the mask of those slots. Slots of geometry
    /// programs begin with `geometry`.
    pub(super) fn groups(&self, geometry: Slot) -> impl Iterator<Item = (Group, u8)> + '_ {
        self.bits.iter().enumerate().flat_map(move |(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                // No group crosses a word.
                let group = group(64 * index + rest.trailing_zeros() as usize, geometry);
                let shift = group.start % 64;
                let all = (1 << group.len) - 1;
                let mask = (rest >> shift & all) as u8;
                rest &= !(all << shift);
                Some((group, mask))
            })
        })
    }
}
