//! Mends: edits that take advice of the assembler.
//! In: problems of a document. Out: edits that leave fewer problems. Knows no protocol.
//!
//! Advice has texts in backticks: a word for the wrong one, a line for the wrong one, a line to put
//! before, a declaration with its name. Each way is tried, and the assembler decides.

use serde::Serialize;

use crate::analysis::Analysis;
use crate::names::Edits;
use crate::project::{Problem, Project, Severity, Source};
use crate::text::{Position, Range, Text, TextEdit};
use crate::tokens::{Tokens, offset};

/// Most problems of a request that are tried to mend.
const MOST_PROBLEMS: usize = 8;

/// A mend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mend {
    /// Its effect.
    pub title: String,
    /// The problem.
    pub problem: Problem,
    /// The edits.
    pub edits: Edits,
}

impl Analysis {
    /// Returns mends of the problems in a part of a document.
    pub fn mends(&mut self, uri: &str, range: Range) -> Vec<Mend> {
        let Some((project, source)) = self.project(uri) else { return Vec::new() };
        let near = |problem: &Problem| problem.range.start <= range.end && range.start <= problem.range.end;
        let problems = project.problems(source).into_iter().filter(near).take(MOST_PROBLEMS);
        problems.filter_map(|problem| mend(project, source, problem)).collect()
    }
}

/// Returns the first way to take the advice about a problem that leaves fewer.
fn mend(project: &Project, source: usize, problem: Problem) -> Option<Mend> {
    let hint = problem.hint.as_ref().filter(|_| problem.code.is_none())?;
    let quoted: Vec<&str> = hint.split('`').skip(1).step_by(2).collect();
    let text = &project.sources[source].text;
    for edits in ways(text, &problem, hint, &quoted) {
        let mut changed = text.as_ref().clone();
        // Edits are in the order of the text.
        for edit in edits.iter().rev() {
            changed = changed.replaced(edit.range, &edit.new_text);
        }
        let mut sources = project.sources.clone();
        sources[source] = Source { uri: sources[source].uri.clone(), text: changed.into() };
        let (before, after) = (project.messages(), Project::new(sources).messages());
        let count = |all: &[(Severity, String)], wanted: &dyn Fn(&(Severity, String)) -> bool| {
            all.iter().filter(|message| wanted(message)).count()
        };
        let own = |message: &(Severity, String)| problem.message.lines().next() == Some(&message.1);
        let error = |message: &(Severity, String)| message.0 == Severity::Error;
        let is_better = count(&after, &own) < count(&before, &own)
            && count(&after, &error) <= count(&before, &error)
            && after.len() <= before.len();
        if is_better {
            let uri = project.sources[source].uri.clone();
            let title = title(&edits);
            return Some(Mend { title, problem, edits: Edits::from([(uri, edits)]) });
        }
    }
    None
}

fn title(edits: &[TextEdit]) -> String {
    let texts: Vec<String> = edits.iter().map(|edit| format!("`{}`", edit.new_text.trim())).collect();
    match &texts[..] {
        [one] if one == "``" => "Remove it".to_owned(),
        texts => format!("Write {}", texts.join(" and ")),
    }
}

/// Returns the ways to take advice, likely ones first.
fn ways(text: &Text, problem: &Problem, hint: &str, quoted: &[&str]) -> Vec<Vec<TextEdit>> {
    let (span, number) = (problem.span, text.line_of(problem.span.start));
    let (line, start) = (text.line(number), text.line_start(number));
    let tokens = Tokens::new(line);
    let statement = start + offset(line, tokens.line.name);
    let part = if tokens.line.rest.is_empty() { tokens.line.name } else { tokens.line.rest };
    let end = start + offset(line, part) + part.len();
    let edit = |start: usize, end: usize, new: &str| TextEdit {
        range: text.range(start, end),
        new_text: new.to_owned(),
    };
    let here = |new: &str| edit(span.start, span.start + span.length, new);
    let indent = &line[..line.len() - line.trim_start().len()];
    let mut ways = Vec::new();
    // Declarations go behind all others, since `.gsh` has to come first.
    let is_procedure =
        |number: &usize| Tokens::new(text.line(*number)).line.name.eq_ignore_ascii_case(".proc");
    let top = (0..text.line_count()).find(is_procedure).map_or(0, |number| text.line_start(number));
    let name = hint.split(" here").next().and_then(|head| head.rsplit(' ').next()).unwrap_or_default();
    match quoted {
        // A declaration or a line to put before this one, and what to write here.
        [first, ..] if hint.contains(" here") && first.contains(' ') => {
            let place = match first.starts_with('.') {
                true => edit(top, top, &format!("{first}\n")),
                false => edit(start, start, &format!("{indent}{first}\n")),
            };
            ways.push(vec![place, here(name.trim_matches('`'))]);
        }
        [first, line] if hint.starts_with("declare") && line.split(' ').next() == Some(tokens.line.name) => {
            ways.push(vec![edit(top, top, &format!("{first}\n")), edit(statement, end, line)]);
        }
        // Lines that only show an instruction have other operands.
        [line] if line.split(' ').next() == Some(tokens.line.name) => {
            ways.push(vec![edit(statement, end, line)])
        }
        [word, ..] if hint.starts_with("did you mean") || hint.starts_with("directives begin") => {
            ways.push(vec![here(word)]);
        }
        _ => {}
    }
    if let Some(word) = hint.strip_prefix("write ").and_then(|rest| rest.split([':', ' ']).next()) {
        ways.push(vec![here(word.trim_matches(['`', ',']))]);
    }
    if hint.starts_with("remove") || problem.message.contains("is ignored") {
        ways.push(vec![here("")]);
    }
    if hint.contains("comma is missing between")
        && let [left, right] = quoted
    {
        let wrong = line.get(offset(line, tokens.line.rest)..).unwrap_or_default();
        let blank = |blank: &str| wrong.find(&format!("{left}{blank}{right}"));
        if let Some(at) = [" ", "\t"].into_iter().find_map(blank) {
            let at = start + offset(line, tokens.line.rest) + at + left.len();
            ways.insert(0, vec![edit(at, at, ",")]);
        }
    }
    if hint.contains("lacks its `.end`") {
        let last = text.whole().end;
        let position = Range { start: last, end: last };
        let new = if text.as_str().ends_with('\n') { ".end\n" } else { "\n.end\n" };
        ways.push(vec![TextEdit { range: position, new_text: new.to_owned() }]);
    }
    ways
}

/// Returns the edit that lays out a document, if anything changes.
pub(crate) fn layout(text: &Text) -> Option<TextEdit> {
    let new_text = transpica_asm::format(text.as_str());
    (new_text != text.as_str())
        .then(|| TextEdit { range: Range { start: Position::default(), ..text.whole() }, new_text })
}

impl Analysis {
    /// Returns the edits that lay out a document.
    pub fn format(&mut self, uri: &str) -> Vec<TextEdit> {
        let text = self.project(uri).map(|(project, source)| project.sources[source].text.clone());
        text.and_then(|text| layout(&text)).into_iter().collect()
    }
}
