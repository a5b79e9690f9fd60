//! One random program on one route, for the tests and for the example that runs many.

use transpica::interp::Settings;
use transpica::settings::{Arithmetic, Block, Layout, Promise};
use transpica::{Job, Machine, Options, Precision, Program, Translation, Translator};
use transpica_gpu::compare::{Case, Verdict, compare_shader};
use transpica_gpu::{Gpu, Route};
use transpica_inspect::promises;
use transpica_proof::generate::Generated;
use transpica_proof::mutants::{self, Mutant};
use transpica_proof::{iterations, shrink};

use super::valid::valid_shader;
use transpica_proof::unnamed::BARE;

/// Limit of instructions per vertex. A driver ends loops after 65,535 iterations, far above.
const BUDGET: u64 = 2000;
/// Vertices per program, all in one dispatch.
const VERTICES: usize = 64;
/// Vertices that a driver runs side by side.
const GROUP: usize = 8;
/// Vertices in a state file.
const SHOWN: usize = 4;

/// Returns the options of every comparison.
pub fn options(precision: Precision) -> Options {
    Options {
        arithmetic: Arithmetic { precision, ..Arithmetic::default() },
        block: Block { layout: Layout::Registers, ..Block::default() },
        ..Options::default()
    }
}

/// Returns whether vertices that a driver runs side by side leave a loop in different iterations.
#[allow(dead_code, reason = "each test asks for other parts")]
pub fn is_left_early(generated: &Generated) -> bool {
    iterations::differ(generated, GROUP, BUDGET)
}

/// Compares a program on a route with the interpreter.
pub fn compare(
    gpu: &Gpu,
    generated: &Generated,
    precision: Precision,
    route: Route,
) -> Result<Verdict, String> {
    compare_with(gpu, generated, options(precision), route)
}

/// Compares like [`compare`], with other options, on numbers that keep their promises.
pub fn compare_with(
    gpu: &Gpu,
    generated: &Generated,
    options: Options,
    route: Route,
) -> Result<Verdict, String> {
    translated_by(gpu, generated, options, route, |translator, program| {
        translator.translate(program, &*BARE, Job::Compute)
    })
}

/// Compares like [`compare`], with a deliberate translation error.
#[allow(dead_code, reason = "each test asks for other parts")]
pub fn mutated(gpu: &Gpu, generated: &Generated, route: Route, mutant: Mutant) -> Result<Verdict, String> {
    let options = options(Precision::Exact);
    translated_by(gpu, generated, options, route, |translator, program| {
        mutants::translate(translator, program, &*BARE, mutant)
    })
}

/// Compares a given translator's module of a program with the interpreter.
fn translated_by(
    gpu: &Gpu,
    generated: &Generated,
    options: Options,
    route: Route,
    translate: impl FnOnce(&mut Translator, &Program<'_>) -> transpica::Result<Translation>,
) -> Result<Verdict, String> {
    let program = generated.program();
    let (mut uniforms, mut inputs) = (generated.uniforms(), generated.inputs(VERTICES));
    promises::keep(&options, &mut uniforms, &mut inputs);
    if options.assume.results != Promise::Nothing {
        // Drivers may flush subnormal numbers, which makes other results.
        for flush_subnormals in [false, true] {
            let settings = Settings { flush_subnormals, ..options.settings(BUDGET) };
            let mut machine = Machine::new(&program, settings).map_err(|error| error.to_string())?;
            machine.set_uniforms(&uniforms);
            inputs.retain(|inputs| promises::results_keep(&mut machine, inputs, options.assume.results));
        }
    }
    let case = Case {
        program: &program,
        environment: &*BARE,
        uniforms: &uniforms,
        inputs: &inputs,
        options,
        budget: BUDGET,
    };
    let mut translator = Translator::new(options, gpu.profile(route));
    let translated = translate(&mut translator, &program).map_err(|error| error.to_string())?;
    let shader = valid_shader(gpu, &mut translator, &translated, route)?;
    compare_shader(gpu, &case, &translated, shader).map_err(|error| error.to_string())
}

/// Returns the description of a failure, if any.
fn failure(result: &Result<Verdict, String>) -> Option<String> {
    match result {
        Ok(verdict) => {
            let first = verdict.first?;
            Some(format!("{} values differ; {first}", verdict.differing))
        }
        Err(error) => Some(error.clone()),
    }
}

/// Compares like [`compare`]; a program that differs is shrunk, and the error has its text, its
/// state and the differences.
pub fn prove(
    gpu: &Gpu,
    generated: &Generated,
    precision: Precision,
    route: Route,
) -> Result<Verdict, String> {
    let result = compare(gpu, generated, precision, route);
    let Some(what) = failure(&result) else { return result };
    let name = format!("{:?} seed {} {precision:?} {}", generated.kind, generated.seed, route.name());
    let differs = |program: &Generated| compare(gpu, program, precision, route).is_ok_and(|v| !v.passed());
    let small = match &result {
        Ok(_) => shrink::shrink(generated, differs),
        Err(_) => shrink::shrink(generated, |program| compare(gpu, program, precision, route).is_err()),
    };
    let left = failure(&compare(gpu, &small, precision, route)).unwrap_or_default();
    let text = shrink::text(&small).unwrap_or_else(|error| error.to_string());
    let state = shrink::state(&small, SHOWN);
    Err(format!("{name}: {what}\nsmallest program: {left}\n{text}\nstate: {state}"))
}
