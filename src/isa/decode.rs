//! Decoding: a code word and its operand descriptor become an instruction.
//! In: words and the descriptor table. Out: [`Inst`], inverted forms made equal to the plain ones. Knows no control flow.
//! Facts: 3dbrew "GPU/Shader Instruction Set"; hardware ignores the address register of a source that is not a uniform.

use super::inst::{CompareOp, Condition, ConditionOp, DataOp, Flow, Inst, Operand};
use super::opdesc::selector;
use super::reg::{Dest, Index, Mask, Pc, Source};
use super::table::{Class, Opcode, Shape};
use super::word::{Format, five, flow, one};

/// Decodes one word. A descriptor that the table lacks reads as 0: no component is written, sources are `.xxxx`.
///
/// ```
/// use transpica::isa::{Flow, Inst, decode::decode};
/// assert_eq!(decode(0x8800_0000, &[]), Inst::Flow(Flow::End));
/// ```
#[inline]
pub fn decode(word: u32, descriptors: &[u32]) -> Inst {
    // Range: six bits.
    let Some(shape) = Shape::of_word(word) else { return Inst::Unassigned((word >> 26) as u8) };
    match shape.class {
        Class::Data(op) => data(op, shape.format, word, descriptors),
        Class::Address => {
            let bits = descriptor(one::DESCRIPTOR.get(word), descriptors);
            Inst::Mova { mask: Mask(Mask::from_descriptor(bits).0 & 3), source: unary(word, bits) }
        }
        Class::Compare => {
            let bits = descriptor(one::DESCRIPTOR.get(word), descriptors);
            let [first, second, _] = binary(word, bits);
            Inst::Cmp {
                x: CompareOp::from_field(one::COMPARE_X.get(word)),
                y: CompareOp::from_field(one::COMPARE_Y.get(word)),
                sources: [first, second],
            }
        }
        Class::Control => control(shape.opcode, word),
    }
}

/// The register that an instruction writes and its components, without decoding the rest.
#[inline]
pub fn written(word: u32, descriptors: &[u32]) -> Option<(Dest, Mask)> {
    let shape = Shape::of_word(word)?;
    match shape.class {
        Class::Data(_) => {
            let (dest, bits) = target(shape.format, word, descriptors);
            Some((dest, Mask::from_descriptor(bits)))
        }
        Class::Address | Class::Compare | Class::Control => None,
    }
}

/// The descriptor with this number.
#[inline]
fn descriptor(index: u32, descriptors: &[u32]) -> u32 {
    descriptors.get(index as usize).copied().unwrap_or(0)
}

/// An instruction that writes a register.
#[inline]
fn data(op: DataOp, format: Format, word: u32, descriptors: &[u32]) -> Inst {
    let (dest, bits) = target(format, word, descriptors);
    let sources = match format {
        Format::One | Format::OneCompare => binary(word, bits),
        Format::OneInverted => [
            narrow(one::NARROW1.get(word), bits, 0),
            wide(one::WIDE2.get(word), one::INDEX.get(word), bits, 1),
            Operand::UNUSED,
        ],
        Format::OneUnary => [unary(word, bits), Operand::UNUSED, Operand::UNUSED],
        Format::Five => [
            narrow(five::NARROW1.get(word), bits, 0),
            wide(five::WIDE2.get(word), five::INDEX.get(word), bits, 1),
            narrow(five::NARROW3.get(word), bits, 2),
        ],
        Format::FiveInverted => [
            narrow(five::NARROW1.get(word), bits, 0),
            narrow(five::NARROW2.get(word), bits, 1),
            wide(five::WIDE3.get(word), five::INDEX.get(word), bits, 2),
        ],
        Format::Zero | Format::Two | Format::Three | Format::Four => [Operand::UNUSED; 3],
    };
    Inst::Data { op, dest, mask: Mask::from_descriptor(bits), sources }
}

