//! Uniforms and inputs for runs without a state file.
//! In: a seed, the names of a program. Out: a [`State`]: values that find faults, or values as a
//! game has them.

use std::fmt;

use serde::Serialize;
use transpica::Shbin;
use transpica::container::{Dvle, GeometryMode, ShaderType};
use transpica::host::dvle::FileEnvironment;
use transpica::interp::Uniforms;
use transpica::isa::sizes::FLOATS;

use crate::state::{Delivered, State, bits};
use crate::symbols::Symbols;
use crate::values::{self, Named, Use, use_of};

/// Uniforms that a program starts with: its setup constants.
pub fn start_values(environment: &FileEnvironment<'_>) -> Uniforms {
    let mut uniforms = Uniforms::default();
    environment.constants().apply(&mut uniforms);
    uniforms
}

/// Returns the state that a run without a state file has; with `stress` one that finds faults.
pub fn of_seed(file: &Shbin<'_>, environment: &FileEnvironment<'_>, symbols: &Symbols, seed: Seed) -> State {
    let Seed { seed, count, stress } = seed;
    let names = symbols.as_slice();
    let (mut uniforms, inputs) = if stress {
        (values::uniforms(seed), values::inputs(seed, count))
    } else {
        let inputs = values::plausible_inputs(seed, count, names);
        (values::plausible_uniforms(seed, names), inputs)
    };
    environment.constants().apply(&mut uniforms);
    let vertices = inputs.iter().map(bits).collect();
    let delivered = deliver(file, environment.executable(), count, |number| {
        if stress { values::uniforms(seed ^ number).floats } else { values::unit_values(seed ^ number) }
    });
    State { delivered, ..State::new(uniforms, vertices) }
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
                    "generated from seed {seed}{how}; --save-state FILE saves them, --state FILE loads others"
                )
            }
        }
    }
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
    // Without a vertex program in the file, vertices have one output.
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
