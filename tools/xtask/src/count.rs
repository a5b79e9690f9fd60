//! Counts of the code, and their ceilings.
//! In: the sources. Out: a table, one row a count; `tests/counts.tsv` has a ceiling for each, which
//! a test holds. Counts code as lines that are neither blank nor comment, outside tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::needs::ROOT;
use crate::sources::{Source, code, sources};

/// Functions may have as many lines.
const FUNCTION: usize = 60;
/// Files may have as many lines of code.
const FILE: usize = 600;
/// Alternatives of a pattern, one a line, that are counted from here on.
const ALTERNATIVES: usize = 4;

/// The ceilings, beside the tests.
fn ceilings() -> PathBuf {
    Path::new(ROOT).join("tests/counts.tsv")
}

/// Prints the counts beside their ceilings.
pub fn run() -> Result<(), String> {
    let text = fs::read_to_string(ceilings());
    let allowed = read(&text.map_err(|error| format!("{}: {error}", ceilings().display()))?);
    for (name, count) in counts(Path::new(ROOT)) {
        let ceiling = allowed.get(&name).map_or(String::new(), |ceiling| format!("of {ceiling}"));
        println!("{count:>7} {ceiling:<10} {name}");
    }
    Ok(())
}

/// Reads the ceilings by name.
fn read(text: &str) -> BTreeMap<String, usize> {
    let row = |line: &str| {
        let mut cells = line.split('\t');
        Some((cells.next()?.to_owned(), cells.next()?.trim().parse().ok()?))
    };
    text.lines().filter_map(row).collect()
}

/// Counts everything, by name.
fn counts(root: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let library = sources(root, "src");
    let tools = sources(root, "tools");
    for source in library.iter().chain(&tools) {
        let code = code(&source.lines).count();
        *counts.entry(format!("code lines of {}", part(&source.path))).or_default() += code;
        let whole = if source.path.starts_with("src/") { "src" } else { "tools" };
        *counts.entry(format!("code lines of all {whole}")).or_default() += code;
    }
    let (mut functions, mut files, mut alternatives) = (0, 0, 0);
    for source in library.iter().chain(&tools) {
        functions += long_functions(&source.lines);
        files += usize::from(code(&source.lines).count() > FILE);
    }
    for source in &library {
        alternatives += listed_alternatives(&source.lines);
    }
    counts.insert(format!("functions over {FUNCTION} lines"), functions);
    counts.insert(format!("files over {FILE} lines of code"), files);
    counts
        .insert(format!("lines of patterns with {ALTERNATIVES} and more alternatives in src"), alternatives);
    let folders = folders(root, "src");
    counts.insert("entries of src".into(), folders.get("src").copied().unwrap_or_default());
    let most = folders.iter().filter(|(folder, _)| *folder != "src").map(|(_, &count)| count).max();
    counts.insert("most entries of a folder below src".into(), most.unwrap_or_default());
    counts.insert("circles of imports in src".into(), circles(&library));
    let root_lines =
        library.iter().find(|source| source.path == "src/lib.rs").map(|source| &source.lines[..]);
    counts.insert("names in the crate root".into(), root_names(root_lines.unwrap_or_default()));
    let locked = fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    counts.insert("packages in Cargo.lock".into(), locked.matches("[[package]]").count());
    counts
}

/// Counts the items that the first file re-exports; modules are none.
fn root_names(lines: &[String]) -> usize {
    let text = lines.join("\n");
    let imports = text.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names = imports.flat_map(|import| import.rsplit("::").next().unwrap_or_default().split(','));
    let names = names.map(|name| name.trim_matches([' ', '\n', '{', '}'])).filter(|name| !name.is_empty());
    let is_item = |name: &&str| name.starts_with(char::is_uppercase) || *name == "key";
    names.filter(is_item).count()
}

/// Name of the part of a file: the folder or file below `src`, the package below `tools`.
fn part(path: &str) -> String {
    path.split('/').take(2).collect::<Vec<_>>().join("/")
}

/// Counts functions with too many lines: from `fn` to the brace at its indentation.
fn long_functions(lines: &[String]) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let begins = |line: &str| {
        let words = line.trim_start();
        let bare = words.trim_start_matches("pub(super) ").trim_start_matches("pub(crate) ");
        let bare = bare.trim_start_matches("pub ").trim_start_matches("const ");
        bare.starts_with("fn ") && !words.ends_with(';') && !words.ends_with('}')
    };
    let mut count = 0;
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| begins(line)) {
        let closes = |end: &&String| end.trim_start().starts_with('}') && indent(end) == indent(line);
        let length = lines[at..].iter().position(|end| closes(&end)).unwrap_or(0);
        count += usize::from(length + 1 > FUNCTION);
    }
    count
}

