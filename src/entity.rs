//! Typed handles and the arenas they index.
//! In: values pushed one by one. Out: small copyable handles. Knows nothing about what it stores.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index into an [`Arena`]; made by [`define_handle!`](crate::define_handle).
pub trait Handle: Copy {
    /// The handle with this index. Indices stay below 2^32 because every arena is bounded by [`crate::limits::Limits`].
    fn from_index(index: usize) -> Self;
    /// The index of this handle.
    fn index(self) -> usize;
}

/// Defines a handle type: a `u32` index that prints as `prefix` and a number.
#[macro_export]
macro_rules! define_handle {
    ($(#[$attr:meta])* $name:ident, $prefix:literal) => {
        $(#[$attr])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $crate::entity::Handle for $name {
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
    };
}

/// A growing table of `T`, indexed by handles of type `K`.
///
/// ```
/// use transpica::entity::Arena;
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
    /// An empty arena.
    pub const fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }
    /// Makes room for this many more values.
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
    /// How many values there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The value of a handle, or nothing where the handle belongs to a larger arena.
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
    /// The values in order, to change.
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
