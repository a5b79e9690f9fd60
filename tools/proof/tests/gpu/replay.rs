//! Recordings of the geometry samples, replayed: interpreter, batches and GPU draw one picture,
//! which shows something, in two frames of which the second has the state of the first.

use std::collections::BTreeSet;

use transpica::geometry::Topology;
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

/// Commands that write registers.
fn writes(all: &[(u32, u32)]) -> Vec<u32> {
    all.iter().flat_map(|&(register, value)| [value, register | 0xF << 16]).collect()
}

/// A change of topology, or of registers that no key of a program contains, concerns the draw that
/// follows: it shows what it shows as the first draw.
#[test]
fn each_draw_has_its_own_topology_and_vertex_input() {
    needs!("vulkan");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let scene = scenes::list().into_iter().find(|scene| scene.name == "points").expect("a sample");
    let points = recording(&scene);
    let [mut quad, mut draw] = [points.clone(), points.clone()].map(|all| (all.frames[0][0].clone(), all));
    // mov o0, v0; mov o1, v1; end
    quad.0.commands = writes(&[
        (0x2CC, 0x4C00_0000),
        (0x2CC, 0x4C20_1000),
        (0x2CC, 0x8800_0000),
        (0x2D6, 0x36F),
        (0x2BD, 3),
        (0x04F, 2),
        (0x050, 0x0302_0100),
        (0x051, 0x0B0A_0908),
    ]);
    let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let vertex = |[x, y]: [f32; 2]| [[x, y, -0.5, 1.0], [x, y, 1.0, 1.0]].map(|v| v.map(f32::to_le_bytes));
    let bytes = corners.map(vertex).into_iter().flatten().flatten().flatten().collect();
    (quad.0.count, quad.0.indices, quad.1.buffers[0]) = (4, None, bytes);
    quad.0.attributes.truncate(2);
    quad.0.attributes.iter_mut().for_each(|attribute| attribute.stride = 32);
    draw.0.topology = Topology::Geometry;
    // The third output of the vertex program, which it does not write, in place of the second.
    let other = writes(&[(0x2BD, 0b101)]);
    for ((first, mut recording), steps) in [
        (quad, [(Topology::Fan, vec![]), (Topology::List, vec![]), (Topology::Strip, vec![])]),
        (draw, [(Topology::Geometry, vec![]), (Topology::Strip, vec![]), (Topology::Geometry, other)]),
    ] {
        let mut commands = first.commands.clone();
        let mut ways = Way::ALL.map(|way| Replay::new(&gpu, way).expect("a device"));
        let mut seen = BTreeSet::new();
        for (number, (topology, more)) in steps.into_iter().enumerate() {
            commands.extend(&more);
            let sent = if number == 0 { commands.clone() } else { more };
            let later = RecordedDraw { topology, commands: sent, ..first.clone() };
            let alone = RecordedDraw { topology, commands: commands.clone(), ..first.clone() };
            recording.frames = vec![vec![later], vec![alone]];
            for (way, replay) in Way::ALL.into_iter().zip(&mut ways) {
                let picture = replay.frame(&recording, &recording.frames[0]).expect("drawn").0;
                let mut fresh = Replay::new(&gpu, way).expect("a device");
                let expected = fresh.frame(&recording, &recording.frames[1]).expect("drawn").0;
                assert_eq!(difference(&expected, &picture).1, 0, "{topology:?} {number}, {}", way.name());
                seen.insert(picture.pixels);
            }
        }
        assert_eq!(seen.len(), 3, "a picture for each configuration, the same in all ways");
    }
}
