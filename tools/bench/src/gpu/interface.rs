//! Interface of a vertex module as a pipeline needs it, read from its words, and a fragment stage
//! that reads every varying, so that no driver removes one.
//! In: SPIR-V of any compiler. Out: locations, bindings; SPIR-V.

use std::collections::BTreeMap;

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Module, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel, Op,
    StorageClass,
};

/// Scalar type of an attribute or varying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// f32.
    Float,
    /// i32.
    Int,
    /// u32.
    Uint,
}

/// An attribute or varying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its location.
    pub location: u32,
    /// Its scalar type.
    pub scalar: Scalar,
    /// Its number of components.
    pub components: u32,
}

/// A buffer that a module reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Descriptor set.
    pub set: u32,
    /// Binding in it.
    pub binding: u32,
    /// A storage buffer, not a uniform one.
    pub is_storage: bool,
    /// Id of its type.
    pub block: u32,
}

/// Interface of a vertex module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Name of its entry point.
    pub entry: String,
    /// Attributes.
    pub inputs: Vec<Port>,
    /// Varyings.
    pub outputs: Vec<Port>,
    /// Buffers, by set and binding.
    pub buffers: Vec<Buffer>,
}

impl Interface {
    /// Reads the interface of a module with one vertex entry point.
    ///
    /// # Errors
    /// Words that are not such a module.
    pub fn read(words: &[u32]) -> Result<Self, String> {
        let module = rspirv::dr::load_words(words).map_err(|error| format!("not SPIR-V: {error}"))?;
        let types = Types::from_module(&module);
        let entry = module.entry_points.iter().find_map(|entry| match &entry.operands[..] {
            [Operand::ExecutionModel(ExecutionModel::Vertex), _, Operand::LiteralString(name), ..] => {
                Some(name.clone())
            }
            _other_stage => None,
        });
        let mut interface = Self {
            entry: entry.ok_or("the module has no vertex entry point")?,
            inputs: Vec::new(),
            outputs: Vec::new(),
            buffers: Vec::new(),
        };
        for (id, storage, pointee) in types.variables(&module) {
            match storage {
                StorageClass::Input => interface.inputs.extend(types.port(id, pointee)),
                StorageClass::Output => interface.outputs.extend(types.port(id, pointee)),
                StorageClass::Uniform | StorageClass::StorageBuffer => {
                    interface.buffers.extend(types.buffer(id, pointee, storage));
                }
                _without_resource => {}
            }
        }
        interface.buffers.sort_by_key(|buffer| (buffer.set, buffer.binding));
        interface.outputs.sort_by_key(|output| output.location);
        Ok(interface)
    }

    /// Builds a fragment stage with the entry point `main` that reads every varying.
    ///
    /// # Errors
    /// A varying of integers, which PICA200 programs lack.
    pub fn fragment_stage(&self) -> Result<Vec<u32>, String> {
        let mut b = Builder::new();
        b.set_version(1, 0);
        b.capability(Capability::Shader);
        b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
        let (void, float) = (b.type_void(), b.type_float(32, None));
        let color = b.type_vector(float, 4);
        let mut sum = b.constant_bit32(float, 0);
        let mut variables = Vec::new();
        for output in &self.outputs {
            if output.scalar != Scalar::Float {
                return Err(format!("the varying at location {} has integers", output.location));
            }
            let ty = if output.components == 1 { float } else { b.type_vector(float, output.components) };
            let pointer = b.type_pointer(None, StorageClass::Input, ty);
            let variable = b.variable(pointer, None, StorageClass::Input, None);
            b.decorate(variable, Decoration::Location, [Operand::LiteralBit32(output.location)]);
            variables.push((variable, ty, output.components));
        }
        let pointer = b.type_pointer(None, StorageClass::Output, color);
        let target = b.variable(pointer, None, StorageClass::Output, None);
        b.decorate(target, Decoration::Location, [Operand::LiteralBit32(0)]);
        let function_type = b.type_function(void, []);
        let failed = |error: rspirv::dr::Error| format!("the fragment stage: {error}");
        let main = b.begin_function(void, None, FunctionControl::NONE, function_type).map_err(failed)?;
        b.begin_block(None).map_err(failed)?;
        for &(variable, ty, components) in &variables {
            let value = b.load(ty, None, variable, None, []).map_err(failed)?;
            let scalar = match components {
                1 => Ok(value),
                _vector => b.dot(float, None, value, value),
            };
            sum = scalar.and_then(|scalar| b.f_add(float, None, sum, scalar)).map_err(failed)?;
        }
        let value = b.composite_construct(color, None, [sum; 4]).map_err(failed)?;
        b.store(target, value, None, []).map_err(failed)?;
        b.ret().map_err(failed)?;
        b.end_function().map_err(failed)?;
        let ports = variables.iter().map(|&(variable, ..)| variable).chain([target]);
        b.entry_point(ExecutionModel::Fragment, main, "main", ports.collect::<Vec<_>>());
        b.execution_mode(main, ExecutionMode::OriginUpperLeft, []);
        Ok(b.module().assemble())
    }
}

