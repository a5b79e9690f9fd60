//! Decompression: LZ10, LZ11, Yaz0 and the backward LZ of `.code`.
//!
//! In: bytes that begin with the compressed data; for backward LZ, that end with it. Out: the
//! unpacked bytes, or a fault with its place. Knows nothing of what is compressed. The size of the
//! result is a claim of the input: it is refused beyond the caller's limit, and memory is taken as
//! bytes are produced.
//!
//! Facts: GBATEK, "LZ Decompression Functions"; the documentation of 3DS tools for LZ11, Yaz0 and
//! `.code`.

mod backward;
mod forward;

use std::fmt;

/// A compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Packing {
    /// Type byte 0x10: copies of 3 to 18 bytes from up to 4 KiB before.
    Lz10,
    /// Type byte 0x11: copies of up to 64 KiB.
    Lz11,
    /// Magic `Yaz0`.
    Yaz0,
    /// Decoded from the end, described by the last eight bytes. The start may lie bare.
    BackwardLz,
}

/// Unpacked data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Bytes of the input that they were unpacked from.
    pub used: usize,
}

/// Cause of a failed decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The data are not of this compression.
    Format,
    /// The data end before the size that their header claims is reached.
    Truncated,
    /// A copy from before the start of the result.
    Distance,
    /// A size over the limit of the caller, or over what the compressed bytes can give.
    Size(u64),
}

/// A failed decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The cause.
    pub kind: FaultKind,
    /// Offset in the compressed data.
    pub at: usize,
}

impl Fault {
    fn new(kind: FaultKind, at: usize) -> Self {
        Self { kind, at }
    }
    /// Advice, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        match self.kind {
            FaultKind::Truncated => Some("the file may be cut off"),
            FaultKind::Size(_) => Some("raise the limit of unpacked bytes if you trust the file"),
            FaultKind::Format | FaultKind::Distance => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FaultKind::Format => f.write_str("the data has another format")?,
            FaultKind::Truncated => f.write_str("the compressed data ends too early")?,
            FaultKind::Distance => f.write_str("a copy begins before the start of the data")?,
            FaultKind::Size(size) => write!(f, "the unpacked size, {size} bytes, exceeds the limit")?,
        }
        write!(f, " (at offset {:#x})", self.at)
    }
}

impl std::error::Error for Fault {}

impl Packing {
    /// Returns the name in places of hits.
    pub fn name(self) -> &'static str {
        ["LZ10", "LZ11", "Yaz0", "backward-LZ"][self as usize]
    }

    /// Returns the size that the data claim to unpack to, or `None` if they are of another format.
    ///
    /// ```
    /// use transpica_containers::unpack::Packing;
    /// assert_eq!(Packing::Lz10.claimed(&[0x10, 4, 0, 0, 0]), Some(4));
    /// assert_eq!(Packing::Lz11.claimed(&[0x10, 4, 0, 0, 0]), None);
    /// ```
    pub fn claimed(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::Lz10 => forward::size_with(bytes, 0x10).map(|(size, _)| size),
            Self::Lz11 => forward::size_with(bytes, 0x11).map(|(size, _)| size),
            Self::Yaz0 => forward::size_of_yaz0(bytes),
            Self::BackwardLz => backward::Footer::read(bytes).map(|footer| footer.unpacked()),
        }
    }

    /// Unpacks data; `most` is the size of the result in bytes that the caller accepts.
    ///
    /// ```
    /// use transpica_containers::unpack::Packing;
    /// // Two literals, and a copy of four bytes from two before.
    /// let packed = [0x10, 6, 0, 0, 0b0010_0000, b'a', b'b', 0x10, 0x01];
    /// let unpacked = Packing::Lz10.unpack(&packed, 1 << 10)?;
    /// assert_eq!((&unpacked.bytes[..], unpacked.used), (&b"ababab"[..], packed.len()));
    /// assert!(Packing::Lz10.unpack(&packed, 5).is_err());
    /// # Ok::<(), transpica_containers::unpack::Fault>(())
    /// ```
    ///
    /// # Errors
    /// Another format, a size over `most`, damaged data.
    pub fn unpack(self, bytes: &[u8], most: usize) -> Result<Unpacked, Fault> {
        let mut out = Vec::new();
        let used = self.unpack_to(bytes, most, &mut out)?;
        Ok(Unpacked { bytes: out, used })
    }

    /// Unpacks data to an empty buffer, and returns the number of bytes read. After an error the
    /// buffer has what was unpacked before it.
    pub(crate) fn unpack_to(self, bytes: &[u8], most: usize, out: &mut Vec<u8>) -> Result<usize, Fault> {
        match self {
            Self::Lz10 => forward::lz10(bytes, most, out),
            Self::Lz11 => forward::lz11(bytes, most, out),
            Self::Yaz0 => forward::yaz0(bytes, most, out),
            Self::BackwardLz => backward::unpack(bytes, most, out),
        }
    }
}
