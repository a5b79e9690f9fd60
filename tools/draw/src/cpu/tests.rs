//! The smallest program for each rule of the pipeline, and its errors.

use super::*;
use crate::batch::{Array, Number, Order, Records, VertexAttribute, Vertices};
use transpica::host::OutputMap;
use transpica::interp::Uniforms;
use transpica::isa::builder::Builder;
use transpica::isa::{DataOp, Dest, Flow, Index, Inst, Mask, Operand, Pc, Source};
use transpica::settings::{Control, DepthRange, Outputs};
use transpica::{At, Kind, Limits, Options, Program, RegisterState, Result, Setup, Shbin, Stage};

const POSITION: [u8; 4] = [0, 1, 2, 3];
const COLOR: [u8; 4] = [8, 9, 10, 11];
const END: Inst = Inst::Flow(Flow::End);
const POINTS: &[u8] = include_bytes!("../../../../shaders/points.shbin");

fn mov(output: u8, source: Source) -> Inst {
    Inst::data(DataOp::Mov, Dest::Output(output), Mask::XYZW, &[Operand::new(source)])
}
fn submit(vertex: u8, invert: bool) -> Inst {
    Inst::SetEmit { vertex, prim: true, invert }
}

fn program(stage: Stage, insts: &[Inst]) -> Program<'static> {
    let mut builder = Builder::new();
    insts.iter().for_each(|inst| {
        builder.push(*inst);
    });
    let (code, descriptors) = builder.finish().expect("builds");
    Program::new(code, descriptors, Pc(0), stage, &Limits::default()).expect("small program")
}

/// Copies v0, v1, v2 to o0, o1, o2.
fn copy() -> Program<'static> {
    let copy = |register| mov(register, Source::Input(register));
    program(Stage::Vertex, &[copy(0), copy(1), copy(2), END])
}

/// Emits one triangle whose third vertex has these two registers as position and color.
fn show(position: Source, color: Source) -> Program<'static> {
    let insts = [submit(2, false), mov(0, position), mov(1, color), Inst::Emit, END];
    program(Stage::Geometry, &insts)
}

fn options() -> Options {
    Options {
        outputs: Outputs { depth: DepthRange::Raw, clamp_colors: false, ..Outputs::default() },
        ..Options::default()
    }
}

/// Forwarded outputs of the vertex program, and the input mode of the geometry program.
fn setup(vertex_outputs: u16, input: GeometryInput) -> Setup {
    let map = OutputMap::from_words([(0, POSITION), (1, COLOR)]);
    let geometry = Some(GeometrySetup { input, outputs: 3 });
    Setup { vertex_outputs, geometry, map, topology: Topology::Geometry }
}

fn pipeline(vertex_outputs: u16, input: GeometryInput, geometry: &Program<'_>) -> Pipeline {
    Pipeline::new(&copy(), Some(geometry), setup(vertex_outputs, input), &options()).expect("valid")
}

fn point(inputs: u8) -> GeometryInput {
    GeometryInput::Point { inputs, registers: std::array::from_fn(|register| register as u8) }
}

/// A vertex with these values in all components of v0, v1, v2.
fn vertex(values: [f32; 3]) -> [[f32; 4]; 16] {
    let mut inputs = [[0.0; 4]; 16];
    inputs.iter_mut().zip(values).for_each(|(input, value)| *input = [value; 4]);
    inputs
}

/// Vertices 0 to `count`: of vertex n, v0, v1 and v2 are 10·n, 10·n + 1, 10·n + 2.
fn vertices(count: usize) -> Vec<[[f32; 4]; 16]> {
    (0..count).map(|n| 10.0 * n as f32).map(|n| vertex([n, n + 1.0, n + 2.0])).collect()
}

/// The first components of position and color of the third vertex of every triangle.
fn shown(drawn: &Triangles) -> Vec<[f32; 2]> {
    drawn.triangles().map(|[_, _, vertex]| [vertex[0][0], vertex[1][0]]).collect()
}

/// The first component of the position of every vertex.
fn positions(drawn: &Triangles) -> Vec<[f32; 3]> {
    drawn.triangles().map(|triangle| triangle.map(|vertex| vertex[0][0])).collect()
}

#[test]
fn enabled_outputs_are_compacted_in_the_order_of_their_registers() {
    let mut pipeline = pipeline(0b101, point(2), &show(Source::Input(0), Source::Input(1)));
    assert_eq!(shown(&pipeline.draw(&vertices(2), None).expect("draws")), [[0.0, 2.0], [10.0, 12.0]]);
}

#[test]
fn point_mode_runs_when_all_inputs_have_come() {
    // Six inputs, two outputs: an invocation for three vertices; v5 is the last output of the
    // third.
    let mut pipeline = pipeline(0b11, point(6), &show(Source::Input(0), Source::Input(5)));
    let drawn = pipeline.draw(&vertices(6), None).expect("draws");
    assert_eq!(shown(&drawn), [[0.0, 21.0], [30.0, 51.0]]);
    let drawn = pipeline.draw(&vertices(5), None).expect("draws");
    assert_eq!(shown(&drawn), [[0.0, 21.0]], "two vertices are too few");
    let drawn = pipeline.draw(&vertices(1), None).expect("draws");
    assert_eq!(shown(&drawn), [[0.0; 2]; 0], "they do not count in the next draw");
}

