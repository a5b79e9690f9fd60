//! Checks that a vertex program writes every mapped output component exactly once on every path.
//! In: a program and the output map of its executable. Out: findings at the second write, or at the
//! program for missing writes. Geometry programs need not write every output before each EMIT, but
//! each component once.

use super::assignment::{Components, registers, solve};
use super::{Findings, Rule};
use crate::cfg::{Action, Cfg};
use crate::entity::Handle;
use transpica::container::Dvle;
use transpica::isa::{Dest, Mask};
use transpica::{Program, Stage};

pub(super) fn run(program: &Program<'_>, executable: &Dvle<'_>, cfg: &Cfg, findings: &mut Findings) {
    let mapped = mapped(executable);
    let own: Vec<Components> = cfg
        .blocks
        .keys()
        .map(|block| {
            let outputs = cfg.actions_of(block).iter().filter_map(|action| output(program, *action));
            outputs.fold(0, |all, (register, mask)| all | bits(register, mask))
        })
        .collect();
    if program.stage() == Stage::Geometry {
        return missing(mapped & !own.iter().fold(0, |all, own| all | own), 0, findings);
    }
    let before = solve(cfg, &own, None);
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
                findings.add(pc, Rule::OutputTwice, message);
            }
            written = written.with(bits);
        }
    }
    if let Some(end) = cfg.exit.and_then(|exit| before[exit.index()]) {
        missing(mapped & !end.every, end.some, findings);
    }
}

pub(super) fn bits(register: u8, mask: Mask) -> Components {
    Components::from(mask.0) << (4 * register)
}

/// The output that an action writes.
fn output(program: &Program<'_>, action: Action) -> Option<(u8, Mask)> {
    let Action::Run(pc) = action else { return None };
    match program.destination(pc)? {
        (Dest::Output(register), mask) => Some((register & 15, mask)),
        (Dest::Temp(_), _) => None,
    }
}

/// The components with a semantic in the output map: the first ones of a register's mask, as many
/// as the semantic has.
pub(super) fn mapped(executable: &Dvle<'_>) -> Components {
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

fn missing(missing: Components, some: Components, findings: &mut Findings) {
    for (path, set) in [("never", missing & !some), ("not on every path", missing & some)] {
        for (register, components) in registers(set) {
            let message = format!("o{register}.{components} is mapped but {path} written");
            findings.add_without_place(Rule::OutputMissing, message);
        }
    }
}
