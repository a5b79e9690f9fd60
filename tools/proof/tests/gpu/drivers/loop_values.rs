//! Values that leave a loop whose invocations exit in different iterations.
//! Hand-written modules show the behavior of drivers on the plain forms. Random programs show that
//! the library's form (`passes::drivers::leave`) is right.

use transpica::Precision;
use transpica_gpu::compare::Verdict;
use transpica_gpu::{Gpu, Registers, Route, Shader, run_compute};
use transpica_proof::daily;
use transpica_proof::generate::{Generated, Kind, generate};
use transpica_proof::tally::Tally;

use crate::random;

/// Invocations of a workgroup.
const INVOCATIONS: u32 = 64;

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a module over invocations with different iteration counts: word 0 is the count, any other
/// word n is 1000 n. Returns the number of invocations whose first result differs from `expected`
/// of the count.
fn count_wrong(gpu: &Gpu, module: &[u8], expected: impl Fn(u32) -> u32) -> usize {
    let words = module.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    let ends: Vec<u32> = (0..INVOCATIONS).map(|number| 1 + number * 5 % 7).collect();
    let registers = |&end: &u32| {
        let mut registers: Registers =
            std::array::from_fn(|n| [0, 1, 2, 3].map(|c| 1000 * (4 * n as u32 + c)));
        registers[0][0] = end;
        registers
    };
    let inputs: Vec<Registers> = ends.iter().map(registers).collect();
    let outputs = run_compute(gpu, Shader::Passthrough(words.collect()), &[], &inputs);
    let outputs = outputs.unwrap_or_else(|error| panic!("{error}"));
    outputs.iter().zip(&ends).filter(|(output, end)| output[0][0] != expected(**end)).count()
}

#[test]
fn a_computed_value_of_a_loop_may_be_that_of_a_later_iteration() {
    needs!("vulkan");
    // A driver defect, asserted so that its end is noticed: llvmpipe keeps computing for
    // invocations that have left, and only writes of phis are masked. Here the phi of the next
    // iteration is written before an invocation leaves.
    let gpu = gpu();
    let module = include_bytes!("../../../../../tests/cases/upstream/value_of_a_loop.spv");
    let wrong = count_wrong(&gpu, module, |end| 9 * end);
    assert_eq!(wrong > 0, gpu.facts().recomputes_loop_values, "{wrong} of {INVOCATIONS}");
}

#[test]
fn a_loaded_value_of_a_loop_may_be_lost() {
    needs!("vulkan");
    // A driver defect, asserted so that its end is noticed: a load returns 0 to invocations that
    // have left, and this replaces the value they had.
    let gpu = gpu();
    let module = include_bytes!("../../../../../tests/cases/upstream/load_of_a_loop.spv");
    let wrong = count_wrong(&gpu, module, |end| 1000 * (3 + end));
    assert_eq!(wrong > 0, gpu.facts().loses_loop_values, "{wrong} of {INVOCATIONS}");
}

/// Compares a program on the exact route; one that differs is shrunk and printed with its state.
fn compare(gpu: &Gpu, generated: &Generated) -> Verdict {
    let verdict = random::prove(gpu, generated, Precision::Exact, Route::Passthrough);
    verdict.unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn programs_with_known_driver_faults_match_the_interpreter() {
    needs!("vulkan");
    // Each was wrong while modules left loops exactly where programs leave them. The first two lost
    // values on SwiftShader. A comparison of the third used the value of a later iteration on
    // lavapipe and 0 on SwiftShader.
    let gpu = gpu();
    for (kind, seed) in [(Kind::Clean, 281), (Kind::Clean, 8_589_936_624), (Kind::Wild, 8_589_939_637)] {
        let generated = generate(kind, seed);
        assert!(random::is_left_early(&generated), "{kind:?} {seed}");
        compare(&gpu, &generated);
    }
}

/// Returns the first seeds of a kind whose programs leave loops early. Searching takes longer than
/// running them, so a file stores them; `UPDATE_EXPECT=1` searches again, which a change of the
/// generator requires.
fn seeds(kind: Kind, count: usize) -> Vec<u64> {
    let path = format!(
        "{}/../../tests/cases/loops/left_early.{}.txt",
        env!("CARGO_MANIFEST_DIR"),
        format!("{kind:?}").to_lowercase()
    );
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let left_early = (0u64..).filter(|&seed| random::is_left_early(&generate(kind, seed)));
        let lines: String = left_early.take(count).map(|seed| format!("{seed}\n")).collect();
        std::fs::write(&path, lines).expect("writable");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let seeds: Vec<u64> = text.lines().map(|line| line.parse().expect("a seed")).collect();
    assert_eq!(seeds.len(), count, "{path}");
    seeds
}

/// Compares this number of programs of a kind that leave loops early, from the first seed on.
fn run(kind: Kind, programs: usize) {
    let gpu = gpu();
    let stage = format!("programs that leave loops early on {}: {kind:?}", gpu.name());
    let seeds = seeds(kind, programs);
    let programs = daily::cases(&stage, programs.div_ceil(40) as u64, programs as u64);
    let (mut total, mut silent) = (Verdict::default(), 0);
    for seed in seeds.into_iter().take(programs as usize) {
        let generated = generate(kind, seed);
        assert!(
            random::is_left_early(&generated),
            "{kind:?} {seed} does not any more: UPDATE_EXPECT=1 looks for others"
        );
        let verdict = compare(&gpu, &generated);
        silent += u64::from(verdict.values == 0);
        total.add(&verdict);
    }
    let Verdict { vertices, values, .. } = total;
    let tally = Tally {
        stage,
        programs,
        vertices: vertices as u64,
        note: format!("{values} values bit for bit; {silent} programs without a value"),
        ..Tally::default()
    };
    tally.print();
}

#[test]
fn clean_programs_left_early_run_as_on_the_interpreter() {
    needs!("vulkan");
    run(Kind::Clean, 1000);
}

#[test]
fn wild_programs_left_early_run_as_on_the_interpreter() {
    needs!("vulkan");
    run(Kind::Wild, 1000);
}
