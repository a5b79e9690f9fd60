//! The disassembler: its text assembles to the same content, for samples, random programs and
//! arbitrary words. The text of picasso's binaries is accepted by picasso.

use std::path::Path;

use expect_test::{expect, expect_file};
use fastrand::Rng;
use transpica::container::{DescriptorRecord, Executable, Header, Model, OutputRecord, Symbol, Version};
use transpica::isa::{Move, Opcode, Pc, Word};
use transpica::{Shbin, container};
use transpica_asm::dis::{DisassemblerOptions, Listing, content, disassemble};
use transpica_asm::{Assembled, Report, SourceText, assemble};
use transpica_proof::daily;

use crate::samples::samples;

fn reassemble(text: &str) -> Result<Assembled, Report> {
    assemble(&[SourceText { name: "text", text }])
}

/// Disassembles a file; its text must assemble to the same content.
#[track_caller]
fn text(model: &Model) -> String {
    let bytes = container::write(model);
    let file = Shbin::parse(&bytes).expect("well formed");
    for hex in [true, false] {
        let text = disassemble(&file, &DisassemblerOptions { hex }).expect("has a text");
        let again = reassemble(&text).unwrap_or_else(|report| panic!("{report}\n{text}"));
        assert_eq!(content(&again.model), content(&Model::from(&file)), "{text}");
        if !hex {
            return text;
        }
    }
    unreachable!("the loop returns")
}

/// Directives unknown to picasso, and `.dvle`, for which it takes separate files.
const OURS: [&str; 10] = [
    ".constant",
    ".header",
    ".label",
    ".line",
    ".opdesc",
    ".output",
    ".package",
    ".symbol",
    ".verbatim",
    ".word",
];

fn is_plain(text: &str) -> bool {
    !OURS.iter().any(|directive| text.contains(directive)) && !text.contains(['@', '^'])
}

#[test]
fn samples_become_text_of_picasso_that_gives_the_same_bytes() {
    let mut special = Vec::new();
    let mut count = 0;
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("well formed");
        let text = text(&Model::from(&file));
        if is_plain(&text) {
            assert_eq!(reassemble(&text).expect("checked").bytes, sample.bytes, "{}\n{text}", sample.name);
        } else {
            special.push(sample.name);
        }
        count += 1;
    }
    assert!(count >= 80, "{count}");
    // An address register that hardware ignores; blocks without padding.
    expect![[r#"
        tests/cases/picasso/016_alias_idx_on_temp.shbin
        tests/cases/picasso/066_nonop.shbin"#]]
    .assert_eq(&special.join("\n"));
}

#[test]
fn texts_of_three_samples_match_their_golden_files() {
    for stem in ["points", "lights", "uber"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(root.join(format!("shaders/{stem}.shbin"))).expect("sample");
        let file = Shbin::parse(&bytes).expect("well formed");
        let text = disassemble(&file, &DisassemblerOptions { hex: stem == "points" }).expect("has a text");
        expect_file![root.join(format!("tests/cases/dis/{stem}.pica"))].assert_eq(&text);
    }
}

/// A file of one vertex program.
fn program(code: Vec<u32>, descriptors: &[u32]) -> Model {
    let descriptors =
        descriptors.iter().map(|&bits| DescriptorRecord { bits, ..DescriptorRecord::default() }).collect();
    let header = Header { endmain: code.len() as u32, version: Version::PICASSO, ..Header::default() };
    let executables = vec![Executable { header, ..Executable::default() }];
    Model { code, descriptors, executables, ..Model::default() }
}

/// A label table as vendor tools write it: the end of a procedure precedes the start of the next.
#[test]
fn procedures_have_the_name_of_their_start() {
    let call = 0x9000_0000 | 2 << 10 | 2; // call 2 words at 2
    let [nop, end] = [0x8400_0000, 0x8800_0000];
    let mut model = program(vec![call, end, nop, nop, nop, end], &[]);
    let label = |executable: &mut Executable, name: &str, address: u32, length: u32| {
        let name = executable.names.add(name.as_bytes());
        executable.labels.push(container::Label { id: 0, address, length, name });
    };
    let first = &mut model.executables[0];
    first.header.endmain = 2;
    label(first, "main", 0, 0);
    label(first, "endmain", 2, 0);
    label(first, "rest", 2, 0);
    label(first, "light", 2, 8);
    label(first, "end_light", 4, 0);
    let mut second = first.clone();
    (second.header.main, second.header.endmain) = (4, 6);
    second.labels.clear();
    label(&mut second, "second", 4, 0);
    model.executables.push(second);
    let bytes = container::write(&model);
    let file = Shbin::parse(&bytes).expect("well formed");
    assert_eq!(file.executables[1].entry_label().map(|name| name.to_text()).as_deref(), Some("second"));
    let text = text(&model);
    let procs: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(".proc ")).collect();
    assert_eq!(procs, ["main", "light", "second"], "{text}");

    // One table with both, for a program that begins after a procedure.
    let mut model = program(vec![nop, nop, call & !0xFFC00, end], &[]);
    let only = &mut model.executables[0];
    (only.header.main, only.header.endmain) = (2, 4);
    label(only, "first", 0, 0);
    label(only, "endfirst", 2, 0);
    label(only, "start", 2, 0);
    let bytes = container::write(&model);
    let file = Shbin::parse(&bytes).expect("well formed");
    assert_eq!(file.executables[0].entry_label().map(|name| name.to_text()).as_deref(), Some("start"));
}

