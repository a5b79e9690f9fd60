//! Interface of one translated program, as the back ends write it and reflection reports it.

use std::fmt;

#[cfg(feature = "serde")]
use serde::ser::SerializeStruct;

use super::debug::DebugSource;
use super::hooks::OutputHook;
use super::settings::options::Options;
use super::settings::vertex_input::{AttributeFormat, AttributeKind};
use crate::error::Warning;
#[cfg(feature = "spirv")]
use crate::geometry::StagePrimitive;
use crate::geometry::{GeometryKernel, GeometryStage};
use crate::program::container::Semantic;
use crate::program::isa::limits::{BOOLS, FLOATS, INTS, OUTPUTS};
use crate::program::isa::{Component, Mask, Pc, Uniforms};
use crate::support::stable;

/// An input attribute. The program sees four floats.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Attribute {
    /// v0..v15; also the location.
    #[cfg_attr(feature = "serde", serde(rename = "location"))]
    pub register: u8,
    /// Name from the bind symbols, or `v3_unbound` for v3.
    pub name: String,
    /// Format in which the host feeds it.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub format: AttributeFormat,
}

/// Source of one component of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentSource {
    /// Component of an o register.
    Register {
        /// o0..o15
        register: u8,
        /// Component.
        component: Component,
    },
    /// 1.0, the default of an unmapped component.
    One,
    /// 0.0, for an unmapped component under
    /// [`UndefinedValue::Zero`](crate::settings::UndefinedValue::Zero).
    Zero,
}

impl fmt::Display for ComponentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register { register, component } => write!(f, "o{register}.{}", component.letter()),
            Self::One => f.write_str("1"),
            Self::Zero => f.write_str("0"),
        }
    }
}

/// Destination of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Location {
    /// The position built-in.
    Position,
    /// The clip distance built-in.
    ClipDistances,
    /// A varying location.
    #[cfg_attr(feature = "serde", serde(untagged))]
    Varying(u32),
}

/// Conversion of an output on its way to the rasterizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum OutputValue {
    /// None.
    #[default]
    Plain,
    /// Depth convention and y mirroring of the options.
    Position,
    /// Color clamp.
    Color,
    /// Color clamp of some components, and then one minus some.
    Mixed {
        /// Components that are clamped as those of a color.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
        colors: Mask,
        /// Components that become one minus their value.
        #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
        complements: Mask,
    },
    /// Distances from the planes z = 0 and the user plane (0 while disabled). The four components
    /// are the position as the program writes it.
    ClipDistances,
    /// None; the value is that of a [tap](super::Hook::Tap), by its number. The four components are
    /// 0, as on the CPU.
    Tap(u8),
}

/// An output of the vertex entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Output {
    /// Name: `position`, `color`, `texcoord0_uv`, …
    pub name: String,
    /// Destination.
    pub location: Location,
    /// Sources of its components, one to four.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "sources", serialize_with = "crate::support::stable::spelled::texts")
    )]
    pub components: Vec<ComponentSource>,
    /// Conversion of the components.
    pub value: OutputValue,
    /// Semantic of the components, if all are of one; that of the position for clip distances, too.
    pub semantic: Option<Semantic>,
    /// Changes of the components before the conversion, first to last.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub hooks: Vec<OutputHook>,
}

impl Output {
    /// Returns whether the components are the value.
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        self.hooks.is_empty() && matches!(self.value, OutputValue::Plain | OutputValue::Tap(_))
    }
    /// Returns the number of components of the output.
    pub fn lanes(&self) -> usize {
        match self.value {
            OutputValue::Plain
            | OutputValue::Position
            | OutputValue::Color
            | OutputValue::Mixed { .. }
            | OutputValue::Tap(_) => self.components.len(),
            OutputValue::ClipDistances => 2,
        }
    }
}

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
        f.write_str(match self {
            Self::Float => "c",
            Self::Int => "i",
            Self::Bool => "b",
        })
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
    /// As in WGSL.
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
            Self::Vec4 | Self::IVec4 | Self::PackedInts => 16,
            Self::Vec4Array(count) | Self::IVec4Array(count) => 16 * u32::from(count),
            Self::Bits => 4,
        }
    }
    /// Returns the alignment in bytes.
    pub fn align(self) -> u32 {
        match self {
            Self::Vec4 | Self::IVec4 | Self::PackedInts | Self::Vec4Array(_) | Self::IVec4Array(_) => 16,
            Self::Bits => 4,
        }
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
    /// Name, as those of members.
    pub name: String,
    /// First c register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
}

/// A procedure: what a CALL runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Procedure {
    /// Its label.
    pub name: String,
    /// First code word.
    pub first: Pc,
    /// Number of code words, 0..=255.
    pub length: u8,
}

