//! Constants that drivers would find through a construct or a selection.
//! In: values that a construct takes, or that an operation chooses from. Out: the same, with
//! numbers in place of their constants that no driver knows. [`hide`](crate::passes::drivers::hide)
//! says where and why.

use super::emit::Emit;
use super::pass::Pass;
use crate::ir::{Func, Node, Op, Region, ScalarKind, Value, ValueList};

impl Pass<'_> {
    /// Hides the constants among the values that a construct takes. Returns whether it must.
    pub(super) fn hide(&mut self, node: Node, list: ValueList) -> bool {
        let takes = self.hide.as_ref().is_some_and(|hide| hide.takes(node));
        if takes {
            for index in list.range() {
                self.emit.func.pool[index] = self.hidden(self.emit.func.pool[index], 15);
            }
        }
        takes
    }

    /// Hides the constants that all exits give a result, in the first of them.
    pub(super) fn hide_agreed(&mut self) {
        if self.hide.is_none() {
            return;
        }
        let mut exits = std::mem::take(&mut self.exits);
        exits.sort_by_cached_key(|(node, _)| u64::from(node.0));
        for exits in exits.chunk_by(|(a, _), (b, _)| a == b) {
            let list = |f: &Func, (_, region): (Node, Region)| f.regions[region].exit.list();
            for at in 0..list(self.emit.func, exits[0]).len as usize {
                let constant = |f: &Func, exit| self.facts.constants.get(f.get(list(f, exit))[at]);
                let mut agreed = constant(self.emit.func, exits[0]);
                for &exit in &exits[1..] {
                    agreed = agreed.and(constant(self.emit.func, exit));
                }
                if agreed.lanes != 0 {
                    let region = exits[0].1;
                    let index = list(self.emit.func, exits[0]).range().start + at;
                    self.emit.items = std::mem::take(&mut self.emit.func.regions[region].items);
                    self.emit.func.pool[index] = self.hidden(self.emit.func.pool[index], agreed.lanes);
                    self.emit.func.regions[region].items = std::mem::take(&mut self.emit.items);
                }
            }
        }
    }

    /// The operation with the constants hidden that it chooses from.
    pub(super) fn with_hidden_arms(&mut self, op: Op) -> Op {
        match op {
            Op::Select { cond, a, b } => Op::Select { cond, a: self.hidden(a, 15), b: self.hidden(b, 15) },
            Op::Binary(op, a, b) => Op::Binary(op, self.hidden(a, 15), self.hidden(b, 15)),
            _folded => op,
        }
    }

    /// A value of which the constant ones of these lanes are hidden, for a place where a driver may
    /// find them.
    fn hidden(&mut self, value: Value, lanes: u8) -> Value {
        let ty = self.emit.func.ty(value);
        if self.hide.is_none() || ty.kind != ScalarKind::F32 {
            return value;
        }
        self.facts.catch_up(self.emit.func);
        let constant = self.facts.constants.get(value).of_lanes(lanes);
        match &mut self.hide {
            Some(hide) if constant.lanes != 0 => {
                let read = |emit: &mut Emit<'_>, resource| {
                    self.registers.read(emit, resource).unwrap_or(Op::Read(resource))
                };
                hide.over(&mut self.emit, read, value, (constant.lanes, constant.bits))
            }
            Some(_) | None => value,
        }
    }
}
