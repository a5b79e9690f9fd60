//! The ranges of code that become blocks of the text: procedures, IFs and loops, as far as they
//! nest.
//! In: code and executables. Out: blocks in the order of their first lines, none of which crosses
//! another.
//! Knows no operand and no name. Facts: 3dbrew "GPU/Shader Instruction Set" for the semantics of
//! targets.

use std::collections::BTreeSet;

use transpica::container::Model;
use transpica::isa::word::Field;
use transpica::isa::{Move, Word};

/// Maximum nesting depth of the assembler, less one for a procedure around all blocks.
const DEEPEST: usize = 30;

/// Kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A procedure.
    Proc,
    /// The word at its start is an IF; the else-part begins at the split.
    If,
    /// The word at its start is a loop.
    For,
}

/// A range of code that the text shows as a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub kind: Kind,
    /// Its first word: the instruction itself for an IF or a loop.
    pub start: usize,
    /// First word of the else-part; the end if there is none.
    pub split: usize,
    /// One past its last word.
    pub end: usize,
}

impl Block {
    /// The ranges in which other blocks may nest.
    fn parts(&self) -> [(usize, usize); 2] {
        match self.kind {
            Kind::Proc => [(self.start, self.end), (self.end, self.end)],
            Kind::If | Kind::For => [(self.start + 1, self.split), (self.split, self.end)],
        }
    }
    fn holds(&self, other: &Self) -> bool {
        self.parts().iter().any(|&(start, end)| start <= other.start && other.end <= end)
    }
    fn is_disjoint(&self, other: &Self) -> bool {
        self.end <= other.start || other.end <= self.start
    }
}

/// The blocks of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Sorted by start, outer blocks before inner ones.
    pub blocks: Vec<Block>,
    /// End of each executable's section; each begins at the end of the previous one.
    pub ends: Vec<usize>,
}

impl Layout {
    /// Finds the blocks.
    pub fn new(model: &Model) -> Self {
        let mut accepted = Vec::new();
        for proc in procedures(model) {
            accept(&mut accepted, proc);
        }
        for block in scopes(&model.code) {
            accept(&mut accepted, block);
        }
        let mut blocks: Vec<Block> = accepted.into_iter().map(|(block, _)| block).collect();
        let ends = parts(model, &blocks);
        blocks.extend(gaps(&blocks, &ends));
        sort(&mut blocks);
        Self { blocks, ends }
    }
    /// One procedure around the entire code.
    pub fn flat(model: &Model) -> Self {
        let words = model.code.len();
        let all = Block { kind: Kind::Proc, start: 0, split: words, end: words };
        let blocks = if words > 0 { vec![all] } else { Vec::new() };
        Self { blocks, ends: vec![words; model.executables.len().max(1)] }
    }
    /// Returns whether the instruction at `pc` opens a block.
    pub fn opens(&self, pc: usize) -> bool {
        let first = self.blocks.partition_point(|block| block.start < pc);
        self.blocks[first..].iter().take_while(|b| b.start == pc).any(|block| block.kind != Kind::Proc)
    }
}

fn sort(blocks: &mut [Block]) {
    // Among those with the same start, procedures come first, then the longer ones.
    blocks.sort_by_cached_key(|block| u64::MAX - block.end as u64);
    blocks.sort_by_cached_key(|block| u64::from(block.kind != Kind::Proc));
    blocks.sort_by_cached_key(|block| block.start as u64);
}

/// Adds a block unless it crosses another or nests too deep.
fn accept(accepted: &mut Vec<(Block, usize)>, block: Block) {
    let fits = |other: &Block| block.is_disjoint(other) || other.holds(&block) || block.holds(other);
    // The first of two crossing blocks wins; the target of the other one is printed as a number.
    if !accepted.iter().all(|(other, _)| fits(other)) {
        return;
    }
    // Both ways: the block itself may be too deep, or it may push the blocks inside it too deep.
    let depth = accepted.iter().filter(|(other, _)| other.holds(&block)).count();
    let deepest = accepted.iter().filter(|(other, _)| block.holds(other)).map(|(_, depth)| depth + 1).max();
    if depth.max(deepest.unwrap_or(0)) >= DEEPEST {
        return;
    }
    for (other, depth) in accepted.iter_mut() {
        *depth += usize::from(block.holds(other));
    }
    accepted.push((block, depth));
}

/// The ranges of entry points, then those of calls; outer ones before inner ones.
fn procedures(model: &Model) -> Vec<Block> {
    let words = model.code.len();
    let proc = |start: usize, end: usize| Block { kind: Kind::Proc, start, split: end, end };
    let headers = model.executables.iter().map(|executable| &executable.header);
    let entries: BTreeSet<_> = headers.map(|it| (it.main as usize, it.endmain as usize)).collect();
    let called = model.code.iter().filter_map(|&word| call_range(Word(word)));
    let called = called.map(|(start, length)| (start, start + length));
    let calls: BTreeSet<_> = called.filter(|range| !entries.contains(range)).collect();
    let mut all = Vec::new();
    for set in [&entries, &calls] {
        let ranges = set.iter().filter(|(start, end)| start < end && *end <= words);
        let mut some: Vec<Block> = ranges.map(|&(start, end)| proc(start, end)).collect();
        sort(&mut some);
        all.extend(some);
    }
    all
}

