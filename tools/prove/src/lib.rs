//! Proof by comparison: checks every form of a program against the interpreter, and shrinks
//! programs that differ.
//! In: random programs of `transpica-generate`, or hand-written ones with expected results. Out:
//! counts, or a [`Disagreement`](chain::Disagreement).
//! [`mutants`] show that the comparisons detect errors, and [`scenes`] provide the draws of the
//! geometry samples.
//! Knows no GPU.

pub mod batch;
pub mod chain;
pub mod control;
pub mod daily;
pub mod expected;
pub mod glslang;
pub mod ir;
pub mod iterations;
pub mod metal;
pub mod mutants;
#[path = "../../../tests/needs/mod.rs"]
pub mod needs;
pub mod passes;
pub mod risk;
pub mod same;
pub mod scenes;
pub mod shrink;
pub mod spirv_tools;
pub mod tally;

pub mod unnamed;
pub mod walk;
