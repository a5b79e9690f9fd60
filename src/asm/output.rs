//! Makes the content of the file.
//! In: the assembled code, descriptors and executables. Out: a container's [`Model`]. Knows no text.
//! Facts: probes; 3dbrew "SHBIN". Symbols and their names stand in the order of their registers.

use super::assembler::{Assembler, Proc};
use super::executable::{Executable, Geometry, Stage};
use super::report::Diagnostic;
use crate::container::{self, Descriptor, Header, Model, NameTable, Symbol, Version};

impl Assembler<'_> {
    /// The content of the file.
    pub(super) fn model(&mut self) -> Result<Model, Diagnostic> {
        let mut executables = Vec::new();
        for executable in std::mem::take(&mut self.executables) {
            if !executable.suppressed {
                executables.push(self.convert(executable)?);
            }
        }
        if executables.is_empty() {
            let text = "no DVLEs can be generated from the given input file(s)";
            return Err(self.diagnostic(self.site(""), text));
        }
        let descriptors = self.descriptors.bits();
        Ok(Model {
            code: self.code.iter().map(|word| word.0).collect(),
            descriptors: descriptors.map(|bits| Descriptor { bits, ..Descriptor::default() }).collect(),
            executables,
            ..Model::default()
        })
    }

    fn convert(&self, mut executable: Executable<'_>) -> Result<container::Executable, Diagnostic> {
        let Some(&Proc { start, length }) = self.procs.get(executable.entry) else {
            let text = format!("entrypoint '{}' is undefined", executable.entry);
            return Err(self.diagnostic(executable.site, text));
        };
        // picasso writes such a file, but nothing can run it.
        if start >= self.code.len() {
            let text = format!("entrypoint '{}' has no instructions", executable.entry);
            return Err(self.diagnostic(executable.site, text));
        }
        let geometry = match executable.stage {
            Stage::Vertex | Stage::LegacyGeometry => Geometry::default(),
            Stage::Geometry(geometry) => geometry,
        };
        let header = Header {
            version: Version::PICASSO,
            kind: u8::from(executable.stage != Stage::Vertex),
            flags: u8::from(executable.merge),
            // Ranges: the number of words is limited.
            main: start as u32,
            endmain: (start + length) as u32,
            input_mask: executable.input_mask,
            output_mask: executable.output_mask,
            geometry_mode: geometry.mode,
            geometry_start: geometry.start,
            geometry_main_vertices: geometry.main_vertices,
            geometry_fixed_vertices: geometry.fixed_vertices,
        };
        executable.exports.sort_by_key(|export| export.first);
        let mut names = NameTable::default();
        let exports = executable.exports.iter();
        let symbols = exports
            .map(|e| Symbol { name: names.add(e.name.as_bytes()), first: e.first, last: e.last })
            .collect();
        let Executable { constants, outputs, .. } = executable;
        Ok(container::Executable { header, constants, labels: Vec::new(), outputs, symbols, names })
    }
}
