//! Jobs: the shader stage that a program is translated to. Plain data. Knows neither the IR nor the
//! back ends.

use super::options::Options;
use super::setup::Setup;
use super::vertex_input::VertexInput;
use crate::program::isa::Stage;

/// The shader stage that a program is translated to.
///
/// ```
/// use transpica::Job;
/// assert!(Job::Compute.is_compute() && !Job::default().is_compute());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Job<'a> {
    /// A vertex program as a vertex stage with attributes, position and varyings.
    #[default]
    Vertex,
    /// A vertex program as a compute stage of 64 invocations a workgroup. Invocation n reads
    /// v0..v15 of vertex n (16 vec4) from storage buffer binding 0 and writes o0..o15 to storage
    /// buffer binding 1. The uniform block, if any, is binding 2. Registers are raw: options of
    /// attributes and of a vertex stage's outputs have no effect.
    Compute,
    /// A vertex program as the vertex stage before a geometry stage. Its inputs are attributes.
    /// Location n is the n-th output register of the mask, unchanged. It has no position, so it is
    /// meant for SPIR-V and GLSL: WGSL needs a position, so texts declare one that no stage reads.
    /// A draw with compute dispatches has [`Compute`](Self::Compute) in this place.
    BeforeGeometry {
        /// Mask of forwarded output registers, bit n = on: [`Setup::vertex_outputs`].
        outputs: u16,
        /// Number of vertices that one point of the draw has: [`Setup::point_vertices`]. With more
        /// than 1 the program runs for each of them: of A attributes that it reads and M outputs,
        /// attribute a of vertex n is at location n · A + a, and output m at n · M + m.
        vertices: u8,
    },
    /// A geometry program as a compute stage. `GeometryKernel`
    /// describes its buffers, the guide all dispatches of a draw. Outputs come from the setup,
    /// which may merge the maps of both programs. Constants and names come from the environment of
    /// the program.
    Geometry(&'a Setup),
    /// As [`Geometry`](Self::Geometry), but it records every EMIT with raw output registers instead
    /// of triangles, for comparison with the interpreter. No draw needs it. Each invocation reads
    /// all its inputs and float uniforms, 16 + 96 vectors at binding 0. A record at binding 1 is
    /// 3 · (the number of vectors of [`kernel`](crate::host::Interface::kernel)) vectors: first
    /// (slot + 2^23, 1 if a triangle is submitted, 1 if it is reversed, index of the invocation +
    /// 2^23), then the forwarded registers in order.
    #[doc(hidden)]
    Emits {
        /// Mask of the forwarded outputs of the geometry unit, bit n = on.
        outputs: u16,
    },
    /// A geometry program as a geometry stage of the host's API, in SPIR-V and GLSL: see
    /// `GeometryStage` for supported programs. It emits exactly
    /// the triangles of the program, in order. The stage before it is
    /// [`BeforeGeometry`](Self::BeforeGeometry). Both have a uniform block, so each needs a binding
    /// of its own.
    GeometryStage(&'a Setup),
    /// The vertex stage that forwards finished vertices: those of the triangles of
    /// [`Geometry`](Self::Geometry), or those that ran on the CPU. Attribute n, four floats, is
    /// output n of the interface. Depth and color conversion were already applied, by the kernel or
    /// by [`Output::value`](crate::host::Output::value). It contains no code of the program, so any
    /// program will do.
    Draw(&'a Setup),
    /// The geometry stage after [`Vertex`](Self::Vertex) that brings the quaternions of each
    /// triangle to one side, as the rasterizer does: the second and the third vertex have theirs
    /// negated where its dot product with the first is negative. Everything else is passed on:
    /// position, clip distances and varyings, the same as of the vertex stage in the same
    /// environment. It takes triangles and returns triangles, in SPIR-V and GLSL 450. It contains
    /// no code of the program; with [`Outputs::all`](crate::settings::Outputs::all) one stage
    /// serves all programs.
    Quaternions,
}

impl Job<'_> {
    /// Returns the stage of accepted programs, or `None` if both are.
    pub fn stage(&self) -> Option<Stage> {
        match self {
            Self::Vertex | Self::Compute | Self::BeforeGeometry { .. } => Some(Stage::Vertex),
            Self::Geometry(_) | Self::Emits { .. } | Self::GeometryStage(_) => Some(Stage::Geometry),
            Self::Draw(_) | Self::Quaternions => None,
        }
    }

    /// Returns whether the result is a compute stage.
    pub fn is_compute(&self) -> bool {
        matches!(self, Self::Compute | Self::Geometry(_) | Self::Emits { .. })
    }

    /// Returns whether the module contains the program.
    pub(crate) fn has_program(&self) -> bool {
        !matches!(self, Self::Draw(_) | Self::Quaternions)
    }

    /// Returns whether the attributes come from the host's input assembly.
    fn has_attributes(&self) -> bool {
        matches!(self, Self::Vertex | Self::BeforeGeometry { .. })
    }

    /// Returns the options without those that have no effect on this job.
    pub fn effective(&self, options: &Options) -> Options {
        let (mut options, VertexInput { formats, promises }) = (*options, VertexInput::default());
        if !self.has_attributes() {
            options.input.formats = formats;
        }
        // The inputs of other programs are outputs of vertex programs.
        if self.stage() != Some(Stage::Vertex) {
            options.input.promises = promises;
        }
        options
    }
}
