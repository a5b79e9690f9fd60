//! Semantics: what translated programs compute, without a GPU. Folders: control `flow`, `geometry`
//! programs, the intermediate form `ir`, `options` of hosts, `robust` against any input.

mod batch;
mod batch_draws;
mod control_flow;
mod flow;
mod forms;
mod geometry;
mod ir;
mod modules;
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
#[path = "../support/samples.rs"]
mod samples;
/// Counts for the entire process, so tests that ask run [`again`].
#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;
