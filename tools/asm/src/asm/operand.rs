//! Operands: registers, names, offsets, swizzles.
//! In: the text of one operand. Out: picasso's number of its register, address register, swizzle,
//! sign.
//! Knows no instruction; the caller checks the bank.
//! Facts: picasso's manual and probes. `o` and `v` share their numbers, so either may be used for
//! the other. Upper-case letters are accepted as register names but lose their bank (`R1` is v1 or
//! o1).

use super::register::{
    BANKS, Bank, FLOAT, Operand, Spelling, TEMP, address_register, bank_of, base, is_register_name, mask,
    register_name, split, swizzle,
};
use super::report::{Fault, Parse, fault, hinted, invalid, offset, quote};
use super::space::UniformKind;
use super::state::Assembler;
use super::{habits, lex, mend};
use transpica::isa::sizes::OUTPUTS;
use transpica::isa::{Index, Mask, Swizzle};

/// Hint where a register between brackets cannot index.
const INDEXING: &str = "only a0.x, a0.y and aL can be an index: `mova a0.x, r0.x` sets one";

impl<'a> Assembler<'a> {
    /// Reads an operand.
    pub(super) fn operand(&mut self, text: &'a str) -> Parse<'a, Operand> {
        let (negate, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, lex::trim(rest)),
            None => (false, text),
        };
        let parts = split(rest)?;
        if parts.offset.is_some() && lex::trim(parts.base).len() < parts.base.len() {
            let message = invalid("register", parts.base);
            return hinted(rest, message, "no space is allowed before the `[`");
        }
        let named = self.file.names.get(parts.base).copied();
        let mut operand = match named {
            Some(named) => named,
            None => self
                .raw_register(parts.base)
                .map_err(|fault| fault.optional_hint(mend::number(text, UniformKind::Float)))?,
        };
        if let Some(text) = parts.offset {
            let (index, number) = self.offset(text)?;
            if index != Index::None && named.is_none() && !parts.base.starts_with('c') {
                let hint = "only c registers can be indexed";
                return hinted(text, "index register not allowed with this kind of register", hint);
            }
            self.check_offset(rest, &operand, index, number);
            (operand.index, operand.register) = (index, operand.register.saturating_add(number));
        }
        if !parts.ignored.is_empty() {
            self.messages.warn(parts.ignored, "this is ignored", Some("after `]` only a swizzle may follow"));
        }
        if let Some(text) = parts.swizzle {
            if text.is_empty() {
                let hint = "write .x, or remove the dot";
                self.messages.warn(rest, "an empty swizzle is read as .xxxx", Some(hint));
            }
            let user = swizzle(text)?;
            operand.swizzle = Swizzle::new(user.components().map(|component| operand.swizzle.get(component)));
        }
        operand.negate ^= negate;
        Ok(operand)
    }

    /// Warns about an offset past an array or into another bank, and about an address register
    /// without effect.
    fn check_offset(&mut self, text: &'a str, base: &Operand, index: Index, number: u32) {
        let register = base.register.saturating_add(number);
        let behind = base.count.filter(|&count| index == Index::None && number >= count);
        if (behind.is_some() || bank_of(base.register).base != bank_of(register).base) && register < 0x98 {
            let message = format!("this is {}", register_name(register));
            let hint = match behind {
                Some(1) => "its name stands for one register".to_owned(),
                Some(count) => format!("its name stands for {count} registers; the last is [{}]", count - 1),
                None => "the offset is beyond the registers of its kind".to_owned(),
            };
            self.messages.warn(text, &message, Some(&hint));
        } else if index != Index::None && register < FLOAT {
            let hint = "only c registers can be indexed";
            self.messages.warn(text, "hardware ignores the address register here", Some(hint));
        }
    }

