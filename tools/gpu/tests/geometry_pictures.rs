//! Every geometry sample as a picture: what the interpreter emits, drawn with culling, so that winding shows too.
//! Pictures are written to `target/tmp/geometry_pictures`. Without a Vulkan driver this fails and says how to install one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use image::RgbaImage;
use transpica::Options;
use transpica_gpu::Gpu;
use transpica_gpu::picture::{Frame, HEIGHT, Pipeline, SKY, WIDTH};
use transpica_prove::scenes::{self, Scene};

/// What a scene looks like by way of the interpreter.
fn expected(gpu: &Gpu, scene: &Scene) -> RgbaImage {
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

#[test]
fn every_geometry_sample_shows_something() {
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("geometry_pictures");
    fs::create_dir_all(&folder).expect("a folder");
    for scene in scenes::all() {
        let picture = expected(&gpu, &scene);
        picture.save(folder.join(format!("{}.png", scene.name))).expect("writable");
        let covered = picture.pixels().filter(|&&pixel| pixel != SKY).count();
        let colors: BTreeSet<_> = picture.pixels().map(|pixel| pixel.0).collect();
        assert!(covered > (WIDTH * HEIGHT / 100) as usize, "{}: {covered} pixels", scene.name);
        assert!(colors.len() >= 5, "{}: {} colours", scene.name, colors.len());
    }
}
