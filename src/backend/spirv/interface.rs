//! Variables of the module and its preamble: attributes, outputs, uniform block, storage buffers, entry point.
//! In: the host interface and what of it the program reads. Out: ids of the variables.
//! Knows nothing of function bodies.
//! Decorations: Vulkan 15 (shader interfaces). Bindings are dense from 0 by default because wgpu packs binding numbers; those
//! of the compute entry are fixed. `ClipDistance` is an array of floats without an explicit layout. Before SPIR-V
//! 1.3 a storage buffer is a `BufferBlock` in class Uniform; from 1.4 on the entry point lists all variables.

use rspirv::dr::Operand;
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op,
    StorageClass, Word,
};

use super::kernel::KernelVariables;
use super::writer::{Section, Writer};
use crate::backend::interface::{
    ENTRY_NAME, Reads, Source, StorageBuffer, WORKGROUP, array_length, attribute_type, defect, element_type,
    host_type, output_type,
};
use crate::error::Result;
use crate::host::{AttributeKind, Binding, EntryPoint, HostField, Location, UniformBlock};
use crate::ir::{Kind, Type};

/// Ids of the variables; 0 where there is none.
#[derive(Default)]
pub(super) struct Variables {
    /// v0..v15 of the vertex entry.
    pub(super) inputs: [Word; 16],
    /// Outputs of the vertex entry, in order.
    pub(super) outputs: Vec<Word>,
    /// The uniform block.
    pub(super) block: Word,
    /// Which member of its structure each member of the block is: a structure has them by ascending offset.
    pub(super) block_index: Vec<u32>,
    /// The host block.
    pub(super) host: Word,
    /// Whether an output is the clip distance built-in.
    clips: bool,
    /// `GlobalInvocationId` of the compute entry.
    pub(super) invocation: Word,
    /// Input buffer of the compute entry.
    pub(super) buffer_in: Word,
    /// Output buffer of the compute entry.
    pub(super) buffer_out: Word,
    /// Variables of a geometry program.
    pub(super) kernel: Option<KernelVariables>,
    /// Storage class of buffers.
    pub(super) buffer_class: Option<StorageClass>,
    /// Variables that the entry point lists.
    listed: Vec<Word>,
}

impl Variables {
    /// Adds variables that the entry point lists.
    pub(super) fn list(&mut self, ids: impl IntoIterator<Item = Word>) {
        self.listed.extend(ids);
    }
    /// Forgets everything, keeps the memory.
    pub(super) fn start(&mut self) {
        let (mut outputs, mut listed) = (std::mem::take(&mut self.outputs), std::mem::take(&mut self.listed));
        let mut block_index = std::mem::take(&mut self.block_index);
        outputs.clear();
        listed.clear();
        block_index.clear();
        *self = Self { outputs, listed, block_index, ..Self::default() };
    }
}

/// Declares all variables.
pub(super) fn declare(w: &mut Writer, vars: &mut Variables, source: &Source<'_>, reads: Reads) -> Result<()> {
    vars.start();
    match &source.interface.entry_point {
        EntryPoint::Vertex => {
            declare_attributes(w, vars, source, reads.inputs)?;
            declare_outputs(w, vars, source)?;
        }
        EntryPoint::Compute { .. } => declare_buffers(w, vars, source.profile.spirv_version),
        EntryPoint::Kernel(kernel) => super::kernel::declare(w, vars, kernel, source.profile.spirv_version),
        EntryPoint::Stage(stage) => {
            super::stage::declare(w, vars, stage, reads.inputs);
            declare_outputs(w, vars, source)?;
        }
    }
    let lists_all = source.profile.spirv_version >= (1, 4);
    if source.interface.block.size > 0 {
        let binding = source.profile.uniforms(&source.interface.entry_point);
        declare_block(w, vars, &source.interface.block, binding)?;
        if lists_all {
            vars.listed.push(vars.block);
        }
    }
    if reads.host {
        declare_host(w, vars, source.host_binding()?);
        if lists_all {
            vars.listed.push(vars.host);
        }
    }
    Ok(())
}

