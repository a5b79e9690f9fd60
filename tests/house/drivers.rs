//! The table of facts about drivers, `src/guide/drivers.md`: code cites each row, rows exist for
//! all citations, and files that a row names exist.

use std::collections::BTreeSet;
use std::path::Path;

use super::prose::sources;

const MARK: &str = "drivers.md#";

/// Names of rows that a text cites.
fn cited(text: &str) -> impl Iterator<Item = &str> {
    text.split(MARK).skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-');
        rest.get(..end.unwrap_or(rest.len())).filter(|name| !name.is_empty() && *name != "row")
    })
}

/// Returns whether a file or folder that the page names exists; true for other code.
fn exists(root: &Path, code: &str) -> bool {
    let is_path = code.ends_with(".rs") || code.contains('/') && !code.contains(' ');
    let places = ["", "src", "tools/gpu/tests", "tools/proof/tests/gpu/drivers"]
        .map(|folder| root.join(folder).join(code));
    !is_path || places.iter().any(|path| path.exists())
}

#[test]
fn code_cites_every_row_of_the_table_of_drivers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("src/guide/drivers.md")).expect("the page");
    let mut rows = BTreeSet::new();
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let mut codes = line.split('`').skip(1).step_by(2);
        let name = codes.next().expect("a name");
        assert!(rows.insert(name), "two rows {name}");
        codes.for_each(|code| assert!(exists(root, code), "{name}: no {code}"));
    }
    assert!(rows.len() > 30, "{rows:?}");
    let mut files = Vec::new();
    ["src", "tools", "tests"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    let mut all = BTreeSet::new();
    for file in files.iter().filter(|file| !file.ends_with("house/drivers.rs")) {
        let text = std::fs::read_to_string(file).expect("a text");
        for name in cited(&text) {
            assert!(rows.contains(name), "{}: no row {name}", file.display());
            all.insert(name.to_string());
        }
    }
    let missing: Vec<_> = rows.iter().filter(|row| !all.contains(**row)).collect();
    assert!(missing.is_empty(), "nothing cites {missing:?}");
}

#[test]
fn names_end_where_a_citation_does() {
    let text = "(drivers.md#known-zeros), drivers.md#naga-nan. `drivers.md#row` drivers.md#";
    assert_eq!(cited(text).collect::<Vec<_>>(), ["known-zeros", "naga-nan"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(exists(root, "x * 0") && exists(root, "verdict.rs") && !exists(root, "passes/none.rs"));
}
