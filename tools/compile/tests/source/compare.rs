//! Distances between a lowered program and its source, on random inputs.
//! In: a source. Out: for each output the largest distance, in ulp and relative to the largest
//! lane.

use fastrand::Rng;
use transpica::Precision;
use transpica_compile::source::evaluate::{Inputs, evaluate};
use transpica_compile::source::interface::Layout;
use transpica_compile::source::{Interface, Lowered, Options, Scalar, Shape, Source, lower};
use transpica_proof::ir::{Evaluator, InputValues};

/// Largest distances of an output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Distance {
    pub ulp: u64,
    pub relative: f64,
    /// Vertices that were compared.
    pub compared: usize,
}

/// Lowers a source and compares it on `count` random vertices.
pub fn compare(source: &Source, options: &Options, count: usize) -> (Lowered, Vec<Distance>) {
    let lowered = lower(source, options).unwrap_or_else(|error| panic!("{error}"));
    let distances = distances(source, options, &lowered, count);
    (lowered, distances)
}

fn distances(source: &Source, options: &Options, lowered: &Lowered, count: usize) -> Vec<Distance> {
    let interface = &lowered.interface;
    let evaluator = Evaluator::new(&lowered.module).expect("the module is well-formed");
    let mut rng = Rng::with_seed(0x5EED);
    let mut all = vec![Distance::default(); interface.outputs.len()];
    for _ in 0..count {
        let inputs = inputs(&mut rng, interface);
        let expected = evaluate(source, options, interface, &inputs).expect("the source runs");
        let registers = interface.registers(&inputs.uniforms).expect("the host computes all");
        let environment = InputValues {
            inputs: inputs.attributes.map(|lanes| lanes.map(f32::to_bits)),
            uniforms: registers.floats.iter().map(|lanes| lanes.map(f32::to_bits)).collect(),
            ints: registers.ints,
            bools: registers.bools,
            ..InputValues::default()
        };
        let got = evaluator.run(Precision::Exact, &environment, 1 << 20).expect("the program ends");
        for ((expected, got), distance) in expected.iter().zip(&got).zip(&mut all) {
            let got: Vec<f32> = got[..expected.len()].iter().map(|&bits| f32::from_bits(bits)).collect();
            add(distance, expected, &got);
        }
    }
    all
}

fn add(distance: &mut Distance, expected: &[f32], got: &[f32]) {
    // Infinities and NaN differ where products of 0 do.
    if expected.iter().any(|lane| !lane.is_finite()) {
        return;
    }
    distance.compared += 1;
    let size = expected.iter().fold(1e-3_f64, |size, lane| size.max(f64::from(lane.abs())));
    for (&a, &b) in expected.iter().zip(got) {
        let order = |x: f32| i64::from(x.to_bits() & 0x7FFF_FFFF) * if x.is_sign_negative() { -1 } else { 1 };
        distance.ulp = distance.ulp.max(order(a).abs_diff(order(b)));
        let difference = (f64::from(a) - f64::from(b)).abs() / size;
        distance.relative =
            distance.relative.max(if difference.is_nan() { f64::INFINITY } else { difference });
    }
}

/// Random attributes and uniforms in plausible ranges.
pub fn inputs(rng: &mut Rng, interface: &Interface) -> Inputs {
    let mut attributes = [[0.0; 4]; 16];
    for attribute in &interface.attributes {
        let lanes = &mut attributes[usize::from(attribute.register)];
        *lanes = [0.0, 0.0, 0.0, 1.0];
        for lane in lanes.iter_mut().take(attribute.shape.rows.into()) {
            *lane = match attribute.shape.scalar {
                Scalar::Float if attribute.is_scaled => rng.u8(..).into(),
                Scalar::Float => float(rng),
                // Indices of bones, corners, sprites.
                Scalar::Int | Scalar::Uint | Scalar::Bool => rng.u8(0..4).into(),
            };
        }
    }
    let uniforms = interface.uniforms.iter().map(|uniform| registers(rng, &uniform.layout)).collect();
    Inputs { attributes, uniforms }
}

fn float(rng: &mut Rng) -> f32 {
    match rng.u8(..) {
        0..8 => 0.0,
        8..16 => 1.0,
        16..24 => -1.0,
        _other => (rng.f32() - 0.5) * 4.0,
    }
}

fn registers(rng: &mut Rng, layout: &Layout) -> Vec<[u32; 4]> {
    let mut all = vec![[0; 4]; layout.registers()];
    for (offset, shape) in layout.leaves() {
        let rows = if shape.is_matrix() { shape.rows.into() } else { 1 };
        for register in &mut all[offset..offset + rows] {
            *register = [(); 4].map(|()| bits(rng, shape));
        }
    }
    all
}

fn bits(rng: &mut Rng, shape: Shape) -> u32 {
    match shape.scalar {
        Scalar::Float => float(rng).to_bits(),
        Scalar::Int | Scalar::Uint => rng.u32(0..4),
        Scalar::Bool => rng.u32(0..2),
    }
}
