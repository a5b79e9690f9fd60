//! Checks the layer table of `src/README.md`: no module imports a module of its own layer or a
//! higher one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::sources::{Source, code, sources};

/// Layer of each module in the table.
fn layers(readme: &str) -> BTreeMap<String, u32> {
    let mut layers = BTreeMap::new();
    for line in readme.lines().filter(|line| line.starts_with("| L")) {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let layer = cells.next().and_then(|cell| cell[1..].parse().ok()).expect("a layer number");
        for module in cells.next().expect("a module cell").split(',') {
            layers.insert(module.trim().trim_matches('`').to_string(), layer);
        }
    }
    layers
}

/// Files of the library but its first.
fn files() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    sources(root, "src").into_iter().filter(|source| source.path != "src/lib.rs").collect()
}

fn text(source: &Source) -> String {
    code(&source.lines).collect::<Vec<_>>().join("\n")
}

/// Path of a module in the library.
fn module(source: &Source) -> Vec<String> {
    let path = source.path.trim_start_matches("src/").trim_end_matches(".rs");
    let parts = path.split('/').map(str::to_owned);
    parts.filter(|part| part != "mod" && part != "lib").collect()
}

/// Paths that `use` lines name, from the root of the crate; of names in braces each.
fn imports(source: &Source) -> Vec<Vec<String>> {
    let own = module(source);
    let text: String = code(&source.lines).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for part in text.split("\nuse ").skip(1).chain(text.strip_prefix("use ")) {
        let Some(end) = part.find(';') else { continue };
        expand(part[..end].trim(), &[], &own, &mut found);
    }
    found
}

