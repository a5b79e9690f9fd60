//! Serialization of hashable values for digests that outlive a process.
//! In: values with a derived `Hash`. Out: their bytes, appended. Knows no type, so it cannot omit a
//! field.
//! Rules: a derived `Hash` writes every field, the variant before its fields, the length before the
//! elements.
//! Integers are little-endian. A `usize` (a length) has eight bytes; an `isize` (a variant) has one
//! where it fits.
//! Values must not contain arrays of integers wider than a byte: `Hash` writes those in native byte
//! order.

use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// Appends the bytes of a value.
pub(crate) fn append(out: &mut Vec<u8>, value: &impl Hash) {
    value.hash(&mut Bytes(out));
}

/// The hasher that appends.
struct Bytes<'a>(&'a mut Vec<u8>);

impl Hasher for Bytes<'_> {
    fn finish(&self) -> u64 {
        xxh3_64(self.0)
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
    fn write_u8(&mut self, value: u8) {
        self.0.push(value);
    }
    fn write_u16(&mut self, value: u16) {
        self.write(&value.to_le_bytes());
    }
    fn write_u32(&mut self, value: u32) {
        self.write(&value.to_le_bytes());
    }
    fn write_u64(&mut self, value: u64) {
        self.write(&value.to_le_bytes());
    }
    fn write_u128(&mut self, value: u128) {
        self.write(&value.to_le_bytes());
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write_isize(&mut self, value: isize) {
        match u8::try_from(value) {
            Ok(byte @ 0..0xFF) => self.0.push(byte),
            // No one-byte value begins with this byte.
            Ok(0xFF) | Err(_) => {
                self.0.push(0xFF);
                self.write_i64(value as i64);
            }
        }
    }
}

/// Spelling of serialized values (feature `serde`).
#[cfg(feature = "serde")]
pub(crate) mod spelled {
    use std::fmt::Display;

    use serde::Serializer;

    /// Writes a value as it prints.
    pub fn text<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    /// Writes each value as it prints.
    pub fn texts<S: Serializer>(values: &[impl Display], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(ToString::to_string))
    }

    /// Writes the registers of a mask, ascending.
    pub fn registers<S: Serializer>(mask: &(impl Copy + Into<u128>), to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((0..128u8).filter(|register| (*mask).into() >> register & 1 != 0))
    }

    /// Writes a word as `"0x3f800000"`.
    pub fn word<S: Serializer>(word: &u32, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{word:#010x}"))
    }

    /// Writes each word as `"0x3f800000"`.
    pub fn words<S: Serializer>(words: &[u32; 4], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(words.map(|word| format!("{word:#010x}")))
    }
}

#[cfg(test)]
mod tests {
    use super::append;

    #[derive(Hash)]
    enum Choice {
        First,
        Second(u16),
    }

    #[derive(Hash)]
    struct Value {
        choice: [Choice; 2],
        number: i32,
        wide: u128,
        name: &'static str,
        maybe: Option<bool>,
    }

    #[test]
    fn stable_bytes_are_little_endian_with_fixed_sizes() {
        let value = Value {
            choice: [Choice::First, Choice::Second(0x0102)],
            number: -2,
            wide: 3,
            name: "ab",
            maybe: Some(true),
        };
        let mut bytes = vec![9];
        append(&mut bytes, &value);
        let mut expected = vec![9, 2, 0, 0, 0, 0, 0, 0, 0];
        expected.extend([0, 1, 2, 1]);
        expected.extend([0xFE, 0xFF, 0xFF, 0xFF, 3]);
        expected.extend([0; 15]);
        expected.extend([b'a', b'b', 0xFF, 1, 1]);
        bytes.clear();
        append(&mut bytes, &(-1isize, 255isize));
        let mut expected = vec![0xFF; 9];
        expected.extend([0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes, expected);
    }
}
