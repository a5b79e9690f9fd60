#![forbid(unsafe_code)]
#![doc = include_str!("README.md")]

pub mod entity;
pub mod error;
mod fields;
pub mod limits;
pub mod precision;
mod stable;

pub mod container;
pub mod isa;

#[cfg(feature = "asm")]
pub mod asm;
pub mod cfg;
pub mod interp;

#[cfg(feature = "asm")]
pub mod dis;
pub mod geometry;
pub mod lint;
pub mod structure;

pub mod host;
pub mod ir;

pub mod lower;

pub mod passes;

pub mod draw;

pub mod backend;
pub mod key;

#[doc = include_str!("guide.md")]
pub mod guide {}

pub mod reflect;
pub mod translate;

#[cfg(all(test, feature = "asm"))]
mod tests;

#[cfg(feature = "glsl")]
pub use backend::text::GlslVersion;
pub use container::Shbin;
pub use error::{Error, Result};
pub use host::{
    Arithmetic, AttributeFormat, AttributeKind, Block, BoolUniforms, ClipPlanes, Control, DepthRange, FlipY,
    IntUniforms, Job, Layout, Options, OutputSet, Outputs, Profile, Setup, Unwritten,
};
pub use key::Key;
pub use reflect::Reflection;
pub use translate::{FileProgram, Translated, Translator};
