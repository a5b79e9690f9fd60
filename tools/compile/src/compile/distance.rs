//! How far a program is from its source: both run on the same vertices.
//! In: the source, the program's file. Out: for each output the largest distance. Values are those
//! of the types: small floats with 0 and ±1 among them, small indices, bytes for scaled attributes.

use std::fmt;

use transpica::host::dvle;
use transpica::interp::Uniforms;
use transpica::{Limits, Machine, Options as Settings, Shbin};
use transpica_inspect::executor::ulp;
use transpica_inspect::values::Random;

use super::{Error, MOST};
use crate::source::evaluate::{Inputs, evaluate};
use crate::source::{Interface, Options, Scalar, Source};

/// Limit of the instructions of a vertex.
const BUDGET: u64 = 1 << 16;

/// One vertex of so many may be left out because the source itself moves there.
const MOST_LEFT_OUT: usize = 4;

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
    let lost = || Error::Assembly("a value of the source cannot be computed".into());
    let (mut has_run, mut left_out) = (false, vec![0; all.len()]);
    for _ in 0..vertices {
        let inputs = Inputs::random(&mut random, interface);
        // Random numbers lead to indices outside of arrays, where the source has no value.
        let Some(expected) = evaluate(source, options, interface, &inputs) else { continue };
        has_run = true;
        let registers = interface.registers(&inputs.uniforms).ok_or_else(lost)?;
        let mut uniforms = Uniforms { ints: registers.ints, bools: registers.bools, ..Uniforms::default() };
        for (to, from) in uniforms.floats.iter_mut().zip(&registers.floats) {
            *to = *from;
        }
        constants.apply(&mut uniforms);
        machine.set_uniforms(&uniforms);
        let found = machine.run(&inputs.attributes).map_err(failed)?;
        let mut moved = None;
        for (number, (lanes, distance)) in expected.iter().zip(&mut all).enumerate() {
            let found = &found[number & 15];
            let movement = || movement(source, options, interface, (&inputs, &expected));
            let far = relative(lanes, found);
            let is_explained = far > MOST && far <= 8.0 * moved.get_or_insert_with(movement)[number];
            // A program that is always far is wrong, whatever the source does.
            left_out[number] += usize::from(is_explained);
            if !is_explained || left_out[number] * MOST_LEFT_OUT > vertices {
                distance.add(lanes, found);
            }
        }
    }
    if has_run { Ok(all) } else { Err(lost()) }
}

/// How far the outputs of the source itself move where its inputs change by what a constant of a
/// file loses, which has 16 bits of fraction, and its operations round in other ways. Directions of
/// almost nothing, fractions of large numbers, products of large numbers with differences from 1,
/// and steps move by more than [`MOST`].
fn movement(
    source: &Source,
    options: &Options,
    interface: &Interface,
    (inputs, expected): (&Inputs, &[Vec<f32>]),
) -> Vec<f64> {
    let mut random = Random::new(0, "inputs moved a little");
    let mut moved = vec![0.0_f64; expected.len()];
    for seed in 0..8 {
        let mut inputs = inputs.clone();
        inputs.rounding = Some(seed);
        let mut nudge = |lane: f32| lane * (1.0 + (random.unit() - 0.5) / 32768.0);
        for attribute in interface.attributes.iter().filter(|one| one.shape.scalar == Scalar::Float) {
            let lanes = &mut inputs.attributes[usize::from(attribute.register & 15)];
            *lanes = lanes.map(&mut nudge);
        }
        for (uniform, registers) in interface.uniforms.iter().zip(&mut inputs.uniforms) {
            for (offset, shape) in uniform.layout.leaves() {
                let rows = if shape.is_matrix() { shape.rows.into() } else { 1 };
                let is_float = shape.scalar == Scalar::Float;
                for register in registers.iter_mut().skip(offset).take(if is_float { rows } else { 0 }) {
                    *register = register.map(|bits| nudge(f32::from_bits(bits)).to_bits());
                }
            }
        }
        let changed = evaluate(source, options, interface, &inputs).unwrap_or_default();
        for (moved, (a, b)) in moved.iter_mut().zip(expected.iter().zip(&changed)) {
            *moved = moved.max(relative(a, b));
        }
    }
    moved
}

/// The largest difference, relative to the largest component; 0 where one is not finite.
fn relative(expected: &[f32], found: &[f32]) -> f64 {
    if expected.iter().any(|lane| !lane.is_finite()) {
        return 0.0;
    }
    // Below a thousandth, numbers are what sums of larger ones left.
    let size = expected.iter().fold(1e-3_f64, |size, lane| size.max(f64::from(lane.abs())));
    let differences = expected.iter().zip(found).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs() / size);
    differences.fold(0.0, |most, one| if one.is_nan() { f64::INFINITY } else { one.max(most) })
}

impl Distance {
    /// Adds an output of a vertex, what the source and the program compute. Infinities and NaN are
    /// left out: products of 0 differ there.
    pub fn add(&mut self, expected: &[f32], found: &[f32]) {
        if expected.iter().any(|lane| !lane.is_finite()) {
            return;
        }
        self.vertices += 1;
        for (&a, &b) in expected.iter().zip(found) {
            self.ulp = self.ulp.max(ulp(a, b).unwrap_or(u32::MAX));
        }
        self.relative = self.relative.max(relative(expected, found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::source::{Language, read};

    /// The distance of the first program from the source of the second.
    fn distance(programs: [&str; 2]) -> Distance {
        let [program, text] = programs.map(|body| {
            format!("@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {{ return {body}; }}")
        });
        let options = Options::of(Language::Wgsl);
        let compiled = compile(&read(Language::Wgsl, program.as_bytes()).expect("valid"), &options);
        let compiled = compiled.expect("in the subset");
        let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
        let file = Shbin::parse(&compiled.bytes).expect("a file");
        measure(&source, &options, &compiled.interface, &file, 400).expect("both run")[0]
    }

    #[test]
    fn programs_that_compute_something_else_are_far() {
        assert_eq!(distance(["p * 0.5", "p * 0.5"]).relative, 0.0);
        assert!(distance(["p * 0.5", "p * 0.502"]).relative > MOST);
        // The source moves where its inputs do, but not so that it explains each vertex.
        let [one, other] = ["fract(p * 1000.0)", "fract(p * 1000.0 + 0.5)"];
        assert!(distance([one, one]).relative <= MOST);
        assert!(distance([one, other]).relative > MOST);
    }
}
