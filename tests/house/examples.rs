//! Examples of the documentation read their files at run time. rustdoc compiles all examples as one
//! program in another folder, where relative paths to include fail; then it compiles each of them
//! alone.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines that begin an example with an included file, without the attribute that separates it from
/// the others.
fn including(text: &str) -> Vec<usize> {
    let (mut found, mut start) = (Vec::new(), None);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start().trim_start_matches("///").trim_start_matches("//!").trim_start();
        if let Some(attributes) = line.strip_prefix("```") {
            start = match start {
                None => Some((number, attributes.contains("standalone_crate"))),
                Some(_) => None,
            };
        } else if let Some((start, false)) = start
            && ["include_bytes!(", "include_str!("].iter().any(|include| line.contains(include))
            && !found.contains(&start)
        {
            found.push(start);
        }
    }
    found
}

/// Collects the files below a folder that may hold examples.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
            files.push(path);
        }
    }
}

#[test]
fn examples_include_no_file() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 200, "only {} files found", files.len());
    for path in &files {
        let text = fs::read_to_string(path).expect("a readable file");
        assert_eq!(including(&text), [0; 0], "{}", path.display());
    }
}

#[test]
fn an_example_with_an_included_file_is_found() {
    let example = "/// ```\n/// let bytes = include_bytes!(\"a\");\n/// ```\n";
    let text = format!("{example}\nfn a() {{}}\n{}", example.replacen("```", "```standalone_crate", 1));
    assert_eq!(including(&text), [1]);
    assert_eq!(including("/// ```\n/// ```\nlet bytes = include_bytes!(\"a\");"), [0; 0]);
}
