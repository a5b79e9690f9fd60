//! GLSL on a real driver of OpenGL and OpenGL ES: every vertex program of the samples, every
//! version and the names of two hosts compile, link with the host's fragment stage in one program
//! and in two separable ones, and have the interpreter's results, bit for bit.
//! Results are what transform feedback captures, so they come from the vertex stage itself.

use std::fmt::Write as _;

use transpica::host::{Environment, HostValues, Location, Output, OutputMap, pack};
use transpica::interp::{Settings, Uniforms};
use transpica::isa::Pc;
use transpica::settings::{
    AttributeNames, Block, BlockNames, ClipPlanes, Control, DepthRange, FlipY, GlslProfile, Layout, Outputs,
    Varying, VaryingSource,
};
use transpica::{GlslVersion, Job, Machine, Options, Profile, Program, Stage, Translation, Translator};
use transpica_proof::daily;
use transpica_proof::generate::{Kind, generate};
use transpica_proof::tally::Tally;
use transpica_proof::unnamed::Unnamed;

use crate::again::again;
use crate::contexts::{Api, Draw, NEWEST, OpenGl};
use crate::samples;

/// Vertices of each program.
const VERTICES: usize = 32;
/// Limit of instructions of a vertex.
const BUDGET: u64 = 20_000;

/// A host: its options and names.
struct Host {
    name: &'static str,
    options: Options,
    profile: Profile,
    values: HostValues,
}

fn options(layout: Layout, outputs: Outputs) -> Options {
    Options {
        block: Block { layout, ..Block::default() },
        outputs,
        // Wild programs may not end.
        control: Control { loop_guard: Some(200), ..Control::default() },
        ..Options::default()
    }
}

/// A host whose stages match by location, with numbered attributes and blocks by binding.
fn by_location() -> Host {
    let outputs = Outputs {
        all: true,
        depth: DepthRange::MinusWToW,
        clip_planes: ClipPlanes::BuiltIn,
        ..Outputs::default()
    };
    let glsl = GlslProfile {
        uniforms: BlockNames { block: "vs_uniforms".into(), instance: Some("uniform_registers".into()) },
        attributes: AttributeNames::Numbered("vs_in_reg".into()),
        ..GlslProfile::default()
    };
    Host {
        name: "by location",
        options: options(Layout::Azahar, outputs),
        profile: Profile { varyings: Varying::AZAHAR, glsl, ..Profile::default() },
        values: HostValues {
            clip_enabled: true,
            flip_y: false,
            clip_plane: [1.0, -0.5, 0.25, 2.0],
            ..HostValues::default()
        },
    }
}

fn codes<const N: usize>(codes: [u8; N]) -> Vec<VaryingSource> {
    codes.map(VaryingSource::Code).into()
}

/// A host that matches by names, joins texture coordinate 0 to one vector, mirrors v, has a block
/// without an instance, and clips in the fragment stage.
fn by_name() -> Host {
    let outputs = Outputs {
        all: true,
        depth: DepthRange::Raw,
        flip_y: FlipY::Dynamic,
        clip_planes: ClipPlanes::Varying,
        ..Outputs::default()
    };
    let row = |name: &'static str, location, components: Vec<VaryingSource>| Varying {
        name: name.into(),
        location,
        components: components.into(),
    };
    let mirrored = |u, v| vec![VaryingSource::Code(u), VaryingSource::Complement(v)];
    let mut first = mirrored(0xC, 0xD);
    first.extend(codes([0x10]));
    let varyings = vec![
        row("v_quaternion", 0, codes([4, 5, 6, 7])),
        row("v_colour", 1, codes([8, 9, 10, 11])),
        row("v_texcoord0", 2, first),
        row("v_texcoord1", 3, mirrored(0xE, 0xF)),
        row("v_view", 4, codes([0x12, 0x13, 0x14])),
        row("v_texcoord2", 5, mirrored(0x16, 0x17)),
        row("v_constants", 6, vec![VaryingSource::One, VaryingSource::Zero]),
        row("v_distances", 7, Vec::new()),
    ]
    .into();
    let glsl = GlslProfile {
        uniforms: BlockNames { block: "PICAShaderUniforms".into(), instance: None },
        host: BlockNames { block: "ClipPlane".into(), instance: None },
        attributes: AttributeNames::Named("a_".into()),
        ..GlslProfile::default()
    };
    Host {
        name: "by name",
        options: options(Layout::Panda3ds, outputs),
        profile: Profile { varyings, glsl, ..Profile::default() },
        values: HostValues {
            clip_enabled: true,
            flip_y: true,
            clip_plane: [0.5, 1.0, -0.25, 1.0],
            ..HostValues::default()
        },
    }
}

fn hosts() -> [Host; 2] {
    [by_location(), by_name()]
}

