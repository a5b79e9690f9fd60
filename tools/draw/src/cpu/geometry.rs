//! The geometry stage of a draw.
//! In: vertices, one after the other. Out: triangles for the assembler. Knows no vertex program.
//!
//! Invocations that depend on no earlier one run in batches, all others one after the other. What
//! an invocation spends, its error and its triangles count in order, as if each ran when its last
//! vertex comes.

use std::{array, iter};

use super::demand::are_independent;
use super::draw::Sink;
use super::feed::Feed;
use super::shade::Shaded;
use crate::batch::{GeometryBatch, LANES, Records};
use crate::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::geometry::input::{Primitive, Primitives};
use transpica::geometry::{GeometryInput, GeometrySetup};
use transpica::host::{Output, varying};
use transpica::interp::{CarriedState, GeometryMachine, Registers, Uniforms};
use transpica::isa::Source;
use transpica::isa::uniforms::HAS_RUN;
use transpica::{Options, Program, Result};

/// The geometry program with its configuration.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub(super) setup: GeometrySetup,
    machine: GeometryMachine,
    /// None if invocations depend on earlier ones.
    batch: Option<Box<GeometryBatch>>,
    /// v0..v15 of invocations that have not run. Each replaces what those before had, since a draw
    /// has the same number of vectors for all.
    inputs: Vec<[[f32; 4]; 16]>,
    /// b15.
    has_run: bool,
    /// Instructions of the vertices of each invocation of the batch.
    spent: [u64; LANES],
}

impl Geometry {
    /// Prepares a program. `vertex_outputs` are the registers that the vertex program forwards;
    /// `outputs` says what becomes of the geometry program's.
    pub(super) fn new(
        program: &Program<'_>,
        setup: GeometrySetup,
        vertex_outputs: u16,
        outputs: &[Output],
        options: &Options,
        steps: u64,
    ) -> Result<Self> {
        let settings = options.settings(steps);
        let machine = GeometryMachine::new(program, setup.outputs, settings)?;
        let batch = is_independent(program, setup.outputs, outputs, options).then(|| {
            let delivered = delivered(setup.input, vertex_outputs);
            Box::new(GeometryBatch::new(program, settings, setup.outputs, delivered))
        });
        let inputs = vec![Registers::DEFAULT_INPUTS; LANES];
        Ok(Self { setup, machine, batch, inputs, has_run: false, spent: [0; LANES] })
    }

    /// Runs one invocation after the other from now on.
    pub(super) fn one_by_one(&mut self, uniforms: &Uniforms) {
        self.batch = None;
        self.machine.set_uniforms(uniforms);
    }

    /// Returns whether invocations run in batches.
    pub(super) fn runs_in_batches(&self) -> bool {
        self.batch.is_some()
    }

    /// Takes over what invocations left, except for uniforms.
    pub(super) fn continue_from(&mut self, other: &Self) {
        let ran = self.has_run;
        self.machine.set_carried_state(&CarriedState { ran, ..other.machine.carried_state() });
    }

    /// Changes uniforms as they were set to what invocations left.
    pub(super) fn update(&self, uniforms: &mut Uniforms) {
        uniforms.set_bool(HAS_RUN, self.has_run);
        let register = |n: usize| self.machine.registers().source(Source::Uniform(n as u8)); // Range: below 96.
        uniforms.floats =
            self.batch.as_ref().map_or_else(|| array::from_fn(register), |batch| batch.floats());
    }

    pub(super) fn set_uniforms(&mut self, uniforms: &Uniforms) {
        self.has_run = uniforms.bools >> HAS_RUN & 1 != 0;
        self.machine.set_uniforms(uniforms);
        if let Some(batch) = &mut self.batch {
            batch.set_uniforms(uniforms);
        }
    }

    /// Sets the limits of the instructions and EMITs of an invocation.
    pub(super) fn set_limits(&mut self, steps: u64, emits: u32) {
        self.machine.set_budget(steps);
        self.machine.set_most_emits(emits);
        if let Some(batch) = &mut self.batch {
            batch.set_limits(steps, emits);
        }
    }

    /// Sets float uniforms from c`first` on for the next invocations.
    pub(super) fn deliver(&mut self, first: u8, values: &[[f32; 4]]) {
        match &mut self.batch {
            Some(batch) => batch.deliver(first, values),
            None => self.machine.deliver(first, values),
        }
    }

    /// Returns the inputs of the next invocation.
    pub(super) fn inputs(&mut self) -> &mut [[f32; 4]; 16] {
        let lane = self.batch.as_ref().map_or(0, |batch| batch.count);
        &mut self.inputs[lane % LANES]
    }

    /// Begins a draw.
    pub(super) fn begin(&mut self, records: &Records) {
        if let Some(batch) = &mut self.batch {
            batch.set_records(records);
        }
    }

    /// Draws vertices, in the order of the index buffer if there is one.
    pub(super) fn draw(&mut self, order: &[u32], shaded: &mut Shaded<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let mut feed = Feed::new(self.setup.input);
        for (place, &vertex) in order.iter().enumerate() {
            let record = match shaded.get(vertex, place) {
                Ok(record) => record,
                Err(error) => return self.end(shaded, sink).and(Err(error)),
            };
            if feed.take(shaded.record(record), self) {
                self.invoke(shaded, sink)?;
            }
        }
        self.end(shaded, sink)
    }

