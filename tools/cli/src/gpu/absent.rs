//! A build without the feature `gpu`: commands say how to get one.

use transpica_inspect::draw::looks::Look;
use transpica_inspect::draw::picture::Picture;
use transpica_inspect::draw::scene::{ChainInput, Scene};
use transpica_inspect::draw::{Size, Triangle};
use transpica_inspect::executor::{Case, Outputs};
use transpica_inspect::results::View;
use transpica_inspect::state::Registers;

use crate::input::Input;
use crate::jobs::GpuRun;
use crate::report::{Common, Failure};

/// A GPU, which this build cannot open.
#[derive(Clone, Copy, Debug)]
pub enum Gpu {}

/// Refuses `draw` on a GPU.
pub fn open(_: Option<&str>, _: &Common) -> Result<Gpu, Failure> {
    Err(Failure::left_out("draw on a GPU", "gpu"))
}

/// Output registers of vertices.
pub fn registers(gpu: &Gpu, _: &GpuRun<'_>, _: &Input) -> Result<Vec<Registers>, Failure> {
    match *gpu {}
}

/// Output registers of vertices, for tests.
pub fn outputs(gpu: &Gpu, _: &Case<'_>) -> Outputs {
    match *gpu {}
}

/// Triangles of a geometry program.
pub fn triangles(
    gpu: &Gpu,
    _: &Scene<'_>,
    _: usize,
    _: &ChainInput,
    _: &Input,
) -> Result<Vec<[f32; 4]>, Failure> {
    match *gpu {}
}

/// A picture of triangles.
pub fn paint(gpu: &Gpu, _: &[Triangle], _: &Look, _: Size, _: bool) -> Result<Picture, Failure> {
    match *gpu {}
}

/// Refuses `run --on gpu`.
pub fn run(_: &GpuRun<'_>, _: View<'_>, _: Option<&str>, _: &Input, _: &Common) -> Result<String, Failure> {
    Err(Failure::left_out("run --on gpu", "gpu"))
}
