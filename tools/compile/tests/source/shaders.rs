//! The shaders of `tests/shaders/`, each with the distance that it may have.

use std::path::Path;

use transpica_compile::source::{Language, Options, read};

use crate::compare::compare;

const VERTICES: usize = 300;

#[test]
fn shaders_compute_what_their_sources_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let mut names: Vec<_> =
        folder.read_dir().expect("the folder exists").map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    let mut table = String::new();
    for path in names {
        let language = match path.extension().and_then(|extension| extension.to_str()) {
            Some("wgsl") => Language::Wgsl,
            Some("vert") => Language::Glsl,
            _other => continue,
        };
        let text = std::fs::read(&path).expect("the file is readable");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let source = read(language, &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (lowered, distances) = compare(&source, &Options::of(language), VERTICES);
        for (output, distance) in lowered.interface.outputs.iter().zip(&distances) {
            let line = format!(
                "{name} {} {}: {} ulp, {:.1e} of {}\n",
                output.name,
                output.semantic.info().name,
                distance.ulp,
                distance.relative,
                distance.compared
            );
            table.push_str(&line);
        }
    }
    println!("{table}");
}
