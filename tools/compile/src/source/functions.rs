//! Lowering of built-in functions.
//! In: arguments. Out: a node of the host where all are, else a short sequence of PICA200
//! arithmetic.
//! Coefficients are those of the least error that the 16 bits of a file's constants hold.
//! Rules: WGSL's and GLSL's definitions; roots by RSQ, quotients by RCP, powers by LG2 and EX2.
//!
//! | function | way | largest error of the polynomial |
//! |---|---|---|
//! | sin, cos, tan | one turn to ±1/4, odd, degree 7 | 1.3e-6 |
//! | acos, asin | root of 1 - x times degree 4 | 6.6e-6 |
//! | round | halves up | |
//! | mix(a, b, t) | a + t (b - a): next to a far larger a, b is lost | |
//! | pow | products for small whole numbers | |
//! | atan, atan2 | quotient of the smaller and the larger, odd, degree 11 | 1.8e-6 |

use super::ir::{Binary, Lane, Op, Unary};
use naga::MathFunction as M;

use super::data::{Data, Scalar, Shape};
use super::error::Result;
use super::host::Node;
use super::lower::Lowering;
use super::value::Value;

/// sin(2πz) for |z| ≤ 1/4: odd powers.
const SINE: [f32; 4] = [6.283_203, -41.341_31, 81.461_914, -72.036_13];
/// acos(x) / sqrt(1 - x) for 0 ≤ x ≤ 1.
const ARC_COSINE: [f32; 5] = [1.570_800_8, -0.214_460_37, 0.086_463_93, -0.038_945_198, 0.010_420_68];
/// atan(x) for 0 ≤ x ≤ 1: odd powers.
const ARC_TANGENT: [f32; 6] =
    [0.999_977_1, -0.332_622_53, 0.193_544_39, -0.116_443_634, 0.052_670_002, -0.011_728_764];

/// Products inside each other in which the factor of an angle is looked for.
const FACTORS: usize = 4;

