//! Every opcode through [`Registers::execute`], with the vectors that hardware and other
//! implementations agree on.

use crate::machine::interp::{Registers, Uniforms};
use crate::machine::precision::Precision;
use crate::machine::precision::Precision::{Exact, F24, Fast};
use crate::machine::precision::arith::LITP_LIMIT;
use crate::program::isa::control::{Effect, Test};
use crate::program::isa::{
    CompareOp, Component, Condition, ConditionOp, DataOp, Dest, Index, Inst, Mask, Operand, Source, Swizzle,
};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

const V0: Operand = operand(Source::Input(0));
const V1: Operand = operand(Source::Input(1));
const V2: Operand = operand(Source::Input(2));

const fn operand(register: Source) -> Operand {
    Operand { register, index: Index::None, swizzle: Swizzle::XYZW, negate: false }
}

fn data(op: DataOp, sources: [Operand; 3]) -> Inst {
    Inst::Data { op, dest: Dest::Temp(0), mask: Mask::XYZW, sources }
}

/// Registers with v0, v1 and v2 loaded.
fn registers(precision: Precision, inputs: [[f32; 4]; 3]) -> Registers {
    let mut registers = Registers::new(precision, &Uniforms::default());
    let mut all = Registers::DEFAULT_INPUTS;
    all[..3].copy_from_slice(&inputs);
    registers.begin(&all);
    registers
}

/// Result of an operation on vectors.
fn vector(precision: Precision, op: DataOp, inputs: [[f32; 4]; 3]) -> [f32; 4] {
    let mut registers = registers(precision, inputs);
    registers.execute(&data(op, [V0, V1, V2]));
    registers.dest(Dest::Temp(0))
}

/// Result of an operation on scalars, which must be the same in all lanes.
#[track_caller]
fn scalar(op: DataOp, a: f32, b: f32, c: f32) -> f32 {
    let [x, rest @ ..] = vector(Exact, op, [[a; 4], [b; 4], [c; 4]]);
    rest.into_iter().for_each(|lane| same(lane, x));
    x
}

/// Equal bits, all NaNs counting as one.
#[track_caller]
fn same(a: f32, b: f32) {
    assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{a:?} is not {b:?}");
}

#[track_caller]
fn same4(a: [f32; 4], b: [f32; 4]) {
    a.into_iter().zip(b).for_each(|(a, b)| same(a, b));
}

#[track_caller]
fn near(a: f32, b: f32) {
    assert!((a - b).abs() <= 1e-6 * b.abs(), "{a:?} is not near {b:?}");
}

#[track_caller]
fn vectors2(op: DataOp, list: &[(f32, f32, f32)]) {
    for &(a, b, expected) in list {
        same(scalar(op, a, b, 0.0), expected);
    }
}

#[track_caller]
fn vectors1(op: DataOp, list: &[(f32, f32)]) {
    for &(a, expected) in list {
        same(scalar(op, a, 0.0, 0.0), expected);
    }
}

#[test]
fn add() {
    vectors2(
        DataOp::Add,
        &[(1.0, -1.0, 0.0), (0.0, -0.0, 0.0), (INF, -INF, NAN), (INF, 1.0, INF), (INF, -1.0, INF)],
    );
}

#[test]
fn mul() {
    vectors2(
        DataOp::Mul,
        &[
            (1.0, -1.0, -1.0),
            (-1.0, 1.0, -1.0),
            (INF, 0.0, 0.0),
            (0.0, INF, 0.0),
            (NAN, 0.0, NAN),
            (INF, INF, INF),
            (INF, -INF, -INF),
        ],
    );
}

#[test]
fn dot_products() {
    for (op, of_ones) in [(DataOp::Dp3, 3.0), (DataOp::Dp4, 4.0), (DataOp::Dph, 4.0)] {
        vectors2(op, &[(INF, 0.0, 0.0), (NAN, 0.0, NAN), (1.0, 1.0, of_ones)]);
    }
    vectors2(DataOp::Dph, &[(0.0, 1.0, 1.0)]);
}

#[test]
fn dot_products_broadcast_and_take_their_lanes() {
    let inputs = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [0.0; 4]];
    same4(vector(Exact, DataOp::Dp3, inputs), [38.0; 4]);
    same4(vector(Exact, DataOp::Dp4, inputs), [70.0; 4]);
    same4(vector(Exact, DataOp::Dph, inputs), [46.0; 4]);
}