/// The register that an instruction writes, and its descriptor.
#[inline]
fn target(format: Format, word: u32, descriptors: &[u32]) -> (Dest, u32) {
    let (dest, bits) = match format {
        Format::Five | Format::FiveInverted => (five::DEST, five::DESCRIPTOR),
        Format::One
        | Format::OneInverted
        | Format::OneUnary
        | Format::OneCompare
        | Format::Zero
        | Format::Two
        | Format::Three
        | Format::Four => (one::DEST, one::DESCRIPTOR),
    };
    (Dest::from_field(dest.get(word)), descriptor(bits.get(word), descriptors))
}

/// The two sources of formats 1 and 1c.
#[inline]
fn binary(word: u32, bits: u32) -> [Operand; 3] {
    [unary(word, bits), narrow(one::NARROW2.get(word), bits, 1), Operand::UNUSED]
}

/// The wide first source of formats 1, 1u and 1c.
#[inline]
fn unary(word: u32, bits: u32) -> Operand {
    wide(one::WIDE1.get(word), one::INDEX.get(word), bits, 0)
}

/// A source that names v or r.
#[inline]
fn narrow(field: u32, bits: u32, source: usize) -> Operand {
    wide(field, 0, bits, source)
}

/// A source that may be a uniform; elsewhere hardware ignores the address register.
#[inline]
fn wide(field: u32, index: u32, bits: u32, source: usize) -> Operand {
    let selector = selector(bits, source);
    let register = Source::from_field(field);
    let index = match register {
        Source::Uniform(_) => Index::from_field(index),
        Source::Input(_) | Source::Temp(_) => Index::None,
    };
    Operand { register, index, swizzle: selector.swizzle, negate: selector.negate }
}

/// An instruction that steers or talks to the primitive assembler.
fn control(opcode: Opcode, word: u32) -> Inst {
    // Ranges: a target has twelve bits, a bool uniform four; of the length eight bits are read.
    let target = Pc(flow::TARGET.get(word) as u16);
    let length = (flow::NUM.get(word) & 0xFF) as u8;
    let id = flow::ID.get(word) as u8;
    let condition = condition(word);
    Inst::Flow(match opcode {
        Opcode::Break => Flow::Break,
        Opcode::Nop => Flow::Nop,
        Opcode::End => Flow::End,
        Opcode::Breakc => Flow::BreakC(condition),
        Opcode::Call => Flow::Call { target, length },
        Opcode::Callc => Flow::CallC { condition, target, length },
        Opcode::Callu => Flow::CallU { bool: id, target, length },
        Opcode::Ifu => Flow::IfU { bool: id, target, length },
        Opcode::Ifc => Flow::IfC { condition, target, length },
        // Only i0..i3 exist; the upper two bits of the number are ignored.
        Opcode::Loop => Flow::Loop { int: id & 3, last: target },
        Opcode::Jmpc => Flow::JmpC { condition, target },
        Opcode::Jmpu => Flow::JmpU { bool: id, expected: length & 1 == 0, target },
        Opcode::Emit => return Inst::Emit,
        Opcode::Setemit => {
            return Inst::SetEmit {
                vertex: flow::VERTEX.get(word) as u8,
                prim: flow::PRIM.get(word) != 0,
                invert: flow::INVERT.get(word) != 0,
            };
        }
        Opcode::Add
        | Opcode::Dp3
        | Opcode::Dp4
        | Opcode::Dph
        | Opcode::Dst
        | Opcode::Ex2
        | Opcode::Lg2
        | Opcode::Litp
        | Opcode::Mul
        | Opcode::Sge
        | Opcode::Slt
        | Opcode::Flr
        | Opcode::Max
        | Opcode::Min
        | Opcode::Rcp
        | Opcode::Rsq
        | Opcode::Mova
        | Opcode::Mov
        | Opcode::Dphi
        | Opcode::Dsti
        | Opcode::Sgei
        | Opcode::Slti
        | Opcode::Cmp
        | Opcode::Madi
        | Opcode::Mad => unreachable!("the table gives these another class than Control"),
    })
}

/// The condition of a format 2 word.
fn condition(word: u32) -> Condition {
    Condition {
        op: ConditionOp::from_field(flow::CONDITION_OP.get(word)),
        ref_x: flow::REF_X.get(word) != 0,
        ref_y: flow::REF_Y.get(word) != 0,
    }
}
