//! Each pass around a geometry program on the GPU against a model in a few lines of Rust; its
//! SPIR-V is compiled from its WGSL.

use transpica::Result;
use transpica::geometry::{Dependence, GeometryInput, Topology};
use transpica_draw::gpu::{Collect, Pass, Plan, Request, ScanResult};
use transpica_gpu::geometry::run_pass;
use transpica_gpu::{Gpu, Route, Shader};
use transpica_prove::spirv_tools;

/// `BLESS=1 cargo test -p transpica-gpu-tests --test gpu geometry_passes` rewrites the files.
#[test]
fn spirv_of_passes_is_that_of_their_text() {
    for pass in Pass::ALL {
        let Shader::Passthrough(words) = Shader::spirv_of_wgsl(pass.wgsl()).expect("valid text") else {
            panic!("words are passed through");
        };
        let path = format!("{}/../../draw/src/gpu/passes/{}.spv", env!("CARGO_MANIFEST_DIR"), pass.name());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, bytes(&words)).expect("written");
            continue;
        }
        assert!(words == pass.spirv(), "{path} is stale: BLESS=1 writes it anew");
        spirv_tools::validate(&words).expect("valid");
    }
}

#[test]
fn bindings_of_passes_are_those_of_their_text() {
    for pass in Pass::ALL {
        for (number, binding) in pass.bindings().iter().enumerate() {
            let wanted = format!("@binding({number}) var<");
            let line = pass.wgsl().lines().find(|line| line.contains(&wanted)).expect("a binding");
            assert!(line.contains(&format!("> {}:", binding.name)), "{line}");
        }
        assert_eq!(pass.wgsl().matches("@binding(").count(), pass.bindings().len());
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn flat(vectors: &[[u32; 4]]) -> Vec<u8> {
    bytes(vectors.as_flattened())
}

fn gpu() -> Gpu {
    Gpu::open(None).expect("a GPU")
}

/// A reproducible source of random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }
    fn below(&mut self, end: u32) -> u32 {
        self.next() % end
    }
    fn vectors(&mut self, count: usize) -> Vec<[u32; 4]> {
        (0..count).map(|_| [0; 4].map(|_| self.next())).collect()
    }
}

fn request(input: GeometryInput, outputs: u16, vertices: u32) -> Request<'static> {
    Request {
        input,
        outputs,
        vertices,
        indices: None,
        window: 0,
        vectors: 3,
        topology: Topology::Geometry,
        dependence: Dependence::None,
        triangles: 2,
        most_invocations: u32::MAX,
        bytes: 1 << 27,
    }
}

/// Model of the feed: vertices delivered one by one into a register file, which each invocation
/// reads.
struct Model {
    file: Vec<[u32; 4]>,
    records: Vec<[u32; 4]>,
}

impl Model {
    fn new(request: &Request<'_>, window: u32, vertices: &[[u32; 4]], file: &[[u32; 4]]) -> Self {
        let mut model = Self { file: file.to_vec(), records: Vec::new() };
        let passed: Vec<usize> = (0..16).filter(|register| request.outputs >> register & 1 != 0).collect();
        let outputs =
            |vertex: u32| passed.iter().map(move |register| vertices[vertex as usize * 16 + register]);
        let all: Vec<u32> = (0..request.vertices).collect();
        let order = request.indices.unwrap_or(&all);
        match request.input {
            GeometryInput::Point { inputs, .. } => {
                model.records = order.iter().flat_map(|&vertex| outputs(vertex)).collect();
                let whole = model.records.len() / usize::from(inputs) * usize::from(inputs);
                model.records.truncate(whole);
            }
            GeometryInput::Fixed { first, vertices, stride } => {
                for (place, &vertex) in order.iter().enumerate() {
                    let place = place % usize::from(vertices);
                    for (number, value) in outputs(vertex).enumerate() {
                        model.file[usize::from(first) + place * usize::from(stride) + number] = value;
                    }
                    if place + 1 == usize::from(vertices) {
                        model.record(first, window);
                    }
                }
                model.record(first, window);
            }
            GeometryInput::Variable { main } => {
                let mut order = order.iter();
                while let Some(&size) = order.next() {
                    model.file[0] = [(size as f32).to_bits(); 4];
                    let mut next = 1;
                    for place in 0..size {
                        let taken = if place < u32::from(main) { passed.len() } else { 1 };
                        for value in outputs(*order.next().expect("an index")).take(taken) {
                            model.file[next] = value;
                            next += 1;
                        }
                    }
                    model.record(0, window);
                }
                model.record(0, window);
            }
        }
        model
    }
    fn record(&mut self, first: u8, window: u32) {
        let first = usize::from(first);
        self.records.extend(&self.file[first..first + window as usize]);
    }
}

