//! Draws with geometry programs through the C interface: triangles of random programs equal those
//! of the reference machines, one after the other, in records with gaps; so do later draws, which
//! see the state of earlier ones.
#![allow(unsafe_code, reason = "the functions are those of C")]

use std::ptr::{null, null_mut};

use transpica::settings::Control;
use transpica::{Options, RegisterState};
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
    // SAFETY: as above; records have room for as many floats as is said.
    unsafe {
        let mut count = usize::MAX;
        let status = transpica_pipeline_draw(pipeline, &raw const draw, &raw mut count, null_mut());
        if status != TranspicaStatus::Ok {
            return None;
        }

        // A gap of one float before each record.
        let floats = transpica_pipeline_record_floats(pipeline);
        let mut packed = vec![0.0f32; count * floats];
        let read = transpica_pipeline_read(pipeline, 0, null(), 0, packed.as_mut_ptr(), packed.len());
        assert_eq!(read, TranspicaStatus::Ok);
        let stride = floats + 3;
        let mut records = vec![7.5f32; count * stride];
        let read = transpica_pipeline_read(pipeline, stride, null(), 0, records.as_mut_ptr(), records.len());
        assert_eq!(read, TranspicaStatus::Ok);
        for (packed, record) in packed.chunks(floats.max(1)).zip(records.chunks(stride)) {
            let same = packed.iter().zip(record).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && record[floats..] == [7.5; 3]);
        }
        if count > 0 {
            let short =
                transpica_pipeline_read(pipeline, 0, null(), 0, packed.as_mut_ptr(), packed.len() - 1);
            assert_eq!(short, TranspicaStatus::BadArgument);
        }
        Some(packed.iter().map(|number| if number.is_nan() { f32::NAN } else { *number }.to_bits()).collect())
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
