//! Lowering of operators: floats, whole numbers as floats, truth values, matrices.
//! In: two values. Out: a node of the host where both are, else PICA200 arithmetic on lanes.
//! Rules: whole numbers are exact below 2^24, their quotients below 2^22; a quotient is a product
//! with RCP.

use super::ir::{Binary, Lane, Op, Unary};
use naga::{BinaryOperator, RelationalFunction, UnaryOperator};

use super::build::spread;
use super::data::{Data, Scalar, Shape};
use super::error::Result;
use super::functions::nearest;
use super::host::Node;
use super::lower::Lowering;
use super::math;
use super::value::Value;

/// An operand on lanes.
struct Operand {
    shape: Shape,
    lanes: Vec<Lane>,
}

impl Lowering<'_> {
    pub(super) fn add(&mut self, a: &Value, b: &Value) -> Result<Value> {
        self.binary(BinaryOperator::Add, a, b)
    }
    pub(super) fn subtract(&mut self, a: &Value, b: &Value) -> Result<Value> {
        self.binary(BinaryOperator::Subtract, a, b)
    }
    pub(super) fn multiply(&mut self, a: &Value, b: &Value) -> Result<Value> {
        self.binary(BinaryOperator::Multiply, a, b)
    }
    pub(super) fn negate(&mut self, a: &Value) -> Result<Value> {
        self.unary(UnaryOperator::Negate, a)
    }

    pub(super) fn unary(&mut self, op: UnaryOperator, a: &Value) -> Result<Value> {
        if let Value::Host(id) = a {
            let shape = self.host.shape(*id);
            return self.node(Node::Unary(op, *id), shape);
        }
        let (shape, lanes) = self.lanes(a)?;
        let group = shape.rows.into();
        let lanes = match op {
            UnaryOperator::Negate => self.b.negate(&lanes, group),
            UnaryOperator::LogicalNot => self.b.unary(Unary::Not, &lanes, group),
            UnaryOperator::BitwiseNot => return self.operation("bits of whole numbers"),
        };
        Ok(Value::lanes(shape, lanes))
    }

    pub(super) fn binary(&mut self, op: BinaryOperator, a: &Value, b: &Value) -> Result<Value> {
        if let Some(nodes) = self.nodes([a, b]) {
            let shape = result_shape(op, self.shape(a)?, self.shape(b)?);
            return self.node(Node::Binary(op, nodes[0], nodes[1]), shape);
        }
        let scalar = self.shape(a)?.scalar;
        // The host computes the reciprocal of what it knows.
        if op == BinaryOperator::Divide && scalar == Scalar::Float {
            let reciprocal = self.reciprocal(b)?;
            return self.multiply(a, &reciprocal);
        }
        let (shape_a, lanes_a) = self.lanes(a)?;
        let (shape_b, lanes_b) = self.lanes(b)?;
        let (x, y) = (Operand { shape: shape_a, lanes: lanes_a }, Operand { shape: shape_b, lanes: lanes_b });
        let shape = result_shape(op, x.shape, y.shape);
        let is_matrix = x.shape.is_matrix() || y.shape.is_matrix();
        if op == BinaryOperator::Multiply && is_matrix && !x.shape.is_scalar() && !y.shape.is_scalar() {
            return Ok(Value::lanes(shape, self.product(&x, &y)));
        }
        let group = shape.rows.into();
        if let Some(op) = comparison(op).filter(|_| scalar != Scalar::Bool) {
            let lanes = self.b.binary(op.0, &x.lanes, &y.lanes, group);
            let lanes = if op.1 { self.b.unary(Unary::Not, &lanes, group) } else { lanes };
            return Ok(Value::lanes(shape, lanes));
        }
        let lanes = match scalar {
            Scalar::Float => self.floats(op, &x, &y, group)?,
            Scalar::Int | Scalar::Uint => self.whole(op, &x, b, group)?,
            Scalar::Bool => self.logic(op, &x, &y, group)?,
        };
        Ok(Value::lanes(shape, lanes))
    }

    fn floats(&mut self, op: BinaryOperator, x: &Operand, y: &Operand, group: usize) -> Result<Vec<Lane>> {
        Ok(match op {
            BinaryOperator::Add => self.b.binary(Binary::AddP, &x.lanes, &y.lanes, group),
            BinaryOperator::Subtract => {
                let negated = self.b.negate(&y.lanes, usize::from(y.shape.rows));
                self.b.binary(Binary::AddP, &x.lanes, &negated, group)
            }
            BinaryOperator::Multiply => self.b.binary(Binary::MulP, &x.lanes, &y.lanes, group),
            BinaryOperator::Modulo => {
                let reciprocal = self.reciprocal_lanes(&y.lanes, usize::from(y.shape.rows));
                let quotient = self.b.binary(Binary::MulP, &x.lanes, &reciprocal, group);
                let quotient = self.truncate(&quotient, group);
                self.rest(x, &quotient, y, group)
            }
            _other => return self.operation(format!("{op:?} of floats")),
        })
    }

    /// x - y * quotient
    fn rest(&mut self, x: &Operand, quotient: &[Lane], y: &Operand, group: usize) -> Vec<Lane> {
        let product = self.b.binary(Binary::MulP, quotient, &y.lanes, group);
        let negated = self.b.negate(&product, group);
        self.b.binary(Binary::AddP, &x.lanes, &negated, group)
    }

    /// Operations on whole numbers below 2^24, which floats hold exactly.
    fn whole(&mut self, op: BinaryOperator, x: &Operand, b: &Value, group: usize) -> Result<Vec<Lane>> {
        let (shape, lanes) = self.lanes(b)?;
        let y = Operand { shape, lanes };
        match op {
            BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply => {
                self.floats(op, x, &y, group)
            }
            BinaryOperator::Divide => self.quotient(x, &y, group),
            BinaryOperator::Modulo => {
                let quotient = self.quotient(x, &y, group)?;
                Ok(self.rest(x, &quotient, &y, group))
            }
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight | BinaryOperator::And => {
                let Some(bits) = self.known_whole(b) else {
                    return self.operation("bits of whole numbers, except by constants");
                };
                self.bits(op, x, bits, group)
            }
            _other => self.operation("bits of whole numbers"),
        }
    }

    fn bits(&mut self, op: BinaryOperator, x: &Operand, bits: i64, group: usize) -> Result<Vec<Lane>> {
        // Of x & mask, the rest of a division by a power of two.
        let power = match op {
            BinaryOperator::And => u64::try_from(bits).ok().and_then(|mask| mask.checked_add(1)),
            _shift => u32::try_from(bits).ok().and_then(|bits| 1_u64.checked_shl(bits)),
        };
        let Some(power) = power.filter(|power| power.is_power_of_two() && *power <= 1 << 24) else {
            return self.operation("a mask other than low bits");
        };
        let factor = self.b.float(power as f32);
        let inverse = self.b.float(1.0 / power as f32);
        if op == BinaryOperator::ShiftLeft {
            return Ok(self.b.binary(Binary::MulP, &x.lanes, &[factor], group));
        }
        // Both factors are exact, and the largest whole number not above is what a shift leaves.
        let quotient = self.b.binary(Binary::MulP, &x.lanes, &[inverse], group);
        let quotient = self.b.unary(Unary::Floor, &quotient, group);
        if op == BinaryOperator::ShiftRight {
            return Ok(quotient);
        }
        let divisor = Operand { shape: Shape::scalar(Scalar::Float), lanes: vec![factor] };
        Ok(self.rest(x, &quotient, &divisor, group))
    }

    /// A quotient of whole numbers toward zero. Half a unit more keeps the rounding of the
    /// reciprocal from the next whole number.
    fn quotient(&mut self, x: &Operand, y: &Operand, group: usize) -> Result<Vec<Lane>> {
        let half = self.b.float(0.5);
        let rows = usize::from(y.shape.rows);
        let is_signed = x.shape.scalar == Scalar::Int;
        let size = if is_signed { self.absolute(&x.lanes, group) } else { x.lanes.clone() };
        let reciprocal = self.reciprocal_lanes(&y.lanes, rows);
        let size = self.b.binary(Binary::AddP, &size, &[half], group);
        if !is_signed {
            let quotient = self.b.binary(Binary::MulP, &size, &reciprocal, group);
            return Ok(self.floor(&quotient, group));
        }
        let reciprocal = self.absolute(&reciprocal, rows);
        let quotient = self.b.binary(Binary::MulP, &size, &reciprocal, group);
        let quotient = self.floor(&quotient, group);
        let signs = self.b.binary(Binary::MulP, &x.lanes, &y.lanes, group);
        let zero = self.b.float(0.0);
        let is_negative = self.b.binary(Binary::Less, &signs, &[zero], group);
        let negated = self.b.negate(&quotient, group);
        Ok(self.b.select(&is_negative, &negated, &quotient))
    }

    fn known_whole(&self, value: &Value) -> Option<i64> {
        let Value::Host(id) = value else { return None };
        let data = self.host.constant(*id)?;
        let first = data.pick(Shape::scalar(data.shape.scalar), [0]);
        data.lanes.iter().all(|&lane| lane == first.lanes[0]).then(|| first.whole())?
    }

    fn logic(&mut self, op: BinaryOperator, x: &Operand, y: &Operand, group: usize) -> Result<Vec<Lane>> {
        Ok(match op {
            BinaryOperator::LogicalAnd | BinaryOperator::And => self.both(&x.lanes, &y.lanes, group),
            BinaryOperator::LogicalOr | BinaryOperator::InclusiveOr => self.either(&x.lanes, &y.lanes, group),
            BinaryOperator::NotEqual | BinaryOperator::ExclusiveOr | BinaryOperator::Equal => {
                let not_y = self.b.unary(Unary::Not, &y.lanes, group);
                let (same, other) = match op {
                    BinaryOperator::Equal => (&y.lanes, &not_y),
                    _different => (&not_y, &y.lanes),
                };
                self.b.select(&x.lanes, same, other)
            }
            _other => return self.operation(format!("{op:?} of truth values")),
        })
    }

    /// Logical and; constants decide.
    pub(super) fn both(&mut self, x: &[Lane], y: &[Lane], group: usize) -> Vec<Lane> {
        self.decide(Binary::And, 1, x, y, group)
    }

    fn either(&mut self, x: &[Lane], y: &[Lane], group: usize) -> Vec<Lane> {
        self.decide(Binary::Or, 0, x, y, group)
    }

    /// An operation whose result is one operand where the other one is this constant.
    fn decide(&mut self, op: Binary, neutral: u32, x: &[Lane], y: &[Lane], group: usize) -> Vec<Lane> {
        for (a, b) in [(x, y), (y, x)] {
            if self.b.is_all(a, neutral) || self.b.is_all(b, 1 - neutral) {
                return spread(b, a.len());
            }
        }
        self.b.binary(op, x, y, group)
    }

    /// 1 / a
    pub(super) fn reciprocal(&mut self, a: &Value) -> Result<Value> {
        if let Value::Host(id) = a {
            let shape = self.host.shape(*id);
            let one = self.host.data(Data::float(1.0));
            return self.node(Node::Binary(BinaryOperator::Divide, one, *id), shape);
        }
        let (shape, lanes) = self.lanes(a)?;
        let lanes = self.reciprocal_lanes(&lanes, shape.rows.into());
        Ok(Value::lanes(shape, lanes))
    }

    fn reciprocal_lanes(&mut self, lanes: &[Lane], group: usize) -> Vec<Lane> {
        let known = lanes.iter().map(|&lane| self.b.known(lane)).collect::<Option<Vec<u32>>>();
        match known {
            Some(known) => known.into_iter().map(|bits| self.b.float(1.0 / f32::from_bits(bits))).collect(),
            None => self.b.unary(Unary::RcpP, lanes, group),
        }
    }

    /// The largest whole number not above.
    pub(super) fn floor(&mut self, lanes: &[Lane], group: usize) -> Vec<Lane> {
        let lanes = self.precise(lanes, group);
        self.b.unary(Unary::Floor, &lanes, group)
    }

    /// A product with a constant as two: files hold 16 bits of each, and the floor of 6 / 3 is 2.
    pub(super) fn precise(&mut self, lanes: &[Lane], group: usize) -> Vec<Lane> {
        let value = lanes[0].value();
        let Some(Op::Binary(Binary::MulP, a, b)) = self.b.f.op(value) else { return lanes.to_vec() };
        for (factor, other) in [(a, b), (b, a)] {
            let of = |operand| lanes.iter().map(move |lane| Lane::new(operand, lane.index()));
            let known = of(factor).map(|lane| self.b.known(lane)).collect::<Option<Vec<u32>>>();
            let Some(known) = known.filter(|_| lanes.iter().all(|lane| lane.value() == value)) else {
                continue;
            };
            let is_far = |bits: u32| !(1e-12..1e12).contains(&f32::from_bits(bits).abs());
            if known.iter().all(|bits| bits & 0x7F == 0) || known.iter().any(|&bits| is_far(bits)) {
                break;
            }
            // Few bits of one, so that its product with a number below 2^15 is exact.
            let high = |bits: u32| f32::from_bits((bits + 0x4000) & !0x7FFF);
            let rest = |bits: u32| of_whole(f32::from_bits(bits)) - f64::from(high(bits));
            let rests = known.iter().map(|&bits| nearest(rest(bits) as f32));
            let rests: Vec<Lane> = rests.map(|rest| self.b.float(rest)).collect();
            let high: Vec<Lane> = known.iter().map(|&bits| self.b.float(high(bits))).collect();
            let other: Vec<Lane> = of(other).collect();
            let rest = self.b.binary(Binary::MulP, &other, &rests, group);
            let product = self.b.binary(Binary::MulP, &other, &high, group);
            return self.b.binary(Binary::AddP, &product, &rest, group);
        }
        lanes.to_vec()
    }

    /// MAX of it and its negation.
    pub(super) fn absolute(&mut self, lanes: &[Lane], group: usize) -> Vec<Lane> {
        if let Some(known) = lanes.iter().map(|&lane| self.b.known(lane)).collect::<Option<Vec<u32>>>() {
            return known.into_iter().map(|bits| self.b.float(f32::from_bits(bits).abs())).collect();
        }
        let negated = self.b.negate(lanes, group);
        self.b.binary(Binary::MaxP, lanes, &negated, group)
    }

    /// The whole part, toward zero.
    pub(super) fn truncate(&mut self, lanes: &[Lane], group: usize) -> Vec<Lane> {
        let lanes = &self.precise(lanes, group);
        let size = self.absolute(lanes, group);
        let size = self.b.unary(Unary::Floor, &size, group);
        let zero = self.b.float(0.0);
        let is_negative = self.b.binary(Binary::Less, lanes, &[zero], group);
        let negated = self.b.negate(&size, group);
        self.b.select(&is_negative, &negated, &size)
    }

    /// A product with a matrix: dot products where the lanes of its rows lie in one register each,
    /// else a sum of its columns; either way the terms go from the left.
    fn product(&mut self, x: &Operand, y: &Operand) -> Vec<Lane> {
        if !y.shape.is_matrix() {
            return self.transform(&x.lanes, usize::from(x.shape.rows), &y.lanes);
        }
        let (columns, rows) = (usize::from(y.shape.columns), usize::from(y.shape.rows));
        if !x.shape.is_matrix() {
            // A row times a matrix is the transposed matrix times a column.
            let transposed: Vec<Lane> =
                (0..rows * columns).map(|lane| y.lanes[lane % columns * rows + lane / columns]).collect();
            return self.transform(&transposed, columns, &x.lanes);
        }
        let columns = y.lanes.chunks(rows);
        columns.flat_map(|column| self.transform(&x.lanes, usize::from(x.shape.rows), column)).collect()
    }

    fn transform(&mut self, matrix: &[Lane], rows: usize, vector: &[Lane]) -> Vec<Lane> {
        let row = |row: usize| matrix.iter().skip(row).step_by(rows).copied().collect::<Vec<Lane>>();
        let is_together = |lanes: &[Lane]| {
            lanes.iter().all(|lane| lane.value() == lanes[0].value() || self.b.known(*lane).is_some())
        };
        let by_columns = matrix.chunks(rows).all(is_together);
        if is_together(&row(0)) || !by_columns {
            return (0..rows).map(|index| self.b.dot(&row(index), vector)).collect();
        }
        let mut sum: Option<Vec<Lane>> = None;
        for (column, factor) in matrix.chunks(rows).zip(vector) {
            if self.b.known(*factor) == Some(0) {
                continue;
            }
            let product = self.b.binary(Binary::MulP, column, &[*factor], rows);
            sum = Some(match sum {
                Some(sum) => self.b.binary(Binary::AddP, &sum, &product, rows),
                None => product,
            });
        }
        sum.unwrap_or_else(|| vec![self.b.float(0.0); rows])
    }

    pub(super) fn select(&mut self, condition: &Value, accept: &Value, reject: &Value) -> Result<Value> {
        match self.known_truth(condition) {
            Some(true) => return Ok(accept.clone()),
            Some(false) => return Ok(reject.clone()),
            None if accept == reject => return Ok(accept.clone()),
            None => {}
        }
        if let Some(nodes) = self.nodes([condition, accept, reject]) {
            let shape = self.shape(accept)?;
            return self.node(Node::Select(nodes[0], nodes[1], nodes[2]), shape);
        }
        if let (Value::Many(a), Value::Many(b)) = (accept, reject) {
            let pairs = a.iter().zip(b.iter());
            return Value::many(pairs.map(|(a, b)| self.deeper(|this| this.select(condition, a, b))));
        }
        let (_, cond) = self.lanes(condition)?;
        let (shape, a) = self.lanes(accept)?;
        let (_, b) = self.lanes(reject)?;
        Ok(Value::lanes(shape, self.b.select(&cond, &a, &b)))
    }

    pub(super) fn relational(&mut self, fun: RelationalFunction, a: &Value) -> Result<Value> {
        let shape = Shape::scalar(Scalar::Bool);
        if let Value::Host(id) = a {
            return self.node(Node::Relational(fun, *id), shape);
        }
        let (_, lanes) = self.lanes(a)?;
        let mut all = vec![lanes[0]];
        for &lane in &lanes[1..] {
            all = match fun {
                RelationalFunction::All => self.both(&all, &[lane], 1),
                RelationalFunction::Any => self.either(&all, &[lane], 1),
                RelationalFunction::IsNan | RelationalFunction::IsInf => {
                    return self.operation("a test for infinities and NaN");
                }
            };
        }
        Ok(Value::lanes(shape, all))
    }
}

