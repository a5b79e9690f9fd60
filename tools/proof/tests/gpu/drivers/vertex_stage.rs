//! The vertex entry through a real rasterizer: vertices drawn as points arrive at the interpreter's
//! positions with its varyings, and those outside the clip volume do not arrive. The same holds
//! after `spirv-opt -O`, and for GLSL compiled by glslang.

use std::collections::HashMap;

use super::Language;
use transpica::container::{Semantic, SymbolBank};
use transpica::host::dvle::FileEnvironment;
use transpica::host::{
    Hook, HookOperand, Hooked, HostValues, Location, Output, OutputHook, OutputValue, dvle, redirect,
};
use transpica::interp::{TraceRecord, Uniforms};
use transpica::isa::{Mask, Pc};
use transpica::reflect::{Reflection, SpecializationInfo};
use transpica::settings::{
    AttributeFormat, AttributeKind, BoolUniforms, ClipPlanes, Control, FlipY, IntUniforms, Outputs,
};
use transpica::{GlslVersion, Job, Machine, Options, Profile, Shbin, Translator};
use transpica_draw::batch::{Array, Number};
use transpica_gpu::compare::uniform_bytes;
use transpica_gpu::{Captured, Gpu, Route, Shader, VertexJob, run_vertex};
use transpica_proof::tally::Tally;
use transpica_proof::{glslang, spirv_tools};

use crate::samples::{self, Sample};
use crate::valid::valid_shader;

/// Interpolation at a point divides by w and multiplies again.
const TOLERANCE: f32 = 1.0e-4;
/// Largest distance, in pixels, to the driver's subpixel grid: Vulkan requires at least 4 bits.
const SUBPIXEL: f32 = 1.0 / 16.0;
/// Vertices that are drawn with other forms of a module.
const FORMED: usize = 24;
/// Vertices nearer to the border of the clip volume than this may arrive or not.
const MARGIN: f32 = 1.0e-3;

/// Uniforms that bring positions of a few units into the clip volume.
fn scene(file: &Shbin<'_>, index: usize, environment: &FileEnvironment<'_>) -> Uniforms {
    let mut uniforms = transpica_proof::generate::uniforms(3);
    for (register, value) in uniforms.floats.iter_mut().zip(&environment.constants().floats) {
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

fn close(a: f32, b: f32) -> bool {
    a.is_nan() && b.is_nan() || a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0e-3)
}

/// Returns whether a point is inside the clip volume; `None` near its border.
fn inside([x, y, z, w]: [f32; 4]) -> Option<bool> {
    let distances = [w - x, w + x, w - y, w + y, z, w - z];
    if distances.iter().any(|distance| distance.is_nan() || distance.abs() < MARGIN) {
        return None;
    }
    Some(distances.iter().all(|&distance| distance > 0.0))
}

/// Compares one vertex and returns whether it must arrive.
fn judge(name: &str, expected: &[(&Output, [f32; 4])], captured: Option<&Captured>) -> bool {
    let find =
        |location| expected.iter().find(|(output, _)| output.location == location).map(|found| found.1);
    let position = find(Location::Position).expect("always there");
    let Some(mut inside) = inside(position) else { return false };
    if let Some([near, plane, ..]) = find(Location::ClipDistances) {
        if [near, plane].iter().any(|distance| distance.abs() < MARGIN && *distance != 0.0) {
            return false;
        }
        inside &= near >= 0.0 && plane >= 0.0;
    }
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
    let varyings = expected.iter().filter(|(output, _)| matches!(output.location, Location::Varying(_)));
    for ((output, expected), found) in varyings.zip(&captured.varyings) {
        let same = expected.iter().zip(found).all(|(a, b)| close(*a, *b));
        assert!(same, "{name}: {} expected {expected:?}, found {found:?}", output.name);
    }
    true
}

/// Vertices within a few units of the origin.
fn inputs() -> Vec<[[f32; 4]; 16]> {
    let near = |[x, y, z, _]: [f32; 4]| [x, y, z, 1.0].map(|c: f32| c.clamp(-20.0, 20.0));
    transpica_proof::generate::inputs(9, 100).iter().map(|vertex| vertex.map(near)).collect()
}

/// A sample under some options, and the host's values at the draw.
struct Setting<'a> {
    name: &'a str,
    bytes: &'a [u8],
    options: Options,
    host: HostValues,
    hooks: &'a [Hook],
}

