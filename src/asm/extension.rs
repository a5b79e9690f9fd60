//! What the language of picasso cannot say: directives of our own that give words, descriptors and table entries as numbers,
//! so that every container has a text. The disassembler writes them; see the [module](super) for their list.
//! In: their text. Out: entries. Knows no operand.
//!
//! picasso refuses each of them, so no source of picasso's means anything else here.

use super::executable::{Export, HEADER_FIELDS, version};
use super::lex;
use super::report::{Parse, did_you_mean, fault, hinted, quote};
use super::state::Assembler;
use crate::container::{Constant, Descriptor, Label, NameOffset, Output};
use crate::isa::Word;

/// Directives of our own.
pub(super) const DIRECTIVES: [&str; 11] = [
    "constant", "dvle", "header", "label", "line", "opdesc", "output", "package", "symbol", "verbatim",
    "word",
];

/// A number as C writes it, without anything behind it.
pub(super) fn number(text: &str, max: u32) -> Parse<'_, u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = match digits {
        // A sign may not stand behind the prefix.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    };
    match value {
        Some(value) if value <= max => Ok(value),
        Some(_) => fault(text, format!("number out of range (0..{max}): {}", quote(text))),
        None => hinted(text, format!("invalid number: {}", quote(text)), "write it as 12 or 0xC"),
    }
}

/// Reads a name as tables hold it: `%` and two hexadecimal digits stand for a byte, `-` for no name.
fn name_bytes(text: &str) -> Parse<'_, Vec<u8>> {
    if text == "-" {
        return Ok(Vec::new());
    }
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match (digit(rest.next()), digit(rest.next())) {
            // Range: two digits.
            (Some(high), Some(low)) if high + low > 0 => bytes.push((high << 4 | low) as u8),
            _ => {
                return hinted(
                    text,
                    format!("invalid name: {}", quote(text)),
                    "write other characters as %2E",
                );
            }
        }
    }
    Ok(bytes)
}

