//! Valid and unique identifiers, and the string that holds them.
//! In: any text, and a test for reserved words. Out: identifiers. Knows no language.

mod labels;

use xxhash_rust::xxh3::xxh3_64;

use crate::backend::text::put::put;
use crate::error::Result;
use crate::host::settings::linkage::{bad_name, check_name};
use crate::ir::{Hint, HintRegister, ScalarKind};
use crate::support;
use crate::support::entity::Interner;
use crate::support::names::push_identifier;

/// Names of the components of a vector.
pub const LANES: [&str; 4] = ["x", "y", "z", "w"];

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

/// A stem and a noun; either may be empty.
pub type Name = (Word, &'static str);

/// Words in one string, without an allocation for each.
#[derive(Debug, Default)]
pub struct Words {
    text: String,
    /// Registers with their names in the source, of all functions.
    registers: Interner<(HintRegister, String)>,
    /// Names of the components of temporary registers, once there.
    stems: Vec<Word>,
    /// Parts of names are identifiers without an underscore at the end.
    pub is_clean: bool,
}

impl Words {
    /// Returns the text of a word, which is empty if there is none.
    pub fn get(&self, word: Word) -> &str {
        self.text.get(word.start as usize..word.end as usize).unwrap_or_default()
    }
    /// Returns the place where the next word begins.
    pub fn end(&self) -> u32 {
        self.text.len() as u32
    }
    /// Returns the word from a place to the end, which the words since then are parts of.
    pub fn since(&self, start: u32) -> Word {
        Word { start, end: self.end() }
    }
    /// Adds the word that a function writes.
    pub fn add(&mut self, write: impl FnOnce(&mut String)) -> Word {
        let start = self.end();
        write(&mut self.text);
        self.since(start)
    }
    /// Adds a copy of a word.
    pub fn copy(&mut self, word: Word) -> Word {
        let start = self.end();
        if word.length() > 0 {
            self.text.extend_from_within(word.start as usize..word.end as usize);
        }
        self.since(start)
    }
    /// Adds two words with a text between them; either may be none.
    pub fn joined(&mut self, first: Word, between: &str, second: Word) -> Word {
        let start = self.end();
        self.copy(first);
        self.text.push_str(between);
        self.copy(second);
        self.since(start)
    }
    /// Returns a word if it is a free identifier, else adds one similar to it.
    pub fn unique(&mut self, word: Word, names: &mut Names<'_>) -> Word {
        if self.is_clean || is_identifier(self.get(word).as_bytes()) {
            return self.free(word, names);
        }
        let start = self.copy(word).start;
        names.clean(&mut self.text, start as usize);
        self.since(start)
    }
    /// Returns an identifier if it is free, else adds one similar to it.
    fn free(&mut self, word: Word, names: &mut Names<'_>) -> Word {
        let Some(index) = names.take(self.get(word)) else { return word };
        let start = self.copy(word).start;
        names.repeat(&mut self.text, start as usize, index);
        self.since(start)
    }
    /// Returns the register that goes by a name of the source; the register itself if no character
    /// of the name is usable.
    pub fn named(&mut self, register: HintRegister, name: &str) -> HintRegister {
        let name = support::names::identifier(name.as_bytes());
        if name.is_empty() {
            return register;
        }
        self.is_clean = false;
        // Range: at most one for each instruction.
        HintRegister::Named(self.registers.intern((register, name)).0 as u16)
    }
    /// Returns the register behind a name.
    pub fn register(&self, register: HintRegister) -> HintRegister {
        match register {
            HintRegister::Named(number) => {
                self.registers.get(number.into()).map_or(register, |found| found.0)
            }
            unnamed => unnamed,
        }
    }
    /// Returns whether any register goes by a name.
    pub fn has_named(&self) -> bool {
        self.registers.get(0).is_some()
    }
    /// Returns the name of a value that came from a register.
    pub fn stem(&mut self, hint: Hint, kind: ScalarKind) -> Word {
        let HintRegister::Temp(register @ 0..16) = hint.register else {
            return self.new_stem(hint, kind);
        };
        let index = usize::from(16 * register + (hint.mask & 15));
        if self.stems[index] == Word::NONE {
            self.stems[index] = self.new_stem(hint, kind);
        }
        self.stems[index]
    }
    /// Adds the name of a value that came from a register.
    fn new_stem(&mut self, hint: Hint, kind: ScalarKind) -> Word {
        let start = self.end();
        let named = match hint.register {
            HintRegister::Named(number) => self.registers.get(number.into()),
            _register => None,
        };
        hinted(&mut self.text, hint, kind, named.map_or("", |(_, name)| name));
        self.since(start)
    }
    /// Adds a unique identifier for a value that came from a register.
    pub fn hinted(&mut self, hint: Hint, kind: ScalarKind, names: &mut Names<'_>) -> Word {
        let word = self.stem(hint, kind);
        self.free(word, names)
    }
    /// Removes the words from a place on, and the registers. Keeps the memory, or takes some.
    pub fn truncate(&mut self, end: u32) {
        self.text.truncate(end as usize);
        self.text.reserve(1 << 11);
        self.registers.clear();
        self.stems = vec![Word::NONE; 256];
    }
}

/// The names of a scope.
pub struct Names<'o> {
    /// Returns whether a language reserves a word.
    pub reserved: fn(&str) -> bool,
    /// Names of the enclosing scope, with which this one begins: each is looked for once.
    outer: Option<&'o Names<'o>>,
    /// Number of these.
    around: usize,
    /// Keys of the names, see [`key`]. Two names with one key would count as the same.
    taken: Interner<u64>,
    /// The number of the last repetition of each.
    repetitions: Vec<u32>,
    /// The enclosing scope had a name that was asked for.
    pub is_met: bool,
}

