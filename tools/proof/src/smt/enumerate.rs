//! Functions of one float, for all 2^32 of them.
//! In: a helper function of legalization and its definition in Rust. Out: that they are equal, with
//! the time; for powers and logarithms, also the largest error. Constants, not solvers, make these
//! long: polynomials with ten products.
//!
//! Each operation is evaluated for a block of numbers, so that its choice costs nothing.

use std::time::Instant;

use transpica::Precision;
use transpica::stages::host::UniformBlock;
use transpica::stages::ir::{Func, Module};
use transpica::stages::passes::analyze::ranges::Promises;
use transpica::stages::passes::legalize::Given;
use transpica::stages::precision::{arith, portable};

use crate::chain;
use crate::smt::rules::function;
use transpica_compile::equal::walk::alone;

/// Numbers of a block.
const BLOCK: usize = 1 << 10;
/// Blocks in all.
const BLOCKS: u64 = (1 << 32) / BLOCK as u64;

/// Blocks of numbers from 1/2 to 8.
const UNITS: std::ops::Range<u64> = (126 << 23) / BLOCK as u64..(130 << 23) / BLOCK as u64;

/// An exact function, and the largest error that its portable form may have.
type Exact = (fn(f64) -> f64, f64);

/// A function of one number, its definition, and the exact function where errors are measured.
struct Enumerated {
    name: &'static str,
    precision: Precision,
    /// The module keeps subnormal numbers.
    keeps: bool,
    /// Units in the last place by which a driver's quotient or root may differ.
    seeds: i32,
    body: &'static str,
    definition: fn(f32) -> f32,
    exact: Option<Exact>,
}

const ENUMERATED: [Enumerated; 7] = [
    Enumerated {
        name: "reciprocal",
        precision: Precision::Exact,
        keeps: false,
        seeds: 2,
        body: "(%0: f32) %1: f32 = rcpp %0 yield %1",
        definition: |x| arith::rcp(Precision::Exact, x),
        exact: None,
    },
    Enumerated {
        name: "reciprocal of any number",
        precision: Precision::Exact,
        keeps: true,
        seeds: 2,
        body: "(%0: f32) %1: f32 = rcpp %0 yield %1",
        definition: |x| arith::rcp(Precision::Exact, x),
        exact: None,
    },
    Enumerated {
        name: "reciprocal square root",
        precision: Precision::Exact,
        keeps: false,
        seeds: 2,
        body: "(%0: f32) %1: f32 = rsqp %0 yield %1",
        definition: |x| arith::rsq(Precision::Exact, x),
        exact: None,
    },
    Enumerated {
        name: "power of two",
        precision: Precision::Exact,
        keeps: false,
        seeds: 0,
        body: "(%0: f32) %1: f32 = exp2p %0 yield %1",
        definition: portable::exp2,
        exact: Some((f64::exp2, portable::EXP2_ULP)),
    },
    Enumerated {
        name: "logarithm",
        precision: Precision::Exact,
        keeps: false,
        seeds: 0,
        body: "(%0: f32) %1: f32 = log2p %0 yield %1",
        definition: portable::log2,
        exact: Some((f64::log2, portable::LOG2_ULP)),
    },
    Enumerated {
        name: "floor",
        precision: Precision::Exact,
        keeps: true,
        seeds: 0,
        body: "(%0: f32) %1: f32 = floor %0 yield %1",
        definition: f32::floor,
        exact: None,
    },
    Enumerated {
        name: "float24 registers",
        precision: Precision::F24,
        keeps: false,
        seeds: 0,
        body: "() %0: f32x4 = input v0 %1: f32 = shuffle %0.x yield %1",
        definition: |x| arith::load(Precision::F24, x),
        exact: None,
    },
];