/// Contexts of both APIs.
struct Drivers {
    core: OpenGl,
    es: OpenGl,
}

impl Drivers {
    fn open() -> Self {
        let open = |api| OpenGl::open(api).unwrap_or_else(|error| panic!("{error}"));
        Self { core: open(Api::Core), es: open(Api::Es) }
    }

    /// The current context for a version.
    fn enter(&self, version: GlslVersion) -> &OpenGl {
        let driver = if version.is_es() { &self.es } else { &self.core };
        driver.enter();
        driver
    }
}

fn versions() -> impl Iterator<Item = GlslVersion> {
    GlslVersion::ALL.into_iter().filter(|version| version.is_opengl())
}

/// The varyings of a program.
fn varyings(outputs: &[Output]) -> impl Iterator<Item = (&Output, u32)> {
    outputs.iter().filter_map(|output| match output.location {
        Location::Varying(location) => Some((output, location)),
        Location::Position | Location::ClipDistances => None,
    })
}

/// A fragment stage that declares all varyings and writes the one of the index `wanted`.
fn fragment(version: GlslVersion, outputs: &[Output], is_located: bool) -> String {
    let digits: String = format!("{version:?}").chars().filter(char::is_ascii_digit).collect();
    let mut text = format!("#version {digits} {}\n", if version.is_es() { "es" } else { "core" });
    let is_extended = is_located && !version.has_varying_locations();
    if is_extended {
        text.push_str("#extension GL_ARB_separate_shader_objects : require\n");
    }
    if version.is_es() {
        text.push_str("precision highp float;\nprecision highp int;\n");
    }
    let mut body = String::new();
    for (index, (output, location)) in varyings(outputs).enumerate() {
        let (name, lanes) = (&output.name, output.lanes());
        if is_located {
            write!(text, "layout(location = {location}) ").unwrap();
        }
        let ty = ["float", "vec2", "vec3", "vec4"][lanes - 1];
        writeln!(text, "in {ty} {name};").unwrap();
        let zeros = ", 0.0".repeat(4 - lanes);
        writeln!(body, "    if (wanted == {index}) pixel = vec4({name}{zeros});").unwrap();
    }
    writeln!(text, "uniform int wanted;\nlayout(location = 0) out vec4 pixel;").unwrap();
    writeln!(text, "void main() {{\n    pixel = vec4(0.0);\n{body}}}").unwrap();
    text
}

/// A translated program and its texts.
struct Texts {
    translated: Translation,
    vertex: String,
    fragment: String,
    /// The same for separable programs.
    separable: [String; 2],
}

impl Texts {
    fn new(host: &Host, program: &Program<'_>, environment: &dyn Environment, version: GlslVersion) -> Self {
        let translate = |profile: Profile| {
            let mut translator = Translator::new(host.options, profile);
            translator.translate(program, environment, Job::Vertex).expect("translates")
        };
        let translated = translate(host.profile.clone());
        let glsl = GlslProfile { separable: true, ..host.profile.glsl.clone() };
        let separable = translate(Profile { glsl, ..host.profile.clone() }).glsl(version).expect("GLSL");
        let outputs = &translated.interface.outputs;
        let is_located = version.has_varying_locations();
        Self {
            vertex: translated.glsl(version).expect("GLSL"),
            fragment: fragment(version, outputs, is_located),
            separable: [separable, fragment(version, outputs, version != GlslVersion::Es300)],
            translated,
        }
    }

    fn together(&self) -> [&str; 2] {
        [&self.vertex, &self.fragment]
    }

    fn separate(&self) -> [&str; 2] {
        let [vertex, fragment] = &self.separable;
        [vertex, fragment]
    }

    /// Names of what transform feedback captures, and the number of words.
    fn captured(&self) -> (Vec<&str>, usize) {
        let outputs = &self.translated.interface.outputs;
        let names = outputs.iter().map(|output| match output.location {
            Location::Position => "gl_Position",
            Location::ClipDistances => "gl_ClipDistance",
            Location::Varying(_) => &output.name,
        });
        (names.collect(), outputs.iter().map(Output::lanes).sum())
    }
}

/// Compares two numbers; NaN payloads and signs of zeros apart. Mesa's vertex stage takes subnormal
/// numbers as zeros, and only copies pass them on.
fn agrees(expected: f32, found: f32) -> bool {
    let is_tiny = |value: f32| value.abs() < f32::MIN_POSITIVE;
    expected.to_bits() == found.to_bits()
        || expected.is_nan() && found.is_nan()
        || expected == found
        || is_tiny(expected) && is_tiny(found)
}

/// A program with its uniforms and vertices.
struct Case<'a> {
    name: &'a str,
    program: &'a Program<'a>,
    environment: &'a dyn Environment,
    uniforms: &'a Uniforms,
    inputs: &'a [[[f32; 4]; 16]],
}

