//! Geometry programs as native geometry stages after their translated vertex programs: transform
//! feedback captures the interpreter's vertices, bit for bit.

use ash::vk;
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass};
use transpica::geometry::{GeometryInput, GeometrySetup, StagePrimitive, Topology};
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, HostValues, Output, dvle, layout, varying};
use transpica::interp::{GeometryMachine, Registers, Settings, Uniforms};
use transpica::isa::Pc;
use transpica::settings::{Binding, Bindings, Block, Control, IntUniforms, Layout};
use transpica::{Machine, Options, Profile, Program, Setup, Stage, Translation, Translator};
use transpica_draw::cpu::Triangles;
use transpica_proof::generate::{GeometryDraw, generate_geometry};
use transpica_proof::scenes;
use transpica_proof::spirv_tools;
use transpica_proof::unnamed::Unnamed;

use crate::native::{Job, Native};

/// Number of random programs tried. Those of point mode with independent invocations can be a
/// geometry stage.
const SEEDS: u64 = 1000;
/// Names of the uniform blocks of both stages.
pub const BLOCKS: [&str; 2] = ["Uniforms", "GeometryUniforms"];

/// Adds transform feedback to a module: all outputs of a vertex go to buffer 0, one after the
/// other.
fn with_feedback(words: &[u32], outputs: &[Output]) -> Vec<u32> {
    let mut module = rspirv::dr::load_words(words).expect("a module");
    let operand = Operand::Capability(Capability::TransformFeedback);
    module.capabilities.push(Instruction::new(Op::Capability, None, None, vec![operand]));
    let main = module.entry_points[0].operands[1].clone();
    let mode = Operand::ExecutionMode(ExecutionMode::Xfb);
    module.execution_modes.push(Instruction::new(Op::ExecutionMode, None, None, vec![main, mode]));
    // Output variables are declared in the order of the interface.
    let is_output = |instruction: &&Instruction| {
        instruction.operands.first() == Some(&Operand::StorageClass(StorageClass::Output))
    };
    let variables = module.types_global_values.iter().filter(|global| global.class.opcode == Op::Variable);
    let variables: Vec<_> = variables.filter(is_output).filter_map(|variable| variable.result_id).collect();
    assert_eq!(variables.len(), outputs.len());
    let stride = 4 * outputs.iter().map(|output| output.lanes() as u32).sum::<u32>();
    let mut offset = 0;
    for (variable, output) in variables.into_iter().zip(outputs) {
        for (decoration, value) in
            [(Decoration::XfbBuffer, 0), (Decoration::XfbStride, stride), (Decoration::Offset, offset)]
        {
            let operands =
                vec![Operand::IdRef(variable), Operand::Decoration(decoration), Operand::LiteralBit32(value)];
            module.annotations.push(Instruction::new(Op::Decorate, None, None, operands));
        }
        offset += 4 * output.lanes() as u32;
    }
    module.assemble()
}

fn topology(primitive: StagePrimitive) -> vk::PrimitiveTopology {
    match primitive {
        StagePrimitive::Points => vk::PrimitiveTopology::POINT_LIST,
        StagePrimitive::Lines => vk::PrimitiveTopology::LINE_LIST,
        StagePrimitive::Triangles => vk::PrimitiveTopology::TRIANGLE_LIST,
        StagePrimitive::LinesAdjacency => vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
        StagePrimitive::TrianglesAdjacency => vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
    }
}

/// The words of all vertices of all triangles, with the components that each output has.
fn words(drawn: &Triangles) -> Vec<u32> {
    let vertices = drawn.triangles().flatten();
    let outputs = vertices.flat_map(|vertex| vertex.iter().zip(drawn.outputs()));
    let numbers = outputs.flat_map(|(value, output)| value.iter().take(output.lanes()));
    numbers.map(|number| number.to_bits()).collect()
}

fn options() -> Options {
    Options { block: Block { layout: Layout::Registers, ..Block::default() }, ..Options::default() }
}

/// Builds a translator with fixed int uniforms, and with the uniform block of a stage at `binding`.
fn translator(binding: u32, uniforms: &Uniforms) -> Translator {
    let ints = IntUniforms { baked: uniforms.ints.map(Some), ..IntUniforms::default() };
    let bindings = Bindings { uniforms: Binding { set: 0, binding }, ..Bindings::default() };
    Translator::new(
        Options { control: Control { ints, ..options().control }, ..options() },
        Profile { bindings, ..Profile::default() },
    )
}

