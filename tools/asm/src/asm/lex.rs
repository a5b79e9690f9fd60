//! Parts of a line: comments, labels, words, names and numbers.
//! In: one line of text. Out: slices of it, which keep their position. Knows no instruction and no
//! register.
//! Facts: picasso's manual and probes. picasso reads numbers with the C library: a valid prefix
//! counts, the rest is ignored.

use super::report::{Parse, fault, hinted, invalid};

/// The parts of a line, which are slices of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line<'a> {
    /// Labels, without their colons.
    pub labels: Vec<&'a str>,
    /// Mnemonic, or directive with its dot; empty on a line without a statement.
    pub name: &'a str,
    /// The text after it, trimmed.
    pub rest: &'a str,
    /// The comment from its semicolon on, or a line that begins with `#`.
    pub comment: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// Splits a line.
    ///
    /// ```
    /// let line = transpica_asm::Line::new("\tagain: mad r0, r1 ; adds");
    /// assert_eq!((&line.labels[..], line.name, line.rest), (&["again"][..], "mad", "r0, r1"));
    /// ```
    pub fn new(line: &'a str) -> Self {
        let comment = line.find(';').map(|start| line[start..].trim_end());
        let mut statement = without_comment(line);
        let mut labels = Vec::new();
        while !statement.starts_with('#')
            && let Some((label, rest)) = statement.split_once(':')
        {
            labels.push(label);
            statement = trim(rest);
        }
        if statement.starts_with('#') {
            return Self {
                labels,
                comment: Some(trim(
                    super::report::offset(line, statement).map_or(line, |start| &line[start..]),
                )),
                ..Self::default()
            };
        }
        let (name, rest) = first_word(statement);
        Self { labels, name, rest, comment }
    }

    /// Operands of an instruction, trimmed, between commas.
    pub fn operands(&self) -> Vec<&'a str> {
        operands(self.rest)
    }
}

/// Removes C white space from both ends.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C')
}

/// A line without its comment and the white space around it.
pub(super) fn without_comment(line: &str) -> &str {
    trim(line.split(';').next().unwrap_or_default())
}

/// The first word and the trimmed rest.
pub(super) fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_at(text.find([' ', '\t']).unwrap_or(text.len()));
    (word, trim(rest))
}

/// Words between spaces and tabs.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '\t']).filter(|word| !word.is_empty())
}

/// Checks a number of words or operands.
pub(super) fn count<'a>(at: &'a str, words: &[&'a str], least: usize, most: usize) -> Parse<'a, ()> {
    match words.get(most) {
        Some(surplus) => fault(surplus, "too many parameters"),
        None if words.len() < least => fault(at, "missing parameter"),
        None => Ok(()),
    }
}

/// The `N` words of a text.
pub(super) fn exactly<const N: usize>(text: &str) -> Parse<'_, [&str; N]> {
    let words: Vec<_> = words(text).collect();
    count(text, &words, N, N)?;
    words.try_into().or_else(|_| fault(text, "missing parameter"))
}

/// Checks that a text is a name.
pub(super) fn check_name(name: &str) -> Parse<'_, ()> {
    if name.is_empty() || !is_name(name) {
        return hinted(name, invalid("identifier", name), NAME);
    }
    Ok(())
}

/// Hint where a name is expected.
pub(super) const NAME: &str = "a name has letters, digits, `_` and `$`, and does not begin with a digit";

/// Operands between commas, trimmed. One comma at the end is ignored.
pub(super) fn operands(text: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = text.split(',').map(trim).collect();
    if parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    parts
}

/// Returns whether a text can be a name: letters, digits, `_` and `$`, no digit first. An empty
/// label is a name as well.
pub(crate) fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_name_character)
}

pub(super) fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Length of the prefix of `text` whose characters satisfy `wanted`.
fn leading(text: &str, wanted: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|&byte| wanted(byte)).count()
}

/// Splits off a leading sign: `true` is minus.
fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// The leading digits as a number, saturated at 2^62.
fn digits(text: &str, radix: u32) -> i64 {
    let values = text.chars().map_while(|c| c.to_digit(radix));
    values.fold(0, |sum: i64, digit| {
        sum.saturating_mul(i64::from(radix)).saturating_add(i64::from(digit)).min(1 << 62)
    })
}

/// Reads a number as C's `atoi`: decimal, 0 without a digit.
pub(super) fn decimal(text: &str) -> i64 {
    let (negative, rest) = sign(trim(text));
    let value = digits(rest, 10);
    if negative { -value } else { value }
}

/// A number as C's `strtoll` with base 0 reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Integer<'a> {
    pub value: i64,
    /// The text after it, which C ignores.
    pub rest: &'a str,
    /// A leading zero makes the digits octal.
    pub is_octal: bool,
}

/// Reads a number as C's `strtoll` with base 0: decimal, `0x` hexadecimal, `0` octal. Nothing
/// without a digit.
pub(super) fn integer(text: &str) -> Option<Integer<'_>> {
    let (negative, number) = sign(text.trim_start_matches(is_space));
    let hexadecimal =
        hexadecimal(number).filter(|digits| digits.starts_with(|c: char| c.is_ascii_hexdigit()));
    let (number, radix) = match hexadecimal {
        Some(digits) => (digits, 16),
        None if number.starts_with('0') => (number, 8),
        None => (number, 10),
    };
    if !number.starts_with(|c: char| c.is_ascii_hexdigit() && (radix == 16 || c.is_ascii_digit())) {
        return None;
    }
    let value = digits(number, radix);
    let is_octal = radix == 8 && number[1..].starts_with(|c: char| c.is_ascii_digit());
    let rest = number.trim_start_matches(|c: char| c.is_digit(radix));
    Some(Integer { value: if negative { -value } else { value }, rest, is_octal })
}

