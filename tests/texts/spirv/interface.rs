//! Both entries, the uniform block, names, versions, and bytes that depend on nothing else.

use super::*;
use transpica::Kind as ErrorKind;
use transpica::host::{
    Attribute, Bank, ComponentSource, Location, Member, MemberType, Output, OutputValue, UniformBlock,
};
use transpica::stages::ir::{Array, Binary, Resource, ScalarKind, Unary};

const VERSIONS: [(u8, u8); 7] = [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)];

fn block() -> UniformBlock {
    let member = |name: &str, bank, count, offset, ty| Member {
        name: name.to_string(),
        bank,
        first: 0,
        count,
        offset,
        ty,
    };
    UniformBlock {
        members: vec![
            member("light", Bank::Float, 1, 0, MemberType::Vec4),
            member("projection", Bank::Float, 4, 16, MemberType::Vec4Array(4)),
            member("steps", Bank::Int, 1, 80, MemberType::IVec4),
            member("counts", Bank::Int, 3, 96, MemberType::IVec4Array(3)),
            member("flags", Bank::Bool, 16, 144, MemberType::Bits),
        ],
        size: 160,
        ..UniformBlock::default()
    }
}

fn output(name: &str, location: Location, components: usize) -> Output {
    Output {
        name: name.to_string(),
        location,
        components: vec![ComponentSource::One; components],
        value: OutputValue::Plain,
        semantic: None,
        hooks: Vec::new(),
    }
}

/// position = v0, color = light, texcoord = v3.xy
fn vertex() -> Case {
    let mut case = Case::default();
    case.interface.block = block();
    case.interface.attributes = vec![
        Attribute { register: 0, name: "inpos".to_string(), format: Default::default() },
        Attribute { register: 3, name: "intex".to_string(), format: Default::default() },
        Attribute { register: 5, name: "unread".to_string(), format: Default::default() },
    ];
    case.interface.outputs = vec![
        output("position", Location::Position, 4),
        output("color", Location::Varying(0), 4),
        output("texcoord_0", Location::Varying(1), 2),
    ];
    case.module.main = function(|f, r| {
        let texture = input(f, r, 3);
        let position = input(f, r, 0);
        let color = f.emit(r, Type::F32X4, Op::Read(Resource::Member { member: 0, element: 0 }));
        let lanes = [0, 1, 0, 0].map(|index| transpica::stages::ir::Lane::new(texture, index));
        let texture = f.emit(r, Type::new(ScalarKind::F32, 2), Op::Shuffle(lanes));
        vec![position, color, texture]
    });
    case
}

#[test]
fn vertex_entry_reads_attributes_and_writes_outputs() {
    let mut world = World::default();
    for location in [0, 3, 5] {
        world.attributes.insert(location, (0..4).map(|lane| location * 10 + lane).collect());
    }
    world.buffers.insert(0, (100..140).collect());
    machine::run(&vertex().check(), &mut world);
    assert_eq!(world.position, [0, 1, 2, 3]);
    assert_eq!(world.outputs[&0], [100, 101, 102, 103]);
    assert_eq!(world.outputs[&1], [30, 31]);
}

#[test]
fn inputs_that_the_interface_lacks_are_declared_too() {
    let mut case = vertex();
    case.interface.attributes.clear();
    let text = disassembled(&case.check());
    assert!(text.contains("\"v0\"") && text.contains("\"v3\"") && !text.contains("\"v5\""), "{text}");
}

#[test]
fn every_version_is_valid_for_both_entries() {
    let mut compute = compute_with_members();
    let mut vertex = vertex();
    for version in VERSIONS {
        for case in [&mut compute, &mut vertex] {
            case.profile.spirv_version = version;
            let words = case.check();
            assert_eq!(words[1], u32::from(version.0) << 16 | u32::from(version.1) << 8);
        }
    }
    for version in [(0, 9), (1, 7), (2, 0)] {
        vertex.profile.spirv_version = version;
        assert!(matches!(vertex.write().unwrap_err().kind, ErrorKind::SpirvVersion { .. }));
    }
}

