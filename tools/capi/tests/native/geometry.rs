//! `examples/host.cpp --draw` over every geometry sample: compute shaders on Vulkan, from C++. Both
//! of two draws have the triangles of the CPU machine for the same register writes, bit for bit but
//! for the sign of zero. Without a Vulkan device the host fails and says how to install one.

use std::fs;
use std::path::Path;
use std::process::Command;

use transpica::RegisterState;
use transpica::settings::{KnownHost, Renderer, preset};
use transpica_draw::cpu::Pipeline;
use transpica_proof::scenes::{self, Scene};

use crate::support::{folder, host, run};

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Draws a scene with both and returns the numbers of triangles.
fn compare(scene: &Scene, folder: &Path) -> [usize; 2] {
    let [list, vertices, indices, out] = ["commands", "vertices", "indices", "triangles"]
        .map(|name| folder.join(format!("{}.{name}", scene.name)));
    let words = scene.commands().expect("two programs");
    fs::write(&list, bytes(words.iter().copied())).expect("written");
    let components = scene.vertices.iter().flatten().flatten();
    fs::write(&vertices, bytes(components.map(|component| component.to_bits()))).expect("written");
    fs::write(&indices, bytes(scene.indices.iter().flatten().copied())).expect("written");
    run(Command::new(host()).arg("--draw").args([&list, &vertices, &indices, &out]));
    let written = fs::read(&out).expect("the host wrote it");
    let mut found =
        written.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));

    let preset = preset(KnownHost::Azahar, Renderer::Vulkan).expect("it has Vulkan");
    let mut state = RegisterState::default();
    state.commands(&words);
    let mut pipeline = Pipeline::from_registers(&state, &preset.options).expect("a pipeline");
    let triangles = [0, 1].map(|draw| {
        let drawn = pipeline.draw(&scene.vertices, scene.indices.as_deref()).expect("drawn");
        for (place, &expected) in drawn.triangles().flatten().flatten().flatten().enumerate() {
            let found = found.next().unwrap_or_else(|| panic!("{} {draw}: ends at {place}", scene.name));
            let is_same = expected.to_bits() == found.to_bits() || (expected, found) == (0.0, 0.0);
            assert!(is_same, "{} draw {draw}, number {place}: {expected:?}, host {found:?}", scene.name);
        }
        drawn.triangles().len()
    });
    assert_eq!(found.next(), None, "{}: more triangles", scene.name);
    triangles
}

#[test]
fn triangles_of_the_c_host_equal_those_of_the_cpu_machine() {
    needs!("c++", "vulkan", "vulkan/vulkan.h");
    let folder = folder("geometry");
    // The stride of the others is not in the file.
    let scenes = scenes::list().into_iter().filter(|scene| scene.stride.is_none());
    let drawn: Vec<_> = scenes.map(|scene| compare(&scene, &folder)).collect();
    assert!(drawn.len() >= 6, "{} scenes", drawn.len());
    assert!(drawn.iter().flatten().all(|&triangles| triangles > 0), "{drawn:?}");
}
