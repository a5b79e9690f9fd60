//! Shaders in other languages, for `compile` and for every command that reads programs.
//! In: the path and the bytes of a file. Out: a compiled program; an error with its place.

use std::path::Path;

use transpica_compile::compile::{Compiled, Error, compile as compiled};
use transpica_compile::source::{self, Language, Options, read};

use crate::report::Failure;

/// Compiles a file, with the default options of its language or changed ones.
pub fn compile(
    path: &Path,
    bytes: &[u8],
    options: impl FnOnce(Options) -> Options,
) -> Result<Compiled, Failure> {
    let language = Language::of(path).ok_or_else(|| {
        let message = "the extension names the language: .wgsl, .glsl, .vert, .vs, .spv";
        Failure::usage(format!("{}: {message}", path.display()))
    })?;
    let failed = |error: &source::Error| {
        let place = error.at.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
        let message = format!("{}{place}: {}", path.display(), error.kind);
        Failure::new(message).maybe_hint(error.kind.advice())
    };
    let source = read(language, bytes).map_err(|error| failed(&error))?;
    compiled(&source, &options(Options::of(language))).map_err(|error| match error {
        Error::Source(error) => failed(&error),
        other => Failure::new(format!("{}: {other}", path.display())),
    })
}
