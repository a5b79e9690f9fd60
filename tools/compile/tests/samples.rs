//! Shaders that do the jobs of samples, against the programs that were written by hand: words,
//! outputs on the same vertices, and pictures.

#[path = "samples/jobs.rs"]
mod jobs;

use std::fs;
use std::path::{Path, PathBuf};

use jobs::{JOBS, Job};
use transpica::container::SymbolBank;
use transpica::host::dvle;
use transpica::interp::Uniforms;
use transpica::{Limits, Machine, Options as Settings, Shbin, Stage};
use transpica_compile::compile::{Compiled, compile};
use transpica_compile::source::interface::UniformValues;
use transpica_compile::source::{Depth, Language, Options, read};
use transpica_inspect::draw::Size;
use transpica_inspect::draw::guess::Camera;
use transpica_inspect::draw::mesh::{BuiltIn, Mesh};
use transpica_inspect::draw::picture::Picture;
use transpica_inspect::draw::raster::{self, Samples};
use transpica_inspect::draw::scene::{Pick, Scene};
use transpica_inspect::state;
use transpica_inspect::symbols::Symbols;
use transpica_inspect::values::{Random, plausible_inputs, plausible_uniforms};

/// Limit of the instructions of a vertex.
const BUDGET: u64 = 1 << 14;
/// States of uniforms, and vertices of each.
const STATES: u64 = 200;
const VERTICES: usize = 20;
/// A component of a color that the screen shows alike.
const LEVEL: f64 = 1.0 / 255.0;

/// A sample and the program of the shader for the same job.
struct Pair {
    hand: Vec<u8>,
    compiled: Compiled,
    words: usize,
}

