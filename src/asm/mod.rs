//! The assembler for the language of devkitPro's picasso: text to a container, byte for byte what picasso 2.7.1 writes.
//! In: named texts, linked into one program. Out: the file and the source line of each word, or located errors.
//! Knows nothing about execution: what it writes is judged by the reader of the container and by nobody else.
//! Facts: picasso's manual and what it did with probe files; those of them that differ from the manual are told at the place.

mod assembler;
mod block;
mod constant;
mod descriptors;
mod directive;
mod exact;
mod executable;
mod flow;
mod header;
mod instruction;
mod lex;
mod operand;
mod output;
mod recover;
mod report;
mod space;

use crate::container::Model;

/// What the disassembler must know of the language.
pub(crate) mod syntax {
    pub(crate) use super::block::{breaks, steers};
    pub(crate) use super::constant::float24;
    pub(crate) use super::descriptors::{significant, significant_address, significant_compare};
    pub(crate) use super::directive::{DUMMY_OUTPUT, OUTPUT_TYPES};
    pub(crate) use super::exact::name_text;
    pub(crate) use super::executable::{HEADER_FIELDS, version_number};
    pub(crate) use super::lex::is_name;
    pub(crate) use super::operand::{BOOL, FLOAT, INT, is_register_name};
    pub(crate) use super::space::{Kind as UniformKind, Space};
}

pub use report::{Diagnostic, Report, Span};

#[cfg(test)]
mod tests;

/// A text to assemble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// What messages call it, usually its path.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// How to assemble; the default is what picasso does without options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Warn where hardware needs a NOP at the end of a block, instead of inserting it.
    pub no_nop: bool,
}

/// Where a code word comes from.
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
    /// What the file says.
    pub model: Model,
    /// The file, which [`Shbin::parse`](crate::container::Shbin::parse) reads.
    pub bytes: Vec<u8>,
    /// What looked like a mistake.
    pub warnings: Vec<Diagnostic>,
    /// Names of the files that [`places`](Self::places) refers to: the sources, then those that line markers named.
    pub files: Vec<String>,
    /// The source map: the place of each code word.
    pub places: Vec<Place>,
    /// A C header that names the uniforms, as picasso writes it.
    pub header: String,
}

/// Assembles sources into one file: they share code, descriptors and procedures, and each makes an executable.
///
/// ```
/// use transpica::asm::{Source, assemble};
/// let text = ".fvec projection[4]\n.out outpos position\n.proc main\n\tmul outpos, projection[2], v0\n\tend\n.end";
/// let assembled = assemble(&[Source { name: "scale.v.pica", text }])?;
/// let file = transpica::container::Shbin::parse(&assembled.bytes).expect("well formed");
/// assert_eq!(file.package.code.iter().collect::<Vec<_>>(), [0x2002_2000, 0x8800_0000]);
/// assert_eq!(assembled.places[1].line, 5);
/// # Ok::<(), transpica::asm::Report>(())
/// ```
///
/// # Errors
/// The first thing that picasso would refuse.
pub fn assemble(sources: &[Source<'_>]) -> Result<Assembled, Report> {
    assemble_with(sources, &Options::default())
}

/// [`assemble`] with options.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_with(sources: &[Source<'_>], options: &Options) -> Result<Assembled, Report> {
    assembler::Assembler::new(*options).run(sources)
}