#[test]
fn dph_replaces_w_after_swizzle_and_negation() {
    let mut registers = registers(Exact, [[2.0, 0.0, 0.0, 9.0], [1.0, 1.0, 1.0, 5.0], [0.0; 4]]);
    let wwwx = Swizzle::new([Component::W, Component::W, Component::W, Component::X]);
    registers.execute(&data(DataOp::Dph, [Operand { swizzle: wwwx, negate: true, ..V0 }, V1, V2]));
    same(registers.dest(Dest::Temp(0))[0], -27.0 + 5.0);
}

#[test]
fn dst() {
    let inputs = [[2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0], [0.0; 4]];
    same4(vector(Exact, DataOp::Dst, inputs), [1.0, 21.0, 4.0, 9.0]);
    let inputs = [[NAN, INF, NAN, NAN], [NAN, 0.0, 8.0, -0.0], [0.0; 4]];
    same4(vector(Exact, DataOp::Dst, inputs), [1.0, 0.0, NAN, -0.0]);
}

#[test]
fn sge() {
    vectors2(
        DataOp::Sge,
        &[
            (INF, 0.0, 1.0),
            (0.0, INF, 0.0),
            (NAN, 0.0, 0.0),
            (0.0, NAN, 0.0),
            (INF, INF, 1.0),
            (INF, -INF, 1.0),
            (-INF, INF, 0.0),
            (1.0, -1.0, 1.0),
            (-1.0, 1.0, 0.0),
            (0.0, -0.0, 1.0),
        ],
    );
}

#[test]
fn slt() {
    vectors2(
        DataOp::Slt,
        &[
            (INF, 0.0, 0.0),
            (0.0, INF, 1.0),
            (NAN, 0.0, 0.0),
            (0.0, NAN, 0.0),
            (INF, INF, 0.0),
            (INF, -INF, 0.0),
            (-INF, INF, 1.0),
            (1.0, -1.0, 0.0),
            (-1.0, 1.0, 1.0),
        ],
    );
}

#[test]
fn max() {
    vectors2(
        DataOp::Max,
        &[
            (1.0, 0.0, 1.0),
            (0.0, 1.0, 1.0),
            (0.0, INF, INF),
            // One hardware table says -inf here; the compare-select form of all other cases says 0.
            (0.0, -INF, 0.0),
            (0.0, NAN, NAN),
            (NAN, 0.0, 0.0),
            (-INF, INF, INF),
        ],
    );
}

#[test]
fn min() {
    vectors2(
        DataOp::Min,
        &[
            (1.0, 0.0, 0.0),
            (0.0, 1.0, 0.0),
            (0.0, INF, 0.0),
            (0.0, -INF, -INF),
            (0.0, NAN, NAN),
            (NAN, 0.0, 0.0),
            (-INF, INF, -INF),
        ],
    );
}

#[test]
fn flr() {
    vectors1(
        DataOp::Flr,
        &[(0.5, 0.0), (-0.5, -1.0), (1.5, 1.0), (-1.5, -2.0), (NAN, NAN), (INF, INF), (-INF, -INF)],
    );
}

#[test]
fn rcp() {
    vectors1(DataOp::Rcp, &[(0.0, INF), (-0.0, INF), (INF, 0.0), (-INF, -0.0), (NAN, NAN)]);
    for exponent in -4..=4 {
        same(scalar(DataOp::Rcp, 2.0f32.powi(exponent), 0.0, 0.0), 2.0f32.powi(-exponent));
    }
}

#[test]
fn rsq() {
    vectors1(DataOp::Rsq, &[(0.0, INF), (-0.0, INF), (-2.0, NAN), (INF, 0.0), (-INF, NAN), (NAN, NAN)]);
    for (a, expected) in [
        (16.0, 0.25),
        (8.0, 0.353_553_4),
        (4.0, 0.5),
        (2.0, std::f32::consts::FRAC_1_SQRT_2),
        (1.0, 1.0),
        (0.5, std::f32::consts::SQRT_2),
        (0.25, 2.0),
        (0.125, 2.828_427),
        (0.0625, 4.0),
    ] {
        near(scalar(DataOp::Rsq, a, 0.0, 0.0), expected);
    }
}

