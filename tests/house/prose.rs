//! Comments of sources: width, first line of a doc comment, complete examples; American spelling
//! there, in pages and in assembler texts.

use std::fs;
use std::path::{Path, PathBuf};

/// Columns that a comment may take, indentation included.
const WIDTH: usize = 100;

/// Words that do not begin a doc comment: its first line is a noun phrase or an imperative.
const FIRST: &[&str] = &[
    "And", "But", "If", "It", "Or", "Tells", "That", "There", "They", "What", "When", "Where", "Whether",
    "Which", "Who", "Whoever",
];

/// British words and parts of words, each with its American form.
const BRITISH: &[(&str, &str)] = &[
    ("behaviour", "behavior"),
    ("centre", "center"),
    ("colour", "color"),
    ("favour", "favor"),
    ("honour", "honor"),
    ("isation", "ization"),
    ("labelled", "labeled"),
    ("alise", "alize"),
    ("imise", "imize"),
    ("neighbour", "neighbor"),
    ("rasteris", "rasteriz"),
    ("recognise", "recognize"),
    ("synthesise", "synthesize"),
    ("vectorise", "vectorize"),
];

/// A line comment: `///`, `//!` or `//`, and the text after it.
fn comment(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    ["///", "//!", "//"].into_iter().find_map(|mark| Some((mark, line.strip_prefix(mark)?.trim_start())))
}

/// A text without its `code spans`.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// British words of a text.
fn british(prose: &str) -> Vec<String> {
    let prose = prose.to_lowercase();
    let found = BRITISH.iter().filter(|(part, _)| prose.contains(part));
    found.map(|(part, instead)| format!("`{part}`: the American form is `{instead}`")).collect()
}

/// Faults of the comments of a source, with their lines.
fn faults(text: &str) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    // The mark of the comment block that the line before belongs to, and whether that is inside a
    // code example.
    let (mut block, mut example) = ("", false);
    for (number, line) in (1..).zip(text.lines()) {
        let Some((mark, words)) = comment(line) else {
            (block, example) = ("", false);
            continue;
        };
        let begins = mark != block;
        block = mark;
        if words.starts_with("```") {
            example = !example;
            continue;
        }
        let mut fault = |text: String| faults.push((number, text));
        // Examples are code; tables and addresses cannot be wrapped.
        if example {
            // A reader who pastes an example needs every line but the result of `main`.
            if mark != "//" && words.starts_with("# ") && !words.starts_with("# Ok::<") {
                fault("a hidden line of an example".into());
            }
            continue;
        }
        if line.chars().count() > WIDTH && !words.starts_with('|') && !words.contains("://") {
            fault(format!("comment over {WIDTH} columns"));
        }
        let prose = without_code(words);
        let first = prose.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if begins && mark != "//" && FIRST.contains(&first) {
            fault(format!("a doc comment begins with `{first}`; begin with a noun phrase or an imperative"));
        }
        british(&prose).into_iter().for_each(fault);
    }
    faults
}

/// British words of a page's text, or of an assembler text's comments, with their lines.
fn spelling(text: &str, is_page: bool) -> Vec<(usize, String)> {
    let mut inside = false;
    let prose = text.lines().map(|line| {
        inside ^= is_page && line.trim_start().starts_with("```");
        match line.split_once(';') {
            _ if is_page && inside => String::new(),
            _ if is_page => without_code(line),
            comment => comment.map_or_else(String::new, |(_, comment)| comment.to_owned()),
        }
    });
    let faults = |(number, prose): (usize, String)| british(&prose).into_iter().map(move |it| (number, it));
    (1..).zip(prose).flat_map(faults).collect()
}

/// Rust sources, pages and assembler texts below a folder, in order; build output is left out.
pub(super) fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !["target", "node_modules"].iter().any(|made| path.ends_with(made)) {
            sources(&path, files);
        } else if path.extension().is_some_and(|end| ["rs", "md", "pica", "ir"].iter().any(|it| end == *it)) {
            files.push(path);
        }
    }
}

#[test]
fn comments_keep_their_form() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "tests", "tools", "shaders"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 500, "only {} files found", files.len());
    let mut all = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("a readable file");
        let found = match path.extension().and_then(|end| end.to_str()) {
            Some("rs") => faults(&text),
            end => spelling(&text, end == Some("md")),
        };
        let name = path.strip_prefix(root).expect("a file below the root").display();
        all.extend(found.into_iter().map(|(line, fault)| format!("{name}:{line}: {fault}")));
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

#[test]
fn each_rule_finds_its_fault() {
    let wide = format!("// {}", "word ".repeat(20));
    for (planted, fault) in [
        (wide.as_str(), "over 100 columns"),
        ("/// What is left.", "begins with `What`"),
        ("//! Whether it ends.", "begins with `Whether`"),
        ("// Its behaviour.", "`behaviour`: the American form is `behavior`"),
        ("/// ```\n/// # let a = 1;\n/// ```", "a hidden line of an example"),
    ] {
        let found = faults(planted);
        assert!(found.len() == 1 && found[0].1.contains(fault), "{planted}: {found:?}");
    }
    for (text, is_page, count) in [
        ("mov r0, v0 ; the colour", false, 1),
        (".out colour color", false, 0),
        ("| option | the colour |", true, 1),
        ("```text\ncolour\n```\nThe name `colour`.", true, 0),
    ] {
        assert_eq!(spelling(text, is_page).len(), count, "{text}");
    }
}

#[test]
fn code_tables_and_later_lines_are_no_faults() {
    let code = format!("/// ```\n/// {}\n/// ```", "let a = 1; ".repeat(12));
    let table = format!("//! | {} |", "cell ".repeat(25));
    for text in [
        code.as_str(),
        table.as_str(),
        "/// Registers.\n/// What is left is zero.",
        "// What follows depends on the driver.",
    ] {
        assert_eq!(faults(text), [], "{text}");
    }
}