impl Lowering<'_> {
    pub(super) fn math(&mut self, fun: M, args: &[Value]) -> Result<Value> {
        if let Some(nodes) = self.nodes(args) {
            let shapes: Vec<Shape> = nodes.iter().map(|&node| self.host.shape(node)).collect();
            let shape = result_shape(fun, &shapes);
            self.check_supported(fun, &shapes)?;
            return self.node(Node::Math(fun, nodes), shape);
        }
        match args {
            [a] => self.one(fun, a),
            [a, b] => self.two(fun, a, b),
            [a, b, c] => self.three(fun, a, b, c),
            _more => self.operation(format!("{fun:?}")),
        }
    }

    /// Refuses a function of uniforms that the subset lacks, before it becomes a node.
    fn check_supported(&self, fun: M, shapes: &[Shape]) -> Result<()> {
        let ones: Vec<Data> = shapes.iter().map(|&shape| Data::splat(shape, 0)).collect();
        match super::math::math(fun, &ones.iter().collect::<Vec<_>>()) {
            Some(_) => Ok(()),
            None => self.operation(format!("{fun:?}")),
        }
    }

    fn float(&mut self, value: f32) -> Value {
        self.data(Data::float(value))
    }

    /// A one-operand operation of the machine on the lanes of a value.
    fn apply(&mut self, op: Unary, a: &Value) -> Result<Value> {
        let (shape, lanes) = self.lanes(a)?;
        Ok(Value::lanes(shape, self.b.unary(op, &lanes, shape.rows.into())))
    }

    /// As [`apply`](Self::apply), with two operands; a scalar stands for each lane.
    pub(super) fn apply_two(&mut self, op: Binary, a: &Value, b: &Value) -> Result<Value> {
        let ((x, a), (y, b)) = (self.lanes(a)?, self.lanes(b)?);
        let shape = if x.is_scalar() { y } else { x };
        Ok(Value::lanes(shape, self.b.binary(op, &a, &b, shape.rows.into())))
    }

    fn one(&mut self, fun: M, a: &Value) -> Result<Value> {
        let (shape, lanes) = self.lanes(a)?;
        let group = shape.rows.into();
        Ok(match fun {
            M::Abs => Value::lanes(shape, self.absolute(&lanes, group)),
            M::Saturate => {
                let (zero, one) = (self.float(0.0), self.float(1.0));
                self.clamp(a, &zero, &one)?
            }
            M::Floor => Value::lanes(shape, self.floor(&lanes, group)),
            M::Ceil => {
                let negated = Value::lanes(shape, self.precise(&lanes, group));
                let negated = self.negate(&negated)?;
                let floor = self.apply(Unary::Floor, &negated)?;
                self.negate(&floor)?
            }
            M::Round => {
                let half = self.float(0.5);
                let sum = self.add(a, &half)?;
                self.apply(Unary::Floor, &sum)?
            }
            M::Fract => {
                let lanes = self.precise(&lanes, group);
                let floor = Value::lanes(shape, self.b.unary(Unary::Floor, &lanes, group));
                self.subtract(&Value::lanes(shape, lanes), &floor)?
            }
            M::Trunc => Value::lanes(shape, self.truncate(&lanes, group)),
            M::Sign => {
                let zero = self.float(0.0);
                let (above, below) =
                    (self.apply_two(Binary::SltP, &zero, a)?, self.apply_two(Binary::SltP, a, &zero)?);
                self.subtract(&above, &below)?.with_scalar(shape.scalar)
            }
            M::Length if shape.is_scalar() => self.one(M::Abs, a)?,
            M::Length => {
                let square = self.dot(a, a)?;
                self.root(&square)?
            }
            M::Normalize => {
                let square = self.dot(a, a)?;
                let inverse = self.apply(Unary::RsqP, &square)?;
                self.multiply(a, &inverse)?
            }
            M::Transpose => {
                let (columns, rows) = (usize::from(shape.columns), usize::from(shape.rows));
                let turned = (0..lanes.len()).map(|lane| lanes[lane % columns * rows + lane / columns]);
                Value::lanes(Shape { columns: shape.rows, rows: shape.columns, ..shape }, turned.collect())
            }
            M::Determinant | M::Inverse => {
                return self.operation(format!("the {fun:?} of a matrix that depends on attributes"));
            }
            _curve => return self.curve(fun, a),
        })
    }

    /// Powers, logarithms, roots and angles.
    fn curve(&mut self, fun: M, a: &Value) -> Result<Value> {
        Ok(match fun {
            M::Radians => self.scaled(a, std::f32::consts::PI / 180.0)?,
            M::Degrees => self.scaled(a, 180.0 / std::f32::consts::PI)?,
            M::Exp2 => self.apply(Unary::Exp2P, a)?,
            M::Log2 => self.apply(Unary::Log2P, a)?,
            M::Exp => {
                let power = self.scaled(a, std::f32::consts::LOG2_E)?;
                self.apply(Unary::Exp2P, &power)?
            }
            M::Log => {
                let log = self.apply(Unary::Log2P, a)?;
                self.scaled(&log, std::f32::consts::LN_2)?
            }
            M::Sqrt => self.root(a)?,
            M::InverseSqrt => self.apply(Unary::RsqP, a)?,
            M::Sin | M::Cos | M::Tan => self.wave(fun, a)?,
            M::Acos | M::Asin => self.arc(fun, a)?,
            M::Atan => {
                let one = self.float(1.0);
                self.arc_tangent(a, &one)?
            }
            _other => return self.operation(format!("{fun:?}")),
        })
    }

    fn two(&mut self, fun: M, a: &Value, b: &Value) -> Result<Value> {
        match fun {
            M::Min | M::Max => {
                let op = if fun == M::Min { Binary::MinP } else { Binary::MaxP };
                // One operand may be a uniform, the first.
                let (a, b) = if matches!(b, Value::Host(_)) { (b, a) } else { (a, b) };
                Ok(self.apply_two(op, a, b)?.with_scalar(self.shape(a)?.scalar))
            }
            M::Step => self.apply_two(Binary::SgeP, b, a),
            M::Dot => self.dot(a, b),
            M::Distance => {
                let difference = self.subtract(a, b)?;
                self.one(M::Length, &difference)
            }
            M::Pow => {
                if let Some(power) = self.whole_power(a, b)? {
                    return Ok(power);
                }
                let log = self.math(M::Log2, std::slice::from_ref(a))?;
                let product = self.multiply(&log, b)?;
                self.apply(Unary::Exp2P, &product)
            }
            M::Cross => self.cross(a, b),
            M::Reflect => {
                let cosine = self.dot(b, a)?;
                let twice = self.add(&cosine, &cosine)?;
                let product = self.multiply(b, &twice)?;
                self.subtract(a, &product)
            }
            M::Outer => {
                let ((x, rows), (y, columns)) = (self.lanes(a)?, self.lanes(b)?);
                let group = x.rows.into();
                let mut lanes = Vec::with_capacity(rows.len() * columns.len());
                for column in columns {
                    lanes.extend(self.b.binary(Binary::MulP, &rows, &[column], group));
                }
                Ok(Value::lanes(Shape { columns: y.rows, ..x }, lanes))
            }
            M::Atan2 => self.arc_tangent(a, b),
            _other => self.operation(format!("{fun:?}")),
        }
    }

    /// Products for a power by a small whole number, if they are no more than logarithms take. They
    /// are nearer, and defined for a negative number.
    fn whole_power(&mut self, a: &Value, exponent: &Value) -> Result<Option<Value>> {
        let (Value::Host(exponent), Value::Lanes(shape, _)) = (exponent, a) else { return Ok(None) };
        let Some(data) = self.host.constant(*exponent) else { return Ok(None) };
        let first = data.lane(0);
        let power = first as u32;
        let is_one = data.lanes.iter().all(|&bits| bits == first.to_bits());
        if !is_one || power == 0 || power as f32 != first {
            return Ok(None);
        }
        // LG2 and EX2 take a lane each.
        if (power.ilog2() + power.count_ones()) as usize > 2 * shape.lanes() + 2 {
            return Ok(None);
        }
        let (mut product, mut square) = (None, a.clone());
        for bit in 0..=power.ilog2() {
            if bit > 0 {
                square = self.multiply(&square, &square)?;
            }
            if power >> bit & 1 != 0 {
                product = Some(match product {
                    Some(product) => self.multiply(&product, &square)?,
                    None => square.clone(),
                });
            }
        }
        Ok(product)
    }

    fn three(&mut self, fun: M, a: &Value, b: &Value, c: &Value) -> Result<Value> {
        match fun {
            M::Clamp => Ok(self.clamp(a, b, c)?.with_scalar(self.shape(a)?.scalar)),
            M::Fma => {
                let product = self.multiply(a, b)?;
                self.add(&product, c)
            }
            M::Mix => {
                // One product less than the definition; its rounding differs.
                let difference = self.subtract(b, a)?;
                let product = self.multiply(&difference, c)?;
                self.add(a, &product)
            }
            M::SmoothStep => {
                let width = self.subtract(b, a)?;
                let inverse = self.reciprocal(&width)?;
                let distance = self.subtract(c, a)?;
                let t = self.multiply(&distance, &inverse)?;
                let t = self.math(M::Saturate, &[t])?;
                let (three, minus_two) = (self.float(3.0), self.float(-2.0));
                let slope = self.multiply(&t, &minus_two)?;
                let slope = self.add(&slope, &three)?;
                let square = self.multiply(&t, &t)?;
                self.multiply(&square, &slope)
            }
            M::FaceForward => {
                let cosine = self.dot(b, c)?;
                let zero = self.float(0.0);
                let is_facing = self.binary(naga::BinaryOperator::Less, &cosine, &zero)?;
                let negated = self.negate(a)?;
                self.select(&is_facing, a, &negated)
            }
            M::Refract => self.refract(a, b, c),
            _other => self.operation(format!("{fun:?}")),
        }
    }

    fn scaled(&mut self, a: &Value, factor: f32) -> Result<Value> {
        let factor = self.float(nearest(factor));
        self.multiply(a, &factor)
    }

    fn clamp(&mut self, a: &Value, low: &Value, high: &Value) -> Result<Value> {
        let raised = self.math(M::Max, &[a.clone(), low.clone()])?;
        self.math(M::Min, &[raised, high.clone()])
    }

    /// x · RSQ x, which is 0 for 0.
    fn root(&mut self, a: &Value) -> Result<Value> {
        let inverse = self.apply(Unary::RsqP, a)?;
        self.multiply(a, &inverse)
    }

    fn dot(&mut self, a: &Value, b: &Value) -> Result<Value> {
        if self.nodes([a, b]).is_some() {
            return self.math(M::Dot, &[a.clone(), b.clone()]);
        }
        let ((shape, a), (_, b)) = (self.lanes(a)?, self.lanes(b)?);
        Ok(Value::lanes(Shape::scalar(shape.scalar), vec![self.b.dot(&a, &b)]))
    }

    fn cross(&mut self, a: &Value, b: &Value) -> Result<Value> {
        let shape = self.shape(a)?;
        let turned = |this: &mut Self, value: &Value, lanes: [u8; 3]| this.pick(value, shape, &lanes);
        let left = [turned(self, a, [1, 2, 0])?, turned(self, b, [2, 0, 1])?];
        let right = [turned(self, a, [2, 0, 1])?, turned(self, b, [1, 2, 0])?];
        let (left, right) = (self.multiply(&left[0], &left[1])?, self.multiply(&right[0], &right[1])?);
        self.subtract(&left, &right)
    }

    fn refract(&mut self, a: &Value, b: &Value, ratio: &Value) -> Result<Value> {
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let cosine = self.dot(b, a)?;
        let square = self.multiply(&cosine, &cosine)?;
        let sine = self.subtract(&one, &square)?;
        let squared = self.multiply(ratio, ratio)?;
        let product = self.multiply(&squared, &sine)?;
        let k = self.subtract(&one, &product)?;
        let positive = self.math(M::Max, &[k.clone(), zero.clone()])?;
        let root = self.math(M::Sqrt, &[positive])?;
        let along = self.multiply(ratio, &cosine)?;
        let factor = self.add(&along, &root)?;
        let (first, second) = (self.multiply(a, ratio)?, self.multiply(b, &factor)?);
        let refracted = self.subtract(&first, &second)?;
        let is_total = self.binary(naga::BinaryOperator::Less, &k, &zero)?;
        let nothing = self.data(Data::splat(self.shape(a)?, 0));
        self.select(&is_total, &nothing, &refracted)
    }

    /// Polynomial in Horner's form, coefficients of the lowest power first.
    fn polynomial(&mut self, x: &Value, coefficients: &[f32]) -> Result<Value> {
        let Some((&highest, rest)) = coefficients.split_last() else {
            return self.internal("a polynomial without coefficients");
        };
        let mut sum = self.float(highest);
        for &coefficient in rest.iter().rev() {
            let coefficient = self.float(coefficient);
            let product = self.multiply(&sum, x)?;
            sum = self.add(&product, &coefficient)?;
        }
        Ok(sum)
    }

    /// sin, cos or tan. In turns, cos is sin(2π(1/4 - |t|)) for t to the nearest whole turn.
    fn wave(&mut self, fun: M, a: &Value) -> Result<Value> {
        if fun == M::Tan {
            let (sine, cosine) = (self.wave(M::Sin, a)?, self.wave(M::Cos, a)?);
            let inverse = self.reciprocal(&cosine)?;
            return self.multiply(&sine, &inverse);
        }
        let mut turns = self.turns(a)?;
        if fun == M::Sin {
            let quarter = self.float(-0.25);
            turns = self.add(&turns, &quarter)?;
        }
        let nearest = self.one(M::Round, &turns)?;
        let rest = self.subtract(&turns, &nearest)?;
        let size = self.one(M::Abs, &rest)?;
        let quarter = self.float(0.25);
        let z = self.subtract(&quarter, &size)?;
        let square = self.multiply(&z, &z)?;
        let sum = self.polynomial(&square, &SINE)?;
        self.multiply(&sum, &z)
    }

    /// An angle in turns.
    fn turns(&mut self, a: &Value) -> Result<Value> {
        if let Value::Lanes(shape, lanes) = a
            && let Some(turns) = self.factor_in_turns(lanes, shape.rows.into(), FACTORS)
        {
            return Ok(Value::lanes(*shape, turns));
        }
        self.scaled(a, 0.5 / std::f32::consts::PI)
    }

    /// A product with a constant, in turns: one factor, of which files keep 16 bits, for two.
    fn factor_in_turns(&mut self, lanes: &[Lane], group: usize, depth: usize) -> Option<Vec<Lane>> {
        let value = lanes[0].value();
        let Some(Op::Binary(Binary::MulP, a, b)) = self.b.f.op(value) else { return None };
        if depth == 0 || lanes.iter().any(|lane| lane.value() != value) {
            return None;
        }
        let of = |operand| lanes.iter().map(|lane| Lane::new(operand, lane.index())).collect::<Vec<Lane>>();
        for (factor, rest) in [(of(a), of(b)), (of(b), of(a))] {
            let known = factor.iter().map(|&lane| self.b.known(lane)).collect::<Option<Vec<u32>>>();
            let scaled = match known {
                Some(known) => known.into_iter().map(|bits| self.b.float(in_turns(bits))).collect(),
                None => match self.factor_in_turns(&factor, group, depth - 1) {
                    Some(scaled) => scaled,
                    None => continue,
                },
            };
            return Some(self.b.binary(Binary::MulP, &rest, &scaled, group));
        }
        None
    }

    fn arc(&mut self, fun: M, a: &Value) -> Result<Value> {
        let size = self.one(M::Abs, a)?;
        let one = self.float(1.0);
        let below = self.subtract(&one, &size)?;
        let root = self.root(&below)?;
        let sum = self.polynomial(&size, &ARC_COSINE)?;
        let angle = self.multiply(&sum, &root)?;
        let (zero, half, quarter) = (
            self.float(0.0),
            self.float(nearest(std::f32::consts::PI)),
            self.float(nearest(std::f32::consts::FRAC_PI_2)),
        );
        let other = self.subtract(&half, &angle)?;
        let is_negative = self.less(a, &zero)?;
        let cosine = self.select_lanes(&is_negative, &other, &angle)?;
        if fun == M::Acos { Ok(cosine) } else { self.subtract(&quarter, &cosine) }
    }

    fn arc_tangent(&mut self, y: &Value, x: &Value) -> Result<Value> {
        let sizes =
            [self.math(M::Abs, std::slice::from_ref(y))?, self.math(M::Abs, std::slice::from_ref(x))?];
        let low = self.math(M::Min, &sizes)?;
        let high = self.math(M::Max, &sizes)?;
        let inverse = self.reciprocal(&high)?;
        let quotient = self.multiply(&low, &inverse)?;
        let square = self.multiply(&quotient, &quotient)?;
        let sum = self.polynomial(&square, &ARC_TANGENT)?;
        let angle = self.multiply(&sum, &quotient)?;
        let zero = self.float(0.0);
        let quarter = self.float(nearest(std::f32::consts::FRAC_PI_2));
        let steep = self.less(&sizes[1], &sizes[0])?;
        let other = self.subtract(&quarter, &angle)?;
        let angle = self.select_lanes(&steep, &other, &angle)?;
        let half = self.float(nearest(std::f32::consts::PI));
        let other = self.subtract(&half, &angle)?;
        let is_behind = self.less(x, &zero)?;
        let angle = self.select_lanes(&is_behind, &other, &angle)?;
        let other = self.negate(&angle)?;
        let is_below = self.less(y, &zero)?;
        self.select_lanes(&is_below, &other, &angle)
    }

    fn less(&mut self, a: &Value, b: &Value) -> Result<Value> {
        self.binary(naga::BinaryOperator::Less, a, b)
    }

    /// As `select`, where a scalar condition of constants may stand for all lanes.
    fn select_lanes(&mut self, condition: &Value, accept: &Value, reject: &Value) -> Result<Value> {
        if self.known_truth(condition).is_some() {
            return self.select(condition, accept, reject);
        }
        let (_, cond) = self.lanes(condition)?;
        let ((shape, a), (_, b)) = (self.lanes(accept)?, self.lanes(reject)?);
        let lanes: Vec<Lane> = self.b.select(&cond, &a, &b);
        Ok(Value::lanes(shape, lanes))
    }
}

