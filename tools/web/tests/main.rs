//! The engine of the page, the draws that it hands to WebGPU, pixels of pictures; the engine of the
//! extension on tests of the samples.

mod engine;
#[cfg(feature = "extension")]
mod extension;
mod gpu_draw;
mod pick;
