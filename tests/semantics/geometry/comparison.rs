//! Geometry programs: the CPU pipeline against the translated compute shader, which the evaluator
//! runs thread by thread, with every distribution of invocations to threads that the translation
//! permits.
//! In: programs, configuration, uniforms, draws. Out: counts, or the first [`Disagreement`].

use std::cell::RefCell;

use rspirv::dr;
use transpica::geometry::kernel::{RECORDED, bindings};
use transpica::geometry::{Dependence, GeometryInput, GeometryKernel, GeometrySetup, Primitives, Topology};
use transpica::host::{DrawField, OutputMap};
use transpica::interp::{GeometryMachine, Uniforms};
use transpica::isa::sizes::FLOATS;
use transpica::settings::FloatControls;
use transpica::stages::ir::{Buffer, Resource, ScalarKind};
use transpica::stages::precision::arith;
use transpica::{Job, Machine, Options, Precision, Profile, Program, Setup, Stage, Translation, Translator};
use transpica_draw::cpu::Pipeline;
use transpica_inspect::spirv;
use transpica_proof::chain::Disagreement;
use transpica_proof::generate::GeometryDraw;
use transpica_proof::ir::{Evaluator, InputValues, Lanes, ModuleInputs, same_numbers};
use transpica_proof::spirv_machine::{Licenses, World, run_on};
use transpica_proof::unnamed::Unnamed;

/// Triangles of a thread that its buffer has room for.
const CAPACITY: usize = 512;
/// Limit of items per thread.
const BUDGET: u64 = 1 << 24;

/// Input of a comparison.
#[derive(Clone)]
pub struct Case<'a> {
    /// The vertex program.
    pub vertex: &'a Program<'a>,
    /// The geometry program.
    pub geometry: &'a Program<'a>,
    /// Configuration of both programs.
    pub setup: Setup,
    /// Consecutive draws; one without uniforms keeps the previous ones, at first zero.
    pub draws: &'a [GeometryDraw],
    /// Options; the layout must be one of registers, the entry point the compute entry.
    pub options: Options,
}

/// Statistics of comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Distributions of invocations to threads, over all draws.
    pub runs: usize,
    /// Invocations of the interpreter.
    pub invocations: usize,
    /// Triangles of the interpreter.
    pub triangles: usize,
    /// Number of programs by carried state: none, bounded, unbounded.
    pub dependences: [usize; 3],
}

impl Count {
    /// Adds another count.
    pub fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.invocations += other.invocations;
        self.triangles += other.triangles;
        self.dependences
            .iter_mut()
            .zip(other.dependences)
            .for_each(|(dependence, other)| *dependence += other);
    }
}

fn fault(form: &str, what: impl std::fmt::Display) -> Disagreement {
    Disagreement { form: form.to_string(), what: what.to_string() }
}

/// A thread of the compute shader.
struct Thread<'a> {
    registers: &'a InputValues,
    draw: [i32; 8],
    feed: &'a [Lanes],
    state: &'a [u32],
    triangles: RefCell<Vec<Vec<Lanes>>>,
}

impl ModuleInputs for Thread<'_> {
    fn read(&self, resource: Resource) -> Option<Lanes> {
        match resource {
            Resource::Draw(field) => Some([self.draw[field as usize].cast_unsigned(), 0, 0, 0]),
            Resource::Input(_)
            | Resource::Uniform(_)
            | Resource::IntUniform { .. }
            | Resource::BoolUniform(_)
            | Resource::Member { .. }
            | Resource::Index { .. }
            | Resource::Host(_)
            | Resource::Specialized(_) => self.registers.read(resource),
        }
    }
    fn load(&self, buffer: Buffer, index: i32) -> Option<Lanes> {
        let index = usize::try_from(index).ok()?;
        match buffer {
            Buffer::Feed => self.feed.get(index).copied(),
            Buffer::State => self.state.get(index).map(|&word| [word, 0, 0, 0]),
        }
    }
    fn submit(&self, count: i32, outputs: &[Lanes]) {
        let mut triangles = self.triangles.borrow_mut();
        triangles.truncate(usize::try_from(count).unwrap_or_default());
        triangles.push(outputs.to_vec());
    }
}

/// The primitive engine: provides the registers of each invocation of a draw.
struct Feeder<'a> {
    setup: GeometrySetup,
    vertex_outputs: u16,
    vertex: &'a Program<'a>,
    options: &'a Options,
    uniforms: Uniforms,
    /// c0..c95 of the geometry unit.
    registers: [[f32; 4]; FLOATS],
    /// Vectors per invocation.
    window: usize,
}

