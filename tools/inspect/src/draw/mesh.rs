//! Meshes to draw: the built-in ones, and what every mesh needs.
//! In: the name of a built-in mesh, or positions and triangles. Out: vertices with all attributes
//! that a program may ask for.
//! Triangles are counter-clockwise from outside. Everything lies within 1.2 of the origin.

use std::f32::consts::{PI, TAU};

/// A point or a direction.
pub type Vector = [f32; 3];

/// A built-in mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// A square that faces the viewer
    Quad,
    /// A cube
    Cube,
    /// A sphere
    Sphere,
    /// A vase, a turned profile
    Lathe,
    /// A square that faces the viewer, with smooth hills
    Hills,
}

impl BuiltIn {
    /// All of them with their names.
    pub const ALL: [(&'static str, Self); 5] = [
        ("quad", Self::Quad),
        ("cube", Self::Cube),
        ("sphere", Self::Sphere),
        ("lathe", Self::Lathe),
        ("hills", Self::Hills),
    ];

    /// Returns the mesh of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, mesh)| mesh)
    }
}

/// A vertex with every attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vertex {
    /// Place in space.
    pub position: Vector,
    /// Unit vector that points outside.
    pub normal: Vector,
    /// Texture coordinates.
    pub texcoord: [f32; 2],
    /// Red, green, blue.
    pub color: Vector,
}

impl Vertex {
    /// Builds a vertex with a color that follows from its normal.
    fn new(position: Vector, normal: Vector, texcoord: [f32; 2]) -> Self {
        Self { position, normal, texcoord, color: normal.map(|x| 0.58 + 0.4 * x) }
    }

    /// Returns a unit vector along the surface, level where the surface is not.
    pub fn tangent(&self) -> Vector {
        let [x, _, z] = self.normal;
        unit([z, 0.0, -x]).unwrap_or([1.0, 0.0, 0.0])
    }
}

/// Vertices and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Indices of vertices, all of which exist.
    pub triangles: Vec<[u32; 3]>,
}

/// Returns a - b.
pub fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] - b[k])
}

/// Returns the cross product.
pub fn cross(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

/// Dot product.
pub fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the vector of length 1 with this direction, or `None` if it has no direction.
pub fn unit(a: Vector) -> Option<Vector> {
    let length = a.iter().map(|x| x * x).sum::<f32>().sqrt();
    (length > 1e-12 && length.is_finite()).then(|| a.map(|x| x / length))
}

impl Mesh {
    /// Builds a built-in mesh.
    pub fn built_in(name: BuiltIn) -> Self {
        let mut mesh = Self::default();
        match name {
            BuiltIn::Quad => mesh.grid([8, 8], |[u, v]| {
                Vertex::new([2.0 * u - 1.0, 2.0 * v - 1.0, 0.0], [0.0, 0.0, 1.0], [u, v])
            }),
            BuiltIn::Hills => mesh.grid([32, 32], |[u, v]| {
                let ((sx, cx), (sy, cy)) = ((5.0 * u + 0.5).sin_cos(), (4.0 * v).sin_cos());
                let normal = unit([-0.5 * cx * sy, -0.4 * sx * cy, 1.0]).unwrap_or([0.0, 0.0, 1.0]);
                Vertex::new([2.0 * u - 1.0, 2.0 * v - 1.0, 0.2 * sx * sy], normal, [u, v])
            }),
            BuiltIn::Cube => mesh.cube(),
            BuiltIn::Sphere => mesh.grid([40, 20], |[u, v]| {
                let ((s, c), (up, radius)) = ((u * TAU).sin_cos(), ((v - 0.5) * PI).sin_cos());
                let normal = [radius * s, up, radius * c];
                Vertex::new(normal.map(|x| 1.1 * x), normal, [2.0 * u, v])
            }),
            BuiltIn::Lathe => mesh.grid([40, 48], |[u, v]| {
                let ((s, c), ([radius, height], [along_radius, along_height])) =
                    ((u * TAU).sin_cos(), profile(v));
                let normal = unit([along_height * s, -along_radius, along_height * c]);
                let normal = normal.unwrap_or([0.0, -1.0, 0.0]);
                Vertex::new([radius * s, height, radius * c], normal, [2.0 * u, v])
            }),
        }
        mesh
    }

    /// Adds a surface of cells. `at` receives the place on it, to the right and upwards in 0..1.
    fn grid(&mut self, [columns, rows]: [u16; 2], at: impl Fn([f32; 2]) -> Vertex) {
        // Range: built-in meshes have a few thousand vertices.
        let first = self.vertices.len() as u32;
        let (across, up) = (u32::from(columns), u32::from(rows));
        for row in 0..=rows {
            let place =
                |column: u16| [f32::from(column) / f32::from(columns), f32::from(row) / f32::from(rows)];
            self.vertices.extend((0..=columns).map(|column| at(place(column))));
        }
        for (row, column) in (0..up).flat_map(|row| (0..across).map(move |column| (row, column))) {
            let a = first + row * (across + 1) + column;
            let [b, c, d] = [a + 1, a + across + 2, a + across + 1];
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }

    fn cube(&mut self) {
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let turn = |local: Vector| -> Vector { std::array::from_fn(|k| local[(k + 3 - axis) % 3]) };
                // Local x points outside; a mirrored face exchanges the other two.
                let normal = turn([side, 0.0, 0.0]);
                self.grid([4, 4], |[u, v]| {
                    let (right, up) = (2.0 * u - 1.0, 2.0 * v - 1.0);
                    Vertex::new(turn([side, right * side, up]).map(|x| 0.8 * x), normal, [u, v])
                });
            }
        }
    }

    /// Completes a mesh of a file: moves it to the origin, scales it to the size of the others, and
    /// adds what `has` says is missing.
    pub fn complete(&mut self, has: Has) {
        let (mut low, mut high) = ([f32::MAX; 3], [f32::MIN; 3]);
        for vertex in &self.vertices {
            low = std::array::from_fn(|k| low[k].min(vertex.position[k]));
            high = std::array::from_fn(|k| high[k].max(vertex.position[k]));
        }
        // Half of each, since the difference of two finite numbers can be infinite.
        let half: Vector = std::array::from_fn(|k| high[k] / 2.0 - low[k] / 2.0);
        let middle: Vector = std::array::from_fn(|k| high[k] / 2.0 + low[k] / 2.0);
        let size = half.iter().copied().fold(0.0, f32::max);
        let scale = if size > 0.0 { 1.1 / size } else { 1.0 };
        for vertex in &mut self.vertices {
            vertex.position = std::array::from_fn(|k| (vertex.position[k] - middle[k]) * scale);
        }
        if !has.normals {
            self.add_normals();
        }
        for vertex in &mut self.vertices {
            let [x, y, _] = vertex.position;
            let full = Vertex::new(vertex.position, vertex.normal, [x / 2.2 + 0.5, y / 2.2 + 0.5]);
            let texcoord = if has.texcoords { vertex.texcoord } else { full.texcoord };
            let color = if has.colors { vertex.color } else { full.color };
            *vertex = Vertex { texcoord, color, ..full };
        }
    }

    /// Sets each normal to the normalized sum of those of its triangles.
    fn add_normals(&mut self) {
        let mut normals = vec![[0.0; 3]; self.vertices.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| self.vertices[vertex as usize].position);
            let normal = cross(minus(b, a), minus(c, a));
            for &vertex in triangle {
                let sum: &mut Vector = &mut normals[vertex as usize];
                *sum = std::array::from_fn(|k| sum[k] + normal[k]);
            }
        }
        for (vertex, normal) in self.vertices.iter_mut().zip(normals) {
            vertex.normal = unit(normal).unwrap_or([0.0, 0.0, 1.0]);
        }
    }
}

