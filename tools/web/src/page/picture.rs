//! Pictures on the CPU, and what every picture is made from.
//! In: a request of the page, a mesh, values. Out: a [`Scene`] of the selected program, pixels.

use serde::{Deserialize, Serialize};
use transpica::interp::Uniforms;
use transpica_inspect::draw::guess::{Camera, set_time};
use transpica_inspect::draw::looks::By;
use transpica_inspect::draw::mesh::{BuiltIn, Mesh};
use transpica_inspect::draw::raster::{self, Samples};
use transpica_inspect::draw::scene::{Pick, Scene, SceneError};
use transpica_inspect::draw::{Size, obj, wire};
use transpica_inspect::state::State;
use transpica_inspect::symbols::Symbols;

use super::engine::Open;
use super::invocations::Invocations;
use super::problem::Problem;
use super::values::Values;

/// Most pixels of a picture.
const MOST_PIXELS: u32 = 1 << 22;

/// A picture that the page wants.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct DrawRequest {
    width: u32,
    height: u32,
    yaw: f64,
    pitch: f64,
    distance: f64,
    time: f32,
    /// Name of the shown output; empty for the first that the program has.
    by: String,
    /// Edges of triangles instead of their surfaces.
    pub wireframe: bool,
}

impl Default for DrawRequest {
    /// The first picture of a page.
    fn default() -> Self {
        let Size { width, height } = Size::SCREEN;
        let (yaw, pitch, distance, time) = (0.6, 0.5, 2.8, 0.0);
        Self { width, height, yaw, pitch, distance, time, by: String::new(), wireframe: false }
    }
}

impl DrawRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// A text that is none, sizes and numbers that cannot be drawn.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let request: Self =
            serde_json::from_str(text).map_err(|error| Problem::error(format!("not a request: {error}")))?;
        let Self { width, height, yaw, pitch, distance, time, .. } = request;
        let sides = [width, height];
        if sides.iter().any(|side| !(1..=Size::MOST).contains(side)) || width * height > MOST_PIXELS {
            let message =
                format!("a picture has 1 to {} pixels per side, and at most {MOST_PIXELS}", Size::MOST);
            return Err(Problem::error(message));
        }
        if [yaw, pitch, distance, f64::from(time)].iter().all(|number| number.is_finite()) {
            Ok(request)
        } else {
            Err(Problem::error("angles, distance and time must be finite"))
        }
    }

    /// Returns the size of the picture.
    pub fn size(&self) -> Size {
        Size { width: self.width, height: self.height }
    }

    fn by(&self) -> Result<Option<By>, Problem> {
        match self.by.as_str() {
            "" => Ok(None),
            name => By::parse(name).map(Some).map_err(|error| Problem::error(format!("`{name}`: {error}"))),
        }
    }
}

/// Reads a mesh: the name of a built-in one, or the text of an OBJ file.
///
/// # Errors
/// Neither.
pub fn mesh(text: &str) -> Result<Mesh, Problem> {
    if let Some(name) = BuiltIn::named(text) {
        return Ok(Mesh::built_in(name));
    }
    obj::parse(text.as_bytes()).map_err(|error| {
        let names: Vec<&str> = BuiltIn::ALL.iter().map(|(name, _)| *name).collect();
        let hint = format!("a mesh must be {}, or the text of an .obj file", names.join(", "));
        Problem::error(format!("OBJ file: {error}")).hint(hint)
    })
}

impl From<SceneError> for Problem {
    fn from(error: SceneError) -> Self {
        match error {
            SceneError::Program(error) => error.into(),
            // The advice names an option of the command line.
            SceneError::Choice(message, _) => Self::error(message),
        }
    }
}

/// Returns the scene of the selected program, with the program that feeds or follows it.
///
/// # Errors
/// A geometry program that nothing feeds.
pub fn scene<'a>(
    open: &'a Open<'a>,
    values: &Values,
    mesh: &'a Mesh,
    request: &DrawRequest,
) -> Result<Scene<'a>, Problem> {
    let DrawRequest { yaw, pitch, distance, time, .. } = *request;
    let view = Camera::orbit(request.size(), yaw, pitch, distance);
    let mut scene = scene_of(open, mesh, &view)?;
    scene.by = request.by()?;
    let Pick { vertex, geometry } = scene.pick;
    for (state, index) in scene.states.iter_mut().zip([Some(vertex), geometry]) {
        let Some(index) = index else { continue };
        let symbols = Symbols::new(open.file.executable(index)?);
        set_time(&mut state.uniforms, symbols.as_slice(), time);
        if index == open.index {
            values.overlay(&mut state.uniforms);
        }
    }
    if open.index == vertex {
        scene.set_attributes(&values.state.attributes);
    }
    Ok(scene)
}

