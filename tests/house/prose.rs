//! Comments keep the form that `tests/README.md` describes: width, first line, words. Messages,
//! pages and the comments of assembler texts keep the words, and do not read as translated.

use std::fs;
use std::path::{Path, PathBuf};

/// Columns that a comment may take, indentation included.
const WIDTH: usize = 100;

/// Words that do not begin a doc comment: its first line is a noun phrase or an imperative.
const FIRST: &[&str] = &[
    "And", "But", "If", "It", "Or", "Tells", "That", "There", "They", "What", "When", "Where", "Whether",
    "Which", "Who", "Whoever",
];

/// Words and word groups that comments and messages avoid, each with the term to use instead.
const WORDS: &[(&str, &str)] = &[
    ("but for", "except for"),
    ("heed", "respect"),
    ("if absent", "by default; clap's `[default: …]`"),
    ("inside of", "inside"),
    ("nobody", "the caller, the host, the driver; `undefined`, `dead`"),
    ("outside of", "outside"),
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
    ("labelled", "labeled"),
    ("alise", "alize"),
    ("imise", "imize"),
    ("neighbour", "neighbor"),
    ("parallelise", "parallelize"),
    ("rasteris", "rasteriz"),
    ("recognise", "recognize"),
    ("synthesise", "synthesize"),
    ("vectorise", "vectorize"),
];

/// Words after "is no" and "are no" that compare, where "not a" would be wrong.
const COMPARED: &[&str] = &["better", "farther", "larger", "less", "longer", "more", "smaller", "worse"];

/// Names that say nothing of what a function does, alone.
const FUNCTIONS: &[&str] = &["all", "at", "give", "of", "one", "put"];

/// Returns the name of the function that a line of code declares, if it is one of those.
fn function(line: &str) -> Option<&str> {
    let name = line.split_once("fn ")?.1.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    FUNCTIONS.contains(&name).then_some(name)
}

/// A line comment: `///`, `//!` or `//`, and the text after it.
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

/// Faults of the words of a text.
fn word_faults(prose: &str) -> Vec<String> {
    let prose = prose.to_lowercase();
    let words = WORDS.iter().filter(|(word, _)| contains_words(&prose, word));
    let british = BRITISH.iter().filter(|(part, _)| prose.contains(part));
    words
        .map(|(word, instead)| format!("`{word}`: say {instead}"))
        .chain(british.map(|(part, instead)| format!("`{part}`: the American form is `{instead}`")))
        .collect()
}

/// Faults of sentences that read as translated. Assembler texts are exempt: scenes have one thing
/// `behind` another.
fn sentence_faults(prose: &str) -> Vec<&'static str> {
    let lower = prose.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_negated = |at: usize| {
        let before = at.checked_sub(1).map(|before| words[before]);
        let next =
            words.get(at + 2).is_some_and(|next| !COMPARED.contains(&next.trim_end_matches([',', '.', ';'])));
        before != Some("there")
            && next
            && ["is", "are"].contains(&words[at])
            && words.get(at + 1) == Some(&"no")
    };
    let lacks = ["there is no ", "there are no "].into_iter().any(|start| {
        let mut rest = lower.split(start).skip(1);
        rest.any(|rest| rest.split(['.', ',', ';', ':']).next().is_some_and(|it| it.contains(" to ")))
    });
    let faults = [
        (contains_words(&lower, "behind"), "`behind`: say after or past"),
        (
            prose.split(['.', ':', '|']).any(|it| it.trim_start().starts_with("Of ")),
            "begins with `Of`: begin with the subject",
        ),
        (lacks, "`there is no … to`: say what is missing or impossible"),
        ((0..words.len()).any(is_negated), "`is no`: say is not a"),
    ];
    faults.into_iter().filter_map(|(is_found, fault)| is_found.then_some(fault)).collect()
}

/// Words of a string literal from which on it is a message and not a name.
const MESSAGE: usize = 3;

/// Messages in the string literals of a line of code. `inside`: the line begins inside a
/// literal, since the line before ends with a backslash.
fn messages(line: &str, inside: &mut bool) -> String {
    let line = line.replace("\\\"", "").replace("'\"'", "");
    let first = usize::from(!*inside);
    *inside = line.ends_with('\\');
    let literals = line.split('"').skip(first).step_by(2);
    literals.filter(|text| text.split_whitespace().count() >= MESSAGE).collect::<Vec<_>>().join("; ")
}

