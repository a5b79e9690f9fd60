//! Decoder of code words and their operand descriptors.
//! In: words and the descriptor table. Out: [`Inst`]; inverted forms equal the plain ones. Knows no
//! control flow.
//! Facts: 3dbrew "GPU/Shader Instruction Set"; hardware ignores the address register of a source
//! other than a uniform.

use super::format::{Field, Format};
use super::opdesc::selector;
use crate::program::isa::inst::{CompareOp, Condition, ConditionOp, DataOp, Flow, FlowOp, Inst, Operand};
use crate::program::isa::reg::{Dest, Index, Mask, Pc, Source};
use crate::program::isa::table::{Class, Role, Shape};

/// Decodes one word. A missing descriptor reads as 0: no component is written, sources are `.xxxx`.
///
/// ```
/// use transpica::isa::{Flow, Inst, decode::decode};
/// assert_eq!(decode(0x8800_0000, &[]), Inst::Flow(Flow::End));
/// ```
#[inline]
pub fn decode(word: u32, descriptors: &[u32]) -> Inst {
    // Range: six bits.
    let Some(Shape { class, format, .. }) = Shape::of_word(word) else {
        return Inst::Unassigned((word >> 26) as u8);
    };
    match class {
        Class::Data(op) => data(op, format, word, descriptors),
        Class::Address => {
            let bits = descriptor(format, word, descriptors);
            Inst::Mova {
                mask: Mask(Mask::from_descriptor(bits).0 & 3),
                source: source(format, word, bits, 0),
            }
        }
        Class::Compare => {
            let bits = descriptor(format, word, descriptors);
            Inst::Cmp {
                x: CompareOp::from_field(format.field(Field::CompareX, word)),
                y: CompareOp::from_field(format.field(Field::CompareY, word)),
                sources: [source(format, word, bits, 0), source(format, word, bits, 1)],
            }
        }
        Class::Control(op) => Inst::Flow(control(op, format, word)),
        Class::Emit => Inst::Emit,
        Class::SetEmit => Inst::SetEmit {
            vertex: format.field(Field::Vertex, word) as u8, // Range: two bits.
            prim: format.field(Field::Prim, word) != 0,
            invert: format.field(Field::Invert, word) != 0,
        },
    }
}

/// The register and components that an instruction writes, without decoding the rest.
#[inline]
pub fn destination(word: u32, descriptors: &[u32]) -> Option<(Dest, Mask)> {
    let Shape { class, format, .. } = Shape::of_word(word)?;
    match class {
        Class::Data(_) => {
            let mask = Mask::from_descriptor(descriptor(format, word, descriptors));
            Some((Dest::from_field(format.field(Field::Dest, word)), mask))
        }
        Class::Address | Class::Compare | Class::Control(_) | Class::Emit | Class::SetEmit => None,
    }
}

/// The descriptor that a word names.
#[inline]
fn descriptor(format: Format, word: u32, descriptors: &[u32]) -> u32 {
    descriptors.get(format.field(Field::Descriptor, word) as usize).copied().unwrap_or(0)
}

/// Decodes an instruction that writes a register.
#[inline]
fn data(op: DataOp, format: Format, word: u32, descriptors: &[u32]) -> Inst {
    let bits = descriptor(format, word, descriptors);
    let mut sources = [Operand::UNUSED; 3];
    for (index, operand) in sources.iter_mut().enumerate().take(format.source_count()) {
        *operand = source(format, word, bits, index);
    }
    let dest = Dest::from_field(format.field(Field::Dest, word));
    Inst::Data { op, dest, mask: Mask::from_descriptor(bits), sources }
}

/// Decodes a source. Only the wide one can be a uniform; hardware ignores other address registers.
#[inline]
fn source(format: Format, word: u32, bits: u32, index: usize) -> Operand {
    let selector = selector(bits, index);
    let register = Source::from_field(format.field(Field::SOURCES[index], word));
    let index = match register {
        Source::Uniform(_) => Index::from_field(format.field(Field::Index, word)),
        Source::Input(_) | Source::Temp(_) => Index::None,
    };
    Operand { register, index, swizzle: selector.swizzle, negate: selector.negate }
}

/// Decodes a control-flow instruction.
fn control(op: FlowOp, format: Format, word: u32) -> Flow {
    let read = |role: Role, field| format.field(field, word) & role.reads(field);
    // Ranges: a target has twelve bits, a length eight, the index of a uniform four.
    let target = Pc(read(Role::Target, Field::Target) as u16);
    let length = read(Role::Length, Field::Num) as u8;
    let id = |role| read(role, Field::Id) as u8;
    let condition = condition(format, word);
    match op {
        FlowOp::Break => Flow::Break,
        FlowOp::Nop => Flow::Nop,
        FlowOp::End => Flow::End,
        FlowOp::BreakC => Flow::BreakC(condition),
        FlowOp::Call => Flow::Call { target, length },
        FlowOp::CallC => Flow::CallC { condition, target, length },
        FlowOp::CallU => Flow::CallU { bool: id(Role::Bool), target, length },
        FlowOp::IfU => Flow::IfU { bool: id(Role::Bool), target, length },
        FlowOp::IfC => Flow::IfC { condition, target, length },
        FlowOp::Loop => Flow::Loop { int: id(Role::Int), last: target },
        FlowOp::JmpC => Flow::JmpC { condition, target },
        FlowOp::JmpU => {
            Flow::JmpU { bool: id(Role::BoolOrNot), expected: read(Role::BoolOrNot, Field::Num) == 0, target }
        }
    }
}

/// Decodes a condition on the flags.
fn condition(format: Format, word: u32) -> Condition {
    Condition {
        op: ConditionOp::from_field(format.field(Field::ConditionOp, word)),
        ref_x: format.field(Field::RefX, word) != 0,
        ref_y: format.field(Field::RefY, word) != 0,
    }
}
