//! The table of operand descriptors, which instructions share as in picasso.
//! In: descriptors and their significant bits. Out: indices, and the table. Knows the short reach
//! of MAD.
//! Facts: probes. A request shares the first entry that agrees on the bits that are significant in
//! both, and completes it. So an entry may change after its first use, but never in a significant
//! bit.

use transpica::container::DescriptorRecord;
use transpica::isa::opdesc::{MASK_BITS, negation_bit, swizzle_bits};
use transpica::isa::sizes::{DESCRIPTORS, MAD_DESCRIPTORS};
use transpica::isa::table::Class;
use transpica::isa::{DataOp, Mask, Opcode};

/// An entry of the table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    descriptor: DescriptorRecord,
    /// The bits that some instruction reads.
    significant: u32,
    /// A MAD uses it.
    mad: bool,
}

impl Entry {
    /// Returns whether a request for these bits can share this entry.
    fn agrees(&self, bits: u32, significant: u32) -> bool {
        (self.descriptor.bits ^ bits) & self.significant & significant == 0
    }
}

/// The table.
#[derive(Clone, Debug, Default)]
pub(super) struct Descriptors {
    entries: Vec<Entry>,
}

impl Descriptors {
    /// The index of a shared or new entry, or `None` if the table is full.
    pub(super) fn request(&mut self, bits: u32, significant: u32) -> Option<usize> {
        if let Some(index) = self.entries.iter().position(|entry| entry.agrees(bits, significant)) {
            let entry = &mut self.entries[index];
            entry.descriptor.bits = entry.descriptor.bits & !significant | bits & significant;
            entry.significant |= significant;
            return Some(index);
        }
        if self.entries.len() >= DESCRIPTORS {
            return None;
        }
        self.entries.push(Entry {
            descriptor: DescriptorRecord { bits, ..DescriptorRecord::default() },
            significant,
            mad: false,
        });
        Some(self.entries.len() - 1)
    }
    /// Appends an entry whose bits are all significant; returns false if the table is full.
    pub(super) fn add(&mut self, descriptor: DescriptorRecord) -> bool {
        let has_room = self.entries.len() < DESCRIPTORS;
        if has_room {
            self.entries.push(Entry { descriptor, significant: u32::MAX, mad: false });
        }
        has_room
    }
    /// Returns whether the text lists entries: no instruction makes all bits significant.
    pub(super) fn are_listed(&self) -> bool {
        self.entries.iter().any(|entry| entry.significant == u32::MAX)
    }
    /// Returns whether an entry has these bits; a missing entry reads as 0.
    pub(super) fn has(&self, index: usize, bits: u32, significant: u32) -> bool {
        let found = self.entries.get(index).map_or(0, |entry| entry.descriptor.bits);
        (found ^ bits) & significant == 0
    }
    /// Moves an entry into the reach of MAD and returns its index there. One beyond it is swapped
    /// with the first that no MAD uses, or `None` if all within reach are in use.
    pub(super) fn give_to_mad(&mut self, index: usize) -> Option<usize> {
        let low = match index {
            0..MAD_DESCRIPTORS => index,
            _ => self.entries[..MAD_DESCRIPTORS].iter().position(|entry| !entry.mad)?,
        };
        self.entries.swap(low, index);
        self.entries[low].mad = true;
        Some(low)
    }
    /// The table.
    pub(super) fn table(&self) -> Vec<DescriptorRecord> {
        self.entries.iter().map(|entry| entry.descriptor).collect()
    }
}

/// The significant bits for an instruction that writes `mask`: those that it reads, and some that
/// only picasso compares.
pub(crate) fn significant(opcode: Opcode, mask: Mask) -> u32 {
    let info = opcode.info();
    let destination = match info.class {
        Class::Data(_) | Class::Address => MASK_BITS,
        Class::Compare | Class::Control(_) | Class::Emit | Class::SetEmit => 0,
    };
    info.reads.iter().enumerate().fold(destination, |bits, (source, reads)| {
        let components = if is_whole(info.class, source) { Mask::XYZW } else { reads.for_mask(mask) };
        bits | negation_bit(source) | swizzle_bits(source, components)
    })
}

/// Returns whether picasso compares all components of a source, although not all are read.
fn is_whole(class: Class, source: usize) -> bool {
    match class {
        Class::Data(op) => matches!(op, DataOp::Dst | DataOp::Litp),
        Class::Compare => source == 1,
        Class::Address | Class::Control(_) | Class::Emit | Class::SetEmit => false,
    }
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
    fn a_descriptor_of_mad_is_swapped_into_the_first_32() {
        let mut table = Descriptors::default();
        for bits in 0..34 {
            table.request(bits, u32::MAX);
        }
        assert_eq!(table.give_to_mad(0), Some(0));
        assert_eq!(table.give_to_mad(33), Some(1));
        assert_eq!(table.table()[1].bits, 33);
    }
}
