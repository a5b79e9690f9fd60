//! The intermediate form: its text, verifier and evaluator, and the rules of single passes on
//! modules that are written as text.

mod eval;
mod leave;
pub(crate) mod legalize;
mod offsets;
mod reader;
mod reads;
mod uncalled;
mod verify;
mod zeros;
