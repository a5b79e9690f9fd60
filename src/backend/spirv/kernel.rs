//! A geometry program as a compute shader: its thread, triangles, and the state for the next draw.
//! In: the `GeometryKernel` of the interface. Out: loads and stores. Knows no control flow but its
//! own bounds checks.

use ::spirv::{Op, StorageClass, Word};

use super::function::Body;
use super::ops::{Form, binary_form};
use crate::backend::interface::{Statements, StorageBuffer, defect};
use crate::error::Result;
use crate::geometry::GeometryKernel;
use crate::geometry::kernel::FIRST_THREAD;
use crate::ir::{Binary, Buffer, Type, Value};
use crate::support::fields::DrawField;

impl<'a> Body<'a> {
    /// Returns the geometry program of the interface.
    pub(super) fn kernel(&self) -> Result<&'a GeometryKernel> {
        self.source.interface.kernel().ok_or_else(|| defect("only a geometry program has buffers"))
    }

    /// Writes an early return for threads without work.
    pub(super) fn begin_kernel(&mut self) -> Result<()> {
        let index = self.invocation();
        let (int, boolean) = (self.w.ty(Type::I32), self.w.ty(Type::BOOL));
        // The built-in is unsigned, integers of the intermediate form are signed.
        self.thread = self.w.value(Op::Bitcast, int, &[index]);
        // With unbounded dependences a draw may take several dispatches of one thread each.
        if self.kernel()?.is_split() {
            let first = self.draw_word(FIRST_THREAD);
            self.thread = self.integers(Binary::IAdd, [self.thread, first], None);
        }
        let threads = self.draw(DrawField::Threads)?;
        let outside = self.w.value(Op::SGreaterThanEqual, boolean, &[self.thread, threads]);
        self.return_if(outside);
        Ok(())
    }

    /// Loads a word of the block of a draw.
    fn draw_word(&mut self, word: u32) -> Word {
        let int = self.w.ty(Type::I32);
        let pointer = self.w.pointer(StorageClass::Uniform, int);
        let member = self.int(word);
        let place = self.w.value(Op::AccessChain, pointer, &[self.vars.draw, member]);
        self.w.value(Op::Load, int, &[place])
    }

    /// Returns a pointer to an element of a buffer.
    fn element(&mut self, buffer: StorageBuffer, index: Word) -> Word {
        let ty = self.w.ty(buffer.element);
        let pointer = self.w.pointer(self.vars.buffer_class.unwrap_or(StorageClass::Uniform), ty);
        // Member 0 of the block is the runtime array.
        let zero = self.int(0);
        let buffer = self.vars.buffers[buffer.binding as usize];
        self.w.value(Op::AccessChain, pointer, &[buffer, zero, index])
    }

    /// Loads an element of a buffer.
    pub(super) fn load_element(&mut self, buffer: Buffer, index: Value) -> Result<Word> {
        let buffer = match (buffer, StorageBuffer::state(self.kernel()?)) {
            (Buffer::Feed, _) => StorageBuffer::FEED,
            (Buffer::State, Some(state)) => state,
            (Buffer::State, None) => return Err(defect("there is no state")),
        };
        let index = self.id(index);
        let place = self.element(buffer, index);
        let ty = self.w.ty(buffer.element);
        Ok(self.w.value(Op::Load, ty, &[place]))
    }
}

impl Statements for Body<'_> {
    type Operand = Word;

    fn operand(&mut self, value: Value) -> Result<Word> {
        Ok(self.id(value))
    }

    fn int(&mut self, value: u32) -> Word {
        self.w.constant(Type::I32, [value, 0, 0, 0])
    }

    fn integers(&mut self, op: Binary, operands: [Word; 2], _: Option<&str>) -> Word {
        let ty = self.w.ty(op.result(Type::I32));
        let Form::Core(op) = binary_form(op) else { unreachable!("integers have core instructions") };
        self.w.value(op, ty, &operands)
    }

    fn draw(&mut self, field: DrawField) -> Result<Word> {
        if field == DrawField::Thread {
            return Ok(self.thread);
        }
        // Only geometry programs have draw parameters.
        self.kernel()?;
        Ok(self.draw_word(field as u32))
    }

    fn store(&mut self, buffer: StorageBuffer, index: Word, value: Word) {
        let place = self.element(buffer, index);
        self.w.effect(Op::Store, &[place, value]);
    }

    fn when(&mut self, condition: Word, then: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (inside, merge) = (self.w.id(), self.w.id());
        self.selection_merge(merge);
        self.w.effect(Op::BranchConditional, &[condition, inside, merge]);
        self.place(inside);
        then(self)?;
        self.w.effect(Op::Branch, &[merge]);
        self.place(merge);
        Ok(())
    }
}
