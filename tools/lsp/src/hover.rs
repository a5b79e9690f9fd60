//! Help about what is under the pointer, and about the operand that is being written.
//! In: a document, a place. Out: Markdown. Knows no protocol.

use std::collections::BTreeSet;

use serde::Serialize;
use transpica::isa::{Mask, Opcode};
use transpica_asm::manual::{bank, describe, directive, form, instruction, operand_names, page};
use transpica_asm::values::Tracked;
use transpica_asm::vertex::DECLARATION;
use transpica_asm::{Symbol, SymbolKind, directives};

use crate::analysis::Analysis;
use crate::operands::Register;
use crate::project::{Project, file_name};
use crate::text::{Position, Range, count};
use crate::tokens::{Kind, Token, Tokens, offset};

/// Most lines that a list names.
const MOST_LINES: usize = 12;

/// A text in Markdown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Markdown {
    kind: &'static str,
    /// The text.
    pub value: String,
}

impl Markdown {
    pub(crate) fn new(value: String) -> Self {
        Self { kind: "markdown", value }
    }
}

/// Help about a part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hover {
    /// The help.
    pub contents: Markdown,
    /// The part.
    pub range: Range,
}

/// The form of an instruction or a directive, with the operand that is being written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Signature {
    /// The form.
    pub label: String,
    /// Its semantics.
    pub documentation: Markdown,
    /// The operands.
    pub parameters: Vec<Parameter>,
    /// Number of the operand.
    pub active_parameter: u32,
}

/// An operand of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// First unit and the one after the last in the form.
    pub label: [u32; 2],
    /// The values that it takes.
    pub documentation: Markdown,
}

impl Analysis {
    /// Returns help about what is at a position.
    pub fn hover(&mut self, uri: &str, position: Position) -> Option<Hover> {
        let (project, source) = self.project(uri)?;
        let text = &project.sources[source].text;
        let at = text.offset(position);
        let (name, token) = project.name_at(source, at)?;
        let place = Place { project, source, at: token.start };
        let value = match token.kind {
            Kind::Mnemonic => instruction(Opcode::from_mnemonic(name)?),
            Kind::Directive => directive(name)?,
            Kind::Procedure | Kind::Label => place.declaration(project.symbol(source, token.kind, name)?),
            Kind::Word => place.word(name, token)?,
            Kind::OutputType => format!("`{name}`: the rasterizer's use of the output"),
            Kind::Comment if name.contains(DECLARATION) => page("formats")?,
            Kind::Components | Kind::Comment | Kind::Number | Kind::Keyword => return None,
        };
        Some(Hover { contents: Markdown::new(value), range: text.range(token.start, token.end) })
    }

    /// Returns the form of the statement that a position is in.
    pub fn signature(&mut self, uri: &str, position: Position) -> Option<Signature> {
        let (project, source) = self.project(uri)?;
        let text = &project.sources[source].text;
        let line = text.line(position.line as usize);
        let before = line.get(..text.offset(position) - text.line_start(position.line as usize))?;
        let tokens = Tokens::new(line);
        let name = tokens.line.name;
        if name.is_empty() || before.contains(';') || before.len() <= offset(line, name) + name.len() {
            return None;
        }
        let (label, meaning, names) = match tokens.opcode {
            Some(opcode) => (form(opcode), instruction(opcode), operand_names(opcode)),
            None => {
                let known = directives().iter().find(|known| {
                    known.name.eq_ignore_ascii_case(name.strip_prefix('.').unwrap_or_default())
                })?;
                (format!(".{} {}", known.name, known.form), directive(name)?, vec![known.form.to_owned()])
            }
        };
        let mut start = name.len();
        let parameter = |(number, name): (usize, &String)| {
            start = label[start..].find(name.as_str()).map_or(start, |found| start + found);
            let begin = start;
            start += name.len();
            let units = |end: usize| count(label[..end].encode_utf16().count());
            let about = tokens.opcode.map(|opcode| describe(opcode, number)).unwrap_or_default();
            Parameter { label: [units(begin), units(start)], documentation: Markdown::new(about) }
        };
        let parameters = names.iter().enumerate().map(parameter).collect();
        let active = if tokens.opcode.is_some() { before.matches(',').count() } else { 0 };
        Some(Signature {
            label: label.clone(),
            documentation: Markdown::new(meaning),
            parameters,
            active_parameter: count(active),
        })
    }
}