/// Faults of the messages of a source, the prose of a page, or the comments of an assembler text,
/// as `line: fault`.
fn other_faults(text: &str, extension: &str) -> Vec<String> {
    let mut inside = false;
    let prose = text.lines().map(|line| match extension {
        "rs" if comment(line).is_some() => String::new(),
        "rs" => messages(line, &mut inside),
        "md" => {
            inside ^= line.trim_start().starts_with("```");
            if inside { String::new() } else { without_code(line) }
        }
        _assembler => line.split_once(';').map_or_else(String::new, |(_, comment)| comment.to_owned()),
    });
    let faults = (1..).zip(prose).flat_map(|(number, prose)| {
        let is_text = ["rs", "md"].contains(&extension);
        let sentences = if is_text { sentence_faults(&prose) } else { Vec::new() };
        let faults = word_faults(&prose).into_iter().chain(sentences.into_iter().map(str::to_owned));
        faults.map(move |fault| format!("{number}: {fault}"))
    });
    faults.collect()
}

/// Faults of the comments and names of one file, as `line: fault`.
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    // The mark of the comment block that the line before belongs to, and whether that is inside a
    // code example.
    let (mut block, mut example) = ("", false);
    for (number, line) in text.lines().enumerate() {
        let Some((mark, words)) = comment(line) else {
            (block, example) = ("", false);
            if let Some(name) = function(line) {
                faults.push(format!("{}: a function named `{name}`; begin with a verb", number + 1));
            }
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
        word_faults(&prose).into_iter().for_each(&mut fault);
        sentence_faults(&prose).into_iter().map(str::to_owned).for_each(fault);
    }
    faults
}

/// Rust sources, pages and assembler texts below a folder, in order; build output is left out.
pub(super) fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !["target", "node_modules"].iter().any(|made| path.ends_with(made)) {
            sources(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| ["rs", "md", "pica", "ir"].iter().any(|known| extension == *known))
        {
            files.push(path);
        }
    }
}

#[test]
fn comments_and_messages_keep_their_form() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut files = Vec::new();
    for folder in ["src", "tests", "tools", "shaders"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 500, "only {} files found", files.len());
    let mut all = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("a readable file");
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let name = path.strip_prefix(root).expect("a file below the root").display();
        let comments = if extension == "rs" { faults(&text) } else { Vec::new() };
        // The words that are avoided stand in this file as literals.
        let others = if path.ends_with(file!()) { Vec::new() } else { other_faults(&text, extension) };
        all.extend(comments.into_iter().chain(others).map(|fault| format!("{name}:{fault}")));
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
        ("    pub const fn\x20of(self) -> u32 {", "a function named `of`"),
        ("// The word behind it.", "`behind`: say after"),
        ("// None inside of loops.", "`inside of`: say inside"),
        ("// All outside of loops.", "`outside of`: say outside"),
        ("/// Its file; the first if absent.", "`if absent`: say by default"),
        ("// Equal but for the sign.", "`but for`: say except for"),
        ("/// A list. Of folders the files are taken.", "begins with `Of`"),
        ("/// Of each vertex.", "begins with `Of`"),
        ("// There is no place to report it.", "`there is no … to`"),
        ("// `none` is no name.", "`is no`: say is not a"),
        ("// Bytes that are no text.", "`is no`: say is not a"),
    ] {
        let found = faults(planted);
        assert!(found.len() == 1 && found[0].contains(fault), "{planted}: {found:?}");
    }
}

#[test]
fn words_of_messages_and_assembler_comments_are_checked() {
    for (planted, extension) in [
        ("let text = \"the caller is told of it\";", "rs"),
        ("let text = \"ends here \\\n    and nobody sees it\";", "rs"),
        ("let text = \"{path} is no file\";", "rs"),
        ("mov r0, v0 ; the colour", "pica"),
        ("| option | the file, if absent a guess |", "md"),
        ("```text\nbehind\n```\nThe line behind it.", "md"),
    ] {
        assert_eq!(other_faults(planted, extension).len(), 1, "{planted}");
    }
    for (text, extension) in [
        ("let told = name(\"told\");", "rs"),
        ("// \"the caller is told\" is an example", "rs"),
        (".out colour color", "pica"),
        ("jmp r ; the light is behind the viewer", "pica"),
        ("```text\nthe line behind it\n```\nThe word `behind`.", "md"),
    ] {
        assert_eq!(other_faults(text, extension), Vec::<String>::new(), "{text}");
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
        "// It is no longer than that, and there is no other.",
        "// There is no loop. Jumps go to it.",
        "/// The number of elements. Offsets are in bytes.",
    ] {
        assert_eq!(faults(text), Vec::<String>::new(), "{text}");
    }
}