    /// Reads a register by its number.
    fn raw_register(&mut self, text: &'a str) -> Parse<'a, Operand> {
        let mut letters = text.chars();
        let letter = letters.next().unwrap_or(' ');
        let digits = letters.as_str();
        let number = lex::integer(digits).filter(|_| is_register_name(text)).map(|integer| integer.value);
        let Some(number) = number else { return Err(self.unknown_register(text)) };
        let is_open = self.package.verbatim;
        let (base, count, kind) = match BANKS.iter().find(|bank| bank.letter == letter) {
            Some(&Bank { base, count, kind, .. }) => (base, count, kind),
            None if letter == 'o' => {
                self.executable();
                let count = if self.file.is_geometry() && !is_open { 7 } else { OUTPUTS as u32 };
                (0, count, "output")
            }
            // picasso accepts an upper-case letter, but not its bank.
            None => (0, u32::MAX, "register"),
        };
        let spelling = match letter {
            'o' => Spelling::Output,
            'v' => Spelling::Input,
            _ => Spelling::Other,
        };
        match u32::try_from(number) {
            Ok(number) if number < count => {
                self.check_spelling(text, letter, digits, base + number);
                Ok(Operand { spelling, ..Operand::plain(base + number) })
            }
            _ if letter == 'v' && number == 15 => {
                hinted(text, invalid(&format!("{kind} register"), text), "picasso knows it as v14[1]")
            }
            _ => {
                let hint = format!("they are {letter}0 to {letter}{}", count - 1);
                hinted(text, invalid(&format!("{kind} register"), text), hint)
            }
        }
    }

    #[cold]
    fn unknown_register(&mut self, text: &'a str) -> Fault<'a> {
        if self.file.lost.contains(text) {
            return Fault::follow_up(text);
        }
        let fault = Fault::new(text, invalid("register", text));
        if text.is_empty() {
            return fault.hint("an operand is missing here");
        }
        if !lex::is_name(text) {
            let hint = habits::operand(text).map(str::to_owned);
            return fault.optional_hint(hint.or_else(|| habits::missing_comma(text)));
        }
        // Every later use would repeat the error.
        self.file.lost.insert(text);
        if let Some(hint) = habits::built_in(text) {
            return fault.hint(hint);
        }
        match self.messages.suggest(text, self.file.names.keys().copied()) {
            Some(hint) => fault.hint(hint),
            None => fault.hint("declare names first, with .alias, .fvec, .ivec, .bool, .in, .out or .constf"),
        }
    }

    /// Warns about register names with unexpected semantics.
    fn check_spelling(&mut self, text: &'a str, letter: char, digits: &'a str, register: u32) {
        let known = register_name(register);
        if letter.is_ascii_uppercase() && !matches!(letter, 'V' | 'O') {
            let hint = format!("write {}: register letters are lowercase", quote(text).to_ascii_lowercase());
            self.messages.warn(text, &format!("{} is read as {known}", quote(text)), Some(&hint));
        } else {
            // `.setb b0, true` is common and has the expected semantics.
            self.check_integer(text, digits.strip_suffix(',').unwrap_or(digits));
        }
    }

    /// Warns if the number at the end of `text` has an unexpected value.
    pub(super) fn check_integer(&mut self, text: &'a str, number: &'a str) {
        let Some(lex::Integer { value, rest, is_octal }) = lex::integer(number) else { return };
        let head = &text[..offset(text, number).unwrap_or(0)];
        let message = format!("{} is read as {head}{value}", quote(text));
        if is_octal {
            self.messages.warn(text, &message, Some("a leading 0 makes the number octal"));
        } else if lex::trim(rest).is_empty() {
            if !rest.is_empty() {
                self.messages.warn(text, "the space after the number is ignored", Some("remove it"));
            }
        } else {
            let ignored = || format!("`{}` after the number is ignored", quote(lex::trim(rest)));
            let hint = habits::missing_comma(text).unwrap_or_else(ignored);
            self.messages.warn(text, &message, Some(&hint));
        }
    }

    /// Reads the text between the brackets.
    fn offset(&mut self, text: &'a str) -> Parse<'a, (Index, u32)> {
        let text = lex::trim(text);
        let (index, number) = match text.split_once('+') {
            Some((left, right)) => match address_register(lex::trim(left)) {
                Some(index) => (index, right),
                None => {
                    let hint = if self.is_register(lex::trim(left)) {
                        INDEXING
                    } else {
                        "write the address register first: [a0.x + 1]"
                    };
                    return hinted(left, invalid("index register", lex::trim(left)), hint);
                }
            },
            None => match address_register(text) {
                Some(index) => return Ok((index, 0)),
                // picasso takes a component that it lacks for 0.
                None if matches!(base(text), "a0" | "aL") => {
                    return hinted(text, invalid("index register", text), INDEXING);
                }
                None => (Index::None, text),
            },
        };
        self.check_number(number);
        let value = lex::decimal(number);
        match u32::try_from(value) {
            Ok(value) => Ok((index, value)),
            Err(_) if value > 0 => Ok((index, u32::MAX)),
            Err(_) => hinted(number, format!("invalid register offset: {value}"), "offsets begin at 0"),
        }
    }

    /// Returns whether a text begins with a register or the name of one.
    fn is_register(&self, text: &str) -> bool {
        let base = base(text);
        is_register_name(base) || self.file.names.contains_key(base)
    }

    /// Warns if a decimal number has an unexpected value.
    pub(super) fn check_number(&mut self, text: &'a str) {
        let text = lex::trim(text);
        let digits = text.trim_start_matches(['-', '+']);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            let hint = if self.is_register(text) {
                INDEXING
            } else {
                "expressions and named numbers are not supported"
            };
            self.messages.warn(text, "not a number: counts as 0", Some(hint));
        } else if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("{} is read as {}", quote(text), lex::decimal(text));
            let hint = "the number ends at the first character that is not a digit";
            self.messages.warn(text, &message, Some(hint));
        }
    }

    /// Reads a register without address register, as directives and most operands require.
    pub(super) fn direct(&mut self, text: &'a str) -> Parse<'a, Operand> {
        let operand = self.operand(text)?;
        if operand.index != Index::None {
            return fault(text, "index register not allowed here");
        }
        Ok(operand)
    }

    /// The index of a register in the bank that begins at `base` and has `count` registers.
    pub(super) fn bank(&mut self, text: &'a str, base: u32, count: usize) -> Parse<'a, u32> {
        let uniforms = UniformKind::ALL.into_iter().find(|kind| kind.base() == base);
        let number = || uniforms.and_then(|kind| mend::number(text, kind));
        let operand = self.direct(text).map_err(|fault| fault.optional_hint(number()))?;
        let kind = bank_of(base).kind;
        match operand.register.checked_sub(base) {
            Some(number) if (number as usize) < count => Ok(number),
            _ => {
                let hint = match uniforms {
                    Some(UniformKind::Int) => "i0 to i3, or a name that `.ivec` or `.consti` declares",
                    Some(UniformKind::Bool) => "b0 to b15, or a name that `.bool` declares",
                    Some(UniformKind::Float) => "c0 to c95, or a name that `.fvec` declares",
                    None => "v0 to v14, or nothing for the next free one",
                };
                hinted(text, invalid(&format!("{kind} register"), text), hint)
            }
        }
    }

    /// Reads a destination: its register and mask.
    pub(super) fn destination(&mut self, text: &'a str) -> Parse<'a, (u32, Mask)> {
        let nothing = text.strip_suffix("._").filter(|_| self.package.extended);
        let operand = self.direct(nothing.unwrap_or(text))?;
        let spelled = lex::trim(text.trim_start_matches('-'));
        if self.file.names.contains_key(base(spelled)) {
            // With the offset: an element of an array is a register of its own.
            self.destination = spelled.split_once('.').map_or(spelled, |(register, _)| register);
        }
        if operand.register >= FLOAT {
            let hint = "instructions write r and o registers";
            return hinted(text, invalid("destination register", text), hint);
        }
        if operand.negate {
            let hint = "negate a source instead";
            self.messages.warn(text, "the sign has no effect on a destination", Some(hint));
        }
        if operand.spelling == Spelling::Input && operand.register < TEMP {
            let message = format!("this writes o{}", operand.register);
            let hint = "inputs cannot be written; as a destination, their number means an o register";
            self.messages.warn(text, &message, Some(hint));
        }
        let mask = if nothing.is_some() { Mask::NONE } else { self.mask(text, operand.swizzle) };
        Ok((operand.register, mask))
    }

    /// The mask of a swizzle, whose order has no effect.
    pub(super) fn mask(&mut self, text: &'a str, swizzle: Swizzle) -> Mask {
        if !swizzle.components().is_sorted() {
            let hint = "a mask only selects which components are written: list them in the order xyzw";
            self.messages.warn(text, "arbitrary swizzling has no effect for destination mask", Some(hint));
        }
        mask(swizzle)
    }
}
