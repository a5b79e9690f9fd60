//! Instructions as words: one buffer for each part of a module, and an id counter.
//! In: opcode, ids, literals, strings. Out: words appended to a section. Knows nothing of the
//! intermediate form.
//! Order of the sections: SPIR-V 2.4 (logical layout of a module). Opcodes and enumerants are those
//! of the crate `spirv`; rspirv's builder is not used, since a vector for each instruction and a
//! linear search of the grammar for its class take longer than all else here.

use ::spirv::{Decoration, MAGIC_NUMBER, Op, Word};

use super::types::Types;

/// Maximum words of an instruction, whose length has 16 bits.
const LONGEST: usize = 0xFFFF;
/// Maximum bytes of a name; longer ones are truncated.
const NAME_BYTES: usize = 255;
/// Maximum words of an instruction with a static number of operands.
const MOST: usize = 8;
const FIRST_ID: Word = 1;
/// Words before the first instruction.
pub(super) const HEADER: usize = 5;

/// A part of the module with a buffer of its own, in the order of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// Capabilities to execution modes.
    Preamble,
    /// `OpString`, `OpSource`.
    Strings,
    /// `OpName`, `OpMemberName`.
    Names,
    /// Decorations.
    Annotations,
    /// Types, constants, variables.
    Globals,
    /// Functions.
    Code,
}

/// Returns the beginning of a text, at most this many bytes. Strings are UTF-8, so it ends at a
/// character boundary.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    let mut ends = (0..=text.len().min(bytes)).rev();
    let end = ends.find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

/// Writer of instructions; reuses its memory between modules.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) sections: [Vec<Word>; Section::Code as usize + 1],
    next: Word,
    /// Words to reserve for a module: the host keeps those of the last one.
    room: usize,
    /// An instruction did not fit the 16 bits of its length.
    pub(super) too_long: bool,
    /// Names are written.
    pub(super) names: bool,
    /// Types and constants written so far.
    pub(super) types: Types,
}

impl Writer {
    /// Forgets the previous module, keeps the memory.
    pub(super) fn start(&mut self, names: bool) {
        self.sections.iter_mut().for_each(Vec::clear);
        self.sections[Section::Code as usize].reserve(self.room);
        self.next = FIRST_ID;
        self.too_long = false;
        self.names = names;
        self.types.start();
    }

    /// Returns a new id.
    #[inline]
    pub(super) fn id(&mut self) -> Word {
        let id = self.next;
        self.next += 1;
        id
    }

    /// Returns the number of words of the module so far, including the header.
    pub(super) fn len(&self) -> usize {
        HEADER + self.sections.iter().map(Vec::len).sum::<usize>()
    }

    /// Returns the words of a section so far.
    pub(super) fn section(&mut self, section: Section) -> &mut Vec<Word> {
        &mut self.sections[section as usize]
    }

    /// Returns the words of the module: the header and all sections, in order. The functions, its
    /// largest part, are moved where they are.
    pub(super) fn finish(&mut self, version: (u8, u8)) -> Vec<Word> {
        let length = self.len();
        let mut words = std::mem::take(self.section(Section::Code));
        let functions = words.len();
        words.resize(length, 0);
        words.copy_within(..functions, length - functions);
        let version = u32::from(version.0) << 16 | u32::from(version.1) << 8;
        // Generator and schema are 0; `next` is the bound of the ids.
        words[..HEADER].copy_from_slice(&[MAGIC_NUMBER, version, 0, self.next, 0]);
        let mut at = HEADER;
        for section in &self.sections {
            words[at..at + section.len()].copy_from_slice(section);
            at += section.len();
        }
        // Systems map larger blocks anew each time.
        self.room = self.room.max(length).min(1 << 14);
        words.shrink_to_fit();
        words
    }

    /// Appends an instruction with a static number of operands. With a length known to the
    /// compiler, a module takes less than half the time.
    #[inline]
    pub(super) fn append<const N: usize>(&mut self, section: Section, op: Op, operands: [Word; N]) {
        // One piece, so that one check of the capacity suffices.
        let mut all = [(1 + N as Word) << 16 | op as Word; MOST];
        all[1..=N].copy_from_slice(&operands);
        self.sections[section as usize].extend_from_slice(&all[..=N]);
    }

