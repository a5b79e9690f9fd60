//! Registers, components, masks and swizzles as instructions name them.

use std::fmt;

use crate::support::entity;

/// Address of a code word, counted in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Pc(pub u16);

impl Pc {
    /// The address of the next word.
    #[inline]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
    /// Returns the address `length` words after this one.
    #[inline]
    pub fn plus(self, length: u8) -> Self {
        Self(self.0.saturating_add(u16::from(length)))
    }
    /// The address as an index.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Pc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// One of the four components of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Component {
    /// First.
    X,
    /// Second.
    Y,
    /// Third.
    Z,
    /// Fourth.
    W,
}

impl Component {
    /// All four, in order.
    pub const ALL: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::W];
    /// 0..=3.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
    /// From the low two bits.
    #[inline]
    pub fn from_bits(bits: u32) -> Self {
        Self::ALL[(bits & 3) as usize]
    }
    /// `x`, `y`, `z` or `w`.
    pub fn letter(self) -> char {
        ['x', 'y', 'z', 'w'][self.index()]
    }
}

/// A set of components; bit 0 is x. Descriptors store the reverse order, see
/// [`Mask::from_descriptor`].
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mask(pub u8);

impl Mask {
    /// No component.
    pub const NONE: Self = Self(0);
    /// x alone.
    pub const X: Self = Self(1);
    /// x, y and z.
    pub const XYZ: Self = Self(7);
    /// All four.
    pub const XYZW: Self = Self(15);
    /// From the low four bits of an operand descriptor, where bit 3 is x.
    #[inline]
    pub const fn from_descriptor(bits: u32) -> Self {
        Self(((bits & 15) as u8).reverse_bits() >> 4)
    }
    /// The four bits of an operand descriptor.
    pub const fn to_descriptor(self) -> u32 {
        (self.0.reverse_bits() >> 4) as u32
    }
    /// Returns whether the component is in the set.
    #[inline]
    pub fn has(self, component: Component) -> bool {
        self.0 >> component.index() & 1 != 0
    }
    /// Number of components.
    #[inline]
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }
    /// Returns whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// The components in order x, y, z, w.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Component> {
        entity::bits(u64::from(self.0 & 15)).map(Component::from_bits)
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|c| write!(f, "{}", c.letter()))
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({self})")
    }
}

/// A source component for each result component, encoded as in descriptors: bits 7..6 select x,
/// 5..4 y, 3..2 z, 1..0 w.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Swizzle(pub u8);

impl Swizzle {
    /// `.xyzw`.
    pub const XYZW: Self = Self(0x1B);
    /// From four components.
    pub fn new(components: [Component; 4]) -> Self {
        Self(components.into_iter().fold(0, |bits, c| bits << 2 | c as u8))
    }
    /// The source component of a result component.
    #[inline]
    pub fn get(self, component: Component) -> Component {
        Component::from_bits(u32::from(self.0) >> (6 - 2 * component.index()))
    }
    /// The source components, in order.
    pub fn components(self) -> [Component; 4] {
        Component::ALL.map(|c| self.get(c))
    }
}

impl Default for Swizzle {
    fn default() -> Self {
        Self::XYZW
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.components().into_iter().try_for_each(|c| write!(f, "{}", c.letter()))
    }
}

impl fmt::Debug for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Swizzle({self})")
    }
}

/// Value of v, r and o registers, and of components of attributes, that nothing sets. Hosts agree
/// on it; hardware has no default.
pub const DEFAULT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// A register that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// v0..v15
    Input(u8),
    /// r0..r15
    Temp(u8),
    /// c0..c95
    Uniform(u8),
}

impl Source {
    /// From a wide (7-bit) or narrow (5-bit) source field.
    #[inline]
    pub fn from_field(bits: u32) -> Self {
        match bits & 0x7F {
            bits @ 0..0x10 => Self::Input(bits as u8),
            bits @ 0x10..0x20 => Self::Temp(bits as u8 - 0x10),
            bits => Self::Uniform(bits as u8 - 0x20),
        }
    }
    /// The source field that names this register.
    pub fn to_field(self) -> u32 {
        match self {
            Self::Input(n) => u32::from(n),
            Self::Temp(n) => 0x10 + u32::from(n),
            Self::Uniform(n) => 0x20 + u32::from(n),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(n) => write!(f, "v{n}"),
            Self::Temp(n) => write!(f, "r{n}"),
            Self::Uniform(n) => write!(f, "c{n}"),
        }
    }
}

/// A register that an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dest {
    /// o0..o15
    Output(u8),
    /// r0..r15
    Temp(u8),
}

impl Dest {
    /// From a 5-bit destination field.
    #[inline]
    pub fn from_field(bits: u32) -> Self {
        match bits & 0x1F {
            bits @ 0..0x10 => Self::Output(bits as u8),
            bits => Self::Temp(bits as u8 - 0x10),
        }
    }
    /// The destination field that names this register.
    pub fn to_field(self) -> u32 {
        match self {
            Self::Output(n) => u32::from(n),
            Self::Temp(n) => 0x10 + u32::from(n),
        }
    }
}

impl fmt::Display for Dest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output(n) => write!(f, "o{n}"),
            Self::Temp(n) => write!(f, "r{n}"),
        }
    }
}

/// The address register that is added to the index of a uniform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Index {
    /// No offset: an absolute address.
    #[default]
    None,
    /// `a0.x`
    A0x,
    /// `a0.y`
    A0y,
    /// `aL`, the loop counter.
    Al,
}

impl Index {
    /// From a 2-bit field.
    #[inline]
    pub fn from_field(bits: u32) -> Self {
        [Self::None, Self::A0x, Self::A0y, Self::Al][(bits & 3) as usize]
    }
}
