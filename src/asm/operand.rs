//! Operands: registers, names for them, offsets, swizzles.
//! In: the text of one operand. Out: its register by picasso's number, address register, swizzle, sign.
//! Knows no instruction; which registers may stand where is asked by the caller.
//! Facts: picasso's manual and probes. `o` and `v` share their numbers, so either may stand for the other; upper-case letters
//! pass as register names but lose their bank (`R1` is v1 or o1).

use super::assembler::Assembler;
use super::report::{Fault, Parse, fault, hinted, offset, quote};
use super::{habits, lex};
use crate::isa::limits::{BOOLS, FLOATS, OUTPUTS, TEMPS};
use crate::isa::{Component, Index, Mask, Swizzle};

/// Advice where a register stands between brackets that cannot.
const INDEXING: &str = "only a0.x, a0.y and aL can index: `mova a0.x, r0.x` brings a number there";

/// Number of r0.
pub(crate) const TEMP: u32 = 0x10;
/// Number of c0.
pub(crate) const FLOAT: u32 = 0x20;
/// Number of i0.
pub(crate) const INT: u32 = 0x80;
/// Number of b0.
pub(crate) const BOOL: u32 = 0x88;

/// A register with what stands around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub register: u32,
    pub index: Index,
    pub swizzle: Swizzle,
    pub negate: bool,
    /// Whether the text calls it an input or an output.
    pub called: Called,
}

/// What the text calls a register: inputs and outputs share their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    Input,
    Output,
    Other,
}

/// Letters of the components, in order.
const LETTERS: [&str; 3] = ["xyzw", "rgba", "stpq"];

fn component(letter: char) -> Option<Component> {
    let letter = letter.to_ascii_lowercase();
    LETTERS.iter().find_map(|set| set.find(letter)).and_then(|index| Component::ALL.get(index).copied())
}

/// Reads the letters after the dot; fewer than four repeat the last, none is `.xxxx`.
pub(super) fn swizzle(text: &str) -> Parse<'_, Swizzle> {
    let mut components = [Component::X; 4];
    let mut count = 0;
    for letter in text.chars() {
        let (Some(found), Some(place)) = (component(letter), components.get_mut(count)) else {
            let hint = "one to four letters of xyzw, rgba or stpq";
            return hinted(text, format!("invalid swizzling mask: {}", quote(text)), hint);
        };
        *place = found;
        count += 1;
    }
    let last = components[count.saturating_sub(1)];
    components[count..].fill(last);
    Ok(Swizzle::new(components))
}

/// Whether a text looks like a register: a letter and a digit.
pub(crate) fn is_register_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|letter| "ovrcib".contains(letter.to_ascii_lowercase()))
        && letters.next().is_some_and(|digit| digit.is_ascii_digit())
}

/// First register of the bank that a register belongs to.
fn bank_of(register: u32) -> u32 {
    [BOOL, INT, FLOAT, TEMP].into_iter().find(|&first| register >= first).unwrap_or(0)
}

/// What a source register is called by its number.
fn register_name(register: u32) -> String {
    let letter = match bank_of(register) {
        BOOL => 'b',
        INT => 'i',
        FLOAT => 'c',
        TEMP => 'r',
        _ => 'v',
    };
    format!("{letter}{}", register - bank_of(register))
}

/// The components that a swizzle names.
pub(super) fn mask(swizzle: Swizzle) -> Mask {
    Mask(swizzle.components().iter().fold(0, |mask, &component| mask | 1 << component as u8))
}

/// The address register of this name.
fn address_register(name: &str) -> Option<Index> {
    match name.to_ascii_lowercase().as_str() {
        "a0" | "a0.x" => Some(Index::A0x),
        "a1" | "a0.y" => Some(Index::A0y),
        "a2" | "al" | "lcnt" => Some(Index::Al),
        _ => None,
    }
}

/// The parts of an operand without its sign.
struct Parts<'a> {
    base: &'a str,
    offset: Option<&'a str>,
    /// What stands behind the offset and before the swizzle.
    ignored: &'a str,
    swizzle: Option<&'a str>,
}

fn split(text: &str) -> Parse<'_, Parts<'_>> {
    let Some((base, rest)) = text.split_once('[') else {
        let (base, swizzle) = match text.split_once('.') {
            Some((base, swizzle)) => (base, Some(swizzle)),
            None => (text, None),
        };
        return Ok(Parts { base, offset: None, ignored: "", swizzle });
    };
    let Some((offset, after)) = rest.split_once(']') else {
        return fault(text, "missing ']'");
    };
    let (ignored, swizzle) = match after.split_once('.') {
        Some((ignored, swizzle)) => (ignored, Some(swizzle)),
        None => (after, None),
    };
    Ok(Parts { base, offset: Some(offset), ignored: lex::trim(ignored), swizzle })
}

