//! Writer of files in picasso's layout.
//! In: [`Model`]. Out: bytes, equal to picasso's for picasso's files; parsed again they give the
//! same model.
//! Checks nothing: a model that no parser accepts is written as it is.
//! Order: container header and offsets; package header, code, descriptors, source lines and their
//! names; then for each executable header, constants, labels, output map, symbols, names.
//! Everything but names begins at a multiple of 4.

use super::bytes::Record;
use super::dvle;
use super::dvlp;
use super::model::{Executable, Model, NameTable};

/// A length as a 32-bit field. A longer file cannot be represented in this format.
fn field(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The tables that follow a header: their offsets and counts, then their bytes.
struct Tables {
    fields: Vec<u8>,
    bytes: Vec<u8>,
    /// Length of the header: the offset of the first table.
    header: u32,
}

impl Tables {
    fn new(header: u32) -> Self {
        Self { fields: Vec::new(), bytes: Vec::new(), header }
    }
    fn append<T: Record>(&mut self, records: &[T]) {
        self.place(records.len());
        records.iter().for_each(|record| record.write(&mut self.bytes));
    }
    /// Appends names, and zero bytes up to a multiple of 4 that the size field does not count.
    fn put_names(&mut self, names: &NameTable) {
        self.place(names.bytes.len());
        self.bytes.extend_from_slice(&names.bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
    /// Writes the fields of a table that begins here.
    fn place(&mut self, count: usize) {
        field(self.header as usize + self.bytes.len()).write(&mut self.fields);
        field(count).write(&mut self.fields);
    }
    fn append_to(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.fields);
        out.extend_from_slice(&self.bytes);
    }
}

/// Writes a file.
///
/// ```
/// use transpica::container::{Model, write};
/// use transpica::Shbin;
/// let bytes = std::fs::read("shaders/library.shbin")?;
/// assert_eq!(write(&Model::from(&Shbin::parse(&bytes)?)), bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(model: &Model) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(b"DVLB");
    field(model.executables.len()).write(&mut out);
    let table = out.len();
    out.resize(table + 4 * model.executables.len(), 0);
    package(model, &mut out);
    for (index, executable) in model.executables.iter().enumerate() {
        let start = field(out.len()).to_le_bytes();
        out[table + 4 * index..][..4].copy_from_slice(&start);
        write_executable(executable, &mut out);
    }
    out
}

/// Appends the package.
fn package(model: &Model, out: &mut Vec<u8>) {
    out.extend_from_slice(b"DVLP");
    model.version.write(out);
    model.reserved.write(out);
    let mut tables = Tables::new(dvlp::HEADER);
    tables.append(&model.code);
    tables.append(&model.descriptors);
    tables.append(&model.lines);
    if model.names.bytes.is_empty() {
        // picasso writes offset 0 for a missing string table.
        tables.fields.resize(tables.fields.len() + 2 * u32::SIZE, 0);
    } else {
        tables.put_names(&model.names);
    }
    tables.append_to(out);
}

/// Appends one executable.
fn write_executable(executable: &Executable, out: &mut Vec<u8>) {
    out.extend_from_slice(b"DVLE");
    executable.header.write(out);
    let mut tables = Tables::new(dvle::HEADER);
    tables.append(&executable.constants);
    tables.append(&executable.labels);
    tables.append(&executable.outputs);
    tables.append(&executable.symbols);
    tables.put_names(&executable.names);
    tables.append_to(out);
}
