//! Random inputs of a shader, in the ranges of its types: small floats with 0 and ±1 among them,
//! small indices, bytes for scaled attributes; and in the ranges of promises.
//! In: an interface, a source of choices. Out: attributes and declared uniforms.

use std::rc::Rc;

use transpica::settings::Promise;
use transpica_inspect::promises::kept;
use transpica_inspect::values::Random;

use super::evaluate::Inputs;
use super::host::Part;
use super::interface::{Interface, UniformValues};
use super::promises::Promises;
use super::{Scalar, Shape};

/// Floats have no larger whole numbers with all their neighbors.
const LARGE: f32 = 16_777_216.0;

/// Vertices with the same uniforms, one after the other.
pub const SHARED: usize = 16;

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
        let mut all = Vec::with_capacity(count);
        let mut uniforms = Rc::<UniformValues>::default();
        for vertex in 0..count {
            if vertex % SHARED == 0 {
                let mut values = zeros.clone();
                set_uniforms(random, promises, &leaves, &mut values);
                uniforms = Rc::new(values);
            }
            let attributes = attributes(random, interface, promises);
            all.push(Self { attributes, uniforms: Rc::clone(&uniforms), rounding: None });
        }
        all
    }
}

/// v0 to v15 of a vertex.
fn attributes(random: &mut Random, interface: &Interface, promises: &Promises) -> [[f32; 4]; 16] {
    let mut attributes = [[0.0; 4]; 16];
    for attribute in &interface.attributes {
        let register = usize::from(attribute.register & 15);
        let (scalar, promise) = (attribute.shape.scalar, promises.attributes[register]);
        attributes[register] = [0.0, 0.0, 0.0, 1.0];
        for lane in attributes[register].iter_mut().take(attribute.shape.rows.into()) {
            *lane = match scalar {
                Scalar::Float if attribute.is_scaled => random.below(256) as f32,
                Scalar::Float => float(random, promise),
                Scalar::Int | Scalar::Uint | Scalar::Bool => whole(random, scalar, promise),
            };
        }
    }
    attributes
}

/// Sets all uniforms.
fn set_uniforms(
    random: &mut Random,
    promises: &Promises,
    leaves: &[(Part, Shape)],
    uniforms: &mut UniformValues,
) {
    for &(part, shape) in leaves {
        for register in uniforms[part.uniform].iter_mut().skip(part.offset).take(shape.registers()) {
            *register = [(); 4].map(|()| bits(random, shape, promises.uniforms[part.uniform]));
        }
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
        Promise::Nothing => return small,
        // Larger numbers have no finite products.
        Promise::Below(exponent @ 0..128) if random.below(2) == 0 => {
            (random.unit() * 2.0 - 1.0) * 2f32.powi(exponent.min(63).into())
        }
        Promise::Between(least, exponent) if random.below(2) == 0 => {
            let (least, exponent) = (f32::from(least), f32::from(exponent.min(63)));
            (least + random.unit() * (exponent - least)).exp2().copysign(small)
        }
        Promise::NotNan | Promise::Below(_) | Promise::Between(..) => small,
    };
    kept(promise, number)
}

/// A whole number: indices of bones, corners, sprites, or any of a range.
fn whole(random: &mut Random, scalar: Scalar, promise: Promise) -> f32 {
    if matches!(promise, Promise::Nothing | Promise::NotNan) {
        return random.below(4) as f32;
    }
    let number = float(random, promise).trunc().clamp(1.0 - LARGE, LARGE - 1.0);
    if scalar == Scalar::Int { number } else { number.abs() }
}

fn bits(random: &mut Random, shape: Shape, [floats, wholes]: [Promise; 2]) -> u32 {
    match shape.scalar {
        Scalar::Float => float(random, floats).to_bits(),
        Scalar::Int | Scalar::Uint => (whole(random, shape.scalar, wholes) as i32).cast_unsigned(),
        Scalar::Bool => random.below(2),
    }
}
