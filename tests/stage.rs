//! Geometry programs as native geometry stages: the declarations of a module, and the programs and
//! configurations that cannot be a stage. Tests with a driver compare their results with the
//! interpreter's.

use transpica::stages::asm::{SourceText, assemble};
use transpica::stages::backend::text::Language;
use transpica::stages::container::Shbin;
use transpica::stages::geometry::{GeometryInput, GeometryStage, StagePrimitive, Topology};
use transpica::stages::host::Setup;
use transpica::stages::host::dvle::{self, FileEnvironment};
use transpica::stages::host::{IntUniforms, Job};
use transpica::stages::limits::Limits;
use transpica::{Control, Options, Profile, Translator};
use transpica_prove::spirv_tools;

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
    ] {
        let (stage, words) = translate_stage(&bytes, inputs(count), None).expect("a stage");
        assert_eq!(stage, GeometryStage { primitive, vectors: 2, triangles: 1 });
        // Invocations 1, OutputVertices 3, OutputTriangleStrip.
        assert_eq!(modes(&words), [vec![mode], vec![0, 1], vec![29], vec![26, 3]]);
    }
    let refused = translate_stage(&bytes, inputs(10), None).expect_err("refused");
    assert!(refused.contains("not 5 of 2 vectors each"), "{refused}");
}

#[test]
fn programs_beyond_a_geometry_stage_are_refused() {
    let bytes = file(TRIANGLE);
    for topology in [Topology::Strip, Topology::Fan] {
        let refused = translate_stage(&bytes, |setup| setup.topology = topology, None).expect_err("refused");
        assert!(refused.contains("strips or fans"), "{refused}");
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
    assert_eq!(takes(Job::BeforeGeometry { outputs: 3 }), [true, false]);
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
        .translate(&program, &environment, Job::BeforeGeometry { outputs: 0b1010 })
        .expect("a stage");
    let names: Vec<_> = before.interface.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["o1", "o3"]);
    spirv_tools::validate(&translator.spirv(&before).expect("SPIR-V"))
        .unwrap_or_else(|error| panic!("{error}"));
}