#[test]
fn the_permutation_maps_inputs_to_registers() {
    let mut registers = [15; 16];
    registers[..4].copy_from_slice(&[7, 3, 7, 0]);
    let input = GeometryInput::Point { inputs: 4, registers };
    let run = |position, color| {
        let mut pipeline = pipeline(0b11, input, &show(Source::Input(position), Source::Input(color)));
        shown(&pipeline.draw(&vertices(2), None).expect("draws"))
    };
    assert_eq!(run(3, 0), [[1.0, 11.0]]);
    assert_eq!(run(7, 1), [[10.0, 0.0]], "the later of two counts; v1 is at its default");
}

#[test]
fn fixed_mode_delivers_vertices_at_their_stride() {
    let input = GeometryInput::Fixed { first: 90, vertices: 2, stride: 3 };
    let run = |position, color| {
        let mut pipeline = pipeline(0b11, input, &show(Source::Uniform(position), Source::Uniform(color)));
        let mut uniforms = Uniforms::default();
        uniforms.floats[89..].fill([0.5; 4]);
        pipeline.set_uniforms(Stage::Geometry, &uniforms);
        shown(&pipeline.draw(&vertices(4), None).expect("draws"))
    };
    assert_eq!(run(90, 91), [[0.0, 1.0], [20.0, 21.0]]);
    assert_eq!(run(93, 94), [[10.0, 11.0], [30.0, 31.0]]);
    assert_eq!(run(89, 92), [[0.5; 2]; 2], "what is not delivered to stays");
    assert_eq!(run(95, 95), [[0.5; 2]; 2]);
}