impl<'a> Setting<'a> {
    fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { name, bytes, options: Options::default(), host: HostValues::default(), hooks: &[] }
    }
}

/// Encodes an attribute in its format and returns its bits and the numbers that they represent.
fn encode(register: [f32; 4], format: AttributeFormat) -> ([u32; 4], [f32; 4]) {
    // Integers in the range of bytes, which the console's formats have.
    let byte = |x: f32| (x * 13.0).clamp(-128.0, 127.0) as i32;
    match format.kind {
        AttributeKind::Float => (register.map(f32::to_bits), register),
        AttributeKind::Int => (register.map(|x| byte(x) as u32), register.map(|x| byte(x) as f32)),
        AttributeKind::Uint => {
            (register.map(|x| byte(x).unsigned_abs()), register.map(|x| byte(x).unsigned_abs() as f32))
        }
    }
}

/// Sets the module's specialization constants, if any, to the values of the uniforms.
fn specialized(
    shader: Shader,
    constants: &[SpecializationInfo],
    uniforms: &Uniforms,
) -> (Shader, Vec<(String, f64)>) {
    let value = |id: u32| match id {
        0..16 => i32::from(uniforms.bools >> id & 1 != 0),
        _ => i32::from(uniforms.ints[(id as usize - 16) / 4][id as usize % 4]),
    };
    let shader = match shader {
        Shader::Passthrough(words) if !constants.is_empty() => {
            let text = |constant: &SpecializationInfo| match constant.ty {
                "bool" => (value(constant.id) != 0).to_string(),
                _ => value(constant.id).to_string(),
            };
            let values: Vec<_> = constants.iter().map(|constant| (constant.id, text(constant))).collect();
            Shader::Passthrough(spirv_tools::specialize(&words, &values).expect("spirv-opt sets them"))
        }
        shader => shader,
    };
    (shader, constants.iter().map(|constant| (constant.id.to_string(), value(constant.id).into())).collect())
}

/// The uniforms of another frame or eye: everything is a little elsewhere, and branches change.
fn elsewhere(uniforms: &Uniforms) -> Uniforms {
    let floats = uniforms.floats.map(|register| register.map(|x| x * 0.8125 + 0.03125));
    Uniforms { floats, bools: !uniforms.bools, ..*uniforms }
}

