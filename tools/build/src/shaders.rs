//! Shaders in WGSL, GLSL and SPIR-V among the sources: compiled to the assembler's language.
//! In: a path. Out: the text that stands for it, and code of the host in Rust.

use std::fs;
use std::path::Path;

use transpica_compile::compile::compile_file;

use crate::{Failure, Message, Severity, failure};

/// Compiles a shader. Returns its text, and the module that computes its registers.
pub fn compiled(path: &Path) -> Result<(String, String), Failure> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| failure(&format!("{name}: cannot be read: {error}")))?;
    let compiled = compile_file(path, &bytes, |options| options)
        .ok_or_else(|| failure(&format!("{name}: its extension is that of no shading language")))?;
    let compiled = compiled.map_err(|error| {
        let report = error.report();
        let (line, column) = report.at.map_or((1, 1), |at| (at.line, at.column));
        let advice = report.advice.map_or(String::new(), |advice| format!("; {advice}"));
        let text = format!("{}{advice}", report.message);
        let message = Message { severity: Severity::Error, file: name.clone(), line, column, text };
        Failure { summary: format!("{name} does not compile"), messages: vec![message] }
    })?;
    let host = compiled.host_rust();
    Ok((compiled.text, host))
}