/// Distance from the exact value, in units in the last place; 0 for what is not a normal number.
fn error(found: f32, exact: f64) -> f64 {
    if !found.is_normal() || !exact.is_finite() {
        return 0.0;
    }
    // The exponent field of the exact value, 23 places lower: the unit in the last place of an f32.
    let field = (exact.to_bits() >> 52 & 0x7FF).max(1023 - 126) - 23;
    (f64::from(found) - exact).abs() / f64::from_bits(field << 52)
}

impl Enumerated {
    /// The function to compare: for the conversion of an input its helper alone, on one lane.
    fn module(&self) -> Module {
        let mut module = function(self.body);
        let options = chain::options(self.precision);
        let given = Given { keeps_subnormals: self.keeps, ..Given::promises(Promises::NONE) };
        chain::legalize_given(&mut module, &options, given, &UniformBlock::default());
        match module.helpers.last() {
            Some(helper) if self.precision == Precision::F24 => {
                Module { main: Func::clone(helper), helpers: Vec::new() }
            }
            _ => module,
        }
    }

    /// Compares every `stride`-th block and returns the largest error.
    fn run(&self, first: u64, stride: u64) -> Result<f64, String> {
        let seeds = -self.seeds..=self.seeds;
        seeds.map(|seed| self.run_on(seed, first, stride)).try_fold(0f64, |worst, of| Ok(worst.max(of?)))
    }

    /// The same with a driver whose quotients and roots are this far from the nearest number.
    fn run_on(&self, seed: i32, first: u64, stride: u64) -> Result<f64, String> {
        let (symbols, results) = alone(&self.module(), self.precision, true)?;
        let result = *results.first().ok_or("a function without a result")?;
        let mut rows = vec![vec![0; BLOCK]];
        let (name, mut worst) = (self.name, 0f64);
        // Exponents of both parities have all that seeds can change.
        let blocks = if seed == 0 { 0..BLOCKS } else { UNITS };
        let blocks = blocks.start + first..blocks.end;
        for block in blocks.step_by(usize::try_from(stride).unwrap_or(1)) {
            (0..).zip(&mut rows[0]).for_each(|(n, slot)| *slot = (block * BLOCK as u64 + n) as u32);
            symbols.fill(result, &mut rows, seed);
            for (&bits, &found) in rows[0].iter().zip(&rows[result.0 as usize]) {
                let (x, found) = (f32::from_bits(bits), f32::from_bits(found));
                let expected = (self.definition)(x);
                // Beyond these a driver's own result may be taken.
                if seed != 0 && !(x.is_normal() && expected.is_normal()) {
                    continue;
                }
                // The sign of a zero aside.
                if found != expected && !(found.is_nan() && expected.is_nan()) {
                    return Err(format!("{name} of {bits:#010x}, seed {seed}: {found:e}, not {expected:e}"));
                }
                if let Some((exact, bound)) = self.exact {
                    let error = error(found, exact(x.into()));
                    if error > bound {
                        return Err(format!("{name} of {bits:#010x}: {error} units off, over {bound}"));
                    }
                    worst = worst.max(error);
                }
            }
        }
        Ok(worst)
    }
}

/// Compares every `stride`-th block of numbers on two threads; calls `say` with a line for each
/// function.
///
/// # Errors
/// A number for which a helper function is not its definition.
pub fn run(stride: u64, mut say: impl FnMut(&str)) -> Result<(), String> {
    for row in &ENUMERATED {
        let start = Instant::now();
        let [first, second] = std::thread::scope(|scope| {
            let halves = [0, stride].map(|first| scope.spawn(move || row.run(first, 2 * stride)));
            halves.map(|half| half.join().unwrap_or_else(|_| Err("a thread ended early".into())))
        });
        let worst = first?.max(second?);
        let error = row.exact.map(|_| format!(", at most {worst:.3} units in the last place off"));
        let (error, numbers) = (error.unwrap_or_default(), (1u64 << 32) / stride);
        let seconds = start.elapsed().as_secs_f64();
        say(&format!("enumerated: {} of {numbers} numbers in {seconds:.1} s{error}", row.name));
    }
    Ok(())
}
