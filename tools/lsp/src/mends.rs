//! Mends: edits that take advice of the assembler.
//! In: problems of a document. Out: edits that leave fewer problems. Knows no protocol.
//!
//! Advice has texts in backticks: a word for the wrong one, a line for the wrong one, a line to put
//! before, a declaration with its name. A name that is unknown is declared by where it stands. Each
//! way is tried, and the assembler decides.

use serde::Serialize;
use transpica::isa::table::Role;
use transpica_asm::Line;

use crate::analysis::Analysis;
use crate::names::Edits;
use crate::project::{Problem, Project, Severity};
use crate::text::{Range, Text, TextEdit};
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
    /// Preference among the mends of a problem: the likeliest one.
    pub is_preferred: bool,
    /// The edits.
    pub edits: Edits,
}

impl Analysis {
    /// Returns mends of the problems in a part of a document.
    pub fn mends(&mut self, uri: &str, range: Range) -> Vec<Mend> {
        let Some((project, source)) = self.project(uri) else { return Vec::new() };
        let near = |problem: &Problem| problem.range.start <= range.end && range.start <= problem.range.end;
        let problems = project.problems(source).into_iter().filter(near).take(MOST_PROBLEMS);
        problems.flat_map(|problem| mends(project, source, &problem)).collect()
    }
}

/// Returns the first way to take the advice about a problem that leaves fewer, and the first
/// declaration that does.
fn mends(project: &Project, source: usize, problem: &Problem) -> Vec<Mend> {
    let Some(hint) = problem.hint.as_ref().filter(|_| problem.code.is_none()) else { return Vec::new() };
    let text = &project.sources[source].text;
    let number = text.line_of(problem.span.start);
    let (line, start) = (text.line(number), text.line_start(number));
    let quoted = hint.split('`').skip(1).step_by(2).collect();
    let advice = Advice { text, problem, hint, quoted, line, start, tokens: Tokens::new(line) };
    let taken = [advice.quoted(), advice.plain()].into_iter().flatten();
    let taken = taken.filter_map(|edits| tried(project, source, problem, edits)).next();
    let declared = advice.declarations().into_iter();
    let declared = declared.filter_map(|edits| tried(project, source, problem, edits)).next();
    let all = taken.into_iter().chain(declared).enumerate();
    all.map(|(number, mend)| Mend { is_preferred: number == 0, ..mend }).collect()
}

/// Returns edits as a mend, if they leave fewer problems.
fn tried(project: &Project, source: usize, problem: &Problem, edits: Vec<TextEdit>) -> Option<Mend> {
    let title = title(&edits);
    let edits = Edits::from([(project.sources[source].uri.clone(), edits)]);
    let (before, after) = (project.messages(), project.edited(&edits).messages());
    let count = |all: &[(Severity, String)], wanted: &dyn Fn(&(Severity, String)) -> bool| {
        all.iter().filter(|message| wanted(message)).count()
    };
    let own = |message: &(Severity, String)| problem.message.lines().next() == Some(&message.1);
    let error = |message: &(Severity, String)| message.0 == Severity::Error;
    let is_better = count(&after, &own) < count(&before, &own)
        && count(&after, &error) <= count(&before, &error)
        && after.len() <= before.len();
    is_better.then(|| Mend { title, problem: problem.clone(), is_preferred: false, edits })
}

fn title(edits: &[TextEdit]) -> String {
    let texts: Vec<String> = edits.iter().map(|edit| format!("`{}`", edit.new_text.trim())).collect();
    match &texts[..] {
        [one] if one == "``" => "Remove it".to_owned(),
        texts => format!("Write {}", texts.join(" and ")),
    }
}

/// Advice about a line.
struct Advice<'a> {
    text: &'a Text,
    problem: &'a Problem,
    hint: &'a str,
    /// Its parts in backticks.
    quoted: Vec<&'a str>,
    line: &'a str,
    /// Offset of the line.
    start: usize,
    tokens: Tokens<'a>,
}

