//! Checks for temporary registers that are read before they are written.
//! In: a program, its graph, the output map. Out: findings, one for each component at the first
//! word that reads it.
//!
//! A register that no instruction writes counts always. Else a read counts only if a mapped output,
//! a flag or an address register that is demanded later may depend on it: instructions often move
//! components along that are dead. And it counts only if no path that reaches it for the first time
//! has written the component: some static path always lacks a write where two blocks depend on the
//! same bool. In geometry programs temporaries carry over, so there a component counts only if the
//! program never writes it.

use super::assignment::{Components, registers, solve};
use super::outputs::{bits, mapped};
use super::{Findings, Rule};
use crate::cfg::{Action, Block, BlockData, Cfg, Terminator};
use crate::entity::Handle;
use transpica::container::{Dvle, Semantic};
use transpica::isa::access::{ADDRESS, Access, FLAGS, tested_flags};
use transpica::isa::control::Test;
use transpica::isa::{CompareOp, Dest, Inst, Mask, Pc};
use transpica::{Program, Stage};

/// Limit on the blocks that are visited to find first paths. Beyond it, reads of further blocks are
/// not reported.
const MOST_VISITS: usize = 1 << 22;

/// Demanded components: r0..r15 in the low bits, above them the flags and address registers as in
/// [`Access`].
type Demand = u128;

/// An instruction of a block, and the components of temporaries that it reads for a demanded
/// result.
struct Step {
    pc: Pc,
    inst: Inst,
    reads: Components,
}

pub(super) fn run(program: &Program<'_>, executable: &Dvle<'_>, cfg: &Cfg, findings: &mut Findings) {
    let outputs = demanded_outputs(executable);
    let mut steps = steps(program, cfg);
    demand(cfg, &mut steps, outputs);
    let own: Vec<Components> =
        steps.iter().map(|block| block.iter().fold(0, |all, step| all | writes(&step.inst))).collect();
    let mut finder = Finder { cfg, own, reported: 0, visits: 0 };
    finder.of_unset_registers(&steps, findings);
    match program.stage() {
        Stage::Vertex => finder.before_writes(&steps, findings),
        Stage::Geometry => finder.without_writes(&steps, findings),
    }
}

/// Demanded output components: the mapped ones, and those of generic outputs.
fn demanded_outputs(executable: &Dvle<'_>) -> Components {
    let generic = executable.outputs.iter().filter(|output| output.semantic() == Some(Semantic::Generic));
    generic.fold(mapped(executable), |all, output| {
        // Ranges: a register of the map is below 16, and the mask.
        all | bits(output.register as u8 & 15, Mask(output.mask as u8 & 15))
    })
}

fn steps(program: &Program<'_>, cfg: &Cfg) -> Vec<Vec<Step>> {
    let step = |action: &Action| {
        let Action::Run(pc) = *action else { return None };
        Some(Step { pc, inst: program.inst(pc)?, reads: 0 })
    };
    cfg.blocks.keys().map(|block| cfg.actions_of(block).iter().filter_map(step).collect()).collect()
}

fn writes(inst: &Inst) -> Components {
    Access::new(inst).temps_written
}

/// Computes the demanded reads of each step, backwards, until a fixpoint.
fn demand(cfg: &Cfg, steps: &mut [Vec<Step>], outputs: Components) {
    let mut before: Vec<Demand> = vec![0; steps.len()];
    let mut again = true;
    while std::mem::take(&mut again) {
        for (block, data) in cfg.blocks.iter().rev() {
            let mut demanded = data
                .terminator
                .targets()
                .fold(demand_of_terminator(data), |all, to| all | before[to.index()]);
            for step in steps[block.index()].iter_mut().rev() {
                let needed = needed(&step.inst, demanded, outputs);
                step.reads = needed.temps_read;
                let written = Access::new(&step.inst);
                demanded &= !lanes(written.temps_written, written.rest_written);
                demanded |= lanes(needed.temps_read, needed.rest_read);
            }
            again |= std::mem::replace(&mut before[block.index()], demanded) != demanded;
        }
    }
}

fn lanes(temps: Components, rest: u16) -> Demand {
    Demand::from(temps) | Demand::from(rest) << 64
}

