//! Vertices of a draw, and the cache of those that have run.
//! In: attributes, indices. Out: numbers of vertices, and which of them are copies of earlier ones.
//! Knows no format and no program.

use super::fetch::VertexAttribute;
use super::lanes::LANES;
use transpica::interp::Registers;

/// Vertices of a draw in their order.
#[derive(Clone, Copy, Debug)]
pub enum Order<'a> {
    /// One after the other.
    Range {
        /// The first vertex.
        first: u32,
        /// Number of vertices.
        count: u32,
    },
    /// As an index buffer of bytes names them.
    U8(&'a [u8]),
    /// As an index buffer of two bytes each names them.
    U16(&'a [u16]),
    /// As an index buffer of four bytes each names them.
    U32(&'a [u32]),
}

impl Order<'_> {
    /// Returns the number of vertices, each as often as it comes.
    pub fn len(&self) -> usize {
        match self {
            Self::Range { count, .. } => *count as usize,
            Self::U8(indices) => indices.len(),
            Self::U16(indices) => indices.len(),
            Self::U32(indices) => indices.len(),
        }
    }

    /// Returns whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the indices, or `None` for vertices one after the other.
    pub(crate) fn indices(&self) -> Option<Vec<u32>> {
        match *self {
            Self::Range { .. } => None,
            Self::U8(indices) => Some(indices.iter().map(|&index| index.into()).collect()),
            Self::U16(indices) => Some(indices.iter().map(|&index| index.into()).collect()),
            Self::U32(indices) => Some(indices.to_vec()),
        }
    }

    /// The greatest number of a vertex, if there are any. It may be beyond those of 32 bits.
    pub(crate) fn greatest(&self) -> Option<u64> {
        let greatest = match *self {
            Self::Range { first, count } => {
                return u64::from(count).checked_sub(1).map(|last| u64::from(first) + last);
            }
            Self::U8(indices) => u32::from(*indices.iter().max()?),
            Self::U16(indices) => u32::from(*indices.iter().max()?),
            Self::U32(indices) => *indices.iter().max()?,
        };
        Some(u64::from(greatest))
    }

    /// Finds the first vertex that does not exist if there are `count`: its place and number.
    pub(super) fn first_beyond(&self, count: usize) -> Option<(usize, u32)> {
        if let Self::Range { first, count: vertices } = *self {
            let there = count.saturating_sub(first as usize);
            // Range: fewer than the number of vertices.
            return (there < vertices as usize).then(|| (there, first.saturating_add(there as u32)));
        }
        let indices = self.indices().unwrap_or_default();
        (0..).zip(indices).find(|&(_, vertex)| vertex as usize >= count)
    }
}

/// Vertices of a draw: attributes of buffers, and their order.
#[derive(Clone, Copy, Debug)]
pub struct Vertices<'a> {
    /// The attributes in the order of the GPU's registers.
    pub attributes: &'a [VertexAttribute<'a>],
    /// The attribute of each of v0..v15. Registers without one are (0, 0, 0, 1). See
    /// [`RegisterView::input_map`](transpica::host::RegisterView::input_map).
    pub input_map: [Option<u8>; 16],
    /// The vertices that run.
    pub order: Order<'a>,
}

impl<'a> Vertices<'a> {
    /// Vertices whose attribute n is register n.
    pub fn new(attributes: &'a [VertexAttribute<'a>], order: Order<'a>) -> Self {
        // Range: 0..16.
        Self { attributes, input_map: std::array::from_fn(|register| Some(register as u8)), order }
    }

    /// The attribute of a register.
    pub(super) fn attribute(&self, register: usize) -> &'a VertexAttribute<'a> {
        let number = self.input_map.get(register).copied().flatten();
        let attribute = number.and_then(|number| self.attributes.get(usize::from(number)));
        attribute.unwrap_or(&VertexAttribute::Fixed(Registers::DEFAULT))
    }

    /// Fetches the value of a register for a vertex, whose attribute exists.
    pub(super) fn fetch(&self, register: usize, vertex: u32) -> [f32; 4] {
        match self.attribute(register) {
            VertexAttribute::Fixed(value) => *value,
            VertexAttribute::Array(array) => {
                let mut value = Registers::DEFAULT;
                array.read_one(vertex, &mut value);
                value
            }
        }
    }
}

