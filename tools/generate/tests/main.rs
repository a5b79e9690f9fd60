//! Random programs: what they are, and executors that agree on them.

mod executors;
mod geometry;
mod programs;
