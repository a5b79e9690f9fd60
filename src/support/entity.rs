//! Typed handles, the arenas they index, sets of indices as bits, and an interner.
//! In: values pushed one by one. Out: small copyable handles. Knows nothing about the values.

use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index into an [`Arena`]; defined by [`define_handle!`](crate::define_handle).
pub trait Handle: Copy {
    /// Creates the handle with this index. Indices stay below 2^32 because
    /// [`crate::limits::Limits`] bounds every arena.
    fn from_index(index: usize) -> Self;
    /// The index of this handle.
    fn index(self) -> usize;
}

/// Defines handle types: `u32` indices that print as `prefix` and a number.
#[doc(hidden)]
#[macro_export]
macro_rules! define_handle {
    ($($(#[$attr:meta])* $name:ident, $prefix:literal);+ $(;)?) => {
        $(
            $(#[$attr])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(pub u32);
            impl $crate::support::entity::Handle for $name {
                #[inline]
                fn from_index(index: usize) -> Self {
                    debug_assert!(index < u32::MAX as usize);
                    Self(index as u32)
                }
                #[inline]
                fn index(self) -> usize {
                    self.0 as usize
                }
            }
            impl std::fmt::Display for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    write!(f, concat!($prefix, "{}"), self.0)
                }
            }
            impl std::fmt::Debug for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    write!(f, concat!($prefix, "{}"), self.0)
                }
            }
        )+
    };
}

/// A growing table of `T`, indexed by handles of type `K`.
///
/// ```
/// use transpica::stages::entity::Arena;
/// transpica::define_handle!(/** A node. */ Node, "node");
/// let mut nodes: Arena<Node, &str> = Arena::new();
/// let first = nodes.push("a");
/// assert_eq!((nodes[first], first.to_string()), ("a", "node0".to_string()));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Arena<K, T> {
    items: Vec<T>,
    key: PhantomData<K>,
}

impl<K: Handle, T> Arena<K, T> {
    /// Creates an empty arena.
    pub const fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }
    /// Reserves room for this many more values.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }
    /// Appends a value and returns its handle.
    #[inline]
    pub fn push(&mut self, item: T) -> K {
        let key = K::from_index(self.items.len());
        self.items.push(item);
        key
    }
    /// The handle that the next [`push`](Self::push) returns.
    pub fn next_key(&self) -> K {
        K::from_index(self.items.len())
    }
    /// Number of values.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Returns whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The value of a handle, or `None` if the handle belongs to a larger arena.
    pub fn get(&self, key: K) -> Option<&T> {
        self.items.get(key.index())
    }
    /// All handles, ascending.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, T> {
        (0..self.items.len()).map(K::from_index)
    }
    /// All handles with their values, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (K::from_index(index), item))
    }
    /// The values in order.
    pub fn values(&self) -> &[T] {
        &self.items
    }
    /// The values in order, mutable.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
    /// Removes all values and keeps the memory.
    pub fn clear(&mut self) {
        self.items.clear();
    }
}

impl<K: Handle, T> Default for Arena<K, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Handle, T> Index<K> for Arena<K, T> {
    type Output = T;
    #[inline]
    fn index(&self, key: K) -> &T {
        &self.items[key.index()]
    }
}

impl<K: Handle, T> IndexMut<K> for Arena<K, T> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut T {
        &mut self.items[key.index()]
    }
}

impl<K: Handle + std::fmt::Debug, T: std::fmt::Debug> std::fmt::Debug for Arena<K, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// An index for each distinct value, in the order of first occurrence.
///
/// The hash decides only the position in the table, so the indices do not depend on it. (Positions
/// are probed one after the other: with `hashbrown`, the constants of a small module took 0.2 µs
/// longer, 2 % of the time from bytes to SPIR-V.)
///
/// ```
/// use transpica::stages::entity::Interner;
/// let mut words = Interner::default();
/// assert_eq!([words.intern("a"), words.intern("b")], [(0, true), (1, true)]);
/// assert_eq!(words.intern("a"), (0, false));
/// assert_eq!(words.get(1), Some(&"b"));
/// ```
#[derive(Clone, Debug)]
pub struct Interner<T> {
    /// Indices + 1, each at or after the position that the hash of its value gives. A power of
    /// two, at most half full.
    table: Vec<u32>,
    values: Vec<T>,
}

