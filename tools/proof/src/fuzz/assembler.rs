//! Any text: errors or a file, never a panic; the file can be read and matches the assembler's
//! report.

use transpica::Shbin;
use transpica::container::Model;
use transpica_asm::{AssemblerOptions, SourceText, assemble_with};

/// Separator between the sources of one input.
const BETWEEN: &str = "\u{1e}";

pub fn check(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let sources: Vec<_> = text.split(BETWEEN).map(|text| SourceText { name: "any.pica", text }).collect();
    for no_nop in [false, true] {
        match assemble_with(&sources, &AssemblerOptions { no_nop }) {
            Ok(assembled) => {
                let file = Shbin::parse(&assembled.bytes).expect("what was assembled can be read");
                assert_eq!(Model::from(&file), assembled.model, "the bytes are the model");
                assert_eq!(assembled.places.len(), assembled.model.code.len(), "a place for each word");
            }
            Err(report) => {
                assert!(!report.errors.is_empty() && !report.to_string().is_empty());
                for diagnostic in report.errors.iter().chain(&report.warnings) {
                    let span = diagnostic.span;
                    let text = sources[span.source].text;
                    assert!(
                        text.get(span.start..span.start + span.length).is_some(),
                        "{diagnostic}: {span:?}"
                    );
                }
            }
        }
    }
}
