//! Programs as games have them, made shorter: their words, their proofs, and wrong rewrites of them
//! that a comparison finds.

use std::path::Path;

use transpica::container::{DescriptorRecord, Model, write};
use transpica::isa::Word;
use transpica::{Limits, Options, Shbin};
use transpica_asm::{SourceText, assemble};
use transpica_compile::equal::matching::Matching;
use transpica_compile::equal::{Comparison, Effort, Opened, Verdict, compare};
use transpica_compile::optimize::{Known, Optimized, Reason, optimize};
use transpica_compile::paths;

/// The shapes: words before and after, `None` if the file stays.
const SHAPES: [(&str, usize, Option<usize>); 10] = [
    ("billboard", 0, None),
    ("cube", 0, None),
    ("envmap", 0, None),
    ("lamps", 0, None),
    ("lit", 0, None),
    ("options", 0, None),
    ("skin", 0, None),
    ("sprite", 0, None),
    ("terrain", 0, None),
    ("toon", 0, None),
];

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes")
}

/// A shape as a file.
fn assembled(name: &str) -> Vec<u8> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.v.pica"))).expect("a shape");
    assemble(&[SourceText { name, text: &text }]).expect("a text").bytes
}

fn optimized(bytes: &[u8]) -> Optimized {
    optimize(bytes, &[Known::default()]).expect("a program")
}

fn opened(bytes: &[u8]) -> Opened {
    let file = Shbin::parse(bytes).expect("a file");
    Opened::new(&file, 0, &Limits::default()).expect("a program")
}

/// Compares the programs of two files as `optimize` does.
fn verdict(before: &[u8], after: &[u8]) -> Verdict {
    let [before, after] = [before, after].map(opened);
    let matching = Matching::new([&before.symbols, &after.symbols], &[]).expect("outputs of both");
    let effort = Effort { vertices: 1 << 12, ..Effort::default() };
    let comparison =
        Comparison { effort, ..Comparison::new([&before, &after], &matching, Options::default()) };
    compare(&comparison).expect("it runs")
}

#[test]
fn shapes_have_the_words_that_are_recorded_and_a_proof() {
    let entries = std::fs::read_dir(folder()).expect("there");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("there").file_name()).collect();
    names.sort();
    assert_eq!(names, SHAPES.map(|(name, ..)| format!("{name}.v.pica")));
    let mut found = Vec::new();
    for (name, ..) in SHAPES {
        let bytes = assembled(name);
        let Optimized { bytes: after, before, after: words, kept, is_proven, .. } = optimized(&bytes);
        assert!(is_proven && matches!(kept, None | Some(Reason::NotShorter(_))), "{name}: {kept:?}");
        assert_eq!(kept.is_some(), bytes == after, "{name}");
        assert_eq!(verdict(&bytes, &after), Verdict::Proven { claims: 0 }, "{name}");
        found.push((name, before, kept.is_none().then_some(words)));
    }
    assert_eq!(found, SHAPES);
}

#[test]
fn wrong_rewrites_of_shapes_are_found() {
    let (mut dropped, mut swapped) = (0, 0);
    for (name, _, words) in SHAPES {
        if words.is_none() {
            continue;
        }
        let bytes = assembled(name);
        let model = Model::from(&Shbin::parse(&optimized(&bytes).bytes).expect("a file"));
        let is_found = |model: &Model| !verdict(&bytes, &write(model)).is_equal();
        for (at, &word) in model.code.iter().enumerate().filter(|(_, word)| Word(**word).moves().is_none()) {
            let mut wrong = model.clone();
            wrong.code[at] = NOP;
            if word != NOP {
                assert!(is_found(&wrong), "{name}: without word {at}");
                dropped += 1;
            }
        }
        for at in 0..model.descriptors.len() {
            // Each component of the first operand comes from another lane.
            let is_noticed = (5..13).any(|bit| {
                let mut wrong = model.clone();
                let DescriptorRecord { bits, .. } = &mut wrong.descriptors[at];
                *bits ^= 1 << bit;
                is_found(&wrong)
            });
            assert!(is_noticed, "{name}: descriptor {at}");
            swapped += 1;
        }
    }
    println!("{dropped} instructions left out, {swapped} descriptors with another lane");
    assert!(dropped > 100 && swapped > 40, "{dropped} {swapped}");
}

/// NOP, as 3dbrew numbers it.
const NOP: u32 = 0x21 << 26;
