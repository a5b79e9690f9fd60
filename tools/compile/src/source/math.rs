//! Operations of the source languages on constants: f32, each operation rounded.
//! In: operands. Out: the result, or `None` where the subset lacks the operation. The one
//! definition for folding, for what the host computes, and for the evaluator. Knows no registers.
//! Rules: the specifications of WGSL and GLSL; quotients, roots and powers as f32 of the host.

use naga::{BinaryOperator, MathFunction, RelationalFunction, UnaryOperator};

use super::data::{Data, Scalar, Shape};

/// A one-operand operation.
pub fn unary(op: UnaryOperator, a: &Data) -> Option<Data> {
    let lane = |bits: u32| {
        Some(match (op, a.shape.scalar) {
            (UnaryOperator::Negate, Scalar::Float) => (-f32::from_bits(bits)).to_bits(),
            (UnaryOperator::Negate, Scalar::Int) => bits.wrapping_neg(),
            (UnaryOperator::LogicalNot, Scalar::Bool) => bits ^ 1,
            _other => return None,
        })
    };
    Some(Data::new(a.shape, a.lanes.iter().map(|&bits| lane(bits)).collect::<Option<_>>()?))
}

/// A two-operand operation; a scalar operand stands for each lane.
pub fn binary(op: BinaryOperator, a: &Data, b: &Data) -> Option<Data> {
    if op == BinaryOperator::Multiply && (a.shape.is_matrix() || b.shape.is_matrix()) {
        return Some(match (a.shape.is_scalar(), b.shape.is_scalar()) {
            (true, _) => each(b.shape, a, b, |x, y| x * y),
            (_, true) => each(a.shape, a, b, |x, y| x * y),
            _neither => product(a, b),
        });
    }
    let shape = if a.shape.is_scalar() { b.shape } else { a.shape };
    let at = |data: &Data, lane: usize| data.lanes[if data.shape.is_scalar() { 0 } else { lane }];
    let lanes = (0..shape.lanes()).map(|lane| scalar(op, a.shape.scalar, at(a, lane), at(b, lane)));
    let lanes = lanes.collect::<Option<Vec<u32>>>()?;
    // A shift has the kind of its first operand; its second one is unsigned.
    Some(Data::new(shape.with(result_kind(op, a.shape.scalar)), lanes))
}

/// Kind of the result of an operation.
pub fn result_kind(op: BinaryOperator, operands: Scalar) -> Scalar {
    use BinaryOperator as B;
    match op {
        B::Equal
        | B::NotEqual
        | B::Less
        | B::LessEqual
        | B::Greater
        | B::GreaterEqual
        | B::LogicalAnd
        | B::LogicalOr => Scalar::Bool,
        B::Add
        | B::Subtract
        | B::Multiply
        | B::Divide
        | B::Modulo
        | B::And
        | B::ExclusiveOr
        | B::InclusiveOr
        | B::ShiftLeft
        | B::ShiftRight => operands,
    }
}

fn scalar(op: BinaryOperator, kind: Scalar, a: u32, b: u32) -> Option<u32> {
    match kind {
        Scalar::Float => float(op, f32::from_bits(a), f32::from_bits(b)),
        Scalar::Int => int(op, a.cast_signed(), b.cast_signed()),
        Scalar::Uint => uint(op, a, b),
        Scalar::Bool => bool(op, a, b),
    }
}

fn compare<T: PartialOrd>(op: BinaryOperator, a: T, b: T) -> Option<u32> {
    Some(u32::from(match op {
        BinaryOperator::Equal => a == b,
        BinaryOperator::NotEqual => a != b,
        BinaryOperator::Less => a < b,
        BinaryOperator::LessEqual => a <= b,
        BinaryOperator::Greater => a > b,
        BinaryOperator::GreaterEqual => a >= b,
        _other => return None,
    }))
}

fn float(op: BinaryOperator, a: f32, b: f32) -> Option<u32> {
    let value = match op {
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply => a * b,
        BinaryOperator::Divide => a / b,
        BinaryOperator::Modulo => a - b * (a / b).trunc(),
        _other => return compare(op, a, b),
    };
    Some(value.to_bits())
}

fn int(op: BinaryOperator, a: i32, b: i32) -> Option<u32> {
    let value = match op {
        BinaryOperator::Add => a.wrapping_add(b),
        BinaryOperator::Subtract => a.wrapping_sub(b),
        BinaryOperator::Multiply => a.wrapping_mul(b),
        BinaryOperator::Divide => a.checked_div(b).unwrap_or(a),
        BinaryOperator::Modulo => a.checked_rem(b).unwrap_or(0),
        BinaryOperator::ShiftRight => a >> (b & 31),
        _other => return compare(op, a, b).or_else(|| uint(op, a.cast_unsigned(), b.cast_unsigned())),
    };
    Some(value.cast_unsigned())
}

