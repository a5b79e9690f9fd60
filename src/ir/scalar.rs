//! What the one- and two-operand operations compute, lane by lane, on bit patterns.
//! In and out: bits of one lane. PICA200 arithmetic comes from [`crate::precision::arith`], its one definition; plain float
//! operations are IEEE f32. The evaluator and constant folding share this. Of a NaN only that it is one matters.

use super::signature::{Binary, Unary};
use crate::precision::bits::{MAGNITUDE, SIGN};
use crate::precision::{Precision, arith};

/// One lane of a one-operand operation.
pub fn unary(op: Unary, precision: Precision, a: u32) -> u32 {
    let x = f32::from_bits(a);
    match op {
        Unary::RcpP => arith::rcp(precision, x).to_bits(),
        Unary::RsqP => arith::rsq(precision, x).to_bits(),
        Unary::Exp2P => arith::exp2(precision, x).to_bits(),
        Unary::Exp2Portable => arith::exp2_portable(precision, x).to_bits(),
        Unary::Log2Portable => arith::log2_portable(precision, x).to_bits(),
        Unary::Log2P => arith::log2(precision, x).to_bits(),
        Unary::AddressP => arith::address(x).cast_unsigned(),
        Unary::Neg => a ^ SIGN,
        Unary::Abs => a & MAGNITUDE,
        Unary::Floor => x.floor().to_bits(),
        Unary::Sqrt => x.sqrt().to_bits(),
        Unary::Exp2 => x.exp2().to_bits(),
        Unary::Log2 => x.log2().to_bits(),
        Unary::Not => a ^ 1,
        Unary::ToInt => (x as i32).cast_unsigned(),
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
        Binary::MinP => arith::min(x, y).to_bits(),
        Binary::MaxP => arith::max(x, y).to_bits(),
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
        Binary::IAdd => a.wrapping_add(b),
        Binary::ISub => a.wrapping_sub(b),
        Binary::IMul => a.wrapping_mul(b),
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
    let sum = if op.signature().pica { Binary::AddP } else { Binary::Add };
    (1..usize::from(lanes)).fold(binary(op, precision, a[0], b[0]), |total, lane| {
        binary(sum, precision, total, binary(op, precision, a[lane], b[lane]))
    })
}