/// Compares a hundred vertices and returns the number that arrived.
fn run(gpu: &Gpu, setting: &Setting<'_>, route: Route) -> usize {
    let Setting { name, bytes, options, ref host, hooks } = *setting;
    let file = Shbin::parse(bytes).expect("a sample");
    let program = dvle::program(&file, 0, &options.limits).expect("a vertex program");
    let environment = FileEnvironment::new(&file, 0, name).expect("executable 0");
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator
        .translate(&program, &Hooked { environment: &environment, hooks }, Job::Vertex)
        .expect("translates");
    let reflection = Reflection::new(&program, &translated, &environment.constants());
    let uniforms = scene(&file, 0, &environment);
    let mut before = elsewhere(&uniforms);
    // The code holds them.
    environment.constants().apply(&mut before);
    let [mut machine, mut second] = [&uniforms, &before].map(|uniforms| {
        let mut machine = Machine::new(&program, options.settings(1 << 20)).expect("a vertex program");
        let mut seen = uniforms.clone();
        redirect(hooks, &mut seen, host);
        machine.set_uniforms(&seen);
        machine
    });
    let fed: Vec<_> = inputs()
        .into_iter()
        .map(|vertex| std::array::from_fn::<_, 16, _>(|n| encode(vertex[n], options.input.formats[n])))
        .collect();
    let vertices: Vec<_> = fed.iter().map(|vertex| vertex.map(|(bits, _)| bits)).collect();
    let shader = valid_shader(gpu, &mut translator, &translated, route).expect("a module");
    let (shader, constants) = specialized(shader, &reflection.specialization, &uniforms);
    assert!(constants.is_empty() || constants.iter().any(|(_, value)| *value != 0.0), "nothing is set");
    let constants: Vec<(&str, f64)> = constants.iter().map(|(id, value)| (&id[..], *value)).collect();
    let (block, host_block) = (uniform_bytes(&translated, &uniforms), host.pack_all());
    let again = uniform_bytes(&translated, &before);
    let job = VertexJob {
        host: if reflection.host_block.is_some() { &host_block } else { &[] },
        again: if reflection.again_block.is_some() { &again } else { &[] },
        formats: options.input.formats,
        constants: &constants,
        ..VertexJob::new(shader, &translated.interface, &block, &vertices)
    };
    let captured = run_vertex(gpu, job).unwrap_or_else(|error| panic!("{name} {}: {error}", route.name()));
    let mut arrived = 0;
    for (vertex, captured) in fed.iter().zip(&captured) {
        let mut tapped = HashMap::new();
        let mut trace = |record: &TraceRecord| {
            tapped.insert(record.pc, record.result);
        };
        let inputs = options.attributes_seen(vertex.map(|(_, value)| value));
        let registers = *machine.run_traced(&inputs, &mut trace).expect("ends");
        let again = *second.run(&inputs).expect("ends");
        let taps: Vec<Pc> = hooks.iter().filter_map(Hook::tapped).collect();
        let value = |output: &Output| match output.value {
            OutputValue::Tap(tap) => {
                tapped.get(&taps[usize::from(tap)]).copied().unwrap_or([0.0, 0.0, 0.0, 1.0])
            }
            OutputValue::Again => output.value(&again, &options, host),
            _converted => output.value(&registers, &options, host),
        };
        let expected: Vec<_> =
            translated.interface.outputs.iter().map(|output| (output, value(output))).collect();
        arrived += usize::from(judge(name, &expected, captured.as_ref()));
    }
    assert!(arrived >= 20, "{name}: only {arrived} vertices arrived, the scene proves nothing");
    let tally = Tally {
        stage: format!("rasterizer, {} on {}: {name}", route.name(), gpu.name()),
        programs: 1,
        vertices: arrived as u64,
        note: format!("of {}", fed.len()),
        ..Tally::default()
    };
    tally.print();
    arrived
}

const TEXTURED: &[u8] = include_bytes!("../../../../../shaders/textured.shbin");
const LIGHTS: &[u8] = include_bytes!("../../../../../shaders/lights.shbin");
const FOG: &[u8] = include_bytes!("../../../../../shaders/fog.shbin");

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn vertices_match_the_interpreter() {
    needs!("vulkan", "spirv-opt");
    let gpu = gpu();
    for (name, bytes) in [("textured", TEXTURED), ("lights", LIGHTS), ("fog", FOG)] {
        for route in Route::ALL {
            run(&gpu, &Setting::new(name, bytes), route);
        }
    }
}

#[test]
fn clip_planes_match_the_interpreter() {
    needs!("vulkan", "spirv-opt");
    let gpu = gpu();
    let clip_plane = [1.0, 0.5, 0.0, 0.01];
    for (clip_planes, clip_enabled, name) in [
        (ClipPlanes::BuiltIn, true, "clip distances"),
        (ClipPlanes::BuiltIn, false, "clip distances, off"),
        (ClipPlanes::Varying, true, "clip distances as a varying"),
        (ClipPlanes::Varying, false, "clip distances as a varying, off"),
    ] {
        let options =
            Options { outputs: Outputs { clip_planes, ..Outputs::default() }, ..Options::default() };
        let host = HostValues { clip_enabled, clip_plane, ..HostValues::default() };
        for route in Route::ALL {
            let arrived = run(&gpu, &Setting { options, host, ..Setting::new(name, TEXTURED) }, route);
            let is_cut = clip_planes == ClipPlanes::BuiltIn && clip_enabled;
            assert_eq!(is_cut, arrived < 80, "{name}: {arrived} arrived");
        }
    }
}

#[test]
fn y_is_mirrored_by_option_and_host_field() {
    needs!("vulkan", "spirv-opt");
    let gpu = gpu();
    for (flip_y, now, name) in [
        (FlipY::Always, false, "y mirrored"),
        (FlipY::Dynamic, true, "y mirrored by the host"),
        (FlipY::Dynamic, false, "y not mirrored by the host"),
    ] {
        let options = Options { outputs: Outputs { flip_y, ..Outputs::default() }, ..Options::default() };
        let host = HostValues { flip_y: now, ..HostValues::default() };
        for route in Route::ALL {
            run(&gpu, &Setting { options, host, ..Setting::new(name, LIGHTS) }, route);
        }
    }
}

