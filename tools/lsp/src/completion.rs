//! Completion: only what the assembler takes at a place.
//! In: a document, a place. Out: candidates with what they replace. Knows no protocol.

use serde::Serialize;
use transpica::isa::table::Role;
use transpica::isa::{Mask, Opcode};
use transpica_asm::{SymbolKind, directives, output_types};

use crate::analysis::Analysis;
use crate::hover::{Markdown, directive, instruction};
use crate::operands::{Register, form, source_number, wide_sources};
use crate::project::Project;
use crate::text::{Position, Range, TextEdit};
use crate::tokens::Tokens;

/// Sort of a candidate, as the protocol numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A procedure.
    Function = 3,
    /// A register.
    Variable = 6,
    /// A name of a register.
    Field = 5,
    /// An instruction or a directive.
    Keyword = 14,
    /// A word of a fixed list.
    EnumMember = 20,
    /// A label.
    Reference = 18,
    /// A constant.
    Constant = 21,
}

impl Serialize for CompletionKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The text.
    pub label: String,
    /// Its sort.
    pub kind: CompletionKind,
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
}

/// Candidates of a place, without what they replace.
struct Candidates<'a> {
    project: &'a Project,
    source: usize,
    list: Vec<(String, CompletionKind, String, Option<String>)>,
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
        let word = before
            .rfind(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$'))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        // A directive is replaced with its dot.
        let dot = before[..word].trim_end_matches('.').len();
        let is_directive =
            before[..dot].trim_end_matches(|c| c != ':').len() == before[..dot].trim_end().len();
        let from = if is_directive { dot } else { word };
        let mut candidates = Candidates { project, source, list: Vec::new() };
        candidates.at(line, before, &before[..from]);
        let range: Range = text.range(start + from, start + before.len());
        let complete = |(number, (label, kind, detail, page)): (
            usize,
            (String, CompletionKind, String, Option<String>),
        )| {
            let text_edit = TextEdit { range, new_text: label.clone() };
            let documentation = page.map(Markdown::new);
            Completion { label, kind, detail, documentation, sort_text: format!("{number:04}"), text_edit }
        };
        candidates.list.into_iter().enumerate().map(complete).collect()
    }
}

impl Candidates<'_> {
    fn add(&mut self, label: impl Into<String>, kind: CompletionKind, detail: impl Into<String>) {
        self.list.push((label.into(), kind, detail.into(), None));
    }

    fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
        words.into_iter().for_each(|word| self.add(word, CompletionKind::EnumMember, ""));
    }

    /// Collects what can stand behind a part of a line; `before` ends at the place.
    fn at(&mut self, line: &str, before: &str, head: &str) {
        if before.contains(';') {
            return;
        }
        let tokens = Tokens::new(before);
        let name = tokens.line.name;
        if name.is_empty()
            || !before.trim_start().contains([' ', '\t']) && !before.ends_with([' ', '\t'])
            || tokens.line.rest.is_empty() && !before.ends_with([' ', '\t'])
        {
            return self.statements();
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

    fn statements(&mut self) {
        for opcode in Opcode::ALL.iter().filter(|opcode| !opcode.format().is_inverted()) {
            let page = Some(instruction(*opcode));
            self.list.push((opcode.mnemonic().to_owned(), CompletionKind::Keyword, form(*opcode), page));
        }
        for known in directives() {
            let page = directive(known.name);
            let detail = format!(".{} {}", known.name, known.form);
            self.list.push((format!(".{}", known.name), CompletionKind::Keyword, detail, page));
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
                        self.add(format!("{bank}{number}"), CompletionKind::Variable, "");
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
                SymbolKind::Constant => CompletionKind::Constant,
                _ => CompletionKind::Field,
            };
            let (statement, comment) = self.project.documented(symbol.span);
            let page = format!("```pica\n{statement}\n```\n{comment}");
            self.list.push((symbol.name.clone(), kind, symbol.register.clone(), Some(page)));
        }
    }

    fn registers(&mut self, bank: char, count: u8) {
        (0..count).for_each(|number| self.add(format!("{bank}{number}"), CompletionKind::Variable, ""));
    }

    /// Adds procedures or labels.
    fn code(&mut self, kind: SymbolKind) {
        for symbol in self.project.outline.symbols.iter().filter(|symbol| symbol.kind == kind) {
            if kind == SymbolKind::Procedure || symbol.span.source == self.source {
                let sort = if kind == SymbolKind::Label {
                    CompletionKind::Reference
                } else {
                    CompletionKind::Function
                };
                let (_, comment) = self.project.documented(symbol.span);
                self.list.push((
                    symbol.name.clone(),
                    sort,
                    format!("{:#05x}", symbol.address),
                    Some(comment),
                ));
            }
        }
    }
}

impl Candidates<'_> {
    /// Returns which registers a source can be, beside the others of its instruction: one of them is
    /// a uniform or indexed, and all inputs are the same.
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
