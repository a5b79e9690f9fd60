//! Every row against the scalar semantics: no result is of a class that its row excludes.

use super::*;
use crate::ir::{Def, Region, RegionData, ScalarKind, Type};
use crate::machine::precision::bits::{INFINITY, MIN_NORMAL, NAN, ONE, SIGN};

const PRECISIONS: [Precision; 3] = [Precision::Exact, Precision::Fast, Precision::F24];

/// Numbers of all classes, with the ends of each and those at which float24 flushes and overflows.
const NUMBERS: [u32; 18] = [
    0,
    1,
    0x007F_FFFF,
    MIN_NORMAL,
    0x1880_0000,
    0x207F_FFFF,
    0x2080_0000,
    0x3F00_0000,
    ONE,
    0x3F80_0001,
    0x4040_0000,
    0x42FE_0000,
    0x4300_0000,
    0x5F7F_FFFF,
    0x5F80_0000,
    0x7F7F_FFFF,
    INFINITY,
    NAN,
];

/// The numbers with both signs.
fn numbers() -> impl Iterator<Item = u32> + Clone {
    NUMBERS.into_iter().flat_map(|bits| [bits, bits ^ SIGN])
}

/// An empty function and its body.
fn empty() -> (Func, Region) {
    let mut f = Func::default();
    let region = f.regions.push(RegionData::default());
    f.body = Some(region);
    (f, region)
}

/// The result of an operation on constants is of a class that [`Ranges`] finds.
fn check(precision: Precision, f: &Func, value: Value, bits: u32) {
    let on_demand = Ranges::new(precision, None);
    let mut swept = Ranges::new(precision, None);
    swept.sweep(f);
    let possible = swept.get(f, Lane::new(value, 0));
    assert_eq!(on_demand.get(f, Lane::new(value, 0)), possible);
    let Some(op) = f.op(value) else { panic!("{value} is not an operation") };
    let operands: Vec<_> = f.values.values().iter().map(|data| data.def).collect();
    assert!(possible.contains(bits), "{op:?} in {precision:?}: {bits:#x}, {possible:?}, {operands:?}");
}

#[test]
fn unary_operations_have_ranges() {
    let float =
        |op: &&Unary| op.signature().operand == ScalarKind::F32 && op.signature().result == ScalarKind::F32;
    for &op in Unary::ALL.iter().filter(float) {
        for (precision, a) in PRECISIONS.into_iter().flat_map(|p| numbers().map(move |a| (p, a))) {
            let (mut f, region) = empty();
            let x = f.emit(region, Type::F32, Op::Const([a, 0, 0, 0]));
            let value = f.emit(region, Type::F32, Op::Unary(op, x));
            check(precision, &f, value, scalar::unary(op, precision, a));
        }
    }
}

#[test]
fn binary_operations_have_ranges() {
    let float =
        |op: &&Binary| op.signature().operand == ScalarKind::F32 && op.signature().result == ScalarKind::F32;
    for &op in Binary::ALL.iter().filter(float) {
        for (a, b) in numbers().flat_map(|a| numbers().map(move |b| (a, b))) {
            let (mut f, region) = empty();
            let ty = if op.shape() == Shape::Dot { Type::F32.with_lanes(2) } else { Type::F32 };
            let [x, y] = [[a, b, 0, 0], [b, ONE, 0, 0]];
            let lanes = |bits: [u32; 4]| if ty.lanes == 2 { bits } else { [bits[0], 0, 0, 0] };
            let first = f.emit(region, ty, Op::Const(lanes(x)));
            let second = f.emit(region, ty, Op::Const(lanes(y)));
            let value = f.emit(region, Type::F32, Op::Binary(op, first, second));
            for precision in PRECISIONS {
                let bits = match op.shape() {
                    Shape::Dot => scalar::dot(op, precision, x, y, 2),
                    Shape::Each => scalar::binary(op, precision, a, b),
                };
                check(precision, &f, value, bits);
            }
        }
    }
}

/// A product or dot product of a lane with itself knows that the signs are equal.
#[test]
fn squares_are_not_negative() {
    for (precision, a) in PRECISIONS.into_iter().flat_map(|p| numbers().map(move |a| (p, a))) {
        for op in [Binary::MulP, Binary::DotP] {
            let (mut f, region) = empty();
            let ty = if op == Binary::DotP { Type::F32.with_lanes(2) } else { Type::F32 };
            let x = f.emit(region, ty, Op::Const([a, if ty.lanes == 2 { a } else { 0 }, 0, 0]));
            let value = f.emit(region, Type::F32, Op::Binary(op, x, x));
            let product = scalar::binary(op, precision, a, a);
            let bits = if ty.lanes == 2 { scalar::dot(op, precision, [a; 4], [a; 4], 2) } else { product };
            check(precision, &f, value, bits);
        }
    }
}

