//! Runs draws with geometry programs headless: the passes of [`transpica_draw::gpu`]
//! around the compute entries of both programs.
//! In: programs, the configuration of a draw, vertices. Out: finished triangles, as bits and as
//! buffers for an indirect draw.
//! Knows no instruction; facts about a program come with its translation.

use std::sync::Arc;

mod emits;
mod memory;
mod stage;

use crate::precision::arith;
use transpica::geometry::{GeometryKernel, Topology};
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, HostValues, dvle};
use transpica::interp::Uniforms;
use transpica::{
    At, Error, Job, Kind, Options, Precision, Program, Setup, Shbin, Stage as Unit, Translation, Translator,
};
use transpica_draw::gpu::{FeedCopy, Pass, Plan, Request, ScanResult};
use wgpu::BufferUsages;

use crate::compare::{self, CompareError};
use crate::{Gpu, GpuError, Registers, Route, Shader};
use memory::{BufferRange, Finished, Memory};
pub(crate) use stage::Stage;
use stage::{Groups, KernelBuffers, KernelShape, READ, UNIFORM, WRITE};

pub use emits::translate as translate_emits;
pub use emits::{EmitCase, InvocationInput, Record, check_emits, compare_emits, run_emits};
pub use stage::run_pass;
use transpica::isa::sizes::FLOATS;

/// Initial capacity of an invocation in triangles, if no smaller number is proven.
const FIRST_TRIANGLES: u32 = 32;
/// Default size limit of a buffer in bytes: the limit that every device with wgpu's defaults has.
const MOST_BYTES: u32 = 1 << 27;
/// Bytes of the register file, c0 to c95.
const FILE_BYTES: u64 = FLOATS as u64 * 16;
/// Places of bind groups: first the passes, in their order, and then these.
const VERTEX_PLACE: usize = Pass::ALL.len();
const GEOMETRY_PLACE: usize = VERTEX_PLACE + 1;

/// A translated program and its executable form.
struct Part {
    translated: Translation,
    stage: Stage,
    uniforms: Uniforms,
}

/// Result of one attempt at a draw.
struct Attempt {
    found: ScanResult,
    finished: Finished,
    feed: wgpu::Buffer,
}

/// Results of a draw that the next one needs. It copies them before all else, so that a draw that
/// fails leaves none.
#[derive(Default)]
struct Commit {
    /// Uniforms in a feed, for the register file.
    uniforms: Option<(wgpu::Buffer, FeedCopy)>,
    /// True if there is a new state.
    state: bool,
}

/// A finished draw. Its buffers keep their contents as long as it exists; then the chain uses them
/// again.
#[derive(Debug)]
pub struct DrawOutput {
    /// Number of triangles.
    pub found: ScanResult,
    /// Invocations of the geometry program.
    pub invocations: u32,
    /// Vectors per vertex: one for each output.
    pub vectors: u32,
    /// The vertices of a triangle list; a vertex buffer.
    pub vertices: wgpu::Buffer,
    /// The arguments of an indirect draw of the list, at offset 0.
    pub arguments: wgpu::Buffer,
    _lease: Arc<()>,
}

impl DrawOutput {
    /// Number of triangles in the finished list.
    pub fn triangles(&self) -> u32 {
        self.found.vertex_count / 3
    }

    /// Reads every vector of every vertex as bits.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn read(&self, gpu: &Gpu) -> Result<Vec<[u32; 4]>, GpuError> {
        let bytes = u64::from(self.found.vertex_count) * u64::from(self.vectors) * 16;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let words = gpu.checked(|| gpu.read(&self.vertices, bytes))?;
        let (vectors, _rest) = words.as_chunks();
        Ok(vectors.to_vec())
    }
}

/// Two programs on a GPU, with the state that a geometry program carries from draw to draw: its
/// registers, delivered uniforms, b15.
pub struct GeometryChain<'a> {
    gpu: &'a Gpu,
    setup: Setup,
    precision: Precision,
    kernel: GeometryKernel,
    vertex: Part,
    geometry: Part,
    /// The stage of each [`Pass`].
    passes: &'a [Stage],
    host: HostValues,
    bytes: u32,
    /// Capacity of an invocation in triangles.
    triangles: u32,
    /// Window of the last draw since uniforms were set.
    window: u32,
    /// The state before the next draw, except for `commit`.
    state: wgpu::Buffer,
    /// The state that the geometry program reads, followed by the state that it writes.
    work: wgpu::Buffer,
    /// The register file, except for `commit`.
    file: wgpu::Buffer,
    commit: Commit,
    memory: Memory,
}

