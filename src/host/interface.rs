//! The interface of one translated program, as the back ends write it and reflection reports it.

use std::fmt;

use super::options::{AttributeFormat, AttributeKind, Control};
use crate::error::Warning;
use crate::geometry::{GeometryKernel, GeometryStage};
use crate::isa::limits::{BOOLS, FLOATS, INTS, OUTPUTS};
use crate::isa::{Component, Mask, Pc, Uniforms};
use crate::stable;

/// An input attribute. The program sees four floats.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// v0..v15; also the location.
    pub register: u8,
    /// Name from the bind symbols, or `v3_unbound` for v3.
    pub name: String,
    /// What the host feeds.
    pub format: AttributeFormat,
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
    /// Not mapped, where the options say so: 0.0.
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

/// Where an output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// The position built-in.
    Position,
    /// A varying location.
    Varying(u32),
    /// The clip distance built-in.
    ClipDistances,
}

/// What becomes of the components of an output on their way to the rasteriser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OutputValue {
    /// Nothing.
    #[default]
    Plain,
    /// The depth and y rules of the options apply.
    Position,
    /// The colour rule applies.
    Color,
    /// The four components are the position as the program writes it; the output is its distances
    /// from the planes z = 0 and the user's (0 while that is off).
    ClipDistances,
}

/// An output of the vertex entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Output {
    /// Name: `position`, `color`, `texcoord0_uv`, …
    pub name: String,
    /// Where it goes.
    pub location: Location,
    /// The one to four components that it is made of.
    pub components: Vec<ComponentSource>,
    /// How it is made of them.
    pub value: OutputValue,
}

impl Output {
    /// How many components the output has.
    pub fn lanes(&self) -> usize {
        match self.value {
            OutputValue::Plain | OutputValue::Position | OutputValue::Color => self.components.len(),
            OutputValue::ClipDistances => 2,
        }
    }
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
    /// `vec4u`: four int registers, each one word of four bytes, x lowest.
    PackedInts,
    /// `u32`: bit k is register first + k.
    Bits,
}

impl MemberType {
    /// Bytes.
    pub fn size(self) -> u32 {
        match self {
            Self::Vec4 | Self::IVec4 | Self::PackedInts => 16,
            Self::Vec4Array(count) | Self::IVec4Array(count) => 16 * u32::from(count),
            Self::Bits => 4,
        }
    }
    /// Alignment in bytes.
    pub fn align(self) -> u32 {
        match self {
            Self::Vec4 | Self::IVec4 | Self::PackedInts | Self::Vec4Array(_) | Self::IVec4Array(_) => 16,
            Self::Bits => 4,
        }
    }
}

/// A member of the uniform block. Members stand by bank, then by first register, wherever in the
/// block they lie; no two share a register.
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
    /// Its members.
    pub members: Vec<Member>,
    /// The size in bytes that a host binds, a multiple of 16; 0 where there is no block.
    pub size: u32,
}

impl UniformBlock {
    /// Bytes up to the end of the last member: what a host must at least upload.
    pub fn used(&self) -> u32 {
        self.members.iter().map(|member| member.offset + member.ty.size()).max().unwrap_or(0)
    }
    /// Indices of the members by ascending offset.
    pub fn by_offset(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|&index| self.members[index].offset);
        order
    }
    /// The member that holds a register, and which element of it (for [`MemberType::Bits`]: which
    /// bit).
    pub fn find(&self, bank: Bank, register: u8) -> Option<(&Member, u8)> {
        // Members stand by bank, then by first register, and do not overlap.
        let after = self.members.partition_point(|m| (m.bank as u8, m.first) <= (bank as u8, register));
        let member = &self.members[after.checked_sub(1)?];
        let element = register.checked_sub(member.first)?;
        (member.bank == bank && element < member.count).then_some((member, element))
    }
}

/// Which float registers relative reads may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Any of c0..c95.
    Anywhere,
    /// Only these.
    Range {
        /// First register.
        first: u8,
        /// Last register.
        last: u8,
    },
}

/// The registers that a program uses. Bit n of a set is register n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// v registers read.
    pub inputs: u16,
    /// c registers read without an address register.
    pub floats: u128,
    /// i registers read.
    pub ints: u8,
    /// b registers read.
    pub bools: u16,
    /// What relative reads reach; nothing if there is none.
    pub relative: Option<Reach>,
    /// c registers that relative reads name as their base.
    pub relative_bases: u128,
    /// o registers written.
    pub outputs: u16,
    /// Components written of each o register.
    pub output_masks: [Mask; OUTPUTS],
}

