//! Assembler, disassembler and lint of PICA200 (Nintendo 3DS) shader programs.
//!
//! * the root: texts in the language of devkitPro's picasso to a `.shbin`, byte for byte;
//! * [`dis`]: a `.shbin` to text that assembles to the same code and tables;
//! * [`like`]: an assembled text in the layout of the file that it was made from;
//! * [`examine`], [`values`]: declarations, blocks, definitions and uses, for editors;
//! * [`format()`]: the layout of a text;
//! * [`vertex`]: formats of vertices, which comments beside `.in` declare;
//! * [`manual`]: help on instructions, directives and the language, as Markdown;
//! * [`mod@lint`]: findings about doubtful code: what hardware does not tolerate, and likely
//!   mistakes.
//!
//! [`guide`] leads from text to readable WGSL on the command line, [`guide::language`] has the
//! language on one page. `transpica` translates programs,
//! and does not depend on this crate.
//!
//! ```
//! use transpica_asm::{SourceText, assemble};
//! let text = ".out - position o0\n.proc main\n    mov o0, v0\n    end\n.end\n";
//! match assemble(&[SourceText { name: "copy.v.pica", text }]) {
//!     Ok(assembled) => assert_eq!(&assembled.bytes[..4], b"DVLB"), // the .shbin
//!     Err(report) => eprintln!("{report}"), // every error with file, line and column
//! }
//! ```
//!
//! Where picasso silently accepts a doubtful text (`1.0/255.0` is 1.0, `R1` is v1, `r010` is r8),
//! the bytes are the same here, with a warning. Five errors are ours: more than 4096 code words,
//! procedures or else-parts of more than 1023 words, an index such as `a0.z`, a malformed
//! declaration of a [`vertex`] format, and with [`AssemblerOptions::no_nop`] an entry point after
//! the last word. picasso takes the index for 0, the declaration for a comment, and writes the
//! others into fields that cannot hold them.
//!
//! # Beyond picasso
//!
//! The [disassembler](mod@dis) needs syntax for what picasso never writes. picasso rejects each
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

#![forbid(unsafe_code)]

mod asm;
pub mod dis;
mod format;
pub mod like;
pub mod lint;
pub mod manual;
pub mod names;
pub mod values;
pub mod vertex;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{cfg, entity, limits, precision, words};

pub use asm::{
    Assembled, AssemblerOptions, BlockSpan, Diagnostic, Directive, LeftOut, Line, Outline, Place, Report,
    SourceText, Span, Symbol, SymbolKind, assemble, assemble_with, directives, examine, line_and_column,
    output_types, stem,
};
pub use format::format;

#[doc = include_str!("guide/homebrew.md")]
pub mod guide {
    #[doc = include_str!("guide/language.md")]
    pub mod language {}
}
