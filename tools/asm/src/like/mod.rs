//! The layout of an original for assembled programs: people edit the text of a shipped file, and
//! only what the edit needs changes.
//!
//! In: the bytes of the original, an assembled program. Out: the program's bytes in the layout of
//! the original, what changed, what could not be kept. Knows no text and no semantics of tables.
//! Facts: 3dbrew "SHBIN"; loaders find every table by its offset.
//!
//! An unchanged program gives the original byte for byte, whatever the order of its tables, the
//! bytes between them and the sharing of names. A changed entry is written where it was. A table
//! with more or fewer entries moves what follows it, and its padding keeps the alignment. A new
//! name takes the place of the one that it replaces, or follows the others.
//!
//! Files: `pieces.rs` tables of a file; `numbers.rs` descriptors, `names.rs` names with the numbers
//! and places of the original; `edit.rs` the new bytes

mod edit;
mod names;
mod numbers;
mod pieces;

use edit::Edits;
use names::Names;
use pieces::pieces;
use transpica::container::{Executable, Label, Line, Model, Name, NameOffset, Record, Symbol, write};
use transpica::{At, Result, Shbin, Warning};

use crate::Assembled;
use crate::dis::content;

#[cfg(test)]
mod tests;

/// A program in the layout of another file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The file.
    pub bytes: Vec<u8>,
    /// Each table that differs from the original, with its offset there.
    pub changes: Vec<Warning>,
    /// Parts of the layout that could not be kept, with their offsets in the original.
    pub lost: Vec<Warning>,
}

/// Lays an assembled program out as an original, from whose text it was made.
///
/// ```
/// use transpica::Shbin;
/// use transpica_asm::dis::{DisassemblerOptions, disassemble};
/// use transpica_asm::{SourceText, assemble, like};
/// let mut original = std::fs::read("../../shaders/textured.shbin")?;
/// original.extend(b"bytes that no table has");
/// let text = disassemble(&Shbin::parse(&original)?, &DisassemblerOptions::default())?;
/// let build = |text| assemble(&[SourceText { name: "textured.pica", text }]);
/// assert_eq!(like::keep_layout(&original, &build(&text)?)?.bytes, original);
///
/// let edited = build(&text.replace("mul o2, float_95.w", "mul o2, float_95.z"))?;
/// let kept = like::keep_layout(&original, &edited)?;
/// assert_eq!((kept.bytes.len(), kept.lost.len()), (original.len(), 0));
/// let changes: Vec<_> = kept.changes.iter().map(|change| change.text.as_str()).collect();
/// assert_eq!(changes, ["descriptors: 2 of 64 bytes differ"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The original is malformed; the error has an offset in it.
pub fn keep_layout(original: &[u8], assembled: &Assembled) -> Result<Kept> {
    // Listed descriptors have the numbers that the text gives them.
    keep_layout_of(original, &assembled.model, !assembled.lists_descriptors)
}

/// Lays the content of a file out as an original. Descriptors that may have other numbers get those
/// of the original.
///
/// # Errors
/// The original is malformed; the error has an offset in it.
pub fn keep_layout_of(original: &[u8], model: &Model, may_renumber: bool) -> Result<Kept> {
    let file = Shbin::parse(original)?;
    let old = Model::from(&file);
    if is_same(&old, model) {
        return Ok(Kept { bytes: original.to_vec(), ..Kept::default() });
    }
    let renumbered = may_renumber.then(|| numbers::keep(&old, model)).flatten();
    let wanted = renumbered.as_ref().unwrap_or(model);
    let lost = match edited(original, &file, &old, wanted) {
        Ok(kept) if holds(&kept.bytes, wanted) => return Ok(kept),
        // A table that moves can still share a header, or what a header needs.
        Ok(_) => ("programs share bytes that the edit changes".to_owned(), place(pieces::DVLB)),
        Err(lost) => lost,
    };
    let lost = Warning { text: format!("the layout is lost: {}", lost.0), at: lost.1 };
    Ok(Kept { bytes: write(model), changes: Vec::new(), lost: vec![lost] })
}

