//! The assembler's state and its way through the sources: line by line, then what refers to something later.
//! In: sources. Out: [`Assembled`]. Directives and instructions are read elsewhere.
//! Facts: picasso's manual and probes. Code, descriptors, procedures and vertex uniforms are common to all sources; names,
//! labels and constants belong to one.

use std::collections::{BTreeMap, BTreeSet};

use super::block::{Block, Kind as BlockKind};
use super::descriptors::Descriptors;
use super::exact::Package;
use super::executable::{Executable, Stage};
use super::header::Export;
use super::lex;
use super::operand::{Operand, is_register_name};
use super::report::{
    Diagnostic, Fault, LeftOut, Parse, Report, Span, column, did_you_mean, fault, hinted, offset, quote,
};
use super::space::{Kind, Space};
use super::{Assembled, Options, Place, Source, habits, header};
use crate::container::write;
use crate::isa::limits::VERTEX_WORDS;
use crate::isa::word::Field;
use crate::isa::{Opcode, Word};

/// A place that outlives its line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Site {
    pub place: Place,
    pub span: Span,
}

/// A procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proc {
    pub start: usize,
    pub length: usize,
    /// Where its name stands.
    pub site: Site,
}

/// An instruction whose target has a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'a> {
    pub word: usize,
    pub name: &'a str,
    pub site: Site,
    /// The source has a label of this name.
    pub is_label: bool,
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
    /// Calls of the sources before.
    pub calls_before: usize,
    pub blocks: Vec<Block<'a>>,
    /// The previous statement closed an IF or a loop.
    pub just_closed: bool,
    pub executable: Option<Executable<'a>>,
    /// The uniforms of a geometry program.
    pub space: Option<Space>,
    /// Names and labels that an error kept from being known, or that were reported as unknown.
    pub lost: BTreeSet<&'a str>,
    /// A line could not be understood, so that blocks may be open or closed wrongly.
    pub is_shaky: bool,
    /// Errors that every further line would repeat.
    pub told: BTreeSet<&'static str>,
    /// Number of words of the sources before.
    pub first_word: usize,
    /// Index of the error that the vertex unit is full.
    pub full: Option<usize>,
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
    /// The first error ends the work.
    pub is_hasty: bool,
    pub code: Vec<Word>,
    pub places: Vec<Place>,
    pub descriptors: Descriptors,
    pub procs: BTreeMap<&'a str, Proc>,
    pub calls: Vec<Reference<'a>>,
    pub shared: Space,
    pub declared: BTreeMap<&'a str, Declared>,
    pub exports: Vec<Export<'a>>,
    pub executables: Vec<Executable<'a>>,
    pub package: Package,
    pub file: File<'a>,
    /// Procedures that an error kept from being known, or that were reported as unknown.
    pub lost_procs: BTreeSet<&'a str>,
    /// No further word can be addressed, and that has been told.
    pub is_full: bool,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// Warnings that stand before the current line.
    warnings_before: usize,
    left_out: LeftOut,
    files: Vec<String>,
    text: &'a str,
    line: &'a str,
    source: usize,
    place: Place,
}

/// Most code words: addresses have twelve bits.
pub(super) const MAX_CODE: usize = 4096;
/// Most errors that are told, and most warnings.
const MAX_TOLD: usize = 100;

