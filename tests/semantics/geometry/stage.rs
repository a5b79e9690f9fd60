//! Geometry programs as native geometry stages: the declarations of a module, and the programs and
//! configurations that cannot be a stage. Tests with a driver compare their results with the
//! interpreter's.

use transpica::geometry::{GeometryInput, GeometryStage, StagePrimitive, Topology};
use transpica::host::dvle::FileEnvironment;
use transpica::host::{OutputMap, dvle};
use transpica::reflect::Reflection;
use transpica::settings::{ClipPlanes, Control, IntUniforms, Outputs};
use transpica::stages::backend::text::Language;
use transpica::{GlslVersion, Job, Limits, Options, Profile, Setup, Shbin, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_proof::spirv_tools;
use transpica_proof::unnamed::Unnamed;

const VERTEX: &str =
    ".out pos position\n.out col color\n.entry main\n.proc main\n\tmov pos, v0\n\tmov col, v1\n\tend\n.end\n";
const HEAD: &str =
    ".gsh point c0\n.ivec rounds\n.out pos position\n.out col color\n.entry gmain\n.proc gmain\n";
/// Copies the first vertex into one triangle.
const TRIANGLE: &str = "\tmov pos, v0\n\tmov col, v1\n\tsetemit 0\n\temit\n\tmov pos, v0\n\tmov col, v1\n\tsetemit 1\n\temit\n\
                        \tmov pos, v0\n\tmov col, v1\n\tsetemit 2, prim\n\temit\n";

/// Assembles a vertex program that copies, and a geometry program with this text.
fn file(body: &str) -> Vec<u8> {
    let text = format!("{HEAD}{body}\tend\n.end\n");
    let sources =
        [SourceText { name: "a.v.pica", text: VERTEX }, SourceText { name: "b.g.pica", text: &text }];
    assemble(&sources).unwrap_or_else(|report| panic!("{report}")).bytes
}

/// Translates the program to a stage; `rounds` is the iteration count of its loops, if known.
fn translate_stage(
    bytes: &[u8],
    change: impl FnOnce(&mut Setup),
    rounds: Option<u8>,
) -> Result<(GeometryStage, Vec<u32>), String> {
    let file = Shbin::parse(bytes).expect("a file");
    let mut setup = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
    change(&mut setup);
    let mut ints = IntUniforms::default();
    ints.baked[0] = rounds.map(|rounds| [rounds - 1, 0, 1, 0]);
    let options = Options { control: Control { ints, ..Control::default() }, ..Options::default() };
    let mut translator = Translator::new(options, Profile::default());
    let program = dvle::program(&file, 1, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 1, "b.g.pica").expect("there");
    let stage = translator.translate(&program, &environment, Job::GeometryStage(&setup));
    let stage = stage.map_err(|error| error.to_string())?;
    let words = translator.spirv(&stage).expect("SPIR-V");
    spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{error}"));
    assert!(stage.text(Language::Wgsl).is_err(), "WGSL has no geometry stages");
    assert!(stage.interface.attributes.is_empty(), "it reads vertices");
    Ok((*stage.interface.stage().expect("a stage"), words))
}

fn inputs(count: u8) -> impl Fn(&mut Setup) {
    move |setup| {
        if let Some(geometry) = &mut setup.geometry
            && let GeometryInput::Point { inputs, .. } = &mut geometry.input
        {
            *inputs = count;
        }
    }
}

/// The operands of the entry point's execution modes; the first operand is the mode.
fn modes(words: &[u32]) -> Vec<Vec<u32>> {
    let (mut modes, mut place) = (Vec::new(), 5);
    while let Some(&head) = words.get(place) {
        let length = (head >> 16) as usize;
        if head & 0xFFFF == 16 {
            modes.push(words[place + 2..place + length].to_vec());
        }
        place += length;
    }
    modes
}

#[test]
fn the_number_of_vertices_chooses_the_primitive() {
    let bytes = file(TRIANGLE);
    // Execution modes: InputPoints, InputLines, Triangles, InputLinesAdjacency,
    // InputTrianglesAdjacency.
    for (count, primitive, mode) in [
        (2, StagePrimitive::Points, 19),
        (4, StagePrimitive::Lines, 20),
        (6, StagePrimitive::Triangles, 22),
        (8, StagePrimitive::LinesAdjacency, 21),
        (12, StagePrimitive::TrianglesAdjacency, 23),
        // 5 and 8 vertices, all in one point.
        (10, StagePrimitive::Points, 19),
        (16, StagePrimitive::Points, 19),
    ] {
        let (stage, words) = translate_stage(&bytes, inputs(count), None).expect("a stage");
        let vectors = if [10, 16].contains(&count) { count } else { 2 };
        assert_eq!(stage, GeometryStage { primitive, vectors, triangles: 1 });
        // Invocations 1, OutputVertices 3, OutputTriangleStrip.
        assert_eq!(modes(&words), [vec![mode], vec![0, 1], vec![29], vec![26, 3]]);
    }
    let refused = translate_stage(&bytes, inputs(9), None).expect_err("refused");
    assert!(refused.contains("9 inputs are not a multiple of the vertex program's 2 outputs"), "{refused}");
}

#[test]
fn a_vertex_stage_runs_the_program_for_each_vertex_of_a_point() {
    let bytes = file(TRIANGLE);
    let file = Shbin::parse(&bytes).expect("a file");
    let mut setup = Setup::from_file(&file, 0, Some(1), None).expect("a setup");
    assert_eq!(setup.point_vertices(), 1);
    inputs(12)(&mut setup);
    assert_eq!(setup.point_vertices(), 1, "six vertices are a primitive");
    inputs(16)(&mut setup);
    assert_eq!(setup.point_vertices(), 8);
    let program = file.program(0).expect("a program");
    let translator = || Translator::new(Options::default(), Profile::default());
    let before = |outputs, vertices| {
        let job = Job::BeforeGeometry { outputs, vertices };
        translator().translate(program.program(), program.environment(), job)
    };
    let translated = before(setup.vertex_outputs, 8).expect("a stage");
    let words = translated.spirv().expect("SPIR-V");
    spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{error}"));
    let interface = &translated.interface;
    let locations: Vec<u8> = interface.attributes.iter().map(|attribute| attribute.register).collect();
    assert_eq!(locations, (0..16).collect::<Vec<_>>());
    let names: Vec<_> = interface.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[15]), (16, "vector_a", "vector_p"));
    let text = translated.text(Language::Glsl(GlslVersion::Core330)).expect("GLSL");
    assert!(text.contains("layout(location = 15) in vec4 in_v1_unbound_h;"), "{text}");
    assert!(text.contains("vector_p = in_v1_unbound_h;"), "{text}");

    // At the edges: 16 vectors and one more, no vertex, one vertex as ever.
    let refused = before(3, 9).expect_err("refused").to_string();
    assert!(refused.contains("a point of 9 vertices has 18 vectors"), "{refused}");
    assert!(before(3, 0).is_err() && before(0, 2).is_err() && before(3, 1).is_ok());
    let key = |vertices| {
        let job = Job::BeforeGeometry { outputs: 1, vertices };
        translator().key(program.program(), program.environment(), job, b"").expect("translates")
    };
    assert_ne!(key(1), key(2));
    assert!(before(1, 16).is_ok(), "v0 alone is read");
}

