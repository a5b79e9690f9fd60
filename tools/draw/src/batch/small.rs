//! Runs of few vertices.
//! In: operations, active lanes. Out: changed registers. Knows no control flow.
//!
//! Hosts make most draws behind other code, with cold caches, and a quad then takes the time of the
//! lines that it touches. So each block of lanes has a file of its own, in which a component is
//! half a line, and one function has all operations.

use super::code::{Action, Bank, Code, From, Operation, Places, Read};
use super::execute::{data, of_settings};
use super::lanes::{BLOCK, LANES, components, flip};
use super::register_file::{At, File, load, rounds};
use crate::precision::arith;
use transpica::Precision;
use transpica::interp::{Exact, F24, Fast, Flushed, Mode, Settings};
use transpica::isa::{CompareOp, DataOp, Index, sizes};

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
    scratch: Box<(Operands, Component)>,
    /// The value of registers r and o at the start.
    uninitialized: [f32; 4],
    pass: Pass,
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
        Self {
            blocks,
            addresses,
            scratch,
            uninitialized,
            pass: of_settings!(settings, run),
            is_running: false,
        }
    }

    /// Begins a run.
    pub(super) fn begin(&mut self, code: &Code, settings: &Settings) {
        self.is_running = true;
        if code.moves {
            self.addresses = [[[0; BLOCK]; 2]; SMALL.div_ceil(BLOCK)];
        }
        if code.fresh != [0; 2] {
            self.fill(code);
        }
        if rounds(settings) {
            self.round(&code.places, settings);
        }
    }

    /// Gives the registers that the program may read first their defaults.
    #[cold]
    fn fill(&mut self, code: &Code) {
        for (bank, components) in [Bank::Temp, Bank::Output].into_iter().zip(code.fresh) {
            for (component, place) in code.places.some(bank, components) {
                let value = self.uninitialized[component % 4];
                self.place(place).for_each(|row| *row = [value; BLOCK]);
            }
        }
    }

    /// Rounds the inputs.
    #[cold]
    fn round(&mut self, places: &Places, settings: &Settings) {
        for (_, place) in places.each(Bank::Input) {
            self.place(place).flatten().for_each(|value| *value = load(*value, settings));
        }
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

    /// Executes words.
    #[inline]
    pub(super) fn execute(file: &mut File, operations: &[Operation], counter: i32, at: &At<'_>) {
        (file.small.pass)(file, operations, counter, at);
    }
}

impl File {
    /// Copies the inputs of the first lanes to the registers of small runs.
    pub(super) fn give_inputs(&mut self, places: &Places, count: usize) {
        for (_, place) in places.each(Bank::Input) {
            self.small.set_input(place, count, &self.sources.places[place]);
        }
    }

    /// Copies the outputs back.
    pub(super) fn take_outputs(&mut self, places: &Places, count: usize) {
        for (_, place) in places.each(Bank::Output) {
            let to = self.sources.places[place].as_chunks_mut::<BLOCK>().0;
            for (to, from) in to.iter_mut().zip(self.small.place(place)).take(count.div_ceil(BLOCK)) {
                *to = *from;
            }
        }
    }
}

/// Executes words in the blocks with active lanes.
fn run<M: Mode, S: Mode>(file: &mut File, operations: &[Operation], counter: i32, at: &At<'_>) {
    let wide = at.wide;
    wide.call(
        #[inline(always)]
        || {
            let File { small, sources, flags, .. } = file;
            let blocks = small.blocks.iter_mut().zip(&mut small.addresses);
            for (number, (rows, addresses)) in blocks.enumerate() {
                if at.active.blocks >> number & 1 == 0 {
                    continue;
                }
                let (operands, result) = &mut *small.scratch;
                let mut block = Block {
                    rows: &mut rows.0,
                    addresses,
                    flags,
                    uniforms: &sources.uniforms,
                    counter,
                    first: number * BLOCK,
                    mask: at.active.mask_of(number),
                    operands,
                    result,
                    is_whole: at.active.is_whole,
                };
                for operation in operations {
                    block.execute::<M, S>(operation);
                }
            }
        },
    );
}

/// The components of three operands.
type Operands = [[Component; 4]; 3];

/// The state of a block while it executes.
struct Block<'a> {
    rows: &'a mut [Component; ROWS],
    addresses: &'a mut [[i32; BLOCK]; 2],
    flags: &'a mut [u64; 2],
    uniforms: &'a [[f32; 4]; sizes::INDICES],
    counter: i32,
    /// The first lane.
    first: usize,
    /// All ones for each active lane of the block.
    mask: &'a [u32; BLOCK],
    operands: &'a mut Operands,
    result: &'a mut Component,
    /// True if no other lane of the run holds a value.
    is_whole: bool,
}

