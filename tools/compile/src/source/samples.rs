//! Random inputs of a shader, in the ranges of its types: small floats with 0 and ±1 among them,
//! small indices, bytes for scaled attributes; and in the ranges of promises.
//! In: an interface, a source of choices. Out: attributes and declared uniforms.

use transpica::settings::Promise;
use transpica_inspect::promises::kept;
use transpica_inspect::values::Random;

use super::evaluate::Inputs;
use super::host::Part;
use super::interface::{Interface, UniformValues};
use super::promises::Promises;
use super::{Scalar, Shape};

impl Inputs {
    /// Builds random attributes and uniforms for a shader.
    pub fn random(random: &mut Random, interface: &Interface) -> Self {
        Self::several(random, interface, &Promises::none(interface), 1).pop().unwrap_or_default()
    }

    /// Builds those of several vertices, one after the other, that keep promises.
    pub fn several(
        random: &mut Random,
        interface: &Interface,
        promises: &Promises,
        count: usize,
    ) -> Vec<Self> {
        let leaves = interface.leaves();
        let zeros = interface.uniforms.iter().map(|uniform| vec![[0; 4]; uniform.layout.registers()]);
        let zeros: UniformValues = zeros.collect();
        (0..count).map(|_| Self::one(random, interface, promises, &leaves, zeros.clone())).collect()
    }

    fn one(
        random: &mut Random,
        interface: &Interface,
        promises: &Promises,
        leaves: &[(Part, Shape)],
        mut uniforms: UniformValues,
    ) -> Self {
        let mut attributes = [[0.0; 4]; 16];
        for attribute in &interface.attributes {
            let lanes = &mut attributes[usize::from(attribute.register & 15)];
            let promise = promises.attributes[usize::from(attribute.register & 15)];
            *lanes = [0.0, 0.0, 0.0, 1.0];
            for lane in lanes.iter_mut().take(attribute.shape.rows.into()) {
                *lane = match attribute.shape.scalar {
                    Scalar::Float if attribute.is_scaled => random.below(256) as f32,
                    Scalar::Float => float(random, promise),
                    // Indices of bones, corners, sprites.
                    Scalar::Int | Scalar::Uint | Scalar::Bool => random.below(4) as f32,
                };
            }
        }
        for &(part, shape) in leaves {
            let rows = if shape.is_matrix() { shape.rows.into() } else { 1 };
            for register in uniforms[part.uniform].iter_mut().skip(part.offset).take(rows) {
                *register = [(); 4].map(|()| bits(random, shape, promises.uniforms[part.uniform]));
            }
        }
        Self { attributes, uniforms, rounding: None }
    }
}

/// A small number; half of those with a range lie anywhere in it.
fn float(random: &mut Random, promise: Promise) -> f32 {
    let small = match random.below(32) {
        0 => 0.0,
        1 => 1.0,
        2 => -1.0,
        _other => random.unit() * 4.0 - 2.0,
    };
    let number = match promise {
        // Larger numbers have no finite products.
        Promise::Below(exponent @ 0..128) if random.below(2) == 0 => {
            (random.unit() * 2.0 - 1.0) * 2f32.powi(exponent.min(63).into())
        }
        Promise::Between(least, exponent) if random.below(2) == 0 => {
            let (least, exponent) = (f32::from(least), f32::from(exponent.min(63)));
            (least + random.unit() * (exponent - least)).exp2().copysign(small)
        }
        Promise::Nothing | Promise::NotNan | Promise::Below(_) | Promise::Between(..) => small,
    };
    kept(promise, number)
}

fn bits(random: &mut Random, shape: Shape, promise: Promise) -> u32 {
    match shape.scalar {
        Scalar::Float => float(random, promise).to_bits(),
        Scalar::Int | Scalar::Uint => random.below(4),
        Scalar::Bool => random.below(2),
    }
}