#[test]
fn random_programs_round_trip_through_text() {
    use transpica_proof::generate::{Kind, generate};
    for seed in 0..150 {
        for kind in Kind::ALL {
            let generated = generate(kind, seed);
            let mut model = program(generated.code, &generated.descriptors);
            model.executables[0].header.main = u32::from(generated.entry.0);
            let text = text(&model);
            if kind == Kind::Clean {
                let is_numeric = |line: &str| {
                    let word = line.trim_start();
                    (word.starts_with("if") || word.starts_with("for")) && word.contains(", 0x")
                };
                assert!(!text.lines().any(is_numeric), "blocks nest in clean programs\n{text}");
            }
        }
    }
}

/// Disassembles and assembles random words with random descriptors; returns the number of words
/// without an opcode.
fn random_words_survive(seed: u64, most: usize) -> usize {
    let mut random = Rng::with_seed(seed);
    let (mut words, mut unassigned, mut raw) = (0, 0, 0);
    let most = daily::cases("random words through text", most as u64 / 5, most as u64) as usize;
    while words < most {
        let descriptors: Vec<u32> = (0..128).map(|_| random.u32(..)).collect();
        let code: Vec<u32> = (0..4096).map(|_| random.u32(..)).collect();
        unassigned += code.iter().filter(|&&word| Opcode::of_word(word).is_none()).count();
        words += code.len();
        let bytes = container::write(&program(code.clone(), &descriptors));
        let file = Shbin::parse(&bytes).expect("well formed");
        let text = disassemble(&file, &DisassemblerOptions::default()).expect("has a text");
        raw += text.matches(".word").count() - text.matches("; setemit 3").count();
        let again = reassemble(&text).unwrap_or_else(|report| panic!("{report}"));
        assert_eq!(again.model.code, code);
    }
    assert_eq!(raw, unassigned, "every other word is an instruction");
    unassigned
}

