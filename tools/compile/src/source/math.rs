//! Operations of the source languages on constants: f32, each operation rounded.
//! In: operands. Out: the result, or `None` where the subset lacks the operation. The one
//! definition for folding, for what the host computes, and for the evaluator. Knows no registers.
//! Rules: the specifications of WGSL and GLSL; quotients, roots and powers as f32 of the host.

use naga::{BinaryOperator, MathFunction, RelationalFunction, UnaryOperator};

use super::data::{Data, Scalar, Shape};
use super::operations::{Operation, compute};

/// An operation on each lane of operands of the same kind; a scalar stands for each lane.
fn each(operation: Operation, args: &[&Data], result: Scalar) -> Option<Data> {
    let first = args.first()?.shape;
    let shape = args.iter().map(|data| data.shape).find(|shape| !shape.is_scalar()).unwrap_or(first);
    let lane = |lane: usize| {
        let at = |data: &&Data| data.lanes[if data.shape.is_scalar() { 0 } else { lane }];
        let operands = [0, 1, 2].map(|index| args.get(index).map_or(0, at));
        compute(operation, first.scalar, operands)
    };
    Some(Data::new(shape.with(result), (0..shape.lanes()).map(lane).collect::<Option<_>>()?))
}

/// A one-operand operation.
pub fn unary(op: UnaryOperator, a: &Data) -> Option<Data> {
    each(Operation::Unary(op), &[a], a.shape.scalar)
}

/// A two-operand operation; a scalar operand stands for each lane.
pub fn binary(op: BinaryOperator, a: &Data, b: &Data) -> Option<Data> {
    let is_product = a.shape.is_matrix() || b.shape.is_matrix();
    if op == BinaryOperator::Multiply && is_product && !a.shape.is_scalar() && !b.shape.is_scalar() {
        return Some(product(a, b));
    }
    // A shift has the kind of its first operand; its second one is unsigned.
    each(Operation::Binary(op), &[a, b], result_kind(op, a.shape.scalar))
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
pub fn convert(a: &Data, to: Scalar) -> Option<Data> {
    each(Operation::Convert(to), &[a], to)
}

/// A built-in function.
pub fn math(fun: MathFunction, args: &[&Data]) -> Option<Data> {
    use MathFunction as M;
    let scaled = |a: &Data, factor: f32| binary(BinaryOperator::Multiply, a, &Data::float(factor));
    Some(match (fun, args) {
        (M::Dot, [a, b]) if a.shape.scalar == Scalar::Float => Data::float(sum(a, b)),
        (M::Length, [a]) => Data::float(sum(a, a).sqrt()),
        (M::Distance, [a, b]) => {
            let difference = binary(BinaryOperator::Subtract, a, b)?;
            Data::float(sum(&difference, &difference).sqrt())
        }
        (M::Normalize, [a]) => binary(BinaryOperator::Divide, a, &Data::float(sum(a, a).sqrt()))?,
        (M::Transpose, [a]) => {
            let (columns, rows) = (usize::from(a.shape.columns), usize::from(a.shape.rows));
            let shape = Shape { columns: a.shape.rows, rows: a.shape.columns, ..a.shape };
            a.pick(shape, (0..a.lanes.len()).map(|lane| lane % columns * rows + lane / columns))
        }
        (M::Determinant, [a]) => Data::float(determinant(&matrix(a))),
        (M::Inverse, [a]) => inverse(a),
        (M::Cross, [a, b]) => {
            let term = |i: usize, j: usize| a.lane(i) * b.lane(j) - a.lane(j) * b.lane(i);
            Data::floats(&[term(1, 2), term(2, 0), term(0, 1)])
        }
        (M::Outer, [a, b]) => {
            let row = |&y: &u32| Some(scaled(a, f32::from_bits(y))?.lanes);
            let lanes = b.lanes.iter().map(row).collect::<Option<Vec<_>>>()?.concat();
            Data::new(Shape { columns: b.shape.rows, ..a.shape }, lanes)
        }
        (M::Reflect, [a, b]) => binary(BinaryOperator::Subtract, a, &scaled(b, 2.0 * sum(b, a))?)?,
        (M::FaceForward, [a, b, c]) => scaled(a, if sum(b, c) < 0.0 { 1.0 } else { -1.0 })?,
        (M::Refract, [a, b, c]) => {
            let (cosine, ratio) = (sum(b, a), c.lane(0));
            let k = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
            let factor = ratio * cosine + k.max(0.0).sqrt();
            match k < 0.0 {
                true => Data::splat(a.shape, 0),
                false => binary(BinaryOperator::Subtract, &scaled(a, ratio)?, &scaled(b, factor)?)?,
            }
        }
        (_of_lanes, [a, ..]) => each(Operation::Math(fun), args, a.shape.scalar)?,
        (_of_nothing, []) => return None,
    })
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
