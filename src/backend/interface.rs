//! Interface of a module, shared by all generators: types, bindings, buffers, limits of the entry
//! points.
//! In: the host interface, options and profile of a [`BackendInput`]. Out: plain data. Knows no
//! target language.

use crate::error::{At, Error, Kind, Result};
use crate::geometry::GeometryKernel;
use crate::geometry::kernel::bindings;
use crate::host::debug_source::DebugSource;
use crate::host::settings::{AttributeKind, Binding, Profile};
use crate::interface::{Interface, Location, Member, MemberType, Output};
use crate::ir::{Binary, Func, Module, Op, Resource, ScalarKind, Type, Value, ValueList};
use crate::limits::Limits;
use crate::support::fields::{DrawField, HostField};

/// Name of the entry point.
pub const ENTRY_NAME: &str = "main";
pub(super) use crate::support::fields::WORKGROUP;
/// Registers of one vertex in a storage buffer of the compute entry.
pub(super) const REGISTERS: u32 = 16;

/// Everything that a generator reads.
#[derive(Clone, Copy, Debug)]
pub struct BackendInput<'a> {
    /// The program after legalization.
    pub module: &'a Module,
    /// Its interface.
    pub interface: &'a Interface,
    /// Limits on sizes.
    pub limits: &'a Limits,
    /// Target settings.
    pub profile: &'a Profile,
    /// Source of the program for debuggers, and for names in texts.
    pub debug_source: Option<&'a DebugSource>,
}

impl BackendInput<'_> {
    /// Returns the binding of the host block.
    ///
    /// # Errors
    /// [`Kind::SharedBinding`] if the uniform block has it too.
    pub(super) fn host_binding(&self) -> Result<Binding> {
        let entry_point = &self.interface.entry_point;
        if self.interface.block.size > 0 && !entry_point.is_compute() {
            self.profile.bindings.check()?;
        }
        Ok(self.profile.host(entry_point))
    }
}

/// The parts of its interface that a program reads besides uniforms.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reads {
    /// Mask of input registers.
    pub(super) inputs: u16,
    /// Mask of specialization constants.
    #[cfg(any(feature = "wgsl", feature = "glsl"))]
    pub(super) specialized: u32,
    /// Number of members of the host block; 0 if no field is read.
    pub(super) host: usize,
}

impl Reads {
    /// Returns the reads of all functions of a module, and the mask of the input registers of each,
    /// helpers first.
    ///
    /// # Errors
    /// [`Kind::Verify`] for registers that do not exist.
    pub(super) fn collect(module: &Module, inputs: &mut Vec<u16>) -> Result<Self> {
        let mut all = Self::default();
        inputs.clear();
        for func in module.helpers.iter().map(|helper| &**helper).chain([&module.main]) {
            let mut own = 0;
            for (_, resource) in func.reads() {
                match resource {
                    Resource::Input(register) if u32::from(register) < REGISTERS => own |= 1 << register,
                    Resource::Input(register) => return Err(defect(format!("input v{register}"))),
                    Resource::Host(field) => {
                        all.host = all.host.max(HostField::FIXED).max(field.index() + 1);
                    }
                    #[cfg(any(feature = "wgsl", feature = "glsl"))]
                    Resource::Specialized(id) => all.specialized |= 1 << id.get(),
                    _other_resources => {}
                }
            }
            inputs.push(own);
            all.inputs |= own;
        }
        Ok(all)
    }
}

/// A storage buffer in set 0: a runtime array.
#[derive(Clone, Copy, Debug)]
pub(super) struct StorageBuffer {
    /// Its name.
    pub(super) name: &'static str,
    /// Its binding.
    pub(super) binding: u32,
    /// Type of an element.
    pub(super) element: Type,
    /// The program writes it.
    pub(super) is_writable: bool,
}

impl StorageBuffer {
    const fn new(name: &'static str, binding: u32, element: Type, is_writable: bool) -> Self {
        Self { name, binding, element, is_writable }
    }
    /// Vertices of the compute entry: [`REGISTERS`] vectors each.
    pub(super) const INPUTS: Self = Self::new("inputs", bindings::INPUTS, Type::F32X4, false);
    /// Results of the compute entry: [`REGISTERS`] vectors for each vertex.
    pub(super) const OUTPUTS: Self = Self::new("outputs", bindings::OUTPUTS, Type::F32X4, true);
    /// Vertices of the invocations of a geometry program.
    pub(super) const FEED: Self = Self::new("feed", bindings::FEED, Type::F32X4, false);
    /// Triangles of a geometry program.
    pub(super) const TRIANGLES: Self = Self::new("triangles", bindings::TRIANGLES, Type::F32X4, true);
    /// Number of triangles of each thread.
    pub(super) const COUNTS: Self = Self::new("counts", bindings::COUNTS, Type::I32, true);
    /// State carried from one draw to the next.
    pub(super) const STATE: Self = Self::new("state", bindings::STATE, Type::U32, true);

