//! Unnests ifs.
//! In: [`Tree`]. Out: the same program with fewer and shallower ifs. Knows only statements.
//!
//! ```text
//! if c { A; break } else { B }    =>    if c { A; break } B
//! if c { A } else { B; break }    =>    if !c { B; break } A
//! if c { } else { B }             =>    if !c { B }
//! ```

use super::tree::{Cond, List, NONE, Stmt, Tree};
use crate::program::isa::control::Test;
use crate::program::isa::{Condition, ConditionOp};
use crate::support::entity::Handle;

/// Flattens all lists. Variables below `regions` may have more than two values.
pub(super) fn flatten(tree: &mut Tree, regions: u32) {
    let mut falls = vec![true; tree.lists().len()];
    // Inner lists have higher numbers.
    for list in tree.lists().rev() {
        falls[list.index()] = flatten_list(tree, list, &falls, regions);
    }
}

/// Flattens a list whose inner lists are flat. Returns whether its end is reachable.
fn flatten_list(tree: &mut Tree, list: List, falls: &[bool], regions: u32) -> bool {
    let mut reached = true;
    let mut before = NONE;
    let mut at = tree.lists[list].first;
    while at != NONE {
        let next = tree.next_of(at);
        let mut last = at;
        let mut keep = true;
        match tree.stmt(at) {
            Stmt::Nothing => keep = false,
            Stmt::Block(_) | Stmt::Set { .. } | Stmt::Breakable(_) | Stmt::Switch { .. } => {}
            Stmt::Break | Stmt::Continue => reached = false,
            Stmt::Loop { is_left, .. } => reached = is_left,
            Stmt::If { cond, negate, then, otherwise } => {
                let (mut then, mut otherwise) = (then, otherwise);
                if is_better_exchanged(tree, then, otherwise, falls) {
                    std::mem::swap(&mut then, &mut otherwise);
                    let (cond, negate) = opposite(cond, negate, regions);
                    tree.set(at, Stmt::If { cond, negate, then, otherwise });
                }
                // Conditions have no effects, so an `if` with two empty parts is removed.
                keep = !tree.is_empty(then);
                reached = falls[then.index()] || falls[otherwise.index()];
                if !falls[then.index()] && !tree.is_empty(otherwise) {
                    last = hoist(tree, at, otherwise);
                }
            }
        }
        if keep {
            before = last;
        } else {
            unlink(tree, list, before, next);
        }
        // The hoisted statements are the end of the list now.
        if last != at && tree.lists[list].last == at {
            tree.lists[list].last = last;
        }
        at = next;
    }
    reached
}

/// Moves the content of a list after a statement. Returns the last statement moved.
fn hoist(tree: &mut Tree, at: u32, from: List) -> u32 {
    let (first, last) = (tree.lists[from].first, tree.lists[from].last);
    tree.set_next(last, tree.next_of(at));
    tree.set_next(at, first);
    tree.clear(from);
    last
}

/// Removes the statement between `before` and `next` from a list.
fn unlink(tree: &mut Tree, list: List, before: u32, next: u32) {
    let data = &mut tree.lists[list];
    if before == NONE {
        data.first = next;
    }
    if next == NONE {
        data.last = before;
    }
    if before != NONE {
        tree.set_next(before, next);
    }
}

/// Returns whether the parts of an `if` are better swapped: an empty one goes last, one that does
/// not fall through first, and of two such the shorter.
fn is_better_exchanged(tree: &Tree, then: List, otherwise: List, falls: &[bool]) -> bool {
    let is_short = |list: List| tree.lists[list].first == tree.lists[list].last;
    match (tree.is_empty(then), tree.is_empty(otherwise)) {
        (true, false) => true,
        (_, true) => false,
        (false, false) => match (falls[then.index()], falls[otherwise.index()]) {
            (true, false) => true,
            (false, false) => is_short(otherwise) && !is_short(then),
            (true, true) | (false, true) => false,
        },
    }
}

/// Inverts a condition; one without an inverse is negated.
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
