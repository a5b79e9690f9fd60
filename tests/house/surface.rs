//! The public API is what the documentation shows: the types of the crate root, and one module for
//! each further subject. Each name has one path, and a type that a public signature names has a
//! page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The most names in the crate root: what the example and a host's first hour need.
const MOST_ROOT_NAMES: usize = 24;

/// Types of the standard library and of naga that signatures name.
const FOREIGN: &[&str] = &[
    "Box",
    "Copy",
    "Cow",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Fn",
    "FnMut",
    "Formatter",
    "From",
    "Into",
    "IntoIterator",
    "Item",
    "Iterator",
    "Module",
    "Option",
    "Self",
    "Sized",
    "String",
    "Vec",
];

const HIDDEN: &str = "#[doc(hidden)]";

fn source(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the lines of a file without comments, each with whether documentation hides it: the mark
/// stands on the item's first line or in its attributes.
fn code(text: &str) -> Vec<(String, bool)> {
    let (mut lines, mut is_hidden) = (Vec::new(), false);
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end()) {
        let words = line.trim_start();
        if words.starts_with("#[") && words.ends_with(']') {
            is_hidden |= words == HIDDEN;
        } else if !words.is_empty() {
            lines.push((line.to_string(), std::mem::take(&mut is_hidden)));
        }
    }
    lines
}

/// Returns the names that the public imports of a file show, each with the path in front of it.
fn imports(text: &str) -> Vec<(String, String)> {
    let mut names = Vec::new();
    let mut lines = code(text).into_iter();
    while let Some((mut line, is_hidden)) = lines.next() {
        if !line.starts_with("pub use ") {
            continue;
        }
        while !line.ends_with(';') {
            line += &lines.next().expect("an import ends").0;
        }
        let tree = line.trim_end_matches(';').replace("pub use ", "");
        let (path, list) = match tree.split_once('{') {
            Some((path, list)) => (path, list.trim_end_matches('}')),
            None => tree.rsplit_once("::").unwrap_or_default(),
        };
        assert!(!list.contains(['*', '{']), "each name stands in the import: {tree}");
        if !is_hidden {
            let list = list.split(',').map(str::trim).filter(|name| !name.is_empty());
            names.extend(list.map(|name| (path.to_string(), name.to_string())));
        }
    }
    names
}

/// Returns the name of an item that begins on this line.
fn item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    let words =
        ["struct ", "enum ", "trait ", "type ", "fn "].iter().find_map(|word| rest.strip_prefix(word))?;
    words.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Paths of each name, with the top-level module that defines it.
type Names = BTreeMap<String, Vec<(String, String)>>;

/// Returns the top-level module of an import of a module.
fn home(path: &str, module: &str) -> String {
    let mut parts = path.split("::");
    let first = parts.next().unwrap_or_default();
    let outer = if first == "crate" { parts.next() } else { module.split('/').next() };
    outer.unwrap_or_default().to_string()
}

/// Returns the text of a module: that of its file, or its lines in the first file.
fn content(module: &str) -> String {
    let library = source("lib.rs");
    match library.split_once(&format!("\npub mod {module} {{\n")) {
        Some((_, rest)) => rest
            .lines()
            .take_while(|line| *line != "}")
            .fold(String::new(), |text, line| text + line.strip_prefix("    ").unwrap_or(line) + "\n"),
        None => source(&format!("{module}/mod.rs")),
    }
}

/// Collects the path of each name that a module and its visible modules show.
fn collect(module: &str, names: &mut Names) {
    let text = content(module);
    let mut add = |name: &str, home: String| {
        names.entry(name.to_string()).or_default().push((module.replace('/', "::"), home));
    };
    imports(&text).iter().for_each(|(path, name)| add(name, home(path, module)));
    let lines = code(&text);
    for (line, _) in lines.iter().filter(|(_, is_hidden)| !is_hidden) {
        // Macros define some types.
        let is_in_macro = line.starts_with("        pub enum ") || line.starts_with("        pub struct ");
        if let Some(name) = item(if is_in_macro { line.trim_start() } else { line }) {
            add(name, home("", module));
        }
    }
    for (line, is_hidden) in lines {
        if let (Some(name), false) =
            (line.strip_prefix("pub mod ").and_then(|n| n.strip_suffix(';')), is_hidden)
        {
            collect(&format!("{module}/{name}"), names);
        }
    }
}

/// Pairs of a module or file and a name.
type Pairs = Vec<(String, String)>;

/// Returns the modules, as folders, and the other names of the crate root.
fn root() -> (Vec<String>, Pairs) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text = source("lib.rs");
    let own = code(&text).into_iter().filter(|(_, is_hidden)| !is_hidden);
    let own = own.filter_map(|(line, _)| {
        let name = line.strip_prefix("pub mod ")?;
        Some(name.strip_suffix(';').or_else(|| name.strip_suffix(" {"))?.to_string())
    });
    let (mut modules, mut items) = (own.collect::<Vec<_>>(), Pairs::new());
    for (path, name) in imports(&text) {
        let module = format!("{}/{name}", path.trim_end_matches("::").replace("::", "/"));
        if folder.join(&module).join("mod.rs").exists() {
            modules.push(module);
        } else {
            items.push((path, name));
        }
    }
    (modules, items)
}

/// Returns the public API.
fn surface() -> Names {
    let (modules, items) = root();
    let mut names = Names::new();
    for (path, name) in items {
        let home = path.split("::").next().unwrap_or_default().to_string();
        names.entry(name).or_default().push(("crate".to_string(), home));
    }
    modules.iter().for_each(|module| collect(module, &mut names));
    names
}

