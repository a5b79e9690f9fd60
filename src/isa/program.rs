//! A program: code words, descriptors, entry point, stage.

use std::borrow::Cow;

use super::inst::Inst;
use super::reg::Pc;
use crate::error::Result;
use crate::limits::Limits;

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
        let _ = limits;
        Ok(Self { code: code.into(), descriptors: descriptors.into(), entry, stage })
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
        let _ = pc;
        todo!()
    }
}
