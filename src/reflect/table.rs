//! Table form of a reflection: one section for each kind of entry, columns as wide as needed.
//! In: [`Reflection`]. Out: text, with nothing that the data lacks.

use std::fmt;

use super::{
    BlockInfo, GeometryInfo, GuardCounts, OutputInfo, Padding, Reflection, RegisterReads, UniformDefault,
};

/// Rows of cells; the first row is the head.
struct Table(Vec<Vec<String>>);

impl Table {
    fn new(head: &[&str]) -> Self {
        Self(vec![head.iter().map(ToString::to_string).collect()])
    }

    /// Writes a title and its rows; nothing without rows.
    fn write(&self, f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
        if self.0.len() == 1 {
            return Ok(());
        }
        let widths: Vec<usize> = (0..self.0[0].len())
            .map(|column| {
                self.0.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max().unwrap_or(0)
            })
            .collect();
        writeln!(f, "\n{title}")?;
        for row in &self.0 {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("  {cell:<width$}"));
            writeln!(f, "{}", cells.collect::<String>().trim_end())?;
        }
        Ok(())
    }
}

/// Formats registers of a bank, with runs abbreviated: `c0..c3 c8`.
fn registers(bank: char, registers: &[u8]) -> String {
    let runs = registers.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [only] => format!("{bank}{only}"),
        [first, .., last] => format!("{bank}{first}..{bank}{last}"),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(" ")
}

impl fmt::Display for RegisterReads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for (bank, set) in [('v', &self.v), ('c', &self.c), ('i', &self.i), ('b', &self.b)] {
            parts.push(registers(bank, set));
        }
        if let Some(relative) = &self.relative {
            let bases = registers('c', &relative.bases);
            parts.insert(
                2,
                format!("{bases} with an address, which reaches c{}..c{}", relative.first, relative.last),
            );
        }
        parts.retain(|part| !part.is_empty());
        f.write_str(if parts.is_empty() { "nothing" } else { "" })?;
        f.write_str(&parts.join("; "))
    }
}

impl fmt::Display for BlockInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set, binding, hlsl, msl, size, used } = self;
        write!(f, "set {set}, binding {binding}, HLSL {}, MSL {}, {size} bytes", cell(hlsl), slot(*msl))?;
        if used == size { Ok(()) } else { write!(f, ", of which {used} are used") }
    }
}

/// Formats what a language may lack.
fn cell(place: &Option<impl fmt::Display>) -> String {
    place.as_ref().map_or_else(|| "-".into(), ToString::to_string)
}

/// Formats a buffer slot of MSL.
fn slot(slot: Option<u32>) -> String {
    cell(&slot.map(|slot| format!("buffer {slot}")))
}

/// Formats the value of a setup constant: floats as numbers.
fn value(default: &UniformDefault) -> String {
    let is_float = default.register.starts_with('c');
    let words = default
        .value
        .iter()
        .map(|&word| if is_float { f32::from_bits(word).to_string() } else { word.to_string() });
    words.collect::<Vec<_>>().join(" ")
}

/// Formats the destination of an output.
fn place(output: &OutputInfo) -> String {
    match (output.location, &output.built_in) {
        (Some(location), _) => location.to_string(),
        (None, Some(_)) => "built in".into(),
        (None, None) => "-".into(),
    }
}

/// Writes the compute form of a geometry program.
fn write_geometry(f: &mut fmt::Formatter<'_>, geometry: &GeometryInfo) -> fmt::Result {
    writeln!(f, "\ngeometry program, {} mode, {} vectors a vertex", geometry.mode, geometry.vectors)?;
    match geometry.triangles {
        Some(most) => writeln!(f, "  at most {most} triangles an invocation")?,
        None => writeln!(f, "  no bound of the triangles of an invocation is proven")?,
    }
    match geometry.warm {
        Some(0) => writeln!(f, "  each invocation runs by itself")?,
        Some(warm) => writeln!(f, "  a thread runs {warm} invocations before its own")?,
        None => writeln!(f, "  one thread runs all invocations")?,
    }
    writeln!(f, "  numbers of the draw: {}", geometry.draw)?;
    let mut seen = Table::new(&["what", "code word"]);
    seen.0.extend(geometry.sees.iter().map(|seen| vec![seen.what.clone(), format!("{:#x}", seen.at)]));
    seen.write(f, "state carried from earlier invocations")?;
    let mut state = Table::new(&["word", "of", "at first"]);
    state.0.extend(
        geometry.state.iter().enumerate().map(|(word, state)| {
            vec![word.to_string(), state.what.clone(), format!("{:#010x}", state.initial)]
        }),
    );
    state.write(f, "state")
}

