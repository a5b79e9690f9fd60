//! A geometry program as a compute shader: its buffers, the thread, triangles and what is left for the next draw.
//! In: the [`GeometryKernel`] of the interface. Out: variables, loads and stores. Knows no control flow but its own bounds
//! checks.

use rspirv::spirv::{Decoration, Op, StorageClass, Word};

use super::function::Body;
use super::interface::{Variables, bind, block_class, declare_invocation, storage_buffer};
use super::writer::Writer;
use crate::backend::interface::{DRAW, StorageBuffer, defect, draw_members, kernel_outputs, submission};
use crate::error::Result;
use crate::geometry::GeometryKernel;
use crate::geometry::kernel::FIRST_THREAD;
use crate::host::DrawField;
use crate::ir::{Buffer, Type, Value, ValueList};

/// Ids of the variables of a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KernelVariables {
    vectors: u32,
    /// Whether the block says which thread the first one of a dispatch is.
    is_split: bool,
    draw: Word,
    feed: Word,
    triangles: Word,
    counts: Word,
    /// 0 where there is none.
    state: Word,
}

/// Declares the variables of a kernel.
pub(super) fn declare(w: &mut Writer, vars: &mut Variables, kernel: &GeometryKernel, version: (u8, u8)) {
    declare_invocation(w, vars);
    let (class, block) = block_class(version);
    vars.buffer_class = Some(class);
    let mut declare = |buffer: StorageBuffer| {
        let array = w.storage_array(buffer.element);
        let (id, ty) = storage_buffer(w, (class, block), array, buffer);
        w.name_member(ty, 0, buffer.name);
        w.name(id, buffer.name);
        id
    };
    let [feed, triangles, counts] =
        [StorageBuffer::FEED, StorageBuffer::TRIANGLES, StorageBuffer::COUNTS].map(&mut declare);
    let state = StorageBuffer::state(kernel).map_or(0, declare);
    let draw = declare_draw(w, kernel);
    let (vectors, is_split) = (kernel.vectors, kernel.is_split());
    vars.kernel = Some(KernelVariables { vectors, is_split, draw, feed, triangles, counts, state });
    if version >= (1, 4) {
        vars.list([feed, triangles, counts, state, draw].into_iter().filter(|&id| id != 0));
    }
}

/// The block of numbers that a kernel is told.
fn declare_draw(w: &mut Writer, kernel: &GeometryKernel) -> Word {
    let int = w.ty(Type::I32);
    let ty = w.structure([int; 8]);
    w.mark(ty, Decoration::Block);
    w.name(ty, "Draw");
    for (index, name) in (0..).zip(draw_members(kernel)) {
        w.decorate_member(ty, index, Decoration::Offset, Some(4 * index));
        w.name_member(ty, index, name);
    }
    let id = w.variable(StorageClass::Uniform, ty);
    w.name(id, "draw");
    bind(w, id, DRAW);
    id
}

