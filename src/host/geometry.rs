//! What stands around a geometry program: how it gets vertices, what it passes on.
//! Plain data; [`crate::pipeline::Setup`] reads it out of registers or files and checks it. Facts: 3dbrew, GBATEK.

/// How a geometry unit gets the outputs of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryInput {
    /// In its input registers: an invocation for each `inputs` vectors.
    Point {
        /// Vectors that an invocation takes, 1 to 16: outputs of one vertex after the other.
        inputs: u8,
        /// Which of v0..v15 each of them goes to; of two for one the later counts.
        registers: [u8; 16],
    },
    /// In float uniforms: c0 tells how many vertices there are, which the index buffer gives before their indices.
    Variable {
        /// So many vertices come with all outputs (1 to 32), those after them with the first one only.
        main: u8,
    },
    /// In float uniforms: always the same number of vertices.
    Fixed {
        /// The uniform of the first output of the first vertex.
        first: u8,
        /// Vertices of a primitive, 1 to 16.
        vertices: u8,
        /// Uniforms from one vertex to the next, 1 to 16.
        stride: u8,
    },
}

/// What stands around a geometry program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeometrySetup {
    /// How it gets vertices.
    pub input: GeometryInput,
    /// Bit n: on is passed on.
    pub outputs: u16,
}
