//! Sources of programs for debuggers, and the names in them for texts.
//! In: a text of the host. Out: plain data. Knows no module.

use crate::program::isa::Pc;
use crate::support::stable;

/// Source text of a program, which modules carry under
/// [`Profile::debug_info`](crate::Profile::debug_info): a disassembly, or what the program was
/// assembled from. It is a part of the [key](crate::Key) where modules carry it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugSource {
    /// Name of the file.
    pub name: String,
    /// Its text, which ends before the first NUL. May be empty.
    pub text: String,
    /// Line of each code word, from 1; 0, or no entry, for a word without a line.
    pub lines: Vec<u32>,
    /// Name that the source gives the register that a code word writes; empty, or no entry, for a
    /// word without one. Texts name local values after it, with or without debug information. As
    /// header comments, these names are no part of keys.
    pub destinations: Vec<String>,
}

impl DebugSource {
    /// Returns the line of an instruction, from 1, if it has one.
    pub fn line(&self, pc: Pc) -> Option<u32> {
        self.lines.get(pc.index()).copied().filter(|&line| line > 0)
    }
    /// Returns the name of the register that an instruction writes, if the source has one.
    pub fn destination(&self, pc: Pc) -> Option<&str> {
        self.destinations.get(pc.index()).map(String::as_str).filter(|name| !name.is_empty())
    }
    /// Appends everything.
    pub(crate) fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self { name, text, lines, destinations: _ } = self;
        stable::append(out, &("source", name, text, lines.len()));
        out.extend(lines.iter().flat_map(|line| line.to_le_bytes()));
    }
}
