//! Shorthands of the builder for scalars: slots, integers, tests, choices.
//! In: slots and values. Out: values in the builder's current region. Knows no instructions.

use super::lanes::Slot;
use super::scope::Builder;
use crate::ir::{Binary, Lane, Op, Type, Unary, Value};

impl Builder {
    /// Reads a slot as a scalar.
    pub(super) fn read(&mut self, slot: Slot) -> Value {
        self.scalar(self.get(slot))
    }
    /// Sets a slot to a scalar.
    pub(super) fn write(&mut self, slot: Slot, value: Value) {
        self.set(slot, Lane::new(value, 0));
    }

    /// Reads adjacent slots as a vector; four of them exist.
    pub(super) fn read_vector(&mut self, start: Slot, lanes: u8) -> Value {
        let all = [0, 1, 2, 3].map(|lane| self.get(start + lane));
        self.gather(&all[..usize::from(lanes)])
    }
    /// Sets adjacent slots to the lanes of a vector.
    pub(super) fn write_vector(&mut self, start: Slot, value: Value) {
        for lane in 0..self.func.ty(value).lanes {
            self.set(start + usize::from(lane), Lane::new(value, lane));
        }
    }

    /// Converts a lane to a scalar value.
    pub(super) fn scalar(&mut self, lane: Lane) -> Value {
        self.gather(&[lane])
    }

    /// An integer constant.
    pub(super) fn int(&mut self, value: i32) -> Value {
        self.constant(Type::I32, [value.cast_unsigned(), 0, 0, 0])
    }
    /// Emits a comparison or a logical operation.
    pub(super) fn test(&mut self, op: Binary, x: Value, y: Value) -> Value {
        self.emit(Type::BOOL, Op::Binary(op, x, y))
    }
    /// Compares an integer with a constant.
    pub(super) fn test_int(&mut self, op: Binary, x: Value, constant: i32) -> Value {
        let constant = self.int(constant);
        self.test(op, x, constant)
    }
    pub(super) fn not(&mut self, value: Value) -> Value {
        self.emit(Type::BOOL, Op::Unary(Unary::Not, value))
    }
    pub(super) fn int_op(&mut self, op: Binary, x: Value, y: Value) -> Value {
        self.emit(Type::I32, Op::Binary(op, x, y))
    }
    /// Adds 1 to an integer slot, or subtracts it.
    pub(super) fn step(&mut self, op: Binary, slot: Slot) {
        let (value, one) = (self.read(slot), self.int(1));
        let next = self.int_op(op, value, one);
        self.write(slot, next);
    }
    /// Chooses one of two scalars.
    pub(super) fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.emit(self.func.ty(a), Op::Select { cond, a, b })
    }
    /// The register of a relative read: see
    /// [`uniform_index`](crate::machine::precision::arith::uniform_index).
    pub(super) fn uniform_index(&mut self, base: u8, offset: Value) -> Value {
        let [below, above, zero, base, mask] = [-129, 128, 0, i32::from(base), 0x7F].map(|int| self.int(int));
        let low = self.test(Binary::IGreater, offset, below);
        let high = self.test(Binary::ILess, offset, above);
        let inside = self.test(Binary::And, low, high);
        let offset = self.select(inside, offset, zero);
        let sum = self.int_op(Binary::IAdd, base, offset);
        self.int_op(Binary::IAnd, sum, mask)
    }
    /// Lowers both arms of an `if`.
    pub(super) fn when(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        self.open_if(cond);
        then(self);
        self.begin_else();
        otherwise(self);
        self.close();
    }
}
