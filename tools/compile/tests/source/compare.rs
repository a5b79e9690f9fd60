//! Distances between a lowered program and its source, on random inputs.
//! In: a source. Out: for each output the largest distance.

use transpica::Precision;
use transpica_compile::compile::Distance;
use transpica_compile::source::evaluate::{Inputs, evaluate};
use transpica_compile::source::promises::Promises;
use transpica_compile::source::{Lowered, Options, Source, lower};
use transpica_inspect::values::Random;
use transpica_proof::ir::{Evaluator, InputValues};

/// Lowers a source and compares it on `count` random vertices, on all of which it has values.
pub fn compare(source: &Source, options: &Options, count: usize) -> (Lowered, Vec<Distance>) {
    let (lowered, all, compared) = compare_defined(source, options, count);
    assert_eq!(compared, count, "the source does not run:\n{}", source.text);
    (lowered, all)
}

/// The same where the source has values: it has none for an index outside of an array. Returns the
/// number of vertices, too.
pub fn compare_defined(source: &Source, options: &Options, count: usize) -> (Lowered, Vec<Distance>, usize) {
    let lowered = lower(source, options).unwrap_or_else(|error| panic!("{error}"));
    let interface = &lowered.interface;
    let evaluator = Evaluator::new(&lowered.module).expect("the module is well-formed");
    let mut random = Random::new(0x5EED, "vertices");
    let mut all = vec![Distance::default(); interface.outputs.len()];
    let mut compared = 0;
    let inputs = Inputs::several(&mut random, interface, &Promises::none(interface), count);
    let expected = evaluate(source, options, interface, &inputs);
    for (inputs, expected) in inputs.iter().zip(expected) {
        let Some(expected) = expected else { continue };
        compared += 1;
        let registers = interface.registers(&inputs.uniforms).expect("the host computes all");
        let environment = InputValues {
            inputs: inputs.attributes.map(|lanes| lanes.map(f32::to_bits)),
            uniforms: registers.floats.iter().map(|lanes| lanes.map(f32::to_bits)).collect(),
            ints: registers.ints,
            bools: registers.bools,
            ..InputValues::default()
        };
        let found = evaluator.run(Precision::Exact, &environment, 1 << 20).expect("the program ends");
        for ((expected, found), distance) in expected.iter().zip(&found).zip(&mut all) {
            distance.add(expected, &found.map(f32::from_bits));
        }
    }
    (lowered, all, compared)
}