/// Adds the paths of one tree of `use`.
fn expand(tree: &str, before: &[String], own: &[String], found: &mut Vec<Vec<String>>) {
    let (path, group) = match tree.split_once('{') {
        Some((path, group)) => (path, group.trim_end().strip_suffix('}')),
        None => (tree, None),
    };
    let mut all = before.to_vec();
    for word in path.split("::").map(str::trim).filter(|word| !word.is_empty()) {
        match word.split_whitespace().next().unwrap_or_default() {
            "crate" => all.clear(),
            "self" if before.is_empty() && all.is_empty() => all = own.to_vec(),
            "self" => {}
            "super" => {
                let mut outer = if all.is_empty() { own.to_vec() } else { all };
                outer.pop();
                all = outer;
            }
            name => all.push(name.to_owned()),
        }
    }
    let Some(group) = group else { return found.push(all) };
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !group[start..at].trim().is_empty() {
                    expand(group[start..at].trim(), &all, own, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Returns the top-level modules that a source names, in `use` lines or after `crate::`.
fn named(source: &Source) -> Vec<String> {
    let text = text(source);
    let identifier = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let inline = text.split("crate::").skip(1).map(identifier);
    imports(source).into_iter().filter_map(|path| path.into_iter().next()).chain(inline).collect()
}

#[test]
fn imports_are_found_in_all_forms() {
    let lines = [
        "use crate::ir::{Op, Value};",
        "use crate::{host, isa::Pc, cfg::{Cfg, Block}};",
        "use super::super::error;",
        "pub(super) use crate::lower::Context;",
        "let x = crate::limits::check();",
    ];
    let source = Source { path: "src/passes/a.rs".into(), lines: lines.map(str::to_owned).to_vec() };
    let found: BTreeSet<String> = named(&source).into_iter().filter(|name| !name.is_empty()).collect();
    let wanted = ["cfg", "error", "host", "ir", "isa", "limits", "lower"];
    assert_eq!(found, wanted.map(str::to_owned).into());
}

/// Returns whether an import names an item of the public module `host` and none of its files.
fn is_facade(import: &[String]) -> bool {
    let [host, item, ..] = import else { return false };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/host");
    host == "host" && !folder.join(item).exists() && !folder.join(format!("{item}.rs")).exists()
}

#[test]
fn modules_import_only_lower_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layers = layers(&fs::read_to_string(root.join("README.md")).expect("the architecture page"));
    assert!(layers.len() > 11, "the table was not understood: {layers:?}");
    let mut wrong = Vec::new();
    for file in files() {
        let (path, module) = (&file.path, module(&file).swap_remove(0));
        // `lib.rs` shows both layers of a host's names under one path.
        if imports(&file).iter().any(|import| is_facade(import)) {
            wrong.push(format!("{path} imports from `host` itself, not from a file below it"));
        }
        let Some(own) = layers.get(&module) else {
            wrong.push(format!("{path} is in no layer"));
            continue;
        };
        for import in named(&file) {
            match layers.get(&import) {
                Some(layer) if import != module && layer >= own => {
                    wrong.push(format!("{path} (L{own}) imports {import} (L{layer})"));
                }
                Some(_) | None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A reader finds the place of a rule by the pages of the modules: the first comments of each
/// `mod.rs` name every file and folder beside it.
#[test]
fn the_page_of_a_module_names_every_file_beside_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for file in files() {
        let (mut folder, name) = file.path.rsplit_once('/').expect("a file in a folder");
        let entry = match name {
            "mod.rs" => {
                let (outer, inner) = folder.rsplit_once('/').unwrap_or((folder, folder));
                folder = outer;
                format!("{inner}/")
            }
            _ => name.to_owned(),
        };
        if folder == "src" {
            continue;
        }
        // A small folder is described by the page around it.
        let around = folder.rsplit_once('/').map_or(folder, |(around, _)| around);
        let page = |folder: &str| {
            let inline = || {
                let library = fs::read_to_string(root.join("src/lib.rs")).expect("the first file");
                let name = folder.trim_start_matches("src/");
                let begin = format!("\npub mod {name} {{\n");
                library.split_once(&begin).map_or_else(String::new, |(_, rest)| rest.to_owned())
            };
            let text = fs::read_to_string(root.join(folder).join("mod.rs")).unwrap_or_else(|_| inline());
            let lines = text.lines().map(str::trim_start);
            let comments = lines.take_while(|line| line.is_empty() || line.starts_with("//"));
            comments.collect::<Vec<_>>().join(" ")
        };
        let entry = format!("`{entry}");
        if ![folder, around].iter().any(|folder| page(folder).contains(&entry)) {
            missing.push(format!("{folder}/mod.rs lacks {entry}`"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The index of rules names files that exist, and its page is short enough to be read.
#[test]
fn the_file_of_every_rule_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("src/README.md")).expect("the architecture page");
    let (_, rest) = page.split_once("\n## Where a rule stands\n").expect("the section");
    let (section, _) = rest.split_once("\n## ").expect("another section after it");
    let codes = section.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = codes.filter(|code| code.contains('/') || code.ends_with(".rs")).collect();
    assert!(paths.len() > 100, "the section was not understood: {paths:?}");
    for path in paths {
        assert!(root.join("src").join(path).exists() || root.join(path).exists(), "there is no {path}");
    }
    assert!(section.lines().all(|line| line.chars().count() <= 200), "a row is too long");
    assert!(section.lines().count() <= 62, "the section is too long");
}

/// Returns the fields of the structs in a source file, as `group.field`; the group is the struct's
/// name in lower case.
fn fields(text: &str) -> Vec<String> {
    let (mut fields, mut group) = (Vec::new(), String::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("pub struct ").and_then(|rest| rest.strip_suffix(" {")) {
            group = name.to_lowercase();
        } else if let Some((field, _)) = line.strip_prefix("    pub ").and_then(|rest| rest.split_once(": "))
        {
            fields.push(format!("{group}.{field}"));
        }
    }
    fields
}

/// Two layers that read an option separately can interpret it in two ways. `host` owns the options
/// and `interface` follows from them, so both may pass derived values to other layers.
#[test]
fn each_option_is_read_in_one_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let options = fields(&fs::read_to_string(root.join("host/settings/options.rs")).expect("the options"));
    let options: Vec<&String> = options
        .iter()
        .filter(|field| {
            ["arithmetic.", "control.", "outputs.", "block.", "assume.", "options."]
                .iter()
                .any(|g| field.starts_with(g))
        })
        .collect();
    assert!(options.len() > 18, "the options were not understood: {options:?}");
    let files = files();
    let mut readers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in &files {
        let (module, code) = (module(file).swap_remove(0), text(file));
        for option in &options {
            let is_read = code.match_indices(option.as_str()).any(|(at, _)| {
                let next = code[at + option.len()..].chars().next();
                !next.is_some_and(|c| c.is_alphanumeric() || c == '_')
            });
            if is_read && module != "host" && module != "interface" {
                readers.entry(option.as_str()).or_default().push(module.clone());
            }
        }
    }
    let mut wrong = Vec::new();
    for (option, mut modules) in readers {
        modules.dedup();
        // The groups of options, and the limits, are passed on unchanged.
        let is_part = ["arithmetic", "control", "outputs", "block", "assume", "input"]
            .map(|part| format!("options.{part}"))
            .iter()
            .any(|part| part == option);
        if modules.len() > 1 && !is_part && option != "options.limits" {
            wrong.push(format!("{option} is read in {}", modules.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
