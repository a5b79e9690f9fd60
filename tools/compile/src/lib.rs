//! Programs for the PICA200: whether two compute the same, shorter ones, and ones compiled from
//! shading languages.
//! In: programs of files, or shaders in WGSL, GLSL and SPIR-V. Out: verdicts and programs, each
//! shown equal to its source. Knows no GPU.

#[cfg(feature = "source")]
pub mod compile;
pub mod emit;
pub mod equal;
pub mod optimize;
pub mod paths;
#[cfg(feature = "source")]
pub mod source;

#[cfg(feature = "source")]
use transpica::stages::words;
/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{cfg, geometry, ir, lift, passes, precision, translate};
