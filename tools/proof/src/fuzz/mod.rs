//! Invariants for any input: the bodies of the fuzz targets, and of the test that replays their
//! corpus.
//! In: bytes. Out: nothing, or a panic that describes the violation. Knows no fuzzer.
//!
//! Errors are fine, except those that report an internal defect of the library.

mod assembler;
mod batch;
mod container;
mod input;
mod interpreter;
mod ir_text;
mod round_trip;
mod scan;
mod translate;

use transpica::{Kind, Result};

pub use input::Input;

/// A check of one input.
pub type Check = fn(&[u8]);

/// Every target: the name of its binary and of its corpus folder, and its check.
pub const TARGETS: [(&str, Check); 8] = [
    ("container", container::check),
    ("translate", translate::check),
    ("assembler", assembler::check),
    ("round_trip", round_trip::check),
    ("interpreter", interpreter::check),
    ("ir_text", ir_text::check),
    ("batch", batch::check),
    ("scan", scan::check),
];

/// Checks one input of a target.
///
/// # Panics
/// If the check fails, or if there is no such target.
pub fn check(target: &str, bytes: &[u8]) {
    let (_, check) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    check(bytes);
}

/// Returns the value, or `None` for an error that blames the input.
///
/// # Panics
/// If the error reports an internal defect.
#[track_caller]
fn unless_refused<T>(result: Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(!matches!(error.kind, Kind::Verify(_) | Kind::Backend(_)), "{error}");
            assert!(!error.to_string().is_empty());
            None
        }
    }
}
