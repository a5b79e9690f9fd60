//! Search for the words that a container or a program begins with.
//! In: bytes. Out: places at multiples of four. Knows nothing else of the formats.

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

/// Words, and what begins with each.
const MAGICS: [(u32, Magic); 12] = [
    (u32::from_le_bytes(*b"DVLB"), Magic::Dvlb),
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
    let searched = bytes.get(from..limit.min(bytes.len()))?;
    let (words, _) = searched.as_chunks::<4>();
    let (blocks, rest) = words.as_chunks::<BLOCK>();
    let hit = blocks.iter().position(has_magic);
    let (skipped, words) = match hit {
        Some(block) => (block * BLOCK, &blocks[block][..]),
        None => (blocks.len() * BLOCK, rest),
    };
    let mut words = words.iter().enumerate();
    let (index, magic) = words.find_map(|(index, word)| Some((index, magic(u32::from_le_bytes(*word))?)))?;
    Some((from + 4 * (skipped + index), magic))
}

/// Returns whether a word of a block is a magic. Without an early exit, so that it is vectors.
fn has_magic(block: &[[u8; 4]; BLOCK]) -> bool {
    let mut found = 0u32;
    for word in block {
        let word = u32::from_le_bytes(*word);
        for (magic, _) in MAGICS {
            found |= u32::from(word == magic);
        }
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
