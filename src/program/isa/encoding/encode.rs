//! Encoder of instructions, including the choice of the inverted form.
//! In: [`Inst`]. Out: [`Word`] and the required value of its descriptor. Knows no descriptor table:
//! see [`builder`](crate::program::isa::program::builder).
//! Facts: 3dbrew "GPU/Shader Instruction Set". As in assemblers, a form is inverted only if the
//! last source, and no other, is a uniform.

use super::opdesc::{Descriptor, MASK_BITS, Selector, source_bits};
use super::word::{Field, Word};
use crate::error::{At, Error, Kind, Result};
use crate::program::isa::inst::{Flow, FlowOp, Inst, Operand};
use crate::program::isa::reg::{Dest, Index, Mask, Source};
use crate::program::isa::sizes::INTS;
use crate::program::isa::table::Opcode;

impl Inst {
    /// The opcode, inverted where the operands require it, or `None` for an unassigned instruction.
    ///
    /// ```
    /// use transpica::isa::{DataOp, Dest, Inst, Mask, Opcode, Operand, Source};
    /// let sources = [Operand::new(Source::Temp(1)), Operand::new(Source::Uniform(3))];
    /// let inst = Inst::data(DataOp::Sge, Dest::Temp(0), Mask::XYZW, &sources);
    /// assert_eq!(inst.opcode(), Some(Opcode::Sgei));
    /// ```
    pub fn opcode(&self) -> Option<Opcode> {
        Some(match self {
            Self::Data { op, sources, .. } => {
                let plain = op.opcode();
                let last = sources[plain.format().source_count() - 1];
                let inverted = plain.inverted().filter(|_| plain.format().source_count() > 1);
                inverted.filter(|_| is_uniform(&last)).unwrap_or(plain)
            }
            Self::Mova { .. } => Opcode::Mova,
            Self::Cmp { .. } => Opcode::Cmp,
            Self::Emit => Opcode::Emit,
            Self::SetEmit { .. } => Opcode::Setemit,
            Self::Flow(flow) => flow.opcode(),
            Self::Unassigned(_) => return None,
        })
    }
    /// The required descriptor and the bits of it that are relevant; all others are 0.
    pub fn descriptor(&self) -> Option<(Descriptor, u32)> {
        let (mask, mut matters) = match self {
            Self::Data { mask, .. } => (*mask, MASK_BITS),
            Self::Mova { mask, .. } => (Mask(mask.0 & 3), MASK_BITS),
            Self::Cmp { .. } => (Mask::NONE, 0),
            Self::Flow(_) | Self::Emit | Self::SetEmit { .. } | Self::Unassigned(_) => return None,
        };
        let blank = Selector { swizzle: crate::program::isa::reg::Swizzle(0), negate: false };
        let mut descriptor = Descriptor { mask, sources: [blank; 3] };
        for (index, source) in self.sources().iter().enumerate() {
            descriptor.sources[index] = Selector { swizzle: source.swizzle, negate: source.negate };
            matters |= source_bits(index);
        }
        Some((descriptor, matters))
    }
    /// The sources, in order.
    pub fn sources(&self) -> &[Operand] {
        match self {
            Self::Data { op, sources, .. } => &sources[..op.source_count()],
            Self::Mova { source, .. } => std::slice::from_ref(source),
            Self::Cmp { sources, .. } => sources,
            Self::Flow(_) | Self::Emit | Self::SetEmit { .. } | Self::Unassigned(_) => &[],
        }
    }
}

impl Flow {
    /// The opcode.
    pub fn opcode(&self) -> Opcode {
        self.op().opcode()
    }
    /// The operation.
    pub fn op(&self) -> FlowOp {
        match self {
            Self::Nop => FlowOp::Nop,
            Self::End => FlowOp::End,
            Self::Break => FlowOp::Break,
            Self::BreakC(_) => FlowOp::BreakC,
            Self::Call { .. } => FlowOp::Call,
            Self::CallC { .. } => FlowOp::CallC,
            Self::CallU { .. } => FlowOp::CallU,
            Self::IfU { .. } => FlowOp::IfU,
            Self::IfC { .. } => FlowOp::IfC,
            Self::Loop { .. } => FlowOp::Loop,
            Self::JmpC { .. } => FlowOp::JmpC,
            Self::JmpU { .. } => FlowOp::JmpU,
        }
    }
}

