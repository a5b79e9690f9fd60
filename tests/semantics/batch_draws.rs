//! Draws of batches: vertex fetch and records equal a plain reference, number by number; hostile
//! buffers are refused before anything runs.

use fastrand::Rng;
use transpica::host::{HostValues, OutputMap};
use transpica::isa::Pc;
use transpica::settings::{Arithmetic, ClipPlanes, DepthRange, DepthSnap, FlipY, Magnitudes, Outputs};
use transpica::{Limits, Machine, Options, Precision, Program, Stage};
use transpica_draw::batch::{Array, Batch, Number, Order, Records, VertexAttribute, Vertices};

/// Random draws.
const DRAWS: u64 = 4_000;
/// The value of floats that nothing may write.
const UNTOUCHED: u32 = 0xDEAD_BEEF;

fn program(code: Vec<u32>) -> Program<'static> {
    Program::new(code, vec![0x0000_036F], Pc(0), Stage::Vertex, &Limits::default()).expect("well formed")
}

/// Moves the inputs of the mask to the outputs of the same number.
fn moves(mask: u16) -> Program<'static> {
    let registers = (0..16).filter(|register| mask >> register & 1 != 0);
    program(registers.map(|n| 0x4C00_0000 | n << 21 | n << 12).chain([0x8800_0000]).collect())
}

/// A component of an attribute; nothing beyond the end of the buffer.
fn component(array: &Array<'_>, vertex: u32, component: usize) -> Option<f32> {
    let size = match array.number {
        Number::S8 | Number::U8 => 1,
        Number::S16 => 2,
        Number::F32 => 4,
    };
    let start = array.offset as u128 + array.stride as u128 * u128::from(vertex) + (component * size) as u128;
    let byte = |n: u128| array.bytes.get(usize::try_from(start + n).ok()?).copied();
    Some(match array.number {
        Number::S8 => f32::from(byte(0)? as i8),
        Number::U8 => f32::from(byte(0)?),
        Number::S16 => f32::from(i16::from(byte(1)? as i8) << 8 | i16::from(byte(0)?)),
        Number::F32 => {
            f32::from_bits((0..4).try_fold(0, |bits, n| Some(bits | u32::from(byte(n)?) << (8 * n)))?)
        }
    })
}

/// The inputs of a vertex, or `None` if one lies beyond its buffer.
fn inputs(vertices: &Vertices<'_>, read: u16, vertex: u32) -> Option<[[f32; 4]; 16]> {
    let mut inputs = [[0.0, 0.0, 0.0, 1.0]; 16];
    for (register, input) in inputs.iter_mut().enumerate().filter(|(n, _)| read >> n & 1 != 0) {
        let attribute = vertices.input_map[register].and_then(|n| vertices.attributes.get(usize::from(n)));
        match attribute {
            None => {}
            Some(VertexAttribute::Fixed(value)) => *input = *value,
            Some(VertexAttribute::Array(array)) => {
                for (n, value) in input.iter_mut().enumerate().take(usize::from(array.components)) {
                    *value = component(array, vertex, n)?;
                }
            }
        }
    }
    Some(inputs)
}

/// The vertices of an order.
fn named(order: &Order<'_>) -> Vec<u32> {
    match *order {
        Order::Range { first, count } => (0..count).map(|n| first + n).collect(),
        Order::U8(indices) => indices.iter().copied().map(u32::from).collect(),
        Order::U16(indices) => indices.iter().copied().map(u32::from).collect(),
        Order::U32(indices) => indices.to_vec(),
    }
}

/// Draws, and compares with the reference. Returns whether the draw was refused.
fn compare(program: &Program<'_>, read: u16, vertices: &Vertices<'_>, records: &Records) -> bool {
    let settings = records.options.settings(100);
    let (mut machine, mut batch) =
        (Machine::new(program, settings).expect("fine"), Batch::new(program, settings).expect("fine"));
    let order = named(&vertices.order);
    let size = order.len() * records.stride;
    let mut found = vec![f32::from_bits(UNTOUCHED); size];
    let result = batch.run_draw(vertices, records, &mut found);
    let all: Vec<_> = order.iter().map(|&vertex| inputs(vertices, read, vertex)).collect();
    if all.contains(&None) {
        let error = result.expect_err("a vertex lies beyond its buffer");
        assert_eq!(all[error.vertex], None, "{error}");
        assert!(found.iter().all(|value| value.to_bits() == UNTOUCHED), "nothing is written: {error}");
        return true;
    }
    result.expect("all vertices are there");
    let mut expected = vec![f32::from_bits(UNTOUCHED); size];
    for (place, inputs) in all.iter().flatten().enumerate() {
        let outputs = machine.run(inputs).expect("runs to its end");
        for field in &records.fields {
            let value = field.output.value(outputs, &records.options, &records.host);
            for (lane, value) in value.into_iter().enumerate().take(field.output.lanes()) {
                expected[place * records.stride + field.offset + lane] = value;
            }
        }
    }
    for (place, (expected, found)) in expected.iter().zip(&found).enumerate() {
        let is_same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
        assert!(is_same, "float {place}: {expected} expected, {found} found");
        let is_untouched = |value: &f32| value.to_bits() == UNTOUCHED;
        assert_eq!(is_untouched(expected), is_untouched(found), "float {place}");
    }
    false
}