/// Places of a draw that are looked at for one batch, so that a list of them has a fixed size. A
/// mesh has two triangles for a vertex, so that it names 64 vertices with 384 indices.
const MOST_PLACES: usize = 8 * LANES;

/// Indices of an order without a cache.
const FEW: usize = 16;

/// Indices that have a place of their own in the cache.
const CACHED: usize = 1 << 16;

/// The vertices of a batch, and what follows from them without a run.
#[derive(Clone, Debug)]
pub(super) struct Work {
    /// Number of lanes.
    pub(super) count: usize,
    /// True once the draw has set the inputs that are the same for all vertices.
    pub(super) is_filled: bool,
    /// The vertex of each lane.
    pub(super) vertices: [u32; LANES],
    /// The place of each lane's vertex in the order.
    pub(super) places: [u32; LANES],
    /// Places whose vertex came before: the later and the earlier place.
    pub(super) copies: Vec<[u32; 2]>,
    /// The components of an attribute.
    pub(super) columns: [[f32; LANES]; 4],
    /// For each index the place where it came last. Nothing is ever removed: a place is only
    /// believed if the index exists.
    cache: Vec<u32>,
}

impl Work {
    pub(super) const NONE: Self = Self {
        count: 0,
        is_filled: false,
        vertices: [0; LANES],
        places: [0; LANES],
        copies: Vec::new(),
        columns: [[0.0; LANES]; 4],
        cache: Vec::new(),
    };

    /// Takes the next vertices from a place on; returns the place after them. No vertices are left
    /// if that is the same.
    pub(super) fn take(&mut self, order: &Order<'_>, place: usize) -> usize {
        self.count = 0;
        self.copies.clear();
        match *order {
            Order::Range { first, count } => {
                let left = (count as usize).saturating_sub(place);
                self.count = left.min(LANES);
                let lanes = self.vertices.iter_mut().zip(&mut self.places);
                for (lane, (vertex, to)) in lanes.enumerate().take(self.count) {
                    // Range: below `count`.
                    *to = (place + lane) as u32;
                    *vertex = first.wrapping_add(*to);
                }
                place + self.count
            }
            Order::U8(indices) => self.indexed(indices, place),
            Order::U16(indices) => self.indexed(indices, place),
            Order::U32(indices) => self.indexed(indices, place),
        }
    }

    /// Takes all vertices of a short order. Looking at each is quicker than a cache that other
    /// memory has displaced.
    fn few<T: Copy + Into<u32>>(&mut self, indices: &[T]) -> usize {
        for (place, &index) in (0..).zip(indices) {
            let index: u32 = index.into();
            let known = self.vertices.iter().take(self.count).position(|&vertex| vertex == index);
            match known {
                Some(lane) => self.copies.push([place, self.places[lane]]),
                None => {
                    (self.vertices[self.count % LANES], self.places[self.count % LANES]) = (index, place);
                    self.count += 1;
                }
            }
        }
        indices.len()
    }

    /// Takes vertices that indices name.
    fn indexed<T: Copy + Into<u32>>(&mut self, indices: &[T], start: usize) -> usize {
        if indices.len() <= FEW {
            return self.few(indices);
        }
        if self.cache.is_empty() {
            self.cache = vec![0; CACHED];
            self.copies.reserve(MOST_PLACES);
        }
        let mut place = start;
        for &index in indices.iter().skip(start).take(MOST_PLACES) {
            let index: u32 = index.into();
            let cached = &mut self.cache[index as usize % CACHED];
            let earlier = *cached as usize;
            let is_there = earlier < place && indices.get(earlier).is_some_and(|&at| at.into() == index);
            // Range: draws with more places are refused.
            if is_there {
                self.copies.push([place as u32, earlier as u32]);
            } else {
                let (Some(vertex), Some(to)) =
                    (self.vertices.get_mut(self.count), self.places.get_mut(self.count))
                else {
                    break;
                };
                (*vertex, *to, *cached) = (index, place as u32, place as u32);
                self.count += 1;
            }
            place += 1;
        }
        place
    }
}
