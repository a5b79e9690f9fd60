//! Any program on any state, with undefined opcodes, budgets and a loop guard: batches of several
//! sizes have the interpreter's results, and draws with a geometry program the results of the
//! machines.

use crate::batch::{Case, SIZES, drawn};
use crate::generate::generate_geometry;
use arbitrary::Unstructured;
use transpica::container::write;
use transpica::host::dvle;
use transpica::interp::Settings;
use transpica::{Limits, Options, Program, Shbin, Stage};
use transpica_draw::batch::LANES;
use transpica_draw::cpu::{DrawLimits, Pipeline};

use super::Input;

/// Limit of the instructions of a vertex.
const BUDGET: u64 = 1000;

pub fn check(bytes: &[u8]) {
    let Ok(input) = Input::read(&mut Unstructured::new(bytes)) else { return };
    let bytes = write(&input.model);
    let Ok(file) = Shbin::parse(&bytes) else { return };
    let Ok(program) = dvle::program(&file, 0, &Limits::default()) else { return };
    if program.stage() == Stage::Geometry {
        return check_draws(&program, &input.settings.options, input.seed.into());
    }
    let (uniforms, inputs) = input.state(LANES + 1);
    let settings =
        Settings { flush_subnormals: input.target & 2 != 0, ..input.settings.options.settings(BUDGET) };
    let case = Case { program: &program, settings, uniforms: &uniforms, inputs: &inputs };
    case.compare(&SIZES).unwrap_or_else(|disagreement| panic!("{disagreement}"));
}

/// Puts a geometry program in the place of a random one.
fn check_draws(program: &Program<'_>, options: &Options, seed: u64) {
    let generated = generate_geometry(seed);
    let pipeline = Pipeline::new(&generated.vertex(), Some(program), generated.setup, options);
    let Ok(mut found) = pipeline else { return };
    found.set_limits(DrawLimits { steps: BUDGET, ..DrawLimits::default() });
    let mut expected = found.clone();
    expected.one_by_one();
    for draw in &generated.draws {
        assert!(drawn(&mut found, draw) == drawn(&mut expected, draw), "seed {seed}: draws differ");
    }
}
