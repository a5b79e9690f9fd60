//! Lanes that run to their end one by one.
//! In: a group of few lanes, registers. Out: their outputs, counts and errors. Knows no loop over
//! lanes.
//!
//! Where vertices take many ways, most lanes of a block are idle. The reference machine, which has
//! no lanes, is then faster.

use super::code::{Bank, Code};
use super::group::{Group, Used};
use super::lanes::LANES;
use super::register_file::File;
use crate::entity::bits;
use transpica::interp::Settings;
use transpica::isa::sizes::INTS;
use transpica::{Kind, Machine, Stage};

/// The machine that runs single lanes. Made when the first one needs it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    machine: Option<Box<Machine>>,
    /// True if the machine has the uniforms of the batch.
    has_uniforms: bool,
}

/// Result of the rest of a lane.
pub(super) struct Ended {
    pub(super) error: Option<transpica::Error>,
    pub(super) is_stopped: bool,
}

impl Rest {
    /// Marks the uniforms as changed.
    pub(super) fn forget_uniforms(&mut self) {
        self.has_uniforms = false;
    }

    /// Replaces float uniforms from c`first` on, where the machine has the others.
    pub(super) fn write_floats(&mut self, first: usize, values: &[[f32; 4]]) {
        if let (Some(machine), true) = (&mut self.machine, self.has_uniforms) {
            machine.write_floats(first, values);
        }
    }

    /// Gets the machine ready for lanes of a run.
    pub(super) fn begin(
        &mut self,
        code: &Code,
        settings: &Settings,
        (floats, ints, bools): (&[[f32; 4]], &[[u8; 4]; INTS], u16),
    ) -> &mut Machine {
        let machine = self.machine.get_or_insert_with(|| {
            Box::new(Machine::of_instructions(code.insts.clone(), code.entry, Stage::Vertex, *settings))
        });
        if !self.has_uniforms {
            machine.write_floats(0, floats);
            machine.set_ints_and_bools(*ints, bools);
            self.has_uniforms = true;
        }
        machine
    }

    /// Runs a lane of a group to its end.
    pub(super) fn run(
        &mut self,
        code: &Code,
        file: &mut File,
        group: &Group,
        lane: usize,
        (settings, used): (&Settings, &mut Used),
    ) -> Ended {
        let lane = lane % LANES;
        let Some(machine) = &mut self.machine else { return Ended { error: None, is_stopped: false } };
        let budget = settings.budget.saturating_sub(used.steps[lane]);
        let jumps = u64::from(settings.loop_guard.unwrap_or(0)).saturating_sub(used.jumps[lane]);
        let result = machine.run_rest(group.state, budget, |registers| {
            let address = [file.addresses[0][lane], file.addresses[1][lane]];
            let flags = file.flags.map(|flags| flags >> lane & 1 != 0);
            registers.set_rest(group.loops, address, flags, jumps);
            for bank in [Bank::Input, Bank::Temp, Bank::Output] {
                for component in bits(code.places.used(bank)) {
                    let component = component as usize;
                    let value = file.lane(&code.places, bank, component, lane);
                    match bank {
                        Bank::Input => registers.set_input(component, value),
                        Bank::Temp => registers.set_temp(component, value),
                        Bank::Output => registers.set_output(component, value),
                    }
                }
            }
        });
        used.steps[lane] += machine.steps();
        file.set_outputs(&code.places, lane, machine.registers().outputs());
        let error = result.err().map(|mut error| {
            if let Kind::StepBudget(limit) = &mut error.kind {
                *limit = settings.budget;
            }
            error
        });
        Ended { error, is_stopped: machine.is_stopped() }
    }
}
