//! Checks that a pass preserves a module's results: runs the module before and after on random
//! inputs and compares the bits.
//! In: a module, a precision, a seed. Out: nothing, or the difference.

use transpica::stages::ir::{Func, Module, Phase, text, verify};
use transpica::stages::passes::Scratch;
use transpica::stages::passes::drivers::leave;
use transpica::stages::passes::optimize::{cse, dce, shrink, simplify};
use transpica::{At, Error, Kind, Precision, Result};

use crate::same::compare;

/// A pass with its name.
pub type Pass = (&'static str, fn(&mut Func, Precision, &mut Scratch) -> bool);

/// The passes of one function, by the entry points that the library uses.
pub const PASSES: [Pass; 5] = [
    ("simplify", |f, precision, scratch| simplify::run(f, precision, &mut scratch.tables)),
    ("cse", |f, _, scratch| cse::run(f, &mut scratch.tables)),
    ("dce", |f, _, scratch| {
        scratch.analyze(f);
        dce::run(f, &scratch.flow, &scratch.demand)
    }),
    ("shrink", |f, _, scratch| {
        scratch.analyze(f);
        shrink::run(f, &scratch.flow, &scratch.demand, &mut scratch.tables)
    }),
    ("leave", |f, _, scratch| leave::run(f, &[], scratch)),
];

/// The order in which [`check_passes`] runs the passes, each on the result of the previous one.
const ORDER: [&str; 5] = ["simplify", "cse", "dce", "shrink", "cse"];

/// Returns the pass of this name.
pub fn find(name: &str) -> Option<Pass> {
    PASSES.into_iter().find(|(known, _)| *known == name)
}

/// Runs every pass on a module of the `Pica` stage. Each must leave it valid, change nothing when
/// run again, and preserve all outputs on `runs` random inputs.
///
/// ```
/// use transpica_proof::{ir, passes::check_passes};
/// let text = "func main { %0: f32x4 = input v0 %1: f32x4 = mulp %0 %0 yield %1 }";
/// check_passes(&ir::parse(text)?, transpica::Precision::Exact, 1, 10)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The rule that a pass broke, with the module before and after.
pub fn check_passes(module: &Module, precision: Precision, seed: u64, runs: u32) -> Result<()> {
    verify(module, Phase::Pica)?;
    let mut scratch = Scratch::default();
    let mut before = module.clone();
    for (name, pass) in ORDER.map(|name| find(name).expect("a pass")) {
        let mut after = before.clone();
        let mut apply = |module: &mut Module| {
            let functions = module.functions_mut();
            functions.fold(false, |changed, f| pass(f, precision, &mut scratch) | changed)
        };
        apply(&mut after);
        let blame = |what: String| {
            Error::new(Kind::Verify(format!("{name}: {what}\nbefore:\n{before}after:\n{after}")), At::Whole)
        };
        verify(&after, Phase::Pica).map_err(|error| blame(error.to_string()))?;
        let mut again = after.clone();
        if apply(&mut again) || text::print(&again) != text::print(&after) {
            return Err(blame(format!("a second run changes it to:\n{again}")));
        }
        compare(&before, &after, precision, seed, runs).map_err(|error| blame(error.to_string()))?;
        before = after;
    }
    compare(module, &before, precision, seed, runs)
}
