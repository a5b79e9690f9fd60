//! The entry point of a geometry program: its buffers, the thread, triangles and what is left for the next draw.
//! In: the main function and the [`Interface`] with its [`GeometryKernel`]. Out: `naga::EntryPoint`. Knows no control flow.
//!
//! ```text
//! struct Draw { threads, invocations, …: i32 }                   @binding(3)
//! feed, triangles: array<vec4f>   counts: array<i32>   state: array<u32>   @binding(0, 1, 4, 5)
//! ```

use naga::{BinaryOperator, Expression, Handle, ScalarKind, ShaderStage, Span, Statement, TypeInner};

use super::broken;
use super::entry::{self, WORKGROUP};
use super::function::{Builder, Expr, Shared};
use super::types::{array, storage, uniform, value_type};
use crate::error::Result;
use crate::host::kernel::{FIRST_THREAD, bindings};
use crate::host::{Binding, DrawField, GeometryKernel};
use crate::ir::{Buffer, Func, Kind, Type, Value, ValueList};

/// The variables of a kernel as expressions.
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    vectors: u32,
    thread: Expr,
    draw: Expr,
    feed: Expr,
    triangles: Expr,
    state: Option<Expr>,
}

/// The compute form of a geometry program.
pub(super) fn entry(shared: &mut Shared, main: &Func, kernel: &GeometryKernel) -> Result<naga::EntryPoint> {
    let load = naga::StorageAccess::LOAD;
    let both = load | naga::StorageAccess::STORE;
    let vector = value_type(&mut shared.module, Type::F32X4);
    let module = &mut shared.module;
    let feed = buffer(module, "feed", bindings::FEED, load, vector, 16);
    let triangles = buffer(module, "triangles", bindings::TRIANGLES, both, vector, 16);
    let draw = draw_block(module, kernel.is_split());
    let (int, word) = (value_type(module, Type::I32), value_type(module, Type::U32));
    let counts = buffer(module, "counts", bindings::COUNTS, both, int, 4);
    let state = (!kernel.state.is_empty()).then(|| buffer(module, "state", bindings::STATE, both, word, 4));
    let mut b = Builder::new(shared, main);
    let id = entry::invocation_id(&mut b);
    let [feed, triangles, draw, counts] =
        [feed, triangles, draw, counts].map(|variable| b.outside(Expression::GlobalVariable(variable)));
    let state = state.map(|variable| b.outside(Expression::GlobalVariable(variable)));
    let x = b.emit(Expression::AccessIndex { base: id, index: 0 });
    let mut thread = b.emit(Expression::As { expr: x, kind: ScalarKind::Sint, convert: Some(4) });
    if kernel.is_split() {
        let pointer = b.emit(Expression::AccessIndex { base: draw, index: FIRST_THREAD });
        let first = b.emit(Expression::Load { pointer });
        thread = b.operator(BinaryOperator::Add, thread, first);
    }
    b.name(thread, "thread".to_owned());
    b.thread = Some(thread);
    b.kernel = Some(Kernel { vectors: kernel.vectors, thread, draw, feed, triangles, state });
    let threads = b.draw_field(DrawField::Threads as u8)?;
    entry::return_from(&mut b, thread, threads);
    if let Some(outputs) = b.body()? {
        let Some((&count, words)) = outputs.split_first() else {
            return Err(broken("a kernel yields no number of triangles"));
        };
        let value = b.operand(count)?;
        let pointer = b.emit(Expression::Access { base: counts, index: thread });
        b.store_at(pointer, value);
        if words.len() != kernel.state.len() {
            return Err(broken(format!("{} words of state for {}", words.len(), kernel.state.len())));
        }
        b.leave_state(words, threads)?;
    }
    Ok(entry::entry_point(ShaderStage::Compute, [WORKGROUP, 1, 1], b.finish()))
}

/// A storage buffer that is an array.
fn buffer(
    module: &mut naga::Module,
    name: &str,
    binding: u32,
    access: naga::StorageAccess,
    element: Handle<naga::Type>,
    stride: u32,
) -> Handle<naga::GlobalVariable> {
    let ty = array(module, element, None, stride);
    storage(module, name, binding, access, ty)
}

/// The numbers that a kernel is told.
fn draw_block(module: &mut naga::Module, is_split: bool) -> Handle<naga::GlobalVariable> {
    let ty = value_type(module, Type::I32);
    let last = if is_split { "first_thread" } else { "reserved" };
    let names = DrawField::MEMBERS.iter().map(|field| field.name()).chain([last]);
    let members = (0..).zip(names).map(|(index, name)| naga::StructMember {
        name: Some(name.to_owned()),
        ty,
        binding: None,
        offset: 4 * index,
    });
    let inner = TypeInner::Struct { members: members.collect(), span: DrawField::BLOCK_SIZE };
    let ty = module.types.insert(naga::Type { name: Some("Draw".into()), inner }, Span::UNDEFINED);
    uniform(module, "draw", ty, Binding { set: 0, binding: bindings::DRAW })
}

