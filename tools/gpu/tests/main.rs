//! Comparisons with a driver of Vulkan or OpenGL.
//! `drivers` also runs on a second driver of Vulkan, SwiftShader (`cargo xtask test
//! --second-driver`). The others stand apart: `opengl` has one driver and `wgsl_corpus` opens none;
//! the rest was never tried there. A test that passes there is to move to `drivers`.

#[macro_use]
extern crate transpica_prove;

mod drivers;
mod native_geometry;
mod opengl;
mod opengl_geometry;
mod opengl_main;
mod page_draws;
mod quaternions;
mod random_geometry;
mod relative_reads;
mod replay;
mod snapped_depth;
mod wgsl_corpus;

#[path = "../../containers/tests/again.rs"]
mod again;
#[path = "support/opengl.rs"]
mod contexts;
#[path = "support/native.rs"]
mod native;
#[path = "support/random.rs"]
mod random;
#[path = "support/samples.rs"]
mod samples;
mod support;
#[path = "support/valid.rs"]
mod valid;
