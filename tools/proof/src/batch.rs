//! Compares batches with the reference interpreter, bit for bit: outputs, errors, instruction
//! counts and what the loop guard ended.
//! In: a program, settings, a state. Out: a count, or the first difference.

use crate::generate::{Generated, GeometryDraw, Kind};
use transpica::interp::Settings;
use transpica::isa::{Opcode, Uniforms};
use transpica::{Error, Machine, Options, Program, Stage};
use transpica_draw::batch::{Array, Batch, LANES, Number, Order, Records, VertexAttribute, Vertices};
use transpica_draw::cpu::{Pipeline, Triangles};

use transpica_inspect::executor::{Subnormals, Verdict};

use crate::chain::{Checked, Count, Disagreement, bits};
use crate::executors;

/// Numbers of vertices that are run at once: full and partial batches.
pub const SIZES: [usize; 4] = [1, 11, LANES, LANES + 1];

/// Limit of the instructions of a vertex.
const BUDGET: u64 = 600;

/// Registers of a vertex.
type Registers = [[f32; 4]; 16];

/// A program with its state.
pub struct Case<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// The settings of both machines.
    pub settings: Settings,
    /// The uniforms.
    pub uniforms: &'a Uniforms,
    /// The inputs of each vertex.
    pub inputs: &'a [Registers],
}

/// Draws, and returns the bits of all values. NaN has no payload here.
///
/// # Errors
/// See [`Pipeline::draw`].
pub fn drawn(pipeline: &mut Pipeline, draw: &GeometryDraw) -> Result<Vec<u32>, Error> {
    set_uniforms(pipeline, draw);
    pipeline.draw(&draw.vertices, draw.indices.as_deref()).map(|drawn| words(&drawn))
}

/// As [`drawn`], from a vertex buffer with all registers, to records with room for most triangles.
///
/// # Errors
/// See [`Pipeline::draw_records`].
pub fn drawn_from_buffers(pipeline: &mut Pipeline, draw: &GeometryDraw) -> Result<Vec<u32>, Error> {
    set_uniforms(pipeline, draw);
    let numbers = draw.vertices.as_flattened().as_flattened().iter();
    let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    let array = |register: usize| Array {
        bytes: &bytes,
        offset: 16 * register,
        stride: 256,
        number: Number::F32,
        components: 4,
    };
    let attributes: [_; 16] = std::array::from_fn(|register| VertexAttribute::Array(array(register)));
    let order = match &draw.indices {
        Some(indices) => Order::U32(indices),
        None => Order::Range { first: 0, count: draw.vertices.len() as u32 },
    };
    let vertices = Vertices::new(&attributes, order);
    // What a draw does up to its error shows in the next.
    let Ok(kept) = pipeline.clone().draw_buffers(&vertices) else {
        return pipeline.draw_buffers(&vertices).map(|drawn| words(&drawn));
    };
    let mut records = Records::new(kept.outputs().to_vec(), &Options::default());
    (0..).zip(&mut records.fields).for_each(|(place, field)| field.offset = 4 * place);
    records.stride = 4 * records.fields.len();
    let mut written = vec![0.0; 3 * records.stride * (kept.triangles().len() * 3 / 4)];
    let (count, rest) = pipeline.draw_records(&vertices, &records, &mut written)?;
    assert_eq!(count * 3 * records.stride, written.len());
    Ok(written.iter().map(word).chain(words(&rest)).collect())
}

fn set_uniforms(pipeline: &mut Pipeline, draw: &GeometryDraw) {
    if let Some([vertex, geometry]) = &draw.uniforms {
        pipeline.set_uniforms(Stage::Vertex, vertex);
        pipeline.set_uniforms(Stage::Geometry, geometry);
    }
}

/// The numbers of all triangles; every NaN is one.
fn words(drawn: &Triangles) -> Vec<u32> {
    drawn.triangles().flatten().flatten().flatten().map(word).collect()
}

fn word(value: &f32) -> u32 {
    if value.is_nan() { f32::NAN } else { *value }.to_bits()
}

