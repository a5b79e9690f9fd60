//! Times the interpreter and batches on vertex programs, side by side.
//! In: `.shbin` files. Out: nanoseconds of a vertex for several batch sizes, with and without
//! vertex fetch and outputs. Uniforms are random except for the file's constants, and so are
//! inputs: vertices take different ways.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use transpica::host::Environment as _;
use transpica::host::dvle::{self, FileEnvironment};
use transpica::interp::{Registers, Settings};
use transpica::{Limits, Machine, Options, Program, Shbin, Stage};
use transpica_draw::batch::{Array, Batch, LANES, Number, Order, Records, VertexAttribute, Vertices};
use transpica_inspect::values::{inputs, uniforms};

/// Vertices at once: a full batch, and smaller ones.
pub const SIZES: [usize; 6] = [LANES, 16, 7, 4, 2, 1];
/// Vertices of a round: few enough that they stay in the caches.
const VERTICES: usize = 8 * LANES;
/// Programs decoded one after the other and kept, as when a game loads.
const DECODED: usize = 8;

/// Results of one program.
pub struct BatchMeasurement {
    /// File name.
    pub file: String,
    /// Index of the executable.
    pub dvle: usize,
    /// Instructions that a vertex executes, on average.
    pub steps: f64,
    /// Words of its code, those that it never executes included.
    pub words: usize,
    /// Nanoseconds of [`Batch::new`] for all words.
    pub decode: f64,
    /// The interpreter.
    pub interpreter: Times,
    /// For each of [`SIZES`], nanoseconds of a vertex.
    pub batches: [Times; SIZES.len()],
}

/// Nanoseconds of a vertex.
#[derive(Clone, Copy)]
pub struct Times {
    /// From registers to registers.
    pub program: f64,
    /// From vertex buffers to records of outputs.
    pub draw: f64,
}

impl Times {
    const NONE: Self = Self { program: f64::INFINITY, draw: f64::INFINITY };
}

/// Times the vertex programs of a file.
pub fn measure(
    path: &Path,
    bytes: &[u8],
    only: Option<usize>,
    repeat: usize,
    options: Options,
) -> Result<Vec<BatchMeasurement>, String> {
    let mut all = Vec::new();
    for_each(path, bytes, only, |dvle, program, environment| {
        let mut measured = measure_program(program, environment, repeat.max(1), options)?;
        (measured.file, measured.dvle) = (path.display().to_string(), dvle);
        all.push(measured);
        Ok(())
    })?;
    Ok(all)
}

/// Calls `run` with each vertex program of a file.
pub fn for_each(
    path: &Path,
    bytes: &[u8],
    only: Option<usize>,
    mut run: impl FnMut(usize, &Program<'_>, &FileEnvironment<'_>) -> Result<(), transpica::Error>,
) -> Result<(), String> {
    let at = |error: transpica::Error| format!("{}: {error}", path.display());
    let file = Shbin::parse(bytes).map_err(at)?;
    for dvle in 0..file.executables.len() {
        let program = dvle::program(&file, dvle, &Limits::default()).map_err(at)?;
        if only.is_none_or(|only| only == dvle) && program.stage() == Stage::Vertex {
            let environment = FileEnvironment::new(&file, dvle, "bench").map_err(at)?;
            run(dvle, &program, &environment).map_err(at)?;
        }
    }
    Ok(())
}

/// Vertices in one buffer, and where their attributes go.
pub struct Mesh {
    bytes: Vec<u8>,
    stride: usize,
    /// Register, first byte, number of components.
    attributes: Vec<(usize, usize, u8)>,
}

impl Mesh {
    /// Floats for each input that a program reads, up to the last component it reads.
    pub fn new(batch: &mut Batch, inputs: &[[[f32; 4]; 16]]) -> Self {
        let (mut attributes, mut stride) = (Vec::new(), 0);
        for register in 0..16 {
            let last = (0..4).rev().find(|&component| batch.input_mut(register, component).is_some());
            if let Some(last) = last {
                attributes.push((register, stride, last as u8 + 1));
                stride += 4 * (last + 1);
            }
        }
        let components = |vertex: &[[f32; 4]; 16]| -> Vec<u8> {
            let of =
                |&(register, _, count): &(usize, usize, u8)| vertex[register].into_iter().take(count.into());
            attributes.iter().flat_map(of).flat_map(f32::to_le_bytes).collect()
        };
        let bytes = inputs.iter().flat_map(components).collect();
        Self { bytes, stride, attributes }
    }

