//! Lowering of data instructions to a few values and updates of the lane map.
//! In: a decoded instruction. Out: operations in the builder's current region. Rules: hardware
//! semantics as measured (inf · 0 = 0, ordered MIN and MAX, broadcast scalars). The arithmetic
//! itself stays PICA200 (`AddP`, `MulP`, …).

use super::context::Context;
use super::geometry::{self, Emission};
use super::hooks::Hooks;
use super::lanes::{self, ADDRESS, COUNTER, FLAGS, Slot, SlotSet};
use super::outputs;
use super::scope::Builder;
use crate::error;
use crate::ir::FloatConstants;
use crate::ir::{Array, Binary, HintRegister, Lane, Module, Op, ScalarKind, Type, Unary, Value};
use crate::machine::precision::arith::LITP_LIMIT;
use crate::machine::precision::bits::{ONE, SIGN};
use crate::program::isa::{
    CompareOp, Component, DataOp, Dest, Index, Inst, Mask, Operand, Pc, Source, Swizzle,
};

/// Lowering of data instructions, with a table of known float uniforms.
pub(super) struct Data<'a> {
    constants: &'a FloatConstants,
    /// Semantics of EMIT and SETEMIT, in a geometry program.
    pub(super) emission: Option<Emission<'a>>,
    pub(super) hooks: Hooks<'a>,
}

/// Begins a program whose slots, except those of geometry programs, end at `slots`.
pub(super) fn begin(context: Context<'_>, slots: Slot, instructions: usize) -> (Builder, Data<'_>) {
    let (slots, emission) = geometry::slots(context, slots);
    let hooks = Hooks {
        hooks: context.hooks,
        base: emission.is_none().then_some(slots.geometry),
        arithmetic: &context.options.arithmetic,
    };
    let data = Data { constants: context.constants, emission, hooks };
    (Builder::new(context.options, slots, instructions), data)
}

/// Ends a program: lowers its outputs and builds the module.
pub(super) fn end(mut builder: Builder, data: &Data<'_>, context: Context<'_>) -> error::Result<Module> {
    // Outputs are not part of a procedure that the program ends in.
    builder.func.begin_place(Some(context.program.entry()));
    let values = match &data.emission {
        Some(emission) => emission.end(&mut builder),
        None => outputs::values(&mut builder, context.outputs, context.options, &data.hooks),
    };
    let main = builder.finish_function(&values, &context.options.limits)?;
    Ok(Module { main, helpers: Vec::new() })
}

