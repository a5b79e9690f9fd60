//! Every operation gives what its definition says.

use super::*;
use rspirv::binary::Disassemble;
use transpica::Kind as ErrorKind;
use transpica::Precision;
use transpica::settings::FloatControls;
use transpica::stages::ir::{Binary, Lane, Resource, ScalarKind, Unary};
use transpica::stages::precision::arith;
use transpica_inspect::spirv::load;

const A: [f32; 4] = [1.5, -2.25, 0.0, 9.0];
const B: [f32; 4] = [0.5, 4.0, f32::NAN, 9.0];

type FloatRule = fn(f32) -> f32;
type FloatRule2 = fn(f32, f32) -> f32;
type Comparison = fn(f32, f32) -> bool;
type BitRule = fn(u32, u32) -> u32;
type Build = fn(Value, Value) -> Op;

fn ty(kind: ScalarKind) -> Type {
    Type::new(kind, 4)
}

/// One operation on all lanes of v0 and v1; operands and result pass through their bits.
fn lanes(operand: ScalarKind, result: ScalarKind, op: impl FnOnce(Value, Value) -> Op) -> Case {
    Case::compute(|f, r| {
        let inputs = [input(f, r, 0), input(f, r, 1)];
        let [a, b] = inputs.map(|v| from_float(f, r, v, operand));
        let value = f.emit(r, ty(result), op(a, b));
        vec![to_float(f, r, value)]
    })
}

fn from_float(f: &mut Func, r: Region, value: Value, kind: ScalarKind) -> Value {
    let bits = |f: &mut Func| f.emit(r, ty(ScalarKind::U32), Op::Unary(Unary::ToBits, value));
    match kind {
        ScalarKind::F32 => value,
        ScalarKind::U32 => bits(f),
        ScalarKind::I32 => {
            let bits = bits(f);
            f.emit(r, ty(ScalarKind::I32), Op::Unary(Unary::UintToInt, bits))
        }
        ScalarKind::Bool => {
            let bits = bits(f);
            let zero = f.emit(r, ty(ScalarKind::U32), Op::Const([0; 4]));
            f.emit(r, ty(ScalarKind::Bool), Op::Binary(Binary::ULess, zero, bits))
        }
    }
}

/// The bits of a value as a float; integers come back through comparison with what they are
/// expected to be.
fn to_float(f: &mut Func, r: Region, value: Value) -> Value {
    match f.ty(value).kind {
        ScalarKind::F32 => value,
        ScalarKind::U32 => f.emit(r, ty(ScalarKind::F32), Op::Unary(Unary::FromBits, value)),
        ScalarKind::Bool => {
            let one = f.emit(r, ty(ScalarKind::F32), Op::Const([1f32.to_bits(); 4]));
            let zero = f.emit(r, ty(ScalarKind::F32), Op::Const([0; 4]));
            f.emit(r, ty(ScalarKind::F32), Op::Select { cond: value, a: one, b: zero })
        }
        ScalarKind::I32 => {
            // One bit at a time is enough to tell the tests' numbers apart: the lowest four.
            let mut parts = Vec::new();
            for bit in 0..4u32 {
                let mask = f.emit(r, ty(ScalarKind::I32), Op::Const([1 << bit; 4]));
                let masked = f.emit(r, ty(ScalarKind::I32), Op::Binary(Binary::IAnd, value, mask));
                let set = f.emit(r, ty(ScalarKind::Bool), Op::Binary(Binary::IEqual, masked, mask));
                let weight = f.emit(r, ty(ScalarKind::F32), Op::Const([((1 << bit) as f32).to_bits(); 4]));
                let zero = f.emit(r, ty(ScalarKind::F32), Op::Const([0; 4]));
                parts.push(f.emit(r, ty(ScalarKind::F32), Op::Select { cond: set, a: weight, b: zero }));
            }
            let sum = |a, b| f.emit(r, ty(ScalarKind::F32), Op::Binary(Binary::Add, a, b));
            parts.into_iter().reduce(sum).expect("there are four bits")
        }
    }
}

