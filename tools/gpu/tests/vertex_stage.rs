//! The vertex entry through a real rasteriser: vertices drawn as points arrive where the interpreter says, with the
//! varyings it says, and those outside the clip volume do not arrive. After `spirv-opt -O` the same arrives.
//! Without a Vulkan driver or spirv-tools this fails and says how to install them.

#[path = "support/valid.rs"]
mod valid;

use transpica::Translator;
use transpica::container::{Shbin, SymbolBank};
use transpica::host::dvle::{self, Executable};
use transpica::host::{HostValues, Interface, Location, Options, Output, Profile};
use transpica::interp::{Machine, Settings, Uniforms};
use transpica::isa::Stage;
use transpica_gpu::compare::uniform_bytes;
use transpica_gpu::{Captured, Gpu, Route, Shader, VertexJob, run_vertex};
use transpica_prove::spirv_tools;
use transpica_prove::tally::Tally;
use valid::valid_shader;

/// Interpolation at a point divides by w and multiplies again.
const TOLERANCE: f32 = 1.0e-4;
/// How far a driver may move a vertex to its grid within the pixel, in pixels: Vulkan asks for 4 bits.
const SUBPIXEL: f32 = 1.0 / 16.0;
/// Vertices that are drawn with optimised modules.
const OPTIMISED: usize = 24;
/// Vertices nearer to the border of the clip volume than this are not judged as inside or outside.
const MARGIN: f32 = 1.0e-3;

/// Uniforms that bring positions of a few units into the clip volume.
fn scene(file: &Shbin<'_>, index: usize, around: &Executable<'_>) -> Uniforms {
    let mut uniforms = transpica_generate::uniforms(3);
    for (register, value) in uniforms.floats.iter_mut().zip(&around.constants().floats) {
        *register = value.map_or(register.map(|x| x.clamp(-1.0, 1.0)), |bits| bits.map(f32::from_bits));
    }
    let executable = &file.executables[index];
    for symbol in executable.symbols.iter() {
        let Some(range) = symbol.range().filter(|range| range.bank == SymbolBank::Float) else { continue };
        let rows = match executable.name(symbol.name).to_text().as_ref() {
            "projection" => {
                [[0.05, 0.0, 0.0, 0.0], [0.0, 0.05, 0.0, 0.0], [0.0, 0.0, 0.02, -0.5], [0.0, 0.0, 0.1, 4.0]]
            }
            "modelView" => {
                [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
            }
            _ => continue,
        };
        for (register, row) in (range.first..range.first + range.count).zip(rows) {
            uniforms.floats[usize::from(register)] = row;
        }
    }
    uniforms
}

/// The outputs that the host sees, from the output registers of the interpreter.
fn expected(interface: &Interface, registers: &[[f32; 4]; 16]) -> Vec<(Location, [f32; 4])> {
    let options = Options::default();
    let host = HostValues::default();
    let output = |output: &Output| (output.location, output.value(registers, &options, &host));
    interface.outputs.iter().map(output).collect()
}

fn close(a: f32, b: f32) -> bool {
    a.is_nan() && b.is_nan() || a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0e-3)
}

/// Whether a point is inside the clip volume, if that is beyond doubt.
fn inside([x, y, z, w]: [f32; 4]) -> Option<bool> {
    let distances = [w - x, w + x, w - y, w + y, z, w - z];
    if distances.iter().any(|distance| distance.is_nan() || distance.abs() < MARGIN) {
        return None;
    }
    Some(distances.iter().all(|&distance| distance > 0.0))
}

/// Compares one vertex; true if it was judged to arrive.
fn judge(name: &str, expected: &[(Location, [f32; 4])], captured: Option<&Captured>) -> bool {
    let position =
        expected.iter().find(|(location, _)| *location == Location::Position).expect("always there").1;
    let Some(inside) = inside(position) else { return false };
    assert_eq!(inside, captured.is_some(), "{name}: clipped or not, at {position:?}");
    let Some(captured) = captured else { return false };
    let [x, y, z, w] = position;
    let pixel = [(x / w + 1.0) * 32.0, (1.0 - y / w) * 32.0];
    for (expected, found) in pixel.iter().zip(captured.position) {
        assert!(
            (expected - found).abs() <= 0.5 + SUBPIXEL,
            "{name}: pixel {pixel:?}, found {:?}",
            captured.position
        );
    }
    assert!(close(z / w, captured.position[2]), "{name}: depth {}, found {:?}", z / w, captured.position);
    let varyings = expected.iter().filter(|(location, _)| *location != Location::Position);
    for ((location, expected), found) in varyings.zip(&captured.varyings) {
        let same = expected.iter().zip(found).all(|(a, b)| close(*a, *b));
        assert!(same, "{name}: {location:?} expected {expected:?}, found {found:?}");
    }
    true
}

/// Vertices within a few units of the origin.
fn inputs() -> Vec<[[f32; 4]; 16]> {
    let near = |[x, y, z, _]: [f32; 4]| [x, y, z, 1.0].map(|c: f32| c.clamp(-20.0, 20.0));
    transpica_generate::inputs(9, 100).iter().map(|vertex| vertex.map(near)).collect()
}

