//! Draws with geometry programs through the C interface: triangles of random programs equal those
//! of the reference machines, one after the other, in records with gaps; so do later draws, which
//! see the state of earlier ones.
#![allow(unsafe_code, reason = "the functions are those of C")]

use std::ptr::null_mut;

use transpica::isa::Uniforms;
use transpica::settings::Control;
use transpica::{Options, RegisterState, Shbin, Stage};
use transpica_asm::{SourceText, assemble};
use transpica_capi::*;
use transpica_draw::cpu::{DrawLimits, Pipeline};
use transpica_proof::{daily, scenes};

/// Random programs: all, and those of a day.
const PROGRAMS: [u64; 2] = [10_000, 1_000];
const LIMITS: DrawLimits = DrawLimits { steps: 2000, draw_steps: 200_000, emits: 64, triangles: 2000 };

/// Random numbers, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }
}

/// The command list of a scene with other words of its geometry program, another input mode and
/// another topology.
fn random_list(commands: &[u32], random: &mut Random) -> Vec<u32> {
    let mut list = commands.to_vec();
    let mut write = |register: u32, value: u32| list.extend([value, register | 0xF << 16]);
    for _ in 0..random.next() % 3 {
        // A code word: bits of two others, so that most opcodes are defined.
        write(0x29B, random.next() % 40);
        write(
            0x29C,
            commands[random.next() as usize % commands.len()] ^ random.next() >> (random.next() % 31),
        );
    }
    if random.next().is_multiple_of(4) {
        write(0x25E, (random.next() % 4) << 8);
    }
    list
}

/// Draws twice through C, or `None` if the pipeline or a draw is refused.
unsafe fn draw(list: &[u32], vertices: &[u8], indices: Option<&[u32]>) -> [Option<Vec<u32>>; 2] {
    // SAFETY: pointers are those of the slices or of objects that live until they are freed here.
    unsafe {
        let mut registers = null_mut();
        assert_eq!(transpica_registers_create(&raw mut registers), TranspicaStatus::Ok);
        transpica_registers_commands(registers, list.as_ptr(), list.len());
        let settings = transpica_settings_new();
        let (path, value) = (c"control.permissive", c"true");
        transpica_settings_set(settings, path.as_ptr(), value.as_ptr(), null_mut());
        let mut pipeline = null_mut();
        let status = transpica_pipeline_create(settings, registers, &raw mut pipeline, null_mut());
        let mut drawn = [None, None];
        if status == TranspicaStatus::Ok {
            let DrawLimits { steps, draw_steps, emits, triangles } = LIMITS;
            let limits = TranspicaDrawLimits { steps, draw_steps, emits, triangles };
            transpica_pipeline_set_limits(pipeline, &raw const limits);
            drawn = [0, 1].map(|_| draw_once(pipeline, vertices, indices));
        }
        transpica_pipeline_free(pipeline);
        transpica_settings_free(settings);
        transpica_registers_free(registers);
        drawn
    }
}

unsafe fn draw_once(
    pipeline: *mut TranspicaPipeline,
    vertices: &[u8],
    indices: Option<&[u32]>,
) -> Option<Vec<u32>> {
    let attributes: [_; 16] = std::array::from_fn(|register| TranspicaVertexAttribute {
        bytes: vertices.as_ptr(),
        byte_count: vertices.len(),
        offset: 16 * register,
        stride: 256,
        number: TranspicaNumber::F32 as u32,
        components: 4,
        value: [0.0; 4],
    });
    // SAFETY: zeros are a draw of no vertices.
    let mut draw: TranspicaDraw = unsafe { std::mem::zeroed() };
    (draw.attributes, draw.attribute_count) = (attributes.as_ptr(), attributes.len());
    draw.count = indices.map_or(vertices.len() / 256, <[u32]>::len);
    if let Some(indices) = indices {
        (draw.indices, draw.index_size) = (indices.as_ptr().cast(), 4);
    }
    // SAFETY: as above; copies are freed here.
    unsafe {
        let drawn = [(0, 0), (3, LIMITS.triangles as usize)].map(|(gap, room)| {
            let mut copy = null_mut();
            assert_eq!(transpica_pipeline_copy(pipeline, &raw mut copy, null_mut()), TranspicaStatus::Ok);
            let drawn = draw_to(copy, draw, gap, room);
            transpica_pipeline_free(copy);
            drawn
        });
        let own = draw_to(pipeline, draw, 1, 5);
        assert!(drawn.iter().all(|drawn| *drawn == own), "triangles depend on the room for them");
        own
    }
}

