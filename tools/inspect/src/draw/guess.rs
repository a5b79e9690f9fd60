//! Attributes and uniforms that make a mesh visible, for what a state file leaves open.
//! In: a mesh, the names that a file has for registers, a view. Out: values of registers.
//! [`use_of`] says what a name suggests; here are the values of a picture for it, always the same.
//! Names that it does not know, but that pictures need, stand in [`ATTRIBUTES`] and [`VECTORS`].

use crate::inputs::is_matrix;
use crate::matrix::{self, Matrix, UNIT, moved, product, rows, tilted, turned};
use crate::values::{Named, Use, use_of};
use transpica::Stage;
use transpica::container::SymbolBank;
use transpica::host::Constants;
use transpica::interp::{Registers, Uniforms};

use super::Size;
use super::mesh::{Mesh, Vertex};

/// Values of the mesh that an attribute can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attribute {
    Position,
    Normal,
    Tangent,
    Texcoord,
    Color,
    /// A corner of a sprite: x and y in -1..1, its size in z.
    Corner,
    /// The cosine and sine of no turn, and half a width and height.
    Turn,
    /// All of the first bone.
    Weights,
    Zero,
    One,
}

/// Parts of names of attributes, in lower case. The first that occurs decides.
const ATTRIBUTES: &[(&str, Attribute)] = &[
    ("tan", Attribute::Tangent),
    ("corner", Attribute::Corner),
    ("turn", Attribute::Turn),
    ("vel", Attribute::Normal),
    ("cent", Attribute::Position),
    ("cell", Attribute::Position),
    ("vert", Attribute::Position),
];

/// Order of attributes in files that name none.
const ORDER: [Attribute; 5] =
    [Attribute::Position, Attribute::Normal, Attribute::Texcoord, Attribute::Color, Attribute::Tangent];

/// Parts of names of float uniforms, in lower case, with the value of each register. The first that
/// occurs decides.
const VECTORS: &[(&str, [f32; 4])] = &[
    ("offset", [0.0; 4]),
    ("posscale", [1.0; 4]),
    ("texscale", [1.0; 4]),
    ("uvscale", [1.0; 4]),
    ("scale", [0.12, 0.2, 0.05, 0.08]),
    ("size", [0.02, 0.035, 0.02, 0.035]),
    ("box", [0.0, 0.0, 1.0, 1.0]),
    ("attenuation", [1.0, 0.1, 0.01, 0.0]),
    ("ambient", [0.3, 0.3, 0.35, 1.0]),
    // No fog, no transition.
    ("range", [0.0, 0.0, 0.0, 1.0]),
    ("layer", [0.5, 0.1, 0.0, 0.0]),
    ("morph", [0.0, 0.0, 1.0, 0.0]),
    ("wind", [0.0; 4]),
    ("sway", [0.0; 4]),
    ("fade", [0.0, 1.0, 0.0, 1.0]),
    ("pixel", [0.005, 0.008_333, 0.002, 0.0]),
    ("time", [1.2, 1.0, 1.0, 0.25]),
    ("clock", [1.0, 4.0, 0.25, 0.0]),
    ("gravity", [0.0, -0.5, 0.0, 0.0]),
    ("weights", [0.4, 0.0, 0.0, 0.0]),
    // Sine and cosine of no turn, a length.
    ("joint", [0.0, 1.0, 0.1, 0.0]),
    ("material", [0.6, 0.5, 0.4, 8.0]),
    ("fogcolor", [0.7, 0.76, 0.86, 1.0]),
    ("lightcolor", [0.8, 0.78, 0.7, 8.0]),
    ("lightpos", [-1.5, 2.0, 3.0, 1.0]),
    ("lamppos", [-1.5, 2.0, 3.0, 1.0]),
    ("light", [-0.41, 0.62, 0.66, 0.3]),
    ("sundir", [-0.41, 0.62, 0.66, 0.3]),
    ("ink", [0.12, 0.1, 0.2, 1.5]),
    ("zenith", [0.25, 0.45, 0.8, 1.0]),
    ("horizon", [0.75, 0.8, 0.86, 1.0]),
    ("shallow", [0.2, 0.6, 0.6, 0.5]),
    ("deep", [0.05, 0.2, 0.35, 1.0]),
    ("foam", [0.3, -0.2, 1.0, 0.9]),
    ("wave", [0.3, 0.05, 0.2, 0.1]),
];

