//! Identifiers of the text: unique, and different from all register names.
//! In: names of tables, which may contain any byte. Out: identifiers, or nothing. Facts: picasso's
//! rules for names.

use std::collections::BTreeSet;

use crate::asm::syntax::{is_name, is_register_name};

/// The identifier that the assembler turns into this symbol name, if one exists.
pub(super) fn spelling(name: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(name).ok()?;
    if text.is_empty() || text.contains('$') {
        return None; // A `$` would come back as a dot.
    }
    let text = text.replace('.', "$");
    Some(text).filter(|text| is_name(text) && !is_register_name(text))
}

/// The identifiers of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct NameSet(BTreeSet<String>);

impl NameSet {
    /// Adds a name; returns false if it exists.
    pub fn insert(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }
    /// Adds a name, lengthened until it is unique.
    pub fn insert_unique(&mut self, name: String) -> String {
        let mut name = name;
        while !self.insert(&name) {
            name.push('_');
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_round_trip_are_no_identifiers() {
        assert_eq!(spelling(b"lights.position").as_deref(), Some("lights$position"));
        for name in [&b""[..], b"c0", b"R1x", b"1st", b"a b", b"x;", b"a$b", b"\xFF", b"na\xC3\xAFve", b"-"] {
            assert_eq!(spelling(name), None, "{}", name.escape_ascii());
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_underscores() {
        let mut taken = NameSet::default();
        assert!(taken.insert("a") && !taken.insert("a"));
        assert_eq!([taken.insert_unique("a".into()), taken.insert_unique("a".into())], ["a_", "a__"]);
    }
}
