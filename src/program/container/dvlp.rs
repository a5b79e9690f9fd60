//! The program package (DVLP): the data that all executables of a file share.
//! In: the package's header. Out: views of code, descriptors and debug tables. Knows no executable.
//! Facts: 3dbrew "SHBIN"; nihstro writes only the first 28 bytes of the header.

use super::bytes::{Extent, Name, Reader, Record, Strings, Table, record};
use super::records::{DescriptorRecord, Line};
use crate::error::Result;

/// Length of the long header.
pub(super) const HEADER: u32 = 0x28;
/// Length of the header without the fields of debug tables.
const SHORT_HEADER: u32 = 0x1C;

record! {
    /// A tool version.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    Version {
        /// First byte.
        major: u8,
        /// Second byte.
        minor: u8,
    }
}

impl Version {
    /// The version that picasso writes into an executable. Into the package it writes 0.
    pub const PICASSO: Self = Self { major: 2, minor: 0x10 };
}

/// The program package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dvlp<'a> {
    /// Its offset in the file.
    pub start: u32,
    /// Version of the tool that made it.
    pub version: Version,
    /// Zero in known files.
    pub reserved: u16,
    /// The header ends before the fields of debug tables.
    pub short_header: bool,
    /// The code words.
    pub code: Table<'a, u32>,
    /// The operand descriptors.
    pub descriptors: Table<'a, DescriptorRecord>,
    /// Debug information: entry k is the source line of code word k.
    pub lines: Table<'a, Line>,
    /// Names of the source files.
    pub strings: Strings<'a>,
}

impl<'a> Dvlp<'a> {
    /// Parses the package at `start`; `executables` are the offsets of the file's executables.
    pub(super) fn parse(
        reader: &mut Reader<'a>,
        start: u32,
        executables: impl Iterator<Item = u32>,
    ) -> Result<Self> {
        let header = reader.header::<{ SHORT_HEADER as usize }>(start, "DVLP", "the DVLP header")?;
        let code = Extent::read(header, start, 0x08, "code");
        let descriptors = Extent::read(header, start, 0x10, "operand descriptor table");
        let mut package = Self {
            start,
            version: Version::read(&header[4..]),
            reserved: u16::read(&header[6..]),
            short_header: true,
            code: reader.table(&code)?,
            descriptors: reader.table(&descriptors)?,
            lines: Table::default(),
            strings: Strings::default(),
        };
        // nihstro's header ends after 28 bytes: code, descriptors or an executable may follow
        // there.
        if code.offset.min(descriptors.offset) >= HEADER && executables_spare_header(start, executables) {
            package.parse_debug(reader)?;
        }
        Ok(package)
    }
    /// Parses the debug tables, if the file is long enough.
    fn parse_debug(&mut self, reader: &mut Reader<'a>) -> Result<()> {
        let Ok(header) = reader.header::<{ HEADER as usize }>(self.start, "DVLP", "the DVLP header") else {
            return Ok(());
        };
        self.short_header = false;
        let lines = Extent::read(header, self.start, 0x18, "line table");
        let strings = Extent::read(header, self.start, 0x20, "DVLP string table");
        self.lines = reader.table(&lines)?;
        let table = self.lines;
        self.strings = reader
            .strings(&strings, table.iter().enumerate().map(|(k, line)| (line.file, table.place(k))))?;
        Ok(())
    }
    /// Source file and line of a code word, if the file has them.
    pub fn source_line(&self, word: usize) -> Option<(Name<'a>, u32)> {
        self.lines.get(word).map(|line| (self.strings.get(line.file), line.line))
    }
}

/// Returns whether no executable begins inside the last three words of the long header.
fn executables_spare_header(start: u32, mut executables: impl Iterator<Item = u32>) -> bool {
    let (first, end) = (start.saturating_add(SHORT_HEADER), start.saturating_add(HEADER));
    !executables.any(|executable| (first..end).contains(&executable))
}
