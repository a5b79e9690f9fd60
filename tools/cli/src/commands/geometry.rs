//! `transpica run` of a geometry program: each element of the state is an invocation, and registers
//! carry over from one to the next.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use transpica::stages::container::{Dvle, GeometryMode, ShaderType, Shbin};
use transpica::stages::error::Error;
use transpica::stages::interp::{Emit, GeometryMachine, Settings};
use transpica::stages::isa::Program;

use super::run::{components, document, semantics, to_line};
use crate::state::{Delivered, State};
use crate::symbols::Symbols;
use crate::trace::Log;
use transpica::stages::isa::limits::FLOATS;

/// Form of a result.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Output registers that are passed on.
    pub mask: u16,
    /// As JSON.
    pub json: bool,
    /// Names of the program.
    pub symbols: &'a Symbols,
}

/// Runs all invocations and returns the vertices that each emitted. The log, if any, receives the
/// executed instructions.
pub fn run(
    program: &Program<'_>,
    view: View<'_>,
    state: &State,
    settings: Settings,
    mut log: Option<&mut Log<'_>>,
) -> Result<String, Error> {
    let mut machine = GeometryMachine::new(program, view.mask, settings)?;
    machine.set_uniforms(&state.uniforms);
    let mut shown = Shown::new(view);
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
pub struct Shown<'v> {
    view: View<'v>,
    /// For JSON.
    list: Option<Vec<Value>>,
    table: String,
    count: usize,
}

impl<'v> Shown<'v> {
    /// No invocation so far.
    pub fn new(view: View<'v>) -> Self {
        Self { view, list: view.json.then(Vec::new), table: String::new(), count: 0 }
    }
    /// Adds an invocation.
    pub fn push<'e>(&mut self, emits: impl Iterator<Item = Emit<'e>>) {
        match &mut self.list {
            Some(list) => list.push(to_json(emits, self.view)),
            None => to_table(self.count, emits, self.view, &mut self.table),
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
fn to_json<'e>(emits: impl Iterator<Item = Emit<'e>>, view: View<'_>) -> Value {
    let emit = |emit: Emit<'_>| {
        let value = |n: usize| components(emit.outputs[n].map(f32::to_bits));
        let outputs: Map<String, Value> = registers(view.mask).map(|n| (format!("o{n}"), value(n))).collect();
        json!({ "slot": emit.slot, "prim": emit.prim, "invert": emit.invert, "outputs": outputs,
            "semantics": semantics(&emit.outputs.map(|register| register.map(f32::to_bits)), view.symbols) })
    };
    json!({ "emits": emits.map(emit).collect::<Vec<_>>() })
}

/// An invocation as text.
fn to_table<'e>(number: usize, emits: impl Iterator<Item = Emit<'e>>, view: View<'_>, text: &mut String) {
    let _ = writeln!(text, "invocation {number}");
    for (number, emit) in emits.enumerate() {
        let triangle = match (emit.prim, emit.invert) {
            (false, _) => "",
            (true, false) => ", triangle",
            (true, true) => ", triangle reversed",
        };
        let _ = writeln!(text, "  emit {number}: slot {}{triangle}", emit.slot);
        for n in registers(view.mask) {
            let _ = writeln!(text, "  {}", to_line(n, emit.outputs[n], view.symbols));
        }
    }
}

/// Generates uniforms, as [`generated`](super::run::generated) does, that the primitive engine
/// could deliver to each of `count` invocations.
pub fn delivered(file: &Shbin<'_>, executable: &Dvle<'_>, seed: u64, count: usize) -> Vec<Delivered> {
    deliver(file, executable, count, |number| transpica_generate::uniforms(seed ^ number).floats)
}

/// Delivers values to each of `count` invocations. Their number follows from the executable's mode
/// and the outputs of the file's first vertex program.
pub fn deliver(
    file: &Shbin<'_>,
    executable: &Dvle<'_>,
    count: usize,
    values: impl Fn(u64) -> [[f32; 4]; FLOATS],
) -> Vec<Delivered> {
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
        let values = values((1 + number as u64) << 32);
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