impl<'a> Assembler<'a> {
    pub(super) fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Assembles all sources.
    pub(super) fn run(mut self, sources: &[Source<'a>]) -> Result<Assembled, Report> {
        self.files = sources.iter().map(|source| source.name.to_owned()).collect();
        self.sources(sources);
        // What is found at the end of a source stands where it belongs. What the whole lacks comes behind its causes.
        self.errors.sort_by_key(|error| (error.span.source, error.span.start));
        let model = self.model();
        self.cap_warnings();
        let Self { errors, mut warnings, left_out, files, places, .. } = self;
        warnings.sort_by_key(|warning| (warning.span.source, warning.span.start));
        if errors.is_empty() {
            let header = header::write(&self.exports, &model);
            let bytes = write(&model);
            Ok(Assembled { model, bytes, warnings, left_out, files, places, header })
        } else {
            Err(Report { errors, warnings, left_out })
        }
    }

    fn sources(&mut self, sources: &[Source<'a>]) {
        for (index, source) in sources.iter().enumerate() {
            self.source = index;
            self.text = source.text;
            self.next_file();
            self.place = Place { file: index, line: 0, column: 1 };
            // The text is as long as C takes it to be.
            let (text, rest) = source.text.split_once('\0').unwrap_or((source.text, ""));
            let text = self.byte_order_mark(text);
            for line in text.split('\n') {
                if self.is_hasty && self.has_errors() {
                    return;
                }
                self.place.line = self.place.line.saturating_add(1);
                self.line = line;
                // Here and not behind the line: what counts as standing before it is never dropped while it is read.
                self.cap_warnings();
                self.warnings_before = self.warnings.len();
                self.line(line);
            }
            if !lex::trim(rest).is_empty() {
                self.warn(self.line, "the text ends at the zero byte behind this line", None);
            }
            self.finish_file();
        }
        self.relocate();
    }

    /// Begins a source, or a part of one that counts as a source of its own.
    pub(super) fn next_file(&mut self) {
        let (calls_before, first_word) = (self.calls.len(), self.code.len());
        self.file = File { calls_before, first_word, ..File::default() };
        self.shared.next_file();
    }

    /// Refuses the mark that some editors put before a text, and gives the text without it.
    fn byte_order_mark(&mut self, text: &'a str) -> &'a str {
        let Some(rest) = text.strip_prefix('\u{feff}') else { return text };
        let line = text.split('\n').next().unwrap_or_default();
        let word = lex::first_word(lex::without_comment(line)).0;
        (self.line, self.place.line) = (line, 1);
        let hint = "the text begins with a byte order mark: save it as UTF-8 without one";
        let message = format!("invalid instruction: {}", quote(word));
        self.error(self.site(word), message, Some(hint.into()));
        self.place.line = 0;
        rest
    }

    fn line(&mut self, line: &'a str) {
        let mut statement = lex::without_comment(line);
        self.check_comment(line);
        while !statement.starts_with('#')
            && let Some((label, rest)) = statement.split_once(':')
        {
            if let Err(fault) = self.label(label) {
                self.file.lost.insert(lex::trim(label));
                self.report(fault);
                if habits::intruder(line, label).is_some() {
                    // The colon stands in a comment of another language, so the statement before it is lost.
                    self.file.is_shaky = true;
                    return;
                }
            }
            statement = lex::trim(rest);
        }
        if let Some(marker) = statement.strip_prefix('#') {
            self.marker(lex::trim(marker));
            return;
        }
        self.place.column = column(line, statement);
        let (name, rest) = lex::first_word(statement);
        let words = self.code.len();
        let result = match name.strip_prefix('.') {
            Some(directive) => self.directive(name, directive, rest),
            None if name.is_empty() => Ok(()),
            None => self.instruction(name, rest),
        };
        if let Err(fault) = result {
            self.report(fault);
            self.recover(name, rest, words);
        }
    }

    /// Warns where a semicolon that ends a statement makes another one a comment.
    fn check_comment(&mut self, line: &'a str) {
        let Some((before, comment)) = line.split_once(';') else { return };
        if !before.ends_with(|c: char| !c.is_whitespace()) {
            return;
        }
        let (mnemonic, rest) = lex::first_word(lex::trim(comment));
        let operand = rest.split([',', '.', '[']).next().unwrap_or_default();
        let is_operand = is_register_name(operand) || self.file.names.contains_key(operand);
        if rest.contains(',') && is_operand && Opcode::from_mnemonic(mnemonic).is_some() {
            let hint = "`;` begins a comment: write each instruction on a line of its own";
            self.warn(lex::trim(comment), "this instruction is not assembled", Some(hint));
        }
    }

    /// Tells an error of the current line. Warnings about the same part of it would only repeat it.
    pub(super) fn report(&mut self, fault: Fault<'a>) {
        if let Some(message) = fault.message {
            if self.errors.len() >= MAX_TOLD {
                self.left_out.errors += 1;
                return;
            }
            let site = self.site(fault.at);
            let mut index = 0;
            let before = self.warnings_before;
            self.warnings.retain(|warning| {
                index += 1;
                index <= before || !warning.span.touches(site.span)
            });
            let hint = habits::intruder(self.line, fault.at).map(Into::into).or(fault.hint);
            self.error(site, message, hint.map(Into::into));
        }
    }

    /// Tells an error.
    pub(super) fn error(&mut self, site: Site, message: impl Into<String>, hint: Option<String>) {
        if self.errors.len() >= MAX_TOLD {
            self.left_out.errors += 1;
            return;
        }
        let error = Diagnostic { hint, ..self.diagnostic(site, message) };
        self.errors.push(error);
    }

    /// Drops the warnings beyond those that are told.
    fn cap_warnings(&mut self) {
        self.left_out.warnings += self.warnings.len().saturating_sub(MAX_TOLD);
        self.warnings.truncate(MAX_TOLD);
    }

    /// Advice to write a known name. Errors that are not told need none.
    pub(super) fn suggest<'n>(&self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
        if self.errors.len() >= MAX_TOLD { None } else { did_you_mean(name, known) }
    }

    /// A place as text.
    pub(super) fn place_text(&self, site: Site) -> String {
        let Place { file, line, .. } = site.place;
        format!("{}:{line}", self.files.get(file).map_or("", String::as_str))
    }

    /// The beginning of the current source.
    pub(super) fn source_start(&self) -> Site {
        let span = Span { source: self.source, start: 0, length: 0 };
        Site { place: Place { file: self.source, line: 1, column: 1 }, span }
    }

    /// Whether something is wrong already.
    pub(super) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether an error that every further line of the source would repeat has been told; from now on it has.
    pub(super) fn is_told(&mut self, error: &'static str) -> bool {
        !self.file.told.insert(error)
    }

    /// A label is the address at which its line begins.
    fn label(&mut self, name: &'a str) -> Parse<'a, ()> {
        if !lex::is_name(name) {
            let fault = Fault::new(name, format!("invalid label name: {}", quote(name)));
            return Err(match lex::trim(name) {
                trimmed if trimmed.len() < name.len() && lex::is_name(trimmed) => {
                    fault.hint("no blank may stand before the colon")
                }
                _ => fault.hint("a label has letters, digits, `_` and `$`, and begins with no digit"),
            });
        }
        if name.is_empty() {
            self.warn(name, "this label has no name", Some("remove the colon, or name the label"));
        }
        if self.file.labels.insert(name, self.code.len()).is_some() {
            return fault(name, format!("label already exists: {}", quote(name)));
        }
        Ok(())
    }

    /// A line marker of the C preprocessor gives number and file of the next line. Its directives are ignored.
    fn marker(&mut self, text: &'a str) {
        let (number, name) = lex::first_word(text);
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            return;
        }
        if !name.is_empty() && !name.starts_with('"') {
            self.warn(text, "this gives the next line its number", None);
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

    /// Ends a source: its jumps find their labels.
    pub(super) fn finish_file(&mut self) {
        if let Some(block) = self.file.blocks.last().filter(|_| !self.file.is_shaky) {
            let site = block.site;
            self.error(site, "unclosed block(s)", Some("this block lacks its `.end`".into()));
        }
        for block in std::mem::take(&mut self.file.blocks) {
            if let BlockKind::Proc { name, .. } = block.kind {
                self.lost_procs.insert(name);
            }
        }
        for jump in std::mem::take(&mut self.file.jumps) {
            if let Some(&target) = self.file.labels.get(jump.name) {
                // Range: at most one past the code.
                self.code[jump.word] = self.code[jump.word].with(Field::Target, target as u32);
            } else if self.file.lost.insert(jump.name) {
                let hint = self.suggest(jump.name, self.file.labels.keys().copied()).or_else(|| {
                    let is_proc = self.procs.contains_key(jump.name);
                    is_proc.then(|| "this is a procedure; jumps want a label of the same file".into())
                });
                self.error(jump.site, format!("label '{}' is undefined", quote(jump.name)), hint);
            }
        }
        self.report_words();
        for call in &mut self.calls[self.file.calls_before..] {
            call.is_label = self.file.labels.contains_key(call.name);
        }
        self.executables.extend(self.file.executable.take());
    }

    /// Reports the number of words where the vertex unit cannot hold them.
    fn report_words(&mut self) {
        let (words, most) = (self.code.len(), VERTEX_WORDS as usize);
        let order = "sources of vertex programs must come before the larger ones of geometry programs";
        if let Some(error) = self.file.full.and_then(|error| self.errors.get_mut(error)) {
            error.hint = Some(format!("there are {words} up to the end of this source; {order}"));
        } else if words > most
            && self.file.first_word <= most
            && !self.file.is_geometry()
            && !self.package.verbatim
        {
            // picasso looks before it adds a word, so that one too many passes.
            let message = format!("the vertex unit holds {most} instructions, there are {words}");
            self.warn_at(self.site(self.line), &message, Some(order));
        }
    }

    /// Fills in the calls, whose procedures may stand in any source.
    fn relocate(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            if let Some(&Proc { start, length, .. }) = self.procs.get(call.name) {
                self.check_length(call.site, "procedure", length);
                // Ranges: at most one past the code, and checked.
                let word =
                    self.code[call.word].with(Field::Target, start as u32).with(Field::Num, length as u32);
                self.code[call.word] = word;
            } else if self.lost_procs.insert(call.name) {
                let is_label = call.is_label;
                let hint = is_label.then(|| "this is a label: jmpc and jmpu jump to labels".to_owned());
                let hint = hint.or_else(|| self.suggest(call.name, self.procs.keys().copied()));
                self.error(call.site, format!("procedure '{}' is undefined", quote(call.name)), hint);
            }
        }
    }

    /// The place of a part of the current line; of the whole line where it is no part.
    pub(super) fn site(&self, part: &str) -> Site {
        let part = if offset(self.line, part).is_some() { part } else { lex::trim(self.line) };
        let place = Place { column: column(self.line, part), ..self.place };
        let start = offset(self.text, part).unwrap_or(0);
        Site { place, span: Span { source: self.source, start, length: part.len() } }
    }

    /// A message about a place.
    fn diagnostic(&self, site: Site, message: impl Into<String>) -> Diagnostic {
        let Site { place: Place { file, line, column }, span } = site;
        let file = self.files.get(file).cloned().unwrap_or_default();
        Diagnostic { file, line, column, message: message.into(), hint: None, span }
    }

    /// Warns about a part of the current line.
    #[cold]
    pub(super) fn warn(&mut self, part: &str, message: &str, hint: Option<&str>) {
        // A line may have as many as all lines together; finding the place of each would take long.
        if self.warnings.len() - self.warnings_before >= MAX_TOLD {
            self.left_out.warnings += 1;
            return;
        }
        let hint = habits::intruder(self.line, part).or(hint);
        self.warn_at(self.site(part), message, hint);
    }

    /// Warns about a place.
    #[cold]
    pub(super) fn warn_at(&mut self, site: Site, message: &str, hint: Option<&str>) {
        let warning = Diagnostic { hint: hint.map(str::to_owned), ..self.diagnostic(site, message) };
        self.warnings.push(warning);
    }

    /// Appends a word.
    pub(super) fn emit(&mut self, word: Word) {
        self.code.push(word);
        self.places.push(self.place);
    }

    /// Refuses an instruction that finds no room.
    pub(super) fn check_room(&mut self, at: &'a str) -> Parse<'a, ()> {
        let words = self.code.len();
        if words > 512 && !self.file.is_geometry() && !self.package.verbatim {
            if self.is_told("room") {
                return Err(Fault::follow_up(at));
            }
            self.file.full = Some(self.errors.len());
            let text = "instruction outside vertex shader code memory (max 512 instructions, currently";
            return fault(at, format!("{text} {words})"));
        }
        if words >= MAX_CODE {
            return Err(self.no_room(at));
        }
        Ok(())
    }

    /// The error that no further word can be addressed, told once.
    pub(super) fn no_room(&mut self, at: &'a str) -> Fault<'a> {
        if std::mem::replace(&mut self.is_full, true) {
            return Fault::follow_up(at);
        }
        Fault::new(at, format!("instruction outside geometry shader code memory (max {MAX_CODE})"))
    }

    /// Judges a length that an instruction holds in ten bits, of which hardware is known to read eight.
    pub(super) fn check_length(&mut self, site: Site, what: &str, length: usize) {
        if length > 1023 {
            let hint = "the length is stored in ten bits";
            let text = format!("{what} of {length} instructions is longer than 1023");
            self.error(site, text, Some(hint.into()));
        } else if length > 255 && !self.package.verbatim {
            let hint = "hardware is known to read eight bits of the length";
            self.warn_at(site, &format!("{what} of {length} instructions is longer than 255"), Some(hint));
        }
    }

    /// The executable of this source, made when it is first needed.
    pub(super) fn executable(&mut self) -> &mut Executable<'a> {
        if self.file.executable.is_none() {
            self.file.executable = Some(Executable::new(self.source_start()));
        }
        self.file.executable.get_or_insert_with(|| unreachable!("made above"))
    }

    /// Gives a name its meaning.
    pub(super) fn define(&mut self, name: &'a str, meaning: Operand) -> Parse<'a, ()> {
        if self.file.names.contains_key(name) {
            return fault(name, format!("identifier already used: {}", quote(name)));
        }
        self.file.names.insert(name, meaning);
        Ok(())
    }

    /// Refuses what cannot be a name.
    pub(super) fn check_name(&self, name: &'a str) -> Parse<'a, ()> {
        if name.is_empty() || !lex::is_name(name) {
            let hint = "a name has letters, digits, `_` and `$`, and begins with no digit";
            return hinted(name, format!("invalid identifier: {}", quote(name)), hint);
        }
        Ok(())
    }
}
