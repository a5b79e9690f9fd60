//! What must hold for any input whatever: the bodies of the fuzz targets, and of the test that replays what they found.
//! In: bytes. Out: nothing, or a panic that says what is wrong. Knows no fuzzer.
//!
//! Errors are fine; those that call themselves a defect of the library are not.

mod assembler;
mod container;
mod input;
mod interpreter;
mod ir_text;
mod round_trip;
mod translate;

use transpica::stages::error::{Error, Kind, Result};

pub use input::Input;

/// Checks one input.
pub type Check = fn(&[u8]);

/// Every target: the name of its binary and of its folder of kept inputs, and what it checks.
pub const TARGETS: [(&str, Check); 6] = [
    ("container", container::check),
    ("translate", translate::check),
    ("assembler", assembler::check),
    ("round_trip", round_trip::check),
    ("interpreter", interpreter::check),
    ("ir_text", ir_text::check),
];

/// Checks one input of a target.
///
/// # Panics
/// If something is wrong, or if there is no such target.
pub fn check(target: &str, bytes: &[u8]) {
    let (_, check) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    check(bytes);
}

/// The value, unless the input is at fault.
///
/// # Panics
/// If the library says that it is at fault itself.
#[track_caller]
fn unless_refused<T>(result: Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(!is_defect(&error), "{error}");
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

fn is_defect(error: &Error) -> bool {
    matches!(error.kind, Kind::Verify(_) | Kind::Backend(_))
}
