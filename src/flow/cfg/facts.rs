//! Decides branches that an earlier branch has decided.
//! In: [`Cfg`] and its program. Out: the same program with fewer edges. Knows which instructions
//! write flags.
//!
//! The instruction set has no unconditional jump, so programs write two: `jmpu b15, there; jmpu
//! !b15, there`. Without this pass the words after them would be reachable.
//!
//! A forward analysis of the bool uniforms, which never change, and of the flags: where the fact at
//! a branch answers its test, the branch becomes a goto.

use super::dataflow::{self, Analysis};
use super::{Action, Block, BlockData, Cfg, Terminator, simplify};
use crate::program::isa::control::Test;
use crate::program::isa::{Condition, ConditionOp, Opcode, Program};
use crate::support::entity::Handle;

/// Knowledge at one place: bits that are known, and their values (0 where not known).
/// Bits 0 to 15 are the bool uniforms, then come `cmp.x` and `cmp.y`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Facts {
    known: u32,
    values: u32,
}

const FLAG_X: u32 = 1 << 16;
const FLAG_Y: u32 = 1 << 17;

impl Facts {
    /// Knowledge where two paths meet.
    fn meet(self, other: Self) -> Self {
        let known = self.known & other.known & !(self.values ^ other.values);
        Self { known, values: self.values & known }
    }
    fn forget_flags(self) -> Self {
        let kept = !(FLAG_X | FLAG_Y);
        Self { known: self.known & kept, values: self.values & kept }
    }
    fn learn(self, bit: u32, value: bool) -> Self {
        let values = if value { self.values | bit } else { self.values & !bit };
        Self { known: self.known | bit, values }
    }
    fn get(self, bit: u32) -> Option<bool> {
        (self.known & bit != 0).then_some(self.values & bit != 0)
    }

    /// Answers a test, if it is known.
    fn answer(self, test: Test) -> Option<bool> {
        match test {
            Test::Bool { id, expected } => Some(self.get(1 << (id & 15))? == expected),
            Test::Cmp(Condition { op, ref_x, ref_y }) => {
                let x = self.get(FLAG_X).map(|x| x == ref_x);
                let y = self.get(FLAG_Y).map(|y| y == ref_y);
                match (op, x, y) {
                    (ConditionOp::X, x, _) => x,
                    (ConditionOp::Y, _, y) => y,
                    (ConditionOp::Or, Some(true), _) | (ConditionOp::Or, _, Some(true)) => Some(true),
                    (ConditionOp::And, Some(false), _) | (ConditionOp::And, _, Some(false)) => Some(false),
                    (ConditionOp::Or, x, y) => Some(x? || y?),
                    (ConditionOp::And, x, y) => Some(x? && y?),
                }
            }
            Test::LoopRepeats { .. } | Test::JumpsLeft => None,
        }
    }

    /// Knowledge after a test was answered.
    fn after(self, test: Test, holds: bool) -> Self {
        match test {
            Test::Bool { id, expected } => self.learn(1 << (id & 15), expected == holds),
            Test::Cmp(Condition { op, ref_x, ref_y }) => match (op, holds) {
                (ConditionOp::X, _) => self.learn(FLAG_X, ref_x == holds),
                (ConditionOp::Y, _) => self.learn(FLAG_Y, ref_y == holds),
                (ConditionOp::And, true) | (ConditionOp::Or, false) => {
                    self.learn(FLAG_X, ref_x == holds).learn(FLAG_Y, ref_y == holds)
                }
                (ConditionOp::And, false) | (ConditionOp::Or, true) => self,
            },
            Test::LoopRepeats { .. } | Test::JumpsLeft => self,
        }
    }
}

/// Decides branches, and simplifies the graph if there was one to decide.
pub(super) fn run(mut cfg: Cfg, program: &Program<'_>) -> Cfg {
    let may_decide = |data: &&BlockData| match data.terminator {
        Terminator::Branch { test, .. } => matches!(test, Test::Bool { .. } | Test::Cmp(_)),
        Terminator::Goto(_) | Terminator::Dispatch { .. } | Terminator::End => false,
    };
    // One branch alone cannot be decided by another, which spares most programs the analysis.
    if cfg.blocks.values().iter().filter(may_decide).nth(1).is_none() {
        return cfg;
    }
    if decide_branches(&mut cfg, program).1 { simplify::run(&cfg) } else { cfg }
}

/// Decides branches and keeps the blocks. Returns which blocks are reachable.
pub(super) fn decide(cfg: &mut Cfg, program: &Program<'_>) -> Vec<bool> {
    decide_branches(cfg, program).0.iter().map(Option::is_some).collect()
}

/// Decides branches. Returns the facts at the end of each block, and whether any branch was
/// decided.
fn decide_branches(cfg: &mut Cfg, program: &Program<'_>) -> (Vec<Option<Facts>>, bool) {
    let facts = solve(cfg, program);
    let mut changed = false;
    for (data, facts) in cfg.blocks.values_mut().iter_mut().zip(&facts) {
        if let (Terminator::Branch { test, then, otherwise }, Some(facts)) = (&data.terminator, facts)
            && let Some(holds) = facts.answer(*test)
        {
            data.terminator = Terminator::Goto(if holds { *then } else { *otherwise });
            changed = true;
        }
    }
    (facts, changed)
}

/// The analysis of flags and bool uniforms.
struct FactAnalysis {
    /// By block: whether it writes the flags.
    writes: Vec<bool>,
}

impl Analysis for FactAnalysis {
    type Fact = Facts;

    fn init(&self) -> Facts {
        Facts::default()
    }

    fn transfer(&self, block: Block, before: Facts) -> Facts {
        if self.writes[block.index()] { before.forget_flags() } else { before }
    }

    fn edge(&self, _block: Block, data: &BlockData, target: usize, after: Facts) -> Option<Facts> {
        let Terminator::Branch { test, .. } = data.terminator else { return Some(after) };
        let holds = target == 0;
        // An edge that an earlier answer excludes carries no fact, so blocks after it may be
        // unreachable.
        (after.answer(test) != Some(!holds)).then(|| after.after(test, holds))
    }

    fn meet(&self, a: Facts, b: Facts) -> Facts {
        a.meet(b)
    }
}

/// Solves for the facts at the end of each block before its branch, or `None` for unreachable
/// blocks.
fn solve(cfg: &Cfg, program: &Program<'_>) -> Vec<Option<Facts>> {
    let known =
        FactAnalysis { writes: cfg.blocks.keys().map(|block| writes_flags(cfg, block, program)).collect() };
    let mut facts = dataflow::solve(cfg, &known);
    for (block, facts) in cfg.blocks.keys().zip(&mut facts) {
        *facts = facts.map(|before| known.transfer(block, before));
    }
    facts
}

/// Returns whether a block writes the flags.
fn writes_flags(cfg: &Cfg, block: Block, program: &Program<'_>) -> bool {
    cfg.actions_of(block).iter().filter_map(Action::pc).any(|pc| {
        let opcode = program.code().get(pc.index()).and_then(|&word| Opcode::of_word(word));
        opcode.is_some_and(|opcode| opcode.info().writes_flags)
    })
}
