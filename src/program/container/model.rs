//! The content of a file: what tools build or change, and [`write`](super::write()) turns into
//! bytes.
//! In: a parsed file, or an assembler's output. Out: [`Model`]. Has no offsets except of names in
//! their tables; knows no instruction.

use super::bytes::{Name, NameOffset, Strings};
use super::dvlb::Shbin;
use super::dvle::{Dvle, Header};
use super::dvlp::Version;
use super::records::{Constant, DescriptorRecord, Label, Line, OutputRecord, Symbol};

/// Names in one block of bytes, each ended by a zero byte.
///
/// ```
/// let mut names = transpica::container::NameTable::default();
/// let (first, second) = (names.add(b"projection"), names.add(b"eye"));
/// assert_eq!((names.get(first).0, names.get(second).0), (&b"projection"[..], &b"eye"[..]));
/// assert_eq!(names.bytes, b"projection\0eye\0");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameTable {
    /// The bytes of the table.
    pub bytes: Vec<u8>,
}

impl NameTable {
    /// Appends a name, up to its first zero byte if it has one.
    pub fn add(&mut self, name: &[u8]) -> NameOffset {
        // A longer table would make a file that no reader accepts.
        let offset = NameOffset(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        self.bytes.extend(name.iter().copied().take_while(|&byte| byte != 0));
        self.bytes.push(0);
        offset
    }
    /// Returns the last name if it is the same, else appends the name.
    #[doc(hidden)]
    pub fn add_after(&mut self, last: Option<NameOffset>, name: &[u8]) -> NameOffset {
        last.filter(|&last| self.get(last).0 == name).unwrap_or_else(|| self.add(name))
    }
    /// The name at an offset; empty beyond the table.
    pub fn get(&self, offset: NameOffset) -> Name<'_> {
        Strings::new(&self.bytes).get(offset)
    }
}

impl From<Strings<'_>> for NameTable {
    fn from(strings: Strings<'_>) -> Self {
        Self { bytes: strings.bytes().to_vec() }
    }
}

/// One executable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executable {
    /// The header, without magic and table fields.
    pub header: Header,
    /// Constants that binding the executable loads.
    pub constants: Vec<Constant>,
    /// Labels.
    pub labels: Vec<Label>,
    /// The output map.
    pub outputs: Vec<OutputRecord>,
    /// Bind symbols; picasso sorts them by register.
    pub symbols: Vec<Symbol>,
    /// The names of symbols and labels.
    pub names: NameTable,
}

impl From<&Dvle<'_>> for Executable {
    fn from(executable: &Dvle<'_>) -> Self {
        Self {
            header: executable.header,
            constants: executable.constants.iter().collect(),
            labels: executable.labels.iter().collect(),
            outputs: executable.outputs.iter().collect(),
            symbols: executable.symbols.iter().collect(),
            names: executable.strings.into(),
        }
    }
}

/// The content of a file. picasso gives a package [`Version::default`] and an executable
/// [`Version::PICASSO`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Version of the tool that made the package.
    pub version: Version,
    /// Zero in known files.
    pub reserved: u16,
    /// The code words.
    pub code: Vec<u32>,
    /// The operand descriptors.
    pub descriptors: Vec<DescriptorRecord>,
    /// Source lines of the code words.
    pub lines: Vec<Line>,
    /// Names of the source files.
    pub names: NameTable,
    /// The executables.
    pub executables: Vec<Executable>,
}

impl From<&Shbin<'_>> for Model {
    fn from(file: &Shbin<'_>) -> Self {
        let package = &file.package;
        Self {
            version: package.version,
            reserved: package.reserved,
            code: package.code.iter().collect(),
            descriptors: package.descriptors.iter().collect(),
            lines: package.lines.iter().collect(),
            names: package.strings.into(),
            executables: file.executables.iter().map(Executable::from).collect(),
        }
    }
}
