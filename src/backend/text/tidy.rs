//! Small changes to the text that naga writes, so that it reads as if written by hand; what it means stays the same.
//! In and out: text. Knows tokens, no grammar beyond parentheses.

use std::collections::BTreeSet;

/// Takes away the `_` that naga appends to names of registers and numbered outputs, wherever no other identifier has the name
/// already.
pub(super) fn names(text: &str) -> String {
    let taken: BTreeSet<&str> =
        words(text).filter(|(_, identifier)| *identifier).map(|(word, _)| word).collect();
    let mut out = String::with_capacity(text.len());
    for (word, identifier) in words(text) {
        match plain(word).filter(|name| identifier && !taken.contains(name)) {
            Some(name) => out.push_str(name),
            None => out.push_str(word),
        }
    }
    out
}

/// The name without the appended `_`, for names of ours that are no keywords anywhere: `r7_`, `left_i0_`, `texcoord_0_`.
fn plain(word: &str) -> Option<&str> {
    let name = word.strip_suffix('_')?;
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let register =
        matches!(stem, "r" | "o" | "v" | "c" | "a" | "i") || stem.ends_with('_') || stem.ends_with("_i");
    (register && stem.len() < name.len()).then_some(name)
}

/// The text in pieces: identifiers (true) and what is between them (false). Numbers belong to the rest.
fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let identifier = first.is_ascii_alphabetic() || first == '_';
        let length = if part(first) { rest.find(|c: char| !part(c)) } else { rest.find(part) };
        let (word, tail) = rest.split_at(length.unwrap_or(rest.len()));
        rest = tail;
        Some((word, identifier))
    })
}