/// Draws to records with a gap after each, and room for so many triangles; the others are read.
unsafe fn draw_to(
    pipeline: *mut TranspicaPipeline,
    mut draw: TranspicaDraw,
    gap: usize,
    room: usize,
) -> Option<Vec<u32>> {
    // SAFETY: as above; records have room for as many floats as is said.
    unsafe {
        let floats = transpica_pipeline_record_floats(pipeline);
        let stride = floats + gap;
        draw.record_stride = stride;
        let mut records = vec![7.5f32; room * 3 * stride];
        let (mut count, size, to) = (usize::MAX, records.len(), records.as_mut_ptr());
        let status = transpica_pipeline_draw(pipeline, &raw const draw, to, size, &raw mut count, null_mut());
        if status != TranspicaStatus::Ok {
            return None;
        }
        let written = count.min(3 * room);
        assert!(records.split_off(written * stride).iter().all(|float| *float == 7.5));
        let mut rest = vec![7.5f32; (count - written) * stride];
        if !rest.is_empty() {
            let short = transpica_pipeline_read(pipeline, rest.as_mut_ptr(), rest.len() - 1);
            assert_eq!(short, TranspicaStatus::BadArgument);
        }
        let read = transpica_pipeline_read(pipeline, rest.as_mut_ptr(), rest.len());
        assert_eq!(read, TranspicaStatus::Ok);
        records.append(&mut rest);
        let mut numbers = Vec::with_capacity(count * floats);
        for record in records.chunks(stride) {
            let (own, others) = record.split_at(floats);
            assert!(others.iter().all(|float| *float == 7.5), "floats that belong to no output");
            numbers.extend(own.iter().map(|n| if n.is_nan() { f32::NAN } else { *n }.to_bits()));
        }
        Some(numbers)
    }
}

/// The same on the reference machines.
fn expected(list: &[u32], vertices: &[[[f32; 4]; 16]], indices: Option<&[u32]>) -> [Option<Vec<u32>>; 2] {
    let mut state = RegisterState::default();
    state.commands(list);
    let options =
        Options { control: Control { permissive: true, ..Control::default() }, ..Options::default() };
    let Ok(mut pipeline) = Pipeline::from_registers(&state, &options) else { return [None, None] };
    pipeline.one_by_one();
    pipeline.set_limits(LIMITS);
    [0, 1].map(|_| {
        let drawn = pipeline.draw(vertices, indices).ok()?;
        let outputs = drawn.outputs().iter().map(|output| output.lanes());
        let lanes: Vec<usize> = outputs.collect();
        let numbers = drawn.triangles().flatten().flat_map(|vertex| vertex.iter().zip(&lanes));
        let numbers = numbers.flat_map(|(value, lanes)| &value[..*lanes]);
        Some(numbers.map(|number| if number.is_nan() { f32::NAN } else { *number }.to_bits()).collect())
    })
}

#[test]
fn triangles_of_random_programs_are_those_of_the_machines() {
    let scenes = scenes::list();
    let cases = daily::cases("programs of a pipeline in C", PROGRAMS[1], PROGRAMS[0]);
    let (mut random, mut drawn, mut numbers) = (Random(9), 0, 0);
    for case in 0..cases {
        let scene = &scenes[case as usize % scenes.len()];
        let list = random_list(&scene.commands().expect("a sample"), &mut random);
        let count = scene.vertices.len().min(40);
        let vertices = &scene.vertices[..if scene.indices.is_some() { scene.vertices.len() } else { count }];
        let floats = vertices.as_flattened().as_flattened();
        let bytes: Vec<u8> = floats.iter().flat_map(|number| number.to_le_bytes()).collect();
        let indices = scene.indices.as_deref().map(|indices| &indices[..indices.len().min(60)]);
        // SAFETY: the slices live longer than the call.
        let found = unsafe { draw(&list, &bytes, indices) };
        let expected = expected(&list, vertices, indices);
        for (number, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            assert!(found == expected, "case {case} of {}, draw {number} differs", scene.name);
            drawn += u64::from(found.is_some());
            numbers += found.map_or(0, |found| found.len());
        }
    }
    println!("{cases} programs, {drawn} draws, {numbers} numbers");
    assert!(drawn > cases && numbers > 100 * cases as usize, "{drawn} draws, {numbers} numbers");
}

