//! What the conditions around a place say of truth values there.
//! In: conditions and whether they hold. Out: whether another one holds. Knows neither constructs nor arithmetic.

use super::Fact;
use crate::entity::Handle;
use crate::ir::func::Func;
use crate::ir::op::{Binary, Op, Unary};
use crate::ir::types::{Lane, Value};

/// How many definitions one question looks at.
const FUEL: u32 = 16;
/// How many decisions around a place one question looks at, so that a long row of exits costs no square.
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
}

/// The decisions of a function. Numbers count from 1, 0 is none.
#[derive(Debug, Default)]
pub(super) struct Decisions(Vec<Decision>);

impl Decisions {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Decides a condition inside what is decided: the number of both.
    pub fn add(&mut self, f: &Func, facts: &[Fact], outer: u32, cond: Lane, holds: bool) -> u32 {
        let mut work = [Some((cond, holds)), None, None, None];
        let (mut next, mut end, mut number) = (0, 1, outer);
        while next < end {
            let Some((lane, holds)) = work[next] else { break };
            next += 1;
            let (lane, holds) = root(f, lane, holds);
            self.0.push(Decision { truth: truth(f, facts, lane), holds, outer: number });
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

    /// Whether a truth value is decided, and how.
    pub fn of(&self, f: &Func, facts: &[Fact], context: u32, lane: Lane) -> Option<bool> {
        let (lane, holds) = root(f, lane, true);
        if let Some(known) = self.find(truth(f, facts, lane), context) {
            return Some(known == holds);
        }
        let Some(Op::Binary(op @ (Binary::And | Binary::Or), a, b)) = f.op(lane.value()) else { return None };
        // One part may decide alone: false for "and", true for "or".
        let parts = [a, b].map(|part| {
            let (part, straight) = root(f, Lane::new(part, lane.index()), true);
            let literal = facts.get(part.value().index()).and_then(|fact| fact.get(part.index()));
            let known = literal.map(|bits| bits != 0).or_else(|| self.find(truth(f, facts, part), context));
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

    /// Whether an operation that compares is decided.
    pub fn compared(
        &self,
        f: &Func,
        facts: &[Fact],
        context: u32,
        op: Binary,
        operands: [Lane; 2],
    ) -> Option<bool> {
        self.find(comparison(f, facts, op, operands)?, context)
    }

    fn find(&self, truth: Truth, mut context: u32) -> Option<bool> {
        for _ in 0..DEPTH {
            let decision = self.0.get((context as usize).checked_sub(1)?)?;
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
            Some(Op::Unary(Unary::Not, a)) => {
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
        Binary::AddP
        | Binary::MulP
        | Binary::DotP
        | Binary::MinP
        | Binary::MaxP
        | Binary::Add
        | Binary::Mul
        | Binary::Div
        | Binary::Dot
        | Binary::And
        | Binary::Or
        | Binary::IAdd
        | Binary::ISub
        | Binary::IMul
        | Binary::IAnd
        | Binary::ILess
        | Binary::IGreater
        | Binary::BitAnd
        | Binary::BitOr
        | Binary::BitXor
        | Binary::ShiftRight
        | Binary::ShiftLeft
        | Binary::UEqual
        | Binary::ULess => None,
    }
}

/// A lane that is compared: its bits if it is literal, else the lane that it copies.
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