/// Vertex and geometry programs with their bindings and uniforms.
pub struct Programs<'a> {
    pub name: &'a str,
    programs: [&'a Program<'a>; 2],
    environment: [&'a dyn Environment; 2],
    pub uniforms: [Uniforms; 2],
    setup: Setup,
}

impl Programs<'_> {
    /// Translates both stages; an error states why the program cannot be a geometry stage.
    pub fn translate(&self) -> Result<[Translation; 2], String> {
        let Self { name, programs, environment, uniforms, setup } = self;
        let mut geometry = translator(1, &uniforms[1]);
        let stage = geometry.translate(programs[1], environment[1], transpica::Job::GeometryStage(setup));
        let stage = stage.map_err(|error| error.to_string())?;
        let mut vertex = translator(0, &uniforms[0]);
        let job = transpica::Job::BeforeGeometry {
            outputs: setup.vertex_outputs,
            vertices: setup.point_vertices(),
        };
        let before = vertex.translate(programs[0], environment[0], job);
        Ok([before.unwrap_or_else(|error| panic!("{name}: {error}")), stage])
    }

    /// Returns the vertices as the stage before takes them, and the locations of their attributes:
    /// the vertices themselves, or points of several.
    pub fn points(
        &self,
        before: &Translation,
        vertices: &[[[f32; 4]; 16]],
    ) -> (Vec<[[f32; 4]; 16]>, Vec<u8>) {
        let registers: Vec<u8> =
            (0..16).filter(|register| before.usage.inputs >> register & 1 != 0).collect();
        let count = usize::from(self.setup.point_vertices());
        if count == 1 {
            return (vertices.to_vec(), registers);
        }
        let point = |vertices: &[[[f32; 4]; 16]]| {
            let mut point = [[0.0; 4]; 16];
            let read = vertices.iter().flat_map(|vertex| registers.iter().map(|&n| vertex[usize::from(n)]));
            point.iter_mut().zip(read).for_each(|(to, vector)| *to = vector);
            point
        };
        // Range: at most sixteen.
        let locations = (0..(count * registers.len()) as u8).collect();
        (vertices.chunks_exact(count).map(point).collect(), locations)
    }
}

