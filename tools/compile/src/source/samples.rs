//! Random inputs of a shader, in the ranges of its types: small floats with 0 and ±1 among them,
//! small indices, bytes for scaled attributes.
//! In: an interface, a source of choices. Out: attributes and declared uniforms.

use transpica_inspect::values::Random;

use super::evaluate::Inputs;
use super::interface::{Interface, Layout};
use super::{Scalar, Shape};

impl Inputs {
    /// Builds random attributes and uniforms for a shader.
    pub fn random(random: &mut Random, interface: &Interface) -> Self {
        let mut attributes = [[0.0; 4]; 16];
        for attribute in &interface.attributes {
            let lanes = &mut attributes[usize::from(attribute.register & 15)];
            *lanes = [0.0, 0.0, 0.0, 1.0];
            for lane in lanes.iter_mut().take(attribute.shape.rows.into()) {
                *lane = match attribute.shape.scalar {
                    Scalar::Float if attribute.is_scaled => random.below(256) as f32,
                    Scalar::Float => float(random),
                    // Indices of bones, corners, sprites.
                    Scalar::Int | Scalar::Uint | Scalar::Bool => random.below(4) as f32,
                };
            }
        }
        let uniforms = interface.uniforms.iter().map(|uniform| registers(random, &uniform.layout)).collect();
        Self { attributes, uniforms, rounding: None }
    }
}

fn float(random: &mut Random) -> f32 {
    match random.below(32) {
        0 => 0.0,
        1 => 1.0,
        2 => -1.0,
        _other => random.unit() * 4.0 - 2.0,
    }
}

fn registers(random: &mut Random, layout: &Layout) -> Vec<[u32; 4]> {
    let mut all = vec![[0; 4]; layout.registers()];
    for (offset, shape) in layout.leaves() {
        let rows = if shape.is_matrix() { shape.rows.into() } else { 1 };
        for register in all.iter_mut().skip(offset).take(rows) {
            *register = [(); 4].map(|()| bits(random, shape));
        }
    }
    all
}

fn bits(random: &mut Random, shape: Shape) -> u32 {
    match shape.scalar {
        Scalar::Float => float(random).to_bits(),
        Scalar::Int | Scalar::Uint => random.below(4),
        Scalar::Bool => random.below(2),
    }
}
