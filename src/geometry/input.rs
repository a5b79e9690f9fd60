//! Configuration of a geometry program: vertex input, forwarded outputs, topology.
//! Plain data with its validity rules; [`crate::Setup`] reads it from registers or files.
//! Facts: 3dbrew, GBATEK.

use crate::error::{At, Error, Kind, Result};
use crate::program::isa::sizes::{FLOATS, INPUTS};

/// Primitive topologies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Three consecutive vertices are a triangle.
    #[default]
    List,
    /// Each vertex is a triangle with the two before it; every second one is reversed so that all
    /// have one winding.
    Strip,
    /// Each vertex is a triangle with the first and the previous one.
    Fan,
    /// Assembles as a list; the only topology in which geometry programs can reverse a triangle.
    Geometry,
}

impl Topology {
    /// Decodes the two bits of the GPU's register.
    pub fn from_bits(bits: u32) -> Self {
        [Self::List, Self::Strip, Self::Fan, Self::Geometry][(bits & 3) as usize]
    }
}

/// Data dependences of an invocation of a geometry program on earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Dependence {
    /// Invocations are independent.
    None,
    /// An invocation depends on the last n.
    Depth(u32),
    /// An invocation depends on all before it.
    Unbounded,
}

/// The way in which a geometry unit receives the outputs of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case", tag = "mode"))]
pub enum GeometryInput {
    /// Vertices come in the input registers: an invocation for each `inputs` vectors.
    Point {
        /// Vectors of an invocation, 1 to 16: the outputs of one vertex after the other.
        inputs: u8,
        /// The register v0..v15 of each vector; of two vectors in one register the later one
        /// counts.
        registers: [u8; 16],
    },
    /// Vertices come in float uniforms. c0 is the number of vertices, which the index buffer has
    /// before their indices.
    Variable {
        /// Number of vertices (1 to 32) that come with all outputs; those after them come with the
        /// first output only.
        #[cfg_attr(feature = "serde", serde(rename = "vertices"))]
        main: u8,
    },
    /// Vertices come in float uniforms, always the same number.
    Fixed {
        /// The uniform of the first output of the first vertex.
        first: u8,
        /// Vertices of a primitive, 1 to 16.
        vertices: u8,
        /// Uniforms from one vertex to the next, 1 to 16.
        stride: u8,
    },
}

/// Configuration of a geometry program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GeometrySetup {
    /// The way in which it receives vertices.
    #[cfg_attr(feature = "serde", serde(rename = "feed"))]
    pub input: GeometryInput,
    /// Mask of the forwarded output registers, bit n = on.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::support::stable::spelled::registers"))]
    pub outputs: u16,
}

/// An error about the configuration.
fn wrong<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::setup(text))
}

impl GeometryInput {
    /// Checks the rules that types cannot express, for a vertex program that forwards the registers
    /// in `outputs`.
    ///
    /// # Errors
    /// [`Kind::Setup`]: a vertex program that forwards nothing; numbers out of the documented
    /// ranges; in point mode a number of vectors that is not a multiple of the outputs of a vertex
    /// (the behavior of the hardware is unknown); in fixed mode vertices beyond c95.
    pub fn check(&self, outputs: u16) -> Result<()> {
        let outputs = outputs.count_ones() as usize;
        if outputs == 0 {
            return wrong("the vertex program passes on no output, so the geometry program never runs");
        }
        self.check_numbers()?;
        match *self {
            Self::Point { inputs, .. } if !usize::from(inputs).is_multiple_of(outputs) => wrong(format!(
                "point mode: the geometry program's {inputs} inputs are not a multiple of the vertex program's {outputs} outputs"
            )),
            Self::Fixed { first, vertices, stride } => Self::fixed_fits(first, vertices, stride, outputs),
            Self::Point { .. } | Self::Variable { .. } => Ok(()),
        }
    }

