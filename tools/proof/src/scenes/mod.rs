//! A scene for each geometry sample: vertices, indices, uniforms by name, and the configuration of
//! the draw.
//! In: nothing. Out: [`Scene`]s, always the same, that show something in a picture of [`WIDTH`] ×
//! [`HEIGHT`].
//! Knows neither GPUs nor pictures. Triangles are counter-clockwise from their visible side.

pub mod mesh;
mod samples;

pub use samples::list;
use transpica_inspect::matrix;

use transpica::container::SymbolBank;
use transpica::host::dvle;
use transpica::host::registers::number::{GEOMETRY_UNIT, UNIT_MODE, VERTEX_UNIT};
use transpica::interp::{Registers, Uniforms};
use transpica::{Options, RegisterState, Result, Setup, Shbin, Stage};
use transpica_draw::cpu::Pipeline;

/// Width of the console's upper screen in pixels.
pub const WIDTH: u32 = 400;
/// Height of the console's upper screen in pixels.
pub const HEIGHT: u32 = 240;

/// A value for a named uniform.
#[derive(Clone, Debug)]
enum Value {
    Floats(Vec<[f32; 4]>),
    Int([u8; 4]),
    Bool(bool),
}

/// A file's first two executables, vertex and geometry program, with the data of a draw.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the sample.
    pub name: &'static str,
    /// The file.
    pub bytes: &'static [u8],
    /// The application's configuration that is not in the file, see [`Setup::from_file`].
    pub stride: Option<u8>,
    /// v0..v15 of each vertex.
    pub vertices: Vec<[[f32; 4]; 16]>,
    /// Index buffer, if the draw has one.
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
    /// Adds a vertex with these attributes.
    fn push(&mut self, attributes: &[[f32; 4]]) {
        let mut vertex = Registers::DEFAULT_INPUTS;
        vertex[..attributes.len()].copy_from_slice(attributes);
        self.vertices.push(vertex);
    }

    /// Parses the file.
    ///
    /// # Errors
    /// None: the samples are well formed.
    pub fn file(&self) -> Result<Shbin<'static>> {
        Shbin::parse(self.bytes)
    }

    /// Returns the configuration of the draw.
    ///
    /// # Errors
    /// None, as [`file`](Self::file).
    pub fn setup(&self) -> Result<Setup> {
        Setup::from_file(&self.file()?, 0, Some(1), self.stride)
    }

    /// Returns the uniforms of a unit: the executable's constants and the scene's values.
    ///
    /// # Errors
    /// None, as [`file`](Self::file).
    ///
    /// # Panics
    /// If the executable has no symbol for a name that the scene sets.
    pub fn uniforms(&self, stage: Stage) -> Result<Uniforms> {
        let file = self.file()?;
        let executable = file.executable(stage as usize)?;
        let mut uniforms = Uniforms::default();
        dvle::constants(executable).apply(&mut uniforms);
        for (_, name, value) in self.values.iter().filter(|(of, _, _)| *of == stage) {
            let is_named =
                |symbol: &transpica::container::Symbol| executable.name(symbol.name).to_text() == *name;
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

    /// Builds the command list that binds both programs and sets their uniforms. Its geometry
    /// program is the one of [`Setup::from_file`] without a stride.
    ///
    /// # Errors
    /// None, as [`file`](Self::file).
    pub fn commands(&self) -> Result<Vec<u32>> {
        let file = self.file()?;
        let state = RegisterState::from_dvle(&file, 0, Some(1))?;
        let mut list = Vec::new();
        let mut write = |register: u16, value: u32| list.extend([value, u32::from(register) | 0xF << 16]);
        // The units are configured separately from here on.
        write(UNIT_MODE, 1);
        (0x40..GEOMETRY_UNIT).for_each(|register| write(register, state.read(register)));
        for (base, stage) in [(VERTEX_UNIT, Stage::Vertex), (GEOMETRY_UNIT, Stage::Geometry)] {
            (0x00..0x10).for_each(|offset| write(base + offset, state.read(base + offset)));
            let uniforms = self.uniforms(stage)?;
            write(base, uniforms.bools.into());
            (1..).zip(uniforms.ints).for_each(|(offset, int)| write(base + offset, u32::from_le_bytes(int)));
            // All float uniforms from c0 on, as f32, w first.
            write(base + 0x10, 1 << 31);
            for vector in uniforms.floats {
                vector.into_iter().rev().for_each(|component| write(base + 0x11, component.to_bits()));
            }
            write(base + 0x1B, 0);
            file.package.code.iter().for_each(|word| write(base + 0x1C, word));
            write(base + 0x25, 0);
            file.package.descriptors.iter().for_each(|descriptor| write(base + 0x26, descriptor.bits));
        }
        Ok(list)
    }

    /// Builds the CPU pipeline, which can [draw](Pipeline::draw) [`vertices`](Self::vertices) with
    /// [`indices`](Self::indices).
    ///
    /// # Errors
    /// Options that conflict.
    pub fn pipeline(&self, options: &Options) -> Result<Pipeline> {
        let mut pipeline = Pipeline::from_file(&self.file()?, 0, Some(1), self.stride, options)?;
        for stage in [Stage::Vertex, Stage::Geometry] {
            pipeline.set_uniforms(stage, &self.uniforms(stage)?);
        }
        Ok(pipeline)
    }
}
