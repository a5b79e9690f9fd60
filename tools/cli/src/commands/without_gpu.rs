//! `on_gpu` of a build without the feature `gpu`: each command says how to get one.

use super::{GpuRun, Input};
use crate::args::{Common, Compare, Doctor, Replay};
use crate::report::Failure;
use transpica_inspect::draw::looks::Look;
use transpica_inspect::draw::picture::Picture;
use transpica_inspect::draw::scene::{ChainInput, Scene};
use transpica_inspect::draw::{Size, Triangle};
use transpica_inspect::results::View;
use transpica_inspect::state::Registers;

/// A GPU, of which there is none.
#[derive(Clone, Copy, Debug)]
pub enum Gpu {}

/// Refuses `draw` on a GPU.
pub fn open(_: Option<&str>, _: &Common) -> Result<Gpu, Failure> {
    Err(absent("draw on a GPU"))
}

/// Output registers of vertices.
pub fn registers(gpu: &Gpu, _: &GpuRun<'_>, _: &Input) -> Result<Vec<Registers>, Failure> {
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
    Err(absent("run --on gpu"))
}

/// Refuses `compare`.
pub fn compare(_: Compare, _: &Common) -> Result<(), Failure> {
    Err(absent("compare"))
}

/// Refuses `doctor`.
pub fn doctor(_: Doctor, _: &Common) -> Result<(), Failure> {
    Err(absent("doctor"))
}

/// Refuses `replay`.
pub fn replay(_: &Replay, _: &Common) -> Result<(), Failure> {
    Err(absent("replay"))
}

fn absent(command: &str) -> Failure {
    Failure::usage(format!("{command}: this build of transpica has no GPU commands"))
        .hint("build it with the default features: cargo install --path tools/cli")
}
