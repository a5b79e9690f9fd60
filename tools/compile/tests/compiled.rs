//! Shaders in WGSL and GLSL as programs: their words, and how far they are from their sources.

use std::fs;
use std::path::Path;

use crate::source::generate;
use transpica_compile::compile::{Error, compile, compile_with};
use transpica_compile::emit;
use transpica_compile::source::{self, Language, Options, read};

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

/// Vertices on which each random program is compared.
const VERTICES: usize = 100;

#[test]
fn random_shaders_become_programs_or_exceed_a_limit() {
    let (mut counts, mut words) = (std::collections::BTreeMap::<String, u64>::new(), 0);
    let programs = transpica_proof::daily::cases("random shaders, compiled", 200, 2000);
    for seed in 0..programs {
        let text = generate::program(seed);
        let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
        let kind = match compile_with(&source, &Options::of(Language::Wgsl), VERTICES) {
            Ok(compiled) => {
                words += compiled.words;
                "compiled".to_owned()
            }
            Err(Error::Emit(emit::Error::Limit { what, .. })) => format!("more {what}"),
            Err(Error::Source(error)) if matches!(error.kind, source::Kind::Limit { .. }) => "limits of the source".into(),
            Err(error) => panic!("{seed}: {error}\n{text}"),
        };
        *counts.entry(kind).or_default() += 1;
    }
    println!("{counts:?}, {words} words");
    assert!(counts["compiled"] * 10 >= programs * 8, "{counts:?}");
}
