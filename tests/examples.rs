//! Examples of the documentation that include a file are compiled alone. rustdoc compiles all others
//! as one program, in another folder. One example with a path of its own makes that program fail,
//! and then each of them becomes a program: that took twelve times as long.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines that begin an example with an included file, without the attribute that separates it.
fn merged(text: &str) -> Vec<usize> {
    let (mut found, mut start) = (Vec::new(), None);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start().trim_start_matches("///").trim_start_matches("//!").trim_start();
        if let Some(attributes) = line.strip_prefix("```") {
            start = match start {
                None => Some((number, attributes.contains("standalone_crate"))),
                Some(_) => None,
            };
        } else if let Some((start, false)) = start
            && line.contains("include_bytes!(")
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
fn examples_that_include_a_file_are_compiled_alone() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../src"), &mut files);
    let mut alone = 0;
    for path in &files {
        let text = fs::read_to_string(path).expect("a readable file");
        alone += text.matches("standalone_crate").count();
        assert_eq!(merged(&text), [0; 0], "{}", path.display());
    }
    assert!(alone > 5, "{alone} examples");
}

#[test]
fn an_example_without_the_attribute_is_found() {
    let example = "/// ```\n/// let bytes = include_bytes!(\"a\");\n/// ```\n";
    let text = format!("{example}\nfn a() {{}}\n{}", example.replacen("```", "```standalone_crate", 1));
    assert_eq!(merged(&text), [1]);
    assert_eq!(merged("/// ```\n/// ```\nlet bytes = include_bytes!(\"a\");"), [0; 0]);
}
