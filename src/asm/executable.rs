//! What one source says about its executable: stage, entry point, constants, outputs, names.
//! In: directives, already read. Out: the tables that the container wants. Knows no text.
//! Facts: probes; 3dbrew "SHBIN".

use super::assembler::Site;
use crate::container::{Constant, Header, Output, Version};

/// What kind of program it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    #[default]
    Vertex,
    /// A geometry program of the old way: point mode, uniforms shared with vertex programs.
    LegacyGeometry,
    /// A geometry program.
    Geometry(Geometry),
}

/// How a geometry program gets its vertices, as the header says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Geometry {
    pub mode: u8,
    pub start: u8,
    pub main_vertices: u8,
    pub fixed_vertices: u8,
}

/// A name that the host can bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Export {
    pub name: Vec<u8>,
    /// First register by the number of the symbol table.
    pub first: u16,
    pub last: u16,
}

/// A label of the label table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub name: Vec<u8>,
    pub address: u32,
    pub id: u32,
    pub length: u32,
}

/// A field of the header, by the name that the text gives it.
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
        /// The fields of the header that a text can give explicitly.
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

/// A version whose first byte is the high one of the number.
pub(crate) fn version(number: u32) -> Version {
    let [.., major, minor] = number.to_be_bytes();
    Version { major, minor }
}

/// The number of a version, as [`version`] takes it.
pub(crate) fn version_number(version: Version) -> u32 {
    u32::from(version.major) << 8 | u32::from(version.minor)
}

/// The executable of one source.
#[derive(Clone, Debug)]
pub(super) struct Executable<'a> {
    pub entry: &'a str,
    /// The line that should have named the entry point had an error.
    pub is_entry_lost: bool,
    /// Where the entry point was named, or where the source begins.
    pub site: Site,
    /// The text names the entry point.
    pub is_entry_named: bool,
    /// Its procedures are for other sources only.
    pub suppressed: bool,
    pub stage: Stage,
    /// The output maps of both stages are merged.
    pub merge: bool,
    pub constants: Vec<Constant>,
    pub outputs: Vec<Output>,
    pub exports: Vec<Export>,
    /// The exports stand in the order of the text, not in that of the registers.
    pub is_unsorted: bool,
    pub labels: Vec<Label>,
    /// Header fields that the text gives explicitly.
    pub fields: Vec<(&'static HeaderField, u32)>,
    pub input_mask: u16,
    pub output_mask: u16,
    /// Components of outputs that are taken, four bits each.
    pub taken: u32,
}

impl Executable<'_> {
    /// One with nothing in it.
    pub(super) fn new(site: Site) -> Self {
        Self {
            entry: "main",
            is_entry_lost: false,
            site,
            is_entry_named: false,
            suppressed: false,
            stage: Stage::Vertex,
            merge: false,
            constants: Vec::new(),
            outputs: Vec::new(),
            exports: Vec::new(),
            is_unsorted: false,
            labels: Vec::new(),
            fields: Vec::new(),
            input_mask: 0,
            output_mask: 0,
            taken: 0,
        }
    }
}
