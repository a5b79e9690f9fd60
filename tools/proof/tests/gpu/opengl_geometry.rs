//! Geometry programs as GLSL: both stages compile, link in one program of OpenGL and OpenGL ES, and
//! transform feedback captures the interpreter's vertices, bit for bit.

use transpica::geometry::StagePrimitive;
use transpica::host::{Location, Output, layout};
use transpica::{GlslVersion, Translation};

use crate::contexts::{Api, Draw, OpenGl};
use crate::native_geometry::{BLOCKS, Programs, check_points, check_random, check_samples};

/// Number of random programs tried in each version.
const SEEDS: u64 = 250;

/// Stages that compute nothing but what the geometry stage writes: a fragment stage of the host.
fn fragment(version: GlslVersion) -> String {
    let digits: String = format!("{version:?}").chars().filter(char::is_ascii_digit).collect();
    let (profile, precision) =
        if version.is_es() { ("es", "precision highp float;\n") } else { ("core", "") };
    format!(
        "#version {digits} {profile}\n{precision}out vec4 pixel;\nvoid main() {{\n    pixel = vec4(1.0);\n}}\n"
    )
}

fn mode(primitive: StagePrimitive) -> u32 {
    match primitive {
        StagePrimitive::Points => glow::POINTS,
        StagePrimitive::Lines => glow::LINES,
        StagePrimitive::Triangles => glow::TRIANGLES,
        StagePrimitive::LinesAdjacency => glow::LINES_ADJACENCY,
        StagePrimitive::TrianglesAdjacency => glow::TRIANGLES_ADJACENCY,
    }
}

/// Runs both stages over vertices; an error states why the program cannot be a geometry stage.
fn run(
    driver: &OpenGl,
    version: GlslVersion,
    case: &Programs<'_>,
    vertices: &[[[f32; 4]; 16]],
) -> Result<Vec<u32>, String> {
    let [before, stage] = case.translate()?;
    let name = format!("{} {version:?}", case.name);
    let [vertex, geometry] = [&before, &stage].map(|translated: &Translation| {
        translated.glsl(version).unwrap_or_else(|error| panic!("{name}: {error}"))
    });
    let outputs = &stage.interface.outputs;
    let captured: Vec<&str> = outputs.iter().map(captured).collect();
    let linked = driver.with_geometry([&vertex, &geometry, &fragment(version)], &captured);
    let linked = linked.unwrap_or_else(|error| panic!("{name}: {error}\n{geometry}"));
    let blocks = [(&before, 0), (&stage, 1)];
    let blocks = blocks.map(|(translated, at)| layout::pack(&translated.interface.block, &case.uniforms[at]));
    let (vertices, attributes) = case.points(&before, vertices);
    let vertices: Vec<_> =
        vertices.iter().map(|vertex| vertex.map(|vector| vector.map(f32::to_bits))).collect();
    let draw = Draw {
        vertices: &vertices,
        attributes: &attributes,
        blocks: &[(BLOCKS[0], &blocks[0]), (BLOCKS[1], &blocks[1])],
        binds_by_name: !version.has_bindings(),
    };
    let shape = stage.interface.stage().expect("a geometry stage");
    let words = outputs.iter().map(Output::lanes).sum();
    let invocations = vertices.len() / usize::from(shape.primitive.vertices());
    let most = invocations * shape.triangles as usize;
    let found = driver.capture_triangles(linked, &draw, mode(shape.primitive), (most, words));
    Ok(found.unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn captured(output: &Output) -> &str {
    match output.location {
        Location::Position => "gl_Position",
        Location::ClipDistances => "gl_ClipDistance",
        Location::Varying(_) => &output.name,
    }
}

/// The version in which hosts of OpenGL 3.3 link by name, the first with locations, and that of
/// OpenGL ES.
const VERSIONS: [GlslVersion; 3] = [GlslVersion::Core330, GlslVersion::Core410, GlslVersion::Es320];

#[test]
fn geometry_stages_in_glsl_match_the_interpreter() {
    needs!("opengl");
    for version in VERSIONS {
        let api = if version.is_es() { Api::Es } else { Api::Core };
        let driver = OpenGl::open(api).unwrap_or_else(|error| panic!("{error}"));
        check_samples(&|case, vertices| run(&driver, version, case, vertices));
        check_points(SEEDS, &|case, vertices| run(&driver, version, case, vertices));
        check_random(SEEDS, &|case, vertices| run(&driver, version, case, vertices));
    }
}
