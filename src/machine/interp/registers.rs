//! The data state of a running program, and the effects of instructions on it.
//! In: decoded instructions, loop effects, tests. Out: changed registers, answers. Knows no program
//! and no control flow. Facts: hardware tests (operand order, masks, relative addressing); the
//! defaults are ours, since hardware has none.

use super::Uniforms;
use super::loops::LoopData;
use super::operation::{F24, Fast, Operation, Plain, flush_subnormal};
use crate::machine::precision::{Precision, arith};
use crate::program::isa::control::{Effect, Test};
use crate::program::isa::sizes::{FLOATS, INTS};
use crate::program::isa::{DEFAULT, Dest, Index, Inst, Source, sizes};

/// First components of the banks in [`Registers::file`].
const OUTPUTS: u16 = 0;
const TEMPS: u16 = OUTPUTS + 4 * sizes::OUTPUTS as u16;
const INPUTS: u16 = TEMPS + 4 * sizes::TEMPS as u16;
/// c0..c95, then the 32 registers of ones that relative reads can reach beyond them.
const UNIFORMS: u16 = INPUTS + 4 * sizes::INPUTS as u16;
const UNIFORM_COMPONENTS: usize = FLOATS * 4;
/// Size of the file. Places are taken modulo this power of two, so that no access needs a bounds
/// check.
const PLACES: usize = 1024;

/// The data state of one vertex: registers, address registers, flags, loop data, and the uniforms
/// it reads.
///
/// Initially every register has its default: v, r and o (0, 0, 0, 1), everything else zero or
/// false.
#[derive(Clone, Debug)]
pub struct Registers {
    /// Every float register, component by component.
    file: Box<[f32; PLACES]>,
    ints: [[u8; 4]; INTS],
    bools: u16,
    precision: Precision,
    /// a0.x and a0.y
    pub(super) address: [i32; 2],
    /// aL and the loops.
    pub(super) loops: LoopData,
    /// cmp.x and cmp.y
    pub(super) flags: [bool; 2],
    /// Back jumps that the loop guard still allows, and how many it allows one vertex.
    jumps: u32,
    most_jumps: u32,
    /// True if the loop guard ended the run.
    is_stopped: bool,
    /// The value of r and o registers at the start.
    uninitialized: [f32; 4],
}

impl Registers {
    /// The value of v, r and o registers before a program writes them.
    pub const DEFAULT: [f32; 4] = DEFAULT;
    /// Sixteen input registers at their default.
    pub const DEFAULT_INPUTS: [[f32; 4]; 16] = [Self::DEFAULT; 16];

    /// Registers at their defaults.
    pub fn new(precision: Precision, uniforms: &Uniforms) -> Self {
        let mut registers = Self {
            file: Box::new([1.0; PLACES]),
            ints: [[0; 4]; INTS],
            bools: 0,
            precision,
            address: [0; 2],
            loops: LoopData::default(),
            flags: [false; 2],
            jumps: 0,
            most_jumps: 0,
            is_stopped: false,
            uninitialized: Self::DEFAULT,
        };
        registers.set_uniforms(uniforms);
        registers.begin(&Self::DEFAULT_INPUTS);
        registers
    }

    /// Replaces the uniforms; float24 narrows them here.
    pub fn set_uniforms(&mut self, uniforms: &Uniforms) {
        let places = &mut self.file[usize::from(UNIFORMS)..][..UNIFORM_COMPONENTS];
        load(self.precision, places, &uniforms.floats);
        self.set_ints_and_bools(uniforms.ints, uniforms.bools);
    }

    /// Replaces the int and bool uniforms.
    pub(super) fn set_ints_and_bools(&mut self, ints: [[u8; 4]; INTS], bools: u16) {
        (self.ints, self.bools) = (ints, bools);
    }

