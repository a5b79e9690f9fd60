//! Decides branches whose answer an earlier branch has settled.
//! In: [`Cfg`] and its program. Out: the same program with fewer edges. Knows which instructions write the flags.
//!
//! Programs have no plain jump and spell it as two: `jmpu b15, there; jmpu !b15, there`. Without this pass the path that
//! takes neither would reach the words behind.
//!
//! What is known of the bool uniforms, which never change, and of the flags is followed along all paths, as long as they
//! agree; a branch that is decided leads only one way.

use super::dataflow::{self, Analysis};
use super::{Action, Block, BlockData, Cfg, Terminator, simplify};
use crate::entity::Handle;
use crate::isa::control::Test;
use crate::isa::{Condition, ConditionOp, Opcode, Program};

/// What is known at a place: bits whose value is known, and their values (0 where not known). The bool uniforms have bits
/// 0 to 15, then come `cmp.x` and `cmp.y`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Facts {
    known: u32,
    values: u32,
}

const FLAG_X: u32 = 1 << 16;
const FLAG_Y: u32 = 1 << 17;

impl Facts {
    /// What is known on both of two paths.
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

    /// The answer to a test, if it is known.
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

    /// What is known once a test was answered.
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

/// Decides what can be decided and simplifies the graph if anything was.
pub(super) fn run(cfg: Cfg, program: &Program<'_>) -> Cfg {
    let tests = |terminator: &Terminator| match terminator {
        Terminator::Branch { test, .. } => matches!(test, Test::Bool { .. } | Test::Cmp(_)),
        Terminator::Goto(_) | Terminator::Dispatch { .. } | Terminator::End => false,
    };
    if cfg.blocks.values().iter().filter(|data| tests(&data.terminator)).nth(1).is_none() {
        return cfg;
    }
    let mut decided = cfg;
    if decide_branches(&mut decided, program).1 { simplify::run(&decided) } else { decided }
}

/// Decides what can be decided and leaves the blocks as they are. Returns which of them can be reached.
pub(super) fn decide(cfg: &mut Cfg, program: &Program<'_>) -> Vec<bool> {
    decide_branches(cfg, program).0.iter().map(Option::is_some).collect()
}

/// Decides branches. Returns what is known at the end of each block, and whether anything was decided.
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

/// Facts along the paths of a graph.
struct Known {
    /// By block: whether it changes `cmp.x` and `cmp.y`.
    writes: Vec<bool>,
}

impl Analysis for Known {
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
        (after.answer(test) != Some(!holds)).then(|| after.after(test, holds))
    }

    fn meet(&self, a: Facts, b: Facts) -> Facts {
        a.meet(b)
    }
}

/// What is known at the end of each block before its branch; nothing for blocks that cannot be reached.
fn solve(cfg: &Cfg, program: &Program<'_>) -> Vec<Option<Facts>> {
    let known = Known { writes: cfg.blocks.keys().map(|block| writes_flags(cfg, block, program)).collect() };
    let mut facts = dataflow::solve(cfg, &known);
    for (block, facts) in cfg.blocks.keys().zip(&mut facts) {
        *facts = facts.map(|before| known.transfer(block, before));
    }
    facts
}

/// Whether a block changes `cmp.x` and `cmp.y`.
fn writes_flags(cfg: &Cfg, block: Block, program: &Program<'_>) -> bool {
    cfg.actions_of(block).iter().any(|action| match action {
        Action::Run(pc) => {
            let opcode = program.code().get(pc.index()).and_then(|&word| Opcode::of_word(word));
            opcode.is_some_and(|opcode| opcode.info().writes_flags)
        }
        Action::Loop(_) | Action::SetDispatch { .. } => false,
    })
}
