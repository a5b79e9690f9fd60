//! Operations of the host as text in C and in Rust.
//! In: a node and the shapes of its operands. Out: templates, in which `$1.2` is lane 2 of operand
//! 1, `#1` operand 1 as an array, `@` begins the name of a helper, and `%` is the result. The rest
//! is as both languages have it. Semantics: `source/math.rs`.

use naga::{BinaryOperator, MathFunction, RelationalFunction, UnaryOperator};

use crate::source::host::{Graph, Node, NodeId};
use crate::source::{Scalar, Shape};

/// The same text in C and in Rust, or one for each.
type Texts = [&'static str; 2];

/// The text of a node.
pub(super) enum Form {
    /// A template for each lane.
    Lanes(Vec<String>),
    /// A call that fills an array.
    Call(String),
}

/// Returns the templates of a node in a language; constants and uniforms have none. Operations that
/// the evaluator lacks become NaN: no program has them.
pub(super) fn form(graph: &Graph, node: &Node, shape: Shape, language: usize) -> Form {
    let operands = node.operands();
    let lanes = |operand: usize| graph.shape(operands[operand]).lanes();
    let each = |texts: Option<Texts>| {
        let text = texts.unwrap_or(["NAN", "f32::NAN"])[language];
        let lane = |lane: usize| {
            (0..operands.len()).fold(text.to_owned(), |text, operand| {
                // A scalar stands for each lane.
                let lane = if lanes(operand) == 1 { 0 } else { lane };
                text.replace(&format!("${operand}"), &format!("${operand}.{lane}"))
            })
        };
        Form::Lanes((0..shape.lanes()).map(lane).collect())
    };
    match node {
        Node::Constant(_) | Node::Uniform(_) => Form::Lanes(Vec::new()),
        Node::Unary(op, a) => each(unary(*op, graph.shape(*a).scalar)),
        Node::Binary(BinaryOperator::Multiply, a, b) if is_product(graph, *a, *b) => {
            let (a, b) = (graph.shape(*a), graph.shape(*b));
            // A vector before a matrix is a row.
            let rows = if a.is_matrix() { a.rows.into() } else { 1 };
            let inner = a.lanes() / rows;
            let sizes = [format!("{rows}, {inner}, {}, %", b.lanes() / inner), rows.to_string()];
            Form::Call(format!("@multiply(#0, #1, {})", sizes[language]))
        }
        Node::Binary(op, a, _) => each(binary(*op, graph.shape(*a).scalar)),
        Node::Math(fun, all) => {
            let kind = all.first().map_or(Scalar::Float, |&a| graph.shape(a).scalar);
            whole(*fun, graph, all, language).unwrap_or_else(|| each(math(*fun, kind)))
        }
        Node::Relational(fun, _) => {
            let and = match fun {
                RelationalFunction::All => " && ",
                RelationalFunction::Any => " || ",
                RelationalFunction::IsNan | RelationalFunction::IsInf => return each(None),
            };
            let all: Vec<String> = (0..lanes(0)).map(|lane| format!("$0.{lane}")).collect();
            Form::Lanes(vec![all.join(and)])
        }
        Node::Select(..) => each(Some(["$0 ? $1 : $2", "if $0 { $1 } else { $2 }"])),
        Node::Convert(a) => each(Some(convert(graph.shape(*a).scalar, shape.scalar))),
        Node::Compose(all) => {
            let lanes = |operand: usize| (0..lanes(operand)).map(move |lane| format!("${operand}.{lane}"));
            Form::Lanes((0..all.len()).flat_map(lanes).collect())
        }
        Node::Lanes(_, lanes) => Form::Lanes(lanes.iter().map(|lane| format!("$0.{lane}")).collect()),
    }
}

fn is_product(graph: &Graph, a: NodeId, b: NodeId) -> bool {
    let (a, b) = (graph.shape(a), graph.shape(b));
    (a.is_matrix() || b.is_matrix()) && !a.is_scalar() && !b.is_scalar()
}

/// Functions whose lanes depend on several lanes.
fn whole(fun: MathFunction, graph: &Graph, all: &[NodeId], language: usize) -> Option<Form> {
    use MathFunction as M;
    let shape = graph.shape(*all.first()?);
    let (rows, count) = (usize::from(shape.rows), shape.lanes());
    // Slices know their length.
    let size = [format!(", {count}"), String::new()];
    let result = [", %", ""][language];
    let size = &size[language];
    Some(match fun {
        M::Dot => Form::Lanes(vec![format!("@dot(#0, #1{size})")]),
        M::Length => {
            let root = ["sqrtf", "f32::sqrt"][language];
            Form::Lanes(vec![format!("{root}(@dot(#0, #0{size}))")])
        }
        M::Distance => Form::Lanes(vec![format!("@distance(#0, #1{size})")]),
        M::Normalize => Form::Call(format!("@normalize(#0{size}{result})")),
        M::Reflect => Form::Call(format!("@reflect(#0, #1{size}{result})")),
        M::Refract => Form::Call(format!("@refract(#0, #1, $2.0{size}{result})")),
        M::Inverse => Form::Call(format!("@inverse{rows}(#0{result})")),
        M::Determinant => {
            let lanes: Vec<String> = (0..count).map(|lane| format!("$0.{lane}")).collect();
            Form::Lanes(vec![format!("@determinant{rows}({})", lanes.join(", "))])
        }
        M::FaceForward => {
            let lane = |lane: usize| match language {
                0 => format!("@dot(#1, #2{size}) < 0.0f ? $0.{lane} : -$0.{lane}"),
                _rust => format!("if @dot(#1, #2) < 0.0 {{ $0.{lane} }} else {{ -$0.{lane} }}"),
            };
            Form::Lanes((0..count).map(lane).collect())
        }
        M::Cross => {
            let lane = |[i, j]: [u8; 2]| format!("$0.{i} * $1.{j} - $0.{j} * $1.{i}");
            Form::Lanes([[1, 2], [2, 0], [0, 1]].map(lane).into())
        }
        M::Outer => {
            let lanes = count * graph.shape(*all.get(1)?).lanes();
            Form::Lanes((0..lanes).map(|lane| format!("$0.{} * $1.{}", lane % count, lane / count)).collect())
        }
        M::Transpose => {
            let columns = usize::from(shape.columns);
            let lane = |lane: usize| format!("$0.{}", lane % columns * rows + lane / columns);
            Form::Lanes((0..count).map(lane).collect())
        }
        _of_lanes => return None,
    })
}

fn unary(op: UnaryOperator, kind: Scalar) -> Option<Texts> {
    Some(match (op, kind) {
        (UnaryOperator::Negate, Scalar::Float) => ["-$0"; 2],
        (UnaryOperator::Negate, Scalar::Int) => ["(int32_t)(0u - (uint32_t)$0)", "i32::wrapping_neg($0)"],
        (UnaryOperator::LogicalNot, Scalar::Bool) => ["!$0"; 2],
        _lacks => return None,
    })
}

fn binary(op: BinaryOperator, kind: Scalar) -> Option<Texts> {
    use BinaryOperator as B;
    use Scalar::{Bool, Float, Int, Uint};
    Some(match (op, kind) {
        (B::Equal, _) => ["$0 == $1"; 2],
        (B::NotEqual, _) | (B::ExclusiveOr, Bool) => ["$0 != $1"; 2],
        (B::Less, _) => ["$0 < $1"; 2],
        (B::LessEqual, _) => ["$0 <= $1"; 2],
        (B::Greater, _) => ["$0 > $1"; 2],
        (B::GreaterEqual, _) => ["$0 >= $1"; 2],
        (B::LogicalAnd, _) | (B::And, Bool) => ["$0 && $1"; 2],
        (B::LogicalOr, _) | (B::InclusiveOr, Bool) => ["$0 || $1"; 2],
        (B::And, Int | Uint) => ["$0 & $1"; 2],
        (B::InclusiveOr, Int | Uint) => ["$0 | $1"; 2],
        (B::ExclusiveOr, Int | Uint) => ["$0 ^ $1"; 2],
        (B::Add, Float) => ["$0 + $1"; 2],
        (B::Subtract, Float) => ["$0 - $1"; 2],
        (B::Multiply, Float) => ["$0 * $1"; 2],
        (B::Divide, Float) => ["$0 / $1"; 2],
        (B::Modulo, Float) => ["$0 - $1 * truncf($0 / $1)", "$0 - $1 * f32::trunc($0 / $1)"],
        (B::Add, Int) => ["(int32_t)((uint32_t)$0 + (uint32_t)$1)", "i32::wrapping_add($0, $1)"],
        (B::Subtract, Int) => ["(int32_t)((uint32_t)$0 - (uint32_t)$1)", "i32::wrapping_sub($0, $1)"],
        (B::Multiply, Int) => ["(int32_t)((uint32_t)$0 * (uint32_t)$1)", "i32::wrapping_mul($0, $1)"],
        (B::Divide, Int) => [
            "$1 == 0 || ($0 == INT32_MIN && $1 == -1) ? $0 : $0 / $1",
            "i32::checked_div($0, $1).unwrap_or($0)",
        ],
        (B::Modulo, Int) => ["$1 == 0 || $1 == -1 ? 0 : $0 % $1", "i32::checked_rem($0, $1).unwrap_or(0)"],
        (B::ShiftLeft, Int) => ["(int32_t)((uint32_t)$0 << ($1 & 31))", "$0 << ($1 & 31)"],
        (B::ShiftLeft, Uint) => ["$0 << ($1 & 31)"; 2],
        (B::ShiftRight, Int | Uint) => ["$0 >> ($1 & 31)"; 2],
        (B::Add, Uint) => ["$0 + $1", "u32::wrapping_add($0, $1)"],
        (B::Subtract, Uint) => ["$0 - $1", "u32::wrapping_sub($0, $1)"],
        (B::Multiply, Uint) => ["$0 * $1", "u32::wrapping_mul($0, $1)"],
        (B::Divide, Uint) => ["$1 == 0u ? $0 : $0 / $1", "u32::checked_div($0, $1).unwrap_or($0)"],
        (B::Modulo, Uint) => ["$1 == 0u ? 0u : $0 % $1", "u32::checked_rem($0, $1).unwrap_or(0)"],
        _lacks => return None,
    })
}

/// A conversion by value.
pub(super) fn convert(from: Scalar, to: Scalar) -> Texts {
    use Scalar::{Bool, Float, Int, Uint};
    match (from, to) {
        (Float, Float) | (Int, Int) | (Uint, Uint) | (Bool, Bool) => ["$0"; 2],
        (Float, Int) => ["@to_int($0)", "$0 as i32"],
        (Float, Uint) => ["@to_uint($0)", "$0 as u32"],
        (Float, Bool) => ["$0 != 0.0f", "$0 != 0.0"],
        (Int | Uint, Float) => ["(float)$0", "$0 as f32"],
        (Bool, Float) => ["$0 ? 1.0f : 0.0f", "if $0 { 1.0 } else { 0.0 }"],
        (Int | Uint, Bool) => ["$0 != 0"; 2],
        (Uint, Int) => ["(int32_t)$0", "$0 as i32"],
        (Int, Uint) => ["(uint32_t)$0", "$0 as u32"],
        (Bool, Int) => ["$0 ? 1 : 0", "$0 as i32"],
        (Bool, Uint) => ["$0 ? 1u : 0u", "$0 as u32"],
    }
}

fn math(fun: MathFunction, kind: Scalar) -> Option<Texts> {
    use MathFunction as M;
    Some(match (fun, kind) {
        (M::Abs, Scalar::Uint) => ["$0"; 2],
        (M::Abs, Scalar::Int) => ["$0 < 0 ? (int32_t)(0u - (uint32_t)$0) : $0", "i32::wrapping_abs($0)"],
        (M::Sign, Scalar::Int) => ["($0 > 0) - ($0 < 0)", "i32::signum($0)"],
        (M::Min, Scalar::Int | Scalar::Uint) => ["$1 < $0 ? $1 : $0", "Ord::min($0, $1)"],
        (M::Max, Scalar::Int | Scalar::Uint) => ["$0 < $1 ? $1 : $0", "Ord::max($0, $1)"],
        (M::Clamp, Scalar::Int | Scalar::Uint) => {
            ["$0 < $1 ? ($2 < $1 ? $2 : $1) : ($2 < $0 ? $2 : $0)", "Ord::min(Ord::max($0, $1), $2)"]
        }
        (_, Scalar::Int | Scalar::Uint | Scalar::Bool) => return None,
        (M::Abs, _) => ["fabsf($0)", "f32::abs($0)"],
        (M::Saturate, _) => ["fminf(fmaxf($0, 0.0f), 1.0f)", "f32::min(f32::max($0, 0.0), 1.0)"],
        (M::Cos, _) => ["cosf($0)", "f32::cos($0)"],
        (M::Sin, _) => ["sinf($0)", "f32::sin($0)"],
        (M::Tan, _) => ["tanf($0)", "f32::tan($0)"],
        (M::Acos, _) => ["acosf($0)", "f32::acos($0)"],
        (M::Asin, _) => ["asinf($0)", "f32::asin($0)"],
        (M::Atan, _) => ["atanf($0)", "f32::atan($0)"],
        (M::Sinh, _) => ["sinhf($0)", "f32::sinh($0)"],
        (M::Cosh, _) => ["coshf($0)", "f32::cosh($0)"],
        (M::Tanh, _) => ["tanhf($0)", "f32::tanh($0)"],
        (M::Radians, _) => ["$0 * 0.017453292f", "$0 * 0.017453292"],
        (M::Degrees, _) => ["$0 * 57.29578f", "$0 * 57.29578"],
        (M::Ceil, _) => ["ceilf($0)", "f32::ceil($0)"],
        (M::Floor, _) => ["floorf($0)", "f32::floor($0)"],
        (M::Round, _) => ["nearbyintf($0)", "f32::round_ties_even($0)"],
        (M::Fract, _) => ["$0 - floorf($0)", "$0 - f32::floor($0)"],
        (M::Trunc, _) => ["truncf($0)", "f32::trunc($0)"],
        (M::Exp, _) => ["expf($0)", "f32::exp($0)"],
        (M::Exp2, _) => ["exp2f($0)", "f32::exp2($0)"],
        (M::Log, _) => ["logf($0)", "f32::ln($0)"],
        (M::Log2, _) => ["log2f($0)", "f32::log2($0)"],
        (M::Sign, _) => [
            "$0 > 0.0f ? 1.0f : $0 < 0.0f ? -1.0f : 0.0f",
            "if $0 > 0.0 { 1.0 } else if $0 < 0.0 { -1.0 } else { 0.0 }",
        ],
        (M::Sqrt, _) => ["sqrtf($0)", "f32::sqrt($0)"],
        (M::InverseSqrt, _) => ["1.0f / sqrtf($0)", "1.0 / f32::sqrt($0)"],
        (M::Min, _) => ["fminf($0, $1)", "f32::min($0, $1)"],
        (M::Max, _) => ["fmaxf($0, $1)", "f32::max($0, $1)"],
        (M::Atan2, _) => ["atan2f($0, $1)", "f32::atan2($0, $1)"],
        (M::Pow, _) => ["powf($0, $1)", "f32::powf($0, $1)"],
        (M::Step, _) => ["$1 >= $0 ? 1.0f : 0.0f", "if $1 >= $0 { 1.0 } else { 0.0 }"],
        (M::Clamp, _) => ["fminf(fmaxf($0, $1), $2)", "f32::min(f32::max($0, $1), $2)"],
        (M::Fma, _) => ["$0 * $1 + $2"; 2],
        (M::Mix, _) => ["$0 * (1.0f - $2) + $1 * $2", "$0 * (1.0 - $2) + $1 * $2"],
        (M::SmoothStep, _) => ["@smoothstep($0, $1, $2)"; 2],
        _lacks => return None,
    })
}

/// Returns how strongly an expression binds: 3 operands and calls, 2 products and signs, 1 sums,
/// 0 all else.
pub(super) fn level(text: &str) -> u8 {
    let mut depth = 0;
    let is_gap = |letter: char| {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _other => {}
        }
        letter == ' ' && depth == 0
    };
    let words: Vec<&str> = text.split(is_gap).collect();
    let mut operators = words.iter().skip(1).step_by(2);
    match words.len() {
        1 if text.starts_with(['-', '!']) => 2,
        1 => 3,
        _many if operators.clone().all(|word| ["*", "/"].contains(word)) => 2,
        _many if operators.all(|word| ["*", "/", "+", "-"].contains(word)) => 1,
        _many => 0,
    }
}