/// Options with any conversion of outputs.
fn options(random: &mut Rng) -> Options {
    let any = random.u64(..);
    let precision = [Precision::Exact, Precision::Fast, Precision::F24][random.usize(..3)];
    Options {
        arithmetic: Arithmetic { precision, ..Arithmetic::default() },
        outputs: Outputs {
            all: any & 1 != 0,
            clamp_colors: any & 2 != 0,
            depth: [DepthRange::ZeroToW, DepthRange::MinusWToW, DepthRange::Raw][random.usize(..3)],
            snap_depth: [DepthSnap::OFF, DepthSnap::AZAHAR, DepthSnap { near: 0.5, far: 0.25 }]
                [random.usize(..3)],
            flip_y: [FlipY::Never, FlipY::Always, FlipY::Dynamic][random.usize(..3)],
            clip_planes: [ClipPlanes::None, ClipPlanes::BuiltIn, ClipPlanes::Varying][random.usize(..3)],
            ..Outputs::default()
        },
        ..Options::default()
    }
}

/// Records of raw registers or of mapped outputs, in any order, with gaps.
fn records(random: &mut Rng, mask: u16) -> Records {
    let options = options(random);
    let mut records = match random.usize(..2) {
        0 => Records { options, ..Records::from_registers(mask) },
        _ => {
            let code = |random: &mut Rng| (random.u64(..) % 32) as u8;
            let words: Vec<_> = (0..7u8).map(|n| (n, std::array::from_fn(|_| code(random)))).collect();
            Records::from_map(&OutputMap::from_words(words), &options)
        }
    };
    records.host = HostValues {
        clip_enabled: random.usize(..2) == 0,
        flip_y: random.usize(..2) == 0,
        clip_plane: std::array::from_fn(|_| random.usize(..7) as f32 - 3.0),
        ..HostValues::default()
    };
    // Some fields are not asked for; the others move.
    records.fields.retain(|_| random.usize(..4) != 0);
    let mut next = random.usize(..3);
    for field in records.fields.iter_mut().rev() {
        field.offset = next;
        next += field.output.lanes() + random.usize(..3);
    }
    records.stride = next;
    records
}

#[test]
fn draws_equal_a_plain_reference() {
    let mut refused = 0;
    for seed in 0..DRAWS {
        let mut random = Rng::with_seed(seed);
        let bytes: Vec<u8> = (0..random.usize(..4000)).map(|_| random.u64(..) as u8).collect();
        let attributes: Vec<_> = (0..random.usize(..17))
            .map(|_| match random.usize(..4) {
                0 => VertexAttribute::Fixed(std::array::from_fn(|_| random.usize(..100) as f32)),
                _ => VertexAttribute::Array(Array {
                    bytes: &bytes,
                    offset: random.usize(..20),
                    stride: random.usize(..24),
                    number: Number::from_bits(random.u64(..) as u32),
                    components: 1 + random.usize(..4) as u8,
                }),
            })
            .collect();
        let input_map = std::array::from_fn(|_| Some(random.usize(..20) as u8).filter(|&n| n < 18));
        let (count, range) =
            ([0, 1, 2, 3, 4, 6, 7, 64, 65, 700][random.usize(..10)], 1 + random.usize(..150));
        let indices: Vec<u32> = (0..count).map(|_| random.usize(..range) as u32).collect();
        let shorts: Vec<u16> = indices.iter().map(|&index| index as u16).collect();
        let narrow: Vec<u8> = indices.iter().map(|&index| index as u8).collect();
        let order = match random.usize(..4) {
            0 => Order::Range { first: random.usize(..30) as u32, count: random.usize(..130) as u32 },
            1 => Order::U8(&narrow),
            2 => Order::U16(&shorts),
            _ => Order::U32(&indices),
        };
        let read = random.u64(..) as u16 & random.u64(..) as u16;
        let outputs = random.u64(..) as u16;
        let records = records(&mut random, outputs);
        let vertices = Vertices { attributes: &attributes, input_map, order };
        refused += u64::from(compare(&moves(read), read, &vertices, &records));
    }
    assert!(refused > DRAWS / 20 && refused < DRAWS * 3 / 4, "{refused} of {DRAWS} refused");
}