/// The text after a prefix `0x`.
fn hexadecimal(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// Returns whether a number has a nonzero digit, even if [`float`] rounds it to zero.
pub(super) fn is_nonzero(text: &str) -> bool {
    let rest = sign(trim(text)).1;
    let (digits, exponent) = match hexadecimal(rest) {
        Some(digits) => (digits, ['p', 'P']),
        None => (rest, ['e', 'E']),
    };
    let digits = digits.split(exponent).next().unwrap_or_default();
    digits.contains(|c: char| c.is_ascii_hexdigit() && c != '0')
}

/// Reads a number as C's `atof`, rounded to single precision.
pub(super) fn float(text: &str) -> f32 {
    let (negative, rest) = sign(trim(text));
    let starts = |name: &str| rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let value = if starts("inf") {
        f64::INFINITY
    } else if starts("nan") {
        f64::NAN
    } else if let Some(digits) = hexadecimal(rest) {
        hexadecimal_float(digits)
    } else {
        // Without a number the sign is ignored as well: "-" is +0.
        let Some(value) = decimal_float(rest) else { return 0.0 };
        value
    };
    // picasso stores the C double in a float.
    (if negative { -value } else { value }) as f32
}

/// Returns whether the entire text is a number for [`float`]. A suffix `f` has no effect.
pub(super) fn is_float(text: &str) -> bool {
    let rest = sign(trim(text)).1;
    let rest = rest
        .strip_suffix(['f', 'F'])
        .filter(|rest| rest.ends_with(|c: char| c.is_ascii_digit() || c == '.'))
        .unwrap_or(rest);
    match hexadecimal(rest) {
        Some(digits) => {
            !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_hexdigit() || b".pP+-".contains(&byte))
        }
        None => !rest.starts_with(['-', '+']) && rest.parse::<f64>().is_ok(),
    }
}

/// The leading decimal number, or `None` without a digit.
fn decimal_float(text: &str) -> Option<f64> {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let whole = leading(text, is_digit);
    let mut end = whole;
    if text[end..].starts_with('.') {
        let fraction = leading(&text[end + 1..], is_digit);
        end += if whole + fraction > 0 { 1 + fraction } else { 0 };
    }
    if end > 0 && text[end..].starts_with(['e', 'E']) {
        let exponent = sign(&text[end + 1..]).1;
        let length = leading(exponent, is_digit);
        if length > 0 {
            end = text.len() - exponent.len() + length;
        }
    }
    text[..end].parse().ok()
}

/// The part of a hexadecimal number after `0x`. Digits beyond the thirteenth are dropped: f32 has
/// fewer.
fn hexadecimal_float(text: &str) -> f64 {
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    let whole = &text[..leading(text, is_digit)];
    let mut rest = &text[whole.len()..];
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        fraction = &after[..leading(after, is_digit)];
        rest = &after[fraction.len()..];
    }
    if whole.is_empty() && fraction.is_empty() {
        return 0.0;
    }
    let significant = whole.trim_start_matches('0');
    let kept = &significant[..significant.len().min(13)];
    let mut value = digits(kept, 16) as f64 * 16f64.powi((significant.len() - kept.len()).min(1000) as i32);
    let kept = &fraction[..fraction.len().min(13)];
    value += digits(kept, 16) as f64 * 16f64.powi(-(kept.len() as i32));
    let exponent = if rest.starts_with(['p', 'P']) { decimal(&rest[1..]) } else { 0 };
    value * 2f64.powi(exponent.clamp(-2000, 2000) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_their_leading_valid_part() {
        for (text, expected) in [
            ("1.0/255.0", 1.0),
            ("1e2", 100.0),
            ("1e", 1.0),
            ("1e+", 1.0),
            ("-.5e-1x", -0.05),
            (".", 0.0),
            ("5.", 5.0),
            ("abc", 0.0),
            ("", 0.0),
            ("0x10", 16.0),
            ("0x1.8p1", 3.0),
            ("0x", 0.0),
            ("inf", f32::INFINITY),
            ("-Infinity", f32::NEG_INFINITY),
            ("1e99", f32::INFINITY),
        ] {
            assert_eq!(float(text), expected, "{text}");
        }
        assert!(float("nan").is_nan() && float("-0").is_sign_negative());
        for text in ["--1.0", "-abc", "-", "-.", "- 1"] {
            assert_eq!(float(text).to_bits(), 0, "{text}");
        }
    }

    #[test]
    fn integers_are_read_as_in_c() {
        let cases = [("010", Some(8)), ("0x1", Some(1)), ("0x", Some(0)), ("1foo", Some(1)), ("x", None)];
        for (text, expected) in cases {
            assert_eq!(integer(text).map(|integer| integer.value), expected, "{text}");
        }
        assert_eq!([decimal("010"), decimal("-2x"), decimal("x"), decimal("0x10")], [10, -2, 0, 0]);
        assert_eq!(decimal("99999999999999999999999"), 1 << 62);
    }

    #[test]
    fn text_after_an_integer_is_returned() {
        let cases =
            [("12", ""), ("0x1g", "g"), ("0x", "x"), ("017", ""), ("08", "8"), ("3x", "x"), ("1foo", "foo")];
        for (text, expected) in cases {
            assert_eq!(integer(text).map(|integer| integer.rest), Some(expected), "{text}");
        }
        let is_octal = |text| integer(text).is_some_and(|integer| integer.is_octal);
        assert!(is_octal("010") && !is_octal("0") && !is_octal("0x1") && !is_octal("10"));
    }

    #[test]
    fn one_trailing_comma_is_ignored() {
        assert_eq!(operands("a, b,"), ["a", "b"]);
        assert_eq!(operands("a,,"), ["a", ""]);
        assert!(operands("").is_empty());
    }
}