impl<'a> GeometryChain<'a> {
    /// Builds a chain of a vertex program and a geometry program; all uniforms are zero. Options
    /// apply to both compute entries. The passes take the programs' route if it supports them.
    ///
    /// # Errors
    /// Errors of translation, a configuration without a geometry program, and errors of the driver
    /// or wgpu.
    pub fn new(
        gpu: &'a Gpu,
        programs: [&Program<'_>; 2],
        environment: [&dyn Environment; 2],
        setup: &Setup,
        options: &Options,
        route: Route,
    ) -> Result<Self, CompareError> {
        setup.check()?;
        let mut translator = Translator::new(*options, gpu.profile(route));
        let vertex = translator.translate(programs[0], environment[0], Job::Compute)?;
        let vertex_shader = compare::shader(gpu, &mut translator, &vertex, route)?;
        let geometry = translator.translate(programs[1], environment[1], Job::Geometry(setup))?;
        let shaders = [vertex_shader, compare::shader(gpu, &mut translator, &geometry, route)?];
        Self::of_shaders(gpu, [vertex, geometry], shaders, setup, options, route)
    }

    /// Builds a chain like [`new`](Self::new) from programs that are already translated.
    ///
    /// # Errors
    /// A second program that is not a geometry program, and errors of the driver or wgpu.
    pub fn of_shaders(
        gpu: &'a Gpu,
        translated: [Translation; 2],
        shaders: [Shader; 2],
        setup: &Setup,
        options: &Options,
        route: Route,
    ) -> Result<Self, CompareError> {
        let [vertex, geometry] = translated;
        let [vertex_shader, kernel_shader] = shaders;
        let Some(kernel) = geometry.interface.kernel().cloned() else {
            let kind = Kind::Stage { what: "a chain with a geometry program", stage: "vertex" };
            return Err(Error::new(kind, At::Whole).into());
        };
        let words: Vec<u32> = kernel.state.iter().map(|word| word.initial).collect();
        let chain = gpu.checked(|| {
            let part = |translated, shader, bindings: &[_]| Part {
                translated,
                stage: Stage::new(gpu, shader, bindings),
                uniforms: Uniforms::default(),
            };
            let vertex = part(vertex, vertex_shader, &[(0, READ), (1, WRITE), (2, UNIFORM)]);
            let geometry = part(geometry, kernel_shader, &stage::KERNEL);
            let kept = BufferUsages::COPY_SRC | BufferUsages::COPY_DST | BufferUsages::STORAGE;
            Ok(Self {
                gpu,
                setup: *setup,
                precision: options.arithmetic.precision,
                vertex,
                geometry,
                passes: gpu.passes[route as usize]
                    .get_or_init(|| Pass::ALL.map(|pass| stage::pass(gpu, pass, route)).into()),
                host: HostValues::default(),
                bytes: MOST_BYTES,
                triangles: kernel.triangles.map_or(FIRST_TRIANGLES, |most| most.clamp(1, FIRST_TRIANGLES)),
                window: 0,
                state: gpu.filled(bytemuck::cast_slice(&words), kept),
                work: gpu.buffer(2 * 4 * words.len() as u64, kept),
                file: gpu.filled(&[0; FILE_BYTES as usize], kept),
                commit: Commit::default(),
                memory: Memory::new(),
                kernel,
            })
        })?;
        Ok(chain)
    }

    /// Builds a chain of two executables of a file, with their constants; see [`Setup::from_file`]
    /// for `stride`.
    ///
    /// # Errors
    /// As [`Setup::from_file`] and [`new`](Self::new).
    pub fn from_file(
        gpu: &'a Gpu,
        file: &Shbin<'_>,
        [vertex, geometry]: [usize; 2],
        stride: Option<u8>,
        options: &Options,
        route: Route,
    ) -> Result<Self, CompareError> {
        let setup = Setup::from_file(file, vertex, Some(geometry), stride)?;
        let program = |index| dvle::program(file, index, &options.limits);
        let programs = [program(vertex)?, program(geometry)?];
        let environment =
            [FileEnvironment::new(file, vertex, "")?, FileEnvironment::new(file, geometry, "")?];
        let programs = [&programs[0], &programs[1]];
        let mut chain = Self::new(gpu, programs, [&environment[0], &environment[1]], &setup, options, route)?;
        for (unit, environment) in [Unit::Vertex, Unit::Geometry].into_iter().zip(environment) {
            let mut uniforms = Uniforms::default();
            environment.constants().apply(&mut uniforms);
            chain.set_uniforms(unit, &uniforms);
        }
        Ok(chain)
    }

    /// Returns the geometry compute shader.
    pub fn kernel(&self) -> &GeometryKernel {
        &self.kernel
    }

    /// Returns the configuration of the draw.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Replaces the uniforms of a unit. Those of the geometry unit include uniforms that vertices
    /// delivered, and b15.
    pub fn set_uniforms(&mut self, unit: Unit, uniforms: &Uniforms) {
        match unit {
            Unit::Vertex => self.vertex.uniforms = uniforms.clone(),
            Unit::Geometry => {
                self.geometry.uniforms = uniforms.clone();
                self.window = 0;
                self.commit.uniforms = None;
                let floats = uniforms.floats.map(|vector| vector.map(|x| arith::load(self.precision, x)));
                self.gpu.queue.write_buffer(&self.file, 0, bytemuck::cast_slice(&floats));
            }
        }
    }

    /// Returns the uniforms that were last set for a unit, with b15 as draws left it.
    pub fn uniforms(&self, unit: Unit) -> &Uniforms {
        match unit {
            Unit::Vertex => &self.vertex.uniforms,
            Unit::Geometry => &self.geometry.uniforms,
        }
    }

    /// Sets the host values that clip planes and a dynamic y read.
    pub fn set_host(&mut self, host: HostValues) {
        self.host = host;
    }

    /// Sets the primitive assembler's topology.
    pub fn set_topology(&mut self, topology: Topology) {
        self.setup.topology = topology;
    }

    /// Sets the size limit of a buffer in bytes, which limits the capacity for triangles.
    pub fn set_most_bytes(&mut self, bytes: u32) {
        self.bytes = bytes;
    }

    /// Draws. Each vertex is v0..v15; indices are those of
    /// [`transpica_draw::cpu::Pipeline::draw`].
    /// A draw whose triangles exceed the capacity runs once more with enough of it. A driver that
    /// leaves loops early gets few invocations per dispatch; where one of them runs longer than
    /// [`Facts::most_steps`](crate::driver::Facts::most_steps), its triangles may be wrong.
    ///
    /// # Errors
    /// As [`Plan::new`]; [`Kind::Limit`] if buffers of the largest size cannot hold the triangles
    /// of a thread; errors of the driver or wgpu. A failed draw leaves no state.
    pub fn draw(
        &mut self,
        vertices: &[Registers],
        indices: Option<&[u32]>,
    ) -> Result<DrawOutput, CompareError> {
        let (mut plan, mut attempt) = self.attempt(vertices, indices)?;
        let found = attempt.found;
        if found.overflowed != 0 {
            // The count is complete even if the triangles overflowed the capacity.
            self.triangles = found.largest.div_ceil(plan.draw.chunk.min(plan.draw.invocations).max(1));
            (plan, attempt) = self.attempt(vertices, indices)?;
        }
        let Attempt { found, finished, feed } = attempt;
        if found.overflowed != 0 {
            let (value, limit) = (found.largest as usize, plan.draw.capacity);
            let kind = Kind::Limit { name: "triangles of a thread", value, limit };
            return Err(Error::new(kind, At::Whole).into());
        }
        self.window = plan.draw.window;
        self.commit =
            Commit { uniforms: plan.feed_copy.map(|copy| (feed, copy)), state: plan.draw.threads > 0 };
        if plan.draw.invocations > 0 {
            self.geometry.uniforms.set_bool(15, true);
        }
        let (invocations, vectors) = (plan.draw.invocations, plan.collect.vectors);
        let Finished { list: vertices, arguments, lease } = finished;
        Ok(DrawOutput { found, invocations, vectors, vertices, arguments, _lease: lease })
    }

    /// Plans a draw and runs it.
    fn attempt(
        &mut self,
        vertices: &[Registers],
        indices: Option<&[u32]>,
    ) -> Result<(Plan, Attempt), CompareError> {
        let count = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
        let plan = Plan::new(&Request {
            input: self.kernel.setup.input,
            outputs: self.setup.vertex_outputs,
            vertices: count,
            indices,
            window: self.window,
            vectors: self.kernel.vectors,
            topology: self.setup.topology,
            dependence: self.kernel.dependence,
            triangles: self.triangles,
            most_invocations: self.gpu.facts().most_invocations(),
            bytes: self.bytes,
        })?;
        let gpu = self.gpu;
        let attempt = gpu.checked(|| self.submit(&plan, vertices, indices.unwrap_or_default()))?;
        Ok((plan, attempt))
    }

    /// Executes a plan in one submission.
    fn submit(&mut self, plan: &Plan, vertices: &[Registers], indices: &[u32]) -> Result<Attempt, GpuError> {
        let gpu = self.gpu;
        let mut commands = gpu.device.create_command_encoder(&Default::default());
        let c = &mut commands;
        self.commit(c);
        let ([inputs, indices, primitives, vertex, geometry, host, feeding, collect], draws) =
            self.upload(plan, vertices, indices);
        let (memory, sizes) = (&mut self.memory, plan.sizes);
        let [shaded, feed] =
            [memory.shaded.reserve(gpu, sizes.vertices), memory.feed.reserve(gpu, sizes.feed)];
        let triangles = memory.triangles.reserve(gpu, sizes.triangles);
        let [counts, offsets] =
            [memory.counts.reserve(gpu, sizes.counts), memory.offsets.reserve(gpu, sizes.counts)];
        let finished = memory.finished(gpu, sizes.list);
        let whole = |buffer: &wgpu::Buffer| BufferRange::from(buffer);

        let bound = vec![inputs, whole(&shaded), vertex];
        let group = memory.group(gpu, VERTEX_PLACE, &self.vertex.stage, bound);
        // Range: at most 2^20, or there would be no plan.
        let groups = Groups::Known(Plan::vertex_dispatch(vertices.len() as u32));
        self.vertex.stage.run(c, &group, &groups);

        let pass = |memory: &mut Memory, pass: Pass, c: &mut _, bound| {
            let stage = &self.passes[pass as usize];
            let group = memory.group(gpu, pass as usize, stage, bound);
            let indirect = Groups::Indirect(&finished.arguments, ScanResult::GROUPS);
            stage.run(c, &group, &plan.dispatch(pass).map_or(indirect, Groups::Known));
        };
        let bound = vec![whole(&shaded), whole(&feed), feeding, indices, primitives, whole(&self.file)];
        pass(memory, Pass::Feed, c, bound);

        let half = self.kernel.state.len() as u64 * 4;
        let (state, block) = (self.work.clone(), geometry);
        let [fed, made, counted] = [&feed, &triangles, &counts].map(whole);
        let buffers = KernelBuffers { feed: fed, triangles: made, block, counts: counted, state, host };
        let shape = KernelShape { draws, groups: plan.kernel_dispatch(), half };
        self.geometry.stage.run_draw(gpu, c, memory, shape, &buffers);
        let arguments = whole(&finished.arguments);
        let bound = vec![whole(&counts), whole(&offsets), collect.clone(), arguments.clone()];
        pass(memory, Pass::Scan, c, bound);
        let bound = vec![whole(&triangles), whole(&offsets), arguments, whole(&finished.list), collect];
        pass(memory, Pass::Compact, c, bound);
        let found = memory.submit(gpu, commands, &finished.arguments)?;
        Ok(Attempt { found, finished, feed })
    }

    /// Copies the results of the last draw to where this one reads them.
    fn commit(&mut self, commands: &mut wgpu::CommandEncoder) {
        let Commit { uniforms, state } = std::mem::take(&mut self.commit);
        if let Some((feed, copy)) = uniforms {
            commands.copy_buffer_to_buffer(&feed, copy.from, &self.file, copy.to, Some(copy.bytes));
        }
        let half = self.kernel.state.len() as u64 * 4;
        if half > 0 {
            if state {
                commands.copy_buffer_to_buffer(&self.work, half, &self.state, 0, Some(half));
            }
            commands.copy_buffer_to_buffer(&self.state, 0, &self.work, 0, Some(half));
        }
    }

    /// Writes to the GPU what a draw brings from the processor: vertices, indices, primitives, the
    /// uniform blocks of both programs, values of the host, the blocks of the passes, and the block
    /// of each dispatch of the geometry program.
    fn upload(
        &mut self,
        plan: &Plan,
        vertices: &[Registers],
        indices: &[u32],
    ) -> ([BufferRange; 8], Vec<BufferRange>) {
        let block = |part: &Part| compare::uniform_bytes(&part.translated, &part.uniforms);
        let (vertex, geometry, host) = (block(&self.vertex), block(&self.geometry), self.host.pack());
        let (primitives, feed, collect) =
            (plan.primitive_bytes(), plan.feed.to_bytes(), plan.collect.to_bytes());
        let draws: Vec<Vec<u8>> = plan.draws().map(|draw| draw.to_bytes()).collect();
        let parts: [&[u8]; 8] = [
            bytemuck::cast_slice(vertices),
            bytemuck::cast_slice(indices),
            &primitives,
            &vertex,
            &geometry,
            &host,
            &feed,
            &collect,
        ];
        let parts = parts.into_iter().chain(draws.iter().map(Vec::as_slice));
        let mut bound = self.memory.upload.write(self.gpu, parts).into_iter();
        (std::array::from_fn(|_| bound.next().expect("one for each part")), bound.collect())
    }
}
