//! Geometry programs: carried state, compute shaders, native stages, batches.

mod batch_geometry;
mod carried_state;
mod comparison;
mod compute;
mod stage;
