//! What a translated program reads and writes, for hosts and people.
//! In: [`Translated`]. Out: [`Reflection`], plain data that serialises (feature `serde`). Byte offsets are those of the
//! uniform block, locations those of the vertex entry.

use crate::host::{Bank, Constants, Location, MemberType};
use crate::translate::Translated;

/// Version of the shape of [`Reflection`].
pub const SCHEMA: u32 = 1;

/// An attribute of the vertex entry; always four floats.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// v0..v15
    pub register: u8,
    /// Its location.
    pub location: u32,
}

/// A member of the uniform block.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Uniform {
    /// Its name.
    pub name: String,
    /// Its type: `vec4f`, `array<vec4f, n>`, `vec4i`, `array<vec4i, n>`, or `u32` with one bit for each register.
    pub ty: String,
    /// Register file: `c`, `i` or `b`.
    pub bank: String,
    /// First register.
    pub first: u8,
    /// Number of registers.
    pub count: u8,
    /// Byte offset in the block.
    pub offset: u32,
}

/// An output of the vertex entry.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its location; nothing for the position.
    pub location: Option<u32>,
    /// Number of components.
    pub components: u32,
    /// Whether a component depends on EX2 or LG2, whose last bits differ between drivers.
    pub approximate: bool,
}

/// The value that binding the executable gives a uniform register.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Default {
    /// `c95`, `i3`, `b15`
    pub register: String,
    /// f32 bits of a float register, the four bytes of an int register, 0 or 1 of a bool register.
    pub value: Vec<u32>,
    /// Whether the program holds it as a literal, so that the host need not set it.
    pub folded: bool,
}

/// What a translated program reads and writes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reflection {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Name of the source file.
    pub source: String,
    /// Name of the entry label, if known.
    pub entry: Option<String>,
    /// `structured`, `block dispatcher` or `pc dispatcher`.
    pub tier: String,
    /// Attributes read.
    pub attributes: Vec<Attribute>,
    /// Size of the uniform block in bytes; 0 if there is none.
    pub uniform_size: u32,
    /// Members of the uniform block.
    pub uniforms: Vec<Uniform>,
    /// Outputs.
    pub outputs: Vec<Output>,
    /// Setup constants.
    pub defaults: Vec<Default>,
    /// What was odd.
    pub warnings: Vec<String>,
}

impl Reflection {
    /// Describes a translated program; `constants` are what binding its executable sets.
    pub fn new(translated: &Translated, constants: &Constants) -> Self {
        let interface = &translated.interface;
        Self {
            schema: SCHEMA,
            source: interface.source.clone(),
            entry: interface.entry_label.clone(),
            tier: translated.tier.to_string(),
            attributes: interface
                .attributes
                .iter()
                .map(|attribute| Attribute {
                    name: attribute.name.clone(),
                    register: attribute.register,
                    location: attribute.register.into(),
                })
                .collect(),
            uniform_size: interface.block.size,
            uniforms: interface.block.members.iter().map(uniform).collect(),
            outputs: outputs(translated),
            defaults: defaults(constants, &interface.folded),
            warnings: translated.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

fn uniform(member: &crate::host::Member) -> Uniform {
    Uniform {
        name: member.name.clone(),
        ty: match member.ty {
            MemberType::Vec4 => "vec4f".into(),
            MemberType::Vec4Array(n) => format!("array<vec4f, {n}>"),
            MemberType::IVec4 => "vec4i".into(),
            MemberType::IVec4Array(n) => format!("array<vec4i, {n}>"),
            MemberType::PackedInts => "vec4u".into(),
            MemberType::Bits => "u32".into(),
        },
        bank: match member.bank {
            Bank::Float => "c",
            Bank::Int => "i",
            Bank::Bool => "b",
        }
        .into(),
        first: member.first,
        count: member.count,
        offset: member.offset,
    }
}

fn outputs(translated: &Translated) -> Vec<Output> {
    let approximate = translated.approximate();
    let outputs = translated.interface.outputs.iter().enumerate();
    outputs
        .map(|(index, output)| Output {
            name: output.name.clone(),
            location: match output.location {
                Location::Position | Location::ClipDistances => None,
                Location::Varying(location) => Some(location),
            },
            components: output.lanes() as u32,
            approximate: approximate.get(index).is_some_and(|lanes| *lanes != 0),
        })
        .collect()
}

fn defaults(constants: &Constants, folded: &Constants) -> Vec<Default> {
    let floats =
        constants.floats.iter().zip(&folded.floats).enumerate().filter_map(|(n, (value, folded))| {
            let value = (*value)?.to_vec();
            Some(Default { register: format!("c{n}"), value, folded: folded.is_some() })
        });
    let ints = constants.ints.iter().enumerate().filter_map(|(n, value)| {
        let value = (*value)?.map(u32::from).to_vec();
        Some(Default { register: format!("i{n}"), value, folded: false })
    });
    let bools = constants.bools.iter().enumerate().filter_map(|(n, value)| {
        Some(Default { register: format!("b{n}"), value: vec![u32::from((*value)?)], folded: false })
    });
    floats.chain(ints).chain(bools).collect()
}
