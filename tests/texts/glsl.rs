//! The contract of GLSL: glslang compiles every text of every version and links it with fragment
//! shaders of hosts; names, locations and byte offsets are the documented ones; all arithmetic is
//! marked `precise`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use expect_test::expect_file;
use transpica::container::ShaderType;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{
    ComponentSource, Hook, HookOperand, Hooked, Interface, Output, OutputMap, OutputValue, RegisterLayout,
    dvle,
};
use transpica::settings::{Block, BlockNames, ClipPlanes, FlipY, GlslProfile, Layout, Outputs, Varying};
use transpica::stages::backend::text::Language;
use transpica::stages::backend::{BackendInput, text};
use transpica::{GlslVersion, Job, Options, Profile, Setup, Shbin, Translator};
use transpica_proof::daily;
use transpica_proof::generate::{Kind as Programs, generate};
use transpica_proof::glslang::{self, Stage};
use transpica_proof::unnamed::Unnamed;

use crate::products::{with_products, with_some_products};
use crate::samples::{Sample, samples};

const TEXTURED: &[u8] = include_bytes!("../../shaders/textured.shbin");

/// The text of an executable.
fn glsl(bytes: &[u8], index: usize, version: GlslVersion, options: Options, profile: Profile) -> String {
    glsl_as(Job::Vertex, bytes, index, version, options, profile)
}

/// The text of an executable for a job.
fn glsl_as(
    job: Job<'_>,
    bytes: &[u8],
    index: usize,
    version: GlslVersion,
    options: Options,
    profile: Profile,
) -> String {
    let file = Shbin::parse(bytes).expect("valid");
    let program = dvle::program(&file, index, &options.limits).expect("a program");
    let mut translator = Translator::new(options, profile);
    let environment = FileEnvironment::new(&file, index, "sample.shbin").expect("there");
    let translated = translator.translate(&program, &environment, job).expect("translates");
    translated.text(Language::Glsl(version)).expect("GLSL")
}

/// Calls `check` with every vertex program of the files, in parallel.
fn in_parallel(samples: &[Sample], check: impl Fn(&Sample, usize) + Sync) {
    let mut programs = Vec::new();
    for sample in samples {
        let file = Shbin::parse(&sample.bytes).expect("valid");
        let vertex =
            |index: &usize| file.executables[*index].header.shader_type() == Some(ShaderType::Vertex);
        programs.extend((0..file.executables.len()).filter(vertex).map(|index| (sample, index)));
    }
    let workers = thread::available_parallelism().map_or(2, Into::into) + 1;
    thread::scope(|scope| {
        for worker in 0..workers {
            let (programs, check) = (&programs, &check);
            let own = move || programs.iter().skip(worker).step_by(workers);
            scope.spawn(move || own().for_each(|&(sample, index)| check(sample, index)));
        }
    });
}

/// An input of a host's fragment shader: location, type, and the documented name.
type Port = (u32, &'static str, &'static str);

/// All semantics with the default locations.
const DENSE: [Port; 7] = [
    (0, "vec4", "color"),
    (1, "vec2", "texcoord0_uv"),
    (2, "vec2", "texcoord1_uv"),
    (3, "vec2", "texcoord2_uv"),
    (4, "float", "texcoord0_w"),
    (5, "vec4", "normal_quaternion"),
    (6, "vec3", "view"),
];
/// Inputs of Azahar's fragment shaders.
const AZAHAR: [Port; 8] = [
    (0, "vec4", "position_raw"),
    (1, "vec4", "color"),
    (2, "vec2", "texcoord0_uv"),
    (3, "vec2", "texcoord1_uv"),
    (4, "vec2", "texcoord2_uv"),
    (5, "float", "texcoord0_w"),
    (6, "vec4", "normal_quaternion"),
    (7, "vec3", "view"),
];

