//! Passes over the intermediate form, one file and one function each. In and out: an
//! [`ir::Module`](crate::ir::Module). They know the IR and the layout of the uniform block, no
//! encodings.
//!
//! [`optimize`] comes before [`legalize`], [`tidy`] and then [`leave`] after it. Every pass leaves
//! a valid module valid and has nothing to do on what it made itself. Analyses that several passes
//! read are parameters, so that they are computed once and each pass has one function, which is the
//! one that tests run.

pub mod approximate;
pub mod cse;
pub mod dce;
pub mod demand;
pub mod dependence;
mod edit;
mod equal;
pub mod flow;
pub mod hoist;
pub mod leave;
pub mod legalize;
pub mod offsets;
pub mod params;
pub mod ranges;
mod scratch;
pub mod shrink;
pub mod simplify;
mod taint;
pub mod uncalled;
pub mod usage;

pub use scratch::{Scratch, Tables};

use std::sync::Arc;

use crate::host::Arithmetic;
use crate::ir::{Func, Module};
use crate::precision::Precision;

/// Makes a module of the `Pica` stage smaller without changing a bit of its outputs.
///
/// ```text
/// %0: f32x4 = input v0              =>  %0: f32x4 = input v0
/// %1: f32x4 = const 1 1 1 1
/// %2: f32x4 = mulp %0 %1
/// %3: f32x4 = input v0
/// %4: f32x4 = addp %2 %3                %4: f32x4 = addp %0 %0
/// ```
pub fn optimize(module: &mut Module, arithmetic: &Arithmetic, scratch: &mut Scratch) {
    optimize_observed(module, arithmetic.precision, scratch, &mut |_, _| {});
}

/// As [`optimize`], and shows the main function after each pass with the name of the pass.
///
/// For comparisons of what each pass leaves: passes share what is known of the function, so that
/// the sequence that ships can be seen from inside only.
#[doc(hidden)]
pub fn optimize_observed(
    module: &mut Module,
    precision: Precision,
    scratch: &mut Scratch,
    observe: &mut dyn FnMut(&'static str, &Func),
) {
    for f in &mut module.helpers {
        optimize_function(Arc::make_mut(f), precision, scratch, &mut |_, _| {});
    }
    optimize_function(&mut module.main, precision, scratch, observe);
    if !module.helpers.is_empty() {
        uncalled::run(module);
    }
}

fn optimize_function(
    f: &mut Func,
    precision: Precision,
    scratch: &mut Scratch,
    observe: &mut dyn FnMut(&'static str, &Func),
) {
    let Scratch { flow, demand, tables, .. } = scratch;
    simplify::run(f, precision, tables);
    observe("simplify", f);
    flow.compute(f);
    if params::run(f, flow, tables) {
        observe("params", f);
        simplify::run(f, precision, tables);
        observe("simplify", f);
        flow.compute(f);
    }
    demand.compute(f, flow);
    dce::run(f, flow, demand);
    observe("dce", f);
    // What that leaves twice or unused, `tidy` removes.
    if shrink::run(f, flow, demand, tables) {
        observe("shrink", f);
    }
}

/// Moves the reads of members to where they are cheap, and removes what `legalize` left over: equal
/// operations, dead values, helpers without calls. The helpers themselves have neither.
pub fn tidy(module: &mut Module, scratch: &mut Scratch) {
    hoist::run(&mut module.main, &mut scratch.tables);
    cse::run(&mut module.main, &mut scratch.tables);
    if !module.helpers.is_empty() {
        uncalled::run(module);
    }
}
