//! Failures as people read them: what, where, what to do.

use std::fmt;
use std::path::Path;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity,
};
use transpica::asm::Diagnostic;

use crate::args::Color;

/// A failure of a command. The exit status is always 1: wrong usage never comes this far.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure in words.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }
    /// With advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
    /// An error of the library in a file.
    pub fn at(path: &Path, error: &transpica::error::Error) -> Self {
        Self { message: format!("{}: {error}", path.display()), hint: error.kind.hint().map(str::to_string) }
    }
    /// An error of the operating system about a file.
    pub fn io(what: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::new(format!("cannot {what} {}: {error}", path.display()))
    }
    /// An error of the GPU.
    pub fn gpu(error: &transpica_gpu::GpuError) -> Self {
        Self { message: error.to_string(), hint: error.hint().map(str::to_string) }
    }
    /// What is wrong, without advice.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// Prints it on standard error.
    pub fn print(&self, color: Color) {
        let mut diagnostic = MietteDiagnostic::new(self.message.clone());
        if let Some(hint) = &self.hint {
            diagnostic = diagnostic.with_help(hint.clone());
        }
        let mut text = String::new();
        if handler(color).render_report(&mut text, &diagnostic).is_err() {
            text = format!("{}\n", self.message);
        }
        say(&text);
    }
}

fn handler(color: Color) -> GraphicalReportHandler {
    let theme = if use_color(color) { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    GraphicalReportHandler::new_themed(theme)
}

/// Writes to standard error. Where nobody listens any more there is nobody to tell.
fn say(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Longest line that is shown; of longer ones only the place is told.
const WIDEST: usize = 400;

/// A text that messages are about.
pub struct Text {
    /// What messages call it.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// Prints warnings and errors on standard error in the order of the texts, each with its line.
pub fn print_diagnostics(errors: &[Diagnostic], warnings: &[Diagnostic], texts: &[Text], color: Color) {
    let warnings = warnings.iter().map(|warning| (warning, Severity::Warning));
    let mut all: Vec<_> = warnings.chain(errors.iter().map(|error| (error, Severity::Error))).collect();
    all.sort_by_key(|(diagnostic, _)| (diagnostic.span.source, diagnostic.span.start));
    for (diagnostic, severity) in all {
        say(&render(diagnostic, severity, texts, color));
    }
}

fn render(diagnostic: &Diagnostic, severity: Severity, texts: &[Text], color: Color) -> String {
    let Diagnostic { file, line, message, hint, span, .. } = diagnostic;
    let Some(text) = texts.get(span.source) else { return format!("{diagnostic}\n") };
    let rest = text.text.get(span.start..).unwrap_or_default();
    let before_in_line =
        text.text.get(..span.start).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    if before_in_line.len() + rest.lines().next().unwrap_or_default().len() > WIDEST {
        let hint = hint.as_ref().map_or(String::new(), |hint| format!("  help: {hint}\n"));
        return format!("{diagnostic}\n{hint}");
    }
    // Line markers of a preprocessor may give the line another name than its place in the text has.
    let before = text.text.get(..span.start).unwrap_or_default();
    let is_marked = *file != text.name || before.matches('\n').count() + 1 != *line as usize;
    let place = if is_marked { format!(" ({file}:{line})") } else { String::new() };
    let mut shown = MietteDiagnostic::new(format!("{message}{place}"))
        .with_severity(severity)
        .with_label(LabeledSpan::new(None, span.start, span.length));
    if let Some(hint) = hint {
        shown = shown.with_help(hint.clone());
    }
    let report = Report::new(shown).with_source_code(NamedSource::new(&text.name, text.text.clone()));
    let mut out = String::new();
    match handler(color).with_context_lines(1).render_report(&mut out, report.as_ref()) {
        Ok(()) => out,
        Err(fmt::Error) => format!("{diagnostic}\n"),
    }
}

/// Whether diagnostics are coloured.
fn use_color(color: Color) -> bool {
    use std::io::IsTerminal;
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    }
}