    /// Begins a vertex: resets everything but the uniforms to its default, then loads the inputs.
    pub fn begin(&mut self, inputs: &[[f32; 4]; 16]) {
        self.reset(u32::MAX);
        self.resume(inputs);
    }

    /// Resets everything but the inputs and uniforms to its default. Bit n of `written` is the n-th
    /// register of o0..o15, r0..r15; those that no program has written are at their default.
    pub(super) fn reset(&mut self, written: u32) {
        let registers = self.file.as_chunks_mut().0;
        let mut left = written;
        while left != 0 {
            registers[left.trailing_zeros() as usize] = self.uninitialized;
            left &= left - 1;
        }
        self.address = [0; 2];
        self.loops = LoopData::default();
        self.flags = [false; 2];
    }

    /// Begins an invocation whose inputs `load` sets in place; the others keep what they have.
    pub(super) fn resume_with(&mut self, load: impl FnOnce(&mut [[f32; 4]; 16])) {
        let inputs = &mut self.file[usize::from(INPUTS)..usize::from(UNIFORMS)];
        load(inputs.as_chunks_mut().0.first_chunk_mut().expect("there are sixteen inputs"));
        if self.precision == Precision::F24 {
            inputs.iter_mut().for_each(|input| *input = arith::load(self.precision, *input));
        }
        self.jumps = self.most_jumps;
        self.is_stopped = false;
    }

    /// Begins an invocation that keeps all state of an earlier one but the inputs.
    pub(super) fn resume(&mut self, inputs: &[[f32; 4]; 16]) {
        self.resume_with(|to| *to = *inputs);
    }

    /// Sets one float uniform; float24 narrows it. Only c0..c95 can be set.
    pub(super) fn set_float(&mut self, register: usize, value: [f32; 4]) {
        let places = self.file[usize::from(UNIFORMS)..][..UNIFORM_COMPONENTS].as_chunks_mut::<4>().0;
        if let Some(place) = places.get_mut(register) {
            load(self.precision, place, &[value]);
        }
    }

    /// Sets one bool uniform.
    pub(super) fn set_bool(&mut self, id: u8, value: bool) {
        let bit = 1 << (id & 15);
        self.bools = if value { self.bools | bit } else { self.bools & !bit };
    }

    /// Sets the value of r and o registers at the [beginning](Self::begin) of a vertex, instead of
    /// [`DEFAULT`](Self::DEFAULT).
    pub fn set_uninitialized(&mut self, uninitialized: [f32; 4]) {
        self.uninitialized = uninitialized;
    }

    /// Sets how many times a vertex may jump back, from its [beginning](Self::begin) on. Only
    /// callers that ask [`Test::JumpsLeft`] and apply [`Effect::CountJump`] respect it.
    pub fn set_loop_guard(&mut self, most_jumps: u32) {
        self.most_jumps = most_jumps;
    }

    /// Records that the loop guard ended the run.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }
    /// Returns whether the loop guard ended the run.
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Replaces every number below 2^-126 by a zero of its sign.
    pub(super) fn flush_subnormals(&mut self) {
        for place in self.file.iter_mut() {
            *place = flush_subnormal(*place);
        }
    }

    /// Executes the data part of an instruction. Control flow is up to the caller: flow
    /// instructions, EMIT, SETEMIT and undefined opcodes do nothing here.
    pub fn execute(&mut self, inst: &Inst) {
        let operation = Operation::new(inst);
        match self.precision {
            Precision::Exact => self.run::<Plain>(&operation),
            Precision::Fast => self.run::<Fast>(&operation),
            Precision::F24 => self.run::<F24>(&operation),
        }
    }

    /// Applies an [`Effect`] to the loop state.
    #[inline]
    pub fn apply(&mut self, effect: Effect) {
        if let Effect::CountJump = effect {
            self.jumps = self.jumps.saturating_sub(1);
        } else {
            self.loops.apply(effect, &self.ints);
        }
    }

