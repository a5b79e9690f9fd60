//! Runs of programs on the reference machine, and their results as text or JSON.
//! In: a program, a [`State`]. Out: output registers, EMITs of invocations, documents. Each element
//! of a geometry program's state is an invocation, and registers carry over to the next.

use std::fmt::Write;

use crate::precision;
use serde_json::{Map, Value, json};
use transpica::interp::{Emit, GeometryMachine, Settings, TraceRecord};
use transpica::{Error, Machine, Program, Stage};

use crate::access::outputs_written;
use crate::inputs::Origin;
use crate::json;
use crate::state::{Registers, State, bits, floats};
use crate::symbols::Symbols;

/// Schema of the document of a run.
pub const SCHEMA: &str = "transpica.run/2";

/// A receiver of executed instructions, if there is one.
pub type Trace<'t> = Option<&'t mut dyn FnMut(&TraceRecord)>;

/// Form of a result.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Output registers that are passed on.
    pub mask: u16,
    /// Output registers of a vertex that are listed, [`listed`] or all.
    pub listed: u16,
    /// As JSON.
    pub json: bool,
    /// Names of the program.
    pub symbols: &'a Symbols,
    /// Origin of the inputs, if that is shown.
    pub origin: Option<&'a Origin>,
}

impl View<'_> {
    /// Returns the text in front of results.
    fn head(self) -> String {
        self.origin.map_or_else(String::new, |origin| format!("inputs: {origin}\n"))
    }

    /// Returns a complete result as JSON.
    fn document(self, stage: &str, vertices: Vec<Value>) -> String {
        let mut members = json!({ "stage": stage });
        if let Some(origin) = self.origin {
            members["inputs"] = json!(origin);
        }
        members["vertices"] = vertices.into();
        json::text(&json::document(SCHEMA, members))
    }
}

/// Returns the output registers that a program writes or passes on.
pub fn listed(program: &Program<'_>, passed_on: u16) -> u16 {
    outputs_written(program) | passed_on
}

/// Runs a program of either stage and returns its results.
///
/// # Errors
/// Errors of the machine.
pub fn run_to_text(
    program: &Program<'_>,
    view: View<'_>,
    state: &State,
    settings: Settings,
    trace: Trace<'_>,
) -> Result<String, Error> {
    match program.stage() {
        Stage::Geometry => invocations(program, view, state, settings, trace),
        Stage::Vertex => interpret(program, state, settings, trace).map(|outputs| show(&outputs, view)),
    }
}

/// Runs all invocations and returns the vertices that each emitted. The trace receives the
/// executed instructions.
///
/// # Errors
/// Errors of the machine.
fn invocations(
    program: &Program<'_>,
    view: View<'_>,
    state: &State,
    settings: Settings,
    mut trace: Trace<'_>,
) -> Result<String, Error> {
    let mut machine = GeometryMachine::new(program, view.mask, settings)?;
    machine.set_uniforms(&state.uniforms);
    let mut shown = Shown::new(view);
    for number in 0..state.vertices.len() {
        let inputs = state.begin(number, &mut machine);
        let invocation = match &mut trace {
            Some(trace) => machine.run_traced(&inputs, trace)?,
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
        Self { view, list: view.json.then(Vec::new), table: view.head(), count: 0 }
    }
    /// Adds an invocation.
    pub fn push<'e>(&mut self, emits: impl Iterator<Item = Emit<'e>>) {
        match &mut self.list {
            Some(list) => list.push(emits_to_json(emits, self.view)),
            None => emits_to_table(self.count, emits, self.view, &mut self.table),
        }
        self.count += 1;
    }
    /// Returns the text of all of them.
    pub fn finish(self) -> String {
        self.list.map_or(self.table, |list| self.view.document("geometry", list))
    }
}

/// Iterates over the registers of a mask.
fn registers(mask: u16) -> impl Iterator<Item = usize> {
    (0..16).filter(move |register| mask >> register & 1 != 0)
}