impl<'o> Names<'o> {
    /// Creates a scope without names.
    pub fn new(reserved: fn(&str) -> bool) -> Self {
        let (taken, repetitions) = (Interner::default(), Vec::new());
        Self { reserved, outer: None, around: 0, taken, repetitions, is_met: false }
    }

    /// Creates a nested scope.
    pub fn inner(&'o self) -> Self {
        Self { outer: Some(self), ..Self::new(self.reserved) }
    }

    /// Takes a name, or returns the index of its repetitions if it is not free.
    pub fn take(&mut self, name: &str) -> Option<usize> {
        let (index, is_new) = self.add(key(name));
        // A reserved word counts as a name that is taken once. None begins like `r7` or `o0`.
        let is_register = || matches!(name.as_bytes(), [b'o' | b'r', b'0'..=b'9', ..]);
        (!is_new || !is_register() && (self.reserved)(name)).then_some(index)
    }

    /// Adds the key of a name; returns its index, and whether it was free.
    fn add(&mut self, key: u64) -> (usize, bool) {
        let (index, is_new) = self.taken.intern(key);
        if is_new {
            self.repetitions.push(0);
        }
        self.is_met |= index < self.around;
        (index, is_new)
    }

    /// Returns the keys of the names of this scope alone.
    pub fn keys(&self) -> Vec<u64> {
        (self.around..).map_while(|index| self.taken.get(index).copied()).collect()
    }

    /// Removes the names of this scope alone, and takes memory for some number of others.
    pub fn begin(&mut self, names: usize) {
        if let Some(outer) = self.outer {
            self.taken.clone_from(&outer.taken);
            self.repetitions.clone_from(&outer.repetitions);
            self.around = outer.repetitions.len();
        }
        self.is_met = false;
        self.reserve(self.around + names);
    }

    /// Takes memory for some number of names.
    pub fn reserve(&mut self, names: usize) {
        self.taken.grow((2 * names).next_power_of_two());
        self.repetitions.reserve(names.saturating_sub(self.repetitions.len()));
    }

    /// Returns whether a name is taken.
    pub fn has(&self, key: u64) -> bool {
        self.taken.find(&key).is_some()
    }

    /// Takes a name; returns whether it was free.
    pub fn insert(&mut self, key: u64) -> bool {
        self.add(key).1
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
        if self.insert(key(name)) { Ok(()) } else { Err(bad_name(name, "is used twice")) }
    }

    /// Returns a unique identifier similar to `wanted`.
    pub fn unique(&mut self, wanted: impl Into<String>) -> String {
        let mut name = wanted.into();
        self.clean(&mut name, 0);
        name
    }

    /// Makes the end of a text, from `start` on, a unique identifier.
    fn clean(&mut self, out: &mut String, start: usize) {
        if !is_identifier(&out.as_bytes()[start..]) {
            let name = identifier(&out[start..]);
            out.truncate(start);
            out.push_str(&name);
        }
        if let Some(index) = self.take(&out[start..]) {
            self.repeat(out, start, index);
        }
    }

