//! Shaders with tokens exchanged, dropped or repeated: lowered or refused with a place, never a
//! panic, and what is lowered still computes what its source says.

use fastrand::Rng;

use transpica_compile::source::{Kind, Language, Options, lower, read};
use transpica_proof::daily::cases;

use super::compare::compare_defined;
use super::shaders::files;

#[test]
fn mutated_shaders_are_lowered_or_refused_with_a_place() {
    let mut rng = Rng::with_seed(7);
    let files: Vec<(String, Language)> = (files().into_iter())
        .map(|(path, language)| (std::fs::read_to_string(path).expect("the file is readable"), language))
        .collect();
    let count = cases("mutated shaders", 1000, 60_000);
    let (mut lowered, mut refused, mut compared) = (0, 0, 0);
    for _ in 0..count {
        let (text, language) = &files[rng.usize(0..files.len())];
        let text = mutated(&mut rng, text);
        let options = Options::of(*language);
        let result = read(*language, text.as_bytes()).and_then(|source| {
            lower(&source, &options)?;
            Ok(source)
        });
        match result {
            Ok(source) => {
                compared += compare_defined(&source, &options, 2).2;
                lowered += 1;
            }
            Err(error) => {
                let is_internal = matches!(error.kind, Kind::Internal(_));
                assert!(!is_internal, "{error}\n{text}");
                // naga's own errors lack it now and then.
                let is_nagas = matches!(error.kind, Kind::NoEntry(_) | Kind::Invalid(_) | Kind::Syntax(_));
                let has_place = error.at.is_some() || is_nagas;
                assert!(has_place, "{error}\n{text}");
                refused += 1;
            }
        }
    }
    println!("{lowered} lowered, {refused} refused, {compared} vertices compared");
    assert!(compared as u64 * 10 > lowered * 19, "{compared} of {lowered}");
    assert!(lowered * 20 > count && refused * 4 > count, "{lowered} lowered, {refused} refused");
}

/// One or two tokens of a text changed, after its first lines.
fn mutated(rng: &mut Rng, text: &str) -> String {
    let mut tokens: Vec<&str> = text.split_inclusive(|letter: char| !letter.is_alphanumeric()).collect();
    for _ in 0..rng.usize(1..=2) {
        let (a, b) = (rng.usize(8..tokens.len()), rng.usize(8..tokens.len()));
        match rng.u8(0..6) {
            0 => tokens.swap(a, b),
            1 => tokens[a] = "",
            2 => tokens[a] = tokens[b],
            3 => tokens.insert(a, tokens[b]),
            4 => tokens[a] = ["0 ", "1.0 ", "i ", "p.", "vec3f(", "u.", "- ", "* "][rng.usize(0..8)],
            _other => {
                let end = (a + 6).min(tokens.len());
                tokens.drain(a..end);
                if tokens.len() < 16 {
                    break;
                }
            }
        }
    }
    tokens.concat()
}
