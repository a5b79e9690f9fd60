//! A geometry program as a geometry stage: arrays of inputs, triangles as strips of three vertices.
//! In: the [`GeometryStage`] of the interface. Out: variables, execution modes, loads, emitted
//! vertices. Knows no control flow.
//! Facts: SPIR-V 2.16 and 3.6 (execution modes), Vulkan 15.1 (inputs of a geometry stage are
//! arrays).

use ::spirv::{Decoration, ExecutionMode, Op, StorageClass, Word};

use super::function::Body;
use super::interface::Variables;
use super::writer::{Section, Writer};
use crate::backend::interface::{Statements as _, defect, output_type, submission};
use crate::error::Result;
use crate::geometry::{GeometryStage, StagePrimitive};
use crate::interface::Location;
use crate::interface::varying::forwarded_name;
use crate::ir::{Type, Value, ValueList};

/// Declares the arrays of inputs that are read: vector n of all vertices at location n.
pub(super) fn declare(w: &mut Writer, vars: &mut Variables, stage: &GeometryStage, reads: u16) {
    let element = w.ty(Type::F32X4);
    for vector in 0..stage.vectors.min(16) {
        // The stage before may write vectors that this one does not declare.
        if !stage.reads(vector, reads) {
            continue;
        }
        let array = w.array(element, stage.primitive.vertices().into(), 0);
        let id = w.variable(StorageClass::Input, array);
        w.name(id, &forwarded_name(vector));
        w.decorate(id, Decoration::Location, vector.into());
        vars.inputs[usize::from(vector)] = id;
        vars.listed.push(id);
    }
}

/// Writes the execution modes of the entry point.
pub(super) fn execution_modes(w: &mut Writer, stage: &GeometryStage, main: Word) {
    let input = match stage.primitive {
        StagePrimitive::Points => ExecutionMode::InputPoints,
        StagePrimitive::Lines => ExecutionMode::InputLines,
        StagePrimitive::Triangles => ExecutionMode::Triangles,
        StagePrimitive::LinesAdjacency => ExecutionMode::InputLinesAdjacency,
        StagePrimitive::TrianglesAdjacency => ExecutionMode::InputTrianglesAdjacency,
    };
    let vertices = stage.emitted();
    let modes: [(ExecutionMode, &[Word]); 4] = [
        (input, &[]),
        (ExecutionMode::Invocations, &[1]),
        (ExecutionMode::OutputTriangleStrip, &[]),
        (ExecutionMode::OutputVertices, &[vertices]),
    ];
    for (mode, operands) in modes {
        w.put_list(Section::Preamble, Op::ExecutionMode, &[main, mode as Word], operands);
    }
}

impl Body<'_> {
    /// Returns a pointer to an input of a geometry stage:
    /// [`Resource::Input`](crate::ir::Resource::Input) n is vector n of an invocation.
    pub(super) fn stage_input(&mut self, stage: &GeometryStage, input: u32) -> Word {
        let vector = self.w.ty(Type::F32X4);
        let pointer = self.w.pointer(StorageClass::Input, vector);
        let vectors = u32::from(stage.vectors.max(1));
        let vertex = self.w.constant(Type::I32, [input / vectors, 0, 0, 0]);
        let variable = self.vars.inputs[(input % vectors) as usize & 15];
        self.w.value(Op::AccessChain, pointer, &[variable, vertex])
    }

    /// Emits a triangle as a strip of its own and returns the number of triangles including it.
    pub(super) fn emit_triangle(&mut self, args: ValueList) -> Result<Word> {
        let (func, source) = (self.func, self.source);
        let outputs = &source.interface.outputs;
        let (count, vertices) = submission(func, args, outputs.len())?;
        for vertex in vertices.chunks_exact(outputs.len().max(1)) {
            for (index, (&value, output)) in vertex.iter().zip(outputs).enumerate() {
                let ty = output_type(output)?;
                let mut id = self.first_lanes(value, ty);
                if output.location == Location::ClipDistances {
                    id = self.array_of(id, ty);
                }
                let Some(&variable) = self.vars.outputs.get(index) else {
                    return Err(defect(format!("output {} is not declared", output.name)));
                };
                self.w.effect(Op::Store, &[variable, id]);
            }
            self.w.effect(Op::EmitVertex, &[]);
        }
        // Ends the strip, so that the next triangle shares no vertex with this one.
        self.w.effect(Op::EndPrimitive, &[]);
        let (count, int) = (self.id(count), self.w.ty(Type::I32));
        let one = self.int(1);
        Ok(self.w.value(Op::IAdd, int, &[count, one]))
    }

    /// Returns as many lanes of a vector of four as a type has.
    fn first_lanes(&mut self, value: Value, ty: Type) -> Word {
        let (vector, id) = (self.id(value), self.w.ty(ty));
        match ty.lanes {
            4 => vector,
            1 => self.w.value(Op::CompositeExtract, id, &[vector, 0]),
            lanes => self.w.value_list(Op::VectorShuffle, id, [vector, vector], 0..lanes.into()),
        }
    }
}
