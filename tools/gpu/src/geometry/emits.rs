//! Compares every EMIT of a geometry program, with all registers, between interpreter and GPU.
//! In: a geometry program, and the registers at the start of each invocation. Out: records of
//! EMITs, or a [`Verdict`].
//! Knows no vertex program.

use crate::limits;
use crate::precision::arith;
use transpica::geometry::Dependence;
use transpica::geometry::kernel::RECORDED;
use transpica::host::{Environment, HostValues, WORKGROUP};
use transpica::interp::{GeometryMachine, Invocation, Settings, Uniforms};
use transpica::settings::Block;
use transpica::{At, Error, Job, Kind, Options, Program, Translation, Translator};
use transpica_draw::gpu::Draw;
use wgpu::BufferUsages;

use super::memory::Memory;
use super::stage::{self, KernelBuffers, KernelShape, Stage};
use crate::compare::{self, CompareError, Verdict};
use crate::driver::Facts;
use crate::{Gpu, GpuError, Registers, Route, Shader};
use transpica::isa::sizes::FLOATS;
use transpica_inspect::executor::Subnormals;

/// Initial capacity of an invocation in EMITs, if no smaller number is proven.
const FIRST_EMITS: u32 = 32;
/// Largest number of EMITs of one invocation in a comparison.
const MOST_EMITS: u32 = 4096;
/// Vectors per invocation in the feed: v0..v15 and c0..c95.
const WINDOW: u32 = 112;
/// Registers at the start of an invocation, as f32 bits.
#[derive(Clone, Debug)]
pub struct InvocationInput {
    /// Input registers v0..v15.
    pub inputs: Registers,
    /// Float uniforms c0..c95.
    pub floats: [[u32; 4]; FLOATS],
}

/// One EMIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Index of the invocation that executed it.
    pub invocation: usize,
    /// The vertex slot, 0 to 3.
    pub slot: u8,
    /// True if it submits a triangle.
    pub prim: bool,
    /// True if it reverses the triangle's winding.
    pub invert: bool,
    /// o0..o15 as f32 bits; outputs that are not passed on are (0, 0, 0, 1).
    pub outputs: Registers,
}

/// Input of a comparison of EMITs.
#[derive(Clone, Copy)]
pub struct EmitCase<'a> {
    /// The geometry program.
    pub program: &'a Program<'a>,
    /// Its constants and names.
    pub environment: &'a dyn Environment,
    /// Mask of the outputs that are passed on: bit n = output register n.
    pub outputs: u16,
    /// All uniform registers; floats are replaced by those of each invocation.
    pub uniforms: &'a Uniforms,
    /// Registers at the start of each invocation.
    pub given: &'a [InvocationInput],
    /// Options; the entry point is always the compute entry.
    pub options: Options,
    /// Limit of instructions per invocation on the interpreter.
    pub budget: u64,
}

/// Returns the options of a program whose EMITs are recorded.
fn compute_options(case: &EmitCase<'_>) -> Options {
    Options {
        block: Block {
            // Constants of the file arrive with the other registers of an invocation.
            fold_constants: false,
            ..case.options.block
        },
        ..case.options
    }
}

/// Translates a case for [`run_emits`].
///
/// # Errors
/// Errors of the library, and naga's.
pub fn translate(
    gpu: &Gpu,
    case: &EmitCase<'_>,
    route: Route,
) -> Result<(Translation, Shader), CompareError> {
    let mut translator = Translator::new(compute_options(case), gpu.profile(route));
    let translated =
        translator.translate(case.program, case.environment, Job::Emits { outputs: case.outputs })?;
    let shader = compare::shader(gpu, &mut translator, &translated, route)?;
    Ok((translated, shader))
}

