//! LZ10, LZ11 and Yaz0: flags, literals, and copies of earlier bytes, first to last.

use super::{Fault, FaultKind};
use crate::bytes::Fields;

/// A copy of earlier bytes.
struct Copy {
    /// Bytes between the copy and its source, at least 1.
    distance: usize,
    /// Bytes, at least 2.
    length: usize,
}

/// The compressed bytes, read in order.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn next(&mut self) -> Result<usize, Fault> {
        let byte = self.bytes.get(self.at).ok_or(Fault::new(FaultKind::Truncated, self.at))?;
        self.at += 1;
        Ok(usize::from(*byte))
    }
}

/// Returns the size after a type byte, and where the data begin. A size of 0 is followed by one of
/// 32 bits.
pub(super) fn size_with(bytes: &[u8], kind: u8) -> Option<(u64, usize)> {
    let fields = Fields::little(bytes);
    let word = fields.u32(0).filter(|word| word.to_le_bytes()[0] == kind)?;
    match word >> 8 {
        0 => fields.u32(4).filter(|&size| size > 0).map(|size| (size.into(), 8)),
        size => Some((size.into(), 4)),
    }
}

/// Length of the header of Yaz0.
const YAZ0_HEADER: usize = 16;

/// Returns the size that a header of Yaz0 claims.
pub(super) fn size_of_yaz0(bytes: &[u8]) -> Option<u64> {
    let is_yaz0 = bytes.starts_with(b"Yaz0") && bytes.len() >= YAZ0_HEADER;
    Fields::big(bytes).u32(4).filter(|&size| is_yaz0 && size > 0).map(u64::from)
}

pub(super) fn lz10(bytes: &[u8], most: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let header = size_with(bytes, 0x10).ok_or(Fault::new(FaultKind::Format, 0))?;
    let data = Data { bytes, size: header.0, start: header.1, most };
    unpack(data, out, Literal::Zero, |input| {
        let (high, low) = (input.next()?, input.next()?);
        Ok(Copy { length: (high >> 4) + 3, distance: ((high & 15) << 8 | low) + 1 })
    })
}

pub(super) fn lz11(bytes: &[u8], most: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let header = size_with(bytes, 0x11).ok_or(Fault::new(FaultKind::Format, 0))?;
    let data = Data { bytes, size: header.0, start: header.1, most };
    unpack(data, out, Literal::Zero, |input| {
        let first = input.next()?;
        let (length, high) = match first >> 4 {
            0 => {
                let second = input.next()?;
                (((first & 15) << 4 | second >> 4) + 0x11, second)
            }
            1 => {
                let (second, third) = (input.next()?, input.next()?);
                (((first & 15) << 12 | second << 4 | third >> 4) + 0x111, third)
            }
            length => (length + 1, first),
        };
        Ok(Copy { length, distance: ((high & 15) << 8 | input.next()?) + 1 })
    })
}

pub(super) fn yaz0(bytes: &[u8], most: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
    let size = size_of_yaz0(bytes).ok_or(Fault::new(FaultKind::Format, 0))?;
    let data = Data { bytes, size, start: YAZ0_HEADER, most };
    unpack(data, out, Literal::One, |input| {
        let (high, low) = (input.next()?, input.next()?);
        let distance = ((high & 15) << 8 | low) + 1;
        let length = match high >> 4 {
            0 => input.next()? + 0x12,
            length => length + 2,
        };
        Ok(Copy { length, distance })
    })
}

/// Value of a flag bit in front of a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Literal {
    Zero,
    One,
}

/// Compressed data.
struct Data<'a> {
    bytes: &'a [u8],
    /// Size of the result, as the header claims.
    size: u64,
    /// First byte after the header.
    start: usize,
    /// Largest size that the caller accepts.
    most: usize,
}

/// Unpacks data to an empty buffer, and returns the number of bytes read. `copy` reads one copy.
fn unpack(
    Data { bytes, size, start, most }: Data<'_>,
    out: &mut Vec<u8>,
    literal: Literal,
    copy: impl Fn(&mut Input<'_>) -> Result<Copy, Fault>,
) -> Result<usize, Fault> {
    let refused = Fault::new(FaultKind::Size(size), 0);
    let size = usize::try_from(size).ok().filter(|&size| size <= most).ok_or(refused)?;
    let mut input = Input { bytes, at: start };
    while out.len() < size {
        let flags = input.next()?;
        for bit in (0..8).rev() {
            if out.len() >= size {
                break;
            }
            let is_one = flags >> bit & 1 != 0;
            if is_one == (literal == Literal::One) {
                out.push(input.next()? as u8); // Range: a byte.
                continue;
            }
            let at = input.at;
            let Copy { distance, length } = copy(&mut input)?;
            let from = out.len().checked_sub(distance).ok_or(Fault::new(FaultKind::Distance, at))?;
            // The last copy may be longer than what is left.
            let left = size - out.len();
            repeat(out, from, length.min(left));
        }
    }
    Ok(input.at)
}

/// Appends bytes from an offset on; those that it appends itself may be among them.
fn repeat(out: &mut Vec<u8>, from: usize, length: usize) {
    let mut left = length;
    while left > 0 {
        // What lies between source and end doubles with each round.
        let part = left.min(out.len() - from);
        out.extend_from_within(from..from + part);
        left -= part;
    }
}
