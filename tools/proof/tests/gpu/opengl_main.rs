//! GLSL for a `main` of the host: the samples under a preset, with the stage that the guide shows.
//! Outputs that `main` forwards equal the interpreter's; those that it computes are near them.

use transpica::host::{HostValues, Output, pack};
use transpica::interp::Settings;
use transpica::settings::{KnownHost, Preset, Renderer, preset};
use transpica::{GlslVersion, Job, Machine, Translator};

use crate::contexts::{Api, Draw, OpenGl};
use crate::samples;

const VERSION: GlslVersion = GlslVersion::Core330;
/// Limit of instructions of a vertex.
const BUDGET: u64 = 20_000;

/// The stage after the program in the guide.
fn epilogue() -> &'static str {
    let guide = include_str!("../../../../src/guide/emulator.md");
    let blocks = guide.split("```glsl\n").skip(1).filter_map(|block| block.split("```").next());
    blocks.filter(|block| block.contains("pica_main();")).last().expect("the guide shows a main")
}

/// Outputs of the host's stage in the order of capture, with their components.
const CAPTURED: [(&str, usize); 9] = [
    ("gl_Position", 4),
    ("color", 4),
    ("texcoord0", 2),
    ("texcoord1", 2),
    ("texcoord2", 2),
    ("texcoordw", 1),
    ("normal", 3),
    ("tangent", 3),
    ("view", 3),
];

fn rotated([x, y, z, w]: [f32; 4], v: [f32; 3]) -> [f32; 3] {
    let cross = |a: [f32; 3], b: [f32; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let inner = cross([x, y, z], v);
    let outer = cross([x, y, z], [0, 1, 2].map(|n| inner[n] + w * v[n]));
    let sum = [0, 1, 2].map(|n| v[n] + 2.0 * outer[n]);
    let length = sum.iter().map(|n| n * n).sum::<f32>().sqrt();
    sum.map(|n| n / length)
}

/// Outputs of the stage of the guide, of a program's, with scale -1 and offset 0.
fn expected(value: &dyn Fn(&str) -> [f32; 4]) -> Vec<f32> {
    let (position, q) = (value("position"), value("pica_quaternion"));
    let mut all = vec![position[0], position[1], -2.0 * position[2] - position[3], position[3]];
    all.extend(value("pica_color"));
    for (name, count) in
        [("pica_texcoord0", 2), ("pica_texcoord1", 2), ("pica_texcoord2", 2), ("pica_texcoordw", 1)]
    {
        all.extend(&value(name)[..count]);
    }
    all.extend(rotated(q, [0.0, 0.0, 1.0]));
    all.extend(rotated(q, [1.0, 0.0, 0.0]));
    all.extend(&value("pica_view")[..3]);
    all
}

/// Compares two numbers. Drivers take subnormal numbers as zeros; sums of the stage are not exact,
/// and NaN has no least number.
fn agrees(expected: f32, found: f32, is_exact: bool) -> bool {
    let is_tiny = |value: f32| value.abs() < f32::MIN_POSITIVE;
    expected.is_nan()
        || expected == found
        || is_tiny(expected) && is_tiny(found)
        || !is_exact && ((expected - found).abs() <= 1e-4 * expected.abs().max(1.0) || !expected.is_finite())
}

#[test]
fn a_main_of_the_host_has_the_outputs_of_the_interpreter() {
    needs!("opengl");
    let driver = OpenGl::open(Api::Core).unwrap_or_else(|error| panic!("{error}"));
    let preset = preset(KnownHost::Tanuki3ds, Renderer::OpenGl).expect("it has OpenGL");
    let Preset { options, profile } = preset;
    let names: Vec<&str> = CAPTURED.iter().map(|(name, _)| *name).collect();
    let words = CAPTURED.iter().map(|(_, count)| count).sum();
    let fragment = "#version 330 core\nin vec4 color;\nin vec3 normal;\nout vec4 pixel;\n\
                    void main() {\n    pixel = vec4(color.rgb * normal.z, 1.0);\n}\n";
    let mut compared = 0;
    samples::for_each(|sample| {
        let mut translator = Translator::new(options, profile.clone());
        let translated =
            translator.translate(sample.program, sample.environment, Job::Vertex).expect("translates");
        let extensions = translated.glsl_extensions(VERSION);
        let text = translated.glsl(VERSION).expect("GLSL");
        assert!(!text.contains("#extension") && !text.contains("void main"), "{text}");
        let vertex = format!("#version 330 core\n{extensions}{text}{}", epilogue());
        let stages = driver.together([&vertex, fragment], &names);
        let stages = stages.unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        driver.set_vector(stages, "depth_map", [-1.0, 0.0]);
        let mut uniforms = transpica_proof::generate::uniforms(1);
        sample.environment.constants().apply(&mut uniforms);
        let settings = Settings { flush_subnormals: true, ..options.settings(BUDGET) };
        let mut machine = Machine::new(sample.program, settings).expect("a vertex program");
        machine.set_uniforms(&uniforms);
        let inputs = transpica_proof::generate::inputs(1, 32);
        let (mut vertices, mut all) = (Vec::new(), Vec::new());
        for vertex in &inputs {
            let Ok(registers) = machine.run(vertex) else { continue };
            let outputs = &translated.interface.outputs;
            let find = |name: &str| outputs.iter().find(|output| output.name == name);
            let value = |output: &Output| output.value(registers, &options, &HostValues::default());
            all.push(expected(&|name| find(name).map_or([0.0; 4], value)));
            vertices.push(vertex.map(|register| register.map(f32::to_bits)));
        }
        let attributes: Vec<u8> =
            (0..16).filter(|register| translated.usage.inputs >> register & 1 != 0).collect();
        let block = pack(&translated.interface.block, &uniforms);
        let draw = Draw {
            vertices: &vertices,
            attributes: &attributes,
            blocks: &[(&profile.glsl.uniforms.block, &block)],
            binds_by_name: true,
        };
        let found =
            driver.capture(stages, &draw, words).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        for (expected, found) in all.iter().zip(found) {
            let mut place = 0;
            for (name, count) in CAPTURED {
                for lane in place..place + count {
                    let is_computed =
                        name == "gl_Position" && lane == 2 || matches!(name, "normal" | "tangent");
                    let found = f32::from_bits(found[lane]);
                    let is_same = agrees(expected[lane], found, !is_computed);
                    assert!(
                        is_same,
                        "{} {name}: {:?}, found {found:?}\n{vertex}",
                        sample.name, expected[lane]
                    );
                    compared += 1;
                }
                place += count;
            }
        }
    });
    assert!(compared > 5_000, "{compared} numbers");
}
