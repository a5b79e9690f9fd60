//! Draws: vertices in, triangles out.
//! In: programs, their configuration and uniforms, vertices, indices. Out: [`Triangles`].
//! Arithmetic and control flow are the machines'; [`transpica::host`] defines the outputs.

use std::borrow::Cow;
use std::{array, mem};

use super::assembly::Assembler;
use super::geometry::Geometry;
use super::shade::{Named, Shaded};
use crate::batch::{
    Array, Batch, Field, LANES, Number, Order, Records, Triangle, VertexAttribute, Vertices, Wide,
};
use crate::key;
use crate::limits::check;
use transpica::geometry::input::{Primitive, Primitives};
use transpica::geometry::{GeometryInput, Topology};
use transpica::host::{HostValues, Output, dvle, varying};
use transpica::interp::{GeometryMachine, Uniforms};
use transpica::settings::{Varying, VaryingSource};
use transpica::{
    At, Error, Key, Kind, Options, Profile, Program, RegisterState, Result, Setup, Shbin, Stage,
};

/// Limit of the vertices of a draw from buffers.
const MOST_VERTICES: u32 = 1 << 21;

/// Limits of the work of a draw. Beside them, a draw reads no vertex of its buffers beyond
/// the first 2,097,152.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawLimits {
    /// Instructions of one vertex or one invocation.
    pub steps: u64,
    /// Instructions of a whole draw.
    pub draw_steps: u64,
    /// EMITs of one invocation.
    pub emits: u32,
    /// Triangles of a draw.
    pub triangles: u32,
}

impl Default for DrawLimits {
    fn default() -> Self {
        Self { steps: 1 << 24, draw_steps: 1 << 32, emits: GeometryMachine::MOST_EMITS, triangles: 1 << 18 }
    }
}

/// The result of a draw: triangles as a rasterizer takes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Triangles {
    outputs: Vec<Output>,
    /// A vector for each output of each vertex.
    values: Vec<f32>,
    /// Indices of vertices.
    triangles: Vec<[u32; 3]>,
}

impl Triangles {
    /// Returns the outputs of a vertex: position, color and so on, as in the interface of a
    /// translated vertex program.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }
    /// Returns the triangles; each vertex is a value for each output. Missing components of an
    /// output are 0.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [&[[f32; 4]]; 3]> {
        let size = self.outputs.len();
        self.triangles.iter().map(move |triangle| {
            triangle.map(|vertex| {
                let start = vertex as usize * size;
                &self.values.as_chunks().0[start..start + size]
            })
        })
    }

    /// Writes a record for each vertex of the triangles. The fields of `records` place the
    /// [`outputs`](Self::outputs), in that order; their conversions have happened.
    ///
    /// # Errors
    /// [`Kind::Setup`] for another number of fields, for one outside its record, and for records
    /// outside `to`.
    pub fn write(&self, records: &Records, to: &mut [f32]) -> Result<()> {
        records.check(3 * self.triangles.len(), to.len())?;
        let own = vectors(self.outputs.clone(), &records.options, records.host);
        Target::new(records, &own, to)?.write(&self.values, &self.triangles);
        Ok(())
    }
}

/// Copies of records to another layout, each of a fixed number of floats.
struct Copies {
    /// The first float here and there, and the number of floats: 16, 8, 4 or 1.
    parts: Vec<[usize; 3]>,
    /// Floats of a record here and there.
    strides: [usize; 2],
}

impl Copies {
    /// Finds the copies. The fields of both layouts have the same numbers of floats.
    fn new(from: &Records, to: &Records) -> Self {
        // Floats next to each other in both layouts are one run.
        let mut runs: Vec<[usize; 3]> = Vec::new();
        for (own, field) in from.fields.iter().zip(&to.fields) {
            let (start, end, count) = (own.offset, field.offset, own.output.lanes());
            match runs.last_mut() {
                Some([from, to, run]) if [*from + *run, *to + *run] == [start, end] => *run += count,
                Some(_) | None => runs.push([start, end, count]),
            }
        }
        let mut parts = Vec::new();
        for [from, to, count] in runs {
            let size = [16, 8, 4, 1].into_iter().find(|size| *size <= count).unwrap_or(1);
            // The last part overlaps the one before.
            let starts = (0..count).step_by(size).map(|start| start.min(count - size));
            parts.extend(starts.map(|start| [from + start, to + start, size]));
        }
        Self { parts, strides: [from.stride, to.stride] }
    }