    /// Returns the state buffer, if a geometry program has carried state.
    pub(super) fn state(kernel: &GeometryKernel) -> Option<Self> {
        (!kernel.state.is_empty()).then_some(Self::STATE)
    }
}

/// Binding of the block of draw parameters.
pub(super) const DRAW: Binding = Binding { set: 0, binding: bindings::DRAW };

/// Name of the last member of the block of draw parameters, [`FIRST_THREAD`], if kernels read
/// it.
pub(super) const FIRST_THREAD_NAME: &str = "first_thread";

/// Returns the names of the members of the block of draw parameters, all i32.
pub(super) fn draw_members(kernel: &GeometryKernel) -> impl Iterator<Item = &'static str> {
    let last = if kernel.is_split() { FIRST_THREAD_NAME } else { "reserved" };
    DrawField::MEMBERS.iter().map(|field| field.name()).chain([last])
}

/// Splits the arguments of a submission into the count and the vectors of three vertices.
pub(super) fn submission(func: &Func, args: ValueList, vectors: usize) -> Result<(Value, &[Value])> {
    match func.get(args).split_first() {
        Some((&count, vertices)) if vertices.len() == 3 * vectors => Ok((count, vertices)),
        Some((_, vertices)) => Err(defect(format!("{} vectors for three vertices", vertices.len()))),
        None => Err(defect("a submission of nothing")),
    }
}

/// Returns a member of a uniform block, and the constant index of an access: none for an access by
/// a dynamic index, or if the member is not an array. The members of the second block have the
/// numbers after those of the first.
pub(super) fn member(
    interface: &Interface,
    number: u16,
    element: Option<u16>,
) -> Result<(&Member, Option<u16>)> {
    let members = &interface.block.members;
    let index = if is_again(interface, number) { members.len() } else { 0 };
    let Some(member) = usize::from(number).checked_sub(index).and_then(|index| members.get(index)) else {
        return Err(defect(format!("the uniform block has no member {number}")));
    };
    match (array_length(member.ty), element) {
        (None, Some(0)) | (Some(_), None) => Ok((member, None)),
        (Some(length), Some(element)) if element < length => Ok((member, Some(element))),
        (None | Some(_), _) => Err(defect(format!("member {} has no element {element:?}", member.name))),
    }
}

/// Statements for the code around a geometry program, in any target language.
pub(super) trait Statements {
    /// A value.
    type Operand: Copy;
    /// A value of the program.
    fn operand(&mut self, value: Value) -> Result<Self::Operand>;
    /// A constant.
    fn int(&mut self, value: u32) -> Self::Operand;
    /// An operation on integers, with a preferred name of the result.
    fn integers(&mut self, op: Binary, operands: [Self::Operand; 2], name: Option<&str>) -> Self::Operand;
    /// A draw parameter, or the index of the thread.
    fn draw(&mut self, field: DrawField) -> Result<Self::Operand>;
    /// Stores an element of a buffer.
    fn store(&mut self, buffer: StorageBuffer, index: Self::Operand, value: Self::Operand);
    /// Runs statements if a condition holds.
    fn when(&mut self, condition: Self::Operand, then: impl FnOnce(&mut Self) -> Result<()>) -> Result<()>;

    /// Stores a triangle if there is room, and returns the number of triangles including it.
    fn submit_triangle(&mut self, func: &Func, args: ValueList, vectors: u32) -> Result<Self::Operand> {
        let (count, vertices) = submission(func, args, vectors as usize)?;
        let count = self.operand(count)?;
        // Operands come first: in text they are lines, which must not stand inside the `if`.
        let values = vertices.iter().map(|&value| self.operand(value)).collect::<Result<Vec<_>>>()?;
        let capacity = self.draw(DrawField::Capacity)?;
        // A triangle beyond the capacity is counted and not stored: the count is the capacity that
        // a repeated draw needs.
        let fits = self.integers(Binary::ILess, [count, capacity], None);
        self.when(fits, |this| {
            let thread = this.draw(DrawField::Thread)?;
            // Each thread has a range of the buffer to itself, so stores need no atomics.
            let before = this.integers(Binary::IMul, [thread, capacity], None);
            let place = this.integers(Binary::IAdd, [before, count], None);
            let size = this.int(3 * vectors);
            let first = this.integers(Binary::IMul, [place, size], Some("first"));
            for (offset, value) in (0..).zip(values) {
                let index = match offset {
                    0 => first,
                    _ => {
                        let offset = this.int(offset);
                        this.integers(Binary::IAdd, [first, offset], None)
                    }
                };
                this.store(StorageBuffer::TRIANGLES, index, value);
            }
            Ok(())
        })?;
        let one = self.int(1);
        Ok(self.integers(Binary::IAdd, [count, one], None))
    }

