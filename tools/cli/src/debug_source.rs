//! The source of a program, for debuggers and for names in texts: the text that was assembled, the
//! one that its file names, or a disassembly.

use std::fs;
use std::path::Path;

use transpica::container::Dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{DebugSource, Environment, Sourced};
use transpica::{Profile, Shbin};
use transpica_asm::dis::{DisassemblerOptions, disassemble};
use transpica_asm::{SourceText, assemble};

use crate::input::Input;

/// Returns the environment of a program with the text that was assembled, whose names texts have.
/// Where there is none and modules have debug information, it is the text that its file names line
/// by line, if it lies in the same folder, else a disassembly. Without any the library makes a
/// listing.
pub fn sourced<'a>(
    environment: &'a FileEnvironment<'a>,
    file: &Shbin<'_>,
    profile: &Profile,
    input: &Input,
) -> Box<dyn Environment + 'a> {
    let other = || {
        let named = named_source(file, environment.executable(), &input.path);
        named.or_else(|| disassembled(file, &input.path))
    };
    match input.debug_source().or_else(|| profile.debug_info.then(other).flatten()) {
        Some(source) => Box::new(Sourced { environment, source }),
        None => Box::new(environment),
    }
}

/// Returns the source file of the entry point with the line of each word that comes from it.
fn named_source(file: &Shbin<'_>, executable: &Dvle<'_>, path: &Path) -> Option<DebugSource> {
    let line = |word| file.package.source_line(word);
    let source = line(executable.header.main as usize)?.0;
    // Only names count: a file must not choose a folder.
    let name = source.to_text();
    let name = Path::new(&*name).file_name()?;
    let text = fs::read_to_string(path.with_file_name(name)).ok()?;
    let lines = (0..file.package.code.len()).map(|word| match line(word) {
        Some((name, line)) if name == source => line,
        Some(_) | None => 0,
    });
    let (name, lines) = (name.to_string_lossy().into_owned(), lines.collect());
    Some(DebugSource { name, text, lines, ..DebugSource::default() })
}

/// Returns the text of a file with the line of each word, where it assembles again.
fn disassembled(file: &Shbin<'_>, path: &Path) -> Option<DebugSource> {
    let name = &*path.file_name()?.to_string_lossy();
    let text = disassemble(file, &DisassemblerOptions::default()).ok()?;
    let assembled = assemble(&[SourceText { name, text: &text }]).ok()?;
    let lines = assembled.places.iter().map(|place| place.line).collect();
    // Not that of a source: its lines are others.
    Some(DebugSource { name: format!("{name}.pica"), text, lines, ..DebugSource::default() })
}
