//! A geometry program as a geometry stage of the host's API: its primitives, its emitted vertices.
//! Plain data. Knows no back end. Facts: Vulkan 24 (geometry shaders).

use super::input::GeometryInput;

/// The primitives of a geometry stage, one for each invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum StagePrimitive {
    /// One vertex.
    Points,
    /// Two vertices.
    Lines,
    /// Three vertices.
    Triangles,
    /// Four vertices.
    LinesAdjacency,
    /// Six vertices.
    TrianglesAdjacency,
}

impl StagePrimitive {
    /// All primitives.
    pub const ALL: [Self; 5] =
        [Self::Points, Self::Lines, Self::Triangles, Self::LinesAdjacency, Self::TrianglesAdjacency];

    /// Returns the number of vertices.
    pub fn vertices(self) -> u8 {
        [1, 2, 3, 4, 6][self as usize]
    }
}

/// A geometry program as a geometry stage. The vertex stage before it has vector n of a vertex,
/// four floats, at location n. Vertices come as lists (of points, lines, triangles …), without
/// restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GeometryStage {
    /// The primitive of an invocation. Its vertex n is vertex n of the invocation; a point has all
    /// of them where no primitive has as many.
    pub primitive: StagePrimitive,
    /// Number of vectors of a vertex.
    pub vectors: u8,
    /// Upper bound of the triangles of an invocation. Each is a strip of its own: the stage emits
    /// three times as many vertices, which may exceed `maxGeometryOutputVertices` or
    /// `maxGeometryTotalOutputComponents` of a device.
    pub triangles: u32,
}

impl GeometryStage {
    /// Limit of the vertices that a stage declares: no device emits more.
    pub const MOST_VERTICES: u32 = 1024;

    /// Returns whether a stage that reads these inputs, vector m of vertex n at bit n · `vectors` +
    /// m, reads vector `vector` of any vertex.
    #[cfg(any(feature = "spirv", feature = "wgsl", feature = "glsl"))]
    pub(crate) fn reads(&self, vector: u8, inputs: u16) -> bool {
        let read = |vertex: u8| inputs.checked_shr((vertex * self.vectors + vector).into()).unwrap_or(0);
        (0..self.primitive.vertices()).any(|vertex| read(vertex) & 1 != 0)
    }

    /// Returns the number of vertices that the stage declares to emit, which must be positive even
    /// if it emits nothing.
    #[cfg(any(feature = "spirv", feature = "wgsl", feature = "glsl"))]
    pub(crate) fn emitted(&self) -> u32 {
        (3 * self.triangles).max(1)
    }

    /// Returns the primitive for an input mode, if there is one, and the vectors of a vertex: a
    /// point with all vectors of an invocation where no primitive has as many vertices. `outputs`
    /// is the number of outputs that the vertex program forwards.
    pub fn primitive(input: GeometryInput, outputs: u32) -> Option<(StagePrimitive, u8)> {
        let GeometryInput::Point { inputs, registers: _ } = input else { return None };
        let vectors = u8::try_from(outputs).ok().filter(|&vectors| vectors > 0)?;
        let fits = |primitive: &StagePrimitive| primitive.vertices() * vectors == inputs;
        match StagePrimitive::ALL.into_iter().find(fits) {
            Some(primitive) => Some((primitive, vectors)),
            None => inputs.is_multiple_of(vectors).then_some((StagePrimitive::Points, inputs)),
        }
    }
}
