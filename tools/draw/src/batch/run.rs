//! Runs of a batch: follows each group of lanes until none is left.
//! In: a program, registers. Out: registers, lanes that failed. Knows no arithmetic and no rule of
//! control flow: it asks [`control::step`].
//!
//! Model of time, in executed instructions of the interpreter: a group of *n* lanes in *b* blocks
//! saves *n* with each word, and costs 2.5 with each word, half of one with each block of it, and
//! [`MOVE`] with each control instruction, [`MOVE_AMONG_OTHERS`] while other groups wait. Each run
//! keeps the sum. Where it is negative, or a group has at most [`LONELY`] lanes among many groups,
//! the lanes run one by one, from their beginning, but not in [small](super::small) runs. The three
//! numbers were chosen by the geometric mean of all rows of `cargo run --release -p transpica-bench
//! -- --batch shaders`, column by column: smaller and larger ones take as long or longer.

use super::VertexError;
use super::code::{Code, Route};
use super::group::{FEW, Group, Groups, Used};
use super::lanes::{Active, BLOCK, LANES};
use super::register_file::{At, File};
use super::rest::Rest;
use super::small::Small;
use super::wide::Wide;
use crate::entity::bits;
use transpica::interp::Settings;
use transpica::isa::control::{self, Outcome, Test};
use transpica::isa::sizes::INTS;
use transpica::isa::{Condition, ConditionOp, Inst, Pc};
use transpica::{At as Place, Error, Kind};

/// Lanes of a group that are faster one by one.
const LONELY: u32 = 1;

/// Time of a move of a group, in executed instructions of the interpreter.
const MOVE: i64 = 2;
/// The same among other groups.
const MOVE_AMONG_OTHERS: i64 = 12;

/// The state of a batch.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    pub(super) settings: Settings,
    pub(super) file: File,
    pub(super) ints: [[u8; 4]; INTS],
    pub(super) bools: u16,
    pub(super) rest: Rest,
    groups: Groups,
    active: Active,
    pub(super) wide: Wide,
    /// The lanes of the run.
    run: u64,
    /// Those that are to run one by one.
    pub(super) left: u64,
    /// Estimate of the time saved since the run began, in instructions of the interpreter. Once it
    /// is negative, all lanes that still run are left.
    saved: i64,
    pub(super) used: Used,
    /// The lanes that the loop guard stopped.
    pub(super) stopped: u64,
    /// Instructions of each lane of a run without control flow, else 0.
    steps_of_each: u64,
    /// The first lane of the run that failed, until it is taken. Errors are large: nothing moves
    /// where there is none.
    pub(super) failure: Option<VertexError>,
}

impl Runner {
    pub(super) fn new(settings: Settings, file: File) -> Self {
        Self {
            settings,
            file,
            ints: [[0; 4]; INTS],
            bools: 0,
            rest: Rest::default(),
            groups: Groups::new(),
            active: Active::NONE,
            wide: Wide::detect(),
            run: 0,
            left: 0,
            saved: 0,
            used: Used { steps: [0; LANES], jumps: [0; LANES] },
            stopped: 0,
            steps_of_each: 0,
            failure: None,
        }
    }

    /// Runs a program in the first lanes. It ends with a [`failure`](Self::failure) or without.
    pub(super) fn run(&mut self, code: &Code, count: usize) {
        // Other lanes stay untouched: in a small draw they would cost more than the program.
        self.file.begin(code, &self.settings, count.min(LANES).next_multiple_of(BLOCK));
        self.begin(code, count);
        if self.left != 0 && self.file.emission.is_none() {
            self.run_left(code);
        }
    }

    /// Runs a program in the first lanes of [small](super::small) registers.
    pub(super) fn run_small(&mut self, code: &Code, count: usize) {
        self.file.small.begin(code, &self.settings);
        self.begin(code, count);
    }

    /// Runs a program whose registers are ready.
    fn begin(&mut self, code: &Code, count: usize) {
        (self.run, self.left, self.stopped, self.steps_of_each) = (first(count), 0, 0, 0);
        if let Some(words) = code.straight
            && u64::from(words) < self.settings.budget
            && self.file.emission.is_none()
        {
            self.steps_of_each = u64::from(words) + 1;
            return self.execute(code, code.entry, words.into(), (self.run, 0));
        }
        self.follow(code, count);
    }

    /// Runs a program of any form. Not inlined, so that small draws touch no more code than they
    /// need.
    #[inline(never)]
    fn follow(&mut self, code: &Code, count: usize) {
        self.used.steps[..count.min(LANES)].fill(0);
        self.used.jumps[..count.min(LANES)].fill(0);
        self.file.flags = [0; 2];
        self.saved = 0;
        let jumps = u64::from(self.settings.loop_guard.unwrap_or(0));
        let mut next = (count > 0).then(|| Group::new(self.run, code.entry, self.settings.budget, jumps));
        while let Some(group) = next {
            next = if self.is_scattered(&group) {
                self.left |= group.lanes;
                self.groups.next()
            } else {
                let words = self.straight(code, &group);
                self.save(words);
                self.advance(code, group, words)
            };
        }
    }

