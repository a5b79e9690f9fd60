//! The host's side: GPU registers, and what draws each program.
//! In: command lists and vertices. Out: draws in a frame. Knows the console only by its registers.
//! A new program is ready at once as a batch on the CPU. Its pipeline is created meanwhile and
//! takes over at the start of a frame. Both give the same bits.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use transpica::geometry::Topology;
use transpica::host::{Hook, Hooked, HostValues, Output, OutputMap, RegisterLayout, layout, varying};
use transpica::isa::{DEFAULT, Pc};
use transpica::settings::{
    Assume, Block, Control, Layout, Magnitudes, Outputs, Promise, Reliance, VertexInput, Watch,
};
use transpica::{Job, Key, Machine, Options, Profile, Program, RegisterState, Setup, Stage, Translator};
use transpica_draw::batch::{Batch, LANES, Number, Records};
use transpica_draw::recording::{RecordedAttribute, RecordedDraw, Recording};
use transpica_gpu::picture::{Frame, Pipeline};
use transpica_gpu::{Gpu, GpuError};

use super::console::{self, Draw};
use super::creation::{Created, Creation, Pace, Pacing, Worker, draw_nothing};

/// Limit of instructions per vertex on the CPU.
const BUDGET: u64 = 1 << 16;
/// The instruction END.
const END: u32 = 0x8800_0000;
/// Version of this host's modules, part of every key.
const SALT: &[u8] = b"emulator_host 1";
/// Promises that draws are counted for. Modules are translated with the first: matrices of real
/// programs have numbers that should be 0 and are not.
pub const PROMISES: [Promise; 2] = [Promise::Below(32), Promise::Between(-20, 32)];

type Anything<T> = Result<T, Box<dyn Error>>;

/// Statistics of a run.
#[derive(Default)]
pub struct Counts {
    pub draws: usize,
    pub vertices: usize,
    /// Draws with vertices from the CPU.
    pub on_cpu: usize,
    /// Draws that keep each promise about what the module relies on, and about all registers.
    pub promised: [[usize; 2]; 2],
    pub translated: usize,
    pub from_disk: usize,
    /// Pipelines created at normal priority, because they were late.
    pub hurried: usize,
    pub known: usize,
}

/// Way to draw a program.
enum Drawer {
    /// A batch, until the pipeline is ready.
    Batch(Box<Batch>),
    Pipeline(Pipeline),
}

/// Translation with a promise, and what its modules rely on.
struct Relying {
    promise: Promise,
    translator: Translator,
    watch: Watch,
    known: HashMap<Key, Reliance>,
}

impl Relying {
    fn new(promise: Promise, options: Options, profile: &Profile) -> Self {
        let translator = Translator::new(promising(promise, options), profile.clone());
        let watch = Watch::new(promise, &[[0.0; 4]; 96]);
        Self { promise, translator, watch, known: HashMap::new() }
    }

    /// Returns whether a draw keeps the promise about what the module relies on, and about all
    /// registers. Modules may come from the folder, so each program is translated here once; a host
    /// for more of them stores what a module relies on with it.
    fn kept(
        &mut self,
        state: &RegisterState,
        hooks: &[Hook],
        draw: &[Magnitudes; 16],
    ) -> Anything<[bool; 2]> {
        let vertex = state.vertex();
        let (program, hooked) = (vertex.program()?, Hooked { environment: &vertex, hooks });
        let key = self.translator.key(&program, &hooked, Job::Vertex, SALT)?;
        let known = self.known.get(&key).copied();
        let relies_on = known.map_or_else(
            || match self.translator.translate(&program, &hooked, Job::Vertex) {
                // The batch draws it.
                Err(error) if error.is_unsupported() => Ok(Reliance::default()),
                translated => translated.map(|translated| translated.relies_on),
            },
            Ok,
        )?;
        self.known.insert(key, relies_on);
        let all = self.watch.broken() == 0 && draw.iter().all(|found| found.keep(self.promise));
        Ok([relies_on.allows(&self.watch, draw), all])
    }
}