/// The flags that the terminator of a block tests.
fn demand_of_terminator(data: &BlockData) -> Demand {
    match data.terminator {
        Terminator::Branch { test: Test::Cmp(condition), .. } => lanes(0, tested_flags(condition)),
        Terminator::Branch { .. } | Terminator::Goto(_) | Terminator::Dispatch { .. } | Terminator::End => 0,
    }
}

/// Accesses of an instruction for the components that are demanded after it.
fn needed(inst: &Inst, wanted: Demand, outputs: Components) -> Access {
    let rest = (wanted >> 64) as u16; // Range: above the temporaries there are sixteen bits.
    let nothing = Access::default();
    match *inst {
        Inst::Data { op, dest, mask, sources } => {
            let (set, register) = match dest {
                Dest::Temp(register) => (wanted as Components, register), // Range: the lower half.
                Dest::Output(register) => (outputs, register),
            };
            let mask = Mask(mask.0 & (set >> (4 * (register & 15))) as u8); // Range: the mask.
            let sets_flags = op.writes_flags() && rest & (3 * FLAGS) != 0;
            if mask.is_empty() && !sets_flags {
                return nothing;
            }
            Access::new(&Inst::Data { op, dest, mask, sources })
        }
        Inst::Mova { mask, source } => {
            let mask = Mask(mask.0 & (rest / ADDRESS) as u8 & 3); // Range: the mask.
            Access::new(&Inst::Mova { mask, source })
        }
        Inst::Cmp { x, y, sources } => {
            // A comparison that always holds reads nothing.
            let kept = |op, flag: u16| if rest & flag == 0 { CompareOp::True6 } else { op };
            Access::new(&Inst::Cmp { x: kept(x, FLAGS), y: kept(y, FLAGS << 1), sources })
        }
        Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => nothing,
    }
}

struct Finder<'a> {
    cfg: &'a Cfg,
    /// Components that each block writes.
    own: Vec<Components>,
    reported: Components,
    visits: usize,
}

impl Finder<'_> {
    /// Reports reads of registers of which no component is ever written.
    fn of_unset_registers(&mut self, steps: &[Vec<Step>], findings: &mut Findings) {
        let all = self.own.iter().fold(0, |all, own| all | own);
        let unset = (0..16).map(|register| bits(register, Mask::XYZW)).filter(|register| all & register == 0);
        let unset = unset.fold(0, |unset, register| unset | register);
        for step in steps.iter().flatten() {
            self.report(step.pc, Access::new(&step.inst).temps_read & unset, findings);
        }
    }

    /// Reports reads of components that are not written on every path.
    fn before_writes(&mut self, steps: &[Vec<Step>], findings: &mut Findings) {
        let before = solve(self.cfg, &self.own, None);
        for block in self.cfg.blocks.keys() {
            let Some(start) = before[block.index()] else { continue };
            let mut here = 0;
            let mut first = None;
            for step in &steps[block.index()] {
                let unsure = step.reads & !start.every & !here;
                if unsure != 0 {
                    let set = *first.get_or_insert_with(|| self.written_on_some_path(block, start.some));
                    self.report(step.pc, unsure & !set, findings);
                }
                here |= writes(&step.inst);
            }
        }
    }

    /// Components that some path has written when it first reaches a block. `some` are those that
    /// any path has.
    fn written_on_some_path(&mut self, block: Block, some: Components) -> Components {
        self.visits += self.cfg.blocks.len();
        if some == 0 {
            return 0;
        }
        if self.visits > MOST_VISITS {
            return Components::MAX;
        }
        solve(self.cfg, &self.own, Some(block))[block.index()].map_or(some, |written| written.some)
    }

    /// Reports reads of components that are never written.
    fn without_writes(&mut self, steps: &[Vec<Step>], findings: &mut Findings) {
        let all = self.own.iter().fold(0, |all, own| all | own);
        for step in steps.iter().flatten() {
            self.report(step.pc, step.reads & !all, findings);
        }
    }

    fn report(&mut self, pc: Pc, lanes: Components, findings: &mut Findings) {
        let new = lanes & !self.reported;
        self.reported |= new;
        for (register, components) in registers(new) {
            let message = format!("r{register}.{components} is read before it is written");
            findings.add(pc, Rule::UnsetTemporary, message);
        }
    }
}
