//! Contents of the scenes.

use std::f32::consts::TAU;

use transpica::Stage::{Geometry, Vertex};

use super::matrix::{Matrix, UNIT, moved, product, projection, tilted, turned};
use super::mesh::{Mesh, unit};
use super::{HEIGHT, Scene, WIDTH};
use transpica_inspect::draw::mesh::{Vector, dot};

/// The golden angle, which spreads points like the seeds of a sunflower.
const GOLDEN: f32 = 2.399_963;

/// A scene with the bytes of a sample.
macro_rules! scene {
    ($name:literal) => {
        Scene::new($name, include_bytes!(concat!("../../../../shaders/", $name, ".shbin")))
    };
}

/// Returns a scene for each geometry sample, by name.
pub fn list() -> Vec<Scene> {
    vec![
        banks(),
        cards(),
        counter(),
        fireworks(),
        points(),
        shadow(),
        silhouette(),
        sprites(),
        subdivision(),
        trail(),
        wireframe(),
    ]
}

/// Sets up a scene whose vertices are in clip space.
fn flat(scene: Scene) -> Scene {
    scene.matrix(Vertex, "projection", &UNIT).matrix(Vertex, "modelView", &UNIT)
}

/// The projection of all scenes with depth.
fn view() -> Matrix {
    projection(WIDTH, HEIGHT)
}

/// A camera at a distance that looks down on the center.
fn camera(distance: f64, angle: f64) -> Matrix {
    product(&moved(0.0, 0.0, -distance), &product(&tilted(0.45), &turned(angle)))
}

fn point([x, y, z]: Vector, w: f32) -> [f32; 4] {
    [x, y, z, w]
}

/// A saturated color; hues repeat at whole numbers.
fn hue(hue: f32) -> [f32; 4] {
    let wave = |offset: f32| 0.55 + 0.45 * ((hue + offset) * TAU).cos();
    [wave(0.0), wave(-1.0 / 3.0), wave(-2.0 / 3.0), 1.0]
}

/// One of `of` evenly spread directions.
fn spread(number: usize, of: usize) -> Vector {
    let height = 1.0 - (2 * number + 1) as f32 / of as f32;
    let (s, c) = (number as f32 * GOLDEN).sin_cos();
    let radius = (1.0 - height * height).sqrt();
    [radius * c, height, radius * s]
}

/// Shades a color by the angle between the surface and a light.
fn lit(color: [f32; 4], normal: Vector) -> [f32; 4] {
    let light = 0.3 + 0.7 * dot(normal, unit([-0.4, 0.7, 0.6])).max(0.0);
    let [r, g, b, a] = color;
    [r * light, g * light, b * light, a]
}

/// Scales a mesh by `size` and moves it to a position.
fn placed(mesh: &Mesh, size: f32, at: Vector) -> Mesh {
    let mut placed = mesh.clone();
    for place in &mut placed.places {
        *place = std::array::from_fn(|k| place[k] * size + at[k]);
    }
    placed
}

fn points() -> Scene {
    let mut scene = scene!("points").matrix(Vertex, "projection", &view()).floats(
        Geometry,
        "pointSize",
        &[[0.03, 0.05, 0.0, 0.0]],
    );
    for number in 0..120 {
        let [x, y, z] = spread(number, 120);
        scene.push(&[[x * 1.6, y * 1.6, z * 1.6 - 3.6, 1.0], hue(number as f32 / 120.0)]);
    }
    scene
}

fn sprites() -> Scene {
    let view = view();
    let mut scene = scene!("sprites")
        .matrix(Vertex, "projection", &view)
        .matrix(Vertex, "modelView", &camera(4.5, 0.3))
        .floats(Geometry, "scale", &[[view[0][0] as f32, view[1][1] as f32, 0.0, 0.0]])
        .bool("upright", false);
    for number in 0..90 {
        let along = number as f32 / 90.0;
        let (s, c) = (along * 3.0 * TAU).sin_cos();
        let (turn_s, turn_c) = (along * 2.0 * TAU).sin_cos();
        let radius = 0.6 + 1.6 * along;
        scene.push(&[
            [radius * c, 1.4 - 2.8 * along, radius * s, 0.1 + 0.12 * along],
            hue(along),
            [turn_c, turn_s, 0.0, 0.0],
        ]);
    }
    scene
}

