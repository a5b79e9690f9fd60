//! A scene for each geometry sample: vertices, indices, uniforms by name, and what stands around the programs.
//! In: nothing. Out: [`Scene`]s, the same every time, that show something on a picture of [`WIDTH`] × [`HEIGHT`].
//! Knows neither GPUs nor pictures. Triangles are counter-clockwise seen from where they should be seen.

pub mod matrix;
pub mod mesh;
mod samples;

use transpica::stages::container::{Shbin, SymbolBank};
use transpica::stages::draw::cpu::Pipeline;
use transpica::stages::error::Result;
use transpica::stages::host::Setup;
use transpica::stages::host::{Options, dvle};
use transpica::stages::interp::{Registers, Uniforms};
use transpica::stages::isa::Stage;

/// The console's upper screen.
pub const WIDTH: u32 = 400;
/// Its height.
pub const HEIGHT: u32 = 240;

/// A value for the uniform of a name.
#[derive(Clone, Debug)]
enum Value {
    Floats(Vec<[f32; 4]>),
    Int([u8; 4]),
    Bool(bool),
}

/// A file's first two executables, vertex and geometry program, with all that a draw needs.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the sample.
    pub name: &'static str,
    /// The file.
    pub bytes: &'static [u8],
    /// What an application tells beside the file, see [`Setup::from_file`].
    pub stride: Option<u8>,
    /// v0..v15 of each vertex.
    pub vertices: Vec<[[f32; 4]; 16]>,
    /// Present where they are needed.
    pub indices: Option<Vec<u32>>,
    values: Vec<(Stage, &'static str, Value)>,
}

impl Scene {
    fn new(name: &'static str, bytes: &'static [u8]) -> Self {
        Self { name, bytes, stride: None, vertices: Vec::new(), indices: None, values: Vec::new() }
    }
    fn floats(mut self, stage: Stage, name: &'static str, values: &[[f32; 4]]) -> Self {
        self.values.push((stage, name, Value::Floats(values.to_vec())));
        self
    }
    fn matrix(self, stage: Stage, name: &'static str, matrix: &matrix::Matrix) -> Self {
        self.floats(stage, name, &matrix::rows(matrix))
    }
    fn int(mut self, name: &'static str, value: [u8; 4]) -> Self {
        self.values.push((Stage::Geometry, name, Value::Int(value)));
        self
    }
    fn bool(mut self, name: &'static str, value: bool) -> Self {
        self.values.push((Stage::Geometry, name, Value::Bool(value)));
        self
    }
    /// Adds a vertex of these attributes.
    fn push(&mut self, attributes: &[[f32; 4]]) {
        let mut vertex = Registers::DEFAULT_INPUTS;
        vertex[..attributes.len()].copy_from_slice(attributes);
        self.vertices.push(vertex);
    }

    /// The file, read.
    ///
    /// # Errors
    /// None: the samples are well formed.
    pub fn file(&self) -> Result<Shbin<'static>> {
        Shbin::parse(self.bytes)
    }

    /// What stands around the programs.
    ///
    /// # Errors
    /// None, as [`file`](Self::file).
    pub fn setup(&self) -> Result<Setup> {
        Setup::from_file(&self.file()?, 0, Some(1), self.stride)
    }

    /// The uniforms of a unit: the executable's constants and what the scene sets.
    ///
    /// # Errors
    /// None, as [`file`](Self::file).
    ///
    /// # Panics
    /// If the executable has no symbol of a name that the scene sets.
    pub fn uniforms(&self, stage: Stage) -> Result<Uniforms> {
        let file = self.file()?;
        let executable = file.executable(stage as usize)?;
        let mut uniforms = Uniforms::default();
        dvle::constants(executable).apply(&mut uniforms);
        for (_, name, value) in self.values.iter().filter(|(of, _, _)| *of == stage) {
            let is_named = |symbol: &transpica::stages::container::Symbol| {
                executable.name(symbol.name).to_text() == *name
            };
            let symbol = executable.symbols.iter().find(is_named);
            let range = symbol.and_then(|symbol| symbol.range());
            let range = range.unwrap_or_else(|| panic!("{} has no {name}", self.name));
            let first = usize::from(range.first);
            match (value, range.bank) {
                (Value::Floats(values), SymbolBank::Float) => {
                    uniforms.floats[first..first + values.len()].copy_from_slice(values);
                }
                (&Value::Int(value), SymbolBank::Int) => uniforms.ints[first] = value,
                (&Value::Bool(value), SymbolBank::Bool) => uniforms.set_bool(range.first, value),
                (Value::Floats(_) | Value::Int(_) | Value::Bool(_), bank) => {
                    panic!("{}: {name} is one of {bank:?}", self.name)
                }
            }
        }
        Ok(uniforms)
    }

    /// The programs on the interpreter, ready to [draw](Pipeline::draw) [`vertices`](Self::vertices) with
    /// [`indices`](Self::indices).
    ///
    /// # Errors
    /// Options that cannot be.
    pub fn pipeline(&self, options: &Options) -> Result<Pipeline> {
        let mut pipeline = Pipeline::from_file(&self.file()?, 0, Some(1), self.stride, options)?;
        for stage in [Stage::Vertex, Stage::Geometry] {
            pipeline.set_uniforms(stage, &self.uniforms(stage)?);
        }
        Ok(pipeline)
    }
}

/// A scene for each geometry sample, by name.
pub fn all() -> Vec<Scene> {
    samples::all()
}