/// Runs the feed of a draw with random vertices and compares it with the model.
fn feed(gpu: &Gpu, request: &Request<'_>, route: Route, random: &mut Random) -> Result<Plan> {
    let plan = Plan::new(request)?;
    let vertices = random.vectors(request.vertices as usize * 16);
    let file = random.vectors(96);
    let model = Model::new(request, plan.feed.window, &vertices, &file);
    let indices = bytes(request.indices.unwrap_or_default());
    let empty = vec![0; plan.sizes.feed as usize];
    let contents: [&[u8]; 6] =
        [&flat(&vertices), &empty, &plan.feed.to_bytes(), &indices, &plan.primitive_bytes(), &flat(&file)];
    let written =
        run_pass(gpu, Pass::Feed, route, &contents, plan.dispatch(Pass::Feed).expect("known")).expect("runs");
    let count = (plan.feed.records * plan.feed.window) as usize;
    assert_eq!(model.records.len(), count, "{request:?}");
    assert!(model.records.as_flattened() == &written[0][..count * 4], "{request:?}");
    if let Some(copy) = plan.feed_copy {
        let (from, count) = (copy.from as usize / 4, copy.bytes as usize / 4);
        let mut kept = file;
        let to = copy.to as usize / 4;
        kept.as_flattened_mut()[to..to + count].copy_from_slice(&written[0][from..from + count]);
        assert!(kept == model.file, "{request:?}: the register file afterwards");
    }
    Ok(plan)
}

#[test]
fn feed_gives_invocations_their_input_registers() {
    let (gpu, mut random) = (gpu(), Random(1));
    let mut registers = [0; 16];
    registers[1] = 3;
    for (inputs, outputs) in [(1, 0x0001), (2, 0x8001), (6, 0x0900), (16, 0xFFFF), (4, 0x0100)] {
        for vertices in [0, 1, 5, 65, 1000] {
            let request = request(GeometryInput::Point { inputs, registers }, outputs, vertices);
            feed(&gpu, &request, Route::Passthrough, &mut random).expect("a plan");
        }
    }
}

#[test]
fn feed_gives_invocations_fixed_uniforms() {
    let (gpu, mut random) = (gpu(), Random(2));
    let shapes =
        [(0, 3, 2, 0x0003), (10, 4, 5, 0x0011), (7, 3, 1, 0x8421), (90, 3, 2, 0x0003), (0, 16, 6, 0x003F)];
    for (first, vertices, stride, outputs) in shapes {
        for total in [0, 1, 2, 3, 4, 65, 1000] {
            let request = request(GeometryInput::Fixed { first, vertices, stride }, outputs, total);
            feed(&gpu, &request, Route::Passthrough, &mut random).expect("a plan");
        }
    }
}

/// Builds primitives of these sizes, with random indices.
fn primitives(sizes: &[u32], vertices: u32, random: &mut Random) -> Vec<u32> {
    let mut indices = Vec::new();
    for &size in sizes {
        indices.push(size);
        indices.extend((0..size).map(|_| random.below(vertices)));
    }
    indices
}

