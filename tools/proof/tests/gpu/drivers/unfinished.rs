//! Invocations that are cut short: the behavior of drivers on long loops, the reports of programs,
//! and that no wrong value passes for a result.

use std::path::Path;

use transpica::geometry::{Dependence, Topology};
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::{Registers as State, Settings, Uniforms};
use transpica::settings::{Arithmetic, Block, Control, Layout};
use transpica::{Job, Machine, Options, Profile, Program, Shbin, Stage};
use transpica_asm::{SourceText, assemble};

use transpica::{Translation, Translator};
use transpica_draw::cpu::Pipeline;
use transpica_draw::gpu::ScanResult;
use transpica_gpu::compare::{self, Case, CompareError, uniform_bytes};
use transpica_gpu::driver::Subnormals;
use transpica_gpu::geometry::GeometryChain;
use transpica_gpu::{Gpu, GpuError, Reason, Registers, Route, run_compute, run_reported, unfinished};
use transpica_proof::generate::{Kind, generate};
use transpica_proof::scenes;

use transpica_proof::unnamed::BARE;

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads the text of a program of `tests/cases/unfinished`.
fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/unfinished").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Assembles a program of `tests/cases/unfinished` into a file.
fn assembled(name: &str) -> Vec<u8> {
    let text = source(name);
    assemble(&[SourceText { name, text: &text }]).unwrap_or_else(|error| panic!("{error}")).bytes
}

