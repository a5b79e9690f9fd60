//! Back ends: the intermediate form and the host interface become a module of a target language.
//! In: a legalised [`ir::Module`](crate::ir::Module) with its [`host::Interface`](crate::host::Interface). Out: SPIR-V words, a
//! naga module, or text. Knows neither PICA200 encodings nor control-flow graphs.

#[cfg(feature = "naga")]
pub mod naga_ir;
#[cfg(feature = "spirv")]
pub mod spirv;
#[cfg(any(feature = "wgsl", feature = "glsl", feature = "hlsl", feature = "msl"))]
pub mod text;
pub mod interface;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
pub mod text2;