#[test]
fn a_million_random_words_round_trip_through_text() {
    let seeds = [0x2545_F491_4F6C_DD1D, 0x9E37_79B9_7F4A_7C15];
    let unassigned: usize = std::thread::scope(|scope| {
        let threads = seeds.map(|seed| scope.spawn(move || random_words_survive(seed, 500_000)));
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert!(unassigned > 20_000, "{unassigned}");
}

#[test]
fn random_tables_round_trip_through_text() {
    let mut random = Rng::with_seed(7);
    for _ in 0..300 {
        let mut model = program((0..20).map(|_| 0x8400_0000 | random.u32(..2)).collect(), &[]);
        model.version = Version { major: random.u32(..3) as u8, minor: random.u32(..2) as u8 };
        for _ in 0..random.u32(..4) {
            model.executables.push(random_executable(&mut random));
        }
        for _ in 0..random.u32(..3) {
            let file = model.names.add(&random_name(&mut random));
            model.lines.push(container::Line { file, line: random.u32(..9) });
        }
        text(&model);
    }
}

/// Names as in damaged files, and some with a meaning in the text.
fn random_name(random: &mut Rng) -> Vec<u8> {
    let names: [&[u8]; 12] = [
        b"projection",
        b"lights.pos",
        b"_hidden",
        b"c0",
        b"main",
        b"",
        b"-",
        b"a b",
        b"x;y",
        b"l:m",
        b"%41",
        b"\xFF\x01",
    ];
    names[random.u32(..12) as usize].to_vec()
}

fn random_executable(random: &mut Rng) -> Executable {
    let mut executable = Executable::default();
    let header = &mut executable.header;
    header.version = if random.u32(..2) == 0 { Version::PICASSO } else { Version::default() };
    (header.kind, header.flags) = (random.u32(..3) as u8, random.u32(..4) as u8);
    (header.main, header.endmain) = (random.u32(..20), random.u32(..24));
    (header.input_mask, header.output_mask) = (random.u32(..4) as u16, random.u32(..4) as u16);
    (header.geometry_mode, header.geometry_start) = (random.u32(..4) as u8, random.u32(..100) as u8);
    for _ in 0..random.u32(..5) {
        let name = executable.names.add(&random_name(random));
        let first = random.u32(..0x8A) as u16;
        executable.symbols.push(Symbol { name, first, last: first + random.u32(..3) as u16 });
    }
    if random.u32(..2) == 0 {
        executable.symbols.sort_by_key(|symbol| symbol.first);
    }
    for _ in 0..random.u32(..4) {
        let (kind, register) = (random.u32(..4) as u16, [95, 94, 3, 2, 0, 99][random.u32(..6) as usize]);
        let words = [random.u32(..) >> random.u32(..32), random.u32(..) & 0xFF_FFFF, 0, random.u32(..2)];
        executable.constants.push(container::Constant { kind, register, words });
    }
    for _ in 0..random.u32(..4) {
        let (kind, register) = (random.u32(..11) as u16, random.u32(..16) as u16);
        let (mask, reserved) = (random.u32(..18) as u16, u16::from(random.u32(..9) == 0));
        executable.outputs.push(OutputRecord { kind, register, mask, reserved });
    }
    for _ in 0..random.u32(..3) {
        let name = executable.names.add(&random_name(random));
        let (address, id, length) = (random.u32(..30), random.u32(..), random.u32(..9));
        executable.labels.push(container::Label { id, address, length, name });
    }
    executable
}

#[test]
fn damaged_files_give_a_text_or_an_error() {
    let samples = samples();
    let mut random = Rng::with_seed(99);
    let mut printed = 0;
    for _ in 0..2000 {
        let mut bytes = samples[random.u32(..samples.len() as u32) as usize].bytes.clone();
        for _ in 0..=random.u32(..4) {
            let at = random.u32(..bytes.len() as u32) as usize;
            bytes[at] ^= 1 << random.u32(..8);
        }
        if let Ok(file) = Shbin::parse(&bytes) {
            text(&Model::from(&file));
            printed += 1;
        }
    }
    assert!(printed > 500, "{printed} of 2000");
}

#[test]
fn a_listing_has_the_lines_of_the_text() {
    let (mut equal, mut shorter) = (0, 0);
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("well formed");
        let text = disassemble(&file, &DisassemblerOptions { hex: true }).expect("has a text");
        let listing = Listing::new(&file, None).expect("small");
        for (line, comment) in text.lines().filter_map(|line| line.trim().split_once("; ")) {
            let Some(pc) = comment.get(..3).and_then(|digits| u16::from_str_radix(digits, 16).ok()) else {
                continue;
            };
            let (line, shown) = (line.trim_end(), listing.line(Pc(pc)).expect("inside the code"));
            let word = Word(file.package.code.iter().nth(pc.into()).expect("inside the code"));
            // A text opens a block or has a label where a single line has an address.
            if word.moves().is_some_and(|moves| moves != Move::Next) {
                let mnemonic = |line: &str| line.split(' ').next().map(str::to_owned);
                assert_eq!(mnemonic(&shown), mnemonic(line), "{}", sample.name);
                continue;
            }
            let without_swizzles = |text: &str| {
                let parts = text.split([' ', ',']).map(|part| part.split('.').next().map(str::to_owned));
                parts.collect::<Vec<_>>()
            };
            assert_eq!(without_swizzles(&shown), without_swizzles(line), "{}", sample.name);
            // A text also sets bits of descriptors that no word reads.
            assert!(shown == line || shown.len() < line.len(), "{}: {shown}, {line}", sample.name);
            *if shown == line { &mut equal } else { &mut shorter } += 1;
        }
    }
    assert!(equal > 2500 && shorter < equal / 10, "{equal} equal, {shorter} shorter");
}

#[test]
fn a_listing_of_one_program_gives_shared_words_its_names() {
    let source =
        |name: &str| format!(".fvec {name}\n.out pos position\n.proc main\n\tmov pos, {name}\n\tend\n.end\n");
    let model = reassemble(&source("first")).expect("valid").model;
    let mut both = model.clone();
    let second = reassemble(&source("second")).expect("valid").model;
    both.executables.extend(second.executables);
    let bytes = container::write(&both);
    let file = Shbin::parse(&bytes).expect("well formed");
    for (index, line) in [(Some(0), "mov o0, first"), (Some(1), "mov o0, second")] {
        let listing = Listing::new(&file, index).expect("small");
        assert_eq!(listing.line(Pc(0)).as_deref(), Some(line));
        assert_eq!(listing.line(Pc(2)), None);
    }
    assert!(Listing::new(&file, Some(2)).is_err());
}
