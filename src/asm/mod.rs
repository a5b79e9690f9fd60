//! The assembler for the language of devkitPro's picasso: text to a container, byte for byte what picasso 2.7.1 writes.
//! In: named texts, linked into one program. Out: the file, a C header, the source line of each word; or every independent
//! error with its place and advice.
//! Knows nothing about execution: what it writes is judged by the reader of the container and by nobody else.
//! Facts: picasso's manual and what it did with probe files; those of them that differ from the manual are told at the place.
//!
//! What picasso takes without a word though it hardly means what it says (`1.0/255.0` is 1.0, `R1` is v1, `r010` is r8)
//! becomes the same bytes here, with a warning. Three refusals are ours: more than 4096 code words, procedures or else-parts
//! of more than 1023 words, and with [`Options::no_nop`] an entry point behind the last word. picasso writes each, into addresses and
//! lengths that cannot hold it.
//!
//! # Beyond picasso
//!
//! The [disassembler](crate::dis) needs words for what picasso never writes. picasso refuses each of these:
//!
//! | text | meaning |
//! |---|---|
//! | `.dvle` | the rest of the text is a source of its own, with its own names, labels and executable |
//! | `.word BITS` | a code word |
//! | `ifc cmp.x, 0x12, 3` | targets and lengths as numbers, in every instruction that has them; no block is opened |
//! | `.opdesc BITS [USAGE [RESERVED]]` | the next entry of the descriptor table, of which every bit counts |
//! | `.verbatim` | from here on the code stands as it is: no padding NOPs, no limit of 512 words, any two input registers in one instruction; `dphi`, `dsti`, `sgei`, `slti`, `madi` name the inverted form and the others the plain one |
//! | `.package FIELD N` | `version` or `reserved` of the package; a file that has it needs no executable |
//! | `.line FILE N` | the next entry of the table of source lines |
//! | `.header FIELD N` | a header field: `version`, `kind`, `flags`, `main`, `endmain`, `inputs`, `outputs`, `mode`, `start`, `vertices`, `fixed` |
//! | `.symbol NAME FIRST LAST` | the next bind symbol; the table then keeps the order of the text |
//! | `.constant KIND REGISTER WORD WORD WORD WORD` | the next setup constant |
//! | `.output KIND REGISTER MASK RESERVED` | the next entry of the output map |
//! | `.label NAME ADDRESS ID LENGTH` | the next label |
//!
//! Numbers are decimal or `0x`. Names in tables may hold any byte: `%2D` stands for one, `-` for no name. After `.opdesc`
//! or `.verbatim` an instruction may end in `@N`, which chooses descriptor N, and `^ BITS`, which flips bits of the word
//! that no operand shows; `._` is a mask without components, `true6` and `true7` are the comparisons that always hold.

mod assembler;
mod block;
mod constant;
mod descriptors;
mod directive;
mod exact;
mod executable;
mod flow;
mod habits;
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
    pub(crate) use super::descriptors::significant;
    pub(crate) use super::directive::{DUMMY_OUTPUT, OUTPUT_TYPES};
    pub(crate) use super::exact::name_text;
    pub(crate) use super::executable::{HEADER_FIELDS, version_number};
    pub(crate) use super::lex::is_name;
    pub(crate) use super::operand::{BOOL, FLOAT, INT, is_register_name};
    pub(crate) use super::space::{Kind as UniformKind, Space};
}

pub use report::{Diagnostic, LeftOut, Report, Span};

/// Assembles a text that is good or of no interest: the first error ends the work.
pub(crate) fn assemble_good(text: &str) -> Option<Assembled> {
    let mut assembler = assembler::Assembler::new(Options::default());
    assembler.is_hasty = true;
    assembler.run(&[Source { name: "", text }]).ok()
}

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
    /// What looked like a mistake, a hundred times at most.
    pub warnings: Vec<Diagnostic>,
    /// How many warnings were left out.
    pub left_out: LeftOut,
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
/// use transpica::stages::asm::{Source, assemble};
/// let text = ".fvec projection[4]\n.out outpos position\n.proc main\n\tmul outpos, projection[2], v0\n\tend\n.end";
/// let assembled = assemble(&[Source { name: "scale.v.pica", text }])?;
/// let file = transpica::stages::container::Shbin::parse(&assembled.bytes).expect("well formed");
/// assert_eq!(file.package.code.iter().collect::<Vec<_>>(), [0x2002_2000, 0x8800_0000]);
/// assert_eq!(assembled.places[1].line, 5);
/// # Ok::<(), transpica::stages::asm::Report>(())
/// ```
///
/// # Errors
/// Everything that picasso would refuse, as far as one thing is not the consequence of another.
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
