//! Any bytes: a readable container can be displayed, linted, rewritten, disassembled, translated
//! and reflected.

use std::hint::black_box;

use transpica::container::{Dvle, Model, write};
use transpica::host::dvle::{self, FileEnvironment};
use transpica::isa::Pc;
use transpica::reflect::Reflection;
use transpica::{Job, Limits, Options, Profile, Shbin, Translator};
use transpica_asm::dis::{DisassemblerOptions as Print, content, disassemble};
use transpica_asm::lint;

/// Executables of one file that are checked; thousands may share their bytes.
const EXECUTABLES: usize = 4;

pub fn check(bytes: &[u8]) {
    let Some(file) = super::unless_refused(Shbin::parse(bytes)) else { return };
    for warning in file.warnings() {
        assert!(!warning.to_string().is_empty());
    }
    let model = Model::from(&file);
    let again = write(&model);
    let read = Shbin::parse(&again).expect("what was written can be read");
    assert_eq!(content(&Model::from(&read)), content(&model), "the same after writing it");
    for word in 0..file.package.code.len().min(1 << 12) {
        file.package.source_line(word);
    }
    super::unless_refused(disassemble(&file, &Print::default()));
    for (index, executable) in file.executables.iter().enumerate().take(EXECUTABLES) {
        tables(executable);
        program(&file, index);
    }
}

/// Iterates over every table that `info` prints.
fn tables(executable: &Dvle<'_>) {
    let header = &executable.header;
    black_box((header.shader_type(), header.geometry_mode(), executable.entry_label()));
    for symbol in executable.symbols.iter() {
        black_box((symbol.range(), executable.name(symbol.name).to_text()));
    }
    for constant in executable.constants.iter() {
        black_box(constant.value());
    }
    for output in executable.outputs.iter() {
        black_box(output.semantic());
    }
    for label in executable.labels.iter() {
        black_box(executable.name(label.name).to_text());
    }
    for name in executable.strings.iter() {
        black_box(name.to_text());
    }
}

fn program(file: &Shbin<'_>, index: usize) {
    let limits = Limits::default();
    let Some(program) = super::unless_refused(dvle::program(file, index, &limits)) else { return };
    // Range: at most 4096 words.
    program.warnings((0..program.code().len()).map(|pc| Pc(pc as u16)));
    for finding in lint::lint(&program, file, index, &limits).expect("there") {
        assert!(!finding.to_string().is_empty());
    }
    let environment = FileEnvironment::new(file, index, "any.shbin").expect("there");
    let mut translator = Translator::new(Options::default(), Profile::default());
    if let Some(translated) = super::unless_refused(translator.translate(&program, &environment, Job::Vertex))
    {
        let reflection = Reflection::new(&program, &translated, &environment.constants());
        assert_eq!(reflection.interface.attributes, translated.interface.attributes);
    }
}
