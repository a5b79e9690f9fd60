//! Runs of few vertices.
//! In: operations, active lanes. Out: changed registers. Knows no control flow.
//!
//! Hosts make most draws behind other code, with cold caches, and a quad then takes the time of the
//! lines that it touches. So each block of lanes has a file of its own, in which a component is
//! half a line, and one function has all operations, whose effect is that of [`Engine`].

use super::code::{Action, Bank, Code, From, Operation, Places, Read};
use super::execute::{Engine, Inputs, Operands, data, of_settings};
use super::lanes::{ALL, Active, BLOCK, LANES, blend, components, flip};
use super::register_file::{At, File, load, rounds};
use crate::precision::arith;
use transpica::Precision;
use transpica::interp::{Exact, F24, Fast, Flushed, Mode, Settings};
use transpica::isa::{DataOp, Index, sizes};

/// The most vertices of a small run.
pub(super) const SMALL: usize = 15;

/// A component of the lanes of a block.
pub(super) type Component = [f32; BLOCK];

/// A row for each number of a place; that of none is never read.
const ROWS: usize = 256;
/// The first of four rows with the value of outputs that the program does not write: there are
/// fewer places.
const UNWRITTEN: usize = 200;

/// The row of a component of an output.
#[inline]
pub(super) fn row_of_output(places: &Places, component: usize) -> usize {
    let place = usize::from(places.get(Bank::Output, component));
    if place < UNWRITTEN { place } else { UNWRITTEN + component % 4 }
}

/// The registers of a block.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Rows([Component; ROWS]);

/// Registers of a small run.
#[derive(Clone, Debug)]
pub(super) struct Small {
    blocks: Vec<Rows>,
    /// a0.x and a0.y
    addresses: [[[i32; BLOCK]; 2]; SMALL.div_ceil(BLOCK)],
    /// Operands and a result, in memory: the compiler would make single values of locals.
    scratch: Box<(Scratch, Component)>,
    pub(super) pass: Pass,
    /// True if the run is small.
    pub(super) is_running: bool,
}

/// Executes words in the active lanes, with a value of aL.
type Pass = fn(&mut File, &[Operation], i32, &At<'_>);

impl Small {
    pub(super) fn new(settings: &Settings, uninitialized: [f32; 4]) -> Self {
        let mut rows = Rows([[0.0; BLOCK]; ROWS]);
        for (row, value) in rows.0[UNWRITTEN..].iter_mut().zip(uninitialized) {
            *row = [value; BLOCK];
        }
        let addresses = [[[0; BLOCK]; 2]; SMALL.div_ceil(BLOCK)];
        let blocks = vec![rows; addresses.len()];
        let scratch = Box::new(([[[0.0; BLOCK]; 4]; 3], [0.0; BLOCK]));
        Self { blocks, addresses, scratch, pass: of_settings!(settings, run), is_running: false }
    }

    /// Sets a component of an input in the first lanes.
    #[inline(never)]
    pub(super) fn set_input(&mut self, place: usize, count: usize, values: &[f32; LANES]) {
        let chunks = values.as_chunks::<BLOCK>().0.iter().take(count.div_ceil(BLOCK));
        for (rows, values) in self.blocks.iter_mut().zip(chunks) {
            rows.0[place] = *values;
        }
    }

    /// The rows of each block.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[Component; ROWS]> {
        self.blocks.iter().map(|rows| &rows.0)
    }

    /// The lanes of all blocks of a place.
    fn place(&mut self, place: usize) -> impl Iterator<Item = &mut Component> {
        self.blocks.iter_mut().map(move |rows| &mut rows.0[place])
    }
}

impl File {
    /// Begins a small run.
    pub(super) fn begin_small(&mut self, code: &Code, settings: &Settings) {
        self.small.is_running = true;
        self.small.addresses = [[[0; BLOCK]; 2]; SMALL.div_ceil(BLOCK)];
        if code.fresh != [0; 2] || rounds(settings) {
            self.fill_small(code, settings);
        }
    }

    /// Gives the registers that the program may read first their defaults, and rounds the inputs.
    #[cold]
    fn fill_small(&mut self, code: &Code, settings: &Settings) {
        for (bank, components) in [Bank::Temp, Bank::Output].into_iter().zip(code.fresh) {
            for (component, place) in code.places.of(bank, components) {
                let value = self.uninitialized[component % 4];
                self.small.place(place).for_each(|row| *row = [value; BLOCK]);
            }
        }
        let rounded = if rounds(settings) { code.places.used(Bank::Input) } else { 0 };
        for (_, place) in code.places.of(Bank::Input, rounded) {
            self.small.place(place).flatten().for_each(|value| *value = load(*value, settings));
        }
    }

    /// Copies the inputs of the first lanes to the registers of small runs.
    pub(super) fn give_inputs(&mut self, places: &Places, count: usize) {
        for (_, place) in places.of(Bank::Input, places.used(Bank::Input)) {
            self.small.set_input(place, count, &self.sources.places[place]);
        }
    }

    /// Copies the outputs back.
    pub(super) fn take_outputs(&mut self, places: &Places, count: usize) {
        for (_, place) in places.of(Bank::Output, places.used(Bank::Output)) {
            let to = self.sources.places[place].as_chunks_mut().0.iter_mut();
            let rows = to.zip(self.small.place(place)).take(count.div_ceil(BLOCK));
            rows.for_each(|(to, from)| *to = *from);
        }
    }
}

