//! The machine that runs single vertices.
//! In: a program, uniforms. Out: a machine that has both. Knows no lane.
//!
//! Where vertices take many ways, most lanes of a block are idle. The reference machine, which has
//! no lanes, is then faster, though it begins where the program does.

use super::code::Code;
use transpica::interp::Settings;
use transpica::isa::sizes::INTS;
use transpica::{Machine, Stage};

/// The machine, made when the first vertex needs it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    machine: Option<Box<Machine>>,
    /// True if the machine has the uniforms of the batch.
    has_uniforms: bool,
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

    /// Gets the machine ready for vertices of a run.
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
        machine.set_budget(settings.budget);
        machine
    }
}
