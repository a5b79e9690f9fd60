//! Little-endian records, typed table views, and the reader that checks every offset.
//! In: bytes, offsets and counts, none of them trusted. Out: views that borrow the input, or errors
//! with the absolute offset.
//! Knows no table's semantics. Offsets are added in 64 bits, so nothing wraps.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use crate::error::{At, Error, Kind, Result};

/// Budget for the bytes of all tables of one file, on top of [`TABLE_BYTES_PER_FILE_BYTE`]. Only
/// files whose tables overlap many times come near it. It keeps the size of parsed data in
/// proportion to the file.
const TABLE_BYTES: u64 = 1 << 16;
/// See [`TABLE_BYTES`].
const TABLE_BYTES_PER_FILE_BYTE: u64 = 4;
/// Maximum length of a name. Thousands of symbols of a damaged file could share one name as long as
/// the file.
const LONGEST_NAME: usize = 255;

/// A structure of fixed size in the file.
pub trait Record: Copy {
    /// Its size in the file.
    const SIZE: usize;
    /// Decodes the first [`SIZE`](Self::SIZE) bytes.
    fn read(bytes: &[u8]) -> Self;
    /// Appends [`SIZE`](Self::SIZE) bytes, such that [`read`](Self::read) gives the record back.
    fn write(self, out: &mut Vec<u8>);
}

macro_rules! integer_records {
    ($($integer:ident)*) => {
        $(impl Record for $integer {
            const SIZE: usize = size_of::<Self>();
            #[inline]
            fn read(bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<Self>()];
                array.copy_from_slice(&bytes[..size_of::<Self>()]);
                Self::from_le_bytes(array)
            }
            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}
integer_records!(u8 u16 u32);

impl<const N: usize> Record for [u32; N] {
    const SIZE: usize = 4 * N;
    #[inline]
    fn read(bytes: &[u8]) -> Self {
        std::array::from_fn(|index| u32::read(&bytes[4 * index..]))
    }
    fn write(self, out: &mut Vec<u8>) {
        self.into_iter().for_each(|word| word.write(out));
    }
}

/// Defines a structure whose fields lie in the file in this order, without gaps.
macro_rules! record {
    ($(#[$attribute:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$attribute])*
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Record for $name {
            const SIZE: usize = 0 $(+ <$type>::SIZE)*;
            #[inline]
            fn read(bytes: &[u8]) -> Self {
                let rest = bytes;
                $(let ($field, rest) = (<$type>::read(rest), &rest[<$type>::SIZE..]);)*
                let _ = rest;
                Self { $($field),* }
            }
            fn write(self, out: &mut Vec<u8>) {
                $(self.$field.write(out);)*
            }
        }
    };
}
pub(super) use record;

/// A table in the file, decoded entry by entry on access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Table<'a, T> {
    bytes: &'a [u8],
    start: u32,
    record: PhantomData<T>,
}

impl<'a, T: Record> Table<'a, T> {
    /// Creates a table over these bytes, which begin at `start` in the file.
    pub(super) fn new(bytes: &'a [u8], start: u32) -> Self {
        Self { bytes, start, record: PhantomData }
    }
    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len() / T::SIZE
    }
    /// Returns whether the table has no entry.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
    /// The entry at an index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        let start = index.checked_mul(T::SIZE)?;
        self.bytes.get(start..start.checked_add(T::SIZE)?).map(T::read)
    }
    /// The entries in file order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + use<'a, T> {
        self.bytes.chunks_exact(T::SIZE).map(T::read)
    }
    /// Returns the position of an entry in the file.
    pub fn place(&self, index: usize) -> At {
        let start = u64::from(self.start) + index as u64 * T::SIZE as u64;
        At::Offset(u32::try_from(start).unwrap_or(u32::MAX))
    }
    /// The bytes of all entries.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl<T> Default for Table<'_, T> {
    fn default() -> Self {
        Self { bytes: &[], start: 0, record: PhantomData }
    }
}