/// Returns what a name of an attribute suggests, or `None` if it is unknown.
fn attribute(named: &Named) -> Option<Attribute> {
    let name = named.name.to_lowercase();
    if let Some(&(_, found)) = ATTRIBUTES.iter().find(|(word, _)| name.contains(word)) {
        return Some(found);
    }
    Some(match use_of(&Named { count: 1, ..named.clone() }) {
        Use::Position => Attribute::Position,
        Use::Direction => Attribute::Normal,
        Use::Color => Attribute::Color,
        Use::Texcoord => Attribute::Texcoord,
        Use::Weights => Attribute::Weights,
        Use::Index | Use::Matrix { .. } | Use::Quaternion => Attribute::Zero,
        Use::Scale => Attribute::One,
        Use::Other => return None,
    })
}

fn value(vertex: &Vertex, what: Attribute) -> [f32; 4] {
    let point = |[x, y, z]: [f32; 3]| [x, y, z, 1.0];
    let [u, v] = vertex.texcoord;
    match what {
        Attribute::Position => point(vertex.position),
        Attribute::Normal => point(vertex.normal),
        Attribute::Tangent => point(vertex.tangent()),
        Attribute::Texcoord => [u, v, 0.0, 1.0],
        Attribute::Color => point(vertex.color),
        Attribute::Corner => [2.0 * u - 1.0, 2.0 * v - 1.0, 0.1, 0.0],
        Attribute::Turn => [1.0, 0.0, 0.06, 0.1],
        Attribute::Weights => [1.0, 0.0, 0.0, 0.0],
        Attribute::Zero => [0.0, 0.0, 0.0, 1.0],
        Attribute::One => [1.0; 4],
    }
}

/// Returns the number of steps of a color's component: 255 if a program has the constant that
/// divides bytes, else 1.
pub fn color_steps(constants: &Constants) -> f32 {
    let mut numbers = constants.floats.iter().flatten().flatten().map(|&bits| f32::from_bits(bits));
    if numbers.any(|x| (x * 255.0 - 1.0).abs() < 1e-3) { 255.0 } else { 1.0 }
}

/// Returns v0..v15 of each vertex of a mesh. Without a name for a position, the first attribute
/// whose name is unknown is one. For `steps` see [`color_steps`].
pub fn attributes(mesh: &Mesh, names: &[Named], steps: f32) -> Vec<[[f32; 4]; 16]> {
    let mut what = [None; 16];
    let inputs = names.iter().filter(|named| named.bank == SymbolBank::Input);
    let mut unknown = Vec::new();
    let mut count = 0;
    for named in inputs {
        count += 1;
        let found = attribute(named);
        for register in named.first..named.first + named.count {
            match (what.get_mut(register), found) {
                (Some(place), Some(_)) => *place = found,
                (Some(_), None) => unknown.push(register),
                (None, _) => {}
            }
        }
    }
    if count == 0 {
        what.iter_mut().zip(ORDER).for_each(|(place, attribute)| *place = Some(attribute));
    } else if let Some(&register) = unknown.first()
        && !what.contains(&Some(Attribute::Position))
    {
        what[register] = Some(Attribute::Position);
    }
    let vertex = |vertex| {
        let mut registers = Registers::DEFAULT_INPUTS;
        for (register, what) in registers.iter_mut().zip(what) {
            let Some(what) = what else { continue };
            *register = value(vertex, what);
            if what == Attribute::Color {
                *register = register.map(|x| x * steps);
            }
        }
        registers
    };
    mesh.vertices.iter().map(vertex).collect()
}

/// Part of the way from the mesh to the screen that a matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// All of it.
    Everything,
    Projection,
    /// From the world to the eye.
    View,
    /// From the mesh to the eye.
    ModelView,
    /// From the mesh to the world.
    Model,
    /// One of many from the mesh, or a joint, to the world.
    Bone,
    /// Rotation only, of normals.
    Normal,
    /// None: coordinates of a texture and the like.
    Other,
}

