//! Modules whose instructions belong to instructions of the program.
//! In: words, and those that evaluate each value. Out: addresses for each SPIR-V instruction.

use std::ops::Range;

use ::spirv::Word;

use super::writer::HEADER;
use crate::ir::places::Places;
use crate::ir::{Func, Value};
use crate::program::isa::Pc;

/// A module with the origin of its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacedWords {
    /// The words.
    pub words: Vec<Word>,
    /// For each SPIR-V instruction the addresses of the instructions that it evaluates values for,
    /// ascending.
    pub places: Vec<Vec<Pc>>,
}

impl PlacedWords {
    /// Builds the lists from the words that evaluate each value, which count from `start`.
    pub(super) fn new(words: Vec<Word>, start: usize, trace: &[(Range<usize>, Value)], main: &Func) -> Self {
        let values = Places::new(main);
        let mut places = Vec::new();
        let mut trace = trace.iter();
        let mut next = trace.next();
        let mut at = HEADER;
        while let Some(&word) = words.get(at) {
            // Both lists ascend.
            while let Some((range, _)) = next
                && start + range.end <= at
            {
                next = trace.next();
            }
            let found = next.filter(|(range, _)| start + range.start <= at);
            places.push(found.map_or_else(Vec::new, |(_, value)| values.get(*value).to_vec()));
            at += usize::from((word >> 16) as u16).max(1);
        }
        Self { words, places }
    }
}
