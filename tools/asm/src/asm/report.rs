//! Messages with file, line and column, the part of the text they are about, and a hint.
//! In: parts of the text. Out: messages. Knows no grammar.

use std::borrow::Cow;
use std::fmt;

use super::Place;

/// A part of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Index of the source.
    pub source: usize,
    /// First byte.
    pub start: usize,
    /// Number of bytes; 0 for missing text.
    pub length: usize,
}

impl Span {
    /// Returns whether two parts overlap or touch.
    pub(super) fn touches(self, other: Self) -> bool {
        self.source == other.source
            && self.start <= other.start + other.length
            && other.start <= self.start + self.length
    }
}

/// A position that outlives its line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Site {
    pub place: Place,
    pub span: Span,
}

/// An error or warning about a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the file, according to line markers.
    pub file: String,
    /// Line, from 1, according to line markers.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The problem.
    pub message: String,
    /// Advice, or the likely intention.
    pub hint: Option<String>,
    /// The part of the text, independent of line markers.
    pub span: Span,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

/// The errors of all texts, without those that another error causes.
///
/// ```
/// use transpica_asm::{SourceText, assemble};
/// let text = ".proc main\n\tmov r0, r16\n\tmvo r1, r0\n\tend\n.end";
/// let report = assemble(&[SourceText { name: "a.pica", text }]).unwrap_err();
/// assert_eq!(
///     report.to_string(),
///     "a.pica:2:10: error: invalid temporary register: r16\n\
///      a.pica:3:2: error: invalid instruction: mvo"
/// );
/// assert_eq!(report.errors[1].hint.as_deref(), Some("did you mean `mov`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Errors in the order of the texts, at least one and at most a hundred.
    pub errors: Vec<Diagnostic>,
    /// Warnings, at most a hundred.
    pub warnings: Vec<Diagnostic>,
    /// Numbers of further messages.
    pub left_out: LeftOut,
}

/// Numbers of messages beyond the maximum. As text a last line for the reader, empty if there is
/// none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Errors beyond the first hundred.
    pub errors: usize,
    /// Warnings beyond the first hundred.
    pub warnings: usize,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (count, noun) in [(self.errors, "error"), (self.warnings, "warning")] {
            if count > 0 {
                let plural = if count == 1 { "" } else { "s" };
                write!(f, "{separator}and {count} more {noun}{plural}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            let Diagnostic { file, line, column, message, .. } = error;
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{file}:{line}:{column}: error: {message}")?;
        }
        match self.left_out.errors {
            0 => Ok(()),
            errors => write!(f, "\n{}", LeftOut { errors, warnings: 0 }),
        }
    }
}

impl std::error::Error for Report {}

/// An error at a part of the current line.
#[derive(Clone, Debug)]
pub(super) struct Fault<'a> {
    /// The part.
    pub at: &'a str,
    /// The problem, or `None` for the consequence of a reported error.
    pub message: Option<String>,
    /// Advice.
    pub hint: Option<Cow<'static, str>>,
}

impl<'a> Fault<'a> {
    /// Creates an error.
    #[cold]
    pub fn new(at: &'a str, message: impl Into<String>) -> Self {
        Self { at, message: Some(message.into()), hint: None }
    }
    /// Creates the consequence of a reported error, which is not reported.
    #[cold]
    pub fn follow_up(at: &'a str) -> Self {
        Self { at, message: None, hint: None }
    }
    /// Adds a hint.
    #[cold]
    pub fn hint(self, hint: impl Into<Cow<'static, str>>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
    /// Adds a hint, if there is one.
    pub fn optional_hint(self, hint: Option<String>) -> Self {
        Self { hint: hint.map(Cow::Owned).or(self.hint), ..self }
    }
}

/// Result of reading a part of the current line.
pub(super) type Parse<'a, T> = Result<T, Fault<'a>>;

/// Fails with an error.
#[cold]
pub(super) fn fault<'a, T>(at: &'a str, message: impl Into<String>) -> Parse<'a, T> {
    Err(Fault::new(at, message))
}

/// Fails with an error and a hint.
#[cold]
pub(super) fn hinted<'a, T>(
    at: &'a str,
    message: impl Into<String>,
    hint: impl Into<Cow<'static, str>>,
) -> Parse<'a, T> {
    Err(Fault::new(at, message).hint(hint))
}

/// Maximum number of quoted characters.
const QUOTED: usize = 60;

/// A part of the source for a message, truncated to fit a line.
pub(super) fn quote(text: &str) -> Cow<'_, str> {
    let end = text.char_indices().nth(QUOTED);
    end.map_or(text.into(), |(end, _)| format!("{}\u{2026}", &text[..end]).into())
}

/// The message that a text is not a valid instance of a noun.
pub(super) fn invalid(noun: &str, text: &str) -> String {
    format!("invalid {noun}: {}", quote(text))
}

/// The byte offset of `part` in `text`, or `None` if it is not a slice of it.
pub(super) fn offset(text: &str, part: &str) -> Option<usize> {
    let offset = part.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
    Some(offset).filter(|&offset| offset <= text.len() && offset + part.len() <= text.len())
}

/// Column of `part` in `line`, from 1; 1 if it is not a slice of it.
pub(super) fn column(line: &str, part: &str) -> u32 {
    let before = offset(line, part).and_then(|offset| line.get(..offset)).unwrap_or_default();
    u32::try_from(before.chars().count()).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let line = "\tmov äö, x";
        assert_eq!(column(line, &line[1..]), 2);
        assert_eq!(column(line, line.rsplit_once(' ').expect("blank").1), 10);
        assert_eq!(column(line, "elsewhere"), 1);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(quote("short"), "short");
        assert_eq!(quote(&"\u{e9}".repeat(61)), format!("{}\u{2026}", "\u{e9}".repeat(60)));
    }
}
