//! Draws: vertices in, triangles out.
//! In: programs, their configuration and uniforms, vertices, indices. Out: [`Triangles`].
//! Arithmetic and control flow are the machines'; [`crate::host`] defines the outputs.

use super::assembly::Assembler;
use super::feed::Feed;
use crate::container::Shbin;
use crate::error::{At, Error, Kind, Result};
use crate::geometry::input::{Primitive, Primitives, no_vertex};
use crate::geometry::{GeometryInput, GeometrySetup, Topology};
use crate::host::{HostValues, Options, Output, RegisterState, Setup, dvle, varying};
use crate::interp::{GeometryMachine, Machine, Uniforms};
use crate::isa::{Program, Stage};
use crate::limits::check;

/// Limits of the work of a draw.
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
    /// A value for each output of each vertex.
    values: Vec<[f32; 4]>,
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
                &self.values[start..start + size]
            })
        })
    }
}

/// The end of the pipeline: assembler, limits and result.
struct Sink<'a> {
    options: &'a Options,
    host: &'a HostValues,
    assembler: Assembler<u32>,
    /// Instructions left for the draw.
    left: u64,
    bounds: DrawLimits,
    drawn: Triangles,
}

impl Sink<'_> {
    /// Assembles a vertex with these output registers.
    fn push(&mut self, registers: &[[f32; 4]; 16]) -> Result<()> {
        let Triangles { outputs, values, triangles } = &mut self.drawn;
        // Range: three for each triangle, and those the caller gave; memory ends before.
        let vertex = (values.len() / outputs.len().max(1)) as u32;
        values.extend(outputs.iter().map(|output| output.value(registers, self.options, self.host)));
        if let Some(triangle) = self.assembler.push(vertex) {
            check("triangles of a draw", triangles.len() + 1, self.bounds.triangles, At::Whole)?;
            triangles.push(triangle);
        }
        Ok(())
    }
    /// Counts executed instructions.
    fn spend(&mut self, steps: u64) -> Result<()> {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Error::new(Kind::StepBudget(self.bounds.draw_steps), At::Whole)),
        }
    }
}

/// The vertex program and its results.
struct Shaded<'a> {
    machine: &'a mut Machine,
    options: &'a Options,
    vertices: &'a [[[f32; 4]; 16]],
    /// o0..o15 of each vertex; none until the program has run for it.
    outputs: Vec<Option<Box<[[f32; 4]; 16]>>>,
}

impl Shaded<'_> {
    /// Returns the outputs of a vertex; `place` is its index in the index buffer, if there is one.
    fn get(&mut self, vertex: u32, place: usize, sink: &mut Sink<'_>) -> Result<&[[f32; 4]; 16]> {
        let count = self.vertices.len();
        let (Some(inputs), Some(slot)) =
            (self.vertices.get(vertex as usize), self.outputs.get_mut(vertex as usize))
        else {
            return Err(no_vertex(place, vertex, count));
        };
        if slot.is_none() {
            let result = self.machine.run(&self.options.attributes_seen(*inputs)).copied();
            sink.spend(self.machine.steps())?;
            *slot = Some(Box::new(result?));
        }
        Ok(slot.get_or_insert_with(|| Box::new([[0.0; 4]; 16])))
    }
}

/// The geometry program with its configuration.
#[derive(Clone, Debug)]
struct Geometry {
    setup: GeometrySetup,
    machine: GeometryMachine,
}

impl Geometry {
    /// Runs the program and assembles its triangles.
    fn run(&mut self, inputs: &[[f32; 4]; 16], sink: &mut Sink<'_>) -> Result<()> {
        let result = self.machine.run(inputs).map(|_| ());
        sink.spend(self.machine.steps())?;
        result?;
        for triangle in self.machine.invocation().triangles() {
            if triangle.invert {
                sink.assembler.reverse_next();
            }
            triangle.vertices.into_iter().try_for_each(|vertex| sink.push(vertex))?;
        }
        Ok(())
    }
}

