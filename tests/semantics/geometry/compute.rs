//! Geometry programs as compute shaders: the sample programs, run by the evaluator thread by
//! thread, produce the triangles of the CPU pipeline.

use expect_test::expect_file;
use transpica::geometry::{Dependence, GeometryInput, GeometrySetup};
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::Uniforms;
use transpica::settings::{Arithmetic, Block, FlipY, FloatControls, Layout, Outputs};
use transpica::stages::backend::naga::validate;
use transpica::stages::backend::text::Language;
use transpica::{
    GlslVersion, Job, Limits, Options, Precision, Profile, Program, Setup, Shbin, Stage, Tier, Translation,
    Translator,
};
use transpica_asm::{SourceText, assemble};
use transpica_proof::daily;
use transpica_proof::generate::GeometryDraw;
use transpica_proof::glslang;
use transpica_proof::{needs, spirv_tools};

use super::comparison::{Case, Count, InvocationInput, compare, compare_by_the_letter, compare_emits};
use crate::samples;

const OPTIONS: fn(Precision) -> Options = |precision| Options {
    arithmetic: Arithmetic { precision, ..Arithmetic::default() },
    block: Block { layout: Layout::Registers, ..Block::default() },
    ..Options::default()
};

fn program(file: &Shbin<'_>, index: usize) -> Program<'static> {
    dvle::program(file, index, &Limits::default()).expect("a program")
}

/// Returns a file's first vertex program and first geometry program.
fn pair(file: &Shbin<'_>) -> Option<(usize, usize)> {
    let is = |stage| (0..file.executables.len()).find(|&index| program(file, index).stage() == stage);
    Some((is(Stage::Vertex)?, is(Stage::Geometry)?))
}

/// Two draws of 36 vertices; for variable mode primitives of several sizes.
fn draws(input: GeometryInput, uniforms: [Uniforms; 2]) -> Vec<GeometryDraw> {
    let indices = match input {
        GeometryInput::Variable { main } => {
            let primitive = |extra: u32| {
                let size = u32::from(main) + extra;
                std::iter::once(size).chain((0..size).map(move |vertex| (vertex * 7 + extra) % 36))
            };
            Some([3, 1, 5, 2, 0].into_iter().flat_map(primitive).collect())
        }
        GeometryInput::Point { .. } | GeometryInput::Fixed { .. } => None,
    };
    let draw = |seed| GeometryDraw {
        uniforms: (seed == 0).then(|| uniforms.clone()),
        vertices: transpica_proof::generate::inputs(seed, 36),
        indices: indices.clone(),
    };
    (0..2).map(draw).collect()
}

/// Runs the geometry programs of all samples with several strides; returns the statistics by name.
fn samples(options: Options) -> Vec<(String, Count)> {
    let mut all = Vec::new();
    for sample in samples::samples() {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        let Some((vertex, geometry)) = pair(&file) else { continue };
        let (first, second) = (program(&file, vertex), program(&file, geometry));
        let outputs =
            Setup::from_file(&file, vertex, None, None).expect("a configuration").vertex_outputs.count_ones();
        for vertices in [1, 2, 3, 6] {
            // Some programs do not support every number of vertices.
            let Ok(setup) = Setup::from_file(&file, vertex, Some(geometry), Some(vertices * outputs as u8))
            else {
                continue;
            };
            let mut uniforms =
                [transpica_proof::generate::uniforms(1), transpica_proof::generate::uniforms(2)];
            for (uniforms, index) in uniforms.iter_mut().zip([vertex, geometry]) {
                dvle::constants(file.executable(index).expect("an executable")).apply(uniforms);
            }
            let draws = draws(setup.geometry.expect("a geometry program").input, uniforms);
            let case = Case { vertex: &first, geometry: &second, setup, draws: &draws, options };
            let count = compare(&case).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            all.push((sample.name.clone(), count.expect("samples end")));
        }
    }
    all
}

#[test]
fn kernels_have_one_result_whatever_a_driver_may_do() {
    let seeds = 0..daily::cases("geometry programs by the letter", 20, 200);
    let (mut triangles, mut open) = (0, 0);
    for seed in seeds.clone() {
        let generated = transpica_proof::generate::generate_geometry(seed);
        let (vertex, geometry) = (generated.vertex(), generated.geometry());
        let precision = if seed % 4 == 3 { Precision::F24 } else { Precision::Exact };
        let (setup, draws, options) = (generated.setup, &generated.draws[..], OPTIONS(precision));
        let case = Case { vertex: &vertex, geometry: &geometry, setup, draws, options };
        let compared = compare_by_the_letter(&case, FloatControls::ALL, 2);
        let compared = compared.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        triangles += compared.unwrap_or_else(|| panic!("seed {seed} does not end"));
        open += usize::from(compare_by_the_letter(&case, FloatControls::NONE, 1).is_err());
    }
    assert!(open > 0, "no program has another result without declarations");
    println!("{triangles} triangles of {seeds:?}");
    assert!(triangles as u64 > 20 * seeds.end, "{triangles}");
}

#[test]
fn samples_make_the_triangles_of_the_interpreter() {
    for precision in [Precision::Exact, Precision::F24] {
        let all = samples(OPTIONS(precision));
        assert!(all.len() > 20 && all.iter().map(|(_, count)| count.triangles).sum::<usize>() > 5000);
    }
}

/// Compares random programs under some options.
fn random(seeds: std::ops::Range<u64>, options: Options) -> Count {
    let mut all = Count::default();
    let programs = seeds.end - seeds.start;
    let what = format!("geometry programs from seed {}", seeds.start);
    for seed in seeds.take(daily::cases(&what, programs / 5, programs) as usize) {
        let generated = transpica_proof::generate::generate_geometry(seed);
        let (vertex, geometry) = (generated.vertex(), generated.geometry());
        let (setup, draws) = (generated.setup, &generated.draws[..]);
        let case = Case { vertex: &vertex, geometry: &geometry, setup, draws, options };
        let count = compare(&case).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        all.add(count.unwrap_or_else(|| panic!("seed {seed} does not end")));
    }
    all
}

#[test]
fn random_programs_make_the_triangles_of_the_interpreter() {
    let count = random(0..700, OPTIONS(Precision::Exact));
    count.dependences.iter().for_each(|&programs| assert!(programs > 10, "{count:?}"));
    let truncated = OPTIONS(Precision::F24);
    let outputs = Outputs { reverse_ends: true, ..truncated.outputs };
    random(1500..1600, Options { outputs, ..truncated });
}

#[test]
fn random_programs_make_these_triangles_in_every_tier() {
    let shallow = Limits { depth: 0, ..Limits::default() };
    random(2000..2080, Options { limits: shallow, ..OPTIONS(Precision::Exact) });
    let none = Limits { nodes_per_instruction: 0, nodes_base: 0, ..Limits::default() };
    random(2000..2080, Options { limits: none, ..OPTIONS(Precision::Exact) });
}

#[test]
fn samples_emit_the_registers_of_the_interpreter() {
    let mut emits = 0;
    for sample in samples::samples() {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        let Some((_, geometry)) = pair(&file) else { continue };
        let executable = file.executable(geometry).expect("an executable");
        let mut uniforms = transpica_proof::generate::uniforms(3);
        dvle::constants(executable).apply(&mut uniforms);
        let floats = |seed| transpica_proof::generate::uniforms(seed).floats;
        let inputs = transpica_proof::generate::inputs(4, 12);
        let invocations: Vec<_> = (0..)
            .zip(inputs)
            .map(|(seed, inputs)| InvocationInput { inputs, floats: floats(seed) })
            .collect();
        let (program, outputs) = (program(&file, geometry), executable.header.output_mask);
        let options = OPTIONS(Precision::Exact);
        let count = compare_emits(&program, outputs, &uniforms, &invocations, options);
        emits += count.unwrap_or_else(|error| panic!("{}: {error}", sample.name));
    }
    assert!(emits > 500, "{emits}");
}

#[test]
fn samples_emit_these_registers_in_every_tier() {
    // Depth 0: the block dispatcher. No control state: the pc dispatcher.
    let shallow = Limits { depth: 0, ..Limits::default() };
    let none = Limits { nodes_per_instruction: 0, nodes_base: 0, ..Limits::default() };
    for limits in [shallow, none] {
        let all = samples(Options { limits, ..OPTIONS(Precision::Exact) });
        assert!(all.len() > 20);
    }
}

#[test]
fn uninitialized_vertex_slots_have_the_documented_default() {
    let vertex = ".out pos position\n.out col color\n.entry main\n.proc main\n\tmov pos, v0\n\tmov col, v1\n\tend\n.end\n";
    // Colors whose unmapped components are 1, and a position whose z is negated.
    let geometry = ".gsh point c0\n.out pos position\n.out col color.xy\n.entry gmain\n.proc gmain\n\tsetemit 1, prim inv\n\
                    \tmov pos, v0\n\tmov col.xy, v1\n\temit\n\tend\n.end\n";
    let sources =
        [SourceText { name: "a.v.pica", text: vertex }, SourceText { name: "b.g.pica", text: geometry }];
    let assembled = assemble(&sources).unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let setup = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
    let (vertex, geometry) = (program(&file, 0), program(&file, 1));
    let draws = draws(setup.geometry.expect("a geometry program").input, Default::default());
    let options = OPTIONS(Precision::Exact);
    let case = Case { vertex: &vertex, geometry: &geometry, setup, draws: &draws, options };
    let count = compare(&case).unwrap_or_else(|error| panic!("{error}"));
    assert!(count.expect("ends").triangles > 0);
}

/// Returns the carried state of a program that emits a triangle of r14, r15 and v0, then runs
/// `last`. Its results are compared, too.
fn depth_of(last: &str) -> Dependence {
    let vertex = ".out pos position\n.entry main\n.proc main\n\tmov pos, v0\n\tend\n.end\n";
    let geometry = format!(
        ".gsh point c0\n.out pos position\n.entry gmain\n.proc gmain\n\tsetemit 0\n\tmov pos, r14\n\temit\n\
         \tsetemit 1\n\tmov pos, r15\n\temit\n\tsetemit 2, prim\n\tmov pos, v0\n\temit\n{last}\tend\n.end\n"
    );
    let sources =
        [SourceText { name: "a.v.pica", text: vertex }, SourceText { name: "b.g.pica", text: &geometry }];
    let assembled = assemble(&sources).unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let setup = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
    let (vertex, geometry) = (program(&file, 0), program(&file, 1));
    let options = OPTIONS(Precision::Exact);
    let draws = draws(setup.geometry.expect("a geometry program").input, Default::default());
    let case = Case { vertex: &vertex, geometry: &geometry, setup, draws: &draws, options };
    let count = compare(&case).unwrap_or_else(|error| panic!("{last}: {error}"));
    assert!(count.expect("ends").triangles > 0);
    let environment = FileEnvironment::new(&file, 1, "b").expect("an executable");
    let mut translator = Translator::new(options, Profile::default());
    let translated =
        translator.translate(&geometry, &environment, Job::Geometry(&setup)).expect("translates");
    translated.interface.kernel().expect("a kernel").dependence
}

#[test]
fn the_depth_of_carried_state_is_the_lifetime_of_a_value() {
    let from_the_last = "\tmov r14, v0\n\tmov r15, v0\n";
    let from_the_one_before = "\tmov r14, r15\n\tmov r15, v0\n";
    let a_sum = "\tmov r14, v0\n\tadd r15, r15, v0\n";
    let now_and_then = "\tmov r14, v0\n\tifu b0\n\tmov r15, v0\n\t.end\n";
    assert_eq!(depth_of(from_the_last), Dependence::Depth(1));
    assert_eq!(depth_of(from_the_one_before), Dependence::Depth(2));
    assert_eq!(depth_of(a_sum), Dependence::Unbounded);
    assert_eq!(depth_of(now_and_then), Dependence::Unbounded);
    // Registers that are never written carry no state.
    assert_eq!(depth_of(""), Dependence::None);
}

/// Statistics of a sample in point mode with one vertex per invocation.
fn memory_of(name: &str) -> [usize; 3] {
    let all = samples(OPTIONS(Precision::Exact));
    let (_, count) = all.iter().find(|(sample, _)| sample.ends_with(name)).expect("the sample");
    count.dependences.map(|count| count.min(1))
}

#[test]
fn carried_state_decides_the_number_of_threads() {
    assert_eq!(memory_of("/points.shbin"), [1, 0, 0]);
    assert_eq!(memory_of("/counter.shbin"), [0, 0, 1]);
}

/// Translates the geometry program of each sample under each of some options, for triangles and for
/// EMITs.
fn with_kernels(check: impl Fn(&str, &mut Translator, &Translation)) {
    let base = OPTIONS(Precision::Exact);
    let symbols = Options {
        block: Block { layout: Layout::Symbols, ..base.block },
        outputs: Outputs { flip_y: FlipY::Dynamic, ..base.outputs },
        ..base
    };
    let shallow = Limits { depth: 0, ..Limits::default() };
    let none = Limits { nodes_per_instruction: 0, nodes_base: 0, ..Limits::default() };
    let tiers = [
        (symbols, Tier::Structured),
        (OPTIONS(Precision::F24), Tier::Structured),
        (Options { limits: shallow, ..base }, Tier::BlockDispatcher),
        (
            Options {
                limits: none,
                arithmetic: Arithmetic { precision: Precision::Fast, ..base.arithmetic },
                ..base
            },
            Tier::PcDispatcher,
        ),
    ];
    let samples = samples::samples();
    let pairs = samples.iter().filter(|sample| pair(&Shbin::parse(&sample.bytes).expect("a file")).is_some());
    for sample in daily::some("geometry samples in every language", 3, pairs.collect()) {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        let Some((vertex, geometry)) = pair(&file) else { continue };
        let program = program(&file, geometry);
        let setup = Setup::from_file(&file, vertex, Some(geometry), None).expect("a configuration");
        let environment = FileEnvironment::new(&file, geometry, &sample.name).expect("an executable");
        for (options, tier) in tiers {
            let mut translator = Translator::new(options, Profile::default());
            let triangles =
                translator.translate(&program, &environment, Job::Geometry(&setup)).expect("translates");
            assert!(triangles.tier == tier || tier == Tier::BlockDispatcher, "{} {tier}", sample.name);
            check(&sample.name, &mut translator, &triangles);
            let emits = translator
                .translate(
                    &program,
                    &environment,
                    Job::Emits { outputs: setup.geometry.expect("there").outputs },
                )
                .expect("translates");
            check(&sample.name, &mut translator, &emits);
        }
    }
}

#[test]
fn geometry_compute_shaders_are_valid_in_every_language() {
    with_kernels(|name, translator, translated| {
        let words = translator.spirv(translated).unwrap_or_else(|error| panic!("{name}: {error}"));
        spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(words, translator.spirv(translated).expect("words"), "{name}: the same words again");
        let options = naga::front::spv::Options { adjust_coordinate_space: false, ..Default::default() };
        let module = naga::front::spv::Frontend::new(words.into_iter(), &options).parse();
        let module = module.unwrap_or_else(|error| panic!("{name}: naga: {error}"));
        validate(&module).unwrap_or_else(|error| panic!("{name}: naga: {error}"));
        let wgsl = translated.text(Language::Wgsl).expect("WGSL");
        let module = naga::front::wgsl::parse_str(&wgsl)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&wgsl)));
        validate(&module).unwrap_or_else(|error| panic!("{name}: {error}\n{wgsl}"));
        let glsl = |version| translated.text(Language::Glsl(version)).expect("GLSL");
        let (vulkan, es) = (glsl(GlslVersion::Vulkan450), glsl(GlslVersion::Es310));
        if needs::has(&["glslangValidator"]) {
            glslang::spirv(&vulkan, glslang::Stage::Compute)
                .unwrap_or_else(|error| panic!("{name}: {error}\n{vulkan}"));
            glslang::read(&es, glslang::Stage::Compute)
                .unwrap_or_else(|error| panic!("{name}: {error}\n{es}"));
        }
        for language in [Language::Hlsl, Language::Msl] {
            let text = translated.text(language);
            text.unwrap_or_else(|error| panic!("{name} {language:?}: {error}"));
        }
    });
}

