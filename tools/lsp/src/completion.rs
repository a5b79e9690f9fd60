//! Completion: only what the assembler takes at a place.
//! In: a document, a place. Out: candidates with what they replace. Knows no protocol.

use serde::Serialize;
use transpica::isa::table::Role;
use transpica::isa::{Mask, Opcode};
use transpica_asm::manual::{directive, form, instruction, page, source_number, wide_sources};
use transpica_asm::vertex::{DECLARATION, NUMBER_FORMATS};
use transpica_asm::{SymbolKind, directives, output_types};

use crate::analysis::Analysis;
use crate::hover::Markdown;
use crate::operands::Register;
use crate::project::Project;
use crate::text::{Position, Range, TextEdit};
use crate::tokens::Tokens;

/// Statements that open a block, each with what follows it as a snippet.
const BLOCKS: [(&str, &str); 4] = [
    (".proc", " ${1:name}\n\t$0\n.end"),
    ("for", " ${1:count}\n\t$0\n.end"),
    ("ifc", " ${1:cmp.x}\n\t$0\n.end"),
    ("ifu", " ${1:bool}\n\t$0\n.end"),
];
/// A snippet among formats of text, as the protocol numbers them.
const SNIPPET: u8 = 2;

/// Sorts of candidates, as the protocol numbers them.
const FUNCTION: u8 = 3;
pub(crate) const NAME: u8 = 5;
const REGISTER: u8 = 6;
const KEYWORD: u8 = 14;
const LABEL: u8 = 18;
const WORD: u8 = 20;
const CONSTANT: u8 = 21;

/// A candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The text.
    pub label: String,
    /// Its sort, as the protocol numbers it.
    pub kind: u8,
    /// A short description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// A page about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<Markdown>,
    /// Order among the candidates.
    pub sort_text: String,
    /// The replacement.
    pub text_edit: TextEdit,
    /// Format of the replacement, as the protocol numbers it; plain text without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insert_text_format: Option<u8>,
}

impl Completion {
    /// Adds the end of the block that a statement opens.
    pub fn complete_block(&mut self) {
        let block = BLOCKS.iter().find(|(name, _)| self.kind == KEYWORD && *name == self.label);
        if let Some((_, rest)) = block {
            self.text_edit.new_text.push_str(rest);
            self.insert_text_format = Some(SNIPPET);
        }
    }
}

/// Candidates of a place.
struct Candidates<'a> {
    project: &'a Project,
    source: usize,
    /// The part of the text that they replace.
    range: Range,
    list: Vec<Completion>,
}

/// The operand that is being written.
struct Slot<'a> {
    /// Its number.
    number: usize,
    /// Its text up to the place.
    text: &'a str,
    /// The texts of all operands.
    operands: Vec<&'a str>,
}

impl Analysis {
    /// Returns what can stand at a position.
    pub fn complete(&mut self, uri: &str, position: Position) -> Vec<Completion> {
        let Some((project, source)) = self.project(uri) else { return Vec::new() };
        let text = &project.sources[source].text;
        let line = text.line(position.line as usize);
        let start = text.line_start(position.line as usize);
        let Some(before) = line.get(..text.offset(position) - start) else { return Vec::new() };
        let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '@');
        let word = before.trim_end_matches(is_letter).len();
        // A directive is replaced with its dot.
        let dot = before[..word].trim_end_matches('.').len();
        let is_directive = before[..dot].rsplit(':').next().is_some_and(|head| head.trim().is_empty());
        let from = if is_directive { dot } else { word };
        let range = text.range(start + from, start + before.len());
        let mut candidates = Candidates { project, source, range, list: Vec::new() };
        candidates.collect(line, before, &before[..from]);
        candidates.list
    }
}