/// Runs the native stages over vertices; an error states why the program cannot be a geometry
/// stage.
fn native(device: &Native, case: &Programs<'_>, vertices: &[[[f32; 4]; 16]]) -> Result<Vec<u32>, String> {
    let Programs { name, uniforms, .. } = case;
    let [before, stage] = case.translate()?;
    let [vertex_words, geometry_words] = [&before, &stage].map(|translated| {
        let words = translated.spirv().expect("SPIR-V");
        spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
        words
    });
    let shape = stage.interface.stage().expect("a geometry stage");
    let (vertices, attributes) = case.points(&before, vertices);
    let job = Job {
        vertex: &vertex_words,
        geometry: &with_feedback(&geometry_words, &stage.interface.outputs),
        vertices: &vertices,
        attributes: &attributes,
        topology: topology(shape.primitive),
        blocks: [
            &layout::pack(&before.interface.block, &uniforms[0]),
            &layout::pack(&stage.interface.block, &uniforms[1]),
        ],
        room: 1 << 22,
    };
    Ok(device.run(&job).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Describes the first word that differs from the interpreter's. Any two NaN are equal, and so are
/// the two zeros, whose sign no instruction can observe.
fn difference(found: &[u32], expected: &[u32]) -> Option<String> {
    let same = |a: u32, b: u32| {
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        a == b || x == 0.0 && y == 0.0 || x.is_nan() && y.is_nan()
    };
    let place = found.iter().zip(expected).position(|(&a, &b)| !same(a, b));
    if place.is_none() && found.len() == expected.len() {
        return None;
    }
    let [found_at, expected_at] =
        [found, expected].map(|words| place.map(|place| f32::from_bits(words[place])));
    let (found, expected) = (found.len(), expected.len());
    Some(format!("{found} words instead of {expected}; at {place:?} {found_at:?} instead of {expected_at:?}"))
}

/// Runs stages over vertices and returns the numbers of all vertices of all triangles.
pub type Run<'a> = &'a dyn Fn(&Programs<'_>, &[[[f32; 4]; 16]]) -> Result<Vec<u32>, String>;

#[test]
fn samples_in_a_geometry_stage_match_the_interpreter() {
    needs!("vulkan");
    let device = Native::open().unwrap_or_else(|error| panic!("{error}"));
    check_samples(&|case, vertices| native(&device, case, vertices));
}

/// Compares the scenes of the samples with the interpreter.
pub fn check_samples(run: Run<'_>) {
    let mut refused = Vec::new();
    for scene in scenes::list() {
        let file = scene.file().expect("well formed");
        let [vertex, geometry] =
            [0, 1].map(|index| dvle::program(&file, index, &Options::default().limits).expect("valid"));
        let environment = [0, 1].map(|index| FileEnvironment::new(&file, index, scene.name).expect("there"));
        let case = Programs {
            name: scene.name,
            programs: [&vertex, &geometry],
            environment: [&environment[0], &environment[1]],
            uniforms: [Stage::Vertex, Stage::Geometry].map(|stage| scene.uniforms(stage).expect("valid")),
            setup: scene.setup().expect("valid"),
        };
        match run(&case, &scene.vertices) {
            Ok(found) => {
                let mut pipeline = scene.pipeline(&Options::default()).expect("valid");
                let drawn = pipeline.draw(&scene.vertices, None).expect("draws");
                assert_eq!(difference(&found, &words(&drawn)), None, "{}", scene.name);
                assert!(!found.is_empty(), "{}", scene.name);
            }
            Err(error) => refused.push(format!("{}: {error}", scene.name)),
        }
    }
    expect_test::expect![[r#"
        counter: pc 0xe: no geometry stage: an invocation reads r15.x as earlier ones left it
        fireworks: input: no geometry stage: only point mode puts vertices in registers
        subdivision: input: no geometry stage: only point mode puts vertices in registers
        trail: pc 0x26: no geometry stage: an invocation reads r14.x as earlier ones left it"#]]
    .assert_eq(&refused.join("\n"));
}

/// The vertices of a draw in the order in which they are processed.
fn ordered(draw: &GeometryDraw) -> Vec<[[f32; 4]; 16]> {
    match &draw.indices {
        Some(indices) => indices.iter().map(|&index| draw.vertices[index as usize]).collect(),
        None => draw.vertices.clone(),
    }
}

/// Flushes numbers that some drivers treat as zero.
fn flush(registers: &mut [[f32; 4]]) {
    let small = registers.iter_mut().flatten().filter(|number| number.is_subnormal());
    small.for_each(|number| *number = 0.0);
}

/// Runs the interpreter over vertices; `flush_subnormals` selects the treatment of subnormal
/// results in the graphics stages of some drivers.
fn expected(case: &Programs<'_>, vertices: &[[[f32; 4]; 16]], flush_subnormals: bool) -> Vec<u32> {
    let options = options();
    let settings = Settings { flush_subnormals, ..options.settings(1 << 20) };
    let setup = case.setup.geometry.expect("a geometry program");
    let GeometryInput::Point { inputs, registers } = setup.input else { panic!("point mode") };
    let mut vertex = Machine::new(case.programs[0], settings).expect("a vertex program");
    vertex.set_uniforms(&case.uniforms[0]);
    let mut geometry =
        GeometryMachine::new(case.programs[1], setup.outputs, settings).expect("a geometry program");
    geometry.set_uniforms(&case.uniforms[1]);
    let passed = |register: &usize| case.setup.vertex_outputs >> register & 1 != 0;
    let mut vectors = Vec::new();
    for inputs in vertices {
        let outputs = vertex.run(inputs).expect("runs");
        vectors.extend((0..16).filter(passed).map(|register| outputs[register]));
    }
    let outputs = varying::outputs(&case.setup.map, &options, &Default::default());
    let mut words = Vec::new();
    for own in vectors.chunks_exact(inputs.into()) {
        let mut inputs = Registers::DEFAULT_INPUTS;
        own.iter().zip(registers).for_each(|(&vector, register)| inputs[usize::from(register)] = vector);
        for triangle in geometry.run(&inputs).expect("runs").triangles() {
            let mut corners = triangle.vertices;
            if triangle.invert && case.setup.topology == Topology::Geometry {
                corners.swap(0, 1);
            }
            for (corner, output) in
                corners.iter().flat_map(|corner| outputs.iter().map(move |output| (corner, output)))
            {
                let value = output.value(corner, &options, &HostValues::default());
                words.extend(value[..output.lanes()].iter().map(|number| number.to_bits()));
            }
        }
    }
    words
}

#[test]
fn points_of_several_vertices_match_the_interpreter() {
    needs!("vulkan");
    let device = Native::open().unwrap_or_else(|error| panic!("{error}"));
    check_points(SEEDS, &|case, vertices| native(&device, case, vertices));
}

/// Compares random geometry programs that take 5, 7 or 8 vertices, which no primitive has, with the
/// interpreter.
pub fn check_points(seeds: u64, run: Run<'_>) {
    // mul on, cn, v0 or v1 for each n; end
    let mul = |n: u32| 0x2000_0000 | n << 21 | (0x20 + n) << 12 | (n & 1) << 7;
    let code: Vec<u32> = (0..16).map(mul).chain([0x8800_0000]).collect();
    let vertex = Program::from_raw(&code[..], &[0x0006_C36F][..], Pc(0), Stage::Vertex).expect("well formed");
    let (mut accepted, mut compared) = ([0; 17], 0);
    for (seed, count) in (0..seeds).flat_map(|seed| [5, 7, 8].map(|count| (seed, count))) {
        let generated = generate_geometry(seed);
        let (mut setup, draw) = (generated.setup, &generated.draws[0]);
        let (Some(geometry), Some(uniforms)) = (&mut setup.geometry, &draw.uniforms) else { continue };
        let GeometryInput::Point { inputs, .. } = &mut geometry.input else { continue };
        let outputs = setup.vertex_outputs.count_ones() as u8;
        if outputs * count > 16 {
            continue;
        }
        *inputs = outputs * count;
        assert_eq!(setup.point_vertices(), count);
        let (mut vertices, mut uniforms) = (ordered(draw).repeat(3), uniforms.clone());
        vertices.iter_mut().for_each(|vertex| flush(vertex));
        uniforms.iter_mut().for_each(|uniforms| flush(&mut uniforms.floats));
        let environment = Unnamed { map: setup.map };
        let case = Programs {
            name: &format!("seed {seed}"),
            programs: [&vertex, &generated.geometry()],
            environment: [&environment, &environment],
            uniforms,
            setup,
        };
        let Ok(found) = run(&case, &vertices) else { continue };
        let different = [false, true].map(|flushes| difference(&found, &expected(&case, &vertices, flushes)));
        assert!(different.contains(&None), "seed {seed}: {different:?}");
        accepted[usize::from(count)] += 1;
        compared += found.len();
    }
    println!("{accepted:?} programs by vertices, {compared} numbers");
    assert!([5, 7, 8].iter().all(|&count| accepted[count] > 3) && compared > 1000, "{accepted:?} {compared}");
}

#[test]
fn random_programs_in_a_geometry_stage_match_the_interpreter() {
    needs!("vulkan");
    let device = Native::open().unwrap_or_else(|error| panic!("{error}"));
    check_random(SEEDS, &|case, vertices| native(&device, case, vertices));
}

/// Compares random programs with the interpreter.
pub fn check_random(seeds: u64, run: Run<'_>) {
    let (mut accepted, mut refused, mut compared) = (0, 0, 0);
    for seed in 0..seeds {
        let generated = generate_geometry(seed);
        let draw = &generated.draws[0];
        let Some(uniforms) = &draw.uniforms else { continue };
        let is_point = |setup: GeometrySetup| matches!(setup.input, GeometryInput::Point { .. });
        if !generated.setup.geometry.is_some_and(is_point) {
            continue;
        }
        let (mut vertices, mut uniforms) = (ordered(draw), uniforms.clone());
        vertices.iter_mut().for_each(|vertex| flush(vertex));
        uniforms.iter_mut().for_each(|uniforms| flush(&mut uniforms.floats));
        let environment = Unnamed { map: generated.setup.map };
        let (vertex, geometry) = (generated.vertex(), generated.geometry());
        let case = Programs {
            name: &format!("seed {seed}"),
            programs: [&vertex, &geometry],
            environment: [&environment, &environment],
            uniforms,
            setup: generated.setup,
        };
        let Ok(found) = run(&case, &vertices) else {
            refused += 1;
            continue;
        };
        let different = difference(&found, &expected(&case, &vertices, false));
        if let Some(kept) = different
            && let Some(flushed) = difference(&found, &expected(&case, &vertices, true))
        {
            panic!("seed {seed}: {kept}; with subnormals as zero: {flushed}");
        }
        accepted += 1;
        compared += found.len();
    }
    println!("{accepted} programs, {compared} numbers; {refused} of point mode cannot be a geometry stage");
    assert!(
        accepted > seeds / 20 && compared > 10 * seeds as usize,
        "{accepted} programs, {compared} numbers"
    );
}