#[test]
fn hooks_change_outputs_and_uniforms() {
    needs!("vulkan", "spirv-opt");
    let gpu = gpu();
    let row =
        |row: usize, x: f32| HookOperand::constant(std::array::from_fn(|n| if n == row { x } else { 0.0 }));
    let position = |hook| Hook::Output(Semantic::Position, hook);
    // Eyes a little apart: x moves with w, less where the picture converges.
    let stereo = [HookOperand::constant([1.0, 0.0, 0.0, 0.05]), row(1, 1.0), row(2, 1.0), row(3, 1.0)];
    let hooks = [
        position(OutputHook::Multiply(Mask::X, row(0, 0.9375))),
        position(OutputHook::Transform(stereo)),
        position(OutputHook::Add(Mask::XYZ, HookOperand::Parameter(3))),
        Hook::Output(Semantic::Texcoord0, OutputHook::Set(Mask(2), HookOperand::Parameter(15))),
        Hook::Redirect(0, HookOperand::constant([0.06, 0.0, 0.0, 0.0])),
        Hook::Redirect(1, HookOperand::Parameter(0)),
        Hook::Tap(Pc(2), 12),
        Hook::Tap(Pc(3), 11),
        Hook::Again(13),
    ];
    let mut host =
        HostValues { clip_enabled: true, clip_plane: [1.0, 0.5, 0.0, 3.0], ..HostValues::default() };
    host.parameters[0] = [0.0, 0.04, 0.0, 0.01];
    host.parameters[3] = [-0.125, 0.0625, -0.25, 9.0];
    host.parameters[15] = [7.0, 0.5, 7.0, 7.0];
    let outputs = Outputs { clip_planes: ClipPlanes::BuiltIn, ..Outputs::default() };
    let options = Options { outputs, ..Options::default() };
    for (name, bytes) in [("textured, hooks", TEXTURED), ("lights, hooks", LIGHTS)] {
        for route in Route::ALL {
            run(&gpu, &Setting { options, host, hooks: &hooks, ..Setting::new(name, bytes) }, route);
        }
    }
}

#[test]
fn integer_attributes_are_converted_to_float() {
    needs!("vulkan", "spirv-opt");
    let gpu = gpu();
    let mut options = Options::default();
    options.input.formats[0].components = 3;
    options.input.formats[1] = AttributeFormat { kind: AttributeKind::Int, components: 2 };
    options.input.formats[2] = AttributeFormat { kind: AttributeKind::Uint, components: 3 };
    for route in Route::ALL {
        run(&gpu, &Setting { options, ..Setting::new("integer attributes", TEXTURED) }, route);
    }
}

#[test]
fn specialization_constants_give_the_results_of_uniforms() {
    needs!("vulkan", "spirv-opt");
    let gpu = gpu();
    let options = Options {
        control: Control {
            bools: BoolUniforms { specialized: u16::MAX, ..BoolUniforms::default() },
            ints: IntUniforms { specialized: 15, ..IntUniforms::default() },
            ..Control::default()
        },
        ..Options::default()
    };
    for (name, bytes) in [("lights, specialized", LIGHTS), ("fog, specialized", FOG)] {
        for route in Route::ALL {
            run(&gpu, &Setting { options, ..Setting::new(name, bytes) }, route);
        }
    }
}

/// The captured values of each vertex, as bits.
fn bits(captured: &[Option<Captured>]) -> Vec<Option<Vec<[u32; 4]>>> {
    let all = |captured: &Captured| {
        let vectors = std::iter::once(&captured.position).chain(&captured.varyings);
        vectors.map(|vector| vector.map(f32::to_bits)).collect()
    };
    captured.iter().map(|captured| captured.as_ref().map(all)).collect()
}

