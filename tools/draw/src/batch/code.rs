//! Programs decoded to run on lanes.
//! In: a [`Program`]. Out: [`Code`]: for each word where it continues, and an [`Operation`] whose
//! operands are places of the [file](super::register_file). Knows no arithmetic.
//!
//! Only components that the program reads or writes have a place, so that all others cost nothing.

use super::ahead::Ahead;
use super::execute::{Kernel, kernel};
use crate::entity::bits;
use transpica::Program;
use transpica::interp::Settings;
use transpica::isa::access::Access;
use transpica::isa::control::scope_ends;
use transpica::isa::{CompareOp, Component, DataOp, Dest, Flow, Index, Inst, Mask, Operand, Pc, Source};

/// Components of a bank of sixteen registers.
const BANK: usize = 64;
/// The place of a component that the program does not use.
pub(super) const NONE: u8 = u8::MAX;

/// A bank of registers whose components have places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bank {
    Input,
    Temp,
    Output,
}

/// The place of each component that the program uses. There are 192 at most.
#[derive(Clone, Debug)]
pub(super) struct Places {
    banks: [[u8; BANK]; 3],
    used: [u64; 3],
    /// Number of places.
    pub(super) count: u8,
}

impl Places {
    /// The place of a component, [`NONE`] if the program does not use it.
    #[inline]
    pub(super) fn get(&self, bank: Bank, component: usize) -> u8 {
        self.banks[bank as usize][component % BANK]
    }

    /// The place of a component; gives it one if it has none yet.
    fn get_or_add(&mut self, bank: Bank, register: u8, component: Component) -> u8 {
        let index = (usize::from(register) * 4 + component.index()) % BANK;
        let place = &mut self.banks[bank as usize][index];
        if *place == NONE {
            *place = self.count;
            self.used[bank as usize] |= 1 << index;
            self.count += 1;
        }
        *place
    }

    /// The used components of a bank with their places.
    pub(super) fn each(&self, bank: Bank) -> impl Iterator<Item = (usize, usize)> {
        self.some(bank, self.used(bank))
    }

    /// Components of a bank with their places.
    pub(super) fn some(&self, bank: Bank, components: u64) -> impl Iterator<Item = (usize, usize)> {
        let place = move |component| usize::from(self.get(bank, component));
        bits(components).map(move |component| (component as usize, place(component as usize)))
    }

    /// The used components of a bank as a set: bit 4 · n + c is component c of register n.
    #[inline]
    pub(super) fn used(&self, bank: Bank) -> u64 {
        self.used[bank as usize]
    }
}

/// Origin of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum From {
    /// Places, which may differ between lanes.
    Lanes,
    /// A uniform.
    Uniform,
    /// The uniform that an address register or aL selects.
    Relative(Index),
}

/// A source operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) from: From,
    /// For each component of the result: a place, or the component of a uniform among those of all.
    /// For relative reads, the component of the register.
    pub(super) lanes: [u16; 4],
    /// Components that can change the result.
    pub(super) mask: Mask,
    /// The uniform of a relative read.
    pub(super) register: u8,
    pub(super) is_negated: bool,
}

impl Read {
    /// The sign bit where the operand is negated, else 0.
    #[inline(always)]
    pub(super) fn sign(&self) -> u32 {
        u32::from(self.is_negated) << 31
    }
}

/// Effect of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// Changes no register.
    None,
    Data(DataOp),
    Mova,
    Cmp(CompareOp, CompareOp),
    /// Only in geometry programs; so is the next.
    Emit,
    SetEmit {
        slot: u8,
        prim: bool,
        invert: bool,
    },
}

/// The data part of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) kernel: Kernel,
    pub(super) action: Action,
    /// Components written.
    pub(super) mask: Mask,
    /// The places written.
    pub(super) dest: [u8; 4],
    pub(super) reads: [Read; 3],
    /// Number of operands.
    pub(super) operands: u8,
    /// The relative read. There is one at most.
    pub(super) relative: Option<u8>,
}

