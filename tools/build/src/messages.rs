//! Messages about sources: what the assembler and the lint say, with file, line and column.

use std::fmt;

use transpica::host::dvle;
use transpica::{Limits, Result, Shbin};
use transpica_asm::lint::{Rule, lint};
use transpica_asm::{Assembled, Diagnostic, Report};

/// Weight of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The build goes on.
    Warning,
    /// The build ends.
    Error,
}

/// A message about a place in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its weight.
    pub severity: Severity,
    /// Path of the source as it was given.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The text, with a hint if there is one.
    pub text: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.text)
    }
}

impl Message {
    /// Returns the line by which a build script shows it.
    pub(crate) fn line_for_cargo(&self) -> String {
        let key = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        format!("cargo::{key}={}", self.to_string().replace('\n', " "))
    }
}

/// Messages of the assembler of one weight.
pub(crate) fn of_diagnostics(diagnostics: &[Diagnostic], severity: Severity) -> Vec<Message> {
    let message = |Diagnostic { file, line, column, message, hint, .. }: &Diagnostic| {
        let hint = hint.as_ref().map_or_else(String::new, |hint| format!(" ({hint})"));
        let text = format!("{message}{hint}");
        Message { severity, file: file.clone(), line: *line, column: *column, text }
    };
    diagnostics.iter().map(message).collect()
}

/// Messages of sources that do not assemble.
pub(crate) fn of_report(report: &Report) -> Vec<Message> {
    let mut messages = of_diagnostics(&report.errors, Severity::Error);
    messages.extend(of_diagnostics(&report.warnings, Severity::Warning));
    messages
}

/// Findings about all executables of a file, each once; findings of denied rules are errors.
pub(crate) fn of_lint(assembled: &Assembled, file: &Shbin<'_>, denied: &[Rule]) -> Result<Vec<Message>> {
    let limits = Limits::default();
    let mut messages = Vec::new();
    for index in 0..file.executables.len() {
        let program = dvle::program(file, index, &limits)?;
        let own = assembled.findings.iter().cloned();
        for finding in lint(&program, file, index, &limits)?.into_iter().chain(own) {
            // A finding about the whole program stands at its entry point.
            let pc = finding.pc.unwrap_or(program.entry());
            let place = assembled.places.get(pc.index()).copied().unwrap_or_default();
            let is_denied = denied.contains(&finding.rule);
            let message = Message {
                severity: if is_denied { Severity::Error } else { Severity::Warning },
                file: assembled.files.get(place.file).cloned().unwrap_or_default(),
                line: place.line,
                column: place.column,
                text: format!("{} [{}]", finding.message, finding.rule),
            };
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
    }
    Ok(messages)
}
