//! Layout of a vertex in a buffer.
//! In: attributes. Out: offsets, size and permutation, the same for C, for Rust and for the GPU.
//! Facts: 3dbrew "GPU/Pitfalls": the GPU aligns an attribute to its component, a padding attribute
//! to four bytes, and wants a stride that is the size of the vertex; 3dbrew "GPU/Internal
//! Registers": a buffer has at most 12 attributes, and number 12 is four bytes of padding.

use super::{Attribute, Binding};

/// Maximum number of attributes of a buffer.
const MAX_ATTRIBUTES: usize = 12;
/// The padding attribute of four bytes.
const PADDING: u64 = 0xC;

/// Layout of a vertex.
pub(super) struct Layout {
    /// The byte where each attribute begins.
    pub offsets: Vec<usize>,
    /// Bytes of padding after the last attribute, which C and the GPU would otherwise count
    /// differently.
    pub padding: usize,
    /// Bytes of a vertex.
    pub size: usize,
    /// Number of attributes of the buffer, including padding.
    pub count: usize,
    /// Attribute of each place in the buffer, four bits each.
    pub permutation: u64,
}

impl Binding {
    /// Returns the layout of a vertex, or `None` without attributes and for more than a buffer
    /// takes.
    pub(super) fn layout(&self) -> Option<Layout> {
        let (mut offsets, mut end, mut alignment) = (Vec::new(), 0_usize, 1_usize);
        for Attribute { number, components, .. } in &self.attributes {
            let size = usize::from(number.size);
            let offset = end.next_multiple_of(size);
            offsets.push(offset);
            (end, alignment) = (offset + size * usize::from(*components), alignment.max(size));
        }
        let attributes = offsets.len();
        let is_padded = !end.is_multiple_of(alignment);
        let size = if is_padded { end.next_multiple_of(4) + 4 } else { end };
        let count = attributes + usize::from(is_padded);
        let place = |place: usize| if place < attributes { place as u64 } else { PADDING };
        (1..=MAX_ATTRIBUTES).contains(&count).then(|| Layout {
            offsets,
            padding: size - end,
            size,
            count,
            permutation: (0..count).fold(0, |word, at| word | place(at) << (4 * at)),
        })
    }
}

impl Attribute {
    /// Returns the vertex format of WebGPU that reads it, if there is one at its place: those of
    /// three bytes or shorts are those of four.
    pub(super) fn webgpu(&self, offset: usize, stride: usize) -> Option<String> {
        let Self { number, components, .. } = self;
        let count = if number.size < 4 && *components == 3 { 4 } else { *components };
        let size = usize::from(number.size * count);
        let is_legal =
            offset.is_multiple_of(size.min(4)) && offset + size <= stride && stride.is_multiple_of(4);
        let lanes = if count == 1 { String::new() } else { format!("x{count}") };
        is_legal.then(|| format!("{}{lanes}", number.webgpu))
    }
}