impl Feeder<'_> {
    /// Builds the feed of a draw; returns it with the number of invocations.
    fn draw(&mut self, draw: &GeometryDraw) -> transpica::Result<(Vec<Lanes>, usize)> {
        let mut machine = Machine::new(self.vertex, self.options.settings(BUDGET))?;
        machine.set_uniforms(&self.uniforms);
        let mut compacted = Vec::new();
        for inputs in &draw.vertices {
            let outputs = *machine.run(inputs)?;
            let passed = (0..16).filter(|register| self.vertex_outputs >> register & 1 != 0);
            compacted.push(passed.map(|register: usize| outputs[register]).collect::<Vec<_>>());
        }
        let vertex = |index: u32| compacted[index as usize].clone();
        let all: Vec<u32> = (0..draw.vertices.len() as u32).collect();
        let indices = draw.indices.as_deref().unwrap_or(&all);
        let mut feed = Vec::new();
        let mut invocations = 0;
        let bits = |vector: &[f32; 4]| vector.map(f32::to_bits);
        match self.setup.input {
            GeometryInput::Point { inputs, .. } => {
                self.window = inputs.into();
                let vectors: Vec<_> = indices.iter().flat_map(|&index| vertex(index)).collect();
                for record in vectors.chunks_exact(inputs.into()) {
                    feed.extend(record.iter().map(bits));
                    invocations += 1;
                }
            }
            GeometryInput::Fixed { first, vertices, stride } => {
                let outputs = self.vertex_outputs.count_ones() as usize;
                self.window = (usize::from(vertices) - 1) * usize::from(stride) + outputs;
                for primitive in indices.chunks_exact(vertices.into()) {
                    for (number, &index) in primitive.iter().enumerate() {
                        let start = usize::from(first) + number * usize::from(stride);
                        self.registers[start..start + outputs].copy_from_slice(&vertex(index));
                    }
                    let start = usize::from(first);
                    feed.extend(self.registers[start..start + self.window].iter().map(bits));
                    invocations += 1;
                }
            }
            GeometryInput::Variable { main } => {
                let primitives = || Primitives::new(draw.indices.as_deref(), main, self.vertex_outputs);
                for primitive in primitives()? {
                    self.window = self.window.max(primitive?.vectors as usize);
                }
                for primitive in primitives()? {
                    let primitive = primitive?;
                    self.registers[0] = [primitive.size as f32; 4];
                    let mut next = 1;
                    let own = &indices[primitive.first..primitive.first + primitive.size as usize];
                    for (number, &index) in own.iter().enumerate() {
                        let vectors = vertex(index);
                        let count = if number < usize::from(main) { vectors.len() } else { 1 };
                        self.registers[next..next + count].copy_from_slice(&vectors[..count]);
                        next += count;
                    }
                    feed.extend(self.registers[..self.window].iter().map(bits));
                    invocations += 1;
                }
            }
        }
        Ok((feed, invocations))
    }
}