/// Golden texts; `UPDATE_EXPECT=1 cargo test -p transpica --test semantics compute` rewrites them.
#[test]
fn wgsl_of_geometry_compute_shaders_matches_its_golden_files() {
    with_kernels(|path, translator, translated| {
        let name = path.trim_start_matches("shaders/").trim_end_matches(".shbin");
        let kernel = translated.interface.kernel().expect("a kernel");
        let is_usual = translator.options().block.layout == Layout::Symbols && !kernel.records_emits;
        if !is_usual || !["points", "counter"].contains(&name) {
            return;
        }
        let text = translated.text(Language::Wgsl).expect("WGSL");
        let golden = format!("{}/tests/cases/wgsl/{name}.kernel.wgsl", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&golden, &text).expect("writable");
        }
        expect_file![golden].assert_eq(&text);
    });
}

#[test]
fn triangles_of_a_geometry_compute_shader_are_drawn_by_a_plain_vertex_stage() {
    for sample in samples::samples() {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        let Some((vertex, geometry)) = pair(&file) else { continue };
        let program = program(&file, geometry);
        let setup = Setup::from_file(&file, vertex, Some(geometry), None).expect("a setup");
        let environment = FileEnvironment::new(&file, geometry, &sample.name).expect("an executable");
        // Attribute formats apply to the vertex program before it.
        let mut options = OPTIONS(Precision::Exact);
        options.input.formats[0].components = 2;
        let mut translator = Translator::new(options, Profile::default());
        let mut of_job = |job| translator.translate(&program, &environment, job).expect("translates");
        let (kernel, drawn) = (of_job(Job::Geometry(&setup)), of_job(Job::Draw(&setup)));
        assert_eq!(drawn.interface.outputs, kernel.interface.outputs, "{}", sample.name);
        spirv_tools::validate(&drawn.spirv().expect("words")).expect("valid");
        drawn.text(Language::Wgsl).expect("WGSL");
    }
}