/// The number, or the reciprocal of a whole number that it is the nearest to.
fn of_whole(number: f32) -> f64 {
    let reciprocal = 1.0 / (1.0 / f64::from(number)).round();
    if reciprocal as f32 == number { reciprocal } else { number.into() }
}

/// Shape of the result of an operator.
fn result_shape(op: BinaryOperator, a: Shape, b: Shape) -> Shape {
    let kind = math::result_kind(op, a.scalar);
    if op == BinaryOperator::Multiply && !a.is_scalar() && !b.is_scalar() {
        match (a.is_matrix(), b.is_matrix()) {
            (true, true) => return Shape { rows: a.rows, ..b },
            (true, false) => return a.column(),
            (false, true) => return Shape::vector(a.scalar, b.columns),
            (false, false) => {}
        }
    }
    if a.is_scalar() { b.with(kind) } else { a.with(kind) }
}

/// The comparison of floats, and whether its result is inverted.
fn comparison(op: BinaryOperator) -> Option<(Binary, bool)> {
    Some(match op {
        BinaryOperator::Equal => (Binary::Equal, false),
        BinaryOperator::NotEqual => (Binary::Equal, true),
        BinaryOperator::Less => (Binary::Less, false),
        BinaryOperator::LessEqual => (Binary::LessEqual, false),
        BinaryOperator::Greater => (Binary::Greater, false),
        BinaryOperator::GreaterEqual => (Binary::GreaterEqual, false),
        _other => return None,
    })
}
