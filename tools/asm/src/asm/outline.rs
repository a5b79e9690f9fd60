//! Declarations, blocks and the statements of words, as editors show them.
//! In: the statements that the assembler reads. Out: [`Outline`], also of texts with errors. Knows
//! no message.

use super::lex;
use super::register::{Operand, Spelling, register_name};
use super::report::{Span, offset};
use super::state::{Assembler, Block, BlockKind};
use crate::lint::Finding;

/// Kind of a declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// `.proc`
    Procedure,
    /// `name:`
    Label,
    /// `.alias`
    Alias,
    /// `.fvec`, `.ivec`, `.bool`: set by the host, and the same in all sources that declare it.
    Uniform,
    /// `.constf`, `.consti`, `.constfa`
    Constant,
    /// `.in`
    Input,
    /// `.out`
    Output,
}

/// A declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The register that it stands for, as the text of an operand; empty for code.
    pub register: String,
    /// Number of registers.
    pub count: u32,
    /// Address of the next word, for code.
    pub address: usize,
    /// The name in the text.
    pub span: Span,
}

/// A block from its first statement to its `.end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSpan {
    /// A procedure.
    pub is_procedure: bool,
    /// Its first statement, or the name of a procedure.
    pub start: Span,
    /// Its `.else`.
    pub middle: Option<Span>,
    /// Its `.end`.
    pub end: Span,
}

/// Declarations, blocks, and the statements of words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Declared names, in the order of the texts.
    pub symbols: Vec<Symbol>,
    /// Blocks, inner ones first.
    pub blocks: Vec<BlockSpan>,
    /// The statement of each code word; for a padding NOP, the `.else` or `.end`.
    pub statements: Vec<Span>,
}

impl Outline {
    /// Returns the declaration that a finding is about.
    pub fn declaration(&self, finding: &Finding) -> Option<&Symbol> {
        let name = finding.declared.as_ref()?;
        self.symbols.iter().find(|symbol| symbol.name == *name)
    }
}

impl<'a> Assembler<'a> {
    /// The place of a part of the current source.
    pub(super) fn span(&self, part: &str) -> Span {
        let start = offset(self.messages.text, part).unwrap_or(0);
        Span { source: self.messages.source, start, length: part.len() }
    }

    /// Notes a name that stands for a register.
    pub(super) fn note_name(&mut self, name: &str, operand: Operand) {
        let directive = lex::first_word(self.messages.statement).0.to_ascii_lowercase();
        let kind = match directive.as_str() {
            ".alias" => SymbolKind::Alias,
            ".fvec" | ".ivec" | ".bool" => SymbolKind::Uniform,
            ".in" => SymbolKind::Input,
            ".out" => SymbolKind::Output,
            _ => SymbolKind::Constant,
        };
        let Operand { register, swizzle, negate, spelling, count, .. } = operand;
        let mut text = if negate { "-".to_owned() } else { String::new() };
        match spelling {
            Spelling::Output => text += &format!("o{register}"),
            Spelling::Input | Spelling::Other => text += &register_name(register),
        }
        if swizzle != transpica::isa::Swizzle::XYZW {
            text.push('.');
            text.extend(swizzle.components().map(|component| ['x', 'y', 'z', 'w'][component as usize]));
        }
        let (span, count) = (self.span(name), count.unwrap_or(1));
        let symbol = Symbol { name: name.to_owned(), kind, register: text, count, address: 0, span };
        self.outline.symbols.push(symbol);
    }

    /// Notes a procedure or a label.
    pub(super) fn note_code(&mut self, name: &str, kind: SymbolKind) {
        let (span, address) = (self.span(name), self.code.len());
        let symbol = Symbol { name: name.to_owned(), kind, register: String::new(), count: 0, address, span };
        self.outline.symbols.push(symbol);
    }

    /// Notes a block that `at` closes.
    pub(super) fn note_block(&mut self, block: &Block<'a>, at: &str) {
        let is_procedure = matches!(block.kind, BlockKind::Proc { .. });
        let end = self.span(at);
        self.outline.blocks.push(BlockSpan {
            is_procedure,
            start: block.site.span,
            middle: block.middle,
            end,
        });
    }

    /// Notes the statement of the next word.
    pub(super) fn note_word(&mut self) {
        let span = self.span(self.messages.statement);
        self.outline.statements.push(span);
    }
}