/// Execution model of a module's entry point: the first operand of OpEntryPoint.
fn execution_model(words: &[u32]) -> u32 {
    let mut rest = &words[5..];
    while rest[0] & 0xFFFF != 15 {
        rest = &rest[(rest[0] >> 16) as usize..];
    }
    rest[1]
}

#[test]
fn the_entry_point_is_that_of_the_job() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/points.shbin")).expect("a file");
    let file = Shbin::parse(&bytes).expect("a container");
    let setup = Setup::from_file(&file, 0, Some(1), None).expect("a setup");
    let environment =
        [0, 1].map(|index| FileEnvironment::new(&file, index, "points.shbin").expect("an executable"));
    let programs = [0, 1].map(|index| program(&file, index));
    let mut translator = Translator::new(Options::default(), Profile::default());
    let (vertex, geometry, compute) = (0, 3, 5);
    let jobs = [
        (0, Job::Vertex, vertex),
        (0, Job::Compute, compute),
        (0, Job::BeforeGeometry { outputs: 3, vertices: 1 }, vertex),
        (1, Job::Geometry(&setup), compute),
        (1, Job::Emits { outputs: 3 }, compute),
        (1, Job::GeometryStage(&setup), geometry),
        (1, Job::Draw(&setup), vertex),
    ];
    for (place, job, model) in jobs {
        let translated =
            translator.translate(&programs[place], &environment[place], job).expect("translates");
        let words = translator.spirv(&translated).expect("words");
        assert_eq!(execution_model(&words), model, "{job:?}");
        assert_eq!(words, translated.spirv().expect("words"), "{job:?}");
        let has_text = model != geometry;
        assert_eq!(
            (translated.text(Language::Wgsl).is_ok(), translated.naga().is_ok()),
            (has_text, has_text)
        );
    }
}