/// Positions of an empty table.
const POSITIONS: usize = 64;

impl<T: Hash + Eq> Interner<T> {
    /// The index of a value, and whether the value is new.
    #[inline]
    pub fn intern(&mut self, value: T) -> (usize, bool) {
        if self.values.len() * 2 >= self.table.len() {
            self.grow(self.table.len() * 2);
        }
        match self.search(&value) {
            Ok(index) => (index, false),
            Err(position) => {
                self.values.push(value);
                // Range: bounded by the limits, as in an arena.
                self.table[position] = self.values.len() as u32;
                (self.values.len() - 1, true)
            }
        }
    }

    /// The index of a value, if it has one.
    pub fn find(&self, value: &T) -> Option<usize> {
        if self.values.is_empty() { None } else { self.search(value).ok() }
    }

    /// The index of a value, or the position that it gets in the table.
    #[inline]
    fn search(&self, value: &T) -> Result<usize, usize> {
        let mask = self.table.len() - 1;
        let mut position = hash(value) as usize & mask;
        while let Some(index) = (self.table[position] as usize).checked_sub(1) {
            if self.values[index] == *value {
                return Ok(index);
            }
            position = (position + 1) & mask;
        }
        Err(position)
    }

    /// Makes a table of so many positions, a power of two, or of as many as at first.
    #[cold]
    pub fn grow(&mut self, size: usize) {
        let size = size.max(POSITIONS).max(self.table.len());
        self.table.clear();
        self.table.resize(size, 0);
        self.values.reserve((size / 2).saturating_sub(self.values.len()));
        for (next, value) in (1..).zip(&self.values) {
            let mut position = hash(value) as usize & (size - 1);
            while self.table[position] != 0 {
                position = (position + 1) & (size - 1);
            }
            self.table[position] = next;
        }
    }
}

impl<T> Interner<T> {
    /// The value at an index.
    pub fn get(&self, index: usize) -> Option<&T> {
        self.values.get(index)
    }
    /// Forgets all values and keeps the memory.
    pub fn clear(&mut self) {
        self.values.clear();
        // As small as at first: a small module after a large one need not clear a large table.
        self.table.clear();
        self.table.resize(POSITIONS, 0);
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { table: Vec::new(), values: Vec::new() }
    }
}

/// Returns the set bits of a number, ascending.
// Some callers are compiled for several kinds of vectors, and it must be so with them.
#[inline(always)]
pub fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(bit)
    })
}

/// Returns a hash that only decides where a table looks first.
#[inline]
pub fn hash<T: Hash>(value: &T) -> u64 {
    let mut mixer = Mixer(0);
    value.hash(&mut mixer);
    mixer.finish()
}

/// A quick hasher for small values. It does not resist values chosen to collide: limits bound how
/// many there are.
struct Mixer(u64);

impl Mixer {
    #[inline]
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0xF135_7AEA_2E62_A9C5);
    }
}

impl Hasher for Mixer {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|&word| self.mix(u64::from_le_bytes(word)));
        rest.iter().for_each(|&byte| self.mix(byte.into()));
    }
    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.mix(value.into());
    }
    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.mix(value.into());
    }
    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.mix(value.into());
    }
    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }
    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }
    /// Tables use the lowest bits. Only the high bits of a product depend on all bits of its
    /// factors.
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_interner_keeps_its_indices() {
        let mut numbers = Interner::default();
        for round in 0..2 {
            for value in 0..5000usize {
                // Multiples of a power of two, which a poor hash maps to one position.
                assert_eq!(numbers.intern(value << 20), (value, round == 0));
            }
        }
        numbers.clear();
        assert_eq!(numbers.get(0), None);
        assert_eq!(numbers.intern(7), (0, true));
    }
}
