//! Variables of the module and its preamble: attributes, outputs, blocks, storage buffers, entry
//! point.
//! In: the host interface and the reads of the program. Out: ids of the variables. Knows nothing of
//! function bodies.
//! Decorations: Vulkan 15 (shader interfaces). Bindings are dense from 0 by default because wgpu
//! packs binding numbers; the compute entry has fixed ones. `ClipDistance` is an array of
//! floats without an explicit layout. Before SPIR-V 1.3 a storage buffer is a `BufferBlock` in
//! class Uniform; from 1.4 on the entry point lists all variables.

use ::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FPFastMathMode,
    MemoryModel, Op, StorageClass, Word,
};

use super::writer::{Section, Writer};
use crate::backend::interface::{
    BackendInput, DRAW, ENTRY_NAME, REGISTERS, Reads, StorageBuffer, WORKGROUP, array_length, attribute_type,
    defect, draw_members, element_type, host_type, output_type,
};
use crate::error::Result;
use crate::geometry::GeometryKernel;
use crate::host::settings::{AttributeKind, Binding, FloatControls, Profile};
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
    /// The uniform block, and the second one.
    pub(super) blocks: [Word; 2],
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
        let Self { mut outputs, mut listed, mut block_index, .. } = std::mem::take(self);
        outputs.clear();
        listed.clear();
        block_index.clear();
        *self = Self { outputs, listed, block_index, ..Self::default() };
    }
}

/// Writer of the variables of a module.
pub(super) struct Declarations<'a> {
    pub(super) w: &'a mut Writer,
    pub(super) vars: &'a mut Variables,
    pub(super) source: &'a BackendInput<'a>,
}