impl Operation {
    /// Returns whether aL selects a uniform.
    fn reads_counter(&self) -> bool {
        let relative = self.relative.and_then(|read| self.reads.get(usize::from(read)));
        relative.is_some_and(|read| matches!(read.from, From::Relative(Index::Al)))
    }
}

/// How a program continues after a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// At the next word, whatever the control state. There are this many such words from here on.
    Straight(u16),
    /// As `control::step` decides.
    Control,
    /// Not at all: the opcode is undefined.
    Undefined(u8),
}

/// A decoded program.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) routes: Vec<Route>,
    pub(super) operations: Vec<Operation>,
    /// The same instructions, for `control::step`.
    pub(super) insts: Vec<Inst>,
    pub(super) entry: Pc,
    pub(super) places: Places,
    pub(super) ahead: Ahead,
    /// Components of r and o registers that the program may read, or end with, before it writes
    /// them.
    pub(super) fresh: [u64; 2],
    /// True if an instruction writes address registers: else they stay 0.
    pub(super) moves: bool,
    /// Number of words of a program that runs from its entry to END in order, END excluded.
    pub(super) straight: Option<u16>,
}

impl Code {
    /// Decodes a vertex program.
    pub(super) fn new(program: &Program<'_>, settings: &Settings) -> Self {
        let words = program.code().len();
        let mut code = Self {
            routes: Vec::with_capacity(words),
            operations: Vec::with_capacity(words),
            insts: Vec::with_capacity(words),
            entry: program.entry(),
            places: Places { banks: [[NONE; BANK]; 3], used: [0; 3], count: 0 },
            ahead: Ahead::default(),
            fresh: [0; 2],
            moves: false,
            straight: None,
        };
        code.insts.extend((0..=u16::MAX).map_while(|pc| program.inst(Pc(pc))));
        // Written in place: an operation is large.
        code.operations.resize(code.insts.len(), NOTHING);
        let mut counter_end = Pc(0);
        for (pc, (inst, operation)) in (0..=u16::MAX).map(Pc).zip(code.insts.iter().zip(&mut code.operations))
        {
            decode(inst, operation, &mut code.places);
            if operation.reads_counter() {
                counter_end = pc.next();
            }
            code.moves |= matches!(operation.action, Action::Mova);
            operation.kernel = kernel(operation.action, settings);
            code.routes.push(route(inst, settings.permissive));
        }
        code.end_scopes();
        code.count_straight();
        code.ahead = Ahead::new(&code.insts, counter_end);
        if let Some(Route::Straight(words)) = code.routes.get(code.entry.index()) {
            let end = code.insts.get(code.entry.index() + usize::from(*words));
            code.straight = (end == Some(&Inst::Flow(Flow::End))).then_some(*words);
        }
        code.find_fresh();
        code
    }

    /// Lets `control::step` decide at words with which a scope may end.
    fn end_scopes(&mut self) {
        for last in scope_ends(&self.insts) {
            if let Some(route @ Route::Straight(_)) = self.routes.get_mut(last.index()) {
                *route = Route::Control;
            }
        }
    }

    /// Finds what the words before the first control-flow instruction leave without a value.
    fn find_fresh(&mut self) {
        let words = match self.routes.get(self.entry.index()) {
            Some(Route::Straight(words)) => usize::from(*words),
            Some(Route::Control | Route::Undefined(_)) | None => 0,
        };
        let (mut read, mut temps, mut outputs) = (0, 0, 0);
        for access in self.insts.iter().skip(self.entry.index()).take(words).map(Access::new) {
            read |= access.temps_read & !temps;
            temps |= access.temps_written;
            outputs |= access.outputs_written;
        }
        if self.straight.is_none() {
            read |= self.places.used(Bank::Temp) & !temps;
        }
        self.fresh = [read, self.places.used(Bank::Output) & !outputs];
    }

