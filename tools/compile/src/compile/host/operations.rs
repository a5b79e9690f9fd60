//! Operations of the host as text in C and in Rust.
//! In: a node and the shapes of its operands. Out: templates, in which `$1.2` is lane 2 of operand
//! 1, `#1` operand 1 as an array, `@` begins the name of a helper, and `%` is the result. The rest
//! is as both languages have it. Texts of lanes: `source/operations.rs`.

use naga::{BinaryOperator, MathFunction, RelationalFunction};

use crate::source::host::{Graph, Node, NodeId};
use crate::source::operations::{Operation, texts};
use crate::source::{Scalar, Shape};

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
    let of_lanes = |text: &str| {
        let lane = |lane: usize| {
            (0..operands.len()).fold(text.to_owned(), |text, operand| {
                // A scalar stands for each lane.
                let lane = if lanes(operand) == 1 { 0 } else { lane };
                text.replace(&format!("${operand}"), &format!("${operand}.{lane}"))
            })
        };
        Form::Lanes((0..shape.lanes()).map(lane).collect())
    };
    let nothing = ["NAN", "f32::NAN"][language];
    let each = |operation: Operation| {
        let kind = operands.first().map_or(Scalar::Float, |&first| graph.shape(first).scalar);
        texts(operation, kind).map_or_else(|| of_lanes(nothing), |texts| of_lanes(&texts[language]))
    };
    match node {
        Node::Constant(_) | Node::Uniform(_) => Form::Lanes(Vec::new()),
        Node::Unary(op, _) => each(Operation::Unary(*op)),
        Node::Binary(BinaryOperator::Multiply, a, b) if is_product(graph, *a, *b) => {
            let (a, b) = (graph.shape(*a), graph.shape(*b));
            // A vector before a matrix is a row.
            let rows = if a.is_matrix() { a.rows.into() } else { 1 };
            let inner = a.lanes() / rows;
            let sizes = [format!("{rows}, {inner}, {}, %", b.lanes() / inner), rows.to_string()];
            Form::Call(format!("@multiply(#0, #1, {})", sizes[language]))
        }
        Node::Binary(op, ..) => each(Operation::Binary(*op)),
        Node::Math(fun, all) => {
            whole(*fun, graph, all, language).unwrap_or_else(|| each(Operation::Math(*fun)))
        }
        Node::Relational(fun, _) => {
            let and = match fun {
                RelationalFunction::All => " && ",
                RelationalFunction::Any => " || ",
                RelationalFunction::IsNan | RelationalFunction::IsInf => return of_lanes(nothing),
            };
            let all: Vec<String> = (0..lanes(0)).map(|lane| format!("$0.{lane}")).collect();
            Form::Lanes(vec![all.join(and)])
        }
        Node::Select(..) => of_lanes(["$0 ? $1 : $2", "if $0 { $1 } else { $2 }"][language]),
        Node::Convert(_) => each(Operation::Convert(shape.scalar)),
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
