//! Semantics of the IR's one- and two-operand operations as terms, lane by lane.
//! In: an operation, a precision and terms. Out: a term. Each match names every operation, so one
//! without a term does not compile. `tests.rs` compares the terms with `ir::op::scalar`.
//! Facts: the meanings in `src/ir/op/signature.rs`; float24 as the reference has it.

use crate::ir::{Binary, ScalarKind, Unary};
use transpica::Precision;

use crate::equal::term::{Fun, Sort, Term, Terms};

/// Number of the first variable of an input register, beyond the variables of parameters.
const INPUTS: u32 = 64;

/// 2^-62, below which float24 arithmetic counts numbers as 0.
const SMALLEST: f32 = 1.0 / 4_611_686_018_427_387_904.0;
/// 2^64, from which on float24 numbers are infinite.
const OVERFLOW: f32 = 18_446_744_073_709_551_616.0;

/// A variable of a kind. Floats are bits, so that NaN has any payload.
pub fn variable(t: &Terms, kind: ScalarKind, number: u32) -> Term {
    match kind {
        ScalarKind::Bool => t.var(Sort::Bool, number),
        ScalarKind::I32 | ScalarKind::U32 => t.var(Sort::Bits, number),
        ScalarKind::F32 => t.apply(Fun::FromBits, &[t.var(Sort::Bits, number)]),
    }
}

/// A constant of a kind by its bits.
pub fn constant(t: &Terms, kind: ScalarKind, bits: u32) -> Term {
    match kind {
        ScalarKind::Bool => t.bool(bits != 0),
        ScalarKind::I32 | ScalarKind::U32 => t.bits(bits),
        ScalarKind::F32 => t.float(f32::from_bits(bits)),
    }
}

/// A component of an input register.
pub fn input(t: &Terms, register: u8, lane: u8) -> Term {
    variable(t, ScalarKind::F32, INPUTS + 4 * u32::from(register) + u32::from(lane))
}

/// A component of the float uniform with a number.
pub fn uniform(t: &Terms, register: Term, lane: u8) -> Term {
    t.apply(Fun::Uniform, &[register, t.bits(lane.into())])
}

/// A source of float24 arithmetic: small magnitudes count as +0.
fn flush(t: &Terms, a: Term) -> Term {
    let is_small = t.apply(Fun::Less, &[t.apply(Fun::Abs, &[a]), t.float(SMALLEST)]);
    t.ite(is_small, t.float(0.0), a)
}

/// A result of float24 arithmetic.
fn truncate(t: &Terms, a: Term) -> Term {
    let magnitude = t.apply(Fun::Abs, &[a]);
    let is_small = t.apply(Fun::Less, &[magnitude, t.float(SMALLEST)]);
    let is_large = t.apply(Fun::LessEqual, &[t.float(OVERFLOW), magnitude]);
    let is_positive = t.apply(Fun::Less, &[t.float(0.0), a]);
    let is_nan = t.apply(Fun::IsNan, &[a]);
    let kept = t.apply(Fun::BitAnd, &[t.apply(Fun::BitsOf, &[a]), t.bits(0xFFFF_FF80)]);
    let kept = t.apply(Fun::FromBits, &[kept]);
    let infinity = t.ite(is_positive, t.float(f32::INFINITY), t.float(f32::NEG_INFINITY));
    let result = t.ite(is_large, infinity, kept);
    t.ite(is_nan, t.float(f32::NAN), t.ite(is_small, t.float(0.0), result))
}

/// An operation between the flush and the truncation of float24.
fn rounded(t: &Terms, precision: Precision, operands: &[Term], op: impl Fn(&Terms, &[Term]) -> Term) -> Term {
    if precision != Precision::F24 {
        return op(t, operands);
    }
    let operands: Vec<Term> = operands.iter().map(|&operand| flush(t, operand)).collect();
    truncate(t, op(t, &operands))
}

/// The quotient of 1, and +inf where `a` is a zero, unless the precision is plain IEEE.
fn reciprocal(t: &Terms, precision: Precision, a: Term, divisor: Term) -> Term {
    let quotient = t.apply(Fun::Div, &[t.float(1.0), divisor]);
    let is_zero = t.apply(Fun::IsZero, &[a]);
    if precision == Precision::Fast { quotient } else { t.ite(is_zero, t.float(f32::INFINITY), quotient) }
}

/// The conversion of MOVA: 0 for what truncates to no signed byte.
fn address(t: &Terms, a: Term) -> Term {
    let is_above = t.apply(Fun::Less, &[t.float(-129.0), a]);
    let is_inside = t.and(is_above, t.apply(Fun::Less, &[a, t.float(128.0)]));
    t.ite(is_inside, t.apply(Fun::ToInt, &[a]), t.bits(0))
}

/// One lane of a one-operand operation.
pub fn unary(t: &Terms, op: Unary, precision: Precision, a: Term) -> Term {
    match op {
        Unary::RcpP => rounded(t, precision, &[a], |t, a| reciprocal(t, precision, a[0], a[0])),
        Unary::RsqP => {
            rounded(t, precision, &[a], |t, a| reciprocal(t, precision, a[0], t.apply(Fun::Sqrt, a)))
        }
        Unary::Exp2P => rounded(t, precision, &[a], |t, a| t.apply(Fun::Exp2, a)),
        Unary::Log2P => rounded(t, precision, &[a], |t, a| t.apply(Fun::Log2, a)),
        Unary::AddressP => address(t, a),
        Unary::Neg => t.apply(Fun::Neg, &[a]),
        Unary::Abs => t.apply(Fun::Abs, &[a]),
        Unary::Floor => t.apply(Fun::Floor, &[a]),
        Unary::InverseSqrt => t.apply(Fun::Div, &[t.float(1.0), t.apply(Fun::Sqrt, &[a])]),
        Unary::ToFloat => t.apply(Fun::FromInt, &[a]),
        Unary::Sqrt => t.apply(Fun::Sqrt, &[a]),
        Unary::Exp2 => t.apply(Fun::Exp2, &[a]),
        Unary::Log2 => t.apply(Fun::Log2, &[a]),
        Unary::IsNan => t.apply(Fun::IsNan, &[a]),
        Unary::Not => t.not(a),
        Unary::ToInt => t.apply(Fun::ToInt, &[a]),
        Unary::ToBits => t.apply(Fun::BitsOf, &[a]),
        Unary::FromBits => t.apply(Fun::FromBits, &[a]),
        Unary::UintToInt | Unary::IntToUint => a,
    }
}

