//! Interface of one translated program, as the back ends write it and reflection reports it.
//! In: what an environment knows, what a translation decides. Out: plain data. Knows no generator.

use super::block::UniformBlock;
use super::entry_point::EntryPoint;
use super::output::{Output, OutputValue};
use crate::error::Warning;
use crate::geometry::{GeometryKernel, GeometryStage};
use crate::host::constants::Constants;
use crate::host::settings::{AttributeFormat, AttributeKind, Options};
use crate::program::executable::Procedure;
use crate::program::isa::Pc;
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

/// The part of an [`Interface`] that an environment knows: inputs of the program, and names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvironmentInterface {
    /// Name of the source, for header comments.
    pub source: String,
    /// Index of the executable in the source, for header comments.
    pub executable: Option<usize>,
    /// Label of the entry point, for header comments.
    pub entry_label: Option<String>,
    /// Code word of the entry point in the source, for header comments.
    pub entry: Option<Pc>,
    /// Procedures with a label in the source, for comments.
    pub procedures: Vec<Procedure>,
    /// Attributes by register.
    pub attributes: Vec<Attribute>,
    /// The uniform block; empty if the program reads none.
    pub block: UniformBlock,
    /// Warnings about the environment.
    pub warnings: Vec<Warning>,
}

impl EnvironmentInterface {
    /// Appends the attributes and the uniform block with their names. Everything else appears only
    /// in comments of the output.
    pub(super) fn fingerprint(&self, out: &mut Vec<u8>) {
        stable::append(out, &self.attributes);
        stable::append(out, &self.block);
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
    pub folded: Box<Constants>,
    /// The entry point.
    pub entry_point: EntryPoint,
    /// Warnings of the translation.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::texts"))]
    pub warnings: Vec<Warning>,
}

impl Interface {
    /// Completes what an environment knows with what a translation decides: `options` in effect,
    /// constants `folded` into the code.
    pub fn new(
        known: EnvironmentInterface,
        outputs: Vec<Output>,
        entry_point: EntryPoint,
        options: Options,
        folded: Constants,
    ) -> Self {
        Self {
            source: known.source,
            executable: known.executable,
            entry_label: known.entry_label,
            entry: known.entry,
            procedures: known.procedures,
            options,
            // The inputs of a geometry stage are the vectors of vertices.
            attributes: if matches!(entry_point, EntryPoint::Stage(_)) {
                Vec::new()
            } else {
                known.attributes
            },
            outputs,
            block: known.block,
            folded: Box::new(folded),
            entry_point,
            warnings: known.warnings,
        }
    }
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
    /// Returns whether the module reads a second uniform block, of the layout of the first.
    pub fn reads_again(&self) -> bool {
        self.block.size > 0 && self.outputs.last().is_some_and(|output| output.value == OutputValue::Again)
    }
    /// Returns the compute form of a geometry program.
    pub fn kernel(&self) -> Option<&GeometryKernel> {
        if let EntryPoint::Kernel(kernel) = &self.entry_point { Some(kernel) } else { None }
    }
    /// Returns the geometry stage of a geometry program.
    pub fn stage(&self) -> Option<&GeometryStage> {
        if let EntryPoint::Stage(stage) = &self.entry_point { Some(stage) } else { None }
    }
}