/// Largest distances of outputs.
#[derive(Default)]
struct Far {
    /// Relative to the largest component of a position.
    position: f64,
    /// Of a color.
    color: f64,
    /// Of other outputs, relative to their largest component or 1.
    other: f64,
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Pair {
    fn new(job: &Job) -> Self {
        let (name, ending) = job.file.split_once('.').expect("an extension");
        let hand = fs::read(folder("../../shaders").join(format!("{name}.shbin"))).expect("a sample");
        let language = if ending == "wgsl" { Language::Wgsl } else { Language::Glsl };
        let text = fs::read(folder("tests/samples").join(job.file)).expect("a shader");
        let source = read(language, &text).unwrap_or_else(|error| panic!("{}: {error}", job.file));
        let scaled = job.scaled.iter().map(ToString::to_string).collect();
        let options = Options { depth: Depth::Console, scaled, ..Options::of(language) };
        let compiled = compile(&source, &options).unwrap_or_else(|error| panic!("{}: {error}", job.file));
        let words = Shbin::parse(&hand).expect("a file").package.code.iter().count();
        Self { hand, compiled, words }
    }

    fn files(&self) -> [Shbin<'_>; 2] {
        [&self.hand, &self.compiled.bytes].map(|bytes| Shbin::parse(bytes).expect("a file"))
    }

    /// Uniforms of the shader's program that mean the same as those of the sample.
    fn same(&self, hand: &Uniforms) -> Uniforms {
        let [file, compiled] = self.files();
        let symbols = Symbols::new(file.executable(0).expect("a program"));
        let interface = &self.compiled.interface;
        let values: UniformValues = interface
            .uniforms
            .iter()
            .map(|uniform| {
                let name = uniform.name.replace("Count", "Loop");
                let symbol = symbols.uniforms().find(|symbol| symbol.name == name);
                let symbol = symbol.unwrap_or_else(|| panic!("the sample has no {name}"));
                let range = symbol.first..symbol.first + symbol.count;
                match symbol.bank {
                    SymbolBank::Float => {
                        hand.floats[range].iter().map(|lanes| lanes.map(f32::to_bits)).collect()
                    }
                    SymbolBank::Bool => vec![[u32::from(hand.bool(symbol.first as u8)), 0, 0, 0]],
                    SymbolBank::Int => vec![[u32::from(hand.ints[symbol.first][0]) + 1, 0, 0, 0]],
                    SymbolBank::Input => unreachable!("uniforms only"),
                }
            })
            .collect();
        let registers = interface.registers(&values).expect("the host computes all");
        let mut uniforms = Uniforms { ints: registers.ints, bools: registers.bools, ..Uniforms::default() };
        uniforms.floats.copy_from_slice(&registers.floats);
        dvle::constants(compiled.executable(0).expect("a program")).apply(&mut uniforms);
        uniforms
    }
}

/// Values for the uniforms of a sample that the shader has, too, and its vertices.
fn values(job: &Job, file: &Shbin<'_>, pair: &Pair, seed: u64) -> (Uniforms, Vec<[[f32; 4]; 16]>) {
    let executable = file.executable(0).expect("a program");
    let symbols = Symbols::new(executable);
    let mut random = Random::new(seed, job.file);
    let mut any = plausible_uniforms(seed, symbols.as_slice());
    let mut vertices = plausible_inputs(seed, VERTICES, symbols.as_slice());
    let mut within = |low: &[f32; 4], high: &[f32; 4]| {
        std::array::from_fn(|lane| low[lane] + (high[lane] - low[lane]) * random.unit())
    };
    for (name, low, high) in job.ranges {
        let symbol =
            symbols.as_slice().iter().find(|symbol| symbol.name == *name).expect("a name of the sample");
        for register in symbol.first..symbol.first + symbol.count {
            match symbol.bank {
                SymbolBank::Input => {
                    vertices.iter_mut().for_each(|vertex| vertex[register] = within(low, high));
                }
                _uniform => any.floats[register] = within(low, high),
            }
        }
    }
    for (name, lane) in job.whole {
        let register = symbols.registers('v', name).expect("an attribute")[0];
        vertices.iter_mut().for_each(|vertex| vertex[register][*lane] = vertex[register][*lane].floor());
    }
    let mut uniforms = Uniforms::default();
    dvle::constants(executable).apply(&mut uniforms);
    for uniform in &pair.compiled.interface.uniforms {
        let name = uniform.name.replace("Count", "Loop");
        let Some(symbol) = symbols.uniforms().find(|symbol| symbol.name == name) else { continue };
        for register in symbol.first..symbol.first + symbol.count {
            match symbol.bank {
                SymbolBank::Float => uniforms.floats[register] = any.floats[register],
                SymbolBank::Int => uniforms.ints[register] = any.ints[register],
                SymbolBank::Bool => {
                    uniforms.bools = uniforms.bools & !(1 << register) | any.bools & 1 << register;
                }
                SymbolBank::Input => {}
            }
        }
    }
    (uniforms, vertices)
}

/// Components of an output by its semantic.
type Outputs = Vec<(&'static str, Vec<f32>)>;

fn outputs(symbols: &Symbols, registers: &[[f32; 4]; 16]) -> Outputs {
    let lanes = |&(name, register, mask): &(&'static str, usize, transpica::isa::Mask)| {
        let lanes = (0..4).filter(|lane| mask.0 >> lane & 1 != 0);
        (name, lanes.map(|lane| registers[register][lane]).collect())
    };
    symbols.outputs().iter().map(lanes).collect()
}

impl Far {
    fn add(&mut self, hand: &Outputs, compiled: &Outputs) {
        // What only a geometry program receives has no place in a shader.
        for (name, lanes) in hand.iter().filter(|(name, _)| *name != "generic") {
            let found = compiled.iter().find(|(other, _)| other == name);
            let (_, found) = found.unwrap_or_else(|| panic!("the shader has no {name}"));
            let size = found.iter().fold(1e-3, |size, lane| f64::max(size, f64::from(lane.abs())));
            for (&a, &b) in lanes.iter().zip(found) {
                // The unit receives colors from 0 to 1.
                let [a, b] = if *name == "color" { [a, b].map(|lane| lane.clamp(0.0, 1.0)) } else { [a, b] };
                let difference = (f64::from(a) - f64::from(b)).abs();
                let difference = if a.to_bits() == b.to_bits() { 0.0 } else { difference };
                let (kept, relative) = match *name {
                    "position" => (&mut self.position, difference / size),
                    "color" => (&mut self.color, difference),
                    _other => (&mut self.other, difference / size.max(1.0)),
                };
                *kept = kept.max(if relative.is_nan() { f64::INFINITY } else { relative });
            }
        }
    }

    fn is_near(&self) -> bool {
        self.position <= 1e-4 && self.color <= LEVEL && self.other <= 1e-3
    }
}

/// Runs both programs on the same vertices: the largest distances of those that are near, and the
/// number of others.
fn distances(job: &Job, pair: &Pair) -> (Far, usize) {
    let files = pair.files();
    let symbols = files.each_ref().map(|file| Symbols::new(file.executable(0).expect("a program")));
    let mut machines = files.each_ref().map(|file| {
        let program = dvle::program(file, 0, &Limits::default()).expect("a program");
        Machine::new(&program, Settings::default().settings(BUDGET)).expect("a machine")
    });
    let (mut all, mut others) = (Far::default(), 0);
    for seed in 0..STATES {
        let (uniforms, vertices) = values(job, &files[0], pair, seed);
        let both = [uniforms.clone(), pair.same(&uniforms)];
        for (machine, uniforms) in machines.iter_mut().zip(&both) {
            machine.set_uniforms(uniforms);
        }
        for vertex in &vertices {
            let [hand, compiled] = [0, 1].map(|index| {
                let registers = machines[index].run(vertex).expect("it ends");
                outputs(&symbols[index], registers)
            });
            let mut far = Far::default();
            far.add(&hand, &compiled);
            if far.is_near() {
                all.position = all.position.max(far.position);
                all.color = all.color.max(far.color);
                all.other = all.other.max(far.other);
            } else {
                others += 1;
            }
        }
    }
    (all, others)
}

#[test]
fn shaders_take_few_words_more_than_samples_and_compute_the_same() {
    let mut failures = Vec::new();
    println!("{:16} hand compiled ratio  position     color     other  others", "shader");
    for job in JOBS {
        let pair = Pair::new(job);
        let (far, others) = distances(job, &pair);
        let ratio = pair.compiled.words as f64 / pair.words as f64;
        println!(
            "{:16} {:4} {:8} {ratio:5.2} {:9.1e} {:9.1e} {:9.1e} {others:7}",
            job.file, pair.words, pair.compiled.words, far.position, far.color, far.other
        );
        if ratio > job.ratio {
            failures.push(format!("{}: {ratio:.2} times the words of the sample", job.file));
        }
        if others > job.others {
            failures.push(format!("{}: {others} vertices differ", job.file));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The state of a sample for a picture, with its mesh.
fn drawn(name: &str, file: &Shbin<'_>) -> (String, BuiltIn) {
    let path = folder("../../shaders").join(format!("{name}.state.json"));
    let text = fs::read_to_string(path).unwrap_or_else(|_none| "{}".into());
    let symbols = Symbols::new(file.executable(0).expect("a program"));
    let state = state::parse(&text, Uniforms::default(), Stage::Vertex, &symbols).expect("a state");
    (text, state.mesh.unwrap_or(BuiltIn::Lathe))
}

/// Draws the mesh with both programs.
fn pictures(job: &Job, pair: &Pair) -> [Picture; 2] {
    let files = pair.files();
    let name = job.file.split_once('.').expect("an extension").0;
    let (text, mesh) = drawn(name, &files[0]);
    let (mesh, camera) = (Mesh::built_in(mesh), Camera::new(Size::SCREEN, Camera::START));
    let [mut hand, mut compiled] = files.each_ref().map(|file| {
        let pick = Pick { vertex: 0, geometry: None };
        Scene::new(file, pick, &mesh, &camera).expect("a scene")
    });
    let symbols = Symbols::new(files[0].executable(0).expect("a program"));
    let [guessed, _] = &hand.states;
    let guessed = (guessed.clone(), state::Set::new());
    let given = state::parse_onto(&text, guessed, Stage::Vertex, &symbols).expect("a state");
    hand.set_attributes(&given.attributes);
    compiled.vertices.clone_from(&hand.vertices);
    compiled.states[0].uniforms = pair.same(&given.uniforms);
    hand.states[0] = given;
    [hand, compiled].map(|scene| {
        let shown = scene.shown().expect("triangles");
        raster::paint(&shown.triangles, shown.look, Size::SCREEN, Samples::One).expect("few pixels")
    })
}

#[test]
fn pictures_of_shaders_are_those_of_samples() {
    let mut failures = Vec::new();
    println!("{:16} drawn  differ  by more than a level", "shader");
    for job in JOBS {
        let [hand, compiled] = pictures(job, &Pair::new(job));
        let background = hand.pixels[0];
        let drawn = hand.pixels.iter().filter(|&&pixel| pixel != background).count();
        let differences = hand
            .pixels
            .iter()
            .zip(&compiled.pixels)
            .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or_default());
        let differ = differences.clone().filter(|&difference| difference > 0).count();
        let more = differences.filter(|&difference| difference > 1).count();
        println!("{:16} {drawn:5} {differ:7} {more:7}", job.file);
        if drawn < 1000 {
            failures.push(format!("{}: {drawn} pixels are drawn", job.file));
        }
        if more > job.pixels {
            failures.push(format!("{}: {more} pixels differ by more than a level", job.file));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