fn uint(op: BinaryOperator, a: u32, b: u32) -> Option<u32> {
    Some(match op {
        BinaryOperator::Add => a.wrapping_add(b),
        BinaryOperator::Subtract => a.wrapping_sub(b),
        BinaryOperator::Multiply => a.wrapping_mul(b),
        BinaryOperator::Divide => a.checked_div(b).unwrap_or(a),
        BinaryOperator::Modulo => a.checked_rem(b).unwrap_or(0),
        BinaryOperator::And => a & b,
        BinaryOperator::InclusiveOr => a | b,
        BinaryOperator::ExclusiveOr => a ^ b,
        BinaryOperator::ShiftLeft => a << (b & 31),
        BinaryOperator::ShiftRight => a >> (b & 31),
        _other => return compare(op, a, b),
    })
}

fn bool(op: BinaryOperator, a: u32, b: u32) -> Option<u32> {
    Some(match op {
        BinaryOperator::LogicalAnd | BinaryOperator::And => a & b,
        BinaryOperator::LogicalOr | BinaryOperator::InclusiveOr => a | b,
        BinaryOperator::ExclusiveOr => a ^ b,
        BinaryOperator::Equal => u32::from(a == b),
        BinaryOperator::NotEqual => u32::from(a != b),
        _other => return None,
    })
}

/// Product of two matrices, or of a matrix and a vector, either way.
fn product(a: &Data, b: &Data) -> Data {
    // A vector before a matrix is a row.
    let rows = if a.shape.is_matrix() { usize::from(a.shape.rows) } else { 1 };
    let inner = a.shape.lanes() / rows;
    let columns = b.shape.lanes() / inner;
    let mut lanes = Vec::with_capacity(rows * columns);
    for column in 0..columns {
        for row in 0..rows {
            let term = |k: usize| a.lane(k * rows + row) * b.lane(column * inner + k);
            lanes.push((1..inner).fold(term(0), |sum, k| sum + term(k)).to_bits());
        }
    }
    let shape = match (a.shape.is_matrix(), b.shape.is_matrix()) {
        (true, true) => Shape { rows: a.shape.rows, ..b.shape },
        (true, false) => a.shape.column(),
        (false, _) => Shape::vector(Scalar::Float, b.shape.columns),
    };
    Data::new(shape, lanes)
}

fn each(shape: Shape, a: &Data, b: &Data, f: impl Fn(f32, f32) -> f32) -> Data {
    let at = |data: &Data, lane: usize| data.lane(if data.shape.is_scalar() { 0 } else { lane });
    Data::new(shape, (0..shape.lanes()).map(|lane| f(at(a, lane), at(b, lane)).to_bits()).collect())
}

fn map(a: &Data, f: impl Fn(f32) -> f32) -> Data {
    Data::new(a.shape, (0..a.lanes.len()).map(|lane| f(a.lane(lane)).to_bits()).collect())
}

fn sum(a: &Data, b: &Data) -> f32 {
    let term = |lane: usize| a.lane(lane) * b.lane(lane);
    (1..a.lanes.len()).fold(term(0), |sum, lane| sum + term(lane))
}

/// Each lane where the condition is true from `accept`, else from `reject`.
pub fn select(condition: &Data, accept: &Data, reject: &Data) -> Data {
    let choose = |lane: usize| {
        let flag = condition.lanes[if condition.shape.is_scalar() { 0 } else { lane }];
        if flag != 0 { accept.lanes[lane] } else { reject.lanes[lane] }
    };
    Data::new(accept.shape, (0..accept.lanes.len()).map(choose).collect())
}

/// `all` or `any`.
pub fn relational(fun: RelationalFunction, a: &Data) -> Option<Data> {
    Some(match fun {
        RelationalFunction::All => Data::bool(a.lanes.iter().all(|&lane| lane != 0)),
        RelationalFunction::Any => Data::bool(a.lanes.iter().any(|&lane| lane != 0)),
        RelationalFunction::IsNan | RelationalFunction::IsInf => return None,
    })
}

