//! The assembler for the language of devkitPro's picasso, byte for byte as picasso 2.7.1.
//!
//! In: named texts, linked into one program. Out: the file, a C header, the source line of each
//! word; or every independent error with its place and a hint.
//! Knows nothing about execution; the container's parser alone decides whether the output is valid.
//! Facts: picasso's manual and probes. Differences between the two are documented where they occur.
//!
//! Where picasso silently accepts a doubtful text (`1.0/255.0` is 1.0, `R1` is v1, `r010` is r8),
//! the bytes are the same here, with a warning. Three errors are ours: more than 4096 code words,
//! procedures or else-parts of more than 1023 words, and with [`AssemblerOptions::no_nop`] an
//! entry point behind the last word. picasso writes those into fields that cannot hold them.
//!
//! ```
//! use transpica::asm::{SourceText, assemble};
//! let text = ".out - position o0\n.proc main\n    mov o0, v0\n    end\n.end\n";
//! match assemble(&[SourceText { name: "copy.v.pica", text }]) {
//!     Ok(assembled) => assert_eq!(&assembled.bytes[..4], b"DVLB"), // the .shbin
//!     Err(report) => eprintln!("{report}"), // every error with file, line and column
//! }
//! ```
//!
//! # Beyond picasso
//!
//! The [disassembler](crate::dis) needs syntax for what picasso never writes. picasso rejects each
//! of these:
//!
//! | text | semantics |
//! |---|---|
//! | `.dvle` | the rest of the text is a source of its own |
//! | `.word BITS` | a code word |
//! | `ifc cmp.x, 0x12, 3` | targets and lengths as numbers; no block is opened |
//! | `.opdesc BITS [USAGE [RESERVED]]` | the next descriptor, whose bits are all significant |
//! | `.verbatim` | the code as written, see below |
//! | `.package FIELD N` | `version` or `reserved` of the package, which then needs no executable |
//! | `.line FILE N` | the next entry of the table of source lines |
//! | `.header FIELD N` | a header field, see below |
//! | `.symbol NAME FIRST LAST` | the next bind symbol; the table then keeps the order of the text |
//! | `.constant KIND REGISTER WORD WORD WORD WORD` | the next constant |
//! | `.output KIND REGISTER MASK RESERVED` | the next entry of the output map |
//! | `.label NAME ADDRESS ID LENGTH` | the next label |
//!
//! After `.verbatim` there are no padding NOPs and no limit of 512 words, and one instruction may
//! read any two input registers. `dphi`, `dsti`, `sgei`, `slti`, `madi` name the inverted form and
//! the other mnemonics the plain one.
//!
//! The header fields are `version`, `kind`, `flags`, `main`, `endmain`, `inputs`, `outputs`,
//! `mode`, `start`, `vertices` and `fixed`.
//!
//! Numbers are decimal or `0x`. Names in tables may contain any byte: `%2D` stands for one, `-` for
//! no name. After `.opdesc` or `.verbatim` an instruction may end in `@N`, which selects descriptor
//! N, and `^ BITS`, which flips bits of the word without operand syntax; `._` is a mask without
//! components, `true6` and `true7` are the comparisons that always hold.

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
mod output;
mod recover;
mod register;
mod report;
mod space;
mod state;

use crate::container::Model;

/// The parts of the language that the disassembler shares.
pub(crate) mod syntax {
    pub(crate) use super::block::{is_break, is_jump_or_call};
    pub(crate) use super::constant::float24;
    pub(crate) use super::descriptors::significant;
    pub(crate) use super::directive::{DUMMY_OUTPUT, OUTPUT_TYPES};
    pub(crate) use super::executable::{HEADER_FIELDS, version_number};
    pub(crate) use super::extension::name_text;
    pub(crate) use super::lex::is_name;
    pub(crate) use super::register::{BOOL, FLOAT, INT, is_register_name, register_name};
    pub(crate) use super::space::{Space, UniformKind};
}

pub use report::{Diagnostic, LeftOut, Report, Span, did_you_mean};

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
    /// The file, for [`Shbin::parse`](crate::container::Shbin::parse).
    pub bytes: Vec<u8>,
    /// Warnings, at most a hundred.
    pub warnings: Vec<Diagnostic>,
    /// Number of further warnings.
    pub left_out: LeftOut,
    /// The files of [`places`](Self::places): the sources, then those that line markers name.
    pub files: Vec<String>,
    /// The source map: the place of each code word.
    pub places: Vec<Place>,
    /// A C header with the registers of uniforms, as in picasso.
    pub header: String,
}

/// Assembles sources into one file. They share code, descriptors and procedures, and each has an
/// executable.
///
/// ```
/// use transpica::asm::{SourceText, assemble};
/// let text = ".fvec projection[4]\n.out outpos position\n\
///             .proc main\n\tmul outpos, projection[2], v0\n\tend\n.end";
/// let assembled = assemble(&[SourceText { name: "scale.v.pica", text }])?;
/// let file = transpica::Shbin::parse(&assembled.bytes).expect("well formed");
/// assert_eq!(file.package.code.iter().collect::<Vec<_>>(), [0x2002_2000, 0x8800_0000]);
/// assert_eq!(assembled.places[1].line, 5);
/// # Ok::<(), transpica::asm::Report>(())
/// ```
///
/// # Errors
/// Every error that picasso has, except those that another error causes.
pub fn assemble(sources: &[SourceText<'_>]) -> Result<Assembled, Report> {
    assemble_with(sources, &AssemblerOptions::default())
}

/// [`assemble`] with options.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_with(sources: &[SourceText<'_>], options: &AssemblerOptions) -> Result<Assembled, Report> {
    state::Assembler::new(*options).run(sources)
}
