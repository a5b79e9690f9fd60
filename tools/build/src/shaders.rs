//! Shaders in WGSL, GLSL and SPIR-V among the sources: compiled to the assembler's language.
//! In: a path. Out: the text that stands for it, and code of the host in Rust.

use std::fs;
use std::path::Path;

use transpica_compile::compile::{Error, compile};
use transpica_compile::source::{Language, Options, read};

use crate::{Failure, Message, Severity, failure};

/// Compiles a shader. Returns its text, and the module that computes its registers.
pub fn compiled(path: &Path, language: Language) -> Result<(String, String), Failure> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| failure(&format!("{name}: cannot be read: {error}")))?;
    let summary = format!("{name} does not compile");
    let refused = |error: transpica_compile::source::Error| {
        let (line, column) = error.at.map_or((1, 1), |at| (at.line, at.column));
        let advice = error.kind.advice().map_or(String::new(), |advice| format!("; {advice}"));
        let text = format!("{}{advice}", error.kind);
        let message = Message { severity: Severity::Error, file: name.clone(), line, column, text };
        Failure { summary: summary.clone(), messages: vec![message] }
    };
    let source = read(language, &bytes).map_err(refused)?;
    let compiled = compile(&source, &Options::of(language)).map_err(|error| match error {
        Error::Source(error) => refused(error),
        other => failure(&format!("{name}: {other}")),
    })?;
    Ok((compiled.text.clone(), compiled.host_rust()))
}
