//! Comparisons with a driver of Vulkan or OpenGL.
//! `drivers` also runs on a second driver of Vulkan, SwiftShader (`cargo xtask test
//! --second-driver`). The others stand apart: `opengl` has one driver and `wgsl_corpus` opens none;
//! the rest was never tried there. A test that passes there is to move to `drivers`.

#[macro_use]
extern crate transpica_proof;

mod compiled;
mod contexts;
mod drivers;
mod marks;
mod native;
mod native_geometry;
mod opengl;
mod opengl_geometry;
mod opengl_main;
mod page_draws;
mod quaternions;
mod random;
mod random_geometry;
mod relative_reads;
mod replay;
mod samples;
mod snapped_depth;
mod valid;
mod wgsl_corpus;

#[path = "../../../containers/tests/again.rs"]
mod again;
