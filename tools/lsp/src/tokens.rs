//! Tokens of a line, for names and colors.
//! In: a line. Out: [`Token`], with its role by its place. Knows no declarations: a word may be a
//! register or a name.
//! Facts: the assembler's [`Line`] and its table of operands.

use transpica::isa::Opcode;
use transpica::isa::table::Role;
use transpica_asm::Line;

/// Role of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Name of an instruction.
    Mnemonic,
    /// Directive with its dot.
    Directive,
    /// Comment.
    Comment,
    /// Procedure, declared or called.
    Procedure,
    /// Label, declared or jumped to.
    Label,
    /// Register, or a name of one.
    Word,
    /// Letters after a dot.
    Components,
    /// Number.
    Number,
    /// Type of an output.
    OutputType,
    /// Comparison, flag of `setemit`, mode of `.gsh`, value of `.setb`.
    Keyword,
}

/// A token of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its role.
    pub kind: Kind,
    /// Offset of its first byte in the line.
    pub start: usize,
    /// Offset after it.
    pub end: usize,
    /// Number of its operand.
    pub operand: usize,
    /// The place declares the name.
    pub declares: bool,
}

/// A line with its tokens.
#[derive(Clone, Debug, Default)]
pub struct Tokens<'a> {
    /// The parts of the line.
    pub line: Line<'a>,
    /// The opcode of an instruction.
    pub opcode: Option<Opcode>,
    /// The tokens, in order.
    pub list: Vec<Token>,
}

/// Returns the offset of a part of a text.
pub fn offset(text: &str, part: &str) -> usize {
    let offset = part.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
    if offset <= text.len() { offset } else { 0 }
}

impl<'a> Tokens<'a> {
    /// Splits a line.
    pub fn new(text: &'a str) -> Self {
        let line = Line::new(text);
        let opcode = Opcode::from_mnemonic(line.name);
        let mut tokens = Self { line, opcode, list: Vec::new() };
        for index in 0..tokens.line.labels.len() {
            tokens.add(text, tokens.line.labels[index], Kind::Label, 0, true);
        }
        let (name, rest) = (tokens.line.name, tokens.line.rest);
        if !name.is_empty() {
            let kind = if name.starts_with('.') { Kind::Directive } else { Kind::Mnemonic };
            tokens.add(text, name, kind, 0, false);
        }
        tokens.rest(text, rest);
        if let Some(comment) = tokens.line.comment {
            tokens.add(text, comment, Kind::Comment, 0, false);
        }
        tokens
    }

    /// Returns the token that an offset is in or at the end of.
    pub fn find(&self, offset: usize) -> Option<Token> {
        self.list.iter().rev().find(|token| token.start <= offset && offset <= token.end).copied()
    }

    /// Returns the role of an operand.
    pub fn role(&self, operand: usize) -> Option<Role> {
        self.opcode?.info().operands.get(operand).copied()
    }

    fn add(&mut self, text: &str, part: &str, kind: Kind, operand: usize, declares: bool) {
        let start = offset(text, part);
        if !part.is_empty() {
            self.list.push(Token { kind, start, end: start + part.len(), operand, declares });
        }
    }

    /// Splits operands into words, components and numbers.
    fn rest(&mut self, text: &str, rest: &str) {
        let directive = self.line.name.to_ascii_lowercase();
        let by_blanks =
            matches!(directive.as_str(), ".in" | ".out" | ".alias" | ".setb" | ".gsh" | ".entry" | ".proc");
        let (mut operand, mut round, mut square, mut at) = (0, 0_usize, false, 0);
        let mut after_dot = false;
        while let Some(letter) = rest[at..].chars().next() {
            let tail = &rest[at..];
            let word = tail
                .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$'))
                .unwrap_or(tail.len());
            if word > 0 {
                let is_number = letter.is_ascii_digit();
                // A fraction and an exponent belong to the number.
                let number = |c: char| !c.is_ascii_alphanumeric() && c != '.';
                let length = if is_number { tail.find(number).unwrap_or(tail.len()) } else { word };
                let part = &tail[..length];
                let inside = round > 0 || square;
                let (kind, declares) = match is_number {
                    true => (Kind::Number, false),
                    false if after_dot && !square => (Kind::Components, false),
                    false => self.role_of_word(&directive, operand, inside),
                };
                self.add(text, part, kind, operand, declares);
                (after_dot, at) = (false, at + length);
                continue;
            }
            match letter {
                ',' if round == 0 => operand += 1,
                ' ' | '\t' if by_blanks && !rest[..at].ends_with([' ', '\t']) && !square => operand += 1,
                '(' => round += 1,
                ')' => round = round.saturating_sub(1),
                '[' => square = true,
                ']' => square = false,
                _ => {}
            }
            after_dot = letter == '.';
            at += letter.len_utf8();
        }
    }

    /// Returns the role of a word by its place, and whether it is a declaration.
    fn role_of_word(&self, directive: &str, operand: usize, inside: bool) -> (Kind, bool) {
        if inside {
            return (Kind::Word, false);
        }
        match (directive, operand) {
            (".proc", _) => (Kind::Procedure, true),
            (".entry", _) => (Kind::Procedure, false),
            (".in" | ".alias" | ".out", 0) | (".fvec" | ".ivec" | ".bool", _) => (Kind::Word, true),
            (".constf" | ".consti" | ".constfa", _) => (Kind::Word, true),
            (".out", 1) => (Kind::OutputType, false),
            (".gsh", 0) | (".setb", 1..) => (Kind::Keyword, false),
            _ => match self.role(operand) {
                Some(Role::Target) => {
                    let calls = self.opcode.is_some_and(|opcode| opcode.mnemonic().starts_with("call"));
                    (if calls { Kind::Procedure } else { Kind::Label }, false)
                }
                Some(Role::CompareOp | Role::Flags) => (Kind::Keyword, false),
                _ => (Kind::Word, false),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(&str, Kind)]) {
        let tokens = Tokens::new(line);
        let found: Vec<_> =
            tokens.list.iter().map(|token| (&line[token.start..token.end], token.kind)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_have_the_role_of_their_place() {
        use Kind::{
            Comment, Components, Directive, Keyword, Label, Mnemonic, Number, OutputType, Procedure, Word,
        };
        check(
            "a: mad r0.xy, -m[a0.x + 1].zw, k ; it",
            &[
                ("a", Label),
                ("mad", Mnemonic),
                ("r0", Word),
                ("xy", Components),
                ("m", Word),
                ("a0", Word),
                ("x", Word),
                ("1", Number),
                ("zw", Components),
                ("k", Word),
                ("; it", Comment),
            ],
        );
        check(
            ".out - texcoord0w  o1.z",
            &[(".out", Directive), ("texcoord0w", OutputType), ("o1", Word), ("z", Components)],
        );
        check("callc cmp.x, f", &[("callc", Mnemonic), ("cmp", Word), ("x", Components), ("f", Procedure)]);
        check(
            "cmp r0, lt, ge, r1",
            &[("cmp", Mnemonic), ("r0", Word), ("lt", Keyword), ("ge", Keyword), ("r1", Word)],
        );
        check(".constf k(1.5e3, x)", &[(".constf", Directive), ("k", Word), ("1.5e3", Number), ("x", Word)]);
    }
}