impl<T: Record + fmt::Debug> fmt::Debug for Table<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Position of a name in a string table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameOffset(pub u32);

impl Record for NameOffset {
    const SIZE: usize = u32::SIZE;
    #[inline]
    fn read(bytes: &[u8]) -> Self {
        Self(u32::read(bytes))
    }
    fn write(self, out: &mut Vec<u8>) {
        self.0.write(out);
    }
}

/// A name in the file: bytes without a terminator, ASCII in practice.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name<'a>(pub &'a [u8]);

impl<'a> Name<'a> {
    /// The name as text; invalid UTF-8 is replaced.
    pub fn to_text(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.0)
    }
    /// Returns whether the name has no characters.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// A table of names, each ended by a zero byte.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Strings<'a> {
    bytes: &'a [u8],
}

impl<'a> Strings<'a> {
    /// Creates a table over these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }
    /// The bytes of the table.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }
    /// The name at an offset: up to the next zero byte or the end of the table, at most 255 bytes.
    /// Empty beyond the table; the offsets of a parsed file never are.
    pub fn get(self, offset: NameOffset) -> Name<'a> {
        let tail = usize::try_from(offset.0).ok().and_then(|start| self.bytes.get(start..)).unwrap_or(&[]);
        let tail = &tail[..tail.len().min(LONGEST_NAME)];
        let length = tail.iter().position(|&byte| byte == 0).unwrap_or(tail.len());
        Name(&tail[..length])
    }
    /// The names in order. The last one may lack its zero byte.
    pub fn iter(self) -> impl Iterator<Item = Name<'a>> + use<'a> {
        let text = self.bytes.strip_suffix(&[0]).unwrap_or(self.bytes);
        let count = if self.bytes.is_empty() { 0 } else { usize::MAX };
        text.split(|&byte| byte == 0).take(count).map(Name)
    }
}

impl fmt::Debug for Strings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Position of a table according to a header.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Name of the table in messages.
    pub what: &'static str,
    /// Base of the offset.
    pub base: u32,
    /// Position of the offset field in the file, for errors.
    pub field: u32,
    /// The offset field.
    pub offset: u32,
    /// The count field, in entries.
    pub count: u32,
}

impl Extent {
    /// Reads the extent whose offset and count are at `at` in a header that begins at `base`.
    #[inline]
    pub fn read(header: &[u8], base: u32, at: u8, what: &'static str) -> Self {
        let field = usize::from(at);
        Self {
            what,
            base,
            field: base.saturating_add(u32::from(at)),
            offset: u32::read(&header[field..]),
            count: u32::read(&header[field + 4..]),
        }
    }
    #[cold]
    fn outside(&self, file: u64, length: u64) -> Error {
        let start = u64::from(self.base) + u64::from(self.offset);
        Error::new(Kind::OutOfFile { what: self.what, start, length, file }, At::Offset(self.field))
    }
}

/// The input, with the remaining budget for table bytes.
pub(super) struct Reader<'a> {
    /// The entire file.
    pub bytes: &'a [u8],
    left: u64,
    /// End of the structure that lies last in the file, of those read so far.
    pub reached: u32,
}

