//! Selection among labels at one address: the name of the code that begins there.
//! In: the labels of an executable. Out: a rank for each. Knows no code.
//! Facts: vendor tools label the entry point, its end and every target of a call or jump, so the
//! end of a procedure and the start of the next share an address. A length describes a subroutine;
//! its unit differs between tools.

use std::collections::BTreeMap;

use super::bytes::Name;
use super::records::Label;

/// The labels of an executable, by name.
pub struct Labels<'n> {
    /// Lowest address of each name.
    first: BTreeMap<&'n [u8], u32>,
    main: u32,
    endmain: u32,
}

impl<'n> Labels<'n> {
    /// Collects labels with their names. `main` and `endmain` are fields of the header.
    pub fn new(labels: impl Iterator<Item = (Label, Name<'n>)>, main: u32, endmain: u32) -> Self {
        let mut first = BTreeMap::new();
        for (label, Name(name)) in labels {
            let lowest = first.entry(name).or_insert(label.address);
            *lowest = label.address.min(*lowest);
        }
        Self { first, main, endmain }
    }

    /// Rank of a label as the name of a start; the least wins, then the first in the table. A label
    /// loses by being an end, by not being the entry point, and by having no length.
    pub fn rank(&self, label: Label, name: Name<'_>) -> (bool, bool, bool) {
        (self.is_end(label, name), label.address != self.main, label.length == 0)
    }

    /// Returns whether a label is the end of a procedure: `endmain`, or `end` before the name of an
    /// earlier label.
    fn is_end(&self, label: Label, Name(name): Name<'_>) -> bool {
        let end = name.split_at_checked(3).filter(|(start, _)| start.eq_ignore_ascii_case(b"end"));
        let Some((_, rest)) = end else { return false };
        let rest = rest.strip_prefix(b"_").unwrap_or(rest);
        let begins_before = self.first.get(rest).is_some_and(|&begins| begins < label.address);
        begins_before || label.address == self.endmain && self.endmain > self.main
    }
}
