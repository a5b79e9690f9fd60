//! Unnests ifs.
//! In: [`Items`] without labels. Out: the same program with fewer and shallower ifs. Knows only statements.
//!
//! ```text
//! if c { A; break } else { B }    =>    if c { A; break } B
//! if c { A } else { B; break }    =>    if !c { B; break } A
//! if c { } else { B }             =>    if !c { B }
//! ```

use super::items::{Items, Kind, NONE, Seq};
use super::tree::Cond;
use crate::isa::control::Test;
use crate::isa::{Condition, ConditionOp};

/// Flattens all lists. Variables below `regions` may have more than two values.
pub(super) fn flatten(items: &mut Items, regions: u32) {
    let mut falls = vec![true; items.seqs.len()];
    // What stands in a list has only lists with higher numbers inside.
    for seq in (0..items.seqs.len()).rev() {
        falls[seq] = list(items, Seq(seq as u32), &falls, regions); // Range: a few for each block.
    }
}

/// Flattens a list whose inner lists are flat. Whether its end is reached.
fn list(items: &mut Items, seq: Seq, falls: &[bool], regions: u32) -> bool {
    let mut reached = true;
    let mut before = NONE;
    let mut at = items.seq(seq).first;
    while at != NONE {
        let next = items.item(at).next;
        let mut last = at;
        let mut keep = true;
        match items.item(at).kind {
            Kind::Nothing => keep = false,
            Kind::Block(_) | Kind::Set { .. } | Kind::Breakable(_) | Kind::Switch { .. } => {}
            Kind::Break | Kind::Continue | Kind::Br(_) => reached = false,
            Kind::Loop { leaves, .. } => reached = leaves,
            Kind::If { cond, negate, then, otherwise } => {
                let flat = Flat { cond, negate, then, otherwise }.flatten(items, falls, regions);
                let Flat { cond, negate, then, otherwise } = flat;
                items.item_mut(at).kind = Kind::If { cond, negate, then, otherwise };
                keep = items.seq(then).first != NONE;
                reached = falls[then.0 as usize] || falls[otherwise.0 as usize];
                if !falls[then.0 as usize] && items.seq(otherwise).first != NONE {
                    last = hoist(items, at, otherwise);
                }
            }
        }
        if keep {
            before = last;
        } else {
            unlink(items, seq, before, next);
        }
        if last != at && items.seq(seq).last == at {
            items.seqs[seq.0 as usize].last = last;
        }
        at = next;
    }
    reached
}

/// Moves the content of a list behind a statement. Its last statement.
fn hoist(items: &mut Items, at: u32, from: Seq) -> u32 {
    let (first, last) = (items.seq(from).first, items.seq(from).last);
    items.item_mut(last).next = items.item(at).next;
    items.item_mut(at).next = first;
    items.clear(from);
    last
}

/// Takes the statement between `before` and `next` out of a list.
fn unlink(items: &mut Items, seq: Seq, before: u32, next: u32) {
    let data = &mut items.seqs[seq.0 as usize];
    if before == NONE {
        data.first = next;
    }
    if next == NONE {
        data.last = before;
    }
    if before != NONE {
        items.item_mut(before).next = next;
    }
}

/// The parts of an `if`.
struct Flat {
    cond: Cond,
    negate: bool,
    then: Seq,
    otherwise: Seq,
}

impl Flat {
    /// Exchanges the parts where that is better: an empty one goes last, one that does not fall through first, of two such
    /// the shorter.
    fn flatten(self, items: &Items, falls: &[bool], regions: u32) -> Self {
        let empty = |seq: Seq| items.seq(seq).first == NONE;
        let short = |seq: Seq| items.seq(seq).first == items.seq(seq).last;
        let falls = |seq: Seq| falls[seq.0 as usize];
        let exchange = if empty(self.then) || empty(self.otherwise) {
            empty(self.then) && !empty(self.otherwise)
        } else {
            match (falls(self.then), falls(self.otherwise)) {
                (true, false) => true,
                (false, false) => short(self.otherwise) && !short(self.then),
                (true, true) | (false, true) => false,
            }
        };
        if !exchange {
            return self;
        }
        let (cond, negate) = opposite(self.cond, self.negate, regions);
        Self { cond, negate, then: self.otherwise, otherwise: self.then }
    }
}

/// The opposite of a condition; what has none is negated.
fn opposite(cond: Cond, negate: bool, regions: u32) -> (Cond, bool) {
    match cond {
        Cond::Test(Test::Cmp(Condition { op, ref_x, ref_y })) => {
            let op = match op {
                ConditionOp::Or => ConditionOp::And,
                ConditionOp::And => ConditionOp::Or,
                ConditionOp::X => ConditionOp::X,
                ConditionOp::Y => ConditionOp::Y,
            };
            (Cond::Test(Test::Cmp(Condition { op, ref_x: !ref_x, ref_y: !ref_y })), negate)
        }
        Cond::Test(Test::Bool { id, expected }) => {
            (Cond::Test(Test::Bool { id, expected: !expected }), negate)
        }
        // Exit variables are 0 or 1.
        Cond::VarIs { var, value } if var.0 >= regions => (Cond::VarIs { var, value: 1 - value }, negate),
        Cond::Test(Test::LoopRepeats { .. } | Test::JumpsLeft) | Cond::VarIs { .. } => (cond, !negate),
    }
}
