//! Blocks: procedures, IF, loops, constant arrays, and the NOPs that hardware needs at their ends.
//! In: openings, `.else`, `.end`. Out: targets and lengths in the code, NOPs. Knows no operand.
//! Facts: picasso's manual and probes. No two ends may share an address, and the last word of a
//! block must not be a jump or call.

use super::report::{Fault, Parse, fault, hinted};
use super::space::UniformKind;
use super::state::{Array, Assembler, Block, BlockKind, MAX_CODE, Proc, Stolen};
use transpica::container::ConstantValue;
use transpica::isa::word::Field;
use transpica::isa::{Move, Opcode, Word};

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
        self.file.blocks.push(Block { site, middle: None, kind });
        Ok(())
    }

    /// `.else`
    pub(super) fn else_part(&mut self, at: &'a str) -> Parse<'a, ()> {
        let (word, else_start) = match self.file.blocks.last().map(|block| &block.kind) {
            Some(BlockKind::If { word, else_start }) => (*word, else_start),
            Some(BlockKind::Unknown) => return Err(Fault::follow_up(at)),
            _ if self.file.is_uncertain => return Err(Fault::follow_up(at)),
            _ => {
                return hinted(at, ".else with unmatched IF", "`.else` belongs in an `ifc` or `ifu` block");
            }
        };
        if else_start.is_some() {
            return fault(at, "spurious .else");
        }
        let last = self.code.last().copied();
        if self.file.just_closed || last.is_some_and(is_jump_or_call) || self.code.len() == word + 1 {
            self.pad(at);
        }
        let (here, place) = (self.code.len(), self.span(at));
        if let Some(Block { kind: BlockKind::If { else_start, .. }, middle, .. }) =
            self.file.blocks.last_mut()
        {
            (*else_start, *middle) = (Some(here), Some(place));
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
        self.check_end(&block, at);
        self.note_block(&block, at);
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

    /// Keeps a block whose `.end` is further left, or directly after the `end` of a program: if
    /// another block stays open, it is likely that one's.
    fn check_end(&mut self, block: &Block<'a>, at: &'a str) {
        if !matches!(block.kind, BlockKind::If { .. } | BlockKind::For { .. }) {
            return;
        }
        let end = self.messages.site(at);
        let is_outdented = end.place.column < block.site.place.column;
        let ends_program = self.file.blocks.len() == 1
            && !self.file.just_closed
            && self.code.last().is_some_and(|word| word.moves() == Some(Move::End));
        // The first such place of a source is the cause of later ones.
        let is_known = self.file.stolen.is_some_and(|stolen| stolen.is_outdented);
        if !is_known && (is_outdented || ends_program) {
            self.file.stolen = Some(Stolen { block: block.site, end, is_outdented });
        }
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
        let first = self.constant_registers(at, name, UniformKind::Float, count)?;
        elements.resize(count as usize, [0; 4]);
        for (number, value) in (first..).zip(elements) {
            // Range: float uniforms end at 95.
            self.add_constant(at, ConstantValue::Float { register: number as u8, value })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::asm::{SourceText, assemble};

    #[test]
    fn an_unclosed_block_is_the_one_whose_end_closed_another() {
        for (text, line, hint) in [
            ("\tifu b0\n\t\tnop\n\tend\n.end", 2, "; the one at a.pica:5 seems to end a block around it"),
            ("\tfor i0\n\t\tnop\n\tend\n.end\n\n.proc b\n\tnop\n.end", 2, "; the one at a.pica:5 seems"),
            ("\tifu b0\n\t\tifc cmp.x\n\t\t\tnop\n\t.end\n\tend\n.end", 3, "; the one at a.pica:5 seems"),
            // Nothing is indented: the `end` of a program is before its `.end`.
            ("ifu b0\nnop\n.end\nifu b1\nnop\nend\n.end", 5, "; the one at a.pica:8 seems"),
            // Whatever is within is closed where it should be.
            ("\tifu b0\n\t\tend\n\t.end\n\tfor i0\n\t\tnop\n\tend", 5, ""),
            ("\tifu b0\n\t\tnop\n\t.end\n\tend", 1, ""),
        ] {
            let text = format!(".proc main\n{text}");
            let report = assemble(&[SourceText { name: "a.pica", text: &text }]).expect_err("refused");
            let [error] = &report.errors[..] else { panic!("{report}\n{text}") };
            assert_eq!((&error.message[..], error.line), ("unclosed block(s)", line), "{text}");
            let expected = format!("this block lacks its `.end`{hint}");
            assert!(error.hint.as_ref().is_some_and(|hint| hint.starts_with(&expected)), "{error:?}\n{text}");
        }
    }

    #[test]
    fn an_unclosed_if_is_shown_at_its_mnemonic() {
        let text = ".proc main\n\tifu b0\n\t\tnop\n\tend\n.end";
        let report = assemble(&[SourceText { name: "a.pica", text }]).expect_err("refused");
        let error = &report.errors[0];
        assert_eq!((error.column, &text[error.span.start..][..error.span.length]), (2, "ifu"));
    }
}