    /// As [`put`](Self::put), with any number of operands after the first ones.
    #[inline]
    pub(super) fn put_list(&mut self, section: Section, op: Op, head: &[Word], rest: &[Word]) {
        let words = &mut self.sections[section as usize];
        let length = 1 + head.len() + rest.len();
        self.too_long |= length > LONGEST;
        words.reserve(length);
        words.push((length as Word) << 16 | op as Word);
        words.extend_from_slice(head);
        words.extend_from_slice(rest);
    }

    /// As [`put_string`](Self::put_string), with a string that ends at [`NAME_BYTES`].
    pub(super) fn put_text(&mut self, section: Section, op: Op, head: &[Word], text: &str, rest: &[Word]) {
        self.put_string(section, op, head, cut(text, NAME_BYTES), rest);
    }

    /// As [`put_list`](Self::put_list), with a string between the operands. It ends before the
    /// first NUL.
    pub(super) fn put_string(&mut self, section: Section, op: Op, head: &[Word], text: &str, rest: &[Word]) {
        let words = &mut self.sections[section as usize];
        let start = words.len();
        // Holds the length, which is known at the end.
        words.push(0);
        words.extend_from_slice(head);
        let text = text.as_bytes().split(|&byte| byte == 0).next().unwrap_or_default();
        let (whole, last) = text.as_chunks();
        words.extend(whole.iter().map(|&bytes| Word::from_le_bytes(bytes)));
        // A NUL ends the string, so the last word is never full.
        words.push(last.iter().rev().fold(0, |word, &byte| word << 8 | Word::from(byte)));
        words.extend_from_slice(rest);
        let length = words.len() - start;
        self.too_long |= length > LONGEST;
        words[start] = (length as Word) << 16 | op as Word;
    }

    /// Appends an instruction without result to the functions.
    #[inline]
    pub(super) fn effect<const N: usize>(&mut self, op: Op, operands: &[Word; N]) {
        self.append(Section::Code, op, *operands);
    }

    /// Appends an instruction with a result to the functions and returns the result.
    #[inline]
    pub(super) fn value<const N: usize>(&mut self, op: Op, ty: Word, operands: &[Word; N]) -> Word {
        let id = self.id();
        let mut all = [(3 + N as Word) << 16 | op as Word, ty, id, 0, 0, 0, 0, 0];
        all[3..3 + N].copy_from_slice(operands);
        self.sections[Section::Code as usize].extend_from_slice(&all[..3 + N]);
        id
    }

    /// As [`value`](Self::value), with any number of operands after the first ones.
    #[inline]
    pub(super) fn value_list<const N: usize>(
        &mut self,
        op: Op,
        ty: Word,
        head: [Word; N],
        rest: impl ExactSizeIterator<Item = Word>,
    ) -> Word {
        let id = self.id();
        let words = &mut self.sections[Section::Code as usize];
        let length = 3 + N + rest.len();
        self.too_long |= length > LONGEST;
        words.reserve(length);
        words.extend_from_slice(&[(length as Word) << 16 | op as Word, ty, id]);
        words.extend_from_slice(&head);
        words.extend(rest);
        id
    }

    /// Decorates an id with a decoration that has no operand.
    #[inline]
    pub(super) fn mark(&mut self, id: Word, decoration: Decoration) {
        self.append(Section::Annotations, Op::Decorate, [id, decoration as Word]);
    }

    /// Decorates an id.
    pub(super) fn decorate(&mut self, id: Word, decoration: Decoration, operand: Word) {
        self.append(Section::Annotations, Op::Decorate, [id, decoration as Word, operand]);
    }

    /// Places a member of a struct at a byte offset.
    pub(super) fn offset(&mut self, id: Word, member: Word, offset: Word) {
        let operands = [id, member, Decoration::Offset as Word, offset];
        self.append(Section::Annotations, Op::MemberDecorate, operands);
    }

    /// Names an id, if names are enabled.
    pub(super) fn name(&mut self, id: Word, name: &str) {
        if self.names {
            self.put_text(Section::Names, Op::Name, &[id], name, &[]);
        }
    }

    /// Names a member of a struct, if names are enabled.
    pub(super) fn name_member(&mut self, id: Word, member: Word, name: &str) {
        if self.names {
            self.put_text(Section::Names, Op::MemberName, &[id, member], name, &[]);
        }
    }
}
