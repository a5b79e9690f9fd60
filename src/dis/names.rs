//! Names that a text can use: identifiers, each with one meaning, that look like no register.
//! In: names of tables, which may hold anything. Out: identifiers, or nothing. Facts: picasso's rules for names.

use std::collections::BTreeSet;

use crate::asm::syntax::{is_name, is_register_name};

/// The identifier that a symbol table's name comes from; nothing where none does.
pub(super) fn identifier(name: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(name).ok()?;
    if text.is_empty() || text.contains('$') {
        return None; // A `$` would come back as a dot.
    }
    let text = text.replace('.', "$");
    Some(text).filter(|text| is_name(text) && !is_register_name(text))
}

/// Names that have a meaning.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    /// Takes a name; false where it has a meaning already.
    pub fn take(&mut self, name: &str) -> bool {
        self.0.insert(name.to_owned())
    }
    /// Takes a name, lengthened until it is a new one.
    pub fn take_new(&mut self, name: String) -> String {
        let mut name = name;
        while !self.take(&name) {
            name.push('_');
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_identifiers_that_come_back_are_taken_over() {
        assert_eq!(identifier(b"lights.position").as_deref(), Some("lights$position"));
        for name in [&b""[..], b"c0", b"R1x", b"1st", b"a b", b"x;", b"a$b", b"\xFF", b"na\xC3\xAFve", b"-"] {
            assert_eq!(identifier(name), None, "{}", name.escape_ascii());
        }
    }

    #[test]
    fn a_taken_name_grows() {
        let mut taken = Taken::default();
        assert!(taken.take("a") && !taken.take("a"));
        assert_eq!([taken.take_new("a".into()), taken.take_new("a".into())], ["a_", "a__"]);
    }
}
