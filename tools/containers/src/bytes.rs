//! Checked reads of integers in either byte order.
//! In: bytes and offsets, neither trusted. Out: values, or nothing beyond the end.

/// Bytes of a structure with the byte order of its integers.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    is_big: bool,
}

impl<'a> Fields<'a> {
    /// Reads the lowest byte first.
    pub fn little(bytes: &'a [u8]) -> Self {
        Self { bytes, is_big: false }
    }
    /// Reads the highest byte first.
    pub fn big(bytes: &'a [u8]) -> Self {
        Self { bytes, is_big: true }
    }
    /// Reads in the order that a byte-order mark shows, or returns `None` without a mark at `at`.
    pub fn marked(bytes: &'a [u8], at: usize) -> Option<Self> {
        match bytes.get(at..)?.first_chunk()? {
            [0xFF, 0xFE] => Some(Self::little(bytes)),
            [0xFE, 0xFF] => Some(Self::big(bytes)),
            _no_mark => None,
        }
    }
    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        let mut array = *self.bytes.get(at..)?.first_chunk::<N>()?;
        if self.is_big {
            array.reverse();
        }
        Some(array)
    }
    /// The byte at an offset.
    pub fn u8(self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }
    /// The 16-bit integer at an offset.
    pub fn u16(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }
    /// The 32-bit integer at an offset.
    pub fn u32(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }
    /// The 32-bit integer at an offset, as a length or offset in memory.
    pub fn size(self, at: usize) -> Option<usize> {
        self.u32(at).and_then(|value| usize::try_from(value).ok())
    }
    /// Returns whether these bytes stand at an offset.
    pub fn has(self, at: usize, magic: &[u8]) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(magic))
    }
    /// The text at an offset up to its zero byte, at most [`LONGEST_NAME`] bytes, or `None` if it
    /// is empty.
    pub fn text(self, at: usize) -> Option<String> {
        let rest = self.bytes.get(at..)?;
        let rest = &rest[..rest.len().min(LONGEST_NAME)];
        let length = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        (length > 0).then(|| String::from_utf8_lossy(&rest[..length]).into_owned())
    }
    /// The text of 16-bit units at an offset, as [`text`](Self::text).
    pub fn wide_text(self, at: usize) -> Option<String> {
        let units = (0..LONGEST_NAME).map_while(|unit| self.u16(at.checked_add(2 * unit)?));
        let units: Vec<u16> = units.take_while(|&unit| unit != 0).collect();
        (!units.is_empty()).then(|| String::from_utf16_lossy(&units))
    }
    /// The offset that an offset field at `at` counts from its own address, or `None` for 0.
    pub fn self_relative(self, at: usize) -> Option<usize> {
        let offset = self.size(at).filter(|&offset| offset != 0)?;
        at.checked_add(offset).filter(|&target| target < self.bytes.len())
    }
}

/// Longest name in bytes. Thousands of entries of a damaged file could share one as long as it.
const LONGEST_NAME: usize = 255;

/// The words of bytes, lowest byte first; bytes after the last whole word are left out.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
