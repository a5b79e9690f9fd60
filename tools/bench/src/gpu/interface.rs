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
    /// Words that are no such module.
    pub fn read(words: &[u32]) -> Result<Self, String> {
        let module = rspirv::dr::load_words(words).map_err(|error| format!("not SPIR-V: {error}"))?;
        let facts = Facts::from_module(&module);
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
        for (id, storage, pointee) in facts.variables(&module) {
            match storage {
                StorageClass::Input => interface.inputs.extend(facts.port(id, pointee)),
                StorageClass::Output => interface.outputs.extend(facts.port(id, pointee)),
                StorageClass::Uniform | StorageClass::StorageBuffer => {
                    interface.buffers.extend(facts.buffer(id, pointee, storage));
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

/// Types and decorations by id.
struct Facts {
    types: BTreeMap<u32, Type>,
    decorations: BTreeMap<(u32, Decoration), u32>,
}

/// A type, as far as ports and buffers need it.
#[derive(Clone, Copy)]
enum Type {
    Scalar(Scalar),
    Vector { element: u32, components: u32 },
    Pointer { pointee: u32 },
}

impl Facts {
    fn from_module(module: &Module) -> Self {
        let mut types = BTreeMap::new();
        for instruction in &module.types_global_values {
            let ty = match (instruction.class.opcode, &instruction.operands[..]) {
                (Op::TypeFloat, _) => Type::Scalar(Scalar::Float),
                (Op::TypeInt, [_, Operand::LiteralBit32(0)]) => Type::Scalar(Scalar::Uint),
                (Op::TypeInt, _) => Type::Scalar(Scalar::Int),
                (Op::TypeVector, &[Operand::IdRef(element), Operand::LiteralBit32(components)]) => {
                    Type::Vector { element, components }
                }
                (Op::TypePointer, &[_, Operand::IdRef(pointee)]) => Type::Pointer { pointee },
                _other => continue,
            };
            types.extend(instruction.result_id.map(|id| (id, ty)));
        }
        let mut decorations = BTreeMap::new();
        for instruction in &module.annotations {
            if let [Operand::IdRef(id), Operand::Decoration(decoration), rest @ ..] =
                &instruction.operands[..]
            {
                let value = match rest {
                    [Operand::LiteralBit32(value)] => *value,
                    _without_number => 0,
                };
                decorations.insert((*id, *decoration), value);
            }
        }
        Self { types, decorations }
    }

    /// Global variables: id, storage class and type.
    fn variables(&self, module: &Module) -> Vec<(u32, StorageClass, u32)> {
        let variable = |instruction: &rspirv::dr::Instruction| {
            let Some(&Operand::StorageClass(storage)) = instruction.operands.first() else { return None };
            let Some(&Type::Pointer { pointee }) = self.types.get(&instruction.result_type?) else {
                return None;
            };
            Some((instruction.result_id?, storage, pointee))
        };
        let all = module.types_global_values.iter();
        all.filter(|instruction| instruction.class.opcode == Op::Variable).filter_map(variable).collect()
    }

    fn decoration(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, decoration)).copied()
    }

    /// Returns the port of a variable; `None` for built-in ones.
    fn port(&self, id: u32, ty: u32) -> Option<Port> {
        let location = self.decoration(id, Decoration::Location)?;
        match *self.types.get(&ty)? {
            Type::Scalar(scalar) => Some(Port { location, scalar, components: 1 }),
            Type::Vector { element, components } => match *self.types.get(&element)? {
                Type::Scalar(scalar) => Some(Port { location, scalar, components }),
                Type::Vector { .. } | Type::Pointer { .. } => None,
            },
            Type::Pointer { .. } => None,
        }
    }

    fn buffer(&self, id: u32, ty: u32, storage: StorageClass) -> Option<Buffer> {
        let is_storage =
            storage == StorageClass::StorageBuffer || self.decoration(ty, Decoration::BufferBlock).is_some();
        let set = self.decoration(id, Decoration::DescriptorSet).unwrap_or(0);
        Some(Buffer { set, binding: self.decoration(id, Decoration::Binding)?, is_storage, block: ty })
    }
}
