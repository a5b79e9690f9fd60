//! Constants: `.constf`, `.consti`, `.constfa`, and values for explicit registers: `.setf`,
//! `.seti`, `.setb`.
//! In: their text. Out: constants of the executable, and names. Knows no instruction.
//! Facts: picasso's manual and probes.

use super::register::{BOOL, Operand};
use super::report::{Fault, Parse, fault, hinted, invalid, quote};
use super::space::UniformKind;
use super::state::{Array, Assembler, BlockKind};
use super::{habits, lex};
use crate::precision::float24::to_f32_bits;
use transpica::container::{Constant, ConstantValue};
use transpica::isa::sizes::{BOOLS, FLOATS, INTS};

/// Maximum number of constants of one executable.
const MAX_CONSTANTS: usize = FLOATS;
/// Maximum number of elements of a constant array.
const MAX_ELEMENTS: i64 = FLOATS as i64;

/// Narrows to float24 as picasso does. The mantissa is truncated; overflow and NaN become infinity,
/// underflow zero; an exponent of 0 keeps its mantissa.
pub(crate) fn float24(value: f32) -> u32 {
    let bits = value.to_bits();
    let sign = bits >> 31 << 23;
    match (bits >> 23 & 0xFF).checked_sub(64) {
        None => sign,
        Some(exponent @ 0..0x80) => sign | exponent << 16 | bits >> 7 & 0xFFFF,
        Some(_) => sign | 0x7F_0000,
    }
}

/// Splits `name(x, y, z, w)` into the name, the values, and the ignored rest. A value ends only at
/// its own separator: the first three at a comma, the last at the bracket.
fn split_tuple(text: &str) -> Option<(&str, [&str; 4], &str)> {
    let (name, rest) = text.split_once('(')?;
    let (x, rest) = rest.split_once(',')?;
    let (y, rest) = rest.split_once(',')?;
    let (z, rest) = rest.split_once(',')?;
    let (w, rest) = rest.split_once(')')?;
    // A fifth value is ignored as well.
    let (w, rest) = w.split_once(',').unwrap_or((w, lex::trim(rest)));
    Some((lex::trim(name), [x, y, z, w], rest))
}

impl<'a> Assembler<'a> {
    /// Reads `name(x, y, z, w)`, with a warning about an ignored rest.
    fn tuple(&mut self, text: &'a str) -> Parse<'a, (&'a str, [&'a str; 4])> {
        let Some((name, values, rest)) = split_tuple(text) else {
            let hint = text.split(['(', ')']).nth(1).and_then(habits::missing_comma);
            let form = || "four values in parentheses: (x, y, z, w)".to_owned();
            return hinted(text, "invalid syntax", hint.unwrap_or_else(form));
        };
        if !rest.is_empty() {
            let hint = "a constant has four values, with nothing after them";
            self.messages.warn(rest, "this is ignored", Some(hint));
        }
        Ok((name, values))
    }

