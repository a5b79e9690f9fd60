//! Replay of recordings: each frame drawn in three ways.
//! In: a [`Recording`]. Out: a picture and the time of each way. A draw's programs come from the
//! recorded registers alone, as in a host.
//!
//! Pictures are those of [`picture`](crate::picture): 400 × 240, color and tiles of texture
//! coordinate 0. Fragment state of the console is not replayed.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use transpica::geometry::GeometrySetup;
use transpica::host::{Environment, UniformBlock, layout, varying};
use transpica::settings::{Block, Control, Layout, Outputs};
use transpica::{Job, Key, Options, Profile, RegisterState, Result, Setup, Stage, Translator};
use transpica_draw::cpu::{self, Assembler};
pub use transpica_draw::recording::{RecordedDraw, Recording};

use crate::compare::CompareError;
use crate::geometry::GeometryChain;
use crate::picture::{Frame, Picture, Pipeline};
use crate::{Gpu, Route};

/// Backward jumps and instructions after which a program ends.
const LOOP_GUARD: u32 = 1 << 16;

/// A way to run the programs of a draw. All of them are drawn by the same rasterizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// The reference machine.
    Interpreter,
    /// Batches on the CPU.
    Batch,
    /// The translated program on the GPU.
    Gpu,
}

impl Way {
    /// All ways; the first is the reference.
    pub const ALL: [Self; 3] = [Self::Interpreter, Self::Batch, Self::Gpu];

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        ["interpreter", "batch", "gpu"][self as usize]
    }
}

/// Everything that a drawer depends on except the topology: the programs, and the vertex input of
/// the geometry program with the outputs that feed it.
type Configuration = ([Key; 2], Option<(GeometrySetup, u16)>);

/// Programs that were drawn before, in one way.
enum Drawer<'a> {
    /// On the CPU.
    Cpu(Box<cpu::Pipeline>),
    /// A vertex program on the GPU, its uniform block and its attributes.
    Vertex(Pipeline, UniformBlock, Vec<u8>),
    /// A vertex and a geometry program on the GPU.
    Chain(Box<GeometryChain<'a>>),
}

/// A device and what it replayed so far, in one way. State of geometry programs goes from draw to
/// draw.
pub struct Replay<'a> {
    gpu: &'a Gpu,
    way: Way,
    translator: Translator,
    state: RegisterState,
    /// Draws finished vertices.
    plain: Pipeline,
    drawers: HashMap<Configuration, Drawer<'a>>,
}