/// A fragment shader with all of these inputs.
fn fragment(version: GlslVersion, ports: &[Port]) -> String {
    let digits: String = format!("{version:?}").chars().filter(char::is_ascii_digit).collect();
    let mut text = match (version.is_es(), version.is_opengl()) {
        (true, _) => format!("#version {digits} es\nprecision highp float;\n"),
        (false, true) => format!("#version {digits} core\n"),
        (false, false) => format!("#version {digits}\n"),
    };
    let mut sum = "vec4(0.0)".to_owned();
    for (location, ty, name) in ports {
        let place = if version.has_varying_locations() {
            format!("layout(location = {location}) ")
        } else {
            String::new()
        };
        writeln!(text, "{place}in {ty} {name};").unwrap();
        write!(sum, " + vec4({})", if *ty == "float" { (*name).to_owned() } else { format!("{name}.x") })
            .unwrap();
    }
    writeln!(text, "layout(location = 0) out vec4 drawn;\nvoid main() {{\n    drawn = {sum};\n}}").unwrap();
    text
}

/// Returns whether a vertex shader has all inputs of a fragment shader, which glslang does not
/// check: by name, or by location.
fn has_all(text: &str, version: GlslVersion, ports: &[Port]) -> bool {
    ports.iter().all(|(location, ty, name)| {
        let line = if version.has_varying_locations() {
            format!("layout(location = {location}) out {ty} {name};")
        } else {
            format!("out {ty} {name};")
        };
        text.lines().any(|found| found == line)
    })
}

/// Options and profile of a host, and the inputs of its fragment shaders.
fn host(layout: Layout) -> (Options, Profile, &'static [Port]) {
    let options = Options {
        block: Block { layout, ..Block::default() },
        outputs: Outputs { all: true, ..Outputs::default() },
        ..Options::default()
    };
    match layout {
        Layout::Azahar => (options, Profile { varyings: Varying::AZAHAR, ..Profile::default() }, &AZAHAR),
        _ => (options, Profile::default(), &DENSE),
    }
}

#[test]
fn samples_link_with_fragment_shaders_of_hosts() {
    needs!("glslangValidator");
    let samples = samples().into_iter().filter(|sample| sample.name.starts_with("shaders"));
    let samples: Vec<Sample> = daily::some("samples linked with fragment shaders", 6, samples.collect());
    in_parallel(&samples, |sample, index| {
        let layouts = [Layout::Symbols, Layout::Registers, Layout::Azahar, Layout::Panda3ds];
        for (number, layout) in layouts.into_iter().enumerate() {
            let (options, profile, ports) = host(layout);
            // Mesa links all; glslang a turn of each.
            let turn = 3 * number + index + sample.name.len();
            let turn = GlslVersion::ALL[turn % GlslVersion::ALL.len()];
            for version in [GlslVersion::Core330, GlslVersion::Vulkan450, turn] {
                let name = format!("{}#{index} {layout:?} {version:?}", sample.name);
                let text = glsl(&sample.bytes, index, version, options, profile.clone());
                assert!(has_all(&text, version, ports), "{name}\n{text}");
                let vulkan = version == GlslVersion::Vulkan450;
                glslang::link(&text, (Stage::Fragment, &fragment(version, ports)), vulkan)
                    .unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            }
        }
    });
}

#[test]
fn a_fragment_shader_of_another_host_does_not_link() {
    needs!("glslangValidator");
    let (options, profile, ports) = host(Layout::Symbols);
    for version in GlslVersion::ALL {
        let text = glsl(TEXTURED, 0, version, options, profile.clone());
        assert!(!has_all(&text, version, &[(7, "vec4", "other")]), "{version:?}");
        let mut wrong = ports.to_vec();
        wrong[1].1 = "vec3";
        assert!(!has_all(&text, version, &wrong), "{version:?}");
    }
    let text = glsl(TEXTURED, 0, GlslVersion::Core330, options, profile);
    let wrong = fragment(GlslVersion::Core330, ports).replace("vec2 texcoord0_uv", "vec3 texcoord0_uv");
    assert!(
        glslang::link(&text, (Stage::Fragment, &wrong), false)
            .is_err_and(|error| error.contains("Types must match"))
    );
}

