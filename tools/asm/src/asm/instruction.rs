//! Instructions that compute: operations, MOVA, CMP. The others are in `flow`.
//! In: mnemonic and operands. Out: a word and a descriptor. Knows no directive.
//! Facts: picasso's manual and probes; formats from the opcode table.

use super::descriptors::significant;
use super::directive::is_directive;
use super::register::{FLOAT, INT, Operand, Spelling, bank_of, base, split};
use super::report::{Fault, Parse, fault, hinted, invalid};
use super::state::Assembler;
use super::{extension, habits, lex, mend};
use transpica::isa::opdesc::{Descriptor, Selector};
use transpica::isa::sizes::DESCRIPTORS;
use transpica::isa::table::Class;
use transpica::isa::word::Field;
use transpica::isa::{CompareOp, DataOp, Index, Mask, Opcode, Word};

/// A source with its text.
#[derive(Clone, Copy)]
struct SourceOperand<'a> {
    text: &'a str,
    operand: Operand,
}

/// The descriptor that a word needs.
struct Request<'r, 'a> {
    mask: Mask,
    sources: &'r [SourceOperand<'a>],
    suffix: Suffix,
}

impl SourceOperand<'_> {
    fn is_input(&self) -> bool {
        self.operand.register < 0x10
    }
    fn is_narrow(&self) -> bool {
        self.operand.register < FLOAT
    }
    fn is_relative(&self) -> bool {
        self.operand.index != Index::None
    }
    /// Returns whether only a wide source can hold it.
    fn is_wide(&self) -> bool {
        !self.is_narrow() || self.is_relative()
    }
    /// Hint about a register that no instruction computes with, or that does not exist.
    fn beyond(&self) -> String {
        let Operand { register, .. } = self.operand;
        let parts = split(self.text.trim_start_matches('-')).ok();
        let offset = parts.and_then(|parts| parts.offset);
        let number = offset.map(|text| lex::decimal(text.rsplit('+').next().unwrap_or_default()));
        let number = number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
        match register.saturating_sub(number) {
            base @ FLOAT..INT => mend::offset(base),
            _ => format!(
                "this is {} register: `for` reads i, `ifu`, `callu` and `jmpu` read b, all others v, r and c",
                match bank_of(register).letter {
                    'i' => "an i",
                    _ => "a b",
                }
            ),
        }
    }
}

/// Suffixes of the extension: ` @N` selects a descriptor, ` ^ BITS` flips bits of the word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Suffix {
    descriptor: Option<u32>,
    bits: u32,
}

impl Suffix {
    /// The word with its bits flipped.
    pub fn apply(self, word: Word) -> Word {
        Word(word.0 ^ self.bits)
    }

    /// Splits the suffixes off the operands.
    fn split(rest: &str) -> Parse<'_, (&str, Self)> {
        let mut suffix = Self::default();
        let mut operands = rest;
        if let Some((before, bits)) = operands.split_once('^') {
            suffix.bits = extension::number(lex::trim(bits), u32::MAX)?;
            operands = lex::trim(before);
        }
        if let Some((before, number)) = operands.split_once('@') {
            suffix.descriptor = Some(extension::number(lex::trim(number), 127)?);
            operands = lex::trim(before);
        }
        Ok((operands, suffix))
    }
}