/// A conversion of each lane by value.
pub fn convert(a: &Data, to: Scalar) -> Data {
    let lane = |&bits: &u32| match (a.shape.scalar, to) {
        (Scalar::Float, Scalar::Int) => (f32::from_bits(bits) as i32).cast_unsigned(),
        (Scalar::Float, Scalar::Uint) => f32::from_bits(bits) as u32,
        (Scalar::Float, Scalar::Bool) => u32::from(f32::from_bits(bits) != 0.0),
        (Scalar::Int, Scalar::Float) => (bits.cast_signed() as f32).to_bits(),
        (Scalar::Uint | Scalar::Bool, Scalar::Float) => (bits as f32).to_bits(),
        (Scalar::Int | Scalar::Uint, Scalar::Bool) => u32::from(bits != 0),
        (Scalar::Float, Scalar::Float)
        | (Scalar::Int | Scalar::Uint | Scalar::Bool, Scalar::Int | Scalar::Uint)
        | (Scalar::Bool, Scalar::Bool) => bits,
    };
    Data::new(a.shape.with(to), a.lanes.iter().map(lane).collect())
}

/// A built-in function.
pub fn math(fun: MathFunction, args: &[&Data]) -> Option<Data> {
    let (&a, rest) = args.split_first()?;
    if a.shape.scalar != Scalar::Float {
        return whole(fun, a, rest);
    }
    match rest {
        [] => one(fun, a),
        [b] => two(fun, a, b),
        [b, c] => three(fun, a, b, c),
        _more => None,
    }
}

fn whole(fun: MathFunction, a: &Data, rest: &[&Data]) -> Option<Data> {
    let at = |data: &Data, lane: usize| data.lanes[if data.shape.is_scalar() { 0 } else { lane }];
    let less = |x: u32, y: u32| match a.shape.scalar {
        Scalar::Int => x.cast_signed() < y.cast_signed(),
        Scalar::Uint | Scalar::Float | Scalar::Bool => x < y,
    };
    let min = |x: u32, y: u32| if less(y, x) { y } else { x };
    let max = |x: u32, y: u32| if less(x, y) { y } else { x };
    let lane = |lane: usize| {
        let x = a.lanes[lane];
        Some(match (fun, rest) {
            (MathFunction::Abs, []) if a.shape.scalar == Scalar::Uint => x,
            (MathFunction::Abs, []) => x.cast_signed().wrapping_abs().cast_unsigned(),
            (MathFunction::Sign, []) => x.cast_signed().signum().cast_unsigned(),
            (MathFunction::Min, [b]) => min(x, at(b, lane)),
            (MathFunction::Max, [b]) => max(x, at(b, lane)),
            (MathFunction::Clamp, [low, high]) => min(max(x, at(low, lane)), at(high, lane)),
            _other => return None,
        })
    };
    Some(Data::new(a.shape, (0..a.lanes.len()).map(lane).collect::<Option<_>>()?))
}

fn one(fun: MathFunction, a: &Data) -> Option<Data> {
    use MathFunction as M;
    Some(match fun {
        M::Abs => map(a, f32::abs),
        M::Saturate => map(a, saturate),
        M::Cos => map(a, f32::cos),
        M::Sin => map(a, f32::sin),
        M::Tan => map(a, f32::tan),
        M::Acos => map(a, f32::acos),
        M::Asin => map(a, f32::asin),
        M::Atan => map(a, f32::atan),
        M::Sinh => map(a, f32::sinh),
        M::Cosh => map(a, f32::cosh),
        M::Tanh => map(a, f32::tanh),
        M::Radians => map(a, f32::to_radians),
        M::Degrees => map(a, f32::to_degrees),
        M::Ceil => map(a, f32::ceil),
        M::Floor => map(a, f32::floor),
        M::Round => map(a, f32::round_ties_even),
        M::Fract => map(a, |x| x - x.floor()),
        M::Trunc => map(a, f32::trunc),
        M::Exp => map(a, f32::exp),
        M::Exp2 => map(a, f32::exp2),
        M::Log => map(a, f32::ln),
        M::Log2 => map(a, f32::log2),
        M::Sign => map(a, |x| {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                0.0
            }
        }),
        M::Sqrt => map(a, f32::sqrt),
        M::InverseSqrt => map(a, |x| 1.0 / x.sqrt()),
        M::Length => Data::float(sum(a, a).sqrt()),
        M::Normalize => {
            let length = sum(a, a).sqrt();
            map(a, |x| x / length)
        }
        M::Transpose => {
            let (columns, rows) = (usize::from(a.shape.columns), usize::from(a.shape.rows));
            let shape = Shape { columns: a.shape.rows, rows: a.shape.columns, ..a.shape };
            a.pick(shape, (0..a.lanes.len()).map(|lane| lane % columns * rows + lane / columns))
        }
        M::Determinant => Data::float(determinant(&matrix(a))),
        M::Inverse => inverse(a),
        _other => return None,
    })
}

