//! Operations on single lanes: one table of what they compute, here and on a host.
//! In: an operation and the kind of its operands. Out: its result, and its text in C and in Rust,
//! in which `$1` is operand 1 and `@` begins the name of a helper. Knows no shapes.
//! Rules: the specifications of WGSL and GLSL; quotients, roots and powers as f32 of the host.

use naga::{BinaryOperator as B, MathFunction as M, UnaryOperator as U};

use super::data::Scalar;

/// An operation.
#[derive(Clone, Copy)]
pub enum Operation {
    /// Of one operand.
    Unary(U),
    /// Of two.
    Binary(B),
    /// A built-in function of one to three.
    Math(M),
    /// A conversion by value.
    Convert(Scalar),
}

/// A lane as a number of a kind.
trait Lane {
    fn of(bits: u32) -> Self;
    fn bits(self) -> u32;
}

macro_rules! lanes {
    ($($kind:ident = $type:ty, $bits:ident => $of:expr, $value:ident => $back:expr;)*) => {$(
        type $kind = $type;
        impl Lane for $kind {
            fn of($bits: u32) -> Self {
                $of
            }
            fn bits(self) -> u32 {
                let $value = self;
                $back
            }
        }
    )*};
}

lanes! {
    Float = f32, bits => Self::from_bits(bits), value => value.to_bits();
    Int = i32, bits => bits.cast_signed(), value => value.cast_unsigned();
    Uint = u32, bits => bits, value => value;
    Bool = bool, bits => bits != 0, value => value.into();
}

/// The Rust text of an expression of x, y and z as a template.
fn template(rust: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut text = String::with_capacity(rust.len() + 4);
    for word in rust.split_inclusive(|letter| !is_letter(letter)) {
        let end = word.trim_end_matches(|letter| !is_letter(letter)).len();
        text.push_str(match &word[..end] {
            "x" => "$0",
            "y" => "$1",
            "z" => "$2",
            other => other,
        });
        text.push_str(&word[end..]);
    }
    text
}

/// Rows: an operation, kinds of its operands, the result in Rust, and its texts in C and in Rust
/// where they differ from that.
macro_rules! table {
    ($x:ident $y:ident $z:ident
     $($operation:pat, $($kind:ident)* => $rust:expr $(, $c:literal $($own:literal)?)?;)*) => {
        /// Computes one lane of each of several vertices, or returns `None` where the subset lacks
        /// the operation.
        #[expect(clippy::manual_clamp, reason = "NaN becomes 0, as in the texts")]
        pub fn compute<const N: usize>(
            operation: Operation,
            kind: Scalar,
            operands: [&[u32; N]; 3],
            results: &mut [u32; N],
        ) -> Option<()> {
            use Operation::{Binary, Convert, Math, Unary};
            let [xs, ys, zs] = operands;
            let all = results.iter_mut().zip(xs).zip(ys).zip(zs);
            match (operation, kind) {
                $($(($operation, Scalar::$kind) => all.for_each(|(((result, x), y), z)| {
                    let [$x, $y, $z] = [*x, *y, *z].map(<$kind as Lane>::of);
                    let _ = ($x, $y, $z);
                    *result = Lane::bits($rust);
                }),)*)*
                _lacks => return None,
            }
            Some(())
        }

        /// Returns the texts of one lane in C and in Rust.
        pub fn texts(operation: Operation, kind: Scalar) -> Option<[String; 2]> {
            use Operation::{Binary, Convert, Math, Unary};
            Some(match (operation, kind) {
                $(($operation, $(Scalar::$kind)|*) => {
                    let own: &[&str] = &[$($c, $($own)?)?];
                    [0, 1].map(|index| own.get(index).map_or_else(|| template(stringify!($rust)), ToString::to_string))
                })*
                _lacks => return None,
            })
        }
    };
}