#[test]
fn offsets_and_strides_that_overflow_are_refused() {
    let bytes = [0; 16];
    let records = Records::from_registers(1);
    for (offset, stride, order) in [
        (usize::MAX, 0, Order::U8(&[0])),
        (0, usize::MAX, Order::U8(&[0, 1])),
        (usize::MAX, usize::MAX, Order::U32(&[u32::MAX])),
        (1, 0, Order::U8(&[0])),
        (0, 1, Order::Range { first: u32::MAX, count: u32::MAX }),
        (0, 1, Order::U32(&[0, 1])),
    ] {
        let array = Array { bytes: &bytes, offset, stride, number: Number::F32, components: 4 };
        let attributes = [VertexAttribute::Array(array)];
        let vertices = Vertices::new(&attributes, order);
        let mut batch = Batch::new(&moves(1), Options::default().settings(100)).expect("fine");
        let error = batch.run_draw(&vertices, &records, &mut [0.0; 8]).expect_err("refused");
        let text = error.to_string();
        assert!(text.contains("v0: place") || text.contains("records of"), "{text}");
        // A program that reads no input needs no buffer.
        let mut batch = Batch::new(&moves(0), Options::default().settings(100)).expect("fine");
        let records = Records { stride: 0, ..Records::from_registers(0) };
        if vertices.order.len() < 10 {
            assert_eq!(batch.run_draw(&vertices, &records, &mut []), Ok(()));
        }
    }
    // All vertices are the same with a stride of 0.
    let array = Array { bytes: &bytes, offset: 0, stride: 0, number: Number::F32, components: 4 };
    let vertices = |order| Vertices { input_map: [Some(0); 16], ..Vertices::new(&[], order) };
    let attributes = [VertexAttribute::Array(array)];
    let vertices = Vertices { attributes: &attributes, ..vertices(Order::U32(&[u32::MAX, 0])) };
    assert!(!compare(&moves(1), 1, &vertices, &records));
}

#[test]
fn fields_and_records_outside_are_refused() {
    let mut batch = Batch::new(&moves(1), Options::default().settings(100)).expect("fine");
    let vertices = Vertices::new(&[], Order::Range { first: 0, count: 3 });
    let whole = Records::from_registers(1);
    let mut run = |records: &Records, size| {
        let result = batch.run_draw(&vertices, records, &mut vec![0.0; size]);
        result.map_err(|error| error.to_string())
    };
    assert_eq!(run(&whole, 12), Ok(()));
    assert!(run(&whole, 11).unwrap_err().contains("3 records of 4 floats; there are 11"));
    let narrow = Records { stride: 3, ..whole.clone() };
    assert!(run(&narrow, 12).unwrap_err().contains("fields[0]: 4 floats at 0 of a record of 3"));
    assert!(run(&Records { stride: usize::MAX, ..whole.clone() }, 12).is_err());
    let mut far = whole;
    far.fields[0].offset = usize::MAX;
    assert!(run(&far, 12).is_err());
}

#[test]
fn a_vertex_that_indices_repeat_runs_once() {
    let mut batch = Batch::new(&moves(1), Options::default().settings(100)).expect("fine");
    let bytes: Vec<u8> = (0..70_000).map(|n: u32| (n % 251) as u8).collect();
    let array = Array { bytes: &bytes, offset: 0, stride: 1, number: Number::U8, components: 1 };
    let (attributes, records) = ([VertexAttribute::Array(array)], Records::from_registers(1));
    let mut drawn = |order, count: usize| {
        let mut to = vec![0.0; 4 * count];
        batch.run_draw(&Vertices::new(&attributes, order), &records, &mut to).expect("fine");
        let lanes = (0..64).filter(|&lane| batch.steps(lane) > 0).count();
        (lanes, to.chunks(4).map(|record| record[0]).collect::<Vec<_>>())
    };
    let indices = [2, 0, 2, 2, 0, 1, 5, 5, 2];
    let expected = (4, indices.map(f32::from).to_vec());
    assert_eq!(drawn(Order::U8(&indices), indices.len()), expected);
    // Nothing of one draw counts in the next.
    let others = [9, 8, 7, 2, 0];
    assert_eq!(drawn(Order::U8(&others), others.len()), (5, others.map(f32::from).to_vec()));
    // In a longer order these displace each other.
    let far = [3, 65_539, 3, 65_539, 1, 2];
    let values = |order: &[u32]| order.iter().map(|index| (index % 251) as f32).collect::<Vec<_>>();
    assert_eq!(drawn(Order::U32(&far), far.len()), (4, values(&far)));
    let long: Vec<u32> = far.into_iter().chain(10..21).collect();
    assert_eq!(drawn(Order::U32(&long), long.len()), (17, values(&long)));
}

