//! Sources that are linked into one file, with what the assembler knows about them.
//! In: names and texts. Out: [`Project`]: declarations, blocks, problems, values of programs. Knows
//! no protocol.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use transpica::host::dvle;
use transpica::isa::Pc;
use transpica::{Limits, Shbin};
use transpica_asm::lint::{Finding, Rule, lint};
use transpica_asm::values::{Tracked, Values};
use transpica_asm::{Assembled, Diagnostic, Outline, Report, SourceText, Span, Symbol, SymbolKind, examine};

use crate::names::Edits;
use crate::text::{Range, Text};
use crate::tokens::{Kind, Token, Tokens};

/// Most bytes of the texts of a project. A program has at most 4096 instructions.
pub const MOST_TEXT: usize = 1 << 20;

/// Weight of a problem, as the protocol numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Severity {
    /// No program.
    #[default]
    Error = 1,
    /// A program that may not be the intended one.
    Warning = 2,
}

impl Serialize for Severity {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

/// The protocol's tag of code that may be removed.
const UNNECESSARY: u8 = 1;

/// A problem of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The part of the text.
    pub range: Range,
    /// Its weight.
    pub severity: Severity,
    /// The rule of lint that it breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// Marks by which editors show it differently, as numbers of the protocol.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub tags: &'static [u8],
    /// The author, as editors show it.
    pub source: &'static str,
    /// The description, with advice on a line of its own.
    pub message: String,
    /// Advice alone.
    #[serde(skip)]
    pub hint: Option<String>,
    /// The part as bytes.
    #[serde(skip)]
    pub span: Span,
}

/// A source of a project.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name, a URI.
    pub uri: String,
    /// Its text.
    pub text: Arc<Text>,
}

/// A linked file with its source map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// The `.shbin` file.
    pub bytes: Vec<u8>,
    /// The sources.
    pub uris: Vec<String>,
    /// For each code word, the number of its source and the line, from 0.
    pub places: Vec<(usize, usize)>,
}

/// Sources that are linked into one file.
pub struct Project {
    /// The sources, in the order of linking.
    pub sources: Vec<Source>,
    /// Declarations and blocks.
    pub outline: Outline,
    outcome: Result<Assembled, Report>,
    findings: OnceCell<Vec<(Pc, Finding)>>,
    values: OnceCell<Vec<Values>>,
    /// Words of statements, by source and offset.
    words: BTreeMap<(usize, usize), Vec<u16>>,
    is_too_large: bool,
}

impl Project {
    /// Assembles sources.
    pub fn new(sources: Vec<Source>) -> Self {
        let is_too_large = sources.iter().map(|source| source.text.as_str().len()).sum::<usize>() > MOST_TEXT;
        let texts = sources.iter().filter(|_| !is_too_large);
        let texts: Vec<_> = texts
            .map(|source| SourceText { name: file_name(&source.uri), text: source.text.as_str() })
            .collect();
        let (outcome, outline) = examine(&texts);
        let mut words: BTreeMap<_, Vec<u16>> = BTreeMap::new();
        for (pc, span) in (0..=u16::MAX).zip(&outline.statements) {
            words.entry((span.source, span.start)).or_default().push(pc);
        }
        let (findings, values) = (OnceCell::new(), OnceCell::new());
        Self { sources, outline, outcome, findings, values, words, is_too_large }
    }

    /// Returns the project with edits, which are in the order of the texts.
    pub fn edited(&self, edits: &Edits) -> Self {
        let mut sources = self.sources.clone();
        for source in &mut sources {
            if let Some(edits) = edits.get(&source.uri) {
                source.text = source.text.edited(edits).into();
            }
        }
        Self::new(sources)
    }

    /// Returns the number of a source.
    pub fn find(&self, uri: &str) -> Option<usize> {
        self.sources.iter().position(|source| source.uri == uri)
    }

    /// Returns the assembled file, if the texts have no errors.
    pub fn assembled(&self) -> Option<&Assembled> {
        self.outcome.as_ref().ok()
    }

    /// Returns the assembled file with its source map.
    pub fn linked(&self) -> Option<Linked> {
        let bytes = self.assembled()?.bytes.clone();
        let line = |span: &Span| {
            let text = &self.sources.get(span.source)?.text;
            Some((span.source, text.line_of(span.start)))
        };
        let places = self.outline.statements.iter().map(|span| line(span).unwrap_or_default()).collect();
        Some(Linked { bytes, uris: self.sources.iter().map(|source| source.uri.clone()).collect(), places })
    }