/// Attributes of the interface, and registers that the program reads though the interface lacks them.
fn declare_attributes(w: &mut Writer, vars: &mut Variables, source: &Source<'_>, reads: u16) -> Result<()> {
    for attribute in &source.interface.attributes {
        let Some(slot) = vars.inputs.get_mut(usize::from(attribute.register)) else {
            return Err(defect(format!("attribute {} has register {}", attribute.name, attribute.register)));
        };
        if *slot == 0 {
            let ty = w.ty(attribute_type(attribute.format.kind));
            *slot = w.variable(StorageClass::Input, ty);
            w.name(*slot, &attribute.name);
        }
    }
    for (register, slot) in (0u32..).zip(&mut vars.inputs) {
        if *slot == 0 && reads >> register & 1 != 0 {
            let ty = w.ty(attribute_type(AttributeKind::default()));
            *slot = w.variable(StorageClass::Input, ty);
            w.name(*slot, &format!("v{register}"));
        }
        if *slot != 0 {
            w.decorate(*slot, Decoration::Location, Operand::LiteralBit32(register));
            vars.listed.push(*slot);
        }
    }
    Ok(())
}

fn declare_outputs(w: &mut Writer, vars: &mut Variables, source: &Source<'_>) -> Result<()> {
    for output in &source.interface.outputs {
        let ty = output_type(output)?;
        let ty = match output.location {
            Location::Position | Location::Varying(_) => w.ty(ty),
            Location::ClipDistances => w.plain_array(ty),
        };
        let id = w.variable(StorageClass::Output, ty);
        w.name(id, &output.name);
        match output.location {
            Location::Position => {
                w.decorate(id, Decoration::BuiltIn, Operand::BuiltIn(BuiltIn::Position));
                if source.profile.invariant_position {
                    w.mark(id, Decoration::Invariant);
                }
            }
            Location::ClipDistances => {
                w.decorate(id, Decoration::BuiltIn, Operand::BuiltIn(BuiltIn::ClipDistance));
                vars.clips = true;
            }
            Location::Varying(location) => {
                w.decorate(id, Decoration::Location, Operand::LiteralBit32(location));
            }
        }
        vars.outputs.push(id);
        vars.listed.push(id);
    }
    Ok(())
}

/// Storage class of a storage buffer and decoration of its type.
pub(super) fn block_class(version: (u8, u8)) -> (StorageClass, Decoration) {
    if version >= (1, 3) {
        (StorageClass::StorageBuffer, Decoration::Block)
    } else {
        (StorageClass::Uniform, Decoration::BufferBlock)
    }
}

/// Declares `GlobalInvocationId`.
pub(super) fn declare_invocation(w: &mut Writer, vars: &mut Variables) {
    let index = w.ty(Type::new(Kind::U32, 3));
    vars.invocation = w.variable(StorageClass::Input, index);
    let built_in = Operand::BuiltIn(BuiltIn::GlobalInvocationId);
    w.decorate(vars.invocation, Decoration::BuiltIn, built_in);
    vars.listed.push(vars.invocation);
}

/// Declares a storage buffer in set 0 that holds an array; its id and that of its type.
pub(super) fn storage_buffer(
    w: &mut Writer,
    (class, block): (StorageClass, Decoration),
    array: Word,
    buffer: StorageBuffer,
) -> (Word, Word) {
    let ty = w.structure([array]);
    w.mark(ty, block);
    w.decorate_member(ty, 0, Decoration::Offset, Some(0));
    let id = w.variable(class, ty);
    if !buffer.is_writable {
        // On the variable, not on the member: naga's front end reads it only there.
        w.mark(id, Decoration::NonWritable);
    }
    bind(w, id, Binding { set: 0, binding: buffer.binding });
    (id, ty)
}

fn declare_buffers(w: &mut Writer, vars: &mut Variables, version: (u8, u8)) {
    let (class, block) = block_class(version);
    declare_invocation(w, vars);
    let element = w.ty(Type::F32X4);
    let array = w.array(element, 0);
    let mut declare = |buffer: StorageBuffer, type_name: &str| {
        let (id, ty) = storage_buffer(w, (class, block), array, buffer);
        w.name(ty, type_name);
        w.name_member(ty, 0, "registers");
        w.name(id, buffer.name);
        id
    };
    vars.buffer_in = declare(StorageBuffer::INPUTS, "Inputs");
    vars.buffer_out = declare(StorageBuffer::OUTPUTS, "Outputs");
    vars.buffer_class = Some(class);
    if version >= (1, 4) {
        vars.listed.extend([vars.buffer_in, vars.buffer_out]);
    }
}