impl Procedure {
    /// Returns whether a code word is in it.
    ///
    /// ```
    /// use transpica::{host::Procedure, isa::Pc};
    /// let lighting = Procedure { name: "lighting".into(), first: Pc(8), length: 4 };
    /// assert!(lighting.holds(Pc(11)) && !lighting.holds(Pc(12)));
    /// ```
    pub fn holds(&self, pc: Pc) -> bool {
        pc.0.checked_sub(self.first.0).is_some_and(|at| at < u16::from(self.length))
    }
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
                let offset = member.offset + 16 * u32::from(first - member.first);
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
        Some(Padding { offset: member.offset + 16 * element, size: 16 * (count - element) })
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

/// Registers that a program uses. Bit n of a mask is register n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Usage {
    /// v registers read.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "v", serialize_with = "crate::support::stable::spelled::registers")
    )]
    pub inputs: u16,
    /// c registers read without an address register.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "c", serialize_with = "crate::support::stable::spelled::registers")
    )]
    pub floats: u128,
    /// i registers read.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "i", serialize_with = "crate::support::stable::spelled::registers")
    )]
    pub ints: u8,
    /// b registers read.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "b", serialize_with = "crate::support::stable::spelled::registers")
    )]
    pub bools: u16,
    /// Indices c0..c127 that relative reads may have. Those beyond c95 read as ones.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::registers"))]
    pub relative: u128,
    /// Indices that one relative read may have together with the next index: both registers lie in
    /// one array.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub joined: u128,
    /// c registers that are bases of relative reads.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "bases", serialize_with = "crate::support::stable::spelled::registers")
    )]
    pub relative_bases: u128,
    /// o registers written.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub outputs: u16,
    /// Components written of each o register.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub output_masks: [Mask; OUTPUTS],
}

impl Usage {
    /// Every register.
    pub const EVERYTHING: Self = Self {
        inputs: u16::MAX,
        floats: (1 << FLOATS) - 1,
        ints: (1 << INTS) - 1,
        bools: u16::MAX,
        relative: 0,
        joined: 0,
        relative_bases: 0,
        outputs: u16::MAX,
        output_masks: [Mask::XYZW; OUTPUTS],
    };
}

/// Uniform values that binding an executable sets. Floats are bit patterns of f32.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// c0..c95 as x, y, z, w.
    pub floats: [Option<[u32; 4]>; FLOATS],
    /// i0..i3 as x, y, z, w.
    pub ints: [Option<[u8; 4]>; INTS],
    /// b0..b15
    pub bools: [Option<bool>; BOOLS],
}

impl Constants {
    /// No constants.
    pub const NONE: Self = Self { floats: [None; FLOATS], ints: [None; INTS], bools: [None; BOOLS] };

    /// Appends the float and int constants. Bools are never folded.
    #[doc(hidden)]
    pub fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self { floats, ints, bools: _ } = self;
        for (register, constant) in (0..96u8).zip(floats) {
            if let Some(value) = constant {
                out.push(register);
                value.iter().for_each(|bits| out.extend_from_slice(&bits.to_le_bytes()));
            }
        }
        out.push(0xFF);
        for (register, constant) in (0..4u8).zip(ints) {
            if let Some(value) = constant {
                out.push(register);
                out.extend_from_slice(value);
            }
        }
        out.push(0xFF);
    }
    /// Writes these constants to `uniforms`, as binding the executable does.
    pub fn apply(&self, uniforms: &mut Uniforms) {
        for (register, constant) in uniforms.floats.iter_mut().zip(self.floats) {
            *register = constant.map_or(*register, |bits| bits.map(f32::from_bits));
        }
        for (register, constant) in uniforms.ints.iter_mut().zip(self.ints) {
            *register = constant.unwrap_or(*register);
        }
        for (id, constant) in (0..).zip(self.bools) {
            if let Some(value) = constant {
                uniforms.set_bool(id, value);
            }
        }
    }
}

impl Default for Constants {
    fn default() -> Self {
        Self::NONE
    }
}

/// Entry point of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum EntryPoint {
    /// A vertex stage.
    #[default]
    Vertex,
    /// A compute stage that runs a vertex program.
    Compute,
    /// A compute stage that runs a geometry program.
    #[cfg_attr(feature = "serde", serde(rename = "geometry"))]
    Kernel(GeometryKernel),
    /// A geometry stage of the host's API.
    Stage(GeometryStage),
    /// The geometry stage that brings quaternions to one side.
    Quaternions,
}

