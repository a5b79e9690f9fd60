//! The table of jobs on the front page of the crate: each cell is what the translation does. The
//! stage that forwards finished vertices.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use transpica::host::{Environment, OutputMap, varying};
use transpica::isa::Pc;
use transpica::settings::{ClipPlanes, Outputs, Varying};
use transpica::{
    GlslVersion, Job, Options, Profile, Program, RegisterState, Setup, Shbin, Stage, Translation, Translator,
};
use transpica_draw::batch::Records;

/// Versions of GLSL by number, those of OpenGL and those of OpenGL ES.
const OPENGL: [(GlslVersion, u32); 8] = [
    (GlslVersion::Core330, 330),
    (GlslVersion::Core400, 400),
    (GlslVersion::Core410, 410),
    (GlslVersion::Core420, 420),
    (GlslVersion::Core430, 430),
    (GlslVersion::Core440, 440),
    (GlslVersion::Core450, 450),
    (GlslVersion::Core460, 460),
];
const OPENGL_ES: [(GlslVersion, u32); 3] =
    [(GlslVersion::Es300, 300), (GlslVersion::Es310, 310), (GlslVersion::Es320, 320)];

/// The versions that a job has: from one on, up to the last.
fn range(translated: &Translation, versions: &[(GlslVersion, u32)], suffix: &str) -> Option<String> {
    let has = |version: &GlslVersion| translated.glsl(*version).is_ok();
    let first = versions.iter().position(|(version, _)| has(version))?;
    let rest = &versions[first..];
    assert!(rest.iter().all(|(version, _)| has(version)), "the table has ranges only");
    let (first, last) = (rest[0].1, rest[rest.len() - 1].1);
    if first == last {
        return Some(format!("{last}{suffix}"));
    }
    let between = if rest.len() == 2 { "and" } else { "to" };
    Some(format!("{first} {between} {last}{suffix}"))
}

/// The cells of a job after its description.
fn cells(translated: &Translation) -> [String; 4] {
    let yes = |works: bool| if works { "yes" } else { "no" }.to_string();
    let glsl: Vec<_> = [range(translated, &OPENGL, ""), range(translated, &OPENGL_ES, " es")]
        .into_iter()
        .flatten()
        .collect();
    // The version for Vulkan stands for no column of its own.
    assert_eq!(translated.glsl(GlslVersion::Vulkan450).is_ok(), !glsl.is_empty());
    let texts = [translated.hlsl().is_ok(), translated.msl().is_ok()];
    assert_eq!(texts[0], texts[1], "the table has one column for HLSL and MSL");
    let glsl = if glsl.is_empty() { "no".into() } else { glsl.join(", ") };
    [yes(translated.spirv().is_ok()), yes(translated.wgsl().is_ok()), glsl, yes(texts[0])]
}

#[test]
fn the_front_page_lists_the_result_of_each_job() {
    let file = Shbin::parse(include_bytes!("../../shaders/points.shbin")).expect("a sample");
    let setup = Setup::from_file(&file, 0, Some(1), None).expect("a vertex and a geometry program");
    let programs = [0, 1].map(|index| file.program(index).expect("a program"));
    let outputs = setup.vertex_outputs;
    let mut translator = Translator::new(Options::default(), Profile::default());
    let page = include_str!("../../src/lib.rs");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("//! | [`Job::")).collect();
    let jobs = [
        ("Vertex", 0, Job::Vertex),
        ("Compute", 0, Job::Compute),
        ("Geometry", 1, Job::Geometry(&setup)),
        ("Draw", 1, Job::Draw(&setup)),
        ("GeometryStage", 1, Job::GeometryStage(&setup)),
        ("BeforeGeometry", 0, Job::BeforeGeometry { outputs, vertices: 1 }),
        ("Quaternions", 0, Job::Quaternions),
    ];
    assert_eq!(rows.len(), jobs.len());
    for ((name, program, job), row) in jobs.into_iter().zip(rows) {
        let program = &programs[program];
        let translated = translator.translate(program.program(), program.environment(), job).expect(name);
        // Marks of footnotes are not part of a cell.
        let cell = |cell: &'static str| cell.trim_matches([' ', '¹']);
        let found: Vec<&str> = row.trim_end_matches('|').split('|').map(cell).skip(3).collect();
        assert!(row.contains(&format!("[`Job::{name}`]")), "{row}");
        assert_eq!(found, cells(&translated), "{name}");
    }
}

