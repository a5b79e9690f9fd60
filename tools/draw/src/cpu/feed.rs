//! Distribution of vertices to invocations of a geometry program.
//! In: the forwarded outputs of one vertex after the other. Out: inputs or uniforms of the geometry
//! program, and when it is to run. Knows neither the vertex program nor triangles. Facts: 3dbrew,
//! GBATEK (modes).

use super::geometry::Geometry;
use transpica::geometry::GeometryInput;

/// The primitive under construction.
#[derive(Clone, Debug)]
pub(super) struct Feed {
    input: GeometryInput,
    /// Point mode: number of vectors so far. Other modes: number of vertices.
    count: usize,
    /// Variable mode: register of the next vector.
    next: usize,
}

impl Feed {
    pub(super) fn new(input: GeometryInput) -> Self {
        Self { input, count: 0, next: 0 }
    }

    /// Starts a primitive of `size` vertices, in variable mode.
    pub(super) fn start(&mut self, size: u32, geometry: &mut Geometry) {
        geometry.deliver(0, &[[size as f32; 4]]);
        (self.count, self.next) = (0, 1);
    }

    /// Counts vectors or vertices of a primitive of so many; returns whether it is complete. The
    /// last ones never exceed it, and a remainder would take as long as all else.
    fn count(&mut self, more: usize, all: u8) -> bool {
        self.count += more;
        if self.count >= usize::from(all) {
            self.count = 0;
        }
        self.count == 0
    }

    /// Takes the forwarded outputs of a vertex; returns true when the program is to run.
    #[inline(always)]
    pub(super) fn take(&mut self, vectors: &[[f32; 4]], geometry: &mut Geometry) -> bool {
        match &self.input {
            GeometryInput::Point { inputs, registers } => {
                // The number of inputs is a multiple of the number of vectors, so that each
                // invocation replaces what the one before had.
                let to = geometry.inputs();
                let registers = registers.get(self.count..).unwrap_or_default();
                for (&register, &vector) in registers.iter().zip(vectors) {
                    to[usize::from(register & 15)] = vector;
                }
                self.count(vectors.len(), *inputs)
            }
            GeometryInput::Variable { main } => {
                let is_main = self.count < usize::from(*main);
                let vectors = if is_main { vectors } else { &vectors[..1.min(vectors.len())] };
                // Range: within c95, or the primitive was an error.
                geometry.deliver(self.next as u8, vectors);
                self.next += vectors.len();
                self.count += 1;
                false
            }
            GeometryInput::Fixed { first, vertices, stride } => {
                let place = usize::from(*first) + self.count * usize::from(*stride);
                // Range: within c95, which was checked.
                geometry.deliver(place as u8, vectors);
                self.count(1, *vertices)
            }
        }
    }
}