/// Machine that runs the threads.
#[derive(Clone, Copy)]
enum Runs<'a> {
    /// The evaluator, on the translated module.
    Evaluator(&'a Translation),
    /// A SPIR-V module, on a driver of this seed that takes every license.
    Driver(&'a dr::Module, u64),
}

/// Runs all draws in every distribution; returns `None` if the pipeline exceeds its budget.
///
/// # Errors
/// The first difference.
pub fn compare(case: &Case<'_>) -> Result<Option<Count>, Disagreement> {
    let Some(setup) = case.setup.geometry else { return Err(fault("configuration", "no geometry program")) };
    let mut translator = Translator::new(case.options, Profile::default());
    let environment = Unnamed { map: case.setup.map };
    let translated = translator.translate(case.geometry, &environment, Job::Geometry(&case.setup));
    let translated = translated.map_err(|error| fault("translation", error))?;
    let Some(kernel) = translated.interface.kernel().cloned() else {
        return Err(fault("translation", "not a geometry program"));
    };
    let mut count = Count::default();
    let dependence = match kernel.dependence {
        Dependence::None => 0,
        Dependence::Depth(_) => 1,
        Dependence::Unbounded => 2,
    };
    count.dependences[dependence] = 1;
    let runs = Runs::Evaluator(&translated);
    for topology in [Topology::List, Topology::Geometry] {
        for chunk in chunks(&kernel) {
            match (Comparison { case, runs, kernel: &kernel, topology, chunk }).draws(setup)? {
                Some(one) => count.add(one),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(count))
}

/// Compares a module with declarations on drivers that take every license; returns the number of
/// triangles, or `None` if the pipeline exceeds its budget.
///
/// # Errors
/// The first difference.
pub fn compare_by_the_letter(
    case: &Case<'_>,
    float_controls: FloatControls,
    drivers: u64,
) -> Result<Option<usize>, Disagreement> {
    let Some(setup) = case.setup.geometry else { return Err(fault("configuration", "no geometry program")) };
    let profile = Profile { float_controls, ..Profile::default() };
    let mut translator = Translator::new(case.options, profile);
    let environment = Unnamed { map: case.setup.map };
    let translated = translator.translate(case.geometry, &environment, Job::Geometry(&case.setup));
    let translated = translated.map_err(|error| fault("translation", error))?;
    let words = translator.spirv(&translated).map_err(|error| fault("SPIR-V", error))?;
    let module = spirv::load(&words).map_err(|error| fault("SPIR-V", error))?;
    let kernel = translated.interface.kernel().ok_or_else(|| fault("translation", "no kernel"))?;
    let (topology, chunk) = (Topology::Geometry, chunks(kernel).pop().flatten());
    let mut triangles = 0;
    for seed in 1..=drivers {
        let runs = Runs::Driver(&module, seed);
        match (Comparison { case, runs, kernel, topology, chunk }).draws(setup)? {
            Some(count) => triangles += count.triangles,
            None => return Ok(None),
        }
    }
    Ok(Some(triangles))
}

/// Returns the numbers of invocations per thread to test; `None` means all in one thread.
fn chunks(kernel: &GeometryKernel) -> Vec<Option<usize>> {
    match kernel.dependence {
        Dependence::None if kernel.state.is_empty() => vec![Some(1)],
        Dependence::None | Dependence::Depth(_) => vec![None, Some(1), Some(3)],
        Dependence::Unbounded => vec![None],
    }
}

/// One distribution of invocations to threads.
struct Comparison<'a> {
    case: &'a Case<'a>,
    runs: Runs<'a>,
    kernel: &'a GeometryKernel,
    topology: Topology,
    chunk: Option<usize>,
}

impl Comparison<'_> {
    fn draws(&self, setup: GeometrySetup) -> Result<Option<Count>, Disagreement> {
        let Case { vertex, geometry, setup: ref whole, draws, ref options } = *self.case;
        let pipeline = Pipeline::new(vertex, Some(geometry), *whole, options);
        let mut pipeline = pipeline.map_err(|error| fault("pipeline", error))?;
        pipeline.set_topology(self.topology);
        let mut feeder = Feeder {
            setup,
            vertex_outputs: whole.vertex_outputs,
            vertex,
            options,
            uniforms: Uniforms::default(),
            registers: [[0.0; 4]; FLOATS],
            window: 0,
        };
        let mut block = registers(&Uniforms::default(), options.arithmetic.precision);
        let mut state: Vec<u32> = self.kernel.state.iter().map(|word| word.initial).collect();
        let mut count = Count::default();
        for (number, draw) in draws.iter().enumerate() {
            if let Some([vertex, geometry]) = &draw.uniforms {
                pipeline.set_uniforms(Stage::Vertex, vertex);
                pipeline.set_uniforms(Stage::Geometry, geometry);
                let load = |x: f32| arith::load(options.arithmetic.precision, x);
                feeder.uniforms = vertex.clone();
                feeder.registers = geometry.floats.map(|register| register.map(load));
                feeder.window = 0;
                block = registers(geometry, options.arithmetic.precision);
            }
            let Ok(drawn) = pipeline.draw(&draw.vertices, draw.indices.as_deref()) else { return Ok(None) };
            let (feed, invocations) = feeder.draw(draw).map_err(|error| fault("feed", error))?;
            let form = format!("draw {number}, {:?}, {:?} invocations a thread", self.topology, self.chunk);
            let parameters = DrawParameters {
                precision: options.arithmetic.precision,
                registers: &block,
                feed: &feed,
                invocations,
                window: feeder.window,
                chunk: self.chunk,
                respects_winding: self.topology == Topology::Geometry,
            };
            let found = parameters.run(&form, self.kernel, self.runs, &mut state)?;
            let expected: Vec<Vec<Lanes>> = drawn
                .triangles()
                .map(|vertices| {
                    vertices.into_iter().flatten().map(|output| output.map(f32::to_bits)).collect()
                })
                .collect();
            compare_triangles(&form, &expected, &found)?;
            if invocations > 0 {
                block.members[2][0][0] |= 1 << 15;
            }
            count.runs += 1;
            count.invocations += invocations;
            count.triangles += expected.len();
        }
        Ok(Some(count))
    }
}

/// Parameters of a draw for the compute shader.
struct DrawParameters<'a> {
    precision: Precision,
    registers: &'a InputValues,
    feed: &'a [Lanes],
    invocations: usize,
    window: usize,
    /// Invocations per thread; `None` means all.
    chunk: Option<usize>,
    respects_winding: bool,
}

