//! Variables of the module and its preamble: attributes, outputs, blocks, storage buffers, entry
//! point.
//! In: the host interface and the reads of the program. Out: ids of the variables. Knows nothing of
//! function bodies.
//! Decorations: Vulkan 15 (shader interfaces). Bindings are dense from 0 by default because wgpu
//! packs binding numbers; those of the compute entry are fixed. `ClipDistance` is an array of
//! floats without an explicit layout. Before SPIR-V 1.3 a storage buffer is a `BufferBlock` in
//! class Uniform; from 1.4 on the entry point lists all variables.

use ::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op,
    StorageClass, Word,
};

use super::writer::{Section, Writer};
use crate::backend::interface::{
    BackendInput, DRAW, ENTRY_NAME, REGISTERS, Reads, StorageBuffer, WORKGROUP, array_length, attribute_type,
    defect, draw_members, element_type, host_type, output_type,
};
use crate::error::Result;
use crate::geometry::GeometryKernel;
use crate::host::settings::{AttributeKind, Binding};
use crate::interface::{EntryPoint, Location, Output, UniformBlock};
use crate::ir::{ScalarKind, Type};
use crate::support::fields::{HostField, VECTOR};

/// Ids of the variables; 0 where there is none.
#[derive(Default)]
pub(super) struct Variables {
    /// v0..v15 of the vertex entry, or vectors of the vertices of a geometry stage.
    pub(super) inputs: [Word; 16],
    /// Outputs of the vertex entry, in order.
    pub(super) outputs: Vec<Word>,
    /// The uniform block.
    pub(super) block: Word,
    /// Index of each member of the block in its structure, which is sorted by offset.
    pub(super) block_index: Vec<u32>,
    /// The host block.
    pub(super) host: Word,
    /// The block of draw parameters.
    pub(super) draw: Word,
    /// `GlobalInvocationId` of a compute entry.
    pub(super) invocation: Word,
    /// Storage buffers by their binding.
    pub(super) buffers: [Word; 8],
    /// Storage class of buffers.
    pub(super) buffer_class: Option<StorageClass>,
    /// Variables that the entry point lists.
    pub(super) listed: Vec<Word>,
}