/// Encodes an instruction. `descriptor` is the index of its operand descriptor, which must hold the
/// value of [`Inst::descriptor`]; ignored for instructions without one.
///
/// # Errors
/// [`Kind::BadField`] for a value that does not fit its field: a uniform in a narrow source, two
/// uniforms, a descriptor above 31 for MAD, registers and targets out of range.
///
/// ```
/// use transpica::isa::{decode::decode, encode::encode};
/// let word = 0xD141_2421; // madi r1, v0, r2, c1[a0.x]
/// assert_eq!(encode(&decode(word, &[]), 1).unwrap().0, word);
/// ```
pub fn encode(inst: &Inst, descriptor: u8) -> Result<Word> {
    let Some(opcode) = inst.opcode() else { return unassigned(inst) };
    let mut word = Fitted(Word::new(opcode));
    match inst {
        Inst::Data { dest, .. } => {
            word.set(Field::Dest, dest_field(*dest)?, "destination register")?;
            word.operands(inst, descriptor)?;
        }
        Inst::Mova { .. } => word.operands(inst, descriptor)?,
        Inst::Cmp { x, y, .. } => {
            word.set(Field::CompareX, *x as u32, "comparison")?;
            word.set(Field::CompareY, *y as u32, "comparison")?;
            word.operands(inst, descriptor)?;
        }
        Inst::Flow(flow) => word.flow(flow)?,
        Inst::SetEmit { vertex, prim, invert } => {
            word.set(Field::Vertex, (*vertex).into(), "vertex slot")?;
            word.set(Field::Prim, (*prim).into(), "prim")?;
            word.set(Field::Invert, (*invert).into(), "inv")?;
        }
        Inst::Emit | Inst::Unassigned(_) => {}
    }
    Ok(word.0)
}

/// Encodes an undefined opcode.
fn unassigned(inst: &Inst) -> Result<Word> {
    let Inst::Unassigned(code) = *inst else { unreachable!("every other instruction has an opcode") };
    let word = u32::from(code) << 26;
    if code > 0x3F || Opcode::of_word(word).is_some() {
        return Err(unfit("unassigned opcode", code.into(), "a six-bit code that is not defined"));
    }
    Ok(Word(word))
}

/// A word whose fields accept only values that fit.
struct Fitted(Word);

impl Fitted {
    /// Sets a field.
    fn set(&mut self, field: Field, value: u32, what: &'static str) -> Result<()> {
        // A field drops the bits that do not fit, so a value that reads back unchanged fits.
        self.0 = self.0.with(field, value);
        if self.0.get(field) == Some(value) {
            Ok(())
        } else {
            Err(unfit(what, value, "small enough for its field"))
        }
    }
    /// Sets sources, address register and descriptor.
    fn operands(&mut self, inst: &Inst, descriptor: u8) -> Result<()> {
        let wide = self.0.opcode().and_then(|opcode| opcode.format().wide());
        for (&operand, &field) in inst.sources().iter().zip(&Field::SOURCES) {
            let value = source_field(operand.register)?;
            if Some(field) == wide {
                // Assemblers write 0 where the address register has no effect.
                let index = if is_uniform(&operand) { operand.index } else { Index::None };
                self.set(Field::Index, index as u32, "address register")?;
            } else if is_uniform(&operand) {
                return Err(unfit("narrow source", value, "v0..v15 or r0..r15"));
            }
            self.set(field, value, "source register")?;
        }
        self.set(Field::Descriptor, descriptor.into(), "operand descriptor")
    }
    /// Sets the operands of a control-flow instruction.
    fn flow(&mut self, flow: &Flow) -> Result<()> {
        match *flow {
            Flow::Nop | Flow::End | Flow::Break => Ok(()),
            Flow::BreakC(condition) => self.condition(condition),
            Flow::Call { target, length } => self.range(target, length),
            Flow::CallC { condition, target, length } | Flow::IfC { condition, target, length } => {
                self.condition(condition)?;
                self.range(target, length)
            }
            Flow::CallU { bool: id, target, length } | Flow::IfU { bool: id, target, length } => {
                self.set(Field::Id, id.into(), "bool uniform")?;
                self.range(target, length)
            }
            Flow::Loop { int, last } => {
                if usize::from(int) >= INTS {
                    return Err(unfit("int uniform", int.into(), "i0..i3"));
                }
                self.set(Field::Id, int.into(), "int uniform")?;
                self.range(last, 0)
            }
            Flow::JmpC { condition, target } => {
                self.condition(condition)?;
                self.range(target, 0)
            }
            Flow::JmpU { bool: id, expected, target } => {
                self.set(Field::Id, id.into(), "bool uniform")?;
                self.range(target, u8::from(!expected))
            }
        }
    }
    /// Sets a condition.
    fn condition(&mut self, condition: crate::program::isa::inst::Condition) -> Result<()> {
        self.set(Field::RefX, condition.ref_x.into(), "refx")?;
        self.set(Field::RefY, condition.ref_y.into(), "refy")?;
        self.set(Field::ConditionOp, condition.op as u32, "condop")
    }
    /// Sets target and number.
    fn range(&mut self, target: crate::program::isa::reg::Pc, num: u8) -> Result<()> {
        self.set(Field::Target, target.0.into(), "target")?;
        self.set(Field::Num, num.into(), "number of words")
    }
}