    /// Copies these records to records one after the other.
    #[inline(always)]
    fn copy(&self, values: &[f32], vertices: &[u32], to: &mut [f32]) {
        let near = self.strides[1].max(1).saturating_mul(NEAR);
        // Part by part, for the length of a copy to be constant, while the records stay in a cache.
        for (to, vertices) in to.chunks_mut(near).zip(vertices.chunks(NEAR)) {
            for &[from, start, count] in &self.parts {
                let values = values.get(from..).unwrap_or_default();
                match count {
                    16 => self.copy_part::<16>(values, vertices, start, to),
                    8 => self.copy_part::<8>(values, vertices, start, to),
                    4 => self.copy_part::<4>(values, vertices, start, to),
                    _ => self.copy_part::<1>(values, vertices, start, to),
                }
            }
        }
    }

    /// Copies a part of each record.
    #[inline(always)]
    fn copy_part<const COUNT: usize>(&self, values: &[f32], vertices: &[u32], start: usize, to: &mut [f32]) {
        let [own, stride] = self.strides;
        let Some(last) = values.len().checked_sub(COUNT) else { return };
        if start.saturating_add(COUNT) > stride {
            return;
        }
        for (to, &vertex) in to.chunks_exact_mut(stride).zip(vertices) {
            // Each vertex is there; the compiler knows that of this form, and tests nothing.
            let own = values[last.min(vertex as usize * own)..].first_chunk::<COUNT>();
            if let (Some(own), Some(to)) = (own, to[start..].first_chunk_mut()) {
                *to = *own;
            }
        }
    }
}

/// Records that stay in a cache of the first level.
const NEAR: usize = 64;

/// Records of the caller, which triangles fill.
struct Target<'a> {
    /// Room for whole triangles that is left.
    left: &'a mut [f32],
    copies: Copies,
    wide: Wide,
}

impl<'a> Target<'a> {
    /// Begins with the first of the records in `to`. `own` is the layout of what is written.
    fn new(records: &Records, own: &Records, to: &'a mut [f32]) -> Result<Self> {
        records.check(0, to.len())?;
        let lanes = |records: &Records| -> Vec<usize> {
            records.fields.iter().map(|field| field.output.lanes()).collect()
        };
        if lanes(records) != lanes(own) {
            let (fields, outputs) = (records.fields.len(), own.fields.len());
            return Err(Error::setup(format!(
                "records of {fields} fields are not those of {outputs} outputs"
            )));
        }
        Ok(Self { left: to, copies: Copies::new(own, records), wide: Wide::detect() })
    }

    /// Returns whether there is room for a triangle.
    fn has_room(&self) -> bool {
        self.left.len() / 3 >= self.copies.strides[1].max(1)
    }

    /// Writes the first triangles, as many as there is room for, and returns their number.
    fn write(&mut self, values: &[f32], triangles: &[[u32; 3]]) -> usize {
        let size = self.copies.strides[1].saturating_mul(3);
        let room = self.left.len().checked_div(size).unwrap_or(usize::MAX);
        let triangles = &triangles[..room.min(triangles.len())];
        let (records, left) = mem::take(&mut self.left).split_at_mut(size * triangles.len());
        self.left = left;
        self.wide.call(
            #[inline(always)]
            || self.copies.copy(values, triangles.as_flattened(), records),
        );
        triangles.len()
    }
}

/// The end of the pipeline: assembler, limits and result.
pub(super) struct Sink<'a> {
    /// The layout of a vertex: a whole vector for each output, or what goes to records one after
    /// the other.
    pub(super) records: &'a Records,
    pub(super) assembler: Assembler<u32>,
    /// Instructions left for the draw.
    left: u64,
    bounds: DrawLimits,
    values: Vec<f32>,
    triangles: Vec<[u32; 3]>,
    /// Records where triangles go soon after they are made.
    target: Option<Target<'a>>,
    /// Number of triangles that went there.
    written: usize,
}

