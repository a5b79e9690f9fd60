//! Records of executed instructions, and their text.
//! In: the registers around an instruction. Out: a [`TraceRecord`], whose `Display` is one line.
//! Changes nothing.

use std::fmt;

use crate::program::isa::{Inst, Mask, Pc};

/// One executed instruction.
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
    /// The next instruction, or `None` after END.
    pub next: Option<Pc>,
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
    /// Returns the line with another text of its instruction, such as one with the names of a file.
    ///
    /// ```
    /// use transpica::interp::TraceRecord;
    /// use transpica::{Machine, Options, Shbin};
    /// let bytes = std::fs::read("shaders/textured.shbin")?;
    /// let file = Shbin::parse(&bytes)?;
    /// let mut machine = Machine::new(file.program(0)?.program(), Options::default().settings(1000))?;
    /// let mut lines = Vec::new();
    /// let mut trace = |record: &TraceRecord| lines.push(record.line("an instruction"));
    /// machine.run_traced(&[[0.0; 4]; 16], &mut trace)?;
    /// assert!(lines[0].starts_with("0x000: an instruction "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn line(&self, instruction: &str) -> String {
        TraceLine { record: self, instruction }.to_string()
    }
}

/// A record as a line.
struct TraceLine<'a> {
    record: &'a TraceRecord,
    instruction: &'a str,
}

/// Column at which the values begin, after the address.
const VALUES: usize = 32;

/// Writes the values that operands had.
fn write_operands(f: &mut fmt::Formatter<'_>, operands: &[[f32; 4]]) -> fmt::Result {
    for &operand in operands {
        write!(f, " (")?;
        write_lanes(f, operand, Mask::XYZW)?;
        write!(f, ")")?;
    }
    Ok(())
}

impl TraceLine<'_> {
    /// Writes what the instruction read and what it did.
    fn write_values(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let record = self.record;
        match &record.inst {
            Inst::Data { op, mask, .. } => {
                write_operands(f, &record.operands[..op.source_count()])?;
                write!(f, " => ")?;
                write_lanes(f, record.result, *mask)?;
                if op.writes_flags() {
                    write!(f, ", cmp {:?}", record.flags)?;
                }
            }
            Inst::Mova { .. } => {
                write_operands(f, &record.operands[..1])?;
                write!(f, " => a0 {:?}", record.address)?;
            }
            Inst::Cmp { .. } => {
                write_operands(f, &record.operands[..2])?;
                write!(f, " => cmp {:?}", record.flags)?;
            }
            Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
        }
        if record.counter != record.counter_before {
            write!(f, " aL {}", record.counter)?;
        }
        match record.next {
            None => write!(f, " -> end"),
            Some(next) if next != record.pc.next() => write!(f, " -> {next}"),
            Some(_) => Ok(()),
        }
    }

    /// Returns whether there is anything to write after the instruction.
    fn has_values(&self) -> bool {
        let record = self.record;
        let reads = matches!(record.inst, Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. });
        reads || record.counter != record.counter_before || record.next != Some(record.pc.next())
    }
}

/// Without its end: address, instruction, and in a comment the values that it read, its results,
/// and the next address where that is not the next word.
impl fmt::Display for TraceLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#05x}: ", self.record.pc.0)?;
        if self.has_values() {
            write!(f, "{:VALUES$} ;", self.instruction).and_then(|()| self.write_values(f))
        } else {
            f.write_str(self.instruction)
        }
    }
}

/// The line in assembler syntax without names.
impl fmt::Display for TraceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        TraceLine { record: self, instruction: &self.inst.to_string() }.fmt(f)
    }
}