/// Returns how strongly an operand must bind between these texts, to need no parentheses.
fn needed(before: &str, after: &str) -> u8 {
    let ends = |all: &[&str]| all.iter().any(|end| before.ends_with(end));
    let begins = |all: &[&str]| all.iter().any(|start| after.starts_with(start));
    let left = match () {
        () if before.is_empty() || ends(&["(", ", ", "{ ", "if "]) => 0,
        () if ends(&[" + ", " - "]) => 2,
        () => 3,
    };
    let right = match () {
        () if after.is_empty() || begins(&[")", ",", " }", " {"]) => 0,
        () if begins(&[" + ", " - "]) => 1,
        () if begins(&[" * ", " / "]) => 2,
        () => 3,
    };
    left.max(right)
}

/// Part of a template.
pub(super) enum Part {
    /// Lane of an operand.
    Lane(usize, usize),
    /// An operand.
    Array(usize),
}

/// Fills a template.
pub(super) fn fill(template: &str, part: &mut dyn FnMut(Part) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(start) = rest.find(['$', '#']) {
        out.push_str(&rest[..start]);
        let is_lane = rest[start..].starts_with('$');
        let (operand, after) = number(&rest[start + 1..]);
        rest = after;
        if !is_lane {
            out.push_str(&part(Part::Array(operand)));
            continue;
        }
        let (lane, after) = rest.strip_prefix('.').map_or((0, rest), number);
        rest = after;
        let text = part(Part::Lane(operand, lane));
        let before = &template[..template.len() - rest.len()];
        let before = &before[..before.rfind('$').unwrap_or(0)];
        match level(&text) < needed(before, rest) {
            true => out.extend(["(", &text, ")"]),
            false => out.push_str(&text),
        }
    }
    out + rest
}

/// The number that a text begins with, and the text behind it.
fn number(text: &str) -> (usize, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].parse().unwrap_or(0), &text[end..])
}
