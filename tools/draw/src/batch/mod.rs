//! Vertex programs on the CPU, 64 vertices at a time.
//!
//! In: a [`Program`], uniforms, inputs or vertex buffers. Out: outputs, the same bits as a
//! [`Machine`](transpica::Machine) gives, except for the payload of NaN. Must not know: graphs, the
//! intermediate form and anything above. Arithmetic is the interpreter's, control flow
//! [`transpica::isa::control::step`].
//!
//! Each component of a register is an array of 64 floats, a *lane* for each vertex, and each
//! instruction a few loops over such arrays, which the compiler turns into vector code. Nothing is
//! generated at run time, so a batch runs where that is forbidden, and a program is ready in
//! microseconds.
//!
//! Files: `code.rs` words decoded to operations on places; `register_file.rs` registers of all
//! lanes; `lanes.rs` the loops; `execute.rs` one function for each operation; `group.rs` lanes that
//! split and meet again; `ahead.rs` what of a control state still matters; `run.rs` follows them;
//! `rest.rs` the machine of single vertices; `small.rs` runs of few vertices; `wide.rs` the
//! processor's vectors; `draw.rs` from vertex buffers to records: `fetch.rs` attributes, `order.rs`
//! vertices and the cache of them, `records.rs` outputs as a rasterizer takes them; `geometry.rs`
//! independent invocations of geometry programs: `emission.rs` EMIT in lanes, `window.rs` uniforms
//! that differ between lanes
//!
//! | call | from | to |
//! |---|---|---|
//! | [`Batch::run_draw`] | attributes in vertex buffers, indices | records of position, color and so on |
//! | [`Batch::run_all`] | v0..v15 of each vertex, as [`Machine`](transpica::Machine) takes them | o0..o15 of each vertex |
//! | [`Batch::run`] | [`Batch::input_mut`] | [`Batch::output`] |
//!
//! Geometry programs are [`crate::cpu`]'s, which runs them in the same way where it can.
//!
//! With the last call, a host fetches attributes itself:
//!
//! ```
//! use transpica_draw::batch::{Batch, LANES};
//! use transpica::isa::{Pc, Uniforms};
//! use transpica::{Options, Program, Stage};
//!
//! // add o0, c0, v0; end. Fields: guide::instructions
//! let code = [0x0002_0000, 0x8800_0000];
//! let program = Program::from_raw(&code[..], &[0x0006_C36F][..], Pc(0), Stage::Vertex)?;
//! let mut batch = Batch::new(&program, Options::default().settings(1000))?;
//! let mut uniforms = Uniforms::default();
//! uniforms.floats[0] = [10.0, 20.0, 30.0, 40.0];
//! batch.set_uniforms(&uniforms);
//! // x of v0 in three vertices. The program reads no other register.
//! let x = batch.input_mut(0, 0).expect("read");
//! x[..3].copy_from_slice(&[1.0, 2.0, 3.0]);
//! assert!(batch.input_mut(1, 0).is_none());
//! batch.run(3)?;
//! let x = batch.output(0, 0).expect("there");
//! assert_eq!(x[..3], [11.0, 12.0, 13.0]);
//! # Ok::<(), transpica::Error>(())
//! ```

mod ahead;
mod code;
mod draw;
mod emission;
mod execute;
mod fetch;
mod geometry;
mod group;
mod lanes;
mod order;
mod records;
mod register_file;
mod rest;
mod run;
mod small;
mod wide;
mod window;

use std::fmt;
use std::sync::Arc;

use code::{Bank, Code, NONE};
pub(crate) use emission::Triangle;
pub use fetch::{Array, Number, VertexAttribute};
pub(crate) use geometry::GeometryBatch;
pub use lanes::LANES;
use order::Work;
pub use order::{Order, Vertices};
pub use records::{Field, Records};
use register_file::File;
use run::Runner;
use small::SMALL;
use transpica::interp::Settings;
use transpica::isa::Uniforms;
use transpica::{At, Error, Kind, Program, Result, Stage};
pub(crate) use wide::Wide;

/// The error of a vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexError {
    /// Index of the vertex among those of the call.
    pub vertex: usize,
    /// The error that a [`Machine`](transpica::Machine) gives for it.
    pub error: Error,
}

impl fmt::Display for VertexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vertex {}: {}", self.vertex, self.error)
    }
}

impl std::error::Error for VertexError {}

impl From<VertexError> for Error {
    fn from(error: VertexError) -> Self {
        error.error
    }
}

/// A vertex program, decoded to run for many vertices side by side.
///
/// Uniforms stay until they are replaced; nothing else that a result depends on carries over from
/// run to run. No run allocates memory, except for the first in which few vertices take the same
/// way, and the first draw with indices. A clone shares the decoded program, so that each
/// thread has lanes of its own at little cost.
#[derive(Clone, Debug)]
pub struct Batch {
    code: Arc<Code>,
    runner: Runner,
    work: Work,
}