#[test]
fn a_program_without_a_position_is_warned_of() {
    let code = [0x4C00_0000, 0x8800_0000]; // mov o0, v0; end
    let program = Program::from_raw(&code[..], &[0x36F][..], Pc(0), Stage::Vertex).expect("a program");
    let state = RegisterState::default();
    let mut translator = Translator::new(Options::default(), Profile::default());
    let mut warnings = |job| {
        let translated = translator.translate(&program, &state.vertex(), job).expect("translates");
        translated.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let expected = "input: no output is mapped to the position, so all vertices have the same position";
    assert_eq!(warnings(Job::Vertex), [expected]);
    assert_eq!(warnings(Job::Compute), [""; 0], "it stores registers, which need no map");
}

/// The vertex half of a pair has no position of its own, from a file or in registers.
#[test]
fn a_vertex_program_before_a_geometry_program_is_warned_of_as_such() {
    let vertex = ".out place dummy\n.out tint dummy\n.proc main\nmov place, v0\nmov tint, v1\nend\n.end";
    let geometry =
        ".gsh point c0\n.out pos position\n.entry g\n.proc g\nsetemit 0\nmov pos, v0\nemit\nend\n.end";
    let sources = [vertex, geometry].map(|text| transpica_asm::SourceText { name: "a.pica", text });
    let bytes = transpica_asm::assemble(&sources).unwrap_or_else(|report| panic!("{report}")).bytes;
    let file = Shbin::parse(&bytes).expect("valid");
    let program = file.program(0).expect("a vertex program");
    let state = RegisterState::from_dvle(&file, 0, Some(1)).expect("a pair");
    let mut translator = Translator::new(Options::default(), Profile::default());
    let mut warnings = |environment: &dyn Environment| {
        let translated =
            translator.translate(program.program(), environment, Job::Vertex).expect("translates");
        translated.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let taken = "input: a geometry program takes the outputs of this vertex program: none of them reach the rasterizer";
    assert_eq!(warnings(program.environment()), [format!("{taken}; DVLE 1 is that program")]);
    assert_eq!(warnings(&state.vertex()), [taken]);
    let before = Job::BeforeGeometry { outputs: 3, vertices: 1 };
    let translated =
        translator.translate(program.program(), program.environment(), before).expect("translates");
    assert_eq!(translated.warnings, [], "the stage that it is");
}

/// Words of the output map that name position, color, three texture coordinates with and without a
/// third component, quaternion and view.
const MAPPED: [[u8; 4]; 7] = [
    [0, 1, 2, 3],
    [8, 9, 10, 11],
    [12, 13, 16, 31],
    [14, 15, 31, 31],
    [22, 23, 31, 31],
    [4, 5, 6, 7],
    [18, 19, 20, 31],
];

#[test]
fn the_stage_for_vertices_from_the_cpu_forwards_any_outputs() {
    let end = Program::from_raw(&[0x8800_0000][..], &[][..], Pc(0), Stage::Vertex).expect("a program");
    let state = RegisterState::default();
    for (clip_planes, varyings) in [
        (ClipPlanes::None, Varying::DENSE),
        (ClipPlanes::None, Varying::AZAHAR),
        (ClipPlanes::BuiltIn, Varying::AZAHAR),
        (ClipPlanes::Varying, Varying::DENSE),
    ] {
        let options =
            Options { outputs: Outputs { clip_planes, ..Outputs::default() }, ..Options::default() };
        let profile = Profile { varyings, ..Profile::default() };
        let mut translator = Translator::new(options, profile.clone());
        for mask in 0..1 << MAPPED.len() {
            let words = (0u8..).zip(MAPPED).filter(|(register, _)| mask >> register & 1 != 0);
            let map = OutputMap::from_words(words);
            let setup = Setup { map, ..Setup::from_registers(&state).expect("a setup") };
            let stage = translator.translate(&end, &state.vertex(), Job::Draw(&setup)).expect("translates");
            assert_eq!(stage.interface.outputs, varying::outputs(&map, &options, &profile));
            let names = stage.interface.attributes.iter().map(|attribute| &attribute.name);
            assert!(names.eq(stage.interface.outputs.iter().map(|output| &output.name)));
            assert!(stage.spirv().is_ok());
            let wgsl = stage.wgsl().expect("text");
            let module = naga::front::wgsl::parse_str(&wgsl).expect("valid");
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::CLIP_DISTANCES);
            validator.validate(&module).unwrap_or_else(|error| panic!("{error:?}: {wgsl}"));
        }
    }
}

#[test]
fn that_stage_takes_records_of_its_outputs() {
    let end = Program::from_raw(&[0x8800_0000][..], &[][..], Pc(0), Stage::Vertex).expect("a program");
    let state = RegisterState::default();
    let outputs = Outputs { clip_planes: ClipPlanes::BuiltIn, ..Outputs::default() };
    let options = Options { outputs, ..Options::default() };
    let mut translator = Translator::new(options, Profile::default());
    for mask in 0..1 << MAPPED.len() {
        let words = (0u8..).zip(MAPPED).filter(|(register, _)| mask >> register & 1 != 0);
        let map = OutputMap::from_words(words);
        let setup = Setup { map, ..Setup::from_registers(&state).expect("a setup") };
        let stage = translator.translate(&end, &state.vertex(), Job::Draw(&setup)).expect("translates");
        let records = Records::new(stage.interface.outputs.clone(), &options);
        assert_eq!(records, Records::from_map(&map, &options));
        let mut end = 0;
        for (field, attribute) in records.fields.iter().zip(&stage.interface.attributes) {
            let lanes = field.output.lanes();
            assert_eq!((field.location, field.offset), (attribute.register, end));
            assert_eq!(lanes, usize::from(attribute.format.components), "{}", attribute.name);
            end += lanes;
        }
        assert_eq!((records.fields.len(), records.stride), (stage.interface.attributes.len(), end));
    }
}
