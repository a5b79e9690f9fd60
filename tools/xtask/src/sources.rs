//! Sources without their tests, and what they import. `cargo xtask count` counts them, and the
//! tests of the house (`tests/house`) hold rules about them.

use std::fs;
use std::path::Path;

/// A source file without its tests.
pub struct Source {
    /// Below the root of the repository, with `/`.
    pub path: String,
    pub lines: Vec<String>,
}

impl Source {
    /// Path of the module in the library; meaningless for a file of another crate.
    pub fn module(&self) -> Vec<String> {
        let path = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        let parts = path.split('/').map(str::to_owned);
        parts.filter(|part| part != "mod" && part != "lib").collect()
    }

    /// Paths that `use` lines name, from the root of the crate; of names in braces each.
    pub fn imports(&self) -> Vec<Vec<String>> {
        let own = self.module();
        let text: String = code(&self.lines).collect::<Vec<_>>().join("\n");
        let mut found = Vec::new();
        for part in text.split("\nuse ").skip(1).chain(text.strip_prefix("use ")) {
            let Some(end) = part.find(';') else { continue };
            expand(part[..end].trim(), &[], &own, &mut found);
        }
        found
    }
}

/// Collects the Rust files below a folder, without tests, benches of packages and examples.
pub fn sources(root: &Path, folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut work = vec![root.join(folder)];
    while let Some(folder) = work.pop() {
        let mut entries: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() {
                if !matches!(&*name, "tests" | "examples" | "target" | "node_modules") {
                    work.push(path);
                }
            } else if name.ends_with(".rs")
                && !matches!(&*name, "tests.rs" | "testing.rs" | "control_tests.rs")
            {
                let text = fs::read_to_string(&path).unwrap_or_default();
                let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
                let below = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                let lines = text[..end].lines().map(str::to_owned).collect();
                found.push(Source { path: below, lines });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Lines of code: neither blank nor comment.
pub fn code(lines: &[String]) -> impl Iterator<Item = &str> {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && !line.starts_with("//"))
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