/// Runs a program whose EMITs are recorded, from its initial state.
///
/// # Errors
/// A program translated with other options; more EMITs than a buffer holds; errors of the driver or
/// wgpu.
pub fn run_emits(
    gpu: &Gpu,
    translated: &Translation,
    shader: Shader,
    case: &EmitCase<'_>,
) -> Result<Vec<Record>, CompareError> {
    let given = case.given;
    let kernel = translated.interface.kernel().filter(|kernel| kernel.records_emits);
    let Some(kernel) = kernel else {
        return Err(Error::setup("a program whose EMITs are recorded is wanted").into());
    };
    if given.is_empty() {
        return Ok(Vec::new());
    }
    limits::check("invocations of a run", given.len(), super::MOST_BYTES / (WINDOW * 16), At::Whole)?;
    let stage = gpu.checked(|| Ok(Stage::new(gpu, shader, &stage::KERNEL)))?;
    // Range: an invocation takes 1,792 bytes of memory.
    let invocations = given.len() as u32;
    let first = kernel.triangles.map_or(FIRST_EMITS, |most| most.clamp(1, FIRST_EMITS));
    // Capacity of a thread, once a run has measured the need.
    let mut room = None;
    let vectors = 3 * kernel.vectors;
    loop {
        let mut draw = distribute(kernel.dependence, invocations, gpu.facts().most_invocations());
        draw.capacity = room.unwrap_or(first.saturating_mul(draw.chunk));
        let bytes = u64::from(draw.threads) * u64::from(draw.capacity) * u64::from(vectors) * 16;
        if bytes > u64::from(super::MOST_BYTES) {
            let kind = Kind::Limit {
                name: "EMITs of a thread",
                value: draw.capacity as usize,
                limit: super::MOST_BYTES,
            };
            return Err(Error::new(kind, At::Whole).into());
        }
        let is_split = kernel.is_split() && draw.threads > 1;
        let run = Run { gpu, translated, stage: &stage, case, draw, is_split, bytes };
        let (words, counts) = gpu.checked(|| run.submit())?;
        let largest = counts.iter().copied().max().unwrap_or(0);
        if largest > draw.capacity {
            room = Some(largest);
            continue;
        }
        return Ok(records(&words, &counts, draw.capacity, vectors, kernel.setup.outputs));
    }
}

/// Distributes invocations to threads that run at most `most` each; the capacity is left open.
fn distribute(dependence: Dependence, invocations: u32, most: u32) -> Draw {
    let (chunk, warm) = match dependence {
        Dependence::None => (1, 0),
        Dependence::Depth(depth) => (16.max(8 * depth), depth),
        Dependence::Unbounded => (invocations, 0),
    };
    let chunk = chunk.min(most.saturating_sub(warm)).clamp(1, invocations);
    let threads = invocations.div_ceil(chunk);
    let (window, capacity) = (WINDOW, 0);
    Draw { threads, invocations, chunk, warm, window, capacity, respects_winding: 0, first_thread: 0 }
}

/// One attempt at running all threads.
struct Run<'a> {
    gpu: &'a Gpu,
    translated: &'a Translation,
    stage: &'a Stage,
    case: &'a EmitCase<'a>,
    draw: Draw,
    /// True if each thread has its own dispatch.
    is_split: bool,
    bytes: u64,
}