#[test]
fn the_first_place_that_fails_is_named_and_others_are_written() {
    // cmp c0.xyzw, eq, eq, v0.xxxx; ifc cmp.x over two words; mov o0, v0; end; undefined
    let program = program(vec![0xB802_0000, 0xA280_1000, 0x4C00_0000, 0x8800_0000, 0x4000_0000]);
    let mut batch = Batch::new(&program, Options::default().settings(100)).expect("fine");
    let records = Records::from_registers(1);
    for count in [1, 2, 3, 64, 65, 200] {
        for wrong in [0, 1, count / 2, count - 1].into_iter().filter(|&wrong| wrong < count) {
            let mut bytes = vec![0; 256];
            bytes[wrong] = 1;
            let array = Array { bytes: &bytes, offset: 0, stride: 1, number: Number::U8, components: 1 };
            let attributes = [VertexAttribute::Array(array), VertexAttribute::default()];
            let indices: Vec<u8> = (0..count as u8).chain(0..count as u8).collect();
            let mut to = vec![7.0; 4 * indices.len()];
            let error = batch.run_draw(&Vertices::new(&attributes, Order::U8(&indices)), &records, &mut to);
            assert_eq!(error.map_err(|error| error.vertex), Err(wrong), "{count}");
            let right = to.chunks(4).zip(&indices).filter(|&(_, &index)| usize::from(index) != wrong);
            assert!(right.into_iter().all(|(record, _)| *record == [0.0, 0.0, 0.0, 1.0]), "{count}, {wrong}");
        }
    }
}

#[test]
fn arrays_say_how_modules_read_them() {
    let array = |number| Array { bytes: &[], offset: 0, stride: 0, number, components: 3 };
    let kinds = [Number::S8, Number::U8, Number::S16, Number::F32].map(|number| array(number).format());
    let kinds = kinds.map(|format| format!("{:?}{}", format.kind, format.components));
    assert_eq!(kinds, ["Int3", "Uint3", "Int3", "Float3"]);
    assert!((0..8).all(|bits| Number::from_bits(bits) == Number::from_bits(bits & 3)));
}

/// Promises of attributes are checked by magnitudes, which a host finds in the same bytes.
#[test]
fn magnitudes_are_those_of_every_number_that_vertex_fetch_reads() {
    let numbers = [1.5, f32::INFINITY, -0.25, 3e-39, f32::NAN, 0.0, -7.0, 1e30, 2.0f32];
    let mut layouts = 0;
    for (size, stride) in (0..=36).flat_map(|size| (0..=24).map(move |stride| (size, stride))) {
        let mut bytes = numbers.map(f32::to_le_bytes).as_flattened().to_vec();
        bytes.truncate(size);
        for (offset, components) in (0..=size + 1).flat_map(|offset| (1..=4).map(move |n| (offset, n))) {
            let array = Array { bytes: &bytes, offset, stride, number: Number::F32, components };
            let found = Magnitudes::from_records(&bytes, stride, offset, components.into());
            let count = if stride == 0 { array.vertices().min(2) } else { array.vertices() };
            let (attributes, mut records) = ([VertexAttribute::Array(array)], Records::from_registers(1));
            records.stride = 4;
            let mut read = vec![[0.0; 4]; count];
            let order = Order::Range { first: 0, count: count as u32 };
            let mut batch = Batch::new(&moves(1), Options::default().settings(100)).expect("fine");
            let vertices = Vertices::new(&attributes, order);
            batch.run_draw(&vertices, &records, read.as_flattened_mut()).expect("all are there");
            let read = read.iter().flat_map(|value| &value[..usize::from(components)]);
            // A device may read the components that are there of a vertex that is not.
            let last = if stride == 0 { 0..1 - count.min(1) as u32 } else { count as u32..10 };
            let rest = last.flat_map(|vertex| (0..4).map(move |component| (vertex, component)));
            let rest = rest.filter(|&(_, n)| n < usize::from(components));
            let rest = rest.filter_map(|(vertex, n)| component(&array, vertex, n));
            let read: Vec<f32> = read.copied().chain(rest).collect();
            let expected = Magnitudes::from_numbers(&read);
            assert_eq!(found, expected, "{size} bytes, {stride}, {offset}, {components}: {read:?}");
            layouts += 1;
        }
    }
    assert!(layouts > 70_000, "{layouts}");
}