/// The same options with a promise about all numbers.
fn promising(promise: Promise, options: Options) -> Options {
    Options {
        assume: Assume { uniforms: promise, ..Assume::default() },
        input: VertexInput { promises: [promise; 16], ..VertexInput::default() },
        ..options
    }
}

/// The emulated GPU: registers, and the programs drawn so far.
pub struct Host {
    state: RegisterState,
    translator: Translator,
    relying: [Relying; 2],
    /// The uniforms that the watches have seen.
    seen: [[f32; 4]; 96],
    /// Draws vertices from the CPU.
    forward: Pipeline,
    programs: HashMap<Key, Drawer>,
    creation: Creation,
    pacing: Pacing,
    pub counts: Counts,
    /// Changes of all programs.
    pub hooks: Vec<Hook>,
}

impl Host {
    /// `rehearsals` are devices on which pipelines of each pace draw first, for drivers that
    /// compile at the first draw.
    pub fn new(gpu: &Arc<Gpu>, rehearsals: [Option<Gpu>; 2], cache: &Path, pacing: Pacing) -> Anything<Self> {
        // One uniform block and one fragment stage serve all programs. The loop guard ends a broken
        // program.
        let options = Options {
            block: Block { layout: Layout::Azahar, ..Block::default() },
            outputs: Outputs { all: true, ..Outputs::default() },
            control: Control { loop_guard: Some(BUDGET as u32), ..Control::default() },
            ..Options::default()
        };
        let profile = Profile { names: false, ..Profile::default() };
        // With all outputs requested, every program has the same ones, and one stage draws the
        // vertices of all that run on the CPU.
        let outputs = varying::outputs(&OutputMap::default(), &options, &profile);
        let state = RegisterState::default();
        let setup = Setup::from_registers(&state)?;
        let mut translator = Translator::new(options, profile.clone());
        // No code of a program is in that stage, so any program will do.
        let end = Program::from_raw(&[END][..], &[][..], Pc(0), Stage::Vertex)?;
        let stage = translator.translate(&end, &state.vertex(), Job::Draw(&setup))?.spirv()?;
        let locations: Vec<u32> = (0..).take(outputs.len()).collect();
        let forward = Pipeline::of_program(gpu, stage, &locations)?;
        draw_nothing(gpu, &forward, outputs.len())?;
        let [patient, hurried] = rehearsals;
        let workers = [(Pace::Patient, patient), (Pace::Hurried, hurried)].map(|(pace, rehearsal)| {
            let translators = [options, promising(PROMISES[0], options)];
            let translators = translators.map(|options| Translator::new(options, profile.clone()));
            Worker::new(pace, gpu, rehearsal, translators, cache)
        });
        Ok(Self {
            state,
            translator,
            relying: PROMISES.map(|promise| Relying::new(promise, options, &profile)),
            seen: [[0.0; 4]; 96],
            forward,
            programs: HashMap::new(),
            creation: Creation::start(workers, pacing),
            pacing,
            counts: Counts::default(),
            hooks: Vec::new(),
        })
    }

    /// Begins a frame: pipelines that are ready replace their batches.
    pub fn begin_frame(&mut self) -> Result<(), String> {
        while let Some(created) = self.creation.ready() {
            replace(&mut self.programs, created)?;
        }
        Ok(())
    }

    /// Executes a draw's command list and draws its vertices.
    pub fn draw(&mut self, draw: &Draw, frame: &mut Frame<'_>) -> Anything<()> {
        self.state.commands(draw.list.words());
        let uniforms = self.state.uniforms(Stage::Vertex);
        let kept = self.kept_promises(&uniforms.floats, draw)?;
        let key = self.program(kept[0][0])?;
        self.counts.draws += 1;
        let counts = self.counts.promised.as_flattened_mut().iter_mut();
        counts.zip(kept.as_flattened()).for_each(|(count, kept)| *count += usize::from(*kept));
        self.counts.vertices += draw.vertices();
        match self.programs.get_mut(&key) {
            Some(Drawer::Pipeline(pipeline)) => {
                let block = layout::pack(&layout::registers(&RegisterLayout::AZAHAR), &uniforms);
                frame.draw(pipeline, &draw.attributes, &block);
            }
            Some(Drawer::Batch(batch)) => {
                batch.set_uniforms(&uniforms);
                let vertices = batched(&self.state, batch, draw, &self.translator, &self.hooks)?;
                frame.draw(&self.forward, &vertices, &[]);
                self.creation.miss(key);
                self.counts.on_cpu += 1;
            }
            None => return Err("the program was not prepared".into()),
        }
        Ok(())
    }

