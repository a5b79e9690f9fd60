//! The state of the assembler, and the steps that statements of every kind share.
//! In: declarations and words. Out: the same, in tables. Knows no syntax.
//! Facts: picasso's manual and probes. Code, descriptors, procedures and the uniforms of vertex
//! programs belong to all sources; names, labels and constants belong to one.

use std::collections::{BTreeMap, BTreeSet};

use super::descriptors::Descriptors;
use super::executable::{Executable, Stage};
use super::header::Definition;
use super::messages::Messages;
use super::outline::Outline;
use super::register::Operand;
use super::report::{Fault, Parse, Site, Span, fault, quote};
use super::space::{Space, UniformKind};
use super::{AssemblerOptions, Place};
use crate::lint::Finding;
use crate::vertex::VertexFormat;
use transpica::container::Version;
use transpica::isa::Word;
use transpica::isa::sizes::{GEOMETRY_WORDS, VERTEX_WORDS};

/// Maximum number of code words: addresses have twelve bits.
pub(super) const MAX_CODE: usize = GEOMETRY_WORDS as usize;

/// A procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proc {
    pub start: usize,
    pub length: usize,
    /// Site of its name.
    pub site: Site,
}

/// An instruction whose target is a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'a> {
    pub word: usize,
    pub name: &'a str,
    pub site: Site,
    /// The source has a label of this name.
    pub is_label: bool,
}

/// A uniform that later sources may declare again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uniform {
    pub kind: UniformKind,
    pub first: u32,
    pub count: u32,
}

/// An open block.
#[derive(Clone, Debug)]
pub(super) struct Block<'a> {
    pub site: Site,
    /// Its `.else`.
    pub middle: Option<Span>,
    pub kind: BlockKind<'a>,
}

#[derive(Clone, Debug)]
pub(super) enum BlockKind<'a> {
    Proc {
        name: &'a str,
        start: usize,
    },
    If {
        word: usize,
        /// First word of the else-part.
        else_start: Option<usize>,
    },
    For {
        word: usize,
    },
    Array(Array<'a>),
    /// A block whose first line has an error.
    Unknown,
}

/// A block whose `.end` seems to be that of a block around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stolen {
    /// Site of the block's first statement.
    pub block: Site,
    /// Site of the `.end`.
    pub end: Site,
    /// The `.end` is further left than the statement.
    pub is_outdented: bool,
}

/// A constant array.
#[derive(Clone, Debug)]
pub(super) struct Array<'a> {
    pub name: &'a str,
    /// Declared number of elements.
    pub size: Option<u32>,
    pub elements: Vec<[u32; 4]>,
}

/// The package besides code and descriptors; set by [`extension`](super::extension) directives.
#[derive(Clone, Debug, Default)]
pub(super) struct Package {
    pub version: Version,
    pub reserved: u16,
    /// The text describes the package, so no executable is needed.
    pub is_explicit: bool,
    /// No padding, no limit of the vertex unit, forms by their names.
    pub verbatim: bool,
    /// An extension was used that changes the syntax of operands.
    pub extended: bool,
    /// SourceText lines: file name and line.
    pub lines: Vec<(Vec<u8>, u32)>,
}

/// The state of one source.
#[derive(Clone, Debug, Default)]
pub(super) struct File<'a> {
    pub names: BTreeMap<&'a str, Operand>,
    pub labels: BTreeMap<&'a str, usize>,
    pub jumps: Vec<Reference<'a>>,
    /// Number of calls in earlier sources.
    pub calls_before: usize,
    pub blocks: Vec<Block<'a>>,
    /// The block that may lack its `.end`, should one stay open.
    pub stolen: Option<Stolen>,
    /// The previous statement closed an IF or a loop.
    pub just_closed: bool,
    pub executable: Option<Executable<'a>>,
    /// The uniforms of a geometry program.
    pub space: Option<Space>,
    /// Names and labels whose declaration has an error, or that were reported as undefined.
    pub lost: BTreeSet<&'a str>,
    /// A line could not be parsed, so the block structure is uncertain.
    pub is_uncertain: bool,
    /// Errors that every later line would repeat.
    pub repeated: BTreeSet<&'static str>,
    /// Number of words of earlier sources.
    pub first_word: usize,
    /// Index of the error that the vertex unit is full.
    pub full: Option<usize>,
}