/// Draws a sample with its module unchanged, optimized, and compiled from our GLSL by glslang;
/// returns the number of vertices that arrived.
fn forms(gpu: &Gpu, sample: &Sample<'_>) -> usize {
    let name = sample.name;
    let mut translator = Translator::new(Options::default(), Profile::default());
    let translated =
        translator.translate(sample.program, sample.environment, Job::Vertex).expect("translates");
    let words = translator.spirv(&translated).expect("SPIR-V");
    spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
    let smaller = spirv_tools::optimize(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
    let glsl = translated.text(Language::Glsl(GlslVersion::Vulkan450)).expect("GLSL");
    let compiled = glslang::spirv(&glsl, glslang::Stage::Vertex);
    let compiled = compiled.unwrap_or_else(|error| panic!("{name}: {error}\n{glsl}"));
    spirv_tools::validate(&compiled).unwrap_or_else(|error| panic!("{name}: {error}"));
    // Each vertex is a separate draw, which costs some drivers more than the vertex itself.
    let vertices: Vec<_> =
        inputs()[..FORMED].iter().map(|vertex| vertex.map(|v| v.map(f32::to_bits))).collect();
    let uniforms = uniform_bytes(&translated, &scene(sample.file, sample.index, sample.environment));
    let draw = |words| {
        let job = VertexJob::new(Shader::Passthrough(words), &translated.interface, &uniforms, &vertices);
        bits(&run_vertex(gpu, job).unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    let plain = draw(words);
    assert_eq!(plain, draw(smaller), "{name}: optimized");
    assert_eq!(plain, draw(compiled), "{name}: GLSL\n{glsl}");
    plain.iter().flatten().count()
}

#[test]
fn other_forms_of_vertex_stages_draw_the_same_picture() {
    needs!("vulkan", "spirv-opt", "glslangValidator");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let (mut programs, mut vertices) = (0, 0);
    samples::for_each(|sample| {
        let arrived = forms(&gpu, sample);
        programs += u64::from(arrived > 0);
        vertices += arrived as u64;
    });
    let tally = Tally {
        stage: format!("rasterizer after spirv-opt -O, and GLSL by glslang, on {}: samples", gpu.name()),
        programs,
        vertices,
        ..Tally::default()
    };
    tally.print();
    let [least, least_vertices] = [20, 400].map(samples::least);
    let is_enough = programs > least && vertices > least_vertices;
    assert!(is_enough, "{programs} samples, {vertices} vertices prove little");
}

/// The table of the guide, from the console's formats: names that wgpu has, sizes, and kinds that
/// the library gives.
#[test]
fn formats_of_the_guide_are_those_of_the_console() {
    use wgpu::VertexFormat::{
        Float32, Float32x2, Float32x3, Float32x4, Sint8, Sint8x2, Sint8x4, Sint16, Sint16x2, Sint16x4, Uint8,
        Uint8x2, Uint8x4,
    };
    let guide = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/guide/emulator.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    for (name, number, bits, suffix, opengl, formats) in [
        ("f32", Number::F32, 32, "SFLOAT", "FLOAT", &[Float32, Float32x2, Float32x3, Float32x4][..]),
        ("u8", Number::U8, 8, "UINT", "UNSIGNED_BYTE", &[Uint8, Uint8x2, Uint8x4]),
        ("s8", Number::S8, 8, "SINT", "BYTE", &[Sint8, Sint8x2, Sint8x4]),
        ("s16", Number::S16, 16, "SINT", "SHORT", &[Sint16, Sint16x2, Sint16x4]),
    ] {
        let counts = if formats.len() == 4 { &[1, 2, 3, 4][..] } else { &[1, 2, 4] };
        let array = Array { bytes: &[], offset: 0, stride: 0, number, components: 4 };
        let kind = array.format().kind;
        let letter = if kind == AttributeKind::Float { "" } else { "I" };
        let sizes = counts.iter().map(|count| (count * number.size()) as u64);
        assert!(sizes.eq(formats.iter().map(|format| format.size())), "{name}");
        let wgpu: Vec<_> = formats.iter().map(|format| format!("`{format:?}`")).collect();
        let vulkan = counts.iter().map(|&count| {
            let components: String = "RGBA".chars().take(count).map(|c| format!("{c}{bits}")).collect();
            format!("`{components}_{suffix}`")
        });
        let vulkan: Vec<_> = vulkan.collect();
        let row = format!(
            "| {name} | {} | {} | `glVertexAttrib{letter}Pointer`, `GL_{opengl}` | `{kind:?}` |\n",
            wgpu.join(", "),
            vulkan.join(", ")
        );
        assert!(guide.contains(&row), "the guide lacks {row}");
    }
}