#[test]
fn points_have_as_many_attributes_as_a_vertex_stage() {
    let text = ".out pos position\n.proc main\n\tmov r0, v3\n\tadd pos, r0, v7\n\tend\n.end\n";
    let bytes =
        assemble(&[SourceText { name: "a.v.pica", text }]).unwrap_or_else(|report| panic!("{report}")).bytes;
    let file = Shbin::parse(&bytes).expect("a file");
    let program = file.program(0).expect("a program");
    let mut translator = Translator::new(Options::default(), Profile::default());
    let mut before = |vertices| {
        let job = Job::BeforeGeometry { outputs: 1, vertices };
        translator.translate(program.program(), program.environment(), job)
    };
    let interface = before(8).expect("sixteen attributes").interface;
    let first: Vec<_> =
        interface.attributes.iter().map(|attribute| attribute.name.as_str()).take(3).collect();
    assert_eq!(first, ["v3_unbound_a", "v7_unbound_a", "v3_unbound_b"]);
    let error = before(9).expect_err("eighteen").to_string();
    assert!(
        error.contains("a point of 9 vertices with 2 attributes each needs 18, and there are 16"),
        "{error}"
    );
}

#[test]
fn programs_beyond_a_geometry_stage_are_refused() {
    let bytes = file(TRIANGLE);
    for topology in [Topology::Strip, Topology::Fan] {
        let refused = translate_stage(&bytes, |setup| setup.topology = topology, None).expect_err("refused");
        assert!(refused.contains("a strip or fan assembler"), "{refused}");
    }
    assert!(translate_stage(&bytes, |setup| setup.topology = Topology::List, None).is_ok());
    let fixed = GeometryInput::Fixed { first: 0, vertices: 1, stride: 2 };
    for input in [fixed, GeometryInput::Variable { main: 1 }] {
        let change = |setup: &mut Setup| setup.geometry.as_mut().expect("one").input = input;
        let refused = translate_stage(&bytes, change, None).expect_err("refused");
        assert!(refused.contains("only point mode"), "{refused}");
    }
    let refused = translate_stage(&bytes, |setup| setup.geometry = None, None).expect_err("refused");
    assert!(refused.contains("no geometry program"), "{refused}");
}