fn fireworks() -> Scene {
    const SPARKS: usize = 96;
    let mut scene = scene!("fireworks")
        .matrix(Geometry, "projection", &view())
        .matrix(Geometry, "modelView", &moved(0.0, 0.0, -5.0))
        .floats(Geometry, "time", &[[1.0, 0.9, 1.0 / 0.9, 0.05]])
        .floats(Geometry, "gravity", &[[0.0, -1.2, 0.0, 0.0]]);
    let bursts = [
        ([-1.7, 0.5, 0.0], 0.25, hue(0.02)),
        ([1.6, 0.9, 0.0], 0.45, hue(0.45)),
        ([0.1, -0.1, 1.0], 0.6, hue(0.15)),
        ([0.6, 1.0, -1.0], 0.8, hue(0.75)),
        ([-0.6, -1.2, -1.0], 0.05, hue(0.6)),
    ];
    for (at, birth, color) in bursts {
        for number in 0..SPARKS {
            // Some sparks start late, a few too late to be visible.
            let birth = birth + (number % 5) as f32 * 0.05;
            let speed = 1.7 + 0.4 * (number % 3) as f32;
            let velocity = spread(number, SPARKS).map(|x| x * speed);
            scene.push(&[point(at, birth), point(velocity, 0.2), color]);
        }
    }
    scene
}

fn subdivision() -> Scene {
    let mut scene = scene!("subdivision")
        .matrix(Vertex, "modelView", &camera(4.6, 0.4))
        .matrix(Geometry, "projection", &view())
        .floats(Geometry, "light", &[point(unit([-0.4, 0.7, 0.6]).map(|x| x * 0.85), 0.15)]);
    let meshes = [
        (placed(&Mesh::double_cone(4), 1.1, [-2.2, 0.0, 0.0]), 0.05),
        (placed(&Mesh::gem(7), 1.05, [-0.2, 0.5, -0.6]), 0.3),
        (placed(&Mesh::torus(7, 4, 0.45), 0.9, [1.9, 0.1, 0.0]), 0.62),
        (placed(&Mesh::double_cone(8), 0.6, [0.1, -0.7, 1.2]), 0.85),
    ];
    let mut indices: Vec<u32> = Vec::new();
    for (mesh, color) in meshes {
        let first = scene.vertices.len();
        let mut valences = vec![0; mesh.places.len()];
        for &[a, b, c] in &mesh.triangles {
            for (center, one) in [(a, b), (b, c), (c, a)] {
                valences[center] = mesh.neighbors(center, one);
            }
            let around = mesh.around([a, b, c]);
            indices.push(3 + around.len() as u32);
            indices.extend([a, b, c].iter().chain(&around).map(|&vertex| (first + vertex) as u32));
        }
        for (number, ((place, normal), valence)) in
            mesh.places.iter().zip(mesh.normals()).zip(valences).enumerate()
        {
            let tone = color + 0.06 * (number % 3) as f32;
            scene.push(&[point(*place, valence as f32), point(normal, 0.0), hue(tone)]);
        }
    }
    scene.indices = Some(indices);
    scene
}

/// Sets the two sizes that programs need to measure on the screen.
fn on_screen(scene: Scene, half_width: f32, nearer: f32) -> Scene {
    let (x, y) = (WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0);
    scene.floats(Geometry, "screen", &[[x, y, half_width, 0.0]]).floats(
        Geometry,
        "pixel",
        &[[1.0 / x, 1.0 / y, nearer, 0.0]],
    )
}

fn wireframe() -> Scene {
    let scene = scene!("wireframe").matrix(Vertex, "projection", &view()).matrix(
        Vertex,
        "modelView",
        &camera(4.6, 0.5),
    );
    let mut scene = Scene { stride: Some(6), ..on_screen(scene, 0.8, 0.0) };
    for (mesh, color) in [
        (placed(&Mesh::torus(20, 10, 0.4), 1.1, [-1.1, 0.0, 0.0]), 0.5),
        (placed(&Mesh::gem(9), 1.1, [1.7, 0.0, 0.2]), 0.1),
    ] {
        for vertex in mesh.triangles.iter().flatten() {
            let place = mesh.places[*vertex];
            scene.push(&[point(place, 1.0), hue(color + 0.15 * place[1])]);
        }
    }
    scene
}

fn silhouette() -> Scene {
    let scene = scene!("silhouette")
        .matrix(Vertex, "projection", &view())
        .matrix(Vertex, "modelView", &camera(4.6, 0.7))
        .floats(Geometry, "ink", &[[1.0, 0.95, 0.8, 1.0]]);
    let mut scene = Scene { stride: Some(12), ..on_screen(scene, 2.0, 0.001) };
    for (mesh, color) in [
        (placed(&Mesh::torus(32, 16, 0.4), 1.1, [-1.1, 0.0, 0.0]), 0.6),
        (placed(&Mesh::gem(9), 1.0, [1.6, -0.2, 0.4]), 0.05),
        (placed(&Mesh::double_cone(5), 0.7, [0.9, 1.0, -1.2]), 0.3),
    ] {
        let normals = mesh.normals();
        for &[a, b, c] in &mesh.triangles {
            for vertex in [a, mesh.beyond(a, b), b, mesh.beyond(b, c), c, mesh.beyond(c, a)] {
                scene.push(&[point(mesh.places[vertex], 1.0), lit(hue(color), normals[vertex])]);
            }
        }
    }
    scene
}