impl Reflection {
    /// Writes attributes, blocks and specialization constants.
    fn write_inputs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut attributes =
            Table::new(&["location", "HLSL", "MSL", "register", "type", "components", "name"]);
        attributes.0.extend(self.attributes.iter().map(|a| {
            let msl = cell(&a.msl.map(|attribute| format!("attribute {attribute}")));
            let (register, lanes) = (format!("v{}", a.register), a.components.to_string());
            vec![a.location.to_string(), cell(&a.hlsl), msl, register, a.ty.clone(), lanes, a.name.clone()]
        }));
        attributes.write(f, "attributes")?;
        let mut uniforms = Table::new(&["offset", "registers", "type", "name"]);
        let mut members: Vec<_> = self.uniforms.iter().collect();
        members.sort_by_cached_key(|member| u64::from(member.offset));
        uniforms.0.extend(members.into_iter().map(|u| {
            let bank = u.bank.chars().next().unwrap_or('?');
            let run: Vec<u8> = (u.first..=u.first.saturating_add(u.count.saturating_sub(1))).collect();
            let name = match &u.array {
                None => u.name.clone(),
                Some(array) => format!("{} in {array}", u.name),
            };
            vec![u.offset.to_string(), registers(bank, &run), u.ty.clone(), name]
        }));
        let title = |what: &str, block: &Option<BlockInfo>| match block {
            Some(block) => format!("{what}: {block}"),
            None => what.to_string(),
        };
        uniforms.write(f, &title("uniform block", &self.uniform_block))?;
        if let Some(Padding { offset, size }) = self.padding {
            writeln!(f, "  ones: {size} bytes at {offset}")?;
        }
        let mut host = Table::new(&["offset", "type", "name"]);
        host.0.extend(
            self.host_members.iter().map(|m| vec![m.offset.to_string(), m.ty.clone(), m.name.clone()]),
        );
        host.write(f, &title("host block", &self.host_block))?;
        let mut constants = Table::new(&["id", "type", "name"]);
        constants
            .0
            .extend(self.specialization.iter().map(|s| vec![s.id.to_string(), s.ty.clone(), s.name.clone()]));
        constants.write(f, "specialization constants")
    }

    /// Writes what the stage writes: outputs and buffers.
    fn write_outputs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut outputs = Table::new(&["location", "HLSL", "MSL", "components", "from", "name", ""]);
        outputs.0.extend(self.outputs.iter().map(|o| {
            let note = if o.approximate { "approximate (EX2/LG2)" } else { "" };
            let (lanes, from) = (o.components.to_string(), o.sources.join(" "));
            vec![place(o), cell(&o.hlsl), cell(&o.msl), lanes, from, o.name.clone(), note.into()]
        }));
        outputs.write(f, "outputs")?;
        if let Some(geometry) = &self.geometry {
            write_geometry(f, geometry)?;
        }
        let mut buffers = Table::new(&["binding", "HLSL", "MSL", "type", "", "bytes", "name"]);
        buffers.0.extend(self.buffers.iter().map(|buffer| {
            let access = if buffer.written { "written" } else { "read" };
            let bytes = buffer.stride.map_or("as the draw says".into(), |bytes| bytes.to_string());
            let bytes = format!("{bytes} a {}", buffer.per);
            let (binding, hlsl) = (buffer.binding.to_string(), cell(&buffer.hlsl));
            let (ty, name) = (buffer.ty.clone(), buffer.name.clone());
            vec![binding, hlsl, slot(buffer.msl), ty, access.into(), bytes, name]
        }));
        buffers.write(f, "buffers")?;
        if let Some(slot) = self.module.msl_sizes {
            writeln!(f, "  sizes of these buffers: MSL buffer {slot}")?;
        }
        Ok(())
    }

    /// Writes the values and promises that the module relies on.
    fn write_reliance(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut defaults = Table::new(&["register", "value", ""]);
        defaults.0.extend(self.defaults.iter().map(|d| {
            let note = if d.folded { "a literal" } else { "set by the host" };
            vec![d.register.clone(), value(d), note.into()]
        }));
        defaults.write(f, "setup constants")?;
        let mut promises = Table::new(&["registers", "promise"]);
        let uniforms = &self.promises.uniforms;
        promises.0.extend(uniforms.iter().map(|text| vec![registers('c', &self.promises.c), text.clone()]));
        promises.0.extend(self.promises.v.iter().map(|(v, text)| vec![registers('v', &[*v]), text.clone()]));
        let results = self.promises.results.iter();
        promises.0.extend(results.map(|text| vec!["results".to_owned(), text.clone()]));
        promises.write(f, "promises of the host that it relies on")
    }
}

impl fmt::Display for Reflection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.entry.as_ref().map(|entry| format!(", entry {entry}")).unwrap_or_default();
        let count = &self.instructions;
        let source = if self.source.is_empty() { "program from registers" } else { &self.source };
        writeln!(f, "{source}{entry}: {} stage, {}", self.module.stage, self.tier)?;
        writeln!(
            f,
            "{} of {} words reached: {} arithmetic, {} control, {} nop",
            count.reached, count.code, count.arithmetic, count.control, count.nop
        )?;
        writeln!(f, "reads {}", self.reads)?;
        self.write_inputs(f)?;
        self.write_outputs(f)?;
        self.write_reliance(f)?;
        let GuardCounts { products, nan_tests } = self.guards;
        if products + nan_tests > 0 {
            writeln!(f, "\n{products} products with a guard of 0 · inf, {nan_tests} tests for NaN")?;
        }
        if !self.warnings.is_empty() {
            writeln!(f, "\nwarnings")?;
        }
        self.warnings.iter().try_for_each(|warning| writeln!(f, "  {warning}"))
    }
}