/// Returns the uniforms of the selected program in that scene.
///
/// # Errors
/// As [`scene`].
pub fn uniforms(open: &Open<'_>, values: &Values, request: &DrawRequest) -> Result<Uniforms, Problem> {
    let mesh = Mesh::default();
    let Scene { states: [vertex, geometry], pick, .. } = scene(open, values, &mesh, request)?;
    Ok(if pick.vertex == open.index { vertex } else { geometry }.uniforms)
}

/// Returns what the selected program runs with in that scene: its uniforms with the vertices of the
/// mesh, or with what each invocation receives of them.
///
/// # Errors
/// As [`scene`] and [`Invocations::new`].
pub fn state(open: &Open<'_>, values: &Values, mesh: &Mesh, request: &DrawRequest) -> Result<State, Problem> {
    let scene = scene(open, values, mesh, request)?;
    let Some(geometry) = scene.pick.geometry else { return Ok(scene.vertex_state()) };
    let Invocations { vertices, state, .. } = Invocations::new(&scene, geometry)?;
    Ok(if geometry == open.index { state } else { vertices })
}

/// The origin of the triangle at a pixel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Picked {
    /// Vertices of the mesh; empty where nothing is drawn.
    pub vertices: Vec<u32>,
    /// The invocation of the geometry program that received them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invocation: Option<usize>,
    /// Numbers of its EMITs that made the triangle.
    pub emits: Vec<usize>,
}

/// Returns the origin of the triangle in front at a pixel.
///
/// # Errors
/// A program that cannot run.
pub fn pick(scene: &Scene<'_>, request: &DrawRequest, pixel: [f64; 2]) -> Result<Picked, Problem> {
    let Size { width, height } = request.size();
    let place = [2.0 * pixel[0] / f64::from(width) - 1.0, 1.0 - 2.0 * pixel[1] / f64::from(height)];
    if let Some(geometry) = scene.pick.geometry {
        return Invocations::new(scene, geometry)?.pick(scene, place);
    }
    let shown = scene.of_registers(&scene.registers()?)?;
    let depths = shown.triangles.iter().zip(&scene.mesh.triangles).filter_map(|(corners, vertices)| {
        let corners = corners.map(|[position, _]| position.map(f64::from));
        Some((depth(corners, place)?, vertices))
    });
    let front = depths.min_by(|(a, _), (b, _)| a.total_cmp(b));
    let vertices = front.map(|(_, vertices)| vertices.to_vec()).unwrap_or_default();
    Ok(Picked { vertices, ..Picked::default() })
}

/// Returns the depth of a triangle in clip space at a place of the screen, if the triangle covers
/// it in front of the eye.
pub fn depth(corners: [[f64; 4]; 3], [x, y]: [f64; 2]) -> Option<f64> {
    let [a, b, c] = corners.map(|[x, y, z, w]| [x / w, y / w, z / w]);
    let side = |from: [f64; 3], to: [f64; 3], [x, y]: [f64; 2]| {
        (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
    };
    let area = side(a, b, [c[0], c[1]]);
    let shares = [side(b, c, [x, y]), side(c, a, [x, y]), side(a, b, [x, y])].map(|part| part / area);
    let depth = shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2];
    let is_there = corners.iter().all(|corner| corner[3] > 0.0) && shares.iter().all(|&share| share >= 0.0);
    Some(depth).filter(|depth| is_there && (0.0..=1.0).contains(depth))
}

fn scene_of<'a>(open: &'a Open<'a>, mesh: &'a Mesh, view: &Camera) -> Result<Scene<'a>, Problem> {
    let alone = Pick::new(open.file, Some(open.index));
    let alone = alone.ok_or_else(|| Problem::error("no vertex program feeds this one"))?;
    // The half of a pair shows nothing by itself.
    let pick = match Pick::new(open.file, Some(open.index + 1)) {
        Some(next) if next.geometry.is_some() && next.vertex == open.index => next,
        Some(_) | None => alone,
    };
    Ok(Scene::new(open.file, pick, mesh, view)?)
}

/// Returns the names of what a picture can show.
///
/// # Errors
/// A geometry program that nothing feeds.
pub fn shows(open: &Open<'_>) -> Result<Vec<String>, Problem> {
    let mesh = Mesh::default();
    let scene = scene_of(open, &mesh, &Camera::new(Size::SCREEN, 0.0))?;
    Ok(scene.shows()?)
}

/// Draws on the reference machine: RGBA, row by row from the top.
///
/// # Errors
/// A program that cannot run, an output that it does not have, too many pixels.
pub fn draw(scene: &Scene<'_>, request: &DrawRequest) -> Result<Vec<u8>, Problem> {
    let shown = scene.shown()?;
    let triangles =
        if request.wireframe { wire::edges(&shown.triangles, request.size()) } else { shown.triangles };
    let painted = raster::paint(&triangles, shown.look, request.size(), Samples::One);
    let picture =
        painted.map_err(|raster::TooMuch| Problem::error("the triangles cover more than 2^31 pixels"))?;
    Ok(picture.pixels.into_flattened())
}
