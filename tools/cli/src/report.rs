//! Failures and diagnostics for the user: problem, place, advice.

use std::fmt;
use std::path::Path;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity,
    ThemeCharacters, ThemeStyles,
};
use transpica::Kind;
use transpica::stages::asm::Diagnostic;

use crate::args::{Color, Common};
use crate::terminal::{has_color, has_unicode, visible, visible_place};

/// A failure of a command.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    status: u8,
}

/// Exit status of faulty input.
const INPUT: u8 = 1;

/// Exit status of wrong usage.
const USAGE: u8 = 2;

impl Failure {
    /// Builds a failure from a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, status: INPUT }
    }
    /// Builds a failure of usage that only the input reveals: an option that does not apply to its
    /// programs.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { status: USAGE, ..Self::new(message) }
    }
    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
    /// Builds a failure from an error of the library in a file.
    pub fn at(path: &Path, error: &transpica::stages::error::Error) -> Self {
        let hint = match &error.kind {
            Kind::NoExecutable { .. } => Some("`transpica info FILE` lists the executables"),
            Kind::Stage { .. } => Some("choose an executable of the other stage (--dvle)"),
            other => other.hint(),
        };
        Self { hint: hint.map(str::to_string), ..Self::new(format!("{}: {error}", path.display())) }
    }
    /// Builds a failure from an error of the operating system about a file.
    pub fn io(what: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::new(format!("cannot {what} {}: {error}", path.display()))
    }
    /// Builds a failure from an error of the GPU.
    pub fn gpu(error: &transpica_gpu::GpuError) -> Self {
        Self { hint: error.hint().map(str::to_string), ..Self::new(error.to_string()) }
    }
    /// Returns the message without advice.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// Returns the exit status.
    pub fn status(&self) -> u8 {
        self.status
    }
    /// Prints the failure on standard error.
    pub fn print(&self, color: Color) {
        let mut diagnostic = MietteDiagnostic::new(visible(&self.message));
        if let Some(hint) = &self.hint {
            diagnostic = diagnostic.with_help(visible(hint));
        }
        let mut text = String::new();
        if handler(color).render_report(&mut text, &diagnostic).is_err() {
            text = format!("{}\n", visible(&self.message));
        }
        say(&text);
    }
}

/// Remarks on standard error, one line each, as `-q` and `-v` request.
impl Common {
    /// Prints a warning about the input; `-q` hides it.
    pub fn warn(&self, text: impl fmt::Display) {
        if !self.quiet {
            say(&format!("warning: {}\n", visible(&text.to_string())));
        }
    }
    /// Prints a note about a choice made for the user; `-q` hides it.
    pub fn note(&self, text: impl fmt::Display) {
        if !self.quiet {
            say(&format!("note: {}\n", visible(&text.to_string())));
        }
    }
    /// Prints a detail that only `-v` shows: a size, a time, a fallback.
    pub fn detail(&self, text: impl fmt::Display) {
        if self.verbose {
            say(&format!("{}\n", visible(&text.to_string())));
        }
    }
}

fn handler(color: Color) -> GraphicalReportHandler {
    let characters = if has_unicode() { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() };
    let styles = if has_color(color) { ThemeStyles::ansi() } else { ThemeStyles::none() };
    GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
}

/// Writes to standard error. An error is dropped, since there is no place left to report it.
fn say(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Longest line that is shown; for longer ones only the place is printed.
const WIDEST: usize = 400;

/// A text that diagnostics refer to.
pub struct Text {
    /// Its name in diagnostics.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// Prints warnings and errors on standard error, each with its source line. Warnings follow the
/// order of the texts; errors keep theirs.
pub fn print_diagnostics(errors: &[Diagnostic], warnings: &[Diagnostic], texts: &[Text], color: Color) {
    let place = |diagnostic: &Diagnostic| (diagnostic.span.source, diagnostic.span.start);
    let mut warnings: Vec<_> = warnings.iter().collect();
    warnings.sort_by_key(|warning| place(warning));
    let mut warnings = warnings.into_iter().peekable();
    let print = |diagnostic, severity| say(&render(diagnostic, severity, texts, color));
    for error in errors {
        while let Some(warning) = warnings.next_if(|warning| place(warning) <= place(error)) {
            print(warning, Severity::Warning);
        }
        print(error, Severity::Error);
    }
    warnings.for_each(|warning| print(warning, Severity::Warning));
}

fn render(diagnostic: &Diagnostic, severity: Severity, texts: &[Text], color: Color) -> String {
    let Diagnostic { file, line, message, hint, span, .. } = diagnostic;
    let plain = || format!("{}\n", visible(&diagnostic.to_string()));
    let hint = hint.as_deref().map(visible);
    let Some(text) = texts.get(span.source) else { return plain() };
    let rest = text.text.get(span.start..).unwrap_or_default();
    let before_in_line =
        text.text.get(..span.start).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    if before_in_line.len() + rest.lines().next().unwrap_or_default().len() > WIDEST {
        let hint = hint.map_or(String::new(), |hint| format!("  help: {hint}\n"));
        return plain() + &hint;
    }
    // A preprocessor's line marker may number the line differently from its position in the text.
    let before = text.text.get(..span.start).unwrap_or_default();
    let is_marked = *file != text.name || before.matches('\n').count() + 1 != *line as usize;
    let place = if is_marked { format!(" ({file}:{line})") } else { String::new() };
    let [start, end] = [span.start, span.start + span.length].map(|place| visible_place(&text.text, place));
    let mut shown = MietteDiagnostic::new(visible(&format!("{message}{place}")))
        .with_severity(severity)
        .with_label(LabeledSpan::new(None, start, end - start));
    if let Some(hint) = hint {
        shown = shown.with_help(hint);
    }
    let source = NamedSource::new(visible(&text.name), visible(&text.text).into_owned());
    let report = Report::new(shown).with_source_code(source);
    let mut out = String::new();
    match handler(color).with_context_lines(1).render_report(&mut out, report.as_ref()) {
        Ok(()) => out,
        Err(fmt::Error) => plain(),
    }
}
