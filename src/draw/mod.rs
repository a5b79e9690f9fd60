//! Draws with a geometry program.
//!
//! * [`cpu`]: the whole pipeline on the processor, the reference and the fallback of hosts;
//! * [`gpu`]: the compute passes around the geometry program, and the plan of their buffers and
//!   dispatches.

pub mod cpu;
pub mod gpu;