    /// Adds a frame to a recording: the draws as they come from the console.
    pub fn record(&self, draws: &[Draw], recording: &mut Recording) {
        let mut state = self.state.clone();
        let mut frame = Vec::new();
        for draw in draws {
            state.commands(draw.list.words());
            let numbers = draw.attributes.as_flattened().iter();
            let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
            let known = recording.buffers.iter().position(|known| *known == bytes);
            let buffer = known.unwrap_or(recording.buffers.len());
            if known.is_none() {
                recording.buffers.push(bytes);
            }
            let attribute = |attribute: usize| RecordedAttribute {
                register: console::attribute_register(&state, attribute) as u8,
                number: Number::F32,
                components: 4,
                buffer: buffer as u32,
                offset: 16 * attribute as u32,
                stride: 16 * draw.count as u32,
            };
            frame.push(RecordedDraw {
                commands: draw.list.words().to_vec(),
                topology: Topology::List,
                count: draw.vertices() as u32,
                indices: None,
                attributes: (0..draw.count).map(attribute).collect(),
            });
        }
        recording.frames.push(frame);
    }

    /// Returns whether the numbers of a draw keep each promise, see [`Relying::kept`].
    fn kept_promises(&mut self, uniforms: &[[f32; 4]; 96], draw: &Draw) -> Anything<[[bool; 2]; 2]> {
        for (register, (seen, &new)) in (0..).zip(self.seen.iter_mut().zip(uniforms)) {
            if *seen != new {
                self.relying.iter_mut().for_each(|relying| relying.watch.write(register, new));
                *seen = new;
            }
        }
        // A host with buffers of its own looks at each once, when it is uploaded.
        let mut attributes = [Magnitudes::NONE; 16];
        for vertex in draw.attributes.chunks(draw.count) {
            for (attribute, numbers) in vertex.iter().enumerate() {
                let register = console::attribute_register(&self.state, attribute) as usize;
                attributes[register] = attributes[register].or(Magnitudes::from_numbers(numbers));
            }
        }
        let [first, second] = &mut self.relying;
        let kept = |relying: &mut Relying| relying.kept(&self.state, &self.hooks, &attributes);
        Ok([kept(first)?, kept(second)?])
    }

    /// Returns the key of the program in the registers, after preparing it if it is new.
    fn program(&mut self, relies: bool) -> Anything<Key> {
        let vertex = self.state.vertex();
        let program = vertex.program()?;
        let hooked = Hooked { environment: &vertex, hooks: &self.hooks };
        let translator = if relies { &self.relying[0].translator } else { &self.translator };
        // Attributes have the locations of a pipeline, and feed the registers of a batch.
        let attributes = 0..console::attribute_count(&self.state);
        let registers = attributes.map(|attribute| console::attribute_register(&self.state, attribute) as u8);
        let salt: Vec<u8> = SALT.iter().copied().chain(registers).collect();
        let key = translator.key(&program, &hooked, Job::Vertex, &salt)?;
        if self.programs.contains_key(&key) {
            self.counts.known += 1;
            return Ok(key);
        }
        let mut batch = Batch::new(&program, self.translator.options().settings(BUDGET))?;
        // What no attribute feeds is (0, 0, 0, 1).
        for register in 0..16 {
            if let Some(lanes) = batch.input_mut(register, 3) {
                lanes.fill(1.0);
            }
        }
        self.programs.insert(key, Drawer::Batch(Box::new(batch)));
        self.creation.order(key, &self.state, &self.hooks, relies);
        if self.pacing.waits
            && let Some(created) = self.creation.wait()
        {
            replace(&mut self.programs, created)?;
        }
        Ok(key)
    }