table! { x y z
    Unary(U::Negate), Float => -x;
    Unary(U::Negate), Int => i32::wrapping_neg(x), "(int32_t)(0u - (uint32_t)$0)";
    Unary(U::LogicalNot), Bool => !x;

    Binary(B::Equal), Float Int Uint Bool => x == y;
    Binary(B::NotEqual), Float Int Uint Bool => x != y;
    Binary(B::Less), Float Int Uint => x < y;
    Binary(B::LessEqual), Float Int Uint => x <= y;
    Binary(B::Greater), Float Int Uint => x > y;
    Binary(B::GreaterEqual), Float Int Uint => x >= y;
    Binary(B::LogicalAnd | B::And), Bool => x && y;
    Binary(B::LogicalOr | B::InclusiveOr), Bool => x || y;
    Binary(B::ExclusiveOr), Bool => x != y;
    Binary(B::And), Int Uint => x & y;
    Binary(B::InclusiveOr), Int Uint => x | y;
    Binary(B::ExclusiveOr), Int Uint => x ^ y;
    Binary(B::Add), Float => x + y;
    Binary(B::Subtract), Float => x - y;
    Binary(B::Multiply), Float => x * y;
    Binary(B::Divide), Float => x / y;
    Binary(B::Modulo), Float => x - y * f32::trunc(x / y), "$0 - $1 * truncf($0 / $1)";
    Binary(B::Add), Int => i32::wrapping_add(x, y), "(int32_t)((uint32_t)$0 + (uint32_t)$1)";
    Binary(B::Subtract), Int => i32::wrapping_sub(x, y), "(int32_t)((uint32_t)$0 - (uint32_t)$1)";
    Binary(B::Multiply), Int => i32::wrapping_mul(x, y), "(int32_t)((uint32_t)$0 * (uint32_t)$1)";
    Binary(B::Divide), Int => i32::checked_div(x, y).unwrap_or(x),
        "$1 == 0 || ($0 == INT32_MIN && $1 == -1) ? $0 : $0 / $1";
    Binary(B::Modulo), Int => i32::checked_rem(x, y).unwrap_or(0), "$1 == 0 || $1 == -1 ? 0 : $0 % $1";
    Binary(B::ShiftLeft), Int => x << (y & 31), "(int32_t)((uint32_t)$0 << ($1 & 31))";
    Binary(B::ShiftLeft), Uint => x << (y & 31);
    Binary(B::ShiftRight), Int Uint => x >> (y & 31);
    Binary(B::Add), Uint => u32::wrapping_add(x, y), "$0 + $1";
    Binary(B::Subtract), Uint => u32::wrapping_sub(x, y), "$0 - $1";
    Binary(B::Multiply), Uint => u32::wrapping_mul(x, y), "$0 * $1";
    Binary(B::Divide), Uint => u32::checked_div(x, y).unwrap_or(x), "$1 == 0u ? $0 : $0 / $1";
    Binary(B::Modulo), Uint => u32::checked_rem(x, y).unwrap_or(0), "$1 == 0u ? 0u : $0 % $1";

    Math(M::Abs), Uint => x;
    Math(M::Abs), Int => i32::wrapping_abs(x), "$0 < 0 ? (int32_t)(0u - (uint32_t)$0) : $0";
    Math(M::Sign), Int => i32::signum(x), "($0 > 0) - ($0 < 0)";
    Math(M::Min), Int Uint => Ord::min(x, y), "$1 < $0 ? $1 : $0";
    Math(M::Max), Int Uint => Ord::max(x, y), "$0 < $1 ? $1 : $0";
    Math(M::Clamp), Int Uint => Ord::min(Ord::max(x, y), z),
        "$0 < $1 ? ($2 < $1 ? $2 : $1) : ($2 < $0 ? $2 : $0)";
    Math(M::Abs), Float => f32::abs(x), "fabsf($0)";
    Math(M::Saturate), Float => f32::min(f32::max(x, 0.0), 1.0), "fminf(fmaxf($0, 0.0f), 1.0f)";
    Math(M::Cos), Float => f32::cos(x), "cosf($0)";
    Math(M::Sin), Float => f32::sin(x), "sinf($0)";
    Math(M::Tan), Float => f32::tan(x), "tanf($0)";
    Math(M::Acos), Float => f32::acos(x), "acosf($0)";
    Math(M::Asin), Float => f32::asin(x), "asinf($0)";
    Math(M::Atan), Float => f32::atan(x), "atanf($0)";
    Math(M::Sinh), Float => f32::sinh(x), "sinhf($0)";
    Math(M::Cosh), Float => f32::cosh(x), "coshf($0)";
    Math(M::Tanh), Float => f32::tanh(x), "tanhf($0)";
    Math(M::Radians), Float => f32::to_radians(x), "$0 * 0.017453292f" "$0 * 0.017453292";
    Math(M::Degrees), Float => f32::to_degrees(x), "$0 * 57.29578f" "$0 * 57.29578";
    Math(M::Ceil), Float => f32::ceil(x), "ceilf($0)";
    Math(M::Floor), Float => f32::floor(x), "floorf($0)";
    Math(M::Round), Float => f32::round_ties_even(x), "nearbyintf($0)";
    Math(M::Fract), Float => x - f32::floor(x), "$0 - floorf($0)";
    Math(M::Trunc), Float => f32::trunc(x), "truncf($0)";
    Math(M::Exp), Float => f32::exp(x), "expf($0)";
    Math(M::Exp2), Float => f32::exp2(x), "exp2f($0)";
    Math(M::Log), Float => f32::ln(x), "logf($0)";
    Math(M::Log2), Float => f32::log2(x), "log2f($0)";
    Math(M::Sign), Float => if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { 0.0 },
        "$0 > 0.0f ? 1.0f : $0 < 0.0f ? -1.0f : 0.0f";
    Math(M::Sqrt), Float => f32::sqrt(x), "sqrtf($0)";
    Math(M::InverseSqrt), Float => 1.0 / f32::sqrt(x), "1.0f / sqrtf($0)";
    Math(M::Min), Float => f32::min(x, y), "fminf($0, $1)";
    Math(M::Max), Float => f32::max(x, y), "fmaxf($0, $1)";
    Math(M::Atan2), Float => f32::atan2(x, y), "atan2f($0, $1)";
    Math(M::Pow), Float => f32::powf(x, y), "powf($0, $1)";
    Math(M::Step), Float => if y >= x { 1.0 } else { 0.0 }, "$1 >= $0 ? 1.0f : 0.0f";
    Math(M::Clamp), Float => f32::min(f32::max(x, y), z), "fminf(fmaxf($0, $1), $2)";
    Math(M::Fma), Float => x * y + z;
    Math(M::Mix), Float => x * (1.0 - z) + y * z, "$0 * (1.0f - $2) + $1 * $2";
    Math(M::SmoothStep), Float => smoothstep(x, y, z), "@smoothstep($0, $1, $2)" "@smoothstep($0, $1, $2)";

    Convert(Scalar::Float), Float => x;
    Convert(Scalar::Int), Int => x;
    Convert(Scalar::Uint), Uint => x;
    Convert(Scalar::Bool), Bool => x;
    Convert(Scalar::Int), Float => x as i32, "@to_int($0)";
    Convert(Scalar::Uint), Float => x as u32, "@to_uint($0)";
    Convert(Scalar::Bool), Float => x != 0.0, "$0 != 0.0f";
    Convert(Scalar::Float), Int Uint => x as f32, "(float)$0";
    Convert(Scalar::Float), Bool => if x { 1.0 } else { 0.0 }, "$0 ? 1.0f : 0.0f";
    Convert(Scalar::Bool), Int Uint => x != 0;
    Convert(Scalar::Int), Uint => x as i32, "(int32_t)$0";
    Convert(Scalar::Uint), Int => x as u32, "(uint32_t)$0";
    Convert(Scalar::Int), Bool => x as i32, "$0 ? 1 : 0";
    Convert(Scalar::Uint), Bool => x as u32, "$0 ? 1u : 0u";
}

#[expect(clippy::manual_clamp, reason = "NaN becomes 0, as in the texts")]
fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = f32::min(f32::max((x - low) / (high - low), 0.0), 1.0);
    t * t * (3.0 - 2.0 * t)
}