impl Data<'_> {
    /// Lowers one instruction; control-flow instructions do nothing here.
    pub(super) fn lower(&self, b: &mut Builder, pc: Pc, inst: &Inst) {
        b.func.begin_place(Some(pc));
        match *inst {
            Inst::Data { op, dest, mask, sources } => self.data(b, op, dest, mask, &sources),
            Inst::Mova { mask, source } => self.mova(b, mask, &source),
            Inst::Cmp { x, y, sources } => self.cmp(b, x, y, &sources),
            Inst::Emit | Inst::SetEmit { .. } => {
                if let Some(emission) = &self.emission {
                    emission.lower(b, inst);
                }
            }
            Inst::Flow(_) | Inst::Unassigned(_) => {}
        }
        self.hooks.tap(b, pc, inst);
        b.func.end_instruction();
    }

    /// Inserts the slots that an instruction assigns.
    pub(super) fn assigned(&self, pc: Pc, inst: &Inst, set: &mut SlotSet) {
        assigned(inst, set);
        self.hooks.assigned(pc, set);
        if let Some(emission) = &self.emission {
            emission.assigned(inst, set);
        }
    }

    fn data(&self, b: &mut Builder, op: DataOp, dest: Dest, mask: Mask, sources: &[Operand; 3]) {
        let to = Target { dest, mask };
        // An instruction that writes nothing is dead, with its reads.
        if mask.is_empty() && !op.writes_flags() {
            return;
        }
        match op {
            DataOp::Add => self.lanewise(b, Binary::AddP, to, sources),
            DataOp::Mul => self.lanewise(b, Binary::MulP, to, sources),
            DataOp::Sge => self.lanewise(b, Binary::SgeP, to, sources),
            DataOp::Slt => self.lanewise(b, Binary::SltP, to, sources),
            DataOp::Max => self.lanewise(b, Binary::MaxP, to, sources),
            DataOp::Min => self.lanewise(b, Binary::MinP, to, sources),
            DataOp::Flr => {
                let a = self.read(b, &sources[0], mask);
                to.vector(b, Op::Unary(Unary::Floor, a));
            }
            DataOp::Mov => {
                let lanes = self.lanes(b, &sources[0], mask);
                to.lanes(b, lanes);
            }
            DataOp::Mad => {
                let [x, y, z] = [0, 1, 2].map(|n| self.read(b, &sources[n], mask));
                // The product is rounded before the sum, so this is two operations.
                let product = b.emit(to.ty(), Op::Binary(Binary::MulP, x, y));
                to.vector(b, Op::Binary(Binary::AddP, product, z));
            }
            DataOp::Dp3 => self.dot(b, to, sources, Mask::XYZ),
            DataOp::Dp4 => self.dot(b, to, sources, Mask::XYZW),
            // DPH takes 1 for the fourth component of its first source.
            DataOp::Dph => {
                let [x, y] = [0, 1].map(|n| self.read(b, &sources[n], Mask::XYZ));
                let w = self.read(b, &sources[1], Mask(8));
                let product = b.emit(Type::F32, Op::Binary(Binary::DotP, x, y));
                to.broadcast(b, Op::Binary(Binary::AddP, product, w));
            }
            DataOp::Ex2 => self.scalar(b, Unary::Exp2P, to, sources),
            DataOp::Lg2 => self.scalar(b, Unary::Log2P, to, sources),
            DataOp::Rcp => self.scalar(b, Unary::RcpP, to, sources),
            DataOp::Rsq => self.scalar(b, Unary::RsqP, to, sources),
            DataOp::Dst => self.distance(b, to, sources),
            DataOp::Litp => self.lighting(b, to, &sources[0]),
            #[cfg(test)]
            DataOp::Lrp => {
                let [x, y] = [0, 1].map(|n| self.read(b, &sources[n], mask));
                let w = Lane::new(self.read(b, &sources[0], Mask(8)), 0);
                let one = b.constant(Type::F32, [ONE, 0, 0, 0]);
                let ones = b.gather(&[Lane::new(one, 0); 4][..mask.count()]);
                let weights = b.gather(&[w; 4][..mask.count()]);
                let negated = self.negate(b, weights);
                let rest = b.emit(to.ty(), Op::Binary(Binary::AddP, ones, negated));
                let [x, y] =
                    [(x, weights), (y, rest)].map(|(x, y)| b.emit(to.ty(), Op::Binary(Binary::MulP, x, y)));
                to.vector(b, Op::Binary(Binary::AddP, x, y));
            }
        }
    }

    fn lanewise(&self, b: &mut Builder, op: Binary, to: Target, sources: &[Operand; 3]) {
        let [x, y] = [0, 1].map(|n| self.read(b, &sources[n], to.mask));
        to.vector(b, Op::Binary(op, x, y));
    }

    fn dot(&self, b: &mut Builder, to: Target, sources: &[Operand; 3], lanes: Mask) {
        let [x, y] = [0, 1].map(|n| self.read(b, &sources[n], lanes));
        to.broadcast(b, Op::Binary(Binary::DotP, x, y));
    }

    fn scalar(&self, b: &mut Builder, op: Unary, to: Target, sources: &[Operand; 3]) {
        // Scalar instructions read x after the swizzle and broadcast the result.
        let x = self.read(b, &sources[0], Mask::X);
        to.broadcast(b, Op::Unary(op, x));
    }

    /// DST: (1, s1.y · s2.y, s1.z, s2.w).
    fn distance(&self, b: &mut Builder, to: Target, sources: &[Operand; 3]) {
        // Only masked components are read, so that others cause no uniform or input read.
        let mut lanes = [Lane::new(b.constant(Type::F32, [ONE, 0, 0, 0]), 0); 4];
        if to.mask.has(Component::Y) {
            let [x, y] = [0, 1].map(|n| self.read(b, &sources[n], Mask(2)));
            lanes[1] = Lane::new(b.emit(Type::F32, Op::Binary(Binary::MulP, x, y)), 0);
        }
        if to.mask.has(Component::Z) {
            lanes[2] = self.lanes(b, &sources[0], Mask(4))[2];
        }
        if to.mask.has(Component::W) {
            lanes[3] = self.lanes(b, &sources[1], Mask(8))[3];
        }
        to.lanes(b, lanes);
    }

    /// LITP: (max(x, 0), clamp(y), 0, max(w, 0)), and both flags for any mask.
    fn lighting(&self, b: &mut Builder, to: Target, source: &Operand) {
        let read = self.lanes(b, source, Mask::XYZW);
        let zero = b.constant(Type::F32, [0; 4]);
        let mut lanes = [Lane::new(zero, 0); 4];
        // MAX gives its second operand for NaN, here 0.
        for component in [0, 3] {
            let x = b.scalar(read[component]);
            lanes[component] = Lane::new(b.emit(Type::F32, Op::Binary(Binary::MaxP, x, zero)), 0);
        }
        let high = b.constant(Type::F32, [LITP_LIMIT.to_bits(), 0, 0, 0]);
        let low = b.constant(Type::F32, [(-LITP_LIMIT).to_bits(), 0, 0, 0]);
        let y = b.scalar(read[1]);
        let y = b.emit(Type::F32, Op::Binary(Binary::MinP, y, high));
        lanes[1] = Lane::new(b.emit(Type::F32, Op::Binary(Binary::MaxP, y, low)), 0);
        let pair = b.gather(&[read[0], read[3]]);
        let zeros = b.constant(Type::new(ScalarKind::F32, 2), [0; 4]);
        let ty = Type::new(ScalarKind::Bool, 2);
        let flags = b.emit_hint(ty, Op::Binary(Binary::GreaterEqual, pair, zeros), HintRegister::Flags, 3);
        to.lanes(b, lanes);
        b.write(FLAGS, flags);
        b.set(FLAGS + 1, Lane::new(flags, 1));
    }

    fn mova(&self, b: &mut Builder, mask: Mask, source: &Operand) {
        // a0 has two components; the other mask bits have no effect.
        let mask = Mask(mask.0 & 3);
        if mask.is_empty() {
            return;
        }
        let x = self.read(b, source, mask);
        let ty = Type::new(ScalarKind::I32, mask.count() as u8);
        let address = b.emit_hint(ty, Op::Unary(Unary::AddressP, x), HintRegister::Address, mask.0);
        for (index, component) in mask.iter().enumerate() {
            b.set(ADDRESS + component.index(), Lane::new(address, index as u8));
        }
    }

    fn cmp(&self, b: &mut Builder, x: CompareOp, y: CompareOp, sources: &[Operand; 2]) {
        // Apart, since most programs test one of them. The first comparison makes cmp.x.
        let flags = [(x, Mask(1)), (y, Mask(2))].map(|(op, mask)| self.compare(b, op, sources, mask));
        b.write(FLAGS, flags[0]);
        b.write(FLAGS + 1, flags[1]);
    }

    fn compare(&self, b: &mut Builder, op: CompareOp, sources: &[Operand; 2], mask: Mask) -> Value {
        let ty = Type::BOOL;
        let (binary, negate) = match op {
            CompareOp::Eq => (Binary::Equal, false),
            // Ne is true for NaN, which is the negation of the ordered Equal.
            CompareOp::Ne => (Binary::Equal, true),
            CompareOp::Lt => (Binary::Less, false),
            CompareOp::Le => (Binary::LessEqual, false),
            CompareOp::Gt => (Binary::Greater, false),
            CompareOp::Ge => (Binary::GreaterEqual, false),
            CompareOp::True6 | CompareOp::True7 => return b.constant(ty, [1, 0, 0, 0]),
        };
        let [s, t] = [0, 1].map(|n| self.read(b, &sources[n], mask));
        let holds = b.emit_hint(ty, Op::Binary(binary, s, t), HintRegister::Flags, mask.0);
        if negate {
            b.emit_hint(ty, Op::Unary(Unary::Not, holds), HintRegister::Flags, mask.0)
        } else {
            holds
        }
    }

    /// Reads the masked components of an operand as a vector in component order.
    fn read(&self, b: &mut Builder, operand: &Operand, mask: Mask) -> Value {
        let value = self.gather(b, operand, mask);
        if operand.negate { self.negate(b, value) } else { value }
    }

    /// As [`read`](Self::read), before negation.
    fn gather(&self, b: &mut Builder, operand: &Operand, mask: Mask) -> Value {
        let register = self.vector(b, operand);
        // A vector of the host is one value already.
        if mask == Mask::XYZW
            && operand.swizzle == Swizzle::XYZW
            && let Ok(value) = register
        {
            return value;
        }
        let mut lanes = [Lane::new(Value(0), 0); 4];
        let mut len = 0;
        for component in mask.iter() {
            lanes[len] = lane(b, register, operand.swizzle.get(component));
            len += 1;
        }
        b.gather(&lanes[..len])
    }

    /// Reads the masked components of an operand, each in its place. (The others are arbitrary.)
    fn lanes(&self, b: &mut Builder, operand: &Operand, mask: Mask) -> [Lane; 4] {
        if operand.negate {
            let value = self.read(b, operand, mask);
            return in_place(mask, value);
        }
        let register = self.vector(b, operand);
        Component::ALL.map(|component| lane(b, register, operand.swizzle.get(component)))
    }

    fn negate(&self, b: &mut Builder, value: Value) -> Value {
        let ty = b.func.ty(value);
        // Constants are negated here, so that one constant value serves all equal reads.
        if let Some(Op::Const(mut bits)) = b.func.op(value) {
            bits[..usize::from(ty.lanes)].iter_mut().for_each(|bits| *bits ^= SIGN);
            return b.constant(ty, bits);
        }
        b.emit(ty, Op::Unary(Unary::Neg, value))
    }

    /// The register of an operand as the host sets it, or a temporary.
    fn vector(&self, b: &mut Builder, operand: &Operand) -> Result<Value, Dest> {
        match operand.register {
            Source::Temp(number) => Err(Dest::Temp(number)),
            Source::Input(number) => Ok(b.input(number)),
            Source::Uniform(number) => Ok(self.uniform(b, number, operand.index)),
        }
    }

    fn uniform(&self, b: &mut Builder, base: u8, index: Index) -> Value {
        if index == Index::None
            && let Some(value) = self.hooks.direct(b, base)
        {
            return value;
        }
        let slot = match index {
            Index::None => None,
            Index::A0x => Some(ADDRESS),
            Index::A0y => Some(ADDRESS + 1),
            Index::Al => Some(COUNTER),
        };
        let offset = slot.map(|slot| b.read(slot));
        // Relative reads take the whole bank, so only absolute ones fold.
        let known = self.constants.get(usize::from(base)).copied().flatten();
        let own = |b: &mut Builder| match (offset, known) {
            (Some(offset), _) => b.emit(Type::F32X4, Op::ReadAt(Array::Uniform(base), offset)),
            (None, Some(bits)) => b.constant(Type::F32X4, bits),
            (None, None) => b.float_uniform(base),
        };
        let value = match &self.emission {
            Some(emission) => emission.read_delivered(b, base, offset, own),
            None => own(b),
        };
        match offset {
            Some(offset) => self.hooks.relative(b, base, offset, value),
            None => value,
        }
    }
}

