//! The report of `doctor`: Markdown to be pasted into an issue, or JSON.
//! In: an examination. Out: text that names files without folders, and whose cells hold no markup
//! of the files.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Checked, Class, Distinct, Examination, File};
use crate::caches::Cache;
use crate::commands::compare::driver;
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
    let stored: usize = rows.iter().map(|(distinct, _)| distinct.count).sum();
    let counts = Class::ALL.map(|class| (examination.count(class), class));
    // The first two are always there.
    let shown = counts.iter().enumerate().filter(|(index, (count, _))| *index < 2 || *count > 0);
    let shown: Vec<String> = shown.map(|(_, (count, class))| format!("{count} {}", class.name())).collect();
    let _ = writeln!(text, "**{stored} programs, {} distinct: {}.**", rows.len(), shown.join(", "));
    let compared: usize = rows.iter().filter_map(|(_, checked)| verdict(checked)).map(|v| v.vertices).sum();
    let values: u64 = rows.iter().filter_map(|(_, checked)| verdict(checked)).map(|v| v.values).sum();
    let _ = writeln!(
        text,
        "{compared} vertices ({vertices} of each program, seed {seed}), {values} values; route {}.",
        route.name()
    );
    let unnamed: usize = caches(examination).map(|cache| cache.unnamed).sum();
    if unnamed > 0 {
        let _ =
            writeln!(text, "Stored programs without a configuration, so without an entry point: {unnamed}.");
    }
}

fn verdict(checked: &Checked) -> Option<&transpica_gpu::compare::Verdict> {
    match checked {
        Checked::Verdict(verdict) => Some(verdict),
        Checked::Failed(..) => None,
    }
}

fn caches<'a>(examination: &'a Examination<'_>) -> impl Iterator<Item = &'a Cache> {
    examination.files.iter().filter_map(|file| file.cache.as_ref().ok())
}

fn failures(text: &mut String, examination: &Examination<'_>) {
    let rows: Vec<_> =
        examination.rows.iter().filter(|(_, checked)| checked.class() != Class::Equal).collect();
    if rows.is_empty() {
        return;
    }
    text.push_str("\n| key | file | offset | stored | result | detail |\n|---|---|--:|--:|---|---|\n");
    for (Distinct { key, program, file, count }, checked) in rows.iter().take(ROWS) {
        let (class, detail) = (checked.class().name(), cell(&checked.detail()));
        let _ = writeln!(
            text,
            "| {key} | {} | {:#x} | {count} | {class} | {detail} |",
            cell(file),
            program.offset
        );
    }
    rest(text, rows.len(), "programs");
    if examination.failed().next().is_some() {
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
    let rows = examination.rows.iter().filter(|(_, checked)| checked.class() != Class::Equal);
    let rows: Vec<Value> = rows
        .map(|(distinct, checked)| {
            json!({
                "key": distinct.key.to_string(), "file": distinct.file, "offset": distinct.program.offset,
                "stored": distinct.count, "result": checked.class().name(), "fails": checked.class().fails(),
                "detail": checked.detail(),
            })
        })
        .collect();
    let mut programs = serde_json::Map::new();
    let stored: usize = examination.rows.iter().map(|(distinct, _)| distinct.count).sum();
    programs.insert("stored".into(), stored.into());
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