#[test]
fn in_fixed_and_variable_mode_input_registers_are_at_their_default() {
    let program = show(Source::Input(0), Source::Input(0));
    let mut fixed = pipeline(1, GeometryInput::Fixed { first: 0, vertices: 1, stride: 1 }, &program);
    let mut variable = pipeline(1, GeometryInput::Variable { main: 1 }, &program);
    let drawn = [fixed.draw(&vertices(2), Some(&[1])), variable.draw(&vertices(2), Some(&[1, 1]))];
    for drawn in drawn {
        let drawn = drawn.expect("draws");
        let [_, _, last] = drawn.triangles().next().expect("one");
        assert_eq!(last[0], [0.0, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn variable_mode_delivers_the_number_then_main_vertices_whole_then_first_outputs() {
    let run = |position, color, indices: &[u32]| {
        let program = show(Source::Uniform(position), Source::Uniform(color));
        let mut pipeline = pipeline(0b11, GeometryInput::Variable { main: 2 }, &program);
        shown(&pipeline.draw(&vertices(5), Some(indices)).expect("draws"))
    };
    // Main vertices 4 and 3, then 2 and 1.
    let indices = [4, 4, 3, 2, 1];
    assert_eq!(run(0, 1, &indices), [[4.0, 40.0]]);
    assert_eq!(run(2, 3, &indices), [[41.0, 30.0]]);
    assert_eq!(run(4, 5, &indices), [[31.0, 20.0]]);
    assert_eq!(run(6, 7, &indices), [[10.0, 0.0]]);
    // A second primitive of main vertices alone leaves c5 as it was.
    assert_eq!(run(0, 5, &[4, 4, 3, 2, 1, 2, 0, 1]), [[4.0, 20.0], [2.0, 20.0]]);
}

#[test]
fn emitted_triangles_pass_the_assembler_of_the_topology() {
    // Submits slots 0, 1, 2 = 1, 2, 3; then reversed with slot 0 = 4.
    let set = |vertex| Inst::SetEmit { vertex, prim: false, invert: false };
    let uniform = |register| mov(0, Source::Uniform(register));
    let insts = [
        [set(0), uniform(1), Inst::Emit],
        [set(1), uniform(2), Inst::Emit],
        [submit(2, false), uniform(3), Inst::Emit],
        [submit(0, true), uniform(4), Inst::Emit],
    ];
    let program = program(Stage::Geometry, &[&insts.concat()[..], &[END]].concat());
    for (topology, expected) in [
        (Topology::Geometry, &[[1.0, 2.0, 3.0], [2.0, 4.0, 3.0]][..]),
        (Topology::List, &[[1.0, 2.0, 3.0], [4.0, 2.0, 3.0]]),
        (Topology::Strip, &[[1.0, 2.0, 3.0], [3.0, 2.0, 4.0], [3.0, 4.0, 2.0], [2.0, 4.0, 3.0]]),
        (Topology::Fan, &[[1.0, 2.0, 3.0], [1.0, 3.0, 4.0], [1.0, 4.0, 2.0], [1.0, 2.0, 3.0]]),
    ] {
        let mut pipeline = pipeline(1, point(1), &program);
        pipeline.set_topology(topology);
        let mut uniforms = Uniforms::default();
        uniforms.floats.iter_mut().enumerate().for_each(|(n, float)| *float = [n as f32; 4]);
        pipeline.set_uniforms(Stage::Geometry, &uniforms);
        assert_eq!(positions(&pipeline.draw(&vertices(1), None).expect("draws")), expected, "{topology:?}");
    }
}

#[test]
fn reversed_triangles_have_the_chosen_order() {
    let mut geometry = Assembler::new(Topology::Geometry);
    geometry.reverse_ends(true);
    geometry.restart();
    geometry.reverse_next();
    assert_eq!([0, 1, 2].map(|vertex| geometry.push(vertex)), [None, None, Some([2, 1, 0])]);
    assert_eq!([0, 1, 2].map(|vertex| geometry.push(vertex)), [None, None, Some([0, 1, 2])]);
}

#[test]
fn without_a_geometry_program_vertices_pass_the_assembler() {
    for (topology, indices, expected) in [
        (Topology::List, None, &[[0.0, 10.0, 20.0]][..]),
        (Topology::Geometry, None, &[[0.0, 10.0, 20.0]]),
        (Topology::Strip, None, &[[0.0, 10.0, 20.0], [20.0, 10.0, 30.0], [20.0, 30.0, 40.0]]),
        (Topology::Fan, None, &[[0.0, 10.0, 20.0], [0.0, 20.0, 30.0], [0.0, 30.0, 40.0]]),
        (Topology::List, Some(&[4, 4, 0, 1, 2, 3][..]), &[[40.0, 40.0, 0.0], [10.0, 20.0, 30.0]]),
    ] {
        let setup = Setup { geometry: None, topology, ..setup(1, point(1)) };
        let mut pipeline = Pipeline::new(&copy(), None, setup, &options()).expect("valid");
        let drawn = pipeline.draw(&vertices(5), indices).expect("draws");
        assert_eq!(positions(&drawn), expected, "{topology:?}");
    }
}

#[test]
fn an_assembler_restarts_with_a_new_primitive() {
    let mut strip = Assembler::new(Topology::Strip);
    assert_eq!([0, 1, 2, 3].map(|vertex| strip.push(vertex)), [None, None, Some([0, 1, 2]), Some([2, 1, 3])]);
    strip.restart();
    assert_eq!([4, 5, 6].map(|vertex| strip.push(vertex)), [None, None, Some([4, 5, 6])]);
}

#[test]
fn semantics_are_those_of_the_last_program_and_unmapped_ones_are_1() {
    let map = OutputMap::from_words([(0, [0x1F, 0, 1, 0x1F]), (1, COLOR)]);
    let setup = Setup { map, ..setup(1, point(1)) };
    let program = show(Source::Input(0), Source::Input(0));
    let options = Options::default();
    let mut pipeline = Pipeline::new(&copy(), Some(&program), setup, &options).expect("valid");
    let drawn = pipeline.draw(&[vertex([-5.0, 0.0, 0.0])], None).expect("draws");
    let names: Vec<&str> = drawn.outputs().iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["position", "color"]);
    let [_, _, last] = drawn.triangles().next().expect("one");
    assert_eq!(last, [[-5.0, -5.0, -1.0, 1.0], [1.0; 4]], "z is turned, the color clamped");
}

#[test]
fn state_of_a_geometry_program_carries_over_to_the_next_draw() {
    let taken = Inst::Flow(Flow::IfU { bool: 15, target: Pc(2), length: 0 });
    let insts = [taken, submit(2, false), mov(0, Source::Uniform(0)), Inst::Emit, END];
    let mut pipeline = pipeline(1, point(1), &program(Stage::Geometry, &insts));
    let mut count = || pipeline.draw(&vertices(1), None).expect("draws").triangles().len();
    assert_eq!([count(), count(), count()], [0, 1, 1], "b15 is true from the second on");
}

#[test]
fn merged_output_maps_give_dummy_outputs_the_semantics_of_the_vertex_program() {
    use transpica_asm::{SourceText, assemble};
    let vertex = ".out pos position\n.out col color\n.entry main\n.proc main\n\tmov pos, v0\n\tmov col, v1\n\tend\n.end\n";
    let geometry = ".gsh point c0\n.out pos position\n.out other dummy\n.entry gmain\n.proc gmain\n\tsetemit 2, prim\n\
                    \tmov pos, v0\n\tmov other, v1\n\temit\n\tend\n.end\n";
    let sources =
        [SourceText { name: "a.v.pica", text: vertex }, SourceText { name: "b.g.pica", text: geometry }];
    let model = assemble(&sources).unwrap_or_else(|report| panic!("{report}")).model;
    let bytes = transpica::container::write(&model);
    let file = Shbin::parse(&bytes).expect("parses");
    assert!(file.executables[1].header.merges_output_maps());
    let mut pipeline = Pipeline::from_file(&file, 0, Some(1), None, &options()).expect("valid");
    let drawn = pipeline.draw(&vertices(1), None).expect("draws");
    assert_eq!(
        drawn.outputs().iter().map(|output| &output.name[..]).collect::<Vec<_>>(),
        ["position", "color"]
    );
    assert_eq!(shown(&drawn), [[0.0, 1.0]]);
}

#[test]
fn a_register_state_draws_the_triangles_of_its_file() {
    let file = Shbin::parse(POINTS).expect("parses");
    let mut state = RegisterState::from_dvle(&file, 0, Some(1)).expect("valid");
    state.write_masked(0x25E, 3 << 8, 2);
    // c0..c3 of the vertex unit the unit matrix, c0 of the geometry unit (0.5, 0.25, 0, 0); w comes
    // first.
    state.write(0x2C0, 1 << 31);
    for row in 0..4 {
        (0..4).rev().for_each(|column| state.write(0x2C1, if row == column { 0x3F80_0000 } else { 0 }));
    }
    state.write(0x290, 1 << 31);
    [0, 0, 0x3E80_0000, 0x3F00_0000].into_iter().for_each(|word| state.write(0x291, word));
    let points = [vertex([-1.0, 0.5, 0.0]), vertex([-2.0, 0.25, 0.0])];
    let mut pipeline = Pipeline::from_registers(&state, &options()).expect("a pipeline");
    let drawn = pipeline.draw(&points, None).expect("draws");
    let mut pipeline = Pipeline::from_file(&file, 0, Some(1), None, &options()).expect("valid");
    for stage in [Stage::Vertex, Stage::Geometry] {
        pipeline.set_uniforms(stage, &state.uniforms(stage));
    }
    assert_eq!(pipeline.draw(&points, None).expect("draws"), drawn);
    assert_eq!(drawn.triangles().len(), 4);
    // The corner (1, 1) of the first point: position + size · corner · w.
    let corners: Vec<_> =
        drawn.triangles().take(2).flatten().map(|vertex| [vertex[0][0], vertex[0][1]]).collect();
    let (left, right, low, high) = (-0.5, -1.5, -0.75, -1.25);
    for corner in [[left, low], [right, low], [left, high], [right, high]] {
        assert!(corners.contains(&corner), "{corner:?} in {corners:?}");
    }
    assert!(drawn.triangles().take(2).flatten().all(|vertex| vertex[1] == [0.5; 4]), "the color goes along");
}

#[test]
fn records_take_the_outputs_of_a_draw() {
    let mut pipeline = pipeline(1, point(1), &show(Source::Input(0), Source::Input(0)));
    let number = Array { bytes: &[0; 4], offset: 0, stride: 4, number: Number::F32, components: 1 };
    let attributes = [VertexAttribute::Array(number)];
    let vertices = Vertices::new(&attributes, Order::Range { first: 0, count: 1 });
    let mut draw = |records: &Records, room: usize| {
        let drawn = pipeline.draw_records(&vertices, records, &mut vec![7.0; room])?;
        Ok((drawn.0, drawn.1.triangles().len()))
    };
    // As the position and the color, four floats each.
    let records = Records::from_registers(3);
    assert_eq!([24, 23, 0].map(|room| draw(&records, room)), [Ok((1, 0)), Ok((0, 1)), Ok((0, 1))]);
    assert!(refused(draw(&Records::from_registers(7), 99)).contains("records of 3 fields"));
    let short = Records { stride: 7, ..records.clone() };
    assert!(refused(draw(&short, 99)).contains("fields[1]"));
    let wide = Records { stride: usize::MAX, ..records };
    assert_eq!(draw(&wide, 99), Ok((0, 1)), "no memory is taken for gaps");
    let nothing = pipeline.draw(&[], None).expect("draws");
    nothing.write(&wide, &mut []).expect("no record needs room");
}

/// Every second invocation makes 256 triangles more, which exceeds the room of a batch, so that it
/// runs alone.
#[test]
fn records_have_the_order_of_invocations_that_run_alone() {
    use transpica_asm::{SourceText, assemble};
    let vertex = ".out pos position\n.proc main\nmov pos, v0\nend\n.end";
    let corner = |slot: &str| format!("setemit {slot}\nmov pos, v0\nemit\n");
    let corners = ["0", "1", "2, prim"].map(corner).concat();
    let geometry = format!(
        ".gsh point c0\n.ivec times\n.constf half(0.5, 0.5, 0.5, 0.5)\n.out pos position\n.proc corners\n{corners}.end\n\
         .entry gmain\n.proc gmain\ncall corners\nmov r0, v0\ncmp half, lt, lt, r0\nifc cmp.x\n\
         for times\ncall corners\n.end\n.end\nend\n.end"
    );
    let sources =
        [("a.v.pica", vertex), ("b.g.pica", &geometry)].map(|(name, text)| SourceText { name, text });
    let bytes = assemble(&sources).unwrap_or_else(|report| panic!("{report}")).bytes;
    let file = Shbin::parse(&bytes).expect("parses");
    let mut pipeline = Pipeline::from_file(&file, 0, Some(1), None, &options()).expect("valid");
    let mut uniforms = Uniforms::default();
    (uniforms.ints, uniforms.floats) = ([[255, 0, 0, 0]; 4], [[0.5; 4]; 96]);
    pipeline.set_uniforms(Stage::Geometry, &uniforms);
    let numbers: Vec<u8> = (0..64).flat_map(|n| ((n % 2) as f32).to_le_bytes()).collect();
    let number = Array { bytes: &numbers, offset: 0, stride: 4, number: Number::F32, components: 1 };
    let attributes = [VertexAttribute::Array(number)];
    let vertices = Vertices::new(&attributes, Order::Range { first: 0, count: 64 });
    let kept = pipeline.draw_buffers(&vertices).expect("draws");
    assert_eq!(kept.triangles().len(), 64 + 32 * 256);
    let mut written = vec![0.0; 3 * 4 * kept.triangles().len()];
    pipeline.draw_records(&vertices, &Records::from_registers(1), &mut written).expect("draws");
    assert!(kept.triangles().flatten().flatten().eq(written.as_chunks().0));
}

/// Outputs of nine floats: a run of them is no multiple of a copy. Of six invocations the last
/// three emit a second triangle.
#[test]
fn records_of_any_room_and_layout_have_the_values_of_a_draw() {
    use transpica_asm::{SourceText, assemble};
    let vertex = ".out pos position\n.proc main\nmov pos, v0\nend\n.end";
    let corner = |(slot, number): (&str, &str)| {
        format!(
            "setemit {slot}\nmov r1, v0\nadd r1, k.{number}, r1\nmov pos, r1\nmov t0, r1\nmov view, v0\nemit\n"
        )
    };
    let corners = [("0", "xxxx"), ("1", "yyyy"), ("2, prim", "zzzz")].map(corner).concat();
    let geometry = format!(
        ".gsh point c0\n.constf k(1.0, 2.0, 3.0, 2.5)\n.out pos position\n.out t0 texcoord0.xy\n.out view view\n\
         .proc corners\n{corners}.end\n.entry gmain\n.proc gmain\ncall corners\nmov r0, v0\n\
         cmp k.wwww, lt, lt, r0\nifc cmp.x\ncall corners\n.end\nend\n.end"
    );
    let sources =
        [("a.v.pica", vertex), ("b.g.pica", &geometry)].map(|(name, text)| SourceText { name, text });
    let bytes = assemble(&sources).unwrap_or_else(|report| panic!("{report}")).bytes;
    let file = Shbin::parse(&bytes).expect("parses");
    let mut pipeline = Pipeline::from_file(&file, 0, Some(1), None, &options()).expect("valid");
    assert!(pipeline.runs_in_batches());
    let numbers: Vec<u8> = (0..6).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let number = Array { bytes: &numbers, offset: 0, stride: 4, number: Number::F32, components: 1 };
    let attributes = [VertexAttribute::Array(number)];
    let vertices = Vertices::new(&attributes, Order::Range { first: 0, count: 6 });
    let mut alone = pipeline.clone();
    alone.one_by_one();
    let drawn = alone.draw_buffers(&vertices).expect("draws");
    let packed = Records::new(drawn.outputs().to_vec(), &options());
    assert_eq!((drawn.triangles().len(), packed.stride), (9, 9));
    let with_gaps = |gap: usize, stride: usize| {
        let mut records = Records { stride, ..packed.clone() };
        (0..).zip(&mut records.fields).for_each(|(number, field)| field.offset += gap * number);
        records
    };
    for records in [packed.clone(), with_gaps(0, 11), with_gaps(1, 12)] {
        let size = 3 * records.stride;
        let mut expected = vec![7.0; 9 * size];
        for (vertex, record) in drawn.triangles().flatten().zip(expected.chunks_mut(records.stride)) {
            for (field, value) in records.fields.iter().zip(vertex) {
                let lanes = field.output.lanes();
                record[field.offset..][..lanes].copy_from_slice(&value[..lanes]);
            }
        }
        for room in 0..=9 {
            let mut found = vec![7.0; 9 * size];
            let to = &mut found[..room * size];
            let (written, rest) = pipeline.draw_records(&vertices, &records, to).expect("draws");
            assert_eq!((written, rest.triangles().len()), (room, 9 - room));
            rest.write(&records, &mut found[room * size..]).expect("room");
            assert_eq!(found, expected, "{room} triangles have room");
        }
    }
}

/// Every second invocation emits two vertices more, and reverses a triangle.
#[test]
fn invocations_of_a_batch_emit_what_each_emits_alone() {
    use transpica_asm::{SourceText, assemble};
    let program = ".out pos position\n.proc main\nmov pos, v0\nend\n.end";
    let corner = |setting: &str, number: &str| {
        format!("setemit {setting}\nmov r1, v0\nadd r1, k.{number}, r1\nmov pos, r1\nemit\n")
    };
    let [first, second, unseen, third, others, reversed] = [
        ("0", "xxxx"),
        ("1", "yyyy"),
        ("2", "wwww"),
        ("2, prim", "zzzz"),
        ("0", "wwww"),
        ("1, prim inv", "xxxx"),
    ]
    .map(|(setting, number)| corner(setting, number));
    let geometry = format!(
        ".gsh point c0\n.constf k(1.0, 2.0, 3.0, 100.0)\n.out pos position\n.entry gmain\n.proc gmain\n{first}{second}\
         {unseen}mov r0, v0.x\ncmp k.zzzz, lt, lt, r0\nifc cmp.x\n{others}{reversed}.end\n\
         {third}end\n.end"
    );
    let sources =
        [("a.v.pica", program), ("b.g.pica", &geometry)].map(|(name, text)| SourceText { name, text });
    let bytes = assemble(&sources).unwrap_or_else(|report| panic!("{report}")).bytes;
    let file = Shbin::parse(&bytes).expect("parses");
    let mut pipeline = Pipeline::from_file(&file, 0, Some(1), None, &options()).expect("valid");
    assert!(pipeline.runs_in_batches());
    let vertices: Vec<_> = (0..70).map(|n| vertex([(n + 1) as f32 % 2.0 * 10.0, 0.0, 0.0])).collect();
    let mut alone = pipeline.clone();
    alone.one_by_one();
    let drawn = pipeline.draw(&vertices, None).expect("draws");
    assert_eq!(drawn.triangles().len(), 35 + 35 * 2);
    assert_eq!(positions(&drawn), positions(&alone.draw(&vertices, None).expect("draws")));
    // The invocations emit four vertices and six.
    for emits in [3, 4, 5, 6] {
        let limits = DrawLimits { emits, ..DrawLimits::default() };
        let [found, expected] = [&mut pipeline, &mut alone].map(|pipeline| {
            pipeline.set_limits(limits);
            pipeline.draw(&vertices, None).map(|drawn| positions(&drawn))
        });
        assert_eq!(found, expected);
        assert_eq!(found.is_ok(), emits == 6);
    }
}

#[test]
fn the_first_vertex_beyond_the_buffers_is_an_error() {
    let mut pipeline = pipeline(1, point(1), &show(Source::Input(0), Source::Input(0)));
    let array = Array { bytes: &[0; 40], offset: 0, stride: 4, number: Number::F32, components: 1 };
    let attributes = [VertexAttribute::Array(array)];
    let mut draw = |first, count| {
        let drawn = pipeline.draw_buffers(&Vertices::new(&attributes, Order::Range { first, count }))?;
        Ok(drawn.triangles().len())
    };
    assert_eq!(draw(2, 8), Ok(8));
    assert!(refused(draw(2, 9)).contains("10"), "{:?}", draw(2, 9));
    assert!(draw(0, u32::MAX).is_err() && draw(u32::MAX, 1).is_err() && draw(u32::MAX, 9).is_err());
}

#[test]
fn parts_of_a_draw_are_those_of_no_dependence() {
    let independent = || {
        let input = Source::Input(0);
        let emit = |vertex, prim| {
            [Inst::SetEmit { vertex, prim, invert: false }, mov(0, input), mov(1, input), Inst::Emit]
        };
        program(Stage::Geometry, &[emit(0, false), emit(1, false), emit(2, true)].concat())
    };
    let part = |input, topology, program: &Program<'_>| {
        let setup = Setup { topology, ..setup(3, input) };
        Pipeline::new(&copy(), Some(program), setup, &options()).expect("valid").part()
    };
    let fixed = GeometryInput::Fixed { first: 0, vertices: 5, stride: 2 };
    let geometry = Topology::Geometry;
    assert_eq!(part(point(6), geometry, &independent()), Some(3), "six inputs of two outputs");
    assert_eq!(part(fixed, Topology::List, &independent()), Some(5));
    assert_eq!(part(GeometryInput::Variable { main: 1 }, geometry, &independent()), None);
    assert_eq!(part(point(6), Topology::Strip, &independent()), None);
    assert_eq!(
        part(point(6), geometry, &show(Source::Input(0), Source::Input(0))),
        None,
        "slots of earlier ones"
    );
    for (topology, expected) in [(Topology::List, Some(3)), (Topology::Fan, None)] {
        let setup = Setup { geometry: None, topology, ..setup(3, point(1)) };
        assert_eq!(Pipeline::new(&copy(), None, setup, &options()).expect("valid").part(), expected);
    }
}

#[test]
fn a_key_covers_programs_and_setup_but_no_uniforms() {
    let file = Shbin::parse(POINTS).expect("parses");
    let key = |writes: &[(u16, u32)]| {
        let mut state = RegisterState::from_dvle(&file, 0, Some(1)).expect("valid");
        writes.iter().for_each(|&(register, value)| state.write(register, value));
        Pipeline::key(&state)
    };
    let own = key(&[]).expect("a key");
    // Uniforms, the order of attributes, a word behind the end.
    let end = 200;
    for same in [&[(0x280, 7)][..], &[(0x2B1, 5)], &[(0x2BB, 0x10)], &[(0x2CB, end), (0x2CC, 9)]] {
        assert_eq!(key(same), Ok(own), "{same:x?}");
    }
    // Code of both, an entry, topology, permutation of the geometry unit, map, mask.
    for other in [
        &[(0x2CB, 0), (0x2CC, 0x8800_0000)][..],
        &[(0x2BA, 0x7FFF_0001)],
        &[(0x28A, 0x7FFF_0001)],
        &[(0x25E, 0x100)],
        &[(0x28B, 0x01)],
        &[(0x050, 0x0302_0001)],
        &[(0x28D, 1)],
    ] {
        assert_ne!(key(other), Ok(own), "{other:x?}");
    }
    assert!(key(&[(0x252, 3)]).is_err(), "no draw");
    // An undefined opcode: no translation, but a pipeline.
    assert!(key(&[(0x2CB, 0), (0x2CC, 0x4000_0000)]).is_ok());
}

/// The text of the error about a configuration.
fn refused<T>(result: Result<T>) -> String {
    result.err().map(|error| error.to_string()).expect("refused")
}

#[test]
fn impossible_configurations_are_refused() {
    let fixed = |first, vertices, stride| GeometryInput::Fixed { first, vertices, stride };
    for (outputs, input, words) in [
        (0, point(1), "passes on no output"),
        (3, point(17), "inputs is 17 but must be 1 to 16"),
        (3, point(0), "inputs is 0"),
        (3, point(5), "5 inputs are not a multiple of the vertex program's 2 outputs"),
        (3, GeometryInput::Variable { main: 0 }, "main vertices is 0"),
        (3, GeometryInput::Variable { main: 33 }, "main vertices is 33"),
        (3, fixed(0, 0, 1), "vertices is 0"),
        (3, fixed(0, 17, 1), "vertices is 17"),
        (3, fixed(0, 1, 17), "stride of vertices is 17"),
        (3, fixed(93, 2, 2), "up to c96, beyond c95"),
        (3, fixed(255, 16, 16), "beyond c95"),
    ] {
        let text = refused(setup(outputs, input).check());
        assert!(text.contains(words), "{text}");
    }
    assert_eq!(setup(3, fixed(92, 2, 2)).check(), Ok(()));
    assert_eq!(setup(3, fixed(94, 1, 16)).check(), Ok(()));
}

#[test]
fn contradictory_registers_are_refused() {
    let file = Shbin::parse(POINTS).expect("parses");
    for (writes, words) in [
        (&[(0x252, 3)][..], "geometry mode 3"),
        (&[(0x252, 1)], "registers 0x229 and 0x252"),
        (&[(0x229, 0x8000_0002)], "registers 0x229 and 0x252"),
        (&[(0x252, 2)], "registers 0x252 and 0x289"),
        (&[(0x289, 0x0800_0101)], "registers 0x252 and 0x289"),
        (&[(0x252, 0x0100_0102), (0x289, 0x0800_0101)], "1 and 2 vectors"),
        (&[(0x252, 0x015F_1102), (0x289, 0x0800_0101)], "beyond c95"),
        (&[(0x289, 0x0800_0002)], "not a multiple"),
        (&[(0x2BD, 0)], "passes on no output"),
    ] {
        let mut state = RegisterState::from_dvle(&file, 0, Some(1)).expect("valid");
        assert!(Setup::from_registers(&state).is_ok());
        writes.iter().for_each(|&(register, value)| state.write(register, value));
        let text = refused(Pipeline::from_registers(&state, &options()));
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn impossible_geometry_fields_are_refused_at_the_field() {
    let start = Shbin::parse(POINTS).expect("parses").executables[1].start;
    for (fields, at, words) in [
        ([3, 0, 0, 0], 0x14, "geometry mode is 0x3"),
        ([1, 0, 0, 0], 0x16, "number of main vertices"),
        ([1, 0, 33, 0], 0x16, "number of main vertices"),
        ([2, 0, 0, 0], 0x17, "number of vertices"),
        ([2, 0, 0, 17], 0x17, "number of vertices"),
        ([2, 95, 0, 1], 0x15, "first uniform"),
        ([2, 96, 0, 1], 0x15, "first uniform"),
    ] {
        let mut bytes = POINTS.to_vec();
        bytes[start as usize + 0x14..][..4].copy_from_slice(&fields);
        let file = Shbin::parse(&bytes).expect("parses");
        let error = Pipeline::from_file(&file, 0, Some(1), None, &options()).expect_err("refused");
        assert_eq!(error.at, At::Offset(start + at), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let file = Shbin::parse(POINTS).expect("parses");
    for (stride, words) in [(0, "must be 1 to 16"), (17, "must be 1 to 16"), (3, "not a multiple")] {
        let text = refused(Pipeline::from_file(&file, 0, Some(1), Some(stride), &options()));
        assert!(text.contains(words), "{text}");
    }
    let kind = |vertex, geometry| {
        Pipeline::from_file(&file, vertex, geometry, None, &options()).expect_err("refused").kind
    };
    assert!(matches!(kind(1, None), Kind::Stage { .. }) && matches!(kind(0, Some(0)), Kind::Stage { .. }));
    assert!(matches!(kind(0, Some(2)), Kind::NoExecutable { .. }));
}

#[test]
fn the_geometry_input_follows_from_the_fields_of_the_file() {
    let start = Shbin::parse(POINTS).expect("parses").executables[1].start as usize;
    let fixed = |stride| GeometryInput::Fixed { first: 10, vertices: 4, stride };
    for (fields, stride, expected) in [
        ([0, 0, 0, 0], None, point(2)),
        // An application collects three vertices of two outputs.
        ([0, 0, 0, 0], Some(6), point(6)),
        ([1, 0, 32, 0], None, GeometryInput::Variable { main: 32 }),
        ([2, 10, 0, 4], None, fixed(2)),
        ([2, 10, 0, 4], Some(16), fixed(16)),
        ([2, 10, 0, 4], Some(1), fixed(1)),
    ] {
        let mut bytes = POINTS.to_vec();
        bytes[start + 0x14..][..4].copy_from_slice(&fields);
        let file = Shbin::parse(&bytes).expect("parses");
        let setup = Setup::from_file(&file, 0, Some(1), stride).expect("valid");
        assert_eq!(setup.geometry, Some(GeometrySetup { input: expected, outputs: 7 }));
        assert_eq!((setup.vertex_outputs, setup.topology), (3, Topology::Geometry));
    }
}

#[test]
fn invalid_indices_are_refused_with_their_place() {
    let program = show(Source::Input(0), Source::Input(0));
    let mut variable = pipeline(0b11, GeometryInput::Variable { main: 2 }, &program);
    for (indices, words) in [
        (None, "need indices"),
        (Some(&[2, 0, 1, 1, 0][..]), "indices[3]: a primitive of 1 vertices, the main ones alone are 2"),
        (Some(&[0]), "indices[0]: a primitive of 0 vertices"),
        (Some(&[3, 0, 1]), "indices[0]: a primitive of 3 vertices, the indices end before it"),
        (Some(&[2, 0, 5]), "indices[2] is 5, but there are 5 vertices"),
        (Some(&[94, 0, 1]), "needs 97 uniforms of 96"),
        (Some(&[u32::MAX, 0, 1]), "uniforms of 96"),
    ] {
        let text = refused(variable.draw(&vertices(5), indices));
        assert!(text.contains(words), "{text}");
    }
    let mut indices = vec![93];
    indices.resize(94, 0);
    assert!(variable.draw(&vertices(1), Some(&indices)).is_ok(), "1 + 2 · 2 + 91 uniforms");
    let mut points = pipeline(1, point(1), &program);
    assert!(
        refused(points.draw(&vertices(1), Some(&[0, 1])))
            .contains("indices[1] is 1, but there are 1 vertices")
    );
}

#[test]
fn a_draw_beyond_its_limits_is_an_error() {
    let program = show(Source::Input(0), Source::Input(0));
    let mut pipeline = pipeline(1, point(1), &program);
    let limit = |pipeline: &mut Pipeline, bounds| {
        pipeline.set_limits(bounds);
        pipeline.draw(&vertices(3), None).map(|drawn| drawn.triangles().len()).map_err(|error| error.kind)
    };
    let usual = DrawLimits::default();
    assert_eq!(limit(&mut pipeline, DrawLimits { triangles: 3, ..usual }), Ok(3));
    let kind = Kind::Limit { name: "triangles of a draw", value: 3, limit: 2 };
    assert_eq!(limit(&mut pipeline, DrawLimits { triangles: 2, ..usual }), Err(kind));
    // Four instructions a vertex, five an invocation.
    assert_eq!(limit(&mut pipeline, DrawLimits { draw_steps: 27, ..usual }), Ok(3));
    assert_eq!(limit(&mut pipeline, DrawLimits { draw_steps: 26, ..usual }), Err(Kind::StepBudget(26)));
    assert_eq!(limit(&mut pipeline, DrawLimits { steps: 5, ..usual }), Ok(3));
    assert_eq!(limit(&mut pipeline, DrawLimits { steps: 4, ..usual }), Err(Kind::StepBudget(4)));
    let kind = Kind::Limit { name: "emitted vertices of an invocation", value: 1, limit: 0 };
    assert_eq!(limit(&mut pipeline, DrawLimits { emits: 0, ..usual }), Err(kind));
}

#[test]
fn programs_that_do_not_fit_the_setup_are_refused() {
    let geometry = show(Source::Input(0), Source::Input(0));
    let (with, without) = (setup(1, point(1)), Setup { geometry: None, ..setup(1, point(1)) });
    assert!(refused(Pipeline::new(&copy(), None, with, &options())).contains("disagree"));
    assert!(refused(Pipeline::new(&copy(), Some(&geometry), without, &options())).contains("disagree"));
    assert!(refused(Pipeline::new(&geometry, None, without, &options())).contains("geometry program"));
    assert!(refused(Pipeline::new(&copy(), Some(&copy()), with, &options())).contains("vertex program"));
}

/// Random numbers, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }
}

/// The registers of the geometry sample, with some input mode, one random register and one random
/// word of the program.
fn random_state(base: &RegisterState, random: &mut Random) -> RegisterState {
    const REGISTERS: [u16; 12] =
        [0x229, 0x244, 0x4F, 0x50, 0x252, 0x254, 0x25E, 0x289, 0x28B, 0x28C, 0x28D, 0x2BD];
    let mut state = base.clone();
    let (mode, stride) = (random.next() % 3, random.next() & 15);
    let place = (random.next() & 0x5F) << 16 | stride << 12 | (random.next() & 3) << 8;
    state.write(0x229, 2 | (mode & 1) << 31);
    state.write(0x252, mode | (mode / 2) << 24 | place);
    state.write(0x254, random.next() & 3);
    let inputs = if mode == 0 { random.next() & 3 } else { stride };
    state.write(0x289, 0x0800_0000 | mode.min(1) << 8 | inputs);
    if random.next().is_multiple_of(4) {
        state.write(REGISTERS[random.next() as usize % REGISTERS.len()], random.next());
    }
    if random.next().is_multiple_of(2) {
        state.write(0x29B, random.next() % 32);
        state.write(0x29C, random.next() << 8 ^ random.next());
    }
    state
}

#[test]
fn draws_of_random_registers_code_and_indices_end() {
    let file = Shbin::parse(POINTS).expect("parses");
    let base = RegisterState::from_dvle(&file, 0, Some(1)).expect("valid");
    let bounds = DrawLimits { steps: 500, draw_steps: 5000, emits: 20, triangles: 50 };
    let options = Options { control: Control { permissive: true, ..options().control }, ..options() };
    let (mut random, mut drew, mut triangles) = (Random(6), 0, 0);
    for _ in 0..4000 {
        let state = random_state(&base, &mut random);
        let Ok(mut pipeline) = Pipeline::from_registers(&state, &options) else { continue };
        pipeline.set_limits(bounds);
        pipeline.set_topology(Topology::from_bits(random.next()));
        let indices: Vec<u32> = (0..random.next() % 20).map(|_| random.next() % 6).collect();
        for indices in [None, Some(&indices[..])] {
            if let Ok(drawn) = pipeline.draw(&vertices(6), indices) {
                drew += 1;
                triangles += drawn.triangles().len();
                assert!(drawn.triangles().len() <= 50);
            }
        }
    }
    assert!(drew > 1000 && triangles > 1000, "{drew} draws, {triangles} triangles");
}

/// Lanes select uniforms by addresses of their own, some of them delivered.
#[test]
fn relative_reads_find_what_was_delivered_to_each_invocation() {
    let read = |output: u8, index, offset| {
        let operand = Operand { index, ..Operand::new(Source::Uniform(offset)) };
        Inst::data(DataOp::Mov, Dest::Output(output), Mask::XYZW, &[operand])
    };
    let mova = Inst::Mova { mask: Mask(3), source: Operand::new(Source::Uniform(4)) };
    let mut insts = vec![mova];
    for slot in 0..3 {
        insts.push(Inst::SetEmit { vertex: slot, prim: slot == 2, invert: false });
        insts.extend([read(0, Index::A0x, 3 + slot), read(1, Index::A0y, 4), Inst::Emit]);
    }
    insts.push(END);
    let program = program(Stage::Geometry, &insts);
    let input = GeometryInput::Fixed { first: 4, vertices: 3, stride: 1 };
    let mut batched = pipeline(1, input, &program);
    assert!(batched.runs_in_batches());
    let mut uniforms = batched.uniforms(Stage::Geometry);
    (0u8..).zip(&mut uniforms.floats).for_each(|(n, float)| *float = [100.0 + f32::from(n); 4]);
    batched.set_uniforms(Stage::Geometry, &uniforms);
    let mut alone = batched.clone();
    alone.one_by_one();
    // Addresses of the first vertex of each: before, in and behind what is delivered, or in all
    // alike.
    for modulus in [7.0, 1.0] {
        let vertices: Vec<_> = (0..60).map(|n| vertex([(n as f32 / 3.0).floor() % modulus; 3])).collect();
        let [found, expected] =
            [&mut batched, &mut alone].map(|own| own.draw(&vertices, None).expect("draws"));
        assert!(found.triangles().eq(expected.triangles()));
        assert_eq!(found.triangles().len(), 20);
    }
}
