//! Geometry programs whose invocations are independent, 64 invocations at a time.
//! In: inputs and delivered uniforms of each invocation. Out: its triangles, of records. Must not
//! know how vertices come in, nor why invocations are independent: [`crate::cpu`] does.
//!
//! Lanes that fail, that are faster alone or that emit more than there is room for are left to the
//! reference machine, from their beginning: nothing of an invocation depends on another.

use super::code::{Action, Code};
use super::emission::{Emission, Triangle};
use super::execute::kernel;
use super::lanes::LANES;
use super::records::Records;
use super::register_file::File;
use super::run::Runner;
use super::window::Window;
use transpica::Program;
use transpica::interp::{GeometryMachine, Settings};
use transpica::isa::sizes::FLOATS;
use transpica::isa::{Inst, Uniforms};

/// Invocations that are faster one by one, on the machine.
const ALONE: usize = 3;

/// A geometry program, decoded to run for many invocations side by side.
#[derive(Clone, Debug)]
pub(crate) struct GeometryBatch {
    code: Code,
    runner: Runner,
    window: Window,
    /// Number of invocations added, and room for [`LANES`] of them.
    pub(crate) count: usize,
    /// The lanes that have run.
    ran: u64,
    /// Set once most lanes of a run were left: they take different ways, and will do so again.
    is_given_up: bool,
}

impl GeometryBatch {
    /// Decodes a program that forwards the output registers in the mask `outputs`. `delivered` are
    /// the float uniforms that differ between invocations: bit n is cn.
    pub(crate) fn new(program: &Program<'_>, settings: Settings, outputs: u16, delivered: u128) -> Self {
        let mut code = Code::new(program, &settings);
        for (inst, operation) in code.insts.iter().zip(&mut code.operations) {
            operation.action = match *inst {
                Inst::Emit => Action::Emit,
                Inst::SetEmit { vertex, prim, invert } => Action::SetEmit { slot: vertex & 3, prim, invert },
                _decoded_already => continue,
            };
            operation.kernel = kernel(operation.action, &settings);
        }
        let mut file = File::new(&code.places, &settings);
        let window = Window::new(&mut code, &mut file, delivered);
        let emission = Emission::new(&code.places, outputs, settings.uninitialized);
        file.emission = Some(Box::new(emission));
        let runner = Runner::new(settings, file);
        let mut batch = Self { code, runner, window, count: 0, ran: 0, is_given_up: false };
        batch.set_limits(settings.budget, GeometryMachine::MOST_EMITS);
        batch
    }

    /// Replaces the uniforms, also delivered ones.
    pub(crate) fn set_uniforms(&mut self, uniforms: &Uniforms) {
        let Runner { settings, file, ints, bools, .. } = &mut self.runner;
        file.set_uniforms(uniforms, settings);
        (*ints, *bools) = (uniforms.ints, uniforms.bools);
        self.window.set_uniforms(&uniforms.floats, file, settings);
    }

    /// Sets the limits of the instructions and EMITs of an invocation.
    pub(crate) fn set_limits(&mut self, steps: u64, emits: u32) {
        self.runner.settings.budget = steps;
        if let Some(emission) = &mut self.runner.file.emission {
            emission.most = emits;
        }
    }

    /// Sets the layout of vertices.
    pub(crate) fn set_records(&mut self, records: &Records) {
        if let Some(emission) = &mut self.runner.file.emission {
            emission.set_records(records);
        }
    }

    /// Sets float uniforms from c`first` on for the invocations to come.
    pub(crate) fn deliver(&mut self, first: u8, values: &[[f32; 4]]) {
        self.window.deliver(first.into(), values);
    }

    /// Returns the float uniforms of the next invocation.
    pub(crate) fn floats(&self) -> [[f32; 4]; FLOATS] {
        self.window.floats
    }

    /// Sets the uniforms delivered to an invocation for the invocations to come.
    pub(crate) fn deliver_again(&mut self, lane: usize) {
        self.window.restore(&self.runner.file, lane);
    }

    /// Adds an invocation; there is room for [`LANES`].
    pub(crate) fn push(&mut self) {
        let Runner { settings, file, .. } = &mut self.runner;
        self.window.store(file, self.count % LANES, settings);
        self.count += 1;
    }

    /// Runs the invocations with v0..v15 of each.
    pub(crate) fn run(&mut self, inputs: &[[[f32; 4]; 16]]) {
        self.ran = 0;
        let count = self.count;
        if count <= ALONE || self.is_given_up {
            return;
        }
        let Self { code, runner, .. } = self;
        if let Some(emission) = &mut runner.file.emission {
            emission.begin();
        }
        // Lanes that fail are left; the machine reports their errors.
        runner.file.load(&code.places, &inputs[..count.min(inputs.len())]);
        runner.run(code, count);
        runner.failure = None;
        let left = runner.left | runner.file.emission.as_ref().map_or(0, |emission| emission.left);
        self.ran = u64::MAX >> (LANES - count.min(LANES)) & !left;
        self.is_given_up = left.count_ones() as usize * 2 > count;
    }

    /// Returns the instructions and triangles of an invocation, or `None` if it must run on the
    /// machine.
    pub(crate) fn triangles(&self, lane: usize) -> Option<(u64, impl Iterator<Item = Triangle>)> {
        let emission = self.runner.file.emission.as_ref().filter(|_| self.ran >> (lane % LANES) & 1 != 0)?;
        Some((self.runner.used.steps[lane % LANES], emission.triangles(lane % LANES)))
    }

    /// Returns whether no invocation of the last run must run on the machine.
    pub(crate) fn is_whole(&self) -> bool {
        self.ran.count_ones() as usize == self.count
    }

    /// Returns the records of the vertices of the last run, in the order of their numbers.
    pub(crate) fn vertices(&self) -> &[f32] {
        let emission = self.runner.file.emission.as_ref().filter(|_| self.ran != 0);
        emission.map_or(&[], |emission| emission.vertices())
    }

    /// Delivers the uniforms of an invocation to the machine.
    pub(crate) fn prepare(&self, lane: usize, machine: &mut GeometryMachine) {
        self.window.deliver_to(&self.runner.file, lane % LANES, machine);
    }
}
