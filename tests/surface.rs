//! The public API is what `src/lib.rs` exports outside of its hidden module: few names, each by one
//! path.

use std::fs;
use std::path::Path;

/// The most types that a reader of the documentation meets.
const MOST_TYPES: usize = 43;

/// The lines of the crate root without those of the hidden module.
fn visible(root: &str) -> String {
    let mut visible = String::new();
    let (mut is_hidden, mut is_inside) = (false, false);
    for line in root.lines() {
        is_hidden |= line == "#[doc(hidden)]";
        is_inside |= is_hidden && line.starts_with("pub mod ");
        if !is_inside && !line.starts_with("//") {
            visible.push_str(line);
            visible.push('\n');
        }
        if is_inside && (line == "}" || line.ends_with(';') && line.starts_with("pub mod ")) {
            (is_hidden, is_inside) = (false, false);
        }
    }
    visible
}

/// The names that public imports bring into the crate root.
fn exported(root: &str) -> Vec<String> {
    let mut names = Vec::new();
    for statement in root.split(';') {
        let Some((_, tree)) = statement.split_once("pub use ") else { continue };
        let list = match tree.split_once('{') {
            Some((_, list)) => list.trim_end().trim_end_matches('}'),
            None => tree.rsplit("::").next().unwrap_or_default(),
        };
        assert!(!list.contains(['*', '{']), "each name stands in the crate root: {tree}");
        names.extend(list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string));
    }
    names
}

#[test]
fn the_hidden_module_is_left_out_and_imports_are_read() {
    let root = "#[doc(hidden)]\n#[path = \".\"]\npub mod stages {\n    pub use a::B;\n}\npub use c::D;\npub use e::{\n    F, g,\n};\n";
    assert_eq!(exported(&visible(root)), ["D", "F", "g"]);
}

#[test]
fn at_most_forty_three_types_are_public() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/lib.rs");
    let root = visible(&fs::read_to_string(path).expect("the crate root"));
    let mut names = exported(&root);
    let types = names.iter().filter(|name| name.starts_with(char::is_uppercase)).count();
    assert!((30..=MOST_TYPES).contains(&types), "{types} types: {names:?}");
    let modules: Vec<&str> = root.lines().filter(|line| line.starts_with("pub mod ")).collect();
    assert_eq!(modules, ["pub mod guide {"], "everything else has one path");
    for item in ["pub struct ", "pub enum ", "pub trait ", "pub type ", "pub fn "] {
        assert!(!root.contains(item), "items stand in the module that they belong to");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}