/// Parts of names of matrices, in lower case. The first row whose parts all occur decides.
const ROLES: &[(&[&str], Role)] = &[
    (&["tex"], Role::Other),
    (&["uv"], Role::Other),
    (&["shadow"], Role::Other),
    (&["norm"], Role::Normal),
    (&["mvp"], Role::Everything),
    (&["wvp"], Role::Everything),
    (&["model", "proj"], Role::Everything),
    (&["proj"], Role::Projection),
    (&["model", "view"], Role::ModelView),
    (&["mv"], Role::ModelView),
    (&["view"], Role::View),
    (&["camera"], Role::View),
    (&["bone"], Role::Bone),
    (&["palette"], Role::Bone),
    (&["matrices"], Role::Bone),
    (&["joint"], Role::Bone),
    (&["model"], Role::Model),
    (&["world"], Role::Model),
];

/// The way from a mesh to the screen.
#[derive(Clone, Debug)]
pub struct Camera {
    projection: Matrix,
    view: Matrix,
    model: Matrix,
}

impl Camera {
    /// Angle of the first picture in radians: the corner of a cube, not its face.
    pub const START: f64 = 0.6;

    /// Builds a view of a picture, with the mesh turned by `angle` in radians.
    pub fn new(size: Size, angle: f64) -> Self {
        Self::orbit(size, angle, 0.5, 2.8)
    }

    /// Builds a view from an orbit: angles in radians, and the distance of the eye.
    pub fn orbit(size: Size, yaw: f64, pitch: f64, distance: f64) -> Self {
        let view = product(&moved(0.0, 0.0, -distance), &tilted(pitch));
        Self { projection: matrix::projection(size.width, size.height), view, model: turned(yaw) }
    }

    /// Returns the view with its screen scaled and then shifted.
    #[must_use]
    pub fn framed(mut self, (scale, shift): (f64, [f64; 2])) -> Self {
        let [x, y, _, w] = &mut self.projection;
        for (row, shift) in [x, y].into_iter().zip(shift) {
            row.iter_mut().zip(&*w).for_each(|(x, w)| *x = scale * *x + shift * w);
        }
        self
    }

    /// Returns the place of a clip-space position in the space of the eye.
    pub fn eye(&self, [x, y, _, w]: [f32; 4]) -> [f32; 3] {
        let across = |row: &[f64; 4], k: usize, x: f32| (f64::from(x) + row[2] * f64::from(w)) / row[k];
        [across(&self.projection[0], 0, x) as f32, across(&self.projection[1], 1, y) as f32, -w]
    }

    /// Returns the clip-space position of a place in the space of the eye.
    #[cfg(test)]
    pub fn clip(&self, [x, y, z]: [f32; 3]) -> [f32; 4] {
        let dot = |[a, b, c, d]: [f32; 4]| a * x + b * y + c * z + d;
        rows(&self.projection).map(dot)
    }

    /// Returns the matrix of a role, given others of the same draw.
    fn matrix(&self, role: Role, roles: &[Role]) -> Matrix {
        let has = |role| roles.contains(&role);
        let model_view = || product(&self.view, &self.model);
        let everything = || product(&self.projection, &model_view());
        let projected =
            |matrix: Matrix| if has(Role::Projection) { matrix } else { product(&self.projection, &matrix) };
        match role {
            Role::Everything => everything(),
            // The only matrix of a draw takes the whole way.
            Role::Projection
                if ![Role::View, Role::ModelView, Role::Model, Role::Bone].into_iter().any(has) =>
            {
                everything()
            }
            Role::Projection => self.projection,
            Role::View => projected(self.view),
            Role::ModelView => projected(model_view()),
            Role::Model if has(Role::View) => self.model,
            // Next to a complete matrix it serves for lighting.
            Role::Model if has(Role::ModelView) || has(Role::Everything) => self.model,
            Role::Model => projected(model_view()),
            Role::Bone if has(Role::Model) || has(Role::ModelView) || has(Role::Everything) => UNIT,
            Role::Bone if has(Role::View) => self.model,
            Role::Bone => projected(model_view()),
            Role::Normal if has(Role::View) && !has(Role::ModelView) => self.model,
            Role::Normal => model_view().map(|[x, y, z, _]| [x, y, z, 0.0]),
            Role::Other => UNIT,
        }
    }
}