impl Block<'_> {
    #[inline(always)]
    fn execute<M: Mode, S: Mode>(&mut self, operation: &Operation) {
        // In one place for all operations, which is less code.
        for number in 0..usize::from(operation.operands) {
            self.read(operation, number.min(2));
        }
        macro_rules! now {
            (|$file:ident, $operation:ident, $at:ident| $body:expr) => {{
                let ($file, $operation, $at) = (&mut *self, operation, ());
                $body
            }};
        }
        match operation.action {
            Action::Data(op) => data!(op, M, S, now),
            Action::Mova => self.mova(operation),
            Action::Cmp(x, y) => self.cmp([x, y]),
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
                    unary(to, &self.rows[usize::from(place) % ROWS], move |value| flip(value, sign));
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

    /// Computes components one by one, and writes each to the destination.
    #[inline(always)]
    fn write(&mut self, operation: &Operation, compute: impl Fn(&mut Component, &Operands, usize)) {
        for component in components(operation.mask) {
            compute(self.result, self.operands, component);
            let to = &mut self.rows[usize::from(operation.dest[component])];
            if self.is_whole { *to = *self.result } else { blend(to, self.result, self.mask) }
        }
    }

    /// Writes the result to all components of the destination.
    #[inline(always)]
    fn write_equal(&mut self, operation: &Operation) {
        self.write(operation, |_, _, _| ());
    }

    /// Applies a function of one operand to each component.
    #[inline(always)]
    fn apply_unary(&mut self, operation: &Operation, (): (), op: impl Fn(f32) -> f32) {
        self.write(operation, |result, [a, ..], c| unary(result, &a[c], &op));
    }

    /// Applies a function of two operands to each component.
    #[inline(always)]
    fn apply_binary(&mut self, operation: &Operation, (): (), op: impl Fn(f32, f32) -> f32) {
        self.write(operation, |result, [a, b, _], c| binary(result, &a[c], &b[c], &op));
    }

    /// Applies a function of three operands to each component.
    #[inline(always)]
    fn apply_ternary(&mut self, operation: &Operation, (): (), op: impl Fn(f32, f32, f32) -> f32) {
        self.write(operation, |result, [a, b, c], n| ternary(result, &a[n], &b[n], &c[n], &op));
    }

    /// Applies a function of all components of two operands.
    #[inline(always)]
    fn dot(&mut self, operation: &Operation, (): (), op: impl Fn([f32; 4], [f32; 4]) -> f32) {
        let [a, b, _] = &*self.operands;
        dot(self.result, a, b, op);
        self.write_equal(operation);
    }

    /// Applies a function of the first component of an operand.
    #[inline(always)]
    fn scalar(&mut self, operation: &Operation, (): (), op: impl Fn(f32) -> f32) {
        unary(self.result, &self.operands[0][0], op);
        self.write_equal(operation);
    }

    /// Executes DST.
    #[inline(always)]
    fn dst<M: Mode>(&mut self, operation: &Operation, (): ()) {
        self.write(operation, |result, [a, b, _], c| match c {
            0 => *result = [1.0; BLOCK],
            1 => binary(result, &a[1], &b[1], |a, b| M::result(M::mul(a, b))),
            _ => unary(result, if c == 2 { &a[2] } else { &b[3] }, M::result),
        });
    }

    /// Executes LITP.
    #[inline(always)]
    fn litp<M: Mode>(&mut self, operation: &Operation, (): ()) {
        self.set_signs();
        self.write(operation, |result, [a, ..], c| match c {
            0 | 3 => unary(result, &a[c], |a| M::result(arith::litp_positive(a))),
            1 => unary(result, &a[1], |a| M::result(arith::litp_power(a))),
            _ => *result = [0.0; BLOCK],
        });
    }

    /// Sets the flags of LITP.
    #[inline(never)]
    fn set_signs(&mut self) {
        self.set_flags(|[a, ..], flag, lane| a[3 * flag][lane] >= 0.0);
    }

    /// Executes MOVA.
    #[inline(never)]
    fn mova(&mut self, operation: &Operation) {
        for component in components(operation.mask).filter(|component| *component < 2) {
            for lane in (0..BLOCK).filter(|lane| self.mask[*lane] != 0) {
                self.addresses[component][lane] = arith::address(self.operands[0][component][lane]);
            }
        }
    }

    /// Executes CMP.
    #[inline(never)]
    fn cmp(&mut self, compared: [CompareOp; 2]) {
        self.set_flags(|[a, b, _], flag, lane| compared[flag].test(a[flag][lane], b[flag][lane]));
    }

    /// Replaces the flags of active lanes.
    #[inline(always)]
    fn set_flags(&mut self, holds: impl Fn(&Operands, usize, usize) -> bool) {
        for (number, flag) in self.flags.iter_mut().enumerate() {
            for lane in (0..BLOCK).filter(|lane| self.mask[*lane] != 0) {
                let bit = 1 << (self.first + lane);
                *flag = if holds(self.operands, number, lane) { *flag | bit } else { *flag & !bit };
            }
        }
    }
}

// Functions of references, which the compiler knows to be different memory: so it makes vectors.

#[inline(never)]
fn blend(to: &mut Component, from: &Component, mask: &[u32; BLOCK]) {
    for lane in 0..BLOCK {
        to[lane] = f32::from_bits(from[lane].to_bits() & mask[lane] | to[lane].to_bits() & !mask[lane]);
    }
}

#[inline(always)]
fn unary(out: &mut Component, a: &Component, op: impl Fn(f32) -> f32) {
    for lane in 0..BLOCK {
        out[lane] = op(a[lane]);
    }
}

#[inline(always)]
fn binary(out: &mut Component, a: &Component, b: &Component, op: impl Fn(f32, f32) -> f32) {
    for lane in 0..BLOCK {
        out[lane] = op(a[lane], b[lane]);
    }
}

#[inline(always)]
fn ternary(
    out: &mut Component,
    a: &Component,
    b: &Component,
    c: &Component,
    op: impl Fn(f32, f32, f32) -> f32,
) {
    for lane in 0..BLOCK {
        out[lane] = op(a[lane], b[lane], c[lane]);
    }
}

#[inline(always)]
fn dot(
    out: &mut Component,
    [x, y, z, w]: &[Component; 4],
    [a, b, c, d]: &[Component; 4],
    op: impl Fn([f32; 4], [f32; 4]) -> f32,
) {
    for lane in 0..BLOCK {
        out[lane] = op([x[lane], y[lane], z[lane], w[lane]], [a[lane], b[lane], c[lane], d[lane]]);
    }
}
