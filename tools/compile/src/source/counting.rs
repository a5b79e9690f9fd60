//! Loops that count a variable, as `for` writes them.
//! In: a loop of naga. Out: the variable, its step and limit; the number of rounds, as a constant
//! or a node of the host. Lowers nothing: `loops` does.

use naga::{BinaryOperator, Block, Expression, Handle, LocalVariable, Statement};

use super::data::{Data, Scalar};
use super::error::{Kind, Result};
use super::host::NodeId;
use super::loops::{Loop, root, root_value, statements};
use super::lower::Lowering;
use super::value::{Slot, Value};

/// Rounds of a LOOP.
const MOST: i64 = 256;
/// Rounds that are counted one by one.
const COUNTED: i64 = 4096;

/// A loop that counts a variable: `for (var i = start; i < limit; i += step)`.
pub(super) struct Counted {
    pub(super) slot: Slot,
    pub(super) op: BinaryOperator,
    pub(super) limit: Handle<Expression>,
    pub(super) step: Data,
    /// Index of the test in the body.
    pub(super) test: usize,
    /// The comparison, and its negation.
    pub(super) conditions: Vec<Handle<Expression>>,
}

impl<'a> Lowering<'a> {
    /// Finds the variable that a loop counts: its test comes first, one store changes it.
    pub(super) fn find_count(&mut self, all: Loop<'a>) -> Result<Option<Counted>> {
        let Loop { body, continuing, .. } = all;
        if all.break_if.is_some() {
            return Ok(None);
        }
        let Some((test, condition, inverted)) = find_test(body) else { return Ok(None) };
        let mut conditions = vec![condition];
        let expressions = self.frame().expressions;
        let (op, left, limit) = match &expressions[condition] {
            Expression::Binary { op, left, right } => (*op, *left, *right),
            Expression::Unary { op: naga::UnaryOperator::LogicalNot, expr } => {
                conditions.push(*expr);
                let Expression::Binary { op, left, right } = &expressions[*expr] else { return Ok(None) };
                let Some(op) = opposite(*op) else { return Ok(None) };
                (op, *left, *right)
            }
            _other => return Ok(None),
        };
        let Some(op) = (if inverted { opposite(op) } else { Some(op) }) else { return Ok(None) };
        let Expression::Load { pointer } = expressions[left] else { return Ok(None) };
        let Expression::LocalVariable(local) = expressions[pointer] else { return Ok(None) };
        let Some(step) = self.find_step(local, body, continuing)? else { return Ok(None) };
        let slot = self.frame().locals[local.index()];
        let changed = self.changed(all)?;
        if self.depends(limit, &changed) {
            return Ok(None);
        }
        Ok(Some(Counted { slot, op, limit, step, test, conditions }))
    }

    /// The constant that the only store to a variable adds to it.
    fn find_step(
        &mut self,
        local: Handle<LocalVariable>,
        body: &'a Block,
        continuing: &'a Block,
    ) -> Result<Option<Data>> {
        let expressions = self.frame().expressions;
        let is_local = |pointer: Handle<Expression>| root(expressions, pointer) == Some(local);
        let mut stores = Vec::new();
        let mut continues = false;
        for statement in statements(&[body, continuing]) {
            match statement {
                Statement::Store { pointer, value } if is_local(*pointer) => stores.push(*value),
                Statement::Call { arguments, .. } if arguments.iter().copied().any(is_local) => {
                    return Ok(None);
                }
                Statement::Continue => continues = true,
                _other => {}
            }
        }
        let is_store = |statement: &&Statement| match statement {
            Statement::Store { pointer, .. } => is_local(*pointer),
            _other => false,
        };
        let is_last = |block: &'a Block| flat(block).iter().any(is_store);
        if !(is_last(continuing) || (is_last(body) && !continues)) {
            return Ok(None);
        }
        let [value] = stores[..] else { return Ok(None) };
        let Expression::Binary { op, left, right } = expressions[value] else { return Ok(None) };
        let is_it = |handle| matches!(expressions[handle], Expression::Load { pointer } if is_local(pointer));
        let step = match op {
            BinaryOperator::Add | BinaryOperator::Subtract if is_it(left) => right,
            BinaryOperator::Add if is_it(right) => left,
            _other => return Ok(None),
        };
        if !matches!(expressions[step], Expression::Literal(_) | Expression::Constant(_)) {
            return Ok(None);
        }
        let mut step = self.value(step)?;
        if op == BinaryOperator::Subtract {
            step = self.negate(&step)?;
        }
        let Value::Host(node) = step else { return Ok(None) };
        Ok(self.host.constant(node).cloned())
    }

    /// Rounds of a loop between constants.
    pub(super) fn rounds(&self, counted: &Counted, start: NodeId, limit: NodeId) -> Option<i64> {
        let (mut value, limit) = (self.host.constant(start)?.clone(), self.host.constant(limit)?);
        let mut rounds = 0;
        while super::math::binary(counted.op, &value, limit)?.truth()? {
            value = super::math::binary(BinaryOperator::Add, &value, &counted.step)?;
            rounds += 1;
            if rounds > COUNTED {
                break;
            }
        }
        Some(rounds)
    }

