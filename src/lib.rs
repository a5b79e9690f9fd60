//! Translation of PICA200 shader programs (Nintendo 3DS) to SPIR-V, WGSL, GLSL, HLSL and MSL.
//!
//! ```no_run
//! use transpica::{Options, Shbin};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let bytes = std::fs::read("lights.shbin")?;
//!     let module = Shbin::parse(&bytes)?.program(0)?.translate(&Options::default())?;
//!     let words: Vec<u32> = module.spirv()?; // also wgsl() and glsl(version)
//!     std::fs::write("lights.spv", words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
//!     Ok(())
//! }
//! ```
//!
//! Input is a `.shbin` file ([`Shbin`]), or code words and registers as a GPU holds them
//! ([`RegisterState`], [`Program::from_raw`]). [`Options`] choose what the module computes,
//! [`Profile`] adapts it to host and driver. A [`Translator`] reuses its memory from program to
//! program and does every [`Job`]:
//!
//! | job | result | SPIR-V | WGSL | GLSL | HLSL, MSL |
//! |---|---|---|---|---|---|
//! | [`Job::Vertex`] | vertex stage | yes | yes | 330 to 460, 300 to 320 es | yes |
//! | [`Job::Compute`] | a vertex program over a buffer | yes | yes | 430 to 460, 310 and 320 es | yes |
//! | [`Job::Geometry`] | a geometry program over a buffer | yes | yes | 430 to 460, 310 and 320 es | yes |
//! | [`Job::Draw`] | vertex stage that draws its triangles, or vertices from the CPU | yes | yes | 330 to 460, 300 to 320 es | yes |
//! | [`Job::GeometryStage`] | native geometry stage | yes | no | 330 to 460, 320 es | no |
//! | [`Job::BeforeGeometry`] | vertex stage before that | yes | yes ¹ | 330 to 460, 300 to 320 es ¹ | yes ¹ |
//! | [`Job::Quaternions`] | geometry stage after a vertex stage, for quaternions | yes | no | 410 to 460 | no |
//!
//! ¹ WGSL, HLSL and MSL have no geometry stage to follow it. Their text declares a position that no
//! stage reads.
//!
//! Besides translation, there are cache keys ([`Key`]), data about a program
//! ([`reflect::Reflection`]) and the reference machine ([`Machine`]).
//!
//! Two crates accompany this one. `transpica-draw` runs 64 vertices side by side and whole draws
//! with geometry programs on the CPU, and plans such draws on the GPU. `transpica-asm` has an
//! assembler, a disassembler and findings about doubtful code.
//!
//! No input makes it panic. An [`Error`] has a place and says what to do. The same input and
//! options produce the same SPIR-V words in every process.
//!
//! # Features
//!
//! From a clone: `transpica = { path = "../transpica", features = ["wgsl"] }`.
//!
//! | feature | brings |
//! |---|---|
//! | `spirv` (default) | SPIR-V words |
//! | `wgsl`, `glsl` | text, without more dependencies |
//! | `naga` | a `naga::Module`, read from the WGSL |
//! | `hlsl`, `msl` | text, by naga |
//! | `serde` | serializable options, profile and reflection |
//!
//! # Guide
//!
//! [`guide::emulator`] leads from GPU registers to a cache on disk, [`guide::folders`] from many
//! files to modules, on one machine or many. [`guide::drivers`] is the table of what drivers do
//! wrong and what is done about it. [`guide::support`] lists inputs, outputs and evidence,
//! [`guide::jobs`] what the command line does, [`guide::instructions`] the bits of code words,
//! [`guide::architecture`] how it works.

#![forbid(unsafe_code)]
// docs.rs builds with nightly, which then shows the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod backend;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod flow;
pub mod geometry;
#[doc(hidden)]
pub mod interface;
#[doc(hidden)]
pub mod ir;
#[doc(hidden)]
pub mod lift;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod passes;
#[doc(hidden)]
pub mod program;
#[doc(hidden)]
pub mod support;
#[doc(hidden)]
pub mod translate;

