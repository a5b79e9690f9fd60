//! Writes a file in picasso's layout.
//! In: [`Model`]. Out: bytes, equal to picasso's for what picasso writes; parsed again they give the same model.
//! Judges nothing: what a parser would refuse is written as it is.
//! Order: container header and table, package header, code, descriptors, source lines and their names, then for each
//! executable header, constants, labels, output map, symbols, names. Everything but names begins at a multiple of 4.

use super::bytes::Record;
use super::dvle;
use super::dvlp;
use super::model::{Executable, Model, NameTable};
use super::records::{Constant, Descriptor, Label, Line, Output, Symbol};

/// A length as the file's fields hold it. What does not fit 32 bits cannot be said in this format.
fn field(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Appends the entries of a table.
fn put<T: Record>(out: &mut Vec<u8>, records: &[T]) {
    records.iter().for_each(|record| record.write(out));
}

/// Appends names and zero bytes up to a multiple of 4, which the size field of the table does not count.
fn put_names(out: &mut Vec<u8>, names: &NameTable) {
    out.extend_from_slice(&names.bytes);
    out.resize(out.len().next_multiple_of(4), 0);
}

/// The bytes of a file.
///
/// ```
/// use transpica::stages::container::{Model, write};
/// use transpica::Shbin;
/// let bytes = include_bytes!("../../shaders/library.shbin");
/// assert_eq!(write(&Model::from(&Shbin::parse(bytes)?)), bytes);
/// # Ok::<(), transpica::Error>(())
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
    let code = dvlp::HEADER as usize;
    let descriptors = code + u32::SIZE * model.code.len();
    let lines = descriptors + Descriptor::SIZE * model.descriptors.len();
    let names = match model.names.bytes.len() {
        0 => 0, // As picasso has it.
        _ => lines + Line::SIZE * model.lines.len(),
    };
    out.extend_from_slice(b"DVLP");
    out.extend_from_slice(&[model.version.major, model.version.minor]);
    out.extend_from_slice(&model.reserved.to_le_bytes());
    let tables = [
        (code, model.code.len()),
        (descriptors, model.descriptors.len()),
        (lines, model.lines.len()),
        (names, model.names.bytes.len()),
    ];
    put_tables(out, &tables);
    put(out, &model.code);
    put(out, &model.descriptors);
    put(out, &model.lines);
    put_names(out, &model.names);
}

/// Appends one executable.
fn write_executable(executable: &Executable, out: &mut Vec<u8>) {
    let constants = dvle::HEADER as usize;
    let labels = constants + Constant::SIZE * executable.constants.len();
    let outputs = labels + Label::SIZE * executable.labels.len();
    let symbols = outputs + Output::SIZE * executable.outputs.len();
    let names = symbols + Symbol::SIZE * executable.symbols.len();
    executable.header.write(out);
    let tables = [
        (constants, executable.constants.len()),
        (labels, executable.labels.len()),
        (outputs, executable.outputs.len()),
        (symbols, executable.symbols.len()),
        (names, executable.names.bytes.len()),
    ];
    put_tables(out, &tables);
    put(out, &executable.constants);
    put(out, &executable.labels);
    put(out, &executable.outputs);
    put(out, &executable.symbols);
    put_names(out, &executable.names);
}

/// Appends offset and count of each table.
fn put_tables(out: &mut Vec<u8>, tables: &[(usize, usize)]) {
    for &(offset, count) in tables {
        field(offset).write(out);
        field(count).write(out);
    }
}
