//! Instructions as words: one buffer for each part of a module, an id counter, one reused `rspirv` instruction.
//! In: opcode, ids, literals. Out: words appended to a section. Knows nothing of the intermediate form.
//! Operands of other kinds (strings, enumerants) go through `rspirv`; ids and literals are words already.
//! Order of the sections: SPIR-V 2.4 (logical layout of a module). The reused instruction avoids what makes
//! `rspirv::dr::Builder` slow: a vector for each instruction and a linear search of the grammar for its class.

use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::grammar;
use rspirv::spirv::{self, Decoration, Op, Word};

use super::types::Types;

/// Opcodes below this number can be written; all that the back end uses are.
const OPCODES: usize = 256;
/// An instruction states its length in 16 bits.
const LONGEST: usize = 0xFFFF;
/// Longest name in bytes; what is over it is cut off.
const NAME_BYTES: usize = 255;
const FIRST_ID: Word = 1;
/// Words before the first instruction.
const HEADER: usize = 5;

/// A part of the module that grows on its own; in the order in which they follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// Capabilities to execution modes.
    Preamble,
    /// `OpName`, `OpMemberName`.
    Names,
    /// Decorations.
    Annotations,
    /// Types, constants, variables.
    Globals,
    /// Functions.
    Code,
}

const SECTIONS: usize = Section::Code as usize + 1;

/// Writes instructions; keeps its memory between modules.
pub(super) struct Writer {
    classes: Vec<&'static grammar::Instruction<'static>>,
    instruction: Instruction,
    text: String,
    sections: [Vec<Word>; SECTIONS],
    next: Word,
    too_long: bool,
    /// Whether names are written.
    pub(super) names: bool,
    /// Types and constants written so far.
    pub(super) types: Types,
}

impl Writer {
    /// Looks up the class of every opcode once.
    pub(super) fn new() -> Self {
        let nop = grammar::INSTRUCTION_TABLE.get(Op::Nop);
        let mut classes = vec![nop; OPCODES];
        for class in grammar::INSTRUCTION_TABLE.iter() {
            if let Some(slot) = classes.get_mut(class.opcode as usize) {
                *slot = class;
            }
        }
        Self {
            classes,
            instruction: Instruction::new(Op::Nop, None, None, Vec::new()),
            text: String::new(),
            sections: Default::default(),
            next: FIRST_ID,
            too_long: false,
            names: true,
            types: Types::default(),
        }
    }

    /// Forgets the previous module, keeps the memory.
    pub(super) fn start(&mut self, names: bool) {
        self.sections.iter_mut().for_each(Vec::clear);
        self.next = FIRST_ID;
        self.too_long = false;
        self.names = names;
        self.types.start();
    }

    /// A new id.
    #[inline]
    pub(super) fn id(&mut self) -> Word {
        let id = self.next;
        self.next += 1;
        id
    }

    /// Words of the module so far, its header among them.
    pub(super) fn len(&self) -> usize {
        HEADER + self.sections.iter().map(Vec::len).sum::<usize>()
    }

    /// Words of the functions written so far: the place of the next instruction for [`patch`](Self::patch).
    pub(super) fn code_len(&self) -> usize {
        self.sections[Section::Code as usize].len()
    }

    /// Replaces a word of the functions.
    pub(super) fn patch(&mut self, at: usize, word: Word) {
        self.sections[Section::Code as usize][at] = word;
    }

    /// Whether an instruction did not fit the 16 bits of its length.
    pub(super) fn too_long(&self) -> bool {
        self.too_long
    }

    /// Header and all sections, in order.
    pub(super) fn finish(&self, version: (u8, u8), out: &mut Vec<Word>) {
        out.clear();
        out.reserve(self.len());
        let version = u32::from(version.0) << 16 | u32::from(version.1) << 8;
        out.extend([spirv::MAGIC_NUMBER, version, 0, self.next, 0]);
        for section in &self.sections {
            out.extend_from_slice(section);
        }
    }

    /// Appends an instruction with any operands.
    #[inline]
    pub(super) fn put(
        &mut self,
        section: Section,
        op: Op,
        results: (Option<Word>, Option<Word>),
        operands: impl IntoIterator<Item = Operand>,
    ) {
        let instruction = &mut self.instruction;
        instruction.class = self.classes[op as usize];
        (instruction.result_type, instruction.result_id) = results;
        instruction.operands.clear();
        instruction.operands.extend(operands);
        let words = &mut self.sections[section as usize];
        let start = words.len();
        instruction.assemble_into(words);
        self.too_long |= words.len() - start > LONGEST;
    }

    /// Appends an instruction whose operands are all words: nine in ten are. Without the detour through operands, and with
    /// lengths that the compiler knows, a module takes less than half the time.
    #[inline]
    pub(super) fn words<const N: usize>(&mut self, section: Section, op: Op, operands: [Word; N]) {
        let words = &mut self.sections[section as usize];
        words.reserve(1 + N);
        words.push((1 + N as Word) << 16 | op as Word);
        words.extend_from_slice(&operands);
    }