/// Calls a check with a case whose vertices have the v0.x of `chosen`.
fn with_case<T>(name: &str, chosen: &[f32], check: impl FnOnce(&Case<'_>) -> T) -> T {
    let bytes = assembled(name);
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

fn translate(case: &Case<'_>, options: Options) -> (Translator, Translation) {
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(case.program, case.environment, Job::Compute).expect("translated");
    (translator, translated)
}

/// o0.x of each vertex on the interpreter.
fn expected(case: &Case<'_>) -> Vec<f32> {
    let mut machine = Machine::new(case.program, case.options.settings(case.budget)).expect("vertex");
    machine.set_uniforms(case.uniforms);
    case.inputs.iter().map(|inputs| machine.run(inputs).expect("ends")[0][0]).collect()
}

/// o0.x of each vertex on the GPU, and the report of loops that the driver left.
fn found(gpu: &Gpu, case: &Case<'_>, route: Route) -> (Vec<f32>, Vec<bool>) {
    let (mut translator, translated) = translate(case, case.options);
    let shader = compare::shader(&mut translator, &translated, route).expect("written");
    let uniforms = uniform_bytes(&translated, case.uniforms);
    let vertices = bits(case.inputs);
    let found = run_compute(gpu, shader, &uniforms, &vertices).expect("runs");
    let (mut translator, translated) = translate(
        case,
        Options { control: Control { report_unfinished: true, ..case.options.control }, ..case.options },
    );
    let shader = compare::shader(&mut translator, &translated, route).expect("written");
    let reported = run_reported(gpu, shader, &uniforms, &vertices).expect("runs");
    // In which round a driver leaves a loop may differ between two modules.
    let mut pairs = found.iter().zip(&reported);
    let same = pairs.all(|(found, (registers, end))| end.driver_left || found == registers);
    assert!(same, "reports change results on {}", route.name());
    assert!(reported.iter().all(|(_, end)| !end.guard_fired), "there is no guard");
    let found = found.iter().map(|registers| f32::from_bits(registers[0][0])).collect();
    (found, reported.iter().map(|(_, end)| end.driver_left).collect())
}

/// Runs a program on the interpreter and on every route, and checks both results and the reports.
fn on_every_route(name: &str, chosen: &[f32], check: impl Fn(&[f32], &[f32], &[bool], &str)) {
    let gpu = gpu();
    with_case(name, chosen, |case| {
        let expected = expected(case);
        for route in Route::ALL {
            let (found, reported) = found(&gpu, case, route);
            let what = format!("{name} on {}: {expected:?}, GPU {found:?}, {reported:?}", route.name());
            check(&expected, &found, &reported, &what);
        }
    });
}

#[test]
fn loops_that_a_driver_cuts_short_are_reported_on_every_route() {
    needs!("vulkan");
    // Driver behavior, asserted so that its end is noticed.
    let cuts = gpu().facts().loop_rounds.is_some();
    for (name, chosen) in [
        ("loop_total.pica", &[0.0; 3][..]),
        ("loop_total_nested.pica", &[0.0; 3]),
        ("long_way.pica", &[0.0; 3]),
        // Vertices that run together share the count.
        ("unshared.pica", &[0.0, 1.0, 0.0]),
        // A loop that no vertex enters counts as one iteration.
        ("untaken.pica", &[0.0; 3]),
    ] {
        on_every_route(name, chosen, |expected, found, reported, what| {
            assert_eq!(expected != found, cuts, "{what}");
            // A vertex in the same group as one that was cut short may still have the right result.
            let wrong = expected.iter().zip(found).map(|(expected, found)| expected != found);
            assert!(wrong.zip(reported).all(|(wrong, &reported)| reported || !wrong), "{what}");
            assert_eq!(reported.contains(&true), cuts, "{what}");
        });
    }
}

#[test]
fn complete_runs_are_not_reported() {
    needs!("vulkan");
    for (name, chosen) in [("loop_few.pica", &[0.0; 3][..]), ("unshared.pica", &[1.0; 3])] {
        on_every_route(name, chosen, |expected, found, reported, what| {
            assert!(expected == found && !reported.contains(&true), "{what}");
        });
    }
}

#[test]
fn a_comparison_of_a_cut_loop_is_an_error_with_the_reason() {
    needs!("vulkan");
    let gpu = gpu();
    for name in ["loop_total.pica", "loop_total_nested.pica", "long_way.pica"] {
        let result = with_case(name, &[0.0; 3], |case| compare::compare(&gpu, case, Route::Passthrough));
        match (gpu.facts().loop_rounds, result) {
            (None, Ok(verdict)) => assert!(verdict.passed() && verdict.values > 0, "{name}: {verdict:?}"),
            (Some(rounds), Err(CompareError::Gpu(error))) => {
                let reason = Reason::Driver(Some(rounds));
                assert_eq!(error, GpuError::Unfinished { invocations: 3, of: 3, reason }, "{name}");
                assert!(error.to_string().contains("65535 iterations of all loops together"), "{error}");
                assert!(error.hint().is_some_and(|hint| hint.contains("--adapter")), "{error}");
            }
            (_, other) => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_program_without_end_is_reported() {
    needs!("vulkan");
    // Detected by the report on a driver that leaves loops, and by the guard on any other.
    let gpu = gpu();
    let check = |case: &Case<'_>| {
        unfinished::check(&gpu, &Case { budget: 1000, ..*case }, Route::Passthrough, &bits(case.inputs))
    };
    let Err(CompareError::Gpu(GpuError::Unfinished { invocations, of, reason })) =
        with_case("endless.pica", &[0.0; 3], check)
    else {
        panic!("the program has no end");
    };
    let expected = gpu.facts().loop_rounds.map_or(Reason::Guard(1000), |rounds| Reason::Driver(Some(rounds)));
    assert_eq!((invocations, of, reason), (3, 3, expected));
}

/// Runs a program with a guard and reports on interpreter and GPU; returns the number of vertices
/// that the guard ended.
fn guarded(gpu: &Gpu, program: &Program<'_>, case: &Case<'_>, route: Route) -> usize {
    let flush_subnormals = gpu.facts().subnormals == Subnormals::Flushed;
    let settings = Settings { flush_subnormals, ..case.options.settings(case.budget) };
    let mut machine = Machine::new(program, settings).expect("vertex");
    machine.set_uniforms(case.uniforms);
    let mut stopped = Vec::new();
    let mut kept = Vec::new();
    for inputs in case.inputs {
        if machine.run(inputs).is_ok() {
            stopped.push(machine.is_stopped());
            kept.push(*inputs);
        }
    }
    let (mut translator, translated) = translate(case, case.options);
    let shader = compare::shader(&mut translator, &translated, route).expect("written");
    let uniforms = uniform_bytes(&translated, case.uniforms);
    let reported = run_reported(gpu, shader, &uniforms, &bits(&kept)).expect("runs");
    let found: Vec<bool> = reported.iter().map(|(_, end)| end.guard_fired).collect();
    assert!(reported.iter().all(|(_, end)| !end.driver_left));
    // EX2 and LG2 are portable, so the guard fires on the same vertices.
    assert_eq!(found, stopped, "{}", route.name());
    stopped.iter().filter(|&&stopped| stopped).count()
}

#[test]
fn the_guard_reports_as_the_interpreter_does() {
    needs!("vulkan");
    let gpu = gpu();
    let (mut fired, mut vertices) = (0, 0);
    for seed in 9_000..9_030 {
        let generated = generate(Kind::Wild, seed);
        let program = generated.program();
        let (uniforms, inputs) = (generated.uniforms(), generated.inputs(32));
        let options = Options {
            control: Control {
                loop_guard: Some(seed as u32 % 4),
                report_unfinished: true,
                ..Control::default()
            },
            arithmetic: Arithmetic { portable_exponentials: true, ..Arithmetic::default() },
            block: Block { layout: Layout::Registers, ..Block::default() },
            ..Options::default()
        };
        let (uniforms, inputs) = (&uniforms, &inputs[..]);
        let case = Case { program: &program, environment: &*BARE, uniforms, inputs, options, budget: 2000 };
        let routes: &[Route] = if seed % 8 == 0 { &Route::ALL } else { &[Route::Passthrough] };
        for &route in routes {
            fired += guarded(&gpu, &program, &case, route);
            vertices += inputs.len();
        }
    }
    println!("the guard ended {fired} of {vertices} vertices on {}", gpu.name());
    assert!(fired > 100 && fired < vertices / 2, "{fired} of {vertices}");
}

/// Builds a chain and a pipeline of a vertex and a geometry program of `tests/cases/unfinished`,
/// with the same options.
fn pair(
    gpu: &Gpu,
    [vertex, geometry]: [&str; 2],
    options: &Options,
    draw: impl FnOnce(&mut GeometryChain<'_>, &mut Pipeline),
) {
    let texts = [vertex, geometry].map(source);
    let sources = [vertex, geometry].map(|name| name.to_string());
    let sources: Vec<SourceText<'_>> =
        sources.iter().zip(&texts).map(|(name, text)| SourceText { name, text }).collect();
    let bytes = assemble(&sources).unwrap_or_else(|error| panic!("{error}")).bytes;
    let file = Shbin::parse(&bytes).expect("well formed");
    let chain = GeometryChain::from_file(gpu, &file, [0, 1], None, options, Route::Passthrough);
    let pipeline = Pipeline::from_file(&file, 0, Some(1), None, options);
    draw(&mut chain.expect("a chain"), &mut pipeline.expect("a pipeline"));
}

/// Vertices with these values of v0.x.
fn rounds(rounds: &[f32]) -> Vec<[[f32; 4]; 16]> {
    let vertex =
        |&x: &f32| std::array::from_fn(|register| [if register == 0 { x } else { 0.0 }, 0.0, 0.0, 1.0]);
    rounds.iter().map(vertex).collect()
}

#[test]
fn a_draw_reports_that_the_guard_fired() {
    needs!("vulkan");
    let gpu = gpu();
    let options =
        Options { control: Control { loop_guard: Some(9), ..Control::default() }, ..Options::default() };
    for (name, dependence) in
        [("rounds.g.pica", Dependence::None), ("rounds_sum.g.pica", Dependence::Unbounded)]
    {
        pair(&gpu, ["rounds.v.pica", name], &options, |chain, pipeline| {
            assert_eq!(chain.kernel().dependence, dependence, "{name}");
            for (numbers, fired) in
                [(&[1.0, 3.0, 10.0][..], 0), (&[11.0, 2.0, 1.0], 1), (&[1.0, 5.0, 3.0], 0)]
            {
                let vertices = rounds(numbers);
                let expected = pipeline.draw(&vertices, None).expect("drawn").triangles().len();
                let drawn = chain.draw(&bits(&vertices), None).expect("drawn");
                let expected_here = (3 - fired, fired as u32 * ScanResult::GUARD_FIRED);
                assert_eq!(expected, 3 - fired, "{name} {numbers:?}");
                assert_eq!((drawn.triangles() as usize, drawn.found.unfinished), expected_here, "{name}");
            }
        });
    }
}

#[test]
fn a_draw_that_no_split_completes_is_an_error() {
    needs!("vulkan");
    let gpu = gpu();
    let cuts = gpu.facts().loop_rounds;
    let programs = [
        // Too many iterations in a single invocation, or in a vertex.
        (["rounds.v.pica", "rounds.g.pica"], [70_000.0, 1.0]),
        (["rounds.v.pica", "rounds_sum.g.pica"], [70_000.0, 1.0]),
        (["long.v.pica", "rounds.g.pica"], [2.0, 1.0]),
    ];
    for (names, numbers) in programs {
        pair(&gpu, names, &Options::default(), |chain, pipeline| {
            let vertices = rounds(&numbers);
            let expected = pipeline.draw(&vertices, None).expect("drawn");
            let expected: Vec<[u32; 4]> =
                expected.triangles().flatten().flatten().map(|vector| vector.map(f32::to_bits)).collect();
            match (cuts, chain.draw(&bits(&vertices), None)) {
                (None, Ok(drawn)) => assert!(drawn.read(&gpu).expect("read") == expected, "{names:?}"),
                (Some(_), Err(CompareError::Gpu(GpuError::Unfinished { reason, .. }))) => {
                    assert_eq!(reason, Reason::Driver(cuts), "{names:?}");
                }
                (_, other) => panic!("{names:?}: {other:?}"),
            }
        });
    }
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
        let equal = |(a, b): (&[u32; 4], &[u32; 4])| {
            a == b
                || !route.is_exact()
                    && a.iter().zip(b).all(|(&a, &b)| {
                        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
                        (a - b).abs() <= 1.0e-4 * a.abs().max(1.0)
                    })
        };
        let wrong = expected.iter().zip(&found).position(|pair| !equal(pair));
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
fn a_draw_is_split_until_every_loop_completes() {
    needs!("vulkan");
    // More iterations per invocation than the initial split assumes.
    flowers(&gpu(), 700, 255, Route::Passthrough).expect("drawn");
    flowers(&gpu(), 700, 255, Route::Wgsl).expect("drawn");
}
