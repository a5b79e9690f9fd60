//! Operations: one SPIR-V instruction for each, GLSL.std.450 if the core has none.
//! In: a value and its definition. Out: its id. Knows no control flow. `OpFUnord*` never appears
//! (drivers.md#naga-unordered); constants that are not finite are bit casts
//! (drivers.md#naga-infinity), and/or of bool vectors selects (drivers.md#naga-bool-vectors). Float
//! arithmetic carries NoContraction if the profile requests it.

use ::spirv::{Decoration, GlslStd450Op, Op, Word};

use super::function::{Body, defined};
use crate::backend::interface::{Statements as _, defect, not_legal};
use crate::error::Result;
use crate::ir::{self, Array, Binary, Def, Lane, Resource, ScalarKind, Type, Unary, Value, ValueList};
use crate::machine::precision::bits::{EXPONENT, MAGNITUDE};
use crate::support::entity::Handle;

/// Form of an operation.
pub(super) enum Form {
    /// A core instruction other than float arithmetic.
    Core(Op),
    /// `OpLogicalAnd` or `OpLogicalOr`; a select for vectors.
    Logical(Op),
    /// A core instruction of float arithmetic.
    Float(Op),
    /// A function of GLSL.std.450, float arithmetic.
    Glsl(GlslStd450Op),
    /// None: `legalize` removes it.
    Pica,
}

fn unary_form(op: Unary) -> Form {
    match op {
        Unary::Neg => Form::Float(Op::FNegate),
        Unary::Floor => Form::Glsl(GlslStd450Op::Floor),
        Unary::InverseSqrt => Form::Glsl(GlslStd450Op::InverseSqrt),
        Unary::Sqrt => Form::Glsl(GlslStd450Op::Sqrt),
        Unary::Exp2 => Form::Glsl(GlslStd450Op::Exp2),
        Unary::Log2 => Form::Glsl(GlslStd450Op::Log2),
        Unary::IsNan => Form::Core(Op::IsNan),
        Unary::Not => Form::Core(Op::LogicalNot),
        // Undefined for NaN and numbers out of range: `legalize` has made those 0.
        Unary::ToInt => Form::Core(Op::ConvertFToS),
        Unary::ToFloat => Form::Core(Op::ConvertSToF),
        Unary::ToBits | Unary::FromBits | Unary::UintToInt | Unary::IntToUint => Form::Core(Op::Bitcast),
        _pica => Form::Pica,
    }
}

pub(super) fn binary_form(op: Binary) -> Form {
    match op {
        Binary::Add => Form::Float(Op::FAdd),
        Binary::Mul => Form::Float(Op::FMul),
        Binary::Min => Form::Glsl(GlslStd450Op::FMin),
        Binary::Max => Form::Glsl(GlslStd450Op::FMax),
        Binary::Div => Form::Float(Op::FDiv),
        Binary::Dot => Form::Float(Op::Dot),
        Binary::Equal => Form::Core(Op::FOrdEqual),
        Binary::Less => Form::Core(Op::FOrdLessThan),
        Binary::LessEqual => Form::Core(Op::FOrdLessThanEqual),
        Binary::Greater => Form::Core(Op::FOrdGreaterThan),
        Binary::GreaterEqual => Form::Core(Op::FOrdGreaterThanEqual),
        Binary::And => Form::Logical(Op::LogicalAnd),
        Binary::Or => Form::Logical(Op::LogicalOr),
        Binary::IAdd | Binary::UAdd => Form::Core(Op::IAdd),
        Binary::ISub | Binary::USub => Form::Core(Op::ISub),
        Binary::IMul | Binary::UMul => Form::Core(Op::IMul),
        Binary::IAnd | Binary::BitAnd => Form::Core(Op::BitwiseAnd),
        Binary::IEqual | Binary::UEqual => Form::Core(Op::IEqual),
        Binary::ILess => Form::Core(Op::SLessThan),
        Binary::IGreater => Form::Core(Op::SGreaterThan),
        Binary::BitOr => Form::Core(Op::BitwiseOr),
        Binary::BitXor => Form::Core(Op::BitwiseXor),
        Binary::ShiftRight => Form::Core(Op::ShiftRightLogical),
        Binary::ShiftLeft => Form::Core(Op::ShiftLeftLogical),
        Binary::ULess => Form::Core(Op::ULessThan),
        _pica => Form::Pica,
    }
}

