//! Makes the content of the file.
//! In: the assembled code, descriptors and executables. Out: a container's [`Model`]. Knows no text.
//! Facts: probes; 3dbrew "SHBIN". Symbols and their names stand in the order of their registers.

use super::assembler::{Assembler, Proc};
use super::executable::{Executable, Geometry, Stage};
use super::report::quote;
use crate::container::{self, Header, Label, Model, NameTable, Symbol, Version};
use crate::isa::limits::VERTEX_WORDS;

impl Assembler<'_> {
    /// The content of the file; what it has where something is wrong means nothing.
    pub(super) fn model(&mut self) -> Model {
        let suppressed = |executable: &Executable<'_>| executable.suppressed;
        let all = std::mem::take(&mut self.executables);
        let executables: Vec<_> =
            all.into_iter().filter(|e| !suppressed(e)).map(|executable| self.convert(executable)).collect();
        if executables.is_empty() && !self.package.is_explicit && !self.has_errors() {
            let text = "no DVLEs can be generated from the given input file(s)";
            let hint =
                "every file is empty or has `.nodvle`; an executable needs a procedure, usually `main`";
            self.error(self.site(""), text, Some(hint.into()));
        }
        let mut names = NameTable::default();
        let lines = self.package.lines(&mut names);
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

    fn convert(&mut self, mut executable: Executable<'_>) -> container::Executable {
        let mut header = self.header(&executable);
        for (field, value) in &executable.fields {
            (field.set)(&mut header, *value);
        }
        if !executable.is_unsorted {
            executable.exports.sort_by_key(|export| export.first);
        }
        let mut names = NameTable::default();
        let exports = executable.exports.iter();
        let symbols =
            exports.map(|e| Symbol { name: names.add(&e.name), first: e.first, last: e.last }).collect();
        let labels = executable.labels.iter();
        let labels = labels
            .map(|l| Label { id: l.id, address: l.address, length: l.length, name: names.add(&l.name) })
            .collect();
        let Executable { constants, outputs, .. } = executable;
        container::Executable { header, constants, labels, outputs, symbols, names }
    }

    fn header(&mut self, executable: &Executable<'_>) -> Header {
        let geometry = match executable.stage {
            Stage::Vertex | Stage::LegacyGeometry => Geometry::default(),
            Stage::Geometry(geometry) => geometry,
        };
        let (main, endmain) = self.entry_point(executable);
        Header {
            version: Version::PICASSO,
            kind: u8::from(executable.stage != Stage::Vertex),
            flags: u8::from(executable.merge),
            main,
            endmain,
            input_mask: executable.input_mask,
            output_mask: executable.output_mask,
            geometry_mode: geometry.mode,
            geometry_start: geometry.start,
            geometry_main_vertices: geometry.main_vertices,
            geometry_fixed_vertices: geometry.fixed_vertices,
        }
    }

    /// Where the entry point begins and ends.
    fn entry_point(&mut self, executable: &Executable<'_>) -> (u32, u32) {
        if ["main", "endmain"].iter().all(|name| executable.fields.iter().any(|(f, _)| f.name == *name)) {
            return (0, 0);
        }
        let name = executable.entry;
        let Some(&Proc { start, length, site }) = self.procs.get(name) else {
            if !executable.is_entry_lost && !self.lost_procs.contains(name) {
                let hint = self.suggest(name, self.procs.keys().copied()).unwrap_or_else(|| {
                    "`.entry NAME` names the procedure at which the program begins".into()
                });
                self.error(executable.site, format!("entrypoint '{}' is undefined", quote(name)), Some(hint));
            }
            return (0, 0);
        };
        let site = if executable.is_entry_named { executable.site } else { site };
        if start >= self.code.len() {
            let message = format!("entrypoint '{}' has no instructions", quote(name));
            let hint = "a program needs an `end` at least; nothing can run this file";
            if self.code.is_empty() {
                self.warn_at(site, &message, Some(hint));
            } else {
                // Without padding picasso writes such a file, but no reader takes it.
                self.error(site, message, Some(hint.into()));
            }
        }
        let is_vertex = executable.stage == Stage::Vertex
            && !executable.fields.iter().any(|&(field, value)| field.name == "kind" && value != 0);
        if is_vertex && start >= VERTEX_WORDS as usize {
            let message = format!(
                "a vertex program's entry must lie in the first {VERTEX_WORDS} words, '{}' begins at word {start}",
                quote(name)
            );
            self.warn_at(site, &message, Some("move the procedure to the front of the first source"));
        }
        // Ranges: the number of words is limited.
        (start as u32, (start + length) as u32)
    }
}