impl Sink<'_> {
    /// Assembles a vertex with these output registers.
    pub(super) fn push_registers(&mut self, registers: &[[f32; 4]; 16]) -> Result<()> {
        let vertex = self.next_vertex();
        self.values.resize(self.values.len() + self.records.stride, 0.0);
        self.records.write_one(vertex, registers, &mut self.values);
        self.push(vertex)
    }
    /// Adds values of vertices that are to be assembled.
    pub(super) fn push_vertices(&mut self, values: &[f32]) {
        self.values.extend_from_slice(values);
    }
    /// Assembles triangles of a geometry program, whose vertices count from a first one on.
    pub(super) fn push_triangles(
        &mut self,
        first: u32,
        mut all: impl Iterator<Item = Triangle>,
    ) -> Result<()> {
        let is_whole = self.assembler.takes_whole();
        all.try_for_each(|(vertices, is_reversed)| {
            let vertices = vertices.map(|vertex| first + vertex);
            if is_whole {
                return self.add(self.assembler.whole(vertices, is_reversed));
            }
            if is_reversed {
                self.assembler.reverse_next();
            }
            vertices.into_iter().try_for_each(|vertex| self.push(vertex))
        })
    }
    /// Assembles a vertex whose values are known already.
    pub(super) fn push(&mut self, vertex: u32) -> Result<()> {
        self.assembler.push(vertex).map_or(Ok(()), |triangle| self.add(triangle))
    }
    /// The number of the next vertex whose values come.
    pub(super) fn next_vertex(&self) -> u32 {
        // Range: three for each triangle, and those the caller gave; memory ends before.
        (self.values.len() / self.records.stride.max(1)) as u32
    }
    /// Adds a triangle.
    fn add(&mut self, triangle: [u32; 3]) -> Result<()> {
        let DrawLimits { triangles: most, .. } = self.bounds;
        if self.written + self.triangles.len() >= most as usize {
            return check("triangles of a draw", most as usize + 1, most, At::Whole);
        }
        self.triangles.push(triangle);
        Ok(())
    }
    /// Keeps one of these vertices.
    pub(super) fn keep(&mut self, values: &[f32], vertex: u32) -> u32 {
        let (size, own) = (self.records.stride, self.next_vertex());
        let values = values.get(vertex as usize * size..).unwrap_or_default();
        self.push_vertices(&values[..size.min(values.len())]);
        own
    }

    /// Returns whether triangles go to the caller's records soon, so that no vertex stays for long.
    pub(super) fn flushes(&self) -> bool {
        self.target.is_some() && self.assembler.takes_whole()
    }

    /// Writes the triangles to the caller's records, if no vertex waits.
    pub(super) fn flush(&mut self) {
        if self.flushes() {
            self.write_kept();
        }
    }

    /// Writes triangles of vertices that were kept.
    fn write_kept(&mut self) {
        let values = mem::take(&mut self.values);
        let is_done = self.write(&values);
        self.values = values;
        if is_done {
            self.values.clear();
        }
    }

    /// Writes triangles of these vertices to the caller's records; returns whether all had room.
    pub(super) fn write(&mut self, values: &[f32]) -> bool {
        let Some(target) = &mut self.target else { return false };
        let count = target.write(values, &self.triangles);
        self.triangles.drain(..count);
        self.written += count;
        if !self.triangles.is_empty() {
            self.target = None;
        }
        self.triangles.is_empty()
    }

    /// Ends the draw: returns the number of triangles that were written, and the others.
    fn finish(mut self, outputs: Vec<Output>) -> (usize, Triangles) {
        self.write_kept();
        let whole = vectors(outputs, &self.records.options, self.records.host);
        if whole.stride != self.records.stride {
            let vertices: Vec<u32> = (0..self.next_vertex()).collect();
            let mut values = vec![0.0; vertices.len() * whole.stride];
            Copies::new(self.records, &whole).copy(&self.values, &vertices, &mut values);
            self.values = values;
        }
        let outputs = whole.fields.into_iter().map(|field| field.output).collect();
        (self.written, Triangles { outputs, values: self.values, triangles: self.triangles })
    }

    /// Counts executed instructions.
    pub(super) fn spend(&mut self, steps: u64) -> Result<()> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Error::new(Kind::StepBudget(self.bounds.draw_steps), At::Whole)),
        }
    }
}