impl EntryPoint {
    /// Returns whether this is a compute stage.
    pub fn is_compute(&self) -> bool {
        match self {
            Self::Compute | Self::Kernel(_) => true,
            Self::Vertex | Self::Stage(_) | Self::Quaternions => false,
        }
    }
    /// Returns the shape of a geometry stage of the host's API.
    #[cfg(feature = "spirv")]
    pub(crate) fn geometry_stage(&self) -> Option<GeometryStage> {
        match self {
            Self::Stage(stage) => Some(*stage),
            Self::Quaternions => {
                Some(GeometryStage { primitive: StagePrimitive::Triangles, vectors: 0, triangles: 1 })
            }
            Self::Vertex | Self::Compute | Self::Kernel(_) => None,
        }
    }
}

/// The interface of one program: attributes, uniform block, outputs.
///
/// ```
/// let bytes = std::fs::read("shaders/textured.shbin")?;
/// let file = transpica::Shbin::parse(&bytes)?;
/// let program = file.program(0)?;
/// let interface = program.translate(&transpica::Options::default())?.interface;
///
/// // Attribute n is the one at location n.
/// let inputs: Vec<_> = interface.attributes.iter().map(|a| (a.register, a.name.as_str())).collect();
/// assert_eq!(inputs, [(0, "inpos"), (1, "inuv"), (2, "incol")]);
///
/// // Name, byte offset, number of registers of each member of the uniform block.
/// let block = &interface.block;
/// let members: Vec<_> = block.members.iter().map(|m| (m.name.as_str(), m.offset, m.count)).collect();
/// assert_eq!(members, [("projection", 0, 4), ("modelView", 64, 4), ("texScale", 128, 1)]);
/// assert_eq!(block.size, 144);
///
/// // The bytes of that block, from the values of the registers.
/// let bytes = transpica::host::pack(block, &program.uniforms());
/// assert_eq!(bytes.len(), 144);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Interface {
    /// Name of the source, for header comments.
    pub source: String,
    /// Index of the executable in the source, for header comments.
    #[cfg_attr(feature = "serde", serde(rename = "dvle"))]
    pub executable: Option<usize>,
    /// Label of the entry point, for header comments.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub entry_label: Option<String>,
    /// Code word of the entry point in the source, for header comments.
    #[cfg_attr(feature = "serde", serde(rename = "entry_word"))]
    pub entry: Option<Pc>,
    /// Procedures with a label in the source, for comments.
    pub procedures: Vec<Procedure>,
    /// Options of the translation. Texts name those that differ from the defaults in a comment.
    pub options: Options,
    /// Attributes by register.
    pub attributes: Vec<Attribute>,
    /// Outputs of the vertex entry, in the order of the main function's results.
    pub outputs: Vec<Output>,
    /// The uniform block; empty if the program reads none.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub block: UniformBlock,
    /// Float and int registers that are folded: the code holds their values. The block holds those
    /// only that relative reads may reach.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub folded: Constants,
    /// The entry point.
    pub entry_point: EntryPoint,
    /// Source of the program for debuggers, if modules have one. Translations set it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub debug_source: Option<Box<DebugSource>>,
    /// Warnings of the translation.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::texts"))]
    pub warnings: Vec<Warning>,
}

impl Interface {
    /// Returns the label of the entry point, or its code word without one.
    pub fn entry_name(&self) -> Option<String> {
        let word = || self.entry.map(|entry| format!("code word {:#x}", entry.0));
        self.entry_label.clone().or_else(word)
    }
    /// Returns the number format of v0..v15; floats without an attribute.
    pub fn attribute_kind(&self, register: u8) -> AttributeKind {
        let found = self.attributes.iter().find(|attribute| attribute.register == register);
        found.map(|attribute| attribute.format.kind).unwrap_or_default()
    }
    /// Returns the compute form of a geometry program.
    pub fn kernel(&self) -> Option<&GeometryKernel> {
        match &self.entry_point {
            EntryPoint::Kernel(kernel) => Some(kernel),
            EntryPoint::Vertex | EntryPoint::Compute | EntryPoint::Stage(_) | EntryPoint::Quaternions => None,
        }
    }
    /// Returns the geometry stage of a geometry program.
    pub fn stage(&self) -> Option<&GeometryStage> {
        match &self.entry_point {
            EntryPoint::Stage(stage) => Some(stage),
            EntryPoint::Vertex | EntryPoint::Compute | EntryPoint::Kernel(_) | EntryPoint::Quaternions => {
                None
            }
        }
    }
    /// Appends the attributes and the uniform block with their names.
    #[doc(hidden)]
    pub fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self {
            attributes,
            block,
            // These appear only in comments of the output.
            source: _,
            executable: _,
            entry: _,
            entry_label: _,
            procedures: _,
            options: _,
            warnings: _,
            // These depend on the program and the options, not on the environment.
            outputs: _,
            folded: _,
            entry_point: _,
            // Keys append it where it counts.
            debug_source: _,
        } = self;
        stable::append(out, attributes);
        stable::append(out, block);
    }
}
