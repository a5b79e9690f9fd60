//! PICA200 arithmetic and register reads, legalized and written, compute their defined
//! results.

use super::*;
use transpica::Precision;
use transpica::host::RegisterLayout;
use transpica::host::layout::{pack, registers};
use transpica::isa::Uniforms;
use transpica::stages::ir::ScalarKind;
use transpica::stages::passes::analyze::offsets;
use transpica::stages::passes::analyze::ranges::Promises;
use transpica::stages::passes::optimize::tidy;
use transpica::stages::passes::{Scratch, legalize};
use transpica::stages::precision::arith::load;
use transpica_proof::ir::parse;
use transpica_proof::ir::same_numbers;

/// Sixteen outputs from two inputs and the uniforms.
const PROGRAM: &str = "func main {
    %0: f32x4 = input v0
    %1: f32x4 = input v1
    %2: f32x4 = mulp %0 %1
    %3: f32x4 = addp %0 %1
    %4: f32 = dotp %0 %1
    %5: f32x4 = shuffle %4.x %4.x %4.x %4.x
    %6: f32x4 = minp %0 %1
    %7: f32x4 = maxp %0 %1
    %8: f32x4 = sgep %0 %1
    %9: f32x4 = sltp %0 %1
    %10: f32x4 = rcpp %0
    %11: f32x4 = rsqp %0
    %12: f32x4 = exp2p %0
    %13: f32x4 = log2p %0
    %14: i32x4 = addressp %0
    %15: i32 = shuffle %14.x
    %16: f32x4 = uniform c90[%15]
    %17: f32x4 = uniform c7
    %18: i32 = uniform i2.y
    %19: i32 = iadd %18 %15
    %20: bool = igreater %19 %18
    %21: bool = uniform b3
    %22: bool = and %20 %21
    %23: boolx4 = shuffle %22.x %21.x %20.x %21.x
    %24: f32x4 = select %23 %0 %1
    %25: f32x4 = const 0 2 -1 inf
    %26: f32x4 = mulp %0 %25
    %27: f32x4 = addp %1 %25
    yield %2 %3 %5 %6 %7 %8 %9 %10 %11 %12 %13 %16 %17 %24 %26 %27
}";

const INPUTS: [[f32; 4]; 6] = [
    [1.5, -2.0, 0.0, 8.0],
    [f32::INFINITY, 0.0, -0.0, f32::NAN],
    [-0.0, f32::INFINITY, f32::NEG_INFINITY, 0.1],
    [5.0, 1e-30, 3e38, -7.25],
    [-100.0, 1.0, 4.0, 0.25],
    [12.0, -1e20, 1e-40, 1023.5],
];

#[test]
fn legalized_programs_match_the_evaluator() {
    for precision in [Precision::Exact, Precision::Fast, Precision::F24] {
        let pica = parse(PROGRAM).unwrap();
        let mut case = Case::default();
        case.interface.entry_point = EntryPoint::Compute;
        case.options.arithmetic.precision = precision;
        case.interface.block = registers(&RegisterLayout::REGISTERS);
        case.module = pica.clone();
        let offsets = offsets::run(&case.module.main, &case.options.arithmetic, &[None; 96]);
        let block = &case.interface.block;
        let uniforms = legalize::Uniforms { block, constants: &[None; 96], offsets: &offsets };
        legalize::run(
            &mut case.module,
            &case.options,
            legalize::Given::promises(Promises::NONE),
            &uniforms,
            &mut Default::default(),
        );
        tidy(&mut case.module, &mut Scratch::default());
        let words = case.check();
        for (a, b) in INPUTS.iter().flat_map(|a| INPUTS.map(|b| (*a, b))) {
            compare(&pica, precision, &words, [a, b]);
        }
    }
}

fn compare(pica: &Module, precision: Precision, words: &[u32], inputs: [[f32; 4]; 2]) {
    let mut values = Uniforms { bools: 0b1000, ..Uniforms::default() };
    for (index, register) in values.floats.iter_mut().enumerate() {
        *register = [0, 1, 2, 3].map(|lane| (index * 4 + lane) as f32);
    }
    values.ints[2] = [9, 3, 1, 0];
    let mut environment = InputValues {
        uniforms: values.floats.map(|register| register.map(f32::to_bits)).to_vec(),
        bools: values.bools,
        ..InputValues::default()
    };
    environment.ints = values.ints;
    for (register, input) in environment.inputs.iter_mut().zip(inputs) {
        *register = input.map(f32::to_bits);
    }
    let given = environment.inputs.concat();
    // Registers hold what the precision can hold.
    let held = |bits| load(precision, f32::from_bits(bits)).to_bits();
    environment.inputs = environment.inputs.map(|input| input.map(held));
    let expected = eval(pica, precision, &environment, BUDGET).unwrap();
    let bytes = pack(&registers(&RegisterLayout::REGISTERS), &values);
    let block = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let mut world = World::default();
    world.buffers.insert(0, given);
    world.buffers.insert(1, vec![0; 64]);
    world.buffers.insert(2, block.collect());
    machine::run(words, &mut world);
    for (index, (got, expected)) in world.buffers[&1].chunks(4).zip(expected).enumerate() {
        let got = [got[0], got[1], got[2], got[3]];
        assert!(
            same_numbers(ScalarKind::F32, got, expected),
            "{precision:?} {index} {inputs:?} {got:x?} {expected:x?}"
        );
    }
}