/// A complete configuration of programs. The state of a geometry program carries over from draw to
/// draw.
///
/// See the example of [`crate::cpu`].
#[derive(Clone, Debug)]
pub struct Pipeline {
    vertex: Batch,
    /// Vertices that may run at once.
    at_once: usize,
    geometry: Option<Geometry>,
    uniforms: [Uniforms; 2],
    setup: Setup,
    options: Options,
    profile: Profile,
    host: HostValues,
    bounds: DrawLimits,
    /// Vectors and triangles that the last draw with a geometry program kept.
    room: [usize; 2],
}

impl Pipeline {
    /// Builds a pipeline of these programs; all uniforms are zero.
    ///
    /// # Errors
    /// A program of the wrong stage; a configuration that disagrees with the programs about a
    /// geometry program; see also [`Setup::check`] and [`Options::check`].
    pub fn new(
        vertex: &Program<'_>,
        geometry: Option<&Program<'_>>,
        setup: Setup,
        options: &Options,
    ) -> Result<Self> {
        options.check()?;
        setup.check()?;
        let bounds = DrawLimits::default();
        let geometry = match (geometry, setup.geometry) {
            (None, None) => None,
            (Some(program), Some(geometry)) => {
                // Whatever varyings a host takes of them.
                let every = Profile { varyings: every_code(), ..Profile::default() };
                let outputs = varying::outputs(&setup.map, options, &every);
                let forwarded = setup.vertex_outputs;
                Some(Geometry::new(program, geometry, forwarded, &outputs, options, bounds.steps)?)
            }
            (Some(_), None) | (None, Some(_)) => {
                let text =
                    "the configuration and the programs disagree on whether there is a geometry program";
                return Err(Error::setup(text));
            }
        };
        let vertex = Batch::new(vertex, options.settings(bounds.steps))?;
        let (options, profile, host) = (*options, Profile::default(), HostValues::default());
        let (uniforms, at_once, room) = (Default::default(), LANES, [0; 2]);
        Ok(Self { vertex, at_once, geometry, uniforms, setup, options, profile, host, bounds, room })
    }

    /// Builds the pipeline that the GPU's registers describe, uniforms included.
    ///
    /// # Errors
    /// See [`Setup::from_registers`] and [`new`](Self::new); also an entry point outside the words
    /// written.
    pub fn from_registers(state: &RegisterState, options: &Options) -> Result<Self> {
        let (setup, vertex, geometry) = described(state)?;
        let mut pipeline = Self::new(&vertex, geometry.as_ref(), setup, options)?;
        pipeline.set_uniforms(Stage::Vertex, &state.uniforms(Stage::Vertex));
        pipeline.set_uniforms(Stage::Geometry, &state.uniforms(Stage::Geometry));
        Ok(pipeline)
    }

    /// Builds the pipeline that the system library sets up for executables of a file, with their
    /// constants. For `stride` see [`Setup::from_file`].
    ///
    /// # Errors
    /// See [`Setup::from_file`] and [`new`](Self::new).
    pub fn from_file(
        file: &Shbin<'_>,
        vertex: usize,
        geometry: Option<usize>,
        stride: Option<u8>,
        options: &Options,
    ) -> Result<Self> {
        let setup = Setup::from_file(file, vertex, geometry, stride)?;
        let program = |index| dvle::program(file, index, &options.limits);
        let programs = (program(vertex)?, geometry.map(program).transpose()?);
        let mut pipeline = Self::new(&programs.0, programs.1.as_ref(), setup, options)?;
        for (stage, index) in [(Stage::Vertex, Some(vertex)), (Stage::Geometry, geometry)] {
            let Some(index) = index else { continue };
            let mut uniforms = Uniforms::default();
            dvle::constants(file.executable(index)?).apply(&mut uniforms);
            pipeline.set_uniforms(stage, &uniforms);
        }
        Ok(pipeline)
    }