fn role(named: &Named) -> Option<Role> {
    let name = named.name.to_lowercase();
    let found = ROLES.iter().find(|(parts, _)| parts.iter().all(|part| name.contains(part)));
    is_matrix(named).then(|| found.map_or(Role::Other, |&(_, role)| role))
}

/// Returns register `place` of a named range that is not a matrix.
fn vector(named: &Named, place: usize, stage: Stage) -> [f32; 4] {
    let name = named.name.to_lowercase();
    let along = place as f32 / named.count.max(2) as f32;
    let found = VECTORS.iter().find(|(word, _)| name.contains(word)).map(|&(_, value)| value);
    match (use_of(named), found) {
        // Pixels of half a screen, or the other way around.
        (_, None) if name.contains("screen") => match stage {
            Stage::Geometry => [200.0, 120.0, 0.8, 0.0],
            Stage::Vertex => [0.005, 0.008_333, 0.0, 0.0],
        },
        (_, Some(value)) => value,
        (Use::Color, None) => {
            let wave = |shift: f32| 0.6 + 0.4 * ((along + shift) * std::f32::consts::TAU).cos();
            [wave(0.0), wave(-0.18), wave(-0.35), 1.0]
        }
        (Use::Position, None) => [1.5, 2.0, 3.0, 1.0],
        (Use::Direction, None) => [-0.41, 0.62, 0.66, 0.3],
        (Use::Quaternion, None) => [0.0, 0.0, 0.0, 1.0],
        (Use::Texcoord | Use::Scale, None) => [1.0; 4],
        (Use::Weights, None) => [0.4, 0.0, 0.0, 0.0],
        (Use::Index, None) => [0.0; 4],
        (Use::Matrix { .. } | Use::Other, None) if named.count == 1 => [0.5, 0.5, 0.5, 1.0],
        // Points of a curve, steps of a ramp.
        (Use::Matrix { .. } | Use::Other, None) => {
            [2.0 * along - 0.9, 0.5 * (along * 9.0).sin(), 0.3 * along, 0.3]
        }
    }
}

/// Sets the time of day of a draw: x of the uniforms whose name says that they are a clock.
pub fn set_time(uniforms: &mut Uniforms, names: &[Named], time: f32) {
    let is_clock = |named: &&Named| {
        let name = named.name.to_lowercase();
        named.bank == SymbolBank::Float && (name.contains("time") || name.contains("clock"))
    };
    for named in names.iter().filter(is_clock) {
        if let Some([x, ..]) = uniforms.floats.get_mut(named.first) {
            *x = time;
        }
    }
}

