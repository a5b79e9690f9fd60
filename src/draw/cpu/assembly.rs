//! The primitive assembler: vertices one by one in, triangles out.
//! Knows nothing of what a vertex is. Facts: 3dbrew (topologies, restart); a strip turns its triangles as everywhere.

use crate::geometry::Topology;

/// Makes triangles.
///
/// ```
/// use transpica::stages::draw::cpu::{Assembler, Topology};
/// let mut strip = Assembler::new(Topology::Strip);
/// let triangles: Vec<_> = (0..5).filter_map(|vertex| strip.push(vertex)).collect();
/// assert_eq!(triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
/// ```
#[derive(Clone, Debug)]
pub struct Assembler<T> {
    topology: Topology,
    /// The vertices that wait for others, the older first.
    held: [Option<T>; 2],
    /// Whether the next triangle of a strip is one that is turned.
    is_odd: bool,
    is_reversed: bool,
}

impl<T: Copy> Assembler<T> {
    /// One that holds no vertex.
    pub fn new(topology: Topology) -> Self {
        Self { topology, held: [None; 2], is_odd: false, is_reversed: false }
    }
    /// Forgets the vertices it holds: the next one begins a new primitive.
    pub fn restart(&mut self) {
        *self = Self::new(self.topology);
    }
    /// Exchanges the first two vertices of the next triangle, where the topology heeds that.
    pub fn reverse_next(&mut self) {
        self.is_reversed = self.topology == Topology::Geometry;
    }
    /// Takes a vertex and gives the triangle that it completes.
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
                Some(if is_reversed { [b, a, vertex] } else { [a, b, vertex] })
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
