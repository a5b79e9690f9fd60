//! Failures as people read them: what, where, what to do.

use std::fmt;
use std::path::Path;

use miette::{GraphicalReportHandler, GraphicalTheme, MietteDiagnostic};

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
        Self::new(error.to_string())
    }
    /// Prints it on standard error.
    pub fn print(&self, color: Color) {
        let mut diagnostic = MietteDiagnostic::new(self.message.clone());
        if let Some(hint) = &self.hint {
            diagnostic = diagnostic.with_help(hint.clone());
        }
        let theme =
            if use_color(color) { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let mut text = String::new();
        match GraphicalReportHandler::new_themed(theme).render_report(&mut text, &diagnostic) {
            Ok(()) => eprint!("{text}"),
            Err(fmt::Error) => eprintln!("{}", self.message),
        }
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
