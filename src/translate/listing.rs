//! The listing of a program as a source for debuggers.
//! In: a program. Out: a line for each code word up to the last reachable one. Knows no names.
//! Only what keys append may show, so each line shows the canonical word.

use crate::flow::cfg::reach::reach;
use crate::host::debug_source::DebugSource;
use crate::program::isa::Program;
use crate::program::isa::canonical::canonical;
use crate::program::isa::decode::decode;

/// Returns the listing. Line n + 1 has the instruction at address n, if it is reachable.
pub(super) fn source(program: &Program<'_>) -> DebugSource {
    let mut listed = Vec::new();
    reach(program, |pc, word| {
        let canonical = canonical(word, program.descriptors(), program.stage());
        let inst = decode(canonical.word, canonical.descriptor.as_slice());
        if listed.len() <= pc.index() {
            listed.resize(pc.index() + 1, String::new());
        }
        listed[pc.index()] = format!("{pc}: {inst}");
    });
    let lines = (1..).zip(&listed).map(|(line, text)| if text.is_empty() { 0 } else { line }).collect();
    DebugSource { name: "program".into(), text: listed.join("\n"), lines, ..DebugSource::default() }
}
