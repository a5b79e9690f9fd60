//! Random programs on a driver: unchanged SPIR-V and what naga writes have the results of the
//! interpreter, bit for bit.

use transpica::host::{IntPacking, RegisterLayout};
use transpica::settings::{Arithmetic, Assume, Block, Control, Layout, Promise, UndefinedValue, VertexInput};
use transpica::{Options, Precision};
use transpica_gpu::compare::Verdict;
use transpica_gpu::{Gpu, Route};
use transpica_proof::daily;
use transpica_proof::generate::{Kind, generate};
use transpica_proof::tally::Tally;

use crate::random;

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares one random program on one route.
fn compare_seed(gpu: &Gpu, kind: Kind, seed: u64, precision: Precision, route: Route) -> Verdict {
    let verdict = random::compare(gpu, &generate(kind, seed), precision, route);
    verdict.unwrap_or_else(|error| panic!("{kind:?} seed {seed} {}: {error}", route.name()))
}

/// Replaces an instruction whose last bits are the driver's in `fast` by one of the same format:
/// sums for dot products and choices, copies for functions of one operand.
fn with_defined_bits(word: u32) -> u32 {
    let opcode = match word >> 26 {
        // DP3, DP4, DPH; MAX, MIN: ADD.
        0x01..=0x03 | 0x0C | 0x0D => 0x00,
        // EX2, LG2, LITP, RCP, RSQ: MOV.
        0x05..=0x07 | 0x0E | 0x0F => 0x13,
        // DPHI: DSTI.
        0x18 => 0x19,
        other => other,
    };
    word & 0x03FF_FFFF | opcode << 26
}

