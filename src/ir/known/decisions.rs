//! Truth values that the conditions around a place decide.
//! In: conditions and whether they hold. Out: whether another one holds. Knows neither constructs
//! nor arithmetic.

use super::Fact;
use crate::ir::func::Func;
use crate::ir::op::Op;
use crate::ir::op::signature::{Binary, Unary};
use crate::ir::types::{Lane, Value};
use crate::support::entity::Handle;

/// Number of definitions that one question looks at.
const FUEL: u32 = 16;
/// Number of decisions around a place that one question looks at, so that a long row of exits costs
/// no square.
const DEPTH: u32 = 64;

/// A condition in a form that equal ones share: a comparison and its operands, or the lane itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Lane(Lane),
    Compared(Binary, u64, u64),
}

/// A condition that holds or does not, and the number of the one around it.
#[derive(Clone, Copy, Debug)]
struct Decision {
    truth: Truth,
    holds: bool,
    outer: u32,
    /// A bit for it and for each around it, so that most questions end at once.
    bits: u64,
    /// Set if it or one around it is a comparison.
    compares: bool,
}

impl Truth {
    fn bit(self) -> u64 {
        let number = match self {
            Self::Lane(lane) => u64::from(lane.value().0),
            Self::Compared(op, a, b) => a ^ b.rotate_left(3) ^ (op as u64) << 4,
        };
        1 << (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58)
    }
}

/// The decisions of a function. Numbers count from 1, 0 is none.
#[derive(Debug, Default)]
pub(super) struct Decisions(Vec<Decision>);

impl Decisions {
    /// Their number.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets those behind the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Decides a condition inside what is decided: the number of both.
    pub fn add(&mut self, f: &Func, facts: &[Fact], outer: u32, cond: Lane, holds: bool) -> u32 {
        let mut work = [Some((cond, holds)), None, None, None];
        let (mut next, mut end, mut number) = (0, 1, outer);
        // Four parts at most, so that the time is bounded.
        while next < end {
            let Some((lane, holds)) = work[next] else { break };
            next += 1;
            let (lane, holds) = root(f, lane, holds);
            let truth = truth(f, facts, lane);
            let bits = truth.bit() | self.get(number).map_or(0, |decision| decision.bits);
            let compares = matches!(truth, Truth::Compared(..)) || self.compares(number);
            self.0.push(Decision { truth, holds, outer: number, bits, compares });
            number = self.0.len() as u32;
            // All of what is "and" holds, none of what is "or".
            if let Some(Op::Binary(op @ (Binary::And | Binary::Or), a, b)) = f.op(lane.value())
                && holds == (op == Binary::And)
            {
                for part in [a, b] {
                    if let Some(slot) = work.get_mut(end) {
                        *slot = Some((Lane::new(part, lane.index()), holds));
                        end += 1;
                    }
                }
            }
        }
        number
    }

    /// Returns whether a truth value is decided, and how.
    pub fn decide(&self, f: &Func, facts: &[Fact], context: u32, lane: Lane) -> Option<bool> {
        let (lane, holds) = root(f, lane, true);
        if let Some(known) = self.find(self.asked(f, facts, context, lane), context) {
            return Some(known == holds);
        }
        let Some(Op::Binary(op @ (Binary::And | Binary::Or), a, b)) = f.op(lane.value()) else { return None };
        // One part may decide alone: false for "and", true for "or".
        let parts = [a, b].map(|part| {
            let (part, straight) = root(f, Lane::new(part, lane.index()), true);
            let constant = facts.get(part.value().index()).and_then(|fact| fact.get(part.index()));
            let found = || self.find(self.asked(f, facts, context, part), context);
            let known = constant.map(|bits| bits != 0).or_else(found);
            known.map(|known| known == straight)
        });
        let alone = op == Binary::Or;
        match parts {
            [Some(a), Some(b)] => Some(if alone { a || b } else { a && b }),
            [Some(one), None] | [None, Some(one)] if one == alone => Some(alone),
            [Some(_), None] | [None, Some(_)] | [None, None] => None,
        }
        .map(|known| known == holds)
    }

