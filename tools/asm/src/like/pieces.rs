//! The headers and tables of a file as ranges of its bytes.
//! In: a parsed file. Out: [`Piece`]s in a fixed order. Knows no entry.
//! Facts: 3dbrew "SHBIN"; offsets count from the header that has them.

use std::fmt;

use transpica::container::{Constant, DescriptorRecord, Label, Line, OutputRecord, Record, Symbol};
use transpica::{At, Shbin};

use super::place;

/// Length of the DVLB header before the offsets of programs.
pub(super) const DVLB: usize = 8;
/// Lengths of the two forms of the DVLP header.
const DVLP: [usize; 2] = [0x28, 0x1C];
/// Length of a DVLE header.
const DVLE: usize = 0x40;

/// Name of a piece in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct What {
    name: &'static str,
    /// The program that has it.
    program: Option<usize>,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.program {
            Some(program) => write!(f, "{} of DVLE {program}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// A header or table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub what: What,
    /// Index of its header among the pieces; its own for a header.
    pub header: usize,
    /// For a table: the offset field in the header, before the count, and the size of an entry.
    pub field: Option<(usize, usize)>,
    /// Position in the file; anywhere for an empty table.
    pub start: usize,
    /// Length in bytes.
    pub length: usize,
}

impl Piece {
    /// One past its last byte.
    pub fn end(&self) -> usize {
        self.start.saturating_add(self.length)
    }
    /// Its bytes.
    pub fn bytes<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        file.get(self.start..self.end()).unwrap_or(&[])
    }
    /// Its position.
    pub fn position(&self) -> At {
        place(self.start)
    }
    /// Returns whether the two have bytes in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.length > 0 && other.length > 0 && self.start < other.end() && other.start < self.end()
    }
}

/// Reader of headers.
struct List<'a> {
    bytes: &'a [u8],
    program: Option<usize>,
    header: usize,
    pieces: Vec<Piece>,
}

impl List<'_> {
    fn header(&mut self, name: &'static str, start: usize, length: usize) {
        self.header = self.pieces.len();
        let what = What { name, program: self.program };
        self.pieces.push(Piece { what, header: self.header, field: None, start, length });
    }
    /// Adds a table of `length` bytes, whose fields are at `field` of the header.
    fn table(&mut self, name: &'static str, field: usize, entry: usize, length: usize) {
        let base = self.pieces[self.header].start;
        let position = base.saturating_add(field);
        let offset = self.bytes.get(position..position + u32::SIZE).map_or(0, u32::read);
        let start = base.saturating_add(usize::try_from(offset).unwrap_or(usize::MAX));
        let what = What { name, program: self.program };
        self.pieces.push(Piece { what, header: self.header, field: Some((field, entry)), start, length });
    }
}

/// Lists the pieces of a file: its header, then the pieces of the package and of each program.
pub(super) fn pieces(bytes: &[u8], file: &Shbin<'_>) -> Vec<Piece> {
    let mut list = List { bytes, program: None, header: 0, pieces: Vec::new() };
    list.header("DVLB header", 0, DVLB + u32::SIZE * file.executables.len());
    let package = &file.package;
    let is_short = package.short_header;
    list.header("DVLP header", package.start as usize, DVLP[usize::from(is_short)]);
    list.table("code", 0x08, u32::SIZE, package.code.bytes().len());
    list.table("descriptors", 0x10, DescriptorRecord::SIZE, package.descriptors.bytes().len());
    // The fields after a short header belong to something else.
    if !is_short {
        list.table("source lines", 0x18, Line::SIZE, package.lines.bytes().len());
        list.table("file names", 0x20, 1, package.strings.bytes().len());
    }
    for (index, executable) in file.executables.iter().enumerate() {
        list.program = Some(index);
        list.header("header", executable.start as usize, DVLE);
        list.table("constants", 0x18, Constant::SIZE, executable.constants.bytes().len());
        list.table("labels", 0x20, Label::SIZE, executable.labels.bytes().len());
        list.table("output map", 0x28, OutputRecord::SIZE, executable.outputs.bytes().len());
        list.table("symbols", 0x30, Symbol::SIZE, executable.symbols.bytes().len());
        list.table("names", 0x38, 1, executable.strings.bytes().len());
    }
    list.pieces
}