#[test]
fn feed_gives_invocations_uniforms_of_any_number() {
    let (gpu, mut random) = (gpu(), Random(3));
    let input = GeometryInput::Variable { main: 3 };
    let fixed: [&[u32]; 7] = [
        &[],
        &[3],
        &[3, 4, 5],
        &[5, 4, 3],
        &[9, 3, 9, 3],
        &[4, 8, 6, 7, 3, 5, 3, 3, 8],
        &[80, 3, 40, 60, 20, 50],
    ];
    let many: Vec<u32> = (0..1000).map(|_| 3 + random.below(60)).collect();
    for sizes in fixed.into_iter().chain([&many[..]]) {
        for (outputs, window) in [(0x0001, 0), (0x8050, 0), (0x0003, 94)] {
            let indices = primitives(sizes, 50, &mut random);
            let request = Request { indices: Some(&indices), window, ..request(input, outputs, 50) };
            let plan = feed(&gpu, &request, Route::Passthrough, &mut random).expect("a plan");
            assert!(plan.draw.window >= window);
            assert_eq!(plan.draw.invocations as usize, sizes.len());
        }
    }
}

#[test]
fn feed_is_the_same_on_every_route_and_with_indices() {
    let (gpu, mut random) = (gpu(), Random(4));
    let indices: Vec<u32> = (0..100).map(|_| random.below(20)).collect();
    let sizes = primitives(&[3, 9, 5], 20, &mut random);
    for route in Route::ALL {
        let point = GeometryInput::Point { inputs: 4, registers: [0; 16] };
        let fixed = GeometryInput::Fixed { first: 3, vertices: 3, stride: 3 };
        for (input, indices) in
            [(point, &indices), (fixed, &indices), (GeometryInput::Variable { main: 2 }, &sizes)]
        {
            let request = Request { indices: Some(indices), ..request(input, 0x0402, 20) };
            feed(&gpu, &request, route, &mut random).expect("a plan");
        }
    }
}

/// Results of the passes after a geometry program.
struct Collected {
    found: ScanResult,
    list: Vec<u32>,
}

/// Runs the passes after a geometry program, for given triangle counts of its threads.
fn collect(gpu: &Gpu, collect: Collect, counts: &[u32], triangles: &[u32], route: Route) -> Collected {
    let Collect { threads, capacity, vectors, topology } = collect;
    let size = (threads * capacity * 3 * vectors * 16).max(16) as usize * if topology == 0 { 1 } else { 3 };
    let run = |pass, contents: &[&[u8]], groups| run_pass(gpu, pass, route, contents, groups).expect("runs");
    let (counts, parameters) = (bytes(counts), collect.to_bytes());
    let contents: [&[u8]; 4] =
        [&counts, &vec![0; counts.len().max(4)], &parameters, &[0; ScanResult::BYTES as usize]];
    let scanned = run(Pass::Scan, &contents, [1, 1, 1]);
    let offsets = bytes(&scanned[0]);
    let found = ScanResult::from_words(&scanned[1]);
    let groups = [found.groups_x, found.groups_y, found.groups_z];
    assert_eq!(groups, Pass::groups(found.vertex_count));
    assert_eq!(groups[..], scanned[1][ScanResult::GROUPS as usize / 4..][..3]);
    let contents: [&[u8]; 5] =
        [&bytes(triangles), &offsets, &bytes(&scanned[1]), &vec![0; size], &parameters];
    Collected { found, list: run(Pass::Compact, &contents, groups).remove(0) }
}