    fn floats(&mut self, values: [&'a str; 4]) -> [u32; 4] {
        values.map(|text| {
            let value = lex::float(text);
            let stored = float24(value);
            if lex::trim(text).is_empty() {
                self.messages.warn(
                    text,
                    "a missing value counts as 0.0",
                    Some("write 0 if that is intended"),
                );
            } else if !lex::is_float(text) {
                let text = lex::trim(text);
                let hint = match text.split_once('/').map(|(a, b)| lex::float(a) / lex::float(b)) {
                    Some(quotient) if quotient.is_finite() => {
                        format!("write {quotient}: expressions are not supported")
                    }
                    _ => "the number ends at the first character that does not belong to it".into(),
                };
                self.messages.warn(text, &format!("{} is read as {value:?}", quote(text)), Some(&hint));
            } else {
                self.check_range(lex::trim(text), stored);
            }
            stored
        })
    }

    /// Warns about a number that float24 cannot represent.
    fn check_range(&mut self, text: &'a str, stored: u32) {
        let hint = match stored >> 16 & 0x7F {
            0x7F if text.to_ascii_lowercase().contains("inf") => return,
            0x7F => "constants must be below 1.8446744e19",
            0 if lex::is_nonzero(text) => "the smallest constant is 2.1684043e-19",
            _ => return,
        };
        let becomes = f32::from_bits(to_f32_bits(stored));
        self.messages.warn(text, &format!("{} becomes {becomes:?}", quote(text)), Some(hint));
    }

    fn bytes(&mut self, values: [&'a str; 4]) -> [u8; 4] {
        values.map(|text| {
            self.check_number(text);
            let value = lex::decimal(text);
            let byte = (value & 0xFF) as u8; // Range: the mask.
            if !(-128..256).contains(&value) {
                let message = format!("{} is stored as {byte}", quote(lex::trim(text)));
                self.messages.warn(text, &message, Some("int constants have eight bits"));
            }
            byte
        })
    }

    /// `.constf NAME(x, y, z, w)` and `.consti`, or without a new name `.setf REG(x, y, z, w)` and
    /// `.seti`.
    pub(super) fn constant(&mut self, text: &'a str, kind: UniformKind, is_named: bool) -> Parse<'a, ()> {
        let (name, values) = self.tuple(text)?;
        let is_int = kind == UniformKind::Int;
        let register = if is_named {
            if lex::check_name(name).is_err() {
                self.messages.warn(name, "no operand can refer to this name", Some(lex::NAME));
            }
            self.check_shadow(name);
            self.constant_registers(text, name, kind, 1)?
        } else {
            self.bank(name, kind.base(), if is_int { INTS } else { FLOATS })?
        };
        let register = register as u8; // Range: the bank's size.
        let value = if is_int {
            ConstantValue::Int { register, value: self.bytes(values) }
        } else {
            ConstantValue::Float { register, value: self.floats(values) }
        };
        self.add_constant(text, value)
    }

    /// `.constfa NAME[]`, `.constfa NAME[n]`, and between them and `.end`: `.constfa (x, y, z, w)`
    pub(super) fn constfa(&mut self, text: &'a str) -> Parse<'a, ()> {
        if text.starts_with('(') {
            return self.element(text);
        }
        let bracketed = text.split_once('[').and_then(|(name, rest)| Some((name, rest.split_once(']')?.0)));
        let Some((name, size)) = bracketed else { return fault(text, "invalid syntax") };
        lex::check_name(name)?;
        self.check_shadow(name);
        if !lex::trim(size).is_empty() {
            self.check_number(size);
        }
        let size = match lex::decimal(size) {
            0 => None,
            count @ 1..=MAX_ELEMENTS => Some(count as u32), // Range: the pattern.
            _ => return fault(text, invalid("array size", lex::trim(size))),
        };
        self.open(text, BlockKind::Array(Array { name, size, elements: Vec::new() }))
    }

    fn element(&mut self, text: &'a str) -> Parse<'a, ()> {
        let (_, values) = self.tuple(text)?;
        let values = self.floats(values);
        let array = match self.file.blocks.last_mut().map(|block| &mut block.kind) {
            Some(BlockKind::Array(array)) => array,
            Some(BlockKind::Unknown) => return Err(Fault::follow_up(text)),
            _ if self.file.is_uncertain => return Err(Fault::follow_up(text)),
            _ => {
                let hint = "begin it with `.constfa NAME[]`";
                return hinted(text, "array element outside a constant array", hint);
            }
        };
        let most = array.size.map_or(MAX_CONSTANTS, |size| size as usize);
        if array.elements.len() >= most {
            return fault(text, format!("too many elements, {most} are enough"));
        }
        array.elements.push(values);
        Ok(())
    }

    /// Allocates registers for a constant and declares its name. The result is relative to the
    /// bank.
    pub(super) fn constant_registers(
        &mut self,
        at: &'a str,
        name: &'a str,
        kind: UniformKind,
        count: u32,
    ) -> Parse<'a, u32> {
        let Some(register) = self.space().constant(kind, count) else {
            return fault(at, format!("not enough space for local constant '{}'", quote(name)));
        };
        self.define(name, Operand::array(register, count))?;
        self.hide(name, register, count);
        Ok(register - kind.base())
    }

    /// `.setb REG value`
    pub(super) fn setb(&mut self, text: &'a str) -> Parse<'a, ()> {
        let [name, value] = lex::exactly(text)?;
        let register = self.bank(name, BOOL, BOOLS)? as u8; // Range: the bank's size.
        let value = match value.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => true,
            "false" | "off" | "0" => false,
            _ => return hinted(value, format!("invalid bool value: {value}"), "true or false"),
        };
        self.add_constant(text, ConstantValue::Bool { register, value })
    }

    /// Adds a constant to the executable.
    pub(super) fn add_constant(&mut self, at: &'a str, value: ConstantValue) -> Parse<'a, ()> {
        let constants = &mut self.executable().constants;
        if constants.len() >= MAX_CONSTANTS {
            return fault(at, format!("too many constants (limit is {MAX_CONSTANTS})"));
        }
        constants.push(Constant::new(value));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::float24;

    #[test]
    fn float24_is_cut_short() {
        for (value, expected) in [
            (1.0, 0x3F_0000),
            (-0.5, 0xBE_0000),
            (0.1, 0x3B_9999),
            (-0.0, 0x80_0000),
            (1e-30, 0),
            (-1e-30, 0x80_0000),
            (1.084_202_2e-19, 0),
            (1.5 * 1.084_202_2e-19, 0x00_8000),
            (1e38, 0x7F_0000),
            (f32::NAN, 0x7F_0000),
            (f32::NEG_INFINITY, 0xFF_0000),
        ] {
            assert_eq!(float24(value), expected, "{value:e}");
        }
    }
}
