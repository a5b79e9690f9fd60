//! The primitive assembler: vertices one by one in, triangles out.
//! Knows nothing about the data of a vertex. Facts: 3dbrew (topologies, restart); a strip reverses
//! every second triangle as in other APIs.

use transpica::geometry::Topology;

/// Primitive assembler.
///
/// ```
/// use transpica_draw::cpu::{Assembler, Topology};
/// let mut strip = Assembler::new(Topology::Strip);
/// let triangles: Vec<_> = (0..5).filter_map(|vertex| strip.push(vertex)).collect();
/// assert_eq!(triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
/// ```
#[derive(Clone, Debug)]
pub struct Assembler<T> {
    topology: Topology,
    /// The vertices that wait for others, the older first.
    held: [Option<T>; 2],
    /// True if the next triangle of a strip is reversed.
    is_odd: bool,
    is_reversed: bool,
    /// Reversing swaps the first and the last vertex.
    ends: bool,
}

impl<T: Copy> Assembler<T> {
    /// Begins without vertices.
    pub fn new(topology: Topology) -> Self {
        Self { topology, held: [None; 2], is_odd: false, is_reversed: false, ends: false }
    }
    /// Drops the waiting vertices: the next one begins a new primitive.
    pub fn restart(&mut self) {
        *self = Self { ends: self.ends, ..Self::new(self.topology) };
    }

    /// Chooses which vertices of a reversed triangle are swapped, as `reverse_ends` of
    /// `transpica::settings::Outputs` does.
    pub fn reverse_ends(&mut self, ends: bool) {
        self.ends = ends;
    }

    /// Reverses the next triangle, where the topology respects that.
    pub fn reverse_next(&mut self) {
        self.is_reversed = self.topology == Topology::Geometry;
    }
    /// Returns whether the next three vertices are a triangle of their own.
    pub(super) fn takes_whole(&self) -> bool {
        matches!(self.topology, Topology::Geometry | Topology::List) && self.held[0].is_none()
    }
    /// The vertices of such a triangle in order.
    pub(super) fn whole(&self, triangle: [T; 3], is_reversed: bool) -> [T; 3] {
        self.order(triangle, is_reversed && self.topology == Topology::Geometry)
    }

    fn order(&self, [a, b, c]: [T; 3], is_reversed: bool) -> [T; 3] {
        match (is_reversed, self.ends) {
            (false, _) => [a, b, c],
            (true, false) => [b, a, c],
            (true, true) => [c, b, a],
        }
    }

    /// Takes a vertex and returns the triangle that it completes.
    pub fn push(&mut self, vertex: T) -> Option<[T; 3]> {
        let [Some(a), Some(b)] = self.held else {
            let free = usize::from(self.held[0].is_some());
            self.held[free] = Some(vertex);
            return None;
        };
        match self.topology {
            Topology::List | Topology::Geometry => {
                self.held = [None; 2];
                let is_reversed = std::mem::take(&mut self.is_reversed);
                Some(self.order([a, b, vertex], is_reversed))
            }
            Topology::Strip => {
                self.held = [Some(b), Some(vertex)];
                self.is_odd = !self.is_odd;
                Some(if self.is_odd { [a, b, vertex] } else { [b, a, vertex] })
            }
            Topology::Fan => {
                self.held = [Some(a), Some(vertex)];
                Some([a, b, vertex])
            }
        }
    }
}