    /// Makes the name of an index at the end of a text, from `start` on, a unique one.
    fn repeat(&mut self, out: &mut String, start: usize, index: usize) {
        out.push('_');
        let end = out.len();
        // The next repetition continues from here; a search from 1 would be quadratic.
        loop {
            self.repetitions[index] += 1;
            out.truncate(end);
            put!(out, self.repetitions[index]);
            let full = key(&out[start..]);
            if self.insert(full) {
                return;
            }
        }
    }
}

/// Returns what a name is found by.
pub fn key(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

/// Classes of bytes: two underscores in a row are less than an underscore and a letter.
const OTHER: u8 = 0;
const UNDERSCORE: u8 = 1;
const LETTER: u8 = 2;
const CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).is_ascii_alphanumeric() {
            classes[byte] = LETTER;
        }
        byte += 1;
    }
    classes[b'_' as usize] = UNDERSCORE;
    classes
};

/// Returns whether a name is what [`identifier`] makes of it.
pub fn is_identifier(name: &[u8]) -> bool {
    // A letter comes first.
    let mut last = LETTER;
    let is_allowed = |&byte: &u8| {
        let class = CLASSES[usize::from(byte)];
        let is_allowed = class > OTHER && class + last > 2 * UNDERSCORE;
        last = class;
        is_allowed
    };
    name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_allowed)
}

/// Returns a valid identifier, possibly a reserved word.
fn identifier(wanted: &str) -> String {
    let mut name = String::with_capacity(wanted.len());
    push_identifier(&mut name, wanted.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).as_bytes());
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// The components of a register by their mask, unless it has all four.
#[rustfmt::skip]
const COMPONENTS: [&str; 15] = [
    "", "_x", "_y", "_xy", "_z", "_xz", "_yz", "_xyz", "_w", "_xw", "_yw", "_xyw", "_zw", "_xzw", "_yzw",
];

/// Writes the name of a value that came from a register: `r7_xyz`, `o0`, `aL`, `cmp_x`, `left_i0`,
/// or `normal_xyz` for the name of the source.
pub fn hinted(out: &mut String, hint: Hint, kind: ScalarKind, named: &str) {
    use HintRegister::{Address, Flags, Named, Output, Temp};
    let (stem, number) = match hint.register {
        Temp(register) => ("r", Some(register)),
        Output(register) => ("o", Some(register)),
        Address => ("a0", None),
        Flags => ("cmp", None),
        HintRegister::Counter => ("aL", None),
        HintRegister::LoopLeft(position) => ("left_i", Some(position)),
        HintRegister::Invocation => ("invocation", None),
        HintRegister::Count => ("count", None),
        Named(_) => (named, None),
        // Variables alone: vertex slots, the next case of a dispatcher, whether a loop is left.
        HintRegister::None => match kind {
            ScalarKind::F32 => ("carried", None),
            ScalarKind::I32 => ("next", None),
            ScalarKind::U32 => ("bits", None),
            ScalarKind::Bool => ("done", None),
        },
    };
    out.push_str(stem);
    if let Some(number) = number {
        put!(out, number);
    }
    let has_components = matches!(hint.register, Temp(_) | Output(_) | Address | Flags | Named(_));
    if has_components {
        out.push_str(COMPONENTS.get(usize::from(hint.mask)).copied().unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_free_identifiers() {
        let mut names = Names::new(|name| name == "mix");
        let mut words = Words::default();
        words.truncate(0);
        let texts = ["light__x", "light_x", "mix", "r7_xyz", "1a"].map(|text| {
            let word = words.add(|out| out.push_str(text));
            let word = words.unique(word, &mut names);
            words.get(word).to_owned()
        });
        assert_eq!(texts, ["light_x", "light_x_1", "mix_1", "r7_xyz", "a"]);
    }

    #[test]
    fn names_of_registers_are_written_once_and_numbered() {
        let mut names = Names::new(|_| false);
        let mut words = Words::default();
        words.truncate(0);
        let kind = ScalarKind::F32;
        for (register, mask, first) in [(7, 7, "r7_xyz"), (15, 7, "r15_xyz"), (16, 1, "r16_x"), (0, 0, "r0")]
        {
            let hint = Hint { register: HintRegister::Temp(register), mask };
            let found = [(); 3].map(|()| words.hinted(hint, kind, &mut names)).map(|word| words.get(word));
            assert_eq!(found, [first, &format!("{first}_1"), &format!("{first}_2")]);
        }
    }
}