/// Returns the types that a piece of a signature names.
fn types(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| {
        let mut letters = word.chars();
        // Single letters are parameters, words of capitals constants.
        letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
    })
}

/// Returns the signatures of a file that documentation shows, each with its type.
fn signatures(text: &str, is_public: &impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let lines = code(text);
    let mut lines = lines.iter().peekable();
    // The type whose block this is: 2 an enumeration, 1 a trait, 0 anything else.
    let mut block: Option<(String, i32)> = None;
    while let Some((line, is_hidden)) = lines.next() {
        let inner = line.strip_prefix("    ");
        if inner.is_none() {
            let owner = match (item(line), line.strip_prefix("impl")) {
                (Some(name), _) => {
                    Some((name, if line.contains("enum ") { 2 } else { i32::from(line.contains("trait ")) }))
                }
                (None, Some(rest)) if !line.contains(" for ") => {
                    let rest = if rest.starts_with('<') {
                        rest.split_once("> ").map_or(rest, |(_, rest)| rest)
                    } else {
                        rest
                    };
                    rest.trim_start().split(['<', ' ']).next().map(|name| (name, 0))
                }
                (None, _) => None,
            };
            let owner = owner.filter(|(name, _)| !is_hidden && is_public(name));
            if let (Some((name, _)), true) = (&owner, line.starts_with("pub ")) {
                let mut signature = line.split_once(name).map_or("", |(_, rest)| rest).to_string();
                while line.contains("fn ") && !signature.ends_with(['{', ';']) {
                    signature += &lines.next().expect("a signature ends").0;
                }
                found.push((name.to_string(), signature));
            }
            block = owner.map(|(name, kind)| (name.to_string(), kind));
            continue;
        }
        let (Some((name, kind)), Some(inner), false) = (&block, inner, *is_hidden) else { continue };
        let is_member = inner.starts_with("pub ") || *kind > 0 && !inner.starts_with(' ');
        let is_field = *kind == 2 && inner.starts_with("    ") && !inner.starts_with("     ");
        if !is_member && !is_field {
            continue;
        }
        let mut signature = inner.to_string();
        while inner.contains("fn ") && !signature.ends_with(['{', ';', '}']) {
            signature += &lines.next().expect("a signature ends").0;
        }
        // The name of a variant is not a type.
        let is_variant = is_member && *kind == 2;
        let rest = if is_variant {
            signature.find(['(', '{']).map_or("", |at| &signature[at..])
        } else {
            &signature
        };
        let rest = rest.split(" = ").next().unwrap_or_default();
        found.push((name.clone(), rest.to_string()));
    }
    found
}

/// Collects the Rust files below a folder, without tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        if path.is_dir() && name != "tests" {
            files(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

#[test]
fn hidden_imports_are_left_out() {
    let text = "#[doc(hidden)]\npub use a::B;\n// pub use z::Z;\npub use c::D;\n#[cfg(x)]\npub use e::{\n    F, g,\n};\n";
    let names: Vec<String> = imports(text).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["D", "F", "g"]);
}

#[test]
fn types_of_visible_signatures_are_found() {
    let text = "\
pub struct A<'a> {
    pub b: Vec<B>,
    c: C,
    #[doc(hidden)]
    pub d: D,
}
impl<'a> A<'a> {
    pub fn f(
        &self,
        f: &dyn Foo,
    ) -> Option<Goo> {
        Hoo::new()
    }
}
pub enum Kind {
    Variant(Payload),
    Other {
        field: Field,
    },
}
pub struct Private {
    pub x: Xoo,
}
";
    let found = signatures(text, &|name| name != "Private");
    let found: Vec<&str> = found.iter().flat_map(|(_, text)| types(text)).collect();
    assert_eq!(found, ["Vec", "Foo", "Option", "Goo", "Payload", "Field"]);
}

#[test]
fn the_root_has_few_names_and_each_name_one_path() {
    let (modules, items) = root();
    assert!((20..=MOST_ROOT_NAMES).contains(&items.len()), "{}: {items:?}", items.len());
    assert!(modules.len() >= 7, "{modules:?}");
    let names = surface();
    let twice: Vec<_> = names.iter().filter(|(_, paths)| paths.len() > 1).collect();
    assert!(twice.is_empty(), "names with several paths: {twice:?}");
}

#[test]
fn every_type_of_a_public_signature_has_a_page() {
    let names = surface();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&root, &mut all);
    let (mut missing, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for path in all {
        let text = fs::read_to_string(&path).expect("a source");
        let inner = path.strip_prefix(&root).expect("below the root").with_extension("");
        let module = inner.iter().next().and_then(|name| name.to_str()).unwrap_or_default();
        let is_here =
            |name: &str| names.get(name).is_some_and(|paths| paths.iter().any(|(_, home)| home == module));
        for (owner, signature) in signatures(&text, &is_here) {
            let known = |name: &str| names.contains_key(name) || FOREIGN.contains(&name);
            for name in types(&signature).filter(|name| !known(name)) {
                missing.insert(format!("{name} (of {owner}, {})", path.display()));
            }
            seen.insert(owner);
        }
    }
    assert!(missing.is_empty(), "types without a page: {missing:#?}");
    let unseen: Vec<_> = names.keys().filter(|name| !seen.contains(*name)).collect();
    // Macros define some types; the sources show no signatures of those.
    assert!(unseen.len() < names.len() / 4, "{} of {}: {unseen:?}", unseen.len(), names.len());
}
