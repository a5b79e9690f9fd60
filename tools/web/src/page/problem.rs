//! Problems as the page shows them: a message with a place and advice.
//! In: errors, warnings and findings of the library. Out: [`Problem`].

use serde::Serialize;
use serde_json::json;
use transpica::{At, Error, Warning};
use transpica_asm::{Diagnostic, Report};

use super::document::Part;

/// Weight of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// No result.
    Error,
    /// A result that may not be the intended one.
    Warning,
    /// A remark.
    Note,
}

/// A problem. Lines and columns count from 1, columns and lengths in characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Its weight.
    pub severity: Severity,
    /// The description.
    pub message: String,
    /// Advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Line of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Length of the part of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
    /// Address of the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pc: Option<u16>,
}

impl Problem {
    /// Builds a problem without a place.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { severity, message, hint: None, line: None, column: None, length: None, pc: None }
    }

    /// Builds an error without a place.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Returns the text of an answer that failed.
    pub fn answer(&self) -> String {
        json!({ "error": self }).to_string()
    }

    /// Converts a message of the assembler about the sources of a text.
    pub fn of_diagnostic(severity: Severity, diagnostic: &Diagnostic, sources: &[Part<'_>]) -> Self {
        let Diagnostic { message, hint, span, line, column, .. } = diagnostic;
        let problem = Self { hint: hint.clone(), ..Self::new(severity, message) };
        let found = sources.get(span.source).and_then(|source| {
            let (before, rest) = source.text.split_at_checked(span.start)?;
            Some((source.above, before, rest.get(..span.length)?))
        });
        // Line markers name lines that the text does not have.
        match found {
            Some((above, before, part)) => Self {
                line: Some(above + count(before.matches('\n')) + 1),
                column: Some(count(before.rsplit('\n').next().unwrap_or_default().chars()) + 1),
                length: Some(count(part.chars())),
                ..problem
            },
            None => Self { line: Some(*line), column: Some(*column), ..problem },
        }
    }

    /// Converts the report of the assembler about the sources of a text: errors, then warnings.
    pub fn of_report(report: &Report, sources: &[Part<'_>]) -> Vec<Self> {
        let errors = report.errors.iter().map(|one| Self::of_diagnostic(Severity::Error, one, sources));
        let warnings = report.warnings.iter().map(|one| Self::of_diagnostic(Severity::Warning, one, sources));
        let mut all: Vec<Self> = errors.chain(warnings).collect();
        if report.left_out.errors + report.left_out.warnings > 0 {
            all.push(Self::new(Severity::Note, report.left_out.to_string()));
        }
        all
    }

    /// Converts a warning of the library.
    pub fn of_warning(warning: &Warning) -> Self {
        Self::new(Severity::Warning, &warning.text).with_place(warning.at)
    }

    /// Sets the place; an offset in a file becomes part of the message.
    fn with_place(mut self, at: At) -> Self {
        match at {
            At::Pc(pc) => self.pc = Some(pc),
            At::Offset(_) => self.message = format!("{at}: {}", self.message),
            At::Whole => {}
        }
        self
    }
}

fn count(items: impl Iterator) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        let problem = Self::error(error.kind.to_string()).with_place(error.at);
        Self { hint: error.kind.hint().map(str::to_owned), ..problem }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}
