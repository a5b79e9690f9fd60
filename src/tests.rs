//! Whatever an opcode needs is a row of the table, a variant, its semantics in the interpreter and
//! its lowering: LRP, which hardware does not have, is defined by these four files under
//! `cfg(test)`, and every other part of the library knows it.

use expect_test::expect;

use crate::host::registers::RegisterState;
use crate::host::settings::{Arithmetic, Job, Options, Outputs, Profile};
use crate::ir;
use crate::machine::interp::{Machine, Registers};
use crate::machine::precision::Precision;
use crate::program::isa::access::Access;
use crate::program::isa::builder::Builder;
use crate::program::isa::canonical::canonical;
use crate::program::isa::decode::decode;
use crate::program::isa::encode::encode;
use crate::program::isa::{
    Component, DataOp, Dest, Flow, Inst, Mask, Operand, Pc, Program, Source, Stage, Swizzle, Word,
};
use crate::translate::Translator;

/// `mov r0, v1; lrp o0.xy, -v0.wzyx, r0; lrp r0, v0, r0.yzwx; mov o1, r0; end`
fn program() -> (Vec<u32>, Vec<u32>) {
    use Component::{W, X, Y, Z};
    let (temp, input) = (Operand::new(Source::Temp(0)), |number| Operand::new(Source::Input(number)));
    let of = |operand, components| Operand { swizzle: Swizzle::new(components), ..operand };
    let negated = Operand { negate: true, ..of(input(0), [W, Z, Y, X]) };
    let mut builder = Builder::new();
    builder.push(Inst::data(DataOp::Mov, Dest::Temp(0), Mask::XYZW, &[input(1)]));
    builder.push(Inst::data(DataOp::Lrp, Dest::Output(0), Mask(3), &[negated, temp]));
    let rotated = of(temp, [Y, Z, W, X]);
    builder.push(Inst::data(DataOp::Lrp, Dest::Temp(0), Mask::XYZW, &[input(0), rotated]));
    builder.push(Inst::data(DataOp::Mov, Dest::Output(1), Mask::XYZW, &[temp]));
    builder.push(Inst::Flow(Flow::End));
    builder.finish().expect("encodes")
}

#[test]
fn the_words_of_a_test_opcode_are_decoded_and_encoded() {
    let (words, descriptors) = program();
    let insts: Vec<Inst> = words.iter().map(|&word| decode(word, &descriptors)).collect();
    let text: Vec<String> = insts.iter().map(Inst::to_string).collect();
    assert_eq!(text[1..3], ["lrp o0.xy, -v0.wzyx, r0", "lrp r0, v0, r0.yzwx"]);
    for (inst, word) in insts.iter().zip(words).filter(|(inst, _)| inst.descriptor().is_some()) {
        let number = Word(word).get(crate::program::isa::word::Field::Descriptor).expect("has a descriptor");
        assert_eq!(encode(inst, number as u8).expect("encodes"), Word(word));
    }
}

#[test]
fn keys_and_analyses_use_the_reads_of_a_test_opcode() {
    let temp = |number| crate::program::isa::Operand::new(crate::program::isa::Source::Temp(number));
    let inst = Inst::data(DataOp::Lrp, Dest::Output(0), Mask(2), &[temp(1), temp(2)]);
    let bit = crate::program::isa::access::lane;
    let read = bit(1, Component::Y) | bit(1, Component::W) | bit(2, Component::Y);
    assert_eq!(Access::new(&inst).temps_read, read);
    let (descriptor, _) = inst.descriptor().expect("has a descriptor");
    let word = encode(&inst, 0).expect("encodes").0;
    let of = |bits: u32| canonical(word, &[descriptor.pack() ^ bits], Stage::Vertex);
    // Selectors of the first source: w, z, y, x from bit 5 up; those of the second from bit 14 up.
    let matters = [5, 7, 9, 11, 14, 16, 18, 20].map(|bit| of(1 << bit) != of(0));
    assert_eq!(matters, [true, false, true, false, false, false, true, false]);
}

#[test]
fn a_test_opcode_is_interpreted_and_translated() {
    let (words, descriptors) = program();
    let program = Program::from_raw(words, descriptors, Pc(0), Stage::Vertex).expect("a vertex program");
    let options = Options {
        arithmetic: Arithmetic { precision: Precision::Fast, ..Arithmetic::default() },
        outputs: Outputs { all: true, ..Outputs::default() },
        ..Options::default()
    };
    let mut machine = Machine::new(&program, options.settings(1000)).expect("a vertex program");
    let mut inputs = Registers::DEFAULT_INPUTS;
    inputs[0] = [2.0, -4.0, 8.0, 0.25];
    inputs[1] = [16.0, 1.0, -0.5, 3.0];
    let outputs = machine.run(&inputs).expect("ends");
    // -v0.wzyx is (-0.25, -8, 4, -2): its w weighs -2, the other source 3.
    assert_eq!(outputs[0][..2], [0.5 + 48.0, 16.0 + 3.0]);
    // v0.w weighs a quarter, r0.yzwx = (1, -0.5, 3, 16) the rest.
    assert_eq!(outputs[1], [1.25, -1.375, 4.25, 12.0625]);
    let environment = RegisterState::default();
    let translated = Translator::new(options, Profile::default())
        .translate(&program, &environment.vertex(), Job::Compute)
        .expect("translates");
    // The evaluator of the IR is not part of the library, so the sums are read here.
    expect![[r#"
        func main {
          %0: f32x4 = const 0.0, 0.0, 0.0, 1.0
          %3: f32x4 = input v1
          %4: f32x4 = input v0
          %11: f32x2 = const 1.0, 1.0
          %20: f32x4 = const 1.0, 1.0, 1.0, 1.0
          %5: f32x2 = shuffle %4.w %4.z
          %6: f32x2 = neg %5
          %7: f32x2 = shuffle %3.x %3.y
          %8: f32 = shuffle %4.x
          %9: f32 = neg %8
          %12: f32x2 = shuffle %9.x %9.x
          %13: f32x2 = neg %12
          %14: f32x2 = add %11 %13
          %15: f32x2 = mul %6 %12
          %16: f32x2 = mul %7 %14
          %17 @o0.xy: f32x2 = add %15 %16
          %18: f32x4 = shuffle %3.y %3.z %3.w %3.x
          %21: f32x4 = shuffle %4.w %4.w %4.w %4.w
          %22: f32x4 = neg %21
          %23: f32x4 = add %20 %22
          %24: f32x4 = mul %4 %21
          %25: f32x4 = mul %18 %23
          %26 @r0.xyzw: f32x4 = add %24 %25
          %27: f32x4 = shuffle %17.x %17.y %0.z %0.w
          yield %27, %26, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0
        }
    "#]]
    .assert_eq(&ir::text::print(&translated.module));
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
fn four_files_of_the_library_know_the_test_opcode() {
    let mut found = Vec::new();
    naming(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.retain(|name| name != "src/tests.rs");
    found.sort();
    let expected = [
        "src/lift/data.rs",
        "src/machine/interp/operation.rs",
        "src/program/isa/inst.rs",
        "src/program/isa/table.rs",
    ];
    assert_eq!(found, expected);
}