/// Links both stages and returns how often: with hooks and without, in two profiles.
fn link_stages(name: &str, bytes: &[u8], stages: [(usize, Job<'_>); 2]) -> usize {
    let file = Shbin::parse(bytes).expect("valid");
    let anonymous = |block: &'static str| BlockNames { block: block.into(), instance: None };
    let (uniforms, host) = (anonymous("Registers"), anonymous("Window"));
    let glsl = GlslProfile { uniforms, host, ..GlslProfile::default() };
    let outputs = Outputs { flip_y: FlipY::Dynamic, ..Outputs::default() };
    let options = Options { outputs, ..Options::default() };
    let mut linked = 0;
    for profile in [Profile::default(), Profile { glsl, ..Profile::default() }] {
        let mut translator = Translator::new(options, profile);
        // The stages read different parts of the host block.
        let translated = stages.map(|(index, job)| {
            let program = file.program(index).expect("a program");
            let parameter = HookOperand::Parameter(5 * index as u8);
            let hooks: Vec<Hook> = (0..96).map(|register| Hook::Redirect(register, parameter)).collect();
            let hooks = [Vec::new(), hooks];
            hooks.map(|hooks| {
                let hooked = Hooked { environment: program.environment(), hooks };
                translator.translate(program.program(), &hooked, job)
            })
        });
        let [[Ok(before), Ok(before_hooked)], [Ok(stage), Ok(stage_hooked)]] = translated else { return 0 };
        for (before, stage) in [(before, stage), (before_hooked, stage_hooked)] {
            let turn = GlslVersion::ALL[(name.len() + linked) % GlslVersion::ALL.len()];
            for version in [GlslVersion::Core410, turn] {
                let [Ok(vertex), Ok(geometry)] = [&before, &stage].map(|stage| stage.glsl(version)) else {
                    continue;
                };
                let vulkan = version == GlslVersion::Vulkan450;
                glslang::link(&vertex, (Stage::Geometry, &geometry), vulkan)
                    .unwrap_or_else(|error| panic!("{name} {version:?}: {error}\n{vertex}\n{geometry}"));
                linked += 1;
            }
        }
    }
    linked
}

#[test]
fn vertex_stages_link_with_geometry_stages() {
    needs!("glslangValidator");
    let (mut pairs, mut quaternions) = (0, 0);
    for Sample { name, bytes } in samples().iter().filter(|sample| sample.name.starts_with("shaders")) {
        let file = Shbin::parse(bytes).expect("valid");
        if let Ok(setup) = Setup::from_file(&file, 0, Some(1), None) {
            let before =
                Job::BeforeGeometry { outputs: setup.vertex_outputs, vertices: setup.point_vertices() };
            pairs += link_stages(name, bytes, [(0, before), (1, Job::GeometryStage(&setup))]);
        } else if quaternions == 0 {
            quaternions += link_stages(name, bytes, [(0, Job::Vertex), (0, Job::Quaternions)]);
        }
    }
    assert!(pairs >= 20 && quaternions >= 4, "{pairs} {quaternions}");
}

/// Arithmetic instructions that compilers may contract.
const ARITHMETIC: [&str; 6] = ["OpFAdd", "OpFSub", "OpFMul", "OpFDiv", "OpDot", "OpVectorTimesScalar"];

/// Lists a module's arithmetic without NoContraction; counts the instructions with it.
fn unmarked(words: &[u32]) -> (Vec<String>, usize) {
    let text = transpica_inspect::spirv::assembly(words).expect("SPIR-V");
    let marked = |id: &str| text.contains(&format!("OpDecorate {id} NoContraction\n"));
    let (mut found, mut count) = (Vec::new(), 0);
    for line in text.lines() {
        let Some((id, rest)) = line.trim().split_once(" = ") else { continue };
        let op = rest.split_whitespace().next().unwrap_or_default();
        if ARITHMETIC.contains(&op) {
            if marked(id) { count += 1 } else { found.push(line.to_owned()) }
        }
    }
    (found, count)
}

#[test]
fn all_arithmetic_is_precise_if_the_profile_requests_it() {
    needs!("glslangValidator");
    let chosen = daily::some("samples whose arithmetic is precise", 6, samples());
    in_parallel(&chosen, |sample, index| {
        let name = format!("{}#{index}", sample.name);
        let forms = [(Job::Vertex, Stage::Vertex), (Job::Compute, Stage::Compute)];
        // Cases of the assembler compute little.
        let forms = if sample.name.starts_with("shaders") { &forms[..] } else { &forms[..1] };
        for &(job, stage) in forms {
            let options = Options {
                outputs: Outputs {
                    flip_y: FlipY::Dynamic,
                    clip_planes: ClipPlanes::BuiltIn,
                    ..Outputs::default()
                },
                ..Options::default()
            };
            let text =
                glsl_as(job, &sample.bytes, index, GlslVersion::Vulkan450, options, Profile::default());
            let words =
                glslang::spirv(&text, stage).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            let (unmarked, _) = unmarked(&words);
            assert!(unmarked.is_empty(), "{name} {job:?}: {unmarked:?}\n{text}");
        }
    });
    for version in GlslVersion::ALL {
        let word = match version {
            GlslVersion::Core330 | GlslVersion::Es310 => "PRECISE ",
            _other_version => "precise ",
        };
        let plain = Profile { no_contraction: false, ..Profile::default() };
        let text = glsl(TEXTURED, 0, version, Options::default(), Profile::default());
        assert_eq!(text.contains(word), version != GlslVersion::Es300, "{version:?}");
        assert_eq!(version.is_exact(), word == "precise " && text.contains(word), "{version:?}");
        let text = glsl(TEXTURED, 0, version, Options::default(), plain);
        assert!(!text.to_lowercase().contains("precise"), "{text}");
    }
    let plain = Profile { no_contraction: false, ..Profile::default() };
    let text = glsl(TEXTURED, 0, GlslVersion::Vulkan450, Options::default(), plain);
    let (found, count) = unmarked(&glslang::spirv(&text, Stage::Vertex).expect("reads"));
    assert!(!found.is_empty() && count == 0, "the test sees what is not marked");
}

#[test]
fn glslang_reads_every_opengl_text_unchanged() {
    needs!("glslangValidator");
    let taken = daily::cases("versions of OpenGL for each text", 1, 4) as usize;
    let read = AtomicUsize::new(0);
    let count = with_some_products("glslang, for OpenGL,", 2, |name, translated| {
        let stage =
            if translated.interface.entry_point.is_compute() { Stage::Compute } else { Stage::Vertex };
        // Each version reads a share of them, and the oldest and newest of each API all.
        let all = [GlslVersion::Core330, GlslVersion::Es300, GlslVersion::Es320];
        let share = GlslVersion::ALL[name.len() % GlslVersion::ALL.len()];
        let is_share = !all.contains(&share) && share.is_opengl();
        let all = all.into_iter().chain(is_share.then_some(share));
        let all: Vec<_> = all.filter(|version| stage == Stage::Vertex || version.has_compute()).collect();
        for &version in all.iter().cycle().skip(name.len()).take(taken.min(all.len())) {
            let text = translated.text(Language::Glsl(version)).expect("GLSL");
            glslang::read(&text, stage).unwrap_or_else(|error| panic!("{name} {version:?}: {error}\n{text}"));
            read.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(read.into_inner() * 2 > count * taken, "texts");
}

#[test]
fn precise_is_a_keyword_only_where_the_driver_knows_it() {
    needs!("glslangValidator");
    for (version, lacks, knows) in [
        (GlslVersion::Core330, &["GL_ARB_gpu_shader5"][..], &["GL_ARB_shader_precision"][..]),
        // glslang knows the word in ES, by the first of both names.
        (GlslVersion::Es310, &["PRECISE"], &["GL_OES_gpu_shader5"]),
    ] {
        let text = glsl(LIGHTS, 0, version, Options::default(), Profile::default());
        let marked = text.matches("    PRECISE ").count();
        assert!(marked > 10, "{text}");
        let preprocessed = |names| glslang::preprocessed(&text, Stage::Vertex, names).expect("preprocesses");
        let (without, with) = (preprocessed(lacks), preprocessed(knows));
        assert_eq!(without.to_lowercase().matches("precise ").count(), 0, "{without}");
        assert!(!without.contains("#extension"), "{without}");
        assert_eq!(with.matches("    precise ").count(), marked, "{with}");
        assert_eq!(with.matches("#extension").count(), 1, "{with}");
    }
}

#[test]
fn text_has_no_generated_names_and_sets_the_position_once() {
    in_parallel(&samples(), |sample, index| {
        for version in GlslVersion::ALL {
            let text = glsl(&sample.bytes, index, version, Options::default(), Profile::default());
            for part in ["_e1", "_group_", "_vs2fs", "_p2vs", "gl_Position.", "mediump", "lowp", "__"] {
                assert!(!text.contains(part), "{}#{index} {version:?}: {part}\n{text}", sample.name);
            }
            assert_eq!(text.matches("gl_Position = ").count(), 1, "{}#{index}\n{text}", sample.name);
            assert_eq!(text.matches("invariant gl_Position;").count(), 1, "{}#{index}\n{text}", sample.name);
        }
    });
    let profile = Profile { invariant_position: false, ..Profile::default() };
    let text = glsl(TEXTURED, 0, GlslVersion::Es310, Options::default(), profile);
    assert!(!text.contains("invariant"), "{text}");
}

/// Byte offsets of the members of a block in SPIR-V, by name.
fn offsets(words: &[u32], block: &str) -> BTreeMap<String, u32> {
    let text = transpica_inspect::spirv::assembly(words).expect("SPIR-V");
    let end = format!(" \"{block}\"");
    let line = text.lines().find(|line| line.starts_with("OpName ") && line.ends_with(&end));
    let id = line.and_then(|line| line.split_whitespace().nth(1)).expect("the block");
    let names = text.lines().filter_map(|line| line.strip_prefix(&format!("OpMemberName {id} ")));
    names
        .filter_map(|line| {
            let (number, name) = line.split_once(' ')?;
            let start = format!("OpMemberDecorate {id} {number} Offset ");
            let offset = text.lines().find_map(|line| line.strip_prefix(&start))?;
            Some((name.trim_matches('"').to_owned(), offset.parse().ok()?))
        })
        .collect()
}

/// A sample that reads floats, ints and bools.
const LIGHTS: &[u8] = include_bytes!("../../shaders/lights.shbin");

#[test]
fn blocks_have_the_byte_offsets_of_their_hosts() {
    needs!("glslangValidator");
    let custom = RegisterLayout { floats: 4096, bools: 12, ..RegisterLayout::AZAHAR };
    for (layout, expected) in [
        (Layout::Registers, [("c", 0), ("i", 1536), ("b", 1600)]),
        (Layout::Azahar, [("c", 80), ("i", 16), ("b", 0)]),
        (Layout::Panda3ds, [("c", 0), ("i", 1536), ("b", 1552)]),
        (Layout::Custom(custom), [("c", 4096), ("i", 16), ("b", 12)]),
    ] {
        let options = Options { block: Block { layout, ..Block::default() }, ..Options::default() };
        for version in GlslVersion::ALL {
            let text = glsl(LIGHTS, 0, version, options, Profile::default());
            let found: BTreeMap<String, u32> = if version.is_opengl() {
                let members = glslang::members(&text).expect("reads").into_iter();
                members.map(|(name, offset)| (name.replace("Uniforms.", ""), offset)).collect()
            } else {
                offsets(&glslang::spirv(&text, Stage::Vertex).expect("reads"), "Uniforms")
            };
            for (name, offset) in expected {
                assert_eq!(found.get(name), Some(&offset), "{layout:?} {version:?} {name}\n{text}");
            }
        }
    }
}

#[test]
fn the_host_block_and_clip_distances_have_their_places() {
    needs!("glslangValidator");
    let options = Options {
        outputs: Outputs { flip_y: FlipY::Dynamic, clip_planes: ClipPlanes::BuiltIn, ..Outputs::default() },
        ..Options::default()
    };
    for version in GlslVersion::ALL {
        let text = glsl(TEXTURED, 0, version, options, Profile::default());
        for line in ["    uint clip_enabled;", "    uint flip_y;", "    vec4 clip_plane;", "} host;"] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert_eq!(text.matches("gl_ClipDistance[").count(), 3, "{text}");
        let extension = "#extension GL_EXT_clip_cull_distance : require\n";
        assert_eq!(text.contains(extension), version.is_es(), "{text}");
    }
    let text = glsl(TEXTURED, 0, GlslVersion::Vulkan450, options, Profile::default());
    assert!(text.contains("layout(set = 0, binding = 1, std140) uniform Host {\n"), "{text}");
    let found = offsets(&glslang::spirv(&text, Stage::Vertex).expect("reads"), "Host");
    let found: Vec<(&str, u32)> = found.iter().map(|(name, offset)| (name.as_str(), *offset)).collect();
    assert_eq!(found, [("clip_enabled", 0), ("clip_plane", 16), ("flip_y", 4)]);
    let varying =
        Options { outputs: Outputs { clip_planes: ClipPlanes::Varying, ..options.outputs }, ..options };
    let text = glsl(TEXTURED, 0, GlslVersion::Es310, varying, Profile::default());
    assert!(text.contains("layout(location = 7) out vec2 clip_distances;\n"), "{text}");
    glslang::read(&text, Stage::Vertex).expect("reads");
}

#[test]
fn specialization_constants_of_450_have_the_documented_ids() {
    needs!("glslangValidator");
    let mut options = Options::default();
    (options.control.bools.specialized, options.control.ints.specialized) = (0xFFFF, 15);
    let text = glsl(LIGHTS, 0, GlslVersion::Vulkan450, options, Profile::default());
    glslang::spirv(&text, Stage::Vertex).expect("reads");
    let constants: Vec<&str> = text.lines().filter(|line| line.contains("constant_id")).collect();
    let lights = [
        "layout(constant_id = 0) const bool b0 = false;",
        "layout(constant_id = 16) const int i0_x = 0;",
        "layout(constant_id = 17) const int i0_y = 0;",
        "layout(constant_id = 18) const int i0_z = 0;",
    ];
    let mut sorted = constants.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, lights, "{text}");
}

/// Bindings without a file: o0 is the position, o1 the color, o2 texture coordinates 0 and 2.
fn bindings() -> Unnamed {
    Unnamed { map: OutputMap::from_words([(0, [0, 1, 2, 3]), (1, [8, 9, 10, 11]), (2, [12, 13, 22, 23])]) }
}

#[test]
fn glslang_reads_random_programs() {
    needs!("glslangValidator");
    for (kind, seeds) in [(Programs::Clean, 0..42), (Programs::Wild, 0..42), (Programs::Numeric, 0..21)] {
        let seeds = daily::some(&format!("{kind:?} programs read by glslang"), 5, seeds.collect());
        for (seed, version) in seeds.into_iter().zip(GlslVersion::ALL.into_iter().cycle()) {
            let mut translator = Translator::new(Options::default(), Profile::default());
            let translated = translator
                .translate(&generate(kind, seed).program(), &bindings(), Job::Vertex)
                .expect("translates");
            let text = translated.text(Language::Glsl(version)).expect("GLSL");
            let read = if version.is_opengl() {
                glslang::read(&text, Stage::Vertex)
            } else {
                glslang::spirv(&text, Stage::Vertex).map(|_| ())
            };
            read.unwrap_or_else(|error| panic!("{kind:?} {seed} {version:?}: {error}\n{text}"));
        }
    }
}

#[test]
fn texts_are_the_same_every_time_and_in_every_thread() {
    let texts = || {
        let mut all = Vec::new();
        for (seed, version) in (0..60).zip(GlslVersion::ALL.into_iter().cycle()) {
            let mut translator = Translator::new(Options::default(), Profile::default());
            let program = generate(Programs::ALL[seed as usize % Programs::ALL.len()], seed);
            let translated =
                translator.translate(&program.program(), &bindings(), Job::Vertex).expect("translates");
            all.push(translated.text(Language::Glsl(version)).expect("GLSL"));
        }
        all
    };
    let first = texts();
    let others: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(texts)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(others.iter().all(|texts| *texts == first));
}

#[test]
fn four_thousand_dependent_products_need_little_stack() {
    needs!("glslangValidator");
    let mut source = "func main {\n%0: f32x4 = input v0\n%1: f32x4 = input v1\n".to_owned();
    for value in 2..4098 {
        writeln!(source, "%{value}: f32x4 = mul %{} %0", value - 1).unwrap();
    }
    source.push_str("yield %4097 }");
    let work = move || {
        let module = transpica_proof::ir::parse(&source).expect("parses");
        let outputs = vec![Output {
            name: "position".into(),
            location: transpica::host::Location::Position,
            components: vec![ComponentSource::One; 4],
            value: OutputValue::Plain,
            semantic: None,
            hooks: Vec::new(),
        }];
        let interface = Interface { outputs, ..Interface::default() };
        let profile = Profile::default();
        let options = Options::default();
        let source = BackendInput {
            module: &module,
            interface: &interface,
            limits: &options.limits,
            profile: &profile,
            debug_source: None,
        };
        text::glsl(&source, GlslVersion::Vulkan450, None).expect("GLSL")
    };
    let text = thread::Builder::new().stack_size(512 << 10).spawn(work).unwrap().join().unwrap();
    let (unmarked, count) = unmarked(&glslang::spirv(&text, Stage::Vertex).expect("reads"));
    assert_eq!((unmarked.len(), count), (0, 4096));
}

#[test]
fn a_text_without_its_version_line_is_the_same_behind_it() {
    for version in GlslVersion::ALL {
        let glsl_profile = GlslProfile { version_line: false, ..GlslProfile::default() };
        let profile = Profile { glsl: glsl_profile, ..Profile::default() };
        let with = glsl(LIGHTS, 0, version, Options::default(), Profile::default());
        let without = glsl(LIGHTS, 0, version, Options::default(), profile);
        assert_eq!(with.split_once('\n').expect("a line").1, without, "{version:?}");
    }
}

#[test]
fn es_300_has_no_switch() {
    needs!("glslangValidator");
    with_products(|name, translated| {
        if translated.interface.entry_point.is_compute() {
            return;
        }
        let [without, with] = [GlslVersion::Es300, GlslVersion::Core330]
            .map(|version| translated.text(Language::Glsl(version)).expect("GLSL"));
        assert!(!without.contains("switch ("), "{name}\n{without}");
        SWITCHES.fetch_add(usize::from(with.contains("switch (")), Ordering::Relaxed);
    });
    for (kind, seed) in
        [Programs::Clean, Programs::Wild].into_iter().flat_map(|kind| (0..60).map(move |seed| (kind, seed)))
    {
        let mut translator = Translator::new(Options::default(), Profile::default());
        let program = generate(kind, seed);
        let translated =
            translator.translate(&program.program(), &bindings(), Job::Vertex).expect("translates");
        let text = translated.text(Language::Glsl(GlslVersion::Es300)).expect("GLSL");
        assert!(!text.contains("switch ("), "{kind:?} {seed}\n{text}");
        let with = translated.text(Language::Glsl(GlslVersion::Core330)).expect("GLSL");
        SWITCHES.fetch_add(usize::from(with.contains("switch (")), Ordering::Relaxed);
        glslang::read(&text, Stage::Vertex).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    assert!(SWITCHES.load(Ordering::Relaxed) > 5, "programs with a switch elsewhere");
}

/// Number of programs with a `switch` in other versions.
static SWITCHES: AtomicUsize = AtomicUsize::new(0);

/// Golden texts; `UPDATE_EXPECT=1 cargo test -p transpica --test texts glsl` rewrites them.
#[test]
fn glsl_of_three_samples_has_short_lines_and_names() {
    for (name, version, end) in [
        ("textured", GlslVersion::Vulkan450, "450"),
        ("lights", GlslVersion::Es310, "310es"),
        ("fog", GlslVersion::Core330, "330"),
    ] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let bytes = fs::read(root.join(format!("shaders/{name}.shbin"))).expect("a sample");
        let text = glsl(&bytes, 0, version, Options::default(), Profile::default());
        let golden = root.join(format!("tests/cases/glsl/{name}.{end}.glsl"));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&golden, &text).expect("writable");
        }
        expect_file![golden].assert_eq(&text);
    }
}