#[test]
fn impossible_draw_configurations_are_refused() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/points.shbin")).expect("a file");
    let file = Shbin::parse(&bytes).expect("a container");
    let environment = FileEnvironment::new(&file, 1, "points.shbin").expect("an executable");
    let program = program(&file, 1);
    let whole = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
    let mut translator = Translator::new(OPTIONS(Precision::Exact), Profile::default());
    let identity: [u8; 16] = std::array::from_fn(|place| place as u8);
    let inputs = [
        GeometryInput::Point { inputs: 0, registers: identity },
        GeometryInput::Point { inputs: 17, registers: identity },
        GeometryInput::Point { inputs: 3, registers: identity },
        GeometryInput::Point { inputs: 2, registers: [16; 16] },
        GeometryInput::Variable { main: 0 },
        GeometryInput::Variable { main: 33 },
        GeometryInput::Fixed { first: 95, vertices: 1, stride: 1 },
        GeometryInput::Fixed { first: 0, vertices: 17, stride: 1 },
        GeometryInput::Fixed { first: 0, vertices: 1, stride: 17 },
    ];
    for input in inputs {
        let geometry = Some(GeometrySetup { input, outputs: 7 });
        let translated =
            translator.translate(&program, &environment, Job::Geometry(&Setup { geometry, ..whole }));
        assert!(translated.is_err(), "{input:?}");
    }
}

