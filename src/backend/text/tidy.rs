//! Small changes to the text that naga writes, so that it reads as if written by hand; what it means stays the same.
//! In and out: text. Knows tokens, no grammar beyond parentheses.

use std::collections::{BTreeMap, BTreeSet};

/// Tidies names: see [`renamed`].
#[cfg(any(feature = "hlsl", feature = "msl"))]
pub(super) fn names(text: &str) -> String {
    renamed(text, &BTreeMap::new())
}

/// Renames identifiers, and takes away the `_` that naga appends to names of registers and numbered outputs, wherever no
/// other identifier has the name already. What has one of the new names gives way.
pub(super) fn renamed(text: &str, renames: &BTreeMap<String, String>) -> String {
    let mut taken: BTreeSet<&str> =
        words(text).filter(|(_, identifier)| *identifier).map(|(word, _)| word).collect();
    let mut given: BTreeMap<&str, String> = BTreeMap::new();
    for (word, name) in renames {
        if taken.contains(word.as_str()) {
            given.insert(word, identifier_of(name));
        }
    }
    let wanted: Vec<String> = given.values().cloned().collect();
    for name in &wanted {
        if let Some(&word) = taken.get(name.as_str())
            && !given.contains_key(word)
        {
            let mut other = format!("{word}_value");
            while taken.contains(other.as_str()) || wanted.contains(&other) {
                other.push('s');
            }
            given.insert(word, other);
        }
    }
    taken.extend(wanted.iter().map(String::as_str));
    let mut out = String::with_capacity(text.len());
    for (word, identifier) in words(text) {
        if !identifier {
            out.push_str(word);
        } else if let Some(name) = given.get(word) {
            out.push_str(name);
        } else if let Some(name) = plain(word).filter(|name| !taken.contains(name)) {
            out.push_str(name);
        } else {
            out.push_str(word);
        }
    }
    out
}

/// A name as an identifier.
fn identifier_of(name: &str) -> String {
    let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    name
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