/// Returns the uniforms of each unit of a draw, vertex unit first.
pub fn uniforms<'n>(names: [&'n [Named]; 2], view: &Camera) -> [Uniforms; 2] {
    let floats = |named: &&'n Named| named.bank == SymbolBank::Float;
    let all = names.iter().flat_map(|names| names.iter()).filter(floats);
    let roles: Vec<Role> = all.filter_map(role).collect();
    let stages = [Stage::Vertex, Stage::Geometry].into_iter();
    let mut units = stages.zip(names).map(|(stage, names)| {
        let mut uniforms = Uniforms { ints: [[0, 0, 1, 0]; 4], ..Uniforms::default() };
        if !names.iter().any(|named| named.bank == SymbolBank::Float) {
            // The order that homebrew's examples have.
            let roles = [Role::Projection, Role::ModelView];
            for (first, role) in [0, 4].into_iter().zip(roles) {
                uniforms.floats[first..first + 4].copy_from_slice(&rows(&view.matrix(role, &roles)));
            }
        }
        for named in names {
            let registers = named.first..named.first + named.count;
            match named.bank {
                SymbolBank::Float => {
                    let matrix = role(named).map(|role| rows(&view.matrix(role, &roles)));
                    let size = match use_of(named) {
                        Use::Matrix { rows, .. } => rows.max(1),
                        _no_matrix => 1,
                    };
                    for (place, register) in
                        uniforms.floats.get_mut(registers).into_iter().flatten().enumerate()
                    {
                        let row = matrix.map(|matrix| matrix[(place % size).min(3)]);
                        *register = row.unwrap_or_else(|| vector(named, place, stage));
                    }
                }
                SymbolBank::Bool => {
                    let name = named.name.to_lowercase();
                    // Range: below 16. Lights show the shape; what else a program can do is off.
                    let is_on = name.contains("lit") || name.contains("lighting");
                    registers.for_each(|register| uniforms.set_bool(register as u8, is_on));
                }
                SymbolBank::Int | SymbolBank::Input => {}
            }
        }
        uniforms
    });
    [units.next().unwrap_or_default(), units.next().unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mesh::BuiltIn;

    fn named(name: &str, bank: SymbolBank, first: usize, count: usize) -> Named {
        Named { name: name.into(), bank, first, count }
    }

    /// The product of three columns of rows, as a program computes it.
    fn through(matrices: &[&[[f32; 4]]], mut point: [f32; 4]) -> [f32; 4] {
        for matrix in matrices {
            let dot = |row: &[f32; 4]| row.iter().zip(point).map(|(a, b)| a * b).sum();
            let mut next = [0.0, 0.0, 0.0, 1.0];
            next.iter_mut().zip(*matrix).for_each(|(next, row)| *next = dot(row));
            point = next;
        }
        point
    }

    #[test]
    fn the_whole_way_is_the_same_however_it_is_split() {
        let view = Camera::new(Size::SCREEN, 0.7);
        let float = |name, first, count| named(name, SymbolBank::Float, first, count);
        let expected = rows(&product(&view.projection, &product(&view.view, &view.model)));
        let point = [0.3, -0.5, 0.8, 1.0];
        let expected = through(&[&expected], point);
        let splits: [Vec<Named>; 8] = [
            vec![float("mvp", 0, 4)],
            vec![float("projection", 0, 4)],
            vec![float("modelViewProj", 0, 4)],
            vec![float("modelView", 0, 4), float("projection", 4, 4)],
            vec![float("modelView", 0, 3), float("proj", 4, 4)],
            vec![float("world", 0, 3), float("viewMatrix", 4, 3), float("projection", 8, 4)],
            vec![float("palette", 0, 3), float("projection", 4, 4)],
            vec![
                float("bones", 0, 3),
                float("world", 4, 3),
                float("viewMatrix", 8, 3),
                float("projection", 12, 4),
            ],
        ];
        for names in splits {
            let [uniforms, _] = uniforms([&names, &[]], &view);
            let matrices: Vec<_> =
                names.iter().map(|named| &uniforms.floats[named.first..named.first + named.count]).collect();
            let found = through(&matrices, point);
            let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(is_near, "{names:?}: {found:?}, not {expected:?}");
        }
    }

    #[test]
    fn names_of_either_kind_give_the_attributes() {
        let mesh = Mesh::built_in(BuiltIn::Cube);
        let input = |name, first| named(name, SymbolBank::Input, first, 1);
        let usual = [input("vertex", 0), input("normal", 1), input("texcoord", 2), input("clr_color", 3)];
        let short = [input("inpos", 0), input("nrm", 1), input("uv", 2), input("color", 3)];
        let [usual, short, none] = [&usual[..], &short, &[]].map(|names| attributes(&mesh, names, 1.0));
        assert_eq!(usual, short);
        let [first, third] = [&usual[7], &none[7]];
        assert_eq!(first[..4], third[..4]);
        assert_eq!(first[2][..2], mesh.vertices[7].texcoord);
        let bones = attributes(&mesh, &[input("weights", 2), input("anything", 3), input("bones", 4)], 1.0);
        assert_eq!(bones[0][2], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(bones[0][3], value(&mesh.vertices[0], Attribute::Position));
        assert_eq!(bones[0][4], [0.0, 0.0, 0.0, 1.0]);
    }
}