/// An invocation as JSON.
fn emits_to_json<'e>(emits: impl Iterator<Item = Emit<'e>>, view: View<'_>) -> Value {
    let emit = |emit: Emit<'_>| {
        let outputs = bits(emit.outputs);
        let mut value = json!({ "slot": emit.slot, "prim": emit.prim, "invert": emit.invert });
        if let Value::Object(members) = &mut value {
            members.extend(of_registers(&outputs, view.mask, view.symbols));
        }
        value
    };
    json!({ "emits": emits.map(emit).collect::<Vec<_>>() })
}

/// An invocation as text.
fn emits_to_table<'e>(
    number: usize,
    emits: impl Iterator<Item = Emit<'e>>,
    view: View<'_>,
    text: &mut String,
) {
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

/// Returns the output registers of all vertices.
///
/// # Errors
/// Errors of the machine.
pub fn interpret(
    program: &Program<'_>,
    state: &State,
    settings: Settings,
    mut trace: Trace<'_>,
) -> Result<Vec<Registers>, Error> {
    let mut machine = Machine::new(program, settings)?;
    machine.set_uniforms(&state.uniforms);
    let mut all = Vec::with_capacity(state.vertices.len());
    for vertex in &state.vertices {
        let inputs = floats(vertex);
        let outputs = match &mut trace {
            Some(trace) => machine.run_traced(&inputs, trace)?,
            None => machine.run(&inputs)?,
        };
        all.push(bits(outputs));
    }
    Ok(all)
}

/// Replaces any NaN by the canonical one.
fn canonical(bits: u32) -> u32 {
    if f32::from_bits(bits).is_nan() { precision::bits::NAN } else { bits }
}

/// The components of a register as JSON.
pub fn components(register: [u32; 4]) -> Value {
    json!(register.map(|bits| json::word(canonical(bits))))
}

/// Output registers as JSON: their bits by number, by semantic the components in its order, and the
/// numbers of both.
fn of_registers(registers: &Registers, listed: u16, symbols: &Symbols) -> Map<String, Value> {
    let by_number = self::registers(listed).map(|n| (format!("o{n}"), registers[n].to_vec()));
    let by_semantic = symbols.outputs().iter().map(|&(name, register, mask)| {
        let bits = mask.iter().map(|component| registers[register][component.index()]);
        (name.to_owned(), bits.collect::<Vec<u32>>())
    });
    let (mut outputs, mut semantics, mut values) = (Map::new(), Map::new(), Map::new());
    let named = by_number.map(|row| (false, row)).chain(by_semantic.map(|row| (true, row)));
    for (has_name, (name, bits)) in named {
        let words = bits.iter().map(|&bits| json::word(canonical(bits))).collect();
        let numbers = bits.iter().map(|&bits| json::decimal(f32::from_bits(bits))).collect();
        values.insert(name.clone(), numbers);
        if has_name { &mut semantics } else { &mut outputs }.insert(name, words);
    }
    let members = [("outputs", outputs), ("semantics", semantics), ("values", values)];
    members.map(|(name, map)| (name.to_owned(), map.into())).into_iter().collect()
}

/// A register as text, with its semantics.
pub fn to_line(n: usize, register: [f32; 4], symbols: &Symbols) -> String {
    let [x, y, z, w] = register;
    let line =
        format!("  {:<4} {x:>15?} {y:>15?} {z:>15?} {w:>15?}  {}", format!("o{n}"), symbols.semantics(n));
    line.trim_end().to_owned()
}

/// The outputs of all vertices as JSON or as text.
pub fn show(outputs: &[Registers], view: View<'_>) -> String {
    let vertex = |registers: &Registers| of_registers(registers, view.listed, view.symbols).into();
    if view.json {
        view.document("vertex", outputs.iter().map(vertex).collect())
    } else {
        to_table(outputs, view)
    }
}

/// Formats the listed registers of each vertex.
fn to_table(outputs: &[Registers], view: View<'_>) -> String {
    let mut text = view.head();
    for (vertex, values) in outputs.iter().enumerate() {
        let _ = writeln!(text, "vertex {vertex}");
        for n in registers(view.listed) {
            let _ = writeln!(text, "{}", to_line(n, values[n].map(f32::from_bits), view.symbols));
        }
    }
    text
}
