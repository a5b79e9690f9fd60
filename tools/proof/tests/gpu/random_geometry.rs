//! Random geometry programs on the GPU produce the triangles of the library's CPU pipeline, bit for
//! bit: every mode, topology and kind of carried state, two draws in a row.

use std::collections::BTreeMap;
use std::ops::Range;

use transpica::interp::Uniforms;
use transpica::settings::{Arithmetic, Assume, Block, Layout, Promise};
use transpica::{Options, Precision, Stage};
use transpica_draw::cpu::Pipeline;
use transpica_gpu::compare::Verdict;
use transpica_gpu::geometry::{EmitCase, GeometryChain, InvocationInput, compare_emits};
use transpica_gpu::{Gpu, Registers, Route};
use transpica_inspect::promises;
use transpica_proof::daily;
use transpica_proof::generate::{self, GeneratedGeometry, generate_geometry};
use transpica_proof::tally::Tally;

use transpica_proof::unnamed::BARE;

/// Statistics of a comparison.
#[derive(Default)]
struct Statistics {
    triangles: u64,
    values: u64,
    /// Number of translated programs by kind of carried state.
    dependence: BTreeMap<String, u32>,
}

fn options(precision: Precision) -> Options {
    Options {
        arithmetic: Arithmetic { precision, ..Arithmetic::default() },
        block: Block { layout: Layout::Registers, ..Block::default() },
        ..Options::default()
    }
}

/// Returns whether an exact route may produce this word: any NaN for a NaN, any zero for a zero.
fn equal(expected: u32, found: u32) -> bool {
    let (a, b) = (f32::from_bits(expected), f32::from_bits(found));
    expected == found || a.is_nan() && b.is_nan() || a == 0.0 && b == 0.0
}

/// Draws on both and describes the first difference.
fn compare(
    gpu: &Gpu,
    generated: &GeneratedGeometry,
    precision: Precision,
    compared: &mut Statistics,
) -> Result<(), String> {
    let (options, route) = (options(precision), Route::Passthrough);
    let (vertex, geometry) = (generated.vertex(), generated.geometry());
    let pipeline = Pipeline::new(&vertex, Some(&geometry), generated.setup, &options);
    let mut pipeline = pipeline.map_err(|error| error.to_string())?;
    // This proves the reference machines; `batch_geometry.rs` proves batches.
    pipeline.one_by_one();
    let chain =
        GeometryChain::new(gpu, [&vertex, &geometry], [&*BARE, &*BARE], &generated.setup, &options, route);
    let mut chain = chain.map_err(|error| error.to_string())?;
    let dependence = format!("{:?}", chain.kernel().dependence);
    *compared.dependence.entry(dependence).or_default() += 1;
    for (number, draw) in generated.draws.iter().enumerate() {
        let uniforms = draw.uniforms.iter().flatten();
        for (stage, uniforms) in [Stage::Vertex, Stage::Geometry].into_iter().zip(uniforms) {
            pipeline.set_uniforms(stage, uniforms);
            chain.set_uniforms(stage, uniforms);
        }
        let expected =
            pipeline.draw(&draw.vertices, draw.indices.as_deref()).map_err(|error| error.to_string())?;
        let bits =
            |vertex: &[[f32; 4]; 16]| -> Registers { vertex.map(|register| register.map(f32::to_bits)) };
        let vertices: Vec<Registers> = draw.vertices.iter().map(bits).collect();
        let drawn = chain.draw(&vertices, draw.indices.as_deref()).map_err(|error| error.to_string())?;
        let found = drawn.read(gpu).map_err(|error| error.to_string())?;
        let triangles = expected.triangles().len();
        let expected: Vec<[f32; 4]> = expected.triangles().flatten().flatten().copied().collect();
        if expected.len() != found.len() {
            return Err(format!("draw {number}: {triangles} triangles, GPU {}", drawn.triangles()));
        }
        for (place, (expected, found)) in expected.iter().zip(&found).enumerate() {
            let bits = expected.map(f32::to_bits);
            if !bits.iter().zip(found).all(|(&expected, &found)| equal(expected, found)) {
                let found = found.map(f32::from_bits);
                return Err(format!("draw {number}, vector {place}: {expected:?}, GPU {found:?}"));
            }
        }
        compared.triangles += triangles as u64;
        compared.values += 4 * found.len() as u64;
    }
    Ok(())
}

/// Invocations of a program whose EMITs are compared.
const INVOCATIONS: usize = 8;
const BUDGET: u64 = 20_000;

/// A program whose carried state only the driver may get wrong.
const OF_A_LATER_ROUND: u64 = 896;

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

