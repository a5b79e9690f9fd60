//! Variables of the module and its preamble: attributes, outputs, uniform block, storage buffers, entry point.
//! In: the host interface and the set of input registers that the program reads. Out: ids of the variables.
//! Knows nothing of function bodies.
//! Decorations: Vulkan 15 (shader interfaces). Bindings are dense from 0 because wgpu packs binding numbers. Before SPIR-V
//! 1.3 a storage buffer is a `BufferBlock` in class Uniform; from 1.4 on the entry point lists all variables.

use rspirv::dr::Operand;
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op,
    StorageClass, Word,
};

use super::writer::{Section, Writer};
use super::{Source, defect};
use crate::error::{At, Error, Kind as ErrorKind, Result};
use crate::host::{EntryPoint, Location, MemberType, Output, UniformBlock};
use crate::ir::{Kind, Type};

/// Registers of one vertex in a storage buffer of the compute entry.
pub(super) const REGISTERS: u32 = 16;
/// Invocations of a workgroup of the compute entry.
const WORKGROUP: u32 = 64;
/// The one descriptor set.
const SET: u32 = 0;

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
    /// `GlobalInvocationId` of the compute entry.
    pub(super) invocation: Word,
    /// Input buffer of the compute entry.
    pub(super) buffer_in: Word,
    /// Output buffer of the compute entry.
    pub(super) buffer_out: Word,
    /// Storage class of both buffers.
    pub(super) buffer_class: Option<StorageClass>,
    /// Variables that the entry point lists.
    listed: Vec<Word>,
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

/// Type of one element of a member.
pub(super) fn element_type(ty: MemberType) -> Type {
    match ty {
        MemberType::Vec4 | MemberType::Vec4Array(_) => Type::F32X4,
        MemberType::IVec4 | MemberType::IVec4Array(_) => Type::new(Kind::I32, 4),
        MemberType::PackedInts => Type::new(Kind::U32, 4),
        MemberType::Bits => Type::U32,
    }
}

/// Elements of an array member; nothing where it is none.
pub(super) fn array_length(ty: MemberType) -> Option<u16> {
    match ty {
        MemberType::Vec4Array(count) | MemberType::IVec4Array(count) => Some(count),
        MemberType::Vec4 | MemberType::IVec4 | MemberType::PackedInts | MemberType::Bits => None,
    }
}

/// Type of an output of the vertex entry.
pub(super) fn output_type(output: &Output) -> Result<Type> {
    match (output.location, output.lanes()) {
        (Location::Position, 4) => Ok(Type::F32X4),
        (Location::Varying(_), lanes @ 1..=4) => Ok(Type::new(Kind::F32, lanes as u8)),
        (Location::ClipDistances, _) => {
            Err(Error::new(ErrorKind::BadOption("clip distances are not written yet".into()), At::Whole))
        }
        (Location::Position | Location::Varying(_), lanes) => {
            Err(defect(format!("output {} has {lanes} components", output.name)))
        }
    }
}

/// Declares all variables. `reads` has a bit for each input register that the program reads.
pub(super) fn declare(w: &mut Writer, vars: &mut Variables, source: &Source<'_>, reads: u16) -> Result<()> {
    vars.start();
    let block_binding = match source.options.entry {
        EntryPoint::Vertex => {
            declare_attributes(w, vars, source, reads)?;
            declare_outputs(w, vars, source)?;
            0
        }
        EntryPoint::Compute => {
            declare_buffers(w, vars, source.profile.spirv_version);
            2
        }
    };
    if source.interface.block.size > 0 {
        declare_block(w, vars, &source.interface.block, block_binding)?;
        if source.profile.spirv_version >= (1, 4) {
            vars.listed.push(vars.block);
        }
    }
    Ok(())
}

/// Attributes of the interface, and registers that the program reads though the interface lacks them.
fn declare_attributes(w: &mut Writer, vars: &mut Variables, source: &Source<'_>, reads: u16) -> Result<()> {
    let ty = w.ty(Type::F32X4);
    for attribute in &source.interface.attributes {
        let Some(slot) = vars.inputs.get_mut(usize::from(attribute.register)) else {
            return Err(defect(format!("attribute {} has register {}", attribute.name, attribute.register)));
        };
        if *slot == 0 {
            *slot = w.variable(StorageClass::Input, ty);
            w.name(*slot, &attribute.name);
        }
    }
    for register in 0..vars.inputs.len() {
        if vars.inputs[register] == 0 && reads >> register & 1 != 0 {
            vars.inputs[register] = w.variable(StorageClass::Input, ty);
            w.name(vars.inputs[register], &format!("v{register}"));
        }
        if vars.inputs[register] != 0 {
            let location = Operand::LiteralBit32(register as u32);
            w.decorate(vars.inputs[register], Decoration::Location, location);
            vars.listed.push(vars.inputs[register]);
        }
    }
    Ok(())
}