    /// Runs the vertex program on the reference machine and returns all outputs of each vertex.
    pub fn interpreted(&self, draw: &Draw) -> Anything<Vec<[f32; 4]>> {
        let options = self.translator.options();
        let vertex = self.state.vertex();
        let outputs = outputs(&self.state, &self.translator, &self.hooks);
        let mut machine = Machine::new(&vertex.program()?, options.settings(BUDGET))?;
        machine.set_uniforms(&self.state.uniforms(Stage::Vertex));
        let count = console::attribute_count(&self.state);
        let mut all = Vec::new();
        for attributes in draw.attributes.chunks_exact(count) {
            let mut inputs = [DEFAULT; 16];
            for (attribute, value) in attributes.iter().enumerate() {
                inputs[console::attribute_register(&self.state, attribute) as usize] = *value;
            }
            let registers = machine.run(&options.attributes_seen(inputs))?;
            all.extend(outputs.iter().map(|output| output.value(registers, options, &HostValues::default())));
        }
        Ok(all)
    }

    /// Returns a pipeline that draws finished vertices, written without the library.
    pub fn plain(&self, gpu: &Gpu) -> Result<Pipeline, GpuError> {
        Pipeline::plain(gpu, &outputs(&self.state, &self.translator, &[]), false)
    }

    /// Number of programs drawn.
    pub fn programs(&self) -> usize {
        self.programs.len()
    }

    /// Waits for all pipelines, and returns the statistics.
    pub fn finish(mut self) -> Result<Counts, String> {
        let (created, counts) = self.creation.finish();
        created.into_iter().try_for_each(|created| replace(&mut self.programs, created))?;
        let (translated, from_disk, hurried) = (counts.translated, counts.from_disk, counts.hurried);
        Ok(Counts { translated, from_disk, hurried, ..self.counts })
    }
}

/// Puts a pipeline in the place of its batch.
fn replace(programs: &mut HashMap<Key, Drawer>, (key, result): Created) -> Result<(), String> {
    if let Some(pipeline) = result? {
        programs.insert(key, Drawer::Pipeline(pipeline));
    }
    Ok(())
}

/// Outputs of the program in the registers.
fn outputs(state: &RegisterState, translator: &Translator, hooks: &[Hook]) -> Vec<Output> {
    let mut records = Records::from_map(&state.vertex().output_map(), translator.options());
    records.add_hooks(hooks);
    records.fields.into_iter().map(|field| field.output).collect()
}

/// Runs the vertex program in batches and returns all outputs of each vertex.
fn batched(
    state: &RegisterState,
    batch: &mut Batch,
    draw: &Draw,
    translator: &Translator,
    hooks: &[Hook],
) -> Anything<Vec<[f32; 4]>> {
    let options = translator.options();
    let outputs = outputs(state, translator, hooks);
    let written = state.vertex().output_mask();
    let count = console::attribute_count(state);
    let mut all = Vec::with_capacity(draw.vertices() * outputs.len());
    let mut registers = [[[0.0; 4]; 16]; LANES];
    for vertices in draw.attributes.chunks(LANES * count) {
        for attribute in 0..count {
            let register = console::attribute_register(state, attribute) as usize;
            for component in 0..4 {
                let Some(lanes) = batch.input_mut(register, component) else { continue };
                let values = vertices.iter().skip(attribute).step_by(count);
                lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = value[component]);
            }
        }
        let vertices = vertices.len() / count;
        batch.run(vertices)?;
        for register in (0..16).filter(|register| written >> register & 1 != 0) {
            for component in 0..4 {
                let lanes = batch.output(register, component).into_iter().flatten();
                registers
                    .iter_mut()
                    .zip(lanes)
                    .for_each(|(vertex, lane)| vertex[register][component] = *lane);
            }
        }
        for registers in &registers[..vertices] {
            all.extend(outputs.iter().map(|output| output.value(registers, options, &HostValues::default())));
        }
    }
    Ok(all)
}
