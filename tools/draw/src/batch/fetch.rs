//! Vertex fetch: attributes of vertex buffers as values of lanes.
//! In: bytes, formats, numbers of vertices. Out: four components for each lane. Knows no program.
//! Facts: 3dbrew "GPU/Internal Registers" (formats, fixed attributes); components without a value
//! are those of (0, 0, 0, 1).

use super::lanes::LANES;
use transpica::interp::Registers;
use transpica::settings::{AttributeFormat, AttributeKind};

/// The number format of an attribute in a vertex buffer. Integers become the float of the same
/// number: 127 is 127.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// Signed bytes.
    S8,
    /// Unsigned bytes.
    U8,
    /// Signed integers of two bytes, little-endian.
    S16,
    /// Floats of four bytes, little-endian.
    F32,
}

impl Number {
    /// Returns the format of two bits of the registers 0x201 and 0x202.
    pub fn from_bits(bits: u32) -> Self {
        [Self::S8, Self::U8, Self::S16, Self::F32][bits as usize % 4]
    }

    /// Returns the two bits of the format.
    pub fn bits(self) -> u8 {
        self as u8
    }

    /// Returns the bytes of a component.
    pub fn size(self) -> usize {
        match self {
            Self::S8 | Self::U8 => 1,
            Self::S16 => 2,
            Self::F32 => 4,
        }
    }
}

/// An attribute in a vertex buffer.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// The buffer.
    pub bytes: &'a [u8],
    /// The byte where the attribute of vertex 0 begins.
    pub offset: usize,
    /// Bytes from vertex to vertex. Attributes of neighbors may overlap.
    pub stride: usize,
    /// The number format of the components.
    pub number: Number,
    /// Number of components, 1 to 4: fewer count as 1, more as 4.
    pub components: u8,
}

impl Array<'_> {
    /// Returns the format with which a translated module reads the same attribute, if the host's
    /// input assembly does not convert integers.
    pub fn format(&self) -> AttributeFormat {
        let kind = match self.number {
            Number::S8 | Number::S16 => AttributeKind::Int,
            Number::U8 => AttributeKind::Uint,
            Number::F32 => AttributeKind::Float,
        };
        AttributeFormat { kind, components: self.components() as u8 }
    }

    /// Returns the number of vertices whose attribute lies in the buffer.
    pub fn vertices(&self) -> usize {
        let size = self.components() * self.number.size();
        match self.bytes.len().checked_sub(size).and_then(|last| last.checked_sub(self.offset)) {
            None => 0,
            Some(last) => last.checked_div(self.stride).map_or(usize::MAX, |count| count.saturating_add(1)),
        }
    }

    /// Returns whether the attribute of a vertex lies in the buffer; without the quotient of
    /// [`vertices`](Self::vertices), which takes as long as a small program.
    pub(super) fn has(&self, vertex: u64) -> bool {
        let size = self.components() * self.number.size();
        let first = usize::try_from(vertex).ok().and_then(|vertex| vertex.checked_mul(self.stride));
        let end = first.and_then(|first| first.checked_add(self.offset)?.checked_add(size));
        end.is_some_and(|end| end <= self.bytes.len())
    }

    /// The number of components that are read.
    pub(super) fn components(&self) -> usize {
        usize::from(self.components.clamp(1, 4))
    }

    /// Reads the attribute of each vertex. Missing components stay as they are. There are as many
    /// vertices as [`vertices`](Self::vertices) says, or more lanes stay as they are.
    pub(super) fn read(&self, vertices: &[u32], to: &mut [[f32; LANES]; 4]) {
        match self.number {
            Number::S8 => self.convert(vertices, to, |[byte]: [u8; 1]| f32::from(byte.cast_signed())),
            Number::U8 => self.convert(vertices, to, |[byte]: [u8; 1]| f32::from(byte)),
            Number::S16 => self.convert(vertices, to, |bytes| f32::from(i16::from_le_bytes(bytes))),
            Number::F32 => self.convert(vertices, to, f32::from_le_bytes),
        }
    }

    /// Reads the attribute of a vertex within its buffer. Missing components stay as they are.
    pub(crate) fn read_one(&self, vertex: u32, to: &mut [f32; 4]) {
        match self.number {
            Number::S8 => self.read_vertex(vertex, to, |[byte]: [u8; 1]| f32::from(byte.cast_signed())),
            Number::U8 => self.read_vertex(vertex, to, |[byte]: [u8; 1]| f32::from(byte)),
            Number::S16 => self.read_vertex(vertex, to, |bytes| f32::from(i16::from_le_bytes(bytes))),
            Number::F32 => self.read_vertex(vertex, to, f32::from_le_bytes),
        }
    }

    /// Reads the components of a vertex.
    #[inline(always)]
    fn read_vertex<const SIZE: usize>(
        &self,
        vertex: u32,
        to: &mut [f32; 4],
        number: impl Fn([u8; SIZE]) -> f32,
    ) {
        let start = (vertex as usize).wrapping_mul(self.stride).wrapping_add(self.offset);
        let bytes = self.bytes.get(start..).unwrap_or_default();
        let components = to.iter_mut().take(self.components());
        components.zip(bytes.as_chunks().0).for_each(|(to, bytes)| *to = number(*bytes));
    }

    /// Chooses the loop for the number of components.
    #[inline(always)]
    fn convert<const SIZE: usize>(
        &self,
        vertices: &[u32],
        to: &mut [[f32; LANES]; 4],
        number: impl Fn([u8; SIZE]) -> f32,
    ) {
        match self.components() {
            1 => self.each::<SIZE, 1>(vertices, to, number),
            2 => self.each::<SIZE, 2>(vertices, to, number),
            3 => self.each::<SIZE, 3>(vertices, to, number),
            _ => self.each::<SIZE, 4>(vertices, to, number),
        }
    }

    /// Reads components of a size, lane by lane. Not inlined, so that all of it stays in registers.
    #[inline(never)]
    fn each<const SIZE: usize, const COUNT: usize>(
        &self,
        vertices: &[u32],
        to: &mut [[f32; LANES]; 4],
        number: impl Fn([u8; SIZE]) -> f32,
    ) {
        for (lane, &vertex) in vertices.iter().enumerate().take(LANES) {
            let start = (vertex as usize).wrapping_mul(self.stride).wrapping_add(self.offset);
            let bytes = self.bytes.get(start..).and_then(|bytes| bytes.get(..SIZE * COUNT));
            let Some(bytes) = bytes else { continue };
            for (to, bytes) in to.iter_mut().zip(bytes.as_chunks::<SIZE>().0) {
                to[lane] = number(*bytes);
            }
        }
    }
}

/// The value of an attribute in each vertex.
#[derive(Clone, Copy, Debug)]
pub enum VertexAttribute<'a> {
    /// The same in all: a fixed attribute.
    Fixed([f32; 4]),
    /// An attribute of a buffer.
    Array(Array<'a>),
}

impl Default for VertexAttribute<'_> {
    fn default() -> Self {
        Self::Fixed(Registers::DEFAULT)
    }
}