    /// Checks the rules that do not concern the vertex program.
    ///
    /// # Errors
    /// [`Kind::Setup`]: numbers out of the documented ranges.
    pub fn check_numbers(&self) -> Result<()> {
        let within = |what: &str, value: u8, most: u8| {
            if (1..=most).contains(&value) {
                Ok(())
            } else {
                wrong(format!("geometry configuration: {what} is {value} but must be 1 to {most}"))
            }
        };
        match *self {
            Self::Point { inputs, registers } => {
                within("the number of inputs", inputs, INPUTS as u8)?;
                match registers[..usize::from(inputs)].iter().find(|&&register| register > 15) {
                    Some(register) => wrong(format!("point mode: input register v{register} does not exist")),
                    None => Ok(()),
                }
            }
            Self::Variable { main } => within("the number of main vertices", main, 32),
            Self::Fixed { first, vertices, stride } => {
                within("the number of vertices", vertices, 16)?;
                within("the stride of vertices", stride, 16)?;
                Self::fixed_fits(first, vertices, stride, 1)
            }
        }
    }

    /// Checks that the vertices of fixed mode end at c95.
    pub(crate) fn fixed_fits(first: u8, vertices: u8, stride: u8, outputs: usize) -> Result<()> {
        let before = usize::from(vertices.saturating_sub(1)) * usize::from(stride);
        match usize::from(first) + before + outputs {
            end if end > FLOATS => wrong(format!("fixed mode: vertices go up to c{}, beyond c95", end - 1)),
            _fits => Ok(()),
        }
    }
}

/// The error that `indices[place]` refers to a vertex that does not exist.
pub fn no_vertex(place: usize, vertex: u32, count: usize) -> Error {
    Error::new(Kind::NoVertex { place, vertex, count }, At::Whole)
}

/// A primitive of variable mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Index of its first index in the index buffer.
    pub first: usize,
    /// Number of its vertices, below 96.
    pub size: u32,
    /// Number of float uniforms that it fills from c0 on, c0 included; at most 96.
    pub vectors: u32,
}

/// The primitives of an index buffer of variable mode: for each its number of vertices, then their
/// indices.
#[derive(Clone, Debug)]
pub struct Primitives<'a> {
    indices: &'a [u32],
    main: u32,
    outputs: u32,
    place: usize,
}

impl<'a> Primitives<'a> {
    /// Iterates over primitives with `main` main vertices of vertices with the outputs in the mask.
    ///
    /// # Errors
    /// There are no indices.
    pub fn new(indices: Option<&'a [u32]>, main: u8, outputs: u16) -> Result<Self> {
        let Some(indices) = indices else {
            return wrong("primitives of variable size need indices, which contain the sizes");
        };
        Ok(Self { indices, main: u32::from(main), outputs: outputs.count_ones(), place: 0 })
    }

    /// Reads the primitive whose size is at `place`.
    fn primitive(&self, place: usize, size: u32) -> Result<Primitive> {
        let wrong = |text: String| wrong(format!("indices[{place}]: a primitive of {size} vertices{text}"));
        let main = self.main;
        // The behavior of the hardware is unknown.
        if size < main {
            return wrong(format!(", the main ones alone are {main}"));
        }
        let vectors = 1 + u64::from(main) * u64::from(self.outputs) + u64::from(size - main);
        if vectors > FLOATS as u64 {
            return wrong(format!(" needs {vectors} uniforms of {FLOATS}"));
        }
        let first = place + 1;
        if self.indices.len() - first < size as usize {
            return wrong(", the indices end before it".to_string());
        }
        // Range: at most 96.
        Ok(Primitive { first, size, vectors: vectors as u32 })
    }
}

impl Iterator for Primitives<'_> {
    type Item = Result<Primitive>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.place;
        let primitive = self.primitive(place, *self.indices.get(place)?);
        // The place of what follows a faulty primitive is unknown.
        self.place =
            primitive.as_ref().map_or(usize::MAX, |primitive| primitive.first + primitive.size as usize);
        Some(primitive)
    }
}
