//! All data state of a running program, and what instructions do to it.
//! In: decoded instructions, loop effects, tests. Out: changed registers, answers. Knows no program and no control flow.
//! Facts: hardware tests (operand order, masks, relative addressing); the defaults are ours, since hardware has none.

use super::Uniforms;
use super::operation::{Exact, F24, Fast, Operation};
use crate::isa::control::{Effect, Test};
use crate::isa::{Dest, Index, Inst, Source};
use crate::precision::{Precision, arith};

/// Places of [`Registers::file`]. Outputs and temporaries come first, in the order of destination fields.
const OUTPUTS: u8 = 0;
const TEMPS: u8 = 16;
const INPUTS: u8 = 32;
/// c0..c95, then the 32 registers of ones that relative reads can reach beyond them.
const UNIFORMS: u8 = 48;
const UNIFORM_REGISTERS: usize = 96;

/// The data state of one vertex: registers, address registers, flags, loop data, and the uniforms it reads.
///
/// A fresh one has every register at its default: v, r and o (0, 0, 0, 1), everything else zero or false.
#[derive(Clone, Debug)]
pub struct Registers {
    /// Every four-component register; 256 places, so that a byte is always a valid index.
    file: Box<[[f32; 4]; 256]>,
    ints: [[u8; 4]; 4],
    bools: u16,
    precision: Precision,
    /// a0.x and a0.y
    pub(super) address: [i32; 2],
    /// aL
    pub(super) counter: i32,
    /// cmp.x and cmp.y
    pub(super) flags: [bool; 2],
    /// Iterations that the loop in each slot has left.
    left: [i32; 4],
    /// aL as it was when the loop in each slot began.
    saved: [i32; 4],
}

impl Registers {
    /// What v, r and o registers hold before a program writes them.
    pub const DEFAULT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
    /// Sixteen input registers at their default.
    pub const DEFAULT_INPUTS: [[f32; 4]; 16] = [Self::DEFAULT; 16];

    /// Registers at their defaults.
    pub fn new(precision: Precision, uniforms: &Uniforms) -> Self {
        let mut registers = Self {
            file: Box::new([[1.0; 4]; 256]),
            ints: [[0; 4]; 4],
            bools: 0,
            precision,
            address: [0; 2],
            counter: 0,
            flags: [false; 2],
            left: [0; 4],
            saved: [0; 4],
        };
        registers.set_uniforms(uniforms);
        registers.begin(&Self::DEFAULT_INPUTS);
        registers
    }

    /// Replaces the uniforms; float24 narrows them here.
    pub fn set_uniforms(&mut self, uniforms: &Uniforms) {
        let places = &mut self.file[usize::from(UNIFORMS)..][..UNIFORM_REGISTERS];
        for (place, value) in places.iter_mut().zip(&uniforms.floats) {
            *place = value.map(|x| arith::load(self.precision, x));
        }
        self.ints = uniforms.ints;
        self.bools = uniforms.bools;
    }

    /// Starts a vertex: everything but the uniforms goes back to its default, then the inputs are loaded.
    pub fn begin(&mut self, inputs: &[[f32; 4]; 16]) {
        self.file[..usize::from(INPUTS)].fill(Self::DEFAULT);
        let places = &mut self.file[usize::from(INPUTS)..usize::from(UNIFORMS)];
        for (place, value) in places.iter_mut().zip(inputs) {
            *place = value.map(|x| arith::load(self.precision, x));
        }
        self.address = [0; 2];
        self.counter = 0;
        self.flags = [false; 2];
        self.left = [0; 4];
        self.saved = [0; 4];
    }

    /// Executes the data part of an instruction. Steering is up to the caller: flow instructions, EMIT, SETEMIT and
    /// undefined opcodes do nothing here.
    pub fn execute(&mut self, inst: &Inst) {
        let operation = Operation::new(inst);
        match self.precision {
            Precision::Exact => self.run::<Exact>(&operation),
            Precision::Fast => self.run::<Fast>(&operation),
            Precision::F24 => self.run::<F24>(&operation),
        }
    }

    /// Changes the loop data as [`Effect`] says. Sums wrap, so a program that loops for ever cannot overflow them.
    #[inline]
    pub fn apply(&mut self, effect: Effect) {
        let place = |slot: u8| usize::from(slot & 3);
        match effect {
            Effect::ShiftLoops => {
                self.left.copy_within(1.., 0);
                self.saved.copy_within(1.., 0);
            }
            Effect::EnterLoop { slot, int } => {
                let [count, start, _, _] = self.ints[place(int)];
                self.left[place(slot)] = i32::from(count);
                self.saved[place(slot)] = self.counter;
                self.counter = i32::from(start);
            }
            Effect::StepLoop { int } => {
                self.counter = self.counter.wrapping_add(i32::from(self.ints[place(int)][2]));
            }
            Effect::RepeatLoop { slot } => {
                self.left[place(slot)] = self.left[place(slot)].wrapping_sub(1);
            }
            Effect::RestoreCounter { slot } => self.counter = self.saved[place(slot)],
        }
    }

    /// Answers a test of the program's own state.
    #[inline]
    pub fn test(&self, test: Test) -> bool {
        match test {
            Test::Cmp(condition) => condition.test(self.flags[0], self.flags[1]),
            Test::Bool { id, expected } => (self.bools >> (id & 15) & 1 != 0) == expected,
            Test::LoopRepeats { slot } => self.left[usize::from(slot & 3)] > 0,
        }
    }

    /// o0..o15.
    #[inline]
    pub fn outputs(&self) -> &[[f32; 4]; 16] {
        self.file.first_chunk().expect("the file is longer than the outputs")
    }
    /// The content of a register that instructions read.
    pub fn source(&self, register: Source) -> [f32; 4] {
        self.file[usize::from(source_place(register))]
    }
    /// The content of a register that instructions write.
    pub fn dest(&self, register: Dest) -> [f32; 4] {
        self.file[usize::from(dest_place(register))]
    }
    /// a0.x and a0.y.
    pub fn address(&self) -> [i32; 2] {
        self.address
    }
    /// aL.
    pub fn counter(&self) -> i32 {
        self.counter
    }
    /// cmp.x and cmp.y.
    pub fn flags(&self) -> [bool; 2] {
        self.flags
    }
    /// The precision that arithmetic has.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The content of a place, moved by an address register where `index` says so (the place is then a uniform).
    #[inline(always)]
    pub(super) fn read(&self, place: u8, index: Index) -> [f32; 4] {
        let offset = match index {
            Index::None => return self.file[usize::from(place)],
            Index::A0x => self.address[0],
            Index::A0y => self.address[1],
            Index::Al => self.counter,
        };
        let register = arith::uniform_index(place.wrapping_sub(UNIFORMS), offset);
        self.file[usize::from(UNIFORMS + register)]
    }

    /// A place, to change.
    #[inline(always)]
    pub(super) fn place(&mut self, place: u8) -> &mut [f32; 4] {
        &mut self.file[usize::from(place)]
    }
}

/// The place of a register that is read.
pub(super) fn source_place(register: Source) -> u8 {
    match register {
        Source::Input(n) => INPUTS + (n & 15),
        Source::Temp(n) => TEMPS + (n & 15),
        Source::Uniform(n) => UNIFORMS + (n & 0x7F),
    }
}

/// The place of a register that is written.
pub(super) fn dest_place(register: Dest) -> u8 {
    match register {
        Dest::Output(n) => OUTPUTS + (n & 15),
        Dest::Temp(n) => TEMPS + (n & 15),
    }
}
