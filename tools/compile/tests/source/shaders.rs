//! The shaders of `tests/shaders/`, each with the distances that it has, also by way of SPIR-V.

use std::path::{Path, PathBuf};

use naga::valid::{Capabilities, ValidationFlags, Validator};
use transpica_compile::source::{Language, Lowered, Options, Role, Source, lower, read};

use super::compare::compare;

const VERTICES: usize = 300;

/// Largest distance, relative to the largest lane of an output. Polynomials of angles decide it.
const FAR: f64 = 1e-3;

pub fn files() -> Vec<(PathBuf, Language)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let entries = folder.read_dir().expect("the folder exists");
    let language = |path: PathBuf| match path.extension()?.to_str()? {
        "wgsl" => Some((path, Language::Wgsl)),
        "vert" => Some((path, Language::Glsl)),
        _other => None,
    };
    let mut files: Vec<_> =
        entries.filter_map(|entry| language(entry.expect("an entry is readable").path())).collect();
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    files
}

pub fn source(path: &Path, language: Language) -> Source {
    let bytes = std::fs::read(path).expect("the file is readable");
    read(language, &bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn shaders_compute_what_their_sources_say() {
    let mut table = String::new();
    for (path, language) in files() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let (lowered, distances) = compare(&source(&path, language), &Options::of(language), VERTICES);
        for (output, distance) in lowered.interface.outputs.iter().zip(&distances) {
            let semantic = output.semantic.info().name;
            let (ulp, relative) = (distance.ulp, distance.relative);
            table.push_str(&format!("{name} {} {semantic}: {ulp} ulp, {relative:.1e}\n", output.name));
            assert!(relative < FAR, "{name} {}: {relative:.1e}", output.name);
            // A divisor in uniforms that is 0 is so for a whole group of vertices.
            assert!(distance.vertices * 10 > VERTICES * 8, "{name}: most vertices are finite");
        }
    }
    println!("{table}");
}

#[test]
fn a_shader_and_its_spir_v_are_one_program() {
    for (path, _) in files().into_iter().filter(|(_, language)| *language == Language::Wgsl) {
        let own = source(&path, Language::Wgsl);
        // Overrides have no form in SPIR-V of naga.
        if own.module.overrides.is_empty() {
            let again = read(Language::SpirV, &spir_v(&own)).unwrap_or_else(|error| panic!("{error}"));
            let mut options = Options::of(Language::SpirV);
            let expected =
                lower(&own, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            // Its outputs have no names. The members after the position have the locations from 0
            // on.
            for output in expected.interface.outputs.iter().filter(|output| output.member > 0) {
                let role = match output.name.as_str() {
                    "normal" => Role::Normal,
                    _other => Role::Semantic(output.semantic),
                };
                options.outputs.push(((output.member - 1).to_string(), role));
                let tangent = output.tangent.map(|member| ((member - 1).to_string(), Role::Tangent));
                options.outputs.extend(tangent);
            }
            let got = lower(&again, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let semantics = |lowered: &Lowered| -> Vec<_> {
                lowered.interface.outputs.iter().map(|output| (output.semantic, output.lanes)).collect()
            };
            assert_eq!(semantics(&expected), semantics(&got), "{}", path.display());
            compare(&again, &options, 50);
        }
    }
}

fn spir_v(source: &Source) -> Vec<u8> {
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&source.module)
        .expect("the module is valid");
    let options = naga::back::spv::Options {
        flags: naga::back::spv::WriterFlags::DEBUG,
        // Bounds of loops are what a compiler of shaders leaves to others.
        force_loop_bounding: false,
        ..naga::back::spv::Options::default()
    };
    let words = naga::back::spv::write_vec(&source.module, &info, &options, None).expect("naga writes it");
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn words_that_naga_fails_on_are_an_error() {
    let (path, language) =
        files().into_iter().find(|(path, _)| path.ends_with("plain.wgsl")).expect("a file");
    let mut bytes = spir_v(&source(&path, language));
    // OpTypeFloat of 31 bits: naga unwraps the layout of such a type.
    let float = (3_u32 << 16 | 22).to_le_bytes();
    let at = bytes.chunks(4).position(|word| word == float).expect("a float type") * 4;
    assert_eq!(bytes[at + 8], 32);
    bytes[at + 8] = 31;
    let error = read(Language::SpirV, &bytes).expect_err("no such type exists");
    assert_eq!(error.kind.code(), "syntax");
}
