//! `transpica run` of a geometry program: each element of the state is an invocation, and registers
//! carry over from one to the next.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use transpica::stages::container::{Dvle, GeometryMode, ShaderType, Shbin};
use transpica::stages::error::Error;
use transpica::stages::interp::{Emit, GeometryMachine, Settings};
use transpica::stages::isa::Program;

use super::run::{components, document, to_line};
use crate::state::{Delivered, State};
use crate::trace::Log;
use transpica::stages::isa::limits::FLOATS;

/// Runs all invocations and returns the vertices that each emitted. The log, if any, receives the
/// executed instructions.
pub fn run(
    program: &Program<'_>,
    mask: u16,
    state: &State,
    settings: Settings,
    mut log: Option<&mut Log<'_>>,
    json: bool,
) -> Result<String, Error> {
    let mut machine = GeometryMachine::new(program, mask, settings)?;
    machine.set_uniforms(&state.uniforms);
    let mut shown = Shown::new(mask, json);
    for (vertex, delivered) in state.vertices.iter().zip(&state.delivered) {
        for &(register, value) in delivered {
            machine.deliver(register, &[value.map(f32::from_bits)]);
        }
        let inputs = vertex.map(|register| register.map(f32::from_bits));
        let invocation = match log.as_deref_mut() {
            Some(log) => machine.run_traced(&inputs, log)?,
            None => machine.run(&inputs)?,
        };
        shown.push(invocation.emits());
    }
    Ok(shown.finish())
}

/// Results of invocations, as JSON or as text.
pub struct Shown {
    /// Output registers that are shown.
    mask: u16,
    /// For JSON.
    list: Option<Vec<Value>>,
    table: String,
    count: usize,
}

impl Shown {
    /// No invocation so far.
    pub fn new(mask: u16, json: bool) -> Self {
        Self { mask, list: json.then(Vec::new), table: String::new(), count: 0 }
    }
    /// Adds an invocation.
    pub fn push<'e>(&mut self, emits: impl Iterator<Item = Emit<'e>>) {
        match &mut self.list {
            Some(list) => list.push(to_json(emits, self.mask)),
            None => to_table(self.count, emits, self.mask, &mut self.table),
        }
        self.count += 1;
    }
    /// Returns the text of all of them.
    pub fn finish(self) -> String {
        self.list.map_or(self.table, |list| document("geometry", list))
    }
}

/// Iterates over the registers of a mask.
fn registers(mask: u16) -> impl Iterator<Item = usize> {
    (0..16).filter(move |register| mask >> register & 1 != 0)
}

/// An invocation as JSON.
fn to_json<'e>(emits: impl Iterator<Item = Emit<'e>>, mask: u16) -> Value {
    let emit = |emit: Emit<'_>| {
        let value = |n: usize| components(emit.outputs[n].map(f32::to_bits));
        let outputs: Map<String, Value> = registers(mask).map(|n| (format!("o{n}"), value(n))).collect();
        json!({ "slot": emit.slot, "prim": emit.prim, "invert": emit.invert, "outputs": outputs })
    };
    json!({ "emits": emits.map(emit).collect::<Vec<_>>() })
}

/// An invocation as text.
fn to_table<'e>(number: usize, emits: impl Iterator<Item = Emit<'e>>, mask: u16, text: &mut String) {
    let _ = writeln!(text, "invocation {number}");
    for (number, emit) in emits.enumerate() {
        let triangle = match (emit.prim, emit.invert) {
            (false, _) => "",
            (true, false) => ", triangle",
            (true, true) => ", triangle reversed",
        };
        let _ = writeln!(text, "  emit {number}: slot {}{triangle}", emit.slot);
        for n in registers(mask) {
            let _ = writeln!(text, "  {}", to_line(n, emit.outputs[n]));
        }
    }
}

/// Generates uniforms that the primitive engine could deliver to each of `count` invocations. Their
/// number follows from the executable's mode and the outputs of the file's first vertex program.
pub fn delivered(file: &Shbin<'_>, executable: &Dvle<'_>, seed: u64, count: usize) -> Vec<Delivered> {
    let header = &executable.header;
    let vertex = file
        .executables
        .iter()
        .find(|executable| executable.header.shader_type() == Some(ShaderType::Vertex));
    // Without a vertex program beside it, vertices have one output.
    let outputs = vertex.map_or(1, |vertex| vertex.output_mask().count_ones().max(1) as usize);
    let shape = |number: usize| {
        // A seed of its own keeps these values different from the draw's uniforms and from those of
        // other invocations.
        let values = transpica_generate::uniforms(seed ^ (1 + number as u64) << 32).floats;
        let fill = |first: usize, count: usize| {
            let end = FLOATS.min(first + count);
            // Range: below 96.
            (first..end).map(move |register| (register as u8, values[register].map(f32::to_bits)))
        };
        match header.geometry_mode() {
            Some(GeometryMode::Point) | None => Delivered::new(),
            Some(GeometryMode::Fixed) => {
                let vertices = usize::from(header.geometry_fixed_vertices);
                fill(usize::from(header.geometry_start), vertices * outputs).collect()
            }
            Some(GeometryMode::Variable) => {
                let (main, more) = (usize::from(header.geometry_main_vertices), number % 4);
                let size = [((main + more) as f32).to_bits(); 4];
                std::iter::once((0, size)).chain(fill(1, main * outputs + more)).collect()
            }
        }
    };
    match header.shader_type() {
        Some(ShaderType::Geometry) => (0..count).map(shape).collect(),
        Some(ShaderType::Vertex) | None => Vec::new(),
    }
}