/// An operand as picasso quotes it: without offset and swizzle.
pub(super) fn base(text: &str) -> &str {
    text.split(['[', '.']).next().unwrap_or(text)
}

impl<'a> Assembler<'a> {
    /// Reads an operand.
    pub(super) fn operand(&mut self, text: &'a str) -> Parse<'a, Operand> {
        let (negate, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, lex::trim(rest)),
            None => (false, text),
        };
        let parts = split(rest)?;
        if parts.offset.is_some() && lex::trim(parts.base).len() < parts.base.len() {
            let message = format!("invalid register: {}", quote(parts.base));
            return hinted(rest, message, "no blank may stand before the `[`");
        }
        let named = self.file.names.get(parts.base).copied();
        let mut operand = match named {
            Some(named) => named,
            None => self.raw_register(parts.base)?,
        };
        if let Some(text) = parts.offset {
            let (index, number) = self.offset(text)?;
            if index != Index::None && named.is_none() && !parts.base.starts_with('c') {
                let hint = "only c registers can be indexed";
                return hinted(text, "index register not allowed with this kind of register", hint);
            }
            let register = operand.register.saturating_add(number);
            self.check_offset(rest, operand.register, register, index);
            (operand.index, operand.register) = (index, register);
        }
        if !parts.ignored.is_empty() {
            self.warn(parts.ignored, "this is ignored", Some("after `]` only a swizzle may follow"));
        }
        if let Some(text) = parts.swizzle {
            if text.is_empty() {
                self.warn(rest, "an empty swizzle is read as .xxxx", Some("write .x, or remove the dot"));
            }
            let user = swizzle(text)?;
            operand.swizzle = Swizzle::new(user.components().map(|component| operand.swizzle.get(component)));
        }
        operand.negate ^= negate;
        Ok(operand)
    }

    /// Warns where an offset leads to another kind of register, or an address register will be ignored.
    fn check_offset(&mut self, text: &'a str, base: u32, register: u32, index: Index) {
        if bank_of(base) != bank_of(register) && register < 0x98 {
            let message = format!("this is {}", register_name(register));
            self.warn(text, &message, Some("the offset leaves the registers of its kind"));
        } else if index != Index::None && register < FLOAT {
            let hint = "only c registers can be indexed";
            self.warn(text, "hardware ignores the address register here", Some(hint));
        }
    }