/// Selects the form of the word: the inverted one where only that can hold the uniform.
fn form(op: DataOp, sources: &[SourceOperand<'_>]) -> Opcode {
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
    /// Assembles an instruction.
    pub(super) fn instruction(&mut self, name: &'a str, rest: &'a str) -> Parse<'a, ()> {
        let Some(opcode) = Opcode::from_mnemonic(name) else {
            let mnemonics = Opcode::ALL.iter().map(|opcode| opcode.mnemonic());
            let hint = if is_directive(&name.to_ascii_lowercase()) {
                Some(format!("directives begin with a dot: `.{}`", name.to_ascii_lowercase()))
            } else {
                let hint = habits::statement(name, rest).map(str::to_owned);
                hint.or_else(|| self.messages.suggest(name, mnemonics))
            };
            let fault = Fault::new(name, invalid("instruction", name));
            return Err(fault.optional_hint(hint));
        };
        if self.file.blocks.is_empty() {
            if self.file.is_uncertain || self.is_repeated("outside") {
                return Err(Fault::follow_up(name));
            }
            return hinted(name, "instruction outside block", "begin a procedure with `.proc NAME`");
        }
        self.executable();
        self.check_room(name)?;
        self.file.just_closed = false;
        let (rest, suffix) =
            if self.package.extended { Suffix::split(rest)? } else { (rest, Suffix::default()) };
        let operands = lex::operands(rest);
        if rest.ends_with(',') {
            let hint = "is an operand missing?";
            self.messages.warn(&rest[rest.len() - 1..], "this comma is ignored", Some(hint));
        }
        match opcode.info().class {
            Class::Data(op) => self.data(opcode, op, rest, &operands, suffix),
            Class::Address => self.address(rest, &operands, suffix),
            Class::Compare => self.compare(rest, &operands, suffix),
            Class::Control(_) | Class::Emit | Class::SetEmit => self.control(opcode, rest, &operands, suffix),
        }
    }

    /// Checks the number of operands.
    pub(super) fn count(
        &self,
        rest: &'a str,
        operands: &[&'a str],
        least: usize,
        most: usize,
    ) -> Parse<'a, ()> {
        if operands.len() < least
            && let Some((text, hint)) =
                operands.iter().find_map(|text| Some((text, habits::missing_comma(text)?)))
        {
            return hinted(text, "missing parameter", hint);
        }
        let hint = || operands.get(most).and_then(|_| mend::vector(rest));
        lex::count(rest, operands, least, most).map_err(|fault| fault.optional_hint(hint()))
    }

    fn read_sources(&mut self, texts: &[&'a str]) -> Parse<'a, Vec<SourceOperand<'a>>> {
        let mut sources = Vec::with_capacity(texts.len());
        for &text in texts {
            let operand = self.operand(text)?;
            if operand.spelling == Spelling::Output && operand.register < 0x10 {
                let message = format!("this reads v{}", operand.register);
                let hint = "outputs cannot be read; keep the value in an r register";
                self.messages.warn(text, &message, Some(hint));
            }
            sources.push(SourceOperand { text, operand });
        }
        Ok(sources)
    }

    fn data(
        &mut self,
        opcode: Opcode,
        op: DataOp,
        rest: &'a str,
        operands: &[&'a str],
        suffix: Suffix,
    ) -> Parse<'a, ()> {
        let count = op.source_count() + 1;
        self.count(rest, operands, count, count)?;
        let (dest, mask) = self.destination(operands[0])?;
        let sources = self.read_sources(&operands[1..])?;
        let mut inputs = sources.iter().filter(|source| source.is_input());
        if let Some(first) = inputs.next()
            && let Some(other) = inputs.find(|other| other.operand.register != first.operand.register)
            && !self.package.verbatim
        {
            let noun = if sources.len() > 2 { "registers" } else { "operands" };
            let message = format!("source {noun} must not be different input registers (v0..v15)");
            let text = other.text;
            let hint = format!(
                "one instruction can read one input register: copy this one, `mov r15, {text}`, and read r15 here"
            );
            return hinted(other.text, message, hint);
        }
        let opcode = if self.package.verbatim { opcode } else { form(op, &sources) };
        let word = Word::new(opcode).with(Field::Dest, dest);
        let word = put_sources(word, opcode, &sources, operands)?;
        self.describe(rest, word, Request { mask, sources: &sources, suffix })
    }

    fn address(&mut self, rest: &'a str, operands: &[&'a str], suffix: Suffix) -> Parse<'a, ()> {
        self.count(rest, operands, 2, 2)?;
        let mask = match operands[0].to_ascii_lowercase().as_str() {
            "a0" | "a0.x" => Mask(1),
            "a1" | "a0.y" => Mask(2),
            "a01" | "a0.xy" => Mask(3),
            "a0._" if self.package.extended => Mask::NONE,
            _ => {
                let message = invalid("destination register for mova", operands[0]);
                return hinted(operands[0], message, "a0.x, a0.y or a0.xy");
            }
        };
        let sources = self.read_sources(&operands[1..])?;
        let word = put_sources(Word::new(Opcode::Mova), Opcode::Mova, &sources, operands)?;
        self.describe(rest, word, Request { mask, sources: &sources, suffix })
    }

    fn compare(&mut self, rest: &'a str, operands: &[&'a str], suffix: Suffix) -> Parse<'a, ()> {
        let explain = |fault: Fault<'a>| fault.hint(mend::comparison(rest));
        self.count(rest, operands, 4, 4).map_err(explain)?;
        let sources = self.read_sources(&[operands[0], operands[3]])?;
        let word = put_sources(Word::new(Opcode::Cmp), Opcode::Cmp, &sources, operands)?;
        let word = word.with(Field::CompareX, self.comparison(operands[1]).map_err(explain)?);
        let word = word.with(Field::CompareY, self.comparison(operands[2]).map_err(explain)?);
        self.describe(rest, word, Request { mask: Mask::NONE, sources: &sources, suffix })
    }

    fn comparison(&self, text: &'a str) -> Parse<'a, u32> {
        // The two codes that are always true have no name in picasso's language.
        let ops = if self.package.extended { &CompareOp::ALL[..] } else { &CompareOp::ALL[..6] };
        let known = ops.iter().find(|op| op.name().eq_ignore_ascii_case(text));
        known.map_or_else(|| fault(text, invalid("comparison operation", text)), |&op| Ok(op as u32))
    }

    /// Selects a descriptor for the word and appends the word.
    fn describe(&mut self, at: &'a str, word: Word, request: Request<'_, 'a>) -> Parse<'a, ()> {
        let Request { mask, sources, suffix } = request;
        let significant = word.opcode().map_or(0, |opcode| significant(opcode, mask));
        let mut descriptor = Descriptor { mask, sources: [NO_SELECTOR; 3] };
        for (selector, source) in descriptor.sources.iter_mut().zip(sources) {
            let Operand { swizzle, negate, .. } = source.operand;
            *selector = Selector { swizzle, negate };
        }
        let reach = reach(word);
        if let Some(number) = suffix.descriptor {
            // An explicit descriptor of MOVA may write components that do not exist.
            let is_address = word.opcode() == Some(Opcode::Mova);
            let unread = if is_address { Mask(12).to_descriptor() } else { 0 };
            // Range: below 128.
            if number as usize >= reach
                || !self.descriptors.has(number as usize, descriptor.pack(), significant & !unread)
            {
                let message = format!("descriptor {number} contradicts the operands");
                return hinted(at, message, "correct its `.opdesc`, or remove the `@`");
            }
            self.emit(suffix.apply(word.with(Field::Descriptor, number)));
            return Ok(());
        }
        let Some(mut number) = self.descriptors.request(descriptor.pack(), significant) else {
            if self.is_repeated("descriptors") {
                return Err(Fault::follow_up(at));
            }
            let hint = "use the same masks and swizzles in more instructions";
            return hinted(at, "too many operand descriptors (limit is 128)", hint);
        };
        if reach < DESCRIPTORS {
            let Some(low) = self.descriptors.give_to_mad(number) else {
                if self.is_repeated("mad descriptors") {
                    return Err(Fault::follow_up(at));
                }
                let hint = "all mad instructions together can use 32 different masks and swizzles";
                return hinted(at, "opdesc allocation error", hint);
            };
            if low != number {
                // Range: both are below 128.
                self.swap_descriptors(low as u32, number as u32);
            }
            number = low;
        }
        // Range: below 128.
        self.emit(suffix.apply(word.with(Field::Descriptor, number as u32)));
        Ok(())
    }

    /// Renumbers the descriptors of words after a swap. No MAD uses either entry.
    fn swap_descriptors(&mut self, one: u32, other: u32) {
        for word in &mut self.code {
            if reach(*word) < DESCRIPTORS {
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

/// Sets the source fields; each source must fit its field, or a hint says what to do about it.
fn put_sources<'a>(
    mut word: Word,
    opcode: Opcode,
    sources: &[SourceOperand<'a>],
    operands: &[&str],
) -> Parse<'a, Word> {
    let wide: Vec<bool> = sources.iter().map(SourceOperand::is_wide).collect();
    let mend = |at: &str| mend::uniform(opcode.mnemonic(), operands, &wide, at);
    for (number, (field, source)) in Field::SOURCES.into_iter().zip(sources).enumerate() {
        let is_wide = opcode.format().wide() == Some(field);
        let Operand { register, index, .. } = source.operand;
        let number = number + 1;
        if register >= if is_wide { INT } else { FLOAT } {
            let message = invalid(&format!("source{number} register"), base(source.text));
            let hint = if register >= INT { source.beyond() } else { mend(source.text) };
            return hinted(source.text, message, hint);
        }
        if index != Index::None {
            if !is_wide {
                let message = format!("index register not allowed in source{number}");
                return hinted(source.text, message, mend(source.text));
            }
            word = word.with(Field::Index, index as u32);
        }
        word = word.with(field, register);
    }
    Ok(word)
}

/// Number of descriptors that a word can name.
fn reach(word: Word) -> usize {
    word.opcode().map_or(0, |opcode| opcode.format().descriptors())
}

/// Selector bits of a source that an instruction does not have.
const NO_SELECTOR: Selector = Selector { swizzle: transpica::isa::Swizzle(0), negate: false };
