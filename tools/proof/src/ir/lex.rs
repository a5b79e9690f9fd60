//! Cuts the text of a module into tokens with their places. In: any text. Out: tokens, one at a
//! time.

use std::fmt;

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A run of letters, digits and underscores; one that begins with a digit or a minus may have
    /// dots and an exponent.
    Word(&'a str),
    /// A quoted string, unescaped.
    Text(String),
    /// `%` and a number.
    Value(u32),
    /// `->`
    Arrow,
    /// Any other character.
    Sign(char),
    /// The end of the text.
    End,
}

/// The rest of a text.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

/// Line and column, from 1.
pub(super) type Place = (u32, u32);

/// A fault of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line and column, from 1.
    pub place: (u32, u32),
    /// The fault.
    pub text: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((line, column), text) = (self.place, &self.text);
        write!(f, "{line}:{column}: {text}")
    }
}

impl std::error::Error for SyntaxError {}

pub(super) type Result<T> = std::result::Result<T, SyntaxError>;

#[cold]
pub(super) fn error(place: Place, text: impl Into<String>) -> SyntaxError {
    SyntaxError { place, text: text.into() }
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, column: 1 }
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        for c in taken.chars() {
            if c == '\n' {
                self.line = self.line.saturating_add(1);
                self.column = 1;
            } else {
                self.column = self.column.saturating_add(1);
            }
        }
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            let blank = |c: char| c.is_whitespace() || c == ',';
            let mut end = self.rest.find(|c| !blank(c)).unwrap_or(self.rest.len());
            if self.rest[end..].starts_with(';') {
                end += self.rest[end..].find('\n').unwrap_or(self.rest.len() - end);
            }
            if end == 0 {
                return;
            }
            self.advance(end);
        }
    }

    pub(super) fn next(&mut self) -> Result<(Token<'a>, Place)> {
        self.skip_blanks();
        let place = (self.line, self.column);
        let Some(first) = self.rest.chars().next() else { return Ok((Token::End, place)) };
        if self.rest.starts_with("->") {
            self.advance(2);
            return Ok((Token::Arrow, place));
        }
        if first == '"' {
            return Ok((Token::Text(self.string(place)?), place));
        }
        if first == '%' {
            let digits = self.rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len() - 1);
            let number = self.advance(1 + digits)[1..].parse();
            let number = number.map_err(|_| error(place, "a value is `%` and a number"))?;
            return Ok((Token::Value(number), place));
        }
        let token = match word_length(self.rest) {
            0 => {
                self.advance(first.len_utf8());
                Token::Sign(first)
            }
            length => Token::Word(self.advance(length)),
        };
        Ok((token, place))
    }

    /// A string in quotes as `{:?}` writes it.
    fn string(&mut self, place: Place) -> Result<String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((index, c)) = chars.next() {
            match c {
                '"' => {
                    self.advance(index + 1);
                    return Ok(text);
                }
                '\\' => text.push(escape(&mut chars).ok_or_else(|| error(place, "unknown escape"))?),
                _ => text.push(c),
            }
        }
        Err(error(place, "the string does not end"))
    }
}

fn escape(chars: &mut impl Iterator<Item = (usize, char)>) -> Option<char> {
    Some(match chars.next()?.1 {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        c @ ('"' | '\'' | '\\') => c,
        'u' => {
            chars.next().filter(|&(_, c)| c == '{')?;
            let mut code = 0u32;
            loop {
                match chars.next()?.1 {
                    '}' => return char::from_u32(code),
                    c => code = code.checked_mul(16)?.checked_add(c.to_digit(16)?)?,
                }
            }
        }
        _ => return None,
    })
}

/// Length of the word at the start of a text.
fn word_length(text: &str) -> usize {
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let bytes = text.as_bytes();
    let numeric = bytes.first().is_some_and(|&c| c == b'-' || c.is_ascii_digit());
    let mut length = 0;
    while let Some(&c) = bytes.get(length) {
        let after_exponent = length > 0 && bytes[length - 1] | 0x20 == b'e';
        let inside_number = c == b'.' || (c == b'-' || c == b'+') && after_exponent;
        if !(is_plain(c) || numeric && (length == 0 || inside_number)) {
            break;
        }
        length += 1;
    }
    length
}