impl File<'_> {
    /// Returns whether the source is a geometry program, as far as it is read.
    pub fn is_geometry(&self) -> bool {
        self.executable.as_ref().is_some_and(|executable| executable.stage != Stage::Vertex)
    }
}

/// The tables that statements fill.
#[derive(Debug, Default)]
pub(super) struct Assembler<'a> {
    pub options: AssemblerOptions,
    pub stops_at_first_error: bool,
    pub messages: Messages<'a>,
    pub code: Vec<Word>,
    pub places: Vec<Place>,
    pub destinations: Vec<String>,
    /// The name of the destination of the next word.
    pub destination: &'a str,
    pub descriptors: Descriptors,
    pub procs: BTreeMap<&'a str, Proc>,
    pub calls: Vec<Reference<'a>>,
    pub shared: Space,
    pub declared: BTreeMap<&'a str, Uniform>,
    pub definitions: Vec<Definition<'a>>,
    pub executables: Vec<Executable<'a>>,
    pub package: Package,
    pub file: File<'a>,
    /// Procedures whose first line has an error, or that were reported as undefined.
    pub lost_procs: BTreeSet<&'a str>,
    /// No further word has an address, and that was reported.
    pub is_full: bool,
    pub outline: Outline,
    pub findings: Vec<Finding>,
    pub formats: Vec<Vec<VertexFormat>>,
}

impl<'a> Assembler<'a> {
    /// Begins a source, or a part of one that counts as a source of its own.
    pub fn next_file(&mut self) {
        let (calls_before, first_word) = (self.calls.len(), self.code.len());
        self.file = File { calls_before, first_word, ..File::default() };
        self.shared.next_file();
    }

    /// The executable of this source, which the first statement that needs it creates.
    pub fn executable(&mut self) -> &mut Executable<'a> {
        let start = self.messages.source_start();
        self.file.executable.get_or_insert_with(|| Executable::new(start))
    }

    /// The space in which this source allocates.
    pub fn space(&mut self) -> &mut Space {
        self.file.space.as_mut().unwrap_or(&mut self.shared)
    }

    /// Declares a name of the source.
    pub fn define(&mut self, name: &'a str, operand: Operand) -> Parse<'a, ()> {
        if self.file.names.contains_key(name) {
            return fault(name, format!("identifier already used: {}", quote(name)));
        }
        self.file.names.insert(name, operand);
        self.note_name(name, operand);
        Ok(())
    }

    /// Returns whether this once-per-source error was reported before, and marks it.
    pub fn is_repeated(&mut self, error: &'static str) -> bool {
        !self.file.repeated.insert(error)
    }

    /// Appends a word.
    pub fn emit(&mut self, word: Word) {
        self.code.push(word);
        self.places.push(self.messages.place);
        self.destinations.push(std::mem::take(&mut self.destination).to_owned());
        self.note_word();
    }

    /// Checks that a word can be appended.
    pub fn check_room(&mut self, at: &'a str) -> Parse<'a, ()> {
        let words = self.code.len();
        // picasso compares before it adds a word, so one too many passes.
        if words > VERTEX_WORDS as usize && !self.file.is_geometry() && !self.package.verbatim {
            if self.is_repeated("room") {
                return Err(Fault::follow_up(at));
            }
            self.file.full = Some(self.messages.next_error());
            let text = "instruction outside vertex shader code memory (max 512 instructions, currently";
            return fault(at, format!("{text} {words})"));
        }
        if words >= MAX_CODE {
            return Err(self.no_room(at));
        }
        Ok(())
    }

    /// The error that no further word has an address; a follow-up from the second time on.
    pub fn no_room(&mut self, at: &'a str) -> Fault<'a> {
        if std::mem::replace(&mut self.is_full, true) {
            return Fault::follow_up(at);
        }
        Fault::new(at, format!("instruction outside geometry shader code memory (max {MAX_CODE})"))
    }

    /// Checks a length that an instruction stores in ten bits, of which hardware is known to read
    /// eight.
    pub fn check_length(&mut self, site: Site, noun: &str, length: usize) {
        if length > 1023 {
            let hint = "the length is stored in ten bits";
            let text = format!("{noun} of {length} instructions is longer than 1023");
            self.messages.error(site, text, Some(hint.into()));
        } else if length > 255 && !self.package.verbatim {
            let hint = "hardware is known to read eight bits of the length";
            let text = format!("{noun} of {length} instructions is longer than 255");
            self.messages.warn_at(site, &text, Some(hint));
        }
    }
}