impl Advice<'_> {
    fn edit(&self, start: usize, end: usize, new: &str) -> TextEdit {
        TextEdit { range: self.text.range(start, end), new_text: new.to_owned() }
    }

    /// Replaces the part that the problem is about.
    fn here(&self, new: &str) -> TextEdit {
        TextEdit { range: self.problem.range, new_text: new.to_owned() }
    }

    /// Replaces the statement.
    fn statement(&self, new: &str) -> TextEdit {
        let Line { name, rest, .. } = self.tokens.line;
        let last = if rest.is_empty() { name } else { rest };
        let [start, end] = [name, last].map(|part| self.start + offset(self.line, part));
        self.edit(start, end + last.len(), new)
    }

    /// Inserts a declaration after all others, since `.gsh` has to come first.
    fn declare(&self, new: &str) -> TextEdit {
        let is_procedure = |number: &usize| Tokens::new(self.text.line(*number)).line.name == ".proc";
        let first = (0..self.text.line_count()).find(is_procedure);
        let place = first.map_or(0, |number| self.text.line_start(number));
        self.edit(place, place, &format!("{new}\n"))
    }

    /// Returns declarations of an unknown name, the likeliest first.
    fn declarations(&self) -> Vec<Vec<TextEdit>> {
        let name =
            self.problem.message.lines().next().and_then(|line| line.strip_prefix("invalid register: "));
        let token = self.problem.span.start.checked_sub(self.start).and_then(|at| self.tokens.find(at));
        let (Some(name), Some(token)) = (name, token) else { return Vec::new() };
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if !name.chars().all(is_name) || name.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Vec::new();
        }
        let input = format!(".in {name}");
        let uniform = format!(".fvec {name}{}", self.count(name));
        let lines = match self.tokens.role(token.operand) {
            Some(Role::Source) if name.starts_with("in") => vec![input, uniform],
            Some(Role::Source) => vec![uniform, input],
            Some(Role::Bool | Role::BoolOrNot) => vec![format!(".bool {name}")],
            Some(Role::Int) => vec![format!(".ivec {name}")],
            _other => Vec::new(),
        };
        lines.into_iter().map(|line| vec![self.declare(&line)]).collect()
    }

    /// Returns the number of rows of a uniform that a text indexes, in brackets.
    fn count(&self, name: &str) -> String {
        let before = format!("{name}[");
        let indices = self.text.as_str().split(&before).skip(1).filter_map(|rest| rest.split(']').next());
        // An index that is a register says nothing.
        let rows = indices.map(|index| index.trim().parse().unwrap_or(0));
        rows.max().map_or_else(String::new, |most: u32| format!("[{}]", most.saturating_add(1)))
    }

    /// Returns the edits that take what is in backticks.
    fn quoted(&self) -> Option<Vec<TextEdit>> {
        let is_own = |line: &str| line.split(' ').next() == Some(self.tokens.line.name);
        // A declaration or a line to put before this one, and what to write here.
        let name =
            self.hint.split(" here").next().and_then(|head| head.rsplit(' ').next()).unwrap_or_default();
        match self.quoted[..] {
            [first, ..] if self.hint.contains(" here") && first.contains(' ') => {
                let indent = &self.line[..self.line.len() - self.line.trim_start().len()];
                let place = match first.starts_with('.') {
                    true => self.declare(first),
                    false => self.edit(self.start, self.start, &format!("{indent}{first}\n")),
                };
                Some(vec![place, self.here(name.trim_matches('`'))])
            }
            [first, line] if self.hint.starts_with("declare") && is_own(line) => {
                Some(vec![self.declare(first), self.statement(line)])
            }
            // Lines that only show an instruction have other operands.
            [line] if is_own(line) => Some(vec![self.statement(line)]),
            [word, ..]
                if self.hint.starts_with("did you mean") || self.hint.starts_with("directives begin") =>
            {
                Some(vec![self.here(word)])
            }
            [left, right] if self.hint.contains("comma is missing between") => {
                let rest = offset(self.line, self.tokens.line.rest);
                let between = |blank| self.line[rest..].find(&format!("{left}{blank}{right}"));
                let place = self.start + rest + [" ", "\t"].into_iter().find_map(between)? + left.len();
                Some(vec![self.edit(place, place, ",")])
            }
            _ => None,
        }
    }

    /// Returns the edits that take advice without backticks.
    fn plain(&self) -> Option<Vec<TextEdit>> {
        if self.hint.contains("lacks its `.end`") {
            let end = self.text.as_str().len();
            let new = if self.text.as_str().ends_with('\n') { ".end\n" } else { "\n.end\n" };
            return Some(vec![self.edit(end, end, new)]);
        }
        if self.hint.starts_with("remove") || self.problem.message.contains("is ignored") {
            return Some(vec![self.here("")]);
        }
        let word = self.hint.strip_prefix("write ")?.split([':', ' ']).next()?;
        Some(vec![self.here(word.trim_matches(['`', ',']))])
    }
}

impl Analysis {
    /// Returns the edits that lay out a document.
    pub fn format(&mut self, uri: &str) -> Vec<TextEdit> {
        let Some((project, source)) = self.project(uri) else { return Vec::new() };
        let text = &project.sources[source].text;
        let new_text = transpica_asm::format(text.as_str());
        let edit = (new_text != text.as_str()).then(|| TextEdit { range: text.whole(), new_text });
        edit.into_iter().collect()
    }
}
