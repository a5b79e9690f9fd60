//! A small but complete emulator host: GPU registers, program upload by register writes, a pipeline
//! cache by key, an animated scene.
//!
//! ```sh
//! cargo run --release -p transpica-gpu-tests --example emulator_host -- --out frames
//! ```
//!
//! The console's side (`console.rs`, `scene.rs`) builds command lists, as programs on the console
//! do, and provides vertex data.
//! The host's side (here, and `transpica_gpu::picture`) uses nothing else. It executes the lists on
//! a [`RegisterState`], translates the uploaded program at each draw, and draws.
//! Each frame from the GPU is written beside a reference. For the reference the interpreter runs
//! the vertex programs, and a plain vertex stage passes its results to the same rasterizer. A third
//! picture shows differences in white: there are none.
//! SPIR-V modules are stored in `OUT/cache` under their keys; a second run translates nothing.

#[path = "emulator_host/console.rs"]
mod console;
#[path = "emulator_host/scene.rs"]
mod scene;

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use console::Draw;
use image::RgbaImage;
use scene::Scene;
use transpica::Key;
use transpica::Machine;
use transpica::Stage;
use transpica::Translator;
use transpica::host::{
    Arithmetic, Block, Control, Environment, HostValues, Job, Layout, Options, OutputMap, Outputs, Profile,
    RegisterLayout, RegisterState, layout, varying,
};
use transpica_gpu::picture::{Frame, Pipeline, difference};
use transpica_gpu::{Gpu, GpuError};

/// Limit of instructions per vertex on the interpreter.
const BUDGET: u64 = 1 << 16;
/// Version of this host's modules, part of every key.
const SALT: &[u8] = b"emulator_host 1";

/// Draws an animated scene through translated programs and through the interpreter, and compares
/// the pictures.
#[derive(Parser)]
struct Arguments {
    /// Folder for the pictures and the cache
    #[arg(long, default_value = "target/emulator_host", value_name = "DIR")]
    out: PathBuf,
    /// Number of frames
    #[arg(long, default_value_t = 8, value_name = "N")]
    frames: u32,
    /// Part of the name of the GPU
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
}

/// Statistics of a run.
#[derive(Default)]
struct Counts {
    draws: usize,
    vertices: usize,
    translated: usize,
    from_disk: usize,
    pipelines_found: usize,
}

/// The emulated GPU: registers, and the pipelines of the programs drawn so far.
struct Host<'a> {
    state: RegisterState,
    translator: Translator,
    gpu: &'a Gpu,
    /// Draws the interpreter's results.
    plain: Pipeline,
    pipelines: HashMap<Key, Pipeline>,
    cache: PathBuf,
    counts: Counts,
}

impl<'a> Host<'a> {
    fn new(gpu: &'a Gpu, cache: PathBuf) -> Result<Self, GpuError> {
        // One uniform block and one fragment stage serve all programs. Portable EX2 and LG2 are
        // equal on CPU and GPU. The loop guard ends a broken program.
        let options = Options {
            block: Block { layout: Layout::Azahar, ..Block::default() },
            outputs: Outputs { all: true, ..Outputs::default() },
            arithmetic: Arithmetic { portable_exponentials: true, ..Arithmetic::default() },
            control: Control { loop_guard: Some(BUDGET as u32), ..Control::default() },
            ..Options::default()
        };
        let profile = Profile { names: false, ..Profile::default() };
        // With all outputs requested, every program has the same ones.
        let outputs = varying::outputs(&OutputMap::default(), &options, &profile.locations);
        Ok(Self {
            state: RegisterState::default(),
            translator: Translator::new(options, profile),
            gpu,
            plain: Pipeline::plain(gpu, &outputs, false)?,
            pipelines: HashMap::new(),
            cache,
            counts: Counts::default(),
        })
    }

    /// Executes a command list and draws the result into both frames.
    fn draw(
        &mut self,
        draw: &Draw,
        on_gpu: &mut Frame<'_>,
        on_cpu: &mut Frame<'_>,
    ) -> Result<(), Box<dyn Error>> {
        self.state.commands(draw.list.words());
        let key = self.pipeline()?;
        let uniforms = self.state.uniforms(Stage::Vertex);
        let block = layout::pack(&layout::registers(&RegisterLayout::AZAHAR), &uniforms);
        let outputs = self.interpreted(draw)?;
        on_gpu.draw(&self.pipelines[&key], &draw.attributes, &block);
        on_cpu.draw(&self.plain, &outputs, &block);
        self.counts.draws += 1;
        self.counts.vertices += draw.vertices();
        Ok(())
    }

