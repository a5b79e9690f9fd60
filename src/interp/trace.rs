//! Records of executed instructions, and their text.
//! In: the registers around an instruction. Out: a [`TraceRecord`], whose `Display` is one line.
//! Changes nothing.

use std::fmt;

use crate::isa::{Flow, Index, Inst, Mask, Operand, Pc};

/// One executed instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRecord {
    /// Instructions executed before this one.
    pub step: u64,
    /// Its address.
    pub pc: Pc,
    /// The instruction.
    pub inst: Inst,
    /// Its operands after swizzle and negation; undefined for those that it does not have.
    pub operands: [[f32; 4]; 3],
    /// The complete destination register afterwards (zeros where it has none).
    pub result: [f32; 4],
    /// a0.x and a0.y afterwards.
    pub address: [i32; 2],
    /// aL before.
    pub counter_before: i32,
    /// aL afterwards.
    pub counter: i32,
    /// cmp.x and cmp.y afterwards.
    pub flags: [bool; 2],
    /// The next instruction; none after END.
    pub next: Option<Pc>,
}

/// A receiver of every executed instruction. Any `FnMut(&TraceRecord)` is one.
///
/// ```
/// use transpica::interp::TraceRecord;
/// use transpica::{Machine, Options, Shbin};
/// let bytes = std::fs::read("shaders/textured.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let mut machine = Machine::new(file.program(0)?.program(), Options::default().settings(1000))?;
/// let mut lines = Vec::new();
/// let mut trace = |record: &TraceRecord| lines.push(record.to_string());
/// machine.run_traced(&[[0.0; 4]; 16], &mut trace)?;
/// assert_eq!(lines.len(), 13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Trace {
    /// False if no records are wanted; then none is made.
    const ON: bool = true;
    /// Called after each instruction.
    fn record(&mut self, record: &TraceRecord);
}

impl<F: FnMut(&TraceRecord)> Trace for F {
    fn record(&mut self, record: &TraceRecord) {
        self(record);
    }
}

/// The receiver of a run without trace.
pub(super) struct Off;

impl Trace for Off {
    const ON: bool = false;
    fn record(&mut self, _: &TraceRecord) {}
}

/// A source operand as assembler text.
struct Reading<'a>(&'a Operand);

impl fmt::Display for Reading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operand { register, index, swizzle, negate } = *self.0;
        let sign = if negate { "-" } else { "" };
        match index {
            Index::None => write!(f, "{sign}{register}.{swizzle}"),
            Index::A0x | Index::A0y | Index::Al => write!(f, "{sign}{register}[{index}].{swizzle}"),
        }
    }
}

/// Writes the masked components of a value.
fn write_lanes(f: &mut fmt::Formatter<'_>, value: [f32; 4], mask: Mask) -> fmt::Result {
    for (position, component) in mask.iter().enumerate() {
        let gap = if position == 0 { "" } else { " " };
        write!(f, "{gap}{:?}", value[component.index()])?;
    }
    Ok(())
}

impl TraceRecord {
    fn write_operands(&self, f: &mut fmt::Formatter<'_>, sources: &[Operand]) -> fmt::Result {
        for (position, (source, value)) in sources.iter().zip(self.operands).enumerate() {
            write!(f, "{} {} (", if position == 0 { "" } else { "," }, Reading(source))?;
            write_lanes(f, value, Mask::XYZW)?;
            write!(f, ")")?;
        }
        Ok(())
    }
}

/// Writes a control-flow instruction; lengths and targets are addresses.
fn write_flow(f: &mut fmt::Formatter<'_>, flow: &Flow) -> fmt::Result {
    match *flow {
        Flow::Nop => write!(f, "nop"),
        Flow::End => write!(f, "end"),
        Flow::Break => write!(f, "break"),
        Flow::BreakC(condition) => write!(f, "breakc {condition}"),
        Flow::Call { target, length } => write!(f, "call {target} + {length}"),
        Flow::CallC { condition, target, length } => write!(f, "callc {condition}, {target} + {length}"),
        Flow::CallU { bool, target, length } => write!(f, "callu b{bool}, {target} + {length}"),
        Flow::IfU { bool, target, length } => write!(f, "ifu b{bool}, else {target} + {length}"),
        Flow::IfC { condition, target, length } => {
            write!(f, "ifc {condition}, else {target} + {length}")
        }
        Flow::Loop { int, last } => write!(f, "for i{int}, last {last}"),
        Flow::JmpC { condition, target } => write!(f, "jmpc {condition}, {target}"),
        Flow::JmpU { bool, expected, target } => {
            write!(f, "jmpu {}b{bool}, {target}", if expected { "" } else { "!" })
        }
    }
}

/// One line without its end: address, instruction with the values that it read, its results, and
/// the next address where that is not the next word.
impl fmt::Display for TraceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#05x}: ", self.pc.0)?;
        match &self.inst {
            Inst::Data { op, dest, mask, sources } => {
                write!(f, "{} {dest}.{mask},", op.mnemonic())?;
                self.write_operands(f, &sources[..op.source_count()])?;
                write!(f, " => ")?;
                write_lanes(f, self.result, *mask)?;
                if op.writes_flags() {
                    write!(f, ", cmp {:?}", self.flags)?;
                }
            }
            Inst::Mova { mask, source } => {
                write!(f, "mova a0.{mask},")?;
                self.write_operands(f, std::slice::from_ref(source))?;
                write!(f, " => a0 {:?}", self.address)?;
            }
            Inst::Cmp { x, y, sources } => {
                write!(f, "cmp {x} {y},")?;
                self.write_operands(f, sources)?;
                write!(f, " => cmp {:?}", self.flags)?;
            }
            Inst::Flow(flow) => write_flow(f, flow)?,
            Inst::Emit => write!(f, "emit")?,
            Inst::SetEmit { vertex, prim, invert } => {
                write!(f, "setemit {vertex} prim {prim} invert {invert}")?;
            }
            Inst::Unassigned(opcode) => write!(f, "undefined opcode {opcode:#04x}")?,
        }
        if self.counter != self.counter_before {
            write!(f, ", aL {}", self.counter)?;
        }
        match self.next {
            None => write!(f, " -> end"),
            Some(next) if next != self.pc.next() => write!(f, " -> {next}"),
            Some(_) => Ok(()),
        }
    }
}