#[test]
fn float_operations_are_lane_wise() {
    let unary: [(Unary, FloatRule); 6] = [
        (Unary::Neg, |a| -a),
        (Unary::Abs, f32::abs),
        (Unary::Floor, f32::floor),
        (Unary::Sqrt, f32::sqrt),
        (Unary::Exp2, |a| arith::exp2(Precision::Fast, a)),
        (Unary::Log2, |a| arith::log2(Precision::Fast, a)),
    ];
    for (op, expected) in unary {
        let got = lanes(ScalarKind::F32, ScalarKind::F32, |a, _| Op::Unary(op, a)).run(&[A])[0];
        assert_eq!(got.map(f32::to_bits), A.map(expected).map(f32::to_bits), "{op:?}");
    }
    let binary: [(Binary, FloatRule2); 3] =
        [(Binary::Add, |a, b| a + b), (Binary::Mul, |a, b| a * b), (Binary::Div, |a, b| a / b)];
    for (op, expected) in binary {
        let got = lanes(ScalarKind::F32, ScalarKind::F32, |a, b| Op::Binary(op, a, b)).run(&[A, B])[0];
        for (lane, got) in got.into_iter().enumerate() {
            let expected = expected(A[lane], B[lane]);
            assert!(got == expected || got.is_nan() && expected.is_nan(), "{op:?} {got} {expected}");
        }
    }
}

#[test]
fn comparisons_are_false_for_nan() {
    let table: [(Binary, Comparison); 5] = [
        (Binary::Equal, |a, b| a == b),
        (Binary::Less, |a, b| a < b),
        (Binary::LessEqual, |a, b| a <= b),
        (Binary::Greater, |a, b| a > b),
        (Binary::GreaterEqual, |a, b| a >= b),
    ];
    for (op, expected) in table {
        let got = lanes(ScalarKind::F32, ScalarKind::Bool, |a, b| Op::Binary(op, a, b)).run(&[A, B])[0];
        let expected: Vec<f32> = A.iter().zip(B).map(|(&a, b)| f32::from(u8::from(expected(a, b)))).collect();
        assert_eq!(got.to_vec(), expected, "{op:?}");
    }
}

#[test]
fn bool_operations_are_lane_wise() {
    let (a, b) = ([0, 0, 1, 1], [0, 1, 0, 1]);
    let table: [(Build, [f32; 4]); 3] = [
        (|a, b| Op::Binary(Binary::And, a, b), [0.0, 0.0, 0.0, 1.0]),
        (|a, b| Op::Binary(Binary::Or, a, b), [0.0, 1.0, 1.0, 1.0]),
        (|a, _| Op::Unary(Unary::Not, a), [1.0, 1.0, 0.0, 0.0]),
    ];
    for (op, expected) in table {
        let got = lanes(ScalarKind::Bool, ScalarKind::Bool, op).run_bits(&[a, b])[0];
        assert_eq!(got.map(f32::from_bits), expected);
    }
}

#[test]
fn integer_operations_wrap_and_compare_signed() {
    let (a, b) = ([3, 0, u32::MAX, 7], [5, 1, 2, 7]);
    let table: [(Binary, ScalarKind, [f32; 4]); 6] = [
        (Binary::IAdd, ScalarKind::I32, [8.0, 1.0, 1.0, 14.0]),
        (Binary::ISub, ScalarKind::I32, [14.0, 15.0, 13.0, 0.0]),
        (Binary::IAnd, ScalarKind::I32, [1.0, 0.0, 2.0, 7.0]),
        (Binary::IEqual, ScalarKind::Bool, [0.0, 0.0, 0.0, 1.0]),
        (Binary::ILess, ScalarKind::Bool, [1.0, 1.0, 1.0, 0.0]),
        (Binary::IGreater, ScalarKind::Bool, [0.0, 0.0, 0.0, 0.0]),
    ];
    for (op, result, expected) in table {
        let got = lanes(ScalarKind::I32, result, |a, b| Op::Binary(op, a, b)).run_bits(&[a, b])[0];
        assert_eq!(got.map(f32::from_bits), expected, "{op:?}");
    }
}

