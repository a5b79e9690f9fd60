//! Views of programs for people: tables, graphs, values of registers, recorded runs, pictures. The
//! command line and the page share them.
//!
//! In: a parsed file, settings, values. Out: JSON values, texts, SVG, triangles, pixels. Reads no
//! file, has no clock, starts no thread, and knows no command line.

pub mod access;
pub mod ancestry;
pub mod dead;
pub mod draw;
pub mod executor;
pub mod graph;
pub mod inputs;
pub mod json;
pub mod matrix;
pub mod promises;
pub mod recording;
pub mod reflection;
pub mod results;
pub mod saved;
#[cfg(feature = "spirv-asm")]
pub mod spirv;
pub mod state;
pub mod symbols;
pub mod tables;
pub mod values;

/// Layers below the public API on which this crate relies: their version is pinned.
#[cfg(feature = "spirv-asm")]
use transpica::stages::backend;
use transpica::stages::{cfg, entity, precision, words};
