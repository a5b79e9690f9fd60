//! The uniform block: its members, names within them and padding.
//! In and out: plain data. Knows no program and no symbol.

use std::fmt;

#[cfg(feature = "serde")]
use serde::ser::SerializeStruct;

use crate::program::isa::sizes::FLOATS;
use crate::support::fields::VECTOR;

/// Register bank of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bank {
    /// c registers.
    Float,
    /// i registers.
    Int,
    /// b registers.
    Bool,
}

impl fmt::Display for Bank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["c", "i", "b"][*self as usize])
    }
}

/// Type of a member of the uniform block; arrays have a stride of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemberType {
    /// `vec4f`
    Vec4,
    /// `array<vec4f, n>`
    Vec4Array(u16),
    /// `vec4i`
    IVec4,
    /// `array<vec4i, n>`
    IVec4Array(u16),
    /// `vec4u`: four int registers, each one word of four bytes, x lowest.
    PackedInts,
    /// `u32`: bit k is register `first + k`.
    Bits,
}

impl fmt::Display for MemberType {
    /// As in WGSL, where an array may become a matrix of the same layout.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vec4 => f.write_str("vec4f"),
            Self::Vec4Array(count) => write!(f, "array<vec4f, {count}>"),
            Self::IVec4 => f.write_str("vec4i"),
            Self::IVec4Array(count) => write!(f, "array<vec4i, {count}>"),
            Self::PackedInts => f.write_str("vec4u"),
            Self::Bits => f.write_str("u32"),
        }
    }
}

impl MemberType {
    /// Returns the size in bytes.
    pub fn size(self) -> u32 {
        match self {
            Self::Vec4 | Self::IVec4 | Self::PackedInts => VECTOR,
            Self::Vec4Array(count) | Self::IVec4Array(count) => VECTOR * u32::from(count),
            Self::Bits => 4,
        }
    }
    /// Returns the alignment in bytes.
    pub fn align(self) -> u32 {
        if self == Self::Bits { 4 } else { VECTOR }
    }
}

/// A member of the uniform block. Members are sorted by bank, then by first register, in any order
/// of offsets. No two share a register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Member {
    /// Name: an identifier that ends in a letter if the symbol allows it.
    pub name: String,
    /// Register bank.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
    pub bank: Bank,
    /// First register.
    pub first: u8,
    /// Number of registers. A padded array counts c96..c127, which do not exist and are ones.
    pub count: u8,
    /// Byte offset in the block (std140).
    pub offset: u32,
    /// Type.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
    pub ty: MemberType,
}

/// A member of the uniform block, or a name of registers within one as if it were a member.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Uniform {
    /// The member, or the registers of the name.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub member: Member,
    /// Name of the member that holds the registers: an array, since relative reads may reach them
    /// along with others. None for a member.
    pub array: Option<String>,
}

/// Bytes of the uniform block that stand for registers beyond c95.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Padding {
    /// Byte offset in the block.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// A name of registers of a member that is an array of several symbols.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayName {
    /// Name, formed like the names of members.
    pub name: String,
    /// First c register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
}

/// The uniform block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UniformBlock {
    /// Members, sorted by bank and first register.
    pub members: Vec<Member>,
    /// Names of registers within arrays, sorted by first register. The registers of a name lie in
    /// one member.
    pub names: Vec<ArrayName>,
    /// Size of the binding in bytes, a multiple of 16; 0 if there is no block.
    pub size: u32,
}

impl UniformBlock {
    /// Returns the size up to the end of the last member: the least that a host must upload.
    pub fn used(&self) -> u32 {
        self.members.iter().map(|member| member.offset + member.ty.size()).max().unwrap_or(0)
    }
    /// Returns the indices of the members by ascending offset.
    pub fn by_offset(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_cached_key(|&index| u64::from(self.members[index].offset));
        order
    }
    /// Returns the element of a named register in its member, 0 without one.
    pub fn element(&self, name: &ArrayName) -> u16 {
        self.find(Bank::Float, name.first).map_or(0, |(_, element)| element.into())
    }
    /// Returns the names within a member.
    pub fn names_in(&self, member: &Member) -> &[ArrayName] {
        if member.bank != Bank::Float {
            return &[];
        }
        let at = |register: u8| self.names.partition_point(|name| name.first < register);
        &self.names[at(member.first)..at(member.first.saturating_add(member.count))]
    }
    /// Returns each member, before the names within it.
    pub fn uniforms(&self) -> Vec<Uniform> {
        let of_member = |member: &Member| {
            let whole = Uniform { member: member.clone(), array: None };
            let parts = self.names_in(member).iter().map(|&ArrayName { ref name, first, count }| {
                let ty = if count == 1 { MemberType::Vec4 } else { MemberType::Vec4Array(count.into()) };
                let offset = member.offset + VECTOR * u32::from(first - member.first);
                let part = Member { name: name.clone(), first, count, offset, ty, ..*member };
                Uniform { member: part, array: Some(member.name.clone()) }
            });
            std::iter::once(whole).chain(parts).collect::<Vec<_>>()
        };
        self.members.iter().flat_map(of_member).collect()
    }
    /// Returns the bytes of registers that do not exist, which the host fills with ones (f32); none
    /// if no array is padded.
    pub fn padding(&self) -> Option<Padding> {
        let (member, element) = self.find(Bank::Float, FLOATS as u8)?;
        let [element, count] = [element, member.count].map(u32::from);
        Some(Padding { offset: member.offset + VECTOR * element, size: VECTOR * (count - element) })
    }
    /// Returns the member that holds a register, and the register's element in it (for
    /// [`MemberType::Bits`]: its bit).
    pub fn find(&self, bank: Bank, register: u8) -> Option<(&Member, u8)> {
        // Members are sorted by bank, then by first register, and do not overlap.
        let after = self.members.partition_point(|m| (m.bank as u8, m.first) <= (bank as u8, register));
        let member = &self.members[after.checked_sub(1)?];
        let element = register.checked_sub(member.first)?;
        (member.bank == bank && element < member.count).then_some((member, element))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for UniformBlock {
    /// Writes what hosts look up: members and names in one list, and the padding.
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("UniformBlock", 2)?;
        fields.serialize_field("uniforms", &self.uniforms())?;
        fields.serialize_field("padding", &self.padding())?;
        fields.end()
    }
}
