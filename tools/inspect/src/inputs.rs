//! Uniforms and inputs for runs without a state file.
//! In: a seed, the names of a program. Out: a [`State`]: values that find faults, or values as a
//! game has them.

use std::fmt;

use serde::Serialize;
use transpica::Shbin;
use transpica::container::{Dvle, GeometryMode, ShaderType};
use transpica::host::dvle::FileEnvironment;
use transpica::interp::Uniforms;
use transpica::isa::limits::FLOATS;

use transpica_generate::{Named, Use, use_of};

use crate::state::{Delivered, Registers, State};
use crate::symbols::Symbols;

/// Uniforms that a program starts with: its setup constants.
pub fn start_values(environment: &FileEnvironment<'_>) -> Uniforms {
    let mut uniforms = Uniforms::default();
    environment.constants().apply(&mut uniforms);
    uniforms
}

/// Returns the state that a run without a state file has; with `stress` one that finds faults.
pub fn of_seed(file: &Shbin<'_>, environment: &FileEnvironment<'_>, symbols: &Symbols, seed: Seed) -> State {
    let Seed { seed, count, stress } = seed;
    let executable = environment.executable();
    if stress {
        return generated(seed, count, environment, delivered(file, executable, seed, count));
    }
    let values = |number| transpica_generate::unit_values(seed ^ number);
    plausible(seed, count, environment, symbols, deliver(file, executable, count, values))
}

/// The origin of generated values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Seed {
    /// Seed of the generator.
    pub seed: u64,
    /// Number of vertices or invocations.
    pub count: usize,
    /// Infinities, NaN, huge and tiny numbers, any index.
    pub stress: bool,
}

/// Origin of the uniforms and inputs of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Origin {
    /// Generated.
    Seed(Seed),
    /// Read from a file.
    File {
        /// Its name.
        file: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file } => f.write_str(file),
            Self::Seed(Seed { seed, stress, .. }) => {
                let how = if *stress { " to find faults" } else { "" };
                write!(
                    f,
                    "generated from seed {seed}{how}; --save-state FILE writes them, --state FILE reads others"
                )
            }
        }
    }
}

/// Generated uniforms and inputs, with the constants of an executable.
pub fn generated(
    seed: u64,
    vertices: usize,
    environment: &FileEnvironment<'_>,
    delivered: Vec<Delivered>,
) -> State {
    let mut uniforms = transpica_generate::uniforms(seed);
    environment.constants().apply(&mut uniforms);
    let vertices = to_bits(&transpica_generate::inputs(seed, vertices));
    State { uniforms, floats_set: [false; FLOATS], vertices, delivered }
}

/// Uniforms and inputs as a game has them, with the constants of an executable.
fn plausible(
    seed: u64,
    vertices: usize,
    environment: &FileEnvironment<'_>,
    symbols: &Symbols,
    delivered: Vec<Delivered>,
) -> State {
    let mut uniforms = transpica_generate::plausible_uniforms(seed, symbols.as_slice());
    environment.constants().apply(&mut uniforms);
    let vertices = to_bits(&transpica_generate::plausible_inputs(seed, vertices, symbols.as_slice()));
    State { uniforms, floats_set: [false; FLOATS], vertices, delivered }
}

fn to_bits(vertices: &[[[f32; 4]; 16]]) -> Vec<Registers> {
    vertices.iter().map(|registers| registers.map(|register| register.map(f32::to_bits))).collect()
}

/// Generates uniforms, as [`generated`] does, that the primitive engine
/// could deliver to each of `count` invocations.
fn delivered(file: &Shbin<'_>, executable: &Dvle<'_>, seed: u64, count: usize) -> Vec<Delivered> {
    deliver(file, executable, count, |number| transpica_generate::uniforms(seed ^ number).floats)
}

/// Delivers values to each of `count` invocations. Their number follows from the executable's mode
/// and the outputs of the file's first vertex program.
fn deliver(
    file: &Shbin<'_>,
    executable: &Dvle<'_>,
    count: usize,
    values: impl Fn(u64) -> [[f32; 4]; FLOATS],
) -> Vec<Delivered> {
    let header = &executable.header;
    let vertex = file
        .executables
        .iter()
        .find(|executable| executable.header.shader_type() == Some(ShaderType::Vertex));
    // Without a vertex program beside it, vertices have one output.
    let outputs = vertex.map_or(1, |vertex| vertex.output_mask().count_ones().max(1) as usize);
    let shape = |number: usize| {
        // A seed of its own keeps these values different from the draw's uniforms and from those of
        // other invocations.
        let values = values((1 + number as u64) << 32);
        let fill = |first: usize, count: usize| {
            let end = FLOATS.min(first + count);
            // Range: below 96.
            (first..end).map(move |register| (register as u8, values[register].map(f32::to_bits)))
        };
        match header.geometry_mode() {
            Some(GeometryMode::Point) | None => Delivered::new(),
            Some(GeometryMode::Fixed) => {
                let vertices = usize::from(header.geometry_fixed_vertices);
                fill(usize::from(header.geometry_start), vertices * outputs).collect()
            }
            Some(GeometryMode::Variable) => {
                let (main, more) = (usize::from(header.geometry_main_vertices), number % 4);
                let size = [((main + more) as f32).to_bits(); 4];
                std::iter::once((0, size)).chain(fill(1, main * outputs + more)).collect()
            }
        }
    };
    match header.shader_type() {
        Some(ShaderType::Geometry) => (0..count).map(shape).collect(),
        Some(ShaderType::Vertex) | None => Vec::new(),
    }
}

/// Returns whether the name and size of a uniform suggest a matrix.
pub fn is_matrix(named: &Named) -> bool {
    matches!(use_of(named), Use::Matrix { .. })
}