/// o0 = light, o1 = projection[2], o2 = projection[v0.x], o3 = steps and counts, o4 = flags as a
/// float's bits
fn compute_with_members() -> Case {
    let mut case = Case::compute(|f, r| {
        let v = input(f, r, 0);
        let x = lane(f, r, v, 0);
        let index = f.emit(r, Type::I32, Op::Unary(Unary::ToInt, x));
        let light = f.emit(r, Type::F32X4, Op::Read(Resource::Member { member: 0, element: 0 }));
        let row = f.emit(r, Type::F32X4, Op::Read(Resource::Member { member: 1, element: 2 }));
        let indexed = f.emit(r, Type::F32X4, Op::ReadAt(Array::Member(1), index));
        let int4 = Type::new(ScalarKind::I32, 4);
        let steps = f.emit(r, int4, Op::Read(Resource::Member { member: 2, element: 0 }));
        let counts = f.emit(r, int4, Op::Read(Resource::Member { member: 3, element: 1 }));
        let at = f.emit(r, int4, Op::ReadAt(Array::Member(3), index));
        let sum = binary(f, r, int4, Binary::IAdd, steps, counts);
        let same = binary(f, r, Type::new(ScalarKind::Bool, 4), Binary::IEqual, sum, at);
        let ones = f.emit(r, Type::F32X4, Op::Const([1f32.to_bits(); 4]));
        let same = f.emit(r, Type::F32X4, Op::Select { cond: same, a: ones, b: v });
        let flags = f.emit(r, Type::U32, Op::Read(Resource::Member { member: 4, element: 0 }));
        let flags = f.emit(r, Type::F32, Op::Unary(Unary::FromBits, flags));
        vec![light, row, indexed, same, splat(f, r, flags)]
    });
    case.interface.block = block();
    case
}

#[test]
fn members_of_every_kind_are_read() {
    let mut world = World::default();
    let mut registers: Vec<u32> = vec![2f32.to_bits(); 4];
    registers.resize(128, 0);
    world.buffers.insert(0, registers.clone());
    world.buffers.insert(1, vec![0; 128]);
    let mut uniforms: Vec<u32> = (0..40).collect();
    uniforms[20..24].copy_from_slice(&[1, 2, 3, 4]);
    uniforms[28..32].copy_from_slice(&[10, 20, 30, 40]);
    uniforms[32..36].copy_from_slice(&[11, 22, 0, 44]);
    uniforms[36] = 0x00AB_CDEF;
    world.buffers.insert(2, uniforms);
    machine::run(&compute_with_members().check(), &mut world);
    let out: Vec<&[u32]> = world.buffers[&1].chunks(4).collect();
    assert_eq!(out[0], [0, 1, 2, 3]);
    assert_eq!(out[1], [12, 13, 14, 15]);
    assert_eq!(out[2], [12, 13, 14, 15]);
    let (one, two) = (1f32.to_bits(), 2f32.to_bits());
    assert_eq!(out[3], [one, one, two, one]);
    assert_eq!(out[4], [0x00AB_CDEF; 4]);
}

#[test]
fn members_that_do_not_exist_are_refused() {
    for op in [
        Op::Read(Resource::Member { member: 5, element: 0 }),
        Op::Read(Resource::Member { member: 0, element: 1 }),
        Op::Read(Resource::Member { member: 1, element: 4 }),
    ] {
        let mut case = Case::compute(|f, r| vec![f.emit(r, Type::F32X4, op)]);
        case.interface.block = block();
        assert!(matches!(case.write().unwrap_err().kind, ErrorKind::Verify(_)));
    }
}

#[test]
fn invocations_outside_the_output_buffer_write_nothing() {
    let case = Case::compute(|f, r| vec![input(f, r, 0), input(f, r, 15)]);
    let words = case.check();
    let mut world = World::default();
    world.buffers.insert(0, (0..128).collect());
    world.buffers.insert(1, vec![7; 128 + 60]);
    world.invocation = 1;
    machine::run(&words, &mut world);
    let out = &world.buffers[&1];
    assert_eq!(out[..64], [7; 64]);
    assert_eq!(out[64..72], [64, 65, 66, 67, 124, 125, 126, 127]);
    assert_eq!(out[128..], [7; 60]);
    let before = world.buffers[&1].clone();
    world.invocation = 2;
    machine::run(&words, &mut world);
    assert_eq!(world.buffers[&1], before);
}