    /// As [`words`](Self::words), with any number of operands after the first two.
    pub(super) fn word_list(&mut self, section: Section, op: Op, head: [Word; 2], rest: &[Word]) {
        let length = 3 + rest.len();
        self.too_long |= length > LONGEST;
        let words = &mut self.sections[section as usize];
        words.reserve(length);
        words.push((length as Word) << 16 | op as Word);
        words.extend_from_slice(&head);
        words.extend_from_slice(rest);
    }

    /// Appends an instruction without result to the functions; all its operands are words.
    #[inline]
    pub(super) fn effect<const N: usize>(&mut self, op: Op, operands: &[Word; N]) {
        self.words(Section::Code, op, *operands);
    }

    /// Appends an instruction with a result to the functions and returns the result; all its operands are words.
    #[inline]
    pub(super) fn value<const N: usize>(&mut self, op: Op, ty: Word, operands: &[Word; N]) -> Word {
        let id = self.id();
        let words = &mut self.sections[Section::Code as usize];
        words.reserve(3 + N);
        words.extend_from_slice(&[(3 + N as Word) << 16 | op as Word, ty, id]);
        words.extend_from_slice(operands);
        id
    }

    /// As [`value`](Self::value), with any number of operands.
    pub(super) fn value_list(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        let id = self.id();
        self.word_list(Section::Code, op, [ty, id], operands);
        id
    }

    /// The first `count` of four lanes of two vectors.
    #[inline]
    pub(super) fn shuffle(&mut self, ty: Word, vectors: [Word; 2], lanes: [Word; 4], count: usize) -> Word {
        let id = self.id();
        let words = &mut self.sections[Section::Code as usize];
        let end = words.len() + 5 + count;
        words.reserve(9);
        words.extend_from_slice(&[(5 + count as Word) << 16 | Op::VectorShuffle as Word, ty, id]);
        words.extend_from_slice(&vectors);
        words.extend_from_slice(&lanes);
        words.truncate(end);
        id
    }

    /// Starts a block.
    #[inline]
    pub(super) fn label(&mut self, id: Word) {
        self.words(Section::Code, Op::Label, [id]);
    }

    /// Decorates an id with a decoration that has no operand.
    #[inline]
    pub(super) fn mark(&mut self, id: Word, decoration: Decoration) {
        self.words(Section::Annotations, Op::Decorate, [id, decoration as Word]);
    }

    /// Decorates an id.
    pub(super) fn decorate(&mut self, id: Word, decoration: Decoration, operand: Operand) {
        let operands = [Operand::IdRef(id), Operand::Decoration(decoration), operand];
        self.put(Section::Annotations, Op::Decorate, (None, None), operands);
    }

    /// Decorates a member of a struct.
    pub(super) fn decorate_member(
        &mut self,
        id: Word,
        member: Word,
        decoration: Decoration,
        literal: Option<Word>,
    ) {
        let operands = [Operand::IdRef(id), Operand::LiteralBit32(member), Operand::Decoration(decoration)];
        let literal = literal.map(Operand::LiteralBit32);
        self.put(Section::Annotations, Op::MemberDecorate, (None, None), operands.into_iter().chain(literal));
    }

    /// Names an id, if names are wanted.
    pub(super) fn name(&mut self, id: Word, name: &str) {
        if self.names {
            let name = self.text(name);
            self.put_text(Section::Names, Op::Name, (None, None), [Operand::IdRef(id), name]);
        }
    }

    /// Names a member of a struct, if names are wanted.
    pub(super) fn name_member(&mut self, id: Word, member: Word, name: &str) {
        if self.names {
            let name = self.text(name);
            let operands = [Operand::IdRef(id), Operand::LiteralBit32(member), name];
            self.put_text(Section::Names, Op::MemberName, (None, None), operands);
        }
    }

    /// A string operand; ends before the first NUL and at [`NAME_BYTES`].
    pub(super) fn text(&mut self, text: &str) -> Operand {
        let mut owned = std::mem::take(&mut self.text);
        owned.clear();
        let mut end = text.len().min(NAME_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &text[..end];
        owned.push_str(text.split('\0').next().unwrap_or(text));
        Operand::LiteralString(owned)
    }

    /// Appends an instruction with a string among its operands and keeps the string's memory.
    pub(super) fn put_text(
        &mut self,
        section: Section,
        op: Op,
        results: (Option<Word>, Option<Word>),
        operands: impl IntoIterator<Item = Operand>,
    ) {
        self.put(section, op, results, operands);
        for operand in &mut self.instruction.operands {
            if let Operand::LiteralString(text) = operand {
                self.text = std::mem::take(text);
            }
        }
    }
}