impl Body<'_> {
    /// Evaluates a value.
    #[expect(clippy::inline_always, reason = "one caller, once for each value")]
    #[inline(always)]
    pub(super) fn define(&mut self, value: Value) -> Result<()> {
        let data = &self.func.values[value];
        let Def::Op(op) = &data.def else {
            return Err(defect(format!("{value} has no operation")));
        };
        let ty = data.ty;
        let id = match *op {
            ir::Op::Const(bits) => self.finite(ty, bits),
            ir::Op::Read(resource) => self.read(resource)?,
            ir::Op::ReadAt(array, index) => self.read_at(array, index)?,
            ir::Op::Shuffle(lanes) => {
                let lanes = &lanes[..usize::from(ty.lanes.clamp(1, 4))];
                self.shuffle(ty, lanes)
            }
            ir::Op::Unary(Unary::Abs, a) => {
                let magnitude = self.magnitude(a);
                let ty = self.w.ty(ty);
                self.w.value(Op::Bitcast, ty, &[magnitude])
            }
            ir::Op::Binary(Binary::Less, a, b) if self.is_magnitude_and_bound(a, b) => {
                let bits = self.func.ty(b).with_kind(ScalarKind::U32);
                let (a, bound) = (self.id(a), self.func.op(b));
                let bound = if let Some(ir::Op::Const(bound)) = bound { bound } else { [0; 4] };
                let bound = self.w.constant(bits, bound);
                let [bits, ty] = [bits, ty].map(|ty| self.w.ty(ty));
                let a = self.w.value(Op::Bitcast, bits, &[a]);
                self.w.value(Op::ULessThan, ty, &[a, bound])
            }
            ir::Op::Unary(unary, a) => {
                let a = self.id(a);
                self.operation(unary_form(unary), ty, [a]).ok_or_else(|| not_legal(*op))?
            }
            ir::Op::Binary(binary, a, b) => {
                let (a, b) = (self.id(a), self.id(b));
                self.operation(binary_form(binary), ty, [a, b]).ok_or_else(|| not_legal(*op))?
            }
            ir::Op::Select { cond, a, b } => {
                let operands = [self.id(cond), self.id(a), self.id(b)];
                let ty = self.w.ty(ty);
                self.w.value(Op::Select, ty, &operands)
            }
            // A geometry stage emits vertices; the compute entry appends to a buffer.
            ir::Op::Submit { args } if self.source.interface.stage().is_some() => self.emit_triangle(args)?,
            ir::Op::Submit { args } => self.submit_triangle(self.func, args, self.kernel()?.vectors)?,
            ir::Op::Call { helper, args } => self.call(helper, args, ty)?,
        };
        self.s.ids[value.index()] = id;
        Ok(())
    }

    /// The bits of a number without its sign: no declaration makes FAbs respect NaN and infinities.
    fn magnitude(&mut self, a: Value) -> Word {
        let bits = self.func.ty(a).with_kind(ScalarKind::U32);
        let (a, kept) = (self.id(a), self.w.constant(bits, [MAGNITUDE; 4]));
        let ty = self.w.ty(bits);
        let all = self.w.value(Op::Bitcast, ty, &[a]);
        self.w.value(Op::BitwiseAnd, ty, &[all, kept])
    }

    /// Returns whether these are a magnitude and a constant that is not negative or NaN: their bits
    /// compare as they do, NaN included, and compilers find the lesser of two integers.
    fn is_magnitude_and_bound(&self, a: Value, b: Value) -> bool {
        let is_bound = |op| matches!(op, ir::Op::Const(bits) if bits.iter().all(|&bits| bits <= EXPONENT));
        matches!(self.func.op(a), Some(ir::Op::Unary(Unary::Abs, _))) && self.func.op(b).is_some_and(is_bound)
    }

    fn read(&mut self, resource: Resource) -> Result<Word> {
        match resource {
            // `Reads::collect` has refused registers beyond v15; the mask keeps the index in
            // bounds.
            Resource::Input(register) => Ok(self.registers[usize::from(register & 15)]),
            Resource::Member { member, element } => self.load_member(member, Some(element), None),
            Resource::Index { element, .. } => Ok(self.w.constant(Type::I32, [element.into(), 0, 0, 0])),
            Resource::Host(field) => Ok(self.load_host(field)),
            Resource::Draw(field) => self.draw(field),
            Resource::Specialized(id) => Ok(self.w.specialized(id)),
            Resource::Uniform(_) | Resource::IntUniform { .. } | Resource::BoolUniform(_) => {
                Err(not_legal(ir::Op::Read(resource)))
            }
        }
    }

    fn read_at(&mut self, array: Array, index: Value) -> Result<Word> {
        match array {
            Array::Member(member) => self.load_member(member, None, Some(index)),
            Array::Buffer(buffer) => self.load_element(buffer, index),
            Array::Uniform(_) => Err(not_legal(ir::Op::ReadAt(array, index))),
        }
    }

    /// Returns a constant, as a bit cast if one of its lanes is infinite or NaN.
    fn finite(&mut self, ty: Type, bits: [u32; 4]) -> Word {
        if ty.kind == ScalarKind::F32 && bits.iter().any(|&word| word & EXPONENT == EXPONENT) {
            // naga rejects float constants that are not finite.
            let bits = self.w.constant(ty.with_kind(ScalarKind::U32), bits);
            let ty = self.w.ty(ty);
            return self.w.value(Op::Bitcast, ty, &[bits]);
        }
        self.w.constant(ty, bits)
    }

    /// Writes one instruction, or returns `None` for an operation that `legalize` removes.
    #[inline]
    fn operation<const N: usize>(&mut self, form: Form, ty: Type, operands: [Word; N]) -> Option<Word> {
        let lanes = ty.lanes;
        let ty = self.w.ty(ty);
        let id = match form {
            Form::Pica => return None,
            Form::Logical(op) if lanes > 1 => {
                // naga rejects logical instructions on vectors: `a && b` is `a ? b : a`, `a || b`
                // is `a ? a : b`.
                let (a, b) = (operands[0], operands[N - 1]);
                let choice = if op == Op::LogicalAnd { [a, b, a] } else { [a, a, b] };
                return Some(self.w.value(Op::Select, ty, &choice));
            }
            Form::Logical(op) | Form::Core(op) => return Some(self.w.value(op, ty, &operands)),
            Form::Float(op) => self.w.value(op, ty, &operands),
            Form::Glsl(op) => {
                self.w.value_list(Op::ExtInst, ty, [self.glsl, op as Word], operands.into_iter())
            }
        };
        // Only float arithmetic gets here; the other forms returned above.
        if super::interface::decorates_operations(self.source.profile) {
            self.w.mark(id, Decoration::NoContraction);
        }
        Some(id)
    }

    fn call(&mut self, helper: u16, args: ValueList, ty: Type) -> Result<Word> {
        let func = self.func;
        let Some(&(function, result)) = self.s.helpers.get(usize::from(helper)) else {
            return Err(defect(format!("helper {helper} is not defined before its call")));
        };
        let callee = &self.source.module.helpers[usize::from(helper)];
        let (params, args) = (callee.get(callee.params), func.get(args));
        let have_same_type = |(&param, &arg): (&Value, &Value)| callee.ty(param) == func.ty(arg);
        if result != ty || params.len() != args.len() || !params.iter().zip(args).all(have_same_type) {
            return Err(defect(format!("call of helper {helper} does not match its types")));
        }
        let Self { w, s, undefined, .. } = self;
        let ty = w.ty(ty);
        let args = args.iter().map(|&arg| defined(&s.ids, undefined, arg));
        Ok(w.value_list(Op::FunctionCall, ty, [function], args))
    }

    /// Collects lanes with the smallest instruction: none, an extract, a shuffle of one or two
    /// vectors, or a construct.
    fn shuffle(&mut self, ty: Type, lanes: &[Lane]) -> Word {
        if let [lane] = lanes {
            return self.extract(ty, *lane);
        }
        let func = self.func;
        let first = lanes[0].value();
        let other = lanes.iter().map(|lane| lane.value()).find(|&value| value != first);
        if other.is_none() {
            return self.pick(first, lanes);
        }
        let second = other.unwrap_or(first);
        let are_two = lanes.iter().all(|lane| lane.value() == first || lane.value() == second);
        let width = func.ty(first).lanes;
        // OpVectorShuffle takes two vectors and no scalars.
        if !are_two || width == 1 || func.ty(second).lanes == 1 {
            return self.construct(ty, lanes);
        }
        let (a, b) = (self.id(first), self.id(second));
        let ty = self.w.ty(ty);
        // OpVectorShuffle numbers the lanes of the second vector after those of the first.
        let place = |lane: &Lane| lane.index() + if lane.value() == first { 0 } else { width };
        self.w.value_list(Op::VectorShuffle, ty, [a, b], lanes.iter().map(|lane| place(lane).into()))
    }

    /// Returns a lane as a scalar of a type.
    #[inline]
    fn extract(&mut self, ty: Type, lane: Lane) -> Word {
        let id = self.id(lane.value());
        if self.func.ty(lane.value()).lanes == 1 {
            return id;
        }
        let ty = self.w.ty(ty);
        self.w.value(Op::CompositeExtract, ty, &[id, lane.index().into()])
    }

    /// Collects lanes of one value.
    fn pick(&mut self, value: Value, lanes: &[Lane]) -> Word {
        let source = self.func.ty(value);
        if let [lane] = lanes {
            return self.extract(source.with_lanes(1), *lane);
        }
        let id = self.id(value);
        let ty = self.w.ty(source.with_lanes(lanes.len() as u8));
        if source.lanes == 1 {
            let parts = std::iter::repeat_n(id, lanes.len());
            return self.w.value_list(Op::CompositeConstruct, ty, [], parts);
        }
        let in_order = lanes.iter().zip(0..).all(|(lane, index)| lane.index() == index);
        if in_order && lanes.len() == usize::from(source.lanes) {
            return id;
        }
        // The instruction always has two vectors.
        self.w.value_list(Op::VectorShuffle, ty, [id, id], lanes.iter().map(|lane| lane.index().into()))
    }

    /// Collects lanes of several values: each run of lanes of one vector is one part.
    fn construct(&mut self, ty: Type, lanes: &[Lane]) -> Word {
        let (mut parts, mut count) = ([0; 4], 0);
        let mut rest = lanes;
        while let Some(lane) = rest.first() {
            let is_scalar = self.func.ty(lane.value()).lanes == 1;
            let run = rest.iter().take_while(|next| next.value() == lane.value()).count();
            // Repeated scalars are one part each: only lanes of a vector form a run.
            let run = if is_scalar { 1 } else { run };
            parts[count] = self.pick(lane.value(), &rest[..run]);
            count += 1;
            rest = &rest[run..];
        }
        let ty = self.w.ty(ty);
        self.w.value_list(Op::CompositeConstruct, ty, [], parts[..count].iter().copied())
    }
}
