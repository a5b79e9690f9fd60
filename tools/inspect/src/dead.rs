//! Instructions that no output depends on, on any path.
//! In: a program, the mask of its outputs. Out: their addresses. Liveness of components over the
//! control-flow graph; what branches test and what EMIT sends is live.
//! Every temporary of a geometry program is live at the end, since invocations carry them over.

use std::collections::BTreeMap;

use crate::cfg::explore::{ExploreOptions, Explored, explore};
use crate::cfg::{Action, Block, BlockData, Cfg, Terminator};
use crate::entity::Handle;
use transpica::isa::access::tested_flags;
use transpica::isa::{Inst, Mask, Test};
use transpica::{Error, Limits, Program, Stage};

use crate::access::{COUNTER, Components, reads, written};

/// Returns the addresses of dead instructions, in order, or none if the graph would be
/// too large.
///
/// # Errors
/// A program that cannot be explored.
pub fn dead(program: &Program<'_>, outputs: u16, limits: &Limits) -> Result<Vec<u16>, Error> {
    let options = ExploreOptions { permissive: true, ..ExploreOptions::default() };
    let Explored::Graph(cfg) = explore(program, &options, limits)? else { return Ok(Vec::new()) };
    let passed_on = (0..16).filter(|register| outputs >> register & 1 != 0);
    let mapped = passed_on
        .fold(Components::default(), |all, register| all.with(Components::of_output(register, Mask::XYZW)));
    let at_end = match program.stage() {
        Stage::Vertex => mapped,
        Stage::Geometry => Components::ALL,
    };
    let liveness = Liveness { program, cfg: &cfg, mapped, at_end };
    let before = liveness.solve();
    // An instruction in several blocks is dead if it is dead in all.
    let mut is_dead = BTreeMap::new();
    for block in cfg.blocks.keys() {
        liveness.through(block, &before, |pc, dead| {
            let all = is_dead.entry(pc).or_insert(true);
            *all &= dead;
        });
    }
    Ok(is_dead.into_iter().filter(|(_, dead)| *dead).map(|(pc, _)| pc).collect())
}

struct Liveness<'a> {
    program: &'a Program<'a>,
    cfg: &'a Cfg,
    /// Components of outputs that are passed on.
    mapped: Components,
    /// Components that are live where the program ends.
    at_end: Components,
}

impl Liveness<'_> {
    /// Returns the live components in front of each block.
    fn solve(&self) -> Vec<Components> {
        let mut before = vec![Components::default(); self.cfg.blocks.len()];
        let mut again = true;
        while std::mem::take(&mut again) {
            for block in self.cfg.blocks.keys().rev() {
                let live = self.through(block, &before, |_, _| {});
                again |= std::mem::replace(&mut before[block.index()], live) != live;
            }
        }
        before
    }

    /// Returns the live components in front of a block; `visit` learns which of its instructions
    /// are dead.
    fn through(&self, block: Block, before: &[Components], mut visit: impl FnMut(u16, bool)) -> Components {
        let data = &self.cfg.blocks[block];
        let mut live = data.terminator.targets().fold(tested(data), |all, to| all.with(before[to.index()]));
        if data.terminator == Terminator::End {
            live = live.with(self.at_end);
        }
        for action in self.cfg.actions_of(block).iter().rev() {
            let Action::Run(pc) = action else { continue };
            let Some(inst) = self.program.inst(*pc) else { continue };
            match inst {
                Inst::Emit => live = live.with(self.mapped),
                Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. } => {
                    let own = written(&inst);
                    visit(pc.0, own.common(live).is_empty());
                    let needed = reads(&inst, live).components;
                    live = live.without(own).with(needed);
                    // aL comes from loops, which are control flow.
                    live.rest &= !COUNTER;
                }
                Inst::Flow(_) | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
            }
        }
        live
    }
}

/// Returns the flags that the end of a block tests.
fn tested(data: &BlockData) -> Components {
    let rest = match data.terminator {
        Terminator::Branch { test: Test::Cmp(condition), .. } => tested_flags(condition),
        Terminator::Branch { .. } | Terminator::Goto(_) | Terminator::Dispatch { .. } | Terminator::End => 0,
    };
    Components { rest, ..Components::default() }
}
