//! Decides branches whose answer an earlier branch has settled.
//! In: [`Cfg`] and its program. Out: the same program with fewer edges. Knows which instructions write the flags.
//!
//! Programs have no plain jump and spell it as two: `jmpu b15, there; jmpu !b15, there`. Without this pass the path that
//! takes neither would reach the words behind.
//!
//! What is known of the bool uniforms, which never change, and of the flags is followed along all paths, as long as they
//! agree; a branch that is decided leads only one way.

use super::{Action, Block, Cfg, Terminator, simplify};
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

/// Decides what can be decided.
pub(super) fn run(cfg: Cfg, program: &Program<'_>) -> Cfg {
    let tests = |terminator: &Terminator| match terminator {
        Terminator::Branch { test, .. } => matches!(test, Test::Bool { .. } | Test::Cmp(_)),
        Terminator::Goto(_) | Terminator::Dispatch { .. } | Terminator::End => false,
    };
    if cfg.blocks.values().iter().filter(|data| tests(&data.terminator)).nth(1).is_none() {
        return cfg;
    }
    let facts = solve(&cfg, program);
    let mut decided = cfg;
    let mut changed = false;
    for (data, facts) in decided.blocks.values_mut().iter_mut().zip(&facts) {
        if let (Terminator::Branch { test, then, otherwise }, Some(facts)) = (&data.terminator, facts)
            && let Some(holds) = facts.answer(*test)
        {
            data.terminator = Terminator::Goto(if holds { *then } else { *otherwise });
            changed = true;
        }
    }
    if changed { simplify::run(&decided) } else { decided }
}

/// What is known at the end of each block before its branch; nothing for blocks that cannot be reached.
fn solve(cfg: &Cfg, program: &Program<'_>) -> Vec<Option<Facts>> {
    let writes: Vec<bool> = cfg.blocks.keys().map(|block| writes_flags(cfg, block, program)).collect();
    let mut facts: Vec<Option<Facts>> = vec![None; cfg.blocks.len()];
    if let Some(entry) = cfg.entry {
        facts[entry.index()] = Some(Facts::default());
    }
    // What is known only becomes less, so this ends; without edges back the first round is the last.
    let mut again = true;
    while std::mem::take(&mut again) {
        for (block, data) in cfg.blocks.iter() {
            let Some(before) = facts[block.index()] else { continue };
            let after = if writes[block.index()] { before.forget_flags() } else { before };
            let mut flow = |target: Block, new: Facts| {
                let old = facts[target.index()];
                let met = Some(old.map_or(new, |old| old.meet(new)));
                again |= met != old && target <= block;
                facts[target.index()] = met;
            };
            match &data.terminator {
                Terminator::Branch { test, then, otherwise } => {
                    let answer = after.answer(*test);
                    if answer != Some(false) {
                        flow(*then, after.after(*test, true));
                    }
                    if answer != Some(true) {
                        flow(*otherwise, after.after(*test, false));
                    }
                }
                Terminator::Goto(_) | Terminator::Dispatch { .. } | Terminator::End => {
                    data.terminator.targets().for_each(|target| flow(target, after));
                }
            }
        }
    }
    for (facts, writes) in facts.iter_mut().zip(writes) {
        *facts = facts.map(|facts| if writes { facts.forget_flags() } else { facts });
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
