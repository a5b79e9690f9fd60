//! What the assembler has to say: messages with file, line and column, the part of the text they are about, and advice.
//! In: parts of the text. Out: messages. Knows no grammar.

use std::borrow::Cow;
use std::fmt;

/// A part of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Index of the source in the list that was assembled.
    pub source: usize,
    /// First byte.
    pub start: usize,
    /// Number of bytes; 0 where something is missing.
    pub length: usize,
}

impl Span {
    /// Whether two parts have a byte or an end in common.
    pub(super) fn touches(self, other: Self) -> bool {
        self.source == other.source
            && self.start <= other.start + other.length
            && other.start <= self.start + self.length
    }
}

/// A message about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the file, as line markers tell it.
    pub file: String,
    /// Line, from 1, as line markers tell it.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What there is to say.
    pub message: String,
    /// What can be done, or what was meant.
    pub hint: Option<String>,
    /// The part of the text it is about, whatever line markers say.
    pub span: Span,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

/// Why nothing was assembled: every error of the texts that is not the consequence of another one.
///
/// ```
/// use transpica::stages::asm::{Source, assemble};
/// let text = ".proc main\n\tmov r0, r16\n\tmvo r1, r0\n\tend\n.end";
/// let report = assemble(&[Source { name: "a.pica", text }]).unwrap_err();
/// assert_eq!(
///     report.to_string(),
///     "a.pica:2:10: error: invalid temporary register: r16\na.pica:3:2: error: invalid instruction: mvo"
/// );
/// assert_eq!(report.errors[1].hint.as_deref(), Some("did you mean `mov`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What is wrong, in the order of the texts; never empty. After a hundred errors the rest is left out.
    pub errors: Vec<Diagnostic>,
    /// What looked like a mistake, a hundred times at most.
    pub warnings: Vec<Diagnostic>,
    /// How much was left out.
    pub left_out: LeftOut,
}

/// How many messages were found but not kept. As text it is a last line for the reader, empty where nothing is missing.
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
    /// What is wrong with it; nothing where another error, already told, made this one.
    pub message: Option<String>,
    /// What to do.
    pub hint: Option<Cow<'static, str>>,
}

impl<'a> Fault<'a> {
    /// An error in words.
    #[cold]
    pub fn new(at: &'a str, message: impl Into<String>) -> Self {
        Self { at, message: Some(message.into()), hint: None }
    }
    /// The consequence of an error that has been told.
    #[cold]
    pub fn follow_up(at: &'a str) -> Self {
        Self { at, message: None, hint: None }
    }
    /// With advice.
    #[cold]
    pub fn hint(self, hint: impl Into<Cow<'static, str>>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Result of reading a part of the current line.
pub(super) type Parse<'a, T> = Result<T, Fault<'a>>;

/// An error at a part of the current line.
#[cold]
pub(super) fn fault<'a, T>(at: &'a str, message: impl Into<String>) -> Parse<'a, T> {
    Err(Fault::new(at, message))
}

/// An error with advice.
#[cold]
pub(super) fn hinted<'a, T>(
    at: &'a str,
    message: impl Into<String>,
    hint: impl Into<Cow<'static, str>>,
) -> Parse<'a, T> {
    Err(Fault::new(at, message).hint(hint))
}

/// Characters of the source that a message quotes.
const QUOTED: usize = 60;

/// A part of the source as messages quote it: cut where it would not fit a line.
pub(super) fn quote(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(QUOTED) {
        None => text.into(),
        Some((end, _)) => format!("{}\u{2026}", &text[..end]).into(),
    }
}

/// The byte of `text` at which `part` begins; nothing where it is no part of it.
pub(super) fn offset(text: &str, part: &str) -> Option<usize> {
    let offset = part.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
    Some(offset).filter(|&offset| offset <= text.len() && offset + part.len() <= text.len())
}

/// Column, from 1, at which `part` begins in `line`; 1 where it is no part of the line.
pub(super) fn column(line: &str, part: &str) -> u32 {
    let before = offset(line, part).and_then(|offset| line.get(..offset)).unwrap_or_default();
    u32::try_from(before.chars().count()).unwrap_or(u32::MAX).saturating_add(1)
}

/// Advice to write one of the known names that is nearly the same as `name`.
pub(super) fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    if name.len() > 40 {
        return None;
    }
    let most = 1 + name.len() / 4;
    let near = known.into_iter().map(|known| (distance(name, known, most), known));
    let (_, best) = near.filter(|&(distance, _)| distance <= most.min(2)).min()?;
    Some(format!("did you mean `{best}`?"))
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour to make `a` from `b`; more than
/// `most` is not told apart. Upper and lower case are the same.
fn distance(a: &str, b: &str, most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return usize::MAX;
    }
    let a = a.to_ascii_lowercase().into_bytes();
    let b = b.to_ascii_lowercase().into_bytes();
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            next[j + 1] = replaced.min(last[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, next);
    }
    last[b.len()]
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

    #[test]
    fn a_name_is_suggested_only_when_it_is_near() {
        let known = ["mov", "mova", "mul", "projection"];
        assert_eq!(did_you_mean("MVO", known).as_deref(), Some("did you mean `mov`?"));
        assert_eq!(did_you_mean("projektion", known).as_deref(), Some("did you mean `projection`?"));
        assert_eq!(did_you_mean("view", known), None);
        assert_eq!(did_you_mean("", known), None);
    }
}