fn run(gpu: &Gpu, name: &str, bytes: &[u8], route: Route) {
    let file = Shbin::parse(bytes).expect("a sample");
    let options = Options::default();
    let program = dvle::program(&file, 0, &options.limits).expect("a vertex program");
    let around = Executable::new(&file, 0, name).expect("executable 0");
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &around).expect("translates");
    let uniforms = scene(&file, 0, &around);
    let mut machine = Machine::new(&program, Settings::default()).expect("a vertex program");
    machine.set_uniforms(&uniforms);
    let inputs = inputs();
    let vertices: Vec<_> =
        inputs.iter().map(|vertex| vertex.map(|register| register.map(f32::to_bits))).collect();
    let job = VertexJob {
        shader: valid_shader(&mut translator, &translated, route).expect("a module"),
        interface: &translated.interface,
        uniforms: &uniform_bytes(&translated, &uniforms),
        vertices: &vertices,
    };
    let captured = run_vertex(gpu, job).unwrap_or_else(|error| panic!("{name} {}: {error}", route.name()));
    let mut arrived = 0;
    for (vertex, captured) in inputs.iter().zip(&captured) {
        let registers = machine.run(vertex).expect("ends");
        let expected = expected(&translated.interface, registers);
        arrived += usize::from(judge(name, &expected, captured.as_ref()));
    }
    assert!(arrived >= 50, "{name}: only {arrived} vertices arrived, the scene proves nothing");
    let tally = Tally {
        stage: format!("rasteriser, {} on {}: {name}", route.name(), gpu.name()),
        programs: 1,
        vertices: arrived as u64,
        note: format!("of {}", inputs.len()),
        ..Tally::default()
    };
    tally.tell();
}

#[test]
fn vertices_arrive_as_the_interpreter_says() {
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    for (name, bytes) in [
        ("textured", &include_bytes!("../../../shaders/textured.shbin")[..]),
        ("lights", include_bytes!("../../../shaders/lights.shbin")),
        ("fog", include_bytes!("../../../shaders/fog.shbin")),
    ] {
        for route in Route::ALL {
            run(&gpu, name, bytes, route);
        }
    }
}

/// What was captured of each vertex, as bits.
fn bits(captured: &[Option<Captured>]) -> Vec<Option<Vec<[u32; 4]>>> {
    let all = |captured: &Captured| {
        let vectors = std::iter::once(&captured.position).chain(&captured.varyings);
        vectors.map(|vector| vector.map(f32::to_bits)).collect()
    };
    captured.iter().map(|captured| captured.as_ref().map(all)).collect()
}

/// Draws an executable of a sample with its module as it is and optimised; how many vertices arrived.
fn optimised(gpu: &Gpu, file: &Shbin<'_>, index: usize, name: &str) -> Option<usize> {
    let options = Options::default();
    let program = dvle::program(file, index, &options.limits).expect("a program");
    if program.stage() != Stage::Vertex {
        return None;
    }
    let around = Executable::new(file, index, name).expect("there");
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &around).expect("translates");
    let words = translator.spirv(&translated).expect("SPIR-V");
    spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
    let smaller = spirv_tools::optimise(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
    // Each is a draw of its own, which costs some drivers more than the vertex does.
    let vertices: Vec<_> =
        inputs()[..OPTIMISED].iter().map(|vertex| vertex.map(|v| v.map(f32::to_bits))).collect();
    let uniforms = uniform_bytes(&translated, &scene(file, index, &around));
    let draw = |words| {
        let job = VertexJob {
            shader: Shader::Passthrough(words),
            interface: &translated.interface,
            uniforms: &uniforms,
            vertices: &vertices,
        };
        run_vertex(gpu, job).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (before, after) = (bits(&draw(words)), bits(&draw(smaller)));
    assert_eq!(before, after, "{name}");
    Some(before.iter().flatten().count())
}

#[test]
fn optimised_vertex_stages_draw_what_they_drew() {
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
    let entries = std::fs::read_dir(folder).expect("samples").map(|entry| entry.expect("entry").path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "shbin")).collect();
    paths.sort();
    let (mut programs, mut vertices) = (0, 0);
    for path in paths {
        let bytes = std::fs::read(&path).expect("readable");
        let file = Shbin::parse(&bytes).expect("a sample");
        for index in 0..file.executables.len() {
            let arrived = optimised(&gpu, &file, index, &format!("{}#{index}", path.display()));
            programs += usize::from(arrived.is_some_and(|arrived| arrived > 0));
            vertices += arrived.unwrap_or_default();
        }
    }
    let tally = Tally {
        stage: format!("rasteriser after spirv-opt -O on {}: samples", gpu.name()),
        programs: programs as u64,
        vertices: vertices as u64,
        ..Tally::default()
    };
    tally.tell();
    assert!(programs > 20 && vertices > 400, "{programs} samples, {vertices} vertices prove little");
}
