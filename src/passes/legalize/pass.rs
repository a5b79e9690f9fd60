//! The state of one run, and what every question of legalization needs.
//! In: values and helpers. Out: calls, and vectors of lanes. Knows no operation.

use super::built::Helpers;
use super::emit::Emit;
use super::facts::Facts;
use super::helpers::Helper;
use super::lanes::Memory;
use super::uniforms::Registers;
use crate::host::settings::Functions;
use crate::ir::{Lane, Node, Op, Region, Type, Value};
use crate::machine::precision::Precision;
use crate::passes::analyze::ranges::Classes;
use crate::passes::drivers::hide::Hide;

/// The state of one run.
pub(super) struct Pass<'a> {
    pub precision: Precision,
    pub functions: Functions,
    pub keeps_subnormals: bool,
    pub emit: Emit<'a>,
    pub facts: Facts<'a>,
    pub helpers: Helpers<'a>,
    pub registers: Registers<'a>,
    /// The constants that are hidden, if any has to be.
    pub hide: Option<Hide>,
    /// The exits that give constants which are not hidden, and the constructs that they lead to.
    pub exits: Vec<(Node, Region)>,
    /// Numbers of uses, see [`uses`](super::products::uses); empty if nothing asks.
    pub uses: Vec<u8>,
    /// Causes of NaN that were found.
    pub causes: &'a mut Memory,
}

/// Lanes on their way into one vector operation, and where its lanes go.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub a: [Lane; 4],
    pub b: [Lane; 4],
    to: [u8; 4],
    pub len: u8,
}

impl Group {
    /// Without lanes.
    pub fn new() -> Self {
        let none = Lane::new(Value(0), 0);
        Self { a: [none; 4], b: [none; 4], to: [0; 4], len: 0 }
    }
    /// Adds a lane.
    pub fn push(&mut self, a: Lane, b: Lane, to: u8) {
        let at = usize::from(self.len);
        (self.a[at], self.b[at], self.to[at]) = (a, b, to);
        self.len += 1;
    }
}

impl Pass<'_> {
    pub(super) fn call(&mut self, helper: Helper, lanes: u8, args: &[Value]) -> Op {
        let index = self.helpers.get(helper, lanes);
        self.emit.call(index, args)
    }

    /// The lanes as one value, which is the value that has just these lanes if there is one.
    pub(super) fn gather(&mut self, lanes: &[Lane]) -> Value {
        let value = lanes[0].value();
        let same = |(at, lane): (usize, &Lane)| *lane == Lane::new(value, at as u8);
        let ty = self.emit.func.ty(value);
        if usize::from(ty.lanes) == lanes.len() && lanes.iter().enumerate().all(same) {
            return value;
        }
        let mut all = [lanes[0]; 4];
        all[..lanes.len()].copy_from_slice(lanes);
        let mut op = Op::Shuffle(all);
        // Lanes of one constant are a constant, so that later questions see it.
        if let Some(Op::Const(bits)) = self.emit.func.op(value)
            && lanes.iter().all(|lane| lane.value() == value)
        {
            let mut known = [0; 4];
            for (slot, lane) in known.iter_mut().zip(lanes) {
                *slot = bits[usize::from(lane.index())];
            }
            op = Op::Const(known);
        }
        self.emit.op(ty.with_lanes(lanes.len() as u8), op)
    }

    /// Emits the operation of a group and notes where its lanes go. Returns the operation instead
    /// if it gives all lanes.
    pub(super) fn place(&mut self, result: &mut [Lane; 4], ty: Type, group: &Group, op: Op) -> Option<Op> {
        if group.len == ty.lanes {
            return Some(op);
        }
        let value = self.emit.op(ty.with_lanes(group.len), op);
        for (from, to) in (0..group.len).zip(group.to) {
            result[usize::from(to)] = Lane::new(value, from);
        }
        None
    }

    /// Returns whether a lane of a value may be of some class.
    pub(super) fn may_be(&mut self, value: Value, classes: Classes) -> bool {
        let func = &*self.emit.func;
        self.facts.catch_up(func);
        let mut lanes = (0..func.ty(value).lanes).map(|lane| Lane::new(value, lane));
        lanes.any(|lane| self.facts.may_be(func, lane, classes))
    }

    pub(super) fn may_be_nan(&mut self, value: Value) -> bool {
        self.may_be(value, Classes::NAN)
    }

    pub(super) fn lane_may_be_nan(&mut self, lane: Lane) -> bool {
        self.facts.catch_up(self.emit.func);
        self.facts.may_be(self.emit.func, lane, Classes::NAN)
    }
}