/// A complete configuration of programs. The state of a geometry program carries over from draw to
/// draw.
///
/// See the example of [`crate::draw::cpu`].
#[derive(Clone, Debug)]
pub struct Pipeline {
    vertex: Machine,
    geometry: Option<Geometry>,
    uniforms: [Uniforms; 2],
    setup: Setup,
    options: Options,
    host: HostValues,
    bounds: DrawLimits,
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
        let settings = options.settings(bounds.steps);
        let geometry = match (geometry, setup.geometry) {
            (None, None) => None,
            (Some(program), Some(setup)) => {
                let machine = GeometryMachine::new(program, setup.outputs, settings)?;
                Some(Geometry { setup, machine })
            }
            (Some(_), None) | (None, Some(_)) => {
                let text =
                    "the configuration and the programs disagree on whether there is a geometry program";
                return Err(Error::setup(text));
            }
        };
        let vertex = Machine::new(vertex, settings)?;
        let (uniforms, host) = (Default::default(), HostValues::default());
        Ok(Self { vertex, geometry, uniforms, setup, options: *options, host, bounds })
    }

    /// Builds the pipeline that the GPU's registers describe, uniforms included.
    ///
    /// # Errors
    /// See [`Setup::from_registers`] and [`new`](Self::new); also an entry point outside the words
    /// written.
    pub fn from_registers(state: &RegisterState, options: &Options) -> Result<Self> {
        let setup = Setup::from_registers(state)?;
        let vertex = state.program(Stage::Vertex)?;
        let geometry = setup.geometry.map(|_| state.program(Stage::Geometry)).transpose()?;
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
            (Stage::Geometry, Some(geometry)) => geometry.machine.set_uniforms(uniforms),
            (Stage::Geometry, None) => {}
        }
        self.uniforms[stage as usize] = uniforms.clone();
    }

    /// Sets the topology of the assembler.
    pub fn set_topology(&mut self, topology: Topology) {
        self.setup.topology = topology;
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
            geometry.machine.set_budget(bounds.steps);
            geometry.machine.set_most_emits(bounds.emits);
        }
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
        let outputs = varying::outputs(&self.setup.map, &self.options, &Default::default());
        let mut sink = Sink {
            options: &self.options,
            host: &self.host,
            assembler: Assembler::new(self.setup.topology),
            left: self.bounds.draw_steps,
            bounds: self.bounds,
            drawn: Triangles { outputs, values: Vec::new(), triangles: Vec::new() },
        };
        let mut shaded = Shaded {
            machine: &mut self.vertex,
            options: &self.options,
            vertices,
            outputs: vec![None; vertices.len()],
        };
        // Range: vertices take 256 bytes each, so memory ends before 32 bits do.
        let at = |place: usize| indices.map_or(place as u32, |indices| indices[place]);
        let order = (0..indices.map_or(vertices.len(), <[u32]>::len)).map(|place| (place, at(place)));
        let mask = self.setup.vertex_outputs;
        match &mut self.geometry {
            None => {
                for (place, vertex) in order {
                    let outputs = shaded.get(vertex, place, &mut sink)?;
                    sink.push(outputs)?;
                }
            }
            Some(geometry) => match geometry.setup.input {
                GeometryInput::Variable { main } => {
                    variable(geometry, main, mask, indices, &mut shaded, &mut sink)?;
                }
                input @ (GeometryInput::Point { .. } | GeometryInput::Fixed { .. }) => {
                    let mut feed = Feed::new(input, mask);
                    for (place, vertex) in order {
                        let outputs = shaded.get(vertex, place, &mut sink)?;
                        if feed.take(outputs, &mut geometry.machine) {
                            geometry.run(feed.inputs(), &mut sink)?;
                        }
                    }
                }
            },
        }
        Ok(sink.drawn)
    }
}

/// Draws primitives of variable mode: the index buffer has the size of each before its indices.
fn variable(
    geometry: &mut Geometry,
    main: u8,
    mask: u16,
    indices: Option<&[u32]>,
    shaded: &mut Shaded<'_>,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let primitives = Primitives::new(indices, main, mask)?;
    let indices = indices.unwrap_or_default();
    let mut feed = Feed::new(geometry.setup.input, mask);
    for primitive in primitives {
        let Primitive { first, size, .. } = primitive?;
        feed.start(size, &mut geometry.machine);
        for (place, &vertex) in indices.iter().enumerate().skip(first).take(size as usize) {
            feed.take(shaded.get(vertex, place, sink)?, &mut geometry.machine);
        }
        geometry.run(feed.inputs(), sink)?;
    }
    Ok(())
}

/// Draws once from the GPU's registers: [`Pipeline::from_registers`] and [`Pipeline::draw`].
///
/// # Errors
/// See those.
pub fn draw(
    state: &RegisterState,
    vertices: &[[[f32; 4]; 16]],
    indices: Option<&[u32]>,
    options: &Options,
) -> Result<Triangles> {
    Pipeline::from_registers(state, options)?.draw(vertices, indices)
}
