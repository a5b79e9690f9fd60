//! Comparisons whose result follows from what their operands can be.
//! In: a function, a comparison and its lanes. Out: true, false or not known. Changes nothing.
//!
//! Why: drivers find such comparisons too, make 0 of `slt(x, 0)` where `x` came out of an SGE, and
//! then fold `NaN * 0` to 0, NoContraction or not (drivers.md#known-zeros). What is constant before
//! `legalize` gets the form there that no driver folds. So this has to know at least as much as
//! drivers do: they keep the sign of every value, whether it may be 0, and whether it may be NaN.

use crate::ir::op::scalar;
use crate::ir::{Binary, Domain, Func, Lane, Op, ScalarKind, Unary};
use crate::machine::precision::Precision;
use crate::machine::precision::bits::{ONE, SIGN};
use crate::passes::analyze::ranges::{Classes, Ranges};

/// Negations on the way to a definition that are looked through.
const NEGATIONS: u32 = 8;

/// Returns whether an operation compares numbers, giving a truth value or 1 and 0.
pub(super) fn compares(op: Binary) -> bool {
    op.domain() == Domain::Compare && op.signature().operand == ScalarKind::F32
        || matches!(op, Binary::SgeP | Binary::SltP)
}

/// The bits of one lane of a comparison's result, if they are known.
pub(super) fn compared(f: &Func, ranges: &Ranges<'_>, op: Binary, a: Lane, b: Lane) -> Option<u32> {
    let precision = ranges.precision;
    let (a, b) = (ranges.source(f, a), ranges.source(f, b));
    if a == b {
        let equal = scalar::binary(op, precision, 0, 0);
        // Only a NaN is not equal to itself, and then nothing holds.
        // rule: same_operand
        return (equal == 0 || !ranges.get(f, a).classes.has(Classes::NAN)).then_some(equal);
    }
    if let (Some(a), Some(b)) = (two(f, a), two(f, b)) {
        let all = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let holds = all.map(|(i, j): (usize, usize)| scalar::binary(op, precision, a[i], b[j]));
        // rule: two_values
        return holds[1..].iter().all(|&bits| bits == holds[0]).then_some(holds[0]);
    }
    // rule: decided_by_class
    decided_result(op, precision, ranges.get(f, a).classes, ranges.get(f, b).classes)
}

/// The result of a comparison if it is the same for all pairs of these classes.
fn decided_result(op: Binary, precision: Precision, a: Classes, b: Classes) -> Option<u32> {
    let mut result = None;
    for x in a.each() {
        for y in b.each() {
            let of_pair = scalar::binary(op, precision, x.sample(), y.sample());
            // Two finite numbers of one sign may compare either way.
            if x == y && Classes::FINITE.has(x) || *result.get_or_insert(of_pair) != of_pair {
                return None;
            }
        }
    }
    result
}

/// The two values, maybe the same, that a lane may have: constants, and the results of SGE and SLT.
fn two(f: &Func, mut lane: Lane) -> Option<[u32; 2]> {
    let mut sign = 0;
    for _ in 0..NEGATIONS {
        let index = lane.index();
        match f.op(lane.value())? {
            Op::Const(bits) => return Some([bits[usize::from(index)] ^ sign; 2]),
            Op::Binary(Binary::SgeP | Binary::SltP, ..) => return Some([sign, ONE | sign]),
            Op::Unary(Unary::Neg, a) => (lane, sign) = (Lane::new(a, index), sign ^ SIGN),
            _other_operations => return None,
        }
    }
    None
}
