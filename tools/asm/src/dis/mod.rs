//! The disassembler: a container as text that [assembles](crate::assemble) to the same code words,
//! descriptors and tables.
//!
//! In: a parsed file. Out: text in picasso's language. Knows nothing about execution.
//! Facts: the assembler's; each text is checked by assembling it.
//!
//! Output of picasso becomes text that picasso accepts: procedures and blocks where ranges nest,
//! names from bind symbols, constants, outputs, no padding. Several forms are tried, from the most
//! readable to the most exact. The result is the first one that assembles to the same [`content`]:
//!
//! Files: `section.rs` the whole; `layout.rs` blocks; `code.rs`, `instruction.rs` words;
//! `symbols.rs`, `tables.rs` directives; `names.rs` identifiers; `listing.rs` single words with the
//! names of a file
//!
//! | form | addition |
//! |---|---|
//! | 1 | nothing |
//! | 2 | `.opdesc`: the descriptors are listed, and `@` selects among equivalent ones |
//! | 3 | `.verbatim`: no padding is inserted, `^` flips bits without operand syntax |
//! | 4 | both |
//! | 5 | no names and no blocks: every word, target and table entry as numbers |
//!
//! In every form, single entries that the plain language cannot express are numbers. The
//! [assembler's page](crate) lists that extension of the language. A text with several
//! executables has a line `.dvle` before each of them; picasso accepts the parts as separate files.
//!
//! A file has no names for its procedures, jump targets and constants: these get invented names
//! such as `proc_0`, `label_1` and `float_95`, as do registers without a symbol.

mod code;
mod instruction;
mod layout;
mod listing;
mod names;
mod section;
mod symbols;
mod tables;

pub(crate) use instruction::descriptor_use;
pub use listing::Listing;

use crate::asm::assemble_good;
use transpica::container::{Executable, Model, NameTable};
use transpica::{At, Error, Kind, Limits, Result, Shbin};

use crate::limits::check;

/// Options of the disassembler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisassemblerOptions {
    /// Append address and word of each instruction as a comment.
    pub hex: bool,
}

/// A degree of exactness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    /// Descriptors are listed.
    descriptors: bool,
    /// The code is printed with its padding, after `.verbatim`.
    verbatim: bool,
    /// Names and blocks are used.
    readable: bool,
}

/// The forms, in the order of attempts.
const FORMS: [Form; 5] = [
    Form { descriptors: false, verbatim: false, readable: true },
    Form { descriptors: true, verbatim: false, readable: true },
    Form { descriptors: false, verbatim: true, readable: true },
    Form { descriptors: true, verbatim: true, readable: true },
    Form { descriptors: true, verbatim: true, readable: false },
];

/// Disassembles a file.
///
/// ```
/// use transpica_asm::{SourceText, assemble};
/// use transpica::Shbin;
/// use transpica_asm::dis::{DisassemblerOptions, disassemble};
/// let text = "\
/// .in position v0
/// .fvec projection[4]
/// .out - position o0
///
/// .proc main
///     ifu b3
///         mul o0, projection[2], position
///     .end
///     end
/// .end
/// ";
/// let bytes = assemble(&[SourceText { name: "scale.v.pica", text }])?.bytes;
/// let file = Shbin::parse(&bytes).expect("well formed");
/// assert_eq!(disassemble(&file, &DisassemblerOptions::default()).expect("small").replace('\t', "    "), text);
/// # Ok::<(), transpica_asm::Report>(())
/// ```
///
/// # Errors
/// [`Kind::Limit`] for more code words or descriptors than instructions can address.
pub fn disassemble(file: &Shbin<'_>, options: &DisassemblerOptions) -> Result<String> {
    let model = Model::from(file);
    check_size(&model)?;
    let wanted = content(&model);
    let is_wanted =
        |text: &String| assemble_good(text).is_some_and(|assembled| content(&assembled.model) == wanted);
    let mut texts = FORMS.into_iter().filter_map(|form| section::text(&model, form, *options));
    // The last form prints everything as numbers.
    let problem = || Kind::Backend("the text of this file does not assemble to its bytes".into());
    texts.find(is_wanted).ok_or_else(|| Error::new(problem(), At::Whole))
}

/// Checks that instructions can address all code words and descriptors.
fn check_size(model: &Model) -> Result<()> {
    let limits = Limits::default();
    check("code words", model.code.len(), limits.code_words, At::Whole)?;
    check("operand descriptors", model.descriptors.len(), limits.descriptors, At::Whole)
}

/// The content of a file without the layout of its string tables: names are in the order of their
/// uses, and unused names are dropped. Two files with the same content differ in nothing else.
pub fn content(model: &Model) -> Model {
    let mut lines = model.lines.clone();
    let mut names = NameTable::default();
    let mut last = None;
    for line in &mut lines {
        // Most lines are of the same file as the one before.
        line.file = names.add_after(last, model.names.get(line.file).0);
        last = Some(line.file);
    }
    let executables = model.executables.iter().map(executable_content).collect();
    Model { lines, names, executables, ..model.clone() }
}

fn executable_content(executable: &Executable) -> Executable {
    let mut content = Executable { names: NameTable::default(), ..executable.clone() };
    for symbol in &mut content.symbols {
        symbol.name = content.names.add(executable.names.get(symbol.name).0);
    }
    for label in &mut content.labels {
        label.name = content.names.add(executable.names.get(label.name).0);
    }
    content
}