impl Value {
    /// The same lanes as numbers of another kind.
    fn with_scalar(self, scalar: Scalar) -> Self {
        match self {
            Self::Lanes(shape, lanes) => Self::Lanes(shape.with(scalar), lanes),
            other => other,
        }
    }
}

/// A factor of an angle as one of turns.
fn in_turns(bits: u32) -> f32 {
    let turns = (f64::from(f32::from_bits(bits)) / std::f64::consts::TAU) as f32;
    nearest(turns)
}

/// The nearest number with the 16 bits of fraction that a file holds: the assembler cuts off.
pub(super) fn nearest(value: f32) -> f32 {
    let bits = value.to_bits();
    let up = f32::from_bits(bits.saturating_add(1 << 6) & !0x7F);
    if value.is_finite() && up.is_finite() { up } else { value }
}

/// Shape of the result of a built-in function.
fn result_shape(fun: M, args: &[Shape]) -> Shape {
    let first = args[0];
    match fun {
        M::Dot | M::Length | M::Distance | M::Determinant => Shape::scalar(first.scalar),
        M::Transpose => Shape { columns: first.rows, rows: first.columns, ..first },
        M::Outer => Shape { columns: args.get(1).map_or(1, |second| second.rows), ..first },
        M::Step | M::SmoothStep => args[args.len() - 1],
        _other => first,
    }
}
