//! Reflection of geometry programs in their compute form.
//! In: [`GeometryKernel`]. Out: [`GeometryInfo`], plain data.

use super::BlockInfo;
use crate::fields::DrawField;
use crate::geometry::kernel::bindings;
use crate::geometry::{Dependence, GeometryInput, GeometryKernel};

/// A buffer of a geometry program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferInfo {
    /// Name.
    pub name: String,
    /// Set or group.
    pub set: u32,
    /// Binding in it.
    pub binding: u32,
    /// Type.
    pub ty: String,
    /// Written by the program.
    pub written: bool,
}

/// A data dependence of a geometry program on an earlier invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DependenceInfo {
    /// Name of the state: `r3.y`, `a0.x`, `vertex slot 1`, …
    pub what: String,
    /// First code word that reads it.
    pub at: u32,
}

/// A word of state that one invocation of a geometry program leaves for the next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StateInfo {
    /// Name of the state.
    pub what: String,
    /// Initial bits, before the first draw.
    pub initial: u32,
}

/// Compute form of a geometry program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeometryInfo {
    /// Mode of vertex input: `point`, `variable` or `fixed`.
    pub mode: String,
    /// Vectors of a vertex in the buffer of triangles.
    pub vectors: u32,
    /// Maximum triangles of an invocation, if proven.
    pub triangles: Option<u32>,
    /// Warm-up invocations of a thread: 0 if invocations are independent, none if a thread must run
    /// all earlier ones.
    pub warm: Option<u32>,
    /// Data dependences on earlier invocations.
    pub sees: Vec<DependenceInfo>,
    /// Words of the state buffer.
    pub state: Vec<StateInfo>,
    /// Buffers, without the blocks.
    pub buffers: Vec<BufferInfo>,
    /// Block of per-draw parameters.
    pub draw: BlockInfo,
}

/// Describes the compute form of a geometry program.
pub(super) fn info(kernel: &GeometryKernel) -> GeometryInfo {
    let buffer = |name: &str, binding, ty: &str, written| BufferInfo {
        name: name.into(),
        set: 0,
        binding,
        ty: ty.into(),
        written,
    };
    let mut buffers = vec![
        buffer("feed", bindings::FEED, "array<vec4f>", false),
        buffer("triangles", bindings::TRIANGLES, "array<vec4f>", true),
        buffer("counts", bindings::COUNTS, "array<i32>", true),
    ];
    if !kernel.state.is_empty() {
        buffers.push(buffer("state", bindings::STATE, "array<u32>", true));
    }
    let size = DrawField::BLOCK_SIZE;
    let used = if kernel.is_split() { size } else { 4 * DrawField::MEMBERS.len() as u32 };
    GeometryInfo {
        mode: match kernel.setup.input {
            GeometryInput::Point { .. } => "point",
            GeometryInput::Variable { .. } => "variable",
            GeometryInput::Fixed { .. } => "fixed",
        }
        .into(),
        vectors: kernel.vectors,
        triangles: kernel.triangles,
        warm: match kernel.dependence {
            Dependence::None => Some(0),
            Dependence::Depth(depth) => Some(depth),
            Dependence::Unbounded => None,
        },
        sees: kernel
            .observations
            .iter()
            .map(|seen| DependenceInfo { what: seen.item.to_string(), at: seen.pc.0.into() })
            .collect(),
        state: kernel
            .state
            .iter()
            .map(|word| StateInfo { what: word.to_string(), initial: word.initial })
            .collect(),
        buffers,
        draw: BlockInfo { set: 0, binding: bindings::DRAW, size, used },
    }
}