fn counter() -> Scene {
    let aspect = HEIGHT as f32 / WIDTH as f32;
    let mut scene = flat(scene!("counter"))
        .floats(Geometry, "scale", &[[0.075 * aspect, 0.075, 0.026 * aspect, 0.026]])
        .floats(Geometry, "palette", &[0.0, 0.12, 0.3, 0.55, 0.8].map(hue))
        .int("petals", [5, 0, 1, 0]);
    for _ in 0..150 {
        scene.push(&[[0.0, 0.0, -0.5, 1.0], [1.0, 1.0, 0.9, 1.0]]);
    }
    scene
}

fn shadow() -> Scene {
    let camera = camera(6.5, 0.5);
    // A direction has no position, so w is 0 and the last column has no effect.
    let light = unit([-0.45, 1.0, 0.35]);
    let seen = camera.map(|row| (0..3).map(|k| row[k] as f32 * light[k]).sum::<f32>());
    let mut scene = scene!("shadow")
        .matrix(Vertex, "modelView", &camera)
        .matrix(Geometry, "projection", &view())
        .floats(Geometry, "light", &[[seen[0], seen[1], seen[2], 1.6]])
        .floats(Geometry, "near", &[[0.16, 0.1, 0.25, 1.0]])
        .floats(Geometry, "far", &[[0.05, 0.05, 0.09, 1.0]])
        .bool("volumes", true);
    scene.stride = Some(6);
    for (mesh, color) in [
        (placed(&Mesh::torus(24, 10, 0.35), 0.8, [-1.3, 0.6, 0.0]), 0.12),
        (placed(&Mesh::gem(6), 0.7, [1.3, 0.7, 0.6]), 0.5),
        (placed(&Mesh::double_cone(4), 0.5, [0.5, 0.5, -1.6]), 0.9),
    ] {
        for vertex in mesh.triangles.iter().flatten() {
            scene.push(&[point(mesh.places[*vertex], 1.0), hue(color)]);
        }
    }
    let (ground, size) = (-0.7, 2.6);
    for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (1.0, -1.0)] {
        scene.push(&[[x * size, ground, z * size, 1.0], [0.75, 0.78, 0.7, 1.0]]);
    }
    scene
}

fn trail() -> Scene {
    let aspect = HEIGHT as f32 / WIDTH as f32;
    let mut scene = flat(scene!("trail")).floats(Geometry, "scale", &[[aspect, 1.0, 0.0, 0.0]]);
    for (number, (across, up, color)) in [(2.0, 3.0, 0.0), (3.0, 2.0, 0.5)].into_iter().enumerate() {
        for step in 0..=160 {
            let along = step as f32 / 160.0;
            let place = [
                0.85 * (along * across * TAU * 0.9).sin(),
                0.8 * (along * up * TAU * 0.9 + 0.6).sin(),
                -0.2 - 0.5 * along - 0.1 * number as f32,
                1.0,
            ];
            let width = if step == 0 { 0.0 } else { 0.01 + 0.06 * along };
            let [r, g, b, _] = hue(color + 0.4 * along);
            scene.push(&[place, [r, g, b, width]]);
        }
    }
    scene
}

fn banks() -> Scene {
    let aspect = HEIGHT as f32 / WIDTH as f32;
    let mut scene = flat(scene!("banks"))
        .floats(Geometry, "size", &[[0.28 * aspect, 0.28, 0.0, 0.0]])
        .floats(Geometry, "other", &[[0.98, 0.95, 0.85, 1.0]]);
    for number in 0..15 {
        let (x, y) = (number % 5, number / 5);
        scene.push(&[[x as f32 * 0.38 - 0.76, y as f32 * 0.62 - 0.62, -0.5, 1.0], hue(number as f32 / 15.0)]);
    }
    scene
}

fn cards() -> Scene {
    let mut scene = scene!("cards")
        .matrix(Vertex, "modelView", &camera(4.7, 0.0))
        .matrix(Geometry, "projection", &view())
        .floats(Geometry, "back", &[[0.35, 0.45, 0.85, 1.0]]);
    for number in 0..16 {
        let along = number as f32 / 16.0;
        let (s, c) = (along * TAU).sin_cos();
        let (turn_s, turn_c) = (along * 2.0 * TAU + 0.4).sin_cos();
        scene.push(&[
            [2.6 * c, 0.0, 2.2 * s, 1.0],
            [turn_c, turn_s, 0.34, 0.5],
            hue(0.02 + 0.12 * (number % 2) as f32),
        ]);
    }
    scene
}
