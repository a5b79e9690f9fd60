//! Texts of a scan: the table and JSON.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Value, json};
use transpica_containers::{Pair, ProgramInfo};

use super::found::{File, Row, hex};
use crate::json::Schema;
use crate::terminal::padded;

/// Numbers of a scan.
#[derive(Serialize)]
struct Totals {
    files: usize,
    bytes: u64,
    hits: usize,
    programs: usize,
    #[serde(rename = "distinct_programs")]
    distinct: usize,
    unreadable: usize,
}

impl Totals {
    fn from_files(all: &[File]) -> Self {
        let rows = || all.iter().flat_map(|file| &file.rows);
        let programs = || rows().flat_map(|row| &row.hit.programs);
        Self {
            files: all.len(),
            bytes: all.iter().map(|file| file.summary.bytes).sum(),
            hits: rows().count(),
            programs: programs().count(),
            distinct: programs().map(|program| program.identity).collect::<HashSet<_>>().len(),
            unreadable: all.iter().filter(|file| file.error.is_some()).count(),
        }
    }
}

/// Returns the table: a line for each hit, then one for each of its programs.
pub(super) fn table(all: &[File], quiet: bool) -> String {
    let shown = all.iter().filter(|_| !quiet);
    let mut lines: Vec<String> =
        shown.flat_map(|file| file.rows.iter().flat_map(|row| lines(file, row))).collect();
    let Totals { files, bytes, hits, programs, distinct, unreadable } = Totals::from_files(all);
    let failed = if unreadable > 0 { format!(", {unreadable} unreadable") } else { String::new() };
    lines.push(format!(
        "{files} files, {bytes} bytes{failed}: {hits} hits, {programs} programs, {distinct} distinct\n"
    ));
    lines.join("\n")
}

/// Returns the lines of a hit.
fn lines(file: &File, Row { hit, same_as, extracted }: &Row) -> Vec<String> {
    let same = same_as.as_ref().map_or_else(String::new, |first| format!(", same programs as {first}"));
    let mut lines = vec![format!("{}  {} bytes{same}", file.place(hit), hit.length)];
    if same_as.is_none() {
        lines.extend(hit.programs.iter().enumerate().map(|(index, one)| program(index, one)));
    }
    lines.extend(hit.pairs.iter().map(|one| format!("  pair {}", pair(one))));
    lines.extend(hit.warnings.iter().map(|warning| format!("  warning: {warning}")));
    lines.extend(extracted.iter().map(|name| format!("  written to {name}")));
    lines
}

/// Returns the line of a program.
fn program(index: usize, program: &ProgramInfo) -> String {
    let ProgramInfo { stage, entry, start, instructions, key, identity } = program;
    let entry = padded(entry.as_deref().unwrap_or("-"), 20);
    let key = key.map_or_else(|| format!("({})", hex(identity)), |key| key.to_string());
    let stage = stage.name();
    format!("  {index:<3} {stage:<9} {entry} {start:>#6x} {instructions:>5} instructions  {key}")
}

/// Returns a pair in words.
fn pair(pair: &Pair) -> String {
    let index = |index: Option<u16>| index.map_or("-".to_string(), |index| index.to_string());
    let name = pair.name.as_deref().map_or_else(String::new, |name| format!(" {name}"));
    format!("vertex {}, geometry {}{name}", index(pair.vertex), index(pair.geometry))
}

/// Returns everything as JSON.
pub(super) fn json(all: &[File]) -> String {
    Schema::SCAN.text(json!({
        "files": all.iter().map(file).collect::<Vec<_>>(),
        "hits": all.iter().flat_map(|file| file.rows.iter().map(|row| self::row(file, row))).collect::<Vec<_>>(),
        "summary": Totals::from_files(all),
    }))
}

fn file(file: &File) -> Value {
    let warnings: Vec<Value> = file
        .summary
        .warnings
        .iter()
        .map(|warning| json!({ "place": warning.place, "text": warning.text }))
        .collect();
    json!({
        "file": file.path, "bytes": file.summary.bytes, "hits": file.rows.len(), "error": file.error,
        "is_cut": file.summary.is_cut, "warnings": warnings,
    })
}

fn row(file: &File, Row { hit, same_as, extracted }: &Row) -> Value {
    let containers = hit.containers.iter().map(|step| {
        json!({ "kind": step.kind.name(), "offset": format!("{:#x}", step.offset), "entry": step.entry })
    });
    let program = |program: &ProgramInfo| {
        json!({
            "stage": program.stage.name(), "entry": program.entry, "start": format!("{:#x}", program.start),
            "instructions": program.instructions, "key": program.key.map(|key| key.to_string()),
            "identity": hex(&program.identity),
        })
    };
    let pair = |pair: &Pair| json!({ "name": pair.name, "vertex": pair.vertex, "geometry": pair.geometry });
    json!({
        "file": file.path,
        "place": hit.place(),
        "kind": hit.kind.name(),
        "containers": containers.collect::<Vec<_>>(),
        "offset": format!("{:#x}", hit.offset),
        "file_offset": hit.input_offset.map(|offset| format!("{offset:#x}")),
        "length": hit.length,
        "name": hit.name,
        "programs": hit.programs.iter().map(program).collect::<Vec<_>>(),
        "pairs": hit.pairs.iter().map(pair).collect::<Vec<_>>(),
        "digest": hex(&hit.digest),
        "identity": hex(&hit.identity),
        "same_as": same_as,
        "extracted": extracted,
        "warnings": hit.warnings,
    })
}
