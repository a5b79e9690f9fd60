//! Vertex shaders of the shapes that public samples have: lowered, and compared with their source.

mod compare;
mod generate;
mod mutated;
mod random;
mod refused;
mod shaders;
