//! Programs of a file on their way to a translation, or to a run on a GPU.

use clap::Args;
use transpica::host::dvle::{self, FileEnvironment};
use transpica::reflect::Reflection;
use transpica::{Error, Job, Limits, Options, Program, Setup, Shbin, Stage, Translation};
use transpica_inspect::state::State;

use crate::arguments::RouteName;

/// Message for output options of a program that has no such outputs.
pub const NO_OUTPUTS: &str = "--depth, --flip-y, --clip and other output options are for vertex stages";

/// Connection of a geometry program to its vertex program.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct GeometryOptions {
    /// For a geometry program: number of the vertex program before it [default: the nearest in the
    /// file, preferably an earlier one]
    #[arg(long, value_name = "N", conflicts_with = "code", hide_short_help = true)]
    pub vertex: Option<usize>,
    /// For a geometry program: vectors per invocation (point mode) or uniforms from one vertex to
    /// the next (fixed mode) [default: the number of the vertex program's outputs]
    #[arg(long, value_name = "N", conflicts_with = "code", hide_short_help = true)]
    pub stride: Option<u8>,
}

/// A program of a file, ready to be translated.
pub struct Translatable<'a> {
    pub program: Program<'static>,
    pub environment: FileEnvironment<'a>,
    /// Connection of a geometry program.
    setup: Option<Setup>,
    /// The job of a vertex program.
    vertex: Job<'static>,
}

impl<'a> Translatable<'a> {
    /// Takes an executable of a file of this name.
    ///
    /// # Errors
    /// An executable without a valid program, or without a vertex program before it.
    pub fn new(
        file: &'a Shbin<'a>,
        index: usize,
        name: &'a str,
        limits: &Limits,
        (vertex, geometry): (Job<'static>, GeometryOptions),
    ) -> Result<Self, Error> {
        let program = dvle::program(file, index, limits)?;
        let environment = FileEnvironment::new(file, index, name)?;
        let setup = match program.stage() {
            Stage::Vertex => None,
            Stage::Geometry => Some(Setup::with_nearest(file, index, geometry.vertex, geometry.stride)?),
        };
        Ok(Self { program, environment, setup, vertex })
    }
    /// Returns its job: a geometry program becomes a compute stage.
    pub fn job(&self) -> Job<'_> {
        self.setup.as_ref().map_or(self.vertex, Job::Geometry)
    }
    /// Returns the interface of its translation with the names in the file.
    pub fn reflection(&self, translated: &Translation) -> Reflection {
        let reflection = Reflection::new(&self.program, translated, &self.environment.constants());
        reflection.with_symbols(self.environment.executable())
    }
}

/// Run of a program on a GPU.
pub struct GpuRun<'a> {
    pub program: &'a Program<'a>,
    pub environment: &'a FileEnvironment<'a>,
    pub state: &'a State,
    pub options: Options,
    /// Limit of instructions for each vertex or invocation.
    pub budget: u64,
    pub route: Option<RouteName>,
}
