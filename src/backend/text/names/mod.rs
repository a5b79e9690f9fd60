//! Valid and unique identifiers, and the string that holds them.
//! In: any text, and a test for reserved words. Out: identifiers. Knows no language.

mod labels;

use std::fmt::Write as _;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::Result;
use crate::host::settings::linkage::{bad_name, check_name};
use crate::ir::{Hint, HintRegister, ScalarKind};
use crate::support::entity::Interner;
use crate::support::names::push_identifier;

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
    /// Returns the text of a word, which is empty if there is none.
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
    /// Keys of the names, see [`key`]. Two names with one key would count as the same.
    taken: Interner<u64>,
    /// The number of the last repetition of each.
    repetitions: Vec<u32>,
}

impl<'o> Names<'o> {
    /// Creates a scope without names.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        Self { reserved, outer: None, taken: Interner::default(), repetitions: Vec::new() }
    }

    /// Creates a scope without names that reserves the same words.
    pub fn apart<'n>(&self) -> Names<'n> {
        Names::new(self.reserved)
    }

    /// Creates a nested scope.
    pub fn inner(&'o self) -> Self {
        Self { outer: Some(self), ..Self::new(self.reserved) }
    }

    fn find(&self, key: u64) -> Option<u32> {
        let own = self.taken.find(&key).map(|index| self.repetitions[index]);
        own.or_else(|| self.outer.and_then(|outer| outer.find(key)))
    }

    fn insert(&mut self, key: u64, repetition: u32) {
        let (index, _) = self.taken.intern(key);
        self.repetitions.resize(self.repetitions.len().max(index + 1), 0);
        self.repetitions[index] = repetition;
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
        if self.find(key(name)).is_some() {
            return Err(bad_name(name, "is used twice"));
        }
        self.insert(key(name), 0);
        Ok(())
    }

    /// Takes a name, which may be taken.
    pub fn reserve(&mut self, name: &str) {
        if self.find(key(name)).is_none() {
            self.insert(key(name), 0);
        }
    }

    /// Returns a unique identifier similar to `wanted`.
    pub fn unique(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        let stem = key(&name);
        // A reserved word counts as a name that is taken once.
        let Some(mut number) = self.find(stem).or_else(|| (self.reserved)(&name).then_some(0)) else {
            self.insert(stem, 0);
            return name;
        };
        name.push('_');
        let end = name.len();
        let full = loop {
            number += 1;
            name.truncate(end);
            let _ = write!(name, "{number}");
            let full = key(&name);
            if self.find(full).is_none() {
                break full;
            }
        };
        // The next repetition continues from here; a search from 1 would be quadratic.
        self.insert(stem, number);
        self.insert(full, 0);
        name
    }
}

/// Returns what a name is found by.
fn key(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// Returns a valid identifier, possibly a reserved word, with room for a number.
fn identifier(wanted: &str) -> String {
    let mut name = String::with_capacity(wanted.len() + 8);
    push_identifier(&mut name, wanted.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).as_bytes());
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// Returns the name of a value that came from a register: `r7_xyz`, `o0`, `aL`, `cmp_x`, `left_i0`.
pub fn hinted(hint: Hint, kind: ScalarKind) -> String {
    use HintRegister::{Address, Flags, Output, Temp};
    let (stem, number) = match hint.register {
        Temp(register) => ("r", Some(register)),
        Output(register) => ("o", Some(register)),
        Address => ("a0", None),
        Flags => ("cmp", None),
        HintRegister::Counter => ("aL", None),
        HintRegister::LoopLeft(position) => ("left_i", Some(position)),
        HintRegister::Invocation => ("invocation", None),
        HintRegister::Count => ("count", None),
        // Variables alone: vertex slots, the next case of a dispatcher, whether a loop is left.
        HintRegister::None => match kind {
            ScalarKind::F32 => ("carried", None),
            ScalarKind::I32 => ("next", None),
            ScalarKind::U32 => ("bits", None),
            ScalarKind::Bool => ("done", None),
        },
    };
    let mut name = String::with_capacity(16);
    name.push_str(stem);
    if let Some(number) = number {
        let _ = write!(name, "{number}");
    }
    // The components of a register, unless it has all four.
    let has_components = matches!(hint.register, Temp(_) | Output(_) | Address | Flags);
    if has_components && (1..15).contains(&hint.mask) {
        let lanes = LANES.into_iter().zip(0..).filter(|&(_, lane)| hint.mask >> lane & 1 != 0);
        name.push('_');
        name.extend(lanes.map(|(letter, _)| letter));
    }
    name
}
