//! Decorations of a text in an editor: semantic tokens, folding ranges, inlay hints.
//! In: a document. Out: tokens, ranges, notes. Knows no protocol.

use serde::Serialize;
use transpica_asm::{Line, SymbolKind};

use crate::analysis::Analysis;
use crate::names::is_comment;
use crate::operands::Register;
use crate::project::Project;
use crate::text::{Position, Range, count};
use crate::tokens::{Kind, Token, Tokens};

/// Types of tokens, by number.
pub const TOKEN_TYPES: [&str; 12] = [
    "keyword",
    "macro",
    "comment",
    "function",
    "label",
    "variable",
    "parameter",
    "property",
    "number",
    "enumMember",
    "operator",
    "type",
];

/// Modifiers of tokens, by bit.
pub const TOKEN_MODIFIERS: [&str; 2] = ["declaration", "readonly"];

/// Lines to fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fold {
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// The kind of the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
}

/// A note that editors show inside a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InlayHint {
    /// Its place.
    pub position: Position,
    /// The note.
    pub label: String,
    /// A blank before it.
    pub padding_left: bool,
}

impl Analysis {
    /// Returns tokens as the protocol has them: five numbers for each, its place relative to the
    /// one before it, its length, its type and modifiers.
    pub fn semantic_tokens(&mut self, uri: &str) -> Vec<u32> {
        let Some((project, source)) = self.project(uri) else { return Vec::new() };
        let text = &project.sources[source].text;
        let (mut data, mut last) = (Vec::new(), Position::default());
        for number in 0..text.line_count() {
            let line = text.line(number);
            let (mut units, mut at) = (0, 0);
            for token in Tokens::new(line).list {
                let part = line.get(token.start..token.end).unwrap_or_default();
                let Some((kind, modifiers)) = color(project, source, part, token) else { continue };
                units += count(line.get(at..token.start).unwrap_or_default().encode_utf16().count());
                at = token.start;
                let place = Position { line: count(number), character: units };
                let is_same = place.line == last.line;
                let character = place.character - if is_same { last.character } else { 0 };
                data.extend([
                    place.line - last.line,
                    character,
                    count(part.encode_utf16().count()),
                    kind,
                    modifiers,
                ]);
                last = place;
            }
        }
        data
    }

    /// Returns blocks and comments of several lines.
    pub fn folds(&mut self, uri: &str) -> Vec<Fold> {
        let Some((project, source)) = self.project(uri) else { return Vec::new() };
        let text = &project.sources[source].text;
        let mut folds = Vec::new();
        let mut add = |first: usize, last: usize, kind| {
            if first < last {
                folds.push(Fold { start_line: count(first), end_line: count(last), kind });
            }
        };
        for block in project.outline.blocks.iter().filter(|block| block.start.source == source) {
            let [start, end] = [block.start, block.end].map(|span| text.line_of(span.start));
            // The line of `.end` and `.else` stays visible.
            let middle = block.middle.map(|span| text.line_of(span.start));
            add(start, middle.unwrap_or(end).saturating_sub(1), None);
            if let Some(middle) = middle {
                add(middle, end.saturating_sub(1), None);
            }
        }
        let mut first = None;
        for number in 0..=text.line_count() {
            let is_note = number < text.line_count() && is_comment(&Line::new(text.line(number)));
            match (is_note, first) {
                (true, None) => first = Some(number),
                (false, Some(start)) => {
                    add(start, number - 1, Some("comment"));
                    first = None;
                }
                (true, Some(_)) | (false, None) => {}
            }
        }
        folds
    }

    /// Returns notes for some lines: registers of declared names, addresses of code, and how often
    /// a line ran in the last test.
    pub fn inlay_hints(&mut self, uri: &str, range: Range) -> Vec<InlayHint> {
        let counts = self.counts(uri).cloned();
        let Some((project, source)) = self.project(uri) else { return Vec::new() };
        let text = &project.sources[source].text;
        let lines =
            range.start.line as usize..text.line_count().min((range.end.line as usize).saturating_add(1));
        let mut hints = Vec::new();
        let mut add = |offset: usize, label: String, padding_left| {
            hints.push(InlayHint { position: text.position(offset), label, padding_left });
        };
        for symbol in project.outline.symbols.iter().filter(|symbol| symbol.span.source == source) {
            let is_plain = matches!(
                symbol.kind,
                SymbolKind::Uniform | SymbolKind::Constant | SymbolKind::Input | SymbolKind::Output
            );
            let line = text.line_of(symbol.span.start);
            if is_plain
                && lines.contains(&line)
                && !Tokens::new(text.line(line)).line.rest.contains(&symbol.register)
            {
                add(symbol.span.start + symbol.span.length, format!(": {}", symbol.register), false);
            }
        }
        for number in lines {
            let line = text.line(number);
            let tokens = Tokens::new(line);
            let statement = text.line_start(number) + crate::tokens::offset(line, tokens.line.name);
            let Some(first) = project.words(source, statement).first() else { continue };
            let ran = counts.as_ref().and_then(|counts| counts.get(&(count(number) + 1)));
            let ran = ran.map(|ran| format!(" ×{ran}")).unwrap_or_default();
            let rest = tokens.line.rest;
            let name = if rest.is_empty() { tokens.line.name } else { rest };
            let end = text.line_start(number) + crate::tokens::offset(line, name) + name.len();
            add(end, format!("{first:#05x}{ran}"), true);
        }
        hints.sort_by_cached_key(|InlayHint { position, .. }| {
            u64::from(position.line) << 32 | u64::from(position.character)
        });
        hints
    }
}

/// Returns the type of a token and its modifiers.
fn color(project: &Project, source: usize, text: &str, token: Token) -> Option<(u32, u32)> {
    let declared = u32::from(token.declares);
    let (kind, modifiers) = match token.kind {
        Kind::Mnemonic => ("keyword", 0),
        Kind::Directive => ("macro", 0),
        Kind::Comment => ("comment", 0),
        Kind::Procedure => ("function", declared),
        Kind::Label => ("label", declared),
        Kind::Components => ("property", 0),
        Kind::Number => ("number", 0),
        Kind::OutputType => ("type", 0),
        Kind::Keyword => ("operator", 0),
        Kind::Word => {
            let symbol = project.symbol(source, Kind::Word, text);
            match symbol.map(|symbol| symbol.kind) {
                Some(SymbolKind::Constant) => ("enumMember", declared | 2),
                Some(SymbolKind::Uniform | SymbolKind::Input) => ("parameter", declared | 2),
                Some(_) => ("variable", declared),
                None if Register::parse(text).is_some() || matches!(text, "a0" | "aL" | "cmp" | "lcnt") => {
                    ("variable", 0)
                }
                // A name without a declaration keeps the color of plain text.
                None => return None,
            }
        }
    };
    let kind = TOKEN_TYPES.iter().position(|name| *name == kind)?;
    Some((count(kind), modifiers))
}
