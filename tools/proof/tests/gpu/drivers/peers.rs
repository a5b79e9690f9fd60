//! The programs of `tests/cases/peers` on the GPU: unchanged SPIR-V bit for bit, WGSL within its
//! tolerance, and outputs through a real rasterizer. The library's tests compare the interpreter
//! with the expected values of the files.

use transpica::host::dvle::FileEnvironment;
use transpica::host::{Location, dvle};
use transpica::settings::{Block, Layout};
use transpica::{Job, Options, Profile, Program, Shbin, Translation, Translator};
use transpica_gpu::compare::{self, Verdict, compare_shader, uniform_bytes};
use transpica_gpu::{Gpu, Route, VertexJob, run_vertex};
use transpica_proof::expected::{self, Case, cases};
use transpica_proof::tally::Tally;

use crate::valid::valid_shader;

/// Limit of instructions per vertex on the interpreter.
const BUDGET: u64 = 10_000;

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

fn for_each(mut check: impl FnMut(&Case, &Program<'_>, &FileEnvironment<'_>)) {
    for case in &cases() {
        let bytes = case.assemble().bytes;
        let file = Shbin::parse(&bytes).expect("well formed");
        let program = dvle::program(&file, 0, &Options::default().limits).expect("a vertex program");
        check(case, &program, &FileEnvironment::new(&file, 0, &case.name).expect("there"));
    }
}

/// Returns one verdict for each set of uniforms.
fn verdicts(
    gpu: &Gpu,
    case: &Case,
    program: &Program<'_>,
    environment: &FileEnvironment<'_>,
    route: Route,
) -> Vec<Verdict> {
    let options =
        Options { block: Block { layout: Layout::Registers, ..Block::default() }, ..Options::default() };
    let verdict = |run: &expected::Run| {
        let inputs: Vec<_> =
            run.vertices.iter().map(|vertex| vertex.inputs.map(|bits| bits.map(f32::from_bits))).collect();
        let (uniforms, inputs) = (&run.uniforms, &inputs[..]);
        let case = compare::Case { program, environment, uniforms, inputs, options, budget: BUDGET };
        let mut translator = Translator::new(options, gpu.profile(route));
        let translated =
            translator.translate(program, environment, Job::Compute).map_err(|error| error.to_string())?;
        let shader = valid_shader(gpu, &mut translator, &translated, route)?;
        compare_shader(gpu, &case, &translated, shader).map_err(|error| error.to_string())
    };
    let verdicts = case.runs.iter().map(|run| verdict(run).unwrap_or_else(|e| panic!("{}: {e}", case.name)));
    verdicts.collect()
}

fn run(route: Route) {
    let gpu = gpu();
    let (mut programs, mut vertices) = (0, 0);
    let mut wrong = Vec::new();
    for_each(|case, program, environment| {
        for (number, verdict) in verdicts(&gpu, case, program, environment, route).into_iter().enumerate() {
            assert_eq!(verdict.unfinished, 0, "{}", case.name);
            vertices += verdict.vertices;
            if let Some(first) = verdict.first {
                wrong.push(format!("{} run {number}: {} differ, {first}", case.name, verdict.differing));
            }
        }
        programs += 1;
    });
    let tally = Tally {
        stage: format!("{} on {}: programs with results worked out by hand", route.name(), gpu.name()),
        programs,
        vertices: vertices as u64,
        differing: wrong.len() as u64,
        ..Tally::default()
    };
    tally.print();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn spirv_matches_the_interpreter() {
    needs!("vulkan");
    run(Route::Passthrough);
}

#[test]
fn wgsl_stays_within_its_tolerance() {
    needs!("vulkan");
    run(Route::Wgsl);
}

/// Compares captured varyings with the file's expected outputs of the vertex entry.
fn check_outputs(
    gpu: &Gpu,
    translator: &mut Translator,
    translated: &Translation,
    case: &Case,
    route: Route,
) {
    let listed = case.runs.iter().flat_map(|run| run.vertices.iter().map(move |vertex| (run, vertex)));
    for (run, vertex) in listed.filter(|(_, vertex)| !vertex.semantics.is_empty()) {
        let shader = valid_shader(gpu, translator, translated, route).expect("a module");
        let uniforms = uniform_bytes(translated, &run.uniforms);
        let vertices = [vertex.inputs];
        let job = VertexJob::new(shader, &translated.interface, &uniforms, &vertices);
        let captured = run_vertex(gpu, job).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let captured = captured[0].as_ref().expect("inside the clip volume");
        let outputs = &translated.interface.outputs;
        let varyings = outputs.iter().filter(|output| output.location != Location::Position);
        for (output, found) in varyings.zip(&captured.varyings) {
            let listed = vertex.semantics.iter().find(|(name, _)| *name == output.name);
            let (_, expected) = listed.unwrap_or_else(|| panic!("the file lists no {}", output.name));
            let found = found.map(f32::to_bits);
            assert_eq!(expected[..], found[..expected.len()], "{} {}", case.name, output.name);
        }
    }
}

#[test]
fn outputs_reach_the_rasterizer() {
    needs!("vulkan");
    let gpu = gpu();
    let mut seen = 0;
    for_each(|case, program, environment| {
        let is_told = case.runs.iter().flat_map(|run| &run.vertices).any(|v| !v.semantics.is_empty());
        if is_told {
            let mut translator = Translator::new(Options::default(), Profile::default());
            let translated = translator.translate(program, environment, Job::Vertex).expect("translates");
            for route in [Route::Passthrough, Route::Wgsl] {
                check_outputs(&gpu, &mut translator, &translated, case, route);
            }
            seen += 1;
        }
    });
    assert!(seen > 0, "no file lists outputs of the vertex entry");
}
