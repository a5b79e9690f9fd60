//! Scans and VBC files.

mod again;
mod containers;
mod damage;
mod streams;
mod support;
mod vbc;

/// Counts for the entire process, so tests that ask run [`again`].
#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;
