//! Search for the words that a container or a program begins with.
//! In: bytes. Out: places, of DVLB any and else multiples of four. Knows nothing else of formats.

use crate::archives::ArchiveFormat;
use crate::bare_lists::UPLOADS;
use crate::models::ModelFormat;

/// Beginning of something that a scan knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    Dvlb,
    /// Command that begins an upload of code; the value in front belongs to it.
    Upload,
    Vbc,
    Yaz0,
    Archive(ArchiveFormat),
    Model(ModelFormat),
}

/// First word of a DVLB.
const DVLB: u32 = u32::from_le_bytes(*b"DVLB");

/// Words, and what begins with each.
const MAGICS: [(u32, Magic); 12] = [
    (DVLB, Magic::Dvlb),
    (UPLOADS[0], Magic::Upload),
    (UPLOADS[1], Magic::Upload),
    (u32::from_le_bytes(*b"VBC\x01"), Magic::Vbc),
    (u32::from_le_bytes(*b"SARC"), Magic::Archive(ArchiveFormat::Sarc)),
    (u32::from_le_bytes(*b"darc"), Magic::Archive(ArchiveFormat::Darc)),
    (u32::from_le_bytes(*b"CRAG"), Magic::Archive(ArchiveFormat::Garc)),
    (u32::from_le_bytes(*b".cod"), Magic::Archive(ArchiveFormat::ExeFs)),
    (u32::from_le_bytes(*b"CGFX"), Magic::Model(ModelFormat::Cgfx)),
    (u32::from_le_bytes(*b"BCH\0"), Magic::Model(ModelFormat::Bch)),
    (u32::from_le_bytes(*b"MFX\0"), Magic::Model(ModelFormat::Mfx)),
    (u32::from_le_bytes(*b"Yaz0"), Magic::Yaz0),
];

/// Words that are compared at a time: compilers make vectors of the loops over them.
const BLOCK: usize = 32;

/// Returns the first place from `from` on, and before `limit`, where something may begin.
pub(super) fn find(bytes: &[u8], from: usize, limit: usize) -> Option<(usize, Magic)> {
    // With the word after the limit, which a DVLB in front of it may need.
    let mut start = from & !3;
    let mut words = bytes.get(start..limit.saturating_add(4).min(bytes.len()))?.as_chunks::<4>().0;
    while !words.is_empty() {
        let (blocks, rest) = words.as_chunks::<BLOCK>();
        let (skipped, searched) = match blocks.iter().position(has_magic) {
            Some(block) => (block * BLOCK, BLOCK),
            None => (blocks.len() * BLOCK, rest.len()),
        };
        start += 4 * skipped;
        // A word in front, whose last bytes may begin a DVLB.
        let places = start.saturating_sub(3).max(from)..(start + 4 * searched).min(limit);
        let found = places.into_iter().find_map(|place| Some((place, at(bytes, place)?)));
        if found.is_some() {
            return found;
        }
        start += 4 * searched;
        words = &words[skipped + searched..];
    }
    None
}

/// Returns what begins at a place.
fn at(bytes: &[u8], place: usize) -> Option<Magic> {
    let word = bytes.get(place..)?.first_chunk::<4>()?;
    magic(u32::from_le_bytes(*word)).filter(|&magic| place.is_multiple_of(4) || magic == Magic::Dvlb)
}

/// Returns whether a word of a block is a magic. Without an early exit, so that it is vectors.
fn has_magic(block: &[[u8; 4]; BLOCK]) -> bool {
    let mut found = 0u32;
    for word in block {
        let word = u32::from_le_bytes(*word);
        for (magic, _) in MAGICS {
            found |= u32::from(word == magic);
        }
        // Parts of a DVLB at other places.
        found |= u32::from(word >> 8 == DVLB & 0xFF_FFFF)
            | u32::from(word >> 16 == DVLB & 0xFFFF)
            | u32::from(word & 0xFF_FFFF == DVLB >> 8);
    }
    found != 0
}

/// Returns what begins with a word.
pub(super) fn magic(word: u32) -> Option<Magic> {
    MAGICS.iter().find(|(magic, _)| *magic == word).map(|&(_, magic)| magic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dvlb_is_found_at_every_byte() {
        let length = 4 * (2 * BLOCK + 3);
        for place in 0..length - 3 {
            let mut bytes = vec![0; length];
            bytes[place..][..4].copy_from_slice(b"DVLB");
            for from in [0, place.saturating_sub(5), place] {
                assert_eq!(find(&bytes, from, length), Some((place, Magic::Dvlb)), "{from} {place}");
            }
            assert_eq!(find(&bytes, 0, place + 1), Some((place, Magic::Dvlb)), "before the limit");
            assert_eq!([find(&bytes, place + 1, length), find(&bytes, 0, place)], [None; 2], "{place}");
            // Other magics only at multiples of four, and a part of one nowhere.
            bytes[place..][..4].copy_from_slice(b"CGFX");
            assert_eq!(find(&bytes, 0, length).is_some(), place % 4 == 0);
            bytes[place..][..4].copy_from_slice(b"DVLC");
            assert_eq!(find(&bytes, 0, length), None);
        }
    }

    #[test]
    fn every_magic_is_found_at_every_place_of_a_block() {
        for (word, magic) in MAGICS {
            for place in 0..2 * BLOCK + 3 {
                let mut bytes = vec![0; 4 * (2 * BLOCK + 3)];
                bytes[4 * place..][..4].copy_from_slice(&word.to_le_bytes());
                assert_eq!(find(&bytes, 0, bytes.len()), Some((4 * place, magic)), "{place}");
                assert_eq!(find(&bytes, 4 * place + 4, bytes.len()), None);
                assert_eq!(find(&bytes, 0, 4 * place), None);
            }
        }
    }
}