    /// Returns the uniforms of a unit as they were set last, without those delivered since.
    pub fn uniforms(&self, stage: Stage) -> Uniforms {
        self.uniforms[stage as usize].clone()
    }

    /// Replaces the uniforms of a unit, also b15 of the geometry unit. Without a geometry program
    /// those of its unit have no effect.
    pub fn set_uniforms(&mut self, stage: Stage, uniforms: &Uniforms) {
        match (stage, &mut self.geometry) {
            (Stage::Vertex, _) => self.vertex.set_uniforms(uniforms),
            (Stage::Geometry, Some(geometry)) => geometry.set_uniforms(uniforms),
            (Stage::Geometry, None) => {}
        }
        self.uniforms[stage as usize] = uniforms.clone();
    }

    /// Takes over the registers, vertex slots and the setting of SETEMIT that draws of another
    /// pipeline left: on the console all programs share one geometry unit. Its uniforms are those
    /// of registers: see [`write_back`](Self::write_back). Programs whose invocations are
    /// independent are not traced, so what they leave stays unknown.
    pub fn continue_from(&mut self, other: &Self) {
        if let (Some(geometry), Some(other)) = (&mut self.geometry, &other.geometry) {
            geometry.continue_from(other);
        }
    }

    /// Sets the uniforms of the geometry unit in registers as the last draw left them: those
    /// delivered to, and b15, which is true once an invocation has run.
    pub fn write_back(&self, state: &mut RegisterState) {
        if let Some(geometry) = &self.geometry {
            let mut uniforms = self.uniforms(Stage::Geometry);
            geometry.update(&mut uniforms);
            state.set_uniforms(Stage::Geometry, &uniforms);
        }
    }

    /// Returns the identifier of the pipeline that [`from_registers`](Self::from_registers) builds:
    /// it covers the words that both programs reach, and everything of [`Setup`]. Uniforms and
    /// the order of attributes may change.
    ///
    /// # Errors
    /// As [`from_registers`](Self::from_registers).
    pub fn key(state: &RegisterState) -> Result<Key> {
        let (setup, vertex, geometry) = described(state)?;
        Ok(key::of_draw(&vertex, geometry.as_ref(), &setup))
    }

    /// Returns the number of vertices, or indices, of which a part of a draw must be a multiple so
    /// that clones can draw the parts, on threads of their own, with the same triangles. None if
    /// one part depends on another: where invocations depend on earlier ones, in variable mode,
    /// and for strips and fans.
    pub fn part(&self) -> Option<u32> {
        let is_list = matches!(self.setup.topology, Topology::List | Topology::Geometry);
        let geometry = self.geometry.as_ref().filter(|_| is_list);
        match geometry.map(|geometry| (geometry.runs_in_batches(), geometry.setup.input)) {
            None => (is_list && self.geometry.is_none()).then_some(3),
            Some((true, GeometryInput::Point { inputs, .. })) => {
                u32::from(inputs).checked_div(self.setup.vertex_outputs.count_ones())
            }
            Some((true, GeometryInput::Fixed { vertices, .. })) => Some(vertices.into()),
            Some(_) => None,
        }
    }

    /// Sets the topology of the assembler.
    pub fn set_topology(&mut self, topology: Topology) {
        self.setup.topology = topology;
    }

    /// Sets the profile whose varyings the vertices of triangles have. Default: that of
    /// [`Profile::default`].
    pub fn set_profile(&mut self, profile: &Profile) {
        self.profile = profile.clone();
    }

    /// Sets the values that clip planes and a dynamic y use.
    pub fn set_host(&mut self, host: HostValues) {
        self.host = host;
    }

    /// Sets the limits of a draw.
    pub fn set_limits(&mut self, bounds: DrawLimits) {
        self.bounds = bounds;
        self.vertex.set_budget(bounds.steps);
        if let Some(geometry) = &mut self.geometry {
            geometry.set_limits(bounds.steps, bounds.emits);
        }
    }

