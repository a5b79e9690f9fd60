//! Documents, and what editors ask about them.
//! In: texts and edits by URI. Out: plain answers, in the form of the protocol when serialized.
//! Neither reads files nor knows messages.
//!
//! A change drops what was made of its project; the next question assembles it again, once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cases::is_cases;
use crate::project::{Project, Source, file_name};
use crate::text::{Range, Text};

/// Most sources of a project.
const MOST_SOURCES: usize = 64;

/// A known text.
#[derive(Clone, Debug, Default)]
struct Document {
    text: Arc<Text>,
    is_open: bool,
    /// Executions of lines, from 1, in the last test of this very text.
    counts: Option<(Arc<Text>, BTreeMap<u32, u64>)>,
}

/// Documents by URI, and their projects.
///
/// ```
/// use transpica_lsp::{Analysis, Position};
/// let mut analysis = Analysis::default();
/// analysis.open("a.v.pica", ".proc main\n\tmvo r0, v0\n\tend\n.end".to_owned());
/// assert!(analysis.problems("a.v.pica")[0].message.contains("did you mean `mov`?"));
/// let at = Position { line: 2, character: 2 };
/// assert!(analysis.hover("a.v.pica", at).is_some_and(|hover| hover.contents.value.contains("ends the program")));
/// ```
#[derive(Default)]
pub struct Analysis {
    documents: BTreeMap<String, Document>,
    projects: BTreeMap<String, Project>,
}

impl Analysis {
    /// Opens a document, or replaces its text.
    pub fn open(&mut self, uri: &str, text: String) {
        let document = self.document(uri);
        document.is_open = true;
        document.text = Arc::new(Text::new(text));
    }

    /// Adds the text of a file, unless it is an open document, whose text stays.
    pub fn know(&mut self, uri: &str, text: String) {
        if !self.is_open(uri) {
            self.document(uri).text = Arc::new(Text::new(text));
        }
    }

    /// Replaces a part of a document, or all of it.
    pub fn edit(&mut self, uri: &str, range: Option<Range>, new: &str) {
        let document = self.document(uri);
        let text = match range {
            Some(range) => document.text.replaced(range, new),
            None => Text::new(new.to_owned()),
        };
        document.text = Arc::new(text);
    }

    /// Closes a document; its text stays known.
    pub fn close(&mut self, uri: &str) {
        if let Some(document) = self.documents.get_mut(uri) {
            document.is_open = false;
        }
    }

    /// Forgets a document that is not open.
    pub fn forget(&mut self, uri: &str) {
        if !self.is_open(uri) {
            self.documents.remove(uri);
            self.projects.remove(&key(uri));
        }
    }

    /// Returns whether a document is open.
    pub fn is_open(&self, uri: &str) -> bool {
        self.documents.get(uri).is_some_and(|document| document.is_open)
    }

    /// Returns whether a document has this text.
    pub fn has_text(&self, uri: &str, text: &str) -> bool {
        self.documents.get(uri).is_some_and(|document| document.text.as_str() == text)
    }

    /// Returns the text of a document.
    pub(crate) fn text(&self, uri: &str) -> Option<Arc<Text>> {
        self.documents.get(uri).map(|document| document.text.clone())
    }

    /// Returns the documents that are known.
    pub fn uris(&self) -> Vec<String> {
        self.documents.keys().cloned().collect()
    }

    /// Notes how often each line of a known text ran in its last test.
    pub fn set_counts(&mut self, uri: &str, counts: BTreeMap<u32, u64>) {
        if let Some(document) = self.documents.get_mut(uri) {
            document.counts = Some((document.text.clone(), counts));
        }
    }

    /// Returns how often each line ran, unless the text is another one by now.
    pub(crate) fn counts(&self, uri: &str) -> Option<&BTreeMap<u32, u64>> {
        let document = self.documents.get(uri)?;
        document.counts.as_ref().filter(|(text, _)| *text == document.text).map(|(_, counts)| counts)
    }

    /// Returns a document that will change.
    fn document(&mut self, uri: &str) -> &mut Document {
        self.projects.remove(&key(uri));
        self.documents.entry(uri.to_owned()).or_default()
    }

    /// Returns the project of a document, and the document's number in it. A test file has none.
    pub fn project(&mut self, uri: &str) -> Option<(&Project, usize)> {
        if is_cases(uri) {
            return None;
        }
        let key = key(uri);
        if !self.projects.contains_key(&key) {
            let project = Project::new(self.sources(uri)?);
            self.projects.insert(key.clone(), project);
        }
        let project = self.projects.get(&key)?;
        Some((project, project.find(uri)?))
    }

    /// Returns the sources of a document's project: of a vertex program, of others, of a geometry
    /// program.
    fn sources(&self, uri: &str) -> Option<Vec<Source>> {
        let source =
            |(uri, document): (&String, &Document)| Source { uri: uri.clone(), text: document.text.clone() };
        let own = source(self.documents.get_key_value(uri)?);
        let wanted = key(uri);
        let others = self.documents.iter().filter(|(other, _)| *other != uri && key(other) == wanted);
        let mut sources: Vec<Source> = others.map(source).take(MOST_SOURCES - 1).collect();
        sources.push(own);
        sources.sort_by_cached_key(|source| {
            let name = file_name(&source.uri);
            let order = if name.ends_with(".v.pica") { 0 } else { 1 + u8::from(name.ends_with(".g.pica")) };
            (order, name.to_owned())
        });
        Some(sources)
    }
}

/// Returns what documents of one project have in common: folder, and stem of the name. A name with
/// another ending is a project of its own.
fn key(uri: &str) -> String {
    let name = file_name(uri);
    if !name.ends_with(".pica") {
        return uri.to_owned();
    }
    format!("{}{}.", &uri[..uri.len() - name.len()], transpica_asm::stem(name))
}
