//! Passes that make a function smaller and change no bit of its results, and their order.
//! In and out: an [`ir::Module`](crate::ir::Module). Knows neither the uniform block nor drivers.
//! Begin with [`run`], the order before `legalize`; [`tidy`] comes after it.
//!
//! | file | pass |
//! |---|---|
//! | `simplify/` | simpler operations and constructs: `rules.rs`, `comparisons.rs`; `frame.rs` |
//! | `dce.rs`, `shrink.rs` | values, then lanes, that are not demanded |
//! | `cse.rs` | equal operations once |
//! | `uncalled.rs` | helpers that nothing calls |
//! | `edit.rs`, `equal.rs` | edits that passes share; the table of visible operations |

pub mod cse;
pub mod dce;
mod edit;
pub(super) mod equal;
pub mod shrink;
pub mod simplify;
pub mod uncalled;

use std::sync::Arc;

use super::Scratch;
use crate::host::settings::Arithmetic;
use crate::ir::{Func, Module};
use crate::machine::precision::Precision;

/// Makes a module of the `Pica` stage smaller without changing a bit of its outputs.
///
/// ```text
/// %0: f32x4 = input v0              =>  %0: f32x4 = input v0
/// %1: f32x4 = const 1 1 1 1
/// %2: f32x4 = mulp %0 %1
/// %3: f32x4 = input v0
/// %4: f32x4 = addp %2 %3                %4: f32x4 = addp %0 %0
/// ```
pub fn run(module: &mut Module, arithmetic: &Arithmetic, scratch: &mut Scratch) {
    run_observed(module, arithmetic.precision, scratch, &mut |_, _| {});
}

/// As [`run`], and shows the main function after each pass with the name of the pass.
///
/// For comparisons of what each pass leaves: passes share what is known of the function, so that
/// the sequence that ships can be seen from inside only.
#[doc(hidden)]
pub fn run_observed(
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
    simplify::run(f, precision, &mut scratch.tables);
    observe("simplify", f);
    scratch.analyze(f);
    let Scratch { flow, demand, tables, .. } = scratch;
    dce::run(f, flow, demand);
    observe("dce", f);
    // What that leaves twice or unused, `tidy` removes.
    if shrink::run(f, flow, demand, tables) {
        observe("shrink", f);
    }
}

/// Removes what `legalize` left over: equal operations, dead values, helpers without calls. The
/// helpers themselves have neither.
pub fn tidy(module: &mut Module, scratch: &mut Scratch) {
    cse::run(&mut module.main, &mut scratch.tables);
    if !module.helpers.is_empty() {
        uncalled::run(module);
    }
}
