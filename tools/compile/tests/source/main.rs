//! Vertex shaders of the shapes that public samples have: lowered, and compared with their source.

mod compare;
mod generate;
mod interface;
mod limits;
mod mutated;
mod random;
mod refused;
mod shaders;