/// The destination of a result.
#[derive(Clone, Copy)]
struct Target {
    dest: Dest,
    mask: Mask,
}

impl Target {
    fn ty(self) -> Type {
        Type::new(ScalarKind::F32, self.mask.count() as u8)
    }
    fn hint(self) -> HintRegister {
        match self.dest {
            Dest::Temp(n) => HintRegister::Temp(n),
            Dest::Output(n) => HintRegister::Output(n),
        }
    }
    /// Stores an operation with one lane for each masked component.
    fn vector(self, b: &mut Builder, op: Op) {
        let value = b.emit_hint(self.ty(), op, self.hint(), self.mask.0);
        self.lanes(b, in_place(self.mask, value));
    }
    /// Stores a scalar operation to every masked component.
    fn broadcast(self, b: &mut Builder, op: Op) {
        let value = b.emit_hint(Type::F32, op, self.hint(), self.mask.0);
        self.lanes(b, [Lane::new(value, 0); 4]);
    }
    /// Stores a lane to each masked component.
    fn lanes(self, b: &mut Builder, lanes: [Lane; 4]) {
        b.set_masked(lanes::register(self.dest), self.mask, lanes);
    }
}

/// A component of a register of the host, or of a temporary.
#[inline]
fn lane(b: &Builder, register: Result<Value, Dest>, component: Component) -> Lane {
    match register {
        Ok(vector) => Lane::new(vector, component as u8),
        Err(temporary) => b.get(lanes::register(temporary) + component.index()),
    }
}

/// The lanes of a value, each in the place of its masked component; the others are arbitrary.
#[inline]
fn in_place(mask: Mask, value: Value) -> [Lane; 4] {
    let mut lanes = [Lane::new(value, 0); 4];
    for (index, component) in (0..).zip(mask.iter()) {
        lanes[component.index()] = Lane::new(value, index);
    }
    lanes
}

/// Inserts the slots that a data instruction assigns.
fn assigned(inst: &Inst, set: &mut SlotSet) {
    match *inst {
        Inst::Data { op, dest, mask, .. } => {
            set.insert_mask(lanes::register(dest), mask.0);
            if op.writes_flags() {
                set.insert_mask(FLAGS, 3);
            }
        }
        Inst::Mova { mask, .. } => set.insert_mask(ADDRESS, mask.0 & 3),
        Inst::Cmp { .. } => set.insert_mask(FLAGS, 3),
        Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
    }
}
