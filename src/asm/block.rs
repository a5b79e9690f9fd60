//! Blocks: procedures, IF, loops, constant arrays, and the NOPs that hardware needs at their ends.
//! In: openings, `.else`, `.end`. Out: targets and lengths in the code, NOPs. Knows no operand.
//! Facts: picasso's manual and probes. No two ends may share an address, and the last word of a
//! block must not be a jump or call.

use super::report::{Fault, Parse, fault, hinted};
use super::state::{Array, Assembler, Block, BlockKind, MAX_CODE, Proc};
use crate::container::ConstantValue;
use crate::isa::word::Field;
use crate::isa::{Move, Opcode, Word};

/// Maximum nesting depth.
const MAX_BLOCKS: usize = 32;

/// Returns whether a word may not end a block.
pub(crate) fn is_jump_or_call(word: Word) -> bool {
    matches!(word.moves(), Some(Move::Jump | Move::Call))
}

/// Returns whether a word leaves a loop.
pub(crate) fn is_break(word: Word) -> bool {
    word.moves() == Some(Move::Break)
}

impl<'a> Assembler<'a> {
    /// Opens a block.
    pub(super) fn open(&mut self, at: &'a str, kind: BlockKind<'a>) -> Parse<'a, ()> {
        if self.file.blocks.len() >= MAX_BLOCKS {
            return hinted(at, "too many nested blocks", "blocks may be nested 32 deep; use procedures");
        }
        let site = self.messages.site(at);
        self.file.blocks.push(Block { site, kind });
        Ok(())
    }

    /// `.else`
    pub(super) fn else_part(&mut self, at: &'a str) -> Parse<'a, ()> {
        let (word, else_start) = match self.file.blocks.last().map(|block| &block.kind) {
            Some(BlockKind::If { word, else_start }) => (*word, else_start),
            Some(BlockKind::Unknown) => return Err(Fault::follow_up(at)),
            _ if self.file.is_uncertain => return Err(Fault::follow_up(at)),
            _ => {
                return hinted(at, ".else with unmatched IF", "`.else` belongs into an `ifc` or `ifu` block");
            }
        };
        if else_start.is_some() {
            return fault(at, "spurious .else");
        }
        let last = self.code.last().copied();
        if self.file.just_closed || last.is_some_and(is_jump_or_call) || self.code.len() == word + 1 {
            self.pad(at);
        }
        let here = self.code.len();
        if let Some(Block { kind: BlockKind::If { else_start, .. }, .. }) = self.file.blocks.last_mut() {
            *else_start = Some(here);
        }
        Ok(())
    }

    /// `.end`
    pub(super) fn close(&mut self, at: &'a str) -> Parse<'a, ()> {
        let Some(block) = self.file.blocks.pop() else {
            if self.file.is_uncertain {
                return Err(Fault::follow_up(at));
            }
            return hinted(at, ".end with unmatched block", "no block is open here; `end` has no dot");
        };
        match block.kind {
            BlockKind::Proc { name, start } => {
                self.pad_end(at, start, false);
                let length = self.code.len() - start;
                // An inner procedure of the same name has ended first, and keeps the name.
                self.procs.entry(name).or_insert(Proc { start, length, site: block.site });
            }
            BlockKind::If { word, else_start } => {
                self.pad_end(at, word + 1, false);
                self.close_if(at, word, else_start);
                self.file.just_closed = true;
            }
            BlockKind::For { word } => {
                self.pad_end(at, word + 1, true);
                let last = self.code.len() - 1;
                // Range: an address.
                self.code[word] = self.code[word].with(Field::Target, last as u32);
                self.file.just_closed = true;
            }
            BlockKind::Array(array) => self.close_array(at, array)?,
            BlockKind::Unknown => self.file.just_closed = false,
        }
        Ok(())
    }

    fn close_if(&mut self, at: &'a str, word: usize, else_start: Option<usize>) {
        let end = self.code.len();
        let target = else_start.unwrap_or(end);
        let site = self.messages.site(at);
        self.check_length(site, "else-part", end - target);
        // Ranges: an address, and a length that was checked.
        let patched = self.code[word].with(Field::Target, target as u32);
        self.code[word] = patched.with(Field::Num, (end - target) as u32);
    }

    /// Inserts the NOP that the end of a block requires.
    fn pad_end(&mut self, at: &'a str, start: usize, is_loop: bool) {
        let is_transfer = |&word: &Word| is_jump_or_call(word) || is_loop && is_break(word);
        let needs = |last| is_transfer(last) || self.code.len() == start;
        if self.file.just_closed || self.code.last().is_some_and(needs) {
            self.pad(at);
        }
    }

    fn pad(&mut self, at: &'a str) {
        if self.package.verbatim {
            // A verbatim text lists its padding itself.
        } else if self.options.no_nop {
            let hint = "the last word of a block must not be a control-flow instruction, and no two blocks may end together";
            self.messages.warn(at, "a padding NOP is required here", Some(hint));
        } else {
            if self.code.len() >= MAX_CODE {
                let fault = self.no_room(at);
                self.messages.report(fault);
            }
            self.emit(Word::new(Opcode::Nop));
        }
        self.file.just_closed = false;
    }

    /// Ends a constant array, whose size gives its registers.
    fn close_array(&mut self, at: &'a str, array: Array<'a>) -> Parse<'a, ()> {
        let Array { name, size, mut elements } = array;
        let given = u32::try_from(elements.len()).unwrap_or(u32::MAX);
        let count = size.unwrap_or(given);
        if count == 0 {
            self.file.lost.insert(name);
            let hint = "write `.constfa (x, y, z, w)` lines between the first line and `.end`";
            return hinted(at, "no elements have been specified in array", hint);
        }
        let first = self.constant_registers(at, name, count)?;
        elements.resize(count as usize, [0; 4]);
        for (number, value) in (first..).zip(elements) {
            // Range: float uniforms end at 95.
            self.add_constant(at, ConstantValue::Float { register: number as u8, value })?;
        }
        Ok(())
    }
}
