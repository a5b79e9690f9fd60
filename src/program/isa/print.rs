//! Text of instructions in assembler syntax.
//! In: [`Inst`] and its parts. Out: `Display`, such as `mad r0.xyz, r1, c3[a0.x].xxxx, -v0`. Knows
//! no labels or symbols: targets are hexadecimal word addresses, followed by the length where there
//! is one.

use std::fmt::{self, Display, Formatter};

use super::inst::{CompareOp, Condition, ConditionOp, Flow, Inst, Operand};
use super::program::Program;
use super::reg::{Index, Mask, Pc, Source, Swizzle};

/// Source of texts of instructions: a program, which has no names, or a listing of a file.
pub trait InstructionText: fmt::Debug {
    /// Returns the text of the instruction at an address; none outside the code.
    fn instruction(&self, pc: Pc) -> Option<String>;
    /// Returns the text of a bool uniform.
    fn bool(&self, id: u8) -> String {
        format!("b{id}")
    }
    /// Returns the text of an int uniform.
    fn int(&self, id: u8) -> String {
        format!("i{id}")
    }
}

impl InstructionText for Program<'_> {
    fn instruction(&self, pc: Pc) -> Option<String> {
        self.inst(pc).map(|inst| inst.to_string())
    }
}

impl Display for Index {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(["", "a0.x", "a0.y", "aL"][*self as usize])
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.negate {
            f.write_str("-")?;
        }
        write!(f, "{}", self.register)?;
        if self.index != Index::None && matches!(self.register, Source::Uniform(_)) {
            write!(f, "[{}]", self.index)?;
        }
        if self.swizzle != Swizzle::XYZW {
            write!(f, ".{}", self.swizzle)?;
        }
        Ok(())
    }
}

impl Display for CompareOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let x = if self.ref_x { "cmp.x" } else { "!cmp.x" };
        let y = if self.ref_y { "cmp.y" } else { "!cmp.y" };
        match self.op {
            ConditionOp::Or => write!(f, "{x} || {y}"),
            ConditionOp::And => write!(f, "{x} && {y}"),
            ConditionOp::X => f.write_str(x),
            ConditionOp::Y => f.write_str(y),
        }
    }
}

impl Display for Flow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.opcode().mnemonic();
        match self {
            Self::Nop | Self::End | Self::Break => f.write_str(name),
            Self::BreakC(condition) => write!(f, "{name} {condition}"),
            Self::Call { target, length } => write!(f, "{name} {target}, {length}"),
            Self::CallC { condition, target, length } | Self::IfC { condition, target, length } => {
                write!(f, "{name} {condition}, {target}, {length}")
            }
            Self::CallU { bool: id, target, length } | Self::IfU { bool: id, target, length } => {
                write!(f, "{name} b{id}, {target}, {length}")
            }
            Self::Loop { int, last } => write!(f, "{name} i{int}, {last}"),
            Self::JmpC { condition, target } => write!(f, "{name} {condition}, {target}"),
            Self::JmpU { bool: id, expected, target } => {
                write!(f, "{name} {}b{id}, {target}", if *expected { "" } else { "!" })
            }
        }
    }
}

/// A destination mask as a suffix: empty if it equals the second mask, `._` if it is empty itself.
pub struct MaskText(pub Mask, pub Mask);

impl Display for MaskText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self(Mask::NONE, _) => f.write_str("._"),
            Self(mask, full) if mask == full => Ok(()),
            Self(mask, _) => write!(f, ".{mask}"),
        }
    }
}

impl Display for Inst {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data { op, dest, mask, .. } => {
                write!(f, "{} {dest}{}", op.mnemonic(), MaskText(*mask, Mask::XYZW))?;
                self.sources().iter().try_for_each(|source| write!(f, ", {source}"))
            }
            Self::Mova { mask, source } => write!(f, "mova a0{}, {source}", MaskText(*mask, Mask::NONE)),
            Self::Cmp { x, y, sources: [first, second] } => write!(f, "cmp {first}, {x}, {y}, {second}"),
            Self::Flow(flow) => write!(f, "{flow}"),
            Self::Emit => f.write_str("emit"),
            Self::SetEmit { vertex, prim, invert } => {
                write!(f, "setemit {vertex}")?;
                match (prim, invert) {
                    (false, false) => Ok(()),
                    (true, false) => f.write_str(", prim"),
                    (false, true) => f.write_str(", inv"),
                    (true, true) => f.write_str(", prim inv"),
                }
            }
            Self::Unassigned(code) => write!(f, "unassigned {code:#04x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::isa::encoding::decode::decode;
    use crate::program::isa::encoding::word::{Field, Word};
    use crate::program::isa::inst::DataOp;
    use crate::program::isa::reg::Dest;
    use crate::program::isa::table::{Opcode, Role};

    #[test]
    fn operands_show_sign_register_index_and_swizzle() {
        let [one, indexed, negated] = [
            Operand::new(Source::Temp(1)),
            Operand { index: Index::A0x, swizzle: Swizzle(0), ..Operand::new(Source::Uniform(3)) },
            Operand { negate: true, ..Operand::new(Source::Input(0)) },
        ];
        let mad = Inst::data(DataOp::Mad, Dest::Temp(0), Mask::XYZ, &[one, indexed, negated]);
        assert_eq!(mad.to_string(), "mad r0.xyz, r1, c3[a0.x].xxxx, -v0");
    }

    #[test]
    fn an_empty_mask_is_printed() {
        assert_eq!(decode(0x4E02_1000, &[0x360]).to_string(), "mov r0._, c1");
        assert_eq!(decode(0x4801_2003, &[0x363; 4]).to_string(), "mova a0._, r2");
    }

    #[test]
    fn every_opcode_prints_as_many_operands_as_the_table_lists() {
        for &opcode in Opcode::ALL {
            let text =
                decode(Word::new(opcode).with(Field::Vertex, 1).with(Field::Prim, 1).0, &[]).to_string();
            let operands = text.split_once(' ').map_or(0, |(_, operands)| operands.split(", ").count());
            let info = opcode.info();
            assert_eq!(operands, info.operands.len(), "{text}");
            let sources = info.operands.iter().filter(|role| **role == Role::Source).count();
            assert_eq!(sources, info.format.source_count(), "{text}");
            let inverted = if info.format.is_inverted() { "i" } else { "" };
            assert_eq!(format!("{}{inverted}", text.split(' ').next().unwrap_or("")), info.mnemonic);
        }
    }
}
