//! The interface of one translated program, as the back ends write it and reflection reports it.

use crate::isa::Component;

/// An input attribute: always four floats.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// v0..v15; also the location.
    pub register: u8,
    /// Name from the bind symbols, or `v` and the number.
    pub name: String,
}

/// Where one component of an output comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentSource {
    /// Component of an o register.
    Register {
        /// o0..o15
        register: u8,
        /// Component.
        component: Component,
    },
    /// Not mapped: 1.0.
    One,
}

/// Where an output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// The position built-in.
    Position,
    /// A varying location.
    Varying(u32),
}

/// An output of the vertex entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// Semantic name: `position`, `color`, `texcoord_0`, …
    pub name: String,
    /// Where it goes.
    pub location: Location,
    /// Its one to four components.
    pub components: Vec<ComponentSource>,
    /// Whether it is a colour (subject to the colour rule).
    pub color: bool,
}

/// The register file a member shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bank {
    /// c registers.
    Float,
    /// i registers.
    Int,
    /// b registers.
    Bool,
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
    /// `u32`: bit k is register first + k.
    Bits,
}

/// A member of the uniform block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Its name, an identifier that ends in a letter wherever the symbol allows it.
    pub name: String,
    /// Register file.
    pub bank: Bank,
    /// First register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
    /// Byte offset in the block (std140).
    pub offset: u32,
    /// Its type.
    pub ty: MemberType,
}

/// The one uniform block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UniformBlock {
    /// Members by ascending offset.
    pub members: Vec<Member>,
    /// Size in bytes, a multiple of 16; 0 where there is no block.
    pub size: u32,
}

/// The interface of one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Name of the source, for header comments.
    pub source: String,
    /// Name of the entry point in the source (label), if known.
    pub entry_label: Option<String>,
    /// Attributes by register.
    pub attributes: Vec<Attribute>,
    /// Outputs of the vertex entry, in the order in which the main function yields them.
    pub outputs: Vec<Output>,
    /// The uniform block; empty if the program reads none.
    pub block: UniformBlock,
}