    /// Stores the number of triangles and, in the last thread, the state for the next draw, after
    /// the state before this draw.
    fn end_geometry(&mut self, kernel: &GeometryKernel, outputs: &[Value]) -> Result<()> {
        let state = kernel.state.len();
        let Some((&count, words)) = outputs.split_first().filter(|(_, words)| words.len() == state) else {
            return Err(defect(format!("{} values for {state} words of state", outputs.len())));
        };
        let (count, thread) = (self.operand(count)?, self.draw(DrawField::Thread)?);
        self.store(StorageBuffer::COUNTS, thread, count);
        if words.is_empty() {
            return Ok(());
        }
        // Operands come before the `if` here too.
        let values = words.iter().map(|&word| self.operand(word)).collect::<Result<Vec<_>>>()?;
        let (threads, one) = (self.draw(DrawField::Threads)?, self.int(1));
        let last = self.integers(Binary::ISub, [threads, one], None);
        // The last thread runs the last invocation of the draw.
        let is_last = self.integers(Binary::IEqual, [thread, last], None);
        self.when(is_last, |this| {
            // The first half is the state before the draw, which other threads may still read.
            for (index, value) in (words.len() as u32..).zip(values) {
                let index = this.int(index);
                this.store(StorageBuffer::STATE, index, value);
            }
            Ok(())
        })
    }
}

/// Returns whether a number is that of a member of the second uniform block.
pub(super) fn is_again(interface: &Interface, number: u16) -> bool {
    interface.reads_again() && usize::from(number) >= interface.block.members.len()
}

/// Returns the type of one element of a member of the uniform block.
pub(super) fn element_type(ty: MemberType) -> Type {
    match ty {
        MemberType::Vec4 | MemberType::Vec4Array(_) => Type::F32X4,
        MemberType::IVec4 | MemberType::IVec4Array(_) => Type::new(ScalarKind::I32, 4),
        MemberType::PackedInts => Type::new(ScalarKind::U32, 4),
        MemberType::Bits => Type::U32,
    }
}

/// Returns the number of elements of an array member, or `None` for other members.
pub(super) fn array_length(ty: MemberType) -> Option<u16> {
    match ty {
        MemberType::Vec4Array(count) | MemberType::IVec4Array(count) => Some(count),
        MemberType::Vec4 | MemberType::IVec4 | MemberType::PackedInts | MemberType::Bits => None,
    }
}

/// Returns the type of a field of the host block.
pub(super) fn host_type(field: HostField) -> Type {
    Resource::Host(field).row().results[0]
}

/// Returns the type of an attribute of the vertex entry.
pub(super) fn attribute_type(kind: AttributeKind) -> Type {
    match kind {
        AttributeKind::Float => Type::F32X4,
        AttributeKind::Int => Type::new(ScalarKind::I32, 4),
        AttributeKind::Uint => Type::new(ScalarKind::U32, 4),
    }
}

/// Returns the type of the value of an output of the vertex entry.
pub(super) fn output_type(output: &Output) -> Result<Type> {
    match (output.location, output.lanes()) {
        (Location::Position, 4) => Ok(Type::F32X4),
        (Location::ClipDistances, 2) => Ok(Type::new(ScalarKind::F32, 2)),
        (Location::Varying(_), lanes @ 1..=4) => Ok(Type::new(ScalarKind::F32, lanes as u8)),
        (Location::Position | Location::Varying(_) | Location::ClipDistances, lanes) => {
            Err(defect(format!("output {} has {lanes} components", output.name)))
        }
    }
}

/// Returns whether an output is the normal quaternion.
pub(super) fn is_quaternion(output: &Output) -> bool {
    output.semantic == Some(crate::program::container::Semantic::Quaternion) && output.components.len() == 4
}

/// Returns the error of an intermediate form that is not well-formed.
#[cold]
pub(super) fn defect(text: impl Into<String>) -> Error {
    Error::new(Kind::Verify(text.into()), At::Whole)
}

/// Returns the error of an operation that `legalize` removes.
#[cold]
pub(super) fn not_legal(op: Op) -> Error {
    defect(format!("{op:?} is not legalized"))
}
