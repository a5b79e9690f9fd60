//! Conditions as flags, bool uniforms, or numbers 0 and 1.
//! In: truth values of a function. Out: CMP where the flags do not hold the comparison already, and
//! [`Test`]s.

use crate::ir::{Binary, Lane, Op, Resource, ScalarKind, Unary, Value};
use transpica::isa::{CompareOp, ConditionOp, DataOp};

use super::code::{Source, Step, Target, Test};
use super::error::Error;
use super::select::{ONE, Operand, Root, Select, class};

/// Depth of an expression of truth values.
const MOST_DEPTH: usize = 32;

/// A comparison of two lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    pub op: CompareOp,
    pub a: Operand,
    pub b: Operand,
}

/// The comparison with exchanged operands.
pub(super) fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        CompareOp::Eq | CompareOp::Ne | CompareOp::True6 | CompareOp::True7 => op,
    }
}

impl Comparison {
    fn mirrored(self) -> Self {
        Self { op: mirrored(self.op), a: self.b, b: self.a }
    }
}

impl Select<'_> {
    /// Follows a truth value through shuffles and negations: its lane, and the value expected of
    /// it.
    pub fn truth(&self, mut lane: Lane, mut expected: bool) -> (Lane, bool) {
        loop {
            match self.f.op(lane.value()) {
                Some(Op::Shuffle(lanes)) => lane = lanes[usize::from(lane.index())],
                Some(Op::Unary(Unary::Not, a)) => {
                    expected = !expected;
                    lane = Lane::new(a, lane.index());
                }
                _other => return (lane, expected),
            }
        }
    }

    /// The comparison that computes a truth value, if one does.
    fn comparison(&self, lane: Lane) -> Option<Comparison> {
        let Some(Op::Binary(op, a, b)) = self.f.op(lane.value()) else { return None };
        let op = match op {
            Binary::Equal | Binary::IEqual => CompareOp::Eq,
            Binary::Less | Binary::ILess => CompareOp::Lt,
            Binary::LessEqual => CompareOp::Le,
            Binary::Greater | Binary::IGreater => CompareOp::Gt,
            Binary::GreaterEqual => CompareOp::Ge,
            _other => return None,
        };
        let [a, b] = [a, b].map(|value| self.number(Lane::new(value, lane.index())));
        Some(Comparison { op, a: a?, b: b? })
    }

    /// A float lane, or an integer as a float.
    pub fn number(&self, mut lane: Lane) -> Option<Operand> {
        while let Some(Op::Shuffle(lanes)) = self.f.op(lane.value()) {
            lane = lanes[usize::from(lane.index())];
        }
        match self.f.ty(lane.value()).kind {
            ScalarKind::F32 => Some(self.resolve(lane)),
            ScalarKind::I32 => match self.f.op(lane.value()) {
                Some(Op::Const(bits)) => {
                    let value = bits[usize::from(lane.index())].cast_signed();
                    Some(self.constant((value as f32).to_bits()))
                }
                // The number that MOVA converts.
                Some(Op::Unary(Unary::AddressP, x)) => Some(self.operand(x, lane.index())),
                // It has a variable of its own.
                Some(Op::Select { .. }) => Some((Root::Value(lane), false)),
                None if self.hidden.contains(&lane.value()) => None,
                None => Some((Root::Value(lane), false)),
                Some(_) => None,
            },
            ScalarKind::U32 | ScalarKind::Bool => None,
        }
    }

    /// The test of a truth value.
    pub fn test(&mut self, lane: Lane, expected: bool) -> Result<Test, Error> {
        let (lane, expected) = self.truth(lane, expected);
        if let Some(Op::Read(Resource::BoolUniform(id))) = self.f.op(lane.value()) {
            return Ok(Test::Bool { id, expected });
        }
        if let Some(comparison) = self.comparison(lane) {
            return self.one(comparison, Some(lane), expected);
        }
        if let Some(Op::Binary(op @ (Binary::And | Binary::Or), a, b)) = self.f.op(lane.value()) {
            let [(a, is_a), (b, is_b)] = [a, b].map(|value| self.truth(Lane::new(value, lane.index()), true));
            if let (Some(x), Some(y)) = (self.comparison(a), self.comparison(b)) {
                let op = if op == Binary::And { ConditionOp::And } else { ConditionOp::Or };
                let test = self.two([x, y], [is_a, is_b], op)?;
                return Ok(if expected { test } else { test.negated() });
            }
        }
        let number = self.truth_number(lane.value(), lane.index(), 0)?;
        let zero = self.constant(0);
        self.one(Comparison { op: CompareOp::Eq, a: number, b: zero }, None, !expected)
    }

    fn one(&mut self, comparison: Comparison, lane: Option<Lane>, expected: bool) -> Result<Test, Error> {
        let slot = match self.flags.iter().position(|&known| known == Some(comparison)) {
            Some(slot) => slot,
            None => {
                let second = lane.and_then(|lane| self.partner(comparison, lane)).unwrap_or(comparison);
                self.set_flags([comparison, second])?;
                0
            }
        };
        let op = [ConditionOp::X, ConditionOp::Y][slot];
        Ok(Test::Flags { op, expected: [expected; 2] })
    }

    fn two(&mut self, pair: [Comparison; 2], expected: [bool; 2], op: ConditionOp) -> Result<Test, Error> {
        let [x, y] = pair.map(Some);
        if self.flags == [y, x] {
            return Ok(Test::Flags { op, expected: [expected[1], expected[0]] });
        }
        if self.flags != [x, y] {
            let [x, y] = pair;
            self.set_flags([x, if fit(x, y) || !fit(x, y.mirrored()) { y } else { y.mirrored() }])?;
            self.flags = pair.map(Some);
        }
        Ok(Test::Flags { op, expected })
    }

    fn set_flags(&mut self, pair: [Comparison; 2]) -> Result<(), Error> {
        self.compare(pair.map(|one| one.op), pair.map(|one| [one.a, one.b]))?;
        self.flags = pair.map(Some);
        Ok(())
    }

    /// The other comparison of the instruction that a truth value came from.
    fn partner(&self, comparison: Comparison, lane: Lane) -> Option<Comparison> {
        let pc = self.f.place(lane.value())?.pc?;
        let first = lane.value().0.saturating_sub(8);
        let near = (first..first + 16).map(Value).filter(|&value| value != lane.value());
        let same = near.filter(|&value| {
            (value.0 as usize) < self.f.values.len()
                && self.uses.of(Lane::new(value, 0)) > 0
                && self.f.place(value).is_some_and(|place| place.pc == Some(pc))
        });
        let exists = |(root, _): Operand| match root {
            Root::Value(lane) | Root::Relative { address: lane, .. } => self.exists[lane.value().0 as usize],
            Root::Var(_) | Root::Input { .. } | Root::Uniform { .. } | Root::Const(_) | Root::Computed(_) => {
                true
            }
        };
        // In a shader, an instruction is a line: what it compares may come later.
        same.filter_map(|value| self.comparison(Lane::new(value, 0)))
            .find(|&other| fit(comparison, other) && exists(other.a) && exists(other.b))
    }

    /// A truth value as 0 or 1.
    pub fn truth_number(&mut self, value: Value, lane: u8, depth: usize) -> Result<Operand, Error> {
        let at = Lane::new(value, lane);
        let unsupported = |what: &str| Err(Error::unsupported(what, self.place(value)));
        if depth > MOST_DEPTH {
            return unsupported("a condition of so many parts");
        }
        // What control flow or a choice gives has a variable of its own.
        let Some(op) = self.f.op(value).filter(|op| !matches!(op, Op::Select { .. })) else {
            return Ok((Root::Value(at), false));
        };
        let (op, sources) = match op {
            Op::Const(bits) => {
                return Ok(self.constant(if bits[usize::from(lane)] == 0 { 0 } else { ONE }));
            }
            Op::Shuffle(lanes) => {
                let lane = lanes[usize::from(lane)];
                return self.truth_number(lane.value(), lane.index(), depth + 1);
            }
            Op::Read(Resource::BoolUniform(id)) => return self.bool_number(id),
            Op::Unary(Unary::Not, a) => {
                let (root, negate) = self.truth_number(a, lane, depth + 1)?;
                (DataOp::Add, [self.constant(ONE), (root, !negate)])
            }
            Op::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let a = self.truth_number(a, lane, depth + 1)?;
                let b = self.truth_number(b, lane, depth + 1)?;
                (if op == Binary::And { DataOp::Mul } else { DataOp::Max }, [a, b])
            }
            _other => {
                let Some(Comparison { op, a, b }) = self.comparison(at) else {
                    return unsupported("this condition");
                };
                match op {
                    CompareOp::Lt => (DataOp::Slt, [a, b]),
                    CompareOp::Gt => (DataOp::Slt, [b, a]),
                    CompareOp::Ge => (DataOp::Sge, [a, b]),
                    CompareOp::Le => (DataOp::Sge, [b, a]),
                    _equal => {
                        let x = self.fresh(DataOp::Sge, [a, b])?;
                        let y = self.fresh(DataOp::Sge, [b, a])?;
                        (DataOp::Mul, [x, y])
                    }
                }
            }
        };
        self.fresh(op, sources)
    }

    /// The result of an operation in a lane that belongs to no value.
    fn fresh(&mut self, op: DataOp, sources: [Operand; 2]) -> Result<Operand, Error> {
        let var = self.code.var(None);
        self.data(op, vec![Target::Var(var)], sources.map(|lane| vec![lane]).to_vec())?;
        Ok((Root::Var(var), false))
    }

    /// The test of a bool uniform by flags.
    pub fn bool_flag(&mut self, id: u8, expected: bool) -> Result<Test, Error> {
        let (a, b) = (self.bool_number(id)?, self.constant(0));
        self.one(Comparison { op: CompareOp::Eq, a, b }, None, !expected)
    }

    fn bool_number(&mut self, id: u8) -> Result<Operand, Error> {
        let var = self.code.var(None);
        let [zero, one] = [self.pin(self.constant(0))?, self.pin(self.constant(ONE))?];
        let copy = |source: Source| Step::Copy(vec![(Target::Var(var), source)]);
        let test = Step::If(Test::Bool { id, expected: true });
        self.code.steps.extend([test, copy(one), Step::Else, copy(zero), Step::EndIf]);
        Ok((Root::Var(var), false))
    }
}

/// Returns whether the operands of two comparisons can stand in one CMP.
fn fit(one: Comparison, other: Comparison) -> bool {
    class(one.a) == class(other.a) && class(one.b) == class(other.b)
}
