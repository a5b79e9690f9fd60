//! Registers that single instructions read and write, by component.
//! In: [`Inst`]. Out: [`Access`], bit sets. Knows no order of instructions.
//! Facts: the [table](super::table) of opcodes; a comparison that always holds reads nothing.

use super::sizes::LOOP_DEPTH;
use super::{CompareOp, Component, Condition, ConditionOp, DataOp, Dest, Index, Inst, Mask, Operand, Source};

/// Bit of a0.x in [`Access::rest_read`] and [`Access::rest_written`]; a0.y follows.
pub const ADDRESS: u16 = 1;
/// Bit of aL.
pub const COUNTER: u16 = 4;
/// Bit of cmp.x; cmp.y follows.
pub const FLAGS: u16 = 8;
/// Bit of aL at the start of the loop in ring position 0; positions 1 to 3 follow.
pub const SAVED: u16 = 32;
/// Number of saved values of aL.
pub const LOOPS: u32 = LOOP_DEPTH as u32;

/// The registers that an instruction reads and writes. In sets of registers, bit 4 · n + c is
/// component c of register n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Set of r0..r15.
    pub temps_read: u64,
    pub temps_written: u64,
    /// Set of o0..o15.
    pub outputs_written: u64,
    /// Address registers, aL and flags.
    pub rest_read: u16,
    pub rest_written: u16,
}

impl Access {
    /// The access of an instruction. EMIT and SETEMIT have none: their state is not a register.
    pub fn new(inst: &Inst) -> Self {
        let mut access = Self::default();
        match inst {
            Inst::Data { op, dest, mask, sources } => access.data(*op, *dest, *mask, sources),
            Inst::Mova { mask, source } => {
                // Only a0.x and a0.y exist.
                let mask = mask.0 & 3;
                access.read(source, Mask(mask));
                access.rest_written |= u16::from(mask) * ADDRESS;
            }
            Inst::Cmp { x, y, sources } => {
                let looks = |op: CompareOp| !matches!(op, CompareOp::True6 | CompareOp::True7);
                let mask = Mask(u8::from(looks(*x)) | u8::from(looks(*y)) << 1);
                sources.iter().for_each(|source| access.read(source, mask));
                access.rest_written |= 3 * FLAGS;
            }
            Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
        }
        access
    }

    fn data(&mut self, op: DataOp, dest: Dest, mask: Mask, sources: &[Operand; 3]) {
        let info = op.opcode().info();
        // An instruction without effect reads nothing.
        if mask.is_empty() && !info.writes_flags {
            return;
        }
        for (source, reads) in sources.iter().zip(info.reads) {
            self.read(source, reads.for_mask(mask));
        }
        if info.writes_flags {
            self.rest_written |= 3 * FLAGS;
        }
        let (set, register) = match dest {
            Dest::Temp(register) => (&mut self.temps_written, register),
            Dest::Output(register) => (&mut self.outputs_written, register),
        };
        *set |= u64::from(mask.0) << (4 * (register & 15));
    }

    /// Adds a read of some components of an operand.
    fn read(&mut self, operand: &Operand, mask: Mask) {
        if mask.is_empty() {
            return;
        }
        if let Source::Temp(register) = operand.register {
            for component in mask.iter() {
                self.temps_read |= lane(register, operand.swizzle.get(component));
            }
        }
        self.rest_read |= match operand.index {
            Index::None => 0,
            Index::A0x => ADDRESS,
            Index::A0y => ADDRESS << 1,
            Index::Al => COUNTER,
        };
    }
}

/// The bit of a component of a register.
pub fn lane(register: u8, component: Component) -> u64 {
    1 << (4 * u32::from(register & 15) + component as u32)
}

/// The flags that a condition tests.
pub fn tested_flags(condition: Condition) -> u16 {
    match condition.op {
        ConditionOp::Or | ConditionOp::And => 3 * FLAGS,
        ConditionOp::X => FLAGS,
        ConditionOp::Y => FLAGS << 1,
    }
}
