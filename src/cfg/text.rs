//! Graphs as text.
//! In: [`Cfg`], and the program if instructions are to be printed. Out: lines of text. Changes
//! nothing.

use std::fmt::{self, Display, Formatter};

use super::{Action, Block, Cfg, Terminator};
use crate::isa::Program;
use crate::isa::control::{Effect, Test};

/// A graph with the instructions of its program; `Cfg` itself prints addresses only.
#[derive(Clone, Copy, Debug)]
pub struct CfgText<'a> {
    /// The graph.
    pub cfg: &'a Cfg,
    /// The program of the graph.
    pub program: Option<&'a Program<'a>>,
}

/// One action as text.
pub(crate) struct ActionText<'a>(pub &'a Action, pub Option<&'a Program<'a>>);

/// One test as text.
pub(crate) struct TestText(pub Test);

/// One change of the loop state as text.
struct EffectText(Effect);

impl Display for ActionText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Action::Run(pc) => match self.1.and_then(|program| program.inst(*pc)) {
                Some(inst) => write!(f, "{pc}: {inst}"),
                None => write!(f, "run {pc}"),
            },
            Action::Loop(effect) => EffectText(*effect).fmt(f),
            Action::SetDispatch { region, value } => write!(f, "dispatch{region} = {value}"),
        }
    }
}

impl Display for EffectText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Effect::ShiftLoops => f.write_str("shift loops"),
            Effect::EnterLoop { slot, int } => write!(f, "enter loop {slot} with i{int}"),
            Effect::StepLoop { int } => write!(f, "aL += i{int}.z"),
            Effect::RepeatLoop { slot } => write!(f, "left{slot} -= 1"),
            Effect::RestoreCounter { slot } => write!(f, "aL = saved{slot}"),
            Effect::CountJump => f.write_str("jumps -= 1"),
        }
    }
}

impl Display for TestText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Test::Cmp(condition) => condition.fmt(f),
            Test::Bool { id, expected: true } => write!(f, "b{id}"),
            Test::Bool { id, expected: false } => write!(f, "!b{id}"),
            Test::LoopRepeats { slot } => write!(f, "left{slot} > 0"),
            Test::JumpsLeft => f.write_str("jumps > 0"),
        }
    }
}

impl CfgText<'_> {
    /// Writes the head of a block, which ends with `colon`, and its actions.
    pub(super) fn actions(
        &self,
        f: &mut Formatter<'_>,
        block: Block,
        colon: &str,
        indent: &str,
    ) -> fmt::Result {
        write!(f, "{block}")?;
        if let Some(pc) = self.cfg.blocks[block].pc {
            write!(f, " at {pc}")?;
        }
        writeln!(f, "{colon}")?;
        let mut actions = self.cfg.actions_of(block).iter();
        actions.try_for_each(|action| writeln!(f, "{indent}{}", ActionText(action, self.program)))
    }

    fn block(&self, f: &mut Formatter<'_>, block: Block) -> fmt::Result {
        self.actions(f, block, ":", "    ")?;
        match &self.cfg.blocks[block].terminator {
            Terminator::Goto(target) => writeln!(f, "    goto {target}"),
            Terminator::Branch { test, then, otherwise } => {
                writeln!(f, "    if {} {then} else {otherwise}", TestText(*test))
            }
            Terminator::Dispatch { region, targets } => writeln!(f, "    goto {targets:?}[dispatch{region}]"),
            Terminator::End => writeln!(f, "    end"),
        }
    }
}

impl Display for CfgText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.cfg.blocks.keys().try_for_each(|block| self.block(f, block))
    }
}

impl Display for Cfg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        CfgText { cfg: self, program: None }.fmt(f)
    }
}
