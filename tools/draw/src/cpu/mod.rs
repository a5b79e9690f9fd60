//! The pipeline on the CPU: vertex program, geometry program, primitive assembly.
//!
//! In: the GPU's registers, or executables of a file; vertices, indices. Out: triangles whose
//! vertices have the values that a rasterizer takes. Knows no translation: it is the reference for
//! that, and the fallback of a host without a GPU. Facts: 3dbrew and GBATEK (modes, permutation,
//! topologies), libctru (register configuration of a file), hardware tests (outputs of a geometry
//! program pass the assembler of every topology, citra PR 2865). Not measured, so these choices are
//! ours: a topology keeps no vertex from one draw to the next; vertices too few for an invocation
//! are dropped when a draw ends; a reversed triangle has its first two vertices swapped, or the
//! first and the last (`Outputs::reverse_ends`).
//!
//! Vertices run 64 at a time ([`crate::batch`]), and so do invocations of a geometry program whose
//! results follow from no earlier invocation; others run one after the other. Nothing shows which:
//! values are the same except for the payload of NaN, and limits and errors come where they would.
//!
//! Colors are clamped, z and y follow the options, but quaternions are not brought to one side:
//! that needs whole triangles, and a translated vertex program does not do it either.
//! [`align_quaternions`](transpica::host::align_quaternions) does it for one.
//!
//! Files: `shade.rs` the vertex stage; `feed.rs` vertices to invocations; `geometry.rs` the
//! geometry stage, in batches where invocations are independent; `assembly.rs` triangles; `draw.rs`
//! all together; `demand.rs` whether a result depends on an earlier invocation
//!
//! ```
//! use transpica::{Shbin, Stage};
//! use transpica_draw::cpu::Pipeline;
//! let bytes = std::fs::read("../../shaders/points.shbin")?;
//! let file = Shbin::parse(&bytes)?;
//! let mut pipeline = Pipeline::from_file(&file, 0, Some(1), None, &Default::default())?;
//! let mut uniforms = pipeline.uniforms(Stage::Vertex);
//! for row in 0..4 {
//!     uniforms.floats[row][row] = 1.0; // the projection
//! }
//! pipeline.set_uniforms(Stage::Vertex, &uniforms);
//! let mut uniforms = pipeline.uniforms(Stage::Geometry);
//! uniforms.floats[0] = [0.5, 0.5, 0.0, 0.0]; // the size of a point
//! pipeline.set_uniforms(Stage::Geometry, &uniforms);
//! // One point becomes a square of two triangles.
//! let drawn = pipeline.draw(&[[[0.0, 0.0, -0.5, 1.0]; 16]], None)?;
//! assert_eq!(drawn.outputs()[0].name, "position");
//! let corners: Vec<_> = drawn.triangles().flatten().map(|vertex| [vertex[0][0], vertex[0][1]]).collect();
//! assert_eq!(corners[..3], [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5]]);
//! assert_eq!(drawn.triangles().len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembly;
mod demand;
mod draw;
mod feed;
mod geometry;
mod shade;
#[cfg(test)]
mod tests;

pub use assembly::Assembler;
pub use draw::{DrawLimits, Pipeline, Triangles};
#[doc(hidden)]
pub use transpica::geometry::{GeometryInput, GeometrySetup, Topology};
