//! The geometry stage that brings the quaternions of a triangle to one side.
//! In: the outputs of the vertex stage before it. Out: a stage that passes them on. Knows no
//! program; the arithmetic is [`align_quaternions`](crate::host::align_quaternions)'s.
//! Facts: Vulkan 15.1 (inputs of a geometry stage are arrays). Built-ins stand alone on both sides,
//! as the vertex stage writes them.

use ::spirv::{Decoration, FunctionControl, Op, StorageClass, Word};

use super::interface::{Declarations, Variables, locate, variable_type};
use super::writer::Writer;
use crate::backend::interface::is_quaternion;
use crate::error::Result;
use crate::interface::Output;
use crate::ir::{ScalarKind, Type};

/// Vertices of a triangle.
const VERTICES: u32 = 3;

/// Writes the stage, and returns its function.
pub(super) fn write(declarations: &mut Declarations<'_>) -> Result<Word> {
    let source = declarations.source;
    let outputs = &source.interface.outputs;
    let mut inputs = Vec::with_capacity(outputs.len());
    for output in outputs {
        inputs.push(declare_input(declarations.w, declarations.vars, output)?);
    }
    declarations.outputs()?;
    let Declarations { w, vars, .. } = declarations;
    let void = w.void();
    let function_type = w.function_type(&[void]);
    let (main, label) = (w.id(), w.id());
    w.effect(Op::Function, &[void, main, FunctionControl::NONE.bits(), function_type]);
    w.effect(Op::Label, &[label]);
    let mut first = None;
    for vertex in 0..VERTICES {
        for (index, (output, &input)) in outputs.iter().zip(&inputs).enumerate() {
            let mut value = load(w, output, input, vertex)?;
            if is_quaternion(output) {
                match first {
                    None => first = Some(value),
                    Some(first) => {
                        value =
                            aligned(w, super::interface::decorates_operations(source.profile), first, value)
                    }
                }
            }
            w.effect(Op::Store, &[vars.outputs[index], value]);
        }
        w.effect(Op::EmitVertex, &[]);
    }
    w.effect(Op::EndPrimitive, &[]);
    w.effect(Op::Return, &[]);
    w.effect(Op::FunctionEnd, &[]);
    Ok(main)
}

/// Declares the output of the vertex stage as an input: one for each vertex.
fn declare_input(w: &mut Writer, vars: &mut Variables, output: &Output) -> Result<Word> {
    let element = variable_type(w, output)?;
    let array = w.array(element, VERTICES, 0);
    let id = w.variable(StorageClass::Input, array);
    w.name(id, &format!("in_{}", output.name));
    locate(w, id, output.location);
    vars.listed.push(id);
    Ok(id)
}

fn load(w: &mut Writer, output: &Output, input: Word, vertex: u32) -> Result<Word> {
    let ty = variable_type(w, output)?;
    let pointer = w.pointer(StorageClass::Input, ty);
    let vertex = w.constant(Type::I32, [vertex, 0, 0, 0]);
    let place = w.value(Op::AccessChain, pointer, &[input, vertex]);
    Ok(w.value(Op::Load, ty, &[place]))
}

/// The quaternion, negated if it lies on the other side than the first.
fn aligned(w: &mut Writer, no_contraction: bool, first: Word, other: Word) -> Word {
    let (vector, scalar) = (w.ty(Type::F32X4), w.ty(Type::F32));
    let exact = |w: &mut Writer, op, ty, operands: &[Word; 2]| {
        let id = w.value(op, ty, operands);
        if no_contraction {
            w.mark(id, Decoration::NoContraction);
        }
        id
    };
    let products = exact(w, Op::FMul, vector, &[first, other]);
    let mut sum = w.value(Op::CompositeExtract, scalar, &[products, 0]);
    for lane in 1..4 {
        let product = w.value(Op::CompositeExtract, scalar, &[products, lane]);
        sum = exact(w, Op::FAdd, scalar, &[sum, product]);
    }
    let zero = w.constant(Type::F32, [0; 4]);
    let boolean = w.ty(Type::BOOL);
    let is_other = w.value(Op::FOrdLessThan, boolean, &[sum, zero]);
    // Before SPIR-V 1.4 a vector is selected by a vector.
    let booleans = w.ty(Type::new(ScalarKind::Bool, 4));
    let is_other = w.value(Op::CompositeConstruct, booleans, &[is_other; 4]);
    let negated = w.value(Op::FNegate, vector, &[other]);
    w.value(Op::Select, vector, &[is_other, negated, other])
}