/// Compares programs of a kind on several routes. A program that differs is shrunk and printed with
/// its state.
fn run(kind: Kind, seeds: std::ops::Range<u64>, precision: Precision, routes: &[Route]) {
    let gpu = gpu();
    let names: Vec<&str> = routes.iter().map(|route| route.name()).collect();
    let stage = format!("{} on {}: {kind:?} {precision:?}", names.join(", "), gpu.name());
    let all = seeds.end - seeds.start;
    let programs = daily::cases(&stage, all.div_ceil(8), all);
    let (mut silent, mut total) = (0, Verdict::default());
    for seed in seeds.take(programs as usize) {
        for &route in routes {
            let mut generated = generate(kind, seed);
            if precision == Precision::Fast {
                generated.code.iter_mut().for_each(|word| *word = with_defined_bits(*word));
            }
            let verdict = random::prove(&gpu, &generated, precision, route);
            let verdict = verdict.unwrap_or_else(|report| panic!("{report}"));
            silent += usize::from(verdict.values == 0);
            total.add(&verdict);
        }
    }
    let Verdict { vertices, values, .. } = total;
    assert!(
        values > 0 && silent < programs as usize * routes.len(),
        "{stage}: {silent} of {programs} silent"
    );
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
fn clean_programs_run_as_on_the_interpreter() {
    needs!("vulkan");
    run(Kind::Clean, 0..400, Precision::Exact, &[Route::Passthrough]);
}

#[test]
fn wild_programs_run_as_on_the_interpreter() {
    needs!("vulkan");
    run(Kind::Wild, 0..200, Precision::Exact, &[Route::Passthrough]);
}

#[test]
fn special_values_run_as_on_the_interpreter() {
    needs!("vulkan");
    run(Kind::Numeric, 0..100, Precision::Exact, &[Route::Passthrough]);
}

#[test]
fn float24_programs_run_as_on_the_interpreter() {
    needs!("vulkan");
    run(Kind::Clean, 0..60, Precision::F24, &[Route::Passthrough]);
    run(Kind::Wild, 0..40, Precision::F24, &[Route::Passthrough]);
    run(Kind::Numeric, 60..100, Precision::F24, &[Route::Passthrough]);
}

/// Compares programs that rely on promises on numbers that keep them.
fn run_promised(
    gpu: &Gpu,
    promised: (Assume, [Promise; 16]),
    precision: Precision,
    route: Route,
    seeds: std::ops::Range<u64>,
) {
    let (assume, promises) = promised;
    let input = VertexInput { promises, ..VertexInput::default() };
    let mut total = Verdict::default();
    let programs = Kind::ALL.into_iter().flat_map(|kind| seeds.clone().map(move |seed| (kind, seed)));
    let what = format!("programs with promises, {precision:?} {}", route.name());
    for (kind, seed) in daily::some(&what, 5, programs.collect()) {
        let options = Options { assume, input, ..random::options(precision) };
        let verdict = random::compare_with(gpu, &generate(kind, seed), options, route);
        let name = format!("{promised:?} {precision:?} {kind:?} {seed} {}", route.name());
        let verdict = verdict.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(verdict.passed(), "{name}: {:?}", verdict.first);
        total.add(&verdict);
    }
    assert!(total.values > 0, "{promised:?} {}: {total:?}", route.name());
}

/// Guards that promises drop are dropped in the modules that drivers compile, too.
#[test]
fn programs_with_promises_run_as_on_the_interpreter() {
    needs!("vulkan");
    let gpu = gpu();
    let (none, not_nan, finite) = (Promise::Nothing, Promise::NotNan, Promise::FINITE);
    let all = |promise, results| (Assume { uniforms: promise, results }, [promise; 16]);
    let mut uneven = all(Promise::Below(20), none);
    uneven.1[..8].fill(none);
    for promised in [
        all(not_nan, none),
        all(finite, none),
        all(Promise::Below(20), none),
        all(none, not_nan),
        all(finite, finite),
        uneven,
        (Assume { uniforms: finite, ..Assume::default() }, [none; 16]),
    ] {
        run_promised(&gpu, promised, Precision::Exact, Route::Passthrough, 700..715);
        run_promised(&gpu, promised, Precision::Exact, Route::Wgsl, 700..710);
        run_promised(&gpu, promised, Precision::F24, Route::Passthrough, 715..720);
    }
}

#[test]
fn routes_through_naga_are_bit_equal_with_the_decorations_that_it_drops() {
    needs!("vulkan");
    run(Kind::Clean, 500..560, Precision::Exact, &[Route::SpirvNaga, Route::Wgsl]);
    run(Kind::Wild, 500..520, Precision::Exact, &[Route::Wgsl]);
    run(Kind::Numeric, 500..520, Precision::Exact, &[Route::Wgsl]);
    // An infinite register minus itself.
    run(Kind::Numeric, 8_589_934_592..8_589_934_593, Precision::Exact, &[Route::Wgsl]);
}

#[test]
fn every_layout_and_a_guard_against_endless_loops_run_as_on_the_interpreter() {
    needs!("vulkan");
    let gpu = gpu();
    let layout = RegisterLayout { floats: 64, ints: 32, packing: IntPacking::Bytes, bools: 20 };
    let mut vertices = 0;
    let programs = daily::cases("programs in the layouts of hosts", 4, 12);
    for layout in [Layout::Azahar, Layout::Panda3ds, Layout::Custom(layout)] {
        for (kind, seeds) in [(Kind::Clean, 700..700 + programs), (Kind::Wild, 700..700 + programs)] {
            for seed in seeds {
                let options = Options {
                    block: Block { layout, ..Block::default() },
                    control: Control { loop_guard: Some(9), ..Control::default() },
                    ..random::options(Precision::Exact)
                };
                let options = Options {
                    arithmetic: Arithmetic { uninitialized: UndefinedValue::Zero, ..options.arithmetic },
                    ..options
                };
                let routes: &[Route] = match kind {
                    Kind::Clean => &[Route::Passthrough, Route::Wgsl],
                    Kind::Wild | Kind::Numeric => &[Route::Passthrough],
                };
                for &route in routes {
                    let verdict = random::compare_with(&gpu, &generate(kind, seed), options, route)
                        .unwrap_or_else(|error| panic!("{kind:?} seed {seed} {layout:?}: {error}"));
                    assert!(verdict.passed(), "{kind:?} {seed} {layout:?}: {:?}", verdict.first);
                    vertices += verdict.vertices;
                }
            }
        }
    }
    println!("{vertices} vertices on {}: 0 differ", gpu.name());
    assert!(vertices > 2000, "{vertices}");
}

#[test]
fn a_constant_zero_stays_a_factor() {
    needs!("vulkan");
    // The program multiplies NaN by `slt(x, 0)` where x is the result of an SGE. A driver that
    // proves that the comparison never holds folds it to a constant 0, and then folds 0 * NaN to 0,
    // even under NoContraction. `simplify` proves it first.
    let verdict = compare_seed(&gpu(), Kind::Clean, 168, Precision::Exact, Route::Passthrough);
    assert!(verdict.passed(), "{:?}", verdict.first);
}

#[test]
fn a_zero_known_from_control_flow_stays_a_factor() {
    needs!("vulkan");
    // Wild 879: the first value of a loop parameter is the constant 0, and a driver computes the
    // first iteration's product in front of the loop. Clean 1982: every exit of a loop returns the
    // constant 0. Both zeros are hidden.
    let gpu = gpu();
    for (kind, seed) in [(Kind::Wild, 879), (Kind::Clean, 1982)] {
        let verdict = compare_seed(&gpu, kind, seed, Precision::Exact, Route::Passthrough);
        assert!(verdict.passed(), "{kind:?} {seed}: {:?}", verdict.first);
    }
}

#[test]
fn fast_programs_run_as_on_the_interpreter_where_their_bits_are_defined() {
    needs!("vulkan");
    run(Kind::Clean, 0..40, Precision::Fast, &[Route::Passthrough]);
    run(Kind::Clean, 40..50, Precision::Fast, &[Route::Wgsl]);
}