    /// The number of rounds as a node of the host.
    pub(super) fn rounds_node(
        &mut self,
        counted: &Counted,
        rounds: Option<i64>,
        start: NodeId,
        limit: NodeId,
    ) -> Result<NodeId> {
        if let Some(rounds) = rounds {
            if rounds > MOST {
                let subject = if rounds > COUNTED { "or more rounds of a loop" } else { "rounds of a loop" };
                return self.limit(subject, rounds as usize, MOST as usize);
            }
            return Ok(self.host.data(Data::int(rounds as i32)));
        }
        let (start, limit) = (Value::Host(start), Value::Host(limit));
        let step = self.data(counted.step.clone());
        let is_up = match counted.step.shape.scalar {
            // Others are not exact.
            Scalar::Float if counted.step.lane(0).fract() != 0.0 => return Err(self.error(Kind::Loop)),
            Scalar::Float => counted.step.lane(0) > 0.0,
            Scalar::Int | Scalar::Uint | Scalar::Bool => counted.step.whole().is_some_and(|step| step > 0),
        };
        let includes = match (counted.op, is_up) {
            (BinaryOperator::Less, true) | (BinaryOperator::Greater, false) => false,
            (BinaryOperator::LessEqual, true) | (BinaryOperator::GreaterEqual, false) => true,
            _other => return Err(self.error(Kind::Loop)),
        };
        // In floats, which are exact: the distance over the step, rounded up or one more than down.
        let (start, limit) = (self.convert(&start, Scalar::Float)?, self.convert(&limit, Scalar::Float)?);
        let step = self.convert(&step, Scalar::Float)?;
        let distance = self.subtract(&limit, &start)?;
        let quotient = self.binary(BinaryOperator::Divide, &distance, &step)?;
        let count = if includes {
            let one = self.data(Data::float(1.0));
            let floor = self.math(naga::MathFunction::Floor, &[quotient])?;
            self.add(&floor, &one)?
        } else {
            self.math(naga::MathFunction::Ceil, &[quotient])?
        };
        match self.convert(&count, Scalar::Int)? {
            Value::Host(node) => Ok(node),
            _lanes => self.internal("a number of rounds on lanes"),
        }
    }

    /// Returns whether an expression reads one of these variables.
    fn depends(&mut self, handle: Handle<Expression>, changed: &[Slot]) -> bool {
        let expressions = self.frame().expressions;
        let mut work = vec![handle];
        while let Some(handle) = work.pop() {
            match &expressions[handle] {
                Expression::Load { pointer } => {
                    let Some(Value::Pointer(place)) = root_value(self, *pointer) else { return true };
                    if place.root.slot().is_some_and(|slot| changed.contains(&slot)) {
                        return true;
                    }
                }
                Expression::Literal(_) | Expression::Constant(_) | Expression::FunctionArgument(_) => {}
                Expression::As { expr, .. } | Expression::Unary { expr, .. } => work.push(*expr),
                Expression::AccessIndex { base, .. } => work.push(*base),
                Expression::Swizzle { vector, .. } => work.push(*vector),
                Expression::Binary { left, right, .. } => work.extend([*left, *right]),
                Expression::Math { arg, arg1, arg2, .. } => {
                    work.extend([Some(*arg), *arg1, *arg2].into_iter().flatten());
                }
                _other => return true,
            }
        }
        false
    }
}

/// The test that a body begins with: its index, its condition, and whether the loop ends where that
/// is true.
fn find_test(body: &Block) -> Option<(usize, Handle<Expression>, bool)> {
    let index = body.iter().position(|statement| !matches!(statement, Statement::Emit(_)))?;
    let Statement::If { condition, accept, reject } = &body[index] else { return None };
    let breaks = |block: &Block| matches!(block[..], [Statement::Break]);
    match (accept.is_empty(), reject.is_empty()) {
        (true, false) if breaks(reject) => Some((index, *condition, false)),
        (false, true) if breaks(accept) => Some((index, *condition, true)),
        _other => None,
    }
}

fn opposite(op: BinaryOperator) -> Option<BinaryOperator> {
    Some(match op {
        BinaryOperator::Less => BinaryOperator::GreaterEqual,
        BinaryOperator::LessEqual => BinaryOperator::Greater,
        BinaryOperator::Greater => BinaryOperator::LessEqual,
        BinaryOperator::GreaterEqual => BinaryOperator::Less,
        BinaryOperator::Equal => BinaryOperator::NotEqual,
        BinaryOperator::NotEqual => BinaryOperator::Equal,
        _other => return None,
    })
}

/// The statements of a block and of blocks that stand in it, without branches.
fn flat(block: &Block) -> Vec<&Statement> {
    let mut work = vec![block];
    let mut all = Vec::new();
    while let Some(block) = work.pop() {
        for statement in block.iter() {
            match statement {
                Statement::Block(inner) => work.push(inner),
                other => all.push(other),
            }
        }
    }
    all
}
