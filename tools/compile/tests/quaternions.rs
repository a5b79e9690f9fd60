//! Quaternions of normals and tangents: they turn z and x into them.

use transpica::host::dvle;
use transpica::interp::Uniforms;
use transpica::{Limits, Machine, Options as Settings, Shbin};
use transpica_compile::compile::compile;
use transpica_compile::source::{Language, Options, read};
use transpica_inspect::values::Random;

/// Limit of the instructions of a vertex.
const BUDGET: u64 = 1 << 10;

/// Runs a program on vertices with two attributes; returns its second output.
pub fn outputs(members: &str, values: &str, vertices: &[[[f32; 3]; 2]]) -> Vec<[f32; 4]> {
    let text = format!(
        "struct Out {{ @builtin(position) position: vec4f, {members} }}
        @vertex fn main(@location(0) a: vec3f, @location(1) b: vec3f) -> Out {{
            return Out(vec4f(a, 1.0), {values});
        }}"
    );
    let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
    let compiled = compile(&source, &Options::of(Language::Wgsl)).unwrap_or_else(|error| panic!("{error}"));
    assert!(!["ifc", "ifu", "jmp"].iter().any(|word| compiled.text.contains(word)), "{}", compiled.text);
    let file = Shbin::parse(&compiled.bytes).expect("a file");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let mut machine = Machine::new(&program, Settings::default().settings(BUDGET)).expect("a machine");
    let mut uniforms = Uniforms::default();
    dvle::constants(file.executable(0).expect("a program")).apply(&mut uniforms);
    machine.set_uniforms(&uniforms);
    let mut inputs = [[0.0; 4]; 16];
    let mut run = |vertex: &[[f32; 3]; 2]| {
        for (input, [x, y, z]) in inputs.iter_mut().zip(*vertex) {
            *input = [x, y, z, 1.0];
        }
        machine.run(&inputs).expect("it ends")[1]
    };
    vertices.iter().map(&mut run).collect()
}

/// A vector that a unit quaternion turns.
fn turned([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f32; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let axis = [x, y, z];
    let once = cross(axis, v);
    let twice = cross(axis, once);
    std::array::from_fn(|n| (v[n] + 2.0 * (w * once[n] + twice[n])) as f32)
}

/// Unit quaternions: all of components -1, 0 and 1, some near them, and random ones.
fn quaternions() -> Vec<[f64; 4]> {
    let mut random = Random::new(0, "quaternions");
    let mut all: Vec<[f64; 4]> = Vec::new();
    for number in 0..81 {
        let plain = [1, 3, 9, 27].map(|place| f64::from(number / place % 3 - 1));
        all.push(plain);
        all.push(plain.map(|lane| lane + f64::from(random.unit() - 0.5) * 1e-3));
    }
    all.extend((0..1000).map(|_| [(); 4].map(|()| f64::from(random.unit()) * 2.0 - 1.0)));
    let length = |q: &[f64; 4]| q.iter().map(|lane| lane * lane).sum::<f64>().sqrt();
    all.retain(|q| length(q) > 0.1);
    all.iter().map(|q| q.map(|lane| lane / length(q))).collect()
}

/// The largest difference of two quaternions that are the same rotation.
fn distance(found: [f32; 4], expected: [f64; 4]) -> f64 {
    let with = |sign: f64| {
        let lanes = found.iter().zip(expected);
        lanes.map(|(&a, b)| (f64::from(a) - sign * b).abs()).fold(0.0, f64::max)
    };
    with(1.0).min(with(-1.0))
}

#[test]
fn a_normal_and_a_tangent_are_what_z_and_x_become() {
    let all = quaternions();
    let axes = |&q: &[f64; 4]| [turned(q, [0.0, 0.0, 1.0]), turned(q, [1.0, 0.0, 0.0])];
    let vertices: Vec<_> = all.iter().map(axes).collect();
    for (members, values) in [
        ("@location(0) normal: vec3f, @location(1) tangent: vec3f", "a, b"),
        ("@location(0) v_tangent: vec3f, @location(1) quaternion: vec3f", "b, a"),
    ] {
        let found = outputs(members, values, &vertices);
        let far = found.iter().zip(&all).map(|(&found, &expected)| distance(found, expected));
        let most = far.fold(0.0, f64::max);
        println!("{} axes: at most {most:.1e}", all.len());
        assert!(most < 1e-6, "{members}: {most:e}");
    }
}

#[test]
fn a_normal_alone_is_what_z_becomes() {
    let mut normals: Vec<[f32; 3]> = quaternions().iter().map(|&q| turned(q, [0.0, 0.0, 1.0])).collect();
    // Near -z, w is too large: there is no half vector.
    normals.retain(|normal| normal[2] > 1.0 / 1024.0 - 1.0);
    let vertices: Vec<_> = normals.iter().map(|&normal| [normal, [0.0; 3]]).collect();
    for member in ["normal", "quaternion"] {
        let found = outputs(&format!("@location(0) {member}: vec3f"), "a", &vertices);
        for (found, normal) in found.iter().zip(&normals) {
            let z = turned(found.map(f64::from), [0.0, 0.0, 1.0]);
            let far = z.iter().zip(normal).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 1e-6, "{member}: {normal:?} is {far:e} away");
        }
    }
}