    /// Returns the key of the current registers, after creating its pipeline if needed.
    fn pipeline(&mut self) -> Result<Key, Box<dyn Error>> {
        let vertex = self.state.vertex();
        let program = vertex.program()?;
        let key = self.translator.key(&program, &vertex, Job::Vertex, SALT);
        if self.pipelines.contains_key(&key) {
            self.counts.pipelines_found += 1;
            return Ok(key);
        }
        let file = self.cache.join(format!("{key}.spv"));
        let words = match fs::read(&file) {
            Ok(bytes) => {
                self.counts.from_disk += 1;
                bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
            }
            Err(_) => {
                // If the error `is_unsupported`, an emulator would draw with its interpreter from
                // here on.
                let translated = self.translator.translate(&program, &vertex, Job::Vertex)?;
                let words = self.translator.spirv(&translated)?;
                self.counts.translated += 1;
                fs::write(&file, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
                words
            }
        };
        let locations: Vec<u32> = (0..console::attribute_count(&self.state))
            .map(|attribute| console::attribute_register(&self.state, attribute))
            .collect();
        self.pipelines.insert(key, Pipeline::of_program(self.gpu, words, &locations)?);
        Ok(key)
    }

    /// Runs the vertex program on the interpreter; returns all outputs of each vertex in the plain
    /// vertex stage's layout.
    fn interpreted(&self, draw: &Draw) -> Result<Vec<[f32; 4]>, Box<dyn Error>> {
        let (options, profile) = (self.translator.options(), self.translator.profile());
        let vertex = self.state.vertex();
        let outputs = varying::outputs(&vertex.output_map(), options, &profile.locations);
        let mut machine = Machine::new(&vertex.program()?, options.settings(BUDGET))?;
        machine.set_uniforms(&self.state.uniforms(Stage::Vertex));
        let count = console::attribute_count(&self.state);
        let mut all = Vec::new();
        for attributes in draw.attributes.chunks_exact(count) {
            let mut inputs = [[0.0, 0.0, 0.0, 1.0]; 16];
            for (attribute, value) in attributes.iter().enumerate() {
                inputs[console::attribute_register(&self.state, attribute) as usize] = *value;
            }
            let registers = machine.run(&options.attributes_seen(inputs))?;
            all.extend(outputs.iter().map(|output| output.value(registers, options, &HostValues::default())));
        }
        Ok(all)
    }
}

fn run(arguments: &Arguments) -> Result<usize, Box<dyn Error>> {
    let cache = arguments.out.join("cache");
    fs::create_dir_all(&cache)?;
    let gpu = Gpu::open(arguments.adapter.as_deref())?;
    println!("on {}", gpu.name());
    let mut host = Host::new(&gpu, cache)?;
    let scene = Scene::new()?;
    let mut differing = 0;
    for number in 0..arguments.frames {
        let (mut on_gpu, mut on_cpu) = (Frame::new(&gpu), Frame::new(&gpu));
        for draw in scene.frame(f64::from(number) / f64::from(arguments.frames)) {
            host.draw(&draw, &mut on_gpu, &mut on_cpu)?;
        }
        let (drawn, expected) = (on_gpu.finish()?, on_cpu.finish()?);
        let (picture, count) = difference(&drawn, &expected);
        let save = |picture: &RgbaImage, what: &str| picture.save(file(&arguments.out, what, number));
        save(&drawn, "gpu")?;
        save(&expected, "cpu")?;
        save(&picture, "difference")?;
        println!("frame {number}: {count} of {} pixels differ", drawn.width() * drawn.height());
        differing += count;
    }
    let Counts { draws, vertices, translated, from_disk, pipelines_found } = host.counts;
    println!("{draws} draws, {vertices} vertices, {} programs seen", host.pipelines.len());
    println!(
        "{translated} translated, {from_disk} read from the cache on disk, {pipelines_found} pipelines found by key"
    );
    println!("pictures: {}", file(&arguments.out, "{gpu,cpu,difference}", 0).display());
    Ok(differing)
}

fn file(folder: &Path, what: &str, number: u32) -> PathBuf {
    folder.join(format!("{what}_{number:02}.png"))
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(differing) => {
            eprintln!("{differing} pixels differ");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
