//! Our extension of picasso's language: words, descriptors and table entries as numbers, so that
//! every container has a text.
//! In: directives. Out: entries. Knows no operand.
//!
//! The [module](super) lists the directives. picasso rejects each of them, so a text that picasso
//! accepts has the same semantics here.

use super::executable::{Export, HEADER_FIELDS, version};
use super::lex;
use super::report::{Parse, fault, hinted, invalid, quote};
use super::state::Assembler;
use crate::words::did_you_mean;
use transpica::container::{Constant, DescriptorRecord, Label, NameOffset, OutputRecord};
use transpica::isa::Word;

/// The directives of the extension.
pub(super) const DIRECTIVES: [&str; 11] = [
    "constant", "dvle", "header", "label", "line", "opdesc", "output", "package", "symbol", "verbatim",
    "word",
];

/// Parses a number in C syntax, with nothing after it.
pub(super) fn number(text: &str, max: u32) -> Parse<'_, u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = match digits {
        // `from_str_radix` would accept a sign after the prefix.
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    };
    match value {
        Some(value) if value <= max => Ok(value),
        Some(_) => fault(text, format!("number out of range (0..{max}): {}", quote(text))),
        None => hinted(text, invalid("number", text), "write it as 12 or 0xC"),
    }
}

/// Parses a number of 16 bits.
fn half(text: &str) -> Parse<'_, u16> {
    number(text, 0xFFFF).map(|value| value as u16) // Range: checked.
}

/// Parses a name of a table: `%` and two hexadecimal digits stand for a byte, `-` for the empty
/// name.
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
                let message = invalid("name", text);
                return hinted(text, message, "write other characters as %2E");
            }
        }
    }
    Ok(bytes)
}

/// Prints a name for [`name_bytes`].
pub(crate) fn name_text(name: &[u8]) -> String {
    if name.is_empty() {
        return "-".into();
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte);
    let letter = |&byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    name.iter().map(letter).collect()
}

impl<'a> Assembler<'a> {
    /// Executes a directive of the extension.
    pub(super) fn extension(&mut self, at: &'a str, name: &str, rest: &'a str) -> Parse<'a, ()> {
        match name {
            "verbatim" => {
                let [] = lex::exactly(rest)?;
                (self.package.verbatim, self.package.extended) = (true, true);
                Ok(())
            }
            "dvle" => lex::exactly(rest).and_then(|[]| self.next_executable(at)),
            "word" => lex::exactly(rest).and_then(|[bits]| self.raw_word(at, bits)),
            "package" => lex::exactly(rest).and_then(|words| self.package_field(words)),
            "header" => lex::exactly(rest).and_then(|words| self.header_field(words)),
            "line" => {
                let [name, line] = lex::exactly(rest)?;
                self.package.lines.push((name_bytes(name)?, number(line, u32::MAX)?));
                Ok(())
            }
            "opdesc" => self.descriptor(at, rest),
            "symbol" => lex::exactly(rest).and_then(|words| self.symbol(words)),
            "label" => lex::exactly(rest).and_then(|words| self.table_label(words)),
            "output" => lex::exactly(rest).and_then(|words| self.raw_output(words)),
            _ => lex::exactly(rest).and_then(|words| self.raw_constant(words)),
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
    fn package_field(&mut self, [field, value]: [&'a str; 2]) -> Parse<'a, ()> {
        let number = half(value)?;
        match field {
            "version" => self.package.version = version(number.into()),
            "reserved" => self.package.reserved = number,
            _ => {
                let message = format!("unknown field: {}", quote(field));
                return hinted(field, message, "its fields are `version` and `reserved`");
            }
        }
        self.package.is_explicit = true;
        Ok(())
    }

    /// `.header FIELD NUMBER`
    fn header_field(&mut self, [name, value]: [&'a str; 2]) -> Parse<'a, ()> {
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
    fn descriptor(&mut self, at: &'a str, rest: &'a str) -> Parse<'a, ()> {
        let words: Vec<_> = lex::words(rest).collect();
        lex::count(rest, &words, 1, 3)?;
        let optional = |index: usize| words.get(index).map_or(Ok(0), |&word| half(word));
        let (usage, reserved) = (optional(1)?, optional(2)?);
        self.package.extended = true;
        if !self.descriptors.add(DescriptorRecord { bits: number(words[0], u32::MAX)?, usage, reserved }) {
            return fault(at, "too many operand descriptors (limit is 128)");
        }
        Ok(())
    }

    /// `.symbol NAME FIRST LAST`
    fn symbol(&mut self, [name, first, last]: [&'a str; 3]) -> Parse<'a, ()> {
        let (first, last) = (half(first)?, half(last)?);
        let export = Export { name: name_bytes(name)?, first, last };
        let executable = self.executable();
        executable.exports.push(export);
        executable.is_unsorted = true;
        Ok(())
    }

    /// `.label NAME ADDRESS ID LENGTH`
    fn table_label(&mut self, [name, numbers @ ..]: [&'a str; 4]) -> Parse<'a, ()> {
        let name = name_bytes(name)?;
        let [address, id, length] = numbers.map(|text| number(text, u32::MAX));
        let label = Label { address: address?, id: id?, length: length?, name: NameOffset::default() };
        self.executable().labels.push((label, name));
        Ok(())
    }

    /// `.output KIND REGISTER MASK RESERVED`
    fn raw_output(&mut self, words: [&'a str; 4]) -> Parse<'a, ()> {
        let [kind, register, mask, reserved] = words.map(half);
        let output = OutputRecord { kind: kind?, register: register?, mask: mask?, reserved: reserved? };
        if output.register >= 16 {
            return fault(words[1], format!("number out of range (0..15): {}", quote(words[1])));
        }
        let executable = self.executable();
        executable.header.output_mask |= 1 << output.register;
        executable.outputs.push(output);
        Ok(())
    }

    /// `.constant KIND REGISTER WORD WORD WORD WORD`
    fn raw_constant(&mut self, [kind, register, x, y, z, w]: [&'a str; 6]) -> Parse<'a, ()> {
        let mut words = [0; 4];
        for (word, text) in words.iter_mut().zip([x, y, z, w]) {
            *word = number(text, u32::MAX)?;
        }
        let (kind, register) = (half(kind)?, half(register)?);
        self.executable().constants.push(Constant { kind, register, words });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_survives_the_escaped_form() {
        for name in [&b""[..], b"-", b"a b", b"x;y:z", b"%", b"\xFF\x01", b"lights[0].pos", b"_a$b.c"] {
            let text = name_text(name);
            assert!(!text.contains([' ', ';', ':', '\t']), "{text}");
            assert_eq!(name_bytes(&text).expect("a name"), name, "{text}");
        }
        assert!(name_bytes("%4").is_err() && name_bytes("%0g").is_err() && name_bytes("%00").is_err());
    }

    #[test]
    fn numbers_with_trailing_characters_are_refused() {
        assert_eq!(number("0x1F", 31).ok(), Some(31));
        assert_eq!(number("12", 12).ok(), Some(12));
        for wrong in ["", "0x", "12x", "-1", "+1", "0x+1", "13", "99999999999"] {
            assert!(number(wrong, 12).is_err(), "{wrong}");
        }
    }
}
