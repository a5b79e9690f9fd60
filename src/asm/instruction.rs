//! Instructions that compute: operations, MOVA, CMP. Those that steer are in `flow`.
//! In: mnemonic and operands. Out: a word and a descriptor. Knows no directive.
//! Facts: picasso's manual and probes; formats from the table of opcodes.

use super::assembler::Assembler;
use super::descriptors::{significant, significant_address, significant_compare};
use super::lex;
use super::operand::{FLOAT, Operand};
use super::report::{Parse, fault};
use crate::isa::opdesc::{Descriptor, Selector};
use crate::isa::table::Class;
use crate::isa::word::{Field, Format};
use crate::isa::{DataOp, Index, Mask, Opcode, Word};

/// Fields of the sources, in order.
const SOURCES: [Field; 3] = [Field::Source1, Field::Source2, Field::Source3];

/// A source with its text.
#[derive(Clone, Copy)]
struct SourceText<'a> {
    text: &'a str,
    operand: Operand,
}

impl SourceText<'_> {
    fn is_input(&self) -> bool {
        self.operand.register < 0x10
    }
    fn is_narrow(&self) -> bool {
        self.operand.register < FLOAT
    }
    fn is_relative(&self) -> bool {
        self.operand.index != Index::None
    }
}

/// Picks the form of the word: the inverted one where only it can hold the uniform.
fn form(op: DataOp, sources: &[SourceText<'_>]) -> Opcode {
    let plain = op.opcode();
    let wants = match sources {
        [first, second] => first.is_narrow() && !second.is_narrow(),
        [_, second, third] => {
            second.is_narrow() && (!third.is_narrow() || third.is_relative() && !second.is_relative())
        }
        _ => false,
    };
    plain.inverted().filter(|_| wants).unwrap_or(plain)
}

impl<'a> Assembler<'a> {
    /// Carries out an instruction.
    pub(super) fn instruction(&mut self, name: &'a str, rest: &'a str) -> Parse<'a, ()> {
        let Some(opcode) = Opcode::from_mnemonic(name) else {
            return fault(name, format!("invalid instruction: {name}"));
        };
        if self.file.blocks.is_empty() {
            return fault(name, "instruction outside block");
        }
        self.executable();
        self.check_room(name)?;
        self.file.just_closed = false;
        let operands = lex::operands(rest);
        match opcode.info().class {
            Class::Data(op) => self.data(op, rest, &operands),
            Class::Address => self.address(rest, &operands),
            Class::Compare => self.compare(rest, &operands),
            Class::Control => self.control(opcode, rest, &operands),
        }
    }

    /// Refuses a wrong number of operands.
    pub(super) fn count(
        &self,
        rest: &'a str,
        operands: &[&'a str],
        least: usize,
        most: usize,
    ) -> Parse<'a, ()> {
        match operands.get(most) {
            Some(surplus) => fault(surplus, "too many parameters"),
            None if operands.len() < least => fault(rest, "missing parameter"),
            None => Ok(()),
        }
    }

    fn read_sources(&mut self, texts: &[&'a str]) -> Parse<'a, Vec<SourceText<'a>>> {
        texts.iter().map(|&text| Ok(SourceText { text, operand: self.operand(text)? })).collect()
    }

    fn data(&mut self, op: DataOp, rest: &'a str, operands: &[&'a str]) -> Parse<'a, ()> {
        let count = op.source_count() + 1;
        self.count(rest, operands, count, count)?;
        let (dest, mask) = self.destination(operands[0])?;
        let sources = self.read_sources(&operands[1..])?;
        let mut inputs = sources.iter().filter(|source| source.is_input());
        if let Some(first) = inputs.next()
            && let Some(other) = inputs.find(|other| other.operand.register != first.operand.register)
        {
            let noun = if op == DataOp::Mad { "registers" } else { "operands" };
            return fault(other.text, format!("source {noun} must be different input registers (v0..v15)"));
        }
        let opcode = form(op, &sources);
        let word = Word::new(opcode).with(Field::Dest, dest);
        let word = self.put_sources(word, opcode.format(), &sources)?;
        self.describe(rest, word, mask, &sources, significant(op, mask))
    }

    fn address(&mut self, rest: &'a str, operands: &[&'a str]) -> Parse<'a, ()> {
        self.count(rest, operands, 2, 2)?;
        let mask = match operands[0].to_ascii_lowercase().as_str() {
            "a0" | "a0.x" => Mask(1),
            "a1" | "a0.y" => Mask(2),
            "a01" | "a0.xy" => Mask(3),
            _ => {
                return fault(operands[0], format!("invalid destination register for mova: {}", operands[0]));
            }
        };
        let sources = self.read_sources(&operands[1..])?;
        let word = self.put_sources(Word::new(Opcode::Mova), Format::OneUnary, &sources)?;
        self.describe(rest, word, mask, &sources, significant_address(mask))
    }

    fn compare(&mut self, rest: &'a str, operands: &[&'a str]) -> Parse<'a, ()> {
        self.count(rest, operands, 4, 4)?;
        let sources = self.read_sources(&[operands[0], operands[3]])?;
        let word = self.put_sources(Word::new(Opcode::Cmp), Format::OneCompare, &sources)?;
        let word = word.with(Field::CompareX, comparison(operands[1])?);
        let word = word.with(Field::CompareY, comparison(operands[2])?);
        self.describe(rest, word, Mask::NONE, &sources, significant_compare())
    }

    /// Puts the sources into the word; each must fit its field.
    fn put_sources(&self, mut word: Word, format: Format, sources: &[SourceText<'a>]) -> Parse<'a, Word> {
        for (number, (field, source)) in SOURCES.into_iter().zip(sources).enumerate() {
            let is_wide = format.wide() == Some(field);
            let Operand { register, index, .. } = source.operand;
            let number = number + 1;
            if register >= if is_wide { 0x80 } else { FLOAT } {
                return fault(source.text, format!("invalid source{number} register: {}", source.text));
            }
            if index != Index::None {
                if !is_wide {
                    return fault(source.text, format!("index register not allowed in source{number}"));
                }
                word = word.with(Field::Index, index as u32);
            }
            word = word.with(field, register);
        }
        Ok(word)
    }

    /// Finds a descriptor for the word and appends it.
    fn describe(
        &mut self,
        at: &'a str,
        word: Word,
        mask: Mask,
        sources: &[SourceText<'a>],
        significant: u32,
    ) -> Parse<'a, ()> {
        let mut descriptor = Descriptor { mask, sources: [NO_SELECTOR; 3] };
        for (selector, source) in descriptor.sources.iter_mut().zip(sources) {
            let Operand { swizzle, negate, .. } = source.operand;
            *selector = Selector { swizzle, negate };
        }
        let Some(mut number) = self.descriptors.request(descriptor.pack(), significant) else {
            return fault(at, "too many operand descriptors (limit is 128)");
        };
        if matches!(word.opcode(), Some(Opcode::Mad | Opcode::Madi)) {
            let Some((low, swap)) = self.descriptors.give_to_mad(number) else {
                return fault(at, "opdesc allocation error");
            };
            number = low;
            if let Some(swap) = swap {
                self.swap_descriptors(swap);
            }
        }
        // Range: below 128.
        self.emit(word.with(Field::Descriptor, number as u32));
        Ok(())
    }

    /// Corrects the words that use either of two descriptors that changed places. No MAD does.
    fn swap_descriptors(&mut self, super::descriptors::Swap(one, other): super::descriptors::Swap) {
        for word in &mut self.code {
            if matches!(word.opcode(), Some(Opcode::Mad | Opcode::Madi)) {
                continue;
            }
            let number = word.get(Field::Descriptor);
            if number == Some(one) {
                *word = word.with(Field::Descriptor, other);
            } else if number == Some(other) {
                *word = word.with(Field::Descriptor, one);
            }
        }
    }
}

/// The bits of a source that an instruction does not have.
const NO_SELECTOR: Selector = Selector { swizzle: crate::isa::Swizzle(0), negate: false };

/// Comparisons by name, in the order of their codes.
const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

fn comparison(text: &str) -> Parse<'_, u32> {
    match COMPARISONS.iter().position(|name| name.eq_ignore_ascii_case(text)) {
        Some(code) => Ok(code as u32), // Range: 0 to 5.
        None => fault(text, format!("invalid comparison operation: {text}")),
    }
}
