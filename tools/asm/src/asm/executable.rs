//! The executable that one source declares: stage, entry point, constants, outputs, names.
//! In: directives, parsed elsewhere. Out: the tables of the container. Knows no text.
//! Facts: probes; 3dbrew "SHBIN".

use std::collections::BTreeMap;

use super::report::Site;
use crate::vertex::VertexFormat;
use transpica::container::{Constant, Header, Label, OutputRecord, Version};

/// The kind of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    #[default]
    Vertex,
    /// A geometry program without operands of `.gsh`: point mode, uniforms shared with vertex
    /// programs.
    LegacyGeometry,
    Geometry,
}

/// A symbol that the host can bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Export {
    pub name: Vec<u8>,
    /// Code of the first register in the symbol table.
    pub first: u16,
    pub last: u16,
}

/// A header field with its name in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeaderField {
    pub name: &'static str,
    /// Largest value.
    pub max: u32,
    pub set: fn(&mut Header, u32),
    pub get: fn(&Header) -> u32,
}

macro_rules! header_fields {
    ($($name:literal $type:ident $field:ident;)*) => {
        /// The header fields that a text can give explicitly.
        pub(crate) const HEADER_FIELDS: &[HeaderField] = &[
            HeaderField {
                name: "version",
                max: 0xFFFF,
                set: |header, value| header.version = version(value),
                get: |header| version_number(header.version),
            },
            $(HeaderField {
                name: $name,
                max: $type::MAX as u32,
                // Range: checked against the largest value.
                set: |header, value| header.$field = value as $type,
                get: |header| u32::from(header.$field),
            },)*
        ];
    };
}
header_fields! {
    "kind" u8 kind;
    "flags" u8 flags;
    "main" u32 main;
    "endmain" u32 endmain;
    "inputs" u16 input_mask;
    "outputs" u16 output_mask;
    "mode" u8 geometry_mode;
    "start" u8 geometry_start;
    "vertices" u8 geometry_main_vertices;
    "fixed" u8 geometry_fixed_vertices;
}

/// The version with this number; the first byte is the high one.
pub(crate) fn version(number: u32) -> Version {
    let [.., major, minor] = number.to_be_bytes();
    Version { major, minor }
}

/// The number of a version.
pub(crate) fn version_number(version: Version) -> u32 {
    u32::from(version.major) << 8 | u32::from(version.minor)
}

/// The executable of one source.
#[derive(Clone, Debug, Default)]
pub(super) struct Executable<'a> {
    pub entry: &'a str,
    /// The line that names the entry point has an error.
    pub is_entry_lost: bool,
    /// Site of the entry point's name, or the beginning of the source.
    pub site: Site,
    /// The text names the entry point.
    pub is_entry_named: bool,
    /// `.nodvle`: its procedures are for other sources only.
    pub is_suppressed: bool,
    pub stage: Stage,
    /// The header fields that directives set.
    pub header: Header,
    pub constants: Vec<Constant>,
    pub outputs: Vec<OutputRecord>,
    pub exports: Vec<Export>,
    /// Constants and hidden uniforms, for which the file has no symbols.
    pub hidden: Vec<Export>,
    /// Declared formats of attributes.
    pub formats: Vec<VertexFormat>,
    /// Targets of jumps by name.
    pub targets: BTreeMap<&'a str, usize>,
    /// The exports are in the order of the text, not in that of the registers.
    pub is_unsorted: bool,
    /// Labels with their names.
    pub labels: Vec<(Label, Vec<u8>)>,
    /// Header fields that the text gives explicitly.
    pub fields: Vec<(&'static HeaderField, u32)>,
    /// Components of outputs in use, four bits each.
    pub used_components: u32,
}

impl Executable<'_> {
    /// An empty executable.
    pub(super) fn new(site: Site) -> Self {
        let header = Header { version: Version::PICASSO, ..Header::default() };
        Self { entry: "main", site, header, ..Self::default() }
    }
}
