//! Failures and diagnostics for the user: problem, place, advice.

use std::fmt;
use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use clap::{Args, ColorChoice};
use transpica::Kind;
use transpica_asm::Diagnostic;

use crate::terminal::{has_color, has_unicode, visible, visible_place};

/// Display order of common options: after the command's own, before `--help`.
const LAST: usize = 998;

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Hide warnings, notes, reports and progress
    ///
    /// In tables, show only failed rows and totals.
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = LAST)]
    pub quiet: bool,
    /// Show sizes, times and fallback tiers on standard error
    #[arg(short, long, global = true, display_order = LAST)]
    pub verbose: bool,
    /// Color in diagnostics
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, display_order = LAST)]
    #[arg(hide_short_help = true)]
    pub color: ColorChoice,
}

/// A failure of a command.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    status: u8,
    /// Errors in a source, which replace the message where there is room for them.
    source: Option<Box<(Vec<Diagnostic>, Text)>>,
}

/// Exit status of faulty input.
const INPUT: u8 = 1;

/// Exit status of wrong usage.
const USAGE: u8 = 2;

impl Failure {
    /// Builds a failure from a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, status: INPUT, source: None }
    }
    /// Builds a failure of usage that only the input reveals: an option that does not apply to its
    /// programs.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { status: USAGE, ..Self::new(message) }
    }
    /// Builds a failure from the errors in a source.
    pub fn of_source(errors: Vec<Diagnostic>, text: Text) -> Self {
        let first = errors.first().map_or_else(String::new, ToString::to_string);
        let message = format!("cannot be assembled: {first}");
        Self { source: Some(Box::new((errors, text))), ..Self::new(message) }
    }
    /// Builds the failure of what a build without a feature leaves out.
    #[cfg_attr(
        all(feature = "compile", feature = "gpu", feature = "packages", feature = "test"),
        allow(dead_code)
    )]
    pub fn left_out(what: &str, feature: &str) -> Self {
        Self::usage(format!("{what}: this build of transpica lacks the feature {feature}")).hint(format!(
            "build it with all features: cargo install --path tools/cli; or add --features {feature} to your command"
        ))
    }
    /// Adds advice.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.maybe_hint(Some(hint))
    }
    /// Adds advice, or nothing for `None`.
    #[must_use]
    pub fn maybe_hint(self, hint: Option<impl Into<String>>) -> Self {
        Self { hint: hint.map(Into::into), ..self }
    }
    /// Builds a failure from an error of the library in a file.
    pub fn from_error(path: &Path, error: &transpica::Error) -> Self {
        Self::of_program(error).in_file(path)
    }
    /// Puts the name of a file in front of the message.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Self {
        Self { message: format!("{}: {}", path.display(), self.message), ..self }
    }
    /// Builds a failure from an error of the library.
    pub fn of_program(error: &transpica::Error) -> Self {
        let hint = match &error.kind {
            Kind::NoExecutable { .. } => Some("`transpica info FILE` lists the executables"),
            Kind::Stage { .. } => Some("choose an executable of the other stage with --dvle"),
            // Other files were searched for a container before they are parsed.
            Kind::BadMagic { expected: "DVLB", .. } => Some(
                "a .shbin file begins with DVLB and a source has .proc; this file has neither, and no .shbin file inside",
            ),
            other => other.hint(),
        };
        Self::new(error.to_string()).maybe_hint(hint)
    }
    /// Builds a failure from an error of the operating system about a file.
    pub fn io(what: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::new(format!("cannot {what} {}: {error}", path.display()))
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
    pub fn print(&self, color: ColorChoice) {
        if let Some((errors, text)) = self.source.as_deref() {
            return print_diagnostics(errors, &[], std::slice::from_ref(text), color);
        }
        let (message, hint) = (visible(&self.message), self.hint.as_deref().map(visible));
        let help = hint.as_deref().map(|hint| Level::HELP.message(hint));
        let group = Group::with_title(Level::ERROR.primary_title(message.as_ref())).elements(help);
        say(&rendered(group, color));
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

/// Draws a diagnostic as the terminal permits.
fn rendered(group: Group<'_>, color: ColorChoice) -> String {
    let renderer = if has_color(color) { Renderer::styled() } else { Renderer::plain() };
    let decor = if has_unicode() { DecorStyle::Unicode } else { DecorStyle::Ascii };
    renderer.decor_style(decor).render(&[group]) + "\n"
}

/// Writes to standard error. An error is dropped, since nothing is left to report it to.
pub fn say(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Longest line that is shown; for longer ones only the place is printed.
const WIDEST: usize = 400;

/// A text that diagnostics refer to.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its name in diagnostics.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// Prints warnings and errors on standard error, each with its source line. Warnings follow the
/// order of the texts; errors keep theirs.
pub fn print_diagnostics(errors: &[Diagnostic], warnings: &[Diagnostic], texts: &[Text], color: ColorChoice) {
    let place = |diagnostic: &Diagnostic| (diagnostic.span.source, diagnostic.span.start);
    let mut warnings: Vec<_> = warnings.iter().collect();
    warnings.sort_by_key(|warning| place(warning));
    let mut warnings = warnings.into_iter().peekable();
    let print = |diagnostic, level| say(&render(diagnostic, level, texts, color));
    for error in errors {
        while let Some(warning) = warnings.next_if(|warning| place(warning) <= place(error)) {
            print(warning, Level::WARNING);
        }
        print(error, Level::ERROR);
    }
    warnings.for_each(|warning| print(warning, Level::WARNING));
}

fn render(diagnostic: &Diagnostic, level: Level<'_>, texts: &[Text], color: ColorChoice) -> String {
    let Diagnostic { file, line, message, hint, span, .. } = diagnostic;
    let plain = || format!("{}\n", visible(&diagnostic.to_string()));
    let hint = hint.as_deref().map(visible);
    let Some(text) = texts.get(span.source) else { return plain() };
    let (Some(before), Some(rest)) = (text.text.get(..span.start), text.text.get(span.start..)) else {
        return plain();
    };
    let start_of_line = before.rfind('\n').map_or(0, |feed| feed + 1);
    let shown = &text.text[start_of_line..span.start + rest.find(['\r', '\n']).unwrap_or(rest.len())];
    if shown.len() > WIDEST {
        let hint = hint.map_or(String::new(), |hint| format!("  help: {hint}\n"));
        return plain() + &hint;
    }
    // A preprocessor's line marker may number the line differently from its position in the text.
    let number = before.matches('\n').count() + 1;
    let is_marked = *file != text.name || number != *line as usize;
    let place = if is_marked { format!(" ({file}:{line})") } else { String::new() };
    let [start, end] =
        [span.start, span.start + span.length].map(|place| visible_place(shown, place - start_of_line));
    let (title, name, shown) = (format!("{message}{place}"), visible(&text.name), visible(shown));
    let snippet = Snippet::source(shown.as_ref())
        .line_start(number)
        .path(name.as_ref())
        .annotation(AnnotationKind::Primary.span(start..end));
    let group = Group::with_title(level.primary_title(visible(&title).into_owned())).element(snippet);
    rendered(group.elements(hint.as_deref().map(|hint| Level::HELP.message(hint))), color)
}
