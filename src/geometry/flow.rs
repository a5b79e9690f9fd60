//! Forward analysis of the events that must or may have happened in an invocation.
//! In: a program and its graph. Out: [`Flow`]: decoded actions, and a [`State`] at the start of
//! each block. Where paths meet, must-facts intersect and may-facts unite.

use crate::flow::cfg::dataflow::Analysis;
use crate::flow::cfg::{Action, Block, Cfg, dataflow};
use crate::program::isa::access::{Access, COUNTER, LOOPS, SAVED};
use crate::program::isa::control::Effect;
use crate::program::isa::sizes::VERTEX_SLOTS;
use crate::program::isa::{Inst, Program};
use crate::support::entity::Handle;

/// The setting of an earlier invocation may still be in force.
const INHERITED: u16 = 1 << 8;
/// The settings that submit a triangle.
const PRIM: u16 = 0xF0;
/// Number of vertex slots.
const SLOTS: u8 = VERTEX_SLOTS as u8;

/// The settings of SETEMIT that may be in force: bit `slot + 4 · prim`, and [`INHERITED`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings(u16);

impl Settings {
    fn new(vertex: u8, prim: bool) -> Self {
        Self(1 << ((vertex & 3) + 4 * u8::from(prim)))
    }
    /// Returns whether the setting may be an earlier invocation's.
    pub(super) fn are_inherited(self) -> bool {
        self.0 & INHERITED != 0
    }
    /// The possible settings: all of them, if they are inherited.
    fn possible(self) -> u16 {
        if self.are_inherited() { 0xFF } else { self.0 }
    }
    /// Returns whether EMIT may submit a triangle.
    pub(super) fn may_submit(self) -> bool {
        self.possible() & PRIM != 0
    }
    /// The slots that EMIT may fill, each with whether it then submits a triangle.
    fn choices(self) -> impl Iterator<Item = (u8, bool)> {
        let possible = self.possible();
        (0..2 * SLOTS).filter(move |bit| possible >> bit & 1 != 0).map(|bit| (bit & 3, bit >= SLOTS))
    }
}

/// Components of o0..o15 that must have been written: in the bank that is active at the beginning,
/// and in the other one.
pub(super) type Outputs = [u64; 2];

/// Facts at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Components of r0..r15 that must have been written.
    pub(super) temps: u64,
    /// The other registers that must have been written, as in [`Access`].
    pub(super) rest: u16,
    /// Components of o0..o15 that must have been written, after an even and after an odd number of
    /// EMITs; `None` for an impossible parity.
    pub(super) outputs: [Option<Outputs>; 2],
    /// Slots that must have been filled.
    filled: u8,
    /// Settings that may be in force.
    pub(super) settings: Settings,
    /// The int uniforms that may count the loop in each slot: bit `4 · slot + int`.
    counts: u16,
}

impl State {
    /// The facts at the beginning of an invocation.
    const START: Self = Self {
        temps: 0,
        rest: 0,
        outputs: [Some([0; 2]), None],
        filled: 0,
        settings: Settings(INHERITED),
        counts: 0,
    };

    /// The facts where two paths meet.
    fn meet(self, other: Self) -> Self {
        Self {
            temps: self.temps & other.temps,
            rest: self.rest & other.rest,
            outputs: [0, 1].map(|emits| match (self.outputs[emits], other.outputs[emits]) {
                (Some([a, b]), Some([c, d])) => Some([a & c, b & d]),
                (outputs, None) | (None, outputs) => outputs,
            }),
            filled: self.filled & other.filled,
            settings: Settings(self.settings.0 | other.settings.0),
            counts: self.counts | other.counts,
        }
    }

    /// Applies an action.
    pub(super) fn apply(&mut self, step: &Step) {
        match step {
            Step::Nothing => {}
            Step::Access(access) => {
                self.temps |= access.temps_written;
                self.rest |= access.rest_written;
                for (bank, outputs) in self.outputs.iter_mut().enumerate() {
                    if let Some(outputs) = outputs {
                        outputs[bank] |= access.outputs_written;
                    }
                }
            }
            Step::SetEmit(setting) => self.settings = *setting,
            Step::Emit => {
                self.filled |= self.settings.choices().fold(u8::MAX, |sure, (slot, _)| sure & 1 << slot);
                self.outputs.swap(0, 1);
            }
            Step::Loop(effect) => self.apply_loop(*effect),
        }
    }

