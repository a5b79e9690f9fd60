//! The entire text: the package, then one section for each executable.
//! In: the content of a file, and a form. Out: text, or nothing if the form cannot express the
//! file. Knows no single instruction.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::code::Printer;
use super::layout::{Kind, Layout};
use super::names::{NameSet, spelling};
use super::symbols::{Registers, library};
use super::tables::{self, Section};
use super::{DisassemblerOptions, Form};
use crate::asm::syntax::{Space, UniformKind, name_text, version_number};
use transpica::container::{Executable, Labels, Model, Version};

/// Uniforms of the sections so far, as the assembler tracks them.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    pub space: Space,
    pub declared: BTreeMap<String, (UniformKind, u32, u32)>,
}

/// Prints a file in one form.
pub(super) fn text(model: &Model, form: Form, options: DisassemblerOptions) -> Option<String> {
    let layout = if form.readable { Layout::new(model) } else { Layout::flat(model) };
    let procs = proc_names(model, &layout);
    let mut out = String::new();
    package(&mut out, model, form);
    let mut shared = Shared::default();
    let mut printer = Printer::new(model, form, options, &layout, &procs);
    if model.executables.is_empty() {
        out.push_str(".nodvle\n");
        printer.section(&mut out, 0..model.code.len(), &Registers::default(), None)?;
    }
    if form.readable && model.executables.len() > 1 {
        library(&mut out, model, &mut shared);
    }
    let mut start = 0;
    for (index, executable) in model.executables.iter().enumerate() {
        let end = layout.ends.get(index).copied().unwrap_or(start).max(start);
        if model.executables.len() > 1 {
            let separator = if index > 0 { "\n" } else { "" };
            let _ = writeln!(out, "{separator}.dvle");
        }
        let (main, endmain) = range(executable);
        let entry = procs.name(main, endmain);
        let section = Section { code: &model.code[start..end], entry, form };
        let registers = tables::print(&mut out, executable, &section, &mut shared);
        printer.section(&mut out, start..end, &registers, Some(executable))?;
        start = end;
    }
    Some(out)
}

/// Names of the registers of each executable, as [`text`] prints them.
pub(super) fn registers(model: &Model, form: Form, layout: &Layout) -> Vec<Registers> {
    let (mut out, mut shared) = (String::new(), Shared::default());
    if form.readable && model.executables.len() > 1 {
        library(&mut out, model, &mut shared);
    }
    let mut all = Vec::with_capacity(model.executables.len());
    let mut start = 0;
    for (index, executable) in model.executables.iter().enumerate() {
        let end = layout.ends.get(index).copied().unwrap_or(start).max(start);
        let section = Section { code: &model.code[start..end], entry: None, form };
        out.clear();
        all.push(tables::print(&mut out, executable, &section, &mut shared));
        start = end;
    }
    all
}

/// Prints the package.
fn package(out: &mut String, model: &Model, form: Form) {
    // Writing to a string cannot fail, here and below.
    let version = version_number(model.version);
    if model.version != Version::default() || model.executables.is_empty() {
        let _ = writeln!(out, ".package version {version:#x}");
    }
    if model.reserved != 0 {
        let _ = writeln!(out, ".package reserved {:#x}", model.reserved);
    }
    for line in &model.lines {
        let _ = writeln!(out, ".line {} {}", name_text(model.names.get(line.file).0), line.line);
    }
    if form.verbatim {
        out.push_str(".verbatim\n");
    }
    if form.descriptors {
        for descriptor in &model.descriptors {
            let _ = write!(out, ".opdesc {:#010x}", descriptor.bits);
            if descriptor.usage != 0 || descriptor.reserved != 0 {
                let _ = write!(out, " {:#x}", descriptor.usage);
            }
            if descriptor.reserved != 0 {
                let _ = write!(out, " {:#x}", descriptor.reserved);
            }
            out.push('\n');
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
}

/// Names of procedures by start and end.
#[derive(Debug, Default)]
pub(super) struct ProcNames(BTreeMap<(usize, usize), String>);

impl ProcNames {
    /// The name of a procedure.
    pub fn name(&self, start: usize, end: usize) -> Option<&str> {
        self.0.get(&(start, end)).map(String::as_str)
    }
}

/// Names the procedures of a file.
pub(super) fn proc_names(model: &Model, layout: &Layout) -> ProcNames {
    let mut taken = NameSet::default();
    // Labels have precedence; without one the first entry point is `main`.
    let first_main = model.executables.first().map(range);
    let labels = labels(model);
    let mut entries = BTreeMap::new();
    for (index, executable) in model.executables.iter().enumerate() {
        entries.entry(range(executable)).or_insert(index);
    }
    let mut names = BTreeMap::new();
    let mut unnamed = Vec::new();
    for block in layout.blocks.iter().filter(|block| block.kind == Kind::Proc) {
        let range = (block.start, block.end);
        let name = match (entries.get(&range), labels.get(&block.start)) {
            (_, Some(label)) if taken.insert(label) => label.clone(),
            (Some(_), _) if first_main == Some(range) && taken.insert("main") => "main".to_owned(),
            (Some(index), _) => taken.insert_unique(format!("main_{index}")),
            (None, _) => {
                unnamed.push(range);
                continue;
            }
        };
        names.insert(range, name);
    }
    // After all others, so that invented names give way to labels.
    for range in unnamed {
        names.insert(range, taken.insert_unique(format!("proc_{:x}", range.0)));
    }
    ProcNames(names)
}

/// Start and end of an executable's entry point.
fn range(executable: &Executable) -> (usize, usize) {
    (executable.header.main as usize, executable.header.endmain as usize)
}

/// The names of addresses from the label tables: among several the one of least rank, then the
/// first.
fn labels(model: &Model) -> BTreeMap<usize, String> {
    let mut best: BTreeMap<usize, (_, String)> = BTreeMap::new();
    for executable in &model.executables {
        let named = || executable.labels.iter().map(|label| (*label, executable.names.get(label.name)));
        let labels = Labels::new(named(), executable.header.main, executable.header.endmain);
        for (label, name) in named() {
            let address = label.address as usize;
            let rank = labels.rank(label, name);
            if address < model.code.len()
                && best.get(&address).is_none_or(|(least, _)| rank < *least)
                && let Some(name) = spelling(name.0)
            {
                best.insert(address, (rank, name));
            }
        }
    }
    best.into_iter().map(|(address, (_, name))| (address, name)).collect()
}
