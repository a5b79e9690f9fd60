//! A table of the operations that are visible at one place of a walk in program order.
//! In: operations as the walk meets them, and where regions begin and end. Out: an equal operation
//! met before that is visible here. Every operation is pure, those that read inputs and uniforms
//! too.
//!
//! Values enter the table in program order and leave it with their region. The table's order shows
//! nowhere: each operation is in it at most once.
//!
//! A table of its own beside [`Interner`](crate::support::entity::Interner): it forgets what leaves
//! its scope, and every operation of a program goes through it three times. `hashbrown` with
//! derived hashes took a fifth more time of all passes.

use crate::ir::{Def, Func, Lane, Op, Type, Value, ValueData};
use crate::support::entity;

/// The table. Keep one to reuse its memory.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    /// Value numbers + 1.
    table: Vec<u32>,
    /// Filled places of the table, oldest first.
    filled: Vec<u32>,
    /// Length of `filled` where each open region began.
    scopes: Vec<usize>,
    /// Number of places in use, less one.
    mask: usize,
}

impl Visible {
    /// Forgets everything and makes room for a function of this many values.
    pub fn start(&mut self, values: usize) {
        // All of it is empty but what another function left.
        self.filled.drain(..).for_each(|place| self.table[place as usize] = 0);
        self.mask = (values * 2).next_power_of_two() - 1;
        self.table.resize(self.table.len().max(self.mask + 1), 0);
        self.scopes.clear();
    }

    /// A region begins.
    #[inline]
    pub fn begin(&mut self) {
        self.scopes.push(self.filled.len());
    }

    /// A region ends: nothing evaluated in it is visible any more.
    #[inline]
    pub fn end(&mut self) {
        // Newest first, so that each chain of collisions shrinks from its end.
        let scope = self.scopes.pop().unwrap_or(0);
        self.filled.drain(scope..).rev().for_each(|place| self.table[place as usize] = 0);
    }

    /// A region ends and its items continue the region around it: what was evaluated in it stays
    /// visible.
    #[inline]
    pub fn join(&mut self) {
        self.scopes.pop();
    }

    /// The visible value of an equal operation; if there is none, `value` is that from here on.
    #[expect(clippy::inline_always, reason = "two callers, once for each value")]
    #[inline(always)]
    pub fn find_or_add(&mut self, f: &Func, value: Value) -> Option<Value> {
        let ValueData { ty, def: Def::Op(op), .. } = &f.values[value] else { return None };
        let mask = self.mask;
        let mut place = hash(f, op, *ty) as usize & mask;
        while let Some(known) = self.table[place].checked_sub(1) {
            let known = Value(known);
            let data = &f.values[known];
            if data.ty == *ty
                && let Def::Op(other) = &data.def
                && is_equal(f, op, other)
            {
                return Some(known);
            }
            place = (place + 1) & mask;
        }
        // One place always stays free, or else the search would not end.
        if self.filled.len() < mask {
            self.table[place] = value.0 + 1;
            self.filled.push(place as u32);
        }
        None
    }
}

#[inline]
fn is_equal(f: &Func, a: &Op, b: &Op) -> bool {
    match (a, b) {
        (Op::Binary(op, a, b), Op::Binary(other, c, d)) => {
            op == other && ((a, b) == (c, d) || (a, b) == (d, c) && op.commutes())
        }
        (Op::Call { helper, args }, Op::Call { helper: other, args: others }) => {
            helper == other && f.get(*args) == f.get(*others)
        }
        _other_pairs => a == b,
    }
}

/// A hash of what [`is_equal`] compares. Two words, since a derived one mixes each field of an
/// operation by itself.
#[expect(clippy::inline_always, reason = "two callers, once for each value")]
#[inline(always)]
fn hash(f: &Func, op: &Op, ty: Type) -> u64 {
    let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
    let bytes =
        |tag: u8, a: u8, b: u8| u64::from(u32::from_le_bytes([tag, a, b, ty.lanes << 2 | ty.kind as u8]));
    let lane = |lane: Lane| lane.value().0 << 2 | u32::from(lane.index());
    let (head, rest, more) = match *op {
        Op::Const([x, y, z, w]) => (bytes(0, 0, 0), pair(x, y), pair(z, w)),
        Op::Read(resource) => (bytes(1, 0, 0), entity::hash(&resource), 0),
        Op::ReadAt(array, index) => (bytes(2, 0, 0), entity::hash(&array), u64::from(index.0)),
        // Equal to none other: its list is its own.
        Op::Submit { args } => (bytes(3, 0, 0), u64::from(args.start), 0),
        Op::Shuffle([x, y, z, w]) => (bytes(4, 0, 0), pair(lane(x), lane(y)), pair(lane(z), lane(w))),
        Op::Unary(op, a) => (bytes(5, op as u8, 0), u64::from(a.0), 0),
        Op::Binary(op, a, b) if !op.commutes() => (bytes(6, op as u8, 0), pair(a.0, b.0), 0),
        Op::Binary(op, a, b) => (bytes(6, op as u8, 0), pair(a.0.min(b.0), a.0.max(b.0)), 0),
        Op::Select { cond, a, b } => (bytes(7, 0, 0), pair(cond.0, a.0), u64::from(b.0)),
        Op::Call { helper, args } => (bytes(8, 0, 0), u64::from(helper), entity::hash(&f.get(args))),
    };
    entity::hash(&(rest ^ head.rotate_left(36), more))
}