    /// Draws primitives of variable mode: the index buffer has the size of each before its indices.
    pub(super) fn draw_variable(
        &mut self,
        indices: &[u32],
        primitives: Primitives<'_>,
        shaded: &mut Shaded<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let mut feed = Feed::new(self.setup.input);
        for primitive in primitives {
            let Primitive { first, size, .. } = match primitive {
                Ok(primitive) => primitive,
                Err(error) => return self.end(shaded, sink).and(Err(error)),
            };
            feed.start(size, self);
            for (place, &vertex) in indices.iter().enumerate().skip(first).take(size as usize) {
                match shaded.get(vertex, place) {
                    Ok(record) => feed.take(shaded.record(record), self),
                    Err(error) => return self.end(shaded, sink).and(Err(error)),
                };
            }
            self.invoke(shaded, sink)?;
        }
        self.end(shaded, sink)
    }

    /// Runs an invocation, now or with others.
    fn invoke(&mut self, shaded: &mut Shaded<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let spent = shaded.take_spent();
        let Some(batch) = &mut self.batch else {
            sink.spend(spent)?;
            self.run(0, sink)?;
            sink.flush();
            return Ok(());
        };
        self.spent[batch.count % LANES] = spent;
        batch.push();
        if batch.count == LANES { self.run_batch(sink) } else { Ok(()) }
    }

    /// Runs what waits, after the last primitive.
    fn end(&mut self, shaded: &mut Shaded<'_>, sink: &mut Sink<'_>) -> Result<()> {
        self.run_batch(sink)?;
        sink.spend(shaded.take_spent())
    }

    /// Runs the program with the inputs of a lane and assembles its triangles.
    fn run(&mut self, lane: usize, sink: &mut Sink<'_>) -> Result<()> {
        let result = self.machine.run(&self.inputs[lane]).map(|_| self.has_run = true);
        sink.spend(self.machine.steps())?;
        result?;
        for triangle in self.machine.invocation().triangles() {
            if triangle.invert {
                sink.assembler.reverse_next();
            }
            triangle.vertices.into_iter().try_for_each(|vertex| sink.push_registers(vertex))?;
        }
        Ok(())
    }

    /// Runs the invocations of the batch and assembles their triangles.
    fn run_batch(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        let Some(mut batch) = self.batch.take() else { return Ok(()) };
        batch.run(&self.inputs);
        self.has_run |= batch.count > 0;
        // All at once: neighbors share vertices, and copies of a few floats each take longer. Where
        // most vertices are in no triangle, only those of triangles stay.
        let size = sink.records.stride;
        let triangles = (0..batch.count).filter_map(|lane| batch.triangles(lane));
        let most = || triangles.map(|(_, of_lane)| 3 * size * of_lane.count()).sum();
        let keeps = sink.flushes() || batch.vertices().len() <= most();
        let is_direct = sink.flushes() && sink.next_vertex() == 0 && batch.is_whole();
        let first = keeps.then(|| sink.next_vertex());
        if keeps && !is_direct {
            sink.push_vertices(batch.vertices());
        }
        let mut result = Ok(());
        for lane in 0..batch.count {
            result = self.resolve(&batch, lane, first, sink);
            if result.is_err() {
                // The draw ends here, so nothing was delivered to later ones.
                batch.deliver_again(lane);
                break;
            }
        }
        if !is_direct {
            sink.flush();
        } else if !sink.write(batch.vertices()) {
            sink.push_vertices(batch.vertices());
        }
        batch.count = 0;
        self.batch = Some(batch);
        result
    }

    /// Assembles the triangles of an invocation. The vertices of the batch are kept from a first
    /// one on, or not.
    fn resolve(
        &mut self,
        batch: &GeometryBatch,
        lane: usize,
        first: Option<u32>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        sink.spend(self.spent[lane % LANES])?;
        let Some((steps, triangles)) = batch.triangles(lane) else {
            batch.prepare(lane, &mut self.machine);
            return self.run(lane, sink);
        };
        sink.spend(steps)?;
        let Some(first) = first else {
            return { triangles }.try_for_each(|(vertices, is_reversed)| {
                let kept = vertices.map(|vertex| sink.keep(batch.vertices(), vertex));
                sink.push_triangles(0, iter::once((kept, is_reversed)))
            });
        };
        sink.push_triangles(first, triangles)
    }
}

/// Returns whether no invocation sees anything of an earlier one.
fn is_independent(program: &Program<'_>, forwarded: u16, outputs: &[Output], options: &Options) -> bool {
    let settings = options.settings(0);
    let explored = ExploreOptions { permissive: settings.permissive, ..ExploreOptions::default() };
    match explore(program, &explored, &options.limits) {
        Ok(Explored::Graph(cfg)) => are_independent(program, &cfg, &varying::components(outputs, forwarded)),
        Ok(Explored::TooManyNodes { .. }) | Err(_) => false,
    }
}

/// The float uniforms that vertices are delivered to, of a vertex program that forwards the
/// registers in `outputs`: bit n is cn.
fn delivered(input: GeometryInput, outputs: u16) -> u128 {
    match input {
        GeometryInput::Point { .. } => 0,
        GeometryInput::Variable { .. } => u128::MAX,
        GeometryInput::Fixed { first, vertices, stride } => {
            let vertex = (1u128 << outputs.count_ones()) - 1;
            let start = |vertex| u32::from(first) + u32::from(vertex) * u32::from(stride);
            (0..vertices).fold(0, |all, number| all | vertex.checked_shl(start(number)).unwrap_or(0))
        }
    }
}
