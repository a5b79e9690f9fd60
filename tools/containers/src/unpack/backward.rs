//! Backward LZ, as the console's `.code` has it: decoded from the last byte to the first, so that
//! it can be unpacked in place. The part in front of the compressed one lies bare.

use super::{Fault, FaultKind};
use crate::bytes::Fields;

/// Length of the footer without the padding in front of it.
const FOOTER: usize = 8;
/// Bytes of padding in front of the footer.
const PADDING: usize = 3;
/// Most bytes that a compressed byte gives: a copy of two bytes gives 18.
const RATIO: u64 = 9;

/// The last bytes of a compressed file.
#[derive(Clone, Copy)]
pub(super) struct Footer {
    /// Length of the file.
    length: usize,
    /// First byte of the compressed part.
    start: usize,
    /// End of the compressed part; padding and footer follow.
    end: usize,
    /// Bytes by which the unpacked file is longer.
    added: u64,
}

impl Footer {
    /// Reads the footer, or returns `None` if it cannot be one.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let fields = Fields::little(bytes);
        let length = bytes.len();
        let at = length.checked_sub(FOOTER)?;
        let (word, added) = (fields.u32(at)?, fields.u32(at + 4)?);
        let [low, middle, high, header] = word.to_le_bytes();
        let header = usize::from(header);
        let compressed = usize::try_from(u32::from_le_bytes([low, middle, high, 0])).ok()?;
        let is_possible = (FOOTER..=FOOTER + PADDING).contains(&header)
            && compressed > header
            && compressed <= length
            && u64::from(added) <= RATIO * compressed as u64;
        if !is_possible || bytes[length - header..at].iter().any(|&byte| byte != 0xFF) {
            return None;
        }
        let start = length - compressed;
        Some(Self { length, start, end: length - header, added: added.into() })
    }
    /// Length of the unpacked file.
    pub fn unpacked(&self) -> u64 {
        self.length as u64 + self.added
    }
}

/// Unpacks an entire file to an empty buffer, and returns the number of bytes read.
pub(super) fn unpack(bytes: &[u8], most: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let footer = Footer::read(bytes).ok_or(Fault::new(FaultKind::Format, bytes.len()))?;
    let refused = Fault::new(FaultKind::Size(footer.unpacked()), bytes.len());
    let size = usize::try_from(footer.unpacked()).ok().filter(|&size| size <= most).ok_or(refused)?;
    out.resize(size, 0);
    out[..footer.start].copy_from_slice(&bytes[..footer.start]);
    // Both positions are after the next byte to read or write.
    let (mut from, mut to) = (footer.end, size);
    while from > footer.start {
        from -= 1;
        let flags = bytes[from];
        for bit in (0..8).rev() {
            if from == footer.start {
                break;
            }
            let full = Fault::new(FaultKind::Size(footer.unpacked()), from);
            if flags >> bit & 1 == 0 {
                from -= 1;
                to = to.checked_sub(1).filter(|&to| to >= footer.start).ok_or(full)?;
                out[to] = bytes[from];
                continue;
            }
            let next = from.checked_sub(2).filter(|&next| next >= footer.start);
            from = next.ok_or(Fault::new(FaultKind::Truncated, from))?;
            let word = usize::from(u16::from_le_bytes([bytes[from], bytes[from + 1]]));
            let (length, distance) = ((word >> 12) + 3, (word & 0xFFF) + 3);
            let start = to.checked_sub(length).filter(|&start| start >= footer.start).ok_or(full)?;
            if to - 1 + distance >= size {
                return Err(Fault::new(FaultKind::Distance, from));
            }
            for place in (start..to).rev() {
                out[place] = out[place + distance];
            }
            to = start;
        }
    }
    if to != footer.start {
        return Err(Fault::new(FaultKind::Truncated, footer.start));
    }
    Ok(bytes.len())
}
