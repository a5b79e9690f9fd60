//! Appends operations to a list of items, with the result types that follow from the operands.
//! In: operands. Out: values of one function. Knows nothing about what is legal.

use crate::ir::{Binary, Def, Exit, Func, Item, Lane, Op, RegionData, ScalarKind, Type, Unary, Value};
use crate::machine::precision::bits::SIGN;

/// The function under construction and the items of its current region.
pub(in crate::passes) struct Emit<'a> {
    /// Owns the values.
    pub func: &'a mut Func,
    /// The items so far.
    pub items: Vec<Item>,
}

impl<'a> Emit<'a> {
    /// Into a function that exists.
    pub fn new(func: &'a mut Func) -> Self {
        Self { func, items: Vec::with_capacity(64) }
    }
    /// Into an empty helper function, with room for most bodies.
    pub fn helper(func: &'a mut Func) -> Self {
        func.values.reserve(16);
        func.pool.reserve(8);
        func.regions.reserve(1);
        Self { func, items: Vec::with_capacity(16) }
    }
    /// Adds a parameter to a helper function; before any other list is stored.
    pub fn param(&mut self, ty: Type) -> Value {
        let value = self.func.value(ty, Def::Param);
        // Parameters form one list, which grows at the end of the pool only.
        debug_assert!(self.func.params.range().end == self.func.pool.len());
        self.func.pool.push(value);
        self.func.params.len += 1;
        value
    }
    /// Any operation.
    pub fn op(&mut self, ty: Type, op: Op) -> Value {
        let value = self.func.value(ty, Def::Op(op));
        self.items.push(Item::Let(value));
        value
    }
    /// A constant with the same bits in each lane.
    pub fn splat(&mut self, ty: Type, bits: u32) -> Value {
        self.op(ty, Op::splat(ty, bits))
    }
    /// A float constant with the same number in each lane.
    pub fn float(&mut self, lanes: u8, number: f32) -> Value {
        self.splat(Type::new(ScalarKind::F32, lanes), number.to_bits())
    }
    /// An i32 scalar constant.
    pub fn int(&mut self, number: i32) -> Value {
        self.splat(Type::I32, number.cast_unsigned())
    }
    /// A one-operand operation.
    pub fn unary(&mut self, op: Unary, a: Value) -> Value {
        let ty = op.result(self.func.ty(a));
        self.op(ty, Op::Unary(op, a))
    }
    /// A two-operand operation.
    pub fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        let ty = op.result(self.func.ty(a));
        self.op(ty, Op::Binary(op, a, b))
    }
    /// `cond ? a : b` in each lane.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.op(ty, Op::Select { cond, a, b })
    }
    /// A zero with the sign of a number, in which no driver finds a constant.
    pub fn zero_of_sign(&mut self, a: Value) -> Value {
        let ty = self.func.ty(a);
        let sign = self.splat(ty.with_kind(ScalarKind::U32), SIGN);
        let bits = self.unary(Unary::ToBits, a);
        let bits = self.binary(Binary::BitAnd, bits, sign);
        self.unary(Unary::FromBits, bits)
    }
    /// One lane as a scalar.
    pub fn lane(&mut self, lane: Lane) -> Value {
        let ty = self.func.ty(lane.value());
        // A scalar is its own lane.
        if ty.lanes == 1 {
            return lane.value();
        }
        self.op(ty.with_lanes(1), Op::Shuffle([lane; 4]))
    }
    /// A call.
    pub fn call(&mut self, helper: u16, args: &[Value]) -> Op {
        Op::Call { helper, args: self.func.list(args.iter().copied()) }
    }
    /// Ends the function.
    pub fn finish(self, result: Value) {
        let exit = Exit::Yield(self.func.list([result]));
        self.func.body = Some(self.func.regions.push(RegionData { items: self.items, exit }));
    }
}