fn two(fun: MathFunction, a: &Data, b: &Data) -> Option<Data> {
    use MathFunction as M;
    Some(match fun {
        M::Min => each(a.shape, a, b, f32::min),
        M::Max => each(a.shape, a, b, f32::max),
        M::Atan2 => each(a.shape, a, b, f32::atan2),
        M::Pow => each(a.shape, a, b, f32::powf),
        M::Step => each(b.shape, a, b, |edge, x| if x >= edge { 1.0 } else { 0.0 }),
        M::Dot => Data::float(sum(a, b)),
        M::Distance => Data::float({
            let difference = each(a.shape, a, b, |x, y| x - y);
            sum(&difference, &difference).sqrt()
        }),
        M::Cross => {
            let term = |i: usize, j: usize| a.lane(i) * b.lane(j) - a.lane(j) * b.lane(i);
            Data::floats(&[term(1, 2), term(2, 0), term(0, 1)])
        }
        M::Outer => {
            let lanes = b.lanes.iter().flat_map(|&y| {
                a.lanes.iter().map(move |&x| (f32::from_bits(x) * f32::from_bits(y)).to_bits())
            });
            Data::new(Shape { columns: b.shape.rows, ..a.shape }, lanes.collect())
        }
        M::Reflect => {
            let twice = 2.0 * sum(b, a);
            each(a.shape, a, b, |i, n| i - twice * n)
        }
        _other => return None,
    })
}

fn three(fun: MathFunction, a: &Data, b: &Data, c: &Data) -> Option<Data> {
    use MathFunction as M;
    let at = |data: &Data, lane: usize| data.lane(if data.shape.is_scalar() { 0 } else { lane });
    let lanes = |f: &dyn Fn(f32, f32, f32) -> f32, shape: Shape| {
        let lane = |lane: usize| f(at(a, lane), at(b, lane), at(c, lane)).to_bits();
        Data::new(shape, (0..shape.lanes()).map(lane).collect())
    };
    Some(match fun {
        M::Clamp => lanes(&|x, low, high| x.max(low).min(high), a.shape),
        M::Fma => lanes(&|x, y, z| x * y + z, a.shape),
        M::Mix => lanes(&|x, y, t| x * (1.0 - t) + y * t, a.shape),
        M::SmoothStep => lanes(
            &|low, high, x| {
                let t = saturate((x - low) / (high - low));
                t * t * (3.0 - 2.0 * t)
            },
            c.shape,
        ),
        M::FaceForward => {
            let sign = if sum(b, c) < 0.0 { 1.0 } else { -1.0 };
            map(a, |x| sign * x)
        }
        M::Refract => {
            let (cosine, ratio) = (sum(b, a), c.lane(0));
            let k = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
            let factor = ratio * cosine + k.max(0.0).sqrt();
            each(a.shape, a, b, |i, n| if k < 0.0 { 0.0 } else { ratio * i - factor * n })
        }
        _other => return None,
    })
}

/// Between 0 and 1; 0 for NaN.
fn saturate(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// Columns of a matrix.
fn matrix(a: &Data) -> Vec<Vec<f32>> {
    let rows = usize::from(a.shape.rows);
    (0..usize::from(a.shape.columns)).map(|c| (0..rows).map(|r| a.lane(c * rows + r)).collect()).collect()
}

/// Determinant by the first column; matrices have at most four.
fn determinant(columns: &[Vec<f32>]) -> f32 {
    match columns {
        [only] => only[0],
        _more => (0..columns.len()).fold(0.0, |sum, row| {
            let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
            sum + sign * columns[0][row] * determinant(&minor(columns, 0, row))
        }),
    }
}

/// A matrix without a column and a row.
fn minor(columns: &[Vec<f32>], column: usize, row: usize) -> Vec<Vec<f32>> {
    let without = |(index, lanes): (usize, &Vec<f32>)| {
        (index != column).then(|| {
            lanes.iter().enumerate().filter(|&(lane, _)| lane != row).map(|(_, &lane)| lane).collect()
        })
    };
    columns.iter().enumerate().filter_map(without).collect()
}

/// Inverse by the adjugate.
fn inverse(a: &Data) -> Data {
    let columns = matrix(a);
    let scale = 1.0 / determinant(&columns);
    let size = columns.len();
    let lane = |lane: usize| {
        let (column, row) = (lane / size, lane % size);
        let sign = if (column + row).is_multiple_of(2) { scale } else { -scale };
        // The adjugate is transposed.
        (sign * determinant(&minor(&columns, row, column))).to_bits()
    };
    Data::new(a.shape, (0..size * size).map(lane).collect())
}