    /// Counts the straight words from each one on.
    fn count_straight(&mut self) {
        let mut following = 0;
        for route in self.routes.iter_mut().rev() {
            following = match route {
                Route::Straight(count) => {
                    *count = following + 1;
                    *count
                }
                Route::Control | Route::Undefined(_) => 0,
            };
        }
    }
}

/// Classifies an instruction; a scope may make a straight one end it.
fn route(inst: &Inst, permissive: bool) -> Route {
    match inst {
        Inst::Unassigned(opcode) if !permissive => Route::Undefined(*opcode),
        Inst::Flow(flow) if *flow != Flow::Nop => Route::Control,
        _computes => Route::Straight(1),
    }
}

const UNUSED: Read =
    Read { from: From::Uniform, lanes: [0; 4], mask: Mask::NONE, register: 0, is_negated: false };

const NOTHING: Operation = Operation {
    kernel: |_, _, _| (),
    action: Action::None,
    mask: Mask::NONE,
    dest: [0; 4],
    reads: [UNUSED; 3],
    operands: 0,
    relative: None,
};

/// Decodes the data part of an instruction, if it has one.
fn decode(inst: &Inst, operation: &mut Operation, places: &mut Places) {
    match inst {
        Inst::Data { op, dest, mask, sources } => {
            let info = op.opcode().info();
            if mask.is_empty() && !info.writes_flags {
                return;
            }
            (operation.action, operation.mask) = (Action::Data(*op), *mask);
            for (number, (source, reads)) in sources.iter().zip(info.reads).enumerate() {
                let mask = reads.for_mask(*mask);
                // Most instructions have fewer operands.
                if !mask.is_empty() {
                    read(source, mask, number, operation, places);
                }
            }
            let (bank, register) = match dest {
                Dest::Temp(register) => (Bank::Temp, *register),
                Dest::Output(register) => (Bank::Output, *register),
            };
            for component in mask.iter() {
                operation.dest[component.index()] = places.get_or_add(bank, register, component);
            }
        }
        Inst::Mova { mask, source } if !mask.is_empty() => {
            (operation.action, operation.mask) = (Action::Mova, *mask);
            read(source, *mask, 0, operation, places);
        }
        Inst::Cmp { x, y, sources } => {
            operation.action = Action::Cmp(*x, *y);
            for (number, source) in sources.iter().enumerate() {
                read(source, Mask(3), number, operation, places);
            }
        }
        Inst::Mova { .. } | Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
    }
}

/// Decodes a source of which some components can change the result.
fn read(operand: &Operand, mask: Mask, number: usize, operation: &mut Operation, places: &mut Places) {
    // Range: 1..3.
    operation.operands = number as u8 + 1;
    let read = &mut operation.reads[number % 3];
    (read.mask, read.is_negated) = (mask, operand.negate);
    let (bank, register) = match operand.register {
        Source::Uniform(register) => {
            let mut first = 4 * u16::from(register & 0x7F);
            if operand.index != Index::None {
                read.from = From::Relative(operand.index);
                read.register = register & 0x7F;
                // Range: 0..3. There is one relative read at most.
                operation.relative = Some(number as u8);
                first = 0;
            }
            read.lanes = operand.swizzle.components().map(|component| first + component as u16);
            return;
        }
        Source::Input(register) => (Bank::Input, register),
        Source::Temp(register) => (Bank::Temp, register),
    };
    read.from = From::Lanes;
    let mut any = 0;
    for component in mask.iter() {
        let of_source = operand.swizzle.get(component);
        any = u16::from(places.get_or_add(bank, register, of_source));
        read.lanes[component.index()] = any;
    }
    // Components that nothing depends on are read nevertheless, from a place that is used anyway.
    for component in Component::ALL {
        if !mask.has(component) {
            read.lanes[component.index()] = any;
        }
    }
}
