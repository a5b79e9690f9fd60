//! Whether a vertex program writes every mapped output component exactly once on every path.
//! In: a program and the output map of its executable. Out: findings at the second write, or at the program for what is
//! missing. Geometry programs are exempt: they emit without writing everything anew.

use super::{Findings, Rule};
use crate::cfg::explore::{self, Explored};
use crate::cfg::{Action, Cfg, Terminator};
use crate::container::Dvle;
use crate::entity::Handle;
use crate::isa::{Dest, Mask, Program, Stage};
use crate::limits::Limits;

/// Output components, four bits for each register.
type Components = u64;

/// What has been written at a place: on some path, and on every path.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Written {
    some: Components,
    every: Components,
}

pub(super) fn run(program: &Program<'_>, executable: &Dvle<'_>, limits: &Limits, findings: &mut Findings) {
    if program.stage() == Stage::Geometry {
        return;
    }
    let options = explore::Options { lenient: true, ..explore::Options::default() };
    let Ok(Explored::Graph(cfg)) = explore::explore(program, &options, limits) else { return };
    let mapped = mapped(executable);
    let before = solve(&cfg, program);
    for (block, _) in cfg.blocks.iter() {
        let Some(mut written) = before[block.index()] else { continue };
        for action in cfg.actions_of(block) {
            let Action::Run(pc) = *action else { continue };
            let Some((register, mask)) = output(program, *action) else { continue };
            let bits = bits(register, mask);
            let twice = bits & mapped & written.some;
            if twice != 0 {
                let always = if twice & !written.every == 0 { "" } else { " on some path" };
                let what = Mask((twice >> (4 * register)) as u8 & 15);
                let message = format!("o{register}.{what} was written before{always}");
                findings.at(pc, Rule::OutputTwice, message);
            }
            written = written.and(bits);
        }
    }
    if let Some(end) = cfg.exit.and_then(|exit| before[exit.index()]) {
        missing(mapped & !end.every, end.some, findings);
    }
}

impl Written {
    fn and(self, bits: Components) -> Self {
        Self { some: self.some | bits, every: self.every | bits }
    }
}

fn bits(register: u8, mask: Mask) -> Components {
    Components::from(mask.0) << (4 * register)
}

/// The output that an action writes.
fn output(program: &Program<'_>, action: Action) -> Option<(u8, Mask)> {
    let Action::Run(pc) = action else { return None };
    match program.written(pc)? {
        (Dest::Output(register), mask) => Some((register & 15, mask)),
        (Dest::Temp(_), _) => None,
    }
}

/// The components that the output map gives a meaning: of a register's mask as many as the semantic has.
fn mapped(executable: &Dvle<'_>) -> Components {
    let mut all = 0;
    for output in executable.outputs.iter() {
        let (Some(semantic), register @ 0..16) = (output.semantic(), output.register) else { continue };
        let mask = Mask(output.mask as u8 & 15);
        let meant = mask.iter().take(semantic.info().components.into());
        let meant = meant.fold(0, |meant, component| meant | 1 << component.index());
        all |= bits(register as u8, Mask(meant));
    }
    all
}

/// What is written before each block; nothing for blocks that cannot be reached.
fn solve(cfg: &Cfg, program: &Program<'_>) -> Vec<Option<Written>> {
    let own: Vec<Components> = cfg
        .blocks
        .keys()
        .map(|block| {
            let outputs = cfg.actions_of(block).iter().filter_map(|action| output(program, *action));
            outputs.fold(0, |all, (register, mask)| all | bits(register, mask))
        })
        .collect();
    let mut before = vec![None; cfg.blocks.len()];
    if let Some(entry) = cfg.entry {
        before[entry.index()] = Some(Written { some: 0, every: 0 });
    }
    // One set only grows and the other only shrinks, so this ends.
    let mut again = true;
    while std::mem::take(&mut again) {
        for (block, data) in cfg.blocks.iter() {
            let Some(written) = before[block.index()].map(|before: Written| before.and(own[block.index()]))
            else {
                continue;
            };
            if matches!(data.terminator, Terminator::End) {
                continue;
            }
            for target in data.terminator.targets() {
                let old = before[target.index()];
                let met = old.map_or(written, |old| Written {
                    some: old.some | written.some,
                    every: old.every & written.every,
                });
                again |= old != Some(met) && target.index() <= block.index();
                before[target.index()] = Some(met);
            }
        }
    }
    before
}

fn missing(missing: Components, some: Components, findings: &mut Findings) {
    for register in 0..16u8 {
        for (path, set) in [("never", missing & !some), ("not on every path", missing & some)] {
            let components = Mask((set >> (4 * register)) as u8 & 15);
            if !components.is_empty() {
                let message = format!("o{register}.{components} is mapped but {path} written");
                findings.whole(Rule::OutputMissing, message);
            }
        }
    }
}