/// Attributes that a file gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Has {
    /// Every vertex has a normal.
    pub normals: bool,
    /// Every vertex has texture coordinates.
    pub texcoords: bool,
    /// Every vertex has a color.
    pub colors: bool,
}

/// Radius and height of the vase's profile, upwards.
const PROFILE: [[f32; 2]; 10] = [
    [0.0, -1.0],
    [0.45, -1.0],
    [0.34, -0.86],
    [0.7, -0.42],
    [0.8, -0.05],
    [0.6, 0.38],
    [0.28, 0.64],
    [0.25, 0.8],
    [0.36, 0.94],
    [0.5, 1.0],
];

/// Returns a point of the profile and the direction there: a Catmull-Rom spline.
fn profile(along: f32) -> ([f32; 2], [f32; 2]) {
    let parts = PROFILE.len() - 1;
    let place = along.clamp(0.0, 1.0) * parts as f32;
    // Range: 0 to 8.
    let part = (place as usize).min(parts - 1);
    let t = place - part as f32;
    let at = |offset: usize| PROFILE[(part + offset).saturating_sub(1).min(parts)];
    let curve = |k: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|offset| at(offset)[k]);
        let (cubic, square, linear) = (3.0 * (b - c) + d - a, 2.0 * a - 5.0 * b + 4.0 * c - d, c - a);
        let value = b + 0.5 * t * (linear + t * (square + t * cubic));
        (value, 0.5 * (linear + t * (2.0 * square + 3.0 * t * cubic)))
    };
    let ((radius, along_radius), (height, along_height)) = (curve(0), curve(1));
    ([radius.max(0.0), height], [along_radius, along_height])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_of_closed_meshes_and_normals_look_outwards() {
        for (name, mesh) in BuiltIn::ALL {
            let mesh = Mesh::built_in(mesh);
            assert!(mesh.triangles.len() >= 100, "{name:?}");
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(|vertex| mesh.vertices[vertex as usize]);
                let normal = cross(minus(b.position, a.position), minus(c.position, a.position));
                // Triangles at a pole have no area except for rounding.
                let Some(normal) = unit(normal).filter(|_| normal.iter().any(|x| x.abs() > 1e-5)) else {
                    continue;
                };
                for vertex in [a, b, c] {
                    let along: f32 = (0..3).map(|k| normal[k] * vertex.normal[k]).sum();
                    assert!(along > 0.3, "{name:?}: {along} at {:?}", vertex.position);
                }
            }
            assert!(mesh.vertices.iter().flat_map(|vertex| vertex.position).all(|x| x.abs() <= 1.2));
        }
    }
}