impl Declarations<'_> {
    /// Declares all variables.
    pub(super) fn declare(&mut self, reads: Reads) -> Result<()> {
        self.vars.start();
        let source = self.source;
        match &source.interface.entry_point {
            EntryPoint::Vertex => {
                self.attributes(reads.inputs)?;
                self.outputs()?;
            }
            EntryPoint::Compute => {
                self.invocation();
                self.buffer(StorageBuffer::INPUTS, Some("Inputs"));
                self.buffer(StorageBuffer::OUTPUTS, Some("Outputs"));
            }
            EntryPoint::Kernel(kernel) => self.kernel(kernel),
            EntryPoint::Stage(stage) => {
                super::stage::declare(self.w, self.vars, stage, reads.inputs);
                self.outputs()?;
            }
            EntryPoint::Quaternions => return Err(defect("the stage has no program")),
        }
        if source.interface.block.size > 0 {
            self.uniforms(&source.interface.block)?;
        }
        if reads.host > 0 {
            let fields = HostField::ALL.into_iter().take(reads.host);
            let member = |field: HostField| (self.w.ty(host_type(field)), field.offset(), field.name());
            let members: Vec<_> = fields.map(member).collect();
            self.vars.host = self.block(["Host", "host"], source.host_binding()?, &members);
        }
        self.vars.blocks.into_iter().for_each(|block| self.list(block));
        self.list(self.vars.host);
        Ok(())
    }

    /// Lists a variable at the entry point, which from SPIR-V 1.4 on lists all variables, before
    /// only inputs and outputs.
    fn list(&mut self, variable: Word) {
        if variable != 0 && self.source.profile.spirv_version >= (1, 4) {
            self.vars.listed.push(variable);
        }
    }

    /// Declares attributes of the interface, and registers that the program reads but the interface
    /// lacks.
    fn attributes(&mut self, reads: u16) -> Result<()> {
        let Self { w, vars, source } = self;
        let mut declare = |register: usize, kind: AttributeKind, name: &str| {
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
            declare(register, attribute.format.kind, &attribute.name);
            declared |= 1 << register;
        }
        for register in (0..REGISTERS as usize).filter(|register| (reads & !declared) >> register & 1 != 0) {
            declare(register, AttributeKind::default(), &format!("v{register}"));
        }
        for (register, &id) in (0..).zip(&vars.inputs).filter(|(_, id)| **id != 0) {
            w.decorate(id, Decoration::Location, register);
            vars.listed.push(id);
        }
        Ok(())
    }

    /// Declares the outputs of a stage, in order.
    pub(super) fn outputs(&mut self) -> Result<()> {
        let Self { w, vars, source } = self;
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

    /// Declares `GlobalInvocationId`.
    fn invocation(&mut self) {
        let index = self.w.ty(Type::new(ScalarKind::U32, 3));
        let id = self.w.variable(StorageClass::Input, index);
        self.w.decorate(id, Decoration::BuiltIn, BuiltIn::GlobalInvocationId as Word);
        self.vars.invocation = id;
        self.vars.listed.push(id);
    }

    /// Declares the variables of a geometry program.
    fn kernel(&mut self, kernel: &GeometryKernel) {
        self.invocation();
        for buffer in [StorageBuffer::FEED, StorageBuffer::TRIANGLES, StorageBuffer::COUNTS] {
            self.buffer(buffer, None);
        }
        StorageBuffer::state(kernel).into_iter().for_each(|state| self.buffer(state, None));
        let int = self.w.ty(Type::I32);
        let members: Vec<_> =
            // std140 packs scalars without gaps.
            (0..).step_by(4).zip(draw_members(kernel)).map(|(offset, name)| (int, offset, name)).collect();
        self.vars.draw = self.block(["Draw", "draw"], DRAW, &members);
        self.list(self.vars.draw);
    }

    /// Declares a storage buffer in set 0 that holds an array.
    fn buffer(&mut self, buffer: StorageBuffer, type_name: Option<&str>) {
        let w = &mut *self.w;
        // The storage class StorageBuffer is core from SPIR-V 1.3 on, an extension before.
        let (class, decoration) = if self.source.profile.spirv_version >= (1, 3) {
            (StorageClass::StorageBuffer, Decoration::Block)
        } else {
            (StorageClass::Uniform, Decoration::BufferBlock)
        };
        self.vars.buffer_class = Some(class);
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
        self.vars.buffers[buffer.binding as usize] = id;
        self.list(id);
    }

    fn uniforms(&mut self, uniforms: &UniformBlock) -> Result<()> {
        // Offsets must ascend: drivers.md#naga-members.
        let order = uniforms.by_offset();
        self.vars.block_index.resize(order.len(), 0);
        let mut members = Vec::with_capacity(order.len());
        for (index, &number) in (0..).zip(&order) {
            self.vars.block_index[number] = index;
            let member = &uniforms.members[number];
            let element = self.w.ty(element_type(member.ty));
            let ty = match array_length(member.ty) {
                Some(0) => return Err(defect(format!("uniform member {} has no elements", member.name))),
                Some(length) => self.w.array(element, u32::from(length), VECTOR),
                None => element,
            };
            members.push((ty, member.offset, &*member.name));
        }
        let binding = self.source.profile.uniforms(&self.source.interface.entry_point);
        self.vars.blocks[0] = self.block(["Uniforms", "uniforms"], binding, &members);
        if self.source.interface.reads_again() {
            let names = ["UniformsAgain", "uniforms_again"];
            self.vars.blocks[1] = self.block(names, self.source.profile.bindings.again, &members);
        }
        Ok(())
    }

    /// Declares a uniform block: names of type and variable; type, byte offset and name of each
    /// member.
    fn block(&mut self, names: [&str; 2], binding: Binding, members: &[(Word, u32, &str)]) -> Word {
        let w = &mut *self.w;
        let types: Vec<Word> = members.iter().map(|member| member.0).collect();
        let ty = w.structure(&types);
        w.mark(ty, Decoration::Block);
        w.name(ty, names[0]);
        for (index, &(_, offset, name)) in (0..).zip(members) {
            w.offset(ty, index, offset);
            w.name_member(ty, index, name);
        }
        let id = w.variable(StorageClass::Uniform, ty);
        w.name(id, names[1]);
        bind(w, id, binding);
        id
    }
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
    let has_default_mode = has_default_mode(profile);
    // A compute form stores clip distances as plain vectors, without the built-in.
    let capabilities = [
        (Capability::Shader, true),
        (Capability::FloatControls2, has_default_mode),
        (Capability::Geometry, entry.geometry_stage().is_some()),
        (Capability::ClipDistance, clips && !entry.is_compute()),
    ];
    let needed = capabilities.into_iter().filter(|(_, is_needed)| *is_needed).map(|(needed, _)| needed);
    for capability in needed.chain(float_modes(profile).map(|(capability, _)| capability)) {
        w.append(Section::Preamble, Op::Capability, [capability as Word]);
    }
    // Part of SPIR-V 1.4, which drivers of 1.4 and later need not list as an extension.
    if float_modes(profile).next().is_some() && profile.spirv_version < (1, 4) {
        w.put_text(Section::Preamble, Op::Extension, &[], "SPV_KHR_float_controls", &[]);
    }
    if has_default_mode {
        w.put_text(Section::Preamble, Op::Extension, &[], "SPV_KHR_float_controls2", &[]);
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
    for (_, mode) in float_modes(profile) {
        w.append(Section::Preamble, Op::ExecutionMode, [main, mode as Word, 32]);
    }
    if has_default_mode {
        let operands = [w.ty(Type::F32), w.constant(Type::I32, [default_mode(profile), 0, 0, 0])];
        let mode = [main, ExecutionMode::FPFastMathDefault as Word, operands[0], operands[1]];
        w.append(Section::Preamble, Op::ExecutionModeId, mode);
    }
    if let Some(stage) = entry.geometry_stage() {
        super::stage::execution_modes(w, &stage, main);
    }
    if entry.is_compute() {
        let size = [main, ExecutionMode::LocalSize as Word, WORKGROUP, 1, 1];
        w.append(Section::Preamble, Op::ExecutionMode, size);
    }
}

/// Returns whether modules declare a default mode of float operations. Its instruction is part of
/// SPIR-V 1.2.
fn has_default_mode(profile: &Profile) -> bool {
    profile.float_controls2 && profile.spirv_version >= (1, 2)
}

/// Returns whether each float operation has the decoration NoContraction.
pub(super) fn decorates_operations(profile: &Profile) -> bool {
    profile.no_contraction && !has_default_mode(profile)
}

/// The modes of 32-bit floats that modules declare besides.
fn float_modes(profile: &Profile) -> impl Iterator<Item = (Capability, ExecutionMode)> {
    let FloatControls { nan, subnormals, rounding } = profile.float_controls;
    let keeps_nan = nan && !has_default_mode(profile);
    let modes = [
        (keeps_nan, (Capability::SignedZeroInfNanPreserve, ExecutionMode::SignedZeroInfNanPreserve)),
        (subnormals, (Capability::DenormPreserve, ExecutionMode::DenormPreserve)),
        (rounding, (Capability::RoundingModeRTE, ExecutionMode::RoundingModeRTE)),
    ];
    modes.into_iter().filter_map(|(is_declared, mode)| is_declared.then_some(mode))
}

/// Freedoms of float operations where nothing else is declared.
fn default_mode(profile: &Profile) -> Word {
    let may = |is_declared, freedom: FPFastMathMode| if is_declared { 0 } else { freedom.bits() };
    let special = FPFastMathMode::NOT_NAN | FPFastMathMode::NOT_INF | FPFastMathMode::NSZ;
    may(profile.float_controls.nan, special) | may(profile.no_contraction, FPFastMathMode::ALLOW_CONTRACT)
}