impl DrawParameters<'_> {
    /// Runs every thread; returns the submitted triangles.
    fn run(
        &self,
        form: &str,
        kernel: &GeometryKernel,
        runs: Runs<'_>,
        state: &mut Vec<u32>,
    ) -> Result<Vec<Vec<Lanes>>, Disagreement> {
        let chunk = self.chunk.unwrap_or(self.invocations).max(1);
        let threads = self.invocations.div_ceil(chunk);
        let warm = match kernel.dependence {
            Dependence::Depth(depth) => depth as usize,
            Dependence::None | Dependence::Unbounded => 0,
        };
        let (mut all, mut left) = (Vec::new(), None);
        for thread in 0..threads {
            let mut draw = [0; 8];
            let mut tell = |field: DrawField, value: usize| draw[field as usize] = value as i32;
            tell(DrawField::Threads, threads);
            tell(DrawField::Invocations, self.invocations);
            tell(DrawField::Chunk, chunk);
            tell(DrawField::Warm, warm);
            tell(DrawField::Window, self.window);
            tell(DrawField::Capacity, CAPACITY);
            tell(DrawField::RespectsWinding, usize::from(self.respects_winding));
            let (triangles, after) = match runs {
                Runs::Evaluator(translated) => {
                    tell(DrawField::Thread, thread);
                    self.evaluate(draw, translated, state).map_err(|error| fault(form, error))?
                }
                Runs::Driver(module, seed) => self.drive((thread, draw), kernel, (module, seed), state),
            };
            all.extend(triangles);
            left = Some(after);
        }
        if let Some(left) = left {
            *state = left;
        }
        Ok(all)
    }

    /// Runs a thread on the evaluator; returns its triangles and the state after it.
    fn evaluate(
        &self,
        draw: [i32; 8],
        translated: &Translation,
        state: &[u32],
    ) -> transpica::Result<(Vec<Vec<Lanes>>, Vec<u32>)> {
        let Self { registers, feed, .. } = *self;
        let thread = Thread { registers, draw, feed, state, triangles: RefCell::default() };
        let outputs = Evaluator::new(&translated.module)?.run(self.precision, &thread, BUDGET)?;
        let mut triangles = thread.triangles.into_inner();
        triangles.truncate(outputs[0][0] as usize);
        Ok((triangles, outputs[1..].iter().map(|word| word[0]).collect()))
    }

    /// Runs a thread on a driver; returns its triangles and the state after it.
    fn drive(
        &self,
        (thread, draw): (usize, [i32; 8]),
        kernel: &GeometryKernel,
        (module, seed): (&dr::Module, u64),
        state: &[u32],
    ) -> (Vec<Vec<Lanes>>, Vec<u32>) {
        let threads = draw[DrawField::Threads as usize] as usize;
        let vectors = 3 * kernel.vectors as usize;
        let mut world = World { invocation: thread as u32, ..World::default() };
        let mut bind = |binding, words: Vec<u32>| drop(world.buffers.insert(binding, words));
        bind(bindings::FEED, self.feed.concat());
        bind(bindings::TRIANGLES, vec![0; threads * CAPACITY * vectors * 4]);
        bind(bindings::UNIFORMS, self.registers.members.concat().concat());
        bind(bindings::DRAW, draw.map(i32::cast_unsigned).to_vec());
        bind(bindings::COUNTS, vec![0; threads.max(4)]);
        bind(bindings::STATE, [state, state].concat());
        run_on(module, &mut world, &mut Licenses::of(module, seed << 32 | thread as u64));
        let count = world.buffers[&bindings::COUNTS][thread] as usize;
        let words = world.buffers[&bindings::TRIANGLES].as_chunks().0;
        let own = &words[thread * CAPACITY * vectors..][..count * vectors];
        let after = world.buffers[&bindings::STATE][state.len()..].to_vec();
        (own.chunks(vectors).map(<[Lanes]>::to_vec).collect(), after)
    }
}

