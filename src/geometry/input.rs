//! What stands around a geometry program: how it gets vertices, what it passes on, what becomes of that.
//! Plain data and what must hold of it; [`crate::host::Setup`] reads it out of registers or files. Facts: 3dbrew, GBATEK.

use crate::error::{At, Error, Kind, Result};
use crate::isa::limits::{FLOATS, INPUTS};

/// What becomes of a row of vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Every three are a triangle.
    #[default]
    List,
    /// Each is a triangle with the two before it; every second one is turned so that all face one way.
    Strip,
    /// Each is a triangle with the first and the one before it.
    Fan,
    /// As a list; the only one in which geometry programs can reverse a triangle.
    Geometry,
}

impl Topology {
    /// As two bits of the GPU's register say.
    pub fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Self::List,
            1 => Self::Strip,
            2 => Self::Fan,
            _three => Self::Geometry,
        }
    }
}

/// What an invocation of a geometry program may see of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Nothing.
    None,
    /// What the last so many did.
    Depth(u32),
    /// All of them.
    Unbounded,
}

/// How a geometry unit gets the outputs of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GeometrySetup {
    /// How it gets vertices.
    pub input: GeometryInput,
    /// Bit n: on is passed on.
    pub outputs: u16,
}

/// Refuses the setup.
fn wrong<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::setup(text))
}

impl GeometryInput {
    /// Checks what types cannot say, after a vertex program that passes on what the bits of `outputs` tell.
    ///
    /// # Errors
    /// [`Kind::Setup`]: a vertex program that passes nothing on; numbers out of the ranges that are told here; in point
    /// mode a number of vectors that is not a multiple of the outputs of a vertex (what hardware does then is not known); in
    /// fixed mode vertices that would go beyond c95.
    pub fn check(&self, outputs: u16) -> Result<()> {
        let outputs = outputs.count_ones() as usize;
        if outputs == 0 {
            return wrong("the vertex program passes no output on, so the geometry program never runs");
        }
        self.check_numbers()?;
        match *self {
            Self::Point { inputs, .. } if !usize::from(inputs).is_multiple_of(outputs) => wrong(format!(
                "point mode: {inputs} inputs of the geometry program are not a multiple of the {outputs} outputs of the vertex \
                 program"
            )),
            Self::Fixed { first, vertices, stride } => Self::fixed_fits(first, vertices, stride, outputs),
            Self::Point { .. } | Self::Variable { .. } => Ok(()),
        }
    }

    /// Checks what no vertex program is needed for.
    ///
    /// # Errors
    /// [`Kind::Setup`]: numbers out of the ranges that are told here.
    pub fn check_numbers(&self) -> Result<()> {
        let within = |what: &str, value: u8, most: u8| match (1..=most).contains(&value) {
            true => Ok(()),
            false => wrong(format!("geometry set-up: {what} is {value}, must be 1 to {most}")),
        };
        match *self {
            Self::Point { inputs, registers } => {
                within("the number of inputs", inputs, INPUTS as u8)?;
                match registers[..usize::from(inputs)].iter().find(|&&register| register > 15) {
                    Some(register) => wrong(format!("point mode: there is no input register v{register}")),
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

/// That `indices[place]` names a vertex that does not exist.
pub(crate) fn no_vertex(place: usize, vertex: u32, count: usize) -> Error {
    Error::new(Kind::NoVertex { place, vertex, count }, At::Whole)
}

/// A primitive of variable mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Where its first index is in the index buffer.
    pub first: usize,
    /// Its vertices, below 96.
    pub size: u32,
    /// Float uniforms that it fills from c0 on, c0 among them; at most 96.
    pub vectors: u32,
}

/// The primitives that an index buffer of variable mode tells of: for each its number of vertices, then their indices.
#[derive(Clone, Debug)]
pub struct Primitives<'a> {
    indices: &'a [u32],
    main: u32,
    outputs: u32,
    place: usize,
}

impl<'a> Primitives<'a> {
    /// Primitives with so many main vertices, of vertices with so many outputs.
    ///
    /// # Errors
    /// No indices.
    pub fn new(indices: Option<&'a [u32]>, main: u8, outputs: u16) -> Result<Self> {
        let Some(indices) = indices else {
            return wrong("primitives of variable size need indices, which tell the sizes");
        };
        Ok(Self { indices, main: u32::from(main), outputs: outputs.count_ones(), place: 0 })
    }

    /// The primitive whose size stands at `place`.
    fn primitive(&self, place: usize, size: u32) -> Result<Primitive> {
        let wrong = |text: String| wrong(format!("indices[{place}]: a primitive of {size} vertices{text}"));
        let main = self.main;
        // What hardware does then is not known.
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
        // Nothing comes after one that is wrong.
        self.place =
            primitive.as_ref().map_or(usize::MAX, |primitive| primitive.first + primitive.size as usize);
        Some(primitive)
    }
}