    /// The attributes as a batch takes them, and the one of each register.
    pub fn fetched(&self) -> (Vec<VertexAttribute<'_>>, [Option<u8>; 16]) {
        let mut input_map = [None; 16];
        let mut arrays = Vec::new();
        for &(register, offset, components) in &self.attributes {
            input_map[register] = Some(arrays.len() as u8);
            let (bytes, stride, number) = (&self.bytes[..], self.stride, Number::F32);
            arrays.push(VertexAttribute::Array(Array { bytes, offset, stride, number, components }));
        }
        (arrays, input_map)
    }

    /// Runs the interpreter for a vertex, and writes its record.
    pub fn interpret(
        &self,
        machine: &mut Machine,
        vertex: usize,
        records: &Records,
        to: &mut [f32],
    ) -> Result<(), transpica::Error> {
        let mut inputs = Registers::DEFAULT_INPUTS;
        for &(register, offset, count) in &self.attributes {
            let bytes = &self.bytes[vertex * self.stride + offset..][..4 * usize::from(count)];
            for (value, bytes) in inputs[register].iter_mut().zip(bytes.as_chunks().0) {
                *value = f32::from_le_bytes(*bytes);
            }
        }
        let outputs = machine.run(&inputs)?;
        let record = &mut to[vertex * records.stride..][..records.stride];
        for field in &records.fields {
            let value = field.output.value(outputs, &records.options, &records.host);
            let count = field.output.lanes();
            record[field.offset..][..count].copy_from_slice(&value[..count]);
        }
        Ok(())
    }
}

/// Returns both machines of a program with uniforms of a seed, and a mesh of these vertices.
pub fn prepare(
    program: &Program<'_>,
    environment: &FileEnvironment<'_>,
    settings: Settings,
    seed: u64,
    inputs: &[[[f32; 4]; 16]],
) -> Result<(Machine, Batch, Mesh), transpica::Error> {
    let mut uniforms = uniforms(seed);
    environment.constants().apply(&mut uniforms);
    let (mut machine, mut batch) = (Machine::new(program, settings)?, Batch::new(program, settings)?);
    machine.set_uniforms(&uniforms);
    batch.set_uniforms(&uniforms);
    let mesh = Mesh::new(&mut batch, inputs);
    Ok((machine, batch, mesh))
}

/// Draws a mesh with both machines, which must have the same results, and returns the number of
/// instructions of all its vertices.
fn count_steps(
    machine: &mut Machine,
    batch: &mut Batch,
    mesh: &Mesh,
    records: &Records,
) -> Result<u64, transpica::Error> {
    let (attributes, input_map) = mesh.fetched();
    let mut expected = vec![0.0; VERTICES * records.stride];
    let mut steps = 0;
    for vertex in 0..VERTICES {
        mesh.interpret(machine, vertex, records, &mut expected)?;
        steps += machine.steps();
    }
    let mut found = vec![0.0; expected.len()];
    let order = Order::Range { first: 0, count: VERTICES as u32 };
    batch.run_draw(&Vertices { attributes: &attributes, input_map, order }, records, &mut found)?;
    let is_equal = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    assert!(expected.iter().zip(&found).all(is_equal), "a batch has other results than the interpreter");
    Ok(steps)
}

/// Keeps the shortest time since `start`, in nanoseconds for each of `count`.
fn keep(best: &mut f64, start: Instant, count: usize) {
    *best = best.min(start.elapsed().as_secs_f64() * 1e9 / count as f64);
}

