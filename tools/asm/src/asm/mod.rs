//! The assembler for the language of devkitPro's picasso, byte for byte as picasso 2.7.1.
//!
//! In: named texts, linked into one program. Out: the file, a C header, the source line of each
//! word; or every independent error with its place and a hint.
//! Knows nothing about execution; the container's parser alone decides whether the output is valid.
//! Facts: picasso's manual and probes. Differences between the two are documented where they occur.
//!
//! Files: `assembler.rs` sources line by line; `lex.rs` parts of a line; `directive.rs`,
//! `constant.rs`, `extension.rs` directives, the last our own; `instruction.rs`, `operand.rs`,
//! `flow.rs`, `block.rs` instructions; `register.rs`, `descriptors.rs`, `space.rs` names,
//! descriptors, allocation; `executable.rs`, `state.rs` what a source and all sources declare;
//! `output.rs`, `header.rs` the file, the C header; `report.rs` an error and its "did you mean",
//! `messages.rs` those of a run; `recover.rs` after an error; `habits.rs` hints for habits from
//! other languages; `mend.rs` corrected lines

mod assembler;
mod block;
mod constant;
mod descriptors;
mod directive;
mod executable;
mod extension;
mod flow;
mod habits;
mod header;
mod instruction;
mod lex;
mod mend;
mod messages;
mod operand;
mod outline;
mod output;
mod recover;
mod register;
mod report;
mod space;
mod state;

use crate::lint::Finding;
use crate::vertex::VertexFormat;
use transpica::container::Model;

/// The parts of the language that the disassembler shares.
pub(crate) mod syntax {
    pub(crate) use super::block::{is_break, is_jump_or_call};
    pub(crate) use super::constant::float24;
    pub(crate) use super::descriptors::significant;
    pub(crate) use super::directive::{DUMMY_OUTPUT, OUTPUT_TYPES, is_directive};
    pub(crate) use super::executable::{HEADER_FIELDS, version_number};
    pub(crate) use super::extension::name_text;
    pub(crate) use super::lex::is_name;
    pub(crate) use super::register::{BOOL, FLOAT, INT, is_register_name, register_name};
    pub(crate) use super::space::{Space, UniformKind};
}

pub use directive::{Directive, directives, output_types};
pub use lex::Line;
pub use outline::{BlockSpan, Outline, Symbol, SymbolKind};
pub use report::{Diagnostic, LeftOut, Report, Span};

/// Assembles a text, or nothing: stops at the first error.
pub(crate) fn assemble_good(text: &str) -> Option<Assembled> {
    let mut assembler = state::Assembler::new(AssemblerOptions::default());
    assembler.stops_at_first_error = true;
    assembler.run(&[SourceText { name: "", text }]).ok()
}

#[cfg(test)]
mod tests;

/// A text to assemble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceText<'a> {
    /// Its name in messages, usually its path.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Returns the name that all files of a program share: a file name without its ending, and without
/// the one before `.pica` that names a stage or a part.
///
/// ```
/// use transpica_asm::stem;
/// assert_eq!((stem("menu.back.v.pica"), stem("menu.back.shbin")), ("menu.back", "menu.back"));
/// assert_eq!((stem("fog.pica"), stem("library.sky.pica")), ("fog", "library"));
/// ```
pub fn stem(name: &str) -> &str {
    let Some((stem, ending)) = name.rsplit_once('.') else { return name };
    match stem.rsplit_once('.') {
        Some((shared, _)) if ending.eq_ignore_ascii_case("pica") => shared,
        Some(_) | None => stem,
    }
}

/// Options of the assembler; by default those of picasso.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssemblerOptions {
    /// Warn where hardware needs a NOP at the end of a block, instead of inserting it.
    pub no_nop: bool,
}

/// Position of a code word in the sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index in [`Assembled::files`].
    pub file: usize,
    /// Line, from 1.
    pub line: u32,
    /// Column of the statement in characters, from 1.
    pub column: u32,
}

/// An assembled program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// The content of the file.
    pub model: Model,
    /// The same with what only the sources name, for people: symbols of constants and hidden
    /// uniforms, labels of procedures and targets.
    pub named: Model,
    /// The file, for [`Shbin::parse`](transpica::Shbin::parse).
    pub bytes: Vec<u8>,
    /// Warnings, at most a hundred.
    pub warnings: Vec<Diagnostic>,
    /// Number of further warnings.
    pub left_out: LeftOut,
    /// The files of [`places`](Self::places): the sources, then those that line markers name.
    pub files: Vec<String>,
    /// The source map: the place of each code word.
    pub places: Vec<Place>,
    /// Name that the sources give the register that a code word writes; empty without one.
    pub destinations: Vec<String>,
    /// Findings that need the sources: procedures and labels that nothing names, at their
    /// addresses, and formats of vertices that do not fit.
    pub findings: Vec<Finding>,
    /// Declared formats of attributes, for each executable.
    pub formats: Vec<Vec<VertexFormat>>,
    /// The sources list operand descriptors: `.opdesc`.
    pub lists_descriptors: bool,
    /// A C header with the registers of uniforms, as in picasso.
    pub header: String,
}

/// Returns the line and the column in characters of a byte of a text, both from 1. A byte that is
/// none has the place of the end.
///
/// ```
/// assert_eq!(transpica_asm::line_and_column("nop\n\tend", 5), (2, 2));
/// ```
pub fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// Assembles sources into one file. They share code, descriptors and procedures, and each has an
/// executable.
///
/// ```
/// use transpica_asm::{SourceText, assemble};
/// let text = ".fvec projection[4]\n.out outpos position\n\
///             .proc main\n\tmul outpos, projection[2], v0\n\tend\n.end";
/// let assembled = assemble(&[SourceText { name: "scale.v.pica", text }])?;
/// let file = transpica::Shbin::parse(&assembled.bytes).expect("well formed");
/// assert_eq!(file.package.code.iter().collect::<Vec<_>>(), [0x2002_2000, 0x8800_0000]);
/// assert_eq!(assembled.places[1].line, 5);
/// # Ok::<(), transpica_asm::Report>(())
/// ```
///
/// # Errors
/// Every error that picasso has, except those that another error causes.
pub fn assemble(sources: &[SourceText<'_>]) -> Result<Assembled, Report> {
    assemble_with(sources, &AssemblerOptions::default())
}

/// Assembles sources for an editor: returns declarations and blocks even if texts have errors.
///
/// ```
/// use transpica_asm::{SourceText, examine};
/// let text = ".fvec light\n.proc main\n\tmov r0, lihgt\n\tend\n.end";
/// let (assembled, outline) = examine(&[SourceText { name: "a.v.pica", text }]);
/// assert!(assembled.is_err());
/// assert_eq!((outline.symbols[0].name.as_str(), outline.symbols[0].register.as_str()), ("light", "c0"));
/// assert_eq!(&text[outline.blocks[0].start.start..][..4], "main");
/// ```
pub fn examine(sources: &[SourceText<'_>]) -> (Result<Assembled, Report>, Outline) {
    state::Assembler::new(AssemblerOptions::default()).examine(sources)
}

/// [`assemble`] with options.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_with(sources: &[SourceText<'_>], options: &AssemblerOptions) -> Result<Assembled, Report> {
    state::Assembler::new(*options).run(sources)
}
