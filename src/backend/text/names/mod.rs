//! Valid and unique identifiers, and the string that holds them.
//! In: any text, and a test for reserved words. Out: identifiers. Knows no language.

mod labels;

use std::collections::BTreeMap;

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
}

impl<'o> Names<'o> {
    /// Creates a scope without names.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        Self { reserved, outer: None, taken: BTreeMap::new() }
    }

    /// Creates a nested scope.
    pub fn inner(&'o self) -> Self {
        Self { outer: Some(self), ..Self::new(self.reserved) }
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.taken.get(name).copied().or_else(|| self.outer.and_then(|outer| outer.find(name)))
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

/// Returns the name of a value that came from a register: `r7_xyz`, `o0`, `aL`, `cmp_x`, `left_i0`.
pub fn hinted(hint: Hint, kind: ScalarKind) -> String {
    use HintRegister::{Address, Flags, Output, Temp};
    let mut name = match hint.register {
        Temp(register) => format!("r{register}"),
        Output(register) => format!("o{register}"),
        Address => "a0".to_owned(),
        Flags => "cmp".to_owned(),
        HintRegister::Counter => "aL".to_owned(),
        HintRegister::LoopLeft(position) => format!("left_i{position}"),
        HintRegister::Invocation => "invocation".to_owned(),
        HintRegister::Count => "count".to_owned(),
        // Variables alone: vertex slots, the next case of a dispatcher, whether a loop is left.
        HintRegister::None => match kind {
            ScalarKind::F32 => "carried".to_owned(),
            ScalarKind::I32 => "next".to_owned(),
            ScalarKind::U32 => "bits".to_owned(),
            ScalarKind::Bool => "done".to_owned(),
        },
    };
    // The components of a register, unless it has all four.
    let has_components = matches!(hint.register, Temp(_) | Output(_) | Address | Flags);
    if has_components && (1..15).contains(&hint.mask) {
        let lanes = LANES.into_iter().zip(0..).filter(|&(_, lane)| hint.mask >> lane & 1 != 0);
        name.push('_');
        name.extend(lanes.map(|(letter, _)| letter));
    }
    name
}