impl Variables {
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
pub(super) fn declare(
    w: &mut Writer,
    vars: &mut Variables,
    source: &BackendInput<'_>,
    reads: Reads,
) -> Result<()> {
    vars.start();
    match &source.interface.entry_point {
        EntryPoint::Vertex => {
            declare_attributes(w, vars, source, reads.inputs)?;
            declare_outputs(w, vars, source)?;
        }
        EntryPoint::Compute => {
            declare_invocation(w, vars);
            let version = source.profile.spirv_version;
            declare_buffer(w, vars, version, StorageBuffer::INPUTS, Some("Inputs"));
            declare_buffer(w, vars, version, StorageBuffer::OUTPUTS, Some("Outputs"));
        }
        EntryPoint::Kernel(kernel) => declare_kernel(w, vars, kernel, source.profile.spirv_version),
        EntryPoint::Stage(stage) => {
            super::stage::declare(w, vars, stage, reads.inputs);
            declare_outputs(w, vars, source)?;
        }
        EntryPoint::Quaternions => return Err(defect("the stage has no program")),
    }
    if source.interface.block.size > 0 {
        let binding = source.profile.uniforms(&source.interface.entry_point);
        declare_uniforms(w, vars, &source.interface.block, binding)?;
    }
    if reads.host > 0 {
        let fields = HostField::ALL.into_iter().take(reads.host);
        let members: Vec<_> =
            fields.map(|field| (w.ty(host_type(field)), field.offset(), field.name())).collect();
        vars.host = block(w, ["Host", "host"], source.host_binding()?, &members);
    }
    if source.profile.spirv_version >= (1, 4) {
        // From SPIR-V 1.4 on the entry point lists all variables, before only inputs and outputs.
        vars.listed.extend([vars.block, vars.host].into_iter().filter(|&id| id != 0));
    }
    Ok(())
}

/// Declares attributes of the interface, and registers that the program reads but the interface
/// lacks.
fn declare_attributes(
    w: &mut Writer,
    vars: &mut Variables,
    source: &BackendInput<'_>,
    reads: u16,
) -> Result<()> {
    let mut declare = |w: &mut Writer, register: usize, kind: AttributeKind, name: &str| {
        // Several names may stand for one register: the first declares its variable.
        if vars.inputs[register] == 0 {
            let ty = w.ty(attribute_type(kind));
            vars.inputs[register] = w.variable(StorageClass::Input, ty);
            w.name(vars.inputs[register], name);
        }
    };
    let mut declared: u16 = 0;
    for attribute in &source.interface.attributes {
        let register = usize::from(attribute.register);
        if register >= REGISTERS as usize {
            return Err(defect(format!("attribute {} has register {register}", attribute.name)));
        }
        declare(w, register, attribute.format.kind, &attribute.name);
        declared |= 1 << register;
    }
    for register in (0..REGISTERS as usize).filter(|register| (reads & !declared) >> register & 1 != 0) {
        declare(w, register, AttributeKind::default(), &format!("v{register}"));
    }
    for (register, &id) in (0..).zip(&vars.inputs).filter(|(_, id)| **id != 0) {
        w.decorate(id, Decoration::Location, register);
        vars.listed.push(id);
    }
    Ok(())
}

/// Declares the outputs of a stage, in order.
pub(super) fn declare_outputs(w: &mut Writer, vars: &mut Variables, source: &BackendInput<'_>) -> Result<()> {
    for output in &source.interface.outputs {
        let ty = variable_type(w, output)?;
        let id = w.variable(StorageClass::Output, ty);
        w.name(id, &output.name);
        locate(w, id, output.location);
        if output.location == Location::Position && source.profile.invariant_position {
            w.mark(id, Decoration::Invariant);
        }
        vars.outputs.push(id);
        vars.listed.push(id);
    }
    Ok(())
}

/// Returns the type of an output in a variable.
pub(super) fn variable_type(w: &mut Writer, output: &Output) -> Result<Word> {
    let ty = output_type(output)?;
    Ok(match output.location {
        Location::Position | Location::Varying(_) => w.ty(ty),
        Location::ClipDistances => {
            let element = w.ty(ty.with_lanes(1));
            w.array(element, ty.lanes.into(), 0)
        }
    })
}

/// Decorates a variable with its built-in or location.
pub(super) fn locate(w: &mut Writer, id: Word, location: Location) {
    match location {
        Location::Position => w.decorate(id, Decoration::BuiltIn, BuiltIn::Position as Word),
        Location::ClipDistances => w.decorate(id, Decoration::BuiltIn, BuiltIn::ClipDistance as Word),
        Location::Varying(location) => w.decorate(id, Decoration::Location, location),
    }
}

/// Declares `GlobalInvocationId`.
fn declare_invocation(w: &mut Writer, vars: &mut Variables) {
    let index = w.ty(Type::new(ScalarKind::U32, 3));
    vars.invocation = w.variable(StorageClass::Input, index);
    w.decorate(vars.invocation, Decoration::BuiltIn, BuiltIn::GlobalInvocationId as Word);
    vars.listed.push(vars.invocation);
}

/// Declares the variables of a geometry program.
fn declare_kernel(w: &mut Writer, vars: &mut Variables, kernel: &GeometryKernel, version: (u8, u8)) {
    declare_invocation(w, vars);
    for buffer in [StorageBuffer::FEED, StorageBuffer::TRIANGLES, StorageBuffer::COUNTS] {
        declare_buffer(w, vars, version, buffer, None);
    }
    if let Some(state) = StorageBuffer::state(kernel) {
        declare_buffer(w, vars, version, state, None);
    }
    let int = w.ty(Type::I32);
    let members: Vec<_> =
        // std140 packs scalars without gaps.
        (0..).step_by(4).zip(draw_members(kernel)).map(|(offset, name)| (int, offset, name)).collect();
    vars.draw = block(w, ["Draw", "draw"], DRAW, &members);
    if version >= (1, 4) {
        vars.listed.push(vars.draw);
    }
}

/// Declares a storage buffer in set 0 that holds an array.
fn declare_buffer(
    w: &mut Writer,
    vars: &mut Variables,
    version: (u8, u8),
    buffer: StorageBuffer,
    type_name: Option<&str>,
) {
    // The storage class StorageBuffer is core from SPIR-V 1.3 on, an extension before.
    let (class, decoration) = if version >= (1, 3) {
        (StorageClass::StorageBuffer, Decoration::Block)
    } else {
        (StorageClass::Uniform, Decoration::BufferBlock)
    };
    vars.buffer_class = Some(class);
    let element = w.ty(buffer.element);
    let array = w.array(element, 0, 4 * Word::from(buffer.element.lanes));
    let ty = w.structure(&[array]);
    w.mark(ty, decoration);
    w.offset(ty, 0, 0);
    let id = w.variable(class, ty);
    if !buffer.is_writable {
        // On the variable, not on the member: drivers.md#naga-members.
        w.mark(id, Decoration::NonWritable);
    }
    bind(w, id, Binding { set: 0, binding: buffer.binding });
    type_name.into_iter().for_each(|name| w.name(ty, name));
    w.name_member(ty, 0, if type_name.is_some() { "registers" } else { buffer.name });
    w.name(id, buffer.name);
    vars.buffers[buffer.binding as usize] = id;
    if version >= (1, 4) {
        vars.listed.push(id);
    }
}

fn declare_uniforms(
    w: &mut Writer,
    vars: &mut Variables,
    uniforms: &UniformBlock,
    binding: Binding,
) -> Result<()> {
    // Offsets must ascend: drivers.md#naga-members.
    let order = uniforms.by_offset();
    vars.block_index.resize(order.len(), 0);
    let mut members = Vec::with_capacity(order.len());
    for (index, &number) in (0..).zip(&order) {
        vars.block_index[number] = index;
        let member = &uniforms.members[number];
        let element = w.ty(element_type(member.ty));
        let ty = match array_length(member.ty) {
            Some(0) => return Err(defect(format!("uniform member {} has no elements", member.name))),
            Some(length) => w.array(element, u32::from(length), VECTOR),
            None => element,
        };
        members.push((ty, member.offset, &*member.name));
    }
    vars.block = block(w, ["Uniforms", "uniforms"], binding, &members);
    Ok(())
}

/// Declares a uniform block: names of type and variable; type, byte offset and name of each member.
fn block(
    w: &mut Writer,
    [type_name, name]: [&str; 2],
    binding: Binding,
    members: &[(Word, u32, &str)],
) -> Word {
    let types: Vec<Word> = members.iter().map(|member| member.0).collect();
    let ty = w.structure(&types);
    w.mark(ty, Decoration::Block);
    w.name(ty, type_name);
    for (index, &(_, offset, name)) in (0..).zip(members) {
        w.offset(ty, index, offset);
        w.name_member(ty, index, name);
    }
    let id = w.variable(StorageClass::Uniform, ty);
    w.name(id, name);
    bind(w, id, binding);
    id
}

fn bind(w: &mut Writer, id: Word, Binding { set, binding }: Binding) {
    w.decorate(id, Decoration::DescriptorSet, set);
    w.decorate(id, Decoration::Binding, binding);
}

/// Writes capabilities, imports, memory model and entry point. The ids are its function, and the
/// imports of `GLSL.std.450` and of debug information, if any.
pub(super) fn preamble(
    w: &mut Writer,
    vars: &Variables,
    source: &BackendInput<'_>,
    [main, glsl, debug]: [Word; 3],
) {
    let entry = &source.interface.entry_point;
    let outputs = &source.interface.outputs;
    let clips = outputs.iter().any(|output| output.location == Location::ClipDistances);
    let profile = source.profile;
    // A compute form stores clip distances as plain vectors, without the built-in.
    let capabilities = [
        (Capability::Shader, true),
        (Capability::SignedZeroInfNanPreserve, profile.preserve_nan),
        (Capability::DenormPreserve, profile.preserve_subnormals),
        (Capability::Geometry, entry.geometry_stage().is_some()),
        (Capability::ClipDistance, clips && !entry.is_compute()),
    ];
    for (capability, _) in capabilities.into_iter().filter(|(_, is_needed)| *is_needed) {
        w.append(Section::Preamble, Op::Capability, [capability as Word]);
    }
    if profile.preserve_nan || profile.preserve_subnormals {
        w.put_text(Section::Preamble, Op::Extension, &[], "SPV_KHR_float_controls", &[]);
    }
    if debug != 0 {
        w.put_text(Section::Preamble, Op::Extension, &[], "SPV_KHR_non_semantic_info", &[]);
        w.put_text(Section::Preamble, Op::ExtInstImport, &[debug], super::debug::SET, &[]);
    }
    w.put_text(Section::Preamble, Op::ExtInstImport, &[glsl], "GLSL.std.450", &[]);
    let model = [AddressingModel::Logical as Word, MemoryModel::GLSL450 as Word];
    w.append(Section::Preamble, Op::MemoryModel, model);
    let model = match entry {
        EntryPoint::Vertex => ExecutionModel::Vertex,
        EntryPoint::Compute | EntryPoint::Kernel(_) => ExecutionModel::GLCompute,
        EntryPoint::Stage(_) | EntryPoint::Quaternions => ExecutionModel::Geometry,
    };
    let start = [model as Word, main];
    w.put_text(Section::Preamble, Op::EntryPoint, &start, ENTRY_NAME, &vars.listed);
    let modes = [
        (ExecutionMode::SignedZeroInfNanPreserve, profile.preserve_nan),
        (ExecutionMode::DenormPreserve, profile.preserve_subnormals),
    ];
    for (mode, _) in modes.into_iter().filter(|(_, is_needed)| *is_needed) {
        w.append(Section::Preamble, Op::ExecutionMode, [main, mode as Word, 32]);
    }
    if let Some(stage) = entry.geometry_stage() {
        super::stage::execution_modes(w, &stage, main);
    }
    if entry.is_compute() {
        let size = [main, ExecutionMode::LocalSize as Word, WORKGROUP, 1, 1];
        w.append(Section::Preamble, Op::ExecutionMode, size);
    }
}