    /// Runs one vertex and one invocation after the other from now on, on the reference machines.
    /// The results are the same except for the payload of NaN; tests compare both.
    #[doc(hidden)]
    pub fn one_by_one(&mut self) {
        self.at_once = 1;
        if let Some(geometry) = &mut self.geometry {
            geometry.one_by_one(&self.uniforms[Stage::Geometry as usize]);
        }
    }

    /// Returns whether invocations of the geometry program are independent, and so run in batches.
    #[doc(hidden)]
    pub fn runs_in_batches(&self) -> bool {
        self.geometry.as_ref().is_some_and(Geometry::runs_in_batches)
    }

    /// Returns the configuration.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Draws. Each vertex is v0..v15. Vertices come in their order, or as the indices say. In
    /// variable mode the indices are, for each primitive, its number of vertices and then their
    /// indices.
    ///
    /// # Errors
    /// See the machines, with the address of the instruction; an index without a vertex; in
    /// variable mode no indices, a primitive that is cut short, too small or too large;
    /// [`Kind::Limit`] and [`Kind::StepBudget`] at the limits of [`DrawLimits`]. A geometry program
    /// keeps its state up to there.
    pub fn draw(&mut self, vertices: &[[[f32; 4]; 16]], indices: Option<&[u32]>) -> Result<Triangles> {
        let inputs = vertices.iter().map(|inputs| self.options.attributes_seen(*inputs));
        let bytes: Vec<u8> = inputs.flatten().flatten().flat_map(f32::to_le_bytes).collect();
        let array = |offset| Array { bytes: &bytes, offset, stride: 256, number: Number::F32, components: 4 };
        let attributes: [_; 16] = array::from_fn(|n| VertexAttribute::Array(array(16 * n)));
        // Range: vertices take 256 bytes each, so memory ends before 32 bits do.
        let all = Order::Range { first: 0, count: vertices.len() as u32 };
        let order = indices.map_or(all, Order::U32);
        Ok(self.draw_from(&Vertices::new(&attributes, order), vertices.len(), None)?.1)
    }

    /// Draws vertices of buffers, of which only what the program reads moves.
    ///
    /// # Errors
    /// As [`draw`](Self::draw); [`Kind::Limit`] for a vertex beyond number 2,097,151.
    pub fn draw_buffers(&mut self, vertices: &Vertices<'_>) -> Result<Triangles> {
        Ok(self.draw_to(vertices, None)?.1)
    }

    /// Draws vertices of buffers and writes a record for each vertex of the triangles, as they are
    /// made, which takes less time than [`Triangles::write`] afterwards. The fields of `records`
    /// place the outputs that [`Triangles::outputs`] would have; their options and values of the
    /// host are those of the pipeline.
    ///
    /// Returns the number of triangles written, and those for which `to` has no room.
    ///
    /// # Errors
    /// As [`draw_buffers`](Self::draw_buffers); the records are not defined then. Before anything
    /// runs, [`Kind::Setup`] for other fields, or one outside its record.
    pub fn draw_records(
        &mut self,
        vertices: &Vertices<'_>,
        records: &Records,
        to: &mut [f32],
    ) -> Result<(usize, Triangles)> {
        self.draw_to(vertices, Some((records, to)))
    }

    fn draw_to(
        &mut self,
        vertices: &Vertices<'_>,
        target: Option<(&Records, &mut [f32])>,
    ) -> Result<(usize, Triangles)> {
        let most = vertices.order.greatest().map_or(0, |greatest| greatest.saturating_add(1));
        // A byte of a buffer can be all vertices, so their number alone bounds the memory.
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let there = most.min(self.vertex.vertices_there(vertices));
        check("vertices of a draw", there, MOST_VERTICES, At::Whole)?;
        self.draw_from(vertices, there, target)
    }