#[test]
fn bit_operations_are_unsigned() {
    let (a, b) = ([0x8000_0001, 6, 0xFFFF_FFFF, 1], [1, 3, 31, 1]);
    let table: [(Binary, BitRule); 4] = [
        (Binary::BitAnd, |a, b| a & b),
        (Binary::BitOr, |a, b| a | b),
        (Binary::BitXor, |a, b| a ^ b),
        (Binary::ShiftRight, |a, b| a >> b),
    ];
    for (op, expected) in table {
        let got = lanes(ScalarKind::U32, ScalarKind::U32, |a, b| Op::Binary(op, a, b)).run_bits(&[a, b])[0];
        assert_eq!(got.to_vec(), (0..4).map(|l| expected(a[l], b[l])).collect::<Vec<_>>(), "{op:?}");
    }
    for (op, expected) in [(Binary::UEqual, [0.0, 0.0, 0.0, 1.0]), (Binary::ULess, [0.0, 0.0, 0.0, 0.0])] {
        let got = lanes(ScalarKind::U32, ScalarKind::Bool, |a, b| Op::Binary(op, a, b)).run_bits(&[a, b])[0];
        assert_eq!(got.map(f32::from_bits), expected, "{op:?}");
    }
}

#[test]
fn conversion_truncates_and_casts_keep_bits() {
    let got = lanes(ScalarKind::F32, ScalarKind::I32, |a, _| Op::Unary(Unary::ToInt, a))
        .run(&[[3.9, 0.5, 7.0, -0.9]]);
    assert_eq!(got[0], [3.0, 0.0, 7.0, 0.0]);
    let bits = [0x7FC0_1234, 0x8000_0000, 1, 0xFFFF_FFFF];
    assert_eq!(
        lanes(ScalarKind::U32, ScalarKind::U32, |a, _| Op::Binary(Binary::BitOr, a, a)).run_bits(&[bits])[0],
        bits
    );
}

#[test]
fn select_takes_a_bool_for_each_lane() {
    let case = Case::compute(|f, r| {
        let (a, b) = (input(f, r, 0), input(f, r, 1));
        let cond = binary(f, r, ty(ScalarKind::Bool), Binary::Less, a, b);
        vec![f.emit(r, Type::F32X4, Op::Select { cond, a, b })]
    });
    assert_eq!(case.run(&[[1.0, 5.0, 3.0, 8.0], [4.0, 2.0, 6.0, 7.0]])[0], [1.0, 2.0, 3.0, 7.0]);
}

#[test]
fn dot_takes_two_to_four_lanes() {
    for count in 2..=4 {
        let case = Case::compute(|f, r| {
            let a = input(f, r, 0);
            let lanes = [0, 1, 2, 3].map(|l| Lane::new(a, if l < count { l } else { 0 }));
            let part = f.emit(r, Type::new(ScalarKind::F32, count), Op::Shuffle(lanes));
            let dot = binary(f, r, Type::F32, Binary::Dot, part, part);
            vec![splat(f, r, dot)]
        });
        let expected = [0.0, 0.0, 5.0, 14.0, 30.0][usize::from(count)];
        assert_eq!(case.run(&[[1.0, 2.0, 3.0, 4.0]])[0], [expected; 4]);
    }
}

/// Lanes of v0 (0..=3), v1 (4..=7), x of v2 as a scalar (8).
fn shuffle(picks: [u8; 4]) -> Case {
    Case::compute(|f, r| {
        let (a, b, c) = (input(f, r, 0), input(f, r, 1), input(f, r, 2));
        let c = lane(f, r, c, 0);
        let lanes = picks.map(|pick| match pick {
            0..4 => Lane::new(a, pick),
            4..8 => Lane::new(b, pick - 4),
            _ => Lane::new(c, 0),
        });
        vec![f.emit(r, Type::F32X4, Op::Shuffle(lanes))]
    })
}

#[test]
fn shuffle_collects_lanes_in_the_cheapest_way() {
    let table = [
        ([0, 1, 2, 3], ""),
        ([3, 2, 1, 0], "OpVectorShuffle"),
        ([2, 2, 2, 2], "OpVectorShuffle"),
        ([0, 5, 2, 7], "OpVectorShuffle"),
        ([7, 3, 6, 2], "OpVectorShuffle"),
        ([8, 8, 8, 8], "OpCompositeConstruct"),
        ([0, 1, 2, 8], "OpVectorShuffle OpCompositeConstruct"),
        ([8, 4, 5, 0], "OpVectorShuffle OpCompositeExtract OpCompositeConstruct"),
        ([8, 0, 8, 4], "OpCompositeExtract OpCompositeExtract OpCompositeConstruct"),
    ];
    for (picks, expected) in table {
        let case = shuffle(picks);
        let got = case.run(&[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 9.0, 9.0]])[0];
        assert_eq!(got, picks.map(f32::from), "{picks:?}");
        let text = rspirv::dr::load_words(case.write().unwrap()).unwrap().disassemble();
        // The first extract is the invocation's number, the second the scalar of v2.
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split(" = ").nth(1)?.split_whitespace().next())
            .filter(|op| ["OpVectorShuffle", "OpCompositeExtract", "OpCompositeConstruct"].contains(op))
            .skip(2)
            .collect();
        assert_eq!(names.join(" "), expected, "{picks:?}");
    }
}

