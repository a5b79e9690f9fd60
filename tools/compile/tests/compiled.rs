//! Shaders in WGSL and GLSL as programs: their words, and how far they are from their sources.

use std::fs;
use std::path::Path;

use transpica_compile::compile::compile;
use transpica_compile::source::{Language, Options, read};

#[test]
fn shaders_become_programs_that_compute_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let mut names: Vec<_> =
        fs::read_dir(folder).expect("shaders").map(|entry| entry.expect("a file").path()).collect();
    names.sort();
    let mut refused = Vec::new();
    for path in &names {
        let language =
            if path.extension().is_some_and(|end| end == "wgsl") { Language::Wgsl } else { Language::Glsl };
        let source = read(language, &fs::read(path).expect("a text")).expect("valid");
        let name = path.file_name().expect("a name").to_string_lossy();
        match compile(&source, &Options::of(language)) {
            Ok(compiled) => {
                let far: Vec<String> = compiled.distances.iter().map(ToString::to_string).collect();
                println!("{name}: {} words; {}", compiled.words, far.join("; "));
                if std::env::var("SHOW").is_ok_and(|show| name.contains(&show)) {
                    println!("{}", compiled.text);
                }
            }
            Err(error) => refused.push(format!("{name}: {error}")),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
