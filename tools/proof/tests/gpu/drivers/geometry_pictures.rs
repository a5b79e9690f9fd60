//! Every geometry sample as a picture, drawn with culling, so that winding shows too. One picture
//! comes from the GPU alone, one from the triangles that the interpreter emits, and the two are
//! equal.
//! Pictures are written to `target/tmp/geometry_pictures`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use image::ExtendedColorType;
use transpica::host::varying;
use transpica::settings::{Block, Layout};
use transpica::{Options, Stage};
use transpica_gpu::geometry::GeometryChain;
use transpica_gpu::picture::{Frame, HEIGHT, Picture, Pipeline, SKY, WIDTH, difference};
use transpica_gpu::{Gpu, Route};
use transpica_proof::scenes::{self, Scene};

/// Draws a scene from the interpreter's triangles.
fn expected(gpu: &Gpu, scene: &Scene) -> Picture {
    let options = Options::default();
    let mut pipeline = scene.pipeline(&options).expect("a sample");
    let drawn = pipeline.draw(&scene.vertices, scene.indices.as_deref());
    let drawn = drawn.unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let vectors: Vec<[f32; 4]> = drawn.triangles().flatten().flatten().copied().collect();
    let plain = Pipeline::plain(gpu, drawn.outputs(), true).expect("a pipeline");
    let mut frame = Frame::new(gpu);
    frame.draw(&plain, &vectors, &[]);
    frame.finish().expect("a picture")
}

/// Draws a scene on the GPU alone: compute passes up to an indirect draw.
fn found(gpu: &Gpu, scene: &Scene, route: Route) -> Picture {
    let options =
        Options { block: Block { layout: Layout::Registers, ..Block::default() }, ..Options::default() };
    let file = scene.file().expect("a sample");
    let chain = GeometryChain::from_file(gpu, &file, [0, 1], scene.stride, &options, route);
    let mut chain = chain.unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    for stage in [Stage::Vertex, Stage::Geometry] {
        chain.set_uniforms(stage, &scene.uniforms(stage).expect("valid"));
    }
    let vertices: Vec<_> =
        scene.vertices.iter().map(|vertex| vertex.map(|register| register.map(f32::to_bits))).collect();
    let drawn = chain.draw(&vertices, scene.indices.as_deref());
    let drawn = drawn.unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let outputs = varying::outputs(&chain.setup().map, &options, &Default::default());
    let plain = Pipeline::plain(gpu, &outputs, true).expect("a pipeline");
    let mut frame = Frame::new(gpu);
    frame.draw_indirect(&plain, &drawn.vertices, &drawn.arguments);
    frame.finish().expect("a picture")
}

/// Writes a PNG file.
fn save(Picture { width, height, pixels }: &Picture, path: &Path) {
    let saved = image::save_buffer(path, pixels.as_flattened(), *width, *height, ExtendedColorType::Rgba8);
    saved.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

#[test]
fn every_geometry_sample_shows_the_same_from_the_gpu_and_from_the_interpreter() {
    needs!("vulkan");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("geometry_pictures");
    fs::create_dir_all(&folder).expect("a folder");
    for scene in scenes::list() {
        let picture = expected(&gpu, &scene);
        let drawn = found(&gpu, &scene, Route::Passthrough);
        save(&drawn, &folder.join(format!("{}.gpu.png", scene.name)));
        let (_, differing) = difference(&picture, &drawn);
        assert_eq!(differing, 0, "{}: pixels that differ", scene.name);
        save(&picture, &folder.join(format!("{}.png", scene.name)));
        let covered = picture.pixels.iter().filter(|&&pixel| pixel != SKY).count();
        let colors: BTreeSet<_> = picture.pixels.iter().collect();
        assert!(covered > (WIDTH * HEIGHT / 100) as usize, "{}: {covered} pixels", scene.name);
        assert!(colors.len() >= 5, "{}: {} colors", scene.name, colors.len());
    }
}