/// Types, constants and decorations by id.
pub struct Types {
    pub types: BTreeMap<u32, (Op, Vec<Operand>)>,
    pub constants: BTreeMap<u32, u32>,
    /// By type or variable, member and decoration; 0 where there is no member or no number.
    decorations: BTreeMap<(u32, u32, Decoration), u32>,
}

impl Types {
    pub fn from_module(module: &Module) -> Self {
        let (mut types, mut constants) = (BTreeMap::new(), BTreeMap::new());
        for instruction in &module.types_global_values {
            let Some(id) = instruction.result_id else { continue };
            match (instruction.class.opcode, &instruction.operands[..]) {
                (Op::Constant | Op::SpecConstant, &[Operand::LiteralBit32(value)]) => {
                    constants.insert(id, value);
                }
                (op, operands) => {
                    types.insert(id, (op, operands.to_vec()));
                }
            }
        }
        let mut decorations = BTreeMap::new();
        for instruction in &module.annotations {
            let (id, member, decoration, rest) = match &instruction.operands[..] {
                [Operand::IdRef(id), Operand::Decoration(decoration), rest @ ..] => (id, 0, decoration, rest),
                [
                    Operand::IdRef(id),
                    Operand::LiteralBit32(member),
                    Operand::Decoration(decoration),
                    rest @ ..,
                ] => (id, *member, decoration, rest),
                _without_place => continue,
            };
            let value = match rest {
                [Operand::LiteralBit32(value)] => *value,
                _without_number => 0,
            };
            decorations.insert((*id, member, *decoration), value);
        }
        Self { types, constants, decorations }
    }

    /// Returns the operation and the operands of a type.
    fn get(&self, ty: u32) -> Option<(Op, &[Operand])> {
        self.types.get(&ty).map(|(op, operands)| (*op, &operands[..]))
    }

    /// Global variables: id, storage class and type.
    fn variables(&self, module: &Module) -> Vec<(u32, StorageClass, u32)> {
        let variable = |instruction: &rspirv::dr::Instruction| {
            let Some(&Operand::StorageClass(storage)) = instruction.operands.first() else { return None };
            match self.get(instruction.result_type?)? {
                (Op::TypePointer, &[_, Operand::IdRef(pointee)]) => {
                    Some((instruction.result_id?, storage, pointee))
                }
                _other => None,
            }
        };
        let all = module.types_global_values.iter();
        all.filter(|instruction| instruction.class.opcode == Op::Variable).filter_map(variable).collect()
    }

    /// Returns the number of a decoration.
    pub fn decoration(&self, id: u32, member: u32, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, member, decoration)).copied()
    }

    fn scalar(&self, ty: u32) -> Option<Scalar> {
        match self.get(ty)? {
            (Op::TypeFloat, _) => Some(Scalar::Float),
            (Op::TypeInt, [_, Operand::LiteralBit32(0)]) => Some(Scalar::Uint),
            (Op::TypeInt, _) => Some(Scalar::Int),
            _other => None,
        }
    }

    /// Returns the port of a variable; `None` for built-in ones.
    fn port(&self, id: u32, ty: u32) -> Option<Port> {
        let location = self.decoration(id, 0, Decoration::Location)?;
        let (element, components) = match self.get(ty)? {
            (Op::TypeVector, &[Operand::IdRef(element), Operand::LiteralBit32(count)]) => (element, count),
            _scalar => (ty, 1),
        };
        Some(Port { location, scalar: self.scalar(element)?, components })
    }

    fn buffer(&self, id: u32, ty: u32, storage: StorageClass) -> Option<Buffer> {
        let is_storage = storage == StorageClass::StorageBuffer
            || self.decoration(ty, 0, Decoration::BufferBlock).is_some();
        let set = self.decoration(id, 0, Decoration::DescriptorSet).unwrap_or(0);
        Some(Buffer { set, binding: self.decoration(id, 0, Decoration::Binding)?, is_storage, block: ty })
    }
}
