//! The container header (DVLB): the executables' offsets. The package follows it.
//! In: a whole file. Out: [`Shbin`]. Facts: 3dbrew "SHBIN".

use super::bytes::{Reader, Record, Table};
use super::dvle::Dvle;
use super::dvlp::Dvlp;
use crate::error::{At, Error, Kind, Result};
use crate::limits::{Limits, check};

/// Length of the header before the offsets of the executables.
pub(super) const HEADER: u32 = 8;

/// A parsed file: every field and table, borrowed from the bytes.
///
/// ```
/// let bytes = std::fs::read("shaders/textured.shbin")?;
/// let file = transpica::Shbin::parse(&bytes)?;
/// let executable = &file.executables[0];
/// let symbols = executable.symbols.iter();
/// let names: Vec<_> = symbols.map(|s| executable.name(s.name).to_string()).collect();
/// assert_eq!(names, ["inpos", "inuv", "incol", "projection", "modelView", "texScale"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shbin<'a> {
    /// The package that all executables share.
    pub package: Dvlp<'a>,
    /// The executables, in file order.
    pub executables: Vec<Dvle<'a>>,
    /// Bytes from the start to the end of the last structure. More bytes may follow: a file inside
    /// of another one need not be cut out before it is parsed.
    pub length: u32,
}

impl<'a> Shbin<'a> {
    /// Parses a file.
    ///
    /// # Errors
    /// A malformed file (sizes and offsets outside the file), or more executables than
    /// [`Limits::executables`] allows by default. The error has an offset in the file.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes)?;
        let header = reader.header::<{ HEADER as usize }>(0, "DVLB", "the DVLB header")?;
        let count = u32::read(&header[4..]);
        check("executables", count as usize, Limits::default().executables, At::Offset(4))?;
        let offsets = reader.executable_table(count)?;
        let package = Dvlp::parse(&mut reader, HEADER + 4 * count, offsets.iter())?;
        let mut executables = Vec::with_capacity(offsets.len());
        for start in offsets.iter() {
            executables.push(Dvle::parse(&mut reader, start, package.code.len())?);
        }
        Ok(Self { package, executables, length: reader.reached })
    }
    /// The executable at an index.
    ///
    /// # Errors
    /// [`Kind::NoExecutable`].
    pub fn executable(&self, index: usize) -> Result<&Dvle<'a>> {
        let count = self.executables.len();
        let missing = || Error::new(Kind::NoExecutable { index, count }, At::Whole);
        self.executables.get(index).ok_or_else(missing)
    }
}

impl<'a> Reader<'a> {
    /// The offsets of the executables, which follow the header.
    fn executable_table(&self, count: u32) -> Result<Table<'a, u32>> {
        let rest = &self.bytes[HEADER as usize..];
        let need = u64::from(count) * 4;
        let truncated = || {
            let kind = Kind::Truncated { what: "the table of executables", need, have: rest.len() as u64 };
            Error::new(kind, At::Offset(HEADER))
        };
        let bytes = rest.get(..count as usize * 4).ok_or_else(truncated)?;
        Ok(Table::new(bytes, HEADER))
    }
}
