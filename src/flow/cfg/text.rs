//! Graphs as text.
//! In: [`Cfg`], and texts of the program's instructions if those are to be printed. Out: lines of
//! text. Changes nothing.

use std::fmt::{self, Display, Formatter};

use super::{Action, Block, Cfg, Terminator};
use crate::program::isa::Pc;
use crate::program::isa::control::{Effect, Test};
use crate::program::isa::placed::{PlacedText, sort};
use crate::program::isa::print::InstructionText;

/// A graph with the instructions of its program; `Cfg` itself prints addresses only.
#[derive(Clone, Copy, Debug)]
pub struct CfgText<'a> {
    /// The graph.
    pub cfg: &'a Cfg,
    /// Texts of its instructions.
    pub program: Option<&'a dyn InstructionText>,
}

/// One action as text.
pub(crate) struct ActionText<'a>(pub &'a Action, pub Option<&'a dyn InstructionText>);

/// One test as text.
pub(crate) struct TestText<'a>(pub Test, pub Option<&'a dyn InstructionText>);

impl Display for ActionText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let int = |id| self.1.map_or_else(|| format!("i{id}"), |program| program.int(id));
        match *self.0 {
            Action::Run(pc) => match self.1.and_then(|program| program.instruction(pc)) {
                Some(text) => write!(f, "{pc}: {text}"),
                None => write!(f, "run {pc}"),
            },
            Action::Loop(Effect::ShiftLoops) => f.write_str("shift loops"),
            Action::Loop(Effect::EnterLoop { slot, int: id }) => {
                write!(f, "enter loop {slot} with {}", int(id))
            }
            Action::Loop(Effect::StepLoop { int: id }) => write!(f, "aL += {}.z", int(id)),
            Action::Loop(Effect::RepeatLoop { slot }) => write!(f, "left{slot} -= 1"),
            Action::Loop(Effect::RestoreCounter { slot }) => write!(f, "aL = saved{slot}"),
            Action::Loop(Effect::CountJump) => f.write_str("jumps -= 1"),
            Action::SetDispatch { region, value } => write!(f, "dispatch{region} = {value}"),
        }
    }
}

impl Display for TestText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Test::Cmp(condition) => condition.fmt(f),
            Test::Bool { id, expected } => {
                let name = self.1.map_or_else(|| format!("b{id}"), |program| program.bool(id));
                write!(f, "{}{name}", if expected { "" } else { "!" })
            }
            Test::LoopRepeats { slot } => write!(f, "left{slot} > 0"),
            Test::JumpsLeft => f.write_str("jumps > 0"),
        }
    }
}

impl Action {
    /// Returns the address of the instruction that it executes.
    pub fn pc(&self) -> Option<Pc> {
        match self {
            Self::Run(pc) => Some(*pc),
            Self::Loop(_) | Self::SetDispatch { .. } => None,
        }
    }
}

impl Cfg {
    /// Returns the addresses of the instructions of a block, ascending: the ones that it executes,
    /// and the one that ends it.
    pub fn places(&self, block: Block) -> Vec<Pc> {
        let actions = self.actions_of(block).iter().filter_map(Action::pc);
        let mut pcs: Vec<Pc> = actions.chain(self.blocks[block].end).collect();
        sort(&mut pcs);
        pcs
    }
}

impl CfgText<'_> {
    /// Returns the text with the instructions of its lines: the head of a block has all of its own.
    pub fn placed(&self) -> PlacedText {
        let mut places = Vec::new();
        for (block, data) in self.cfg.blocks.iter() {
            places.push(self.cfg.places(block));
            let actions = self.cfg.actions_of(block).iter();
            places.extend(actions.map(|action| action.pc().into_iter().collect()));
            places.push(data.end.into_iter().collect());
        }
        PlacedText { text: self.to_string(), places }
    }

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
                writeln!(f, "    if {} {then} else {otherwise}", TestText(*test, self.program))
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
