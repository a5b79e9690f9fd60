//! Types, values and lanes.

use std::fmt;

crate::define_handle! {
    /// An SSA value of a [`Func`](super::Func).
    Value, "%";
}

/// Scalar kind of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalarKind {
    /// 32-bit float.
    F32,
    /// 32-bit signed integer, wrapping.
    I32,
    /// 32-bit unsigned integer: bit patterns.
    U32,
    /// Truth value.
    Bool,
}

/// A vector of one to four lanes; one lane is a scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type {
    /// Kind of each lane.
    pub kind: ScalarKind,
    /// 1..=4.
    pub lanes: u8,
}

impl Type {
    /// A scalar float.
    pub const F32: Self = Self::new(ScalarKind::F32, 1);
    /// Four floats.
    pub const F32X4: Self = Self::new(ScalarKind::F32, 4);
    /// A scalar integer.
    pub const I32: Self = Self::new(ScalarKind::I32, 1);
    /// A scalar bit pattern.
    pub const U32: Self = Self::new(ScalarKind::U32, 1);
    /// A scalar truth value.
    pub const BOOL: Self = Self::new(ScalarKind::Bool, 1);
    /// A type.
    pub const fn new(kind: ScalarKind, lanes: u8) -> Self {
        Self { kind, lanes }
    }
    /// The same number of lanes of another kind.
    pub const fn with_kind(self, kind: ScalarKind) -> Self {
        Self { kind, lanes: self.lanes }
    }
    /// The same kind with another number of lanes.
    pub const fn with_lanes(self, lanes: u8) -> Self {
        Self { kind: self.kind, lanes }
    }
}

impl fmt::Display for Type {
    /// `f32`, `f32x3`, `boolx2`, …
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["f32", "i32", "u32", "bool"][self.kind as usize])?;
        if self.lanes > 1 { write!(f, "x{}", self.lanes) } else { Ok(()) }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One lane of a value, packed into 32 bits (values stay below 2^30).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(u32);

impl Lane {
    /// Lane `index` (0..=3) of `value`.
    #[inline]
    pub fn new(value: Value, index: u8) -> Self {
        debug_assert!(index < 4 && value.0 < 1 << 30);
        Self(value.0 << 2 | u32::from(index))
    }
    /// The value.
    #[inline]
    pub fn value(self) -> Value {
        Value(self.0 >> 2)
    }
    /// The lane's index, 0..=3.
    #[inline]
    pub fn index(self) -> u8 {
        (self.0 & 3) as u8
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.value(), ['x', 'y', 'z', 'w'][usize::from(self.index())])
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
