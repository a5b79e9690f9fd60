//! What one source says about its executable: stage, entry point, constants, outputs, names.
//! In: directives, already read. Out: the tables that the container wants. Knows no text.
//! Facts: probes; 3dbrew "SHBIN".

use super::assembler::Site;
use crate::container::{Constant, Output};

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
    pub name: String,
    /// First register by the number of the symbol table.
    pub first: u16,
    pub last: u16,
}

/// The executable of one source.
#[derive(Clone, Debug)]
pub(super) struct Executable<'a> {
    pub entry: &'a str,
    /// Where the entry point was named, or what made the executable.
    pub site: Site,
    /// Its procedures are for other sources only.
    pub suppressed: bool,
    pub stage: Stage,
    /// The output maps of both stages are merged.
    pub merge: bool,
    pub constants: Vec<Constant>,
    pub outputs: Vec<Output>,
    pub exports: Vec<Export>,
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
            site,
            suppressed: false,
            stage: Stage::Vertex,
            merge: false,
            constants: Vec::new(),
            outputs: Vec::new(),
            exports: Vec::new(),
            input_mask: 0,
            output_mask: 0,
            taken: 0,
        }
    }
}