/// Writes a name so that [`name_bytes`] reads it.
pub(crate) fn name_text(name: &[u8]) -> String {
    if name.is_empty() {
        return "-".into();
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte);
    let mut text = String::new();
    for &byte in name {
        if is_plain(byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

impl<'a> Assembler<'a> {
    /// Executes a directive of the extension.
    pub(super) fn extension(&mut self, at: &'a str, name: &str, rest: &'a str) -> Parse<'a, ()> {
        let words: Vec<&'a str> = lex::words(rest).collect();
        let (least, most) = match name {
            "verbatim" | "dvle" => (0, 0),
            "word" => (1, 1),
            "package" | "header" | "line" => (2, 2),
            "opdesc" => (1, 3),
            "symbol" => (3, 3),
            "label" | "output" => (4, 4),
            _ => (6, 6),
        };
        lex::count(rest, &words, least, most)?;
        match name {
            "verbatim" => {
                (self.package.verbatim, self.package.extended) = (true, true);
                Ok(())
            }
            "dvle" => self.next_executable(at),
            "word" => self.raw_word(at, words[0]),
            "package" => self.package_field(words[0], words[1]),
            "header" => self.header_field(words[0], words[1]),
            "line" => {
                self.package.lines.push((name_bytes(words[0])?, number(words[1], u32::MAX)?));
                Ok(())
            }
            "opdesc" => self.descriptor(at, &words),
            "symbol" => self.symbol(&words),
            "label" => self.table_label(&words),
            "output" => self.raw_output(&words),
            _ => self.raw_constant(&words),
        }
    }

    /// `.dvle`: the rest of the text is a source of its own.
    fn next_executable(&mut self, at: &'a str) -> Parse<'a, ()> {
        let is_new = self.file.executable.is_none()
            && self.file.names.is_empty()
            && self.file.labels.is_empty()
            && self.file.blocks.is_empty();
        if !is_new {
            self.finish_file();
            self.next_file();
        }
        self.executable().site = self.messages.site(at);
        Ok(())
    }

    /// `.word BITS`
    fn raw_word(&mut self, at: &'a str, bits: &'a str) -> Parse<'a, ()> {
        let word = Word(number(bits, u32::MAX)?);
        if self.file.blocks.is_empty() {
            return hinted(at, "instruction outside block", "begin a procedure with `.proc NAME`");
        }
        self.executable();
        self.check_room(at)?;
        self.file.just_closed = false;
        self.emit(word);
        Ok(())
    }

    /// `.package version NUMBER`, `.package reserved NUMBER`
    fn package_field(&mut self, field: &'a str, value: &'a str) -> Parse<'a, ()> {
        let number = number(value, 0xFFFF)?;
        match field {
            "version" => self.package.version = version(number),
            "reserved" => self.package.reserved = number as u16, // Range: checked.
            _ => {
                return hinted(
                    field,
                    format!("unknown field: {}", quote(field)),
                    "it has `version` and `reserved`",
                );
            }
        }
        self.package.is_explicit = true;
        Ok(())
    }

    /// `.header FIELD NUMBER`
    fn header_field(&mut self, name: &'a str, value: &'a str) -> Parse<'a, ()> {
        let Some(field) = HEADER_FIELDS.iter().find(|field| field.name == name) else {
            let names = HEADER_FIELDS.iter().map(|field| field.name);
            let hint = did_you_mean(name, names.clone())
                .unwrap_or_else(|| format!("fields: {}", names.collect::<Vec<_>>().join(", ")));
            return hinted(name, format!("unknown field: {}", quote(name)), hint);
        };
        let value = number(value, field.max)?;
        self.executable().fields.push((field, value));
        Ok(())
    }

    /// `.opdesc BITS [USAGE [RESERVED]]`
    fn descriptor(&mut self, at: &'a str, words: &[&'a str]) -> Parse<'a, ()> {
        let half = |index: usize| words.get(index).map_or(Ok(0), |&word| number(word, 0xFFFF));
        // Ranges: checked.
        let (usage, reserved) = (half(1)? as u16, half(2)? as u16);
        self.package.extended = true;
        if !self.descriptors.add(Descriptor { bits: number(words[0], u32::MAX)?, usage, reserved }) {
            return fault(at, "too many operand descriptors (limit is 128)");
        }
        Ok(())
    }

    /// `.symbol NAME FIRST LAST`
    fn symbol(&mut self, words: &[&'a str]) -> Parse<'a, ()> {
        // Ranges: checked.
        let (first, last) = (number(words[1], 0xFFFF)? as u16, number(words[2], 0xFFFF)? as u16);
        let export = Export { name: name_bytes(words[0])?, first, last };
        let executable = self.executable();
        executable.exports.push(export);
        executable.is_unsorted = true;
        Ok(())
    }

    /// `.label NAME ADDRESS ID LENGTH`
    fn table_label(&mut self, words: &[&'a str]) -> Parse<'a, ()> {
        let name = name_bytes(words[0])?;
        let [address, id, length] = [1, 2, 3].map(|index| number(words[index], u32::MAX));
        let label = Label { id: id?, address: address?, length: length?, name: NameOffset::default() };
        self.executable().labels.push((label, name));
        Ok(())
    }

    /// `.output KIND REGISTER MASK RESERVED`
    fn raw_output(&mut self, words: &[&'a str]) -> Parse<'a, ()> {
        let half = |index: usize| number(words[index], 0xFFFF).map(|value| value as u16); // Range: checked.
        let output = Output { kind: half(0)?, register: half(1)?, mask: half(2)?, reserved: half(3)? };
        if output.register >= 16 {
            return fault(words[1], format!("number out of range (0..15): {}", quote(words[1])));
        }
        let executable = self.executable();
        executable.header.output_mask |= 1 << output.register;
        executable.outputs.push(output);
        Ok(())
    }

    /// `.constant KIND REGISTER WORD WORD WORD WORD`
    fn raw_constant(&mut self, words: &[&'a str]) -> Parse<'a, ()> {
        let mut values = [0; 4];
        for (value, word) in values.iter_mut().zip(&words[2..]) {
            *value = number(word, u32::MAX)?;
        }
        // Ranges: checked.
        let (kind, register) = (number(words[0], 0xFFFF)? as u16, number(words[1], 0xFFFF)? as u16);
        self.executable().constants.push(Constant { kind, register, words: values });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_text() {
        for name in [&b""[..], b"-", b"a b", b"x;y:z", b"%", b"\xFF\x01", b"lights[0].pos", b"_a$b.c"] {
            let text = name_text(name);
            assert!(!text.contains([' ', ';', ':', '\t']), "{text}");
            assert_eq!(name_bytes(&text).expect("a name"), name, "{text}");
        }
        assert!(name_bytes("%4").is_err() && name_bytes("%0g").is_err() && name_bytes("%00").is_err());
    }

    #[test]
    fn numbers_are_whole_words() {
        assert_eq!(number("0x1F", 31).ok(), Some(31));
        assert_eq!(number("12", 12).ok(), Some(12));
        for wrong in ["", "0x", "12x", "-1", "+1", "0x+1", "13", "99999999999"] {
            assert!(number(wrong, 12).is_err(), "{wrong}");
        }
    }
}