impl Batch {
    /// Decodes a program. Uniforms are zero until [`set_uniforms`](Self::set_uniforms).
    ///
    /// # Errors
    /// [`Kind::Stage`] for a geometry program.
    pub fn new(program: &Program<'_>, settings: Settings) -> Result<Self> {
        if program.stage() == Stage::Geometry {
            let kind = Kind::Stage { what: "a batch", stage: "geometry" };
            return Err(Error::new(kind, At::Whole));
        }
        let code = Code::new(program, &settings);
        let file = File::new(&code.places, &settings);
        Ok(Self { code: Arc::new(code), runner: Runner::new(settings, file), work: Work::NONE })
    }

    /// Replaces the uniforms.
    pub fn set_uniforms(&mut self, uniforms: &Uniforms) {
        let Runner { settings, file, ints, bools, rest, .. } = &mut self.runner;
        rest.forget_uniforms();
        file.set_uniforms(uniforms, settings);
        *ints = uniforms.ints;
        *bools = uniforms.bools;
    }

    /// Replaces float uniforms from c`first` on; those beyond c95 are ignored. It takes the time of
    /// what it replaces.
    pub fn write_floats(&mut self, first: usize, values: &[[f32; 4]]) {
        let Runner { settings, file, rest, .. } = &mut self.runner;
        file.write_uniforms(first, values, settings);
        rest.write_floats(first, values);
    }

    /// Sets the limit of the instructions of each vertex.
    pub fn set_budget(&mut self, steps: u64) {
        self.runner.settings.budget = steps;
    }

    /// Returns the values of component 0..3 of v0..v15 in each lane, if the program can read it.
    /// The next run reads them, and may round them to its precision.
    pub fn input_mut(&mut self, register: usize, component: usize) -> Option<&mut [f32; LANES]> {
        self.runner.file.input_mut(&self.code.places, index(register, component)?)
    }

    /// Runs the program in the first `count` lanes; more than [`LANES`] count as that many.
    ///
    /// # Errors
    /// The first vertex for which a [`Machine`](transpica::Machine) returns an error, and that
    /// error. All others have run to their end.
    pub fn run(&mut self, count: usize) -> std::result::Result<(), VertexError> {
        if count > SMALL {
            self.runner.run(&self.code, count);
        } else {
            self.runner.file.give_inputs(&self.code.places, count);
            self.runner.run_small(&self.code, count);
            self.runner.file.take_outputs(&self.code.places, count);
        }
        self.runner.failure.take().map_or(Ok(()), Err)
    }

    /// Returns the values of component 0..3 of o0..o15 in each lane of the last run. The values of
    /// other lanes are not defined. There are no other registers and components.
    pub fn output(&self, register: usize, component: usize) -> Option<&[f32; LANES]> {
        Some(self.runner.file.output(&self.code.places, index(register, component)?))
    }

    /// Returns whether the program can write a component of an output. If not, it has the value of
    /// uninitialized registers in all lanes.
    pub fn is_written(&self, register: usize, component: usize) -> bool {
        index(register, component).is_some_and(|index| self.code.places.get(Bank::Output, index) != NONE)
    }

    /// Returns the number of instructions that the last run executed for a vertex.
    pub fn steps(&self, vertex: usize) -> u64 {
        self.runner.steps(vertex)
    }

    /// Returns whether the loop guard of the settings ended the last run of a vertex.
    pub fn is_stopped(&self, vertex: usize) -> bool {
        vertex < LANES && self.runner.stopped >> vertex & 1 != 0
    }

    /// Runs the program for any number of vertices: v0..v15 of each, and o0..o15 of as many.
    ///
    /// # Errors
    /// The first vertex for which a [`Machine`](transpica::Machine) returns an error, and that
    /// error. All others have run to their end.
    pub fn run_all(
        &mut self,
        inputs: &[[[f32; 4]; 16]],
        outputs: &mut [[[f32; 4]; 16]],
    ) -> std::result::Result<(), VertexError> {
        let mut result = Ok(());
        let batches = inputs.chunks(LANES).zip(outputs.chunks_mut(LANES)).enumerate();
        for (batch, (inputs, outputs)) in batches {
            self.runner.file.load(&self.code.places, inputs);
            let ran = self.run(inputs.len()).map_err(|VertexError { vertex, error }| VertexError {
                vertex: batch * LANES + vertex,
                error,
            });
            result = result.and(ran);
            for register in 0..16 {
                let lanes = |component| self.runner.file.output(&self.code.places, 4 * register + component);
                let [x, y, z, w] = [lanes(0), lanes(1), lanes(2), lanes(3)];
                for ((((output, x), y), z), w) in outputs.iter_mut().zip(x).zip(y).zip(z).zip(w) {
                    output[register] = [*x, *y, *z, *w];
                }
            }
        }
        result
    }
}

/// Index of a component in a bank.
fn index(register: usize, component: usize) -> Option<usize> {
    (register < 16 && component < 4).then_some(4 * register + component)
}
