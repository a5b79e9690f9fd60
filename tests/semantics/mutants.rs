//! The comparisons detect errors: every mutant is found within a few hundred random programs.

use transpica::Precision;
use transpica_proof::chain;
use transpica_proof::generate::{Kind, generate};
use transpica_proof::mutants::Mutant;

/// Programs of each kind that a mutant may survive.
const PROGRAMS: u64 = 400;

/// Returns the first program that detects a mutant, and the number of programs tried.
fn find_detection(mutant: Mutant) -> Option<(usize, String)> {
    let mut tried = 0;
    for seed in 0..PROGRAMS {
        for kind in [Kind::Clean, Kind::Numeric, Kind::Wild] {
            tried += 1;
            let options = chain::options(Precision::Exact);
            if let Err(disagreement) = chain::compare_with(&generate(kind, seed), options, Some(mutant)) {
                return Some((tried, format!("{kind:?} seed {seed}, {disagreement}")));
            }
        }
    }
    None
}

/// A form that the verifier rejects, or that does not run, would not test the comparison.
#[test]
fn every_mutant_is_caught_by_its_results() {
    let mut survivors = Vec::new();
    for mutant in Mutant::ALL {
        match find_detection(mutant) {
            Some((tried, place)) => {
                println!("{mutant:?}: caught by program {tried} ({place})");
                assert!(place.contains(": interpreter "), "{mutant:?}: {place}");
            }
            None => survivors.push(mutant),
        }
    }
    assert!(survivors.is_empty(), "survived: {survivors:?}");
}

#[test]
fn without_a_mutant_the_same_programs_agree() {
    for kind in Kind::ALL {
        for seed in 0..40 {
            chain::compare(&generate(kind, seed), Precision::Exact).unwrap_or_else(|found| panic!("{found}"));
        }
    }
}