/// Returns the content of the uniform block.
fn registers(uniforms: &Uniforms, precision: Precision) -> InputValues {
    let load = |x: f32| arith::load(precision, x).to_bits();
    let floats = uniforms.floats.iter().map(|register| register.map(load)).collect();
    let ints = uniforms.ints.map(|register| register.map(u32::from)).to_vec();
    let bools = vec![[u32::from(uniforms.bools), 0, 0, 0]];
    InputValues { members: vec![floats, ints, bools], ..InputValues::default() }
}

/// InputValues at the start of an invocation.
#[derive(Clone, Debug)]
pub struct InvocationInput {
    /// Input registers v0..v15.
    pub inputs: [[f32; 4]; 16],
    /// Float uniforms c0..c95.
    pub floats: [[f32; 4]; FLOATS],
}

/// Compares every EMIT of a program, with all registers.
///
/// # Errors
/// The first difference.
pub fn compare_emits(
    program: &Program<'_>,
    outputs: u16,
    uniforms: &Uniforms,
    invocations: &[InvocationInput],
    options: Options,
) -> Result<usize, Disagreement> {
    let mut translator = Translator::new(options, Profile::default());
    let translated =
        translator.translate(program, &Unnamed { map: OutputMap::default() }, Job::Emits { outputs });
    let translated = translated.map_err(|error| fault("translation", error))?;
    let kernel = translated.interface.kernel().ok_or_else(|| fault("translation", "no kernel"))?;
    let machine = GeometryMachine::new(program, outputs, options.settings(BUDGET));
    let mut machine = machine.map_err(|error| fault("interpreter", error))?;
    machine.set_uniforms(uniforms);
    let (mut expected, mut feed) = (Vec::new(), Vec::new());
    let load = |vector: &[f32; 4]| vector.map(|x| arith::load(options.arithmetic.precision, x).to_bits());
    for (number, InvocationInput { inputs, floats }) in (0u32..).zip(invocations) {
        machine.deliver(0, floats);
        let ran = machine.run(inputs).map_err(|error| fault("interpreter", error))?;
        for emit in ran.emits() {
            let flags = [emit.prim, emit.invert].map(|flag| f32::from(u8::from(flag)).to_bits());
            let numbers = [u32::from(emit.slot), number].map(|number| (RECORDED + number as f32).to_bits());
            let mut record = vec![[numbers[0], flags[0], flags[1], numbers[1]]];
            let passed = (0..16).filter(|register| outputs >> register & 1 != 0);
            record.extend(passed.map(|register: usize| emit.outputs[register].map(f32::to_bits)));
            record.resize(3 * kernel.vectors as usize, record[0]);
            expected.push(record);
        }
        feed.extend(inputs.iter().chain(floats).map(load));
    }
    let registers = registers(uniforms, options.arithmetic.precision);
    for chunk in chunks(kernel) {
        let form = format!("emits, {chunk:?} invocations a thread");
        let mut state: Vec<u32> = kernel.state.iter().map(|word| word.initial).collect();
        let parameters = DrawParameters {
            precision: options.arithmetic.precision,
            registers: &registers,
            feed: &feed,
            invocations: invocations.len(),
            window: 112,
            chunk,
            respects_winding: false,
        };
        let found = parameters.run(&form, kernel, Runs::Evaluator(&translated), &mut state)?;
        compare_triangles(&form, &expected, &found)?;
    }
    Ok(expected.len())
}

/// Compares the triangles of two lists; zeros may have any sign.
fn compare_triangles(form: &str, expected: &[Vec<Lanes>], found: &[Vec<Lanes>]) -> Result<(), Disagreement> {
    if expected.len() != found.len() {
        return Err(fault(form, format!("{} triangles, expected {}", found.len(), expected.len())));
    }
    for (number, (expected, found)) in expected.iter().zip(found).enumerate() {
        for (place, (expected, found)) in expected.iter().zip(found).enumerate() {
            if !same_numbers(ScalarKind::F32, *expected, *found) {
                let [expected, found] = [expected, found].map(|output| output.map(f32::from_bits));
                let what = format!("triangle {number}, vector {place}: {found:?}, expected {expected:?}");
                return Err(fault(form, what));
            }
        }
    }
    Ok(())
}