/// A place in a project.
struct Place<'a> {
    project: &'a Project,
    source: usize,
    at: usize,
}

impl Place<'_> {
    /// Describes a declared name.
    fn declaration(&self, symbol: &Symbol) -> String {
        let (statement, comment) = self.project.documented(symbol.span);
        let mut page = format!("```pica\n{statement}\n```\n");
        if !symbol.register.is_empty() && symbol.kind != SymbolKind::Alias {
            page += &match symbol.count {
                0 | 1 => format!("`{}`\n", symbol.register),
                count => format!("`{}` and {} more\n", symbol.register, count - 1),
            };
        }
        if symbol.kind == SymbolKind::Procedure {
            let calls = self.project.occurrences(symbol).iter().filter(|(_, declares)| !declares).count();
            page += &format!("at {:#05x}, named {calls} times\n", symbol.address);
        }
        format!("{page}\n{comment}").trim_end().to_owned()
    }

    /// Describes a register or a name of one.
    fn word(&self, name: &str, token: Token) -> Option<String> {
        let symbol = self.project.symbol(self.source, Kind::Word, name);
        let mut page = symbol.map(|symbol| self.declaration(symbol)).unwrap_or_default();
        let text = &self.project.sources[self.source].text;
        let number = text.line_of(self.at);
        let (line, start) = (text.line(number), text.line_start(number));
        let tokens = Tokens::new(line);
        let behind = line.get(token.end - start..).unwrap_or_default();
        let components = tokens
            .list
            .iter()
            .find(|other| other.kind == Kind::Components && other.operand == token.operand)
            .and_then(|other| line.get(other.start..other.end))
            .filter(|_| behind.starts_with(['.', '[']));
        let letters = components.unwrap_or("xyzw");
        let tracked = match name.to_ascii_lowercase().as_str() {
            "a0" | "a1" => Some(("a0".to_owned(), Tracked::Address, Mask(3))),
            "cmp" => {
                Some(("cmp".to_owned(), Tracked::Flags, Register::parse(&format!("r0.{letters}"))?.mask))
            }
            _ => None,
        };
        let register = symbol.map_or(name, |symbol| &symbol.register);
        let (name, tracked, mask) = match (tracked, Register::parse(register)) {
            (Some(tracked), _) => tracked,
            (None, Some(register)) if register.bank == 'r' => {
                let register = components.map_or(register, |letters| register.with(letters));
                (format!("r{}", register.number), Tracked::Temp(register.number), register.mask)
            }
            (None, Some(_) | None) if page.is_empty() => {
                return Some(format!("`{register}`: {}", bank(Register::parse(register)?.bank)));
            }
            (None, Some(_) | None) => return Some(page),
        };
        let statement = start + offset(line, tokens.line.name);
        let words = self.project.words(self.source, statement);
        let writes = token.operand == 0 && tokens.opcode.is_some_and(writes_first);
        let uses = words.iter().flat_map(|&pc| self.project.uses(pc, tracked, mask, writes));
        if !words.is_empty() {
            let verb = if writes { "read" } else { "written" };
            let lines = self.lines(uses);
            page += &match lines.is_empty() {
                true => format!("\n\n`{name}.{mask}`: {verb} by no instruction"),
                false => format!("\n\n`{name}.{mask}` {verb} in {lines}"),
            };
        }
        Some(page.trim().to_owned()).filter(|page| !page.is_empty())
    }

    /// Lists the lines of words.
    fn lines(&self, words: impl Iterator<Item = u16>) -> String {
        let lines: BTreeSet<_> = words.filter_map(|pc| self.project.line_of(pc)).collect();
        let mut parts: Vec<String> = Vec::new();
        for &(source, line) in lines.iter().take(MOST_LINES) {
            let statement =
                self.project.sources[source].text.line(line).split(';').next().unwrap_or_default();
            let file = match source == self.source {
                true => String::new(),
                false => format!(" of {}", file_name(&self.project.sources[source].uri)),
            };
            parts.push(format!("\n- line {}{file}: `{}`", line + 1, statement.trim()));
        }
        if lines.len() > MOST_LINES {
            parts.push(format!("\n- and {} more", lines.len() - MOST_LINES));
        }
        parts.concat()
    }
}

/// Returns whether the first operand is written.
fn writes_first(opcode: Opcode) -> bool {
    use transpica::isa::table::Role;
    matches!(opcode.info().operands.first(), Some(Role::Dest | Role::AddressDest))
}
