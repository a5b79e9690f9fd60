//! Draws with geometry programs on the GPU produce the triangles of the library's CPU pipeline, bit
//! for bit.

use transpica::geometry::Topology;
use transpica::settings::{Assume, Promise, VertexInput};
use transpica::{Options, Stage};
use transpica_gpu::geometry::GeometryChain;
use transpica_gpu::{Gpu, Registers, Route};
use transpica_proof::daily;
use transpica_proof::scenes::{self, Scene};

fn bits(vertices: &[[[f32; 4]; 16]]) -> Vec<Registers> {
    vertices.iter().map(|vertex| vertex.map(|register| register.map(f32::to_bits))).collect()
}

/// Compares two draws in a row; the second has its vertices in another order.
fn compare(gpu: &Gpu, scene: &Scene, topology: Topology, route: Route) {
    compare_with(gpu, scene, topology, route, Options::default());
}

/// Compares like [`compare`], with other options.
fn compare_with(gpu: &Gpu, scene: &Scene, topology: Topology, route: Route, options: Options) {
    let mut pipeline = scene.pipeline(&options).expect("a sample");
    pipeline.set_topology(topology);
    let file = scene.file().expect("a sample");
    let chain = GeometryChain::from_file(gpu, &file, [0, 1], scene.stride, &options, route);
    let mut chain = chain.unwrap_or_else(|error| panic!("{} {}: {error}", scene.name, route.name()));
    chain.set_topology(topology);
    for stage in [Stage::Vertex, Stage::Geometry] {
        chain.set_uniforms(stage, &scene.uniforms(stage).expect("a sample"));
    }
    let mut vertices = scene.vertices.clone();
    for draw in 0..2 {
        let what = format!(
            "{} {} {topology:?} draw {draw} {:?}",
            scene.name,
            route.name(),
            chain.kernel().dependence
        );
        let expected = pipeline.draw(&vertices, scene.indices.as_deref()).expect("drawn");
        let drawn = chain.draw(&bits(&vertices), scene.indices.as_deref());
        let drawn = drawn.unwrap_or_else(|error| panic!("{what}: {error}"));
        let expected: Vec<[u32; 4]> =
            expected.triangles().flatten().flatten().map(|vector| vector.map(f32::to_bits)).collect();
        let found = drawn.read(gpu).expect("read");
        assert_eq!(expected.len(), found.len(), "{what}");
        let wrong = expected.iter().zip(&found).position(|(expected, found)| expected != found);
        if let Some(place) = wrong {
            panic!("{what}, vector {place}: {:x?}, GPU {:x?}", expected[place], found[place]);
        }
        vertices.reverse();
    }
}

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_sample_gives_the_triangles_of_the_interpreter() {
    needs!("vulkan");
    let gpu = gpu();
    for scene in scenes::list() {
        compare(&gpu, &scene, Topology::Geometry, Route::Passthrough);
    }
}

#[test]
fn every_route_gives_the_triangles_of_the_interpreter() {
    needs!("vulkan");
    let gpu = gpu();
    for scene in daily::some("scenes on every route", 2, scenes::list()) {
        for route in Route::ALL {
            compare(&gpu, &scene, Topology::Geometry, route);
        }
    }
}

/// The modules of both programs rely on the numbers of the scenes.
#[test]
fn programs_with_promises_give_the_triangles_of_the_interpreter() {
    needs!("vulkan");
    let gpu = gpu();
    let promise = Promise::Below(64);
    let assume = Assume { uniforms: promise, results: Promise::NotNan };
    let input = VertexInput { promises: [promise; 16], ..VertexInput::default() };
    for scene in daily::some("scenes with promises", 2, scenes::list()) {
        for route in [Route::Passthrough, Route::Wgsl] {
            let options = Options { assume, input, ..Options::default() };
            compare_with(&gpu, &scene, Topology::Geometry, route, options);
        }
    }
}

#[test]
fn emitted_vertices_go_through_the_assembler_of_every_topology() {
    needs!("vulkan");
    let gpu = gpu();
    for scene in scenes::list() {
        for topology in [Topology::List, Topology::Strip, Topology::Fan] {
            compare(&gpu, &scene, topology, Route::Passthrough);
        }
    }
}

/// Draws a scene whose flowers have more petals than the initial capacity.
fn with_petals(gpu: &Gpu, petals: u8, bytes: u32) -> Result<(u32, usize), String> {
    let scenes = scenes::list();
    let scene = scenes.iter().find(|scene| scene.name == "counter").expect("the scene");
    let file = scene.file().expect("a sample");
    let chain =
        GeometryChain::from_file(gpu, &file, [0, 1], scene.stride, &Options::default(), Route::Passthrough);
    let mut chain = chain.expect("a chain");
    let mut pipeline = scene.pipeline(&Options::default()).expect("a sample");
    for stage in [Stage::Vertex, Stage::Geometry] {
        let mut uniforms = scene.uniforms(stage).expect("a sample");
        uniforms.ints[0] = [petals - 1, 0, 1, 0];
        chain.set_uniforms(stage, &uniforms);
        pipeline.set_uniforms(stage, &uniforms);
    }
    chain.set_most_bytes(bytes);
    let drawn = chain.draw(&bits(&scene.vertices), None).map_err(|error| error.to_string())?;
    let expected = pipeline.draw(&scene.vertices, None).expect("drawn");
    Ok((drawn.triangles(), expected.triangles().len()))
}

#[test]
fn a_draw_that_overflows_its_buffer_is_repeated_or_reported() {
    needs!("vulkan");
    let gpu = gpu();
    // The initial capacity is 32 triangles per invocation.
    let (found, expected) = with_petals(&gpu, 200, 1 << 27).expect("drawn again");
    assert_eq!((found as usize, expected % 200), (expected, 0));
    let error = with_petals(&gpu, 200, 1 << 16).expect_err("too many for the buffer");
    assert!(error.contains("triangles"), "{error}");
}

#[test]
fn draws_use_buffers_again_once_the_last_output_is_gone() {
    needs!("vulkan");
    let gpu = gpu();
    let scenes = scenes::list();
    let scene = scenes.iter().find(|scene| scene.name == "counter").expect("the scene");
    let file = scene.file().expect("a sample");
    let (options, route) = (Options::default(), Route::Passthrough);
    let chain = GeometryChain::from_file(&gpu, &file, [0, 1], scene.stride, &options, route);
    let mut chain = chain.expect("a chain");
    for stage in [Stage::Vertex, Stage::Geometry] {
        chain.set_uniforms(stage, &scene.uniforms(stage).expect("a sample"));
    }
    let mut vertices = bits(&scene.vertices);
    let first = chain.draw(&vertices, None).expect("drawn");
    let before = first.read(&gpu).expect("read");
    vertices.reverse();
    let second = chain.draw(&vertices, None).expect("drawn");
    assert_ne!(first.vertices, second.vertices);
    assert_ne!(second.read(&gpu).expect("read"), before);
    assert_eq!(first.read(&gpu).expect("read"), before);
    let last = second.vertices.clone();
    drop((first, second));
    assert_eq!(chain.draw(&vertices, None).expect("drawn").vertices, last);
}