#[test]
fn short_vectors_are_built_from_lanes() {
    let case = Case::compute(|f, r| {
        let a = input(f, r, 0);
        let pair =
            f.emit(r, Type::new(ScalarKind::F32, 2), Op::Shuffle([3, 1, 3, 3].map(|l| Lane::new(a, l))));
        let triple = f.emit(
            r,
            Type::new(ScalarKind::F32, 3),
            Op::Shuffle([Lane::new(pair, 0), Lane::new(pair, 1), Lane::new(a, 0), Lane::new(pair, 0)]),
        );
        let lanes = [Lane::new(triple, 0), Lane::new(triple, 1), Lane::new(triple, 2), Lane::new(pair, 1)];
        vec![f.emit(r, Type::F32X4, Op::Shuffle(lanes))]
    });
    assert_eq!(case.run(&[[1.0, 2.0, 3.0, 4.0]])[0], [4.0, 2.0, 1.0, 2.0]);
}

#[test]
fn literals_that_are_not_finite_are_bit_casts() {
    let words = [f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits(), 0x7FC0_0000, 1f32.to_bits()];
    let case = Case::compute(|f, r| {
        let vector = f.emit(r, Type::F32X4, Op::Const(words));
        let scalar = float(f, r, f32::INFINITY);
        vec![vector, splat(f, r, scalar)]
    });
    let got = case.run_bits(&[]);
    assert_eq!(got[..2], [words, [words[0]; 4]]);
}

#[test]
fn equal_literals_share_an_id() {
    let case = Case::compute(|f, r| {
        let mut sum = float(f, r, 2.5);
        for _ in 0..100 {
            let next = float(f, r, 2.5);
            sum = binary(f, r, Type::F32, Binary::Add, sum, next);
        }
        vec![splat(f, r, sum)]
    });
    let words = case.check();
    let module = rspirv::dr::load_words(&words).unwrap();
    let is_literal = |i: &&rspirv::dr::Instruction| {
        i.class.opcode == rspirv::spirv::Op::Constant
            && i.operands[0] == rspirv::dr::Operand::LiteralBit32(2.5f32.to_bits())
    };
    assert_eq!(module.types_global_values.iter().filter(is_literal).count(), 1);
    assert_eq!(case.run(&[])[0], [252.5; 4]);
}

#[test]
fn many_different_literals_keep_their_values() {
    let case = Case::compute(|f, r| {
        let mut sum = float(f, r, 0.5);
        for number in 1..500 {
            let next = float(f, r, number as f32);
            sum = binary(f, r, Type::F32, Binary::Add, sum, next);
        }
        vec![splat(f, r, sum)]
    });
    assert_eq!(case.run(&[])[0], [124_750.5; 4]);
}

#[test]
fn bool_and_integer_vector_literals_are_written() {
    let case = Case::compute(|f, r| {
        let flags = f.emit(r, ty(ScalarKind::Bool), Op::Const([1, 0, 1, 0]));
        let ints = f.emit(r, ty(ScalarKind::I32), Op::Const([1, 2, 3, u32::MAX]));
        vec![to_float(f, r, flags), to_float(f, r, ints)]
    });
    assert_eq!(case.run(&[])[..2], [[1.0, 0.0, 1.0, 0.0], [1.0, 2.0, 3.0, 15.0]]);
}

#[test]
fn float_arithmetic_is_not_contracted() {
    let build = || lanes(ScalarKind::F32, ScalarKind::F32, |a, b| Op::Binary(Binary::Mul, a, b)).module;
    let mut case = Case { module: build(), ..Case::compute(|_, _| Vec::new()) };
    assert_eq!(contraction_marks(&case.check()), 1);
    case.profile.no_contraction = false;
    assert_eq!(contraction_marks(&case.check()), 0);
}

