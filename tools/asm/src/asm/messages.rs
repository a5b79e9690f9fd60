//! The messages of one run: the current line, and the errors and warnings so far.
//! In: faults and parts of the current line. Out: a [`Report`]. Knows no grammar.

use crate::words::did_you_mean;

use super::report::{Diagnostic, Fault, LeftOut, Report, Site, Span, column, offset};
use super::{Place, habits, lex};

/// Maximum number of errors that are reported, and of warnings.
const MAX_MESSAGES: usize = 100;

/// Errors and warnings, and the line that new ones are about.
#[derive(Debug, Default)]
pub(super) struct Messages<'a> {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    left_out: LeftOut,
    /// Number of warnings before the current line.
    warnings_before: usize,
    /// Names of the sources, then those that line markers gave.
    pub files: Vec<String>,
    /// Index of the current source.
    pub source: usize,
    /// Text of the current source.
    pub text: &'a str,
    /// The current line.
    pub line: &'a str,
    /// The current statement of the line.
    pub statement: &'a str,
    /// Position of the current statement.
    pub place: Place,
}

impl<'a> Messages<'a> {
    /// Begins a line.
    pub fn next_line(&mut self, line: &'a str) {
        self.place.line = self.place.line.saturating_add(1);
        self.line = line;
        // Not after the line: warnings that `warnings_before` counts must not be dropped while the
        // line is read.
        self.cap_warnings();
        self.warnings_before = self.warnings.len();
    }

    /// Sorts errors by position: those found at the end of a source are out of order.
    pub fn sort_errors(&mut self) {
        self.errors.sort_by_cached_key(position);
    }

    /// Ends the run.
    pub fn into_report(mut self) -> (Report, Vec<String>) {
        self.cap_warnings();
        self.warnings.sort_by_cached_key(position);
        let Self { errors, warnings, left_out, files, .. } = self;
        (Report { errors, warnings, left_out }, files)
    }

    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Index of the next error.
    pub fn next_error(&self) -> usize {
        self.errors.len()
    }

    /// Replaces the hint of an error; false for an error beyond the maximum number.
    pub fn set_hint(&mut self, error: usize, hint: String) -> bool {
        let error = self.errors.get_mut(error);
        error.map(|error| error.hint = Some(hint)).is_some()
    }

    /// Reports an error of the current line, and drops the warnings of the line that it makes
    /// redundant.
    pub fn report(&mut self, fault: Fault<'a>) {
        let Some(message) = fault.message else { return };
        // Counted before its place is computed: a line of many labels may have an error for each.
        if self.errors.len() >= MAX_MESSAGES {
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
        let hint = habits::foreign_syntax_hint(self.line, fault.at).map(Into::into).or(fault.hint);
        self.error(site, message, hint.map(Into::into));
    }

    pub fn error(&mut self, site: Site, message: impl Into<String>, hint: Option<String>) {
        if self.errors.len() >= MAX_MESSAGES {
            self.left_out.errors += 1;
            return;
        }
        let error = Diagnostic { hint, ..self.diagnostic(site, message) };
        self.errors.push(error);
    }

    /// Warns about a part of the current line.
    #[cold]
    pub fn warn(&mut self, part: &str, message: &str, hint: Option<&str>) {
        // One line may have as many warnings as all lines together; computing the column of each
        // would take long.
        if self.warnings.len() - self.warnings_before >= MAX_MESSAGES {
            self.left_out.warnings += 1;
            return;
        }
        let hint = habits::foreign_syntax_hint(self.line, part).or(hint);
        self.warn_at(self.site(part), message, hint);
    }

    #[cold]
    pub fn warn_at(&mut self, site: Site, message: &str, hint: Option<&str>) {
        let warning = Diagnostic { hint: hint.map(str::to_owned), ..self.diagnostic(site, message) };
        self.warnings.push(warning);
    }

    /// Suggests a known name, or returns `None` for errors beyond the maximum: the search is slow.
    pub fn suggest<'n>(&self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
        if self.errors.len() >= MAX_MESSAGES { None } else { did_you_mean(name, known) }
    }

    /// File and line of a site.
    pub fn place_text(&self, site: Site) -> String {
        let Place { file, line, .. } = site.place;
        format!("{}:{line}", self.files.get(file).map_or("", String::as_str))
    }

    /// The site of a part of the current line, or of the entire line for text from elsewhere.
    pub fn site(&self, part: &str) -> Site {
        let part = if offset(self.line, part).is_some() { part } else { lex::trim(self.line) };
        let place = Place { column: column(self.line, part), ..self.place };
        let start = offset(self.text, part).unwrap_or(0);
        Site { place, span: Span { source: self.source, start, length: part.len() } }
    }

    /// The beginning of the current source.
    pub fn source_start(&self) -> Site {
        let span = Span { source: self.source, start: 0, length: 0 };
        Site { place: Place { file: self.source, line: 1, column: 1 }, span }
    }

    fn cap_warnings(&mut self) {
        self.left_out.warnings += self.warnings.len().saturating_sub(MAX_MESSAGES);
        self.warnings.truncate(MAX_MESSAGES);
    }

    fn diagnostic(&self, site: Site, message: impl Into<String>) -> Diagnostic {
        let Site { place: Place { file, line, column }, span } = site;
        let file = self.files.get(file).cloned().unwrap_or_default();
        Diagnostic { file, line, column, message: message.into(), hint: None, span }
    }
}

/// A number that ascends with the position of a message.
fn position(message: &Diagnostic) -> u64 {
    (message.span.source as u64) << 40 | message.span.start as u64
}
