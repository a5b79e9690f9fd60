//! Pictures of quaternions: a draw through a translated vertex stage and the geometry stage of
//! `Job::Quaternions` equals one whose vertices were aligned on the CPU, pixel by pixel and bit by
//! bit. All other outputs pass unchanged.

use transpica::host::{HostValues, OutputMap, align_quaternions};
use transpica::isa::builder::Builder;
use transpica::isa::{DataOp, Dest, Flow, Inst, Mask, Operand, Pc, Source};
use transpica::settings::{ClipPlanes, Outputs, Varying};
use transpica::{GlslVersion, Job, Limits, Options, Profile, Program, Stage, Translator};
use transpica_gpu::Shader;
use transpica_proof::unnamed::Unnamed;
use transpica_proof::{glslang, spirv_tools};

use crate::native::{Native, Picture};

/// Registers of the program: position, quaternion, color, two texture coordinates and a third
/// component, view.
const MAP: [(u8, [u8; 4]); 5] =
    [(0, [0, 1, 2, 3]), (1, [4, 5, 6, 7]), (2, [8, 9, 10, 11]), (3, [12, 13, 16, 31]), (4, [18, 19, 20, 31])];
/// Triangles of a picture.
const TRIANGLES: usize = 40;

/// on = vn for the mapped registers.
fn copy() -> Program<'static> {
    let mut builder = Builder::new();
    for (register, _) in MAP {
        let operand = Operand::new(Source::Input(register));
        builder.push(Inst::data(DataOp::Mov, Dest::Output(register), Mask::XYZW, &[operand]));
    }
    builder.push(Inst::Flow(Flow::End));
    let (code, descriptors) = builder.finish().expect("builds");
    Program::new(code, descriptors, Pc(0), Stage::Vertex, &Limits::default()).expect("a program")
}

/// Random triangles; quaternions point anywhere.
fn triangles() -> Vec<[[f32; 4]; 16]> {
    let mut state = 7u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    let vertex = |_| {
        let mut registers = [[0.0; 4]; 16];
        registers[0] = [1.2 * random(), 1.2 * random(), -0.5 + 0.4 * random(), 1.0 + 0.3 * random()];
        (1..5).for_each(|register| registers[register] = std::array::from_fn(|_| random()));
        registers
    };
    (0..3 * TRIANGLES).map(vertex).collect()
}

/// The same triangles, aligned on the CPU, and the number of quaternions that were negated.
fn aligned(vertices: &[[[f32; 4]; 16]]) -> (Vec<[[f32; 4]; 16]>, usize) {
    let (mut vertices, mut negated) = (vertices.to_vec(), 0);
    for triangle in vertices.as_chunks_mut::<3>().0 {
        let before = triangle.map(|vertex| vertex[1]);
        let mut quaternions = before;
        align_quaternions(&mut quaternions);
        for ((vertex, after), before) in triangle.iter_mut().zip(quaternions).zip(before) {
            vertex[1] = after;
            negated += usize::from(after != before);
        }
    }
    (vertices, negated)
}

/// A fragment stage that shows a varying.
fn fragment(location: u32, lanes: usize) -> Vec<u32> {
    let ty = ["f32", "vec2f", "vec3f", "vec4f"][lanes - 1];
    let rest = [", 0.0, 0.0, 1.0", ", 0.0, 1.0", ", 1.0", ""][lanes - 1];
    let text = format!(
        "@fragment fn main(@location({location}) value: {ty}) -> @location(0) vec4f {{ return vec4f(value{rest}); }}"
    );
    match Shader::spirv_of_wgsl(&text) {
        Ok(Shader::Passthrough(words)) => words,
        _other => panic!("{text}"),
    }
}

#[test]
fn pictures_equal_those_of_vertices_aligned_on_the_cpu() {
    needs!("vulkan", "glslangValidator");
    let device = Native::open().unwrap_or_else(|error| panic!("{error}"));
    let environment = Unnamed { map: OutputMap::from_words(MAP) };
    let vertices = triangles();
    let (fixed, negated) = aligned(&vertices);
    assert!(negated > TRIANGLES / 2, "{negated} quaternions");
    let host = HostValues { clip_enabled: true, clip_plane: [1.0, 0.5, 0.0, 0.3], ..HostValues::default() };
    let mut pictures = 0;
    for (clip_planes, all, varyings) in [
        (ClipPlanes::None, false, Varying::DENSE),
        (ClipPlanes::BuiltIn, true, Varying::AZAHAR),
        (ClipPlanes::Varying, false, Varying::AZAHAR),
    ] {
        let options =
            Options { outputs: Outputs { clip_planes, all, ..Outputs::default() }, ..Options::default() };
        let profile = Profile { varyings, ..Profile::default() };
        let mut translator = Translator::new(options, profile);
        let vertex = translator.translate(&copy(), &environment, Job::Vertex).expect("translates");
        let vertex = translator.spirv(&vertex).expect("SPIR-V");
        let stage = translator.translate(&copy(), &environment, Job::Quaternions).expect("a stage");
        let words = translator.spirv(&stage).expect("SPIR-V");
        spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{error}"));
        let glsl = stage.glsl(GlslVersion::Vulkan450).expect("GLSL");
        let compiled = glslang::spirv(&glsl, glslang::Stage::Geometry);
        let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{glsl}"));
        let attributes: Vec<u8> = MAP.iter().map(|(register, _)| *register).collect();
        for output in &stage.interface.outputs {
            let transpica::host::Location::Varying(location) = output.location else { continue };
            let fragment = fragment(location, output.lanes());
            let draw = |geometry, vertices| {
                let picture = Picture {
                    vertex: &vertex,
                    geometry,
                    fragment: &fragment,
                    vertices,
                    attributes: &attributes,
                    blocks: [&[], &host.pack()],
                };
                let pixels = device.picture(&picture).unwrap_or_else(|error| panic!("{error}"));
                pixels.iter().map(|pixel| pixel.map(f32::to_bits)).collect::<Vec<_>>()
            };
            let expected = draw(None, &fixed);
            let name = &output.name;
            let covered = expected.iter().filter(|pixel| pixel[3] != 0).count();
            assert!(covered > 4_000, "{name}: {covered} pixels");
            assert!(draw(Some(&words[..]), &vertices) == expected, "{name} {clip_planes:?}: SPIR-V");
            assert!(draw(Some(&compiled[..]), &vertices) == expected, "{name} {clip_planes:?}: GLSL\n{glsl}");
            let plain = draw(None, &vertices);
            assert_eq!(
                plain == expected,
                name != "normal_quaternion",
                "{name}: the stage changes quaternions alone"
            );
            pictures += 1;
        }
    }
    assert!(pictures >= 18, "{pictures} pictures");
}
