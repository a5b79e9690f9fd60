//! Sources without their tests. `cargo xtask count` counts them, and a test of the house
//! (`tests/house/layers.rs`) holds rules about them.

use std::fs;
use std::path::Path;

/// A source file without its tests.
pub struct Source {
    /// Below the root of the repository, with `/`.
    pub path: String,
    pub lines: Vec<String>,
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
