//! Test files: what `transpica test` reports before it runs them, and completion.
//! In: open documents, files around them. Out: problems, candidates. Knows no key: the crate
//! `transpica-unit` has the format.

use transpica_unit::{ENDING, Problem as Found, TestFile, complete};

use crate::completion::{Completion, NAME};
use crate::project::{Problem, Severity, file_name};
use crate::server::{Host, Server};
use crate::text::{Position, TextEdit, join};

/// Returns whether a document is a test file.
pub(crate) fn is_cases(uri: &str) -> bool {
    uri.ends_with(ENDING)
}

impl<H: Host> Server<H> {
    /// Reads a file beside a document, as the editor has it.
    fn beside(&self, uri: &str, name: &str) -> Result<(String, Vec<u8>), Found> {
        let other = join(uri, name);
        let open = self.analysis.text(&other).filter(|_| self.analysis.is_open(&other));
        let bytes = open.map(|text| text.as_str().as_bytes().to_vec()).or_else(|| self.host.read(&other));
        let missing =
            || Found { file: name.to_owned(), message: "file not found".into(), ..Found::default() };
        Ok((name.to_owned(), bytes.ok_or_else(missing)?))
    }

    /// Returns the problem of a test file, if it has one. It is at the top if it is about another
    /// file.
    pub(crate) fn case_problems(&self, uri: &str) -> Vec<Problem> {
        let Some(text) = self.analysis.text(uri) else { return Vec::new() };
        let name = file_name(uri);
        let files = |name: &str| self.beside(uri, name);
        let Err(found) = TestFile::with(name, text.as_str(), &files) else { return Vec::new() };
        let place = found.place.filter(|_| found.file == name);
        let (line, column) = place.map_or((0, 0), |(line, column)| (line - 1, column - 1));
        let (own, start) = (text.line(line), text.line_start(line));
        let (at, rest) = own.char_indices().nth(column).map_or((own.len(), ""), |(at, _)| (at, &own[at..]));
        let is_end = |letter: char| letter.is_whitespace() || "=,}".contains(letter);
        let end = at + rest.find(is_end).unwrap_or(rest.len());
        let message = if place.is_some() { found.message } else { found.to_string() };
        let range = text.range(start + at, start + end);
        vec![Problem { range, severity: Severity::Error, source: "transpica", message, ..Problem::default() }]
    }

    /// Returns what can stand at a position of a test file.
    pub(crate) fn complete_cases(&self, uri: &str, position: Position) -> Vec<Completion> {
        let Some(text) = self.analysis.text(uri) else { return Vec::new() };
        let files = |name: &str| self.beside(uri, name);
        let shader = TestFile::shader_of(file_name(uri), text.as_str(), &files).ok();
        let end = text.offset(position);
        let (start, words) = complete(text.as_str().get(..end).unwrap_or_default(), shader.as_ref());
        let range = text.range(start, end);
        let item = |(number, (label, detail)): (usize, (String, String))| {
            let text_edit = TextEdit { range, new_text: label.clone() };
            let sort_text = format!("{number:04}");
            Completion { label, kind: NAME, detail, sort_text, text_edit, ..Completion::default() }
        };
        words.into_iter().enumerate().map(item).collect()
    }
}
