//! Construction of the file's content.
//! In: the assembled code, descriptors and executables. Out: a container's [`Model`]. Knows no
//! text.
//! Facts: probes; 3dbrew "SHBIN". Symbols and their names are in the order of registers.

use super::executable::{Executable, Export, Stage};
use super::report::quote;
use super::state::{Assembler, Proc};
use transpica::container::{self, Header, Label, Line, Model, NameTable, Symbol};
use transpica::isa::sizes::VERTEX_WORDS;

/// The entry of a symbol.
fn symbol(names: &mut NameTable, Export { name, first, last }: &Export) -> Symbol {
    Symbol { name: names.add(name), first: *first, last: *last }
}

impl Assembler<'_> {
    /// The content of the file, and the same with the names of the sources; meaningless after an
    /// error.
    pub(super) fn models(&mut self) -> (Model, Model) {
        let mut executables = std::mem::take(&mut self.executables);
        executables.retain(|executable| !executable.is_suppressed);
        self.formats = executables.iter_mut().map(|one| std::mem::take(&mut one.formats)).collect();
        let model = self.model(&mut executables);
        let mut named = model.clone();
        for (place, (own, executable)) in named.executables.iter_mut().zip(&executables).enumerate() {
            let container::Executable { names, symbols, labels, .. } = own;
            symbols.extend(executable.hidden.iter().map(|hidden| symbol(names, hidden)));
            // Procedures belong to all sources.
            let procs = self.procs.iter().filter(|_| place == 0);
            let procs = procs.map(|(name, proc)| (name, proc.start, proc.length));
            let targets = executable.targets.iter().map(|(name, &address)| (name, address, 0));
            labels.extend(procs.chain(targets).map(|(name, address, length)| {
                let name = names.add(name.replace('$', ".").as_bytes());
                // Ranges: the number of words is limited.
                Label { name, address: address as u32, id: 0, length: length as u32 }
            }));
        }
        (model, named)
    }

    /// The content of the file.
    fn model(&mut self, executables: &mut [Executable<'_>]) -> Model {
        let executables: Vec<_> = executables.iter_mut().map(|executable| self.convert(executable)).collect();
        if executables.is_empty() && !self.package.is_explicit && !self.messages.has_errors() {
            let text = "no DVLEs can be generated from the given input file(s)";
            let hint =
                "every file is empty or has `.nodvle`; an executable needs a procedure, usually `main`";
            self.messages.error(self.messages.site(""), text, Some(hint.into()));
        }
        let mut names = NameTable::default();
        let mut lines: Vec<Line> = Vec::new();
        for (name, line) in &self.package.lines {
            let file = names.add_after(lines.last().map(|line| line.file), name);
            lines.push(Line { file, line: *line });
        }
        Model {
            version: self.package.version,
            reserved: self.package.reserved,
            code: self.code.iter().map(|word| word.0).collect(),
            descriptors: self.descriptors.table(),
            lines,
            names,
            executables,
        }
    }

    fn convert(&mut self, executable: &mut Executable<'_>) -> container::Executable {
        let (main, endmain) = self.entry_point(executable);
        let kind = u8::from(executable.stage != Stage::Vertex);
        let mut header = Header { main, endmain, kind, ..executable.header };
        for (field, value) in &executable.fields {
            (field.set)(&mut header, *value);
        }
        if !executable.is_unsorted {
            executable.exports.sort_by_cached_key(|export| u64::from(export.first));
        }
        let mut names = NameTable::default();
        let symbols = executable.exports.iter().map(|export| symbol(&mut names, export)).collect();
        let labels = executable.labels.iter();
        let labels = labels.map(|(label, name)| Label { name: names.add(name), ..*label }).collect();
        let constants = std::mem::take(&mut executable.constants);
        let outputs = std::mem::take(&mut executable.outputs);
        container::Executable { header, constants, labels, outputs, symbols, names }
    }

    /// Start and end of the entry point.
    fn entry_point(&mut self, executable: &Executable<'_>) -> (u32, u32) {
        if ["main", "endmain"].iter().all(|name| executable.fields.iter().any(|(f, _)| f.name == *name)) {
            return (0, 0);
        }
        let name = executable.entry;
        let Some(&Proc { start, length, site }) = self.procs.get(name) else {
            if !executable.is_entry_lost && !self.lost_procs.contains(name) {
                let hint = self.messages.suggest(name, self.procs.keys().copied()).unwrap_or_else(|| {
                    "`.entry NAME` names the procedure at which the program begins".into()
                });
                self.messages.error(
                    executable.site,
                    format!("entrypoint '{}' is undefined", quote(name)),
                    Some(hint),
                );
            }
            return (0, 0);
        };
        let site = if executable.is_entry_named { executable.site } else { site };
        if start >= self.code.len() {
            let message = format!("entrypoint '{}' has no instructions", quote(name));
            let hint = "a program needs at least an `end`; this file cannot run";
            if self.code.is_empty() {
                self.messages.warn_at(site, &message, Some(hint));
            } else {
                // Without padding picasso writes such a file, but no loader accepts it.
                self.messages.error(site, message, Some(hint.into()));
            }
        }
        let is_vertex = executable.stage == Stage::Vertex
            && !executable.fields.iter().any(|&(field, value)| field.name == "kind" && value != 0);
        if is_vertex && start >= VERTEX_WORDS as usize {
            let message = format!(
                "a vertex program's entry must lie in the first {VERTEX_WORDS} words, '{}' begins at word {start}",
                quote(name)
            );
            self.messages.warn_at(
                site,
                &message,
                Some("move the procedure to the front of the first source"),
            );
        }
        // Ranges: the number of words is limited.
        (start as u32, (start + length) as u32)
    }
}