/// Times a program. The rounds of both machines alternate.
fn measure_program(
    program: &Program<'_>,
    environment: &FileEnvironment<'_>,
    repeat: usize,
    options: Options,
) -> Result<BatchMeasurement, transpica::Error> {
    let settings = options.settings(1 << 24);
    let inputs = inputs(1, VERTICES);
    let (mut machine, mut batch, mesh) = prepare(program, environment, settings, 1, &inputs)?;
    let (attributes, input_map) = mesh.fetched();
    let records = Records::from_map(&environment.output_map(), &options);
    let steps = count_steps(&mut machine, &mut batch, &mesh, &records)?;
    let mut buffer = vec![0.0; VERTICES * records.stride];
    let mut best = BatchMeasurement {
        file: String::new(),
        dvle: 0,
        steps: steps as f64 / VERTICES as f64,
        words: program.code().len(),
        decode: f64::INFINITY,
        interpreter: Times::NONE,
        batches: [Times::NONE; SIZES.len()],
    };
    for _ in 0..repeat {
        let start = Instant::now();
        for vertex in &inputs {
            black_box(machine.run(black_box(vertex))?);
        }
        keep(&mut best.interpreter.program, start, VERTICES);
        let start = Instant::now();
        for vertex in 0..VERTICES {
            mesh.interpret(&mut machine, black_box(vertex), &records, &mut buffer)?;
        }
        keep(&mut best.interpreter.draw, start, VERTICES);
        let mut decoded = Vec::with_capacity(DECODED);
        let start = Instant::now();
        for _ in 0..DECODED {
            decoded.push(Batch::new(black_box(program), settings)?);
        }
        keep(&mut best.decode, start, DECODED);
        drop(black_box(decoded));
        for (size, times) in SIZES.into_iter().zip(&mut best.batches) {
            let start = Instant::now();
            for first in (0..VERTICES).step_by(size) {
                let order =
                    Order::Range { first: black_box(first as u32), count: size.min(VERTICES - first) as u32 };
                let vertices = Vertices { attributes: &attributes, input_map, order };
                batch.run_draw(&vertices, &records, &mut buffer[first * records.stride..])?;
            }
            keep(&mut times.draw, start, VERTICES);
            let start = Instant::now();
            for _ in 0..VERTICES / size {
                batch.run(black_box(size))?;
            }
            keep(&mut times.program, start, VERTICES);
        }
        black_box(&buffer);
    }
    Ok(best)
}

/// Prints a row for each program.
pub fn print(all: &[BatchMeasurement]) {
    println!(
        "ns a vertex; draw: from vertex buffers to records of outputs; the rest: from registers to registers"
    );
    print!(
        "{:<32} {:>6} {:>6} {:>9} {:>12} {:>8}",
        "program", "words", "steps", "decode", "interpreter", "draw"
    );
    for size in SIZES {
        print!(" {:>12} {:>8}", format!("{size} lanes"), "draw");
    }
    println!(" {:>8}", "ratio");
    for measured in all {
        let BatchMeasurement { file, dvle, words, steps, decode, interpreter, batches } = measured;
        let Times { program, draw } = interpreter;
        let file = format!("{file}#{dvle}");
        print!("{file:<32} {words:>6} {steps:>6.1} {decode:>9.0} {program:>12.1} {draw:>8.1}");
        for times in batches {
            print!(" {:>12.2} {:>8.2}", times.program, times.draw);
        }
        println!(" {:>8.2}", measured.ratio());
    }
}

/// The figures of a program as JSON.
pub fn to_json(measured: &BatchMeasurement) -> Value {
    let BatchMeasurement { file, dvle, words, steps, decode, interpreter, batches } = measured;
    let batches = SIZES.into_iter().zip(batches);
    let batches = batches
        .map(|(size, times)| json!({ "vertices": size, "program": times.program, "draw": times.draw }));
    json!({
        "file": file, "dvle": dvle, "words": words, "instructions": steps, "decode": decode,
        "interpreter": { "program": interpreter.program, "draw": interpreter.draw },
        "batches": batches.collect::<Vec<_>>(), "ratio": measured.ratio(),
    })
}

impl BatchMeasurement {
    /// Time of a draw in the interpreter, in times of full batches.
    pub fn ratio(&self) -> f64 {
        self.interpreter.draw / self.batches[0].draw
    }
}
