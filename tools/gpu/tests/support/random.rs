//! One random program on one route, for the tests and for the example that goes on without end.

use transpica::host::{EntryPoint, Layout, Options};
use transpica::precision::Precision;
use transpica_generate::{Generated, Kind};
use transpica_gpu::compare::{Case, CompareError, Verdict, compare};
use transpica_gpu::{Gpu, Route};

use super::support::Bare;

/// Instructions that one vertex may execute. A loop of the driver ends after 65,535 iterations, far above.
const BUDGET: u64 = 2000;
/// Vertices for each program, all in one dispatch.
const VERTICES: usize = 64;

/// Compares a program on a route with the interpreter.
pub fn one(
    gpu: &Gpu,
    generated: &Generated,
    precision: Precision,
    route: Route,
) -> Result<Verdict, CompareError> {
    let options =
        Options { precision, layout: Layout::Registers, entry: EntryPoint::Compute, ..Options::default() };
    let program = generated.program();
    let (uniforms, inputs) = (generated.uniforms(), generated.inputs(VERTICES));
    let case = Case {
        program: &program,
        around: &Bare,
        uniforms: &uniforms,
        inputs: &inputs,
        options,
        budget: BUDGET,
        judge_approximate: generated.kind != Kind::Numeric,
    };
    compare(gpu, &case, route)
}