impl Candidates<'_> {
    fn add(&mut self, label: &str, kind: u8, detail: &str, page: Option<String>) {
        self.list.push(Completion {
            label: label.to_owned(),
            kind,
            detail: detail.to_owned(),
            documentation: page.map(Markdown::new),
            sort_text: format!("{:04}", self.list.len()),
            text_edit: TextEdit { range: self.range, new_text: label.to_owned() },
            insert_text_format: None,
        });
    }

    fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
        words.into_iter().for_each(|word| self.add(word, WORD, "", None));
    }

    /// Collects what can stand after a part of a line; `before` ends at the place.
    fn collect(&mut self, line: &str, before: &str, head: &str) {
        let tokens = Tokens::new(before);
        let name = tokens.line.name;
        if let Some((_, comment)) = before.rsplit_once(';') {
            if name.eq_ignore_ascii_case(".in") {
                self.declaration(comment);
            }
            return;
        }
        if name.is_empty() || tokens.line.rest.is_empty() && !before.ends_with([' ', '\t']) {
            return self.statements();
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if head.strip_suffix("a0.").is_some_and(|rest| !rest.ends_with(is_name)) {
            return self.words(["x", "y"]);
        }
        if head.ends_with('.') {
            return self.words(["x", "y", "z", "w", "xy", "xyz", "xyzw", "xxxx", "yyyy", "zzzz", "wwww"]);
        }
        let open = head.rfind('[').filter(|open| !head[*open..].contains(']'));
        if open.is_some() && tokens.opcode.is_some() {
            return self.words(["a0.x", "a0.y", "aL"]);
        }
        let behind = line.get(before.len()..).unwrap_or_default().split(';').next().unwrap_or_default();
        let all = format!("{}{behind}", tokens.line.rest);
        let operands = all.split(',').map(str::trim).collect();
        let text = tokens.line.rest.rsplit(',').next().unwrap_or_default().trim_start();
        let number = tokens.line.rest.matches(',').count();
        match tokens.opcode {
            Some(opcode) => self.operand(opcode, &Slot { number, text, operands }),
            None => self.directive_operand(&name.to_ascii_lowercase(), tokens.line.rest, before),
        }
    }

    /// Offers the parts of a declared format, at the end of a comment.
    fn declaration(&mut self, comment: &str) {
        let words: Vec<&str> = comment.split_whitespace().collect();
        let is_open = !comment.ends_with([' ', '\t']) && !words.is_empty();
        match (words.first(), words.len() - usize::from(is_open)) {
            (_, 0) => self.add(DECLARATION, KEYWORD, "NUMBER COUNT", page("formats")),
            (Some(&DECLARATION), 1) => {
                NUMBER_FORMATS.iter().for_each(|known| self.add(known.name, WORD, known.libctru, None));
            }
            (Some(&DECLARATION), 2) => self.words(["1", "2", "3", "4"]),
            _ => {}
        }
    }

    fn statements(&mut self) {
        for opcode in Opcode::ALL.iter().filter(|opcode| !opcode.format().is_inverted()) {
            let page = Some(instruction(*opcode));
            self.add(opcode.mnemonic(), KEYWORD, &form(*opcode), page);
        }
        for known in directives() {
            let page = directive(known.name);
            self.add(&format!(".{}", known.name), KEYWORD, known.form, page);
        }
    }

    fn operand(&mut self, opcode: Opcode, slot: &Slot<'_>) {
        let roles = opcode.info().operands;
        let is_cmp = opcode == Opcode::Cmp;
        let Some(role) = roles.get(slot.number) else { return };
        match role {
            Role::Dest => {
                self.names(&|register| matches!(register.bank, 'r' | 'o'));
                self.registers('r', 16);
            }
            Role::AddressDest => self.words(["a0.x", "a0.y", "a0.xy"]),
            Role::Source => {
                let legal = self.legal_sources(opcode, slot);
                self.names(&legal);
                for (bank, count) in [('r', 16), ('v', 15)] {
                    let register = |number| Register { bank, number, mask: Mask::XYZW };
                    for number in (0..count).filter(|&number| legal(register(number))) {
                        self.add(&format!("{bank}{number}"), REGISTER, "", None);
                    }
                }
            }
            Role::CompareOp if is_cmp => self.words(["eq", "ne", "lt", "le", "gt", "ge"]),
            Role::CompareOp => {}
            Role::Condition => self.words(["cmp.x", "cmp.y", "!cmp.x", "!cmp.y"]),
            Role::Bool | Role::BoolOrNot => {
                self.names(&|register| register.bank == 'b');
                self.registers('b', 16);
            }
            Role::Int => {
                self.names(&|register| register.bank == 'i');
                self.registers('i', 4);
            }
            Role::Target if matches!(opcode, Opcode::Ifc | Opcode::Ifu) => {}
            Role::Target if opcode.mnemonic().starts_with("call") => self.code(SymbolKind::Procedure),
            Role::Target => self.code(SymbolKind::Label),
            Role::Vertex => self.words(["0", "1", "2"]),
            Role::Flags => self.words(["prim", "inv"].into_iter().filter(|word| !slot.text.contains(word))),
            Role::Last | Role::Length => {}
        }
    }

    fn directive_operand(&mut self, name: &str, rest: &str, before: &str) {
        let number =
            rest.split_whitespace().count() - usize::from(!before.ends_with([' ', '\t']) && !rest.is_empty());
        match (name, number) {
            (".out", 1) => self.words(output_types()),
            (".out", 2) => self.registers('o', 7),
            (".in", 1) => self.registers('v', 15),
            (".alias", 1) => {
                self.registers('r', 16);
                self.registers('v', 15);
                self.names(&|_| true);
            }
            (".entry", 0) => self.code(SymbolKind::Procedure),
            (".setb", 0) => self.registers('b', 16),
            (".setb", 1) => self.words(["true", "false"]),
            (".gsh", 0) => self.words(["point", "variable", "fixed"]),
            (".seti", 0) => self.registers('i', 4),
            _ => {}
        }
    }

    /// Adds names of registers.
    fn names(&mut self, legal: &dyn Fn(Register) -> bool) {
        for symbol in &self.project.outline.symbols {
            let register = Register::parse(&symbol.register).filter(|register| legal(*register));
            if symbol.span.source != self.source || symbol.name.is_empty() || register.is_none() {
                continue;
            }
            let kind = match symbol.kind {
                SymbolKind::Constant => CONSTANT,
                _ => NAME,
            };
            let (statement, comment) = self.project.documented(symbol.span);
            let page = format!("```pica\n{statement}\n```\n{comment}");
            self.add(&symbol.name, kind, &symbol.register, Some(page));
        }
    }

    fn registers(&mut self, bank: char, count: u8) {
        (0..count).for_each(|number| self.add(&format!("{bank}{number}"), REGISTER, "", None));
    }

    /// Adds procedures or labels.
    fn code(&mut self, kind: SymbolKind) {
        for symbol in self.project.outline.symbols.iter().filter(|symbol| symbol.kind == kind) {
            if kind == SymbolKind::Procedure || symbol.span.source == self.source {
                let sort = if kind == SymbolKind::Label { LABEL } else { FUNCTION };
                let (_, comment) = self.project.documented(symbol.span);
                self.add(&symbol.name, sort, &format!("{:#05x}", symbol.address), Some(comment));
            }
        }
    }

    /// Returns which registers a source can be: one source of an instruction is a uniform or
    /// indexed, and all inputs are the same.
    fn legal_sources(&self, opcode: Opcode, slot: &Slot<'_>) -> impl Fn(Register) -> bool + use<> {
        let own = source_number(opcode, slot.number);
        let wide = own.is_some_and(|own| wide_sources(opcode).contains(&own));
        let others = slot.operands.iter().enumerate().filter(|(number, _)| *number != slot.number);
        let others = others.filter(|(number, _)| source_number(opcode, *number).is_some());
        let (mut has_wide, mut input) = (false, None);
        for (_, text) in others {
            let register = self.register(text);
            has_wide |= text.contains("[a") || register.is_some_and(|register| register.bank == 'c');
            input =
                input.or(register.filter(|register| register.bank == 'v').map(|register| register.number));
        }
        // CMP reads any two inputs that a text names.
        let input = input.filter(|_| opcode != Opcode::Cmp);
        move |register| match register.bank {
            'r' => true,
            'v' => input.is_none_or(|input| input == register.number),
            'c' => wide && !has_wide,
            _ => false,
        }
    }

    /// Resolves a source to its register.
    fn register(&self, text: &str) -> Option<Register> {
        let base = text.trim_start_matches('-').split(['.', '[']).next().unwrap_or_default().trim();
        let symbol = self.project.symbol(self.source, crate::tokens::Kind::Word, base);
        Register::parse(symbol.map_or(base, |symbol| &symbol.register))
    }
}
