//! Semantics: what translated programs compute, without a GPU. Folders: `geometry` programs,
//! `options` of hosts, `robust` against any input.

mod batch;
mod batch_draws;
mod control_flow;
mod forms;
mod geometry;
mod mutants;
mod options;
mod passes;
mod peers;
mod pipeline;
mod ranges;
mod robust;
mod shaders;

#[path = "../../tools/containers/tests/again.rs"]
mod again;
#[path = "../samples.rs"]
mod samples;
#[path = "../../src/cfg/testing.rs"]
#[allow(dead_code, reason = "here all programs are vertex programs")]
mod testing;

// `testing` uses these names, as in the library's own tests.
use transpica::stages::{isa, limits};

/// Counts for the entire process, so tests that ask run [`again`].
#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;
