//! Proof that two programs are equal for all inputs, by their structure.
//! In: a comparison. Out: the number of claims that a solver had to prove, or why there is no
//! proof. Both programs are lowered and optimized as for a translation, and walked side by side.
//! Sums and products in another order are no proof: how far results are apart depends on values.

use std::collections::BTreeSet;

use crate::geometry::{Observation, StateItem, StateWord};
use crate::ir::Module;
use crate::lift::{self, Context, Form, Geometry, OutputSelection};
use crate::passes::{self, Scratch};
use crate::translate::{ControlFlow, control, state_words};
use transpica::host::Constants;
use transpica::isa::Mask;
use transpica::{Options, Program, Stage};

use super::sent::{self, Vector};
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
    let places = |side: usize| comparison.matching.outputs.iter().map(move |pair| pair.places[side]);
    let lower = |side: usize, words: &BTreeSet<usize>| {
        let Opened { program, constants, .. } = comparison.programs[side];
        let places: Vec<(usize, usize)> = places(side).collect();
        lowered(program, constants, comparison.options_of(side).unpromised(), &places, words)
    };
    // Invocations that begin equal, in all that one of them reads, must end equal in it.
    let mut words = BTreeSet::new();
    let modules = loop {
        let (modules, known) = ([lower(0, &words)?, lower(1, &words)?], words.len());
        words.extend(modules.iter().flat_map(|module| sent::read(&module.main)));
        if words.len() == known {
            break modules;
        }
    };
    let precision = comparison.options.arithmetic.precision;
    let exact = walked(comparison, &modules, Symbols::new(precision, false));
    if exact.is_ok() || comparison.rounding.is_none() {
        return exact;
    }
    walked(comparison, &modules, Symbols::reordered(precision))?;
    Err("sums and products are the same for all inputs, in another order".into())
}

/// Walks over both programs and has the claims decided.
fn walked(comparison: &Comparison<'_>, modules: &[Module; 2], symbols: Symbols) -> Result<usize, String> {
    let (registers, lanes) = (&comparison.matching.registers, comparison.matching.lanes());
    // A geometry program yields the number of vertices that it sent, which are its outputs, and
    // what it leaves for later invocations.
    let is_geometry = comparison.programs[0].program.stage() == Stage::Geometry;
    let lanes = (!is_geometry).then_some(lanes.as_slice());
    let symbols = walk::compare_related(modules.each_ref(), symbols, registers, lanes)?;
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

/// Lowers and optimizes a program whose function yields o0..o15, or submits some components of them
/// for each EMIT and yields some words of state. Constants of its file are known.
fn lowered(
    program: &Program<'_>,
    constants: &Constants,
    mut options: Options,
    places: &[(usize, usize)],
    words: &BTreeSet<usize>,
) -> Result<Module, String> {
    let bools = &mut options.control.bools;
    for (register, value) in (0..16).zip(constants.bools) {
        if let Some(value) = value.filter(|_| bools.baked >> register & 1 == 0) {
            bools.baked |= 1 << register;
            bools.values = bools.values & !(1 << register) | u16::from(value) << register;
        }
    }
    options.control = options.control.with_ints(&constants.ints);
    let flow = control(program, &options).map_err(|error| error.to_string())?;
    let is_geometry = program.stage() == Stage::Geometry;
    let (setup, state) = (sent::setup(), if is_geometry { state(program, &options) } else { Vec::new() });
    let geometry = Geometry { setup: &setup, state: &state, form: Form::Unit };
    let context = Context {
        program,
        constants: &constants.floats,
        outputs: if is_geometry { OutputSelection::Semantics(&[]) } else { OutputSelection::Registers },
        geometry: is_geometry.then_some(geometry),
        options: &options,
        hooks: &[],
    };
    let module = match &flow {
        ControlFlow::Tree(cfg, tree, _) => lift::structured(context, cfg, tree),
        ControlFlow::Code => lift::dispatched(context),
    };
    let mut module = module.map_err(|error| error.to_string())?;
    let vector = |places: &[(usize, usize)]| std::array::from_fn(|n| places.get(n).copied());
    let vectors: Vec<Vector> = places.chunks(4).map(vector).collect();
    if is_geometry && !sent::restrict(&mut module.main, &vectors, words) {
        return Err("a geometry program that never ends is run, not proven".into());
    }
    passes::optimize::run(&mut module, &options.arithmetic, &mut Scratch::default());
    Ok(module)
}

/// All state that earlier invocations of a geometry program may leave.
fn state(program: &Program<'_>, options: &Options) -> Vec<StateWord> {
    let all = StateItem::list(&[Mask::XYZW; 16]).into_iter();
    let all: Vec<Observation> = all.map(|item| Observation { item, pc: program.entry() }).collect();
    state_words(&all, &[], options)
}