/// An error whose place the caller fills in.
fn unfit(what: &'static str, value: u32, allowed: &'static str) -> Error {
    Error::new(Kind::BadField { what, value, allowed }, At::Whole)
}

fn is_uniform(operand: &Operand) -> bool {
    matches!(operand.register, Source::Uniform(_))
}

/// The field of a source; an error if there is no such register.
fn source_field(source: Source) -> Result<u32> {
    let (Source::Input(number) | Source::Temp(number) | Source::Uniform(number)) = source;
    let field = source.to_field();
    // A number that is too large gives the field of another register.
    if Source::from_field(field) == source {
        Ok(field)
    } else {
        Err(unfit("source register", number.into(), "v0..v15, r0..r15 or c0..c95"))
    }
}

/// The field of a destination; an error if there is no such register.
fn dest_field(dest: Dest) -> Result<u32> {
    let (Dest::Output(number) | Dest::Temp(number)) = dest;
    let field = dest.to_field();
    if Dest::from_field(field) == dest {
        Ok(field)
    } else {
        Err(unfit("destination register", number.into(), "o0..o15 or r0..r15"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::isa::encoding::decode::{decode, destination};
    use crate::program::isa::inst::DataOp;
    use crate::program::isa::reg::Pc;

    const ALL: u32 = 0x0D86_C36F;
    /// Descriptors of the golden words: 3 takes `.zzzz` to x, 5 takes `.wwww`, all others are the
    /// identity.
    const DESCRIPTORS: [u32; 11] = [ALL, ALL, ALL, 0x1548, ALL, 0x1FEF, ALL, ALL, ALL, ALL, ALL];

    #[track_caller]
    fn check(word: u32, text: &str) {
        let inst = decode(word, &DESCRIPTORS);
        assert_eq!(inst.to_string(), text, "{word:#010x}");
        let descriptor = Word(word).get(Field::Descriptor).unwrap_or(0);
        let encoded = encode(&inst, u8::try_from(descriptor).expect("seven bits")).expect("encodes");
        assert_eq!(encoded.0, word, "{text}: {:#010x}", encoded.0);
    }

    #[test]
    fn golden_data_words() {
        check(0x4801_2003, "mova a0.x, r2.zzzz");
        check(0x4E02_1000, "mov r0, c1");
        check(0x022A_2181, "add r1, c2[a0.x], v3");
        check(0x0232_2182, "add r1, c2[a0.y], v3");
        check(0x023A_0807, "add r1, c0[aL], r0");
        check(0x3207_FF81, "max r0, c95, r15");
        check(0x2600_E881, "sge r0, v14, r1");
        check(0x6A1C_5181, "sge r0, r1, c3[aL]");
        check(0x6264_3F8A, "dph r3, r0, c95");
        check(0x6664_3F8A, "dst r3, r0, c95");
        check(0x1267_F80A, "dst r3, c95, r0");
        check(0x3A01_1005, "rcp r0, r1.wwww");
        check(0xF140_8641, "mad r1, v0, c1[a0.x], r2");
        check(0xD141_2421, "mad r1, v0, r2, c1[a0.x]");
        check(0xB822_0881, "cmp c0, eq, ne, r1");
        check(0xBC61_0881, "cmp r0, gt, le, r1");
        check(0xBAA1_0881, "cmp r0, lt, ge, r1");
    }

    #[test]
    fn golden_control_flow_words() {
        check(0xA100_4000, "ifc !cmp.x || cmp.y, 0x10, 0");
        check(0xA340_4C00, "ifc cmp.x && cmp.y, 0x13, 0");
        check(0xA2C0_5800, "ifc !cmp.y, 0x16, 0");
        check(0xA240_5002, "ifc cmp.x && !cmp.y, 0x14, 2");
        check(0xA4C0_6400, "for i3, 0x19");
        check(0x8F00_0000, "breakc cmp.x || cmp.y");
        check(0x8F80_0000, "breakc cmp.x");
        check(0x9000_B402, "call 0x2d, 2");
        check(0x9580_B402, "callc !cmp.x, 0x2d, 2");
        check(0x9800_B402, "callu b0, 0x2d, 2");
        check(0x9C00_8800, "ifu b0, 0x22, 0");
        check(0xB7C0_7000, "jmpu b15, 0x1c");
        check(0xB7C0_7001, "jmpu !b15, 0x1c");
        check(0xB3C0_A400, "jmpc cmp.y, 0x29");
        check(0xAC00_0000, "setemit 0");
        check(0xAEC0_0000, "setemit 2, prim inv");
        check(0xA800_0000, "emit");
        check(0x8400_0000, "nop");
        check(0x8800_0000, "end");
        check(0x8000_0000, "break");
        check(0x4000_0000, "unassigned 0x10");
    }

    #[test]
    fn the_worked_example_decodes() {
        let text = [0x2202_0000, 0xE021_FE00].map(|word| decode(word, &[0x7246_C36F]).to_string());
        assert_eq!(text, ["mul r0, c0, v0", "mad o0, r0, c95, -r0.wzyx"]);
    }

    #[test]
    fn the_length_has_eight_bits_and_the_loop_number_two() {
        assert_eq!(decode(0x9000_B402 | 0x300, &[]), decode(0x9000_B402, &[]));
        assert_eq!(decode(0xA4C0_6400 | 0x0300_0000, &[]), decode(0xA4C0_6400, &[]));
        assert_eq!(decode(0xB7C0_7000 | 0x3FE, &[]), decode(0xB7C0_7000, &[]));
    }

    #[test]
    fn a_missing_descriptor_reads_as_zero() {
        assert_eq!(decode(0x4E02_1000, &[]).to_string(), "mov r0._, c1.xxxx");
        assert_eq!(decode(0xB822_0881, &[ALL]).to_string(), "cmp c0.xxxx, eq, ne, r1.xxxx");
    }

    #[test]
    fn the_address_register_of_a_source_that_is_no_uniform_is_ignored() {
        assert_eq!(decode(0x022A_2181 & !0x7_F000 | 0x0_2000, &DESCRIPTORS).to_string(), "add r1, v2, v3");
    }

    /// A deterministic random generator.
    fn noise(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as u32 | (*seed >> 1) as u32 & 0x8000_0000
    }

    #[test]
    fn decoded_instructions_encode_to_equal_words() {
        let mut seed = 1;
        for code in 0..64 {
            for _ in 0..2000 {
                let word = code << 26 | noise(&mut seed) & 0x03FF_FFFF;
                let bits = noise(&mut seed);
                let inst = decode(word, &[bits; 128]);
                let target = match inst {
                    Inst::Data { dest, mask, .. } => Some((dest, mask)),
                    _writes_no_register => None,
                };
                assert_eq!(destination(word, &[bits; 128]), target, "{word:#010x}");
                let encoded = encode(&inst, 5).expect("encodes").0;
                assert_eq!(decode(encoded, &[bits; 128]), inst, "{word:#010x}");
                let Some((descriptor, matters)) = inst.descriptor() else { continue };
                let packed = descriptor.pack();
                assert_eq!(decode(encoded, &[packed; 128]), inst, "{word:#010x} {bits:#010x}");
                assert_eq!(decode(encoded, &[packed | !matters; 128]), inst, "{word:#010x} {bits:#010x}");
            }
        }
    }

    #[test]
    fn operands_out_of_range_are_refused() {
        let [uniform, temp] = [Source::Uniform(1), Source::Temp(1)].map(Operand::new);
        let data = |op, sources: &[Operand]| Inst::data(op, Dest::Temp(0), Mask::XYZW, sources);
        let flow = |flow| Inst::Flow(flow);
        for inst in [
            data(DataOp::Add, &[temp, uniform]),
            data(DataOp::Sge, &[uniform, uniform]),
            data(DataOp::Mad, &[uniform, temp, temp]),
            data(DataOp::Mad, &[temp, uniform, uniform]),
            data(DataOp::Mov, &[Operand::new(Source::Temp(16))]),
            data(DataOp::Mov, &[Operand::new(Source::Uniform(96))]),
            Inst::data(DataOp::Mov, Dest::Output(16), Mask::XYZW, &[temp]),
            flow(Flow::Call { target: Pc(0x1000), length: 0 }),
            flow(Flow::Loop { int: 4, last: Pc(0) }),
            flow(Flow::IfU { bool: 16, target: Pc(0), length: 0 }),
            Inst::SetEmit { vertex: 4, prim: false, invert: false },
            Inst::Unassigned(0x22),
        ] {
            assert!(encode(&inst, 0).is_err(), "{inst}");
        }
        let mad = data(DataOp::Mad, &[temp, temp, temp]);
        assert!(encode(&mad, 31).is_ok() && encode(&mad, 32).is_err());
        let mov = data(DataOp::Mov, &[temp]);
        assert!(encode(&mov, 127).is_ok() && encode(&mov, 128).is_err());
    }
}
