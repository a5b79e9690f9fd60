//! Operations of the source languages on constants: f32, each operation rounded.
//! In: operands, of one vertex or of many. Out: the result, or `None` where the subset lacks the
//! operation. The one definition for folding, for what the host computes, and for the evaluator.
//! Knows no registers.
//! Rules: the specifications of WGSL and GLSL; quotients, roots and powers as f32 of the host.

use naga::{BinaryOperator, MathFunction, RelationalFunction, UnaryOperator};

use super::data::{Data, LaneList, Scalar, Shape};
use super::lanes::Component;
use super::operations::Operation;

/// An operation on each lane of operands of the same kind; a scalar stands for each lane.
fn each<L: Component>(operation: Operation, args: &[&Data<L>], result: Scalar) -> Option<Data<L>> {
    let first = args.first()?;
    let shape = args.iter().map(|data| data.shape).find(|shape| !shape.is_scalar()).unwrap_or(first.shape);
    let lane = |lane: usize| {
        let at = |index: usize| {
            // Those that it lacks have any value.
            let data = args.get(index).unwrap_or(first);
            data.lanes.get(if data.shape.is_scalar() { 0 } else { lane })
        };
        L::compute(operation, first.shape.scalar, [at(0)?, at(1)?, at(2)?])
    };
    Some(Data::new(shape.with(result), (0..shape.lanes()).map(lane).collect::<Option<_>>()?))
}

/// A one-operand operation.
pub fn unary<L: Component>(op: UnaryOperator, a: &Data<L>) -> Option<Data<L>> {
    each(Operation::Unary(op), &[a], a.shape.scalar)
}

/// A two-operand operation; a scalar operand stands for each lane.
pub fn binary<L: Component>(op: BinaryOperator, a: &Data<L>, b: &Data<L>) -> Option<Data<L>> {
    let is_product = a.shape.is_matrix() || b.shape.is_matrix();
    if op == BinaryOperator::Multiply && is_product && !a.shape.is_scalar() && !b.shape.is_scalar() {
        return product(a, b);
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
        _arithmetic => operands,
    }
}

/// A two-operand operation on two floats.
fn floats<L: Component>(op: BinaryOperator, a: &L, b: &L) -> Option<L> {
    L::compute(Operation::Binary(op), Scalar::Float, [a, b, b])
}

fn multiply<L: Component>(a: &L, b: &L) -> Option<L> {
    floats(BinaryOperator::Multiply, a, b)
}

fn subtract<L: Component>(a: &L, b: &L) -> Option<L> {
    floats(BinaryOperator::Subtract, a, b)
}

/// The sum of so many terms, from the first on.
fn total<L: Component>(count: usize, term: impl Fn(usize) -> Option<L>) -> Option<L> {
    (1..count).try_fold(term(0)?, |sum, k| floats(BinaryOperator::Add, &sum, &term(k)?))
}

fn sqrt<L: Component>(a: &L) -> Option<L> {
    L::compute(Operation::Math(MathFunction::Sqrt), Scalar::Float, [a; 3])
}

fn float<L: Component>(value: f32) -> L {
    L::splat(value.to_bits())
}

/// Product of two matrices, or of a matrix and a vector, either way.
fn product<L: Component>(a: &Data<L>, b: &Data<L>) -> Option<Data<L>> {
    // A vector before a matrix is a row.
    let rows = if a.shape.is_matrix() { usize::from(a.shape.rows) } else { 1 };
    let inner = a.shape.lanes() / rows;
    let columns = b.shape.lanes() / inner;
    let mut lanes = LaneList::with_capacity(rows * columns);
    for column in 0..columns {
        for row in 0..rows {
            let term = |k: usize| multiply(a.lanes.get(k * rows + row)?, b.lanes.get(column * inner + k)?);
            lanes.push(total(inner, term)?);
        }
    }
    let shape = match (a.shape.is_matrix(), b.shape.is_matrix()) {
        (true, true) => Shape { rows: a.shape.rows, ..b.shape },
        (true, false) => a.shape.column(),
        (false, _) => Shape::vector(Scalar::Float, b.shape.columns),
    };
    Some(Data::new(shape, lanes))
}

