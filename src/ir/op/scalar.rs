//! Semantics of the one- and two-operand operations, lane by lane, on bit patterns.
//! In and out: bits of one lane. PICA200 arithmetic comes from
//! [`crate::machine::precision::arith`], its one definition; plain float operations are IEEE f32.
//! The evaluator and constant folding share this. Every NaN is as good as another.
//!
//! Constants fold where every machine that translates and every driver computes the same. That is
//! one rule for all passes: a constant that one of them computes is one that the others expect.

use super::signature::{Binary, Domain, Unary};
use crate::ir::types::ScalarKind;
use crate::machine::precision::bits::{MAGNITUDE, NAN, SIGN};
use crate::machine::precision::{Precision, arith};

/// One lane of a one-operand operation.
pub fn unary(op: Unary, precision: Precision, a: u32) -> u32 {
    let x = f32::from_bits(a);
    match op {
        Unary::RcpP => arith::rcp(precision, x).to_bits(),
        Unary::RsqP => arith::rsq(precision, x).to_bits(),
        Unary::Exp2P => arith::exp2(precision, x).to_bits(),
        Unary::Log2P => arith::log2(precision, x).to_bits(),
        Unary::AddressP => arith::offset(x).cast_unsigned(),
        Unary::Neg => a ^ SIGN,
        Unary::Abs => a & MAGNITUDE,
        Unary::Floor => x.floor().to_bits(),
        Unary::InverseSqrt => (1.0 / x.sqrt()).to_bits(),
        Unary::Sqrt => x.sqrt().to_bits(),
        // As if the driver were as good.
        Unary::Exp2 => arith::exp2(Precision::Fast, x).to_bits(),
        Unary::Log2 => arith::log2(Precision::Fast, x).to_bits(),
        Unary::IsNan => u32::from(x.is_nan()),
        Unary::Not => a ^ 1,
        Unary::ToInt => (x as i32).cast_unsigned(),
        Unary::ToFloat => (a.cast_signed() as f32).to_bits(),
        Unary::ToBits | Unary::FromBits | Unary::UintToInt | Unary::IntToUint => a,
    }
}

/// One lane of a two-operand operation; the dot products give the product that they sum.
pub fn binary(op: Binary, precision: Precision, a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let (i, j) = (a.cast_signed(), b.cast_signed());
    match op {
        Binary::AddP => arith::add(precision, x, y).to_bits(),
        Binary::MulP | Binary::DotP => arith::mul(precision, x, y).to_bits(),
        Binary::MinP | Binary::Min => arith::min(x, y).to_bits(),
        Binary::MaxP | Binary::Max => arith::max(x, y).to_bits(),
        Binary::SgeP => f32::from(u8::from(x >= y)).to_bits(),
        Binary::SltP => f32::from(u8::from(x < y)).to_bits(),
        Binary::Add => (x + y).to_bits(),
        Binary::Mul | Binary::Dot => (x * y).to_bits(),
        Binary::Div => (x / y).to_bits(),
        Binary::Equal => u32::from(x == y),
        Binary::Less => u32::from(x < y),
        Binary::LessEqual => u32::from(x <= y),
        Binary::Greater => u32::from(x > y),
        Binary::GreaterEqual => u32::from(x >= y),
        Binary::And | Binary::IAnd | Binary::BitAnd => a & b,
        Binary::Or | Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::IAdd | Binary::UAdd => a.wrapping_add(b),
        Binary::ISub | Binary::USub => a.wrapping_sub(b),
        Binary::IMul | Binary::UMul => a.wrapping_mul(b),
        Binary::IEqual | Binary::UEqual => u32::from(a == b),
        Binary::ILess => u32::from(i < j),
        Binary::IGreater => u32::from(i > j),
        Binary::ShiftRight => a.wrapping_shr(b),
        Binary::ShiftLeft => a.wrapping_shl(b),
        Binary::ULess => u32::from(a < b),
    }
}

/// A dot product of `lanes` lanes, summed left to right.
pub fn dot(op: Binary, precision: Precision, a: [u32; 4], b: [u32; 4], lanes: u8) -> u32 {
    let sum = if op.is_pica() { Binary::AddP } else { Binary::Add };
    (1..usize::from(lanes)).fold(binary(op, precision, a[0], b[0]), |total, lane| {
        binary(sum, precision, total, binary(op, precision, a[lane], b[lane]))
    })
}

/// One lane of a one-operand operation on a constant, where that folds.
pub fn fold_unary(op: Unary, precision: Precision, a: u32) -> Option<u32> {
    folds_exactly(op, a).then(|| one_nan(op.signature().result, unary(op, precision, a)))
}

/// One lane of a two-operand operation on constants, where that folds.
pub fn fold_binary(op: Binary, precision: Precision, a: u32, b: u32) -> Option<u32> {
    // A driver's quotient may be 2.5 units in the last place off.
    (op != Binary::Div).then(|| one_nan(op.signature().result, binary(op, precision, a, b)))
}

/// A dot product of constants, where that folds.
pub fn fold_dot(op: Binary, precision: Precision, a: [u32; 4], b: [u32; 4], lanes: u8) -> Option<u32> {
    // A driver sums the plain one in any order.
    op.is_pica().then(|| one_nan(ScalarKind::F32, dot(op, precision, a, b, lanes)))
}

/// A computed lane; NaN has one form, whatever the machine that computes it.
fn one_nan(kind: ScalarKind, bits: u32) -> u32 {
    if kind == ScalarKind::F32 && f32::from_bits(bits).is_nan() { NAN } else { bits }
}

/// Returns whether every machine computes the same for a constant operand.
fn folds_exactly(op: Unary, a: u32) -> bool {
    let x = f32::from_bits(a);
    match op {
        Unary::ToInt => x.abs() < 2_147_483_648.0,
        Unary::Neg | Unary::Abs | Unary::Floor => true,
        // A driver's own functions promise no bits.
        _other => op.domain() != Domain::Driver,
    }
}