fn run(seeds: Range<u64>, precision: Precision) {
    let gpu = gpu();
    let mut compared = Statistics::default();
    let stage = format!("{} on {}: geometry programs {precision:?}", Route::Passthrough.name(), gpu.name());
    let all = seeds.end - seeds.start;
    let programs = daily::cases(&format!("{stage} from {}", seeds.start), all.div_ceil(20).max(8), all);
    let mut wrong = Vec::new();
    for seed in seeds.take(programs as usize) {
        let generated = generate_geometry(seed);
        if let Err(what) = compare(&gpu, &generated, precision, &mut compared) {
            wrong.push(format!("seed {seed} ({:?}): {what}", generated.dependence));
        }
    }
    let Statistics { triangles, values, dependence } = &compared;
    let tally = Tally {
        stage,
        programs,
        differing: wrong.len() as u64,
        note: format!("{triangles} triangles, {values} values bit for bit; dependence {dependence:?}"),
        ..Tally::default()
    };
    tally.print();
    assert!(wrong.is_empty(), "{} of {programs} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(*triangles > 50 * programs, "{triangles}");
    for wanted in ["None", "Depth", "Unbounded"] {
        let of_kind = dependence.iter().filter(|(name, _)| name.starts_with(wanted));
        let count: u32 = of_kind.map(|(_, count)| count).sum();
        assert!(u64::from(count) > programs / 10, "{wanted}: {dependence:?}");
    }
}

// More than a thousand programs, in parts that run in parallel: the driver's compiler takes most of
// the time.

#[test]
fn random_geometry_programs_from_0_draw_as_on_the_interpreter() {
    needs!("vulkan");
    run(0..260, Precision::Exact);
}

#[test]
fn random_geometry_programs_from_260_draw_as_on_the_interpreter() {
    needs!("vulkan");
    run(260..520, Precision::Exact);
}

#[test]
fn random_geometry_programs_from_520_draw_as_on_the_interpreter() {
    needs!("vulkan");
    run(520..780, Precision::Exact);
}

#[test]
fn random_geometry_programs_from_780_draw_as_on_the_interpreter() {
    needs!("vulkan");
    run(780..1_040, Precision::Exact);
}

#[test]
fn float24_geometry_programs_draw_as_on_the_interpreter() {
    needs!("vulkan");
    run(1_040..1_070, Precision::F24);
}

#[test]
fn every_emit_is_that_of_the_interpreter() {
    needs!("vulkan");
    let gpu = gpu();
    let mut total = Verdict::default();
    let (exact, f24) = (Precision::Exact, Precision::F24);
    let seeds = [
        (exact, Promise::Nothing, 0..6),
        (f24, Promise::Nothing, 0..6),
        (exact, Promise::FINITE, 6..12),
        (exact, Promise::Below(20), 12..18),
        (f24, Promise::Below(20), 18..20),
    ]
    .into_iter()
    .flat_map(|(precision, promise, seeds)| seeds.map(move |seed| (precision, promise, seed)));
    for (precision, promise, seed) in daily::some("programs whose EMITs are compared", 3, seeds.collect()) {
        let generated = generate_geometry(seed);
        let assume = Assume { uniforms: promise, ..Assume::default() };
        let options = Options { assume, ..options(precision) };
        let keeping = |mut uniforms: Uniforms| {
            promises::keep(&options, &mut uniforms, &mut []);
            uniforms
        };
        let uniforms = keeping(generate::uniforms(seed));
        let bits = |vector: [f32; 4]| vector.map(f32::to_bits);
        let given = |(seed, inputs): (u64, [[f32; 4]; 16])| InvocationInput {
            inputs: inputs.map(bits),
            floats: keeping(generate::uniforms(seed)).floats.map(bits),
        };
        let given: Vec<InvocationInput> = (0..).zip(generate::inputs(seed, INVOCATIONS)).map(given).collect();
        let case = EmitCase {
            program: &generated.geometry(),
            environment: &*BARE,
            outputs: 0xFF,
            uniforms: &uniforms,
            given: &given,
            options,
            budget: BUDGET,
        };
        let verdict = compare_emits(&gpu, &case, Route::Passthrough);
        let verdict =
            verdict.unwrap_or_else(|error| panic!("{precision:?} {promise:?} seed {seed}: {error}"));
        assert!(verdict.passed(), "{precision:?} {promise:?} seed {seed}: {:?}", verdict.first);
        total.add(&verdict);
    }
    println!("{} EMITs, {} values on {}: 0 differ", total.vertices, total.values, gpu.name());
    assert!(total.vertices > 200, "{total:?}");
}

#[test]
fn state_after_a_draw_is_that_of_its_last_round() {
    needs!("vulkan");
    // The first draw's invocations are split between two threads, and the output banks swap in each
    // iteration. lavapipe keeps computing for threads that have left, so the last thread's state
    // would be one iteration too far if it had fewer iterations than its neighbor.
    let gpu = gpu();
    let generated = generate_geometry(OF_A_LATER_ROUND);
    let result = compare(&gpu, &generated, Precision::Exact, &mut Statistics::default());
    result.expect("the same triangles");
}