fn declare_outputs(w: &mut Writer, vars: &mut Variables, source: &Source<'_>) -> Result<()> {
    for output in &source.interface.outputs {
        let ty = w.ty(output_type(output)?);
        let id = w.variable(StorageClass::Output, ty);
        w.name(id, &output.name);
        match output.location {
            Location::Position => {
                w.decorate(id, Decoration::BuiltIn, Operand::BuiltIn(BuiltIn::Position));
                if source.profile.invariant_position {
                    w.mark(id, Decoration::Invariant);
                }
            }
            Location::ClipDistances => {}
            Location::Varying(location) => {
                w.decorate(id, Decoration::Location, Operand::LiteralBit32(location));
            }
        }
        vars.outputs.push(id);
        vars.listed.push(id);
    }
    Ok(())
}

fn declare_buffers(w: &mut Writer, vars: &mut Variables, version: (u8, u8)) {
    let (class, block) = if version >= (1, 3) {
        (StorageClass::StorageBuffer, Decoration::Block)
    } else {
        (StorageClass::Uniform, Decoration::BufferBlock)
    };
    let index = w.ty(Type::new(Kind::U32, 3));
    vars.invocation = w.variable(StorageClass::Input, index);
    let built_in = Operand::BuiltIn(BuiltIn::GlobalInvocationId);
    w.decorate(vars.invocation, Decoration::BuiltIn, built_in);
    vars.listed.push(vars.invocation);

    let element = w.ty(Type::F32X4);
    let array = w.array(element, 0);
    let mut buffer = |binding: u32, type_name: &str, name: &str, writable: bool| {
        let ty = w.structure([array]);
        w.mark(ty, block);
        w.decorate_member(ty, 0, Decoration::Offset, Some(0));
        let id = w.variable(class, ty);
        if !writable {
            // On the variable, not on the member: naga's front end reads it only there.
            w.mark(id, Decoration::NonWritable);
        }
        bind(w, id, binding);
        w.name(ty, type_name);
        w.name_member(ty, 0, "registers");
        w.name(id, name);
        id
    };
    vars.buffer_in = buffer(0, "Inputs", "inputs", false);
    vars.buffer_out = buffer(1, "Outputs", "outputs", true);
    vars.buffer_class = Some(class);
    if version >= (1, 4) {
        vars.listed.extend([vars.buffer_in, vars.buffer_out]);
    }
}

fn declare_block(w: &mut Writer, vars: &mut Variables, block: &UniformBlock, binding: u32) -> Result<()> {
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

fn bind(w: &mut Writer, id: Word, binding: u32) {
    w.decorate(id, Decoration::DescriptorSet, Operand::LiteralBit32(SET));
    w.decorate(id, Decoration::Binding, Operand::LiteralBit32(binding));
}

/// Capabilities, imports, memory model and entry point; `main` is the entry point's function.
pub(super) fn preamble(w: &mut Writer, vars: &Variables, entry: EntryPoint, main: Word, glsl: Word) {
    let none = (None, None);
    w.put(Section::Preamble, Op::Capability, none, [Operand::Capability(Capability::Shader)]);
    let name = w.text("GLSL.std.450");
    w.put_text(Section::Preamble, Op::ExtInstImport, (None, Some(glsl)), [name]);
    let model =
        [Operand::AddressingModel(AddressingModel::Logical), Operand::MemoryModel(MemoryModel::GLSL450)];
    w.put(Section::Preamble, Op::MemoryModel, none, model);
    let model = match entry {
        EntryPoint::Vertex => ExecutionModel::Vertex,
        EntryPoint::Compute => ExecutionModel::GLCompute,
    };
    let name = w.text(super::ENTRY_NAME);
    let start = [Operand::ExecutionModel(model), Operand::IdRef(main), name];
    let listed = vars.listed.iter().map(|&id| Operand::IdRef(id));
    w.put_text(Section::Preamble, Op::EntryPoint, none, start.into_iter().chain(listed));
    if entry == EntryPoint::Compute {
        let mode = [Operand::IdRef(main), Operand::ExecutionMode(ExecutionMode::LocalSize)];
        let size = [WORKGROUP, 1, 1].map(Operand::LiteralBit32);
        w.put(Section::Preamble, Op::ExecutionMode, none, mode.into_iter().chain(size));
    }
}

/// Refuses versions that do not exist.
pub(super) fn check_version(version: (u8, u8)) -> Result<()> {
    if matches!(version, (1, 0..=6)) {
        return Ok(());
    }
    let text = format!("SPIR-V {}.{} is not known; 1.0 to 1.6 are", version.0, version.1);
    Err(Error::new(ErrorKind::Other(text), At::Whole))
}