    /// Reads a register that is not a name.
    fn raw_register(&mut self, text: &'a str) -> Parse<'a, Operand> {
        let mut letters = text.chars();
        let letter = letters.next().unwrap_or(' ');
        let digits = letters.as_str();
        let number = lex::integer(digits).filter(|_| is_register_name(text));
        let Some(number) = number else { return Err(self.unknown_register(text)) };
        let is_open = self.package.verbatim;
        let (base, count, kind, called) = match letter {
            'o' => {
                self.executable();
                let count = if self.file.is_geometry() && !is_open { 7 } else { OUTPUTS as u32 };
                (0, count, "output", Called::Output)
            }
            'v' => (0, 15, "input", Called::Input),
            'r' => (TEMP, TEMPS as u32, "temporary", Called::Other),
            'c' => (FLOAT, FLOATS as u32, "floating-point uniform", Called::Other),
            'i' => (INT, 8, "integer uniform", Called::Other),
            'b' => (BOOL, BOOLS as u32, "boolean uniform", Called::Other),
            _ => (0, u32::MAX, "register", Called::Other),
        };
        match u32::try_from(number) {
            Ok(number) if number < count => {
                self.check_spelling(text, letter, digits, base + number);
                Ok(Operand { called, ..Operand::plain(base + number) })
            }
            _ if letter == 'v' && number == 15 => hinted(
                text,
                format!("invalid {kind} register: {}", quote(text)),
                "picasso knows it as v14[1]",
            ),
            _ => {
                let hint = format!("they are {letter}0 to {letter}{}", count - 1);
                hinted(text, format!("invalid {kind} register: {}", quote(text)), hint)
            }
        }
    }

    #[cold]
    fn unknown_register(&mut self, text: &'a str) -> Fault<'a> {
        if self.file.lost.contains(text) {
            return Fault::follow_up(text);
        }
        let fault = Fault::new(text, format!("invalid register: {}", quote(text)));
        if text.is_empty() {
            return fault.hint("an operand is missing here");
        }
        if !lex::is_name(text) {
            return match habits::missing_comma(text) {
                Some(hint) => fault.hint(hint),
                None => fault,
            };
        }
        // Once is enough.
        self.file.lost.insert(text);
        if let Some(hint) = habits::built_in(text) {
            return fault.hint(hint);
        }
        match self.suggest(text, self.file.names.keys().copied()) {
            Some(hint) => fault.hint(hint),
            None => {
                fault.hint("names are declared by .alias, .fvec, .ivec, .bool, .in, .out or .constf first")
            }
        }
    }

    /// Warns about register names that are not read as they look.
    fn check_spelling(&mut self, text: &'a str, letter: char, digits: &'a str, register: u32) {
        let known = register_name(register);
        if letter.is_ascii_uppercase() && !matches!(letter, 'V' | 'O') {
            let hint = format!(
                "write {}: the letters of registers are lower case",
                quote(text).to_ascii_lowercase()
            );
            self.warn(text, &format!("{} is read as {known}", quote(text)), Some(&hint));
        } else {
            // `.setb b0, true` is common and means what it says.
            self.check_integer(text, digits.strip_suffix(',').unwrap_or(digits));
        }
    }

    /// Warns where the number that ends `text` is not read as it looks.
    pub(super) fn check_integer(&mut self, text: &'a str, number: &'a str) {
        let behind = lex::behind_integer(number);
        let head = &text[..offset(text, number).unwrap_or(0)];
        let Some(value) = lex::integer(number) else { return };
        let message = format!("{} is read as {head}{value}", quote(text));
        if lex::is_octal(number) {
            self.warn(text, &message, Some("a leading 0 makes the number octal"));
        } else if lex::trim(behind).is_empty() {
            if !behind.is_empty() {
                self.warn(text, "the blank behind the number is ignored", Some("remove it"));
            }
        } else {
            let ignored = || format!("`{}` behind the number is ignored", quote(lex::trim(behind)));
            let hint = habits::missing_comma(text).unwrap_or_else(ignored);
            self.warn(text, &message, Some(&hint));
        }
    }

    /// Reads what stands between the brackets.
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
                    return hinted(left, format!("invalid index register: {}", quote(lex::trim(left))), hint);
                }
            },
            None => match address_register(text) {
                Some(index) => return Ok((index, 0)),
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

    /// Whether a text begins with a register or a name of one.
    fn is_register(&self, text: &str) -> bool {
        let base = base(text);
        is_register_name(base) || self.file.names.contains_key(base)
    }

    /// Warns where text that stands for a decimal number is not read as it looks.
    pub(super) fn check_number(&mut self, text: &'a str) {
        let text = lex::trim(text);
        let digits = text.trim_start_matches(['-', '+']);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            let hint = if self.is_register(text) {
                INDEXING
            } else {
                "there are no expressions and no named numbers"
            };
            self.warn(text, "not a number: counts as 0", Some(hint));
        } else if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("{} is read as {}", quote(text), lex::decimal(text));
            self.warn(text, &message, Some("the number ends at the first character that is no digit"));
        }
    }

    /// A register without address register: what directives and most operands take.
    pub(super) fn direct(&mut self, text: &'a str) -> Parse<'a, Operand> {
        let operand = self.operand(text)?;
        if operand.index != Index::None {
            return fault(text, "index register not allowed here");
        }
        Ok(operand)
    }

    /// The number of a register of one bank, counted from `base`.
    pub(super) fn bank(&mut self, text: &'a str, base: u32, count: u32, kind: &str) -> Parse<'a, u32> {
        let operand = self.direct(text)?;
        match operand.register.checked_sub(base) {
            Some(number) if number < count => Ok(number),
            _ => fault(text, format!("invalid {kind} register: {}", quote(text))),
        }
    }

    /// Reads a destination: its register and the components written.
    pub(super) fn destination(&mut self, text: &'a str) -> Parse<'a, (u32, Mask)> {
        let nothing = text.strip_suffix("._").filter(|_| self.package.extended);
        let operand = self.direct(nothing.unwrap_or(text))?;
        if operand.register >= FLOAT {
            let hint = "instructions write r and o registers";
            return hinted(text, format!("invalid destination register: {}", quote(text)), hint);
        }
        if operand.negate {
            self.warn(text, "the sign has no effect on a destination", Some("negate a source instead"));
        }
        if operand.called == Called::Input && operand.register < TEMP {
            let message = format!("this writes o{}", operand.register);
            self.warn(
                text,
                &message,
                Some("inputs cannot be written; as a destination their number means o"),
            );
        }
        let mask = if nothing.is_some() { Mask::NONE } else { self.mask(text, operand.swizzle) };
        Ok((operand.register, mask))
    }

    /// The mask that a swizzle stands for; its order has no effect.
    pub(super) fn mask(&mut self, text: &'a str, swizzle: Swizzle) -> Mask {
        if !swizzle.components().is_sorted() {
            let hint = "a mask only says which components are written: give them in the order xyzw";
            self.warn(text, "arbitrary swizzling has no effect for destination mask", Some(hint));
        }
        mask(swizzle)
    }
}

impl Operand {
    /// A register as it is.
    pub(super) fn plain(register: u32) -> Self {
        Self { register, index: Index::None, swizzle: Swizzle::XYZW, negate: false, called: Called::Other }
    }
}
