//! Counts of the code, and their ceilings.
//! In: the sources. Out: a table; `tests/counts.tsv` has a ceiling for each row, and a test
//! compares them. Counts code as lines that are neither blank nor comment, outside tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::needs::ROOT;
use crate::sources::{Source, code, sources};

/// Reads the ceilings by name, from the table beside the tests.
fn ceilings() -> Result<BTreeMap<String, usize>, String> {
    let path = Path::new(ROOT).join("tests/counts.tsv");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let row = |line: &str| {
        let mut cells = line.split('\t');
        Some((cells.next()?.to_owned(), cells.next()?.trim().parse().ok()?))
    };
    Ok(text.lines().filter_map(row).collect())
}

/// Prints the counts beside their ceilings.
pub fn run() -> Result<(), String> {
    let ceilings = ceilings()?;
    for (name, count, place) in counts(Path::new(ROOT)) {
        let ceiling = ceilings.get(name).map_or(String::new(), |ceiling| format!("of {ceiling}"));
        println!("{count:>7} {ceiling:<10} {name} {place}");
    }
    Ok(())
}

/// Counts everything: name, count, and place of the longest.
fn counts(root: &Path) -> [(&'static str, usize, String); 5] {
    let [library, tools] = ["src", "tools"].map(|folder| sources(root, folder));
    let lines = |sources: &[Source]| sources.iter().map(|source| code(&source.lines).count()).sum();
    let all = || library.iter().chain(&tools);
    let file = all().map(|source| (code(&source.lines).count(), source.path.clone())).max();
    let function = all().map(|source| (longest_function(&source.lines), source.path.clone())).max();
    let [(file, of_file), (function, of_function)] = [file, function].map(Option::unwrap_or_default);
    let first = library.iter().find(|source| source.path == "src/lib.rs");
    [
        ("code lines of src", lines(&library), String::new()),
        ("code lines of tools", lines(&tools), String::new()),
        ("code lines of the longest file", file, of_file),
        ("lines of the longest function", function, of_function),
        ("names in the crate root", first.map_or(0, |source| root_names(&source.lines)), String::new()),
    ]
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

/// Counts the lines of the longest function: from `fn` to the brace at its indentation.
fn longest_function(lines: &[String]) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let begins = |line: &str| {
        let words = line.trim_start();
        let bare = words.trim_start_matches("pub(super) ").trim_start_matches("pub(crate) ");
        let bare = bare.trim_start_matches("pub ").trim_start_matches("const ");
        bare.starts_with("fn ") && !words.ends_with(';') && !words.ends_with('}')
    };
    let functions = lines.iter().enumerate().filter(|(_, line)| begins(line)).map(|(at, line)| {
        let closes = |end: &String| end.trim_start().starts_with('}') && indent(end) == indent(line);
        lines[at..].iter().position(closes).unwrap_or(0) + 1
    });
    functions.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_count_is_above_its_ceiling() {
        let ceilings = ceilings().expect("the ceilings");
        let counts = counts(Path::new(ROOT));
        assert_eq!(ceilings.len(), counts.len(), "{ceilings:?}");
        let above =
            counts.iter().filter(|(name, count, _)| ceilings.get(*name).is_none_or(|most| count > most));
        let above: Vec<_> = above.map(|(name, count, place)| format!("{name}: {count} {place}")).collect();
        let hint = "write less, or raise the ceiling in tests/counts.tsv and say why there";
        assert!(above.is_empty(), "{hint}\n{}", above.join("\n"));
    }

    #[test]
    fn code_and_functions_are_counted() {
        let text = "fn a() {\n}\n\n// why\nfn b() {\n".to_owned() + &"    x();\n".repeat(60) + "}\n";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!((longest_function(&lines), code(&lines).count()), (62, 64));
    }
}
