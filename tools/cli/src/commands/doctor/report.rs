//! The report of `doctor`: Markdown to be pasted into an issue, or JSON.
//! In: an examination. Out: text that names files without folders, and whose cells hold no markup
//! of the files.

use std::fmt::Write;

use serde_json::{Value, json};

use super::examination::{Distinct, Examination, File, Row};
use crate::caches::Cache;
use crate::commands::comparison::{Class, driver};
use crate::json::Schema;
use crate::terminal::visible;

/// Most rows of a table; JSON has all.
const ROWS: usize = 40;
/// Most characters of a cell.
const WIDEST: usize = 240;

/// Returns a text as the content of a table cell.
fn cell(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::with_capacity(one_line.len());
    for c in visible(&one_line).chars().take(WIDEST) {
        if "|`*<>[]\\".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Writes a line for what a table leaves out.
fn rest(text: &mut String, count: usize, what: &str) {
    if let Some(more @ 1..) = count.checked_sub(ROWS) {
        let _ = writeln!(text, "\n{more} more {what}: see `--json`.");
    }
}

/// Returns the report as Markdown.
pub(super) fn markdown(examination: &Examination<'_>) -> String {
    let mut text = String::from("# transpica doctor\n\n");
    let _ = writeln!(text, "```text\n{}```\n", visible(&examination.driver.to_string()));
    files(&mut text, examination);
    result(&mut text, examination);
    failures(&mut text, examination);
    warnings(&mut text, examination);
    text
}

fn files(text: &mut String, examination: &Examination<'_>) {
    text.push_str("| file | format | bytes | entries | programs | warnings |\n|---|---|--:|--:|--:|--:|\n");
    for File { name, bytes, cache } in examination.files.iter().take(ROWS) {
        let name = cell(name);
        let _ = match cache {
            Ok(Cache { kind, entries, programs, fault_count, .. }) => {
                let kind = kind.name();
                writeln!(
                    text,
                    "| {name} | {kind} | {bytes} | {entries} | {} | {fault_count} |",
                    programs.len()
                )
            }
            Err(error) => writeln!(text, "| {name} | **not read**: {} | {bytes} | | | |", cell(error)),
        };
    }
    rest(text, examination.files.len(), "files");
    if !examination.others.is_empty() {
        let names: Vec<String> = examination.others.iter().take(ROWS).map(|name| cell(name)).collect();
        let _ = writeln!(text, "\nSkipped, no vertex programs: {}.", names.join(", "));
        rest(text, examination.others.len(), "skipped files");
    }
    text.push('\n');
}

fn result(text: &mut String, examination: &Examination<'_>) {
    let Examination { rows, vertices, seed, route, .. } = examination;
    let counts = Class::ALL.map(|class| (examination.count(class), class));
    // The first two are always there.
    let shown = counts.iter().enumerate().filter(|(index, (count, _))| *index < 2 || *count > 0);
    let shown: Vec<String> = shown.map(|(_, (count, class))| format!("{count} {}", class.name())).collect();
    let _ = writeln!(
        text,
        "**{} programs, {} distinct: {}.**",
        examination.stored(),
        rows.len(),
        shown.join(", ")
    );
    if rows.is_empty() {
        let entries: usize = caches(examination).map(|cache| cache.entries).sum();
        let _ = writeln!(text, "{entries} entries, no vertex program: nothing to check.");
        return unnamed(text, examination);
    }
    let compared: usize = rows.iter().map(|row| row.verdict.vertices).sum();
    let values: u64 = rows.iter().map(|row| row.verdict.values).sum();
    let _ = writeln!(
        text,
        "{compared} vertices ({vertices} of each program, seed {seed}), {values} values; route {}.",
        route.name()
    );
    unnamed(text, examination);
}

fn unnamed(text: &mut String, examination: &Examination<'_>) {
    let unnamed: usize = caches(examination).map(|cache| cache.unnamed).sum();
    if unnamed > 0 {
        let _ =
            writeln!(text, "Stored programs without a configuration, so without an entry point: {unnamed}.");
    }
}

/// Iterates over the programs that reports list.
fn not_equal<'a>(examination: &'a Examination<'_>) -> impl Iterator<Item = &'a Row<'a>> {
    examination.rows.iter().filter(|row| row.class != Class::Equal)
}

fn caches<'a>(examination: &'a Examination<'_>) -> impl Iterator<Item = &'a Cache> {
    examination.files.iter().filter_map(|file| file.cache.as_ref().ok())
}

fn failures(text: &mut String, examination: &Examination<'_>) {
    let rows: Vec<&Row<'_>> = not_equal(examination).collect();
    if rows.is_empty() {
        return;
    }
    text.push_str("\n| key | file | offset | stored | result | detail |\n|---|---|--:|--:|---|---|\n");
    for Row { program: Distinct { key, program, file, count }, class, detail, .. } in rows.iter().take(ROWS) {
        let (class, detail, file, offset) = (class.name(), cell(detail), cell(file), program.offset);
        let _ = writeln!(text, "| {key} | {file} | {offset:#x} | {count} | {class} | {detail} |");
    }
    rest(text, rows.len(), "programs");
    if rows.iter().any(|row| row.class.fails()) {
        text.push_str(
            "\nTo report: paste this text into an issue, and attach the folder that `--extract DIR` fills with the programs above.\n",
        );
    }
}

fn warnings(text: &mut String, examination: &Examination<'_>) {
    let with_faults = || {
        let files = examination.files.iter().filter_map(|file| Some((file, file.cache.as_ref().ok()?)));
        files.flat_map(|(file, cache)| cache.faults.iter().map(move |fault| (&file.name, fault)))
    };
    if with_faults().next().is_none() {
        return;
    }
    text.push_str("\nWarnings:\n\n");
    for (name, fault) in with_faults().take(ROWS) {
        let _ = writeln!(text, "* {}: {}", cell(name), cell(&fault.to_string()));
    }
    let count: usize = caches(examination).map(|cache| cache.fault_count).sum();
    let shown = with_faults().take(ROWS).count();
    if count > shown {
        let _ = writeln!(text, "* and {} more", count - shown);
    }
}

/// Returns the report as JSON.
pub(super) fn json(examination: &Examination<'_>) -> String {
    let files: Vec<Value> = examination.files.iter().map(file).collect();
    let rows = not_equal(examination).map(|Row { program, class, detail, .. }| {
        json!({
            "key": program.key.to_string(), "file": program.file, "offset": program.program.offset,
            "stored": program.count, "result": class.name(), "fails": class.fails(), "detail": detail,
        })
    });
    let rows: Vec<Value> = rows.collect();
    let mut programs = serde_json::Map::new();
    programs.insert("stored".into(), examination.stored().into());
    programs.insert("distinct".into(), examination.rows.len().into());
    for class in Class::ALL {
        programs.insert(class.name().into(), examination.count(class).into());
    }
    Schema::DOCTOR.text(json!({
        "driver": driver(&examination.driver), "route": examination.route.name(),
        "vertices": examination.vertices, "seed": examination.seed, "files": files, "skipped": examination.others,
        "programs": programs, "not_equal": rows,
    }))
}

fn file(File { name, bytes, cache }: &File) -> Value {
    match cache {
        Err(error) => json!({ "file": name, "bytes": bytes, "error": error }),
        Ok(cache) => {
            let faults =
                cache.faults.iter().map(|fault| json!({ "offset": fault.offset, "text": fault.text }));
            json!({
                "file": name, "bytes": bytes, "format": cache.kind.name(), "entries": cache.entries,
                "programs": cache.programs.len(), "without_configuration": cache.unnamed,
                "warning_count": cache.fault_count, "warnings": faults.collect::<Vec<_>>(),
            })
        }
    }
}
