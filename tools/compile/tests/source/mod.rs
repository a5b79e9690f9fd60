//! Vertex shaders of the shapes that public samples have: lowered, and compared with their source.

// The one place that names layers below the public API.

mod compare;
pub mod generate;
mod interface;
mod limits;
mod mutated;
mod random;
mod reader;
mod refused;
mod shaders;
mod together;