#[test]
fn programs_with_carried_state_are_refused_at_the_place() {
    for (body, words) in [
        (
            "\tmov r0, v0\n\tadd r0, r1, r0\n\tmov r1, r0\n\tmov pos, r0\n\tmov col, v1\n\tsetemit 0, prim\n\temit\n",
            "r1.x",
        ),
        (
            "\tjmpu b15, over\n\tmov pos, v0\nover:\n\tmov pos, v1\n\tmov col, v1\n\tsetemit 0, prim\n\temit\n",
            "b15",
        ),
    ] {
        let refused = translate_stage(&file(body), |_| {}, None).expect_err("refused");
        assert!(refused.contains(words) && refused.contains("pc 0x"), "{refused}");
    }
}

#[test]
fn a_stage_states_how_many_vertices_it_emits() {
    let body = format!("again:\n{TRIANGLE}\tcmp v0, gt, gt, v1\n\tjmpc cmp.x, again\n");
    let refused = translate_stage(&file(&body), |_| {}, None).expect_err("refused");
    assert!(refused.contains("no proven bound"), "{refused}");
    let body = format!("\tfor rounds\n{TRIANGLE}\t.end\n");
    for (rounds, triangles) in [(Some(7), 7), (None, 256)] {
        let (stage, words) = translate_stage(&file(&body), |_| {}, rounds).expect("a stage");
        assert_eq!(stage.triangles, triangles);
        assert!(modes(&words).contains(&vec![26, 3 * triangles]));
    }
    // The limit is 1024 vertices.
    let body = format!("\tfor rounds\n{TRIANGLE}{TRIANGLE}\t.end\n");
    assert!(translate_stage(&file(&body), |_| {}, Some(170)).is_ok());
    let refused = translate_stage(&file(&body), |_| {}, Some(171)).expect_err("refused");
    assert!(refused.contains("vertices of a geometry stage") && refused.contains("1026"), "{refused}");
    // A stage that emits nothing still declares some vertices.
    let (_, words) = translate_stage(&file("\tnop\n"), |_| {}, None).expect("a stage");
    assert!(modes(&words).contains(&vec![26, 1]));
}

#[test]
fn each_job_takes_programs_of_its_stage() {
    let bytes = file(TRIANGLE);
    let file = Shbin::parse(&bytes).expect("a file");
    let setup = Setup::from_file(&file, 0, Some(1), None).expect("a setup");
    let [vertex, geometry] =
        [0, 1].map(|index| dvle::program(&file, index, &Limits::default()).expect("one"));
    let environment = FileEnvironment::new(&file, 1, "b.g.pica").expect("there");
    let mut translator = Translator::new(Options::default(), Profile::default());
    let mut takes = |job| [&vertex, &geometry].map(|it| translator.translate(it, &environment, job).is_ok());
    assert_eq!(takes(Job::Vertex), [true, false]);
    assert_eq!(takes(Job::Compute), [true, false]);
    assert_eq!(takes(Job::BeforeGeometry { outputs: 3, vertices: 1 }), [true, false]);
    assert_eq!(takes(Job::Geometry(&setup)), [false, true]);
    assert_eq!(takes(Job::Emits { outputs: 3 }), [false, true]);
    assert_eq!(takes(Job::GeometryStage(&setup)), [false, true]);
    assert_eq!(takes(Job::Draw(&setup)), [true, true]);
}

#[test]
fn keys_of_stages_cover_their_inputs() {
    let bytes = file(TRIANGLE);
    let file = Shbin::parse(&bytes).expect("a file");
    let setup = Setup::from_file(&file, 0, Some(1), None).expect("a setup");
    let program = dvle::program(&file, 1, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 1, "b.g.pica").expect("there");
    let translator = Translator::new(Options::default(), Profile::default());
    let key = |job| translator.key(&program, &environment, job, &[]).expect("translates");
    let list = Setup { topology: Topology::List, ..setup };
    let one = Setup { vertex_outputs: 1, ..setup };
    let stage = key(Job::GeometryStage(&setup));
    assert_eq!(stage, key(Job::GeometryStage(&setup)));
    assert_ne!(stage, key(Job::GeometryStage(&list)), "winding matters in one topology only");
    assert_ne!(stage, key(Job::GeometryStage(&one)), "two vertices instead of one");
    assert_ne!(stage, key(Job::Geometry(&setup)));
    assert_eq!(
        key(Job::Geometry(&setup)),
        key(Job::Geometry(&list)),
        "the topology is a parameter of kernels"
    );
}

