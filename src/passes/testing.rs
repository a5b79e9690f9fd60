//! One check for the tests of all passes: text before, text after.

use super::Scratch;
use super::same::compare;
use crate::ir::{Func, Module, Stage, text, verify};
use crate::precision::Precision;

/// Reads a module, or the body of its main function.
fn read(source: &str) -> Module {
    let whole = if source.contains("func") { source.to_owned() } else { format!("func main {{ {source} }}") };
    let module = text::parse(&whole).unwrap_or_else(|error| panic!("{error} in {whole}"));
    verify(&module, Stage::Pica).unwrap_or_else(|error| panic!("{error} in {module}"));
    module
}

/// A pass turns one main function into another, says so, keeps what it computes, and has nothing to do on the result.
pub(super) fn check(pass: impl Fn(&mut Func, &mut Scratch) -> bool, before: &str, after: &str) {
    let (before, after) = (read(before), read(after));
    let mut scratch = Scratch::default();
    let mut module = before.clone();
    let changed = pass(&mut module.main, &mut scratch);
    assert_eq!(text::print_renumbered(&module), text::print_renumbered(&after));
    assert_eq!(
        changed,
        text::print_renumbered(&before) != text::print_renumbered(&after),
        "what the pass says"
    );
    verify(&module, Stage::Pica).unwrap();
    compare(&before, &module, Precision::Exact, 1, 50).unwrap();
    assert!(!pass(&mut module.main, &mut scratch), "a second run changes it to {module}");
}