impl Body<'_> {
    fn kernel(&self) -> Result<KernelVariables> {
        self.vars.kernel.ok_or_else(|| defect("only a kernel has buffers"))
    }

    fn int(&mut self, value: u32) -> Word {
        self.w.constant(Type::I32, [value, 0, 0, 0])
    }

    fn int_operation(&mut self, op: Op, a: Word, b: Word) -> Word {
        let ty = self.w.ty(Type::I32);
        self.w.value(op, ty, &[a, b])
    }

    /// Returns at once in threads that have nothing to do.
    pub(super) fn begin_kernel(&mut self) -> Result<()> {
        let index = self.invocation();
        let (int, boolean) = (self.w.ty(Type::I32), self.w.ty(Type::BOOL));
        self.thread = self.w.value(Op::Bitcast, int, &[index]);
        let kernel = self.kernel()?;
        if kernel.is_split {
            let first = self.draw_word(kernel, FIRST_THREAD);
            self.thread = self.int_operation(Op::IAdd, self.thread, first);
        }
        let threads = self.draw_field(DrawField::Threads)?;
        let outside = self.w.value(Op::SGreaterThanEqual, boolean, &[self.thread, threads]);
        self.return_if(outside);
        Ok(())
    }

    /// A number that the kernel reads or is.
    pub(super) fn draw_field(&mut self, field: DrawField) -> Result<Word> {
        if field == DrawField::Thread {
            return Ok(self.thread);
        }
        let kernel = self.kernel()?;
        Ok(self.draw_word(kernel, field as u32))
    }

    /// Loads a word of the block of a draw.
    fn draw_word(&mut self, kernel: KernelVariables, word: u32) -> Word {
        let int = self.w.ty(Type::I32);
        let pointer = self.w.pointer(StorageClass::Uniform, int);
        let member = self.int(word);
        let place = self.w.value(Op::AccessChain, pointer, &[kernel.draw, member]);
        self.w.value(Op::Load, int, &[place])
    }

    /// Pointer to an element of a buffer.
    fn element(&mut self, buffer: Word, ty: Type, index: Word) -> Word {
        let ty = self.w.ty(ty);
        let pointer = self.w.pointer(self.vars.buffer_class.unwrap_or(StorageClass::Uniform), ty);
        let zero = self.int(0);
        self.w.value(Op::AccessChain, pointer, &[buffer, zero, index])
    }

    /// Loads an element of a buffer.
    pub(super) fn load_element(&mut self, buffer: Buffer, index: Value) -> Result<Word> {
        let kernel = self.kernel()?;
        let (buffer, ty) = match buffer {
            Buffer::Feed => (kernel.feed, Type::F32X4),
            Buffer::State if kernel.state == 0 => return Err(defect("there is no state")),
            Buffer::State => (kernel.state, Type::U32),
        };
        let index = self.id(index);
        let place = self.element(buffer, ty, index);
        let ty = self.w.ty(ty);
        Ok(self.w.value(Op::Load, ty, &[place]))
    }

    /// Runs `then` where the condition holds.
    fn when(&mut self, cond: Word, then: impl FnOnce(&mut Self)) {
        let (inside, merge) = (self.w.id(), self.w.id());
        self.selection_merge(merge);
        self.w.effect(Op::BranchConditional, &[cond, inside, merge]);
        self.place(inside);
        then(self);
        self.w.effect(Op::Branch, &[merge]);
        self.place(merge);
    }

    /// Stores a triangle, if there is room, and gives how many there are then.
    pub(super) fn submit(&mut self, args: ValueList) -> Result<Word> {
        let kernel = self.kernel()?;
        let func = self.func;
        let (count, vertices) = submission(func, args, kernel.vectors as usize)?;
        let count = self.id(count);
        let capacity = self.draw_field(DrawField::Capacity)?;
        let boolean = self.w.ty(Type::BOOL);
        let fits = self.w.value(Op::SLessThan, boolean, &[count, capacity]);
        self.when(fits, |body| {
            let before = body.int_operation(Op::IMul, body.thread, capacity);
            let place = body.int_operation(Op::IAdd, before, count);
            let size = body.int(3 * kernel.vectors);
            let first = body.int_operation(Op::IMul, place, size);
            for (offset, &value) in (0..).zip(vertices) {
                let index = match offset {
                    0 => first,
                    offset => {
                        let offset = body.int(offset);
                        body.int_operation(Op::IAdd, first, offset)
                    }
                };
                let place = body.element(kernel.triangles, Type::F32X4, index);
                let value = body.id(value);
                body.w.effect(Op::Store, &[place, value]);
            }
        });
        let one = self.int(1);
        Ok(self.int_operation(Op::IAdd, count, one))
    }

    /// Stores how many triangles there are and, in the last thread, the state behind the one that it found; returns.
    pub(super) fn end_kernel(&mut self, values: &[Value]) -> Result<()> {
        let kernel = self.kernel()?;
        let words = self.source.interface.kernel().map_or(0, |kernel| kernel.state.len());
        let (count, words) = kernel_outputs(values, words)?;
        let count = self.id(count);
        let place = self.element(kernel.counts, Type::I32, self.thread);
        self.w.effect(Op::Store, &[place, count]);
        if !words.is_empty() {
            let threads = self.draw_field(DrawField::Threads)?;
            let one = self.int(1);
            let last = self.int_operation(Op::ISub, threads, one);
            let boolean = self.w.ty(Type::BOOL);
            let is_last = self.w.value(Op::IEqual, boolean, &[self.thread, last]);
            self.when(is_last, |body| {
                for (index, &word) in (words.len() as u32..).zip(words) {
                    let index = body.int(index);
                    let place = body.element(kernel.state, Type::U32, index);
                    let word = body.id(word);
                    body.w.effect(Op::Store, &[place, word]);
                }
            });
        }
        self.w.effect(Op::Return, &[]);
        Ok(())
    }
}
