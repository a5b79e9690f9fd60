//! Functions around the bodies: helpers, and the entry point with its attributes, buffers, thread
//! and outputs.
//! In: a function and the interface. Out: its draft. Knows no operation, no control flow and no
//! syntax.

use super::builder::Builder;
use super::declarations::Attribute;
use super::draft::{Form, Label, Line, Operand, PLAIN, Place, Source, View, int, whole};
use crate::backend::interface::{Reads, StorageBuffer, defect, kernel_outputs, submission};
use crate::error::Result;
use crate::geometry::GeometryKernel;
use crate::host::DrawField;
use crate::host::{Interface, Output};
use crate::ir::{Binary, Kind, Type, Value, ValueList};

impl Builder<'_> {
    /// A helper function; the type of its result.
    pub fn helper(mut self) -> Result<Type> {
        let ir = self.ir;
        for (index, &param) in (0u8..).zip(ir.get(ir.params)) {
            let expr = self.draft.add(Form::Argument(index), ir.ty(param), &[], PLAIN);
            self.set(param, View::Whole(expr));
        }
        let Some(&[output]) = self.body()? else {
            return Err(defect(format!("helper {} does not have one output", ir.name)));
        };
        let result = self.operand(output)?;
        self.push(Line::Return(result));
        Ok(ir.ty(output))
    }

    /// The vertex entry.
    pub fn vertex(mut self, reads: Reads, attributes: &[Attribute], interface: &Interface) -> Result<()> {
        for (index, attribute) in (0u8..).zip(attributes) {
            let mut input =
                whole(self.draft.add(Form::Argument(index), attribute.ty, &[], PLAIN), attribute.ty);
            if attribute.ty.kind != Kind::F32 && reads.inputs >> attribute.register & 1 != 0 {
                input = whole(self.draft.add(Form::Float, Type::F32X4, &[input], PLAIN), Type::F32X4);
            }
            self.inputs[usize::from(attribute.register & 15)] = Some(input);
        }
        let Some(values) = self.body()? else {
            // Nothing gets here; all outputs are zero.
            self.give(&[]);
            return Ok(());
        };
        if values.len() != interface.outputs.len() {
            return Err(defect(format!("{} outputs for {}", values.len(), interface.outputs.len())));
        }
        let mut results = Vec::with_capacity(values.len() + 1);
        for (index, &value) in (0u16..).zip(values) {
            results.push(self.output(index, value)?);
        }
        if interface.outputs.iter().all(|output: &Output| output.location != crate::host::Location::Position)
        {
            let one = 1f32.to_bits();
            results.push(Operand { view: View::Const([0, 0, 0, one]), ty: Type::F32X4 });
        }
        self.give(&results);
        Ok(())
    }

    /// The value of an output, which lends its name.
    fn output(&mut self, index: u16, value: Value) -> Result<Operand> {
        let result = self.operand(value)?;
        if let View::Whole(expr) = result.view {
            let node = &mut self.draft.nodes[expr as usize];
            if !node.form.is_read() {
                node.label = Label::Output(index);
            }
        }
        Ok(result)
    }

    /// Returns these outputs.
    fn give(&mut self, results: &[Operand]) {
        let first = self.draft.add_operands(results);
        self.push(Line::Outputs { first, count: results.len() as u32 });
    }

    /// The compute entry: invocation n reads `inputs[n]` and writes `outputs[n]`.
    pub fn compute(mut self, reads: Reads) -> Result<()> {
        let invocation = whole(self.draft.add(Form::Invocation, Type::U32, &[], PLAIN), Type::U32);
        let length = whole(self.draft.add(Form::Length, Type::U32, &[], PLAIN), Type::U32);
        self.leave_unless(Binary::ULess, invocation, length);
        if self.source.reports() {
            let thread = self.draft.add(Form::Thread, Type::I32, &[], Label::Word("thread"));
            self.thread = Some(whole(thread, Type::I32));
        }
        for register in (0..16u8).filter(|register| reads.inputs >> register & 1 != 0) {
            let input = self.draft.add(Form::Read(Source::Input(register)), Type::F32X4, &[], PLAIN);
            self.inputs[usize::from(register)] = Some(whole(input, Type::F32X4));
        }
        let Some(outputs) = self.body()? else { return Ok(()) };
        let vectors = self.source.vectors();
        if outputs.len() != vectors as usize {
            return Err(defect(format!("{} outputs instead of {vectors}", outputs.len())));
        }
        for (register, &value) in (0..).zip(outputs) {
            let value = self.operand(value)?;
            self.push(Line::Store { place: Place::Output(register), value });
        }
        Ok(())
    }

    /// Ends the invocation unless a comparison holds.
    fn leave_unless(&mut self, op: Binary, left: Operand, right: Operand) {
        let mut condition = self.integers(op, left, right, PLAIN);
        condition.view = condition.view.negated();
        self.push(Line::If { condition });
        self.push(Line::Leave);
        self.push(Line::End);
    }

    /// A geometry program: returns at once in threads that have nothing to do, stores the number of
    /// its triangles and the state that it leaves.
    pub fn geometry(mut self, kernel: &GeometryKernel) -> Result<()> {
        let label = Label::Word("thread");
        let mut thread = whole(self.draft.add(Form::Thread, Type::I32, &[], label), Type::I32);
        if kernel.is_split() {
            let first = self.draft.add(Form::Read(Source::FirstThread), Type::I32, &[], PLAIN);
            thread = self.integers(Binary::IAdd, thread, whole(first, Type::I32), label);
        }
        self.thread = Some(thread);
        let threads = self.draw(DrawField::Threads)?;
        self.leave_unless(Binary::ILess, thread, threads);
        let Some(outputs) = self.body()? else { return Ok(()) };
        let (count, words) = kernel_outputs(outputs, kernel.state.len())?;
        let value = self.operand(count)?;
        self.store_element(StorageBuffer::COUNTS, thread, value);
        if words.is_empty() {
            return Ok(());
        }
        // The last thread leaves its state for the next draw, behind the one that it found.
        let mut values = Vec::with_capacity(words.len());
        for &word in words {
            values.push(self.operand(word)?);
        }
        let last = self.integers(Binary::ISub, threads, int(1), PLAIN);
        let condition = self.integers(Binary::IEqual, thread, last, PLAIN);
        self.push(Line::If { condition });
        for (index, value) in (words.len() as u32..).zip(values) {
            self.store_element(StorageBuffer::STATE, int(index), value);
        }
        self.push(Line::End);
        Ok(())
    }

    fn store_element(&mut self, buffer: StorageBuffer, index: Operand, value: Operand) {
        self.push(Line::Store { place: Place::Element(buffer.name, index), value });
    }

    /// Stores a triangle, if there is room, and gives how many there are then.
    pub fn submit(&mut self, args: ValueList) -> Result<View> {
        let kernel = self.kernel()?;
        let (count, vertices) = submission(self.ir, args, kernel.vectors as usize)?;
        let count = self.operand(count)?;
        let mut values = Vec::with_capacity(vertices.len());
        for &value in vertices {
            values.push(self.operand(value)?);
        }
        let capacity = self.draw(DrawField::Capacity)?;
        let condition = self.integers(Binary::ILess, count, capacity, PLAIN);
        self.push(Line::If { condition });
        let thread = self.draw(DrawField::Thread)?;
        let before = self.integers(Binary::IMul, thread, capacity, PLAIN);
        let place = self.integers(Binary::IAdd, before, count, PLAIN);
        let first = self.integers(Binary::IMul, place, int(3 * kernel.vectors), Label::Word("first"));
        for (offset, value) in (0..).zip(values) {
            let index = match offset {
                0 => first,
                offset => self.integers(Binary::IAdd, first, int(offset), PLAIN),
            };
            self.store_element(StorageBuffer::TRIANGLES, index, value);
        }
        self.push(Line::End);
        Ok(self.integers(Binary::IAdd, count, int(1), PLAIN).view)
    }
}
