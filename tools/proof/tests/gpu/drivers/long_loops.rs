//! Long loops: where drivers leave them (drivers.md#loop-countdown), and that no wrong value passes
//! for a result.

use std::path::Path;

use transpica::geometry::{Dependence, Topology};
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::{Registers as State, Uniforms};
use transpica::settings::{Block, Control, Layout};
use transpica::{Job, Machine, Options, Shbin, Stage, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_gpu::compare::{self, Case, CompareError, uniform_bytes};
use transpica_gpu::geometry::GeometryChain;
use transpica_gpu::{Gpu, GpuError, Registers, Route, run_compute};
use transpica_proof::generate::{Kind, generate};
use transpica_proof::scenes;
use transpica_proof::unnamed::BARE;

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

/// Calls a check with a case whose vertices have the v0.x of `chosen`, of a program of
/// `tests/cases/long_loops`.
fn with_case<T>(name: &str, chosen: &[f32], check: impl FnOnce(&Case<'_>) -> T) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/long_loops").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let bytes = assemble(&[SourceText { name, text: &text }]).unwrap_or_else(|error| panic!("{error}")).bytes;
    let file = Shbin::parse(&bytes).expect("well formed");
    let options = Options::default();
    let program = dvle::program(&file, 0, &options.limits).expect("a vertex program");
    let environment = FileEnvironment::new(&file, 0, name).expect("there");
    let mut uniforms = Uniforms::default();
    environment.constants().apply(&mut uniforms);
    let mut inputs = vec![State::DEFAULT_INPUTS; chosen.len()];
    inputs.iter_mut().zip(chosen).for_each(|(vertex, &x)| vertex[0][0] = x);
    let (program, environment, uniforms, inputs) = (&program, &environment, &uniforms, &inputs[..]);
    check(&Case { program, environment, uniforms, inputs, options, budget: 1 << 24 })
}

fn bits(inputs: &[[[f32; 4]; 16]]) -> Vec<Registers> {
    inputs.iter().map(|vertex| vertex.map(|register| register.map(f32::to_bits))).collect()
}

/// o0.x of each vertex on the interpreter.
fn expected(case: &Case<'_>) -> Vec<f32> {
    let mut machine = Machine::new(case.program, case.options.settings(case.budget)).expect("vertex");
    machine.set_uniforms(case.uniforms);
    case.inputs.iter().map(|inputs| machine.run(inputs).expect("ends")[0][0]).collect()
}

/// o0.x of each vertex on the GPU.
fn found(gpu: &Gpu, case: &Case<'_>, route: Route) -> Vec<f32> {
    let mut translator = Translator::new(case.options, gpu.profile(route));
    let translated = translator.translate(case.program, case.environment, Job::Compute).expect("translated");
    let shader = compare::shader(gpu, &mut translator, &translated, route).expect("written");
    let uniforms = uniform_bytes(&translated, case.uniforms);
    let found = run_compute(gpu, shader, &uniforms, &bits(case.inputs)).expect("runs");
    found.iter().map(|registers| f32::from_bits(registers[0][0])).collect()
}

#[test]
fn a_driver_that_cuts_loops_short_gives_wrong_results_and_comparisons_say_so() {
    needs!("vulkan");
    // Driver behavior, asserted so that its end is noticed.
    let gpu = gpu();
    let cuts = gpu.facts().loop_rounds;
    for (name, chosen) in [
        ("loop_total.pica", &[0.0; 3][..]),
        ("loop_total_nested.pica", &[0.0; 3]),
        ("long_way.pica", &[0.0; 3]),
        // Vertices that run together share the count.
        ("unshared.pica", &[0.0, 1.0, 0.0]),
        // A loop that no vertex enters counts as one iteration.
        ("untaken.pica", &[0.0; 3]),
    ] {
        with_case(name, chosen, |case| {
            let expected = expected(case);
            for route in Route::ALL {
                let found = found(&gpu, case, route);
                assert_eq!(expected != found, cuts.is_some(), "{name} on {}: {found:?}", route.name());
            }
            match (cuts, compare::compare(&gpu, case, Route::Passthrough)) {
                (None, Ok(verdict)) => assert!(verdict.passed() && verdict.values > 0, "{name}: {verdict:?}"),
                (Some(rounds), Err(CompareError::Gpu(error))) => {
                    assert_eq!(error, GpuError::TooLong { invocations: 3, of: 3, rounds }, "{name}");
                    assert!(error.hint().is_some_and(|hint| hint.contains("--adapter")), "{error}");
                }
                (_, other) => panic!("{name}: {other:?}"),
            }
        });
    }
}

#[test]
fn loops_below_the_limit_of_a_driver_run_to_their_end() {
    needs!("vulkan");
    let gpu = gpu();
    for (name, chosen) in [("loop_few.pica", &[0.0; 3][..]), ("unshared.pica", &[1.0; 3])] {
        with_case(name, chosen, |case| {
            for route in Route::ALL {
                assert_eq!(expected(case), found(&gpu, case, route), "{name} on {}", route.name());
            }
        });
    }
}

#[test]
fn guarded_programs_end_as_on_the_interpreter() {
    needs!("vulkan");
    let gpu = gpu();
    let (mut vertices, mut values) = (0, 0);
    for seed in 9_000..9_030 {
        let generated = generate(Kind::Wild, seed);
        let program = generated.program();
        let (uniforms, inputs) = (generated.uniforms(), generated.inputs(32));
        let options = Options {
            control: Control { loop_guard: Some(seed as u32 % 4), ..Control::default() },
            block: Block { layout: Layout::Registers, ..Block::default() },
            ..Options::default()
        };
        let (uniforms, inputs) = (&uniforms, &inputs[..]);
        let case = Case { program: &program, environment: &*BARE, uniforms, inputs, options, budget: 2000 };
        let verdict = compare::compare(&gpu, &case, Route::Passthrough).expect("compared");
        assert!(verdict.passed(), "{seed}: {verdict:?}");
        (vertices, values) = (vertices + verdict.vertices, values + verdict.values);
    }
    println!("{vertices} vertices with a guard, {values} values on {}", gpu.name());
    assert!(vertices > 500 && values > 5_000, "{vertices} vertices, {values} values");
}

/// Draws the sample whose carried state is unbounded, with this number of invocations and of petals
/// for each, twice in a row.
fn flowers(gpu: &Gpu, invocations: usize, petals: u8, route: Route) -> Result<(), CompareError> {
    let scenes = scenes::list();
    let scene = scenes.iter().find(|scene| scene.name == "counter").expect("the scene");
    let file = scene.file().expect("a sample");
    let options = Options::default();
    let mut chain = GeometryChain::from_file(gpu, &file, [0, 1], scene.stride, &options, route)?;
    assert_eq!(chain.kernel().dependence, Dependence::Unbounded);
    let mut pipeline = scene.pipeline(&options).expect("a sample");
    for stage in [Stage::Vertex, Stage::Geometry] {
        let mut uniforms = scene.uniforms(stage).expect("a sample");
        uniforms.ints[0] = [petals - 1, 0, 0, 0];
        chain.set_uniforms(stage, &uniforms);
        pipeline.set_uniforms(stage, &uniforms);
    }
    for topology in [Topology::Geometry, Topology::List] {
        chain.set_topology(topology);
        pipeline.set_topology(topology);
        let vertices = vec![scene.vertices[0]; invocations];
        let expected = pipeline.draw(&vertices, None).expect("drawn");
        let drawn = chain.draw(&bits(&vertices), None)?;
        let expected: Vec<[u32; 4]> =
            expected.triangles().flatten().flatten().map(|vector| vector.map(f32::to_bits)).collect();
        let found = drawn.read(gpu).expect("read");
        let what = format!("{invocations} invocations, {petals} petals, {topology:?}");
        assert_eq!((drawn.invocations as usize, found.len()), (invocations, expected.len()), "{what}");
        let wrong = expected.iter().zip(&found).position(|(expected, found)| expected != found);
        assert_eq!(wrong, None, "{what}: {} vectors", found.len());
    }
    Ok(())
}

#[test]
fn one_thread_draws_thousands_of_invocations() {
    needs!("vulkan");
    // 5,000 invocations with 20 iterations of a loop each, plus one of the invocation loop: 105,000
    // in one thread.
    flowers(&gpu(), 5000, 20, Route::Passthrough).expect("drawn");
}

#[test]
fn one_thread_draws_hundreds_of_long_invocations() {
    needs!("vulkan");
    flowers(&gpu(), 700, 255, Route::Passthrough).expect("drawn");
    flowers(&gpu(), 700, 255, Route::Wgsl).expect("drawn");
}