/// The product with inf · 0 = 0 and NaN · 0 = NaN.
fn product(t: &Terms, operands: &[Term]) -> Term {
    let product = t.apply(Fun::Mul, operands);
    let [zeros, infinities] =
        [Fun::IsZero, Fun::IsInfinite].map(|test| [0, 1].map(|n| t.apply(test, &[operands[n]])));
    let is_zero = t.or(t.and(zeros[0], infinities[1]), t.and(infinities[0], zeros[1]));
    t.ite(is_zero, t.float(0.0), product)
}

/// The lesser or greater operand.
fn choose(t: &Terms, op: Binary, [a, b]: [Term; 2]) -> Term {
    let is_min = op.choice() == Some(Binary::Less);
    let first = t.apply(Fun::Less, &if is_min { [a, b] } else { [b, a] });
    let [a_is_nan, b_is_nan] = [a, b].map(|operand| t.apply(Fun::IsNan, &[operand]));
    let choice = if is_min { Fun::EitherMin } else { Fun::EitherMax };
    let [a_is_zero, b_is_zero] = [a, b].map(|operand| t.apply(Fun::IsZero, &[operand]));
    let both_zero = t.and(a_is_zero, b_is_zero);
    let is_free = match op {
        Binary::Min | Binary::Max => t.or(a_is_nan, b_is_nan),
        _pica => return t.ite(first, a, b),
    };
    // Where nothing is promised the driver chooses.
    let is_free = t.or(is_free, both_zero);
    let free = t.ite(t.apply(choice, &[a, b]), a, b);
    t.ite(is_free, free, t.ite(first, a, b))
}

fn one_or_zero(t: &Terms, condition: Term) -> Term {
    t.ite(condition, t.float(1.0), t.float(0.0))
}

/// Shifts take the low five bits of the second operand.
fn shift(t: &Terms, fun: Fun, a: Term, b: Term) -> Term {
    t.apply(fun, &[a, t.apply(Fun::BitAnd, &[b, t.bits(31)])])
}

/// One lane of a two-operand operation. For a dot product: the product that it sums.
pub fn binary(t: &Terms, op: Binary, precision: Precision, a: Term, b: Term) -> Term {
    let (both, exchanged) = ([a, b], [b, a]);
    match op {
        Binary::AddP => rounded(t, precision, &both, |t, both| t.apply(Fun::Add, both)),
        Binary::MulP | Binary::DotP if precision == Precision::Fast => t.apply(Fun::Mul, &both),
        Binary::MulP | Binary::DotP => rounded(t, precision, &both, product),
        Binary::MinP | Binary::MaxP | Binary::Min | Binary::Max => choose(t, op, both),
        Binary::SgeP => one_or_zero(t, t.apply(Fun::LessEqual, &exchanged)),
        Binary::SltP => one_or_zero(t, t.apply(Fun::Less, &both)),
        Binary::Add => t.apply(Fun::Add, &both),
        Binary::Mul | Binary::Dot => t.apply(Fun::Mul, &both),
        Binary::Div => t.apply(Fun::Div, &both),
        Binary::Equal => t.apply(Fun::Equal, &both),
        Binary::Less => t.apply(Fun::Less, &both),
        Binary::LessEqual => t.apply(Fun::LessEqual, &both),
        Binary::Greater => t.apply(Fun::Less, &exchanged),
        Binary::GreaterEqual => t.apply(Fun::LessEqual, &exchanged),
        Binary::And => t.and(a, b),
        Binary::Or => t.or(a, b),
        Binary::IAdd | Binary::UAdd => t.apply(Fun::BitAdd, &both),
        Binary::ISub | Binary::USub => t.apply(Fun::BitSub, &both),
        Binary::IMul | Binary::UMul => t.apply(Fun::BitMul, &both),
        Binary::IEqual | Binary::UEqual => t.apply(Fun::Same, &both),
        Binary::ILess => t.apply(Fun::IntLess, &both),
        Binary::IGreater => t.apply(Fun::IntLess, &exchanged),
        Binary::IAnd | Binary::BitAnd => t.apply(Fun::BitAnd, &both),
        Binary::BitOr => t.apply(Fun::BitOr, &both),
        Binary::BitXor => t.apply(Fun::BitXor, &both),
        Binary::ShiftRight => shift(t, Fun::ShiftRight, a, b),
        Binary::ShiftLeft => shift(t, Fun::ShiftLeft, a, b),
        Binary::ULess => t.apply(Fun::BitLess, &both),
    }
}

/// A dot product, summed left to right.
pub fn dot(t: &Terms, op: Binary, precision: Precision, a: &[Term], b: &[Term]) -> Term {
    let sum = if op.is_pica() { Binary::AddP } else { Binary::Add };
    let products: Vec<Term> = a.iter().zip(b).map(|(&x, &y)| binary(t, op, precision, x, y)).collect();
    products[1..].iter().fold(products[0], |total, &product| binary(t, sum, precision, total, product))
}