impl Builder<'_, '_> {
    fn kernel(&self) -> Result<Kernel> {
        self.kernel.ok_or_else(|| broken("only a kernel has buffers"))
    }

    fn store_at(&mut self, pointer: Expr, value: Expr) {
        self.used(pointer);
        self.used(value);
        self.push(Statement::Store { pointer, value });
    }

    fn operator(&mut self, op: BinaryOperator, left: Expr, right: Expr) -> Expr {
        self.emit(Expression::Binary { op, left, right })
    }

    /// A number that the kernel is told or is.
    pub(super) fn draw_field(&mut self, field: u8) -> Result<Expr> {
        match DrawField::ALL.get(usize::from(field)) {
            Some(DrawField::Thread) => self.thread.ok_or_else(|| broken("only a compute entry has threads")),
            Some(told) => {
                let Kernel { draw, .. } = self.kernel()?;
                let pointer = self.emit(Expression::AccessIndex { base: draw, index: u32::from(field) });
                let load = self.emit(Expression::Load { pointer });
                self.name(load, told.name().to_owned());
                Ok(load)
            }
            None => Err(broken(format!("there is no number {field} of a draw"))),
        }
    }

    /// An element of a buffer.
    pub(super) fn load_element(&mut self, buffer: Buffer, index: Value) -> Result<Expr> {
        let kernel = self.kernel()?;
        let (base, name) = match buffer {
            Buffer::Feed => (kernel.feed, "vertex"),
            Buffer::State => (kernel.state.ok_or_else(|| broken("there is no state"))?, "word"),
        };
        let index = self.operand(index)?;
        let pointer = self.emit(Expression::Access { base, index });
        let load = self.emit(Expression::Load { pointer });
        self.name(load, name.to_owned());
        Ok(load)
    }

    /// Stores a triangle, if there is room, and gives how many there are then.
    pub(super) fn submit(&mut self, args: ValueList) -> Result<Expr> {
        let Kernel { vectors, thread, triangles, .. } = self.kernel()?;
        let ir = self.ir;
        let Some((&count, vertices)) = ir.get(args).split_first() else {
            return Err(broken("a submission of nothing"));
        };
        if vertices.len() != 3 * vectors as usize {
            return Err(broken(format!("{} vectors for three vertices of {vectors}", vertices.len())));
        }
        let count = self.operand(count)?;
        let mut values = Vec::with_capacity(vertices.len());
        for &value in vertices {
            values.push(self.operand(value)?);
        }
        let capacity = self.draw_field(DrawField::Capacity as u8)?;
        let condition = self.operator(BinaryOperator::Less, count, capacity);
        self.used(condition);
        self.begin();
        let before = self.operator(BinaryOperator::Multiply, thread, capacity);
        let place = self.operator(BinaryOperator::Add, before, count);
        let size = self.literal(Kind::I32, 3 * vectors);
        let first = self.operator(BinaryOperator::Multiply, place, size);
        self.name(first, "first".to_owned());
        for (offset, value) in (0..).zip(values) {
            let index = match offset {
                0 => first,
                offset => {
                    let offset = self.literal(Kind::I32, offset);
                    self.operator(BinaryOperator::Add, first, offset)
                }
            };
            let pointer = self.emit(Expression::Access { base: triangles, index });
            self.store_at(pointer, value);
        }
        let accept = self.end();
        self.push(Statement::If { condition, accept, reject: naga::Block::new() });
        let one = self.literal(Kind::I32, 1);
        Ok(self.operator(BinaryOperator::Add, count, one))
    }

    /// The last thread leaves its state for the next draw, behind the one that it found.
    fn leave_state(&mut self, words: &[Value], threads: Expr) -> Result<()> {
        let Kernel { thread, state: Some(state), .. } = self.kernel()? else { return Ok(()) };
        let mut values = Vec::with_capacity(words.len());
        for &word in words {
            values.push(self.operand(word)?);
        }
        let one = self.literal(Kind::I32, 1);
        let last = self.operator(BinaryOperator::Subtract, threads, one);
        let condition = self.operator(BinaryOperator::Equal, thread, last);
        self.used(condition);
        self.begin();
        for (index, value) in (words.len() as u32..).zip(values) {
            let index = self.literal(Kind::I32, index);
            let pointer = self.emit(Expression::Access { base: state, index });
            self.store_at(pointer, value);
        }
        let accept = self.end();
        self.push(Statement::If { condition, accept, reject: naga::Block::new() });
        Ok(())
    }
}
