//! Names: where they are declared and used, and new ones for them.
//! In: a document, a place. Out: places, edits. Knows no protocol.

use std::collections::BTreeMap;

use serde::Serialize;
use transpica_asm::{Line, Symbol, SymbolKind};

use crate::analysis::Analysis;
use crate::project::Project;
use crate::text::{Position, Range, TextEdit};

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The document.
    pub uri: String,
    /// The part.
    pub range: Range,
}

/// A declared name of an outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSymbol {
    /// The name.
    pub name: String,
    /// The register that it stands for.
    pub detail: String,
    /// Its kind, as the protocol numbers it.
    pub kind: u8,
    /// The declaration with all that belongs to it.
    pub range: Range,
    /// The name.
    pub selection_range: Range,
    /// Names inside it.
    pub children: Vec<Self>,
}

/// A declared name of any document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceSymbol {
    /// The name.
    pub name: String,
    /// Its kind, as the protocol numbers it.
    pub kind: u8,
    /// Its place.
    pub location: Location,
}

/// Edits of documents, by URI.
pub type Edits = BTreeMap<String, Vec<TextEdit>>;

/// Most answers about all documents.
const MOST_SYMBOLS: usize = 1000;

/// A declared name with its places, each with whether it declares the name.
type Named<'a> = (&'a Project, &'a Symbol, Vec<(Location, bool)>);

impl Analysis {
    /// Returns the name at a position with its places, each with whether it declares the name.
    fn occurrences(&mut self, uri: &str, position: Position) -> Option<Named<'_>> {
        let (project, source) = self.project(uri)?;
        let at = project.sources[source].text.offset(position);
        let (name, token) = project.name_at(source, at)?;
        let symbol = project.symbol(source, token.kind, name)?;
        let locate = |(span, declares): (transpica_asm::Span, bool)| {
            (Location { uri: project.sources[span.source].uri.clone(), range: project.range(span) }, declares)
        };
        let all = project.occurrences(symbol).into_iter().map(locate).collect();
        Some((project, symbol, all))
    }

    /// Returns the declaration of the name at a position.
    pub fn definition(&mut self, uri: &str, position: Position) -> Option<Location> {
        let (project, symbol, _) = self.occurrences(uri, position)?;
        let source = project.sources.get(symbol.span.source)?;
        Some(Location { uri: source.uri.clone(), range: project.range(symbol.span) })
    }

    /// Returns the uses of the name at a position, in all sources of the file.
    pub fn references(&mut self, uri: &str, position: Position, with_declaration: bool) -> Vec<Location> {
        let all = self.occurrences(uri, position).map(|(_, _, all)| all).unwrap_or_default();
        all.into_iter()
            .filter(|(_, declares)| with_declaration || !declares)
            .map(|(place, _)| place)
            .collect()
    }

    /// Returns the part of the text that a new name replaces.
    pub fn renamed_part(&mut self, uri: &str, position: Position) -> Option<Range> {
        let (_, _, all) = self.occurrences(uri, position)?;
        let mut own = all.into_iter().filter(|(place, _)| place.uri == uri).map(|(place, _)| place.range);
        own.find(|range| range.start <= position && position <= range.end)
    }

    /// Returns the edits that give the name at a position another one, in all sources of the file.
    ///
    /// # Errors
    /// No name, or a new one that the assembler does not take or that exists.
    pub fn rename(&mut self, uri: &str, position: Position, new: &str) -> Result<Edits, String> {
        let (project, _, all) = self.occurrences(uri, position).ok_or("no name is declared here")?;
        // Two words would be two operands of a directive.
        if new.is_empty() || new.contains([' ', '\t', '\n', ';', '[', '(']) {
            return Err("a name has letters, digits, `_` and `$`, and does not begin with a digit".into());
        }
        let mut edits = Edits::new();
        for (place, _) in all {
            let edit = TextEdit { range: place.range, new_text: new.to_owned() };
            edits.entry(place.uri).or_default().push(edit);
        }
        let (mut before, renamed) = (project.messages(), project.edited(&edits));
        let new_one = renamed.messages().into_iter().find(|message| {
            let known = before.iter().position(|old| old == message);
            known.map(|known| before.swap_remove(known)).is_none()
        });
        let code = |project: &Project| project.assembled().map(|file| file.model.code.clone());
        match new_one {
            Some((_, message)) => Err(message),
            None if code(project) != code(&renamed) => {
                Err(format!("{new} already stands for something else"))
            }
            None => Ok(edits),
        }
    }

    /// Returns the declared names of a document, labels inside their procedures.
    pub fn symbols(&mut self, uri: &str) -> Vec<DocumentSymbol> {
        let Some((project, source)) = self.project(uri) else { return Vec::new() };
        let text = &project.sources[source].text;
        let blocks = || project.outline.blocks.iter().filter(|block| block.is_procedure);
        let mut all: Vec<DocumentSymbol> = Vec::new();
        let own = project
            .outline
            .symbols
            .iter()
            .filter(|symbol| symbol.span.source == source && !symbol.name.is_empty());
        for symbol in own {
            let name = project.range(symbol.span);
            let number = text.line_of(symbol.span.start);
            let start = text.line_start(number);
            let end = match blocks()
                .find(|block| block.start == symbol.span && symbol.kind == SymbolKind::Procedure)
            {
                Some(block) => block.end.start + block.end.length,
                None => start + text.line(number).len(),
            };
            let new = DocumentSymbol {
                name: symbol.name.clone(),
                detail: symbol.register.clone(),
                kind: number_of(symbol.kind),
                range: text.range(start, end),
                selection_range: name,
                children: Vec::new(),
            };
            // Names are in the order of the text, so the last one may hold this one.
            match all
                .last_mut()
                .filter(|last| symbol.kind == SymbolKind::Label && last.range.end > name.start)
            {
                Some(procedure) => procedure.children.push(new),
                None => all.push(new),
            }
        }
        all
    }

    /// Returns the names of all documents that contain a text.
    pub fn find_symbols(&mut self, query: &str) -> Vec<WorkspaceSymbol> {
        let query = query.to_ascii_lowercase();
        let mut found = Vec::new();
        for uri in self.uris() {
            let Some((project, source)) = self.project(&uri) else { continue };
            for symbol in project.outline.symbols.iter().filter(|symbol| symbol.span.source == source) {
                if symbol.name.is_empty() || !symbol.name.to_ascii_lowercase().contains(&query) {
                    continue;
                }
                if found.len() == MOST_SYMBOLS {
                    return found;
                }
                let location = Location { uri: uri.clone(), range: project.range(symbol.span) };
                found.push(WorkspaceSymbol {
                    name: symbol.name.clone(),
                    kind: number_of(symbol.kind),
                    location,
                });
            }
        }
        found
    }
}

/// Returns the number that the protocol has for a kind.
fn number_of(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Procedure => 12,
        SymbolKind::Label => 20,
        SymbolKind::Alias => 13,
        SymbolKind::Uniform => 7,
        SymbolKind::Constant => 14,
        SymbolKind::Input | SymbolKind::Output => 8,
    }
}

/// Returns whether a line has nothing but a comment.
pub(crate) fn is_comment(line: &Line<'_>) -> bool {
    line.name.is_empty() && line.labels.is_empty() && line.comment.is_some()
}