    /// Answers a test of the program's own state.
    #[inline]
    pub fn test(&self, test: Test) -> bool {
        match test {
            Test::Cmp(condition) => condition.test(self.flags[0], self.flags[1]),
            Test::Bool { id, expected } => (self.bools >> (id & 15) & 1 != 0) == expected,
            Test::LoopRepeats { slot } => self.loops.repeats(slot),
            Test::JumpsLeft => self.jumps > 0,
        }
    }

    /// Returns o0..o15.
    #[inline]
    pub fn outputs(&self) -> &[[f32; 4]; 16] {
        self.file.as_chunks().0.first_chunk().expect("the file is longer than the outputs")
    }
    /// Returns o0..o15, mutable.
    pub(super) fn outputs_mut(&mut self) -> &mut [[f32; 4]; 16] {
        self.file.as_chunks_mut().0.first_chunk_mut().expect("the file is longer than the outputs")
    }
    /// Returns the value of a source register.
    pub fn source(&self, register: Source) -> [f32; 4] {
        self.register(source_place(register))
    }
    /// Returns the value of a destination register.
    pub fn dest(&self, register: Dest) -> [f32; 4] {
        self.register(dest_place(register))
    }
    /// Returns a0.x and a0.y.
    pub fn address(&self) -> [i32; 2] {
        self.address
    }
    /// Returns aL.
    pub fn counter(&self) -> i32 {
        self.loops.counter
    }
    /// Returns cmp.x and cmp.y.
    pub fn flags(&self) -> [bool; 2] {
        self.flags
    }
    /// Returns the precision of the arithmetic.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The four components from a place on.
    fn register(&self, place: u16) -> [f32; 4] {
        [0, 1, 2, 3].map(|component| self.component(place + component))
    }

    /// Distance by which an address register moves an operand whose register is the uniform at
    /// `place`.
    #[inline(never)]
    pub(super) fn shift(&self, place: u16, index: Index) -> u16 {
        let offset = match index {
            Index::None => return 0,
            Index::A0x => self.address[0],
            Index::A0y => self.address[1],
            Index::Al => self.loops.counter,
        };
        // Range: there are 128 uniforms at most.
        let base = (place.wrapping_sub(UNIFORMS) / 4) as u8;
        let register = UNIFORMS + 4 * u16::from(arith::uniform_index(base, offset));
        register.wrapping_sub(place)
    }

    /// The value of one place.
    #[inline(always)]
    pub(super) fn component(&self, place: u16) -> f32 {
        self.file[usize::from(place) % PLACES]
    }

    /// The four places from `place` on, mutable.
    #[inline(always)]
    pub(super) fn places(&mut self, place: u16) -> &mut [f32; 4] {
        // The last place from which four can follow: no register lies beyond it.
        let place = usize::from(place).min(PLACES - 4);
        self.file[place..].first_chunk_mut().expect("four places follow")
    }
}

/// Copies registers to places, rounded to the precision.
fn load(precision: Precision, places: &mut [f32], registers: &[[f32; 4]]) {
    match precision {
        Precision::Exact | Precision::Fast => places.copy_from_slice(registers.as_flattened()),
        Precision::F24 => {
            for (place, &value) in places.iter_mut().zip(registers.as_flattened()) {
                *place = arith::load(precision, value);
            }
        }
    }
}

/// The place of a register that is read.
pub(super) fn source_place(register: Source) -> u16 {
    match register {
        Source::Input(n) => INPUTS + 4 * u16::from(n & 15),
        Source::Temp(n) => TEMPS + 4 * u16::from(n & 15),
        Source::Uniform(n) => UNIFORMS + 4 * u16::from(n & 0x7F),
    }
}

/// The place of a register that is written.
pub(super) fn dest_place(register: Dest) -> u16 {
    match register {
        Dest::Output(n) => OUTPUTS + 4 * u16::from(n & 15),
        Dest::Temp(n) => TEMPS + 4 * u16::from(n & 15),
    }
}
