//! What a program is translated to, besides what the options say.
//! Plain data. Knows neither the IR nor the back ends.

use super::options::{AttributeFormat, Options};
use super::setup::Setup;
use crate::isa::Stage;

/// What a program is translated to.
///
/// ```
/// use transpica::Job;
/// assert!(Job::Compute.is_compute() && !Job::default().is_compute());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Job<'a> {
    /// A vertex program as a vertex stage: attributes in, position and varyings out.
    #[default]
    Vertex,
    /// A vertex program as a compute stage of 64 invocations a workgroup. Invocation n reads
    /// v0..v15 of vertex n (16 vec4) from storage buffer binding 0 and writes o0..o15 to storage
    /// buffer binding 1, and one vector more with
    /// [`Control::report_unfinished`](super::Control::report_unfinished). The uniform block, if
    /// any, is binding 2. Registers are raw: options of attributes and of a vertex stage's outputs
    /// have no effect.
    Compute,
    /// A vertex program as the vertex stage before a geometry stage: attributes in; at location n
    /// the n-th of the output registers whose bits are set, as they are. It has no position and so
    /// is for SPIR-V: in text it gets one without meaning.
    BeforeGeometry {
        /// Bit n: on is passed on.
        outputs: u16,
    },
    /// A geometry program as a compute stage: see
    /// [`GeometryKernel`](crate::geometry::GeometryKernel) for what it reads and writes, and the
    /// guide for the whole chain of a draw. The outputs are those of the setup, in which the maps
    /// of both programs may be merged; constants and names come from the environment of the
    /// program.
    Geometry(&'a Setup),
    /// As [`Geometry`](Self::Geometry), but it keeps every EMIT with raw output registers, and each
    /// invocation is given all its inputs and float uniforms: see
    /// [`GeometryKernel::records_emits`](crate::geometry::GeometryKernel::records_emits). For
    /// comparison with [`GeometryMachine`](crate::interp::GeometryMachine).
    Emits {
        /// Bit n: on is passed on.
        outputs: u16,
    },
    /// A geometry program as a geometry stage of the host's API: see
    /// [`GeometryStage`](crate::geometry::GeometryStage) for what it takes. SPIR-V alone has such a
    /// stage. It makes exactly the triangles that the program makes, in their order; the stage
    /// before it is [`BeforeGeometry`](Self::BeforeGeometry).
    GeometryStage(&'a Setup),
    /// The vertex stage that draws what [`Geometry`](Self::Geometry) made: attribute n, four
    /// floats, is output n of the interface. The rules of depth and colors were applied by the
    /// kernel. Nothing of the program is in it.
    Draw(&'a Setup),
}

impl Job<'_> {
    /// The stage of the programs that it takes; none if it takes both.
    pub fn stage(&self) -> Option<Stage> {
        match self {
            Self::Vertex | Self::Compute | Self::BeforeGeometry { .. } => Some(Stage::Vertex),
            Self::Geometry(_) | Self::Emits { .. } | Self::GeometryStage(_) => Some(Stage::Geometry),
            Self::Draw(_) => None,
        }
    }

    /// Returns whether the result is a compute stage.
    pub fn is_compute(&self) -> bool {
        match self {
            Self::Compute | Self::Geometry(_) | Self::Emits { .. } => true,
            Self::Vertex | Self::BeforeGeometry { .. } | Self::GeometryStage(_) | Self::Draw(_) => false,
        }
    }

    /// Returns whether the attributes are those of the host's input assembly.
    fn has_attributes(&self) -> bool {
        match self {
            Self::Vertex | Self::BeforeGeometry { .. } => true,
            Self::Compute
            | Self::Geometry(_)
            | Self::Emits { .. }
            | Self::GeometryStage(_)
            | Self::Draw(_) => false,
        }
    }

    /// The options without those that have no effect on this job.
    pub fn effective(&self, options: &Options) -> Options {
        let mut options = *options;
        options.control.report_unfinished &= self.is_compute();
        if !self.has_attributes() {
            options.attributes = [AttributeFormat::default(); 16];
        }
        options
    }
}