/// Quotients by roots, and what is left of a number without its integer part, know how their
/// operands belong together.
#[test]
fn related_operands_have_ranges() {
    let precision = Precision::Exact;
    for (a, b) in numbers().flat_map(|a| numbers().map(move |b| (a, b))) {
        let (mut f, region) = empty();
        let mut known: Vec<u32> = vec![a, b];
        let [x, c] = [a, b].map(|bits| f.emit(region, Type::F32, Op::Const([bits, 0, 0, 0])));
        let mut emit = |op: Op| {
            let of = |value: Value| known[value.index()];
            let bits = match op {
                Op::Unary(op, a) => scalar::unary(op, precision, of(a)),
                Op::Binary(op, a, b) => scalar::binary(op, precision, of(a), of(b)),
                _other => unreachable!("no other is emitted"),
            };
            known.push(bits);
            let value = f.emit(region, Type::F32, op);
            (value, bits)
        };
        let mut results = Vec::new();
        let (square, _) = emit(Op::Binary(Binary::MulP, x, x));
        let (other, _) = emit(Op::Binary(Binary::MulP, c, c));
        let (both, _) = emit(Op::Binary(Binary::AddP, other, square));
        let (clamped, _) = emit(Op::Binary(Binary::MaxP, c, both));
        for length in [x, square, both, clamped] {
            let (root, _) = emit(Op::Unary(Unary::RsqP, length));
            results.push(emit(Op::Binary(Binary::MulP, root, x)));
            results.push(emit(Op::Binary(Binary::MulP, length, root)));
        }
        let (sum, _) = emit(Op::Binary(Binary::AddP, c, x));
        for whole in [x, sum] {
            let (whole, _) = emit(Op::Unary(Unary::Floor, whole));
            let (whole, _) = emit(Op::Unary(Unary::Neg, whole));
            results.push(emit(Op::Binary(Binary::AddP, x, whole)));
        }
        for (value, bits) in results {
            check(precision, &f, value, bits);
        }
    }
}

#[test]
fn selections_by_a_comparison_of_the_arms_have_ranges() {
    for (a, b) in numbers().flat_map(|a| numbers().map(move |b| (a, b))) {
        for op in [Binary::Less, Binary::Greater, Binary::LessEqual] {
            let (mut f, region) = empty();
            let [x, y] = [a, b].map(|bits| f.emit(region, Type::F32, Op::Const([bits, 0, 0, 0])));
            let cond = f.emit(region, Type::BOOL, Op::Binary(op, x, y));
            let value = f.emit(region, Type::F32, Op::Select { cond, a: x, b: y });
            let holds = scalar::binary(op, Precision::Exact, a, b) != 0;
            check(Precision::Exact, &f, value, if holds { a } else { b });
        }
    }
}

#[test]
fn products_of_infinity_and_zero_have_ranges() {
    let (mut f, region) = empty();
    let [zero, infinity, one] =
        [0, INFINITY | SIGN, ONE].map(|bits| f.emit(region, Type::F32, Op::Const([bits, 0, 0, 0])));
    let unknown = f.emit(region, Type::F32, Op::Unary(Unary::Sqrt, one));
    let negated = f.emit(region, Type::F32, Op::Unary(Unary::Neg, unknown));
    let other = f.value(Type::F32, Def::Param);
    let may = |a: Value, b: Value| {
        let ranges = Ranges::new(Precision::Exact, None);
        let [a, b] = [a, b].map(|value| Lane::new(value, 0));
        let [x, y] = [a, b].map(|lane| ranges.get(&f, lane).classes);
        let possible = |x: Classes, y: Classes| x.has(Classes::ZERO) && y.has(Classes::INFINITE);
        let apart = ranges.are_apart(&f, a, b);
        (apart && (possible(x, y) || possible(y, x)), apart && (possible(y, x) || possible(x, y)))
    };
    for (a, b) in [(zero, infinity), (zero, unknown), (infinity, unknown), (unknown, other)] {
        assert_eq!(may(a, b), (true, true), "{a} {b}");
    }
    for (a, b) in [(zero, one), (one, unknown), (unknown, negated), (negated, negated), (infinity, one)] {
        assert_eq!(may(a, b), (false, false), "{a} {b}");
    }
}

#[test]
fn joins_and_widenings_have_the_numbers_of_both() {
    // Every set of these numbers: each class with and without each other, of several exponents.
    let of = [0, SIGN, ONE, ONE | SIGN, INFINITY, INFINITY | SIGN, NAN, 0x4140_0000, 0x3D00_0000];
    let chosen = |set: u32| (0..of.len()).filter(move |bit| set >> bit & 1 != 0).map(|bit| of[bit]);
    let range = |set| chosen(set).fold(Range::NONE, |range, bits| range.or(Range::of_bits(bits)));
    let ranges: Vec<Range> = (0..1 << of.len()).map(range).chain([Range::ALL]).collect();
    for &a in &ranges {
        for &b in &ranges {
            let (join, meet, widened) = (a.or(b), a.and(b), a.widened(b));
            assert_eq!(widened.widened(b), widened, "{a:?} widened by {b:?} is the last");
            for bits in numbers() {
                let [in_a, in_b] = [a, b].map(|range| range.contains(bits));
                assert!(join.contains(bits) || !(in_a || in_b), "{bits:#x} of {a:?} or {b:?}");
                assert!(widened.contains(bits) || !(in_a || in_b), "{bits:#x} of {a:?} widened by {b:?}");
                assert!(meet.contains(bits) || !(in_a && in_b), "{bits:#x} of {a:?} and {b:?}");
            }
        }
    }
}
