//! What a run can tell about each instruction, and how people read it.
//! In: the registers around an instruction. Out: a [`Record`], whose `Display` is one line. Changes nothing.

use std::fmt;

use super::Registers;
use crate::isa::{DataOp, Flow, Index, Inst, Mask, Operand, Pc};

/// One executed instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Instructions executed before this one.
    pub step: u64,
    /// Its address.
    pub pc: Pc,
    /// The instruction.
    pub inst: Inst,
    /// Its operands after swizzle and negation; those it does not have are of no meaning.
    pub operands: [[f32; 4]; 3],
    /// The whole destination register afterwards (zeros where it has none).
    pub result: [f32; 4],
    /// a0.x and a0.y afterwards.
    pub address: [i32; 2],
    /// aL afterwards.
    pub counter: i32,
    /// cmp.x and cmp.y afterwards.
    pub flags: [bool; 2],
    /// The next instruction; none after END.
    pub next: Option<Pc>,
}

impl Record {
    /// What an instruction did, from the registers after it.
    pub(super) fn new(inst: &Inst, operands: [[f32; 4]; 3], after: &Registers) -> Self {
        let result = match inst {
            Inst::Data { dest, .. } => after.dest(*dest),
            Inst::Mova { .. }
            | Inst::Cmp { .. }
            | Inst::Flow(_)
            | Inst::Emit
            | Inst::SetEmit { .. }
            | Inst::Unassigned(_) => [0.0; 4],
        };
        Self {
            step: 0,
            pc: Pc(0),
            inst: *inst,
            operands,
            result,
            address: after.address(),
            counter: after.counter(),
            flags: after.flags(),
            next: None,
        }
    }
}

/// Receives every executed instruction. Any `FnMut(&Record)` is one.
///
/// ```
/// use transpica::interp::Record;
/// let mut lines = Vec::new();
/// let mut trace = |record: &Record| lines.push(record.to_string());
/// # let _ = &mut trace;
/// ```
pub trait Trace {
    /// Whether records are wanted at all; where not, none is made.
    const ON: bool = true;
    /// Called after each instruction.
    fn record(&mut self, record: &Record);
}

impl<F: FnMut(&Record)> Trace for F {
    fn record(&mut self, record: &Record) {
        self(record);
    }
}

/// The trace of a run that is not traced.
pub(super) struct Off;

impl Trace for Off {
    const ON: bool = false;
    fn record(&mut self, _: &Record) {}
}

/// A register read, as assembler text.
struct Reading<'a>(&'a Operand);

impl fmt::Display for Reading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operand { register, index, swizzle, negate } = *self.0;
        let sign = if negate { "-" } else { "" };
        let index = match index {
            Index::None => "",
            Index::A0x => "[a0.x]",
            Index::A0y => "[a0.y]",
            Index::Al => "[aL]",
        };
        write!(f, "{sign}{register}{index}.{swizzle}")
    }
}

/// The enabled components of a value.
fn write_lanes(f: &mut fmt::Formatter<'_>, value: [f32; 4], mask: Mask) -> fmt::Result {
    for (position, component) in mask.iter().enumerate() {
        let gap = if position == 0 { "" } else { " " };
        write!(f, "{gap}{:?}", value[component.index()])?;
    }
    Ok(())
}

impl Record {
    fn write_operands(&self, f: &mut fmt::Formatter<'_>, sources: &[Operand]) -> fmt::Result {
        for (position, (source, value)) in sources.iter().zip(self.operands).enumerate() {
            write!(f, "{} {} (", if position == 0 { "" } else { "," }, Reading(source))?;
            write_lanes(f, value, Mask::XYZW)?;
            write!(f, ")")?;
        }
        Ok(())
    }
}

/// How many operands an operation has.
fn arity(op: DataOp) -> usize {
    match op {
        DataOp::Ex2 | DataOp::Lg2 | DataOp::Litp | DataOp::Flr | DataOp::Rcp | DataOp::Rsq | DataOp::Mov => 1,
        DataOp::Add
        | DataOp::Dp3
        | DataOp::Dp4
        | DataOp::Dph
        | DataOp::Dst
        | DataOp::Mul
        | DataOp::Sge
        | DataOp::Slt
        | DataOp::Max
        | DataOp::Min => 2,
        DataOp::Mad => 3,
    }
}

/// One line without its end: number, address, instruction with the values it read, what it changed, and the next address
/// where that is not the next word.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:6} {:#05x}: ", self.step, self.pc.0)?;
        match &self.inst {
            Inst::Data { op, dest, mask, sources } => {
                write!(f, "{} {dest}.{mask},", format!("{op:?}").to_lowercase())?;
                self.write_operands(f, &sources[..arity(*op)])?;
                write!(f, " => ")?;
                write_lanes(f, self.result, *mask)?;
                if *op == DataOp::Litp {
                    write!(f, ", cmp {:?}", self.flags)?;
                }
            }
            Inst::Mova { mask, source } => {
                write!(f, "mova a0.{mask},")?;
                self.write_operands(f, std::slice::from_ref(source))?;
                write!(f, " => a0 {:?}", self.address)?;
            }
            Inst::Cmp { x, y, sources } => {
                write!(f, "cmp {x:?} {y:?}")?;
                self.write_operands(f, sources)?;
                write!(f, " => cmp {:?}", self.flags)?;
            }
            Inst::Flow(flow) => {
                write!(f, "{flow:?}")?;
                if let Flow::Loop { .. } = flow {
                    write!(f, " => aL {}", self.counter)?;
                }
            }
            Inst::Emit => write!(f, "emit")?,
            Inst::SetEmit { vertex, prim, invert } => {
                write!(f, "setemit {vertex} prim {prim} invert {invert}")?;
            }
            Inst::Unassigned(opcode) => write!(f, "undefined opcode {opcode:#04x}")?,
        }
        match self.next {
            None => write!(f, " -> end"),
            Some(next) if next != self.pc.next() => write!(f, " -> {next}"),
            Some(_) => Ok(()),
        }
    }
}
