#![forbid(unsafe_code)]
#![doc = include_str!("README.md")]

/// Internal modules, for the tools and tests of this repository. They change without notice.
#[doc(hidden)]
#[path = ""]
pub mod stages {
    pub mod entity;
    pub mod error;
    pub(crate) mod fields;
    pub mod limits;
    pub mod precision;
    pub(crate) mod stable;

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

    pub mod reflect;
    pub mod translate;
}

use stages::*;

#[doc = include_str!("guide.md")]
pub mod guide {}

#[cfg(all(test, feature = "asm"))]
mod tests;

#[cfg(feature = "glsl")]
pub use backend::text::GlslVersion;
pub use container::Shbin;
pub use error::{At, Error, Kind, Result};
pub use host::{
    Arithmetic, AttributeFormat, AttributeKind, Binding, Bindings, Block, BoolUniforms, ClipPlanes, Control,
    DepthRange, FlipY, HostValues, IntUniforms, Interface, Job, Layout, Locations, Options, Outputs, Profile,
    RegisterState, Setup, Unwritten, pack,
};
pub use interp::Machine;
pub use isa::{Program, Stage};
pub use key::{Key, key};
pub use limits::Limits;
pub use precision::Precision;
pub use reflect::Reflection;
pub use translate::{FileProgram, Tier, Translated, Translator};
