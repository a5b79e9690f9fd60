//! A program: code words, descriptors, entry point, stage.

use std::borrow::Cow;

use super::decode::decode;
use super::inst::Inst;
use super::reg::Pc;
use crate::error::{At, Error, Kind, Result};
use crate::limits::{Limits, check};

/// Words that the vertex unit can hold.
pub const VERTEX_WORDS: u32 = 512;
/// Descriptors that the hardware has.
pub const MAX_DESCRIPTORS: usize = 128;
/// No limit may be above this: every address, also one past the end, must be a [`Pc`].
const MAX_WORDS: u32 = 0xFFFF;

/// The shader unit a program is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Vertex unit: 512 words.
    #[default]
    Vertex,
    /// Geometry unit: 4096 words.
    Geometry,
}

/// Code words with their operand descriptors and an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<'a> {
    code: Cow<'a, [u32]>,
    descriptors: Cow<'a, [u32]>,
    entry: Pc,
    stage: Stage,
}

impl<'a> Program<'a> {
    /// A program from raw words. Descriptors beyond the 128th are dropped; a descriptor that an instruction names but the
    /// table lacks reads as 0.
    ///
    /// # Errors
    /// More code words than the limit, or an entry point outside the code (or at 512 and above for a vertex program).
    pub fn new(
        code: impl Into<Cow<'a, [u32]>>,
        descriptors: impl Into<Cow<'a, [u32]>>,
        entry: Pc,
        stage: Stage,
        limits: &Limits,
    ) -> Result<Self> {
        let code = code.into();
        check("code words", code.len(), limits.code_words.min(MAX_WORDS), At::Whole)?;
        let words = code.len() as u32; // Range: at most MAX_WORDS.
        let reach = match stage {
            Stage::Vertex => words.min(VERTEX_WORDS),
            Stage::Geometry => words,
        };
        if u32::from(entry.0) >= reach {
            return Err(Error::new(
                Kind::EntryOutOfCode { entry: entry.0.into(), words: reach },
                At::Pc(entry.0),
            ));
        }
        let most = MAX_DESCRIPTORS.min(limits.descriptors as usize);
        let descriptors = match descriptors.into() {
            Cow::Borrowed(table) => Cow::Borrowed(&table[..table.len().min(most)]),
            Cow::Owned(mut table) => {
                table.truncate(most);
                Cow::Owned(table)
            }
        };
        Ok(Self { code, descriptors, entry, stage })
    }
    /// The code words.
    pub fn code(&self) -> &[u32] {
        &self.code
    }
    /// The descriptors, at most 128.
    pub fn descriptors(&self) -> &[u32] {
        &self.descriptors
    }
    /// The entry point.
    pub fn entry(&self) -> Pc {
        self.entry
    }
    /// The stage.
    pub fn stage(&self) -> Stage {
        self.stage
    }
    /// The decoded instruction at `pc`, or nothing at and beyond the end of the code (which counts as END).
    #[inline]
    pub fn inst(&self, pc: Pc) -> Option<Inst> {
        self.code.get(pc.index()).map(|&word| decode(word, &self.descriptors))
    }
}