#[test]
fn outputs_must_match_the_interface() {
    let mut case = vertex();
    case.interface.outputs.pop();
    assert!(matches!(case.write().unwrap_err().kind, ErrorKind::Verify(_)));
    case.interface.outputs.push(output("view", Location::Varying(1), 3));
    assert!(matches!(case.write().unwrap_err().kind, ErrorKind::Verify(_)));
}

#[test]
fn position_is_invariant_if_the_profile_requests_it() {
    let mut case = vertex();
    let invariant = |case: &Case| disassembled(&case.check()).contains("Invariant");
    assert!(invariant(&case));
    case.profile.invariant_position = false;
    assert!(!invariant(&case));
}

#[test]
fn names_are_written_if_the_profile_requests_them() {
    let mut case = vertex();
    let text = disassembled(&case.check());
    for name in ["main", "inpos", "texcoord_0", "Uniforms", "uniforms", "projection", "flags"] {
        assert!(text.contains(&format!("\"{name}\"")), "{name}: {text}");
    }
    case.profile.names = false;
    let text = disassembled(&case.check());
    assert!(!text.contains("OpName") && !text.contains("OpMemberName"), "{text}");
}

#[test]
fn long_names_are_cut() {
    let mut case = vertex();
    case.interface.attributes[0].name = "é".repeat(200_000);
    case.interface.attributes[1].name = "a\0b".to_string();
    case.check();
}

#[test]
fn a_reused_writer_gives_the_words_of_a_new_one() {
    let mut writer = SpirvWriter::new();
    let cases = [vertex(), compute_with_members(), vertex()];
    let mut broken = vertex();
    broken.interface.outputs.pop();
    for case in &cases {
        assert_eq!(writer.write(&case.source()).unwrap(), case.write().unwrap());
        assert!(writer.write(&broken.source()).is_err());
    }
}

#[test]
fn assembly_text_lists_every_instruction() {
    let mut case = vertex();
    case.profile.names = false;
    case.interface.block = UniformBlock::default();
    case.interface.outputs.truncate(1);
    case.interface.attributes.truncate(1);
    case.module.main = function(|f, r| {
        let v = input(f, r, 0);
        vec![binary(f, r, Type::F32X4, Binary::Add, v, v)]
    });
    let expected = expect_test::expect![[r#"
        ; SPIR-V
        ; Version: 1.3
        ; Generator: rspirv
        ; Bound: 14
        OpCapability Shader
        %1 = OpExtInstImport "GLSL.std.450"
        OpMemoryModel Logical GLSL450
        OpEntryPoint Vertex %10 "main" %5 %7
        OpDecorate %5 Location 0
        OpDecorate %7 BuiltIn Position
        OpDecorate %7 Invariant
        OpDecorate %13 NoContraction
        %2 = OpTypeFloat 32
        %3 = OpTypeVector %2 4
        %4 = OpTypePointer Input %3
        %5 = OpVariable %4 Input
        %6 = OpTypePointer Output %3
        %7 = OpVariable %6 Output
        %8 = OpTypeVoid
        %9 = OpTypeFunction %8
        %10 = OpFunction %8 None %9
        %11 = OpLabel
        %12 = OpLoad %3 %5
        %13 = OpFAdd %3 %12 %12
        OpStore %7 %13
        OpReturn
        OpFunctionEnd
    "#]];
    expected.assert_eq(&disassembled(&case.check()));
}

/// The text is what spirv-as reads, with the ids it shows.
#[test]
fn assembly_text_assembles_to_the_same_words() {
    needs!("spirv-as");
    for case in [vertex(), compute_with_members()] {
        let words = case.write().unwrap();
        let text = disassembled(&words);
        let arguments = ["--preserve-numeric-ids", "--target-env", "vulkan1.1", "-o", "-", "-"];
        let assembled = tool("spirv-as", &arguments, text.as_bytes()).unwrap();
        let assembled: Vec<u32> =
            assembled.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        // The header names spirv-as as the generator.
        assert_eq!(assembled[3..], words[3..]);
    }
}
