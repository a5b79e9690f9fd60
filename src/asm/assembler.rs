//! The assembler's state and its way through the sources: line by line, then what refers to something later.
//! In: sources. Out: [`Assembled`]. Directives and instructions are read elsewhere.
//! Facts: picasso's manual and probes. Code, descriptors, procedures and vertex uniforms are common to all sources; names,
//! labels and constants belong to one.

use std::collections::BTreeMap;

use super::block::Block;
use super::descriptors::Descriptors;
use super::executable::{Executable, Stage};
use super::lex;
use super::operand::Operand;
use super::report::{Diagnostic, Parse, Report, column, fault};
use super::space::{Kind, Space};
use super::{Assembled, Options, Place, Source};
use crate::container::write;
use crate::isa::Word;
use crate::isa::word::Field;

/// A place that outlives its line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Site {
    pub place: Place,
    pub column: u32,
}

/// A procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proc {
    pub start: usize,
    pub length: usize,
}

/// An instruction whose target has a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'a> {
    pub word: usize,
    pub name: &'a str,
    pub site: Site,
}

/// A named uniform that further sources may declare again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub kind: Kind,
    pub first: u32,
    pub count: u32,
}

/// What belongs to one source.
#[derive(Clone, Debug, Default)]
pub(super) struct File<'a> {
    pub names: BTreeMap<&'a str, Operand>,
    pub labels: BTreeMap<&'a str, usize>,
    pub jumps: Vec<Reference<'a>>,
    pub blocks: Vec<Block<'a>>,
    /// The previous statement closed an IF or a loop.
    pub just_closed: bool,
    pub executable: Option<Executable<'a>>,
    /// The uniforms of a geometry program.
    pub space: Option<Space>,
}

impl File<'_> {
    /// Whether this is a geometry program so far.
    pub(super) fn is_geometry(&self) -> bool {
        self.executable.as_ref().is_some_and(|executable| executable.stage != Stage::Vertex)
    }
}

/// Everything.
#[derive(Debug, Default)]
pub(super) struct Assembler<'a> {
    pub options: Options,
    pub code: Vec<Word>,
    pub places: Vec<Place>,
    pub descriptors: Descriptors,
    pub procs: BTreeMap<&'a str, Proc>,
    pub calls: Vec<Reference<'a>>,
    pub shared: Space,
    pub declared: BTreeMap<&'a str, Declared>,
    pub executables: Vec<Executable<'a>>,
    pub file: File<'a>,
    warnings: Vec<Diagnostic>,
    files: Vec<String>,
    line: &'a str,
    place: Place,
}

/// Most code words: addresses have twelve bits.
const MAX_CODE: usize = 4096;