    /// Returns the messages of the assembler about all sources.
    pub fn messages(&self) -> Vec<(Severity, String)> {
        let (errors, warnings) = self.diagnostics();
        let errors = errors.iter().map(|error| (Severity::Error, error.message.clone()));
        errors.chain(warnings.iter().map(|warning| (Severity::Warning, warning.message.clone()))).collect()
    }

    /// Returns the errors and the warnings of the assembler.
    fn diagnostics(&self) -> (&[Diagnostic], &[Diagnostic]) {
        match &self.outcome {
            Ok(assembled) => (&[], &assembled.warnings),
            Err(report) => (&report.errors, &report.warnings),
        }
    }

    /// Calls `work` for each program of the file.
    fn programs<R>(&self, mut work: impl FnMut(&Shbin<'_>, usize) -> transpica::Result<R>) -> Vec<R> {
        let Some(assembled) = self.assembled() else { return Vec::new() };
        let Ok(file) = Shbin::parse(&assembled.bytes) else { return Vec::new() };
        (0..file.executables.len()).filter_map(|index| work(&file, index).ok()).collect()
    }

    /// Returns the findings of lint, each with the entry point of its program.
    fn findings(&self) -> &[(Pc, Finding)] {
        self.findings.get_or_init(|| {
            let limits = Limits::default();
            let found = self.programs(|file, index| {
                let program = dvle::program(file, index, &limits)?;
                let own = self.assembled().map_or_else(Vec::new, |assembled| assembled.findings.clone());
                let found = [lint(&program, file, index, &limits)?, own].concat();
                Ok(found.into_iter().map(|finding| (program.entry(), finding)).collect::<Vec<_>>())
            });
            found.into_iter().flatten().collect()
        })
    }

    /// Returns definitions and uses of all programs.
    fn values(&self) -> &[Values] {
        let limits = Limits::default();
        self.values.get_or_init(|| {
            self.programs(|file, index| Values::new(&dvle::program(file, index, &limits)?, &limits))
        })
    }

    /// Returns the words that may have written, or may read, components of a register.
    pub fn uses(&self, pc: u16, register: Tracked, mask: transpica::isa::Mask, reads: bool) -> BTreeSet<u16> {
        let find = |values: &Values| match reads {
            true => values.readers(Pc(pc), register, mask),
            false => values.writers(Pc(pc), register, mask),
        };
        self.values().iter().flat_map(find).map(|pc| pc.0).collect()
    }

    /// Returns the words of the statement at an offset.
    pub fn words(&self, source: usize, statement: usize) -> &[u16] {
        self.words.get(&(source, statement)).map_or(&[], Vec::as_slice)
    }

    /// Returns the statement of a word, as source and line.
    pub fn line_of(&self, pc: u16) -> Option<(usize, usize)> {
        let span = self.outline.statements.get(usize::from(pc))?;
        Some((span.source, self.sources.get(span.source)?.text.line_of(span.start)))
    }

    /// Returns the range of a span.
    pub fn range(&self, span: Span) -> Range {
        let text = self.sources.get(span.source).map(|source| &source.text);
        text.map(|text| text.range(span.start, span.start + span.length)).unwrap_or_default()
    }

    /// Returns the problems of a source.
    pub fn problems(&self, source: usize) -> Vec<Problem> {
        if self.is_too_large {
            let message = format!("texts of more than {MOST_TEXT} bytes are not assembled");
            return vec![self.problem(Severity::Error, Span { source, ..Span::default() }, message, None)];
        }
        let one = |severity| {
            move |diagnostic: &Diagnostic| {
                let Diagnostic { message, hint, span, .. } = diagnostic;
                (span.source == source).then(|| self.problem(severity, *span, message.clone(), hint.clone()))
            }
        };
        let (errors, warnings) = self.diagnostics();
        let mut all: Vec<Problem> = errors.iter().filter_map(one(Severity::Error)).collect();
        all.extend(warnings.iter().filter_map(one(Severity::Warning)));
        for (entry, finding) in self.findings() {
            let declared = self.outline.declaration(finding).map(|symbol| symbol.span);
            let statement = self.outline.statements.get(finding.pc.unwrap_or(*entry).index()).copied();
            let span = declared.or(statement);
            let Some(span) = span.filter(|span| span.source == source) else { continue };
            let hint = Some(finding.rule.explanation().to_owned());
            let problem = self.problem(Severity::Warning, span, finding.message.clone(), hint);
            let is_unused = declared.is_some() && finding.rule != Rule::VertexFormat;
            let tags = if is_unused { &[UNNECESSARY][..] } else { &[] };
            let problem = Problem { code: Some(finding.rule.id()), tags, ..problem };
            if !all.contains(&problem) {
                all.push(problem);
            }
        }
        all
    }

    fn problem(&self, severity: Severity, span: Span, message: String, hint: Option<String>) -> Problem {
        let message = match &hint {
            Some(hint) => format!("{message}\n{hint}"),
            None => message,
        };
        let tags = &[];
        Problem {
            range: self.range(span),
            severity,
            code: None,
            tags,
            source: "transpica",
            message,
            hint,
            span,
        }
    }

    /// Returns the declaration of a name in a source.
    pub fn symbol(&self, source: usize, kind: Kind, name: &str) -> Option<&Symbol> {
        let fits = |symbol: &&Symbol| {
            symbol.name == name
                && match (kind, symbol.kind) {
                    // Procedures belong to all sources.
                    (Kind::Procedure, SymbolKind::Procedure) => true,
                    (Kind::Label, SymbolKind::Label) => symbol.span.source == source,
                    (Kind::Word, SymbolKind::Procedure | SymbolKind::Label) => false,
                    (Kind::Word, _) => symbol.span.source == source,
                    _ => false,
                }
        };
        self.outline.symbols.iter().filter(|symbol| !symbol.name.is_empty()).find(fits)
    }

    /// Returns the name at a position, with its token.
    pub fn name_at(&self, source: usize, offset: usize) -> Option<(&str, Token)> {
        let text = &self.sources.get(source)?.text;
        let line = text.line_of(offset);
        let (line, start) = (text.line(line), text.line_start(line));
        let token = Tokens::new(line).find(offset - start)?;
        let name = line.get(token.start..token.end)?;
        Some((name, Token { start: token.start + start, end: token.end + start, ..token }))
    }

    /// Returns all places of a name: its declaration and uses, in all sources where it means the
    /// same.
    pub fn occurrences(&self, symbol: &Symbol) -> Vec<(Span, bool)> {
        let kind = match symbol.kind {
            SymbolKind::Procedure => Kind::Procedure,
            SymbolKind::Label => Kind::Label,
            _ => Kind::Word,
        };
        let mut all = Vec::new();
        for (source, Source { text, .. }) in self.sources.iter().enumerate() {
            let own = self.symbol(source, kind, &symbol.name);
            // Hosts bind uniforms by name; every other name of a register is the source's own.
            let is_same = own.is_some_and(|own| {
                own == symbol || own.kind == SymbolKind::Uniform && symbol.kind == SymbolKind::Uniform
            });
            if !is_same || !text.as_str().contains(&symbol.name) {
                continue;
            }
            for number in 0..text.line_count() {
                let line = text.line(number);
                if !line.contains(&symbol.name) {
                    continue;
                }
                let start = text.line_start(number);
                for token in Tokens::new(line).list {
                    if token.kind == kind && line.get(token.start..token.end) == Some(&symbol.name) {
                        let span = Span { source, start: start + token.start, length: symbol.name.len() };
                        all.push((span, token.declares));
                    }
                }
            }
        }
        all
    }

    /// Returns the statement of a line, and its comments: those right above it and its own.
    pub fn documented(&self, span: Span) -> (String, String) {
        let Some(source) = self.sources.get(span.source) else { return Default::default() };
        let (text, number) = (&source.text, source.text.line_of(span.start));
        let line = text.line(number);
        let statement = line.split(';').next().unwrap_or_default().trim();
        let comment = |line: &'_ str| line.trim().strip_prefix(';').map(|text| text.trim().to_owned());
        let above = (0..number).rev().map_while(|number| comment(text.line(number)));
        let mut comments: Vec<String> = above.take(MOST_COMMENTS).collect();
        comments.reverse();
        comments.extend(line.split_once(';').map(|(_, comment)| comment.trim().to_owned()));
        (statement.to_owned(), comments.join("\n"))
    }
}

/// Most lines of comments above a declaration that belong to it.
const MOST_COMMENTS: usize = 20;

/// Returns the part of a URI after the last slash.
pub fn file_name(uri: &str) -> &str {
    uri.rsplit('/').next().unwrap_or(uri)
}
