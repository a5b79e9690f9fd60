//! The languages, those that naga writes among them.
//! In: a [`BackendInput`] and a language. Out: text, with the instructions of its lines where
//! those are asked for. Knows no dialect.

#[cfg(feature = "glsl")]
use super::GlslVersion;
use super::functions::{Trace, placed};
#[cfg(any(feature = "hlsl", feature = "msl"))]
use super::module::lacks;
use crate::backend::interface::BackendInput;
#[cfg(any(feature = "hlsl", feature = "msl"))]
use crate::backend::naga;
use crate::error::{At, Result};
use crate::limits::check;
use crate::program::isa::placed::PlacedText;

/// A text target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// WGSL.
    #[cfg(feature = "wgsl")]
    Wgsl,
    /// GLSL of a version.
    #[cfg(feature = "glsl")]
    Glsl(GlslVersion),
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
pub fn write(source: &BackendInput<'_>, language: Language) -> Result<String> {
    write_traced(source, language, None)
}

/// Returns the module in a language, with the instructions of the program that each line evaluates
/// values for.
///
/// # Errors
/// As [`write`]; HLSL and MSL, whose lines are naga's.
pub fn write_placed(source: &BackendInput<'_>, language: Language) -> Result<PlacedText> {
    let mut trace = Vec::new();
    let text = write_traced(source, language, Some(&mut trace))?;
    Ok(placed(text, &trace, &source.module.main))
}

fn write_traced(source: &BackendInput<'_>, language: Language, trace: Option<&mut Trace>) -> Result<String> {
    #[cfg(any(feature = "hlsl", feature = "msl"))]
    let foreign = |target| Err(lacks(target, "places"));
    let text = match language {
        #[cfg(feature = "wgsl")]
        Language::Wgsl => super::wgsl(source, trace),
        #[cfg(feature = "glsl")]
        Language::Glsl(version) => super::glsl(source, version, trace),
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
