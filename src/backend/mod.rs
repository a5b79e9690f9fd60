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
pub mod naga;
#[cfg(feature = "spirv")]
pub mod spirv;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
pub mod text;

#[cfg(any(feature = "spirv", feature = "wgsl", feature = "glsl"))]
pub use interface::{BackendInput, ENTRY_NAME};

#[cfg(any(feature = "wgsl", feature = "glsl"))]
use crate::error::{At, Result};
#[cfg(any(feature = "hlsl", feature = "msl"))]
use crate::error::{Error, Kind};
#[cfg(any(feature = "wgsl", feature = "glsl"))]
use crate::limits::check;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
use crate::program::isa::placed::PlacedText;

/// A text target.
#[cfg(any(feature = "wgsl", feature = "glsl"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// WGSL.
    #[cfg(feature = "wgsl")]
    Wgsl,
    /// GLSL of a version.
    #[cfg(feature = "glsl")]
    Glsl(text::GlslVersion),
    /// HLSL for shader model 5.1.
    #[cfg(feature = "hlsl")]
    Hlsl,
    /// MSL.
    #[cfg(feature = "msl")]
    Msl,
}

/// Returns the module in a language.
///
/// # Errors
/// As the function of that language; a text over the size limit.
#[cfg(any(feature = "wgsl", feature = "glsl"))]
pub fn write(source: &BackendInput<'_>, language: Language) -> Result<String> {
    write_traced(source, language, None)
}

/// Returns the module in a language, with the instructions of the program that each line evaluates
/// values for.
///
/// # Errors
/// As [`write`]; HLSL and MSL, whose lines are naga's.
#[cfg(any(feature = "wgsl", feature = "glsl"))]
pub fn write_placed(source: &BackendInput<'_>, language: Language) -> Result<PlacedText> {
    let mut trace = Vec::new();
    let text = write_traced(source, language, Some(&mut trace))?;
    Ok(text::placed(text, &trace, &source.module.main))
}

#[cfg(any(feature = "wgsl", feature = "glsl"))]
fn write_traced(
    source: &BackendInput<'_>,
    language: Language,
    trace: Option<&mut text::Trace>,
) -> Result<String> {
    #[cfg(any(feature = "hlsl", feature = "msl"))]
    let foreign = |target| Err(Error::new(Kind::TargetLacks { target, what: "places".into() }, At::Whole));
    let text = match language {
        #[cfg(feature = "wgsl")]
        Language::Wgsl => text::wgsl(source, trace),
        #[cfg(feature = "glsl")]
        Language::Glsl(version) => text::glsl(source, version, trace),
        #[cfg(feature = "hlsl")]
        Language::Hlsl if trace.is_some() => foreign("HLSL"),
        #[cfg(feature = "hlsl")]
        Language::Hlsl => naga::hlsl(source),
        #[cfg(feature = "msl")]
        Language::Msl if trace.is_some() => foreign("MSL"),
        #[cfg(feature = "msl")]
        Language::Msl => naga::msl(source),
    }?;
    // The limit counts words of SPIR-V: four bytes of text are one.
    check("output_words", text.len().div_ceil(4), source.limits.output_words, At::Whole)?;
    Ok(text)
}