impl Run<'_> {
    /// Runs all threads; returns their records and their numbers of records.
    fn submit(&self) -> Result<(Vec<u32>, Vec<u32>), GpuError> {
        let Self { gpu, translated, case, draw, .. } = *self;
        let state = translated.interface.kernel().into_iter().flat_map(|kernel| &kernel.state);
        let mut state: Vec<u32> = state.map(|word| word.initial).collect();
        state.resize(2 * state.len(), 0);
        // Modules copy vectors of the feed into registers without conversion, so round them here.
        let rounded =
            |bits: u32| arith::load(case.options.arithmetic.precision, f32::from_bits(bits)).to_bits();
        let given = case.given.iter();
        let vectors = given.flat_map(|given| given.inputs.iter().chain(&given.floats));
        let feed: Vec<u32> = vectors.flatten().copied().map(rounded).collect();
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let uniform = |bytes: &[u8]| gpu.filled(bytes, BufferUsages::UNIFORM);
        let feed = gpu.filled(bytemuck::cast_slice(&feed), storage);
        let made = gpu.buffer(self.bytes, storage);
        let half = state.len() as u64 * 2;
        let state = gpu.filled(bytemuck::cast_slice(&state), storage);
        let mut commands = gpu.device.create_command_encoder(&Default::default());
        let mut memory = Memory::new();
        let counts = memory.counts.reserve(gpu, u64::from(draw.threads.max(4)) * 4);
        let block = uniform(&compare::uniform_bytes(translated, case.uniforms));
        let buffers = KernelBuffers {
            feed: (&feed).into(),
            triangles: (&made).into(),
            block: (&block).into(),
            counts: (&counts).into(),
            state,
            host: (&uniform(&HostValues::default().pack())).into(),
        };
        let draws = draw.dispatches(self.is_split).map(|draw| (&uniform(&draw.to_bytes())).into());
        let threads = if self.is_split { 1 } else { draw.threads };
        let shape = KernelShape { draws: draws.collect(), groups: [threads.div_ceil(WORKGROUP), 1, 1], half };
        self.stage.run_draw(gpu, &mut commands, &mut memory, shape, &buffers);
        gpu.submit(commands)?;
        Ok((gpu.read(&made, self.bytes)?, gpu.read(&counts, u64::from(self.draw.threads) * 4)?))
    }
}

/// Decodes the records of all threads in order.
fn records(words: &[u32], counts: &[u32], capacity: u32, vectors: u32, passed_on: u16) -> Vec<Record> {
    let (all, _rest) = words.as_chunks::<4>();
    let number = |bits: u32| f32::from_bits(bits) - RECORDED;
    let default = [0, 0, 0, 1f32.to_bits()];
    let mut found = Vec::new();
    for (thread, &count) in counts.iter().enumerate() {
        let start = thread * capacity as usize;
        for record in all.chunks_exact(vectors as usize).skip(start).take(count as usize) {
            let [slot, prim, invert, invocation] = record[0];
            let mut outputs = [default; 16];
            let registers = (0..16usize).filter(|register| passed_on >> register & 1 != 0);
            for (register, &value) in registers.zip(&record[1..]) {
                outputs[register] = value;
            }
            found.push(Record {
                invocation: number(invocation) as usize,
                slot: number(slot) as u8,
                prim: f32::from_bits(prim) != 0.0,
                invert: f32::from_bits(invert) != 0.0,
                outputs,
            });
        }
    }
    found
}

/// Builds an interpreter with the case's uniforms.
fn machine(case: &EmitCase<'_>, subnormals: Subnormals) -> Result<GeometryMachine, Error> {
    let flush_subnormals = subnormals == Subnormals::Flushed;
    let settings = Settings { flush_subnormals, ..case.options.settings(case.budget) };
    let mut machine = GeometryMachine::new(case.program, case.outputs, settings)?;
    machine.set_uniforms(case.uniforms);
    machine.set_most_emits(MOST_EMITS);
    Ok(machine)
}

/// Runs the next invocation.
fn run<'m>(machine: &'m mut GeometryMachine, given: &InvocationInput) -> Result<&'m Invocation, Error> {
    machine.deliver(0, &given.floats.map(|register| register.map(f32::from_bits)));
    machine.run(&given.inputs.map(|register| register.map(f32::from_bits)))
}

