//! The instructions that each value of a function belongs to, after any passes.
//! In: a function with the runs of values that lowering noted, and the values that passes merged.
//! Out: a list of addresses for each value. Passes note nothing else: a value keeps its number when
//! its operation is replaced, so it keeps its instruction, and what a pass adds in front of it is
//! found by its users. Nothing of this is computed for a translation alone.
//!
//! | value | belongs to |
//! |---|---|
//! | made for an instruction | that instruction |
//! | equal to others that were merged with it | the instructions of all of them |
//! | read of an input, which lowering makes for all; operation that a pass made | the instructions of the values that use it |
//! | constant that no instruction was folded to; parameter, result, condition or loop counter of control flow; conversion of an output | none |

use super::func::{Func, Hint, Place};
use super::op::resource::Resource;
use super::op::{Def, Op};
use super::types::Value;
use super::walk::{Step, Walk};
use crate::program::isa::Pc;
use crate::program::isa::placed::sort;
use crate::support::entity::Handle;

/// The instructions of all values of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    lists: Vec<Vec<Pc>>,
}

impl Places {
    /// Collects the instructions of the values of a well-formed function.
    pub fn new(f: &Func) -> Self {
        let mut lists: Vec<Vec<Pc>> = f.values.keys().map(|value| own(f, value)).collect();
        // A value that is merged takes along what was merged with it before.
        for &(old, new) in &f.merged {
            let moved = lists.get_mut(old.index()).map(std::mem::take).unwrap_or_default();
            if let Some(list) = lists.get_mut(new.index()) {
                list.extend(moved);
            }
        }
        let mut order = Vec::with_capacity(f.values.len());
        let mut walk = Walk::new(f);
        while let Some(step) = walk.next(f) {
            if let Step::Let(value) = step {
                order.push(value);
            }
        }
        let is_users: Vec<bool> = f.values.keys().map(|value| is_users(f, value, &lists)).collect();
        // Users come after their operands, and their own lists must be complete.
        for &user in order.iter().rev() {
            let Some(op) = f.op(user) else { continue };
            let mut list = std::mem::take(&mut lists[user.index()]);
            sort(&mut list);
            op.for_each(&f.pool, |operand| {
                if is_users.get(operand.index()) == Some(&true) {
                    lists[operand.index()].extend_from_slice(&list);
                }
            });
            lists[user.index()] = list;
        }
        Self { lists }
    }

    /// Returns the addresses of the instructions that a value belongs to, ascending.
    pub fn get(&self, value: Value) -> &[Pc] {
        self.lists.get(value.index()).map_or(&[], Vec::as_slice)
    }
}

/// The instruction that a value was made for.
fn own(f: &Func, value: Value) -> Vec<Pc> {
    let data = f.values[value];
    match (data.def, f.place(value)) {
        // Lowering makes constants and inputs for all instructions when the first one needs them. A
        // constant for a register is what an instruction was folded to.
        (Def::Op(Op::Const(_)), _) if data.hint == Hint::default() => Vec::new(),
        (Def::Param | Def::Result | Def::Op(Op::Read(Resource::Input(_))), _) => Vec::new(),
        // A dead one may have been merged.
        (Def::Op(_) | Def::Dead, Some(Place { pc: Some(pc), end, .. })) if value < end => vec![pc],
        (Def::Op(_) | Def::Dead, _) => Vec::new(),
    }
}

/// Returns whether a value belongs to the instructions of its users.
fn is_users(f: &Func, value: Value, lists: &[Vec<Pc>]) -> bool {
    let is_near = f.place(value).is_some_and(|place| place.pc.is_some() && place.end <= value);
    match f.values[value].def {
        Def::Op(Op::Const(_)) | Def::Param | Def::Result | Def::Dead => false,
        Def::Op(Op::Read(Resource::Input(_))) => true,
        Def::Op(_) => lists[value.index()].is_empty() && !is_near,
    }
}