/// Counts of a comparison.
#[derive(Default)]
struct Count {
    programs: u64,
    vertices: u64,
    values: u64,
    differing: u64,
    /// Of these, the ones with a NaN or an infinity on one side.
    other_class: u64,
}

/// Form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The text, which marks arithmetic as exact.
    Marked,
    /// The text in a version that cannot: what differs is counted.
    Unmarked,
}

/// Versions and their forms.
fn forms() -> impl Iterator<Item = (GlslVersion, Form)> {
    versions().map(|version| match version {
        GlslVersion::Es300 => (version, Form::Unmarked),
        _exact => (version, Form::Marked),
    })
}

/// Runs a program in one form and compares.
fn compare(
    drivers: &Drivers,
    host: &Host,
    case: &Case<'_>,
    (version, form): (GlslVersion, Form),
    count: &mut Count,
) {
    let driver = drivers.enter(version);
    let texts = Texts::new(host, case.program, case.environment, version);
    let name = format!("{} {}, {version:?} {form:?}", case.name, host.name);
    let settings = Settings { flush_subnormals: true, ..host.options.settings(BUDGET) };
    let mut machine = Machine::new(case.program, settings).expect("a vertex program");
    machine.set_uniforms(case.uniforms);
    let mut expected = Vec::new();
    let mut vertices = Vec::new();
    for vertex in case.inputs {
        if let Ok(registers) = machine.run(vertex) {
            let outputs = texts.translated.interface.outputs.iter();
            let lanes = outputs.flat_map(|output| {
                output.value(registers, &host.options, &host.values).into_iter().take(output.lanes())
            });
            expected.push(lanes.collect::<Vec<f32>>());
            vertices.push(vertex.map(|register| register.map(f32::to_bits)));
        }
    }
    let (names, words) = texts.captured();
    let stages = driver.separate(texts.separate(), &names);
    let stages = stages.unwrap_or_else(|error| panic!("{name}, separable: {error}"));
    driver.drop_stages(stages);
    let stages = driver.together(texts.together(), &names);
    let stages = stages.unwrap_or_else(|error| panic!("{name}: {error}"));
    let registers: Vec<u8> =
        (0..16).filter(|register| texts.translated.usage.inputs >> register & 1 != 0).collect();
    let uniforms = pack(&texts.translated.interface.block, case.uniforms);
    let glsl = &host.profile.glsl;
    let draw = Draw {
        vertices: &vertices,
        attributes: &registers,
        blocks: &[(&glsl.uniforms.block, &uniforms), (&glsl.host.block, &host.values.pack())],
        binds_by_name: !version.has_bindings(),
    };
    let found = driver.capture(stages, &draw, words).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (index, (expected, found)) in expected.iter().zip(&found).enumerate() {
        for (lane, (&expected, &found)) in expected.iter().zip(found).enumerate() {
            let found = f32::from_bits(found);
            let is_same = agrees(expected, found);
            assert!(
                is_same || form == Form::Unmarked,
                "{name}: vertex {index}, lane {lane} of {names:?}: {expected:?} ({:#010x}), found {found:?} ({:#010x})\n{}",
                expected.to_bits(),
                found.to_bits(),
                texts.vertex
            );
            count.differing += u64::from(!is_same);
            count.other_class += u64::from(!is_same && expected.is_finite() != found.is_finite());
            count.values += 1;
        }
    }
    count.programs += 1;
    count.vertices += vertices.len() as u64;
}

fn print(drivers: &Drivers, what: &str, (version, form): (GlslVersion, Form), count: &Count) {
    let driver = drivers.enter(version);
    let Count { programs, vertices, values, differing, other_class } = *count;
    let note = match form {
        Form::Marked => format!("{values} values"),
        // No program differs from what is promised.
        Form::Unmarked => format!(
            "{values} values, {differing} of them not exact without `precise`, {other_class} NaN or infinite on one side"
        ),
    };
    let stage = format!("GLSL {version:?} on {}: {what}", driver.name);
    Tally { stage, programs, vertices, note, ..Tally::default() }.print();
}

#[test]
fn samples_link_and_run_as_on_the_interpreter_in_every_version() {
    needs!("opengl");
    if again(samples_link_and_run_as_on_the_interpreter_in_every_version, NEWEST).is_some() {
        return;
    }
    let drivers = Drivers::open();
    let hosts = hosts();
    for form in daily::some("versions of GLSL for the samples on OpenGL", 6, forms().collect()) {
        let mut count = Count::default();
        samples::for_each(|sample| {
            let mut uniforms = transpica_proof::generate::uniforms(1);
            sample.environment.constants().apply(&mut uniforms);
            let case = Case {
                name: sample.name,
                program: sample.program,
                environment: sample.environment,
                uniforms: &uniforms,
                inputs: &transpica_proof::generate::inputs(1, VERTICES),
            };
            for host in &hosts {
                compare(&drivers, host, &case, form, &mut count);
            }
        });
        let [programs, vertices] = [40, 750].map(samples::least);
        assert!(count.programs > programs && count.vertices > vertices, "{} programs", count.programs);
        print(&drivers, "samples, two hosts", form, &count);
    }
}