/// Start and length of the range that a word calls.
pub(super) fn call_range(word: Word) -> Option<(usize, usize)> {
    let field = |field| word.get(field).map_or(0, |value| value as usize);
    (word.moves() == Some(Move::Call)).then(|| (field(Field::Target), field(Field::Num)))
}

/// IFs and loops that end inside the code, in order.
fn scopes(code: &[u32]) -> impl Iterator<Item = Block> {
    code.iter().enumerate().filter_map(|(pc, &word)| {
        let word = Word(word);
        let target = word.get(Field::Target)? as usize;
        let (kind, split, end) = match word.moves()? {
            Move::If => (Kind::If, target, target + word.get(Field::Num)? as usize),
            Move::Loop => (Kind::For, target + 1, target + 1),
            Move::Next | Move::End | Move::Break | Move::Call | Move::Jump => return None,
        };
        (split > pc && end <= code.len()).then_some(Block { kind, start: pc, split, end })
    })
}

/// Divides the code among the executables: each section ends with the entry procedure. Where the
/// entry points are not in order, the first executable gets all code.
fn parts(model: &Model, blocks: &[Block]) -> Vec<usize> {
    let words = model.code.len();
    let count = model.executables.len();
    let mut ends = Vec::new();
    for executable in model.executables.iter().take(count.saturating_sub(1)) {
        let main = executable.header.main as usize;
        let around = blocks.iter().filter(|block| block.start <= main && main < block.end);
        let end = around.map(|block| block.end).max().unwrap_or(main + 1);
        // A section that began before the end of the previous one would need the same code twice.
        if ends.last().is_some_and(|&last| last > main) {
            return vec![words; count];
        }
        ends.push(end);
    }
    let is_cut = |end: &usize| blocks.iter().any(|block| block.start < *end && *end < block.end);
    let last = ends.last().copied().unwrap_or(0);
    let is_last_behind =
        model.executables.last().is_none_or(|last_one| last_one.header.main as usize >= last);
    // A block must not continue in another source.
    if ends.iter().any(is_cut) || !is_last_behind {
        return vec![words; count];
    }
    ends.push(words);
    ends
}

/// Procedures around all code outside the known procedures.
fn gaps(blocks: &[Block], ends: &[usize]) -> Vec<Block> {
    let mut cuts: Vec<usize> = ends.to_vec();
    let is_inner = |block: &Block| blocks.iter().any(|other| other != block && other.holds(block));
    let top = blocks.iter().filter(|block| !is_inner(block));
    let mut procs: Vec<&Block> = top.filter(|block| block.kind == Kind::Proc).collect();
    procs.sort_by_cached_key(|block| block.start as u64);
    let words = ends.last().copied().unwrap_or(0);
    cuts.extend(procs.iter().map(|block| block.start));
    cuts.sort_unstable();
    let mut gaps = Vec::new();
    let mut start = 0;
    let mut next = procs.iter();
    for end in cuts.into_iter().chain([words]) {
        if end > start {
            gaps.push(Block { kind: Kind::Proc, start, split: end, end });
            start = end;
        }
        while let Some(block) = next.as_slice().first().filter(|block| block.start == start) {
            start = block.end;
            next.next();
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: Kind, start: usize, split: usize, end: usize) -> Block {
        Block { kind, start, split, end }
    }

    fn accepts(blocks: &[Block]) -> usize {
        let mut accepted = Vec::new();
        blocks.iter().for_each(|&block| accept(&mut accepted, block));
        accepted.len()
    }

    #[test]
    fn blocks_nest_in_parts_and_do_not_cross() {
        let branch = block(Kind::If, 2, 5, 8);
        assert_eq!(accepts(&[branch, block(Kind::For, 3, 5, 5)]), 2, "in the first part");
        assert_eq!(accepts(&[branch, block(Kind::For, 5, 8, 8)]), 2, "in the second");
        assert_eq!(accepts(&[branch, block(Kind::For, 4, 6, 6)]), 1, "across the parts");
        assert_eq!(accepts(&[branch, block(Kind::For, 6, 9, 9)]), 1, "beyond the end");
        assert_eq!(accepts(&[block(Kind::Proc, 2, 5, 5), branch]), 1, "begins in it, ends outside");
        assert_eq!(accepts(&[block(Kind::Proc, 2, 8, 8), branch]), 2, "around it");
    }

    #[test]
    fn the_depth_of_blocks_is_limited() {
        let nested: Vec<_> = (0..40).map(|depth| block(Kind::For, depth, 100 - depth, 100 - depth)).collect();
        assert_eq!(accepts(&nested), DEEPEST);
        let outwards: Vec<_> = nested.iter().rev().copied().collect();
        assert_eq!(accepts(&outwards), DEEPEST);
    }

    #[test]
    fn gaps_are_filled_between_procedures_and_parts() {
        let blocks = [block(Kind::Proc, 2, 4, 4), block(Kind::For, 6, 8, 8)];
        let found = gaps(&blocks, &[6, 10]);
        assert_eq!(
            found.iter().map(|gap| (gap.start, gap.end)).collect::<Vec<_>>(),
            [(0, 2), (4, 6), (6, 10)]
        );
    }
}
