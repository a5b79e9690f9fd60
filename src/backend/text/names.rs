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
    /// Names that came from registers, with the number that the next one of them gets.
    hinted: BTreeMap<(Hint, Kind), u32>,
}

/// Names by number, in one text.
#[derive(Default)]
pub struct Words {
    text: String,
    ends: Vec<u32>,
}

impl Words {
    /// A name by its number.
    pub fn get(&self, number: u32) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.text[start as usize..self.ends[number as usize] as usize]
    }
    /// Ends the name that was written last; its number.
    fn end(&mut self) -> u32 {
        self.ends.push(self.text.len() as u32);
        self.ends.len() as u32 - 1
    }
}

impl<'o> Names<'o> {
    /// No names yet, and none of the reserved words ever.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        Self { reserved, outer: None, taken: BTreeMap::new(), hinted: BTreeMap::new() }
    }

    /// A scope inside.
    pub fn inner(&'o self) -> Self {
        Self { outer: Some(self), ..Self::new(self.reserved) }
    }

    fn find(&self, name: &str) -> Option<u32> {
        let found = self.taken.get(name).copied();
        found.or_else(|| self.outer.and_then(|outer| outer.find(name)))
    }

    /// Adds an identifier as close to `wanted` as can be; its number.
    pub fn word(&mut self, words: &mut Words, wanted: &str) -> u32 {
        words.text.push_str(&self.unique(wanted));
        words.end()
    }

    /// Adds the name of a value that came from a register; its number. All other words come before:
    /// only the counters remember these.
    pub fn hinted(&mut self, words: &mut Words, hint: Hint, kind: Kind) -> u32 {
        let start = words.text.len();
        write_hinted(&mut words.text, hint, kind);
        let stem = words.text.len();
        let is_register = hint.register != HintRegister::None;
        let key = (normal(hint), if is_register { Kind::F32 } else { kind });
        let mut number = self.hinted.get(&key).copied().unwrap_or(0);
        loop {
            if number > 0 {
                words.text.truncate(stem);
                words.text.push('_');
                push_number(&mut words.text, number);
            }
            number += 1;
            let name = &words.text[start..];
            if self.find(name).is_none() && (number > 1 || !(self.reserved)(name)) {
                break;
            }
        }
        self.hinted.insert(key, number);
        words.end()
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

/// Writes the name of a value that came from there: `r7_xyz`, `o0`, `aL`, `cmp_x`, `left_i0`.
pub fn write_hinted(out: &mut String, hint: Hint, kind: Kind) {
    let hint = normal(hint);
    let (stem, number) = match hint.register {
        HintRegister::Temp(register) => ("r", Some(register)),
        HintRegister::Output(register) => ("o", Some(register)),
        HintRegister::Address => ("a", Some(0)),
        HintRegister::Flags => ("cmp", None),
        HintRegister::Counter => ("aL", None),
        HintRegister::LoopLeft(slot) => ("left_i", Some(slot)),
        HintRegister::Invocation => ("invocation", None),
        HintRegister::Count => ("count", None),
        HintRegister::None => match kind {
            Kind::F32 => ("t", None),
            Kind::I32 => ("n", None),
            Kind::U32 => ("bits", None),
            Kind::Bool => ("test", None),
        },
    };
    out.push_str(stem);
    if let Some(number) = number {
        push_number(out, number.into());
    }
    out.push_str(components(hint.mask));
}

/// The hint without components that no name shows.
const fn normal(hint: Hint) -> Hint {
    let mask = match hint.register {
        HintRegister::Temp(_) | HintRegister::Output(_) | HintRegister::Address | HintRegister::Flags => {
            if hint.mask == 15 {
                0
            } else {
                hint.mask
            }
        }
        HintRegister::None
        | HintRegister::Counter
        | HintRegister::LoopLeft(_)
        | HintRegister::Invocation
        | HintRegister::Count => 0,
    };
    Hint { register: hint.register, mask }
}

/// Writes a number; most have one digit.
pub fn push_number(out: &mut String, number: u32) {
    match number {
        0..=9 => out.push(char::from(b'0' + number as u8)),
        _ => {
            let _ = write!(out, "{number}");
        }
    }
}

/// Components of a register behind its name, where they are not all.
fn components(mask: u8) -> &'static str {
    const ALL: [&str; 16] = [
        "", "_x", "_y", "_xy", "_z", "_xz", "_yz", "_xyz", "_w", "_xw", "_yw", "_xyw", "_zw", "_xzw", "_yzw",
        "",
    ];
    ALL[usize::from(mask & 15)]
}
