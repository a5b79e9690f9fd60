//! Legal forms of MIN and MAX, comparisons, reciprocals, powers and logarithms.
//! In: a PICA200 operation on values. Out: the plain operation that takes its place, after the
//! operations that it needs are emitted.

use super::helpers::Helper;
use super::pass::{Group, Pass};
use crate::host::settings::Functions;
use crate::ir::op::scalar;
use crate::ir::{Binary, Lane, Op, Type, Unary, Value};
use crate::machine::precision::Precision;
use crate::passes::analyze::ranges::Classes;

impl Pass<'_> {
    /// `a < b ? a : b` or `a > b ? a : b`: the driver's own operation where both are finite, since
    /// no declaration makes it respect NaN and infinities. `fast` takes it anyway.
    pub(super) fn choose(&mut self, plain: Binary, compare: Binary, a: Value, b: Value) -> Op {
        if !self.precision.rules().guards
            || ![a, b].iter().any(|&operand| self.may_be(operand, Classes::NOT_FINITE))
        {
            return Op::Binary(plain, a, b);
        }
        let cond = self.emit.binary(compare, a, b);
        Op::Select { cond, a, b }
    }

    /// 1 where the comparison holds, else 0.
    pub(super) fn set(&mut self, compare: Binary, a: Value, b: Value) -> Op {
        let lanes = self.emit.func.ty(a).lanes;
        let cond = self.emit.binary(compare, a, b);
        let (one, zero) = (self.emit.float(lanes, 1.0), self.emit.float(lanes, 0.0));
        Op::Select { cond, a: one, b: zero }
    }

    /// Reciprocals, powers and logarithms.
    pub(super) fn unary(&mut self, op: Unary, a: Value) -> Option<Op> {
        let ty = self.emit.func.ty(a);
        let (lanes, constants) = self.fold(op, a);
        if lanes == (1 << ty.lanes) - 1 {
            return Some(Op::Const(constants));
        }
        // A driver would fold these lanes, so the others are computed apart from them.
        if lanes != 0 && op.is_pica() {
            return Some(self.partly_constant(op, a, lanes, constants));
        }
        // `fast` takes the plain operations with all their edges.
        if self.precision == Precision::Fast {
            return Some(match op {
                Unary::RcpP => self.reciprocal(a),
                Unary::RsqP => {
                    let root = self.emit.unary(Unary::Sqrt, a);
                    self.reciprocal(root)
                }
                Unary::Exp2P => Op::Unary(Unary::Exp2, a),
                Unary::Log2P => Op::Unary(Unary::Log2, a),
                Unary::AddressP => self.call(Helper::Address, ty.lanes, &[a]),
                _driver_s => return None,
            });
        }
        if op == Unary::Floor {
            return self.floor(a);
        }
        let helper = match (op, self.functions) {
            // float24 has no such numbers.
            (Unary::RcpP, Functions::Portable)
                if self.keeps_subnormals && self.precision == Precision::Exact =>
            {
                Helper::RcpAny
            }
            (Unary::RcpP, Functions::Portable) => Helper::Rcp,
            (Unary::RcpP, Functions::Driver) => Helper::DriverRcp,
            (Unary::RsqP, Functions::Portable) => Helper::Rsq,
            (Unary::RsqP, Functions::Driver) => Helper::DriverRsq,
            (Unary::Exp2P, Functions::Portable) => Helper::Exp2,
            (Unary::Exp2P, Functions::Driver) => Helper::DriverExp2,
            (Unary::Log2P, Functions::Portable) => Helper::Log2,
            (Unary::Log2P, Functions::Driver) => Helper::DriverLog2,
            (Unary::AddressP, _) => Helper::Address,
            _driver_s => return None,
        };
        Some(self.call(helper, ty.lanes, &[a]))
    }

    /// FLR: the driver's own for finite numbers. No declaration makes it respect NaN and
    /// infinities, or keep subnormal numbers.
    fn floor(&mut self, a: Value) -> Option<Op> {
        let small = if self.keeps_subnormals { Classes::NEGATIVE_ZERO } else { Classes::NONE };
        let lanes = self.emit.func.ty(a).lanes;
        let is_open = self.may_be(a, Classes::NOT_FINITE.or(small));
        is_open.then(|| self.call(Helper::Floor, lanes, &[a]))
    }

    /// 1 by a number.
    fn reciprocal(&mut self, a: Value) -> Op {
        let lanes = self.emit.func.ty(a).lanes;
        let one = self.emit.float(lanes, 1.0);
        Op::Binary(Binary::Div, one, a)
    }

    /// Mask and bits of the lanes of the result that are known, because every machine computes the
    /// same for a constant.
    fn fold(&self, op: Unary, a: Value) -> (u8, [u32; 4]) {
        let (mut lanes, mut result) = (0, [0; 4]);
        let arithmetic = op.is_pica() || matches!(op, Unary::Neg | Unary::Abs | Unary::Floor);
        let func = &*self.emit.func;
        if !arithmetic || self.facts.constants.get(a).lanes == 0 {
            return (lanes, result);
        }
        for (index, slot) in (0..func.ty(a).lanes).zip(&mut result) {
            let known = self.facts.constants.lane(Lane::new(a, index));
            if let Some(bits) = known.and_then(|known| scalar::fold_unary(op, self.precision, known)) {
                *slot = bits;
                lanes |= 1 << index;
            }
        }
        (lanes, result)
    }

    /// An operation of which some lanes are known: a driver would know them too, so they are
    /// constants.
    fn partly_constant(&mut self, op: Unary, a: Value, lanes: u8, constants: [u32; 4]) -> Op {
        let ty = op.result(self.emit.func.ty(a));
        let mut group = Group::new();
        for index in (0..ty.lanes).filter(|index| lanes >> index & 1 == 0) {
            group.push(Lane::new(a, index), Lane::new(a, index), index);
        }
        let known = self.emit.op(ty, Op::Const(constants));
        let mut result = [0, 1, 2, 3].map(|index| Lane::new(known, index));
        let rest = self.gather(&group.a[..usize::from(group.len)]);
        self.facts.catch_up(self.emit.func);
        let rest = self.unary(op, rest).unwrap_or(Op::Unary(op, rest));
        self.place(&mut result, ty, &group, rest);
        Op::shuffle(result, ty.lanes)
    }

    /// The same value: a float in the form that float24 registers hold it.
    pub(super) fn float24_register(&mut self, op: Op) -> Op {
        if !self.precision.rules().rounds || matches!(op, Op::Const(_)) {
            return op;
        }
        let value = self.emit.op(Type::F32X4, op);
        self.call(Helper::ToFloat, 4, &[value])
    }
}
