//! Any vertex program on any state: batches of several sizes have the interpreter's results, with
//! undefined opcodes, budgets and a loop guard.

use arbitrary::Unstructured;
use transpica::batch::LANES;
use transpica::interp::Settings;
use transpica::isa::Stage;
use transpica::stages::container::{Shbin, write};
use transpica::stages::host::dvle;
use transpica::stages::limits::Limits;
use transpica_generate::{inputs, special_inputs, special_uniforms, uniforms};
use transpica_prove::batch::{Case, SIZES};

use crate::Input;

/// Limit of the instructions of a vertex.
const BUDGET: u64 = 1000;

pub fn check(bytes: &[u8]) {
    let Ok(input) = Input::read(&mut Unstructured::new(bytes)) else { return };
    let bytes = write(&input.model);
    let Ok(file) = Shbin::parse(&bytes) else { return };
    let Ok(program) = dvle::program(&file, 0, &Limits::default()) else { return };
    if program.stage() == Stage::Geometry {
        return;
    }
    let seed = u64::from(input.seed);
    let (uniforms, inputs) = match input.target & 1 == 0 {
        true => (uniforms(seed), inputs(seed, LANES + 1)),
        false => (special_uniforms(seed), special_inputs(seed, LANES + 1)),
    };
    let settings = Settings { flush_subnormals: input.target & 2 != 0, ..input.options.settings(BUDGET) };
    let case = Case { program: &program, settings, uniforms: &uniforms, inputs: &inputs };
    case.compare(&SIZES).unwrap_or_else(|disagreement| panic!("{disagreement}"));
}
