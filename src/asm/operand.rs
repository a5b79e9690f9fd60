//! Operands: registers, names for them, offsets, swizzles.
//! In: the text of one operand. Out: its register by picasso's number, address register, swizzle, sign.
//! Knows no instruction; which registers may stand where is asked by the caller.
//! Facts: picasso's manual and probes. `o` and `v` share their numbers, so either may stand for the other; upper-case letters
//! pass as register names but lose their bank (`R1` is v1 or o1).

use super::assembler::Assembler;
use super::lex;
use super::report::{Fault, Parse, fault};
use crate::isa::{Component, Index, Mask, Swizzle};

/// Number of r0.
pub(super) const TEMP: u32 = 0x10;
/// Number of c0.
pub(super) const FLOAT: u32 = 0x20;
/// Number of i0.
pub(super) const INT: u32 = 0x80;
/// Number of b0.
pub(super) const BOOL: u32 = 0x88;

/// A register with what stands around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub register: u32,
    pub index: Index,
    pub swizzle: Swizzle,
    pub negate: bool,
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
            return fault(text, format!("invalid swizzling mask: {text}"));
        };
        *place = found;
        count += 1;
    }
    let last = components[count.saturating_sub(1)];
    components[count..].fill(last);
    Ok(Swizzle::new(components))
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
    swizzle: Option<&'a str>,
}

fn split(text: &str) -> Parse<'_, Parts<'_>> {
    let Some((base, rest)) = text.split_once('[') else {
        let (base, swizzle) = match text.split_once('.') {
            Some((base, swizzle)) => (base, Some(swizzle)),
            None => (text, None),
        };
        return Ok(Parts { base, offset: None, swizzle });
    };
    let Some((offset, after)) = rest.split_once(']') else {
        return fault(text, "missing ']'");
    };
    let swizzle = after.split_once('.').map(|(_, swizzle)| swizzle);
    Ok(Parts { base, offset: Some(offset), swizzle })
}

impl<'a> Assembler<'a> {
    /// Reads an operand.
    pub(super) fn operand(&mut self, text: &'a str) -> Parse<'a, Operand> {
        let (negate, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, lex::trim(rest)),
            None => (false, text),
        };
        let parts = split(rest)?;
        let mut operand = match self.file.names.get(parts.base) {
            Some(&named) => named,
            None => self.raw_register(parts.base)?,
        };
        let is_name = self.file.names.contains_key(parts.base);
        if let Some(text) = parts.offset {
            let (index, number) = self.offset(text)?;
            if index != Index::None && !is_name && !parts.base.starts_with('c') {
                return fault(text, "index register not allowed with this kind of register");
            }
            operand.index = index;
            operand.register = operand.register.saturating_add(number);
        }
        if let Some(text) = parts.swizzle {
            let user = swizzle(text)?;
            operand.swizzle = Swizzle::new(user.components().map(|component| operand.swizzle.get(component)));
        }
        operand.negate ^= negate;
        Ok(operand)
    }

    /// Reads a register that is not a name.
    fn raw_register(&mut self, text: &'a str) -> Parse<'a, Operand> {
        let unknown = || Fault { at: text, message: format!("invalid register: {text}") };
        let mut letters = text.chars();
        let letter = letters.next().ok_or_else(unknown)?;
        if !"ovrcib".contains(letter.to_ascii_lowercase())
            || !letters.as_str().starts_with(|c: char| c.is_ascii_digit())
        {
            return Err(unknown());
        }
        let number = lex::integer(letters.as_str()).ok_or_else(unknown)?;
        let (base, count, kind) = match letter {
            'o' => {
                self.executable();
                (0, if self.file.is_geometry() { 7 } else { 16 }, "output")
            }
            'v' => (0, 15, "input"),
            'r' => (TEMP, 16, "temporary"),
            'c' => (FLOAT, 96, "floating-point uniform"),
            'i' => (INT, 8, "integer uniform"),
            'b' => (BOOL, 16, "boolean uniform"),
            _ => (0, u32::MAX, "register"),
        };
        match u32::try_from(number) {
            Ok(number) if number < count => Ok(Operand::plain(base + number)),
            _ => fault(text, format!("invalid {kind} register: {text}")),
        }
    }

    /// Reads what stands between the brackets.
    fn offset(&mut self, text: &'a str) -> Parse<'a, (Index, u32)> {
        let text = lex::trim(text);
        let (index, number) = match text.split_once('+') {
            Some((left, right)) => match address_register(lex::trim(left)) {
                Some(index) => (index, right),
                None => return fault(left, format!("invalid index register: {}", lex::trim(left))),
            },
            None => match address_register(text) {
                Some(index) => return Ok((index, 0)),
                None => (Index::None, text),
            },
        };
        if !lex::trim(number).starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            self.warn(number, "not a number: counts as 0");
        }
        let value = lex::decimal(number);
        match u32::try_from(value) {
            Ok(value) => Ok((index, value)),
            Err(_) if value > 0 => Ok((index, u32::MAX)),
            Err(_) => fault(number, format!("invalid register offset: {value}")),
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
            _ => fault(text, format!("invalid {kind} register: {text}")),
        }
    }

    /// Reads a destination: its register and the components written.
    pub(super) fn destination(&mut self, text: &'a str) -> Parse<'a, (u32, Mask)> {
        let operand = self.direct(text)?;
        if operand.register >= FLOAT {
            return fault(text, format!("invalid destination register: {text}"));
        }
        Ok((operand.register, self.mask(text, operand.swizzle)))
    }

    /// The mask that a swizzle stands for; its order has no effect.
    pub(super) fn mask(&mut self, text: &'a str, swizzle: Swizzle) -> Mask {
        if !swizzle.components().is_sorted() {
            self.warn(text, "arbitrary swizzling has no effect for destination mask");
        }
        mask(swizzle)
    }
}

impl Operand {
    /// A register as it is.
    pub(super) fn plain(register: u32) -> Self {
        Self { register, index: Index::None, swizzle: Swizzle::XYZW, negate: false }
    }
}
