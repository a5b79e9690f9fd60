//! Identifiers that are valid and of which no two are equal.
//! In: any text, and a test for reserved words. Out: identifiers. Knows no language.

use std::borrow::Cow;
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
        let Some(mut number) = self.find(&name).or_else(|| (self.reserved)(&name).then_some(0)) else {
            self.taken.insert(name.clone(), 0);
            return name;
        };
        let stem = name.len();
        loop {
            number += 1;
            name.truncate(stem);
            let _ = write!(name, "_{number}");
            if self.find(&name).is_none() {
                break;
            }
        }
        match self.taken.get_mut(&name[..stem]) {
            Some(last) => *last = number,
            None => drop(self.taken.insert(name[..stem].to_owned(), number)),
        }
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
pub fn hinted(hint: Hint, kind: Kind) -> Cow<'static, str> {
    let (letter, number) = match hint.register {
        HintRegister::Temp(register) => ('r', register),
        HintRegister::Output(register) => ('o', register),
        HintRegister::Address => ('a', 0),
        HintRegister::Flags => return Cow::Owned(format!("cmp{}", components(hint.mask))),
        HintRegister::Counter => return Cow::Borrowed("aL"),
        HintRegister::LoopLeft(slot) => return Cow::Owned(format!("left_i{slot}")),
        HintRegister::Invocation => return Cow::Borrowed("invocation"),
        HintRegister::Count => return Cow::Borrowed("count"),
        HintRegister::None => {
            return Cow::Borrowed(match kind {
                Kind::F32 => "t",
                Kind::I32 => "n",
                Kind::U32 => "bits",
                Kind::Bool => "test",
            });
        }
    };
    Cow::Owned(format!("{letter}{number}{}", components(hint.mask)))
}

/// Components of a register behind its name, where they are not all.
fn components(mask: u8) -> &'static str {
    const ALL: [&str; 16] = [
        "", "_x", "_y", "_xy", "_z", "_xz", "_yz", "_xyz", "_w", "_xw", "_yw", "_xyw", "_zw", "_xzw", "_yzw",
        "",
    ];
    ALL[usize::from(mask & 15)]
}