/// The dot product.
fn sum<L: Component>(a: &Data<L>, b: &Data<L>) -> Option<L> {
    total(a.lanes.len(), |lane| multiply(a.lanes.get(lane)?, b.lanes.get(lane)?))
}

/// Each lane where the condition is true from `accept`, else from `reject`.
pub fn select<L: Component>(condition: &Data<L>, accept: &Data<L>, reject: &Data<L>) -> Option<Data<L>> {
    let choose = |lane: usize| {
        let flag = condition.lanes.get(if condition.shape.is_scalar() { 0 } else { lane })?;
        Some(flag.choose(accept.lanes.get(lane)?, reject.lanes.get(lane)?))
    };
    Some(Data::new(accept.shape, (0..accept.lanes.len()).map(choose).collect::<Option<_>>()?))
}

/// `all` or `any`.
pub fn relational<L: Component>(fun: RelationalFunction, a: &Data<L>) -> Option<Data<L>> {
    let op = match fun {
        RelationalFunction::All => BinaryOperator::LogicalAnd,
        RelationalFunction::Any => BinaryOperator::LogicalOr,
        RelationalFunction::IsNan | RelationalFunction::IsInf => return None,
    };
    let both = |all: L, lane: &L| L::compute(Operation::Binary(op), Scalar::Bool, [&all, lane, lane]);
    let (first, rest) = a.lanes.split_first()?;
    Some(Data::one(Scalar::Bool, rest.iter().try_fold(first.clone(), both)?))
}

/// A conversion of each lane by value.
pub fn convert<L: Component>(a: &Data<L>, to: Scalar) -> Option<Data<L>> {
    each(Operation::Convert(to), &[a], to)
}

/// A built-in function.
pub fn math<L: Component>(fun: MathFunction, args: &[&Data<L>]) -> Option<Data<L>> {
    use BinaryOperator as B;
    use MathFunction as M;
    let scalar = |lane: L| Data::one(Scalar::Float, lane);
    let scaled = |a: &Data<L>, factor: L| binary(B::Multiply, a, &scalar(factor));
    Some(match (fun, args) {
        (M::Dot, [a, b]) if a.shape.scalar == Scalar::Float => scalar(sum(a, b)?),
        (M::Length, [a]) => scalar(sqrt(&sum(a, a)?)?),
        (M::Distance, [a, b]) => {
            let difference = binary(B::Subtract, a, b)?;
            scalar(sqrt(&sum(&difference, &difference)?)?)
        }
        (M::Normalize, [a]) => binary(B::Divide, a, &scalar(sqrt(&sum(a, a)?)?))?,
        (M::Transpose, [a]) => {
            let (columns, rows) = (usize::from(a.shape.columns), usize::from(a.shape.rows));
            let shape = Shape { columns: a.shape.rows, rows: a.shape.columns, ..a.shape };
            a.pick(shape, (0..a.lanes.len()).map(|lane| lane % columns * rows + lane / columns))
        }
        (M::Determinant, [a]) => scalar(determinant(&matrix(a))?),
        (M::Inverse, [a]) => inverse(a)?,
        (M::Cross, [a, b]) => {
            let product = |i: usize, j: usize| multiply(a.lanes.get(i)?, b.lanes.get(j)?);
            let term = |(i, j): (usize, usize)| {
                subtract(&product(i, j)?, &multiply(a.lanes.get(j)?, b.lanes.get(i)?)?)
            };
            let lanes = [(1, 2), (2, 0), (0, 1)].into_iter().map(term).collect::<Option<_>>()?;
            Data::new(Shape::vector(Scalar::Float, 3), lanes)
        }
        (M::Outer, [a, b]) => {
            let row = |y: &L| Some(scaled(a, y.clone())?.lanes);
            let rows = b.lanes.iter().map(row).collect::<Option<Vec<_>>>()?;
            Data::new(Shape { columns: b.shape.rows, ..a.shape }, rows.into_iter().flatten().collect())
        }
        (M::Reflect, [a, b]) => binary(B::Subtract, a, &scaled(b, multiply(&float(2.0), &sum(b, a)?)?)?)?,
        (M::FaceForward, [a, b, c]) => {
            let faces = floats(B::Less, &sum(b, c)?, &float(0.0))?;
            scaled(a, faces.choose(&float(1.0), &float(-1.0)))?
        }
        (M::Refract, [a, b, c]) => refract(a, b, c.lanes.first()?)?,
        (_of_lanes, [a, ..]) => each(Operation::Math(fun), args, a.shape.scalar)?,
        (_of_nothing, []) => return None,
    })
}

