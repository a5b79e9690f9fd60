//! Shaders in WGSL and GLSL as programs, for the page and the extension: in the page an engine of
//! its own, loaded when it is wanted, so that the first one stays small.
//! In: a text, and a name whose extension is that of its language. Out: the text of the program as
//! JSON, or the problem with its place. Keeps nothing.

use std::path::Path;

use serde_json::json;
use transpica_compile::compile::{Report, compile_file};
use wasm_bindgen::prelude::wasm_bindgen;

/// Compiles a shader to a text for the assembler.
#[wasm_bindgen]
pub fn compile(name: &str, text: &str) -> String {
    let compiled = compile_file(Path::new(name), text.as_bytes(), |options| options);
    let report = match compiled.map(|result| result.map_err(|error| error.report())) {
        Some(Ok(compiled)) => return json!({ "text": compiled.text }).to_string(),
        Some(Err(report)) => report,
        None => Report { at: None, message: "no extension of WGSL or GLSL".into(), advice: None },
    };
    let Report { at, message, advice } = report;
    let (line, column) = at.map_or((1, 1), |at| (at.line, at.column));
    let problem =
        json!({ "severity": "error", "message": message, "hint": advice, "line": line, "column": column });
    json!({ "error": problem }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn a_shader_becomes_a_text_or_a_problem_with_its_place() {
        let text = "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {\n    return p;\n}\n";
        let compiled =
            |name: &str, text: &str| -> Value { serde_json::from_str(&compile(name, text)).expect("JSON") };
        let found = compiled("/s/a.wgsl", text);
        let program = found["text"].as_str().unwrap_or_else(|| panic!("{found}"));
        assert!(program.starts_with("; Compiled from main: "), "{program}");
        let wrong = &compiled("/s/a.wgsl", &text.replace("return p", "return q"))["error"];
        assert_eq!((&wrong["line"], &wrong["column"]), (&2.into(), &12.into()), "{wrong}");
        let beyond = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
        let beyond = &compiled("/s/a.wgsl", beyond)["error"];
        assert!(beyond["hint"].as_str().is_some_and(|hint| hint.contains("attribute")), "{beyond}");
        // The language is that of the extension.
        assert!(compiled("/s/a.vert", text)["error"]["message"].is_string());
        let other = &compiled("/s/a.frag", text)["error"];
        assert_eq!(other["message"], "no extension of WGSL or GLSL");
    }
}
