//! Tests of shaders: cases in TOML or in Rust, with coverage and mutation.
//! In: sources or a container, values, expected outputs. Out: failures with the instructions that
//! made a wrong component. Every program runs on the reference machine of `transpica`, which has an
//! end for each.
//!
//! ```
//! use transpica_unit::{IDENTITY, Shader, near};
//! let shader = Shader::load(&["../../shaders/textured.v.pica"])?;
//! let run = shader
//!     .vertex()
//!     .uniform("projection", IDENTITY)
//!     .uniform("modelView", IDENTITY)
//!     .attribute("inpos", [0.0, 1.0, 0.0, 1.0])
//!     .attribute("incol", [255.0, 0.0, 51.0, 255.0])
//!     .run();
//! assert_eq!(run.position(), [0.0, 1.0, 0.0, 1.0]);
//! run.assert("color", near([1.0, 0.0, 0.2, 1.0]).epsilon(1e-5));
//! # Ok::<(), transpica_unit::Problem>(())
//! ```
#![forbid(unsafe_code)]

mod case;
pub mod coverage;
mod expect;
mod file;
pub mod matrix;
mod mutate;
mod report;
mod run;
mod shader;
#[cfg(feature = "proptest")]
pub mod strategies;
mod toml;
mod values;
mod vertex;

#[cfg(test)]
mod tests;

pub use case::{Case, Checked, ExpectedTriangle, Row};
pub use expect::{Difference, Expectation, Expected, Output, Tolerance, near};
pub use file::{ENDING, TestFile};
pub use matrix::IDENTITY;
pub use mutate::Mutant;
pub use run::{BUDGET, Batched, Cpu, Executor, Outcome, Trial, Triangle, Vertex, run};
pub use shader::{Executable, Problem, Shader};
pub use vertex::{Argument, Ran, VertexRun};