    fn apply_loop(&mut self, effect: Effect) {
        let saved = SAVED * ((1 << LOOPS) - 1);
        match effect {
            Effect::ShiftLoops => {
                self.rest = self.rest & !saved | (self.rest & saved) >> 1 & saved;
                self.counts = self.counts >> 4 | self.counts & 0xF000;
            }
            Effect::EnterLoop { slot, int } => {
                let place = SAVED << (slot & 3);
                let is_written = self.rest & COUNTER != 0;
                self.rest = self.rest & !place | if is_written { place } else { 0 } | COUNTER;
                let place = 4 * (slot & 3);
                self.counts = self.counts & !(15 << place) | 1 << (place + (int & 3));
            }
            Effect::RestoreCounter { slot } => {
                let is_written = self.rest & SAVED << (slot & 3) != 0;
                self.rest = self.rest & !COUNTER | if is_written { COUNTER } else { 0 };
            }
            // A sum with a value of this invocation is a value of this invocation.
            Effect::StepLoop { .. } | Effect::RepeatLoop { .. } | Effect::CountJump => {}
        }
    }

    /// Slots 0 to 2 that EMIT may submit although this invocation may not have filled them.
    pub(super) fn stale_slots(&self) -> impl Iterator<Item = u8> {
        let stale = |(slot, prim): (u8, bool)| if prim { !(self.filled | 1 << slot) } else { 0 };
        let stale = self.settings.choices().map(stale).fold(0, |all, slots| all | slots);
        (0..3).filter(move |slot| stale >> slot & 1 != 0)
    }

    /// The int uniforms that may count the loop in a slot.
    pub(super) fn counts(&self, slot: u8) -> impl Iterator<Item = usize> {
        let counts = self.counts >> (4 * (slot & 3));
        (0..4).filter(move |int| counts >> int & 1 != 0)
    }
}

/// A decoded action.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Nothing,
    Access(Access),
    SetEmit(Settings),
    Emit,
    Loop(Effect),
}

impl Step {
    fn new(action: &Action, program: &Program<'_>) -> Self {
        match *action {
            Action::Run(pc) => match program.inst(pc) {
                Some(Inst::Emit) => Self::Emit,
                Some(Inst::SetEmit { vertex, prim, .. }) => Self::SetEmit(Settings::new(vertex, prim)),
                Some(inst) => Self::Access(Access::new(&inst)),
                None => Self::Nothing,
            },
            Action::Loop(effect) => Self::Loop(effect),
            Action::SetDispatch { .. } => Self::Nothing,
        }
    }
}

impl Analysis for Flow<'_> {
    type Fact = State;

    fn init(&self) -> State {
        State::START
    }

    fn transfer(&self, block: Block, mut before: State) -> State {
        self.steps(block).iter().for_each(|step| before.apply(step));
        before
    }

    fn meet(&self, a: State, b: State) -> State {
        a.meet(b)
    }
}

/// The solved analysis.
pub(super) struct Flow<'a> {
    pub(super) cfg: &'a Cfg,
    /// In the order of [`Cfg::actions`].
    steps: Vec<Step>,
    /// The facts at the start of each block; none for unreachable blocks.
    states: Vec<Option<State>>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(program: &Program<'_>, cfg: &'a Cfg) -> Self {
        let steps = cfg.actions.iter().map(|action| Step::new(action, program)).collect();
        let mut flow = Self { cfg, steps, states: Vec::new() };
        flow.states = dataflow::solve(cfg, &flow);
        flow
    }

    /// Returns the actions of a block.
    pub(super) fn steps(&self, block: Block) -> &[Step] {
        let range = &self.cfg.blocks[block].actions;
        self.steps.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Returns the facts at the start of a block, or `None` if it is unreachable.
    pub(super) fn state(&self, block: Block) -> Option<State> {
        self.states.get(block.index()).copied().flatten()
    }
}