#[test]
fn a_vertex_stage_before_a_geometry_stage_passes_registers_on() {
    let bytes = file(TRIANGLE);
    let file = Shbin::parse(&bytes).expect("a file");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 0, "a.v.pica").expect("there");
    let mut translator = Translator::new(Options::default(), Profile::default());
    let before = translator
        .translate(&program, &environment, Job::BeforeGeometry { outputs: 0b1010, vertices: 1 })
        .expect("a stage");
    let names: Vec<_> = before.interface.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["vector_a", "vector_b"]);
    spirv_tools::validate(&translator.spirv(&before).expect("SPIR-V"))
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn quaternion_stages_are_valid_and_serve_all_programs_on_request() {
    let bytes = file(TRIANGLE);
    let file = Shbin::parse(&bytes).expect("a file");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let mut modules = 0;
    let maps: Vec<OutputMap> = (0..64u8)
        .map(|mask| {
            let codes = [
                [4, 5, 6, 7],
                [8, 9, 10, 11],
                [12, 13, 16, 31],
                [14, 15, 31, 31],
                [18, 19, 20, 31],
                [0, 1, 2, 3],
            ];
            OutputMap::from_words((0..).zip(codes).filter(|(register, _)| mask >> register & 1 != 0))
        })
        .collect();
    for version in (0..=6).map(|minor| (1, minor)) {
        for clip_planes in [ClipPlanes::None, ClipPlanes::BuiltIn, ClipPlanes::Varying] {
            for all in [false, true] {
                let outputs = Outputs { clip_planes, all, ..Outputs::default() };
                let names = version.1 % 2 == 0;
                let no_contraction = version.1 % 3 != 0;
                let profile = Profile { spirv_version: version, names, no_contraction, ..Profile::default() };
                let mut translator = Translator::new(Options { outputs, ..Options::default() }, profile);
                let mut seen = std::collections::BTreeMap::new();
                for map in &maps {
                    let environment = Unnamed { map: *map };
                    let stage =
                        translator.translate(&program, &environment, Job::Quaternions).expect("a stage");
                    let words = translator.spirv(&stage).expect("SPIR-V");
                    let key =
                        translator.key(&program, &environment, Job::Quaternions, b"").expect("translates");
                    if seen.insert(key, words.clone()).is_none_or(|known| known != words) {
                        spirv_tools::validate_for(&words, version).unwrap_or_else(|error| panic!("{error}"));
                        modules += 1;
                    }
                    let vertex =
                        translator.translate(&program, &environment, Job::Vertex).expect("translates");
                    assert_eq!(stage.interface.outputs, vertex.interface.outputs);
                    // A reflection of a stage without a program lists its outputs.
                    let reflection = Reflection::new(&program, &stage, &Default::default());
                    assert_eq!(reflection.places.outputs.len(), stage.interface.outputs.len());
                }
                // Half of them have one module: they differ in the position, which is always there.
                assert_eq!(seen.len(), if all { 1 } else { 64 });
            }
        }
    }
    assert_eq!(modules, 7 * 3 * 65);
    let mut translator = Translator::new(Options::default(), Profile::default());
    let environment = Unnamed { map: maps[63] };
    let stage = translator.translate(&program, &environment, Job::Quaternions).expect("a stage");
    expect_test::expect![[r#"
        #version 450

        layout(triangles) in;
        layout(triangle_strip, max_vertices = 3) out;

        in gl_PerVertex {
            vec4 gl_Position;
        } gl_in[];

        out gl_PerVertex {
            vec4 gl_Position;
        };
        invariant gl_Position;

        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 color;
        layout(location = 1) in vec2 in_texcoord0_uv[];
        layout(location = 1) out vec2 texcoord0_uv;
        layout(location = 2) in vec2 in_texcoord1_uv[];
        layout(location = 2) out vec2 texcoord1_uv;
        layout(location = 4) in float in_texcoord0_w[];
        layout(location = 4) out float texcoord0_w;
        layout(location = 5) in vec4 in_normal_quaternion[];
        layout(location = 5) out vec4 normal_quaternion;
        layout(location = 6) in vec3 in_view[];
        layout(location = 6) out vec3 view;

        void main() {
            for (int n = 0; n < 3; n++) {
                gl_Position = gl_in[n].gl_Position;
                color = in_color[n];
                texcoord0_uv = in_texcoord0_uv[n];
                texcoord1_uv = in_texcoord1_uv[n];
                texcoord0_w = in_texcoord0_w[n];
                precise vec4 products = in_normal_quaternion[0] * in_normal_quaternion[n];
                precise float side = products.x + products.y + products.z + products.w;
                normal_quaternion = side < 0.0 ? -in_normal_quaternion[n] : in_normal_quaternion[n];
                view = in_view[n];
                EmitVertex();
            }
            EndPrimitive();
        }
    "#]]
    .assert_eq(&stage.text(Language::Glsl(GlslVersion::Vulkan450)).expect("text"));
}
