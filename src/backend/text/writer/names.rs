//! Identifiers that are valid and of which no two are equal.
//! In: any text, and what tells reserved words. Out: identifiers. Knows no language.

use std::fmt::Write as _;

/// The names given so far.
#[derive(Clone)]
pub struct Names {
    /// Whether a word may be no name.
    reserved: fn(&str) -> bool,
    /// Each with the number that its last repetition got. Only looked up, never iterated.
    taken: naga::FastHashMap<String, u32>,
}

impl Names {
    /// No names yet, and none of the reserved words ever.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        Self { reserved, taken: naga::FastHashMap::default() }
    }

    /// An identifier as close to `wanted` as can be.
    pub fn unique(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        let mut number = match self.taken.get(&name) {
            Some(&number) => number,
            None if (self.reserved)(&name) => 0,
            None => {
                self.taken.insert(name.clone(), 0);
                return name;
            }
        };
        let stem = name.clone();
        loop {
            number += 1;
            name.truncate(stem.len());
            let _ = write!(name, "_{number}");
            if !self.taken.contains_key(&name) {
                break;
            }
        }
        self.taken.insert(stem, number);
        self.taken.insert(name.clone(), 0);
        name
    }
}

/// A valid identifier, perhaps a reserved word.
fn identifier(wanted: &str) -> String {
    let mut name = String::with_capacity(wanted.len());
    for c in wanted.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if name.is_empty() && (c.is_ascii_digit() || c == '_') || c == '_' && name.ends_with('_') {
            continue;
        }
        name.push(c);
    }
    if name.is_empty() {
        name.push_str("unnamed");
    }
    name
}
