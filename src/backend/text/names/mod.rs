//! Valid and unique identifiers, and the string that holds them.
//! In: any text, and a test for reserved words. Out: identifiers. Knows no language.

mod labels;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::error::Result;
use crate::host::settings::linkage::{bad_name, check_name};
use crate::ir::{Hint, HintRegister, ScalarKind};

/// Names of the components of a vector.
pub const LANES: [char; 4] = ['x', 'y', 'z', 'w'];

/// A piece of [`Words`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    start: u32,
    end: u32,
}

impl Word {
    /// No word.
    pub const NONE: Self = Self { start: u32::MAX, end: u32::MAX };
    /// A word that is still to be chosen.
    pub const WANTED: Self = Self { start: u32::MAX - 1, end: u32::MAX };

    /// Number of characters.
    pub const fn length(self) -> u32 {
        self.end - self.start
    }
}

/// Words in one string, without an allocation for each.
#[derive(Debug, Default)]
pub struct Words(String);

impl Words {
    /// Returns the text of a word; nothing of no word.
    pub fn get(&self, word: Word) -> &str {
        self.0.get(word.start as usize..word.end as usize).unwrap_or_default()
    }
    /// Returns the place where the next word begins.
    pub fn end(&self) -> u32 {
        self.0.len() as u32
    }
    /// Returns the word from a place to the end, which the words since then are parts of.
    pub fn since(&self, start: u32) -> Word {
        Word { start, end: self.end() }
    }
    /// Adds the word that a function writes.
    pub fn add(&mut self, write: impl FnOnce(&mut String)) -> Word {
        let start = self.0.len() as u32;
        write(&mut self.0);
        Word { start, end: self.0.len() as u32 }
    }
}

/// The names of a scope.
pub struct Names<'o> {
    /// Returns whether a language reserves a word.
    reserved: fn(&str) -> bool,
    /// Names of the enclosing scope.
    outer: Option<&'o Names<'o>>,
    /// Each name with the number of its last repetition.
    taken: BTreeMap<String, u32>,
    /// Names from registers, each with the number of its next repetition. There are few, so a
    /// linear search is faster than a map.
    hinted: Vec<((Hint, ScalarKind), u32)>,
}

impl<'o> Names<'o> {
    /// Creates a scope without names.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        Self { reserved, outer: None, taken: BTreeMap::new(), hinted: Vec::new() }
    }

    /// Creates a nested scope.
    pub fn inner(&'o self) -> Self {
        Self { outer: Some(self), ..Self::new(self.reserved) }
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.taken.get(name).copied().or_else(|| self.outer.and_then(|outer| outer.find(name)))
    }

    /// Writes the name of a value that came from a register. All other names of the scope come
    /// before, since only the counters remember these.
    pub fn hinted(&mut self, out: &mut String, hint: Hint, kind: ScalarKind) {
        let start = out.len();
        write_hinted(out, hint, kind);
        let stem = out.len();
        let is_register = hint.register != HintRegister::None;
        // The name of a register does not show the type, so its values of all types share a
        // counter.
        let key = (printed_hint(hint), if is_register { ScalarKind::F32 } else { kind });
        let place = self.hinted.iter().position(|(known, _)| *known == key);
        let place = place.unwrap_or_else(|| {
            self.hinted.push((key, 0));
            self.hinted.len() - 1
        });
        let mut number = self.hinted[place].1;
        loop {
            if number > 0 {
                out.truncate(stem);
                let _ = write!(out, "_{number}");
            }
            number += 1;
            let name = &out[start..];
            // Reserved words do not end in a number of ours.
            if self.find(name).is_none() && (number > 1 || !(self.reserved)(name)) {
                break;
            }
        }
        self.hinted[place].1 = number;
    }

    /// Takes a name that must not change.
    ///
    /// # Errors
    /// [`Kind::BadName`](crate::error::Kind::BadName) if it is reserved, taken or no identifier.
    pub fn exact(&mut self, name: &str) -> Result<()> {
        check_name(name)?;
        if (self.reserved)(name) {
            return Err(bad_name(name, "is reserved"));
        }
        if self.find(name).is_some() {
            return Err(bad_name(name, "is used twice"));
        }
        self.taken.insert(name.to_owned(), 0);
        Ok(())
    }

    /// Takes a name, which may be taken.
    pub fn reserve(&mut self, name: &str) {
        if self.find(name).is_none() {
            self.taken.insert(name.to_owned(), 0);
        }
    }

    /// Returns a unique identifier similar to `wanted`.
    pub fn unique(&mut self, wanted: &str) -> String {
        let stem = identifier(wanted);
        // A reserved word counts as a name that is taken once.
        let Some(mut number) = self.find(&stem).or_else(|| (self.reserved)(&stem).then_some(0)) else {
            self.taken.insert(stem.clone(), 0);
            return stem;
        };
        let name = loop {
            number += 1;
            let name = format!("{stem}_{number}");
            if self.find(&name).is_none() {
                break name;
            }
        };
        // The next repetition continues from here; a search from 1 would be quadratic.
        self.taken.insert(stem, number);
        self.taken.insert(name.clone(), 0);
        name
    }

    /// Returns a unique identifier similar to a word.
    pub fn unique_word(&mut self, words: &mut Words, wanted: Word) -> Word {
        let name = self.unique(words.get(wanted));
        words.add(|out| out.push_str(&name))
    }
}

/// Returns a valid identifier, possibly a reserved word.
fn identifier(wanted: &str) -> String {
    let mut name = String::with_capacity(wanted.len() + 4);
    for c in wanted.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        // WGSL and GLSL reserve names with two underscores in a row.
        if name.is_empty() && (c.is_ascii_digit() || c == '_') || c == '_' && name.ends_with('_') {
            continue;
        }
        name.push(c);
    }
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// Writes the name of a value that came from a register: `r7_xyz`, `o0`, `aL`, `cmp_x`, `left_i0`.
pub fn write_hinted(out: &mut String, hint: Hint, kind: ScalarKind) {
    let (stem, number) = match hint.register {
        HintRegister::Temp(register) => ("r", Some(register)),
        HintRegister::Output(register) => ("o", Some(register)),
        HintRegister::Address => ("a0", None),
        HintRegister::Flags => ("cmp", None),
        HintRegister::Counter => ("aL", None),
        HintRegister::LoopLeft(position) => ("left_i", Some(position)),
        HintRegister::Invocation => ("invocation", None),
        HintRegister::Count => ("count", None),
        HintRegister::None => match kind {
            // Variables alone: vertex slots, the next case of a dispatcher, whether a loop is left.
            ScalarKind::F32 => ("carried", None),
            ScalarKind::I32 => ("next", None),
            ScalarKind::U32 => ("bits", None),
            ScalarKind::Bool => ("done", None),
        },
    };
    out.push_str(stem);
    if let Some(number) = number {
        let _ = write!(out, "{number}");
    }
    let mask = printed_hint(hint).mask;
    if mask != 0 {
        out.push('_');
        out.extend(LANES.into_iter().zip(0..).filter(|&(_, lane)| mask >> lane & 1 != 0).map(|(c, _)| c));
    }
}

/// Returns the hint with the components that its name shows: those of a register, unless it has all
/// four.
const fn printed_hint(hint: Hint) -> Hint {
    use HintRegister::{Address, Flags, Output, Temp};
    let has_components = matches!(hint.register, Temp(_) | Output(_) | Address | Flags);
    Hint { mask: if has_components && hint.mask != 15 { hint.mask & 15 } else { 0 }, ..hint }
}
