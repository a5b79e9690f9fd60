//! Results of `--lint`: findings of the library as JSON, and as diagnostics about source lines.

use std::cell::OnceCell;

use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use transpica::host::dvle;
use transpica::isa::Pc;
use transpica::{Error, Limits, Shbin};
use transpica_asm::lint::{Finding, Rule, lint};
use transpica_asm::{Assembled, Diagnostic, Place, SourceText, Span, examine, line_and_column};

use crate::report::Failure;

/// Builds the parser of `--deny`: the name of a rule, or `all`.
pub fn rule_or_all() -> PossibleValuesParser {
    PossibleValuesParser::new(Rule::ALL.iter().map(|rule| rule.id()).chain(["all"]))
}

/// Returns whether a list of rules denies this one.
pub fn is_denied(rule: Rule, denied: &[String]) -> bool {
    denied.iter().any(|name| name == "all" || name == rule.id())
}

/// Returns the findings about an executable, and its entry point.
///
/// # Errors
/// The executable has no program.
pub fn findings(file: &Shbin<'_>, index: usize) -> Result<(Vec<Finding>, Pc), Error> {
    let limits = Limits::default();
    let program = dvle::program(file, index, &limits)?;
    Ok((lint(&program, file, index, &limits)?, program.entry()))
}

/// Fails on findings of a denied rule.
///
/// # Errors
/// The number of such findings and their rules.
pub fn check(found: impl IntoIterator<Item = Rule>, denied: &[String]) -> Result<(), Failure> {
    let mut rules: Vec<Rule> = found.into_iter().filter(|&rule| is_denied(rule, denied)).collect();
    let count = rules.len();
    if count == 0 {
        return Ok(());
    }
    rules.sort_unstable();
    rules.dedup();
    let rules: Vec<_> = rules.iter().map(|rule| rule.id()).collect();
    let findings = if count == 1 { "1 finding is".into() } else { format!("{count} findings are") };
    Err(Failure::new(format!("{findings} denied: {}", rules.join(", "))))
}

/// Findings about an assembled file.
#[derive(Default)]
pub struct Findings {
    /// Diagnostics about source lines with their rules, each once for all executables.
    pub messages: Vec<(Diagnostic, Rule)>,
    /// All findings as JSON.
    pub json: Vec<Value>,
}

/// A finding as JSON.
pub fn describe(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.id(),
        "pc": finding.pc.map(|pc| format!("{:#x}", pc.0)),
        "message": finding.message,
        "explanation": finding.rule.explanation(),
    })
}

/// An error of the assembler as JSON.
pub fn describe_error(error: &Diagnostic) -> Value {
    json!({
        "severity": "error",
        "rule": null,
        "message": error.message,
        "help": error.hint,
        "file": error.file,
        "line": error.line,
        "column": error.column,
    })
}

/// Collects the findings about all assembled executables; findings of denied rules are errors.
///
/// # Errors
/// An executable has no program.
pub fn assembled(
    assembled: &Assembled,
    sources: &[SourceText<'_>],
    denied: &[String],
) -> Result<Findings, Error> {
    let file = Shbin::parse(&assembled.bytes)?;
    // Few files have anything that nothing uses.
    let (mut all, outline) = (Findings::default(), OnceCell::new());
    for index in 0..file.executables.len() {
        let (mut found, entry) = findings(&file, index)?;
        // They belong to no executable.
        if index == 0 {
            found.extend(assembled.findings.iter().cloned());
        }
        for finding in found {
            let declared = match finding.declared {
                Some(_) => outline.get_or_init(|| examine(sources).1).declaration(&finding),
                None => None,
            };
            let declared = declared.and_then(|symbol| place(sources, symbol.span));
            let message = message(&finding, (declared, entry), assembled, sources);
            let mut value = describe(&finding);
            value["severity"] = json!(if is_denied(finding.rule, denied) { "error" } else { "warning" });
            value["executable"] = json!(index);
            value["file"] = json!(message.file);
            value["line"] = json!(message.line);
            value["column"] = json!(message.column);
            all.json.push(value);
            let message = (message, finding.rule);
            if !all.messages.contains(&message) {
                all.messages.push(message);
            }
        }
    }
    Ok(all)
}

/// Builds a diagnostic at the statement that produced the word, or at the declaration of what
/// nothing uses. A finding about the entire program is placed at its entry point.
fn message(
    finding: &Finding,
    (declared, entry): (Option<Place>, Pc),
    assembled: &Assembled,
    sources: &[SourceText<'_>],
) -> Diagnostic {
    let statement = || assembled.places.get(finding.pc.unwrap_or(entry).index()).copied();
    let place = declared.or_else(statement).unwrap_or_default();
    Diagnostic {
        file: assembled.files.get(place.file).cloned().unwrap_or_default(),
        line: place.line,
        column: place.column,
        message: format!("{} [{}]", finding.message, finding.rule),
        hint: Some(finding.rule.explanation().to_string()),
        span: sources.get(place.file).map_or(
            // The file of a line marker is not among the sources.
            Span { source: usize::MAX, start: 0, length: 0 },
            |source| span(source.text, place.file, place.line, place.column),
        ),
    }
}

/// Returns the place of a span.
fn place(sources: &[SourceText<'_>], Span { source, start, .. }: Span) -> Option<Place> {
    let (line, column) = line_and_column(sources.get(source)?.text, start);
    // Ranges: sources are far shorter.
    let (line, column) = (line as u32, column as u32);
    Some(Place { file: source, line, column })
}

/// Returns the span of the statement at a line and column.
fn span(text: &str, source: usize, line: u32, column: u32) -> Span {
    let mut start = 0;
    for (number, content) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            let skipped = content.char_indices().nth(column.saturating_sub(1) as usize);
            let skipped = skipped.map_or(content.len(), |(offset, _)| offset);
            let statement = content[skipped..].split([';', '#']).next().unwrap_or_default();
            return Span { source, start: start + skipped, length: statement.trim_end().len() };
        }
        start += content.len();
    }
    Span { source, start, length: 0 }
}
