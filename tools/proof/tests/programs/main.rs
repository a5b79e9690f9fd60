//! Random programs: what they are, and executors that agree on them.

mod executors;
mod geometry;
mod programs;
#[cfg(feature = "fuzz")]
mod replay;
mod views;
