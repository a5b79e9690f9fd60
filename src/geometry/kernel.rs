//! A geometry program as a compute shader: parameters, buffers, carried state.
//! Plain data. Knows no vertex program and no back end.

use std::fmt;

use super::input::{Dependence, GeometrySetup};
use super::{Observation, StateItem};

/// Index of the word in the block [`bindings::DRAW`] that is the thread of the draw with which a
/// dispatch begins. Shaders with [`Dependence::Unbounded`] add it to their thread; all others
/// ignore it.
pub const FIRST_THREAD: u32 = 7;

/// Binding numbers of all compute forms, in set 0; in MSL slots of buffers. They are defined here
/// only.
pub mod bindings {
    /// Compute form of a vertex program: `array<array<vec4f, 16>>`, read: v0..v15 of each vertex.
    pub const INPUTS: u32 = 0;
    /// Compute form of a vertex program: `array<array<vec4f, 16>>`, written: o0..o15 of each
    /// vertex.
    pub const OUTPUTS: u32 = 1;
    /// Geometry program: `array<vec4f>`, read: the vertices of each invocation.
    pub const FEED: u32 = 0;
    /// Geometry program: `array<vec4f>`, written: complete vertices, three for each triangle.
    pub const TRIANGLES: u32 = 1;
    /// The uniform block of both.
    pub const UNIFORMS: u32 = 2;
    /// Geometry program: uniform block of [`DrawField`](crate::support::fields::DrawField)s.
    pub const DRAW: u32 = 3;
    /// Geometry program: `array<i32>`, written: the number of triangles of each thread.
    pub const COUNTS: u32 = 4;
    /// Geometry program: `array<u32>`: state words before the draw, read, and as many after it,
    /// written.
    pub const STATE: u32 = 5;
    /// The host block of both, which hooks with parameters read.
    pub const HOST: u32 = 6;
    /// MSL only, both: `uint`s, the sizes in bytes of the storage buffers above that the text
    /// declares, by binding.
    pub const SIZES: u32 = 7;
}

/// Offset of numbers in the record of an EMIT, see [`GeometryKernel::records_emits`]: 2^23.
pub const RECORDED: f32 = 8_388_608.0;

/// A scalar of the carried state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct StateWord {
    /// The register or slot that it belongs to.
    #[cfg_attr(feature = "serde", serde(rename = "what"))]
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::text"))]
    pub item: StateItem,
    /// For a vertex slot: the output of the interface, with its component in `component`. For
    /// SETEMIT `component` is 0 for the slot, 1 for the triangle flag, 2 for the winding flag. Else
    /// 0.
    pub output: u8,
    /// The component, see `output`.
    pub component: u8,
    /// Its bits before the first draw.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::word"))]
    pub initial: u32,
}

impl fmt::Display for StateWord {
    /// `r3.y`, `vertex slot 1: output 0.x`, `SETEMIT: slot`, …
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let component = usize::from(self.component);
        match self.item {
            StateItem::Slot(_) => {
                let letter = ['x', 'y', 'z', 'w'][component & 3];
                write!(f, "{}: output {}.{letter}", self.item, self.output)
            }
            StateItem::Setting => {
                let part = ["slot", "prim", "invert"][component.min(2)];
                write!(f, "{}: {part}", self.item)
            }
            other => write!(f, "{other}"),
        }
    }
}

/// A geometry program as a compute shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GeometryKernel {
    /// Its configuration.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub setup: GeometrySetup,
    /// Vectors of a vertex in the buffer of triangles: one for each output of the interface.
    pub vectors: u32,
    /// True if it stores EMITs instead of triangles: a record of `3 * vectors` vectors for each.
    /// The first vector is (slot + [`RECORDED`], 1 if a triangle is submitted, 1 if it is reversed,
    /// index of the invocation + [`RECORDED`]), the next ones are the forwarded output registers,
    /// in order. Its feed has v0..v15 and c0..c95 for each invocation.
    pub records_emits: bool,
    /// The state that an invocation carries over and later ones use.
    pub state: Vec<StateWord>,
    /// Data dependences between invocations.
    pub dependence: Dependence,
    /// Upper bound of the triangles of an invocation, if one is proven.
    pub triangles: Option<u32>,
    /// The dependences on earlier invocations, with their places.
    #[cfg_attr(feature = "serde", serde(rename = "sees"))]
    pub observations: Vec<Observation>,
}

impl GeometryKernel {
    /// Returns whether a draw may be split into dispatches of one thread each, see
    /// [`FIRST_THREAD`].
    pub fn is_split(&self) -> bool {
        self.dependence == Dependence::Unbounded
    }
}
