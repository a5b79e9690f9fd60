//! The table of operand descriptors, shared between instructions as picasso shares it.
//! In: descriptors and which of their bits count. Out: numbers, and the table. Knows no instruction but MAD's short reach.
//! Facts: probes. The first entry that agrees on the bits that count for both is taken and completed; entries may so change
//! after their first use, but never in a bit that counted.

use crate::container::Descriptor;
use crate::isa::opdesc::{MASK_BITS, source_bits};
use crate::isa::{Component, DataOp, Mask};

/// Entries that instructions other than MAD reach.
const REACH: usize = 128;
/// Entries that MAD reaches.
const MAD_REACH: usize = 32;

/// One entry.
#[derive(Clone, Copy, Debug)]
struct Entry {
    descriptor: Descriptor,
    /// The bits that some instruction reads.
    significant: u32,
    /// Whether a MAD uses it.
    mad: bool,
}

impl Entry {
    /// Whether a request for these bits can have this entry.
    fn agrees(&self, bits: u32, significant: u32) -> bool {
        (self.descriptor.bits ^ bits) & self.significant & significant == 0
    }
}

/// The table.
#[derive(Clone, Debug, Default)]
pub(super) struct Descriptors {
    entries: Vec<Entry>,
}

/// Two entries that changed places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Swap(pub u32, pub u32);

impl Descriptors {
    /// Finds or makes an entry; nothing when the table is full.
    pub(super) fn request(&mut self, bits: u32, significant: u32) -> Option<usize> {
        if let Some(index) = self.entries.iter().position(|entry| entry.agrees(bits, significant)) {
            let entry = &mut self.entries[index];
            entry.descriptor.bits = entry.descriptor.bits & !significant | bits & significant;
            entry.significant |= significant;
            return Some(index);
        }
        if self.entries.len() >= REACH {
            return None;
        }
        self.entries.push(Entry {
            descriptor: Descriptor { bits, ..Descriptor::default() },
            significant,
            mad: false,
        });
        Some(self.entries.len() - 1)
    }
    /// Appends an entry of which every bit counts; false when the table is full.
    pub(super) fn add(&mut self, descriptor: Descriptor) -> bool {
        let has_room = self.entries.len() < REACH;
        if has_room {
            self.entries.push(Entry { descriptor, significant: u32::MAX, mad: false });
        }
        has_room
    }
    /// Whether an entry has these bits; one that the table lacks reads as 0.
    pub(super) fn has(&self, index: usize, bits: u32, significant: u32) -> bool {
        let found = self.entries.get(index).map_or(0, |entry| entry.descriptor.bits);
        (found ^ bits) & significant == 0
    }
    /// Gives an entry to MAD; one beyond its reach changes places with the first one that no MAD uses. Nothing when all
    /// within reach are used.
    pub(super) fn give_to_mad(&mut self, index: usize) -> Option<(usize, Option<Swap>)> {
        if index < MAD_REACH {
            self.entries[index].mad = true;
            return Some((index, None));
        }
        let low = self.entries[..MAD_REACH].iter().position(|entry| !entry.mad)?;
        self.entries.swap(low, index);
        self.entries[low].mad = true;
        // Both are below REACH.
        Some((low, Some(Swap(low as u32, index as u32))))
    }
    /// The table.
    pub(super) fn table(&self) -> Vec<Descriptor> {
        self.entries.iter().map(|entry| entry.descriptor).collect()
    }
}

/// Bits that choose what becomes `component` of source `index`.
fn slot(index: usize, component: Component) -> u32 {
    3 << (5 + 9 * index + 6 - 2 * component.index())
}

/// The descriptor bits of `sources` sources without the slots of `components` in the first `upto` of them.
fn sources_without(sources: usize, upto: usize, components: Mask) -> u32 {
    let all = (0..sources).fold(0, |bits, index| bits | source_bits(index));
    let unused = (0..upto).flat_map(|index| components.iter().map(move |c| slot(index, c)));
    unused.fold(all, |bits, slot| bits & !slot)
}

/// The components y, z, w.
const YZW: Mask = Mask(14);
/// The components z, w.
const ZW: Mask = Mask(12);
/// The component w.
const W: Mask = Mask(8);

/// The bits that count for an operation that writes `mask`.
pub(crate) fn significant(op: DataOp, mask: Mask) -> u32 {
    use DataOp::*;
    let sources = op.source_count();
    let unwritten = Mask(!mask.0 & 15);
    MASK_BITS
        | match op {
            Add | Mul | Sge | Slt | Flr | Max | Min | Mov | Mad => {
                sources_without(sources, sources, unwritten)
            }
            Dp3 => sources_without(sources, sources, W),
            Dph => sources_without(sources, 1, W),
            Ex2 | Lg2 | Rcp | Rsq => sources_without(sources, 1, YZW),
            Dp4 | Dst | Litp => sources_without(sources, 0, Mask::NONE),
        }
}

/// The bits that count for CMP. Though it reads neither, z and w of the second source count.
pub(crate) fn significant_compare() -> u32 {
    sources_without(2, 1, ZW)
}

/// The bits that count for MOVA.
pub(crate) fn significant_address(mask: Mask) -> u32 {
    MASK_BITS | sources_without(1, 1, Mask(!mask.0 & 3 | ZW.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_shared_and_completed() {
        let mut table = Descriptors::default();
        assert_eq!(table.request(0b1010, 0b1111), Some(0));
        assert_eq!(table.request(0b11_0010, 0b11_0011), Some(0));
        assert_eq!(table.request(0b0000, 0b1000), Some(1));
        assert_eq!(table.table().iter().map(|entry| entry.bits).collect::<Vec<_>>(), [0b11_1010, 0]);
    }

    #[test]
    fn a_descriptor_beyond_the_reach_of_mad_changes_places() {
        let mut table = Descriptors::default();
        for bits in 0..34 {
            table.request(bits, u32::MAX);
        }
        assert_eq!(table.give_to_mad(0), Some((0, None)));
        assert_eq!(table.give_to_mad(33), Some((1, Some(Swap(1, 33)))));
        assert_eq!(table.table()[1].bits, 33);
    }
}
