//! Does a pass keep what a module computes? Runs it before and after on random inputs and compares the bits.
//! In: a module, a precision, a seed. Out: nothing, or what differs.

use transpica::error::{At, Error, Kind, Result};
use transpica::ir::{Func, Module, Stage, text, verify};
use transpica::passes::{Scratch, cse, dce, params, shrink, simplify};
use transpica::precision::Precision;

use crate::same::compare;

/// A pass by its name.
pub type Pass = (&'static str, fn(&mut Func, Precision, &mut Scratch) -> bool);

/// The passes that [`check_passes`] tries, each on what the one before it leaves.
pub const PASSES: [Pass; 7] = [
    ("simplify", simplify::run),
    ("params", |f, _, scratch| params::run(f, scratch)),
    ("simplify", simplify::run),
    ("cse", |f, _, scratch| cse::run(f, scratch)),
    ("dce", |f, _, scratch| dce::run(f, scratch)),
    ("shrink", |f, _, scratch| shrink::run(f, scratch)),
    ("cse", |f, _, scratch| cse::run(f, scratch)),
];

/// Runs every pass on a module of the `Pica` stage: each must leave it valid, change nothing when run again, and keep all outputs
/// on `runs` random inputs.
///
/// ```
/// use transpica::{ir::text, precision::Precision};
/// use transpica_prove::passes::check_passes;
/// let module = text::parse("func main { %0: f32x4 = input v0 %1: f32x4 = mulp %0 %0 yield %1 }")?;
/// check_passes(&module, Precision::Exact, 1, 10)?;
/// # Ok::<(), transpica::error::Error>(())
/// ```
///
/// # Errors
/// What a pass broke, with the module before and after.
pub fn check_passes(module: &Module, precision: Precision, seed: u64, runs: u32) -> Result<()> {
    verify(module, Stage::Pica)?;
    let mut scratch = Scratch::default();
    let mut before = module.clone();
    for (name, pass) in PASSES {
        let mut after = before.clone();
        let mut apply = |module: &mut Module| {
            let functions = module.helpers.iter_mut().chain([&mut module.main]);
            functions.fold(false, |changed, f| pass(f, precision, &mut scratch) | changed)
        };
        apply(&mut after);
        let blame = |what: String| {
            Error::new(Kind::Verify(format!("{name}: {what}\nbefore:\n{before}after:\n{after}")), At::Whole)
        };
        verify(&after, Stage::Pica).map_err(|error| blame(error.to_string()))?;
        let mut again = after.clone();
        if apply(&mut again) || text::print(&again) != text::print(&after) {
            return Err(blame(format!("a second run changes it to:\n{again}")));
        }
        compare(&before, &after, precision, seed, runs).map_err(|error| blame(error.to_string()))?;
        before = after;
    }
    compare(module, &before, precision, seed, runs)
}
