//! Proof by comparison and by solvers: checks every form of a program against the interpreter,
//! shrinks programs that differ, and proves rewrites for all inputs.
//! In: random programs ([`generate`]), or hand-written ones with expected results. Out: counts, or
//! a [`Disagreement`](chain::Disagreement).
//! [`mutants`] show that the comparisons detect errors, and [`scenes`] provide the draws of the
//! geometry samples; [`smt`] asks solvers, and `fuzz` has the bodies of the fuzz targets.
//! Knows no GPU: programs on a driver are in the tests.

pub mod batch;
pub mod chain;
pub mod control;
pub mod executors;
pub mod expected;
#[cfg(feature = "fuzz")]
pub mod fuzz;
pub mod generate;
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
pub mod smt;
pub mod spirv_machine;
pub mod spirv_tools;
pub mod tally;
pub mod unnamed;
pub mod walk;

pub use needs::daily;
