//! Neighbors of triangles, for geometry programs that take them.
//! In: a mesh. Out: lists of vertices as a geometry unit takes them. Vertices at one place count as
//! one, since the seams of texture coordinates are not edges of the surface.

use std::collections::BTreeMap;

use super::mesh::Mesh;

/// Largest number of vertices around a triangle that is passed on: the poles of a sphere have more
/// neighbors than uniforms can hold.
const MOST_AROUND: usize = 24;

/// Directed edges of a mesh.
pub struct Adjacency<'a> {
    mesh: &'a Mesh,
    /// The first vertex at the place of each vertex.
    first: Vec<u32>,
    /// Third vertex of the triangle on the left of each directed edge.
    third: BTreeMap<[u32; 2], u32>,
}

impl<'a> Adjacency<'a> {
    /// Finds the edges.
    pub fn new(mesh: &'a Mesh) -> Self {
        let mut places = BTreeMap::new();
        let mut first = Vec::with_capacity(mesh.vertices.len());
        for (index, vertex) in (0u32..).zip(&mesh.vertices) {
            // Vertices at a seam or a pole differ by the rounding of sines.
            let place = vertex.position.map(|x| (x * 4096.0).round() as i32);
            first.push(*places.entry(place).or_insert(index));
        }
        let mut third = BTreeMap::new();
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|vertex| first[vertex as usize]);
            if a != b && b != c && c != a {
                third.extend([([a, b], c), ([b, c], a), ([c, a], b)]);
            }
        }
        Self { mesh, first, third }
    }

    /// Iterates over the triangles with an area, by the first vertices of their places.
    fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let triangles = self.mesh.triangles.iter();
        triangles
            .map(|triangle| triangle.map(|vertex| self.first[vertex as usize]))
            .filter(|[a, b, c]| a != b && b != c && c != a)
    }

    /// Returns triangles with the far corners of their neighbors: corner, neighbor, corner, …. At
    /// an open edge the triangle is its own neighbor.
    pub fn with_neighbors(&self) -> Vec<u32> {
        let beyond = |a, b, c| self.third.get(&[b, a]).copied().unwrap_or(c);
        self.triangles()
            .flat_map(|[a, b, c]| [a, beyond(a, b, c), b, beyond(b, c, a), c, beyond(c, a, b)])
            .collect()
    }

    /// Returns the neighbors of `center` from `first` up to but not including `last`,
    /// counter-clockwise, or `None` at an open edge.
    fn fan(&self, center: u32, first: u32, last: u32) -> Option<Vec<u32>> {
        let (mut fan, mut next) = (Vec::new(), first);
        while next != last {
            if fan.len() == MOST_AROUND {
                return None;
            }
            fan.push(next);
            next = *self.third.get(&[center, next])?;
        }
        Some(fan)
    }

    /// Returns primitives of the variable mode: the number of vertices, the triangle, and the ring
    /// of vertices around it, counter-clockwise from the one across the first edge. Triangles at an
    /// open edge are left out.
    pub fn with_rings(&self) -> Vec<u32> {
        let mut indices = Vec::new();
        for [a, b, c] in self.triangles() {
            let ring = || {
                let beyond = |from, to| self.third.get(&[to, from]).copied();
                let [ab, bc, ca] = [beyond(a, b)?, beyond(b, c)?, beyond(c, a)?];
                let mut ring = Vec::new();
                for (center, first, last) in [(b, ab, bc), (c, bc, ca), (a, ca, ab)] {
                    ring.extend(self.fan(center, first, last)?);
                }
                Some(ring).filter(|ring| ring.len() <= MOST_AROUND)
            };
            if let Some(ring) = ring() {
                // Range: at most 27.
                indices.push(3 + ring.len() as u32);
                indices.extend([a, b, c].into_iter().chain(ring));
            }
        }
        indices
    }

    /// Returns the number of neighbors of each vertex; vertices of one place count at the first.
    pub fn valences(&self) -> Vec<u32> {
        let mut valences = vec![0; self.first.len()];
        for [from, _] in self.third.keys() {
            valences[*from as usize] += 1;
        }
        valences
    }

    /// Returns one vertex for each place.
    pub fn places(&self) -> Vec<u32> {
        (0u32..).zip(&self.first).filter(|(index, first)| index == *first).map(|(index, _)| index).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mesh::BuiltIn;

    #[test]
    fn rings_have_the_neighbors_of_the_corners() {
        for name in [BuiltIn::Cube, BuiltIn::Sphere] {
            let mesh = Mesh::built_in(name);
            let adjacency = Adjacency::new(&mesh);
            let valences = adjacency.valences();
            let indices = adjacency.with_rings();
            let (mut place, mut count) = (0, 0);
            while let Some(&size) = indices.get(place) {
                let corners = &indices[place + 1..place + 4];
                let sum: u32 = corners.iter().map(|&vertex| valences[vertex as usize]).sum();
                assert_eq!(size - 3, sum - 9, "{name:?}");
                place += 1 + size as usize;
                count += 1;
            }
            assert!(count * 10 >= mesh.triangles.len() * 8, "{name:?}: {count} of {}", mesh.triangles.len());
            assert_eq!(place, indices.len());
            // Closed: no triangle is its own neighbor.
            let with = adjacency.with_neighbors();
            assert!(with.chunks_exact(6).all(|six| six[1] != six[4] && six[3] != six[0]), "{name:?}");
        }
    }
}