impl<'a> Assembler<'a> {
    pub(super) fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Assembles all sources.
    pub(super) fn run(mut self, sources: &[Source<'a>]) -> Result<Assembled, Report> {
        self.files = sources.iter().map(|source| source.name.to_owned()).collect();
        match self.sources(sources).and_then(|()| self.model()) {
            Ok(model) => {
                let bytes = write(&model);
                let Self { warnings, files, places, .. } = self;
                Ok(Assembled { model, bytes, warnings, files, places })
            }
            Err(error) => Err(Report { errors: vec![error], warnings: self.warnings }),
        }
    }

    fn sources(&mut self, sources: &[Source<'a>]) -> Result<(), Diagnostic> {
        for (file, source) in sources.iter().enumerate() {
            self.file = File::default();
            self.shared.next_file();
            self.place = Place { file, line: 0 };
            // The text is as long as C takes it to be.
            let text = source.text.split('\0').next().unwrap_or_default();
            for line in text.split('\n') {
                self.place.line = self.place.line.saturating_add(1);
                self.line = line;
                self.line(line).map_err(|fault| self.diagnostic(self.site(fault.at), fault.message))?;
            }
            self.finish_file()?;
        }
        self.relocate()
    }

    fn line(&mut self, line: &'a str) -> Parse<'a, ()> {
        let mut statement = lex::without_comment(line);
        while !statement.starts_with('#')
            && let Some((label, rest)) = statement.split_once(':')
        {
            self.label(label)?;
            statement = lex::trim(rest);
        }
        if let Some(marker) = statement.strip_prefix('#') {
            self.marker(lex::trim(marker));
            return Ok(());
        }
        let (name, rest) = lex::first_word(statement);
        match name.strip_prefix('.') {
            Some(directive) => self.directive(name, directive, rest),
            None if name.is_empty() => Ok(()),
            None => self.instruction(name, rest),
        }
    }

    /// A label is the address at which its line begins.
    fn label(&mut self, name: &'a str) -> Parse<'a, ()> {
        if !lex::is_name(name) {
            return fault(name, format!("invalid label name: {name}"));
        }
        if self.file.labels.insert(name, self.code.len()).is_some() {
            return fault(name, format!("label already exists: {name}"));
        }
        Ok(())
    }

    /// A line marker of the C preprocessor gives number and file of the next line. Its directives are ignored.
    fn marker(&mut self, text: &str) {
        let (number, name) = lex::first_word(text);
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            return;
        }
        self.place.line = u32::try_from(lex::decimal(number) - 1).unwrap_or(0);
        if let Some(name) = name.strip_prefix('"').and_then(|name| name.split('"').next()) {
            let known = self.files.iter().position(|file| file == name);
            self.place.file = known.unwrap_or_else(|| {
                self.files.push(name.to_owned());
                self.files.len() - 1
            });
        }
    }

    fn finish_file(&mut self) -> Result<(), Diagnostic> {
        if let Some(block) = self.file.blocks.last() {
            return Err(self.diagnostic(block.site, "unclosed block(s)"));
        }
        for jump in std::mem::take(&mut self.file.jumps) {
            let Some(&target) = self.file.labels.get(jump.name) else {
                return Err(self.diagnostic(jump.site, format!("label '{}' is undefined", jump.name)));
            };
            // Range: at most one past the code.
            self.code[jump.word] = self.code[jump.word].with(Field::Target, target as u32);
        }
        self.executables.extend(self.file.executable.take());
        Ok(())
    }

    /// Fills in the calls, whose procedures may stand in any source.
    fn relocate(&mut self) -> Result<(), Diagnostic> {
        if self.code.len() > MAX_CODE {
            let words = self.code.len();
            return Err(
                self.diagnostic(self.site(""), format!("{words} instructions, {MAX_CODE} are possible"))
            );
        }
        for call in std::mem::take(&mut self.calls) {
            let Some(&Proc { start, length }) = self.procs.get(call.name) else {
                return Err(self.diagnostic(call.site, format!("procedure '{}' is undefined", call.name)));
            };
            self.check_length(call.site, "procedure", length)?;
            // Ranges: at most one past the code, and checked.
            let word = self.code[call.word].with(Field::Target, start as u32).with(Field::Num, length as u32);
            self.code[call.word] = word;
        }
        Ok(())
    }

    /// The place of a part of the current line.
    pub(super) fn site(&self, part: &str) -> Site {
        Site { place: self.place, column: column(self.line, part) }
    }

    /// A message about a place.
    pub(super) fn diagnostic(&self, site: Site, message: impl Into<String>) -> Diagnostic {
        let file = self.files.get(site.place.file).cloned().unwrap_or_default();
        Diagnostic { file, line: site.place.line, column: site.column, message: message.into() }
    }

    /// Warns about a part of the current line.
    pub(super) fn warn(&mut self, part: &str, message: &str) {
        self.warn_at(self.site(part), message);
    }

    /// Warns about a place.
    pub(super) fn warn_at(&mut self, site: Site, message: &str) {
        let warning = self.diagnostic(site, message);
        self.warnings.push(warning);
    }

    /// Appends a word.
    pub(super) fn emit(&mut self, word: Word) {
        self.code.push(word);
        self.places.push(self.place);
    }

    /// Refuses an instruction that finds no room.
    pub(super) fn check_room(&self, at: &'a str) -> Parse<'a, ()> {
        let words = self.code.len();
        if words > 512 && !self.file.is_geometry() {
            let text = "instruction outside vertex shader code memory (max 512 instructions, currently";
            return fault(at, format!("{text} {words})"));
        }
        if words >= MAX_CODE {
            return fault(at, format!("instruction outside geometry shader code memory (max {MAX_CODE})"));
        }
        Ok(())
    }

    /// Judges a length that an instruction holds in ten bits, of which hardware is known to read eight.
    pub(super) fn check_length(&mut self, site: Site, what: &str, length: usize) -> Result<(), Diagnostic> {
        if length > 1023 {
            return Err(self.diagnostic(site, format!("{what} of {length} instructions is longer than 1023")));
        }
        if length > 255 {
            self.warn_at(site, &format!("{what} of {length} instructions is longer than 255"));
        }
        Ok(())
    }

    /// The executable of this source, made when it is first needed.
    pub(super) fn executable(&mut self) -> &mut Executable<'a> {
        let site = self.site("");
        self.file.executable.get_or_insert_with(|| Executable::new(site))
    }

    /// Gives a name its meaning.
    pub(super) fn define(&mut self, name: &'a str, meaning: Operand) -> Parse<'a, ()> {
        if self.file.names.insert(name, meaning).is_some() {
            return fault(name, format!("identifier already used: {name}"));
        }
        Ok(())
    }

    /// Refuses what cannot be a name.
    pub(super) fn check_name(&self, name: &'a str) -> Parse<'a, ()> {
        if name.is_empty() || !lex::is_name(name) {
            return fault(name, format!("invalid identifier: {name}"));
        }
        Ok(())
    }
}
