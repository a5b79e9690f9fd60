//! Whatever an opcode needs is a row of the table, a variant, its semantics in the interpreter and
//! in batches, and its lowering: LRP, which hardware does not have, is defined by these five files
//! under `cfg(test)`, and every other part of the library knows it.

use crate::asm::{SourceText as Text, assemble};
use crate::batch::Batch;
use crate::container::Shbin;
use crate::dis::{self, disassemble};
use crate::host::dvle::{self, FileEnvironment};
use crate::host::{Arithmetic, Job, Options, Outputs, Profile};
use crate::interp::{Machine, Registers};
use crate::ir::eval::{self, eval};
use crate::isa::access::Access;
use crate::isa::decode::decode;
use crate::isa::encode::encode;
use crate::isa::{Component, DataOp, Dest, Inst, Mask, Opcode, Stage, Word, canonical::canonical};
use crate::precision::Precision;
use crate::translate::Translator;

const PROGRAM: &str = "\
.out position position
.out color color
.in v0
.in v1
.proc main
    mov r0, v1
    lrp position.xy, -v0.wzyx, r0
    lrp r0, v0, r0.yzwx
    mov color, r0
    end
.end
";

fn assembled(text: &str) -> Vec<u8> {
    assemble(&[Text { name: "lrp", text }]).unwrap_or_else(|report| panic!("{report}")).bytes
}

/// The words of LRP in the program, and the descriptors.
fn words(file: &Shbin<'_>) -> (Vec<u32>, Vec<u32>) {
    let program = dvle::program(file, 0, &Options::default().limits).expect("a vertex program");
    let is_lrp = |word: &&u32| Opcode::of_word(**word) == Some(Opcode::Lrp);
    (program.code().iter().filter(is_lrp).copied().collect(), program.descriptors().to_vec())
}

#[test]
fn the_text_of_a_test_opcode_round_trips() {
    let bytes = assembled(PROGRAM);
    let file = Shbin::parse(&bytes).expect("well formed");
    let text = disassemble(&file, &dis::DisassemblerOptions::default()).expect("disassembles");
    assert!(text.contains("lrp o0.xy, -v0.wzyx, r0\n"), "{text}");
    assert_eq!(assembled(&text), bytes, "{text}");
    assert!(assemble(&[Text { name: "lrp", text: &PROGRAM.replace("r0.yzwx", "v1") }]).is_err());
}

#[test]
fn the_words_of_a_test_opcode_are_decoded_and_encoded() {
    let bytes = assembled(PROGRAM);
    let (words, descriptors) = words(&Shbin::parse(&bytes).expect("well formed"));
    let insts: Vec<Inst> = words.iter().map(|&word| decode(word, &descriptors)).collect();
    let text: Vec<String> = insts.iter().map(Inst::to_string).collect();
    assert_eq!(text, ["lrp o0.xy, -v0.wzyx, r0", "lrp r0, v0, r0.yzwx"]);
    for (inst, word) in insts.iter().zip(words) {
        let number = Word(word).get(crate::isa::word::Field::Descriptor).expect("has a descriptor");
        assert_eq!(encode(inst, number as u8).expect("encodes"), Word(word));
    }
}

#[test]
fn keys_and_analyses_use_the_reads_of_a_test_opcode() {
    let temp = |number| crate::isa::Operand::new(crate::isa::Source::Temp(number));
    let inst = Inst::data(DataOp::Lrp, Dest::Output(0), Mask(2), &[temp(1), temp(2)]);
    let bit = crate::isa::access::lane;
    let read = bit(1, Component::Y) | bit(1, Component::W) | bit(2, Component::Y);
    assert_eq!(Access::new(&inst).temps_read, read);
    let (descriptor, _) = inst.descriptor().expect("has a descriptor");
    let word = encode(&inst, 0).expect("encodes").0;
    let of = |bits: u32| canonical(word, &[descriptor.pack() ^ bits], Stage::Vertex);
    // Selectors of the first source: w, z, y, x from bit 5 up; of the second from bit 14 up.
    let matters = [5, 7, 9, 11, 14, 16, 18, 20].map(|bit| of(1 << bit) != of(0));
    assert_eq!(matters, [true, false, true, false, false, false, true, false]);
}

#[test]
fn a_test_opcode_is_interpreted_and_translated_alike() {
    let bytes = assembled(PROGRAM);
    let file = Shbin::parse(&bytes).expect("well formed");
    for precision in [Precision::Exact, Precision::Fast, Precision::F24] {
        let options = Options {
            arithmetic: Arithmetic { precision, ..Arithmetic::default() },
            outputs: Outputs { all: true, ..Outputs::default() },
            ..Options::default()
        };
        let program = dvle::program(&file, 0, &options.limits).expect("a vertex program");
        let environment = FileEnvironment::new(&file, 0, "lrp").expect("there");
        let translated = Translator::new(options, Profile::default())
            .translate(&program, &environment, Job::Compute)
            .expect("translates");
        let mut machine = Machine::new(&program, options.settings(1000)).expect("a vertex program");
        let mut inputs = Registers::DEFAULT_INPUTS;
        inputs[0] = [2.0, -4.0, 8.0, 0.25];
        inputs[1] = [16.0, 1.0, -0.5, 3.0];
        let expected = *machine.run(&inputs).expect("ends");
        // -v0.wzyx is (-0.25, -8, 4, -2): its w weighs -2, the other source 3.
        assert_eq!(expected[0][..2], [0.5 + 48.0, 16.0 + 3.0]);
        // v0.w weighs a quarter, r0.yzwx = (1, -0.5, 3, 16) the rest.
        assert_eq!(expected[1], [1.25, -1.375, 4.25, 12.0625]);
        let mut batch = Batch::new(&program, options.settings(1000)).expect("a vertex program");
        let mut outputs = [[[0.0; 4]; 16]];
        batch.run_all(&[inputs], &mut outputs).expect("ends");
        assert_eq!(outputs, [expected]);
        let inputs = inputs.map(|register| register.map(f32::to_bits));
        let environment = eval::InputValues { inputs, ..eval::InputValues::default() };
        let found = eval(&translated.module, precision, &environment, 1000).expect("ends");
        assert_eq!(found, expected.map(|register| register.map(f32::to_bits)), "{precision:?}");
    }
}

/// The Rust files below a folder that name the operation.
fn naming(folder: &std::path::Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            naming(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && std::fs::read_to_string(&path).expect("a text").contains("Lrp")
        {
            let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("below the root");
            found.push(name.to_string_lossy().replace('\\', "/"));
        }
    }
}

#[test]
fn five_files_of_the_library_know_the_test_opcode() {
    let mut found = Vec::new();
    naming(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.retain(|name| name != "src/tests.rs");
    found.sort();
    let expected = [
        "src/batch/execute.rs",
        "src/interp/operation.rs",
        "src/isa/inst.rs",
        "src/isa/table.rs",
        "src/lower/data.rs",
    ];
    assert_eq!(found, expected);
}
