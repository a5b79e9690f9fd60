//! A geometry program as a geometry stage of the host's API: what its primitives are, how much it emits.
//! Plain data. Knows no back end. Facts: Vulkan 24 (geometry shaders).

use super::input::GeometryInput;

/// The primitives that a geometry stage takes, one for each invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Points, Self::Lines, Self::Triangles, Self::LinesAdjacency, Self::TrianglesAdjacency];

    /// How many vertices one has.
    pub fn vertices(self) -> u8 {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
            Self::LinesAdjacency => 4,
            Self::TrianglesAdjacency => 6,
        }
    }
}

/// A geometry program that runs as a geometry stage. The vertex stage before it has vector n of a vertex, four floats, at
/// location n; vertices come as lists (of points, lines, triangles …), without restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeometryStage {
    /// What an invocation takes. Vertex n of a primitive is vertex n of an invocation.
    pub primitive: StagePrimitive,
    /// Vectors of a vertex.
    pub vectors: u8,
    /// Triangles that an invocation makes at most. Each is a strip of its own: the stage emits three times as many vertices,
    /// which a device may not be able to (`maxGeometryOutputVertices`, `maxGeometryTotalOutputComponents`).
    pub triangles: u32,
}

impl GeometryStage {
    /// The most vertices that are stated: no device emits more.
    pub const MOST_VERTICES: u32 = 1024;

    /// The primitive for what an invocation gets, if there is one, and the vectors of a vertex; `outputs` is how many the
    /// vertex program passes on.
    pub fn primitive(input: GeometryInput, outputs: u32) -> Option<(StagePrimitive, u8)> {
        let GeometryInput::Point { inputs, registers: _ } = input else { return None };
        let vectors = u8::try_from(outputs).ok().filter(|&vectors| vectors > 0)?;
        let fits = |primitive: &StagePrimitive| primitive.vertices() * vectors == inputs;
        StagePrimitive::ALL.into_iter().find(fits).map(|primitive| (primitive, vectors))
    }
}