/// All semantics from registers of their own.
fn map() -> OutputMap {
    OutputMap::from_words([
        (0, [0, 1, 2, 3]),
        (1, [4, 5, 6, 7]),
        (2, [8, 9, 10, 11]),
        (3, [0xC, 0xD, 0x10, 0x1F]),
        (4, [0xE, 0xF, 0x16, 0x17]),
        (5, [0x12, 0x13, 0x14, 0x1F]),
    ])
}

#[test]
fn random_programs_run_as_on_the_interpreter() {
    needs!("opengl");
    if again(random_programs_run_as_on_the_interpreter, NEWEST).is_some() {
        return;
    }
    let drivers = Drivers::open();
    let [first, second] = hosts();
    let environment = Unnamed { map: map() };
    let few = [GlslVersion::Core330, GlslVersion::Core430, GlslVersion::Es300, GlslVersion::Es320];
    let forms = forms().filter(|(version, _)| few.contains(version)).collect();
    for form in daily::some("versions of GLSL for random programs on OpenGL", 3, forms) {
        let mut count = Count::default();
        for (kind, seeds) in [(Kind::Clean, 0..12), (Kind::Wild, 0..12), (Kind::Numeric, 0..6)] {
            for seed in seeds {
                let generated = generate(kind, seed);
                let case = Case {
                    name: &format!("{kind:?} {seed}"),
                    program: &generated.program(),
                    environment: &environment,
                    uniforms: &generated.uniforms(),
                    inputs: &generated.inputs(VERTICES),
                };
                let host = if seed % 2 == 0 { &first } else { &second };
                compare(&drivers, host, &case, form, &mut count);
            }
        }
        print(&drivers, "random programs", form, &count);
    }
}

/// A program that moves v0..v5 to o0..o5.
fn moves() -> Program<'static> {
    let moves = (0..6).map(|n| 0x4C00_0000 | n << 21 | n << 12);
    let code: Vec<u32> = moves.chain([0x8800_0000]).collect();
    Program::from_raw(code, vec![0x36F], Pc(0), Stage::Vertex).expect("a program")
}

#[test]
fn fragment_stages_receive_every_varying() {
    needs!("opengl");
    if again(fragment_stages_receive_every_varying, NEWEST).is_some() {
        return;
    }
    let drivers = Drivers::open();
    let (program, environment) = (moves(), Unnamed { map: map() });
    // Around the middle of the volume of every host.
    let mut vertex = [[0.0f32; 4]; 16];
    for (register, value) in (1..6).zip(&mut vertex[1..]) {
        *value = std::array::from_fn(|lane| (4 * register + lane) as f32 / 32.0);
    }
    vertex[0] = [0.0, 0.0, -0.5, 1.0];
    let vertices = [vertex.map(|register| register.map(f32::to_bits))];
    for host in hosts() {
        // Without clipping, so that the point arrives.
        let host = Host { values: HostValues { clip_enabled: false, ..host.values }, ..host };
        for version in versions() {
            let driver = drivers.enter(version);
            let texts = Texts::new(&host, &program, &environment, version);
            let outputs = &texts.translated.interface.outputs;
            let mut registers = [[0.0; 4]; 16];
            registers[..6].copy_from_slice(&vertex[..6]);
            let expected: Vec<_> = varyings(outputs)
                .map(|(output, _)| (output, output.value(&registers, &host.options, &host.values)))
                .collect();
            let glsl = &host.profile.glsl;
            let draw = Draw {
                vertices: &vertices,
                attributes: &[0, 1, 2, 3, 4, 5],
                blocks: &[(&glsl.uniforms.block, &[]), (&glsl.host.block, &host.values.pack())],
                binds_by_name: !version.has_bindings(),
            };
            let ways = [
                ("together", driver.together(texts.together(), &[])),
                ("separable", driver.separate(texts.separate(), &[])),
            ];
            for (way, stages) in ways {
                let name = format!("{}, {version:?}, {way}", host.name);
                let stages = stages.unwrap_or_else(|error| panic!("{name}: {error}"));
                let pixels = driver.pixels(stages, &draw, expected.len() as i32);
                let pixels = pixels.unwrap_or_else(|error| panic!("{name}: {error}"));
                for ((output, expected), found) in expected.iter().zip(pixels) {
                    let lanes = output.lanes();
                    assert_eq!(
                        expected[..lanes],
                        found[..lanes],
                        "{name}: {}\n{}",
                        output.name,
                        texts.vertex
                    );
                }
            }
        }
    }
}
