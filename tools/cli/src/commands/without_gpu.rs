//! `on_gpu` of a build without the feature `gpu`: each command says how to get one.

use super::{GpuRun, Input};
use crate::args::{Common, Compare, Doctor};
use crate::report::Failure;

/// Refuses `run --on gpu`.
pub fn run(_: GpuRun<'_>, _: &Input, _: &Common) -> Result<String, Failure> {
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

fn absent(command: &str) -> Failure {
    Failure::usage(format!("{command}: this build of transpica has no GPU commands"))
        .hint("build it with its default features: cargo install --path tools/cli")
}