    /// Returns whether an operation that compares is decided.
    pub fn compared(
        &self,
        f: &Func,
        facts: &[Fact],
        context: u32,
        op: Binary,
        operands: [Lane; 2],
    ) -> Option<bool> {
        if !self.compares(context) {
            return None;
        }
        self.find(comparison(f, facts, op, operands)?, context)
    }

    fn compares(&self, context: u32) -> bool {
        self.get(context).is_some_and(|decision| decision.compares)
    }

    /// The form of a truth value in a question: only where comparisons are decided it matters what
    /// is compared.
    fn asked(&self, f: &Func, facts: &[Fact], context: u32, lane: Lane) -> Truth {
        if self.compares(context) { truth(f, facts, lane) } else { Truth::Lane(lane) }
    }

    fn get(&self, number: u32) -> Option<&Decision> {
        self.0.get((number as usize).checked_sub(1)?)
    }

    fn find(&self, truth: Truth, mut context: u32) -> Option<bool> {
        let bit = truth.bit();
        for _ in 0..DEPTH {
            let decision = self.get(context)?;
            if decision.bits & bit == 0 {
                return None;
            }
            if decision.truth == truth {
                return Some(decision.holds);
            }
            context = decision.outer;
        }
        None
    }
}

/// The lane that a truth value copies or negates, and what is asked of it.
fn root(f: &Func, mut lane: Lane, mut holds: bool) -> (Lane, bool) {
    for _ in 0..FUEL {
        match f.op(lane.value()) {
            Some(Op::Shuffle(lanes)) => lane = lanes[usize::from(lane.index())],
            // Legalization makes a read of a bool the negation of a new value. To look through that
            // would give a condition another root than it had when the decision was noted.
            Some(Op::Unary(Unary::Not, a)) if a.0 < lane.value().0 => {
                lane = Lane::new(a, lane.index());
                holds = !holds;
            }
            Some(_) | None => break,
        }
    }
    (lane, holds)
}

fn truth(f: &Func, facts: &[Fact], lane: Lane) -> Truth {
    let at = |value: Value| Lane::new(value, lane.index());
    let compared = match f.op(lane.value()) {
        Some(Op::Binary(op, a, b)) => comparison(f, facts, op, [at(a), at(b)]),
        Some(_) | None => None,
    };
    compared.unwrap_or(Truth::Lane(lane))
}

/// A comparison in its one form: "less" and "not less" with their operands in order, or "equal".
fn comparison(f: &Func, facts: &[Fact], op: Binary, operands: [Lane; 2]) -> Option<Truth> {
    let [a, b] = operands.map(|lane| operand(f, facts, lane));
    match op {
        Binary::Less | Binary::SltP => Some(Truth::Compared(Binary::Less, a, b)),
        Binary::Greater => Some(Truth::Compared(Binary::Less, b, a)),
        Binary::GreaterEqual | Binary::SgeP => Some(Truth::Compared(Binary::GreaterEqual, a, b)),
        Binary::LessEqual => Some(Truth::Compared(Binary::GreaterEqual, b, a)),
        Binary::Equal | Binary::IEqual => Some(Truth::Compared(op, a.min(b), a.max(b))),
        _other => None,
    }
}

/// A lane that is compared: its bits if it is constant, else the lane that it copies.
fn operand(f: &Func, facts: &[Fact], mut lane: Lane) -> u64 {
    for _ in 0..FUEL {
        if let Some(bits) = facts.get(lane.value().index()).and_then(|fact| fact.get(lane.index())) {
            return 1 << 40 | u64::from(bits);
        }
        match f.op(lane.value()) {
            Some(Op::Shuffle(lanes)) => lane = lanes[usize::from(lane.index())],
            Some(_) | None => break,
        }
    }
    u64::from(lane.value().0) << 2 | u64::from(lane.index())
}
