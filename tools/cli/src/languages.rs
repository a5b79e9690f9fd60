//! Shaders in other languages, for `compile` and for every command that reads programs.
//! In: the path and the bytes of a file. Out: a compiled program; an error with its place.

use std::path::Path;

use transpica_compile::compile::{Compiled, compile_file};
use transpica_compile::source::{Language, Options};

use crate::files;
use crate::report::Failure;

/// Compiles a file, with the default options of its language or changed ones.
pub fn compile(
    path: &Path,
    bytes: &[u8],
    options: impl FnOnce(Options) -> Options,
) -> Result<Compiled, Failure> {
    let compiled = compile_file(path, bytes, options).ok_or_else(|| {
        let extensions: Vec<String> =
            Language::extensions().map(|extension| format!(".{extension}")).collect();
        let message = format!("the extension of the file names the language: {}", extensions.join(", "));
        let failure = Failure::usage(format!("{}: {message}", path.display()));
        let is_text = files::is_source(path);
        failure.maybe_hint(is_text.then_some("transpica asm assembles programs of the console as text"))
    })?;
    compiled.map_err(|error| {
        let report = error.report();
        let place = report.at.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
        let message = format!("{}{place}: {}", path.display(), report.message);
        Failure::new(message).maybe_hint(report.advice)
    })
}
