//! The driver: reads all sources line by line, then resolves references to later declarations.
//! In: sources. Out: [`Assembled`]. Statements are parsed elsewhere.
//! Facts: picasso's manual and probes.

use std::collections::BTreeSet;

use super::executable::Executable;
use super::outline::{Outline, SymbolKind};
use super::report::{Fault, Parse, Report, column, fault, invalid, quote};
use super::state::{Assembler, BlockKind, Proc, Stolen};
use super::{Assembled, AssemblerOptions, Place, SourceText, habits, header, lex, register};
use crate::lint::{Finding, Rule};
use crate::vertex;
use transpica::container::write;
use transpica::isa::sizes::VERTEX_WORDS;
use transpica::isa::word::Field;
use transpica::isa::{Opcode, Pc};

/// The finding that nothing names a procedure or a label at an address.
fn unused(rule: Rule, name: &str, word: usize) -> Finding {
    let (what, verb) = if rule == Rule::UnusedLabel { ("label", "jumps to") } else { ("procedure", "calls") };
    let message = format!("nothing {verb} the {what} {}", quote(name));
    // Range: at most one past the code.
    Finding { pc: Some(Pc(word as u16)), rule, message, declared: Some(name.to_owned()) }
}

impl<'a> Assembler<'a> {
    pub fn new(options: AssemblerOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Assembles all sources.
    pub fn run(self, sources: &[SourceText<'a>]) -> Result<Assembled, Report> {
        self.examine(sources).0
    }

    /// Assembles all sources; the outline holds also where they have errors.
    pub fn examine(mut self, sources: &[SourceText<'a>]) -> (Result<Assembled, Report>, Outline) {
        self.messages.files = sources.iter().map(|source| source.name.to_owned()).collect();
        self.sources(sources);
        // Errors of the entire program follow those of the sources, which may be their causes.
        self.messages.sort_errors();
        let outline = std::mem::take(&mut self.outline);
        (self.finish(), outline)
    }

    /// Makes the file, unless there are errors.
    fn finish(mut self) -> Result<Assembled, Report> {
        let (model, named) = self.models();
        let (report, files) = self.messages.into_report();
        if !report.errors.is_empty() {
            return Err(report);
        }
        let Report { warnings, left_out, .. } = report;
        let header = header::write(&self.definitions, &model);
        let bytes = write(&model);
        let (places, lists_descriptors, formats) = (self.places, self.descriptors.are_listed(), self.formats);
        let findings = [self.findings, vertex::findings(&bytes, &formats)].concat();
        Ok(Assembled {
            model,
            named,
            bytes,
            warnings,
            left_out,
            files,
            places,
            destinations: self.destinations,
            findings,
            formats,
            lists_descriptors,
            header,
        })
    }

    fn sources(&mut self, sources: &[SourceText<'a>]) {
        for (index, source) in sources.iter().enumerate() {
            self.messages.source = index;
            self.messages.text = source.text;
            self.messages.place = Place { file: index, line: 0, column: 1 };
            self.next_file();
            // picasso takes the text as a C string, which ends at the first zero byte.
            let (text, rest) = source.text.split_once('\0').unwrap_or((source.text, ""));
            let text = self.byte_order_mark(text);
            for line in text.split('\n') {
                if self.stops_at_first_error && self.messages.has_errors() {
                    return;
                }
                self.messages.next_line(line);
                self.line(line);
            }
            if !lex::trim(rest).is_empty() {
                let line = self.messages.line;
                self.messages.warn(line, "the text ends at the zero byte after this line", None);
            }
            self.finish_file();
        }
        self.relocate();
    }

    /// Reports the mark that some editors put before a text, and returns the text without it.
    fn byte_order_mark(&mut self, text: &'a str) -> &'a str {
        let Some(rest) = text.strip_prefix('\u{feff}') else { return text };
        let line = text.split('\n').next().unwrap_or_default();
        let word = lex::first_word(lex::without_comment(line)).0;
        (self.messages.line, self.messages.place.line) = (line, 1);
        let hint = "the text begins with a byte order mark: save it as UTF-8 without one";
        let message = invalid("instruction", word);
        self.messages.error(self.messages.site(word), message, Some(hint.into()));
        self.messages.place.line = 0;
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
                self.messages.report(fault);
                // Only in the label: no comment begins in those before it, and a search of the
                // line for each would take time with the square of their number.
                if habits::foreign_syntax_hint(label, label).is_some() {
                    // The colon is in a comment of another language, so the statement before it is
                    // lost.
                    self.file.is_uncertain = true;
                    return;
                }
            }
            statement = lex::trim(rest);
        }
        if let Some(marker) = statement.strip_prefix('#') {
            self.marker(lex::trim(marker));
            return;
        }
        self.messages.place.column = column(line, statement);
        self.messages.statement = statement;
        let (name, rest) = lex::first_word(statement);
        let words = self.code.len();
        let result = match name.strip_prefix('.') {
            Some(directive) => self.directive(name, directive, rest),
            None if name.is_empty() => Ok(()),
            None => self.instruction(name, rest),
        };
        let result = result.and_then(|()| self.vertex_format(line));
        if let Err(fault) = result {
            self.messages.report(fault);
            self.recover(name, rest, words);
        }
    }

    /// Warns where a semicolon that ends a statement makes another statement a comment.
    fn check_comment(&mut self, line: &'a str) {
        let Some((before, comment)) = line.split_once(';') else { return };
        if !before.ends_with(|c: char| !c.is_whitespace()) {
            return;
        }
        let (mnemonic, rest) = lex::first_word(lex::trim(comment));
        let operand = rest.split([',', '.', '[']).next().unwrap_or_default();
        let is_operand = register::is_register_name(operand) || self.file.names.contains_key(operand);
        if rest.contains(',') && is_operand && Opcode::from_mnemonic(mnemonic).is_some() {
            let hint = "`;` begins a comment: write each instruction on a line of its own";
            self.messages.warn(lex::trim(comment), "this instruction is not assembled", Some(hint));
        }
    }

    /// Declares a label: the address at which its line begins.
    fn label(&mut self, name: &'a str) -> Parse<'a, ()> {
        if !lex::is_name(name) {
            let fault = Fault::new(name, invalid("label name", name));
            let trimmed = lex::trim(name);
            return Err(if trimmed.len() < name.len() && lex::is_name(trimmed) {
                fault.hint("no space is allowed before the colon")
            } else {
                fault.hint("a label has letters, digits, `_` and `$`, and does not begin with a digit")
            });
        }
        if name.is_empty() {
            let hint = "remove the colon, or name the label";
            self.messages.warn(name, "this label has no name", Some(hint));
        }
        if self.file.labels.insert(name, self.code.len()).is_some() {
            return fault(name, format!("label already exists: {}", quote(name)));
        }
        self.note_code(name, SymbolKind::Label);
        Ok(())
    }

    /// Reads a line marker of the C preprocessor: number and file of the next line. Its directives
    /// are ignored.
    fn marker(&mut self, text: &'a str) {
        let (number, name) = lex::first_word(text);
        if !number.starts_with(|c: char| c.is_ascii_digit()) {
            return;
        }
        if !name.is_empty() && !name.starts_with('"') {
            self.messages.warn(text, "this sets the number of the next line", None);
        }
        self.messages.place.line = u32::try_from(lex::decimal(number) - 1).unwrap_or(0);
        if let Some(name) = name.strip_prefix('"').and_then(|name| name.split('"').next()) {
            let files = &mut self.messages.files;
            let index = files.iter().position(|file| file == name);
            self.messages.place.file = index.unwrap_or_else(|| {
                files.push(name.to_owned());
                files.len() - 1
            });
        }
    }

    /// Ends a source and resolves its jumps.
    pub fn finish_file(&mut self) {
        self.report_unclosed();
        for block in std::mem::take(&mut self.file.blocks) {
            if let BlockKind::Proc { name, .. } = block.kind {
                self.lost_procs.insert(name);
            }
        }
        let jumps = std::mem::take(&mut self.file.jumps);
        let named: BTreeSet<&str> = jumps.iter().map(|jump| jump.name).collect();
        let last = self.code.len().saturating_sub(1);
        let labels = self.file.labels.iter().filter(|(name, _)| !named.contains(*name));
        self.findings.extend(labels.map(|(name, &word)| unused(Rule::UnusedLabel, name, word.min(last))));
        for jump in jumps {
            if let Some(&target) = self.file.labels.get(jump.name) {
                // Range: at most one past the code.
                self.code[jump.word] = self.code[jump.word].with(Field::Target, target as u32);
            } else if self.file.lost.insert(jump.name) {
                let hint = self.messages.suggest(jump.name, self.file.labels.keys().copied()).or_else(|| {
                    let is_proc = self.procs.contains_key(jump.name);
                    is_proc.then(|| "this is a procedure; jumps need a label in the same file".into())
                });
                let message = format!("label '{}' is undefined", quote(jump.name));
                self.messages.error(jump.site, message, hint);
            }
        }
        self.report_words();
        for call in &mut self.calls[self.file.calls_before..] {
            call.is_label = self.file.labels.contains_key(call.name);
        }
        if let Some(executable) = self.file.executable.take() {
            let targets = std::mem::take(&mut self.file.labels);
            self.executables.push(Executable { targets, ..executable });
        }
    }

    /// Reports a block that is open at the end of a source: the innermost, or one in it that an
    /// `.end` of the innermost seems to have closed.
    fn report_unclosed(&mut self) {
        let Some(block) = self.file.blocks.last().filter(|_| !self.file.is_uncertain) else { return };
        let within = |stolen: &Stolen| stolen.block.span.start > block.site.span.start;
        let (site, hint) = match self.file.stolen.filter(within) {
            Some(Stolen { block, end, .. }) => {
                let place = self.messages.place_text(end);
                (
                    block,
                    format!("this block lacks its `.end`; the one at {place} seems to end a block around it"),
                )
            }
            None => (block.site, "this block lacks its `.end`".to_owned()),
        };
        self.messages.error(site, "unclosed block(s)", Some(hint));
    }

    /// Reports the number of words where the vertex unit cannot hold them.
    fn report_words(&mut self) {
        let (words, most) = (self.code.len(), VERTEX_WORDS as usize);
        let order = "sources of vertex programs must come before the larger ones of geometry programs";
        let hint = || format!("there are {words} by the end of this source; {order}");
        if self.file.full.is_some_and(|error| self.messages.set_hint(error, hint())) {
            return;
        }
        let is_vertex = !self.file.is_geometry() && !self.package.verbatim;
        if words > most && self.file.first_word <= most && is_vertex {
            // The one word too many that picasso lets pass: see `check_room`.
            let message = format!("the vertex unit holds {most} instructions, but there are {words}");
            self.messages.warn_at(self.messages.site(self.messages.line), &message, Some(order));
        }
    }

    /// Resolves the calls, whose procedures may be in any source.
    fn relocate(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        let entries = self.executables.iter().map(|executable| executable.entry);
        let named: BTreeSet<&str> = calls.iter().map(|call| call.name).chain(entries).collect();
        let last = self.code.len().saturating_sub(1);
        let procs = self.procs.iter().filter(|(name, _)| !named.contains(*name) && !self.package.verbatim);
        self.findings
            .extend(procs.map(|(name, proc)| unused(Rule::UnusedProcedure, name, proc.start.min(last))));
        for call in calls {
            if let Some(&Proc { start, length, .. }) = self.procs.get(call.name) {
                self.check_length(call.site, "procedure", length);
                // Ranges: at most one past the code, and checked.
                let word = &mut self.code[call.word];
                *word = word.with(Field::Target, start as u32).with(Field::Num, length as u32);
            } else if self.lost_procs.insert(call.name) {
                let is_label = call.is_label;
                let hint = is_label.then(|| "this is a label: jmpc and jmpu jump to labels".to_owned());
                let hint = hint.or_else(|| self.messages.suggest(call.name, self.procs.keys().copied()));
                let message = format!("procedure '{}' is undefined", quote(call.name));
                self.messages.error(call.site, message, hint);
            }
        }
    }
}
