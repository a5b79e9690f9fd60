//! Error recovery: assumptions that avoid follow-up errors.
//! In: a statement with an error. Out: names and blocks that count as declared, a placeholder word.
//! Knows no messages.

use super::state::{Assembler, BlockKind, MAX_CODE};
use super::{directive, lex};
use transpica::isa::{Move, Opcode, Word};

/// Directives that declare names.
const NAMING: [&str; 9] = ["alias", "in", "out", "fvec", "ivec", "bool", "constf", "consti", "constfa"];

impl<'a> Assembler<'a> {
    /// Recovers from a statement with an error; it began when the code had `words` words.
    pub(super) fn recover(&mut self, name: &'a str, rest: &'a str, words: usize) {
        let lower = name.to_ascii_lowercase();
        match lower.strip_prefix('.') {
            Some(directive) => self.recover_directive(directive, rest),
            None => self.recover_instruction(&lower, rest, words),
        }
    }

    /// Marks a word as lost that may have been meant as the name of a procedure.
    fn lose_proc(&mut self, text: &'a str) {
        let end = text.find(|c| !lex::is_name_character(c)).unwrap_or(text.len());
        self.lost_procs.insert(&text[..end]);
    }

    fn recover_directive(&mut self, directive: &str, rest: &'a str) {
        match directive {
            "proc" => {
                let name = lex::first_word(rest).0;
                self.lost_procs.insert(name);
                self.open_unknown(rest);
            }
            "constfa" if !rest.starts_with('(') => {
                self.lose_names(rest);
                self.open_unknown(rest);
            }
            "entry" => {
                self.executable().is_entry_lost = true;
            }
            "else" | "end" => {}
            _ if NAMING.contains(&directive) => self.lose_names(rest),
            _ if directive::is_directive(directive) => {}
            _ => {
                self.file.is_uncertain = true;
                self.lose_proc(rest);
            }
        }
    }

    /// Marks every word as lost that may have been meant as a name.
    fn lose_names(&mut self, text: &'a str) {
        let words = text.split(|c| !lex::is_name_character(c));
        for word in words.filter(|word| !word.is_empty() && lex::is_name(word)) {
            if !self.file.names.contains_key(word) {
                self.file.lost.insert(word);
            }
        }
    }

    fn recover_instruction(&mut self, mnemonic: &str, rest: &'a str, words: usize) {
        let opcode = Opcode::from_mnemonic(mnemonic);
        self.file.is_uncertain |= opcode.is_none();
        if opcode.is_none() && self.file.blocks.is_empty() {
            self.lose_proc(rest);
        }
        if self.file.blocks.is_empty() || self.code.len() >= MAX_CODE {
            return;
        }
        self.file.just_closed = false;
        let word = self.code.len();
        if word == words {
            self.emit(Word::new(Opcode::Nop));
        }
        if let Some(Move::If | Move::Loop) = opcode.and_then(Opcode::moves) {
            self.open_unknown("");
        }
    }

    /// Opens a block of unknown kind.
    fn open_unknown(&mut self, at: &'a str) {
        // Another error, about the nesting depth, would be a consequence of the first.
        if self.open(at, BlockKind::Unknown).is_err() {
            self.file.is_uncertain = true;
        }
    }
}
