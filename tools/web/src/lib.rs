//! The engine behind the page: one class with text and bytes on both sides, for a Web Worker.
//! In: calls of the page. Out: JSON texts and bytes, as `tools/web/page` declares them. Has no
//! clock, no thread and no file, and everything here runs natively, too.

pub mod document;
pub mod engine;
pub mod found;
pub mod gpu;
pub mod picture;
pub mod problem;
pub mod settings;
pub mod stepping;
pub mod values;
pub mod views;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{backend, cfg, ir, precision, structure, translate};

use wasm_bindgen::prelude::wasm_bindgen;

/// The engine as JavaScript sees it: see [`engine::Engine`] for its methods.
#[wasm_bindgen]
#[derive(Default)]
pub struct Engine(engine::Engine);

#[wasm_bindgen]
impl Engine {
    /// Creates an engine without a document.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }
    /// Opens a file of any kind.
    pub fn open(&mut self, name: &str, bytes: &[u8]) -> String {
        self.0.open(name, bytes)
    }
    /// Opens a shader inside of the container.
    #[wasm_bindgen(js_name = openFound)]
    pub fn open_found(&mut self, number: usize) -> String {
        self.0.open_found(number)
    }
    /// Replaces the text.
    pub fn edit(&mut self, text: &str) -> String {
        self.0.edit(text)
    }
    /// Selects a program.
    pub fn select(&mut self, program: usize) -> String {
        self.0.select(program)
    }
    /// Returns the form of all settings.
    pub fn settings(&self) -> String {
        self.0.settings()
    }
    /// Replaces all settings.
    pub fn configure(&mut self, json: &str) -> String {
        self.0.configure(json)
    }
    /// Returns the content of a pane.
    pub fn view(&mut self, kind: &str) -> String {
        self.0.view(kind)
    }
    /// Returns the SPIR-V module.
    pub fn spirv(&mut self) -> Vec<u8> {
        self.0.spirv()
    }
    /// Returns the `.shbin` file.
    pub fn shbin(&self) -> Vec<u8> {
        self.0.shbin()
    }
    /// Returns sizes.
    pub fn sizes(&mut self) -> String {
        self.0.sizes()
    }
    /// Returns the state file.
    pub fn state(&self) -> String {
        self.0.state()
    }
    /// Replaces the state.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&mut self, json: &str) -> String {
        self.0.set_state(json)
    }
    /// Generates values.
    pub fn seed(&mut self, seed: f64, vertices: usize) -> String {
        // Range: numbers of the page are whole and below 2^53; others become the nearest of those.
        self.0.generate(seed as u64, vertices)
    }
    /// Returns the form of the uniforms.
    pub fn uniforms(&self) -> String {
        self.0.uniforms()
    }
    /// Reads a list of numbers.
    pub fn numbers(&self, list: &str) -> String {
        self.0.numbers(list)
    }
    /// Sets registers of a bank.
    #[wasm_bindgen(js_name = setUniform)]
    pub fn set_uniform(&mut self, bank: &str, first: u32, json: &str) -> String {
        self.0.set_uniform(bank, first, json)
    }
    /// Records a vertex.
    pub fn record(&mut self, vertex: usize) -> String {
        self.0.record(vertex)
    }
    /// Returns the state in front of a step.
    pub fn step(&self, number: usize) -> String {
        self.0.step(number)
    }
    /// Returns the next step at an address, or -1.
    pub fn find(&self, pc: u16, from: usize, direction: i32) -> i32 {
        self.0.find(pc, from, direction)
    }
    /// Returns the origin of an output.
    pub fn ancestry(&self, output: &str, components: &str) -> String {
        self.0.ancestry(output, components)
    }
    /// Returns the addresses of dead instructions.
    pub fn dead(&self) -> String {
        self.0.dead()
    }
    /// Returns the names of the built-in meshes.
    pub fn meshes(&self) -> String {
        self.0.meshes()
    }
    /// Replaces the mesh.
    #[wasm_bindgen(js_name = setMesh)]
    pub fn set_mesh(&mut self, name: &str) -> String {
        self.0.set_mesh(name)
    }
    /// Returns the names of what a picture can show.
    pub fn shows(&self) -> String {
        self.0.shows()
    }
    /// Draws on the CPU.
    pub fn draw(&mut self, json: &str) -> Vec<u8> {
        self.0.draw(json)
    }
    /// Returns the problem of the last picture.
    #[wasm_bindgen(js_name = lastProblem)]
    pub fn last_problem(&self) -> String {
        self.0.last_problem()
    }
    /// Returns what WebGPU needs for a picture.
    #[wasm_bindgen(js_name = gpuDraw)]
    pub fn gpu_draw(&mut self, json: &str) -> String {
        self.0.gpu_draw(json)
    }
    /// Returns the content of a buffer of the last draw for WebGPU.
    #[wasm_bindgen(js_name = gpuBytes)]
    pub fn gpu_bytes(&self, number: usize) -> Vec<u8> {
        self.0.gpu_bytes(number)
    }
    /// Runs the program for all vertices.
    pub fn run(&self) -> String {
        self.0.run()
    }
}