/// Lists the tables that an assembled text does not have where this file has them, or not with its
/// bytes: [`keep_layout`] does. Empty for a file as picasso writes it.
///
/// # Errors
/// The file is malformed; the error has an offset in it.
pub fn rearranged(original: &[u8]) -> Result<Vec<Warning>> {
    let file = Shbin::parse(original)?;
    let plain = write(&content(&Model::from(&file)));
    if plain == original {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    if let Ok(again) = Shbin::parse(&plain) {
        let again = pieces(&plain, &again);
        for old in &pieces(original, &file) {
            // A short header has fewer tables.
            let Some(new) = again.iter().find(|new| new.what == old.what) else { continue };
            let text = if old.length > 0 && old.start != new.start {
                format!("{}: asm writes it at offset {:#x}", old.what, new.start)
            } else if old.field.is_some() && old.bytes(original) != new.bytes(&plain) {
                format!("{}: asm writes other bytes", old.what)
            } else {
                continue;
            };
            found.push(Warning { text, at: old.position() });
        }
    }
    if found.is_empty() {
        let differs = plain.iter().zip(original).position(|(a, b)| a != b);
        let at = differs.unwrap_or(plain.len().min(original.len()));
        found.push(Warning { text: "asm writes no bytes outside tables".into(), at: place(at) });
    }
    Ok(found)
}

/// Converts a position in a file, which fits 32 bits.
fn place(position: usize) -> At {
    At::Offset(u32::try_from(position).unwrap_or(u32::MAX))
}

/// Writes the wanted content into the layout of the original, or says why it cannot have it.
fn edited(
    original: &[u8],
    file: &Shbin<'_>,
    old: &Model,
    wanted: &Model,
) -> std::result::Result<Kept, (String, At)> {
    let (before, now) = (old.executables.len(), wanted.executables.len());
    if before != now {
        return Err((format!("{now} programs instead of {before}"), At::Offset(4)));
    }
    if file.package.short_header && !(wanted.lines.is_empty() && wanted.names.bytes.is_empty()) {
        let at = At::Offset(file.package.start);
        return Err(("the short DVLP header has no field for source lines".into(), at));
    }
    let pieces = pieces(original, file);
    let tables = tables(old, wanted, file.package.short_header);
    let edits = Edits::new(original, &pieces, tables);
    Ok(edits.apply(wanted))
}

/// The bytes of every piece with a table, in the order of [`pieces`]; empty ones for headers.
fn tables(old: &Model, wanted: &Model, is_short: bool) -> Vec<Vec<u8>> {
    let mut names = Names::new(&old.names);
    let lines = wanted.lines.clone();
    let [files] = names.place([(lines_of(old), lines_of(wanted))]);
    let lines = lines.into_iter().zip(files).map(|(line, file)| Line { file, ..line });
    let mut tables = vec![
        Vec::new(),
        Vec::new(),
        bytes(wanted.code.iter().copied()),
        bytes(wanted.descriptors.iter().copied()),
        bytes(lines),
        names.into_bytes(),
    ];
    // A short header has no fields for the last two.
    tables.truncate(if is_short { 4 } else { 6 });
    for (old, wanted) in old.executables.iter().zip(&wanted.executables) {
        let mut names = Names::new(&old.names);
        let [of_symbols, of_labels] =
            names.place([(symbols_of(old), symbols_of(wanted)), (labels_of(old), labels_of(wanted))]);
        let symbols = wanted.symbols.iter().zip(of_symbols).map(|(&symbol, name)| Symbol { name, ..symbol });
        let labels = wanted.labels.iter().zip(of_labels).map(|(&label, name)| Label { name, ..label });
        tables.push(Vec::new());
        tables.push(bytes(wanted.constants.iter().copied()));
        tables.push(bytes(labels));
        tables.push(bytes(wanted.outputs.iter().copied()));
        tables.push(bytes(symbols));
        tables.push(names.into_bytes());
    }
    tables
}

fn bytes<T: Record>(records: impl Iterator<Item = T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    records.for_each(|record| record.write(&mut bytes));
    bytes
}

/// Returns whether a file has this content.
fn holds(bytes: &[u8], wanted: &Model) -> bool {
    Shbin::parse(bytes).is_ok_and(|file| is_same(&Model::from(&file), wanted))
}

/// An entry with a name: its other fields, its name, the place of the name.
type Named<'a> = ([u32; 3], Name<'a>, NameOffset);

fn lines_of(model: &Model) -> Vec<Named<'_>> {
    let lines = model.lines.iter();
    lines.map(|line| ([line.line, 0, 0], model.names.get(line.file), line.file)).collect()
}

fn symbols_of(executable: &Executable) -> Vec<Named<'_>> {
    let key = |symbol: &Symbol| [symbol.first.into(), symbol.last.into(), 0];
    let symbols = executable.symbols.iter();
    symbols.map(|symbol| (key(symbol), executable.names.get(symbol.name), symbol.name)).collect()
}

fn labels_of(executable: &Executable) -> Vec<Named<'_>> {
    let labels = executable.labels.iter();
    let named = |label: &Label| {
        ([label.id, label.address, label.length], executable.names.get(label.name), label.name)
    };
    labels.map(named).collect()
}

/// Returns whether two files have the same content: all but the layout of names.
fn is_same(one: &Model, other: &Model) -> bool {
    fn same(one: &[Named<'_>], other: &[Named<'_>]) -> bool {
        one.iter().map(|(key, name, _)| (key, name)).eq(other.iter().map(|(key, name, _)| (key, name)))
    }
    let all = one.executables.iter().zip(&other.executables);
    (one.version, one.reserved, one.executables.len())
        == (other.version, other.reserved, other.executables.len())
        && (&one.code, &one.descriptors) == (&other.code, &other.descriptors)
        && same(&lines_of(one), &lines_of(other))
        && all.into_iter().all(|(one, other)| {
            (one.header, &one.constants, &one.outputs) == (other.header, &other.constants, &other.outputs)
                && same(&symbols_of(one), &symbols_of(other))
                && same(&labels_of(one), &labels_of(other))
        })
}
