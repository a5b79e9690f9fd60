//! One expression for each operation of the IR.
//! In: an item that evaluates a value. Out: expressions in the draft. Knows no control flow and no
//! syntax.

use super::builder::Builder;
use super::draft::{Form, Label, Operand, PLAIN, Source, View, whole};
use crate::backend::interface::{StorageBuffer, array_length, defect, not_legal};
use crate::error::Result;
use crate::geometry::GeometryKernel;
use crate::host::DrawField;
use crate::host::Member;
use crate::ir::{Array, Binary, Buffer, Def, Op, Resource, Type, Unary, Value, ValueList};

impl<'a> Builder<'a> {
    /// Evaluates a value here.
    pub fn item(&mut self, value: Value) -> Result<()> {
        let data = *self.ir.values.get(value).ok_or_else(|| defect(format!("{value} does not exist")))?;
        let Def::Op(op) = data.def else {
            return Err(defect(format!("{value} is no operation")));
        };
        let view = self.operation(op, data.ty, Label::Hint(data.hint))?;
        self.set(value, view);
        Ok(())
    }

    fn operation(&mut self, op: Op, ty: Type, label: Label) -> Result<View> {
        if op.is_pica() {
            return Err(not_legal(op));
        }
        let (form, operands): (Form, &[Operand]) = match op {
            Op::Const(bits) => return Ok(View::Const(bits)),
            Op::Shuffle(lanes) => return self.shuffle(ty, lanes, label),
            Op::Read(resource) => return self.read(resource, ty, label),
            Op::ReadAt(array, index) => (self.element(array, index)?, &[self.operand(index)?]),
            Op::Unary(Unary::Not, operand) if ty.lanes == 1 => {
                return Ok(self.operand(operand)?.view.negated());
            }
            Op::Submit { args } => return self.submit(args),
            Op::Call { helper, args } => return self.call(helper, args, ty, label),
            Op::Unary(op, operand) => (Form::Unary(op), &[self.operand(operand)?]),
            Op::Binary(op, left, right) => (Form::Binary(op), &self.operands(op, left, right)?),
            Op::Select { cond, a, b } => {
                let condition = match self.repeated(cond)? {
                    Some(scalar) => scalar,
                    None => self.operand(cond)?,
                };
                (Form::Select, &[condition, self.operand(a)?, self.operand(b)?])
            }
        };
        Ok(View::Whole(self.draft.add(form, ty, operands, label)))
    }

    fn read(&mut self, resource: Resource, ty: Type, label: Label) -> Result<View> {
        let form = match resource {
            Resource::Input(register) => {
                let input = self.inputs.get(usize::from(register)).copied().flatten();
                let input = input.ok_or_else(|| defect(format!("input v{register} is not declared")));
                return Ok(input?.view);
            }
            Resource::Draw(field) => return Ok(self.draw(field)?.view),
            Resource::Member { member, element } => self.member(member, element)?,
            Resource::Host(field) => Form::Read(Source::Host(field)),
            Resource::Specialized(id) => Form::Specialized(id),
            Resource::Uniform(_) | Resource::IntUniform { .. } | Resource::BoolUniform(_) => {
                return Err(not_legal(Op::Read(resource)));
            }
        };
        Ok(View::Whole(self.draft.add(form, ty, &[], label)))
    }

    /// A read of an element of an array; its operand is the index.
    fn element(&self, array: Array, index: Value) -> Result<Form> {
        Ok(Form::Read(match array {
            Array::Member(member) => {
                if array_length(self.block_member(member)?.ty).is_none() {
                    return Err(defect(format!("member {member} is no array")));
                }
                Source::ElementAt(member)
            }
            Array::Buffer(buffer) => match (buffer, StorageBuffer::state(self.kernel()?)) {
                (Buffer::Feed, _) => Source::Feed,
                (Buffer::State, Some(_)) => Source::State,
                (Buffer::State, None) => return Err(defect("there is no state")),
            },
            Array::Uniform(_) => return Err(not_legal(Op::ReadAt(array, index))),
        }))
    }

    /// The operands of an operation. A factor that repeats a scalar stays that scalar.
    fn operands(&mut self, op: Binary, left: Value, right: Value) -> Result<[Operand; 2]> {
        if op == Binary::Mul {
            if let Some(scalar) = self.repeated(left)? {
                return Ok([scalar, self.operand(right)?]);
            }
            if let Some(scalar) = self.repeated(right)? {
                return Ok([self.operand(left)?, scalar]);
            }
        }
        Ok([self.operand(left)?, self.operand(right)?])
    }

    fn call(&mut self, helper: u16, args: ValueList, ty: Type, label: Label) -> Result<View> {
        let mut operands = Vec::with_capacity(args.len as usize);
        for &argument in self.ir.get(args) {
            operands.push(self.operand(argument)?);
        }
        Ok(View::Whole(self.draft.add(Form::Call(helper), ty, &operands, label)))
    }

    fn block_member(&self, member: u16) -> Result<&Member> {
        let found = self.source.interface.block.members.get(usize::from(member));
        found.ok_or_else(|| defect(format!("the uniform block has no member {member}")))
    }

    /// An element of a member of the uniform block.
    fn member(&self, member: u16, element: u16) -> Result<Form> {
        let length = array_length(self.block_member(member)?.ty);
        match length {
            None if element == 0 => Ok(Form::Read(Source::Member(member))),
            Some(length) if element < length => Ok(Form::Read(Source::Element(member, element))),
            None | Some(_) => Err(defect(format!("member {member} has no element {element}"))),
        }
    }

    /// A draw parameter, or the number of the thread.
    pub fn draw(&mut self, field: DrawField) -> Result<Operand> {
        Ok(match field {
            DrawField::Thread => self.thread.ok_or_else(|| defect("only a compute entry has threads"))?,
            field => {
                self.kernel()?;
                whole(self.draft.add(Form::Read(Source::Draw(field)), Type::I32, &[], PLAIN), Type::I32)
            }
        })
    }

    /// The geometry program that this is.
    pub fn kernel(&self) -> Result<&'a GeometryKernel> {
        let kernel = self.source.interface.kernel();
        kernel.ok_or_else(|| defect("only a geometry program has buffers and triangles"))
    }

    /// An operation on integers.
    pub fn integers(&mut self, op: Binary, left: Operand, right: Operand, label: Label) -> Operand {
        let ty = op.result(left.ty);
        whole(self.draft.add(Form::Binary(op), ty, &[left, right], label), ty)
    }
}