impl<'a> Reader<'a> {
    /// Creates a reader of an entire file.
    ///
    /// # Errors
    /// A file whose offsets do not fit 32 bits.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        crate::limits::check("bytes of the file", bytes.len(), u32::MAX, At::Whole)?;
        let left = TABLE_BYTES.saturating_add(TABLE_BYTES_PER_FILE_BYTE * bytes.len() as u64);
        Ok(Self { bytes, left, reached: 0 })
    }
    /// Moves the end of the last structure.
    fn reach(&mut self, end: u64) {
        // The file fits 32 bits, and so does every end in it.
        self.reached = self.reached.max(u32::try_from(end).unwrap_or(u32::MAX));
    }
    /// The structure of `N` bytes at `start`. Its magic is checked before its length.
    pub fn header<const N: usize>(
        &mut self,
        start: u32,
        magic: &'static str,
        what: &'static str,
    ) -> Result<&'a [u8; N]> {
        let rest = usize::try_from(start).ok().and_then(|start| self.bytes.get(start..)).unwrap_or(&[]);
        // "wrong magic" helps more than "too short" where the file is of another format.
        if let Some(&found) = rest.first_chunk::<4>()
            && found != magic.as_bytes()
        {
            return Err(Error::new(Kind::BadMagic { expected: magic, found }, At::Offset(start)));
        }
        let header = rest.first_chunk().ok_or_else(|| {
            let kind = Kind::Truncated { what, need: N as u64, have: rest.len() as u64 };
            Error::new(kind, At::Offset(start))
        })?;
        self.reach(u64::from(start) + N as u64);
        Ok(header)
    }
    /// The bytes of a table of `size`-byte entries. An empty table may have any offset.
    fn slice(&mut self, extent: &Extent, size: usize) -> Result<(&'a [u8], u32)> {
        if extent.count == 0 {
            return Ok((&[], 0));
        }
        let start = u64::from(extent.base) + u64::from(extent.offset);
        let length = u64::from(extent.count) * size as u64;
        let file = self.bytes.len() as u64;
        // The table ends inside the file, so all values below fit the address space and 32 bits.
        if start + length > file {
            return Err(extent.outside(file, length));
        }
        self.charge(length, extent)?;
        self.reach(start + length);
        Ok((&self.bytes[start as usize..(start + length) as usize], start as u32))
    }
    /// Takes bytes from the budget.
    fn charge(&mut self, bytes: u64, extent: &Extent) -> Result<()> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let text = "the tables overlap so much that together they are many times the size of the file";
            Error::new(Kind::Other(text.into()), At::Offset(extent.field))
        })?;
        Ok(())
    }
    /// A table of records.
    #[inline]
    pub fn table<T: Record>(&mut self, extent: &Extent) -> Result<Table<'a, T>> {
        let (bytes, start) = self.slice(extent, T::SIZE)?;
        Ok(Table::new(bytes, start))
    }
    /// A string table. It is at least as long as its header says, and extends to the end of the
    /// last name that other tables refer to: loaders use offsets and zero bytes alone, so a file
    /// with a wrong size field works on consoles.
    ///
    /// # Errors
    /// A name that begins outside the file or lacks its zero byte. The error has the position of
    /// the entry that refers to the name.
    pub fn strings(
        &mut self,
        extent: &Extent,
        names: impl Iterator<Item = (NameOffset, At)>,
    ) -> Result<Strings<'a>> {
        let (declared, _) = self.slice(extent, 1)?;
        // The end of the last terminated name; later names extend it.
        let mut ended = match declared.last() {
            Some(0) => declared.len(),
            Some(_) | None => declared.iter().rposition(|&byte| byte == 0).map_or(0, |zero| zero + 1),
        };
        let base = u64::from(extent.base) + u64::from(extent.offset);
        let tail = usize::try_from(base).ok().and_then(|base| self.bytes.get(base..)).unwrap_or(&[]);
        for (name, at) in names {
            let start = name.0 as usize;
            if start < ended {
                continue;
            }
            // Every search begins where the previous one ended or later, so all together read the
            // file once.
            let zero = tail.get(start..).and_then(|rest| rest.iter().position(|&byte| byte == 0));
            ended = start + 1 + zero.ok_or_else(|| name_outside(self.bytes, base, name, at))?;
        }
        let length = ended.max(declared.len());
        self.charge((length - declared.len()) as u64, extent)?;
        if length > 0 {
            self.reach(base + length as u64);
        }
        Ok(Strings { bytes: &tail[..length] })
    }
}

#[cold]
fn name_outside(bytes: &[u8], base: u64, name: NameOffset, at: At) -> Error {
    let start = base + u64::from(name.0);
    let file = bytes.len() as u64;
    let length = file.saturating_sub(start) + 1;
    Error::new(Kind::OutOfFile { what: "name", start, length, file }, at)
}
