//! The code section of a file, of new code and of code that stays.
//! In: words with their descriptors, from several programs. Out: one section, in which they share
//! descriptors, and the new address of every old one. Rules: pica200.md §5; programs that run past
//! the last word end there, so code that stays is the last part.

use crate::cfg::reach::reach;
use transpica::Program;
use transpica::container::DescriptorRecord;
use transpica::isa::builder::Builder;
use transpica::isa::decode::decode;
use transpica::isa::word::Field;
use transpica::isa::{Move, Word};

/// Words that stay together, in their order.
pub(super) struct Part<'a> {
    descriptors: &'a [u32],
    /// Old addresses, ascending, with their words.
    words: Vec<(u32, u32)>,
    /// The address of the first word in the section.
    start: u32,
}

impl<'a> Part<'a> {
    /// A part of all words of some code.
    pub fn whole(code: &[u32], descriptors: &'a [u32], start: u32) -> Self {
        Self { descriptors, words: (0..).zip(code.iter().copied()).collect(), start }
    }

    /// A part of the words that some programs of one section reach.
    pub fn reached(programs: &[&Program<'_>], descriptors: &'a [u32], start: u32) -> Self {
        Self { descriptors, words: reached(programs), start }
    }

    /// The number of its words.
    pub fn len(&self) -> u32 {
        self.words.len() as u32 // Range: addresses have sixteen bits.
    }

    /// Returns whether the word at an old address stays.
    pub fn has(&self, old: u32) -> bool {
        self.words.binary_search_by_key(&old, |&(address, _)| address).is_ok()
    }

    /// The new address of an old one; that of the next word that stays, if it does not.
    pub fn place(&self, old: u32) -> u32 {
        self.start + self.words.partition_point(|&(address, _)| address < old) as u32
    }

    /// A word, with its targets where they are now.
    fn moved(&self, word: u32) -> Word {
        let word = Word(word);
        let (Some(moves), Some(target)) = (word.moves(), word.get(Field::Target)) else { return word };
        match moves {
            Move::Call | Move::If => {
                let length = word.get(Field::Num).unwrap_or(0) & 0xFF;
                let (first, end) = (self.place(target), self.place(target + length));
                word.with(Field::Target, first).with(Field::Num, end - first)
            }
            // It names the last word of the body.
            Move::Loop => word.with(Field::Target, self.place(target + 1).saturating_sub(1)),
            Move::Jump => word.with(Field::Target, self.place(target)),
            Move::Next | Move::End | Move::Break => word,
        }
    }
}

/// The words that programs of one section reach, by ascending address.
pub(super) fn reached(programs: &[&Program<'_>]) -> Vec<(u32, u32)> {
    let mut words = Vec::new();
    for program in programs {
        reach(program, |pc, word| words.push((u32::from(pc.0), word)));
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// Builds a section of parts, or returns `None` if it needs more descriptors than there are.
pub(super) fn build(parts: &[Part<'_>]) -> Option<(Vec<u32>, Vec<DescriptorRecord>)> {
    let mut builder = Builder::new();
    for part in parts {
        for &(_, word) in &part.words {
            builder.push(decode(part.moved(word).0, part.descriptors));
        }
    }
    let (code, descriptors) = builder.finish().ok()?;
    let record = |bits| DescriptorRecord { bits, ..DescriptorRecord::default() };
    Some((code, descriptors.into_iter().map(record).collect()))
}
