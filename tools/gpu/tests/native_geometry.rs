//! Geometry programs as a native geometry stage behind their translated vertex programs: what transform feedback writes down
//! of them is what the interpreter makes, bit for bit. Without a Vulkan driver with geometry stages this fails.

#[path = "support/native.rs"]
mod native;

use ash::vk;
use native::{Job, Native};
use rspirv::binary::Assemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass};
use transpica::host::dvle::Executable;
use transpica::host::{
    Binding, Bindings, EntryPoint, IntUniforms, Layout, Output, StagePrimitive, dvle, layout,
};
use transpica::interp::Uniforms;
use transpica::isa::Stage;
use transpica::pipeline::Drawn;
use transpica::{Options, Profile, Translator};
use transpica_prove::scenes::{self, Scene};
use transpica_prove::spirv_tools;

/// A module with the feedback of its outputs into buffer 0, one after the other in each vertex.
fn with_feedback(words: &[u32], outputs: &[Output]) -> Vec<u32> {
    let mut module = rspirv::dr::load_words(words).expect("a module");
    let operand = Operand::Capability(Capability::TransformFeedback);
    module.capabilities.push(Instruction::new(Op::Capability, None, None, vec![operand]));
    let main = module.entry_points[0].operands[1].clone();
    let mode = Operand::ExecutionMode(ExecutionMode::Xfb);
    module.execution_modes.push(Instruction::new(Op::ExecutionMode, None, None, vec![main, mode]));
    // Variables of outputs are declared in the order of the interface.
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

/// The words of all vertices of all triangles, each output with the components that it has.
fn words(drawn: &Drawn) -> Vec<u32> {
    let vertices = drawn.triangles().flatten();
    let outputs = vertices.flat_map(|vertex| vertex.iter().zip(drawn.outputs()));
    let numbers = outputs.flat_map(|(value, output)| value.iter().take(output.lanes()));
    numbers.map(|number| number.to_bits()).collect()
}

/// A translator whose programs have their uniform block at `binding` and these int uniforms for ever.
fn translator(entry: EntryPoint, binding: u32, uniforms: &Uniforms) -> Translator {
    let ints = IntUniforms { baked: uniforms.ints.map(Some), ..IntUniforms::default() };
    let options = Options { entry, layout: Layout::Registers, ints, ..Options::default() };
    let bindings = Bindings { uniforms: Binding { set: 0, binding }, ..Bindings::default() };
    Translator::new(options, Profile { bindings, ..Profile::default() })
}

/// What the native chain makes of a scene, or why the program cannot be a geometry stage.
fn native(native: &Native, scene: &Scene) -> Result<Vec<u32>, String> {
    let file = scene.file().expect("well formed");
    let setup = scene.setup().expect("valid");
    let uniforms = |stage| scene.uniforms(stage).expect("valid");
    let program = |index| dvle::program(&file, index, &Options::default().limits).expect("valid");
    let mut geometry = translator(EntryPoint::Geometry, 1, &uniforms(Stage::Geometry));
    let around = Executable::new(&file, 1, scene.name).expect("there");
    let stage =
        geometry.translate_geometry_stage(&program(1), &around, &setup).map_err(|error| error.to_string())?;
    let geometry_words = geometry.spirv(&stage).expect("SPIR-V");
    spirv_tools::validate(&geometry_words).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let shape = stage.interface.stage.as_ref().expect("a geometry stage");
    let mut vertex = translator(EntryPoint::Vertex, 0, &uniforms(Stage::Vertex));
    let around = Executable::new(&file, 0, scene.name).expect("there");
    let before = vertex
        .translate_before_geometry(&program(0), &around, setup.vertex_outputs)
        .expect("a vertex program");
    let vertex_words = vertex.spirv(&before).expect("SPIR-V");
    spirv_tools::validate(&vertex_words).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let block = |stage, block| layout::pack(block, &uniforms(stage));
    let attributes: Vec<u8> =
        before.interface.attributes.iter().map(|attribute| attribute.register).collect();
    let job = Job {
        vertex: &vertex_words,
        geometry: &with_feedback(&geometry_words, &stage.interface.outputs),
        vertices: &scene.vertices,
        attributes: &attributes,
        topology: topology(shape.primitive),
        blocks: [
            &block(Stage::Vertex, &before.interface.block),
            &block(Stage::Geometry, &stage.interface.block),
        ],
        room: 1 << 24,
    };
    Ok(native.run(&job).unwrap_or_else(|error| panic!("{}: {error}", scene.name)))
}

#[test]
fn samples_in_a_geometry_stage_make_what_the_interpreter_makes() {
    let device = Native::open().unwrap_or_else(|error| panic!("{error}"));
    let mut refused = Vec::new();
    for scene in scenes::all() {
        match native(&device, &scene) {
            Ok(found) => {
                let mut pipeline = scene.pipeline(&Options::default()).expect("valid");
                let drawn = pipeline.draw(&scene.vertices, None).expect("draws");
                assert!(found == words(&drawn), "{}: other vertices", scene.name);
                assert!(!found.is_empty(), "{}", scene.name);
            }
            Err(error) => refused.push(format!("{}: {error}", scene.name)),
        }
    }
    expect_test::expect![[r#"
        counter: pc 0xe: no geometry stage: an invocation sees r15.x as earlier ones left it
        fireworks: input: a geometry stage has vertices in registers: only point mode does
        subdivision: input: a geometry stage has vertices in registers: only point mode does
        trail: pc 0x26: no geometry stage: an invocation sees r14.x as earlier ones left it"#]]
    .assert_eq(&refused.join("\n"));
}
