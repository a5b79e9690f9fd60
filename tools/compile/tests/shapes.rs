//! Programs as games have them, made shorter: their words, their proofs, and wrong rewrites of them
//! that a comparison finds.

use std::collections::BTreeSet;
use std::path::Path;

use transpica::container::{DescriptorRecord, Model, write};
use transpica::isa::Word;
use transpica::isa::word::Field;
use transpica::{Limits, Options, Shbin};
use transpica_asm::{SourceText, assemble};
use transpica_compile::equal::matching::Matching;
use transpica_compile::equal::{Comparison, Effort, Opened, Verdict, compare};
use transpica_compile::optimize::{Goal, Known, Optimized, optimize};

/// The shapes: words before and after.
const SHAPES: [(&str, usize, usize); 10] = [
    ("billboard", 22, 15),
    ("cube", 16, 14),
    ("envmap", 28, 24),
    ("lamps", 29, 22),
    ("lit", 32, 24),
    ("options", 39, 32),
    ("skin", 25, 19),
    ("sprite", 15, 11),
    ("terrain", 35, 26),
    ("toon", 24, 17),
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
    optimize(bytes, &[Known::default()], Goal::default()).expect("a program")
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
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("there").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, SHAPES.map(|(name, ..)| format!("{name}.v.pica")));
    let mut found = Vec::new();
    for (name, ..) in SHAPES {
        let bytes = assembled(name);
        let Optimized { bytes: after, before, after: words, kept, is_proven, .. } = optimized(&bytes);
        assert_eq!((is_proven, kept), (true, None), "{name}");
        assert_eq!(verdict(&bytes, &after), Verdict::Proven { claims: 0 }, "{name}");
        found.push((name, before, words));
    }
    assert_eq!(found, SHAPES);
}

#[test]
fn wrong_rewrites_of_shapes_are_found() {
    let (mut dropped, mut swapped, mut missed, mut same) = (0, 0, Vec::new(), Vec::new());
    for (name, ..) in SHAPES {
        let bytes = assembled(name);
        let model = Model::from(&Shbin::parse(&optimized(&bytes).bytes).expect("a file"));
        let is_found = |model: &Model| !verdict(&bytes, &write(model)).is_equal();
        for (at, &word) in model.code.iter().enumerate().filter(|(_, word)| Word(**word).moves().is_none()) {
            let mut wrong = model.clone();
            wrong.code[at] = NOP;
            if word != NOP && is_found(&wrong) {
                dropped += 1;
            } else {
                missed.push((name, at));
            }
        }
        let descriptor = |word: &u32| Word(*word).get(Field::Descriptor);
        let used: BTreeSet<u32> = model.code.iter().filter_map(descriptor).collect();
        for at in used.into_iter().map(|at| at as usize) {
            // Each component of the first operand comes from another lane.
            let is_noticed = (5..13).any(|bit| {
                let mut wrong = model.clone();
                let DescriptorRecord { bits, .. } = &mut wrong.descriptors[at];
                *bits ^= 1 << bit;
                is_found(&wrong)
            });
            if is_noticed {
                swapped += 1;
            } else {
                same.push((name, at));
            }
        }
    }
    println!("{dropped} instructions left out, {swapped} descriptors with another lane");
    assert_eq!((&missed[..], &same[..]), (&NO_EFFECT[..], &EQUAL_LANES[..]));
    assert!(dropped > 100 && swapped > 40, "{dropped} {swapped}");
}

/// Words that change nothing in the machine: they write 1 to w or 0 to z, which registers begin
/// with or hold already, and in terrain the larger of 0 and a power of two.
const NO_EFFECT: [(&str, usize); 9] = [
    ("billboard", 1),
    ("cube", 1),
    ("lit", 22),
    ("skin", 2),
    ("skin", 12),
    ("sprite", 1),
    ("terrain", 3),
    ("terrain", 17),
    ("terrain", 21),
];
/// Descriptors that only read constants of four equal components.
const EQUAL_LANES: [(&str, usize); 2] = [("cube", 5), ("cube", 7)];
/// NOP, as 3dbrew numbers it.
const NOP: u32 = 0x21 << 26;

/// Bytes that no table has.
const GAP: [u8; 32] = [0xA5; 32];

#[test]
fn bytes_that_no_table_has_stay() {
    for name in ["options", "points"] {
        let plain = match name {
            "points" => std::fs::read(folder().join("../../../../shaders/points.shbin")).expect("a file"),
            _shape => assembled(name),
        };
        let word = |at: usize| u32::from_le_bytes(plain[at..at + 4].try_into().expect("four bytes"));
        // The offsets of the programs follow their number.
        let (first, count) = (word(8) as usize, word(4) as usize);
        let mut bytes = [&plain[..first], &GAP, &plain[first..], b"trailing"].concat();
        for at in (8..).step_by(4).take(count) {
            bytes[at..at + 4].copy_from_slice(&(word(at) + 32).to_le_bytes());
        }
        let Optimized { bytes: after, kept, .. } = optimized(&bytes);
        assert_eq!(kept.is_some(), name == "points", "{name}");
        assert_eq!(kept.is_some(), after == bytes, "{name}");
        assert!(after.windows(32).any(|part| part == GAP) && after.ends_with(b"trailing"), "{name}");
        assert_eq!(verdict(&bytes, &after), Verdict::Proven { claims: 0 }, "{name}");
    }
}