    /// Draws vertices of buffers, of which there are `count`.
    fn draw_from(
        &mut self,
        vertices: &Vertices<'_>,
        count: usize,
        target: Option<(&Records, &mut [f32])>,
    ) -> Result<(usize, Triangles)> {
        let outputs = varying::outputs(&self.setup.map, &self.options, &self.profile);
        let packed = Records { host: self.host, ..Records::new(outputs.clone(), &self.options) };
        let target = target.map(|(records, to)| Target::new(records, &packed, to)).transpose()?;
        let target = target.filter(Target::has_room);
        let is_packed = target.is_some();
        let records = if is_packed { packed } else { vectors(outputs.clone(), &self.options, self.host) };
        let mut sink = self.sink(&records, target);
        let first = if let Order::Range { first, .. } = vertices.order { Some(first) } else { None };
        // The first vertex that does not exist is an error, so none after it counts.
        let range = || {
            (first.unwrap_or(0)..=u32::MAX).take(vertices.order.len().min(count.saturating_add(1))).collect()
        };
        let order = vertices.order.indices().unwrap_or_else(range);
        let Self { vertex: batch, at_once, geometry, setup, .. } = self;
        let named = Named { vertices, count, order: &order, at_once: *at_once };
        let Some(geometry) = geometry else {
            let mut shaded = Shaded::new(batch, named, &records);
            for (place, &vertex) in order.iter().enumerate() {
                let record = shaded.get(vertex, place);
                sink.spend(shaded.take_spent())?;
                sink.push(record?)?;
            }
            sink.values = shaded.into_values();
            return Ok(sink.finish(outputs));
        };
        geometry.begin(&records);
        let forwarded = Records::from_registers(setup.vertex_outputs);
        match geometry.setup.input {
            GeometryInput::Variable { main } => {
                let primitives =
                    Primitives::new(first.is_none().then_some(&order), main, setup.vertex_outputs)?;
                let of_primitive =
                    |primitive: Primitive| order.iter().skip(primitive.first).take(primitive.size as usize);
                let named: Vec<u32> =
                    primitives.clone().map_while(Result::ok).flat_map(of_primitive).copied().collect();
                let named = Named { vertices, count, order: &named, at_once: *at_once };
                let mut shaded = Shaded::new(batch, named, &forwarded);
                geometry.draw_variable(&order, primitives, &mut shaded, &mut sink)?;
            }
            GeometryInput::Point { .. } | GeometryInput::Fixed { .. } => {
                let mut shaded = Shaded::new(batch, named, &forwarded);
                geometry.draw(&order, &mut shaded, &mut sink)?;
            }
        }
        if sink.written == 0 {
            self.room = [sink.values.len(), sink.triangles.len()];
        }
        Ok(sink.finish(outputs))
    }

    /// Begins a draw.
    fn sink<'s>(&self, records: &'s Records, target: Option<Target<'s>>) -> Sink<'s> {
        let (bounds, [values, triangles]) = (self.bounds, if target.is_some() { [0; 2] } else { self.room });
        let mut assembler = Assembler::new(self.setup.topology);
        assembler.reverse_ends(self.options.outputs.reverse_ends);
        let (values, triangles) = (Vec::with_capacity(values), Vec::with_capacity(triangles));
        Sink { records, assembler, left: bounds.draw_steps, bounds, values, triangles, target, written: 0 }
    }
}

/// The configuration and the programs of registers.
fn described(state: &RegisterState) -> Result<(Setup, Program<'_>, Option<Program<'_>>)> {
    let (setup, vertex) = (Setup::from_registers(state)?, state.program(Stage::Vertex)?);
    let geometry = setup.geometry.map(|_| state.program(Stage::Geometry)).transpose()?;
    Ok((setup, vertex, geometry))
}

/// Varyings of all codes but those without a component.
fn every_code() -> Cow<'static, [Varying]> {
    let row = |location: u32| {
        let components: Vec<_> = (0..4).map(|n| VaryingSource::Code(4 * location as u8 + n)).collect();
        Varying { name: "".into(), location, components: components.into() }
    };
    (0..6).map(row).collect()
}

/// Records of a whole vector for each output.
fn vectors(outputs: Vec<Output>, options: &Options, host: HostValues) -> Records {
    let field = |(location, output)| Field { output, location, offset: 4 * usize::from(location) };
    let fields: Vec<Field> = (0..).zip(outputs).map(field).collect();
    Records { stride: 4 * fields.len(), fields, options: *options, host }
}
