//! How far a program is from its source: both run on the same vertices.
//! In: the source, the program's file. Out: for each output the largest distance. Values are those
//! of the types: small floats with 0 and ±1 among them, small indices, bytes for scaled attributes.

use std::fmt;

use transpica::host::dvle;
use transpica::interp::Uniforms;
use transpica::{Limits, Machine, Options as Settings, Shbin};
use transpica_inspect::executor::ulp;
use transpica_inspect::values::Random;

use super::Error;
use crate::source::evaluate::{Inputs, evaluate};
use crate::source::interface::Layout;
use crate::source::{Interface, Options, Scalar, Shape, Source};

/// Limit of the instructions of a vertex.
const BUDGET: u64 = 1 << 16;

/// The largest distance of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distance {
    /// In units in the last place.
    pub ulp: u32,
    /// Relative to the largest component.
    pub relative: f64,
    /// Vertices whose components are finite in the source.
    pub vertices: usize,
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ulp {
            0 => write!(f, "equal on {} vertices", self.vertices),
            ulp => {
                write!(f, "at most {:.1e} relative, {ulp} ulp on {} vertices", self.relative, self.vertices)
            }
        }
    }
}

/// Runs a program and its source on random vertices.
///
/// # Errors
/// One of them fails.
pub(super) fn measure(
    source: &Source,
    options: &Options,
    interface: &Interface,
    file: &Shbin<'_>,
    vertices: usize,
) -> Result<Vec<Distance>, Error> {
    let failed = |error: transpica::Error| Error::Assembly(error.to_string());
    let program = dvle::program(file, 0, &Limits::default()).map_err(failed)?;
    let constants = dvle::constants(file.executable(0).map_err(failed)?);
    let mut machine = Machine::new(&program, Settings::default().settings(BUDGET)).map_err(failed)?;
    let mut random = Random::new(0, "vertices of a shader");
    let mut all = vec![Distance::default(); interface.outputs.len()];
    for _ in 0..vertices {
        let inputs = inputs(&mut random, interface);
        let lost = || Error::Assembly("a value of the source cannot be computed".into());
        let expected = evaluate(source, options, interface, &inputs).ok_or_else(lost)?;
        let registers = interface.registers(&inputs.uniforms).ok_or_else(lost)?;
        let mut uniforms = Uniforms { ints: registers.ints, bools: registers.bools, ..Uniforms::default() };
        for (to, from) in uniforms.floats.iter_mut().zip(&registers.floats) {
            *to = *from;
        }
        constants.apply(&mut uniforms);
        machine.set_uniforms(&uniforms);
        let found = machine.run(&inputs.attributes).map_err(failed)?;
        for (number, (expected, distance)) in expected.iter().zip(&mut all).enumerate() {
            distance.add(expected, &found[number & 15]);
        }
    }
    Ok(all)
}

impl Distance {
    /// Adds an output of a vertex. Infinities and NaN are left out: products of 0 differ there.
    fn add(&mut self, expected: &[f32], found: &[f32; 4]) {
        if expected.iter().any(|lane| !lane.is_finite()) {
            return;
        }
        self.vertices += 1;
        // Below a thousandth, numbers are what sums of larger ones left.
        let size = expected.iter().fold(1e-3_f64, |size, lane| size.max(f64::from(lane.abs())));
        for (&a, &b) in expected.iter().zip(found) {
            self.ulp = self.ulp.max(ulp(a, b).unwrap_or(u32::MAX));
            let difference = (f64::from(a) - f64::from(b)).abs() / size;
            self.relative = self.relative.max(if difference.is_nan() { f64::INFINITY } else { difference });
        }
    }
}

/// Random attributes and uniforms.
fn inputs(random: &mut Random, interface: &Interface) -> Inputs {
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
    Inputs { attributes, uniforms }
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