/// Counts the lines of long lists of alternatives.
fn listed_alternatives(lines: &[String]) -> usize {
    let is_alternative = |line: &&String| line.trim_start().starts_with("| ");
    let (mut total, mut run) = (0, 0);
    for line in lines {
        if is_alternative(&line) {
            run += 1;
        } else {
            total += if run >= ALTERNATIVES { run } else { 0 };
            run = 0;
        }
    }
    total
}

/// Counts the entries of a folder and of all below it; tests and pages in Markdown are none.
fn folders(root: &Path, folder: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut work = vec![folder.to_owned()];
    while let Some(folder) = work.pop() {
        let mut count = 0;
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.path().is_dir();
            if matches!(&*name, "tests" | "tests.rs" | "testing.rs" | "README.md") {
                continue;
            }
            count += 1;
            if is_folder {
                work.push(format!("{folder}/{name}"));
            }
        }
        found.insert(folder, count);
    }
    found
}

/// Counts the groups of modules that import each other, by their `use` lines.
fn circles(sources: &[Source]) -> usize {
    let modules: Vec<Vec<String>> = sources.iter().map(Source::module).collect();
    let numbers: BTreeMap<&[String], usize> =
        modules.iter().zip(0..).map(|(module, n)| (&module[..], n)).collect();
    let find = |path: &[String]| (1..=path.len()).rev().find_map(|end| numbers.get(&path[..end]).copied());
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for source in sources {
        let mut to: Vec<usize> = source.imports().iter().filter_map(|path| find(path)).collect();
        to.sort_unstable();
        to.dedup();
        edges.push(to);
    }
    let reached: Vec<Vec<bool>> = (0..edges.len()).map(|from| reach(&edges, from)).collect();
    let mut is_counted = vec![false; edges.len()];
    let mut circles = 0;
    for from in 0..edges.len() {
        let group: Vec<usize> =
            (0..edges.len()).filter(|&to| to != from && reached[from][to] && reached[to][from]).collect();
        if !group.is_empty() && !is_counted[from] {
            circles += 1;
            group.iter().for_each(|&member| is_counted[member] = true);
        }
    }
    circles
}

fn reach(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut work = edges[from].clone();
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            work.extend(&edges[node]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_count_is_above_its_ceiling() {
        let allowed = read(&fs::read_to_string(ceilings()).expect("the ceilings"));
        let counts = counts(Path::new(ROOT));
        assert!(counts.len() > 30, "{counts:?}");
        let above = counts.iter().filter(|(name, count)| allowed.get(*name).is_none_or(|most| *count > most));
        let above: Vec<_> = above.map(|(name, count)| format!("{name}: {count}")).collect();
        let hint = "write less, or raise the ceiling in tests/counts.tsv and say why there";
        assert!(above.is_empty(), "{hint}\n{}", above.join("\n"));
    }

    #[test]
    fn every_ceiling_has_a_count() {
        let counts = counts(Path::new(ROOT));
        let rows = read(&fs::read_to_string(ceilings()).expect("the ceilings"));
        let stale: Vec<_> = rows.keys().filter(|name| !counts.contains_key(*name)).collect();
        assert!(stale.is_empty(), "{stale:?}");
    }

    #[test]
    fn lines_and_circles_are_counted() {
        let source = |path: &str, text: &str| Source {
            path: path.into(),
            lines: text.lines().map(str::to_owned).collect(),
        };
        let circle = [
            source("src/a/mod.rs", "use super::b::{C, d::E};\n"),
            source("src/b/mod.rs", "pub mod d;\n"),
            source("src/b/d.rs", "use crate::{f, a::G};\n"),
            source("src/f.rs", "use std::fmt;\n"),
        ];
        assert_eq!(circles(&circle), 1);
        let text = "fn a() {\n}\n\n// why\nfn b() {\n".to_owned() + &"    x();\n".repeat(FUNCTION) + "}\n";
        let lines = source("src/a.rs", &text).lines;
        assert_eq!((long_functions(&lines), code(&lines).count()), (1, FUNCTION + 4));
        let list = source("src/a.rs", "a => 1,\nb\n| c\n| d\n| e\n| f => 2,\ng\n| h => 3,\n").lines;
        assert_eq!(listed_alternatives(&list), 4);
    }
}