/// A direction behind a surface with this normal.
fn refract<L: Component>(a: &Data<L>, normal: &Data<L>, ratio: &L) -> Option<Data<L>> {
    use BinaryOperator as B;
    let (cosine, one, zero) = (sum(normal, a)?, float(1.0), float(0.0));
    let sine = subtract(&one, &multiply(&cosine, &cosine)?)?;
    let k = subtract(&one, &multiply(&multiply(ratio, ratio)?, &sine)?)?;
    let root = sqrt(&L::compute(Operation::Math(MathFunction::Max), Scalar::Float, [&k, &zero, &zero])?)?;
    let factor = floats(B::Add, &multiply(ratio, &cosine)?, &root)?;
    let scaled = |a: &Data<L>, factor: &L| binary(B::Multiply, a, &Data::one(Scalar::Float, factor.clone()));
    let bent = binary(B::Subtract, &scaled(a, ratio)?, &scaled(normal, &factor)?)?;
    let is_inside = Data::one(Scalar::Bool, floats(B::Less, &k, &zero)?);
    select(&is_inside, &Data::splat(a.shape, 0), &bent)
}

/// Columns of a matrix.
fn matrix<L: Component>(a: &Data<L>) -> Vec<Vec<L>> {
    a.lanes.chunks(usize::from(a.shape.rows)).map(<[L]>::to_vec).collect()
}

/// Determinant by the first column; matrices have at most four.
fn determinant<L: Component>(columns: &[Vec<L>]) -> Option<L> {
    match columns {
        [only] => only.first().cloned(),
        _more => (0..columns.len()).try_fold(float(0.0), |sum, row| {
            let sign = float(if row % 2 == 0 { 1.0 } else { -1.0 });
            let factor = multiply(&sign, columns.first()?.get(row)?)?;
            floats(BinaryOperator::Add, &sum, &multiply(&factor, &determinant(&minor(columns, 0, row))?)?)
        }),
    }
}

/// A matrix without a column and a row.
fn minor<L: Component>(columns: &[Vec<L>], column: usize, row: usize) -> Vec<Vec<L>> {
    let without = |(index, lanes): (usize, &Vec<L>)| {
        (index != column).then(|| {
            lanes.iter().enumerate().filter(|&(lane, _)| lane != row).map(|(_, lane)| lane.clone()).collect()
        })
    };
    columns.iter().enumerate().filter_map(without).collect()
}

/// Inverse by the adjugate.
fn inverse<L: Component>(a: &Data<L>) -> Option<Data<L>> {
    let columns = matrix(a);
    let scale = floats(BinaryOperator::Divide, &float(1.0), &determinant(&columns)?)?;
    let size = columns.len();
    let lane = |lane: usize| {
        let (column, row) = (lane / size, lane % size);
        let sign = multiply(&float(if (column + row).is_multiple_of(2) { 1.0 } else { -1.0 }), &scale)?;
        // The adjugate is transposed.
        multiply(&sign, &determinant(&minor(&columns, row, column))?)
    };
    Some(Data::new(a.shape, (0..size * size).map(lane).collect::<Option<_>>()?))
}
