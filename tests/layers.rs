//! Checks the layer table of `src/README.md`: no module imports a module of its own layer or a
//! higher one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Collects the Rust files below a folder, without tests.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
        if path.is_dir() {
            if name != "tests" {
                sources(&path, files);
            }
        } else if name.ends_with(".rs") && !matches!(name.as_str(), "tests.rs" | "testing.rs" | "lib.rs") {
            files.push(path);
        }
    }
}

/// Returns the code of a file without comments and without its test module.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let lines = text[..end].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the top-level modules that a text names after `crate::`, also in braces.
fn imports(text: &str) -> Vec<String> {
    let identifier = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = Vec::new();
    for (start, name) in text.match_indices("crate::") {
        let rest = &text[start + name.len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                found.extend(parts(group).into_iter().map(identifier).filter(|name| !name.is_empty()))
            }
            None => found.push(identifier(rest)),
        }
    }
    found
}

/// Splits a braced list at its top level; `text` starts behind the opening brace.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    parts
}

#[test]
fn imports_are_found_in_all_forms() {
    let text = "use crate::ir::{Op, Value};\nuse crate::{host, isa::Pc, cfg::{Cfg, Block}};\nlet x = crate::limits::check();";
    assert_eq!(imports(text), ["ir", "host", "isa", "cfg", "limits"]);
}

#[test]
fn modules_import_only_lower_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layers = layers(&fs::read_to_string(root.join("README.md")).expect("the architecture page"));
    assert!(layers.len() > 15, "the table was not understood: {layers:?}");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for path in &files {
        let relative = path.strip_prefix(&root).expect("below the root");
        let first = relative.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_string();
        let Some(own) = layers.get(&module) else {
            wrong.push(format!("{} is in no layer", relative.display()));
            continue;
        };
        for import in imports(&code(&fs::read_to_string(path).expect("a source file"))) {
            match layers.get(&import) {
                Some(layer) if import != module && layer >= own => {
                    wrong.push(format!("{} (L{own}) imports {import} (L{layer})", relative.display()));
                }
                Some(_) | None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A reader finds the place of a rule by the map, so it names every file, in the row of its folder.
#[test]
fn the_code_map_names_every_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = fs::read_to_string(root.join("README.md")).expect("the architecture page");
    let map = page.split("## Code map").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the map");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let is_named = |path: &Path| {
        let name = path.file_name().expect("a file").to_string_lossy();
        let folder = path.parent().expect("a folder").to_string_lossy().replace('\\', "/");
        let first = folder.split('/').next().unwrap_or_default();
        // Rows of nested folders stand below those around them; either may name the file.
        let mut rows = map.lines().filter(|row| {
            let folders = row.split('|').nth(1).unwrap_or_default();
            first.is_empty() || folders.contains(&format!("`{first}/"))
        });
        name == "mod.rs" || rows.any(|row| row.contains(&format!("`{name}`")))
    };
    let missing: Vec<_> = files
        .iter()
        .map(|path| path.strip_prefix(&root).expect("below the root"))
        .filter(|path| !path.ends_with("control_tests.rs") && !is_named(path))
        .collect();
    assert!(missing.is_empty(), "the code map lacks {missing:?}");
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

/// Two layers that read an option separately can interpret it in two ways. `host` owns the options,
/// so it may pass derived values to other layers.
#[test]
fn each_option_is_read_in_one_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let options = fields(&fs::read_to_string(root.join("host/options.rs")).expect("the options"));
    let options: Vec<&String> = options
        .iter()
        .filter(|field| {
            ["arithmetic.", "control.", "outputs.", "block.", "assume.", "options."]
                .iter()
                .any(|g| field.starts_with(g))
        })
        .collect();
    assert!(options.len() > 18, "the options were not understood: {options:?}");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut readers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for path in &files {
        let relative = path.strip_prefix(&root).expect("below the root").with_extension("");
        let module = relative.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let code = code(&fs::read_to_string(path).expect("a source file"));
        for option in &options {
            let is_read = code.match_indices(option.as_str()).any(|(at, _)| {
                let next = code[at + option.len()..].chars().next();
                !next.is_some_and(|c| c.is_alphanumeric() || c == '_')
            });
            if is_read && module != "host" {
                readers.entry(option.as_str()).or_default().push(module.clone());
            }
        }
    }
    let mut wrong = Vec::new();
    for (option, mut modules) in readers {
        modules.dedup();
        // The groups of options, and the limits, are passed on unchanged.
        let is_part = ["arithmetic", "control", "outputs", "block", "assume"]
            .map(|part| format!("options.{part}"))
            .iter()
            .any(|part| part == option);
        if modules.len() > 1 && !is_part && option != "options.limits" {
            wrong.push(format!("{option} is read in {}", modules.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