/// Number of results with NoContraction.
fn contraction_marks(words: &[u32]) -> usize {
    let module = load(words).unwrap();
    let wanted = rspirv::dr::Operand::Decoration(rspirv::spirv::Decoration::NoContraction);
    module.annotations.iter().filter(|one| one.operands.get(1) == Some(&wanted)).count()
}

#[test]
fn a_default_mode_takes_the_place_of_decorations() {
    use rspirv::dr::Operand::{ExecutionMode as Mode, LiteralBit32};
    use rspirv::spirv::ExecutionMode::{FPFastMathDefault, SignedZeroInfNanPreserve};
    let build = || lanes(ScalarKind::F32, ScalarKind::F32, |a, b| Op::Binary(Binary::Mul, a, b)).module;
    // Version, contraction is allowed, NaN is kept; the mode: NotNaN, NotInf and NSZ are 1, 2 and
    // 4, AllowContract is bit 16.
    let rows = [
        ((1, 1), false, true, None),
        ((1, 2), false, true, Some(0)),
        ((1, 3), true, true, Some(1 << 16)),
        ((1, 4), false, false, Some(7)),
        ((1, 6), true, false, Some(7 | 1 << 16)),
    ];
    for (version, contracts, nan, expected) in rows {
        let mut case = Case { module: build(), ..Case::compute(|_, _| Vec::new()) };
        case.profile.spirv_version = version;
        (case.profile.float_controls2, case.profile.no_contraction) = (true, !contracts);
        case.profile.float_controls = FloatControls { nan, ..FloatControls::ALL };
        let words = case.write().unwrap();
        match validate_for(&words, version) {
            // The capability is younger than spirv-val 2024.1.
            Err(text) if text.contains("Invalid capability operand: 6029") => {
                println!("old spirv-val: {text}")
            }
            valid => valid.unwrap(),
        }
        let module = load(&words).unwrap();
        let modes: Vec<_> = module.execution_modes.iter().map(|one| &one.operands).collect();
        let mode = modes.iter().find(|operands| operands.contains(&Mode(FPFastMathDefault)));
        let bits = mode.map(|operands| {
            let id = operands.last().and_then(|operand| operand.id_ref_any());
            let constant = module.types_global_values.iter().find(|one| one.result_id == id).unwrap();
            constant.operands[0].clone()
        });
        assert_eq!(bits, expected.map(LiteralBit32), "{version:?}");
        let has_other = modes.iter().any(|operands| operands.contains(&Mode(SignedZeroInfNanPreserve)));
        assert_eq!(has_other, expected.is_none() && nan, "{version:?}");
        assert_eq!(contraction_marks(&words), usize::from(expected.is_none() && !contracts), "{version:?}");
    }
}

#[test]
fn pica_operations_are_refused() {
    let ops: [Build; 3] = [
        |a, b| Op::Binary(Binary::MulP, a, b),
        |a, _| Op::Unary(Unary::RcpP, a),
        |_, _| Op::Read(Resource::Uniform(3)),
    ];
    for op in ops {
        let error = lanes(ScalarKind::F32, ScalarKind::F32, op).write().unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Verify(_)), "{error}");
    }
}

#[test]
fn values_must_be_defined_before_their_use() {
    let case = Case::compute(|f, _| {
        vec![f.value(Type::F32X4, transpica::stages::ir::Def::Op(Op::Read(Resource::Input(0))))]
    });
    assert!(matches!(case.write().unwrap_err().kind, ErrorKind::Verify(_)));
}

#[test]
fn bool_operations_take_scalars() {
    for (op, expected) in [(Binary::And, 0.0), (Binary::Or, 1.0)] {
        let case = Case::compute(|f, r| {
            let v = input(f, r, 0);
            let (x, y) = (lane(f, r, v, 0), lane(f, r, v, 1));
            let less = binary(f, r, Type::BOOL, Binary::Less, x, y);
            let greater = binary(f, r, Type::BOOL, Binary::Greater, x, y);
            let both = binary(f, r, Type::BOOL, op, less, greater);
            let (one, zero) = (float(f, r, 1.0), float(f, r, 0.0));
            let value = f.emit(r, Type::F32, Op::Select { cond: both, a: one, b: zero });
            vec![splat(f, r, value)]
        });
        assert_eq!(case.run(&[[1.0, 2.0, 0.0, 0.0]])[0], [expected; 4]);
    }
}
