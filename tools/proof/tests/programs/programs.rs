//! Properties of generated programs: the same from the same seed, defined opcodes only, clean ones
//! end.

use std::collections::{BTreeMap, BTreeSet};

use transpica::Kind as ErrorKind;
use transpica::Machine;
use transpica::interp::{Settings, TraceRecord};
use transpica::isa::control::{Outcome, State, step};
use transpica::isa::{Flow, Inst, Opcode, Word};
use transpica_proof::generate::{BUDGET, Generated, Kind, generate, generate_sized};

fn machine(generated: &Generated, budget: u64) -> Machine {
    let settings = Settings { budget, ..Settings::default() };
    let mut machine = Machine::new(&generated.program(), settings).expect("vertex program");
    machine.set_uniforms(&generated.uniforms());
    machine
}

#[test]
fn equal_seeds_give_equal_programs_and_values() {
    for kind in Kind::ALL {
        for seed in [0, 1, u64::MAX] {
            let (first, second) = (generate(kind, seed), generate(kind, seed));
            assert_eq!(first, second);
            let bits = |generated: &Generated| {
                let values = generated.inputs(3).into_iter().flatten().flatten();
                values
                    .chain(generated.uniforms().floats.into_iter().flatten())
                    .map(f32::to_bits)
                    .collect::<Vec<_>>()
            };
            assert_eq!(bits(&first), bits(&second));
        }
    }
}

#[test]
fn a_seed_gives_the_recorded_program() {
    // Reports and tests record failing seeds; a change of these hashes makes them worthless.
    let hash = |generated: Generated| {
        let words = generated.code.into_iter().chain(generated.descriptors);
        words.fold(0u32, |hash, word| hash.rotate_left(5) ^ word)
    };
    let hashes =
        Kind::ALL.map(|kind| (0..100).fold(0, |sum: u32, seed| sum.wrapping_add(hash(generate(kind, seed)))));
    assert_eq!(hashes, [0x4AC3_2F87, 0x1EE6_D0D5, 0xAC81_A961]);
}

#[test]
fn all_opcodes_appear_over_a_thousand_seeds() {
    for kind in [Kind::Clean, Kind::Wild] {
        let seen: BTreeSet<_> = (0..1000)
            .flat_map(|seed| generate(kind, seed).code)
            .filter_map(|word| Word(word).opcode())
            .collect();
        let missing: Vec<_> = Opcode::ALL.iter().filter(|opcode| !seen.contains(opcode)).collect();
        assert!(missing.is_empty(), "{kind:?}: {missing:?}");
    }
}

#[test]
fn every_opcode_is_defined_and_every_program_is_accepted() {
    for kind in Kind::ALL {
        for seed in 0..2000 {
            let generated = generate(kind, seed);
            assert!(generated.code.iter().all(|&word| Word(word).opcode().is_some()));
            assert_eq!(generated.program().code(), generated.code);
        }
    }
}

#[test]
fn clean_and_numeric_programs_end_with_an_end() {
    for kind in [Kind::Clean, Kind::Numeric] {
        for seed in 0..1500 {
            let generated = generate(kind, seed);
            let mut machine = machine(&generated, BUDGET);
            for inputs in generated.inputs(3) {
                let mut last = None;
                let result = machine.run_traced(&inputs, &mut |record: &TraceRecord| last = Some(*record));
                assert!(result.is_ok(), "{kind:?} {seed}: {result:?}");
                let last = last.expect("at least one instruction");
                assert_eq!(last.inst, Inst::Flow(Flow::End), "{kind:?} {seed} runs off its end");
            }
        }
    }
}

/// Runs the control model alongside the interpreter and returns the deepest stacks. Fails if an
/// entry is lost.
fn deepest(generated: &Generated) -> [usize; 3] {
    let mut machine = machine(generated, BUDGET);
    let mut deepest = [0; 3];
    for inputs in generated.inputs(3) {
        let mut records = Vec::new();
        machine
            .run_traced(&inputs, &mut |record: &TraceRecord| records.push(*record))
            .expect("clean programs end");
        let mut state = State::new(generated.entry);
        for record in records {
            // The trace shows the branch taken: choose the answer that moves the model there too.
            let went = |answers: [bool; 2]| {
                let mut answers = answers.into_iter();
                let mut next = state;
                let outcome =
                    step(&record.inst, &mut next, &mut |_| answers.next().unwrap_or(false), &mut |_| {});
                let there = (outcome == Outcome::Continue).then_some(next.pc);
                (there == record.next).then_some(next)
            };
            state = [[true, true], [true, false], [false, true], [false, false]]
                .into_iter()
                .find_map(went)
                .expect("some answer leads to where the run went");
            let depths = [state.calls.len(), state.ifs.len(), state.loops.len()];
            for (deepest, depth) in deepest.iter_mut().zip(depths) {
                *deepest = depth.max(*deepest);
            }
        }
    }
    deepest
}

#[test]
fn clean_programs_reach_the_depth_of_each_stack() {
    let mut best = [0; 3];
    for seed in 0..1500 {
        let generated = generate_sized(Kind::Clean, seed, 20..=120);
        for (best, depth) in best.iter_mut().zip(deepest(&generated)) {
            *best = depth.max(*best);
        }
    }
    assert_eq!(best, [4, 8, 4]);
}

#[test]
fn most_wild_programs_end() {
    let mut ended = BTreeMap::new();
    for seed in 0..2000 {
        let generated = generate(Kind::Wild, seed);
        let mut machine = machine(&generated, 5000);
        for inputs in generated.inputs(2) {
            let result = match machine.run(&inputs) {
                Ok(_) => "ended",
                Err(error) if matches!(error.kind, ErrorKind::StepBudget(_)) => "budget",
                Err(error) => panic!("{seed}: {error}"),
            };
            *ended.entry(result).or_insert(0) += 1;
        }
    }
    assert!(ended["ended"] > 2500 && ended["budget"] > 100, "{ended:?}");
}

#[test]
fn outputs_of_clean_programs_depend_on_the_inputs() {
    let differ = (0..500).filter(|&seed| {
        let generated = generate(Kind::Clean, seed);
        let mut machine = machine(&generated, BUDGET);
        let inputs = generated.inputs(2);
        let bits =
            |machine: &mut Machine, inputs| machine.run(inputs).expect("ends").map(|o| o.map(f32::to_bits));
        bits(&mut machine, &inputs[0]) != bits(&mut machine, &inputs[1])
    });
    let count = differ.count();
    assert!(count > 450, "{count}");
}

#[test]
fn sizes_are_near_the_requested_ones() {
    for kind in Kind::ALL {
        for seed in 0..200 {
            let generated = generate_sized(kind, seed, 100..=100);
            let range = if kind == Kind::Clean { 60..=200 } else { 100..=220 };
            assert!(range.contains(&generated.code.len()), "{kind:?} {seed}: {}", generated.code.len());
            assert!(generate_sized(kind, seed, 1..=1).code.len() < 40);
            assert!(generate_sized(kind, seed, 400..=u16::MAX).code.len() < 700);
        }
    }
}
