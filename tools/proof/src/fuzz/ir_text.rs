//! Any text: parsed modules print and parse to the same; well-formed modules go through every pass,
//! which preserves well-formedness and results.

use crate::passes::check_passes;
use transpica::Precision;
use transpica::settings::Arithmetic;
use transpica::stages::ir::{Phase, text, verify};
use transpica::stages::passes::analyze::{offsets, usage};
use transpica::stages::passes::drivers::leave;
use transpica::stages::passes::optimize::tidy;
use transpica::stages::passes::{Scratch, optimize};

/// Number of inputs that a module runs on before and after each pass.
const RUNS: u32 = 2;
/// Number of values beyond which a module is only printed and verified.
const VALUES: usize = 400;

pub fn check(bytes: &[u8]) {
    let Ok(source) = str::from_utf8(bytes) else { return };
    let Ok(module) = crate::ir::parse(source) else { return };
    let printed = text::print(&module);
    let again = crate::ir::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(text::print(&again), printed);
    text::print_renumbered(&module);
    let legal = verify(&module, Phase::Legal).is_ok();
    if verify(&module, Phase::Pica).is_err() {
        assert!(!legal, "whatever is legal keeps the weaker law\n{printed}");
        return;
    }
    if module.main.values.len() > VALUES {
        return;
    }
    // The precision follows from the text, so that each text has one outcome.
    let precision = [Precision::Exact, Precision::Fast, Precision::F24][source.len() % 3];
    check_passes(&module, precision, 1, RUNS).unwrap_or_else(|error| panic!("{error}"));
    let mut optimized = module.clone();
    let mut scratch = Scratch::default();
    let arithmetic = Arithmetic { precision, ..Arithmetic::default() };
    optimize::run(&mut optimized, &arithmetic, &mut scratch);
    tidy(&mut optimized, &mut scratch);
    leave::run(&mut optimized.main, &optimized.helpers, &mut scratch);
    verify(&optimized, Phase::Pica).unwrap_or_else(|error| panic!("{error}\n{printed}\nbecame\n{optimized}"));
    usage::run(&optimized.main, &offsets::run(&optimized.main, &arithmetic, &[None; 96]));
}