/// A vertex program of three outputs, and a geometry program that makes three triangles of two
/// vertices, with every output.
const SOURCES: [SourceText<'_>; 2] = [
    SourceText {
        name: "large.v.pica",
        text: ".out opos position
            .out ocol color
            .out osize texcoord0
            .fvec projection[4]
            .proc main
                dp4 opos.x, projection[0], v0
                dp4 opos.y, projection[1], v0
                dp4 opos.z, projection[2], v0
                dp4 opos.w, projection[3], v0
                mov ocol, v1
                mov osize, v2
                end
            .end",
    },
    SourceText {
        name: "large.g.pica",
        text: ".gsh point c0
            .constf corner(-1.0, 1.0, 0.0, 0.5)
            .entry gmain
            .out pos position
            .out quat normalquat
            .out col color
            .out t0 texcoord0.xyw
            .out t1 texcoord1.xy
            .out t2 texcoord2.xy
            .out view view
            .proc corner_at
                mul r2.xy, r1.xy, v2.xy
                mov r4, v0
                mad r0.xy, r2, r4.wwww, r4
                mov r0.zw, v3
                mov pos, r0
                mov quat, corner.zzzy
                mov col, v1
                mov r3, corner.wwww
                mad t0.xyz, r1, r3, r3
                mov t1.xy, r1
                mov t2.xy, v2
                mov view.xyz, r0
            .end
            .proc gmain
                setemit 0
                mov r1, corner.xxzz
                call corner_at
                emit
                setemit 1
                mov r1, corner.yxzz
                call corner_at
                emit
                setemit 2, prim
                mov r1, corner.xyzz
                call corner_at
                emit
                setemit 0, prim inv
                mov r1, corner.yyzz
                call corner_at
                emit
                setemit 1, prim
                mov r1, corner.zyzz
                call corner_at
                emit
                end
            .end",
    },
];

/// Registers with the programs of a state, from arrays: code, descriptors, outputs, uniforms. The
/// other registers are written.
unsafe fn load(state: &RegisterState) -> *mut TranspicaRegisters {
    // SAFETY: the arrays live longer than the calls.
    unsafe {
        let mut registers = null_mut();
        assert_eq!(transpica_registers_create(&raw mut registers), TranspicaStatus::Ok);
        for number in
            [0x229, 0x244, 0x24A, 0x251, 0x252, 0x254, 0x25E, 0x289, 0x28B, 0x28C, 0x2B9, 0x2BB, 0x2BC]
        {
            transpica_registers_write(registers, number.into(), state.read(number));
        }
        let stages = [Stage::Vertex, Stage::Geometry];
        for stage in &stages[..1 + usize::from(state.has_geometry())] {
            let program = state.program(*stage).expect("a program");
            let mut raw: TranspicaRawProgram = std::mem::zeroed();
            raw.head.r#type = TranspicaType::RawProgram as u32;
            raw.head.size = size_of::<TranspicaRawProgram>() as u32;
            (raw.code, raw.code_count) = (program.code().as_ptr(), program.code().len());
            (raw.descriptors, raw.descriptor_count) =
                (program.descriptors().as_ptr(), program.descriptors().len());
            (raw.entry, raw.stage) = (program.entry().0.into(), *stage as u32);
            raw.output_mask = state.read([0x2BD, 0x28D][*stage as usize]);
            raw.output_count = state.read(0x04F);
            raw.output_map = [0, 1, 2, 3, 4, 5, 6].map(|n| state.read(0x050 + n));
            assert_eq!(transpica_registers_load(registers, &raw const raw), TranspicaStatus::Ok);
            let Uniforms { floats, ints, bools } = state.uniforms(*stage);
            let uniforms = TranspicaUniforms { floats, ints, bools, reserved: 0 };
            let set = transpica_registers_set_uniforms(registers, *stage as u32, &raw const uniforms);
            assert_eq!(set, TranspicaStatus::Ok);
        }
        registers
    }
}