/// Compares the passes with a loop over threads and the assembler.
fn check_collect(gpu: &Gpu, shape: Collect, counts: &[u32], random: &mut Random, route: Route) {
    use transpica_draw::cpu::Assembler;
    let Collect { capacity, vectors, topology, .. } = shape;
    let triangle = (3 * vectors * 4) as usize;
    let triangles: Vec<u32> =
        (0..counts.len() * capacity as usize * triangle).map(|_| random.next()).collect();
    let collected = collect(gpu, shape, counts, &triangles, route);
    let mut expected = Vec::new();
    for (thread, &count) in counts.iter().enumerate() {
        let start = thread * capacity as usize * triangle;
        expected.extend(&triangles[start..start + count.min(capacity) as usize * triangle]);
    }
    let total = expected.len() / triangle;
    let largest = counts.iter().copied().max().unwrap_or_default();
    let topology = [Topology::List, Topology::Strip, Topology::Fan][topology as usize];
    let mut assembler = Assembler::new(topology);
    let vertices = (0..total * 3).filter_map(|vertex| assembler.push(vertex)).flatten();
    let size = vectors as usize * 4;
    let list: Vec<u32> =
        vertices.flat_map(|vertex| expected[vertex * size..][..size].iter().copied()).collect();
    let vertex_count = (list.len() / size) as u32;
    let [groups_x, groups_y, groups_z] = Pass::groups(vertex_count);
    let found = ScanResult {
        groups_x,
        groups_y,
        vertex_count,
        instance_count: 1,
        triangles: total as u32,
        largest,
        overflowed: u32::from(largest > capacity),
        groups_z,
        ..ScanResult::default()
    };
    assert_eq!(collected.found, found, "{shape:?}");
    assert!(collected.list[..list.len()] == list, "{shape:?}");
    assert!(collected.list[list.len()..].iter().all(|&word| word == 0), "{shape:?}");
}

#[test]
fn triangles_of_all_threads_are_gathered_in_order() {
    let (gpu, mut random) = (gpu(), Random(5));
    for threads in [0, 1, 2, 65, 255, 256, 257, 3000] {
        for (capacity, vectors, topology) in [(1, 1, 0), (3, 2, 0), (3, 3, 1), (2, 1, 2), (1, 1, 1)] {
            // Some threads exceed the capacity.
            let counts: Vec<u32> = (0..threads).map(|_| random.below(capacity + 2)).collect();
            let shape = Collect { threads, capacity, vectors, topology };
            check_collect(&gpu, shape, &counts, &mut random, Route::Passthrough);
        }
    }
}

#[test]
fn triangles_are_gathered_in_order_on_every_route() {
    let (gpu, mut random) = (gpu(), Random(6));
    for route in Route::ALL {
        for topology in 0..3 {
            let counts: Vec<u32> = (0..300).map(|_| random.below(3)).collect();
            let shape = Collect { threads: 300, capacity: 2, vectors: 2, topology };
            check_collect(&gpu, shape, &counts, &mut random, route);
            // No triangle at all, and a single one.
            check_collect(&gpu, shape, &[0; 300], &mut random, route);
            let counts: Vec<u32> = (0..300).map(|thread| u32::from(thread == 299)).collect();
            check_collect(&gpu, shape, &counts, &mut random, route);
        }
    }
}

#[test]
fn a_million_threads_are_scanned() {
    let (gpu, mut random) = (gpu(), Random(7));
    let threads = Plan::MOST_THREADS;
    let counts: Vec<u32> = (0..threads).map(|_| random.below(5)).collect();
    let shape = Collect { threads, capacity: 3, vectors: 1, topology: 1 };
    let empty = vec![0; counts.len() * 4];
    let contents: [&[u8]; 4] = [&bytes(&counts), &empty, &shape.to_bytes(), &[0; ScanResult::BYTES as usize]];
    let written = run_pass(&gpu, Pass::Scan, Route::Passthrough, &contents, [1, 1, 1]).expect("runs");
    let mut sum = 0;
    let mut offsets = Vec::with_capacity(counts.len());
    for count in counts {
        offsets.push(sum);
        sum += count.min(3);
    }
    assert!(written[0] == offsets);
    let found = ScanResult::from_words(&written[1]);
    assert_eq!((found.triangles, found.largest, found.overflowed), (sum, 4, 1));
    assert_eq!(found.vertex_count, 3 * (3 * sum - 2));
    assert_eq!([found.groups_x, found.groups_y, found.groups_z], Pass::groups(found.vertex_count));
}
