//! Proof by comparison: what the interpreter makes of a program against every other form of it, and the smallest program
//! that still differs.
//! In: random programs of `transpica-generate`, or written ones with known results. Out: counts, or a [`Disagreement`](chain::Disagreement).
//! [`mutants`] show that the comparisons notice errors, and [`scenes`] are what tests draw with the geometry samples.
//! Knows no GPU.

pub mod chain;
pub mod expected;
pub mod geometry;
pub mod glslang;
pub mod iterations;
pub mod metal;
pub mod modules;
pub mod mutants;
pub mod passes;
pub mod same;
pub mod scenes;
pub mod shrink;
pub mod spirv_tools;
pub mod tally;
pub mod walk;
