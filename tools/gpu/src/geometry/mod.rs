//! Runs draws with geometry programs headless: the passes of [`transpica::chain`] around the compute entries of both programs.
//! In: shaders, how the draw is set up, vertices. Out: finished triangles, as bits and as buffers for an indirect draw.

mod stage;

pub use stage::run_pass;