/// Environment of a program: registers, constants and hooks, and the interface of its module:
/// attributes, uniform block, outputs.
pub mod host {
    // In: choices of a host, writes of registers, tables of files. Out: the same, checked. Must not
    // know: interfaces of modules, the IR, the back ends. This module shows those interfaces, too;
    // layers import from the files.
    //
    // Files: `settings/` options, profile and what else a host chooses; `registers/` GPU registers;
    // `hooks.rs` changes that a host makes to programs; `constants.rs` values that a file sets;
    // `debug_source.rs` sources for debuggers and names.

    #[doc(hidden)]
    pub mod constants;
    #[doc(hidden)]
    pub mod debug_source;
    #[doc(hidden)]
    pub mod hooks;
    #[doc(hidden)]
    pub mod registers;
    #[doc(hidden)]
    pub mod settings;

    pub use crate::interface::{
        ArrayName, Attribute, Bank, ComponentSource, DrawEnvironment, EntryPoint, Environment,
        EnvironmentInterface, FileEnvironment, Hooked, HostValues, Interface, Location, Member, MemberType,
        Output, OutputValue, Padding, Sourced, Uniform, UniformBlock, Usage, align_quaternions, pack,
        redirect,
    };
    #[doc(hidden)]
    pub use crate::interface::{attach, layout, varying};
    pub use crate::program::executable::Procedure;
    pub use crate::support::fields::{DrawField, HostField, WORKGROUP};
    pub use constants::Constants;
    pub use debug_source::DebugSource;
    pub use hooks::{Hook, HookOperand, OutputHook};
    #[doc(hidden)]
    pub use registers::RegisterState;
    pub use registers::{OutputMap, RegisterView, number};
    pub use settings::{IntPacking, RegisterLayout};

    /// Programs and constants of executables.
    #[doc(hidden)]
    pub mod dvle {
        pub use super::constants::constants;
        pub use crate::interface::FileEnvironment;
        pub use crate::program::executable::program;
    }
}

/// The layers below the public API. The version number does not cover them: any release may change
/// them. The modules themselves must be public for that; their path is here.
#[doc(hidden)]
pub mod stages {
    pub use crate::flow::{cfg, structure};
    pub use crate::machine::{interp, precision};
    pub use crate::program::{container, isa};
    pub use crate::support::{entity, fields, names, words};
    pub use crate::translate::{key, reflect};
    pub use crate::{backend, error, geometry, host, interface, ir, lift, limits, passes, translate};
}

// One module for each subject; `src/README.md` has the rule.
#[doc(inline)]
pub use host::settings;
pub use machine::interp;
pub use program::{container, isa};
pub use translate::reflect;

/// Chapters that accompany the reference.
pub mod guide {
    // The example of GLSL needs that feature.
    #[cfg_attr(any(not(doctest), feature = "glsl"), doc = include_str!("guide/emulator.md"))]
    pub mod emulator {}

    #[doc = include_str!("guide/drivers.md")]
    pub mod drivers {}

    #[doc = include_str!("guide/folders.md")]
    pub mod folders {}

    #[doc = include_str!("guide/jobs.md")]
    pub mod jobs {}

    #[doc = include_str!("guide/support.md")]
    pub mod support {}

    #[doc = include_str!("program/isa/README.md")]
    pub mod instructions {}

    #[doc = include_str!("README.md")]
    pub mod architecture {}
}

#[cfg(test)]
mod tests;

#[cfg(feature = "glsl")]
pub use backend::text::GlslVersion;
pub use container::Shbin;
pub use error::{At, Code, Error, Kind, Result, Warning};
pub use host::RegisterState;
pub use host::settings::{Job, Options, Profile, Setup};
pub use isa::{Program, Stage};
pub use limits::Limits;
pub use machine::interp::Machine;
pub use machine::precision::Precision;
pub use translate::key::Key;
pub use translate::{FileProgram, Tier, Translation, Translator, key};
