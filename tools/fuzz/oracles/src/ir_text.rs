//! Any text: what the parser takes is printed and parsed to the same, what keeps the law goes through every pass, which
//! keeps the law and what the module computes.

use transpica::stages::host::Arithmetic;
use transpica::stages::ir::{Stage, text, verify};
use transpica::stages::passes::{Scratch, approximate, leave, optimize, tidy, usage};
use transpica::stages::precision::Precision;
use transpica_prove::passes::check_passes;

/// Inputs that a module is run on before and after each pass.
const RUNS: u32 = 2;
/// Values beyond which a module is only printed and verified.
const VALUES: usize = 400;

pub fn check(bytes: &[u8]) {
    let Ok(source) = str::from_utf8(bytes) else { return };
    let Ok(module) = text::parse(source) else { return };
    let printed = text::print(&module);
    let again = text::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(text::print(&again), printed);
    text::print_renumbered(&module);
    let legal = verify(&module, Stage::Legal).is_ok();
    if verify(&module, Stage::Pica).is_err() {
        assert!(!legal, "whatever is legal keeps the weaker law\n{printed}");
        return;
    }
    if module.main.values.len() > VALUES {
        return;
    }
    // Which precision follows from the text, so that each text means one thing.
    let precision = [Precision::Exact, Precision::Fast, Precision::F24][source.len() % 3];
    check_passes(&module, precision, 1, RUNS).unwrap_or_else(|error| panic!("{error}"));
    let mut optimised = module.clone();
    let mut scratch = Scratch::default();
    optimize(&mut optimised, &Arithmetic { precision, ..Arithmetic::default() }, &mut scratch);
    tidy(&mut optimised, &mut scratch);
    leave::run(&mut optimised.main, &optimised.helpers, &mut scratch);
    verify(&optimised, Stage::Pica).unwrap_or_else(|error| panic!("{error}\n{printed}\nbecame\n{optimised}"));
    usage::run(&optimised.main);
    approximate::run(&optimised);
}