/// Returns the interpreter's records and the number of invocations it finished. It stops at the
/// first one that exceeds the budget.
fn reference(case: &EmitCase<'_>, subnormals: Subnormals) -> Result<(Vec<Record>, usize), Error> {
    let mut machine = machine(case, subnormals)?;
    let mut records = Vec::new();
    for (invocation, given) in case.given.iter().enumerate() {
        let ran = match run(&mut machine, given) {
            Ok(ran) => ran,
            Err(Error { kind: Kind::StepBudget(_) | Kind::Limit { .. }, .. }) => {
                return Ok((records, invocation));
            }
            Err(error) => return Err(error),
        };
        records.extend(ran.emits().map(|emit| Record {
            invocation,
            slot: emit.slot,
            prim: emit.prim,
            invert: emit.invert,
            outputs: std::array::from_fn(|register| match case.outputs >> register & 1 {
                0 => [0, 0, 0, 1f32.to_bits()],
                _passed_on => emit.outputs[register].map(f32::to_bits),
            }),
        }));
    }
    Ok((records, case.given.len()))
}

/// Runs a geometry program on interpreter and GPU and compares every EMIT; the verdict counts
/// emitted vertices. The GPU runs only the invocations before the first that the interpreter does
/// not finish.
///
/// # Errors
/// Errors of the library, the interpreter or the GPU; those of [`check_emits`] if values differ.
pub fn compare_emits(gpu: &Gpu, case: &EmitCase<'_>, route: Route) -> Result<Verdict, CompareError> {
    let facts = gpu.facts();
    let (expected, finished) = reference(case, facts.subnormals)?;
    let given = &case.given[..finished];
    let (translated, shader) = translate(gpu, case, route)?;
    let found = run_emits(gpu, &translated, shader, &EmitCase { given, ..*case })?;
    let mut verdict = verdict(case, &expected, &found, facts.subnormals);
    verdict.unfinished = case.given.len() - finished;
    if !verdict.passed() {
        check_emits(&EmitCase { given, ..*case }, facts)?;
    }
    Ok(verdict)
}

/// Checks that the driver leaves no loop of any invocation early.
///
/// # Errors
/// [`GpuError::TooLong`] if it may, and errors of the interpreter.
pub fn check_emits(case: &EmitCase<'_>, facts: &Facts) -> Result<(), CompareError> {
    let Some(rounds) = facts.loop_rounds else { return Ok(()) };
    let (_, short) = reference(&EmitCase { budget: facts.most_steps(), ..*case }, facts.subnormals)?;
    // The first invocation that is too long ends the count.
    match case.given.len() - short {
        0 => Ok(()),
        left => Err(GpuError::TooLong { invocations: left, of: case.given.len(), rounds }.into()),
    }
}

/// Compares the records of the interpreter and of the GPU, both by invocation.
fn verdict(case: &EmitCase<'_>, expected: &[Record], found: &[Record], subnormals: Subnormals) -> Verdict {
    let setting = |record: &Record| (record.slot, record.prim, record.invert);
    let written = std::array::from_fn(|register| if case.outputs >> register & 1 != 0 { 15 } else { 0 });
    let (components, is_open) =
        (compare::components(&written), compare::is_open(case.program, &case.options));
    let mut verdict = Verdict { vertices: expected.len(), components, is_open, ..Verdict::default() };
    if is_open {
        return verdict;
    }
    let invocations = case.given.len();
    let is_ordered = found.is_sorted_by_key(|record| record.invocation)
        && found.last().is_none_or(|record| record.invocation < invocations);
    if !is_ordered {
        verdict.differing += found.len() as u64;
        return verdict;
    }
    let mut place = 0;
    for number in 0..invocations {
        let [expected, found] = [expected, found].map(|records| {
            let start = records.partition_point(|record| record.invocation < number);
            let end = records.partition_point(|record| record.invocation <= number);
            &records[start..end]
        });
        for index in 0..expected.len().max(found.len()) {
            match (expected.get(index), found.get(index)) {
                (Some(expected), Some(found)) if setting(expected) == setting(found) => {
                    verdict.vertex(place, [&expected.outputs, &found.outputs], &written, subnormals);
                }
                _ => verdict.differing += 1,
            }
            place += 1;
        }
    }
    verdict
}