impl<'a> Replay<'a> {
    /// Prepares a device.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn new(gpu: &'a Gpu, way: Way) -> std::result::Result<Self, CompareError> {
        // One uniform block and one fragment stage serve all programs.
        let options = Options {
            block: Block { layout: Layout::Registers, ..Block::default() },
            outputs: Outputs { all: true, ..Outputs::default() },
            control: Control { loop_guard: Some(LOOP_GUARD), ..Control::default() },
            ..Options::default()
        };
        let profile = Profile { names: false, ..gpu.profile(Route::Passthrough) };
        // With all outputs every program has the same ones.
        let outputs = varying::outputs(&Default::default(), &options, &profile);
        let plain = Pipeline::plain(gpu, &outputs, false)?;
        let translator = Translator::new(options, profile);
        Ok(Self { gpu, way, translator, state: RegisterState::default(), plain, drawers: HashMap::new() })
    }

    /// Number of different programs that were drawn; each counts once for each vertex input of a
    /// geometry program.
    pub fn programs(&self) -> usize {
        self.drawers.len()
    }

    /// Draws a frame, and measures the time until its picture is complete.
    ///
    /// # Errors
    /// A draw whose program or setup is invalid; errors of the machines and the device.
    pub fn frame(
        &mut self,
        recording: &Recording,
        draws: &[RecordedDraw],
    ) -> std::result::Result<(Picture, Duration), CompareError> {
        let start = Instant::now();
        let mut frame = Frame::new(self.gpu);
        for draw in draws {
            self.state.commands(&draw.commands);
            self.draw(recording, draw, &mut frame)?;
        }
        let picture = frame.finish()?;
        Ok((picture, start.elapsed()))
    }

    fn draw(
        &mut self,
        recording: &Recording,
        draw: &RecordedDraw,
        frame: &mut Frame<'_>,
    ) -> std::result::Result<(), CompareError> {
        let setup = Setup { topology: draw.topology, ..Setup::from_registers(&self.state)? };
        let key = self.key(&setup)?;
        if !self.drawers.contains_key(&key) {
            let drawer = self.prepare(&setup)?;
            self.drawers.insert(key, drawer);
        }
        let Self { gpu, state, plain, drawers, .. } = self;
        let uniforms = [Stage::Vertex, Stage::Geometry].map(|stage| state.uniforms(stage));
        let vertices = recording.vertices(draw);
        let indices = draw.indices.and_then(|_| recording.indices(draw));
        match drawers.get_mut(&key) {
            Some(Drawer::Cpu(pipeline)) => {
                let [vertex, geometry] = &uniforms;
                pipeline.set_uniforms(Stage::Vertex, vertex);
                pipeline.set_uniforms(Stage::Geometry, geometry);
                pipeline.set_topology(setup.topology);
                let drawn = pipeline.draw(&vertices, indices.as_deref())?;
                let vectors: Vec<_> = drawn.triangles().flatten().flatten().copied().collect();
                frame.draw(plain, &vectors, &[]);
            }
            Some(Drawer::Vertex(pipeline, block, registers)) => {
                let block = layout::pack(block, &uniforms[0]);
                let order = triangles(draw, indices.as_deref(), vertices.len());
                let vectors = order.into_iter().flat_map(|vertex| {
                    let vertex = vertices[vertex];
                    registers.iter().map(move |&register| vertex[usize::from(register & 15)])
                });
                frame.draw(pipeline, &vectors.collect::<Vec<_>>(), &block);
            }
            Some(Drawer::Chain(chain)) => {
                chain.set_uniforms(Stage::Vertex, &uniforms[0]);
                chain.set_uniforms(Stage::Geometry, &uniforms[1]);
                chain.set_topology(setup.topology);
                let bits: Vec<_> =
                    vertices.iter().map(|vertex| vertex.map(|v| v.map(f32::to_bits))).collect();
                let drawn = chain.draw(&bits, indices.as_deref())?;
                let vectors = drawn.read(gpu)?;
                let vectors: Vec<_> = vectors.into_iter().map(|vector| vector.map(f32::from_bits)).collect();
                frame.draw(plain, &vectors, &[]);
            }
            None => {}
        }
        Ok(())
    }

    /// Returns the key of a draw's drawer.
    fn key(&self, setup: &Setup) -> Result<Configuration> {
        let vertex = self.state.vertex();
        let first = self.translator.key(&vertex.program()?, &vertex, Job::Vertex, &[])?;
        let second = match setup.geometry {
            None => first,
            Some(_) => {
                let geometry = self.state.geometry();
                self.translator.key(&geometry.program()?, &geometry, Job::Geometry(setup), &[])?
            }
        };
        Ok(([first, second], setup.geometry.map(|geometry| (geometry, setup.vertex_outputs))))
    }

    fn prepare(&mut self, setup: &Setup) -> std::result::Result<Drawer<'a>, CompareError> {
        let options = *self.translator.options();
        let vertex = self.state.vertex();
        if self.way != Way::Gpu {
            let mut pipeline = cpu::Pipeline::from_registers(&self.state, &options)?;
            if self.way == Way::Interpreter {
                pipeline.one_by_one();
            }
            return Ok(Drawer::Cpu(Box::new(pipeline)));
        }
        if setup.geometry.is_some() {
            let geometry = self.state.geometry();
            let programs = [&vertex.program()?, &geometry.program()?];
            let environment: [&dyn Environment; 2] = [&vertex, &geometry];
            let route = Route::Passthrough;
            let chain = GeometryChain::new(self.gpu, programs, environment, setup, &options, route)?;
            return Ok(Drawer::Chain(Box::new(chain)));
        }
        let translated = self.translator.translate(&vertex.program()?, &vertex, Job::Vertex)?;
        let registers = (0..16).filter(|register| translated.usage.inputs >> register & 1 != 0);
        let registers: Vec<u8> = registers.collect();
        let locations: Vec<u32> = registers.iter().map(|&register| register.into()).collect();
        let pipeline = Pipeline::of_program(self.gpu, self.translator.spirv(&translated)?, &locations)?;
        Ok(Drawer::Vertex(pipeline, translated.interface.block, registers))
    }
}

/// Returns the vertices of the triangles of a draw without a geometry program, three by three;
/// those with a vertex that is not there are left out.
fn triangles(draw: &RecordedDraw, indices: Option<&[u32]>, vertices: usize) -> Vec<usize> {
    let mut assembler = Assembler::new(draw.topology);
    let vertex = |place: usize| indices.map_or(place, |indices| indices[place] as usize);
    let triangles = (0..draw.count as usize).filter_map(|place| assembler.push(vertex(place)));
    triangles.filter(|triangle| triangle.iter().all(|&vertex| vertex < vertices)).flatten().collect()
}
