//! Code generators: lower the intermediate form and the host interface to a module of a target
//! language.
//! In: a legalized [`ir::Module`](crate::ir::Module) with its
//! [`host::Interface`](crate::host::Interface). Out: SPIR-V words, WGSL or GLSL, and HLSL and MSL
//! from WGSL by naga. Knows neither PICA200 encodings nor control-flow graphs.
//!
//! Files: `interface.rs` what generators share: bindings, workgroup size, checks, the statements
//! around a geometry program; `spirv/` words; `text/` WGSL and GLSL; `naga.rs` the naga module,
//! HLSL, MSL.
//!
//! Text is printed from the IR, not from a `naga::Module`: naga's writers give every call and load
//! a numbered name and GLSL's instances names that no host can link with, they never say `precise`,
//! and hints of registers are lost on the way. So WGSL and GLSL need no naga. naga comes after
//! the WGSL: `naga.rs` reads our text into a module, which wgpu takes as it is and from which
//! naga's writers make HLSL and MSL.

#[cfg(any(feature = "spirv", feature = "wgsl", feature = "glsl"))]
mod interface;
#[cfg(feature = "naga")]
#[cfg_attr(not(any(feature = "hlsl", feature = "msl")), expect(dead_code, reason = "for naga's writers"))]
pub mod naga;
#[cfg(feature = "spirv")]
pub mod spirv;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
#[cfg_attr(
    not(all(feature = "wgsl", feature = "glsl")),
    expect(dead_code, reason = "each language needs its own part")
)]
pub mod text;

#[cfg(any(feature = "spirv", feature = "wgsl", feature = "glsl"))]
pub use interface::{BackendInput, ENTRY_NAME};
#[cfg(any(feature = "wgsl", feature = "glsl"))]
pub use text::{Language, write, write_placed};
