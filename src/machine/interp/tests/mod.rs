//! Tests of the reference machine: single instructions, control flow, whole runs.

mod control;
mod geometry;
mod instructions;
mod machine;

use crate::limits::Limits;
use crate::machine::interp::{Machine, Settings};
use crate::program::isa::opdesc::{Descriptor, Selector};
use crate::program::isa::word::{Field, Word};
use crate::program::isa::{Opcode, Pc, Program, Stage};

/// A word from its fields.
fn word(opcode: Opcode, fields: &[(Field, u32)]) -> u32 {
    fields.iter().fold(Word::new(opcode), |word, &(field, value)| word.with(field, value)).0
}

/// A descriptor that writes and reads all components in order.
fn plain() -> u32 {
    Descriptor { mask: crate::program::isa::Mask::XYZW, sources: [Selector::default(); 3] }.pack()
}

fn program(code: &[u32]) -> Program<'_> {
    Program::new(code, vec![plain()], Pc(0), Stage::Vertex, &Limits::default()).expect("small program")
}

fn machine(code: &[u32]) -> Machine {
    Machine::new(&program(code), Settings::default()).expect("vertex program")
}
