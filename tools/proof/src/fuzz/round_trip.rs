//! Any container: its disassembly assembles to the same content. The input is a file, or one
//! encoded by [`Input`].

use arbitrary::Unstructured;
use transpica::Shbin;
use transpica::container::{Model, write};
use transpica_asm::dis::{DisassemblerOptions, content, disassemble};
use transpica_asm::{SourceText, assemble};

use super::Input;

pub fn check(bytes: &[u8]) {
    if bytes.starts_with(b"DVLB") {
        if let Ok(file) = Shbin::parse(bytes) {
            text(&file);
        }
    } else if let Ok(input) = Input::read(&mut Unstructured::new(bytes)) {
        let bytes = write(&input.model);
        Shbin::parse(&bytes).iter().for_each(text);
    }
}

fn text(file: &Shbin<'_>) {
    let wanted = content(&Model::from(file));
    for hex in [false, true] {
        let Some(text) = super::unless_refused(disassemble(file, &DisassemblerOptions { hex })) else {
            return;
        };
        let again = assemble(&[SourceText { name: "text", text: &text }]);
        let again = again.unwrap_or_else(|report| panic!("{report}\n{text}"));
        assert_eq!(content(&again.model), wanted, "{text}");
    }
}
