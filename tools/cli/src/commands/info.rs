//! `transpica info`: every table of a container. One JSON description is the source of the text,
//! too, so that both agree.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use serde_json::Value;
use transpica_containers::vbc::Vbc;
use transpica_inspect::tables::{aligned, cell, describe};

use crate::arguments::{Arguments, Results};
use crate::input::Input;
use crate::json::Schema;
use crate::lint::{self, rule_or_all};
use crate::report::{Common, Failure};
use crate::streams::Streams;
use crate::terminal::columns;
use crate::vbc;

/// Show a file's headers, symbols, constants and outputs
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica info lights.shbin
  transpica info lights.shbin --lint
  transpica info library.shbin --json")]
pub struct Info {
    /// A .shbin file, .pica source or .vbc file; - reads standard input
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened.
    pub file: PathBuf,
    /// List mistakes that hardware does not tolerate
    #[arg(long)]
    pub lint: bool,
    /// Imply --lint, and exit with status 1 if this rule finds something; may be repeated
    #[arg(long, value_name = "RULE", value_parser = rule_or_all())]
    pub deny: Vec<String>,
    #[command(flatten)]
    pub results: Results,
}

impl Arguments for Info {
    fn streams(&self) -> Streams<'_> {
        self.results.streams([&self.file])
    }
}

/// Runs the command.
pub fn run(arguments: &Info, common: &Common) -> Result<(), Failure> {
    let Info { file, lint, deny, results } = arguments;
    let is_json = results.is_json();
    let input = Input::open(file)?.remarked(common);
    if Vbc::is_start(&input.bytes) {
        return results.write(&text(&input, vbc::describe(&input)?, is_json.then_some(Schema::VBC)));
    }
    let start = Instant::now();
    let container = input.parse()?;
    common.detail(format_args!(
        "{}: {} bytes, read in {:?}",
        file.display(),
        input.bytes.len(),
        start.elapsed()
    ));
    let mut value = describe(&container);
    let mut rules = Vec::new();
    if *lint || !deny.is_empty() {
        for index in 0..container.executables.len() {
            let (found, _) =
                lint::findings(&container, index).map_err(|error| Failure::from_error(file, &error))?;
            value["executables"][index]["lint"] = found.iter().map(lint::describe).collect();
            rules.extend(found.iter().map(|finding| finding.rule));
        }
    }
    results.write(&text(&input, value, is_json.then_some(Schema::INFO)))?;
    lint::check(rules, deny)
}

/// Returns a description as JSON of a schema, or as tables.
fn text(input: &Input, value: Value, schema: Option<Schema>) -> String {
    if let Some(schema) = schema {
        return schema.text(value);
    }
    let mut text = format!("{}: {} bytes\n", input.path.display(), input.bytes.len());
    section(&mut text, &value, 0);
    text
}

/// Members without a line or a column in the text: it has the number of an executable as a title,
/// and values without their bits.
const NOT_IN_TEXT: [&str; 2] = ["dvle", "bits"];

/// Prints an object as `key: value` lines, and tables of flat rows in columns. The nesting is that
/// of `describe`.
fn section(text: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    let Some(map) = value.as_object() else { return };
    for (key, value) in map.iter().filter(|(key, _)| !NOT_IN_TEXT.contains(&key.as_str())) {
        let key = key.replace('_', " ");
        match value {
            Value::Object(_) => {
                let _ = writeln!(text, "{indent}{key}");
                section(text, value, depth + 1);
            }
            Value::Array(rows) if rows.is_empty() => {
                let _ = writeln!(text, "{indent}{key}: none");
            }
            Value::Array(rows) if key == "executables" => {
                for (index, row) in rows.iter().enumerate() {
                    let _ = writeln!(text, "{indent}dvle {index}");
                    section(text, row, depth + 1);
                }
            }
            Value::Array(rows) => {
                let _ = writeln!(text, "{indent}{key}");
                table(text, rows, depth + 1);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                let _ = writeln!(text, "{indent}{key}: {}", cell(value, "none"));
            }
        }
    }
}

fn table(text: &mut String, rows: &[Value], depth: usize) {
    let cells = |row: &Value| match row.as_object() {
        Some(map) => {
            let shown = map.iter().filter(|(key, _)| !NOT_IN_TEXT.contains(&key.as_str()));
            shown.map(|(_, value)| cell(value, "none")).collect::<Vec<_>>()
        }
        None => vec![cell(row, "none")],
    };
    let all: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let rows: Vec<_> = all.iter().map(Vec::as_slice).collect();
    text.push_str(&aligned(&rows, &"  ".repeat(depth), columns));
}