    /// Runs a program for one vertex on the machine; `load` sets the inputs that it reads. Returns
    /// the outputs.
    pub(super) fn run_alone(
        &mut self,
        code: &Code,
        load: impl FnOnce(&mut [[f32; 4]; 16]),
    ) -> &[[f32; 4]; 16] {
        (self.run, self.stopped, self.steps_of_each) = (1, 0, 0);
        let Self { settings, file, ints, bools, rest, .. } = self;
        let machine = rest.begin(code, settings, (file.uniforms(), ints, *bools));
        let failed = machine.run_with(load).err();
        (self.used.steps[0], self.stopped) = (machine.steps(), machine.is_stopped().into());
        self.failure = failed.map(|error| VertexError { vertex: 0, error });
        machine.registers().outputs()
    }

    /// Runs the lanes that are left, one by one.
    #[cold]
    fn run_left(&mut self, code: &Code) {
        for lane in bits(self.left) {
            let Self { settings, file, ints, bools, rest, used, .. } = self;
            let machine = rest.begin(code, settings, (file.uniforms(), ints, *bools));
            let inputs = file.inputs(&code.places, lane as usize);
            let failed = machine.run(&inputs).err();
            used.steps[lane as usize % LANES] = machine.steps();
            self.stopped |= u64::from(machine.is_stopped()) << lane;
            file.set_outputs(&code.places, lane as usize, machine.registers().outputs());
            if let Some(error) = failed {
                self.fail(1 << lane, error);
            }
        }
    }

    /// The number of instructions that the last run executed for a lane.
    pub(super) fn steps(&self, lane: usize) -> u64 {
        match lane < LANES && self.run >> lane & 1 != 0 {
            true if self.steps_of_each != 0 => self.steps_of_each,
            true => self.used.steps[lane],
            false => 0,
        }
    }

    /// Executes the data parts of the words up to the next one that the control model decides on,
    /// and of that if there are none before; returns their number. Any pc at or beyond the end of
    /// the code is an END.
    fn straight(&mut self, code: &Code, group: &Group) -> usize {
        let pc = group.state.pc.index();
        let words = match code.routes.get(pc) {
            Some(Route::Straight(count)) => usize::from(*count),
            Some(Route::Control | Route::Undefined(_)) => 1,
            None => 0,
        };
        let mut words = words.min(usize::try_from(group.steps.left).unwrap_or(usize::MAX));
        if !self.groups.0.is_empty() {
            words = words.min(self.groups.distance(group));
        }
        self.execute(code, group.state.pc, words, (group.lanes, group.loops.counter));
        words
    }

    /// Executes the data parts of some words in some lanes, with a value of aL.
    #[inline(always)]
    fn execute(&mut self, code: &Code, pc: Pc, words: usize, (lanes, counter): (u64, i32)) {
        let Self { file, active, wide, run, .. } = self;
        if !active.is(lanes, *run) {
            wide.call(
                #[inline(always)]
                || active.set(lanes, *run),
            );
        }
        let at = At { wide: *wide, active };
        if file.small.is_running {
            let operations = code.operations.get(pc.index()..).unwrap_or_default();
            return Small::execute(file, &operations[..words.min(operations.len())], counter, &at);
        }
        for operation in code.operations.iter().skip(pc.index()).take(words) {
            file.prepare(operation, counter, &at);
            (operation.kernel)(file, operation, &at);
        }
    }

    /// Returns whether a group has few lanes, and the run so many groups that it will not get more.
    fn is_scattered(&self, group: &Group) -> bool {
        let few = FEW.min(self.run.count_ones() as usize / 4);
        if self.file.small.is_running {
            return false;
        }
        self.saved < 0 || group.lanes.count_ones() <= LONELY && self.groups.0.len() >= few
    }

    /// Adds the time that a group saves with some words to that saved so far.
    fn save(&mut self, words: usize) {
        let moved = if self.groups.0.is_empty() { MOVE } else { MOVE_AMONG_OTHERS };
        let (lanes, blocks) =
            (i64::from(self.active.lanes.count_ones()), i64::from(self.active.blocks.count_ones()));
        // In quarters: `lanes`, 2.5 and `blocks / 2` of the model.
        self.saved += words as i64 * (4 * lanes - 10 - 2 * blocks) / 4 - moved;
    }