unsafe fn pipeline_of(registers: *const TranspicaRegisters) -> *mut TranspicaPipeline {
    let mut pipeline = null_mut();
    // SAFETY: registers that no other call changes.
    let status =
        unsafe { transpica_pipeline_create(std::ptr::null(), registers, &raw mut pipeline, null_mut()) };
    assert_eq!(status, TranspicaStatus::Ok);
    pipeline
}

#[test]
fn registers_from_arrays_are_those_of_commands() {
    for scene in scenes::list().iter().filter(|scene| scene.stride.is_none()) {
        let commands = scene.commands().expect("a sample");
        let mut state = RegisterState::default();
        state.commands(&commands);
        let bytes: Vec<u8> =
            scene.vertices.as_flattened().as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
        // SAFETY: as above.
        unsafe {
            let (mut written, loaded) = (null_mut(), load(&state));
            transpica_registers_create(&raw mut written);
            transpica_registers_commands(written, commands.as_ptr(), commands.len());
            let drawn = [written, loaded].map(|registers| {
                let mut key = TranspicaKey { bytes: [0; 16] };
                assert_eq!(transpica_pipeline_key(registers, &raw mut key, null_mut()), TranspicaStatus::Ok);
                let pipeline = pipeline_of(registers);
                let drawn = draw_once(pipeline, &bytes, scene.indices.as_deref());
                transpica_pipeline_free(pipeline);
                transpica_registers_free(registers);
                (key.bytes, drawn.expect("drawn"))
            });
            assert!(!drawn[0].1.is_empty() && drawn[0] == drawn[1], "{}", scene.name);
        }
    }
}

/// Another pipeline continues with the registers that a draw left, as on the console.
#[test]
fn uniforms_of_the_geometry_unit_go_back_to_the_registers() {
    let scene = scenes::list().into_iter().find(|scene| scene.name == "subdivision").expect("a sample");
    let mut state = RegisterState::default();
    state.commands(&scene.commands().expect("a sample"));
    let bytes: Vec<u8> =
        scene.vertices.as_flattened().as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
    // SAFETY: as above.
    unsafe {
        let registers = load(&state);
        let pipeline = pipeline_of(registers);
        assert_eq!(transpica_registers_read(registers, 0x280) >> 15, 0);
        transpica_pipeline_hand_over(pipeline, registers, null_mut());
        assert_eq!(transpica_registers_read(registers, 0x280) >> 15, 0, "nothing has run");
        draw_once(pipeline, &bytes, scene.indices.as_deref()).expect("drawn");
        transpica_pipeline_hand_over(pipeline, registers, null_mut());
        assert_eq!(transpica_registers_read(registers, 0x280) >> 15, 1, "b15");
        // Another pipeline goes on with both.
        let other = pipeline_of(registers);
        let handed = transpica_pipeline_hand_over(pipeline, null_mut(), other);
        assert_eq!(handed, TranspicaStatus::Ok);
        let indices = scene.indices.as_deref();
        assert!(draw_once(other, &bytes, indices) == draw_once(pipeline, &bytes, indices));
        transpica_pipeline_free(pipeline);
        transpica_pipeline_free(other);
        transpica_registers_free(registers);
    }
}

#[test]
fn points_have_the_vertices_that_setups_in_rust_have() {
    let file = assemble(&SOURCES).unwrap_or_else(|report| panic!("{report}")).bytes;
    let file = Shbin::parse(&file).expect("a file");
    let mut state = RegisterState::from_dvle(&file, 0, Some(1)).expect("two programs");
    let mut found = std::collections::BTreeSet::new();
    for vectors in 1..=16 {
        state.write_masked(0x289, vectors - 1, 1);
        let Ok(expected) = transpica::Setup::from_registers(&state) else { continue };
        // SAFETY: as above.
        unsafe {
            let (registers, mut setup) = (load(&state), null_mut());
            transpica_setup_from_registers(registers, &raw mut setup, null_mut());
            assert_eq!(transpica_setup_point_vertices(setup), u32::from(expected.point_vertices()));
            found.insert(transpica_setup_point_vertices(setup));
            transpica_setup_free(setup);
            transpica_registers_free(registers);
        }
    }
    assert!(found.contains(&1) && found.contains(&5), "{found:?}");
}