#[test]
fn lg2() {
    vectors1(DataOp::Lg2, &[(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (4.0, 2.0), (64.0, 6.0)]);
    near(scalar(DataOp::Lg2, 1e24, 0.0, 0.0), 79.7263);
}

#[test]
fn ex2() {
    vectors1(DataOp::Ex2, &[(NAN, NAN), (-800.0, 0.0), (0.0, 1.0), (2.0, 4.0), (6.0, 64.0), (800.0, INF)]);
}

#[test]
fn one_lane_functions_read_the_swizzled_x_and_broadcast() {
    let mut registers = registers(Exact, [[NAN, NAN, NAN, 4.0], [0.0; 4], [0.0; 4]]);
    let w = Operand { swizzle: Swizzle::new([Component::W, Component::X, Component::X, Component::X]), ..V0 };
    for (op, expected) in [(DataOp::Rcp, 0.25), (DataOp::Rsq, 0.5), (DataOp::Ex2, 16.0), (DataOp::Lg2, 2.0)] {
        registers.execute(&data(op, [w, V1, V2]));
        same4(registers.dest(Dest::Temp(0)), [expected; 4]);
    }
}

#[test]
fn mad() {
    for (a, b, c, expected) in
        [(0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 2.0), (INF, 0.0, 0.0, 0.0), (NAN, 0.0, 0.0, NAN)]
    {
        same(scalar(DataOp::Mad, a, b, c), expected);
    }
}

#[test]
fn mov_keeps_every_bit() {
    for precision in [Exact, Fast] {
        let bits = [0x7FC1_2345, 0x8000_0000, 0x0000_0001, 0xFF80_0000].map(f32::from_bits);
        let moved = vector(precision, DataOp::Mov, [bits, [0.0; 4], [0.0; 4]]);
        assert_eq!(moved.map(f32::to_bits), bits.map(f32::to_bits));
    }
}

#[test]
fn litp() {
    for (input, flags, expected) in [
        ([1.0, 0.0, 0.0, 1.0], [true, true], [1.0, 0.0, 0.0, 1.0]),
        ([-0.5, 1.0, 0.0, 1.0], [false, true], [0.0, 1.0, 0.0, 1.0]),
        ([0.5, 0.0, 1.0, -1.0], [true, false], [0.5, 0.0, 0.0, 0.0]),
        ([-1.0, 64.0, 0.0, -1.0], [false, false], [0.0, 64.0, 0.0, 0.0]),
        ([-1.0, 256.0, 1.0, -1.0], [false, false], [0.0, LITP_LIMIT, 0.0, 0.0]),
        ([-1.0, 0.0, 0.5, -1.0], [false, false], [0.0; 4]),
        ([0.0, -256.0, 0.5, -0.0], [true, true], [0.0, -LITP_LIMIT, 0.0, 0.0]),
        ([NAN, NAN, NAN, NAN], [false, false], [0.0, LITP_LIMIT, 0.0, 0.0]),
    ] {
        let mut registers = registers(Exact, [input, [0.0; 4], [0.0; 4]]);
        registers.execute(&data(DataOp::Litp, [V0, V1, V2]));
        assert_eq!(registers.flags(), flags, "{input:?}");
        same4(registers.dest(Dest::Temp(0)), expected);
    }
}

#[test]
fn litp_writes_the_flags_under_an_empty_mask() {
    let mut registers = registers(Exact, [[1.0; 4], [0.0; 4], [0.0; 4]]);
    let sources = [V0, V1, V2];
    registers.execute(&Inst::Data { op: DataOp::Litp, dest: Dest::Temp(0), mask: Mask::NONE, sources });
    assert_eq!((registers.flags(), registers.dest(Dest::Temp(0))), ([true; 2], Registers::DEFAULT));
}

#[test]
fn a_mask_selects_the_written_components() {
    for bits in 0..16 {
        for dest in [Dest::Output(3), Dest::Temp(5)] {
            let mut registers = registers(Exact, [[2.0, 3.0, 4.0, 5.0], [0.0; 4], [0.0; 4]]);
            let sources = [V0, V1, V2];
            registers.execute(&Inst::Data { op: DataOp::Mov, dest, mask: Mask(bits), sources });
            let expected = Component::ALL.map(|component| {
                let written = Mask(bits).has(component);
                if written { 2.0 + component.index() as f32 } else { Registers::DEFAULT[component.index()] }
            });
            assert_eq!(registers.dest(dest), expected, "{bits:#x}");
        }
    }
}

#[test]
fn every_swizzle_selects_its_components() {
    for byte in 0..=255 {
        let mut registers = registers(Exact, [[1.0, 2.0, 3.0, 4.0], [0.0; 4], [0.0; 4]]);
        let operand = Operand { swizzle: Swizzle(byte), ..V0 };
        registers.execute(&data(DataOp::Mov, [operand, V1, V2]));
        let expected = [6, 4, 2, 0].map(|shift| f32::from(1 + (byte >> shift & 3)));
        assert_eq!(registers.dest(Dest::Temp(0)), expected, "{byte:#x}");
    }
}

#[test]
fn negation_flips_the_sign_bit_of_each_operand() {
    let inputs = [[1.0, -0.0, INF, 0.5], [2.0; 4], [3.0; 4]];
    let negated = |operand: Operand| Operand { negate: true, ..operand };
    let mut machine = registers(Exact, inputs);
    machine.execute(&data(DataOp::Mov, [negated(V0), V1, V2]));
    same4(machine.dest(Dest::Temp(0)), [-1.0, 0.0, -INF, -0.5]);
    machine.execute(&data(DataOp::Mad, [V0, negated(V1), V2]));
    same4(machine.dest(Dest::Temp(0)), [1.0, 3.0, -INF, 2.0]);
    machine.execute(&data(DataOp::Mad, [V0, V1, negated(V2)]));
    same4(machine.dest(Dest::Temp(0)), [-1.0, -3.0, INF, -2.0]);
}

#[test]
fn a_destination_may_be_a_source() {
    let mut registers = registers(Exact, [[1.0, 2.0, 3.0, 4.0], [0.0; 4], [0.0; 4]]);
    let wzyx = Swizzle::new([Component::W, Component::Z, Component::Y, Component::X]);
    let r0 = operand(Source::Temp(0));
    registers.execute(&data(DataOp::Mov, [V0, V1, V2]));
    registers.execute(&data(DataOp::Add, [r0, Operand { swizzle: wzyx, ..r0 }, V2]));
    assert_eq!(registers.dest(Dest::Temp(0)), [5.0; 4]);
    registers.execute(&data(DataOp::Mov, [V0, V1, V2]));
    registers.execute(&data(DataOp::Mov, [Operand { swizzle: wzyx, ..r0 }, V1, V2]));
    assert_eq!(registers.dest(Dest::Temp(0)), [4.0, 3.0, 2.0, 1.0]);
}

#[test]
fn cmp_compares_with_each_operator() {
    // (a, b): ==, !=, <, <=, >, >=
    let table = [
        (1.0, 1.0, [true, false, false, true, false, true]),
        (1.0, 2.0, [false, true, true, true, false, false]),
        (2.0, 1.0, [false, true, false, false, true, true]),
        (0.0, -0.0, [true, false, false, true, false, true]),
        (NAN, 1.0, [false, true, false, false, false, false]),
        (1.0, NAN, [false, true, false, false, false, false]),
        (f32::from_bits(1), 0.0, [false, true, false, false, true, true]),
    ];
    for precision in [Exact, Fast] {
        for (a, b, expected) in table {
            for code in 0..8 {
                let wanted = expected.get(code).copied().unwrap_or(true);
                let mut registers = registers(precision, [[a, 0.0, 0.0, 0.0], [b, 0.0, 0.0, 0.0], [0.0; 4]]);
                let op = CompareOp::from_field(code as u32);
                registers.execute(&Inst::Cmp { x: op, y: CompareOp::Ne, sources: [V0, V1] });
                assert_eq!(registers.flags(), [wanted, false], "{a} {op:?} {b}");
            }
        }
    }
}

#[test]
fn cmp_takes_x_and_y_from_the_swizzled_operands() {
    let mut registers = registers(Exact, [[1.0, 2.0, 3.0, 4.0], [4.0, 1.0, 9.0, 9.0], [0.0; 4]]);
    let wx = Swizzle::new([Component::W, Component::X, Component::Y, Component::Y]);
    let sources = [Operand { swizzle: wx, ..V0 }, V1];
    registers.execute(&Inst::Cmp { x: CompareOp::Eq, y: CompareOp::Eq, sources });
    assert_eq!(registers.flags(), [true, true]);
    registers.execute(&Inst::Cmp { x: CompareOp::Eq, y: CompareOp::Lt, sources: [V0, V1] });
    assert_eq!(registers.flags(), [false, false]);
}

/// Registers whose c registers contain their own number in all components.
fn numbered(input: [f32; 4]) -> Registers {
    let mut uniforms = Uniforms::default();
    for (number, value) in uniforms.floats.iter_mut().enumerate() {
        *value = [number as f32; 4];
    }
    let mut registers = registers(Exact, [input, [0.0; 4], [0.0; 4]]);
    registers.set_uniforms(&uniforms);
    registers
}

fn relative(base: u8, index: Index) -> Operand {
    Operand { index, ..operand(Source::Uniform(base)) }
}

#[test]
fn mova_writes_the_masked_addresses_and_truncates() {
    for (mask, expected) in
        [(Mask(0), [0, 0]), (Mask::X, [13, 0]), (Mask(2), [0, -7]), (Mask(3), [13, -7]), (Mask(12), [0, 0])]
    {
        let mut registers = registers(Exact, [[13.7, -7.9, 1.0, 1.0], [0.0; 4], [0.0; 4]]);
        registers.execute(&Inst::Mova { mask, source: V0 });
        assert_eq!(registers.address(), expected, "{mask}");
    }
}

#[test]
fn relative_reads_reach_every_register_and_ones_beyond() {
    for index in 0..96u8 {
        for fraction in [0.0, 0.25, 0.996] {
            let mut registers = numbered([f32::from(index) + fraction; 4]);
            registers.execute(&Inst::Mova { mask: Mask::X, source: V0 });
            registers.execute(&data(DataOp::Mov, [relative(0, Index::A0x), V1, V2]));
            assert_eq!(registers.dest(Dest::Temp(0)), [f32::from(index); 4]);
        }
    }
}

#[test]
fn relative_reads_from_c40_follow_the_offset_rule() {
    let ones = 1.0;
    for (offset, expected) in [
        (0.0, 40.0),
        (13.0, 53.0),
        (50.0, 90.0),
        (60.0, ones),
        (74.0, ones),
        (87.0, ones),
        (88.0, 0.0),
        (128.0, 40.0),
        (-40.0, 0.0),
        (-42.0, ones),
        (-70.0, ones),
        (-73.0, 95.0),
        (-127.0, 41.0),
        (-129.0, 40.0),
        (NAN, 40.0),
        (INF, 40.0),
        (-1e30, 40.0),
    ] {
        let mut registers = numbered([0.0, offset, 0.0, 0.0]);
        registers.execute(&Inst::Mova { mask: Mask(3), source: V0 });
        registers.execute(&data(DataOp::Mov, [relative(40, Index::A0y), V1, V2]));
        assert_eq!(registers.dest(Dest::Temp(0)), [expected; 4], "{offset}");
    }
}

#[test]
fn ones_beyond_the_uniforms_are_negated_like_any_value() {
    let mut registers = numbered([100.0; 4]);
    registers.execute(&Inst::Mova { mask: Mask::X, source: V0 });
    let beyond = Operand { negate: true, ..relative(0, Index::A0x) };
    registers.execute(&data(DataOp::Mov, [beyond, V1, V2]));
    assert_eq!(registers.dest(Dest::Temp(0)), [-1.0; 4]);
}

#[test]
fn the_loop_counter_indexes_uniforms() {
    let mut registers = numbered([0.0; 4]);
    let mut uniforms = Uniforms::default();
    uniforms.ints[2] = [0, 200, 55, 0];
    uniforms.floats[7] = [7.0; 4];
    registers.set_uniforms(&uniforms);
    registers.apply(Effect::EnterLoop { slot: 0, int: 2 });
    assert_eq!(registers.counter(), 200);
    registers.execute(&data(DataOp::Mov, [relative(7, Index::Al), V1, V2]));
    assert_eq!(registers.dest(Dest::Temp(0)), [7.0; 4], "200 is outside a signed byte and counts as 0");
    registers.apply(Effect::StepLoop { int: 2 });
    assert_eq!(registers.counter(), 255);
}

#[test]
fn effects_change_the_loop_data() {
    let mut registers = registers(Exact, [[0.0; 4]; 3]);
    let uniforms = Uniforms { ints: [[2, 10, 1, 0], [0, 20, 3, 0], [0; 4], [0; 4]], ..Uniforms::default() };
    registers.set_uniforms(&uniforms);
    registers.apply(Effect::EnterLoop { slot: 0, int: 0 });
    registers.apply(Effect::EnterLoop { slot: 1, int: 1 });
    assert!(registers.test(Test::LoopRepeats { slot: 0 }) && !registers.test(Test::LoopRepeats { slot: 1 }));
    registers.apply(Effect::StepLoop { int: 1 });
    assert_eq!(registers.counter(), 23);
    registers.apply(Effect::RestoreCounter { slot: 1 });
    assert_eq!(registers.counter(), 10);
    registers.apply(Effect::RepeatLoop { slot: 0 });
    assert!(registers.test(Test::LoopRepeats { slot: 0 }));
    registers.apply(Effect::RepeatLoop { slot: 0 });
    assert!(!registers.test(Test::LoopRepeats { slot: 0 }));
    registers.apply(Effect::EnterLoop { slot: 3, int: 0 });
    registers.apply(Effect::ShiftLoops);
    assert!(registers.test(Test::LoopRepeats { slot: 2 }), "the newest loop moved down");
}

#[test]
fn tests_read_flags_and_bools() {
    let mut registers = registers(Exact, [[0.0; 4], [1.0, 0.0, 0.0, 0.0], [0.0; 4]]);
    let mut uniforms = Uniforms::default();
    uniforms.set_bool(15, true);
    registers.set_uniforms(&uniforms);
    assert!(registers.test(Test::Bool { id: 15, expected: true }));
    assert!(registers.test(Test::Bool { id: 14, expected: false }));
    registers.execute(&Inst::Cmp { x: CompareOp::Eq, y: CompareOp::Eq, sources: [V0, V1] });
    let condition = |op, ref_x, ref_y| Test::Cmp(Condition { op, ref_x, ref_y });
    assert!(registers.test(condition(ConditionOp::And, false, true)));
    assert!(!registers.test(condition(ConditionOp::Or, true, false)));
}

#[test]
fn f24_narrows_uniforms_and_inputs_but_not_selections() {
    let third = 1.0f32 / 3.0;
    let cut = f32::from_bits(0x3EAA_AA80);
    let subnormal = f32::from_bits(0x1880_0000);
    let mut registers = registers(F24, [[third, subnormal, -0.0, 1e30], [0.0; 4], [0.0; 4]]);
    same4(registers.source(Source::Input(0)), [cut, subnormal, -0.0, INF]);
    let mut uniforms = Uniforms::default();
    uniforms.floats[95] = [third; 4];
    registers.set_uniforms(&uniforms);
    same4(registers.source(Source::Uniform(95)), [cut; 4]);
    for op in [DataOp::Mov, DataOp::Max] {
        registers.execute(&data(op, [V0, V1, V2]));
        let kept = registers.dest(Dest::Temp(0));
        same4([kept[0], kept[1], 0.0, kept[3]], [cut, subnormal, 0.0, INF]);
    }
    registers.execute(&data(DataOp::Add, [V0, V1, V2]));
    same4(registers.dest(Dest::Temp(0)), [cut, 0.0, 0.0, INF]);
    registers.execute(&Inst::Cmp { x: CompareOp::Eq, y: CompareOp::Eq, sources: [V0, V1] });
    assert_eq!(registers.flags(), [false, false], "comparison does not flush");
}

#[test]
fn fast_is_plain_ieee_except_for_selections() {
    let fast = |op, a: f32, b: f32| vector(Fast, op, [[a; 4], [b; 4], [0.0; 4]])[0];
    same(fast(DataOp::Mul, INF, 0.0), NAN);
    same(fast(DataOp::Dp4, INF, 0.0), NAN);
    same(fast(DataOp::Rcp, -0.0, 0.0), -INF);
    same(fast(DataOp::Max, NAN, 0.0), 0.0);
    same(fast(DataOp::Min, 0.0, NAN), NAN);
    same(fast(DataOp::Sge, NAN, 0.0), 0.0);
}

#[test]
fn a_vertex_starts_from_the_defaults() {
    let mut registers = numbered([3.0; 4]);
    registers.execute(&data(DataOp::Mov, [V0, V1, V2]));
    registers.execute(&Inst::Mova { mask: Mask(3), source: V0 });
    registers.execute(&Inst::Cmp { x: CompareOp::True6, y: CompareOp::True7, sources: [V0, V1] });
    registers.apply(Effect::EnterLoop { slot: 0, int: 0 });
    registers.begin(&Registers::DEFAULT_INPUTS);
    for n in 0..16 {
        assert_eq!(registers.source(Source::Temp(n)), Registers::DEFAULT);
        assert_eq!(registers.source(Source::Input(n)), Registers::DEFAULT);
    }
    assert_eq!(registers.outputs(), &Registers::DEFAULT_INPUTS);
    assert_eq!((registers.address(), registers.flags(), registers.counter()), ([0, 0], [false; 2], 0));
    assert_eq!(registers.source(Source::Uniform(95)), [95.0; 4], "uniforms stay");
}
