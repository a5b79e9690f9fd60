//! Comments keep the form that `src/README.md` describes: width, first line, words.

use std::fs;
use std::path::{Path, PathBuf};

/// Columns that a comment may take, indentation included.
const WIDTH: usize = 100;

/// Words that do not begin a doc comment: its first line is a noun phrase or an imperative.
const FIRST: &[&str] = &[
    "And", "But", "If", "It", "Or", "Tells", "That", "There", "They", "What", "When", "Where", "Whether",
    "Which", "Who", "Whoever",
];

/// Words and word groups that comments avoid, each with the term to use instead.
const WORDS: &[(&str, &str)] = &[
    ("heed", "respect"),
    ("nobody", "the caller, the host, the driver; `undefined`, `dead`"),
    ("set-up", "configuration"),
    ("set-ups", "configurations"),
    ("steer", "be a control-flow instruction"),
    ("steers", "is a control-flow instruction"),
    ("tells", "returns, reports"),
    ("the law", "invariants"),
    ("told", "given; reported; distinguished"),
    ("whoever", "the caller, the host"),
];

/// British endings and words, each with its American form.
const BRITISH: &[(&str, &str)] = &[
    ("behaviour", "behavior"),
    ("centre", "center"),
    ("colour", "color"),
    ("favour", "favor"),
    ("honour", "honor"),
    ("isation", "ization"),
    ("alise", "alize"),
    ("imise", "imize"),
    ("neighbour", "neighbor"),
    ("parallelise", "parallelize"),
    ("recognise", "recognize"),
    ("synthesise", "synthesize"),
    ("vectorise", "vectorize"),
];

/// A line comment: `///`, `//!` or `//`, and the text behind it.
fn comment(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    ["///", "//!", "//"].into_iter().find_map(|mark| Some((mark, line.strip_prefix(mark)?.trim_start())))
}

/// A text without its `code spans`.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Finds a word group that no letter, digit or hyphen continues on either side.
fn contains_words(text: &str, words: &str) -> bool {
    let continues = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
    text.match_indices(words).any(|(start, found)| {
        !continues(text[..start].chars().next_back())
            && !continues(text[start + found.len()..].chars().next())
    })
}

/// Faults of the comments of one file, as `line: fault`.
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    // The mark of the comment block that the line before belongs to, and whether that is inside a
    // code example.
    let (mut block, mut example) = ("", false);
    for (number, line) in text.lines().enumerate() {
        let Some((mark, words)) = comment(line) else {
            (block, example) = ("", false);
            continue;
        };
        let mut fault = |text: String| faults.push(format!("{}: {text}", number + 1));
        let begins = mark != block;
        block = mark;
        if words.starts_with("```") {
            example = !example;
            continue;
        }
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
        let prose = prose.to_lowercase();
        for (word, instead) in WORDS {
            if contains_words(&prose, word) {
                fault(format!("`{word}`: say {instead}"));
            }
        }
        for (part, instead) in BRITISH {
            if prose.contains(part) {
                fault(format!("`{part}`: the American form is `{instead}`"));
            }
        }
    }
    faults
}

/// Rust files below a folder, in order; build output is left out.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn comments_keep_their_form() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "tests", "tools"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 300, "only {} files found", files.len());
    let mut all = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("a readable file");
        let name = path.strip_prefix(root).expect("a file below the root").display();
        all.extend(faults(&text).into_iter().map(|fault| format!("{name}:{fault}")));
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
        ("// The caller is told of it.", "`told`: say"),
        ("    /// Registers of a set-up.", "`set-up`: say configuration"),
        ("// Its behaviour.", "`behaviour`: the American form is `behavior`"),
        ("// A specialisation constant.", "`isation`: the American form is `ization`"),
        ("/// ```\n/// # let a = 1;\n/// ```", "a hidden line of an example"),
    ] {
        let found = faults(planted);
        assert!(found.len() == 1 && found[0].contains(fault), "{planted}: {found:?}");
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
        "/// The variable `told`.",
        "// What follows depends on the driver.",
    ] {
        assert_eq!(faults(text), Vec::<String>::new(), "{text}");
    }
}