/// Executes words in the blocks with active lanes.
fn run<M: Mode, S: Mode>(file: &mut File, operations: &[Operation], counter: i32, at: &At<'_>) {
    at.wide.call(
        #[inline(always)]
        || {
            let File { small, sources, flags, .. } = file;
            let (uniforms, is_whole) = (&*sources.uniforms, at.active.is_whole);
            let blocks = small.blocks.iter_mut().zip(&mut small.addresses);
            for (number, (Rows(rows), addresses)) in blocks.enumerate() {
                if at.active.blocks >> number & 1 == 0 {
                    continue;
                }
                let ((operands, result), active) = (&mut *small.scratch, (number, at.active));
                let mut block =
                    Block { rows, addresses, flags, uniforms, counter, active, is_whole, operands, result };
                for operation in operations {
                    block.execute::<M, S>(operation);
                }
            }
        },
    );
}

/// The components of three operands.
type Scratch = [[Component; 4]; 3];

impl Operands<BLOCK> for Scratch {
    #[inline(always)]
    fn lanes<const C: usize>(&self, _: &Read, number: usize, all: [usize; C]) -> ([&Component; C], u32) {
        let mut lanes = [&self[0][0]; C];
        for (lanes, component) in lanes.iter_mut().zip(all) {
            *lanes = &self[number][component];
        }
        (lanes, 0)
    }
}

/// The state of a block while it executes.
struct Block<'a> {
    rows: &'a mut [Component; ROWS],
    addresses: &'a mut [[i32; BLOCK]; 2],
    flags: &'a mut [u64; 2],
    uniforms: &'a [[f32; 4]; sizes::INDICES],
    counter: i32,
    /// The number of the block, and the active lanes.
    active: (usize, &'a Active),
    /// True if no other lane of the run holds a value.
    is_whole: bool,
    operands: &'a mut Scratch,
    result: &'a mut Component,
}

impl Block<'_> {
    #[inline(always)]
    fn execute<M: Mode, S: Mode>(&mut self, operation: &Operation) {
        // In one place for all operations, which is less code.
        for number in 0..usize::from(operation.operands) {
            self.read(operation, number.min(2));
        }
        macro_rules! now {
            (|$engine:ident, $operation:ident| $body:expr) => {{
                let ($engine, $operation) = (&mut *self, operation);
                $body
            }};
        }
        match operation.action {
            Action::Data(op) => data!(op, M, S, now),
            Action::Mova => self.mova(operation),
            Action::Cmp(..) => self.cmp(operation),
            Action::None | Action::Emit | Action::SetEmit { .. } => {}
        }
    }

    /// Reads an operand.
    #[inline(always)]
    fn read(&mut self, operation: &Operation, number: usize) {
        let (read, values) = (&operation.reads[number], &mut self.operands[number]);
        let sign = read.sign();
        match read.from {
            From::Lanes => {
                for (to, place) in values.iter_mut().zip(read.lanes) {
                    // A copy, which the compiler knows to be different memory: so it makes vectors.
                    let mut from = self.rows[usize::from(place) % ROWS];
                    from.iter_mut().for_each(|value| *value = flip(*value, sign));
                    *to = from;
                }
            }
            From::Uniform => {
                for (to, place) in values.iter_mut().zip(read.lanes) {
                    let value = self.uniforms.as_flattened()[usize::from(place) % (4 * sizes::INDICES)];
                    *to = [flip(value, sign); BLOCK];
                }
            }
            From::Relative(index) => self.relative(read, index, number),
        }
    }

    /// Reads the registers that addresses select.
    #[inline(never)]
    fn relative(&mut self, read: &Read, index: Index, number: usize) {
        for lane in 0..BLOCK {
            let address = match index {
                Index::A0x => self.addresses[0][lane],
                Index::A0y => self.addresses[1][lane],
                Index::Al | Index::None => self.counter,
            };
            let register = usize::from(arith::uniform_index(read.register, address)) % sizes::INDICES;
            for (to, component) in self.operands[number].iter_mut().zip(read.lanes) {
                to[lane] = flip(self.uniforms[register][usize::from(component) % 4], read.sign());
            }
        }
    }
}

impl Engine<BLOCK> for Block<'_> {
    type Operands = Scratch;

    #[inline(always)]
    fn inputs<'a>(&'a self, operation: &'a Operation) -> Inputs<'a, Scratch> {
        Inputs { from: self.operands, operation, blocks: ALL }
    }

    #[inline(always)]
    fn write<const EQUAL: bool>(
        &mut self,
        operation: &Operation,
        compute: impl Fn(&mut Component, Inputs<'_, Scratch>, usize),
    ) {
        if EQUAL {
            compute(self.result, Inputs { from: self.operands, operation, blocks: ALL }, 0);
        }
        for component in components(operation.mask) {
            if !EQUAL {
                compute(self.result, Inputs { from: self.operands, operation, blocks: ALL }, component);
            }
            let to = &mut self.rows[usize::from(operation.dest[component])];
            if self.is_whole {
                *to = *self.result;
            } else {
                blend(ALL, to, self.result, self.active.1.mask_of(self.active.0));
            }
        }
    }

    #[inline(always)]
    fn addresses(&mut self) -> (&mut [[i32; BLOCK]; 2], &[u32; BLOCK]) {
        (self.addresses, self.active.1.mask_of(self.active.0))
    }

    #[inline(always)]
    fn flags(&mut self) -> (&mut [u64; 2], u64, usize) {
        let (number, active) = self.active;
        (self.flags, active.lanes & 0xFF << (number * BLOCK), number * BLOCK)
    }
}