impl Usage {
    /// All registers.
    pub const EVERYTHING: Self = Self {
        inputs: u16::MAX,
        floats: (1 << FLOATS) - 1,
        ints: (1 << INTS) - 1,
        bools: u16::MAX,
        relative: None,
        relative_bases: 0,
        outputs: u16::MAX,
        output_masks: [Mask::XYZW; OUTPUTS],
    };
}

/// Uniform values that an executable sets itself. Bit patterns of f32 for the floats.
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
    /// Appends the float constants: the others never become literals.
    pub fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self { floats, ints: _, bools: _ } = self;
        for (register, constant) in (0..96u8).zip(floats) {
            if let Some(value) = constant {
                out.push(register);
                value.iter().for_each(|bits| out.extend_from_slice(&bits.to_le_bytes()));
            }
        }
        out.push(0xFF);
    }
    /// Sets in `uniforms` what these constants set, as binding an executable does.
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
        Self { floats: [None; FLOATS], ints: [None; INTS], bools: [None; BOOLS] }
    }
}

/// Entry point of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EntryPoint {
    /// A vertex stage.
    #[default]
    Vertex,
    /// A compute stage that runs a vertex program.
    Compute {
        /// A seventeenth vector of each vertex says why an invocation did not run to its end, see
        /// [`Control::report_unfinished`](super::Control::report_unfinished).
        reports_unfinished: bool,
    },
    /// A compute stage that runs a geometry program.
    Kernel(GeometryKernel),
    /// A geometry stage of the host's API.
    Stage(GeometryStage),
}

impl EntryPoint {
    /// Returns whether it is a compute stage.
    pub fn is_compute(&self) -> bool {
        match self {
            Self::Compute { .. } | Self::Kernel(_) => true,
            Self::Vertex | Self::Stage(_) => false,
        }
    }
    /// The same entry point, which reports unfinished invocations if these options ask for it.
    pub fn reporting(mut self, control: &Control) -> Self {
        match &mut self {
            Self::Compute { reports_unfinished } => *reports_unfinished = control.report_unfinished,
            Self::Kernel(kernel) => kernel.reports_unfinished = control.report_unfinished,
            Self::Vertex | Self::Stage(_) => {}
        }
        self
    }
}

/// The interface of one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Name of the source, for header comments.
    pub source: String,
    /// Number of the executable in the source, for header comments.
    pub executable: Option<usize>,
    /// Label of the code word at which the program starts, for header comments.
    pub entry_label: Option<String>,
    /// Code word at which the program starts in the source, for header comments.
    pub entry: Option<Pc>,
    /// Attributes by register.
    pub attributes: Vec<Attribute>,
    /// Outputs of the vertex entry, in the order in which the main function yields them.
    pub outputs: Vec<Output>,
    /// The uniform block; empty if the program reads none.
    pub block: UniformBlock,
    /// Float registers that are literals: their reads are these values, the block does not hold
    /// them.
    pub folded: Constants,
    /// The entry point.
    pub entry_point: EntryPoint,
    /// What was odd on the way.
    pub warnings: Vec<Warning>,
}

impl Interface {
    /// Where the program starts: the label, or without one the code word.
    pub fn entry_name(&self) -> Option<String> {
        let word = || self.entry.map(|entry| format!("code word {:#x}", entry.0));
        self.entry_label.clone().or_else(word)
    }
    /// The numbers that the host feeds to v0..v15; floats where there is no attribute.
    pub fn attribute_kind(&self, register: u8) -> AttributeKind {
        let found = self.attributes.iter().find(|attribute| attribute.register == register);
        found.map(|attribute| attribute.format.kind).unwrap_or_default()
    }
    /// The compute form of a geometry program.
    pub fn kernel(&self) -> Option<&GeometryKernel> {
        match &self.entry_point {
            EntryPoint::Kernel(kernel) => Some(kernel),
            EntryPoint::Vertex | EntryPoint::Compute { .. } | EntryPoint::Stage(_) => None,
        }
    }
    /// The geometry stage that a geometry program became.
    pub fn stage(&self) -> Option<&GeometryStage> {
        match &self.entry_point {
            EntryPoint::Stage(stage) => Some(stage),
            EntryPoint::Vertex | EntryPoint::Compute { .. } | EntryPoint::Kernel(_) => None,
        }
    }
    /// Appends attributes and the uniform block with their names.
    pub fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self {
            attributes,
            block,
            // For comments alone.
            source: _,
            executable: _,
            entry: _,
            entry_label: _,
            warnings: _,
            // Not of what surrounds a program: these follow from it and from the options.
            outputs: _,
            folded: _,
            entry_point: _,
        } = self;
        stable::append(out, attributes);
        stable::append(out, block);
    }
}
