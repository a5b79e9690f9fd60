//! Closed meshes with their adjacency. Triangles are counter-clockwise from outside.

use std::collections::BTreeMap;
use std::f32::consts::TAU;

use transpica_inspect::draw::mesh::{Vector, cross, dot, minus};

/// A closed surface of triangles.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Positions of the vertices.
    pub places: Vec<Vector>,
    /// Vertices of each triangle.
    pub triangles: Vec<[usize; 3]>,
    /// Third vertex of the triangle on the left of each directed edge.
    third: BTreeMap<(usize, usize), usize>,
}

/// Vector of length 1 with the same direction.
pub fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

impl Mesh {
    fn new(places: Vec<Vector>, triangles: Vec<[usize; 3]>) -> Self {
        let edges = |&[a, b, c]: &[usize; 3]| [((a, b), c), ((b, c), a), ((c, a), b)];
        let third = triangles.iter().flat_map(edges).collect();
        Self { places, triangles, third }
    }

    /// Builds two apexes and between them two rings of `around` vertices, each with five neighbors;
    /// 5 is the icosahedron.
    pub fn gem(around: usize) -> Self {
        let ring = |height: f32, offset: f32| {
            (0..around).map(move |k| {
                let (s, c) = ((k as f32 + offset) / around as f32 * TAU).sin_cos();
                let radius = (1.0 - height * height).sqrt();
                [radius * s, height, radius * c]
            })
        };
        let mut places: Vec<Vector> = ring(0.447, 0.0).chain(ring(-0.447, 0.5)).collect();
        places.extend([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]);
        let (top, bottom) = (2 * around, 2 * around + 1);
        let mut triangles = Vec::new();
        for k in 0..around {
            let next = (k + 1) % around;
            let (low, low_next) = (around + k, around + next);
            triangles.extend([
                [top, k, next],
                [k, low, next],
                [next, low, low_next],
                [bottom, low_next, low],
            ]);
        }
        Self::new(places, triangles)
    }

    /// Builds two apexes and a ring of `around` vertices, each with four neighbors; 4 is the
    /// octahedron.
    pub fn double_cone(around: usize) -> Self {
        let mut places: Vec<Vector> = (0..around)
            .map(|k| {
                let (s, c) = (k as f32 / around as f32 * TAU).sin_cos();
                [s, 0.0, c]
            })
            .collect();
        places.extend([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]);
        let sides = (0..around).flat_map(|k| {
            let next = (k + 1) % around;
            [[around, k, next], [around + 1, next, k]]
        });
        let triangles = sides.collect();
        Self::new(places, triangles)
    }

    /// Builds a torus whose vertices all have six neighbors.
    pub fn torus(around: usize, across: usize, thickness: f32) -> Self {
        let place = |x: usize, y: usize| {
            let (s, c) = (x as f32 / around as f32 * TAU).sin_cos();
            let (t, d) = (y as f32 / across as f32 * TAU).sin_cos();
            [(1.0 + thickness * d) * c, (1.0 + thickness * d) * s, thickness * t]
        };
        let cells = || (0..around).flat_map(|x| (0..across).map(move |y| (x, y)));
        let number = |x: usize, y: usize| x % around * across + y % across;
        let triangles = cells().flat_map(|(x, y)| {
            let [a, b, c, d] = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map(|(x, y)| number(x, y));
            [[a, b, c], [a, c, d]]
        });
        let (places, triangles) = (cells().map(|(x, y)| place(x, y)).collect(), triangles.collect());
        Self::new(places, triangles)
    }

    /// Returns the third vertex of the triangle across this triangle's edge from `a` to `b`.
    pub fn beyond(&self, a: usize, b: usize) -> usize {
        self.third[&(b, a)]
    }

    /// Returns the neighbors of `center` from `first` up to but not including `last`,
    /// counter-clockwise.
    fn fan(&self, center: usize, first: usize, last: usize) -> Vec<usize> {
        let next = |&vertex: &usize| Some(self.third[&(center, vertex)]);
        std::iter::successors(Some(first), next).take_while(|&vertex| vertex != last).collect()
    }

    /// Returns the number of neighbors of a vertex of this triangle.
    pub fn neighbors(&self, center: usize, one: usize) -> usize {
        1 + self.fan(center, self.third[&(center, one)], one).len()
    }

    /// Returns the vertices around a triangle, starting across its first edge, counter-clockwise;
    /// see the sample `subdivision`.
    pub fn around(&self, [a, b, c]: [usize; 3]) -> Vec<usize> {
        let [ab, bc, ca] = [self.beyond(a, b), self.beyond(b, c), self.beyond(c, a)];
        let corners = [(b, ab, bc), (c, bc, ca), (a, ca, ab)];
        corners.into_iter().flat_map(|(center, first, last)| self.fan(center, first, last)).collect()
    }

    /// Returns the normal at each vertex: the normalized sum of its triangles' normals.
    pub fn normals(&self) -> Vec<Vector> {
        let mut normals = vec![[0.0; 3]; self.places.len()];
        for &triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| self.places[vertex]);
            let normal = cross(minus(b, a), minus(c, a));
            for vertex in triangle {
                normals[vertex] = std::array::from_fn(|k| normals[vertex][k] + normal[k]);
            }
        }
        normals.into_iter().map(unit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_has_the_valences_of_its_corners_less_nine_neighbors() {
        for mesh in
            [Mesh::gem(5), Mesh::gem(7), Mesh::double_cone(4), Mesh::double_cone(9), Mesh::torus(8, 5, 0.4)]
        {
            for &[a, b, c] in &mesh.triangles {
                let own = [(a, b), (b, c), (c, a)].map(|(center, one)| mesh.neighbors(center, one));
                assert_eq!(mesh.around([a, b, c]).len() + 9, own.iter().sum::<usize>());
                assert_eq!(mesh.around([a, b, c])[own[1] - 3], mesh.beyond(b, c));
            }
        }
    }

    #[test]
    fn triangles_look_outwards() {
        for mesh in [Mesh::gem(6), Mesh::double_cone(5)] {
            for (normal, place) in mesh.normals().into_iter().zip(&mesh.places) {
                assert!(dot(normal, *place) > 0.5);
            }
        }
        let torus = Mesh::torus(12, 8, 0.3);
        for (normal, place) in torus.normals().into_iter().zip(&torus.places) {
            let middle = unit([place[0], place[1], 0.0]);
            assert!(dot(normal, minus(*place, middle)) > 0.1);
        }
    }
}