    /// Moves a group on that has executed the data parts of some words, and returns the one that
    /// runs next.
    fn advance(&mut self, code: &Code, mut group: Group, words: usize) -> Option<Group> {
        let pc = group.state.pc;
        let is_left = match code.routes.get(pc.index()) {
            None => false,
            Some(_) if words == 0 => self.stop(&mut group, pc),
            Some(Route::Straight(_)) => {
                group.steps.take(words as u64);
                // Range: a program has at most 65,536 words.
                group.state.pc = Pc(pc.0.saturating_add(words as u16));
                true
            }
            Some(Route::Undefined(opcode)) => {
                self.fail(group.lanes, Error::new(Kind::BadOpcode(*opcode), Place::Pc(pc.0)));
                false
            }
            Some(Route::Control) => {
                group.steps.take(1);
                self.control(code, &mut group)
            }
        };
        if !is_left {
            group.flush(&mut self.used);
            return self.groups.next();
        }
        if self.groups.0.is_empty() {
            Some(group)
        } else {
            Some(self.groups.reschedule(group, &mut self.used))
        }
    }

    /// Ends the lanes that have used up their budget; returns whether any are left.
    fn stop(&mut self, group: &mut Group, pc: Pc) -> bool {
        let budget = self.settings.budget;
        let lanes = group.without_steps(budget, &mut self.used);
        if lanes != 0 {
            self.fail(lanes, Error::new(Kind::StepBudget(budget), Place::Pc(pc.0)));
        }
        group.lanes != 0
    }

    /// Records an error.
    fn fail(&mut self, lanes: u64, error: Error) {
        if self.file.emission.is_some() {
            self.left |= lanes;
        }
        let vertex = lanes.trailing_zeros() as usize;
        if self.failure.as_ref().is_none_or(|failure| vertex < failure.vertex) {
            self.failure = Some(VertexError { vertex, error });
        }
    }

    /// Executes the control part of an instruction; returns whether the group goes on. Lanes in
    /// which a condition fails become a group of their own.
    fn control(&mut self, code: &Code, group: &mut Group) -> bool {
        let inst = &code.insts[group.state.pc.index()];
        let test = if let Inst::Flow(flow) = inst { flow.test() } else { None };
        let holds = match test {
            Some(Test::Cmp(condition)) => self.lanes_where(condition),
            Some(Test::Bool { id, expected }) if (self.bools >> (id & 15) & 1 != 0) != expected => 0,
            Some(Test::Bool { .. } | Test::LoopRepeats { .. } | Test::JumpsLeft) | None => u64::MAX,
        };
        let (holding, failing) = (group.lanes & holds, group.lanes & !holds);
        if holding == 0 {
            return self.step(code, group, false);
        }
        if failing != 0 {
            let mut other = Group { lanes: failing, ..group.clone() };
            if self.step(code, &mut other, false) {
                self.groups.0.push(other);
            } else {
                other.flush(&mut self.used);
            }
            group.lanes = holding;
        }
        self.step(code, group, true)
    }

    /// The lanes in which a condition holds.
    fn lanes_where(&self, condition: Condition) -> u64 {
        let is = |flag: u64, expected: bool| if expected { flag } else { !flag };
        let (x, y) = (is(self.file.flags[0], condition.ref_x), is(self.file.flags[1], condition.ref_y));
        match condition.op {
            ConditionOp::Or => x | y,
            ConditionOp::And => x & y,
            ConditionOp::X => x,
            ConditionOp::Y => y,
        }
    }

    /// Executes the control part of an instruction whose condition holds in all lanes or in none;
    /// returns whether the group goes on.
    fn step(&mut self, code: &Code, group: &mut Group, holds: bool) -> bool {
        let inst = &code.insts[group.state.pc.index()];
        if let (Some(limit), Inst::Flow(flow)) = (self.settings.loop_guard, inst)
            && flow.goes_back(group.state.pc) == Some(holds)
        {
            if group.jumps.left == 0 {
                self.stopped |= group.without_jumps(u64::from(limit), &mut self.used);
                if group.lanes == 0 {
                    return false;
                }
            }
            group.jumps.take(1);
        }
        let Group { state, loops, .. } = group;
        let loops = std::cell::RefCell::new(loops);
        let outcome = control::step(
            inst,
            state,
            &mut |test| match test {
                Test::Cmp(_) | Test::Bool { .. } | Test::JumpsLeft => holds,
                Test::LoopRepeats { slot } => loops.borrow().repeats(slot),
            },
            &mut |effect| loops.borrow_mut().apply(effect, &self.ints),
        );
        code.ahead.forget(&mut group.state, &mut group.loops);
        outcome == Outcome::Continue
    }
}

/// The first lanes.
fn first(count: usize) -> u64 {
    match count {
        0 => 0,
        _ => u64::MAX >> (LANES - count.min(LANES)),
    }
}
