//! Output and exit status of `compare` if some programs cannot be compared. Like `drivers`, these
//! tests need a GPU.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::needs;
use crate::support::{Ran, folder, follows_schema, root, transpica};

/// A program with the same values on every driver.
const PLAIN: &str = ".out position position o0\n.in v0\n.proc main\nadd o0, v0, v0\nend\n.end\n";
/// A program that writes no output.
const SILENT: &str = ".out position position o0\n.in v0\n.proc main\nmov r0, v0\nend\n.end\n";
/// A program that does not end.
const ENDLESS: &str =
    ".out position position o0\n.in v0\n.proc main\nmov o0, v0\nback:\njmpc !cmp.x, back\nend\n.end\n";

fn compare(path: &Path, more: &[&str]) -> Ran {
    let path = path.to_str().expect("a path of ASCII");
    transpica(&[&["compare", path, "--vertices", "4", "--route", "spirv"], more].concat())
}

fn json(ran: &Ran) -> Vec<Value> {
    let text = ran.text();
    let document: Value = serde_json::from_str(&text).expect("JSON");
    follows_schema(&document);
    document["comparisons"].as_array().expect("a list").clone()
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

#[test]
fn a_folder_is_compared_to_its_end_despite_a_bad_file() {
    needs!("vulkan");
    let folder = folder("verdicts-folder");
    write(&folder, "a.shbin", [1, 2, 3]);
    write(&folder, "b.pica", ".proc main\nmvo r0, v0\nend\n.end\n");
    write(&folder, "c.pica", PLAIN);
    let textured = std::fs::read(root().join("shaders/textured.shbin")).expect("a sample");
    write(&folder, "d.shbin", textured);
    write(&folder, "d.v.pica", "this source belongs to the container beside it");
    write(&folder, "e.state.json", "{}");
    write(&folder, "README.md", "nothing to compare");
    let ran = compare(&folder, &[]);
    let text = ran.text();
    let rows: Vec<&str> =
        text.lines().filter(|line| line.starts_with("ok  ") || line.starts_with("FAIL")).collect();
    let expected = [("FAIL", "a.shbin"), ("FAIL", "b.pica"), ("ok  ", "c.pica"), ("ok  ", "d.shbin")];
    assert_eq!(rows.len(), expected.len(), "{text}");
    for (row, (mark, name)) in rows.iter().zip(expected) {
        assert!(row.starts_with(mark) && row.contains(name), "{row}");
    }
    assert!(rows[1].contains("cannot be assembled") && rows[1].contains("b.pica:2:"), "{}", rows[1]);
    assert_eq!(ran.status, 1);
    assert!(ran.report().contains("2 of 4 comparisons failed: 2 could not be made"), "{}", ran.err);
    let rows = json(&compare(&folder, &["--json"]));
    let verdicts: Vec<_> = rows.iter().map(|row| row["verdict"].as_str().unwrap_or_default()).collect();
    assert_eq!(verdicts, ["failed", "failed", "agrees", "agrees"]);
    assert!(rows[0]["error"].is_string() && rows[0]["dvle"].is_null(), "{}", rows[0]);
    // Readers add columns of all rows.
    let members = |row: &Value| row.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert!(rows.iter().all(|row| members(row) == members(&rows[2])), "{rows:#?}");
    assert_eq!((&rows[0]["values"], &rows[2]["error"]), (&0.into(), &Value::Null));
}

#[test]
fn a_folder_without_programs_and_a_missing_file_are_failures() {
    needs!("vulkan");
    let folder = folder("verdicts-empty");
    let ran = compare(&folder.join("missing.shbin"), &[]);
    assert_eq!(ran.status, 1, "{}", ran.text());
    assert!(ran.text().starts_with("FAIL "), "{}", ran.text());
    // Without any file there is nothing to report of the driver.
    let ran = compare(&folder, &[]);
    assert_eq!((ran.status, ran.text().as_str()), (1, ""), "{}", ran.err);
    assert!(ran.report().contains("no .shbin or .pica file found"), "{}", ran.err);
}

#[test]
fn a_program_with_nothing_to_compare_has_a_verdict_of_its_own() {
    needs!("vulkan");
    let folder = folder("verdicts-nothing");
    let cases = [
        (SILENT, "the program writes no output", "silent.pica"),
        (ENDLESS, "no vertex ends within the instruction budget", "endless.pica"),
    ];
    for (source, reason, name) in cases {
        let path = write(&folder, name, source);
        let ran = compare(&path, &[]);
        let text = ran.text();
        assert_eq!(ran.status, 0, "{text}{}", ran.err);
        assert!(text.starts_with("none ") && text.contains(reason), "{text}");
        assert!(text.contains("1 with nothing to compare"), "{text}");
        let strict = compare(&path, &["--strict", "--json"]);
        let rows = json(&strict);
        assert_eq!((strict.status, &rows[0]["verdict"]), (1, &"nothing".into()), "{}", strict.err);
        assert_eq!(rows[0]["reason"], reason);
        assert!(strict.report().contains("1 had nothing to compare (--strict)"), "{}", strict.err);
    }
    let path = write(&folder, "plain.pica", PLAIN);
    assert_eq!(compare(&path, &["--strict"]).status, 0);
}

#[test]
fn a_program_whose_bits_are_the_drivers_has_nothing_to_compare() {
    needs!("vulkan");
    let source = ".out position position o0\n.in v0\n.proc main\nex2 o0, v0\nend\n.end\n";
    let path = write(&folder("verdicts-open"), "open.pica", source);
    for (more, verdict) in [
        (&["--precision", "fast"][..], "nothing"),
        (&["--functions", "driver"], "nothing"),
        (&["--precision", "f24"], "agrees"),
        (&[], "agrees"),
    ] {
        let ran = compare(&path, &[&["--json"], more].concat());
        assert_eq!((ran.status, &json(&ran)[0]["verdict"]), (0, &verdict.into()), "{more:?} {}", ran.err);
        assert_eq!(compare(&path, &[&["--strict"], more].concat()).status, i32::from(verdict == "nothing"));
    }
}

#[test]
fn the_output_table_counts_where_the_mask_of_the_header_is_empty() {
    needs!("vulkan");
    let sample = std::fs::read(root().join("shaders/counter.shbin")).expect("a sample");
    let mut masked = sample.clone();
    let starts: Vec<usize> = (0..sample.len() - 4).filter(|&at| &sample[at..at + 4] == b"DVLE").collect();
    assert_eq!(starts.len(), 2);
    for start in starts {
        assert_ne!(masked[start + 0x12..start + 0x14], [0, 0]);
        masked[start + 0x12..start + 0x14].fill(0);
    }
    let folder = folder("verdicts-mask");
    let [whole, masked] = [write(&folder, "whole.shbin", sample), write(&folder, "masked.shbin", masked)];
    let on = |path: &Path, words: &[&str]| {
        let path = path.to_str().expect("a path of ASCII");
        transpica(&[&[words[0], path], &words[1..]].concat())
            .succeeded()
            .replace("masked.shbin", "whole.shbin")
    };
    let commands: [&[&str]; 3] = [
        &["run", "--dvle", "1", "--json"],
        &["run", "--dvle", "1", "--json", "--on", "gpu"],
        &["translate", "--dvle", "1"],
    ];
    for words in commands {
        assert_eq!(on(&masked, words), on(&whole, words), "{words:?}");
    }
    let [masked, whole] = [&masked, &whole].map(|path| json(&compare(path, &["--strict", "--json"])));
    assert_eq!(masked.len(), 2);
    for (masked, whole) in masked.iter().zip(&whole) {
        assert_eq!((&masked["values"], &masked["verdict"]), (&whole["values"], &"agrees".into()));
    }
}