fn declare_block(w: &mut Writer, vars: &mut Variables, block: &UniformBlock, binding: Binding) -> Result<()> {
    let order = block.by_offset();
    vars.block_index.resize(order.len(), 0);
    let mut types = Vec::with_capacity(order.len());
    for (index, &number) in (0..).zip(&order) {
        vars.block_index[number] = index;
        let member = &block.members[number];
        let element = w.ty(element_type(member.ty));
        types.push(match array_length(member.ty) {
            Some(0) => return Err(defect(format!("uniform member {} has no elements", member.name))),
            Some(length) => w.array(element, u32::from(length)),
            None => element,
        });
    }
    let ty = w.structure(types);
    w.mark(ty, Decoration::Block);
    w.name(ty, "Uniforms");
    for (index, &number) in (0..).zip(&order) {
        let member = &block.members[number];
        w.decorate_member(ty, index, Decoration::Offset, Some(member.offset));
        w.name_member(ty, index, &member.name);
    }
    vars.block = w.variable(StorageClass::Uniform, ty);
    w.name(vars.block, "uniforms");
    bind(w, vars.block, binding);
    Ok(())
}

/// The host block, with all its fields.
fn declare_host(w: &mut Writer, vars: &mut Variables, binding: Binding) {
    let types = HostField::ALL.map(|field| w.ty(host_type(field)));
    let ty = w.structure(types);
    w.mark(ty, Decoration::Block);
    w.name(ty, "Host");
    for (index, field) in (0..).zip(HostField::ALL) {
        w.decorate_member(ty, index, Decoration::Offset, Some(field.offset()));
        w.name_member(ty, index, field.name());
    }
    vars.host = w.variable(StorageClass::Uniform, ty);
    w.name(vars.host, "host");
    bind(w, vars.host, binding);
}

pub(super) fn bind(w: &mut Writer, id: Word, Binding { set, binding }: Binding) {
    w.decorate(id, Decoration::DescriptorSet, Operand::LiteralBit32(set));
    w.decorate(id, Decoration::Binding, Operand::LiteralBit32(binding));
}

/// Capabilities, imports, memory model and entry point; `main` is the entry point's function.
pub(super) fn preamble(w: &mut Writer, vars: &Variables, source: &Source<'_>, main: Word, glsl: Word) {
    let (none, entry) = ((None, None), &source.interface.entry_point);
    w.put(Section::Preamble, Op::Capability, none, [Operand::Capability(Capability::Shader)]);
    if source.interface.stage().is_some() {
        w.put(Section::Preamble, Op::Capability, none, [Operand::Capability(Capability::Geometry)]);
    }
    if vars.clips {
        w.put(Section::Preamble, Op::Capability, none, [Operand::Capability(Capability::ClipDistance)]);
    }
    let name = w.text("GLSL.std.450");
    w.put_text(Section::Preamble, Op::ExtInstImport, (None, Some(glsl)), [name]);
    let model =
        [Operand::AddressingModel(AddressingModel::Logical), Operand::MemoryModel(MemoryModel::GLSL450)];
    w.put(Section::Preamble, Op::MemoryModel, none, model);
    let model = match entry {
        EntryPoint::Vertex => ExecutionModel::Vertex,
        EntryPoint::Compute { .. } | EntryPoint::Kernel(_) => ExecutionModel::GLCompute,
        EntryPoint::Stage(_) => ExecutionModel::Geometry,
    };
    let name = w.text(ENTRY_NAME);
    let start = [Operand::ExecutionModel(model), Operand::IdRef(main), name];
    let listed = vars.listed.iter().map(|&id| Operand::IdRef(id));
    w.put_text(Section::Preamble, Op::EntryPoint, none, start.into_iter().chain(listed));
    if let Some(stage) = source.interface.stage() {
        super::stage::execution_modes(w, stage, main);
    }
    if entry.is_compute() {
        let mode = [Operand::IdRef(main), Operand::ExecutionMode(ExecutionMode::LocalSize)];
        let size = [WORKGROUP, 1, 1].map(Operand::LiteralBit32);
        w.put(Section::Preamble, Op::ExecutionMode, none, mode.into_iter().chain(size));
    }
}
