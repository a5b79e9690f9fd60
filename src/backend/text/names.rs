//! Identifiers that are valid and of which no two are equal.
//! In: any text, and a test for reserved words. Out: identifiers. Knows no language.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::ir::{Hint, HintRegister, Kind};

/// The names given so far.
pub struct Names<'o> {
    /// Whether a word may be no name.
    reserved: fn(&str) -> bool,
    /// Names of the scope around.
    outer: Option<&'o Names<'o>>,
    /// Each with the number that its last repetition got.
    taken: BTreeMap<String, u32>,
}

impl<'o> Names<'o> {
    /// No names yet, and none of the reserved words ever.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        Self { reserved, outer: None, taken: BTreeMap::new() }
    }

    /// A scope inside.
    pub fn inner(&'o self) -> Self {
        Self { reserved: self.reserved, outer: Some(self), taken: BTreeMap::new() }
    }

    fn find(&self, name: &str) -> Option<u32> {
        let found = self.taken.get(name).copied();
        found.or_else(|| self.outer.and_then(|outer| outer.find(name)))
    }

    /// An identifier as close to `wanted` as can be.
    pub fn unique(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        let mut number = match self.find(&name) {
            Some(number) => number,
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
            if self.find(&name).is_none() {
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
    let mut name = String::with_capacity(wanted.len() + 4);
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

/// The name of a value that came from there: `r7_xyz`, `o0`, `aL`, `cmp_x`, `left_i0`.
pub fn hinted(hint: Hint, kind: Kind) -> String {
    let mut name = match hint.register {
        HintRegister::Temp(register) => format!("r{register}"),
        HintRegister::Output(register) => format!("o{register}"),
        HintRegister::Address => "a0".to_owned(),
        HintRegister::Flags => "cmp".to_owned(),
        HintRegister::Counter => return "aL".to_owned(),
        HintRegister::LoopLeft(slot) => return format!("left_i{slot}"),
        HintRegister::Invocation => return "invocation".to_owned(),
        HintRegister::Count => return "count".to_owned(),
        HintRegister::None => {
            return match kind {
                Kind::F32 => "t",
                Kind::I32 => "n",
                Kind::U32 => "bits",
                Kind::Bool => "test",
            }
            .to_owned();
        }
    };
    let mask = hint.mask & 15;
    if mask != 0 && mask != 15 {
        name.push('_');
        name.extend("xyzw".chars().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1).map(|(_, c)| c));
    }
    name
}
