//! Recordings of the geometry samples, replayed: interpreter, batches and GPU draw one picture,
//! which shows something, in two frames of which the second has the state of the first.

use std::collections::BTreeSet;

use transpica_draw::batch::Number;
use transpica_draw::recording::{RecordedAttribute, RecordedDraw, RecordedIndices, Recording};
use transpica_gpu::Gpu;
use transpica_gpu::picture::difference;
use transpica_gpu::replay::{Replay, Way};
use transpica_proof::daily;
use transpica_proof::scenes::{self, Scene};

/// A scene drawn in two frames.
fn recording(scene: &Scene) -> Recording {
    let numbers = scene.vertices.iter().flatten().flatten();
    let vertices: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    let indices: Vec<u8> = scene.indices.iter().flatten().flat_map(|index| index.to_le_bytes()).collect();
    let attribute = |register: u8| RecordedAttribute {
        register,
        number: Number::F32,
        components: 4,
        buffer: 0,
        offset: 16 * u32::from(register),
        stride: 256,
    };
    let count = scene.indices.as_ref().map_or(scene.vertices.len(), Vec::len) as u32;
    let mut draw = RecordedDraw {
        commands: scene.commands().expect("a sample"),
        topology: scene.setup().expect("a sample").topology,
        count,
        indices: scene.indices.as_ref().map(|_| RecordedIndices { buffer: 1, offset: 0, size: 4 }),
        attributes: (0..16).map(attribute).collect(),
    };
    let first = draw.clone();
    draw.commands.clear();
    Recording { buffers: vec![vertices, indices], frames: vec![vec![first], vec![draw]] }
}

#[test]
fn pictures_of_geometry_samples_are_one_in_all_ways() {
    needs!("vulkan");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let mut shown = 0;
    let scenes = daily::some("scenes drawn in all ways", 2, scenes::list());
    for scene in &scenes {
        let recording = recording(scene);
        let recording = Recording::parse(&recording.to_bytes()).expect("what was written");
        let mut ways = Way::ALL.map(|way| Replay::new(&gpu, way).expect("a device"));
        for (number, draws) in recording.frames.iter().enumerate() {
            let pictures = ways.each_mut().map(|way| {
                let drawn = way.frame(&recording, draws);
                drawn.unwrap_or_else(|error| panic!("{} {number}: {error}", scene.name)).0
            });
            for (way, picture) in Way::ALL.into_iter().zip(&pictures) {
                let count = difference(&pictures[0], picture).1;
                assert_eq!(count, 0, "{}, frame {number}, {}", scene.name, way.name());
            }
            let colors: BTreeSet<_> = pictures[0].pixels.iter().collect();
            shown += usize::from(colors.len() > 1);
        }
    }
    assert!(shown > scenes.len(), "{shown} frames show something");
}
