//! Passes preserve the results of random modules.

use transpica::Precision;
use transpica::settings::Arithmetic;
use transpica::stages::ir::{Phase, verify};
use transpica::stages::passes::{Scratch, optimize};
use transpica_proof::passes::check_passes;
use transpica_proof::same::compare;

use crate::modules::module;

/// Number of modules per test.
const MODULES: u64 = if cfg!(debug_assertions) { 150 } else { 2_000 };

#[test]
fn every_pass_preserves_the_results_of_random_modules() {
    for seed in 0..MODULES {
        let module = module(seed);
        verify(&module, Phase::Pica).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{module}"));
        let precision = [Precision::Exact, Precision::Fast, Precision::F24][seed as usize % 3];
        check_passes(&module, precision, seed, 4).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn optimization_preserves_the_results_of_random_modules() {
    let mut scratch = Scratch::default();
    for seed in 0..MODULES {
        let before = module(seed);
        let mut after = before.clone();
        optimize::run(&mut after, &Arithmetic::default(), &mut scratch);
        verify(&after, Phase::Pica).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{before}\n{after}"));
        compare(&before, &after, Precision::Exact, seed, 4)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}
