//! Components that an instruction reads and writes, and which reads a written component needs.
//! In: an instruction, the demanded components. Out: sets of components, reads of inputs and
//! uniforms. Knows no order of instructions. Facts: the opcode table of the library.

use crate::cfg::reach::reach;
use transpica::Program;
use transpica::isa::access::Access;
use transpica::isa::{Dest, Index, Inst, Mask, Operand, Source};

/// Bits of [`Components::rest`].
pub use transpica::isa::access::{ADDRESS, COUNTER, FLAGS};

/// A set of components. In sets of registers, bit 4 · n + c is component c of register n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Components {
    /// r0..r15
    pub temps: u64,
    /// o0..o15
    pub outputs: u64,
    /// Address registers, aL and flags.
    pub rest: u16,
}

impl Components {
    /// Every component.
    pub const ALL: Self = Self { temps: u64::MAX, outputs: u64::MAX, rest: 31 };

    /// Returns whether nothing is in the set.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Combines the bits of two sets.
    fn combined(self, other: Self, bits: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            temps: bits(self.temps, other.temps),
            outputs: bits(self.outputs, other.outputs),
            // Range: as many bits as both have.
            rest: bits(self.rest.into(), other.rest.into()) as u16,
        }
    }

    /// Returns the union.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        self.combined(other, |a, b| a | b)
    }

    /// Returns the intersection.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        self.combined(other, |a, b| a & b)
    }

    /// Returns the components that are not in the other set.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self.combined(other, |a, b| a & !b)
    }

    /// Returns components of output registers.
    pub fn of_output(register: u8, mask: Mask) -> Self {
        Self { outputs: lanes(register, mask), ..Self::default() }
    }
}

/// Returns the bits of components of a register.
fn lanes(register: u8, mask: Mask) -> u64 {
    u64::from(mask.0 & 15) << (4 * (register & 15))
}

/// A read of an input or a uniform: the register of the operand, components after the swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The register; for a relative read, its base.
    pub register: Source,
    /// Address register that is added to its number.
    pub index: Index,
    /// Components.
    pub mask: Mask,
}

/// The reads of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Components of the program's own registers.
    pub components: Components,
    /// Inputs and uniforms.
    pub sources: Vec<Read>,
}

impl Reads {
    /// Adds a read of some components of an operand.
    fn add(&mut self, operand: &Operand, mask: Mask) {
        if mask.is_empty() {
            return;
        }
        let swizzled =
            mask.iter().fold(0, |all, component| all | 1 << operand.swizzle.get(component).index());
        let mask = Mask(swizzled);
        match operand.register {
            Source::Temp(register) => self.components.temps |= lanes(register, mask),
            Source::Input(_) => {
                self.sources.push(Read { register: operand.register, index: Index::None, mask });
            }
            Source::Uniform(_) => {
                self.sources.push(Read { register: operand.register, index: operand.index, mask });
                self.components.rest |= match operand.index {
                    Index::None => 0,
                    Index::A0x => ADDRESS,
                    Index::A0y => ADDRESS << 1,
                    Index::Al => COUNTER,
                };
            }
        }
    }
}

/// Returns the components that an instruction writes. EMIT, SETEMIT and control flow write none:
/// what they change is not a register, or aL.
pub fn written(inst: &Inst) -> Components {
    let access = Access::new(inst);
    Components { temps: access.temps_written, outputs: access.outputs_written, rest: access.rest_written }
}

/// Returns the output registers that some reachable instruction writes, bit n = on.
pub fn outputs_written(program: &Program<'_>) -> u16 {
    let mut all = 0;
    reach(program, |pc, _| {
        if let Some((Dest::Output(register), Mask(1..))) = program.destination(pc) {
            all |= 1 << (register & 15);
        }
    });
    all
}

/// Returns what an instruction reads for the demanded ones of the components that it writes.
pub fn reads(inst: &Inst, demanded: Components) -> Reads {
    let needed = written(inst).common(demanded);
    // Range: two bits.
    let flags = |bits: u16| Mask((bits & 3) as u8);
    let mut reads = Reads::default();
    if needed.is_empty() {
        return reads;
    }
    match inst {
        Inst::Data { op, dest, sources, .. } => {
            let (set, register) = match *dest {
                Dest::Temp(register) => (needed.temps, register),
                Dest::Output(register) => (needed.outputs, register),
            };
            // Range: the mask.
            let mask = Mask((set >> (4 * (register & 15)) & 15) as u8);
            for (source, of_source) in sources.iter().zip(op.reads()) {
                reads.add(source, of_source.for_mask(mask));
            }
        }
        Inst::Mova { source, .. } => reads.add(source, flags(needed.rest / ADDRESS)),
        Inst::Cmp { sources, .. } => {
            let mask = flags(needed.rest / FLAGS);
            sources.iter().for_each(|source| reads.add(source, mask));
        }
        Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
    }
    reads
}
