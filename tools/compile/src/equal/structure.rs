//! Proof that two programs are equal for all inputs, by their structure.
//! In: a comparison. Out: the number of claims that a solver had to prove, or why there is no
//! proof. Both programs are lowered and optimized as for a translation, and walked side by side.

use crate::ir::Module;
use crate::lift::{self, Context, OutputSelection};
use crate::passes::{self, Scratch};
use crate::translate::{ControlFlow, control};
use transpica::host::Constants;
use transpica::{Options, Stage};

use super::symbols::{Symbol, Symbols};
use super::term::Products;
use super::{Comparison, Opened, Solver, walk};

/// How much of a claim's operands a script knows, and what it knows of products: the easiest first.
const SCRIPTS: [(u32, Products); 4] =
    [(0, Products::Lemmas), (4, Products::Lemmas), (u32::MAX, Products::Lemmas), (u32::MAX, Products::Exact)];

/// Proves that the programs are equal. Returns the number of claims that the solver proved.
///
/// # Errors
/// The reason why there is no proof.
pub fn prove(comparison: &Comparison<'_>) -> Result<usize, String> {
    let registers = &comparison.matching.registers;
    let lower = |side: usize| {
        let Opened { program, constants, .. } = comparison.programs[side];
        lowered(program, constants, comparison.options_of(side).unpromised())
    };
    let (before, after) = (lower(0)?, lower(1)?);
    let (precision, lanes) = (comparison.options.arithmetic.precision, comparison.matching.lanes());
    let symbols = match comparison.rounding {
        Some(_) => Symbols::reordered(precision),
        None => Symbols::new(precision, false),
    };
    let symbols = walk::compare_related([&before, &after], symbols, registers, Some(&lanes))?;
    let claims = symbols.claims.len();
    if claims == 0 {
        return Ok(0);
    }
    let count = |open: usize| format!("{open} of {claims} pairs of operations are equal on samples only");
    let Some(solver) = comparison.solver else {
        return Err(format!("{}, and no solver is asked", count(claims)));
    };
    let open = symbols.claims.iter().filter(|claim| !decide(&symbols, **claim, solver)).count();
    if open == 0 { Ok(claims) } else { Err(format!("{}: solvers do not decide them", count(open))) }
}

/// Asks the solver about a claim.
fn decide(symbols: &Symbols, claim: [Symbol; 2], solver: Solver<'_>) -> bool {
    let mut scripts =
        SCRIPTS.into_iter().filter_map(|(opened, products)| symbols.script(claim, opened, products));
    scripts.any(|script| solver(&script))
}

/// Lowers and optimizes a program whose function yields o0..o15. Constants of its file are known.
fn lowered(
    program: &transpica::Program<'_>,
    constants: &Constants,
    mut options: Options,
) -> Result<Module, String> {
    if program.stage() == Stage::Geometry {
        return Err("geometry programs are run, not proven".into());
    }
    let bools = &mut options.control.bools;
    for (register, value) in (0..16).zip(constants.bools) {
        if let Some(value) = value.filter(|_| bools.baked >> register & 1 == 0) {
            bools.baked |= 1 << register;
            bools.values = bools.values & !(1 << register) | u16::from(value) << register;
        }
    }
    options.control = options.control.with_ints(&constants.ints);
    let flow = control(program, &options).map_err(|error| error.to_string())?;
    let context = Context {
        program,
        constants: &constants.floats,
        outputs: OutputSelection::Registers,
        geometry: None,
        options: &options,
        hooks: &[],
    };
    let module = match &flow {
        ControlFlow::Tree(cfg, tree, _) => lift::structured(context, cfg, tree),
        ControlFlow::Code => lift::dispatched(context),
    };
    let mut module = module.map_err(|error| error.to_string())?;
    passes::optimize::run(&mut module, &options.arithmetic, &mut Scratch::default());
    Ok(module)
}
