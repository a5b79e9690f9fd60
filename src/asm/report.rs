//! What the assembler has to say: messages with file, line and column.
//! In: parts of the text. Out: messages. Knows no grammar.

use std::fmt;

/// A message about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What there is to say.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

/// Why nothing was assembled.
///
/// ```
/// use transpica::asm::{Source, assemble};
/// let report = assemble(&[Source { name: "a.pica", text: ".proc main\n\tmov r0, r16\n\tend\n.end" }]).unwrap_err();
/// assert_eq!(report.to_string(), "a.pica:2:10: error: invalid temporary register: r16");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What is wrong; never empty.
    pub errors: Vec<Diagnostic>,
    /// What looked like a mistake before.
    pub warnings: Vec<Diagnostic>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            let Diagnostic { file, line, column, message } = error;
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{file}:{line}:{column}: error: {message}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}

/// An error at a part of the current line.
#[derive(Clone, Debug)]
pub(super) struct Fault<'a> {
    /// The part.
    pub at: &'a str,
    /// What is wrong with it.
    pub message: String,
}

/// Result of reading a part of the current line.
pub(super) type Parse<'a, T> = Result<T, Fault<'a>>;

/// An error at a part of the current line.
#[cold]
pub(super) fn fault<'a, T>(at: &'a str, message: impl Into<String>) -> Parse<'a, T> {
    Err(Fault { at, message: message.into() })
}

/// Column, from 1, at which `part` begins in `line`; 1 where it is no part of the line.
pub(super) fn column(line: &str, part: &str) -> u32 {
    let offset = part.as_ptr().addr().wrapping_sub(line.as_ptr().addr());
    let before = line.get(..offset).unwrap_or_default();
    u32::try_from(before.chars().count()).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::column;

    #[test]
    fn columns_count_characters() {
        let line = "\tmov äö, x";
        assert_eq!(column(line, &line[1..]), 2);
        assert_eq!(column(line, line.rsplit_once(' ').expect("blank").1), 10);
        assert_eq!(column(line, "elsewhere"), 1);
    }
}