#[test]
fn keys_include_the_configuration() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/points.shbin")).expect("a file");
    let file = Shbin::parse(&bytes).expect("a container");
    let environment = FileEnvironment::new(&file, 1, "points.shbin").expect("an executable");
    let program = program(&file, 1);
    let translator = Translator::new(OPTIONS(Precision::Exact), Profile::default());
    let whole = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
    let key = |input, outputs| {
        let setup = Setup { geometry: Some(GeometrySetup { input, outputs }), ..whole };
        translator.key(&program, &environment, Job::Geometry(&setup), b"").expect("translates")
    };
    let identity = std::array::from_fn(|place| place as u8);
    let mut exchanged = identity;
    exchanged.swap(0, 1);
    let keys = [
        key(GeometryInput::Point { inputs: 2, registers: identity }, 7),
        key(GeometryInput::Point { inputs: 2, registers: identity }, 3),
        key(GeometryInput::Point { inputs: 2, registers: exchanged }, 7),
        key(GeometryInput::Point { inputs: 4, registers: identity }, 7),
        key(GeometryInput::Variable { main: 3 }, 7),
        key(GeometryInput::Fixed { first: 1, vertices: 2, stride: 2 }, 7),
        key(GeometryInput::Fixed { first: 2, vertices: 2, stride: 2 }, 7),
        translator.key(&program, &environment, Job::Emits { outputs: 7 }, b"").expect("translates"),
    ];
    let different: std::collections::BTreeSet<_> = keys.iter().collect();
    assert_eq!(different.len(), keys.len());
    assert_eq!(keys[0], key(GeometryInput::Point { inputs: 2, registers: identity }, 7));
}

#[test]
fn jobs_refuse_programs_of_the_other_stage() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/points.shbin")).expect("a file");
    let file = Shbin::parse(&bytes).expect("a container");
    let setup = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
    let environment = FileEnvironment::new(&file, 0, "points.shbin").expect("an executable");
    let mut translator = Translator::new(OPTIONS(Precision::Exact), Default::default());
    let error = translator
        .translate(&program(&file, 0), &environment, Job::Geometry(&setup))
        .expect_err("a vertex program");
    assert!(error.to_string().contains("vertex"), "{error}");
    let error =
        translator.translate(&program(&file, 1), &environment, Job::Compute).expect_err("a geometry program");
    assert!(error.to_string().contains("geometry"), "{error}");
}
