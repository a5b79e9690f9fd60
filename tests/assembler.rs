//! The assembler against picasso 2.7.1: our own shaders and small probes assemble to the same bytes, or are refused alike.
//! `tests/cases/picasso/NAME.pica` (and `NAME.b.pica`, a second source) gives `NAME.shbin`; where that file is missing
//! picasso refuses. `NAME.txt` holds its options, exit status and messages.
#![cfg(feature = "asm")]

use std::fs;
use std::path::{Path, PathBuf};

use transpica::asm::{Assembled, Options, Report, Source, assemble_with};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of a folder, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("entry").path()).collect();
    files.sort();
    files
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("plain names")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("text")
}

fn assemble_files(paths: &[&PathBuf], options: &Options) -> Result<Assembled, Report> {
    let texts: Vec<_> = paths.iter().map(|path| read(path)).collect();
    let sources: Vec<_> =
        paths.iter().zip(&texts).map(|(path, text)| Source { name: name(path), text }).collect();
    assemble_with(&sources, options)
}

/// These binaries are picasso's own, so they are never written again.
const BY_PICASSO: [&str; 10] =
    ["fog", "library", "lights", "points", "quaternion", "skinning", "textured", "toon", "uber", "water"];

/// `NAME.shbin` is made of `NAME.*.pica` in reverse alphabetical order. `BLESS=1` writes those that are not picasso's.
#[test]
fn every_shader_assembles_to_its_binary() {
    let shaders = files("shaders");
    let mut failures = Vec::new();
    let mut stems: Vec<_> = shaders
        .iter()
        .filter(|path| name(path).ends_with(".pica"))
        .map(|path| name(path).split('.').next().expect("a first part"))
        .collect();
    stems.dedup();
    for stem in &stems {
        let is_source = |path: &&PathBuf| {
            name(path).strip_prefix(stem).is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".pica"))
        };
        let sources: Vec<_> = shaders.iter().rev().filter(is_source).collect();
        let assembled = match assemble_files(&sources, &Options::default()) {
            Ok(assembled) => assembled,
            Err(report) => {
                failures.push(report.to_string());
                continue;
            }
        };
        failures.extend(assembled.warnings.iter().map(ToString::to_string));
        let binary = root().join(format!("shaders/{stem}.shbin"));
        if std::env::var_os("BLESS").is_some() && !BY_PICASSO.contains(stem) {
            fs::write(&binary, &assembled.bytes).expect("written");
        }
        if fs::read(&binary).ok().as_ref() != Some(&assembled.bytes) {
            failures.push(format!("{stem}.shbin is stale"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(stems.len() >= 22 && BY_PICASSO.iter().all(|stem| stems.contains(stem)));
}

#[test]
fn probes_assemble_as_with_picasso() {
    let mut failures = Vec::new();
    let mut count = 0;
    for source in files("tests/cases/picasso") {
        let Some(stem) = name(&source).strip_suffix(".pica").filter(|stem| !stem.ends_with(".b")) else {
            continue;
        };
        let second = source.with_file_name(format!("{stem}.b.pica"));
        let mut sources = vec![&source];
        if second.exists() {
            sources.push(&second);
        }
        let said = read(&source.with_extension("txt"));
        let options = Options { no_nop: said.starts_with("args: -n") };
        let accepted = said.contains("exit: 0");
        let expected = fs::read(source.with_extension("shbin")).ok();
        assert_eq!(accepted, expected.is_some(), "{stem}: the case contradicts itself");
        let result = assemble_files(&sources, &options);
        match (result, expected) {
            (Ok(assembled), Some(expected)) if assembled.bytes == expected => {}
            (Err(_), None) => {}
            (Ok(_), Some(_)) => failures.push(format!("{stem}: other bytes")),
            (Ok(_), None) => failures.push(format!("{stem}: should be refused: {said}")),
            (Err(report), Some(_)) => failures.push(format!("{stem}: refused: {report}")),
        }
        count += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 94);
}