/// 20,000 vertices become 90,000, written at once, read later, and in parts on two threads. With
/// `--nocapture` it prints the times, which mean something in optimized builds.
#[test]
fn large_draws_are_the_same_at_once_later_and_in_parts() {
    const VERTICES: usize = 20_000;
    let file = assemble(&SOURCES).unwrap_or_else(|report| panic!("{report}")).bytes;
    let file = Shbin::parse(&file).expect("a file");
    let mut state = RegisterState::from_dvle(&file, 0, Some(1)).expect("two programs");
    state.write_masked(0x289, 5, 1);
    state.write(0x25E, 3 << 8);
    // Three attributes, to v0, v1 and v2.
    state.write(0x2B9, 0xA000_0002);
    state.write(0x2BB, 0x7654_3210);
    let mut uniforms = state.uniforms(Stage::Vertex);
    (0..4).for_each(|row| uniforms.floats[row][row] = 1.0);
    state.set_uniforms(Stage::Vertex, &uniforms);
    let numbers = (0..12 * VERTICES).map(|n| (n % 97) as f32 * 0.01 + 0.1);
    let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
    let attributes = [0, 16, 32].map(|offset| TranspicaVertexAttribute {
        bytes: bytes.as_ptr(),
        byte_count: bytes.len(),
        offset,
        stride: 48,
        number: TranspicaNumber::F32 as u32,
        components: 4,
        value: [0.0; 4],
    });
    // SAFETY: as above.
    unsafe {
        let registers = load(&state);
        let pipeline = pipeline_of(registers);
        let mut draw: TranspicaDraw = std::mem::zeroed();
        (draw.attributes, draw.attribute_count, draw.count) = (attributes.as_ptr(), 3, VERTICES);
        draw.record_stride = transpica_pipeline_record_floats(pipeline) + 2;
        let size = draw.record_stride * VERTICES * 9 / 2;
        let [mut later, mut at_once, mut in_parts] = [(); 3].map(|()| vec![0.0f32; size]);
        let (mut count, mut times) = (0, [f64::MAX; 2]);
        for _ in 0..if cfg!(debug_assertions) { 1 } else { 100 } {
            let start = std::time::Instant::now();
            transpica_pipeline_draw(pipeline, &raw const draw, null_mut(), 0, &raw mut count, null_mut());
            assert_eq!(transpica_pipeline_read(pipeline, later.as_mut_ptr(), size), TranspicaStatus::Ok);
            let middle = std::time::Instant::now();
            let to = at_once.as_mut_ptr();
            transpica_pipeline_draw(pipeline, &raw const draw, to, size, &raw mut count, null_mut());
            times =
                [times[0].min((middle - start).as_secs_f64()), times[1].min(middle.elapsed().as_secs_f64())];
        }
        let ratio = times[0] / times[1];
        println!("draw and read {:.2} ms, draw {:.2} ms: {ratio:.2}", times[0] * 1e3, times[1] * 1e3);
        assert!(count == 90_000 && later == at_once && later.iter().any(|n| *n != 0.0));
        // Two parts: of an invocation's vertices, and not of any number.
        assert_eq!(transpica_pipeline_part(pipeline), 2);
        let half = size / 2;
        // Pointers as numbers: threads have a copy of the pipeline, and nothing writes vertices.
        let vertices = attributes.as_ptr().expose_provenance();
        std::thread::scope(|scope| {
            for (part, to) in in_parts.chunks_mut(half).enumerate() {
                let mut copy = null_mut();
                transpica_pipeline_copy(pipeline, &raw mut copy, null_mut());
                let (copy, record_stride) = (copy.expose_provenance(), draw.record_stride);
                scope.spawn(move || {
                    let copy = std::ptr::with_exposed_provenance_mut(copy);
                    let mut draw: TranspicaDraw = std::mem::zeroed();
                    (draw.attributes, draw.attribute_count) =
                        (std::ptr::with_exposed_provenance(vertices), 3);
                    (draw.first, draw.count) = ((part * VERTICES / 2) as u32, VERTICES / 2);
                    draw.record_stride = record_stride;
                    let (to, mut count) = (to.as_mut_ptr(), 0);
                    transpica_pipeline_draw(copy, &raw const draw, to, half, &raw mut count, null_mut());
                    assert_eq!(count, 45_000);
                    transpica_pipeline_free(copy);
                });
            }
        });
        assert!(in_parts == later);
        transpica_pipeline_free(pipeline);
        transpica_registers_free(registers);
    }
}