/// Results of the interpreter for a vertex.
struct Expected {
    outputs: Result<Registers, String>,
    steps: u64,
    is_stopped: bool,
}

impl Case<'_> {
    /// Compares a run of the first vertices, for each number of them.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare(&self, sizes: &[usize]) -> Result<Count, Disagreement> {
        let mut machine = Machine::new(self.program, self.settings).expect("a vertex program");
        machine.set_uniforms(self.uniforms);
        let expected: Vec<Expected> = self.inputs.iter().map(|inputs| expect(&mut machine, inputs)).collect();
        let mut batch = Batch::new(self.program, self.settings).expect("a vertex program");
        batch.set_uniforms(self.uniforms);
        for &size in sizes {
            let size = size.min(self.inputs.len());
            same(&mut batch, &self.inputs[..size], &expected[..size])?;
        }
        let unfinished = expected.iter().filter(|expected| expected.outputs.is_err()).count();
        Ok(Count { programs: 1, vertices: expected.len() - unfinished, unfinished, forms: sizes.len() })
    }
}

fn expect(machine: &mut Machine, inputs: &Registers) -> Expected {
    let outputs = machine.run(inputs).copied().map_err(|error| error.to_string());
    Expected { outputs, steps: machine.steps(), is_stopped: machine.is_stopped() }
}

/// Compares a run of a batch.
fn same(batch: &mut Batch, inputs: &[Registers], expected: &[Expected]) -> Checked {
    let form = format!("a batch of {}", inputs.len());
    let differs = |what: String| Err(Disagreement { form: form.clone(), what });
    let mut outputs = vec![[[f32::NAN; 4]; 16]; inputs.len()];
    let result = batch.run_all(inputs, &mut outputs);
    let found = result.err().map(|found| (found.vertex, found.error.to_string()));
    let first = expected
        .iter()
        .enumerate()
        .find_map(|(vertex, expected)| expected.outputs.as_ref().err().map(|error| (vertex, error.clone())));
    if found != first {
        return differs(format!("{found:?}, expected {first:?}"));
    }
    for (vertex, (expected, found)) in expected.iter().zip(&outputs).enumerate() {
        if let Ok(expected) = &expected.outputs {
            let mut verdict = Verdict::default();
            verdict.vertex(vertex, [&bits(expected), &bits(found)], &[0; 16], Subnormals::Kept);
            executors::check(&form, &verdict, true)?;
        }
    }
    // The batch has the counts of its last lanes only.
    let last = expected.chunks(LANES).next_back().unwrap_or_default();
    for (lane, expected) in last.iter().enumerate() {
        let (steps, is_stopped) = (batch.steps(lane), batch.is_stopped(lane));
        if (steps, is_stopped) != (expected.steps, expected.is_stopped) {
            let Expected { steps: others, is_stopped: stopped, .. } = expected;
            return differs(format!(
                "lane {lane}: {steps} steps, stopped {is_stopped}; expected {others}, {stopped}"
            ));
        }
    }
    Ok(())
}

/// Compares a random program.
///
/// # Errors
/// The first difference.
pub fn compare(generated: &Generated, settings: Settings) -> Result<Count, Disagreement> {
    let budget = match generated.kind {
        Kind::Clean | Kind::Numeric => crate::generate::BUDGET,
        Kind::Wild => BUDGET,
    };
    let mut generated = generated.clone();
    if generated.seed % 4 == 1 {
        // Some end at an undefined opcode, where they reach it.
        let word = generated.seed as usize % generated.code.len();
        generated.code[word] = undefined();
    }
    let (program, uniforms, inputs) =
        (generated.program(), generated.uniforms(), generated.inputs(LANES + 1));
    let permissive = generated.seed % 8 == 5;
    let settings = Settings { budget: budget.min(settings.budget), permissive, ..settings };
    Case { program: &program, settings, uniforms: &uniforms, inputs: &inputs }.compare(&SIZES)
}

/// A word whose opcode is not defined.
fn undefined() -> u32 {
    (0..64).map(|opcode| opcode << 26).find(|&word| Opcode::of_word(word).is_none()).expect("there are some")
}
